"""The part of a source that an anchor names (contract, section 7, step 4)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from claimlint.audit.normalise import Normalised, normalise, normalised
from claimlint.audit.pages import find_pages
from claimlint.audit.sections import find_section, front_matter_end, headings
from claimlint.audit.types import ANCHOR_UNLOCATED, QUOTE_UNLOCATED, Passage
from claimlint.findings import Span

CONTEXT = 1200
"""The least a quote's passage holds, in characters, where the source has as much."""

LIMIT = 4000
"""The most a quote's passage holds, in characters, beside the quote itself."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\f\s*")
_SPACES = re.compile(r"\s+")
_PARAGRAPH = re.compile(r"^(?:paragraphs?|paras?\.?|pars?\.?|¶+)\s*(?=\S)", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d{1,6})(?:\s*[-–—‐‑−]+\s*(\d{1,6}))?")
_EDGE = 400
"""How much of two neighbouring pages is joined to look for a quote that runs across the break, in characters."""

_BREAK_LINES = 3
"""How many lines (running heads, feet, notes) may part a quote on either side of a page break."""

_MIN_LOOSE = 20
"""The shortest quote, in characters, that is looked for across page breaks and without its blanks."""

_MOST_HITS = 20


def locate(text: str, kind: str, value: str, *, trust_pages: bool, labels: Sequence[str] = ()) -> Passage:
    """The passage of ``text`` that the anchor names, for the judge.

    ``value`` is the URL-decoded anchor value and ``labels`` the page labels of a PDF. When the anchor is not
    found, the passage is the whole text with the contract's tag. ``trust_pages`` false says that the page
    numbers of a PDF cannot be relied on: the whole text is then the passage of a page anchor, without a tag.
    """
    if kind == "quote":
        span = find_quote(text, value)
        if span is None:
            return Passage(text, located=False, tag=QUOTE_UNLOCATED)
        around = surroundings(text, span)
        return Passage(text[around.start : around.end], located=True)
    if kind == "page" and not trust_pages:
        return Passage(text, located=False)
    spans = find_place(text, kind, value, labels)
    found = "\f".join(text[span.start : span.end] for span in spans)
    if not found.strip():
        return Passage(text, located=False, tag=ANCHOR_UNLOCATED)
    return Passage(found, located=True)


def find_place(text: str, kind: str, value: str, labels: Sequence[str] = ()) -> tuple[Span, ...]:
    """The stretches that a page, section or paragraph anchor names; empty when the text does not have them."""
    if kind == "page":
        return find_pages(text, value, labels).spans
    if kind == "section":
        section = find_section(text, value)
        return () if section is None else (section,)
    if kind == "paragraph":
        return find_paragraphs(text, value)
    return ()


def find_quote(text: str, quote: str) -> Span | None:
    """Where the words of a quote stand in a source, as offsets of its text; None when they do not.

    Texts are compared in normalised form. A quote that runs across a page break is found although running
    heads and feet stand in between, and one whose blanks a PDF reader lost or added is found by its letters.
    """
    needle = normalise(quote)
    if not needle:
        return None
    form = normalised(text)
    return form.find(needle) or _across_pages(text, form, needle) or _without_blanks(form, needle)


def surroundings(text: str, span: Span) -> Span:
    """A stretch with its context: whole paragraphs, until there are ``CONTEXT`` characters or ``LIMIT`` is met.

    A page break ends a paragraph here. A paragraph that is too long is cut at a blank.
    """
    low, high = max(0, span.start - LIMIT // 2), min(len(text), span.end + LIMIT // 2)
    starts = [low + match.end() for match in _BREAK.finditer(text[low : span.start])]
    ends = [span.end + match.start() for match in _BREAK.finditer(text[span.end : high])]
    starts.insert(0, 0 if low == 0 else _after_blank(text, low, span.start))
    ends.append(high if high == len(text) else _before_blank(text, span.end, high))
    ends.reverse()
    start, end = starts.pop(), ends.pop()
    while end - start < CONTEXT and (starts or ends):
        if starts:
            start = starts.pop()
        if ends and end - start < CONTEXT:
            end = ends.pop()
    return Span(start, end)


def paragraphs(text: str) -> tuple[Span, ...]:
    """The blocks of a text between blank lines, in order; a block that is only a Markdown heading is none."""
    ends = {heading.start: heading.end for heading in headings(text) if heading.certain}
    found: list[Span] = []
    begin = front_matter_end(text)
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    for match in _BLANK_LINE.finditer(text, begin):
        found.append(Span(begin, match.start()))
        begin = match.end()
    found.append(Span(begin, len(text)))
    return tuple(block for block in found if text[ends.get(block.start, block.start) : block.end].strip())


def find_paragraphs(text: str, value: str) -> tuple[Span, ...]:
    """The paragraph or range of paragraphs that ``value`` names, counted from 1; empty when not all are there."""
    plain = _PARAGRAPH.sub("", unicodedata.normalize("NFKC", value).strip(), count=1)
    match = _NUMBERS.fullmatch(plain.strip())
    if match is None:
        return ()
    first, last = int(match[1]), int(match[2] or match[1])
    known = paragraphs(text)
    if not 1 <= first <= last <= len(known):
        return ()
    return (Span(known[first - 1].start, known[last - 1].end),)


def _across_pages(text: str, form: Normalised, needle: str) -> Span | None:
    """A quote whose words begin at the end of a page and end at the beginning of the next."""
    if len(needle) < _MIN_LOOSE or "\f" not in text:
        return None
    half = len(needle) // 2
    # One half of the quote stands unbroken on one side of the break, so only breaks near such a half are tried.
    before = {text.find("\f", hit.end) for hit in _hits(form, needle[:half])}
    after = {text.rfind("\f", 0, hit.start) for hit in _hits(form, needle[half:])}
    for at in sorted((before | after) - {-1}):
        found = _joined(text, at, needle)
        if found is not None:
            return found
    return None


def _hits(form: Normalised, part: str) -> Iterator[Span]:
    at = form.text.find(part)
    for _ in range(_MOST_HITS):
        if at < 0:
            return
        yield form.span(at, at + len(part))
        at = form.text.find(part, at + len(part))


def _joined(text: str, at: int, needle: str) -> Span | None:
    """Where a quote stands around the page break ``at`` once some lines next to the break are skipped."""
    tail = Span(text.rfind("\f", 0, at) + 1, at)
    following = text.find("\f", at + 1)
    head = Span(at + 1, len(text) if following < 0 else following)
    for end in _line_ends(text, tail):
        for start in _line_starts(text, head):
            begin, stop = max(tail.start, end - _EDGE), min(head.end, start + _EDGE)
            if needle in Normalised(f"{text[begin:end]}\n{text[start:stop]}").text:
                return Span(begin, stop)
    return None


def _line_ends(text: str, page: Span) -> Iterator[int]:
    """The end of a page, then the ends of what is left of it without its last lines."""
    lines = text[max(page.start, page.end - 2 * _EDGE) : page.end].split("\n")
    end = page.end
    yield end
    for line in lines[: -_BREAK_LINES - 2 : -1][: len(lines) - 1]:
        end -= len(line) + 1
        yield end


def _line_starts(text: str, page: Span) -> Iterator[int]:
    """The start of a page, then the starts of what is left of it without its first lines."""
    lines = text[page.start : min(page.end, page.start + 2 * _EDGE)].split("\n")
    start = page.start
    yield start
    for line in lines[:-1][: _BREAK_LINES + 1]:
        start += len(line) + 1
        yield start


def _without_blanks(form: Normalised, needle: str) -> Span | None:
    tight = needle.replace(" ", "")
    if len(tight) < _MIN_LOOSE or tight not in form.text.replace(" ", ""):
        return None
    match = re.search(" ?".join(map(re.escape, tight)), form.text)
    return None if match is None else form.span(*match.span())


def _after_blank(text: str, start: int, end: int) -> int:
    found = _SPACES.search(text, start, end)
    return start if found is None else found.end()


def _before_blank(text: str, start: int, end: int) -> int:
    at = max(text.rfind(blank, start, end) for blank in (" ", "\n", "\t", "\f"))
    return end if at < 0 else at
