"""Setting string values in a TOML text without touching anything else in it.

The standard library reads TOML and writes none; this is the little that pinning a hash needs. It finds where
statements and values stand in a text that is known to be valid. The caller parses the result and compares:
what this module cannot edit is noticed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_BLANK = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_NESTED = re.compile(rf"{_STRING.pattern}|#[^\n]*|[\[\]{{}}]", re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\r\n]*")
_LINE = re.compile(r"[^\n]*\n?")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A table header (``value`` is None) or a key with its value: full path and offsets in the text."""

    path: Path
    start: int
    end: int
    value: tuple[int, int] | None
    array: bool = False


def set_strings(text: str, table: Path, values: Mapping[str, str]) -> str | None:
    """A TOML text in which ``table`` holds the given strings; None when it cannot be edited.

    ``text`` must be valid TOML.
    """
    try:
        for key, value in values.items():
            text = _set(text, table, key, _quoted(value))
    except ValueError:
        return None
    return text


def _set(text: str, table: Path, key: str, value: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    header: _Statement | None = None
    last = 0
    sibling: _Statement | None = None
    for statement in _statements(text):
        if statement.value is None:
            if statement.path == table and not statement.array:
                header, last = statement, statement.end
            continue
        if statement.path == (*table, key):
            start, end = statement.value
            return text[:start] + value + text[end:]
        if text.startswith("{", statement.value[0]) and table[: len(statement.path)] == statement.path:
            return _set_inline(text, statement.value[0], (*table[len(statement.path) :], key), value)
        if statement.path[: len(table)] == table:
            if header is not None:
                last = statement.end
            else:
                sibling = statement
    line = f"{key} = {value}{newline}"
    if header is not None:
        return _insert_line(text, last, line, newline)
    if sibling is not None:
        # The table is written with dotted keys: the new key stands beside them, with the same prefix.
        assert sibling.value is not None
        prefix = text[sibling.start : sibling.value[0]]
        dotted = re.match(r".*\.(?=[^.=]*=)", prefix)
        return _insert_line(text, sibling.end, f"{dotted.group() if dotted else ''}{line}", newline)
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}[{'.'.join(table)}]{newline}{line}"


def _insert_line(text: str, at: int, line: str, newline: str) -> str:
    """The text with a line behind the line in which ``at`` stands."""
    found = _LINE.match(text, at)
    end = len(text) if found is None else found.end()
    lead = "" if text[:end].endswith("\n") else newline
    return text[:end] + lead + line + text[end:]


def _set_inline(text: str, at: int, path: Path, value: str) -> str:
    """Set a value inside the inline table that starts at ``at``."""
    close = at
    for member in _members(text, at + 1):
        assert member.value is not None
        start, end = member.value
        close = end
        if member.path == path:
            return text[:start] + value + text[end:]
        if text.startswith("{", start) and path[: len(member.path)] == member.path:
            return _set_inline(text, start, path[len(member.path) :], value)
    name = ".".join(path)
    if close == at:
        return f"{text[: at + 1]} {name} = {value} {text[_skip(text, at + 1) :]}"
    return f"{text[:close]}, {name} = {value}{text[close:]}"


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a TOML text in order, with full paths."""
    at = _skip(text, 0)
    table: Path = ()
    while at < len(text):
        if text[at] == "[":
            array = text.startswith("[[", at)
            table, end = _key(text, at + 1 + array)
            end += 1 + array
            yield _Statement(table, at, end, None, array)
        else:
            statement = _pair(text, at, table)
            yield statement
            end = statement.end
        at = _skip(text, end)


def _members(text: str, at: int) -> Iterator[_Statement]:
    """The members of an inline table whose first member may start at ``at``."""
    at = _skip(text, at)
    while not text.startswith("}", at):
        member = _pair(text, at, ())
        yield member
        at = _skip(text, member.end)
        if text.startswith(",", at):
            at = _skip(text, at + 1)


def _pair(text: str, at: int, table: Path) -> _Statement:
    path, equals = _key(text, at)
    if not text.startswith("=", equals):
        raise ValueError
    start = _blank(text, equals + 1)
    end = _value_end(text, start)
    return _Statement(table + path, at, end, (start, end))


def _key(text: str, at: int) -> tuple[Path, int]:
    """A dotted key and the offset behind it and the blanks after it; raises ``ValueError`` when there is none."""
    parts: list[str] = []
    while True:
        at = _blank(text, at)
        found = _STRING.match(text, at) or _BARE.match(text, at)
        if found is None:
            raise ValueError
        parts.append(_unquoted(found.group()))
        at = _blank(text, found.end())
        if not text.startswith(".", at):
            return tuple(parts), at
        at += 1


def _value_end(text: str, at: int) -> int:
    """The offset behind the value that starts at ``at``."""
    if text.startswith(("[", "{"), at):
        depth = 0
        for found in _NESTED.finditer(text, at):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found.group(), 0)
            if depth == 0:
                return found.end()
        raise ValueError
    value = (_STRING if text.startswith(('"', "'"), at) else _SCALAR).match(text, at)
    if value is None:
        raise ValueError
    return at + len(value.group().rstrip())


def _skip(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return at if found is None else found.end()


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _unquoted(token: str) -> str:
    if token[0] == "'":
        return token[1:-1]
    if token[0] == '"' and "\\" in token:
        import tomllib

        return str(tomllib.loads(f"a = {token}")["a"])
    return token.strip('"')


def _quoted(value: str) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
