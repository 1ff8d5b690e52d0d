"""The uncited-assertion detector D4-c on one sentence (contract, section 6).

It knows words and numbers only: which sentences of a draft it is shown, and what counts as a citation beside a
ref marker, is decided elsewhere. Everything here takes time linear in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

DEFINITIONS = ("refers to", "is defined as", "we define", "for the purposes of")
"""A sentence that holds one of these defines a term: it needs no source."""

WORDS = frozenset({"most", "several", "two-thirds", "showed", "demonstrated", "observed", "proved", "confirmed"})
"""The quantifiers and empirical verbs that are triggers by themselves."""

_STEMS = ("most", "several", "thirds", "showed", "demonstrated", "observed", "proved", "confirmed")
"""A plain search for these is many times faster than the pattern, and mostly finds none."""

LABELS = ("section", "chapter", "figure", "table", "fig.", "tbl.", "step", "appendix", "§")
"""What a number stands right behind when it numbers a part of a document."""


class Kind(Enum):
    """What sort of token a trigger is."""

    PERCENTAGE = "percentage"
    RATIO = "ratio"
    NUMBER = "number"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger in a sentence: half-open character offsets, the token as recorded, and its sort.

    Numbers are recorded as written, words in lower case.
    """

    start: int
    end: int
    token: str
    kind: Kind


@cache
def _numbers() -> re.Pattern[str]:
    # Possessive, so that a run of digits and dots is read once however it ends.
    return re.compile(r"[0-9]++(?:\.[0-9]++)*+")


@cache
def _of() -> re.Pattern[str]:
    return re.compile(r"\s+[oO][fF]\s+([0-9]++)(?!\.[0-9]|%)")


@cache
def _words() -> re.Pattern[str]:
    return re.compile("|".join(sorted(WORDS)), re.IGNORECASE)


@cache
def _ref_start() -> re.Pattern[str]:
    return re.compile(r"<!--\s*+ref:[^\s>]")


def has_ref_marker(text: str) -> bool:
    """Whether a ref marker stands in the text, by the contract's broad test of presence.

    ``<!--``, optional white space, ``ref:``, a character that is neither white space nor ``>``, anything,
    ``-->``. Slugs are judged elsewhere.
    """
    found = _ref_start().search(text)
    while found is not None:
        last = found.end() - 1
        close = text.find("-->", last)
        if close < 0:
            return False
        if close > last:
            return True
        found = _ref_start().search(text, found.end())
    return False


def is_definition(sentence: str) -> bool:
    """Whether the sentence holds one of the phrases that define a term (any case, any white space)."""
    flat = " ".join(sentence.lower().split())
    return any(phrase in flat for phrase in DEFINITIONS)


def find_triggers(sentence: str) -> tuple[Trigger, ...]:
    """The triggers of a sentence in document order, repeated ones included; markers are not looked at."""
    found = [*_number_triggers(sentence), *_word_triggers(sentence)]
    found.sort(key=lambda trigger: trigger.start)
    return tuple(found)


def tokens_of(triggers: tuple[Trigger, ...]) -> list[str]:
    """The tokens of triggers in their order, each once."""
    return list(dict.fromkeys(trigger.token for trigger in triggers))


def detect_uncited(sentence: str) -> tuple[bool, list[str]]:
    """Whether a sentence asserts something that needs a source and names none, and by which tokens.

    Returns ``(True, tokens)`` with the trigger tokens in document order, each once, or ``(False, [])``: the
    sentence has no trigger, carries a ref marker, or is a definition.
    """
    if has_ref_marker(sentence):
        return False, []
    triggers = find_triggers(sentence)
    if not triggers or is_definition(sentence):
        return False, []
    return True, tokens_of(triggers)


def _word_triggers(sentence: str) -> Iterator[Trigger]:
    lower = sentence.lower()
    if not any(stem in lower for stem in _STEMS):
        return
    for match in _words().finditer(sentence):
        start, end = match.span()
        token = match.group().lower()
        # Case folding lets odd letters through (a long s): they spell another word.
        if token in WORDS and not _joins(sentence, start - 1) and not _joins(sentence, end):
            yield Trigger(start, end, token, Kind.WORD)


def _joins(text: str, at: int) -> bool:
    """Whether the character at an offset makes one word with its neighbour; a hyphen does."""
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] in "-‐‑")


def _touches(text: str, at: int) -> bool:
    return 0 <= at < len(text) and text[at].isalnum()


def _number_triggers(sentence: str) -> Iterator[Trigger]:
    at = 0
    while (match := _numbers().search(sentence, at)) is not None:
        start, at = match.span()
        continues = False
        if _touches(sentence, start - 1):
            # In `v3.7.3` the letter takes the first digits; what is left goes on from their dot.
            dot = sentence.find(".", start, at)
            if dot < 0:
                continue
            start, continues = dot + 1, True
        if sentence.startswith("%", at):
            at += 1
            yield Trigger(start, at, sentence[start:at], Kind.PERCENTAGE)
            continue
        if _touches(sentence, at):
            continue
        token = sentence[start:at]
        if not continues and "." not in token:
            whole = _of().match(sentence, at)
            if whole is not None and not _touches(sentence, whole.end()):
                at = whole.end()
                yield Trigger(start, at, sentence[start:at], Kind.RATIO)
                continue
        if not continues and not _exempt(sentence, start, token):
            yield Trigger(start, at, token, Kind.NUMBER)


def _exempt(sentence: str, start: int, token: str) -> bool:
    """Whether a bare number is a year, a version, or the number of a part of a document."""
    if len(token) == 4 and token[:2] in {"19", "20"} and token.isdigit():
        return True
    dots = token.count(".")
    if dots >= 2:
        return True
    before = start
    while before > 0 and sentence[before - 1].isspace():
        before -= 1
    if dots and before >= 2 and sentence[before - 1] == "." and _is_digit(sentence[before - 2]):
        return True
    head = sentence[max(0, before - 12) : before].lower()
    if dots == 1 and head.endswith("v") and not _touches(sentence, before - 2):
        return True
    return any(
        head.endswith(label) and (label == "§" or not _touches(sentence, before - len(label) - 1))
        for label in LABELS
    )


def _is_digit(character: str) -> bool:
    return "0" <= character <= "9"
