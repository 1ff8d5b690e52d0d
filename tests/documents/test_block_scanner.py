"""The block scanner, against markdown-it-py and by its own rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from claimlint.documents.block_scanner import MAX_DEPTH, scan_blocks
from claimlint.documents.blocks import Leaf

_KINDS = {Leaf.CODE: "code_block", Leaf.FENCE: "fence", Leaf.BREAK: "hr", Leaf.TABLE: "table"}


def _library(text: str) -> list[tuple[str, int, int]]:
    """The leaf blocks of a text as markdown-it-py sees them: kind, first line, number of lines of text."""
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.disable(["inline", "text_join"])
    found: list[tuple[str, int, int]] = []
    table = False
    for token in parser.parse(text):
        first, last = token.map or (0, 0)
        if token.type == "table_open":
            table = True
            found.append(("table", first, 0))
        elif token.type == "table_close":
            table = False
        elif not table and token.type == "inline":
            found.append(("text", first, last - first))
        elif not table and token.type in ("fence", "code_block", "hr"):
            found.append((token.type, first, 0))
    return found


def _ours(text: str) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for block in scan_blocks(text).blocks:
        kind = _KINDS.get(block.leaf, "text")
        found.append((kind, text.count("\n", 0, block.start), len(block.lines) if kind == "text" else 0))
    return found


def kinds(text: str) -> list[tuple[str, str]]:
    """The leaf and the container of every block."""
    return [(block.leaf.value, block.container) for block in scan_blocks(text).blocks]


# The library takes an indented line behind a quote or list for part of it, or drops it; and it knows no ruled
# tables. Lines are therefore indented by less than code is, and `--` is always longer.
_STARTS = ["> ", "- ", "* ", "+ ", "1. ", "2) ", "10. ", "# ", "## ", "", "", "", " ", "  "]
_RESTS = ["text", "text more", "```", "~~~", "---", "***", "===", "#", "|a|b|", "a|b", "`code`", "5", ""]
_LINES = st.lists(
    st.tuples(st.lists(st.sampled_from(_STARTS), max_size=2).map("".join), st.sampled_from(_RESTS)).map("".join),
    max_size=6,
)


@given(_LINES)
def test_blocks_are_those_of_the_reference_library(lines: list[str]) -> None:
    text = "First.\n\n" + "\n".join(lines) + "\n"
    assert _ours(text) == _library(text)


@given(st.lists(st.sampled_from(["|-|-|", "|a|b|", "|c|d|", "text", "", "> x", "# h", "- i"]), max_size=7))
def test_tables_are_those_of_the_reference_library(lines: list[str]) -> None:
    text = "First.\n\n" + "\n".join(lines) + "\n"
    assert _ours(text) == _library(text)


@given(
    st.lists(
        st.sampled_from(["    code", "\tcode", "text", "", "- i", "  more", "      more", "1. n"]), max_size=7
    )
)
def test_indented_code_is_that_of_the_reference_library(lines: list[str]) -> None:
    text = "First.\n\n" + "\n".join(lines) + "\n"
    assert _ours(text) == _library(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc\n", [("text", "paragraph"), ("text", "paragraph")]),
        ("> a\nlazy\n", [("text", "quote")]),
        ("- a\n\n  b\n- c\n", [("text", "list")] * 3),
        ("- > a\n", [("text", "quote")]),
        ("> - a\n", [("text", "list")]),
        ("[^1]: a\n\n    b\n\nc\n", [("text", "footnote"), ("text", "footnote"), ("text", "paragraph")]),
        ("Term\n:   A meaning\n", [("text", "paragraph"), ("text", "list")]),
        ("a\n\n    b\n", [("text", "paragraph"), ("code", "paragraph")]),
        ("```r\nx\n```\ny\n", [("fence", "paragraph"), ("text", "paragraph")]),
        ("a\n```\nx\n", [("text", "paragraph"), ("fence", "paragraph")]),
        ("# a\n## b\nc\n---\n", [("heading", "paragraph")] * 3),
        ("a|b\n-|-\n1|2\n\nc\n", [("table", "paragraph"), ("text", "paragraph")]),
        ("x\na|b\n-|-\n", [("text", "paragraph"), ("table", "paragraph")]),
        ("+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n", [("table", "paragraph")]),
        ("  a     b\n----  ----\n  1     2\n", [("table", "paragraph")]),
        ("----  ----\n  1     2\n", [("table", "paragraph")]),
        ("a|b\n-|-\n1|2\n: A caption\n", [("table", "paragraph"), ("text", "paragraph")]),
        ("-\n\n  a\n", [("text", "paragraph")]),
        ("-\n  > a\n\n  b\n", [("text", "quote"), ("text", "list")]),
        ("<!-- a -->\n\nb\n", [("comment", "paragraph"), ("text", "paragraph")]),
        ("a\n<!-- b -->\nc\n", [("text", "paragraph")]),
        ("a\n<!-- b\nc -->\nd\n", [("text", "paragraph"), ("comment", "paragraph"), ("text", "paragraph")]),
        ("<!-- a --> b\n", [("text", "paragraph")]),
        ("<!-- a\nb --> c\n", [("comment", "paragraph"), ("text", "paragraph")]),
        ("<!--ref:x-->\n", [("text", "paragraph")]),
        ("a\n<!-- REF: x\n-->\nb\n", [("text", "paragraph")]),
        ("::: {.note}\na\n:::\n", [("div", "paragraph"), ("text", "paragraph"), ("div", "paragraph")]),
        ("a\n$$\n- x\n= y\n$$\nb\n", [("text", "paragraph")]),
        ("$$\n# x\n\nb\n", [("text", "paragraph"), ("text", "paragraph")]),
        ("\\begin{align}\n- x\n\\end{align}\n- y\n", [("text", "paragraph"), ("text", "list")]),
        ("\\begin{itemize}\n- x\n", [("text", "paragraph"), ("text", "list")]),
        ("a\n<div>\nb\n", [("text", "paragraph"), ("text", "paragraph")]),
        ("<script>\n\na\n</SCRIPT>\nb\n", [("raw", "paragraph"), ("text", "paragraph")]),
        ("---\na: b\n---\nc\n", [("front matter", "paragraph"), ("text", "paragraph")]),
        ("---\na: b\n...\nc\n", [("front matter", "paragraph"), ("text", "paragraph")]),
        ("+++\na = 1\n+++\nc\n", [("front matter", "paragraph"), ("text", "paragraph")]),
        ("---\n\na\n\n---\n", [("break", "paragraph"), ("text", "paragraph"), ("break", "paragraph")]),
        ("---\na: b\n", [("break", "paragraph"), ("text", "paragraph")]),
        ("", []),
        ("\n \n\t\n", []),
    ],
)
def test_a_text_has_these_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected
    assert kinds(text.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("> a\n>  b\n", ["a", "b"]),
        ("-\ta\n\tb\n", ["a", "b"]),
        ("  1. a\n     b\n", ["a", "b"]),
        ("> ```\n>   x\n> ```\n", ["```", "  x"]),
        ("  ```\n    x\n  ```\n", ["```", "  x"]),
        ("\tx\n\t\ty\n", ["x", "\ty"]),
        ("# a b # \n", ["a b"]),
        ("## \n", [""]),
        ("-     x\n", ["x"]),
    ],
)
def test_lines_hold_the_content_behind_the_prefixes(text: str, lines: list[str]) -> None:
    (block,) = scan_blocks(text).blocks
    assert [text[start:end] for start, end in block.lines] == lines


def test_what_is_nested_too_deep_is_text() -> None:
    (block,) = scan_blocks("> " * (MAX_DEPTH + 5) + "x\n").blocks
    assert (block.leaf, block.lines) == (Leaf.TEXT, [(2 * MAX_DEPTH, 2 * MAX_DEPTH + 11)])


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```\nx\n", False),
        ("```\nx\n```", True),
        ("````\nx\n```\n", False),
        ("```\nx\n~~~\n", False),
        ("```\nx\n``` y\n", False),
        ("- ```\n  x\n", False),
        ("> ```\n> x\n> ```\n", True),
        ("<!-- a\n\n\nb\n", False),
        ("<!-- a\n\n\nb -->", True),
        ("> <!-- a\n", False),
        ("<pre>\nx\n", False),
        ("<pre>x</pre>\n", True),
    ],
)
def test_a_block_knows_whether_it_was_closed(text: str, closed: bool) -> None:
    assert [block.closed for block in scan_blocks(text).blocks] == [closed]


def test_a_footnote_has_the_span_of_its_text() -> None:
    text = "[^a]: One\n    two.\n\n    Three.\n\nFour.\n\n[^a]: again\n"
    start, end = scan_blocks(text).footnotes["a"]
    assert text[start:end] == "One\n    two.\n\n    Three."
