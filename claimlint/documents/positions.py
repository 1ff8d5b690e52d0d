"""From a JSON Pointer to the characters it names.

No whole map is built: a look-up walks from the top and steps over what it does not need with the standard
library's own scanner, and the element starts of each array it passed are remembered, so that many look-ups
into one array stay linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]

from claimlint.findings import Pointer, Span, Token, Tokens

_BLANK = re.compile(r"[ \t\n\r]*")
_skip = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=len, strict=False)


def skip_blank(text: str, at: int) -> int:
    """The offset of the first character at or after ``at`` that is no JSON white space."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def skip_value(text: str, at: int) -> int:
    """The offset just behind the value that starts at ``at``."""
    return _skip.raw_decode(text, at)[1]


def members(text: str, at: int) -> Iterator[tuple[str, Span, int]]:
    """The members of the object that starts at ``at``: key, span of the key, offset of the value."""
    at = skip_blank(text, at + 1)
    while at < len(text) and text[at] == '"':
        key, end = scanstring(text, at + 1, False)
        value = skip_blank(text, skip_blank(text, end) + 1)
        yield key, Span(at, end), value
        at = skip_blank(text, skip_value(text, value))
        if at < len(text) and text[at] == ",":
            at = skip_blank(text, at + 1)


def elements(text: str, at: int) -> list[int]:
    """The offsets of the elements of the array that starts at ``at``."""
    starts: list[int] = []
    at = skip_blank(text, at + 1)
    while at < len(text) and text[at] != "]":
        starts.append(at)
        at = skip_blank(text, skip_value(text, at))
        if at < len(text) and text[at] == ",":
            at = skip_blank(text, at + 1)
    return starts


_REMEMBERED = 16


class JsonPositions:
    """Look-ups of pointers in one JSON text that is known to parse."""

    __slots__ = ("_arrays", "_known", "_objects", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._arrays: dict[int, list[int]] = {}
        self._objects: dict[int, dict[str, tuple[Span, int]]] = {}
        self._known: dict[Tokens, tuple[Span | None, int]] = {(): (None, skip_blank(text, 0))}

    def span(self, pointer: Pointer) -> Span:
        """The span of the pointer's value, or of its key; of the nearest parent when it is not there."""
        try:
            (key, value), complete = self._find(pointer.tokens)
            if pointer.key and complete and key is not None:
                return key
            return Span(value, skip_value(self._text, value))
        except (ValueError, StopIteration, IndexError, RecursionError):
            return Span(0, 0)

    def _find(self, tokens: Tokens) -> tuple[tuple[Span | None, int], bool]:
        """Key and value of the pointer or of its nearest parent, and whether all tokens were found."""
        start = min(len(tokens), 2)
        while tokens[:start] not in self._known:
            start -= 1
        found = self._known[tokens[:start]]
        for depth in range(start + 1, len(tokens) + 1):
            step = self._step(found[1], tokens[depth - 1])
            if step is None:
                return found, False
            found = step
            if depth <= 2:
                self._known[tokens[:depth]] = found
        return found, True

    def _step(self, at: int, token: Token) -> tuple[Span | None, int] | None:
        opening = self._text[at : at + 1]
        if opening == "[" and isinstance(token, int):
            starts = self._arrays.get(at)
            if starts is None:
                starts = self._arrays[at] = elements(self._text, at)
            return (None, starts[token]) if 0 <= token < len(starts) else None
        if opening == "{" and isinstance(token, str):
            return self._members(at).get(token)
        return None

    def _members(self, at: int) -> dict[str, tuple[Span, int]]:
        """The members of an object by key; only the last few tables are kept, since look-ups come row by row."""
        found = self._objects.pop(at, None)
        if found is None:
            found = {key: (span, value) for key, span, value in members(self._text, at)}
            if len(self._objects) >= _REMEMBERED:
                del self._objects[next(iter(self._objects))]
        self._objects[at] = found
        return found


@cache
def _structure() -> re.Pattern[str]:
    return re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:]', re.DOTALL)


def duplicates(text: str) -> Iterator[tuple[str, Span, Span]]:
    """Every key that an object repeats: key, span of its first and of its later place, in document order.

    One pass over a text that is known to parse, whatever its depth.
    """
    open_objects: list[dict[str, Span] | None] = []
    last = Span(0, 0)
    for found in _structure().finditer(text):
        part = found.group()
        if part == "{":
            open_objects.append({})
        elif part == "[":
            open_objects.append(None)
        elif part in "]}":
            open_objects.pop()
        elif part != ":":
            last = Span(*found.span())
        else:
            keys = open_objects[-1]
            assert keys is not None, "a colon stands in objects only"
            key = scanstring(text, last.start + 1, False)[0]
            if key in keys:
                yield key, keys[key], last
            else:
                keys[key] = last
