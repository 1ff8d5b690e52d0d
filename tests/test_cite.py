"""The marker rules CITE-1 to CITE-12: when each fires, where, and what it says to write."""

from __future__ import annotations

import pytest

from claimlint.documents.citations import better_slug, count_words
from claimlint.documents.markers import REF
from tests.drafts import codes, draft, problems

GOOD = "<!--ref:okafor2024--><!--anchor:page:4-->"


@pytest.mark.parametrize(
    "markers",
    [
        GOOD,
        "<!--ref:okafor2024 ok--><!--anchor:page:4-->",
        "<!--ref:okafor2024  ok   LOW-WARN --><!--anchor:section:2.1-->",
        "<!--ref:a_b:c-d a+b--> <!--anchor:paragraph:12-14-->",
        "<!--ref:okafor2024-->\n<!--anchor:page:4-->",
        "<!--ref:okafor2024-->\n\n<!--anchor:page:4-->",
        "<!--ref:okafor2024--><!--anchor:quote:p > .05-->",
        "<!--ref:okafor2024--><!--anchor:quote:a:b:c-->",
        "<!--ref:okafor2024--><!--anchor:section:a--b-->",
        "<!--ref:okafor2024--><!--anchor:page:tail--> and more -->",
        f"{GOOD}{GOOD} {GOOD}",
    ],
)
def test_a_ref_with_a_usable_anchor_right_behind_it_is_fine(markers: str) -> None:
    assert codes(f"Queues fell {markers}.\n") == []
    assert all(citation.usable for citation in draft(f"Queues fell {markers}.\n").citations)


@pytest.mark.parametrize(
    ("markers", "expected"),
    [
        ("<!--ref:okafor2024-->", ["CITE-1"]),
        ("<!--ref:okafor2024--><!--ref:lind2023--><!--anchor:page:4-->", ["CITE-1"]),
        ("<!--ref:okafor2024-->text <!--anchor:page:4-->", ["CITE-1", "CITE-8"]),
        ("<!--ref:okafor2024--><!--note--><!--anchor:page:4-->", ["CITE-1", "CITE-8"]),
        ("<!--ref:okafor2024--><!--anchor:section:a > b-->", ["CITE-1"]),
        ("<!--ref:okafor2024--><!--anchor:page:4", ["CITE-1"]),
        ("<!--ref:okafor2024--><!--anchor:table:2-->", ["CITE-2"]),
        ("<!--ref:okafor2024--><!--anchor:Page:%20-->", ["CITE-2"]),
        ("<!--ref:okafor2024--><!--anchor::4-->", ["CITE-2"]),
        ("<!--ref:okafor2024--><!--anchor:page:-->", ["CITE-3"]),
        ("<!--ref:okafor2024--><!--anchor:quote:%09%20-->", ["CITE-3"]),
        ("<!--ref:okafor2024--><!--anchor:page-->", ["CITE-3"]),
        (f"<!--ref:okafor2024--><!--anchor:quote:{'w ' * 26}-->", ["CITE-4"]),
        (f"<!--ref:okafor2024--><!--anchor:quote:{'w%20' * 26}-->", ["CITE-4"]),
        (f"<!--ref:okafor2024--><!--anchor:quote:{'w%20' * 25}-->", []),
        (f"<!--ref:okafor2024--><!--anchor:quote:{'w+' * 40}w-->", []),
        ("<!--ref:okafor2024--><!--anchor:quote:a--b-->", ["CITE-5"]),
        (f"<!--ref:okafor2024--><!--anchor:quote:{'w -- ' * 26}-->", ["CITE-4", "CITE-5"]),
        ("<!--ref:okafor2024--><!--anchor:quote:a --> b-->", ["CITE-6"]),
        ("<!--ref:okafor2024--><!--anchor:quote:a--b --> c-->", ["CITE-6"]),
        ("<!--ref:-->", ["CITE-7"]),
        ("<!-- ref: -->", ["CITE-7"]),
        ("<!--ref:okafor2024 ok A B--><!--anchor:page:4-->", ["CITE-7"]),
        ("<!--ref:okafor2024 ok A B--> \n <!--anchor:table:-->", ["CITE-7"]),
        ("<!--ref:okafor2024 <!--anchor:page:4-->", ["CITE-7"]),
        ("<!--ref:okafor2024", ["CITE-7"]),
        ("<!--ref:müller2020--><!--anchor:page:4-->", ["CITE-7"]),
        ("<!--ref:okafor2024 o.k.--><!--anchor:page:4-->", ["CITE-7"]),
        ("<!--anchor:page:4-->", ["CITE-8"]),
        (f"{GOOD}<!--anchor:page:5-->", ["CITE-8"]),
        ("<!--anchor:table:-->", ["CITE-8"]),
        ("<!--anchor:page-->", []),
        ("<!--anchor:quote:a --> b-->", ["CITE-6", "CITE-8"]),
        ("<!--ref:2301.04567--><!--anchor:page:4-->", ["CITE-9"]),
        ("<!--ref:2019wall ok-->", ["CITE-9"]),
        ("<!--ref:sec.2--><!--anchor:table:-->", ["CITE-9"]),
        ("<!--ref:okafor2024--><!--anchor:none:-->", ["CITE-11"]),
        ("<!--ref:okafor2024--><!--anchor:none:%zz-->", ["CITE-11"]),
        ("<!--ref:okafor2024--><!--anchor:quote:20% of all-->", ["CITE-12"]),
        ("<!--ref:okafor2024--><!--anchor:page:%FF-->", ["CITE-12"]),
        ("<!--ref:okafor2024--><!--anchor:quote:%EF%BF%BD-->", []),
    ],
)
def test_each_fault_is_one_line_for_its_root_cause(markers: str, expected: list[str]) -> None:
    assert sorted(codes(f"Queues fell {markers}.\n")) == expected


