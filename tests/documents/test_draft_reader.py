"""Reading a draft: sentences with their claim texts and owners, prose, footnotes, and what holds for any text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.draft import NO_SENTENCE, Draft
from claimlint.documents.draft_reader import read_draft
from claimlint.documents.source import TextSource
from claimlint.findings import Span
from tests.documents.markdown_texts import markdown_texts
from tests.drafts import draft, owners, texts

M = "<!--ref:x--><!--anchor:page:1-->"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Queues fell {M}.\n", ["Queues fell."]),
        (f"Queues fell.{M}\n", ["Queues fell."]),
        (f"Queues\nfell   by {M} half , or so {M} ; yes !\n", ["Queues fell by half, or so; yes!"]),
        (f"Queues{M} fell\xa0by half.\n", ["Queues fell by half."]),
        ("Queues <!-- to do --> fell.\n", ["Queues fell."]),
        ("Queues fell &lt;!--ref:x--&gt;.\n", ["Queues fell."]),
        ("Queues fell <!--ref:x--><!--anchor:quote:tail--> and more -->-->.\n", ["Queues fell."]),
        ("> Queues\n> fell.\n", ["Queues fell."]),
        ("- Queues\n  fell.\n", ["Queues fell."]),
        (f"队列减少了{M}。它们变短了。\n", ["队列减少了。", "它们变短了。"]),
        ("Queues fell *by half* (`x`).\n", ["Queues fell *by half* (`x`)."]),
        ("It was p < .05. So.\n", ["It was p <.05.", "So."]),
    ],
)
def test_a_claim_text_is_its_sentence_without_markers(text: str, expected: list[str]) -> None:
    assert texts(text) == expected
    assert texts(text.replace("\n", "\r\n")) == expected


def test_raw_keeps_the_markers_and_blanks_the_prefixes() -> None:
    (sentence,) = draft(f"> Queues\n> fell {M}.\n").sentences
    assert sentence.raw == f"Queues   fell {M}."
    assert sentence.span == Span(2, 2 + len(sentence.raw))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A <!--ref:a--> b <!--ref:b-->. C.<!--ref:c-->\n", [("a", "A b."), ("b", "A b."), ("c", "C.")]),
        ("# H <!--ref:a-->\n", [("a", "H")]),
        ("| A | B <!--ref:a--> |\n|---|---|\n| C | <!--ref:b--> |\n", [("a", "B"), ("b", "C")]),
        ("A claim.\n\n<!--ref:a--><!--anchor:page:1-->\n", [("a", "A claim.")]),
        ("A claim <!--ref:a-->\n\n<!--anchor:page:1-->.\n", [("a", "A claim")]),
        ("- A claim.\n- <!--ref:a-->\n", [("a", "A claim.")]),
        ("# H\n\n<!--ref:a-->\n", [("a", NO_SENTENCE)]),
        ("<!--ref:a--> A claim.\n", [("a", "A claim.")]),
        ("| <!--ref:a--> |\n|---|\n| <!--ref:b--> |\n", [("a", NO_SENTENCE), ("b", NO_SENTENCE)]),
        ("A note^[So. It is <!--ref:a-->.] here. B.\n", [("a", "A note^[So. It is.] here.")]),
        ("Text[^1].\n\n[^1]: Note <!--ref:a-->.\n", [("a", "Note.")]),
        ("![Cap<!--ref:a-->](x.png)\n", [("a", "Cap")]),
        ("# References\n\nSmith <!--ref:a-->.\n", [("a", "Smith.")]),
    ],
)
def test_each_citation_has_one_owner(text: str, expected: list[tuple[str, str]]) -> None:
    assert owners(text) == expected


def test_a_sentence_knows_kind_section_and_block() -> None:
    text = "# One\n\nAb. Bc.\n\n- C.\n\n> D.\n\n[^1]: E.\n\n|F|\n|-|\n\nTable: G.\n\n## References\n\nH.\n"
    assert [(each.text, each.kind, each.section_path) for each in draft(text).sentences] == [
        ("One", "heading", "One"),
        ("Ab.", "paragraph", "One"),
        ("Bc.", "paragraph", "One"),
        ("C.", "list", "One"),
        ("D.", "quote", "One"),
        ("E.", "footnote", "One"),
        ("F", "table", "One"),
        ("Table: G.", "caption", "One"),
        ("References", "heading", "One > References"),
        ("H.", "reference", "One > References"),
    ]
    blocks = [each.block for each in draft(text).sentences]
    assert blocks[1] == blocks[2]
    assert len(set(blocks)) == len(blocks) - 1


def test_prose_is_the_text_with_everything_else_blanked() -> None:
    text = (
        "---\na: 1\n---\n# H\n\nA `1` $2$ b.\n\n- c [d](e 'f') {.g}\n\n"
        "|2|\n|-|\n\n```\n3\n```\n\n> x <!-- 4 --> y\n"
    )
    prose = draft(text).prose
    assert [line.rstrip() for line in prose.split("\n")] == [
        *("", "", "", "", "", "A         b.", "", "  c [d]        {.g}", "", "", "", "", "", "", "", ""),
        *("  x            y", ""),
    ]
    assert len(prose) == len(text)


def test_footnotes_have_the_spans_of_their_text() -> None:
    text = "A[^1].\n\n[^1]: One <!--ref:a-->.\n\n    Two.\n\nB.\n"
    read = draft(text)
    span = read.footnotes["1"]
    assert text[span.start : span.end] == "One <!--ref:a-->.\n\n    Two."


def test_front_matter_is_an_object() -> None:
    assert draft("---\ntitle: A\ndate: 2026-01-01\n---\n\nB.\n").front_matter == {
        "title": "A",
        "date": "2026-01-01",
    }
    assert draft("---\n- a\n---\n").front_matter == {}
    assert draft("+++\na = 1\n+++\n").front_matter == {"a": 1}
    assert draft("A.\n").front_matter == {}


def test_a_quarto_file_is_read() -> None:
    text = (
        '---\ntitle: "A"\n---\n\n::: {.callout-note}\nA note <!--ref:a-->.\n:::\n\n```{r}\n'
        "#| label: <!--ref:no-->\nx <- 1\n```\n\nIt was `r x`{=html} [small]{.smallcaps}. {{< fig 1 >}}\n"
    )
    read = draft(text)
    assert [each.slug for each in read.citations] == ["a"]
    assert texts(text, "paragraph")[0] == "A note."


# -- any text ----------------------------------------------------------------------------------------------------


def _spans(read: Draft) -> list[Span]:
    return [
        *(each.span for each in read.headings),
        *(each.span for each in read.directives),
        *(each.ref for each in read.citations),
        *(each.anchor for each in read.citations if each.anchor is not None),
        *read.footnotes.values(),
        *(each.place for each in read.notes if isinstance(each.place, Span)),
    ]


def _placed(read: Draft) -> list[object]:
    """Manifests and notes as values: their sources are made anew with every reading."""
    rows = [row for file in read.manifests for found in file.rows.values() for row in found]
    notes = [*read.notes, *(note for file in read.manifests for note in file.notes)]
    return [
        *((row.data, row.tokens, row.source.locate(row.pointer())) for row in rows),
        *((note.kind, note.source.locate(note.place), note.values) for note in notes),
    ]


def _check(text: str) -> None:
    source = TextSource("draft.md", text)
    read = read_draft(source)
    again = read_draft(source)
    assert replace(again, manifests=(), notes=()) == replace(read, manifests=(), notes=())
    assert _placed(again) == _placed(read)
    assert len(read.prose) == len(text)
    assert all(a in (b, " ") for a, b in zip(read.prose, text, strict=True))
    at = 0
    for sentence in read.sentences:
        assert at <= sentence.span.start < sentence.span.end <= len(text)
        at = sentence.span.end
    at = 0
    for citation in read.citations:
        assert at <= citation.ref.start < citation.ref.end <= len(text)
        at = citation.ref.end if citation.anchor is None else citation.anchor.end
    assert all(0 <= span.start <= span.end <= len(text) for span in _spans(read))
    owned = [number for sentence in read.sentences for number in sentence.citations]
    assert owned == list(range(len(read.citations)))


@given(markdown_texts())
def test_spans_are_inside_the_text_ordered_and_disjoint_and_reading_twice_is_equal(text: str) -> None:
    _check(text)


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    _check(text)


def _places(text: str) -> list[object]:
    source = TextSource("draft.md", text)
    read = read_draft(source)
    where = source.span_range
    return [
        [(where(each.span), each.text, each.section_path, each.kind, each.block) for each in read.sentences],
        [(where(each.ref), each.anchor and where(each.anchor), each.slug, each.usable) for each in read.citations],
        [(where(each.span), each.level, each.text) for each in read.headings],
        [(where(each.span), each.verb, each.codes, each.reason) for each in read.directives],
        [(label, where(span)) for label, span in read.footnotes.items()],
        [(source.locate(each.place), each.kind, dict(each.values)) for each in read.notes],
        [{name: len(rows) for name, rows in each.rows.items()} for each in read.manifests],
        dict(read.front_matter),
    ]


@given(markdown_texts())
def test_line_ends_change_no_line_and_no_column(text: str) -> None:
    plain = text.replace("\r", "")
    assert _places(plain) == _places(plain.replace("\n", "\r\n"))
