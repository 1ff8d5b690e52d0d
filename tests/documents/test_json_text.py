"""Strict JSON: what the standard library reads is read the same, everything else is refused at its place."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from claimlint.documents.json_text import MAX_DEPTH, MAX_DIGITS, holds_surrogate, is_deep, parse_json
from tests.documents.json_texts import Text, json_texts


@given(json_texts())
@settings(max_examples=300, deadline=None)
def test_what_is_json_is_read_as_the_standard_library_reads_it(made: tuple[Any, Text]) -> None:
    _, text = made
    parsed = parse_json(text.text)
    assert parsed.refusal is None
    assert repr(parsed.value) == repr(json.loads(text.text))


def _standard(text: str) -> Any:
    """The value of a strict JSON text, or ``...`` when JSON has no such value."""

    def refuse(_name: str) -> Any:
        raise ValueError

    try:
        value = json.loads(text, parse_constant=refuse)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return ...
    return value


FRAGMENTS = st.lists(
    st.sampled_from(
        [*'{}[]:,"\\ \n', "1", "-", "1e999", "-1e999", "NaN", "-Infinity", "0", "null", "true", "u", "é", "'"]
    ),
    max_size=14,
)


@given(FRAGMENTS.map("".join))
@example(
    '["',
)
@example('{"a":1,"a":NaN}')
@settings(max_examples=600, deadline=None)
def test_any_text_is_read_or_refused_at_a_place_inside(text: str) -> None:
    parsed = parse_json(text)
    expected = _standard(text)
    assert (parsed.refusal is not None) == (expected is ...)
    if parsed.refusal is None:
        assert repr(parsed.value) == repr(expected)
    else:
        assert 0 <= parsed.refusal.span.start <= len(text)


@pytest.mark.parametrize(
    ("text", "kind", "words", "at"),
    [
        ("", "unreadable", "the file is empty", 0),
        (" \n", "unreadable", "the file is empty", 2),
        ('{"a": 1,}', "unreadable", "a comma stands before the closing }", 7),
        ("[1,\n]", "unreadable", "a comma stands before the closing ]", 2),
        ('{"a": 1} {}', "unreadable", "more text after the end of the JSON value", 9),
        ("{'a': 1}", "unreadable", "double quotes", 1),
        ('{"a": 1 // no\n}', "unreadable", "JSON has no comments", 8),
        ('{"a": "b', "unreadable", "not closed", 6),
        ('{"a": "b\n"}', "unreadable", "write it as an escape", 8),
        ('{"a": 1', "unreadable", "ends before the last bracket is closed", 7),
        ('{"a": tru}', "unreadable", "expecting value", 6),
        ('{"NaN": "Infinity", "b": NaN}', "not-json", "NaN is no JSON value", 25),
        ("[-Infinity]", "not-json", "-Infinity is no JSON value", 1),
        ('["1e999", 1.5, -1e999]', "not-json", "-1e999 is too large for a number", 15),
        ("[1.0" + "0" * 5000 + ", " + "9" * 4301 + "]", "over-limit", "a number of 4301 digits", 5006),
        ("[-" + "9" * 100_000 + "]", "over-limit", "a number of 100000 digits; at most 4300 are read", 1),
        ("[" * 201 + "]" * 201, "over-limit", "nested 201 levels deep; at most 200 are read", 200),
        ('{"a":' * 100_000, "over-limit", "nested 100000 levels deep", 499_995),
    ],
)
def test_what_is_not_json_is_refused_where_it_stands(text: str, kind: str, words: str, at: int) -> None:
    refusal = parse_json(text).refusal
    assert refusal is not None
    assert (refusal.kind, refusal.span.start) == (kind, at)
    assert words in refusal.message


def test_the_message_does_not_repeat_a_whole_number() -> None:
    refusal = parse_json("[1" + "0" * 1000 + "e1]").refusal
    assert refusal is not None
    assert len(refusal.message) < 80


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [1, MAX_DEPTH - 1, MAX_DEPTH])
def test_nesting_is_read_up_to_the_limit(opening: str, depth: int) -> None:
    text = opening * depth + "1" + {"[": "]"}.get(opening, "}") * depth
    assert parse_json(text).refusal is None


@pytest.mark.parametrize(
    ("depth", "deep"), [(0, False), (MAX_DEPTH, False), (MAX_DEPTH + 1, True), (50_000, True)]
)
def test_depth_is_counted_in_containers_without_recursion(depth: int, deep: bool) -> None:
    value: object = 1
    for _ in range(depth):
        value = [value]
    assert is_deep(value) is deep
    while isinstance(value, list):  # freed level by level
        value = value.pop()


def test_a_hostile_text_behind_deep_nesting_takes_linear_time() -> None:
    refusal = parse_json("[" * 5000 + '"' + '\\"' * 300_000 + "\\").refusal
    assert refusal is not None
    assert refusal.kind in {"over-limit", "unreadable"}


@pytest.mark.parametrize("number", ["9" * MAX_DIGITS, "-" + "9" * MAX_DIGITS, "1e308", "5e-324", "-0.0", "1E+2"])
def test_numbers_within_the_limits_are_read(number: str) -> None:
    assert repr(parse_json(f"[{number}]").value) == repr(json.loads(f"[{number}]"))


@pytest.mark.parametrize(
    ("text", "repeats"),
    [('{"a": 1, "b": 1}', False), ('{"a": 1, "a": 1}', True), ('[{"a": {"b": 1, "\\u0062": 2}}]', True)],
)
def test_a_repeated_key_is_noticed_and_the_last_one_counts(text: str, repeats: bool) -> None:
    parsed = parse_json(text)
    assert (parsed.repeats, parsed.value) == (repeats, json.loads(text))


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ('["\\ud83d"]', True),
        ('["\\uDE00x"]', True),
        ('{"a": [{"\\ud83d": 1}]}', True),
        ('["\\ud83d\\ude00"]', False),
        ('["\\\\ud83d"]', False),
    ],
)
def test_half_of_a_surrogate_pair_is_noticed(text: str, broken: bool) -> None:
    parsed = parse_json(text)
    assert parsed.surrogates is broken
    assert holds_surrogate(parsed.value) is broken


def test_no_value_that_is_read_is_infinite() -> None:
    value = parse_json("[1.7976931348623157e308, -1.7976931348623157e308]").value
    assert [math.isfinite(each) for each in value] == [True, True]
