"""Positions: every pointer of every document leads to exactly the characters it names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlint.documents.positions import JsonPositions, duplicates
from claimlint.documents.source import JsonSource
from claimlint.findings import Pointer, Range, Span
from tests.documents.json_texts import Text, json_texts


@given(json_texts())
@settings(max_examples=300, deadline=None)
def test_every_pointer_leads_to_its_value_and_key(made: tuple[Any, Text]) -> None:
    _, text = made
    positions = JsonPositions(text.text)
    assert {tokens: positions.span(Pointer(tokens)) for tokens in text.values} == text.values
    assert {tokens: positions.span(Pointer(tokens, key=True)) for tokens in text.keys} == text.keys


@given(json_texts())
@settings(max_examples=150, deadline=None)
def test_the_text_at_a_pointer_means_the_value_there(made: tuple[Any, Text]) -> None:
    value, text = made
    positions = JsonPositions(text.text)
    for tokens in text.values:
        span = positions.span(Pointer(tokens))
        wanted = value
        for token in tokens:
            wanted = wanted[token]
        assert json.loads(text.text[span.start : span.end], strict=False) == wanted


@given(json_texts(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_look_ups_changes_nothing(made: tuple[Any, Text], random: Any) -> None:
    _, text = made
    order = list(text.values)
    random.shuffle(order)
    positions = JsonPositions(text.text)
    assert {tokens: positions.span(Pointer(tokens)) for tokens in order} == text.values


TEXT = '{"a": {"b": [1, {"c": 2}]}, "d": "x", "a~/b": 3, "d": "y"}'


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        (Pointer(("a", "b", 1, "c")), "2"),
        (Pointer(("a", "b", 1, "c"), key=True), '"c"'),
        (Pointer(("a", "b", 1), key=True), '{"c": 2}'),
        (Pointer((), key=True), TEXT),
        (Pointer(("d",)), '"y"'),
        (Pointer(("a~/b",)), "3"),
        (Pointer(("a", "b", 9, "c")), '[1, {"c": 2}]'),
        (Pointer(("a", "b", -1)), '[1, {"c": 2}]'),
        (Pointer(("a", "b", "c")), '[1, {"c": 2}]'),
        (Pointer(("a", "x", "b")), '{"b": [1, {"c": 2}]}'),
        (Pointer(("a", "x"), key=True), '{"b": [1, {"c": 2}]}'),
        (Pointer(("a", 0)), '{"b": [1, {"c": 2}]}'),
        (Pointer(("nothing", "c")), TEXT),
        (Pointer(("d", "c")), '"y"'),
    ],
)
def test_a_pointer_without_a_value_falls_back_to_its_nearest_parent(pointer: Pointer, expected: str) -> None:
    span = JsonPositions(TEXT).span(pointer)
    assert TEXT[span.start : span.end] == expected


@pytest.mark.parametrize("text", ["", " ", "[", '{"a"', '{"a": ', "nonsense", '{"a": [1, }'])
def test_a_text_that_does_not_parse_makes_no_look_up_fail(text: str) -> None:
    span = JsonPositions(text).span(Pointer(("a", 1)))
    assert 0 <= span.start <= span.end <= len(text)


def test_columns_count_characters_and_lines_end_with_crlf_too() -> None:
    source = JsonSource("x.json", '{\r\n  "😀é": ["中", "b"]\r\n}')
    assert source.locate(Pointer(("😀é", 1))) == Range(2, 15, 2, 18)
    assert source.locate(Pointer(("😀é",), key=True)) == Range(2, 3, 2, 7)
    assert source.locate(Span(0, 1)) == Range(1, 1, 1, 2)


def test_look_ups_into_one_long_array_take_linear_time() -> None:
    rows = 20_000
    text = json.dumps({"rows": [{"a": index} for index in range(rows)]})
    positions = JsonPositions(text)
    spans = [positions.span(Pointer(("rows", index, "a"))) for index in range(rows)]
    assert [int(text[span.start : span.end]) for span in spans] == list(range(rows))


@given(json_texts())
@settings(max_examples=200, deadline=None)
def test_exactly_the_keys_that_an_object_repeats_are_duplicates(made: tuple[Any, Text]) -> None:
    _, text = made
    expected: list[tuple[str, int]] = []

    def see(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        expected.extend((key, keys[:index].count(key)) for index, key in enumerate(keys) if key in keys[:index])

    json.loads(text.text, object_pairs_hook=see)
    found = list(duplicates(text.text))
    assert sorted(key for key, _, _ in found) == sorted(key for key, _ in expected)
    for key, before, after in found:
        assert before.end <= after.start
        assert [json.loads(text.text[span.start : span.end]) for span in (before, after)] == [key, key]


def test_a_key_that_stands_thrice_is_two_duplicates_of_the_first() -> None:
    text = '{"a": 1, "\\u0061": {"b": [], "b": {}}, "a": 2}'
    found = [(key, before.start, after.start) for key, before, after in duplicates(text)]
    assert found == [("a", 1, 9), ("b", 20, 29), ("a", 1, 39)]
