"""Citations that a reader sees, beside the ref markers: pandoc, footnotes, LaTeX, MyST, numeric, author-year.

The text looked at is the file's own (not the blanked prose): a citation key is no prose, but it is what this
module looks for. Code, comments and math are blanked first. Everything here takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from claimlint.documents.author_year import author_years, find_author_years, year
from claimlint.documents.d4c import has_ref_marker
from claimlint.documents.styles import CITATION_STYLES
from claimlint.documents.word_lists import CROSS_REFERENCE_COLON, CROSS_REFERENCE_HYPHEN

PANDOC = "pandoc"
FOOTNOTE = "footnote"
LATEX = "latex"
MYST = "myst"
NUMERIC = "numeric"
AUTHOR_YEAR = "author-year"

NoteCites = Callable[[str], bool]
"""Tells whether the footnote of a label cites."""


@dataclass(frozen=True, slots=True)
class VisibleCitation:
    """A citation as a reader sees it: half-open offsets in the text looked at, and its style."""

    start: int
    end: int
    style: str


def find_visible_citations(
    text: str,
    styles: frozenset[str] = CITATION_STYLES,
    note_cites: NoteCites = lambda label: False,
) -> tuple[VisibleCitation, ...]:
    """The visible citations in a stretch of a draft, in document order.

    ``styles`` are the ones that count (names of ``CITATION_STYLES``); ``note_cites`` is asked for the label of
    every ``[^label]``. Not citations: e-mail addresses, cross-references such as ``@fig:x`` and ``@tbl-x``,
    hyperlinks, intervals such as ``[0, 1]``, anything in code.
    """
    found: list[VisibleCitation] = []
    if MYST in styles and "cite" in text:
        found += (VisibleCitation(*m.span(), MYST) for m in _myst().finditer(text))
    plain = blank_code(text)
    for style, find in (
        (PANDOC, _find_pandoc),
        (LATEX, _find_latex),
        (NUMERIC, _find_numeric),
        (AUTHOR_YEAR, find_author_years),
    ):
        if style in styles:
            found += (VisibleCitation(start, end, style) for start, end in find(plain))
    if FOOTNOTE in styles:
        found += (VisibleCitation(start, end, FOOTNOTE) for start, end in _find_notes(plain, note_cites))
    return tuple(sorted(found, key=lambda citation: (citation.start, citation.end)))


def citation_extents(text: str, styles: frozenset[str] = CITATION_STYLES) -> tuple[tuple[int, int], ...]:
    """What of a text is nothing but citation: disjoint half-open offsets, in order.

    Numeric and LaTeX citations, and the square brackets around a pandoc one, with pages and prefixes.
    """
    plain = blank_code(text)
    found: list[tuple[int, int]] = []
    if NUMERIC in styles:
        found += _find_numeric(plain)
    if LATEX in styles:
        found += _find_latex(plain)
    if PANDOC in styles and "@" in plain:
        for match in _square().finditer(plain):
            if any(True for _ in _find_pandoc(match.group())):
                found.append(match.span())
    return _disjoint(found)


def blank_code(text: str) -> str:
    """The text at equal length with code spans, inline math, link targets and comments blanked."""
    parts: list[str] = []
    done = 0
    for start, end in _code_spans(text):
        parts += (text[done:start], " " * (end - start))
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def note_text_cites(text: str) -> bool:
    """Whether the text of a footnote names a source: a marker, a citation of any style, an identifier.

    A bare web address does not count, a DOI or an arXiv id does.
    """
    if has_ref_marker(text) or _identifier().search(text) or _ibid().search(text):
        return True
    plain = blank_code(text)
    if any(True for find in (_find_pandoc, _find_latex, find_author_years) for _ in find(plain)):
        return True
    if _myst().search(text):
        return True
    if not year().search(plain):
        return False
    return bool(_initials().search(plain)) or any(True for _ in author_years(plain, 0, len(plain)))


def _disjoint(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return tuple(kept)


# --- pandoc -----------------------------------------------------------------------------------------------


@cache
def _at() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.+/@\\-])-?@(?:\{([^{}]+)\}|([\w][\w:.#$%&+?<>~/-]*))")


def is_cross_reference(key: str) -> bool:
    """Whether an ``@key`` points into the same work: ``fig:x``, ``tbl-x``, ``sec-x``, ``eq:x`` and the like."""
    head, colon, _ = key.partition(":")
    if colon and head.lower() in CROSS_REFERENCE_COLON:
        return True
    head, hyphen, _ = key.partition("-")
    return bool(hyphen) and head.lower() in CROSS_REFERENCE_HYPHEN


def cross_references(text: str) -> bool:
    """Whether the text holds an ``@key`` that is a cross-reference."""
    return "@" in text and any(is_cross_reference(m[1] or m[2]) for m in _at().finditer(blank_code(text)))


def _find_pandoc(text: str) -> Iterator[tuple[int, int]]:
    if "@" not in text:
        return
    for match in _at().finditer(text):
        key = match[1] or match[2]
        if is_cross_reference(key) or not any(c.isalpha() for c in key):
            continue
        start, end = match.span()
        # `[@name](address)` is a link to somebody's profile.
        if text[start - 1 : start] == "[" and text.startswith("](", end):
            continue
        yield start, end


# --- LaTeX, MyST, footnotes -------------------------------------------------------------------------------


@cache
def _latex() -> re.Pattern[str]:
    return re.compile(r"\\([A-Za-z]++)\*?(?:\s*+\[[^\[\]]*+\])*+\s*+\{\s*+[^{}\s][^{}]*+\}")


def _find_latex(text: str) -> Iterator[tuple[int, int]]:
    if "\\" not in text:
        return
    for match in _latex().finditer(text):
        name = match[1].lower()
        if "cite" in name and name != "nocite":
            yield match.span()


@cache
def _myst() -> re.Pattern[str]:
    return re.compile(r"(?:\{[a-z:]{0,12}cite[a-z:]{0,12}\}|:cite(?::[a-z]{1,12})?:)`\s*+[^`\s][^`]*+`")


@cache
def _note() -> re.Pattern[str]:
    return re.compile(r"\[\^([^\]\[\s]+)\]|\^\[")


def _find_notes(text: str, note_cites: NoteCites) -> Iterator[tuple[int, int]]:
    if "^" not in text:
        return
    done = 0
    for match in _note().finditer(text):
        if match.start() < done:
            continue
        if match[1] is not None:
            if note_cites(match[1]):
                yield match.span()
            continue
        done = _close(text, match.end())
        if note_text_cites(text[match.end() : done]):
            yield match.start(), done


def _close(text: str, at: int) -> int:
    """The offset of the bracket that closes the one before ``at``, or the end of the text."""
    depth = 1
    for match in _brackets().finditer(text, at):
        depth += 1 if match.group() == "[" else -1
        if not depth:
            return match.start()
    return len(text)


# --- numeric ----------------------------------------------------------------------------------------------


@cache
def _numeric() -> re.Pattern[str]:
    number = r"[0-9]{1,4}"
    series = rf"({number})(?:\s?[,;，、–—-]\s?{number})*+"
    return re.compile(
        rf"(?:\\?\[|［)\s?(?:[Rr]efs?\.?\s)?{series}(?:,?\s(?:pp?|ch|sec|fig|app)\.\s?[\w–-]{{1,12}})?\s?(?:\\?\]|］)"
    )


@cache
def _interval() -> re.Pattern[str]:
    return re.compile(r"(?:interval|range|scale|CI|IQR|HDI|∈|=|between|matrix|vector)\W{0,3}$")


@cache
def _superscript() -> re.Pattern[str]:
    number = r"[0-9]{1,3}(?:[,–-]\s?[0-9]{1,3})*+"
    after = r"(?:(?<=[^\W\d_]{3})|(?<=[^\W\d_][.,;)”\"]))"
    return re.compile(rf"{after}(?:\^{number}\^|<sup>{number}</sup>)")


def _find_numeric(text: str) -> Iterator[tuple[int, int]]:
    for match in _numeric().finditer(text):
        first, start = int(match[1]), match.start()
        if first == 0 or 1500 <= first <= 2100:
            continue
        before = text[max(0, start - 3) : start]
        if before[-1:].isalnum() and not (len(before) == 3 and before.isalpha()):
            continue
        if _interval().search(text, max(0, start - 16), start):
            continue
        yield match.span()
    if "^" in text or "<sup>" in text:
        for match in _superscript().finditer(text):
            yield match.span()


@cache
def _square() -> re.Pattern[str]:
    return re.compile(r"\[[^\[\]]*+\]")


# --- shared -----------------------------------------------------------------------------------------------


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """What is no prose inside a sentence, in order and disjoint: code, math, link targets, comments."""
    if not any(sign in text for sign in ("`", "<!--", "$", "](")):
        return
    runs: dict[int, list[int]] = {}
    for ticks in _ticks().finditer(text):
        runs.setdefault(len(ticks.group()), []).append(ticks.start())
    for starts in runs.values():
        starts.reverse()
    last_comment_end = text.rfind("-->")
    at = 0
    while (match := _openers().search(text, at)) is not None:
        start, at = match.span()
        sign = match.group()
        if sign[0] == "`":
            same = runs[len(sign)]
            while same and same[-1] <= start:
                same.pop()
            if same:
                at = same[-1] + len(sign)
                yield start, at
        elif sign == "<!--":
            if at <= last_comment_end:
                at = text.index("-->", at) + 3
                yield start, at
        elif sign == "](":
            if (target := _target().match(text, at)) is not None:
                yield at, target.end()
                at = target.end()
        elif (formula := _formula().match(text, start)) is not None:
            at = formula.end()
            yield start, at


@cache
def _ticks() -> re.Pattern[str]:
    return re.compile(r"`++")


@cache
def _openers() -> re.Pattern[str]:
    return re.compile(r"(?<!`)`++|<!--|\]\(|(?<![\\$])\$(?=[^\s$])")


@cache
def _target() -> re.Pattern[str]:
    return re.compile(r"[^()\n]{0,2000}\)")


@cache
def _formula() -> re.Pattern[str]:
    return re.compile(r"\$[^$]*+(?<=[^\s$])\$(?![0-9$])")


@cache
def _brackets() -> re.Pattern[str]:
    return re.compile(r"[\[\]]")


@cache
def _identifier() -> re.Pattern[str]:
    return re.compile(r"\b10\.[0-9]{4,9}/\S|\barXiv:\s?[0-9a-z]|\b(?:PMID|PMCID|ISBN)\b:?\s?[0-9P]", re.IGNORECASE)


@cache
def _ibid() -> re.Pattern[str]:
    return re.compile(r"\b(?:[Ii]bid\b|[Oo]p\.\s?cit\b|[Ll]oc\.\s?cit\b|[Ee]bd\.)")


@cache
def _initials() -> re.Pattern[str]:
    return re.compile(
        r"(?<![^\W_])(?:[^\W\d_a-z][^\W\d_]++,\s[^\W\d_a-z]\.|[^\W\d_a-z]\.\s?[^\W\d_a-z][^\W\d_]++)"
    )
