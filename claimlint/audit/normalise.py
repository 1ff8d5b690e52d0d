"""One form for texts that a typesetter, a PDF reader or a keyboard wrote differently.

Two texts that a reader takes for the same words have the same normalised form: ligatures, full-width and
decomposed letters, dashes, quotation marks, ellipses, soft hyphens, hyphenation at line ends and white space
do not tell them apart. Case, digits and punctuation do. The form is for comparing, never for showing: hyphens
between letters are dropped in it, because nothing tells ``inter-`` / ``national`` at a line end from
``well-`` / ``known``.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from claimlint.audit.kept import kept
from claimlint.findings import Span

# PDFium writes U+0002 or U+FFFE where a word was hyphenated at a line end.
_SOFT = "\u00ad\u0002\ufffe"
_INVISIBLE = "\u200b-\u200f\u2060\ufeff"
_DASH = "\\-\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe31\ufe32\ufe58\ufe63\uff0d"
_SINGLE = "'`\u00b4\u2018-\u201b\u2032\u2035\uff07\uff40"
_DOUBLE = "\u00ab\u00bb\u201c-\u201f\u2033\u2036\uff02"
_WIDE = (
    "\u2e80-\u2fdf\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f"
    "\U00020000-\U0003ffff"
)
# Compatibility characters whose plain form says the same; superscripts and fractions are not among them,
# because 10² is not 102.
_COMPATIBLE = (
    "\u00b5\u0132\u0133\u2e9f\u2ef3\u2f00-\u2fd5\uf900-\ufad9\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufc5d\ufc64-\ufdf9"
    "\ufe80-\ufefc\uff01-\uff5e\uff65-\uffdc\U0001d400-\U0001d7ff\U0002f800-\U0002fa1d"
)
# Spelled out, because the two regular expression libraries do not agree on what white space is.
_SPACE = "\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_GLUE = f"{_SPACE}{_SOFT}{_INVISIBLE}{_DASH}"

# A lone blank between narrow letters, by far the most frequent glue, needs no change and is not matched.
_PIECES = (
    rf"(?P<glue>\ [{_GLUE}]+|(?!\ )[{_GLUE}]+|(?<=[{_WIDE}])\ |\ (?=[{_WIDE}]))"
    rf"|(?P<double>[{_DOUBLE}]|[{_SINGLE}][{_SOFT}{_INVISIBLE}]*[{_SINGLE}])"
    rf"|(?P<single>(?!')[{_SINGLE}])"
    r"|(?P<dots>\u2026)"
)
# A letter with its marks, or a Hangul syllable in letters. Runs of marks are cut: ordering them is quadratic.
_CLUSTER = r"|(?P<cluster>[^\p{M}\u1160-\u11ff]?[\p{M}\u1160-\u11ff]{1,30})"
# Half-width kana carry their voice mark behind them.
_COMPATIBLE_PIECE = rf"|(?P<compatible>[\uff65-\uff9d][\uff9e\uff9f]|[{_COMPATIBLE}]"
_PIECE = re.compile(f"{_PIECES}{_COMPATIBLE_PIECE})")
_COMPATIBLES = re.compile(f"[{_COMPATIBLE}]+")
_DASHES = re.compile(f"[{_DASH}]")
_SOFTS = re.compile(f"[{_SOFT}]")
_SPACES = re.compile(f"[{_SPACE}]")
_WIDES = re.compile(f"[{_WIDE}]")

_FIXED = {"double": '"', "single": "'", "dots": "..."}


class _Piece(NamedTuple):
    """A stretch that may read otherwise in normalised form, of a kind that the patterns above name."""

    kind: str | None
    start: int
    text: str


class Normalised:
    """A normalised text that remembers which characters of the original it came from.

    The map is piecewise (a piece is a verbatim stretch or one replacement), so it is far smaller than the
    text.
    """

    __slots__ = ("_inward", "_outward", "_verbatim", "size", "text")

    def __init__(self, original: str) -> None:
        self.size = len(original)
        self._outward = array("q")
        self._inward = array("q")
        self._verbatim = bytearray()
        composed = original.isascii() or unicodedata.is_normalized("NFC", original)
        self.text = self._build(original, _composed(original) if composed else _decomposed(original))

    def find(self, needle: str, start: int = 0) -> Span | None:
        """The original's characters that match an already normalised needle first at or after ``start``.

        ``start`` counts characters of the normalised text.
        """
        at = self.text.find(needle, start) if needle else -1
        return None if at < 0 else self.span(at, at + len(needle))

    def span(self, start: int, end: int) -> Span:
        """The original's characters behind a non-empty stretch of the normalised text."""
        first = bisect_right(self._outward, start) - 1
        last = bisect_right(self._outward, end - 1) - 1
        begin = self._inward[first]
        if self._verbatim[first]:
            begin += start - self._outward[first]
        if self._verbatim[last]:
            return Span(begin, self._inward[last] + end - self._outward[last])
        return Span(begin, self._inward[last + 1] if last + 1 < len(self._inward) else self.size)

    def _add(self, outward: int, inward: int, *, verbatim: bool) -> None:
        self._outward.append(outward)
        self._inward.append(inward)
        self._verbatim.append(verbatim)

    def _build(self, text: str, pieces: Iterator[_Piece]) -> str:
        parts: list[str] = []
        length = done = 0
        before = ""
        for piece in pieces:
            start, end = piece.start, piece.start + len(piece.text)
            if start > done:
                self._add(length, done, verbatim=True)
                parts.append(text[done:start])
                length += start - done
                before = text[start - 1]
            after = text[end : end + 1]
            new = _replacement(piece, before, after)
            self._add(length, start, verbatim=False)
            parts.append(new)
            length += len(new)
            before = new[-1:] or before
            done = end
        if done < len(text):
            self._add(length, done, verbatim=True)
            parts.append(text[done:])
        return "".join(parts)


