"""Texts and places: bytes become text in one way, and line and column are the inverse of the offset."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents import source as source_module
from claimlint.documents.source import (
    EmbeddedSource,
    FixedSource,
    JsonSource,
    TextSource,
    decode,
    decode_loosely,
    read_bytes,
    read_text,
)
from claimlint.errors import DocumentError, EncodingError
from claimlint.findings import Pointer, Range, Span

ENDS = st.sampled_from(["\n", "\r\n"])
LINES = st.lists(
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12), max_size=8
)


@given(LINES, ENDS, st.data())
def test_an_offset_is_found_again_from_its_line_and_column(
    lines: list[str], end: str, data: st.DataObject
) -> None:
    text = end.join(lines)
    offset = data.draw(st.integers(0, len(text)))
    line, column = TextSource("x", text).position(offset)
    before = text.split("\n")[: line - 1]
    assert sum(len(each) + 1 for each in before) + column - 1 == offset


@given(LINES, ENDS)
def test_the_text_of_a_line_is_without_its_end(lines: list[str], end: str) -> None:
    source = TextSource("x", end.join(lines))
    expected = lines or [""]
    assert [source.line_text(number + 1) for number in range(len(expected))] == expected


@pytest.mark.parametrize("line", [0, -1, 3, 1000])
def test_a_line_that_is_not_there_has_no_text(line: int) -> None:
    assert TextSource("x", "a\nb").line_text(line) == ""


def test_the_same_line_can_be_asked_for_again_and_again() -> None:
    source = TextSource("x", "a\nbb\nccc")
    assert [source.line_text(line) for line in (2, 2, 3, 2, 1)] == ["bb", "bb", "ccc", "bb", "a"]


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(0, 1), Range(1, 1, 1, 2)),
        (Span(1, 4), Range(1, 2, 2, 2)),
        (Span(-5, 99), Range(1, 1, 2, 3)),
        (Span(4, 2), Range(2, 2, 2, 2)),
        (Span(99, 99), Range(2, 3, 2, 3)),
    ],
)
def test_a_span_is_clamped_into_its_text(span: Span, expected: Range) -> None:
    assert TextSource("x", "ab\ncd").locate(span) == expected


def test_a_plain_text_has_no_members() -> None:
    assert TextSource("x", "ab").locate(Pointer(("a", 0))) == Range(1, 1, 1, 1)


@pytest.mark.parametrize("data", [b"a\xc3\xa9\n", b"\xef\xbb\xbfa\xc3\xa9\n"])
def test_utf8_is_read_with_and_without_a_byte_order_mark(data: bytes) -> None:
    assert decode(data, "x") == "aé\n"


@pytest.mark.parametrize(
    ("data", "words", "offset"),
    [
        ("é\n".encode("utf-16"), "UTF-16", 0),
        ("é\n".encode("utf-16-be"), "not UTF-8", 1),
        (b"\xfe\xff\x00a", "UTF-16", 0),
        ("é".encode("utf-32"), "UTF-16 or UTF-32", 0),
        ("ab\n\ncdé".encode("latin-1"), "line 3: byte 0xe9", 6),
        ("éé\n".encode() + b"\xff", "line 2: byte 0xff", 3),
        (b"\xef\xbb\xbfa\xff", "line 1: byte 0xff", 1),
        (b"a\n\0b", "line 2: holds a NUL character", 2),
        (b"\xed\xa0\x80", "line 1: byte 0xed", 0),
        (b"\xc0\x80", "line 1: byte 0xc0", 0),
        (b"abc\xe2\x82", "line 1: byte 0xe2", 3),
    ],
)
def test_any_other_encoding_is_refused_with_its_place(data: bytes, words: str, offset: int) -> None:
    with pytest.raises(EncodingError) as caught:
        decode(data, "x.json")
    assert words in caught.value.message
    assert (caught.value.path, caught.value.offset) == ("x.json", offset)


@given(st.binary(max_size=40))
def test_bytes_are_decoded_or_refused_at_a_place_inside(data: bytes) -> None:
    found: tuple[bytes, bool]
    try:
        found = decode(data, "x").encode(), True
    except EncodingError as error:
        found = data.removeprefix(b"\xef\xbb\xbf"), 0 <= error.offset <= len(decode_loosely(data))
    assert found == (data.removeprefix(b"\xef\xbb\xbf"), True)


def test_a_file_is_read_by_its_path_and_named_as_it_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "a b é.json"
    file.write_bytes(b"\xef\xbb\xbf{}")
    assert read_text(str(file), "shown") == "{}"


def test_what_is_no_readable_file_is_refused_with_the_shown_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "nothing").symlink_to(tmp_path / "gone")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    expected = {
        "fifo": "is not a regular file",
        "folder": "is not a regular file",
        "gone": "no such file",
        "loop": "cannot be read: Too many levels of symbolic links",
        "nothing": "a symbolic link to a file that does not exist",
    }
    found = {}
    for name in expected:
        with pytest.raises(DocumentError) as caught:
            read_bytes(str(tmp_path / name), f"d/{name}")
        assert caught.value.path == f"d/{name}"
        found[name] = caught.value.message
    assert found == expected


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(DocumentError, match="cannot be read"):
        read_bytes("a\0b", "x")


def test_a_file_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.json").write_text("{}")

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(DocumentError, match="cannot be read: Permission denied"):
        read_bytes(str(tmp_path / "x.json"), "x.json")


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.json").write_bytes(b"12345")
    monkeypatch.setattr(source_module, "MAX_BYTES", 4)
    with pytest.raises(DocumentError, match="5 bytes is more than the limit of 4"):
        read_bytes(str(tmp_path / "x.json"), "x.json")


def test_a_document_inside_another_keeps_the_columns_of_the_outer_one() -> None:
    outer = TextSource("d.md", '> ```json\n> {"a":\n>  [1]}\n> ```\n')
    inner = JsonSource("d.md", '{"a":\n [1]}')
    embedded = EmbeddedSource(outer, inner, [outer.text.index("{"), outer.text.index(" [1]")])
    found = embedded.locate(Pointer(("a", 0)))
    assert embedded.path == "d.md"
    assert embedded.line_text(found.line)[found.column - 1 : found.end_column - 1] == "1"
    assert embedded.locate(Pointer((), key=False)) == Range(2, 3, 3, 8)


def test_a_document_inside_another_without_lines_stands_at_the_start() -> None:
    outer = TextSource("d.md", "ab")
    assert EmbeddedSource(outer, JsonSource("d.md", ""), []).locate(Span(0, 0)) == Range(1, 1, 1, 1)


def test_rows_that_stand_in_no_file_are_shown_where_they_belong() -> None:
    base = TextSource("d.md", "one\ntwo\n")
    fixed = FixedSource(base, {("claim_audit_results", 0): Span(4, 7)})
    assert fixed.locate(Pointer(("claim_audit_results", 0, "judgment"))) == Range(2, 1, 2, 4)
    assert fixed.locate(Pointer(("claim_audit_results", 1))) == Range(1, 1, 1, 1)
    assert fixed.locate(Span(0, 3)) == Range(1, 1, 1, 4)
    assert (fixed.path, fixed.line_text(2)) == ("d.md", "two")
