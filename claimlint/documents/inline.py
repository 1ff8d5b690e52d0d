"""What stands inside a block of Markdown and is no prose: code, comments, math, tags, link targets, URLs.

Only where such a thing begins and ends is found here; columns need no tree. Leftmost wins, as in CommonMark. Every
search is bounded by the next thing of its kind or is made once, so that time stays linear in the block.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from enum import StrEnum

from claimlint.documents.block_grammar import MARKERISH, PROSE_ENVIRONMENTS


class Inline(StrEnum):
    """What a piece of a block is."""

    CODE = "code"
    COMMENT = "comment"
    OPEN_COMMENT = "unclosed comment"
    MARKER = "escaped marker"
    MATH = "math"
    TAG = "tag"
    URL = "url"
    TARGET = "link target"
    ATTRIBUTE = "attribute"
    NOTE = "footnote reference"


Piece = tuple[int, int, Inline]
"""Start and end offsets in the block's content, and what stands there."""

# Each branch begins with a character of its own: only then does re skip to candidates fast.
_OPENING = re.compile(
    r"`|\\|<|&(?=(?:lt|#60|#[xX]3[cC]);)|\$|\](?=[(\[{])|\)(?=\{)|\[(?=\^)|\{(?=\{[<%])"
    r"|:(?=//)|w(?=ww\.)|1(?=0\.\d{4,9}/)|a(?=rXiv:\d)"
)
SIMPLE_COMMENT = re.compile(r"<!--[^<>-]*+(?:-(?!->)[^<>-]*+)*+-->")
"""A comment without angle brackets inside, as nearly every marker is one."""

_TICKS = re.compile(r"`++")
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+|[^\s<>@]++@[^\s<>@]++)>")
_DASHES = r"(?:\\?-\s?\\?-|[—–‒]-?|-)"
_DAMAGED = re.compile(rf"(?:\\?<|&(?:lt|#60|#x3c);)\s?(?:\\?!)?\s?{_DASHES}\s*+(?:ref|anchor)\s*+:", re.IGNORECASE)
_DAMAGED_END = re.compile(rf"{_DASHES}\s?\\?(?:>|&(?:gt|#62|#x3e);)|<!--|&lt;!", re.IGNORECASE)
_DAMAGED_REACH = 2000
_MATH = re.compile(r"\$(?![\s$])(?:[^$\\<]|\\[\s\S]|<(?!!--))*+(?<![\s])\$(?!\d)")
_DISPLAY = re.compile(r"\$\$(?:[^$\\<]|\\[\s\S]|\$(?!\$)|<(?!!--))*+\$\$")
_ENVIRONMENT = re.compile(r"\\begin\{([A-Za-z]{1,20}+\*?)\}")
_ENVIRONMENT_END = re.compile(r"\\end\{([A-Za-z]{1,20}+\*?)\}")
_TARGET = re.compile(
    r"\(\s*+(?:<[^<>\n]*+>|(?:[^\s()<\\]|\\.|\((?:[^\s()<\\]|\\.)*+\))*+)"
    r"(?:\s++(?:\"[^\"<]*+\"|'[^'<]*+'|\([^()<]*+\)))?\s*+\)"
)
_LABEL = re.compile(r"\[(?![@^]|-@)[^\[\]<]*+\]")
_ATTRIBUTE = re.compile(r"\{[^{}\n<]*+\}")
_NOTE = re.compile(r"\[\^[^\s\[\]]++\]")
_SHORTCODE = re.compile(r"\{\{[<%](?:[^{}<]|<(?!!--))*+(?<=[>%])\}\}")
_SCHEME = re.compile(r"(?:https?|ftp)\Z", re.IGNORECASE)
_URL = re.compile(r"[!#-;=?-Z_a-z~]++")
_TRAILING = ".,;:!?)'*_"


def piece_start(piece: Piece) -> int:
    """The offset at which a piece starts, as a sort key."""
    return piece[0]


