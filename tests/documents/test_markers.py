"""Parsing one comment as a marker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.markers import encode_hyphens, parse_altered, parse_marker, repaired
from claimlint.findings import Span


def test_a_marker_holds_its_parts() -> None:
    marker = parse_marker("<!--anchor:quote:a:b-->", 7)
    assert marker is not None
    assert marker == (Span(7, 30), "anchor", "quote:a:b", "", True, None)


@pytest.mark.parametrize(
    ("comment", "verb", "body", "damaged", "closed"),
    [
        ("<!--ref:x ok-->", "ref", "x ok", False, True),
        ("<!--ref:-->", "ref", "", False, True),
        ("<!--ref: -->", "ref", "", False, True),
        ("<!--ref:x", "ref", "x", False, False),
        ("<!-- ref:x-->", "ref", "x", True, True),
        ("<!--ref :x-->", "ref", "x", True, True),
        ("<!--REF:x-->", "ref", "x", True, True),
        ("<!--ref:x\nok-->", "ref", "x\nok", True, True),
        ("<!--Anchor:page:1-->", "anchor", "page:1", True, True),
        ("<!-- ref:$x -->", "ref", "$x ", True, True),
        ("<!---ref:x--->", "ref", "x", True, True),
        ("<!---anchor:page:1-->", "anchor", "page:1", True, True),
        ("<!--ref：x-->", "ref", "x", True, True),
        ("<!--\u200bref:x-->", "ref", "x", True, True),
        ("<!--re\u00adf:x\ufeff-->", "ref", "x", True, True),
    ],
)
def test_a_comment_is_this_marker(comment: str, verb: str, body: str, damaged: bool, closed: bool) -> None:
    marker = parse_marker(comment, 0)
    assert marker is not None
    assert (marker.verb, marker.body, bool(marker.damage), marker.closed) == (verb, body, damaged, closed)


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- a -->",
        "<!-- ref: $x -->",
        "<!-- ref: a b -->",
        "<!-- Anchor: x -->",
        "<!--ANCHOR:x:y-->",
        "<!--refs:x-->",
        "<!-- - ref:$x -->",
        "<!--\u200b a -->",
    ],
)
def test_a_comment_is_no_marker(comment: str) -> None:
    assert parse_marker(comment, 0) is None


@pytest.mark.parametrize("text", ["&lt;!--ref:$x--&gt;", "&lt;!--ref:x", "<b>", "&lt;!--anchor:x:y--&gt;", ""])
def test_altered_text_is_no_marker(text: str) -> None:
    assert parse_altered(text, 0) is None


@pytest.mark.parametrize(
    ("comment", "written"),
    [
        ("<!-- ref: x  LOW-WARN -->", "<!--ref:x LOW-WARN-->"),
        ("<!-- ref:x A B C -->", None),
        ("<!-- ref:$x -->", None),
        ("<!--ANCHOR:QUOTE: a  b -->", "<!--anchor:quote:a b-->"),
        ("<!-- anchor:none: -->", "<!--anchor:none:-->"),
        ("<!-- anchor:page: -->", None),
        ("<!-- anchor:quote:a -- b -->", None),
        ("<!-- anchor:quote:a- -->", None),
        ("<!-- anchor:quote:a > b -->", "<!--anchor:quote:a > b-->"),
        ("<!-- anchor:section:a > b -->", None),
    ],
)
def test_only_what_is_sure_is_repaired(comment: str, written: str | None) -> None:
    marker = parse_marker(comment, 0)
    assert marker is not None
    assert repaired(marker) == written


@given(st.text(alphabet="<!->refanchor:quotepage x1\n\t&lt;gt—\\$", max_size=30))
def test_what_is_repaired_is_a_marker_without_damage(body: str) -> None:
    for marker in (
        parse_marker(f"<!-- ref:{body}-->", 0),
        parse_marker(f"<!-- anchor:{body}-->", 0),
        parse_altered(f"&lt;!--ref:{body}--&gt;", 0),
        parse_altered(f"<!—anchor:{body}—>", 0),
    ):
        written = None if marker is None else repaired(marker)
        if written is not None:
            again = parse_marker(written, 0)
            assert again is not None
            assert (again.damage, again.closed) == ("", True)


@given(st.text(alphabet="a-%", max_size=12))
def test_encoding_leaves_no_two_hyphens_in_a_row_and_keeps_single_ones(raw: str) -> None:
    made = encode_hyphens(raw)
    assert "--" not in made
    assert made.count("%2D") + made.count("-") == raw.count("-") + raw.count("%2D")
    assert encode_hyphens(made) == made
