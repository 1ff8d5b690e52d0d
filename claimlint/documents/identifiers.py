"""Which triggers of a sentence assert nothing: numbers that name a thing, and superlatives.

``COVID-19``, ``SHA-256``, ``Python 3.8``, ``CC BY 4.0``, ``pull request 3945`` and ``1)`` name; ``50 wards``
counts. Both questions are asked of the blanked prose around a trigger, never of a whole draft.
"""

from __future__ import annotations

import re
from functools import cache

from claimlint.documents.d4c import Kind, Trigger
from claimlint.documents.word_lists import (
    FUNCTION_WORDS,
    LOOSELY_NUMBERED,
    LY_ADJECTIVES,
    NOT_PRODUCTS,
    NUMBERED,
    POINTS,
)

_WINDOW = 90
"""How many characters before a number can belong to its label, with the numbers listed between them."""


def all_identifiers(prose: str, triggers: tuple[Trigger, ...]) -> bool:
    """Whether every trigger of a sentence is a number that names something rather than counts it."""
    end = -1
    for trigger in triggers:
        # The second number of `IEC 62056-21` belongs to the first.
        goes_on = trigger.start == end + 1 and prose[end] in "-/–.:" and trigger.kind is Kind.NUMBER
        if not goes_on and not _is_identifier(prose, trigger):
            return False
        end = trigger.end
    return bool(triggers)


def only_superlatives(prose: str, triggers: tuple[Trigger, ...]) -> bool:
    """Whether ``most`` is the only trigger and compares (*the most X*, *most …ly*), each time it stands there."""
    return bool(triggers) and all(
        _is_word(trigger, "most") and _is_superlative(prose, trigger) for trigger in triggers
    )


def only_announces(prose: str, triggers: tuple[Trigger, ...]) -> bool:
    """Whether the triggers only count the points that follow: *several reasons*, *3 main challenges*."""
    return bool(triggers) and all(
        (_is_word(trigger, "several") or trigger.kind is Kind.NUMBER) and _points().match(prose, trigger.end)
        for trigger in triggers
    )


@cache
def _points() -> re.Pattern[str]:
    return re.compile(rf"[\s*_]+(?:[a-z-]+\s){{0,2}}(?:{POINTS})\b")


def _is_word(trigger: Trigger, word: str) -> bool:
    return trigger.kind is Kind.WORD and trigger.token == word


def _is_superlative(prose: str, trigger: Trigger) -> bool:
    if _before_most().search(prose, max(0, trigger.start - 24), trigger.start):
        return True
    if _clause_end().match(prose, trigger.end):
        return True
    after = _adverb().match(prose, trigger.end)
    return after is not None and after[1].lower() not in LY_ADJECTIVES


@cache
def _before_most() -> re.Pattern[str]:
    words = (
        "the|a|its|their|his|her|our|my|your|whose|at|second|third|is|are|was|were|be|been|being|becomes?|remains?"
    )
    return re.compile(rf"(?:(?<![^\W_])(?:{words})|['’]s)[\s*_\[(\"“‘]+$", re.IGNORECASE)


@cache
def _clause_end() -> re.Pattern[str]:
    return re.compile(r"[*_]*(?:[.,;:)!?]|$)")


@cache
def _adverb() -> re.Pattern[str]:
    return re.compile(r"[\s*_]+(often|[^\W\d_]{2,}ly)(?![^\W_])", re.IGNORECASE)


def _is_identifier(prose: str, trigger: Trigger) -> bool:
    if trigger.kind in (Kind.WORD, Kind.PERCENTAGE):
        return False
    start, end = trigger.start, trigger.end
    window = _blanks().sub(" ", _parenthesis().sub("", prose[max(0, start - _WINDOW) : start]))
    label = _label().search(window)
    if label is not None and not (
        (label[1] or "").lower() in LOOSELY_NUMBERED and _counts_what_follows(prose, end)
    ):
        return True
    if trigger.kind is Kind.RATIO:
        return False
    return (
        _in_a_code(prose, start, end)
        or bool(_licence().search(window))
        or _enumerates(prose, trigger)
        or _is_date_or_time(prose, start, end)
        or _names_a_product(prose, start, end)
    )


@cache
def _parenthesis() -> re.Pattern[str]:
    return re.compile(r"\([^()]*\)")


@cache
def _blanks() -> re.Pattern[str]:
    return re.compile(r"\s+")