def scan_inline(content: str) -> list[Piece]:
    """The pieces of a block's content that are no prose, in order and disjoint."""
    found: list[Piece] = []
    opening = _OPENING.search(content)
    if opening is None:
        return found
    scan: _InlineScanner | None = None
    while opening is not None:
        at = opening.start()
        simple = SIMPLE_COMMENT.match(content, at)
        if simple is not None:
            at = simple.end()
            found.append((opening.start(), at, Inline.COMMENT))
        else:
            scan = scan or _InlineScanner(content)
            piece = scan.piece(at, found[-1][1] if found else 0)
            if piece is None:
                at = scan.resume
            else:
                found.append(piece)
                at = piece[1]
                if content.startswith("{", at) and piece[2] in (Inline.CODE, Inline.TARGET):
                    attribute = _ATTRIBUTE.match(content, at)
                    if attribute is not None:
                        found.append((at, attribute.end(), Inline.ATTRIBUTE))
                        at = attribute.end()
        opening = _OPENING.search(content, at)
    return found


def blank(content: str, pieces: list[Piece], keep: frozenset[Inline] = frozenset()) -> str:
    """The content at equal length with its pieces blanked out, but for the kinds to keep; line ends stay."""
    parts: list[str] = []
    at = 0
    one_line = "\n" not in content
    for start, end, kind in pieces:
        if kind not in keep:
            parts.append(content[at:start])
            parts.append(" " * (end - start) if one_line else blanks(content[start:end]))
            at = end
    if not parts:
        return content
    parts.append(content[at:])
    return "".join(parts)


def blanks(text: str) -> str:
    """As many blanks as the text has characters, with its line ends kept."""
    if "\n" not in text:
        return " " * len(text)
    return "\n".join([" " * len(line) for line in text.split("\n")])


