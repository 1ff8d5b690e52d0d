"""Strict JSON: the standard library's parser with everything refused that JSON does not have.

The fast path only learns that something is wrong; where it stands is looked for afterwards.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from claimlint.findings import Span

MAX_DIGITS = 4300
"""The longest integer that is read, in digits (the interpreter's own limit)."""

MAX_DEPTH = 200
"""How many levels a document may be nested, in JSON and in YAML, whatever the interpreter could take."""

_CONTAINERS = frozenset((dict, list))
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
"""A string; an unclosed one reaches to the end, so that no text is looked at twice."""


class Refusal(NamedTuple):
    """Why a text is no document: the kind of note, the words of its message, and where it stands."""

    kind: str
    message: str
    span: Span


class Parsed(NamedTuple):
    """A parsed document: its value, or why there is none; whether some object repeats a key."""

    value: Any
    refusal: Refusal | None = None
    repeats: bool = False
    surrogates: bool = False


class _NotJsonError(Exception):
    """A number or constant that JSON does not have."""


def _constant(_name: str) -> Any:
    raise _NotJsonError


def _float(digits: str) -> float:
    value = float(digits)
    if value - value != 0:
        raise _NotJsonError
    return value


def parse_json(text: str) -> Parsed:
    """Parse a JSON text. Never raises: what cannot be read comes back as a ``Refusal``."""
    repeats = False

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeats
        made = dict(members)
        if len(made) != len(members):
            repeats = True
        return made

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_constant, parse_float=_float)
    except _NotJsonError:
        return Parsed(None, _not_json(text))
    except json.JSONDecodeError as error:
        deep = _too_deep(text)  # how deep the parser itself gets depends on the interpreter
        if deep is not None:
            return Parsed(None, deep)
        at = _fault_at(text, error.pos)
        return Parsed(None, Refusal("unreadable", _syntax(text, error), Span(at, at + 1)))
    except RecursionError:
        return Parsed(None, _too_deep(text) or _TOO_DEEP)
    except ValueError:
        return Parsed(None, _too_long(text))
    if is_deep(value):
        return Parsed(None, _too_deep(text) or _TOO_DEEP)
    escaped = "\\" in text and re.search(r"\\u[dD]", text) is not None  # the one search is five times as fast
    return Parsed(value, None, repeats, escaped and holds_surrogate(value))


def is_deep(value: object) -> bool:
    """Whether a parsed value is nested deeper than ``MAX_DEPTH``."""
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        items = chain.from_iterable([each.values() if type(each) is dict else each for each in level])
        level = [item for item in items if type(item) in _CONTAINERS]
        if not level:
            return False
    return True


def holds_surrogate(value: object) -> bool:
    """Whether a string in a parsed value holds half of a surrogate pair, which no UTF-8 file can hold."""
    pending: list[object] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            if is_broken(item):
                return True
        elif isinstance(item, dict):
            pending.extend(item.keys())
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return False


def is_broken(text: str) -> bool:
    """Whether a string cannot be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _fault_at(text: str, at: int) -> int:
    """Where a fault is shown: a comma before a closing bracket is the fault, and not the bracket behind it."""
    before = text[:at].rstrip(" \t\r\n") if text[at : at + 1] in ("]", "}") else ""
    return len(before) - 1 if before.endswith(",") else at


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "the file is empty"
    if error.msg.startswith("Extra data"):
        return "more text after the end of the JSON value"
    return f"no valid JSON: {_cause(text, error)}"


def _cause(text: str, error: json.JSONDecodeError) -> str:
    at = error.pos
    behind = text[at : at + 100].lstrip(", \t\r\n")[:1]
    if behind in ("]", "}") and text[max(0, at - 100) : at + 1].rstrip("]} \t\r\n").endswith(","):
        return f"a comma stands before the closing {behind}"
    if text.startswith("'", at):
        return "strings stand in double quotes, not in single ones"
    if text.startswith(("//", "/*", "#"), at):
        return "JSON has no comments"
    if error.msg.startswith("Unterminated string"):
        return "the string that begins here is not closed"
    if error.msg.startswith("Invalid control character"):
        return "a line break or control character stands in a string; write it as an escape such as \\n"
    if not text[at:].strip():
        return "the text ends before the last bracket is closed"
    return error.msg[:1].lower() + error.msg[1:]


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(rf"{_STRING}|-?(?:NaN|Infinity)|-?[0-9][0-9.eE+-]*", re.DOTALL)


def _not_json(text: str) -> Refusal:
    for found in _tokens().finditer(text):
        token = found.group()
        if token.lstrip("-") in {"NaN", "Infinity"}:
            return Refusal("not-json", f"{token} is no JSON value", Span(*found.span()))
        if token[0] != '"' and not token.lstrip("-").isdigit() and _is_infinite(token):
            shown = token if len(token) <= 24 else token[:24] + "…"
            return Refusal("not-json", f"{shown} is too large for a number", Span(*found.span()))
    return Refusal("not-json", "a number that JSON does not have", Span(0, 1))


def _is_infinite(token: str) -> bool:
    try:
        value = float(token)
    except ValueError:
        return False
    return value - value != 0


def _too_long(text: str) -> Refusal:
    for found in _tokens().finditer(text):
        digits = found.group().lstrip("-")
        if digits.isdigit() and len(digits) > MAX_DIGITS:
            message = f"a number of {len(digits)} digits; at most {MAX_DIGITS} are read"
            return Refusal("over-limit", message, Span(*found.span()))
    return Refusal("over-limit", "a number that is too long to read", Span(0, 1))


_TOO_DEEP = Refusal("over-limit", f"nested too deep to read; at most {MAX_DEPTH} levels are read", Span(0, 1))


def _too_deep(text: str) -> Refusal | None:
    depth = deepest = at = 0
    for found in re.finditer(rf"{_STRING}|[\[{{\]}}]", text, re.DOTALL):
        bracket = found.group()
        if bracket in "[{":
            depth += 1
            if depth > deepest:
                deepest, at = depth, found.start()
        elif bracket in "]}":
            depth -= 1
    if deepest <= MAX_DEPTH:
        return None
    message = f"nested {deepest} levels deep; at most {MAX_DEPTH} are read"
    return Refusal("over-limit", message, Span(at, at + 1))
