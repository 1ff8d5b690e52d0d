"""Reading Markdown: passages with their kind and section, headings, comments, notes."""

from __future__ import annotations

import pytest

from claimlint.documents.inline import scan_inline
from claimlint.documents.markdown import Markdown, plain_heading, read_markdown
from claimlint.documents.source import TextSource
from tests.drafts import codes, draft, problems


def read(text: str) -> Markdown:
    """What stands in a text."""
    return read_markdown(TextSource("draft.md", text))


def passages(text: str) -> list[tuple[str, str]]:
    """Kind and visible text of every passage that has some, blanks made one."""
    return [(each.kind, " ".join(each.visible.split())) for each in read(text).passages if each.visible.strip()]


def test_a_section_path_joins_the_headings_above() -> None:
    text = "a\n\n# One\n\nb\n\n### Deep\n\nc\n\n## Two\n\nd\n\nThree\n=====\n\ne\n"
    assert [(each.content, each.section_path) for each in read(text).passages if each.kind == "paragraph"] == [
        ("a", "(no section)"),
        ("b", "One"),
        ("c", "One > Deep"),
        ("d", "One > Two"),
        ("e", "Three"),
    ]


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("1. Background", "1. Background"),
        ("Methods {#sec:methods .x}", "Methods"),
        ("*Verde* and `code`", "Verde and code"),
        ("A [link](https://a.b/c) here", "A link here"),
        ("Text <!--ref:x--><!--anchor:page:1--> more", "Text more"),
        ("snake_case and 5 * 3", "snake_case and 5 * 3"),
        ("Cats \\& dogs", "Cats & dogs"),
        ("__Bold__ **too**", "Bold too"),
    ],
)
def test_a_heading_is_its_text_without_markup(heading: str, title: str) -> None:
    assert plain_heading(heading, scan_inline(heading)) == title
    (made,) = draft(f"## {heading}\n").headings
    assert (made.level, made.text) == (2, title)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\nb\n", [("paragraph", "A b")]),
        ("> A\n> b\n", [("quote", "A b")]),
        ("- A\n- b\n", [("list", "A"), ("list", "b")]),
        ("[^1]: A\n", [("footnote", "A")]),
        ("# A\n", [("heading", "A")]),
        ("| a | b |\n|---|:-:|\n| c \\| d | e |\n", [("table", each) for each in ("a", "b", "c \\| d", "e")]),
        ("a | b\n--|--\nc\n", [("table", "a"), ("table", "b"), ("table", "c")]),
        ("| a |\n|---|\n| <!--x|y--> b |\n", [("table", "a"), ("table", "b")]),
        ("![A caption.](a.png){#fig:a width=50%}\n", [("caption", "A caption.")]),
        ("![A [link](b) `c`.](a.png)\n", [("caption", "A [link] .")]),
        ("![](a.png)\n", [("paragraph", "![]")]),
        ("![A](a.png) and more.\n", [("paragraph", "![A] and more.")]),
        ("Table: A caption\n", [("caption", "Table: A caption")]),
        ("a | b\n--|--\n\n: A caption\n", [("table", "a"), ("table", "b"), ("caption", ": A caption")]),
        ("**Figure 2.** What it shows.\n", [("caption", "**Figure 2.** What it shows.")]),
        ("Table S1: What it shows.\n", [("caption", "Table S1: What it shows.")]),
        ("表1 结果\n", [("caption", "表1 结果")]),
        ("Figure 2 shows a rise.\n", [("paragraph", "Figure 2 shows a rise.")]),
        ("Table 2.1 shows a rise.\n", [("paragraph", "Table 2.1 shows a rise.")]),
        ("<table>\n<tr><td>A</td></tr>\n</table>\n", [("table", "A")]),
        ("<div>\nA\n</div>\n", [("paragraph", "A")]),
        ("[a]: https://b.c\n[d]: e 'f'\n", [("reference", "[a]: [d]: e 'f'")]),
        ("[a]: https://b.c\nText.\n", [("paragraph", "Text.")]),
        ("[1] Smith, J. (2020). A title.\n", [("reference", "[1] Smith, J. (2020). A title.")]),
        ("[1] is a good source.\n", [("paragraph", "[1] is a good source.")]),
        ("[@a] said so.\n", [("paragraph", "[@a] said so.")]),
    ],
)
def test_a_text_has_these_passages(text: str, expected: list[tuple[str, str]]) -> None:
    assert passages(text) == expected
    assert passages(text.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize(
    "heading",
    ["References", "7. References", "VII Bibliography:", "参考文献", "Literaturverzeichnis", "Список литературы"],
)
def test_a_reference_list_is_no_prose(heading: str) -> None:
    text = f"# A\n\nb\n\n## {heading}\n\nSmith 2020.\n\n### Online\n\n- Lee 2021.\n\n## C\n\nd\n"
    assert [kind for kind, _ in passages(text) if kind != "heading"] == [
        "paragraph",
        "reference",
        "reference",
        "paragraph",
    ]


def test_a_refs_div_is_no_prose() -> None:
    text = "a\n\n::: {#refs}\n\nSmith 2020.\n\n::: {.x}\nLee.\n:::\n\n:::\n\nb\n"
    assert [kind for kind, _ in passages(text)] == ["paragraph", "reference", "reference", "paragraph"]


@pytest.mark.parametrize(
    ("content", "visible"),
    [
        ("a `b` c", "a     c"),
        ("a ``b ` c`` d", "a           d"),
        ("a `b c", "a `b c"),
        ("a $x_1$ b", "a       b"),
        ("$5 and $6", "$5 and $6"),
        ("a $$x\ny$$ b", "a    \n    b"),
        ("a \\(x\\) b", "a       b"),
        ("a \\[x\\] b", "a       b"),
        ("a \\$x$ b", "a \\$x$ b"),
        ("a <b>c</b> d", "a    c     d"),
        ("a < b and c > d", "a < b and c > d"),
        ("a <https://x.y> b", "a               b"),
        ("a https://x.y/z(1). B", "a                 . B"),
        ("(see https://x.y/z).", "(see              )."),
        ("doi 10.1000/182, b", "doi            , b"),
        ("arXiv:2301.04567.", "                ."),
        ('[a](b "c"){.d} e', "[a]            e"),
        ("[a][b] [c][@d]", "[a]    [c][@d]"),
        ("a ![b](c){#d}", "a ![b]       "),
        ("a[^1] b", "a     b"),
        ("a {{< fig 1 >}} b", "a               b"),
        ("`r x`{=html} b", "             b"),
        ("a <!-- 1 --> b", "a            b"),
        ("a <!-- 1\n2 --> b", "a       \n      b"),
        ("a <!--> b <!---> c", "a       b        c"),
        ("\\begin{equation}\nx\n\\end{equation} b", "                \n \n               b"),
        ("a \\`b` c", "a \\`b` c"),
    ],
)
def test_code_math_comments_addresses_and_targets_are_no_prose(content: str, visible: str) -> None:
    (passage,) = read(f"{content}\n").passages
    assert passage.visible == visible


def test_a_formula_never_hides_a_marker() -> None:
    assert codes("It cost ($5 <!--ref:x-->, or A$).\n") == ["CITE-1"]
    assert codes("So \\(x <!--ref:x--> \\) is.\n") == ["CITE-1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\n```python\nx\ny\n", (3, 1, "MD-1", "lines 3 to 5 were not checked")),
        ("```", (1, 1, "MD-1", "line 1 was not checked")),
        ("a\n\n- ~~~~\n  x\n\nb\n", (3, 3, "MD-1", "lines 3 to 5 were not checked")),
        ("a\n\n<!-- b\n\nc\n", (3, 1, "MD-2", "lines 3 to 5 were not checked")),
        ("a <!-- b\nc\n\nd\n", (1, 3, "MD-2", "lines 1 to 2 were not checked")),
        ("> <!-- b\n\nc\n", (1, 3, "MD-2", "line 1 was not checked")),
        ("<PRE>\nx\n", (1, 1, "MD-3", "lines 1 to 2 were not checked")),
        ("---\na: b: c\n---\n", (1, 1, "MD-4", "the front matter cannot be read (line 2:")),
    ],
)
def test_what_was_not_checked_is_said_once(text: str, expected: tuple[int, int, str, str]) -> None:
    for form in (text, text.replace("\n", "\r\n")):
        ((line, column, code, message),) = problems(form)
        assert (line, column, code) == expected[:3]
        assert expected[3] in message


def test_text_behind_an_unclosed_comment_in_another_block_is_checked() -> None:
    assert codes("a <!-- b\n\nc <!--ref:x-->.\n") == ["MD-2", "CITE-1"]
