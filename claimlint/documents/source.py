"""Text files and the places in them.

``read_text`` is the one way bytes become text: UTF-8 with or without a byte order mark, nothing else.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_right
from collections.abc import Sequence
from errno import EINVAL
from typing import TYPE_CHECKING

from claimlint.errors import DocumentError, EncodingError
from claimlint.findings import Pointer, Range, Span

if TYPE_CHECKING:
    from typing import BinaryIO

    from claimlint.findings import Place, Source, Tokens

MAX_BYTES = 512 * 1024 * 1024
"""The largest file that is read, in bytes; a larger one is refused rather than run out of memory."""

BOM = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""


class IsNoFileError(OSError):
    """A pipe, a device or a folder where a file should be."""


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading, without waiting for a pipe or a device that stands in its place.

    Raises ``IsNoFileError`` for one, and what ``open`` raises.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsNoFileError(EINVAL, "is not a regular file", os.fspath(path))
    return os.fdopen(descriptor, "rb")


def read_bytes(path: str, shown: str) -> bytes:
    """The bytes of a file.

    Raises ``DocumentError`` naming ``shown`` when the file is no regular file, cannot be read or is too large.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise DocumentError(f"{size} bytes is more than the limit of {MAX_BYTES}", path=shown)
            return file.read()
    except IsNoFileError as error:
        raise DocumentError("is not a regular file", path=shown) from error
    except FileNotFoundError as error:
        cause = "a symbolic link to a file that does not exist" if os.path.islink(path) else "no such file"
        raise DocumentError(cause, path=shown) from error
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise DocumentError(f"cannot be read: {cause}", path=shown) from error


def decode(data: bytes, shown: str) -> str:
    """The text of a file's bytes, without its byte order mark.

    Raises ``EncodingError`` with the line for any other encoding, and for NUL characters.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise EncodingError("is UTF-16 or UTF-32; save it as UTF-8", path=shown)
    body = data.removeprefix(BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise EncodingError(
            f"line {line}: byte 0x{body[error.start]:02x} is not UTF-8; save the file as UTF-8",
            path=shown,
            offset=len(body[: error.start].decode("utf-8")),
        ) from error
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise EncodingError(
            f"line {line}: holds a NUL character, so it is no text file or not UTF-8", path=shown, offset=nul
        )
    return text


def decode_loosely(data: bytes) -> str:
    """The text of any bytes, without a byte order mark; what is not UTF-8 becomes U+FFFD."""
    return data.removeprefix(BOM).decode("utf-8", errors="replace")


def read_text(path: str, shown: str) -> str:
    """The text of a file; raises ``DocumentError`` as ``read_bytes`` and ``decode`` do."""
    return decode(read_bytes(path, shown), shown)


class TextSource:
    """A text with its path; finds line and column of spans.

    The table of line starts is made at the first look-up: a clean file never needs it. Lines end with LF or
    CR LF; columns count characters.
    """

    __slots__ = ("_last", "_path", "_starts", "text")

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self.text = text
        self._starts: list[int] | None = None
        self._last = (0, "")

    @property
    def path(self) -> str:
        """The path as shown."""
        return self._path

    @property
    def starts(self) -> list[int]:
        """The offset of every line's first character."""
        if self._starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column of a character offset, which is clamped into the text."""
        bounded = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, bounded)
        return line, bounded - self.starts[line - 1] + 1

    def span_range(self, span: Span) -> Range:
        """A span as a range."""
        line, column = self.position(span.start)
        end_line, end_column = self.position(max(span.start, span.end))
        return Range(line, column, end_line, end_column)

    def span_of(self, pointer: Pointer) -> Span:
        """The span of a pointer; a plain text has no members, so its start."""
        return Span(0, 0)

    def locate(self, place: Place) -> Range:
        """Line and column of a span or pointer."""
        span = self.span_of(place) if isinstance(place, Pointer) else place
        return self.span_range(span)

    def line_text(self, line: int) -> str:
        """The text of a 1-based line without its line end; empty when there is no such line."""
        if line == self._last[0]:
            return self._last[1]
        if not 1 <= line <= len(self.starts):
            return ""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        found = self.text[start:end].removesuffix("\n").removesuffix("\r")
        self._last = (line, found)  # thousands of findings may stand on the one line of a minified file
        return found


class JsonSource(TextSource):
    """A JSON text, in which pointers can be looked up."""

    __slots__ = ("_map",)

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self._map: object | None = None

    def span_of(self, pointer: Pointer) -> Span:
        """The span of a pointer's value, or of its key."""
        from claimlint.documents.positions import JsonPositions

        if not isinstance(self._map, JsonPositions):
            self._map = JsonPositions(self.text)
        assert isinstance(self._map, JsonPositions)
        return self._map.span(pointer)


class EmbeddedSource:
    """A document inside another text, for example a manifest in a code fence of a draft.

    ``inner`` locates places in the cut-out text; ``offsets`` holds, per line of the cut-out text, the offset
    in the outer text at which that line starts, so that indented and quoted blocks keep their columns.
    """

    __slots__ = ("_inner", "_offsets", "_outer")

    def __init__(self, outer: TextSource, inner: TextSource, offsets: Sequence[int]) -> None:
        self._outer = outer
        self._inner = inner
        self._offsets = tuple(offsets)

    @property
    def path(self) -> str:
        """The path of the outer file."""
        return self._outer.path

    def locate(self, place: Place) -> Range:
        """Line and column in the outer file."""
        within = self._inner.locate(place)
        return self._outer.span_range(
            Span(self._outward(within.line, within.column), self._outward(within.end_line, within.end_column))
        )

    def line_text(self, line: int) -> str:
        """A line of the outer file."""
        return self._outer.line_text(line)

    def _outward(self, line: int, column: int) -> int:
        if not self._offsets:
            return 0
        return self._offsets[min(line, len(self._offsets)) - 1] + column - 1


class FixedSource:
    """Rows that stand in no file yet: every pointer is shown at a place of another source.

    ``spans`` maps the first two tokens (aggregate, index) of a pointer to a span of ``base``.
    """

    __slots__ = ("_base", "_spans")

    def __init__(self, base: Source, spans: dict[Tokens, Span]) -> None:
        self._base = base
        self._spans = spans

    @property
    def path(self) -> str:
        """The path of the base source."""
        return self._base.path

    def locate(self, place: Place) -> Range:
        """The place of the row the pointer leads into."""
        if isinstance(place, Pointer):
            return self._base.locate(self._spans.get(place.tokens[:2], Span(0, 0)))
        return self._base.locate(place)

    def line_text(self, line: int) -> str:
        """A line of the base source."""
        return self._base.line_text(line)