@cache
def _label() -> re.Pattern[str]:
    listed = r"[0-9][0-9.]*[A-Za-z]?\s?(?:,|;|–|-|/|&|(?:,\s?)?(?:and|or|to|through|from|and\sfrom|\(?up\sto))\s?"
    return re.compile(
        rf"(?<![^\W_])({'|'.join(sorted(NUMBERED, key=len, reverse=True))})"
        rf"\.?(?:\s(?:no|nr|nos|number|numbers|id)\b\.?)?[\s:(#-]{{0,3}}(?:{listed}){{0,8}}$|[#№]\s?$",
        re.IGNORECASE,
    )


@cache
def _licence() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:CC[ -]?BY(?:-[A-Z]{2})*|CC[ -]?0|[AL]?GPL|MPL|EUPL|BSD|MIT|Apache|[Ll]icen[cs]e)"
        r"[,\s-]{0,3}(?:[Vv]ersion\s?|v\.?\s?)?$"
    )


def _in_a_code(prose: str, start: int, end: int) -> bool:
    """``COVID-19``, ``SHA-256``, ``EP/R018456/1``, ``5-HT``, ``2016/679``: part of a code."""
    if prose[start - 1 : start] in {"-", "‐", "‑", "/", "_"}:
        head = _code_head().search(prose, max(0, start - 40), start)
        if head is not None and (any(c.isupper() for c in head.group()) or _year_slash().search(head.group())):
            return True
    tail = _code_tail().match(prose, end)
    return tail is not None


@cache
def _code_head() -> re.Pattern[str]:
    return re.compile(r"[\w/.-]*[-‐‑/_]$")


@cache
def _year_slash() -> re.Pattern[str]:
    return re.compile(r"(?:19|20)[0-9]{2}/$")


@cache
def _code_tail() -> re.Pattern[str]:
    return re.compile(r"[-‐‑/](?:Clause\b|[A-Z]{1,4}[0-9]*(?![a-z]))")


def _enumerates(prose: str, trigger: Trigger) -> bool:
    """``1)`` and ``(1)`` in front of what they number."""
    if "." in trigger.token or len(trigger.token) > 2 or prose[trigger.end : trigger.end + 1] != ")":
        return False
    before = prose[max(0, trigger.start - _WINDOW * 3) : trigger.start]
    if before.endswith("("):
        return True
    return before[-1:] in {"", " ", "\n"} and before.count("(") <= before.count(")")


def _is_date_or_time(prose: str, start: int, end: int) -> bool:
    """``12 May``, ``May 12``, ``14:00``: like a year, it tells when and counts nothing."""
    if _clock().search(prose[max(0, start - 3) : end + 3]):
        return True
    if end - start > 2:
        return False
    return bool(_month_after().match(prose, end) or _month_before().search(prose, max(0, start - 16), start))


@cache
def _clock() -> re.Pattern[str]:
    return re.compile(r"(?<![0-9.:])[0-2]?[0-9]:[0-5][0-9](?![0-9.:])")


_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)


@cache
def _month_after() -> re.Pattern[str]:
    return re.compile(rf"(?:\s?(?:–|-|to|and)\s?[0-9]{{1,2}})?\s(?:{_MONTHS})\b")


@cache
def _month_before() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_MONTHS})\.?\s(?:[0-9]{{1,2}}\s?(?:–|-|to|and)\s?)?$")


def _names_a_product(prose: str, start: int, end: int) -> bool:
    """``Python 3``, ``Industry 4.0``, ``IEC 62056``: a name inside the sentence with a number that nothing counts.

    An abbreviation needs a long number: ``AUC 92`` is a result.
    """
    name = _capitalised().search(prose, max(0, start - 40), start)
    if name is None or not name[1][0].isupper() or name[1].lower() in NOT_PRODUCTS:
        return False
    if name[1].isupper() and (end - start < 4 or "." in prose[start:end]):
        return False
    opening = not prose[: name.start(1)].strip(" \n\t*_\"“'([")
    if opening and not any(c.isupper() for c in name[1][1:]):
        return False
    return not _counts_what_follows(prose, end)


def _counts_what_follows(prose: str, end: int) -> bool:
    """Whether a word follows a number that it may count: no function word, no name, no punctuation between."""
    following = _following().match(prose, end)
    return following is not None and following[1].lower() not in FUNCTION_WORDS and not following[1][0].isupper()


@cache
def _capitalised() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.'’-])([^\W\d_a-z][\w.+]*)[*_]{0,2}[ \n]$")


@cache
def _following() -> re.Pattern[str]:
    return re.compile(r"[*_]{0,2}\s?[*_]{0,2}-?([^\W\d_]+)")
