"""Parsing acknowledgement directives."""

from __future__ import annotations

import pytest

from tests.drafts import draft


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("<!-- claimlint: disable=UNCITED-1 -- own count -->", ("disable", ("UNCITED-1",), "own count")),
        ("<!--claimlint:disable=UNCITED-1-->", ("disable", ("UNCITED-1",), "")),
        ("<!-- claimlint: disable = A-1, B-2 C-3 -- why -->", ("disable", ("A-1", "B-2", "C-3"), "why")),
        ("<!-- claimlint: disable=A-1 — why — so -->", ("disable", ("A-1",), "why — so")),
        ("<!-- claimlint: enable=A-1 -->", ("enable", ("A-1",), "")),
        ("<!-- claimlint: enable -->", ("enable", (), "")),
        ("<!-- claimlint: disable-next-line=A-1 -- x\n   y -->", ("disable-next-line", ("A-1",), "x y")),
        ("<!-- claimlint: disable-file=A -- x -->", ("disable-file", ("A",), "x")),
        ("<!-- Claimlint: disable=A -- x -->", ("disable", ("A",), "x")),
        ("<!-- claimlint: disable -- x -->", ("disable", (), "x")),
        ("<!-- claimlint: disable= -- x -->", ("disable", (), "x")),
        ("<!-- claimlint: disable A-1 -- x -->", ("disable A-1", (), "x")),
        ("<!-- claimlint: silence=A-1 -- x -->", ("silence=A-1", (), "x")),
        ("<!-- claimlint: -->", ("", (), "")),
    ],
)
def test_a_directive_is_verb_codes_and_reason(comment: str, expected: tuple[str, tuple[str, ...], str]) -> None:
    for text in (f"{comment}\n", f"A claim. {comment}\n", f"- {comment}\n", f"|a|\n|-|\n| b {comment} |\n"):
        if "\n" in comment and "|" in text:
            continue
        (directive,) = draft(text).directives
        assert (directive.verb, directive.codes, directive.reason) == expected
        assert text[directive.span.start : directive.span.end].startswith("<!--")
        assert text[directive.span.start : directive.span.end].endswith("-->")


@pytest.mark.parametrize(
    "text",
    [
        "```\n<!-- claimlint: disable=A -- x -->\n```\n",
        "`<!-- claimlint: disable=A -- x -->`\n",
        "    <!-- claimlint: disable=A -- x -->\n",
        "---\na: <!-- claimlint: disable=A -- x -->\n---\n",
        "<!-- claimlinter: disable=A -->\n",
        "<!-- see claimlint: disable=A -->\n",
    ],
)
def test_other_places_and_comments_hold_no_directive(text: str) -> None:
    assert draft(text).directives == ()


def test_directives_come_in_the_order_of_the_text() -> None:
    text = "A <!-- claimlint: disable=A -->.\n\n<!-- claimlint: disable=B -->\n\nC <!-- claimlint: enable=A -->.\n"
    assert [each.codes for each in draft(text).directives] == [("A",), ("B",), ("A",)]