@pytest.mark.parametrize(
    ("damaged", "written"),
    [
        ("<!-- ref:okafor2024 -->", "<!--ref:okafor2024-->"),
        ("<!-- ref:okafor2024-->", "<!--ref:okafor2024-->"),
        ("<!--ref: okafor2024-->", "<!--ref:okafor2024-->"),
        ("<!-- ref : okafor2024 ok -->", "<!--ref:okafor2024 ok-->"),
        ("<!-- ref: @okafor2024 -->", "<!--ref:okafor2024-->"),
        ("<!--REF:okafor2024-->", "<!--ref:okafor2024-->"),
        ("<!--Ref:okafor2024 LOW-WARN-->", "<!--ref:okafor2024 LOW-WARN-->"),
        ("<!--ref:okafor2024\n-->", "<!--ref:okafor2024-->"),
        ("<!--\nref:okafor2024\n-->", "<!--ref:okafor2024-->"),
        ("&lt;!--ref:okafor2024--&gt;", "<!--ref:okafor2024-->"),
        ("<--ref:okafor2024-->", "<!--ref:okafor2024-->"),
        ("<!---ref:okafor2024--->", "<!--ref:okafor2024-->"),
        ("<!--ref：okafor2024-->", "<!--ref:okafor2024-->"),
        ("<!--\ufeffref:oka\u200bfor2024-->", "<!--ref:okafor2024-->"),
        ("\\<!--ref:okafor2024-->", "<!--ref:okafor2024-->"),
        ("\\<!--ref:okafor\\_2024--\\>", "<!--ref:okafor_2024-->"),
        ("<!—ref:okafor2024—>", "<!--ref:okafor2024-->"),
        ("<!–ref:okafor2024–>", "<!--ref:okafor2024-->"),
        ("<!-ref:okafor2024->", "<!--ref:okafor2024-->"),
    ],
)
def test_a_damaged_ref_is_shown_as_it_should_be(damaged: str, written: str) -> None:
    text = f"Queues fell {damaged}<!--anchor:page:4-->.\n"
    ((line, column, code, message),) = problems(text)
    assert (line, column, code) == (1, 13, "CITE-10")
    assert message.endswith(f"write {written}")
    (citation,) = draft(text).citations
    assert (citation.slug.lstrip("@"), citation.usable) == (written[8:-3].split()[0], False)


@pytest.mark.parametrize(
    ("damaged", "written"),
    [
        ("<!-- anchor:page:4 -->", "<!--anchor:page:4-->"),
        ("<!--anchor: page:4-->", "<!--anchor:page:4-->"),
        ("<!--ANCHOR:Page:4-->", "<!--anchor:page:4-->"),
        ("<!--anchor:quote:a fifth\nor more-->", "<!--anchor:quote:a fifth or more-->"),
        ("&lt;!--anchor:page:4--&gt;", "<!--anchor:page:4-->"),
        ("<!—anchor:page:4—>", "<!--anchor:page:4-->"),
    ],
)
@pytest.mark.parametrize("ref", ["<!--ref:okafor2024-->", ""])
def test_a_damaged_anchor_is_one_fault_with_or_without_its_ref(ref: str, damaged: str, written: str) -> None:
    ((_, _, code, message),) = problems(f"Queues fell {ref}{damaged}.\n")
    assert (code, message.endswith(f"write {written}")) == ("CITE-10", True)


