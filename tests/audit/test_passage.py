"""Which part of a source an anchor names."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.pages import find_pages, split_pages
from claimlint.audit.passage import CONTEXT, LIMIT, find_paragraphs, find_quote, locate, paragraphs, surroundings
from claimlint.audit.sections import find_section, headings
from claimlint.audit.types import ANCHOR_UNLOCATED, QUOTE_UNLOCATED, Passage
from claimlint.findings import Span

PAGES = "one\ftwo\fthree\ffour"
JOURNAL = "".join(f"J. of Rural Eng. 12 (2019) {340 + page}\nBody {page} of 2020.\nmore\f" for page in range(10))

PAPER = """Cooling stores

Abstract
We did it.

1 Introduction
Text here.
1) First point
2) Second point

2 Methods
2.1 Participants
There were 3 people.
2.2 Analysis
We counted.
12 Journal of X
3 Results
It went well.
4 Journal of X
6 Journal of X
Appendix A Tables
Numbers.
References
[1] A. Foo
"""

MARKDOWN = """---
title: Cooling
---

# Cooling stores

First paragraph.

## 2. Methods and materials

Second paragraph,
on two lines.

```
# no heading
```

Results
-------

Third paragraph.

### Costs

Fourth paragraph.
"""


def found(text: str, value: str, labels: tuple[str, ...] = ()) -> list[str]:
    return [text[span.start : span.end] for span in find_pages(text, value, labels).spans]


def section(text: str, value: str) -> str | None:
    span = find_section(text, value)
    return None if span is None else text[span.start : span.end]


# --- pages


def test_form_feeds_part_pages_and_one_at_the_end_opens_none() -> None:
    for text in ("a\fb", "a\fb\f", "a\fb\f\n"):
        assert [text[page.start : page.end] for page in split_pages(text)] == ["a", "b"]


def test_a_text_without_form_feeds_has_no_pages() -> None:
    assert split_pages("only text") == ()
    assert find_pages("only text", "1").count == 0


def test_a_pdf_of_one_page_has_one() -> None:
    assert found("only page\f", "1") == ["only page"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3", ["three"]),
        ("p. 3", ["three"]),
        ("page 3", ["three"]),
        ("S. 3", ["three"]),
        ("第3页", ["three"]),
        ("３", ["three"]),
        ("2-3", ["two", "three"]),
        ("pp. 2–4", ["two", "three", "four"]),
        ("2 to 3", ["two", "three"]),
        ("p. 2 - p. 3", ["two", "three"]),
        ("1, 4", ["one", "four"]),
        ("4 and 1", ["one", "four"]),
        ("2f", ["two", "three"]),
        ("2ff.", ["two", "three", "four"]),
        ("4ff", ["four"]),
    ],
)
def test_a_page_value_names_pages(value: str, expected: list[str]) -> None:
    assert found(PAGES, value) == expected


@pytest.mark.parametrize("value", ["5", "0", "-1", "3-5", "3-2", "iv", "", " ", "abstract", "1, 9", "9" * 40])
def test_pages_that_are_not_there_are_not_found(value: str) -> None:
    hit = find_pages(PAGES, value)
    assert hit.spans == ()
    assert hit.count == 4
    assert hit.missing != () or value == ""


def test_page_labels_come_before_positions() -> None:
    labels = ("i", "ii", "1", "2")
    assert found(PAGES, "ii", labels) == ["two"]
    assert found(PAGES, "1", labels) == ["three"]
    assert found(PAGES, "i-1", labels) == ["one", "two", "three"]
    assert found(PAGES, "4", labels) == ["four"]


def test_a_label_of_two_pages_names_neither() -> None:
    assert found(PAGES, "A", ("A", "A", "B", "C")) == []


def test_printed_page_numbers_name_pages_beyond_the_count() -> None:
    assert found(JOURNAL, "345") == ["J. of Rural Eng. 12 (2019) 345\nBody 5 of 2020.\nmore"]
    assert len(found(JOURNAL, "345-7")) == 3
    assert found(JOURNAL, "361") == []
    assert found(JOURNAL, "2019") == []


# --- sections


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2", "2 Methods", "12 Journal of X"),
        ("§ 2", "2 Methods", "12 Journal of X"),
        ("Section 2.1", "2.1 Participants", "There were 3 people."),
        ("2.", "2 Methods", "12 Journal of X"),
        ("2. Methods", "2 Methods", "12 Journal of X"),
        ("methods", "2 Methods", "12 Journal of X"),
        ("Analysis", "2.2 Analysis", "12 Journal of X"),
        ("Methods > Analysis", "2.2 Analysis", "12 Journal of X"),
        ("Abstract", "Abstract", "We did it."),
        ("Results", "3 Results", "6 Journal of X"),
        ("Appendix A", "Appendix A Tables", "Numbers."),
        ("references", "References", "[1] A. Foo"),
    ],
)
def test_a_section_runs_to_the_next_heading_of_its_level(value: str, first: str, last: str) -> None:
    text = section(PAPER, value)
    assert text is not None
    assert (text.split("\n")[0], text.strip().split("\n")[-1]) == (first, last)


@pytest.mark.parametrize("value", ["4", "12", "7.1", "Journal of X", "First point", "", "Results > Participants"])
def test_running_heads_and_list_items_are_no_sections(value: str) -> None:
    assert section(PAPER, value) is None


@pytest.mark.parametrize(
    ("value", "first"),
    [
        ("2", "## 2. Methods and materials"),
        ("Methods", "## 2. Methods and materials"),
        ("Methods and Materials", "## 2. Methods and materials"),
        ("Results", "Results"),
        ("Cooling stores", "# Cooling stores"),
        ("Cooling stores > Results > Costs", "### Costs"),
    ],
)
def test_markdown_headings_are_sections(value: str, first: str) -> None:
    text = section(MARKDOWN, value)
    assert text is not None
    assert text.split("\n")[0] == first


def test_a_deeper_heading_stays_in_its_section() -> None:
    text = section(MARKDOWN, "Results")
    assert text is not None
    assert "Fourth paragraph." in text


def test_front_matter_and_fenced_code_hold_no_headings() -> None:
    assert [heading.title for heading in headings(MARKDOWN)] == [
        "cooling stores",
        "methods and materials",
        "results",
        "costs",
    ]


def test_a_table_of_contents_does_not_hide_the_section() -> None:
    contents = "Contents\n1 Introduction . . . . . 1\n2 Methods 4\n3 Results 9\n\n"
    body = "1 Introduction\nWe begin.\n2 Methods\nWe measured for a long time.\n3 Results\nIt fell.\n"
    text = section(contents + body, "2")
    assert text is not None
    assert "We measured for a long time." in text


def test_a_word_of_two_titles_names_no_section() -> None:
    text = "# A\n\n## Data of towns\n\nx\n\n## Data of cities\n\ny\n"
    assert section(text, "Data") is None
    assert section(text, "towns") == "## Data of towns\n\nx\n\n"


# --- paragraphs


def test_paragraphs_are_counted_from_one_without_headings_and_front_matter() -> None:
    expected = ["First paragraph.", "Second paragraph,\non two lines.", "```\n# no heading\n```"]
    assert [MARKDOWN[span.start : span.end] for span in paragraphs(MARKDOWN)][:3] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", "First paragraph."),
        ("¶ 2", "Second paragraph,\non two lines."),
        ("para. 1-2", "First paragraph.\n\n## 2. Methods and materials\n\nSecond paragraph,\non two lines."),
        ("paragraph 1", "First paragraph."),
    ],
)
def test_a_paragraph_value_names_paragraphs(value: str, expected: str) -> None:
    (span,) = find_paragraphs(MARKDOWN, value)
    assert MARKDOWN[span.start : span.end] == expected


@pytest.mark.parametrize("value", ["0", "99", "3-99", "2-1", "two", ""])
def test_paragraphs_that_are_not_there_are_not_found(value: str) -> None:
    assert find_paragraphs(MARKDOWN, value) == ()


def test_a_page_break_alone_parts_no_paragraphs() -> None:
    assert len(paragraphs("one that runs\fover the page\n\ntwo")) == 2


# --- quotes


def test_a_quote_is_found_over_a_page_break_with_heads_and_feet() -> None:
    text = (
        "It begins here and\nthe measured gain was thirty percent of all\n 12\n\f"
        "Journal of Fun\ncases that we had looked at in spring.\nfoot\f"
    )
    span = find_quote(text, "gain was thirty percent of all cases that we had")
    assert span is not None
    assert "gain was thirty" in text[span.start : span.end]
    assert "cases that we had" in text[span.start : span.end]


def test_the_ends_of_two_far_pages_make_no_quote() -> None:
    text = "the measured gain was thirty percent of all\fother\fcases that we had looked at in spring\f"
    assert find_quote(text, "gain was thirty percent of all cases that we had") is None


def test_a_quote_is_found_when_the_reader_lost_its_blanks() -> None:
    assert find_quote("xx therewas nothing tosee here at all", "there was nothing to see here") == Span(3, 30)


def test_short_words_are_not_put_together_from_parts() -> None:
    assert find_quote("no table at hand", "not able") is None


def test_a_quote_shows_the_paragraphs_around_it() -> None:
    text = "\n\n".join(f"Paragraph {number} " + "word " * 100 for number in range(20))
    passage = locate(text, "quote", "Paragraph 10", trust_pages=True)
    assert passage.located
    assert passage.tag is None
    assert "Paragraph 10 word" in passage.text
    assert passage.text.startswith("Paragraph 9 ")
    assert CONTEXT <= len(passage.text) <= LIMIT + 100


def test_a_paragraph_without_end_is_cut_at_blanks() -> None:
    text = "word " * 5000 + "here it is " + "more " * 5000
    passage = locate(text, "quote", "here it is", trust_pages=True)
    assert LIMIT - 20 <= len(passage.text) <= LIMIT + 20
    assert passage.text.split()[0] == "word"
    assert passage.text.split()[-1] == "more"


@given(st.text(alphabet="ab \n\f.", max_size=300), st.integers(0, 300), st.integers(1, 40))
def test_surroundings_hold_the_stretch_and_stay_in_the_text(text: str, start: int, length: int) -> None:
    begin = min(start, len(text))
    span = Span(begin, min(begin + length, len(text)))
    around = surroundings(text, span)
    assert 0 <= around.start <= span.start
    assert span.end <= around.end <= len(text)


# --- locate


def test_an_anchor_that_is_not_there_gives_the_whole_source_and_the_tag() -> None:
    assert locate(PAGES, "quote", "not in it", trust_pages=True) == Passage(PAGES, False, QUOTE_UNLOCATED)
    for kind, value in (("page", "9"), ("section", "2"), ("paragraph", "9"), ("table", "1")):
        assert locate(PAGES, kind, value, trust_pages=True) == Passage(PAGES, False, ANCHOR_UNLOCATED)


def test_a_page_without_trust_is_the_whole_source_without_the_tag() -> None:
    assert locate(PAGES, "page", "2", trust_pages=False) == Passage(PAGES, False, None)


def test_pages_that_lie_apart_stay_pages() -> None:
    assert locate(PAGES, "page", "1, 4", trust_pages=True) == Passage("one\ffour", True)


def test_a_page_without_text_is_not_found() -> None:
    assert locate("one\f\fthree\f", "page", "2", trust_pages=True) == Passage(
        "one\f\fthree\f", False, ANCHOR_UNLOCATED
    )


def test_labels_reach_the_page() -> None:
    assert locate(PAGES, "page", "iv", trust_pages=True, labels=("iii", "iv", "v", "vi")) == Passage("two", True)


@given(
    st.text(max_size=200), st.sampled_from(["quote", "page", "section", "paragraph", "x"]), st.text(max_size=30)
)
def test_any_anchor_in_any_source_has_a_passage_out_of_it(text: str, kind: str, value: str) -> None:
    passage = locate(text, kind, value, trust_pages=True)
    assert passage.located is (passage.tag is None)
    if kind != "page":
        assert passage.text in text


def _scenarios() -> list[tuple[str, str, str]]:
    path = Path(__file__).resolve().parents[3] / "shared" / "conformance" / "audit.json"
    if not path.is_file():
        assert "CI" not in os.environ, f"{path} is missing"
        pytest.skip(f"{path} is not there")
    found: set[tuple[str, str, str]] = set()
    for scenario in json.loads(path.read_text(encoding="utf-8")):
        texts = {each["ref_slug"]: each["text"] for each in scenario["retrievals"]["retrievals"] if "text" in each}
        markers = re.findall(r"<!--ref:(\w+)[^>]*-->\s*<!--anchor:(\w+):(.*?)-->", scenario["draft"])
        found |= {(texts[slug], kind, unquote(value)) for slug, kind, value in markers if slug in texts}
    return sorted(found)


def test_the_anchors_of_the_conformance_cases_are_where_they_say() -> None:
    for text, kind, value in _scenarios():
        passage = locate(text, kind, value, trust_pages=True)
        pages = text.split("\f")
        if kind == "page":
            assert passage == Passage(pages[int(value) - 1], True)
        elif kind == "quote":
            assert passage.located is (value in text)
        elif kind == "section":
            assert passage == Passage(text, False, ANCHOR_UNLOCATED)


@pytest.mark.parametrize(
    "unit", ["\n", "# ", "#\n", "1 A\n", "\f", " \n", "a\n\n", ". ", "1 ", "a-\n", "A\n---\n"]
)
def test_locating_is_linear(unit: str) -> None:
    def cost(times: int) -> float:
        text = unit * times
        started = time.process_time()
        for kind, value in (("quote", "words that are not there at all"), ("page", "3"), ("section", "2")):
            locate(text, kind, value, trust_pages=True)
        return time.process_time() - started

    small, large = (min(cost(times) for _ in range(3)) for times in (4_000, 32_000))
    assert large < 48 * small + 0.2
