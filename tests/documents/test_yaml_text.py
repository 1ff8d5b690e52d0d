"""Strict YAML: a document means what its JSON twin means, places are exact, and nothing explodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlint.documents import yaml_text
from claimlint.documents.json_text import MAX_DEPTH, MAX_DIGITS
from claimlint.documents.yaml_text import YamlSource, duplicate_keys, parse_yaml
from claimlint.findings import Pointer, Range, Span, Token, Tokens

PRINTABLE = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff")
TRAPS = [
    "",
    "a/b",
    "yes",
    "null",
    "1",
    "0x1f",
    "2026-01-01",
    "- a",
    "a: b",
    "#c",
    "😀",
    "'",
    '"',
    "~",
    "=",
    "<<",
    "a\nb",
    "\t",
]
STRINGS = st.text(PRINTABLE, max_size=6) | st.sampled_from(TRAPS)
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


class Dumper(yaml.SafeDumper):
    """The safe dumper, told to quote every string, so that only what JSON has stays plain."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))
Dumper.add_representer(
    float, lambda dumper, number: dumper.represent_scalar("tag:yaml.org,2002:float", repr(number))
)


@st.composite
def yaml_texts(draw: st.DrawFn) -> tuple[Any, str]:
    """A value and a YAML text that means it, in block or flow style, with LF or CR LF."""
    value = draw(VALUES)
    text = yaml.dump(
        value,
        Dumper=Dumper,
        default_flow_style=draw(st.sampled_from([None, False, True])),
        allow_unicode=draw(st.booleans()),
        indent=draw(st.integers(2, 5)),
        width=draw(st.sampled_from([20, 80, 10_000])),
        explicit_start=draw(st.booleans()),
        sort_keys=False,
    )
    return value, text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def pointers(value: Any, tokens: Tokens = ()) -> list[Tokens]:
    """The pointers of a value and of all values in it."""
    items: list[tuple[Token, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [tokens, *(each for token, item in items for each in pointers(item, (*tokens, token)))]


@given(yaml_texts())
@settings(max_examples=300, deadline=None)
def test_what_is_dumped_is_read_again(made: tuple[Any, str]) -> None:
    value, text = made
    parsed = parse_yaml(text)
    assert parsed.refusal is None
    assert repr(parsed.value) == repr(value)


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_json_is_yaml_with_the_same_meaning(value: Any) -> None:
    parsed = parse_yaml(json.dumps(value, ensure_ascii=False, indent=1))
    assert repr(parsed.value) == repr(value)


@given(yaml_texts())
@settings(max_examples=200, deadline=None)
def test_the_text_at_a_pointer_means_the_value_there(made: tuple[Any, str]) -> None:
    value, text = made
    source = YamlSource("x.yaml", text)
    for tokens in pointers(value):
        wanted = value
        for token in tokens:
            wanted = wanted[token]
        span = source.span_of(Pointer(tokens))
        line_start = text.rfind("\n", 0, span.start) + 1
        part = " " * (span.start - line_start) + text[span.start : span.end]
        assert repr(parse_yaml(part or "null").value) == repr(wanted)
        if tokens and isinstance(tokens[-1], str):
            key = source.span_of(Pointer(tokens, key=True))
            assert parse_yaml(text[key.start : key.end]).value == tokens[-1]
            assert key.end <= span.start or wanted is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("y", "y"),
        ("True", True),
        ("FALSE", False),
        ("~", None),
        ("NULL", None),
        ("nUll", "nUll"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-09-01", "2026-09-01"),
        ("2026-09-01T07:45:00Z", "2026-09-01T07:45:00Z"),
        ("1.0", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("+12", 12),
        ("1.2.3", "1.2.3"),
        ("٣", "٣"),
        ("=", "="),
        ("<<", "<<"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float 1", 1.0),
        ("!!float '5e-324'", 5e-324),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("'12'", "12"),
        ("!!map {}", {}),
        ("!!seq []", []),
        ("|\n  a\n  b\n", "a\nb\n"),
        (">\n  a\n  b\n", "a b\n"),
        ("[a, {b: [1, 2]}, c]", ["a", {"b": [1, 2]}, "c"]),
        ("- &a {x: 1}\n- *a", [{"x": 1}, {"x": 1}]),
        ("%YAML 1.2\n---\na: 1\n...\n", {"a": 1}),
        ("a:\nb: # nothing\n", {"a": None, "b": None}),
    ],
)
def test_scalars_have_the_meaning_of_the_core_schema(text: str, value: object) -> None:
    parsed = parse_yaml(text)
    assert parsed.refusal is None
    assert (type(parsed.value), parsed.value) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "kind", "words", "at"),
    [
        ("", "unreadable", "the file is empty", 0),
        (" \n", "unreadable", "the file is empty", 0),
        ("a: [1", "unreadable", "no valid YAML", 5),
        ("a:\n\tb: 1", "unreadable", "a tab cannot indent; use blanks", 3),
        ("a: 1\n---\nb: 1\n", "unreadable", "more than one YAML document", 5),
        ("é: *nothing", "unreadable", "no valid YAML", 3),
        ("é: \x07", "unreadable", "control characters are not allowed", 3),
        ("😀é: \x7f", "unreadable", "control characters are not allowed", 4),
        ('a: "\\ud800"', "unreadable", "no valid YAML", 6),
        (
            "a: !!python/object/apply:os.system [ls]",
            "not-json",
            "the tag !!python/object/apply:os.system is no",
            3,
        ),
        ("a: !Ref b", "not-json", "the tag !Ref is no JSON value", 3),
        ("a: !!binary aGk=", "not-json", "the tag !!binary", 3),
        ("a: !!int b", "not-json", "the tag !!int", 3),
        ("a: !!float " + "9" * 400, "not-json", "is too large for a number", 3),
        ("a: !!set {b}", "not-json", "the tag !!set", 3),
        ("a: !!map [b]", "not-json", "the tag !!map", 3),
        ("a: !!seq {b: 1}", "not-json", "the tag !!seq", 3),
        ("a: !!timestamp 2026-01-01", "not-json", "the tag !!timestamp", 3),
        ("a: !" + "x" * 500 + " 1", "not-json", "xxx…", 3),
        ("a: &b {c: 1}\n<<: *b", "not-json", "the merge key <<, which JSON does not have", 13),
        ("1: a", "not-json", "a key that is no string", 0),
        ("a: 1\ntrue: b", "not-json", "a key that is no string", 5),
        ("~: a", "not-json", "a key that is no string", 0),
        ("? [a]\n: b", "not-json", "a key that is no string", 2),
        ("? {a: 1}\n: b", "not-json", "a key that is no string", 2),
        ("a: .inf", "not-json", ".inf is no JSON value", 3),
        ("a: -.Inf", "not-json", "-.Inf is no JSON value", 3),
        ("a: [.nan]", "not-json", ".nan is no JSON value", 4),
        ("a: 1e999", "not-json", "1e999 is too large for a number", 3),
        ("a: " + "9" * 5000, "over-limit", "a number of 5000 digits", 3),
        ("a: 0x" + "f" * 4000, "over-limit", "a number of more than 4300 digits", 3),
        ("a: &a [*a]", "over-limit", "an alias refers to its own parent", 3),
        ("a: &a {b: [1, *a]}", "over-limit", "an alias refers to its own parent", 3),
        ("[" * 5000, "over-limit", "nested too deep; at most 200 levels are read", 1000),
        ("- " * 5000 + "x", "over-limit", "nested too deep; at most 200 levels are read", 1998),
    ],
)
def test_what_json_does_not_have_is_refused_where_it_stands(text: str, kind: str, words: str, at: int) -> None:
    refusal = parse_yaml(text).refusal
    assert refusal is not None
    assert (refusal.kind, refusal.span.start) == (kind, at)
    assert words in refusal.message


@pytest.mark.parametrize(("depth", "kind"), [(1, None), (MAX_DEPTH, None), (MAX_DEPTH + 1, "over-limit")])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_nesting_is_read_up_to_the_limit_of_json(opening: str, closing: str, depth: int, kind: str | None) -> None:
    refusal = parse_yaml(opening * depth + "x" + closing * depth).refusal
    assert (refusal and refusal.kind) == kind


def test_depth_counts_what_aliases_bring_in() -> None:
    lines = ["a0: &a0 [x]", *(f"a{number}: &a{number} [*a{number - 1}]" for number in range(1, MAX_DEPTH + 5))]
    for text in ("\n".join(lines), "{" + ", ".join(lines) + "}"):
        refusal = parse_yaml(text).refusal
        assert refusal is not None
        assert "nested too deep" in refusal.message


def test_aliases_that_explode_are_refused_before_they_do() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    refusal = parse_yaml("\n".join(lines)).refusal
    assert refusal is not None
    assert (refusal.kind, "aliases add more than" in refusal.message) == ("over-limit", True)


def test_a_large_document_without_aliases_is_no_explosion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_EXPANDED", 10)
    assert parse_yaml("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]").refusal is None
    assert parse_yaml("- &a [1, 2, 3]\n- [*a, *a]").refusal is None
    refusal = parse_yaml("- &a [1, 2, 3, 4, 5]\n- [*a, *a, *a, *a]").refusal
    assert refusal is not None
    assert refusal.message == "aliases add more than 10 values when they are written out"


def test_long_strings_count_when_aliases_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_EXPANDED", 1000)
    long = "x" * 50_000
    assert parse_yaml(f"- &a {long}\n- {long}\n- [*a]").refusal is None
    assert parse_yaml(f"- {long}\n- &a 1\n- [*a, *a, *a]").refusal is None
    refusal = parse_yaml(f"- &a {long}\n- [*a, *a, *a]").refusal
    assert refusal is not None
    assert refusal.message == "aliases add more than 1000 values when they are written out"


def test_a_number_of_the_most_digits_is_read() -> None:
    assert parse_yaml("9" * MAX_DIGITS).value == 10**MAX_DIGITS - 1


@pytest.mark.parametrize("text", ["# only a comment", "---\n"])
def test_a_document_without_a_value_is_null(text: str) -> None:
    assert parse_yaml(text) == (None, None, False, False)


PARTS = [
    *"[]{}:,-?&*!|>'\"%@`# \n\t",
    "a",
    "1",
    ": ",
    "- ",
    "\r\n",
    "&a ",
    "*a",
    "...",
    "---",
    "é",
    "<<",
    "!!str ",
]
FRAGMENTS = st.lists(st.sampled_from(PARTS), max_size=14)


@given(FRAGMENTS.map("".join) | st.text(max_size=20))
@settings(max_examples=600, deadline=None)
def test_any_text_is_read_or_refused_at_a_place_inside(text: str) -> None:
    parsed = parse_yaml(text)
    if parsed.refusal is None:
        json.dumps(parsed.value, allow_nan=False)
    else:
        assert 0 <= parsed.refusal.span.start <= len(text)
    span = YamlSource("x.yaml", text).span_of(Pointer(("a", 0)))
    assert 0 <= span.start <= span.end <= max(1, len(text))


TEXT = "a:\n  b: [1, {c: 2}]\nd: x\n? e\n: - f\n  - g\nd: y\n"


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        (Pointer(("a", "b", 1, "c")), "2"),
        (Pointer(("a", "b", 1, "c"), key=True), "c"),
        (Pointer(("a", "b", 9)), "[1, {c: 2}]"),
        (Pointer(("a", "b", "c")), "[1, {c: 2}]"),
        (Pointer(("a", "x"), key=True), "b: [1, {c: 2}]"),
        (Pointer(("a", "x", "b")), "b: [1, {c: 2}]"),
        (Pointer(("d",)), "y"),
        (Pointer(("d", 0)), "y"),
        (Pointer(("e", 1)), "g"),
        (Pointer(("nothing",)), TEXT.rstrip()),
        (Pointer(()), TEXT.rstrip()),
    ],
)
def test_a_pointer_without_a_value_falls_back_to_its_nearest_parent(pointer: Pointer, expected: str) -> None:
    span = YamlSource("x.yaml", TEXT).span_of(pointer)
    assert TEXT[span.start : span.end] == expected


