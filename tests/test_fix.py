"""``fix``: what it repairs, and that it changes nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.fix import diff, fix
from tests.documents.markdown_texts import markdown_texts
from tests.drafts import codes

REF = "<!--ref:okafor2024-->"
ANCHOR = "<!--anchor:page:4-->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<!-- ref:okafor2024 -->" + ANCHOR, REF + ANCHOR),
        ("<!--REF:okafor2024-->" + ANCHOR, REF + ANCHOR),
        ("<!--ref:okafor2024\n-->" + ANCHOR, REF + ANCHOR),
        ("&lt;!--ref:okafor2024--&gt;" + ANCHOR, REF + ANCHOR),
        ("\\<!--ref:okafor2024-->" + ANCHOR, REF + ANCHOR),
        ("<!—ref:okafor2024—>" + ANCHOR, REF + ANCHOR),
        (REF + "<!-- anchor:Page:4 -->", REF + ANCHOR),
        (REF + "<!--anchor:Page:4-->", REF + ANCHOR),
        (REF + "<!--anchor:page :4-->", REF + ANCHOR),
        (REF + "<!--anchor:QUOTE:a -- b---c-->", REF + "<!--anchor:quote:a %2D%2D b%2D%2D%2Dc-->"),
        ("<!-- ref : okafor2024  ok --> " + ANCHOR, "<!--ref:okafor2024 ok--> " + ANCHOR),
    ],
)
def test_a_damaged_marker_is_repaired(before: str, after: str) -> None:
    made = fix(f"Queues fell {before}.\n")
    assert made.text == f"Queues fell {after}.\n"
    assert len(made.edits) == 1
    assert codes(made.text) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"Queues fell {REF}{ANCHOR}.\n",
        f"Queues fell {REF}.\n",
        f"Queues fell {REF}<!--anchor:table:4-->.\n",
        f"Queues fell {REF}<!--anchor:section:a--b-->.\n",
        f"Queues fell {REF}<!--anchor:quote:well-known-->.\n",
        f"Queues fell {REF}<!--anchor:quote:a --> b-->.\n",
        "Queues fell <!--ref:2301.04567-->.\n",
        "Queues fell <!--ref:okafor2024 ok A B-->.\n",
        "Queues fell <!-- ref: see the paper -->.\n",
        "Queues fell <!-- ref:$x -->.\n",
        "`<!-- ref:okafor2024 -->`\n",
        "```\n<!-- ref:okafor2024 -->\n```\n",
        "    <!-- ref:okafor2024 -->\n",
        "A -- b, \\<em>, &lt;b&gt; and — so on  \n\n\n",
        "&lt;!--anchor:quote:a &amp; b--&gt;\n",
    ],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    made = fix(text)
    assert (made.text, made.edits) == (text, ())


def test_a_marker_split_in_a_quote_loses_the_prefix_inside_it() -> None:
    made = fix("> Queues fell <!--ref:okafor2024\n> ok--><!--anchor:page:4-->.\n")
    assert made.text == "> Queues fell <!--ref:okafor2024 ok--><!--anchor:page:4-->.\n"


def test_line_ends_are_kept() -> None:
    made = fix("Queues fell <!-- ref:a -->.\r\nMore <!--anchor:quote:a\r\nb-->.\r\n")
    assert made.text == "Queues fell <!--ref:a-->.\r\nMore <!--anchor:quote:a b-->.\r\n"


def test_the_diff_shows_the_changed_lines() -> None:
    text = "One.\nTwo <!-- ref:a -->.\n"
    assert list(diff("draft.md", text, fix(text))) == [
        "--- a/draft.md",
        "+++ b/draft.md",
        "@@ -1,3 +1,3 @@",
        " One.",
        "-Two <!-- ref:a -->.",
        "+Two <!--ref:a-->.",
        " ",
    ]
    assert list(diff("draft.md", "One.\n", fix("One.\n"))) == []


@given(markdown_texts())
def test_characters_outside_the_edits_are_equal_and_a_second_run_changes_nothing(text: str) -> None:
    made = fix(text)
    old = new = 0
    for edit in made.edits:
        kept = edit.span.start - old
        assert text[old : edit.span.start] == made.text[new : new + kept]
        new += kept + len(edit.replacement)
        old = edit.span.end
        assert made.text[new - len(edit.replacement) : new] == edit.replacement
    assert text[old:] == made.text[new:]
    assert fix(made.text).edits == ()


@given(st.text())
def test_any_text_can_be_given(text: str) -> None:
    assert fix(text).text == text or fix(text).edits
