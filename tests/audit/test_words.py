"""Text helpers of the audit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.words import MAX_TEXT, cut, normal, scrub, tagged, well_formed


def test_tags_survive_the_cut() -> None:
    made = tagged("x" * 5000, "[anchor_unlocated]", None, "[pdf_read_integrity_unverified]")
    assert len(made) == MAX_TEXT
    assert made.endswith("x [anchor_unlocated] [pdf_read_integrity_unverified]")


def test_a_rationale_without_tags_is_only_cut() -> None:
    assert tagged("x" * 5000, None) == "x" * MAX_TEXT


def test_terminal_escapes_and_line_breaks_are_taken_out() -> None:
    assert scrub("a\x1b[31mred\x07\r\nb\u2028c\ud800d\x9be") == "a [31mred b c d e"


def test_lone_surrogates_are_replaced_and_nothing_else() -> None:
    assert well_formed("a\ud800b\U0001f600c") == "a\ufffdb\U0001f600c"


@given(st.text())
def test_a_well_formed_text_can_be_written(text: str) -> None:
    well_formed(text).encode("utf-8")


@given(st.text())
def test_the_compared_form_is_stable(text: str) -> None:
    assert normal(normal(text)) == normal(text)
    assert len(normal(text)) <= MAX_TEXT
    assert cut(text) == text[:MAX_TEXT]
