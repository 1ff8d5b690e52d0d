"""Strict JSON: the standard library's parser with everything refused that JSON does not have.

The fast path only learns that something is wrong; where it stands is looked for afterwards.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from claimlint.findings import Span

MAX_DIGITS = 4300
"""The longest integer that is read, in digits (the interpreter's own limit)."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)|-?[0-9][0-9.eE+-]*', re.DOTALL)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


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
        return Parsed(None, Refusal("unreadable", _syntax(text, error), Span(error.pos, error.pos + 1)))
    except RecursionError:
        return Parsed(None, _too_deep(text))
    except ValueError:
        return Parsed(None, _too_long(text))
    return Parsed(value, None, repeats, _SURROGATE.search(text) is not None and holds_surrogate(value))


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


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "the file is empty"
    if error.msg.startswith("Extra data"):
        return "more text after the end of the JSON value"
    cause = error.msg[:1].lower() + error.msg[1:]
    return f"no valid JSON: {cause}"


def _not_json(text: str) -> Refusal:
    for found in _TOKEN.finditer(text):
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
    for found in _TOKEN.finditer(text):
        if found.group()[0] != '"' and len(found.group()) > MAX_DIGITS:
            message = f"a number of {len(found.group())} digits; at most {MAX_DIGITS} are read"
            return Refusal("over-limit", message, Span(*found.span()))
    return Refusal("over-limit", "a number that is too long to read", Span(0, 1))


def _too_deep(text: str) -> Refusal:
    depth = deepest = at = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{\]}]', text, re.DOTALL):
        bracket = found.group()
        if bracket in "[{":
            depth += 1
            if depth > deepest:
                deepest, at = depth, found.start()
        elif bracket in "]}":
            depth -= 1
    return Refusal("over-limit", f"nested {deepest} levels deep; that is too deep to read", Span(at, at + 1))
