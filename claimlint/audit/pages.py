"""Pages of a source text: form feeds end them, page labels and printed numbers name them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claimlint.findings import Span

_PREFIX = re.compile(
    r"^(?:pages?\.?|pgs?\.?|pp?\.?|s\.|seiten?|стр\.?|с\.|第)\s*(?=[a-z]?\d|[ivxlcdm]+\b)", re.IGNORECASE
)
_DASHES = re.compile(r"[-\u2010-\u2015\u2212]+")
_SUFFIX = re.compile(r"\s*[页頁]$")
_PARTS = re.compile(r"\s*(?:[,;、]|\band\b|&)\s*")
_FOLLOWING = re.compile(r"^(\d+)\s*(ff?)\.?$")
_RANGE = re.compile(r"^(.+?)\s*(?:-|\bto\b)\s*(.+)$")
_PRINTED = re.compile(r"^\D{0,3}(\d{1,6})(?=\s|$)|(?:^|\s)(\d{1,6})\D{0,3}$")
_MAX_LISTED = 2000
"""The most pages one anchor may name; a longer range is no place."""


@dataclass(frozen=True, slots=True)
class PageHit:
    """Where the pages of an anchor stand.

    ``spans`` are the pages named, in order, empty unless all of them are there. ``missing`` are the page
    names that the text does not have; ``count`` is how many pages it has (0: it has no pages).
    """

    spans: tuple[Span, ...]
    missing: tuple[str, ...]
    count: int


def split_pages(text: str) -> tuple[Span, ...]:
    """The pages of a text, without their form feeds; empty when there is no form feed.

    A form feed at the very end closes the last page and opens none, as PDF tools write it.
    """
    if "\f" not in text:
        return ()
    pages: list[Span] = []
    start = 0
    at = text.find("\f")
    while at >= 0:
        pages.append(Span(start, at))
        start = at + 1
        at = text.find("\f", start)
    if text[start:].strip():
        pages.append(Span(start, len(text)))
    return tuple(pages)


def find_pages(text: str, value: str, labels: Sequence[str] = ()) -> PageHit:
    """The pages that an anchor value names: ``3``, ``p. 3``, ``12-14``, ``12, 15``, ``12f``, ``iv``.

    A name is looked up among the page ``labels`` of a PDF, then as a position in the file, then among the
    page numbers printed at the top or foot of the pages.
    """
    pages = split_pages(text)
    if not pages:
        return PageHit((), (), 0)
    names = _Names(text, pages, labels)
    found: set[int] = set()
    missing: list[str] = []
    for part in _listed(value):
        indices = names.part(part)
        if indices is None:
            missing.append(part)
        else:
            found.update(indices)
    if missing or not found or len(found) > _MAX_LISTED:
        return PageHit((), tuple(missing) or (value.strip(),), len(pages))
    return PageHit(tuple(pages[index] for index in sorted(found)), (), len(pages))


def _listed(value: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", value).strip()
    plain = _SUFFIX.sub("", _PREFIX.sub("", plain, count=1))
    return [part for part in _PARTS.split(plain[:500]) if part]


class _Names:
    """What the pages of one text are called."""

    __slots__ = ("_labels", "_pages", "_printed", "_text")

    def __init__(self, text: str, pages: tuple[Span, ...], labels: Sequence[str]) -> None:
        self._text = text
        self._pages = pages
        self._labels: dict[str, int | None] = {}
        self._printed: int | None = None
        for index, label in enumerate(labels[: len(pages)]):
            key = label.strip().casefold()
            if key:
                # A label that two pages carry names neither.
                self._labels[key] = None if key in self._labels else index

    def part(self, part: str) -> Sequence[int] | None:
        """The page indices of one page or range; None when it is not there."""
        plain = _DASHES.sub("-", part)
        # One range is read in one way of counting: its ends are labels, or positions, or printed numbers.
        for index_of in (self._labelled, self._counted, self._by_print):
            found = self._range(plain, index_of)
            if found is not None:
                return found
        return None

    def _range(self, part: str, index_of: Callable[[str], int | None]) -> Sequence[int] | None:
        whole = index_of(_key(part))
        if whole is not None:
            return (whole,)
        following = _FOLLOWING.match(part)
        if following is not None:
            first = index_of(following[1])
            end = 0 if first is None else min(first + 1 + len(following[2]), len(self._pages))
            return None if first is None else range(first, end)
        ends = _RANGE.match(part)
        if ends is None:
            return None
        start, last = _key(ends[1]), _key(ends[2])
        first, until = index_of(start), index_of(_completed(start, last))
        return None if first is None or until is None or until < first else range(first, until + 1)

    def _labelled(self, name: str) -> int | None:
        return self._labels.get(name)

    def _counted(self, name: str) -> int | None:
        number = _number(name)
        return number - 1 if number is not None and 1 <= number <= len(self._pages) else None

    def _by_print(self, name: str) -> int | None:
        number = _number(name)
        index = -1 if number is None else number - 1 - self._offset()
        return index if 0 <= index < len(self._pages) else None

    def _offset(self) -> int:
        """By how much the printed page numbers run ahead of the positions in the file; 0 when unknown."""
        if self._printed is None:
            self._printed = _printed_offset([self._text[page.start : page.end] for page in self._pages])
        return self._printed


def _key(name: str) -> str:
    return _PREFIX.sub("", name.strip(), count=1).casefold()


def _number(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) < 10 else None


def _completed(first: str, last: str) -> str:
    """The end of a shortened range: 125 of ``123-5``."""
    if first.isdigit() and last.isdigit() and len(last) < len(first):
        return first[: -len(last)] + last
    return last


def _printed_offset(pages: Sequence[str]) -> int:
    """The difference that printed and counted page numbers share on most pages.

    A page's printed number stands at an end of one of its first or last two lines. A year or volume in a
    running head is no page number: its difference changes from page to page.
    """
    votes: Counter[int] = Counter()
    for index, page in enumerate(pages):
        votes.update({number - index - 1 for number in _edge_numbers(page)})
    if not votes:
        return 0
    best = min(votes, key=lambda offset: (-votes[offset], offset))
    return best if votes[best] >= 2 and votes[best] * 5 >= len(pages) * 3 else 0


def _edge_numbers(page: str) -> set[int]:
    lines = [line.strip() for line in (page[:2000] + "\n" + page[-2000:]).split("\n") if line.strip()]
    numbers: set[int] = set()
    for line in (*lines[:2], *lines[-2:]):
        for match in _PRINTED.finditer(line[:40] + " " + line[-40:] if len(line) > 80 else line):
            numbers.add(int(match[1] or match[2]))
    return numbers