def test_a_blank_behind_a_kind_is_damage() -> None:
    text = "Queues fell <!--ref:okafor2024--><!--anchor:page :4-->.\n"
    ((_, _, code, message),) = problems(text)
    assert (code, message.endswith("write <!--anchor:page:4-->")) == ("CITE-10", True)


def test_a_pair_damaged_by_a_formatter_is_one_fault() -> None:
    assert codes("Queues fell <!-- ref:okafor2024 --><!-- anchor:page:4 -->.\n") == ["CITE-10"]


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- ref: $analysis -->",
        "<!-- ref: see the paper by Smith -->",
        "<!-- ref: TODO -->",
        "<!-- anchor: top -->",
        "<!-- anchor: the top of: all -->",
        "<!-- reference: okafor2024 -->",
        "<!-- to do: cite okafor2024 -->",
        "<!-- note --> <!---->",
        "&lt;!-- a comment --&gt;",
    ],
)
def test_a_comment_that_nobody_meant_as_a_marker_is_none(comment: str) -> None:
    read = draft(f"Queues fell {comment}.\n")
    assert (read.citations, read.notes) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "```\n<!--ref:okafor2024-->\n```\n",
        "~~~~ markdown\n~~~\n<!--ref:okafor2024-->\n~~~~\n",
        "- a\n\n  ```\n  <!--ref:okafor2024-->\n  ```\n",
        "> ```\n> <!--ref:okafor2024-->\n> ```\n",
        "1.\t```\n\t<!--ref:okafor2024-->\n\t```\n",
        "    <!--ref:okafor2024-->\n",
        "Write `<!--ref:okafor2024-->` there.\n",
        "Write ``a ` <!--ref:okafor2024--> b`` there.\n",
        "<!-- as in\n\n<!--ref:okafor2024 -->\n",
        "---\ntitle: <!--ref:okafor2024-->\n---\n",
        "<pre>\n<!--ref:okafor2024-->\n</pre>\n",
    ],
)
def test_code_and_other_comments_hold_no_markers(text: str) -> None:
    assert (draft(text).citations, codes(text)) == ((), [])


@pytest.mark.parametrize(
    "text",
    [
        "- item\n\n    more text <!--ref:okafor2024-->\n",
        "Text\n    <!--ref:okafor2024-->\n",
        "| a |\n|---|\n| b \\| c <!--ref:okafor2024--> |\n",
        "> quoted <!--ref:okafor2024-->\n",
        "[^1]: A note <!--ref:okafor2024-->\n",
        "# A heading <!--ref:okafor2024-->\n",
        "A `tick and <!--ref:okafor2024-->\n",
        "It cost $5 <!--ref:okafor2024--> and A$ 6.\n",
        "<div>\n<p>Text <!--ref:okafor2024--></p>\n</div>\n",
        "[a]: <!--ref:okafor2024-->\n",
        "::: {.note}\nText <!--ref:okafor2024-->\n:::\n",
    ],
)
def test_every_other_place_holds_markers(text: str) -> None:
    assert codes(text) == ["CITE-1"]


def test_ref_faults_stand_at_the_ref_and_value_faults_at_the_anchor() -> None:
    assert [each[:3] for each in problems("Ab <!--ref:x--><!--anchor:table:2-->.\n")] == [(1, 16, "CITE-2")]
    assert [each[:3] for each in problems("Ab <!--ref:x y z q--><!--anchor:page:2-->.\n")] == [(1, 4, "CITE-7")]


def test_a_value_fault_of_an_anchor_on_a_later_line_stands_at_the_pair() -> None:
    assert [each[:3] for each in problems("Ab <!--ref:x-->\n\n<!--anchor:table:2-->.\n")] == [(1, 4, "CITE-2")]


def test_a_quote_prefix_does_not_part_ref_and_anchor() -> None:
    assert codes("> Queues fell <!--ref:okafor2024-->\n> <!--anchor:page:4-->.\n") == []
    assert codes("| a | b |\n|---|---|\n| x <!--ref:okafor2024--> | <!--anchor:page:4--> |\n") == [
        "CITE-1",
        "CITE-8",
    ]


