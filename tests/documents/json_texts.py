"""Random JSON documents as random texts, with the span of every value and key known by construction."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from claimlint.findings import Span, Tokens

CHARACTERS = st.characters(exclude_categories=["Cs"])
STRINGS = st.text(CHARACTERS, max_size=6) | st.sampled_from(
    ["", "a/b", "m~n", "~1", "é", "😀", "\\", '"', "\n", "\x00"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)
BLANKS = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", " \r\n  "])


class Text(NamedTuple):
    """A text, the span of the value at each pointer, and that of its key."""

    text: str
    values: dict[Tokens, Span]
    keys: dict[Tokens, Span]


@st.composite
def json_texts(draw: st.DrawFn, values: st.SearchStrategy[Any] = VALUES) -> tuple[Any, Text]:
    """A value and one of the texts that mean it: any white space, any escapes, some keys written twice."""
    value = draw(values)
    writer = _Writer(draw)
    writer.blank()
    writer.value(value, ())
    writer.blank()
    return value, Text("".join(writer.parts), writer.values, writer.keys)


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.parts: list[str] = []
        self.size = 0
        self.values: dict[Tokens, Span] = {}
        self.keys: dict[Tokens, Span] = {}

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def blank(self) -> None:
        self.put(self.draw(BLANKS))

    def value(self, value: Any, tokens: Tokens) -> None:
        start = self.size
        if isinstance(value, dict):
            self.members(value, tokens)
        elif isinstance(value, list):
            self.put("[")
            self.blank()
            for index, item in enumerate(value):
                self.put("," if index else "")
                self.blank()
                self.value(item, (*tokens, index))
                self.blank()
            self.put("]")
        elif isinstance(value, str):
            self.string(value)
        else:
            self.put(json.dumps(value))
        self.values[tokens] = Span(start, self.size)

    def members(self, value: dict[str, Any], tokens: Tokens) -> None:
        self.put("{")
        self.blank()
        pairs = list(value.items())
        if pairs and self.draw(st.integers(0, 9)) == 0:  # an earlier one of two equal keys, which does not count
            pairs.insert(0, (pairs[-1][0], 0))
        for number, (key, item) in enumerate(pairs):
            self.put("," if number else "")
            self.blank()
            start = self.size
            self.string(key)
            self.keys[(*tokens, key)] = Span(start, self.size)
            self.blank()
            self.put(":")
            self.blank()
            self.value(item, (*tokens, key))
            self.blank()
        self.put("}")

    def string(self, text: str) -> None:
        self.put('"')
        for character in text:
            self.put(self.escaped(character))
        self.put('"')

    def escaped(self, character: str) -> str:
        must = character in '"\\' or ord(character) < 0x20
        if not must and self.draw(st.integers(0, 4)):
            return character
        short = {
            '"': '\\"',
            "\\": "\\\\",
            "/": "\\/",
            "\n": "\\n",
            "\t": "\\t",
            "\r": "\\r",
            "\b": "\\b",
            "\f": "\\f",
        }
        if character in short and self.draw(st.booleans()):
            return short[character]
        units = character.encode("utf-16-be")
        return "".join(f"\\u{units[at]:02x}{units[at + 1]:02X}" for at in range(0, len(units), 2))