def test_columns_count_characters_and_lines_end_with_crlf_too() -> None:
    source = YamlSource("x.yaml", "é😀:\r\n- [中, b]\r\n")
    assert source.locate(Pointer(("é😀", 0, 1))) == Range(2, 7, 2, 8)
    assert source.locate(Pointer(("é😀",), key=True)) == Range(1, 1, 1, 3)


@pytest.mark.parametrize("text", ["a: [", "a: 1\n---\nb: 1", "\x00", "[" * 3000])
def test_a_text_that_does_not_parse_makes_no_look_up_fail(text: str) -> None:
    assert YamlSource("x.yaml", text).span_of(Pointer(("a",))) == Span(0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\n", []),
        ("a: 1\n'a': 2\n\"\\x61\": 3\n", [("a", 0, 5), ("a", 0, 12)]),
        ("- {b: {c: 1, c: 2}, b: 1}", [("c", 7, 13), ("b", 3, 20)]),
        ("- &x {a: 1, a: 2}\n- *x", [("a", 6, 12)]),
    ],
)
def test_a_repeated_key_is_named_with_both_places(text: str, expected: list[tuple[str, int, int]]) -> None:
    parsed = parse_yaml(text)
    assert parsed.repeats is bool(expected)
    assert [(key, first.start, later.start) for key, first, later in duplicate_keys(text)] == expected


@pytest.fixture
def without_c(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """PyYAML as it is where it was built without libyaml."""
    monkeypatch.delattr(yaml, "CSafeLoader")
    yaml_text._loader.cache_clear()
    yield
    yaml_text._loader.cache_clear()


@pytest.mark.usefixtures("without_c")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a: [1, yes, 2026-01-01]", None),
        ("a: !Ref b", "not-json"),
        ("a: \x07", "unreadable"),
        ("a: [", "unreadable"),
        ("a: &a [*a]", "over-limit"),
        ("[" * 3000 + "]" * 3000, "over-limit"),
    ],
)
def test_the_reader_written_in_python_refuses_the_same(text: str, kind: str | None) -> None:
    refusal = parse_yaml(text).refusal
    assert (refusal and refusal.kind) == kind


@pytest.mark.usefixtures("without_c")
def test_the_reader_written_in_python_reads_the_same() -> None:
    assert parse_yaml('a: [1, yes, 2026-01-01, "\\ud83d"]').value == {"a": [1, "yes", "2026-01-01", "\ud83d"]}
    assert parse_yaml('a: "\\ud83d"').surrogates is True