@pytest.mark.parametrize(
    ("kind", "write"),
    [
        ("table", "page or section"),
        ("Figures", "page or section"),
        ("fig.", "page or section"),
        ("abstract", "<!--anchor:section:Abstract-->"),
        ("QUOTE", "write quote"),
        ("pages", "write page"),
        ("pp", "write page"),
        ("line", "page or paragraph"),
        ("sec", "write section"),
        ("nowhere", "quote, page, section or paragraph"),
        ("", "quote, page, section or paragraph"),
    ],
)
def test_cite_2_says_which_kind_to_use_instead(kind: str, write: str) -> None:
    ((_, _, code, message),) = problems(f"Ab <!--ref:x--><!--anchor:{kind}:2-->.\n")
    assert (code, write in message) == ("CITE-2", True)


@pytest.mark.parametrize(
    ("slug", "better"),
    [
        ("2301.04567", "arxiv-2301-04567"),
        ("2301.04567v2", "arxiv-2301-04567v2"),
        ("2019wall", "ref-2019wall"),
        ("sec.2.1", "sec-2-1"),
        ("10.1000", "ref-10-1000"),
    ],
)
def test_cite_9_shows_a_slug_of_the_right_shape(slug: str, better: str) -> None:
    assert better_slug(slug) == better
    assert REF.match(better) is not None


@pytest.mark.parametrize(
    ("quote", "count"),
    [
        ("one two  three", 3),
        ("well-known fact", 2),
        ("一二三四五", 5),
        ("増加した。 and more", 6),
        ("쓰인 두 단어", 3),
        ("", 0),
    ],
)
def test_quotes_count_words_of_their_script(quote: str, count: int) -> None:
    assert count_words(quote) == count


def test_a_long_quote_in_a_script_without_blanks_is_too_long() -> None:
    assert codes(f"队列<!--ref:x--><!--anchor:quote:{'长' * 26}-->。\n") == ["CITE-4"]
    assert codes(f"队列<!--ref:x--><!--anchor:quote:{'长' * 25}-->。\n") == []


def test_an_arrow_in_the_next_sentence_is_no_tail() -> None:
    assert codes("Ab <!--ref:x--><!--anchor:quote:a b-->. From c --> d it goes.\n") == []


def test_a_tail_ends_at_its_line_and_at_the_next_comment() -> None:
    assert codes("Ab <!--ref:x--><!--anchor:quote:a b--> c\nd --> e.\n") == []
    assert codes(f"Ab <!--ref:x--><!--anchor:quote:a b--> c {GOOD} d --> e.\n") == []


def test_every_citation_is_kept_usable_or_not() -> None:
    text = (
        "A <!--ref:a--><!--anchor:page:1-->. B <!--ref:b-->. C <!-- ref:c --><!--anchor:page:1-->. "
        "D <!--ref:d--><!--anchor:table:1-->. E <!--ref:e--><!--anchor:page:%20-->. "
        "F <!--ref:f--><!--anchor:none:-->. G <!--ref:-->. H <!--ref:h A B C--><!--anchor:page:1-->. "
        f"I <!--ref:1.2--><!--anchor:page:1-->. J <!--ref:j--><!--anchor:quote:{'w ' * 26}-->.\n"
    )
    read = draft(text)
    assert [(each.slug, each.usable) for each in read.citations] == [
        ("a", True),
        ("b", False),
        ("c", False),
        ("d", False),
        ("e", False),
        ("f", False),
        ("", False),
        ("h", False),
        ("1.2", True),
        ("j", True),
    ]


def test_a_citation_holds_its_parts_as_written_and_decoded() -> None:
    text = "A <!--ref:a ok LOW-WARN--><!--anchor:quote:x%20%2D%2D y-->.\n"
    (citation,) = draft(text).citations
    assert text[citation.ref.start : citation.ref.end] == "<!--ref:a ok LOW-WARN-->"
    assert citation.anchor is not None
    assert text[citation.anchor.start : citation.anchor.end] == "<!--anchor:quote:x%20%2D%2D y-->"
    assert (citation.status, citation.kind) == (("ok", "LOW-WARN"), "quote")
    assert (citation.raw_value, citation.value) == ("x%20%2D%2D y", "x -- y")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_message_stands_on_one_line_however_lines_end(ends: str) -> None:
    text = "Queues fell <!--anchor:a\nb:c <!-- x -->.\n".replace("\n", ends)
    assert [note.values["kind"] for note in draft(text).notes] == ["a b"]