class _InlineScanner:
    """One pass over a block; remembers where closers come next, so that none is looked for twice.

    ``resume`` is where to go on when nothing began at an opening.
    """

    __slots__ = ("ahead", "content", "ends", "hopeless", "resume", "ticks")

    def __init__(self, content: str) -> None:
        self.content = content
        self.hopeless: set[str] = set()
        self.ahead: dict[str, int] = {}
        self.resume = 0
        self.ticks: dict[int, list[int]] | None = None
        self.ends: dict[str, list[int]] | None = None

    def piece(self, at: int, floor: int) -> Piece | None:
        """The piece that the character at ``at`` opens, or None; no piece begins before ``floor``."""
        content = self.content
        first = content[at]
        self.resume = at + 1
        if first == "`":
            return self._code(at)
        if first == "<":
            return self._angle(at)
        if first == "&":
            return self._damaged(at)
        if first == "\\":
            return self._backslash(at)
        if first == "$":
            return self._math(at)
        if first in "])":
            return self._behind(at + 1)
        if first == "[":
            return self._match(_NOTE, at, Inline.NOTE)
        if first == "{":
            return self._match(_SHORTCODE, at, Inline.ATTRIBUTE)
        if first == ":":
            scheme = _SCHEME.search(content, max(floor, at - 5), at)
            return None if scheme is None else self._url(scheme.start(), at + 3)
        return self._url(at, at + 1)

    def _match(self, pattern: re.Pattern[str], at: int, kind: Inline) -> Piece | None:
        found = pattern.match(self.content, at)
        return None if found is None else (at, found.end(), kind)

    def _close(self, closer: str, at: int) -> int:
        """The offset of a closer at or after ``at``, or -1. Offsets only grow, so no text is searched twice."""
        known = self.ahead.get(closer)
        if known is None or 0 <= known < at:
            known = self.ahead[closer] = self.content.find(closer, at)
        return known

    def _code(self, at: int) -> Piece | None:
        run = _TICKS.match(self.content, at)
        assert run is not None
        self.resume = run.end()
        length = run.end() - at
        if self.ticks is None:
            self.ticks = {}
            for each in _TICKS.finditer(self.content):
                self.ticks.setdefault(each.end() - each.start(), []).append(each.start())
        starts = self.ticks.get(length, [])
        after = bisect_right(starts, at)
        if after == len(starts):
            return None
        return at, starts[after] + length, Inline.CODE

    def _angle(self, at: int) -> Piece | None:
        content = self.content
        if content.startswith("<!--", at):
            return self._comment(at)
        link = self._match(_AUTOLINK, at, Inline.URL) or self._match(_TAG, at, Inline.TAG)
        return link or self._damaged(at)

    def _comment(self, at: int) -> Piece:
        content = self.content
        marker = MARKERISH.match(content, at) is not None
        if content.startswith(">", at + 4):
            return at, at + 5, Inline.COMMENT
        if content.startswith("->", at + 4):
            return at, at + 6, Inline.COMMENT
        close = self._close("-->", at + 4)
        if not marker:
            return (at, close + 3, Inline.COMMENT) if close >= 0 else (at, len(content), Inline.OPEN_COMMENT)
        # A marker that is not closed ends where the next comment begins, or with its line.
        another = content.find("<!--", at + 4, close if close >= 0 else len(content))
        if another < 0 <= close:
            return at, close + 3, Inline.COMMENT
        stop = another if another >= 0 else len(content)
        if close < 0:
            line_end = content.find("\n", at, stop)
            stop = line_end if line_end >= 0 else stop
        return at, at + len(content[at:stop].rstrip()), Inline.COMMENT

    def _damaged(self, at: int) -> Piece | None:
        opening = _DAMAGED.match(self.content, at)
        if opening is None:
            return None
        close = _DAMAGED_END.search(self.content, opening.end(), at + _DAMAGED_REACH)
        if close is None or close.group().lower() in ("<!--", "&lt;!"):
            return None
        return at, close.end(), Inline.MARKER

    def _backslash(self, at: int) -> Piece | None:
        content = self.content
        opening = content[at : at + 2]
        self.resume = at + 2
        if opening == "\\<":
            return self._damaged(at)
        if opening in ("\\(", "\\["):
            closer = "\\)" if opening == "\\(" else "\\]"
            end = self._close(closer, at + 2)
        elif opening == "\\b" and (name := _ENVIRONMENT.match(content, at)) is not None:
            if name[1] in PROSE_ENVIRONMENTS:
                return None
            closer = f"\\end{{{name[1]}}}"
            end = self._environment_end(name[1], name.end())
        else:
            return None
        if end < 0 or 0 <= self._close("<!--", at) < end:
            return None
        return at, end + len(closer), Inline.MATH

    def _environment_end(self, name: str, at: int) -> int:
        """The offset of the end of an environment at or after ``at``, or -1."""
        if self.ends is None:
            self.ends = {}
            for each in _ENVIRONMENT_END.finditer(self.content):
                self.ends.setdefault(each[1], []).append(each.start())
        starts = self.ends.get(name, [])
        after = bisect_left(starts, at)
        return starts[after] if after < len(starts) else -1

    def _math(self, at: int) -> Piece | None:
        if self.content.startswith("$$", at):
            self.resume = at + 2
            if "$$" in self.hopeless:
                return None
            found = self._match(_DISPLAY, at, Inline.MATH)
            if found is None:
                self.hopeless.add("$$")
            return found
        return self._match(_MATH, at, Inline.MATH)

    def _behind(self, at: int) -> Piece | None:
        """What follows a closing bracket: a link's target, a reference's label, attributes."""
        first = self.content[at]
        if first == "(":
            return self._match(_TARGET, at, Inline.TARGET)
        if first == "[":
            return self._match(_LABEL, at, Inline.TARGET)
        return self._match(_ATTRIBUTE, at, Inline.ATTRIBUTE)

    def _url(self, start: int, at: int) -> Piece | None:
        """The address from ``start``, of which everything before ``at`` is known."""
        content = self.content
        if start and content[start - 1].isalnum():
            return None
        found = _URL.match(content, at)
        if found is None:
            return None
        end = found.end()
        surplus = content.count(")", start, end) - content.count("(", start, end)
        while end > at and content[end - 1] in _TRAILING:
            if content[end - 1] == ")":
                if surplus <= 0:
                    break
                surplus -= 1
            end -= 1
        return (start, end, Inline.URL) if end > at else None