def _composed(text: str) -> Iterator[_Piece]:
    """The pieces of a text that is in composed form."""
    return (_Piece(match.lastgroup, match.start(), match.group()) for match in _PIECE.finditer(text))


def _decomposed(text: str) -> Iterator[_Piece]:
    """The pieces of a text that is not in composed form."""
    import regex

    pieces = regex.compile(f"{_PIECES}{_CLUSTER}{_COMPATIBLE_PIECE}|[^\\x00-\\x7f])")
    return (_Piece(match.lastgroup, match.start(), match.group()) for match in pieces.finditer(text))


def _replacement(piece: _Piece, before: str, after: str) -> str:
    if piece.kind == "glue":
        return _glue(piece.text, before, after)
    fixed = _FIXED.get(piece.kind or "")
    return fixed or unicodedata.normalize("NFC", _COMPATIBLES.sub(_plain, piece.text))


def _plain(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match.group())


def _glue(found: str, before: str, after: str) -> str:
    """What stands between two words: nothing, a blank or a hyphen."""
    spaced = _SPACES.search(found) is not None
    dashed = _DASHES.search(found) is not None or (spaced and _SOFTS.search(found) is not None)
    if dashed:
        return "" if before.isalpha() and after.isalpha() else "-"
    if not spaced or not before or not after or _WIDES.match(before) or _WIDES.match(after):
        return ""
    return " "


@kept(32)
def normalised(text: str) -> Normalised:
    """The normalised form of a text with its map; the last few are kept, because sources are asked often."""
    return Normalised(text)


def normalise(text: str) -> str:
    """The normalised form of a text, without blanks or loose hyphens at its ends; for comparing only."""
    form = Normalised(text).text
    start, end = 0, len(form)
    while start < end and (
        form[start] == " " or (form[start] == "-" and not form[start + 1 : start + 2].isdigit())
    ):
        start += 1
    while end > start and form[end - 1] in " -":
        end -= 1
    return form[start:end]


def find_normalised(haystack: str, needle: str) -> Span | None:
    """The first place in ``haystack`` that equals ``needle`` when both are normalised, as original offsets.

    None when it is not there, and when nothing is left of the needle.
    """
    return normalised(haystack).find(normalise(needle))
