"""Citations by author and year: ``(Okafor, 2024; Lind et al. 2023)``, ``Okafor (2024)``, ``（王伟等，2020）``.

Whether the word before a year is an author is told by its form alone: a capital letter, *et al.*, a short Chinese,
Japanese or Korean name, and none of the words that stand before years otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from claimlint.documents.word_lists import ARTICLES, ET_AL, NO_AUTHORS


@cache
def year() -> re.Pattern[str]:
    """A pattern that finds a year from 1500 to 2099."""
    return re.compile(r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}(?![0-9])")


_NAME = r"(?<![\w.'’&-])([^\W\d_][\w.'’&-]*+)"
_WHEN = r"((?:1[5-9]|20)[0-9]{2})(?![0-9%年년]|\.[0-9])[a-z]?(?![^\W_])"


@cache
def _authoryear() -> re.Pattern[str]:
    # The word before a year, with what may stand between them.
    return re.compile(rf"{_NAME}[\s,，]*+\(?\s?{_WHEN}")


@cache
def _round() -> re.Pattern[str]:
    return re.compile(r"[(（\[]([^()（）\[\]]{4,600})[)）\]]")


@cache
def _narrative() -> re.Pattern[str]:
    return re.compile(rf"{_NAME}[*_]{{0,2}},?\s?[(（\[]{_WHEN}(?:[,;:，：]\s?[^()（）\[\]]{{0,80}})?[)）\]]")


@cache
def _undated() -> re.Pattern[str]:
    return re.compile(rf"{_NAME},?\s(?:n\.\s?d\.|in press|forthcoming|submitted)")


def find_author_years(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of author-year citations in brackets, or with the year in brackets behind the name."""
    for match in _round().finditer(text):
        if any(True for _ in author_years(text, match.start(1), match.end(1))):
            yield match.span()
    if year().search(text):
        for match in _narrative().finditer(text):
            article = text[max(0, match.start() - 8) : match.start()].lower().split()[-1:]
            if _is_author(match[1], 5) and not ARTICLES.intersection(article):
                yield match.span()


def author_years(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The offsets of names right before a year, or before *in press*, brackets or not."""
    for pattern in (_authoryear(), _undated()):
        for match in pattern.finditer(text, start, end):
            if _is_author(match[1], 12):
                yield match.span()


def _is_author(word: str, longest: int) -> bool:
    """Whether the word before a year can be an author: a name, the end of *et al.*, a short CJK name."""
    bare = word.rstrip(".'’").removesuffix("'s").removesuffix("’s")
    if not bare or bare.lower() in NO_AUTHORS:
        return False
    if bare.lower() in ET_AL or bare[-1] in "等ら":
        return True
    if "\u3040" <= bare[0] <= "鿿" or "가" <= bare[0] <= "힣":
        return len(bare) <= longest
    return bare[0].isupper() and len(bare) > 1
