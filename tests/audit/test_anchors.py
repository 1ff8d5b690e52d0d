"""Looking anchors up without a judge: what is there, what is not, and what cannot be told."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.anchors import check_anchor, check_anchors
from claimlint.audit.types import Retrieved
from claimlint.documents.draft import Citation
from claimlint.findings import Span
from claimlint.workspace import AnchorCheck

PROSE = """1 Results

Losses of tomatoes fell from 31% to 19% of the harvest, while the other stores did not change.

2 Discussion

Farmers were content. We do not know how the stores do in a second year.

3 End

Thank you.
"""
TEXT = Retrieved("manual_pdf", PROSE, detail="okafor2024.txt")


def paged(*pages: str, preflight: str = "PASS") -> Retrieved:
    return Retrieved(
        "manual_pdf", "".join(f"{page}\f" for page in pages), detail="okafor2024.pdf", preflight=preflight
    )


PDF = paged(
    "Losses of tomatoes fell from 31% to 19% of the harvest.", "Farmers were content with the cooled stores."
)


@pytest.mark.parametrize(
    ("source", "value", "outcome"),
    [
        (TEXT, "fell from 31% to 19% of the harvest", "found"),
        (TEXT, "content. We do not know", "found"),
        (TEXT, "losses of tomatoes fell", "inexact"),
        (TEXT, "Losses of tomatoes … of the harvest", "inexact"),
        (TEXT, "Losses of tomatoes [...] of the harvest", "inexact"),
        (TEXT, "of the harvest … Losses of tomatoes", "missing"),
        (TEXT, "fell from 31% to 9% of the harvest", "missing"),
        (TEXT, "Farmers were delighted. We do not know", "missing"),
        (TEXT, "nothing of this kind", "missing"),
        (TEXT, "…", "missing"),
        (PDF, "fell from 31% to 19% of the harvest", "found"),
        (PDF, "Farmers were content with their cooled stores", "doubtful"),
        (PDF, "fell from 31% to 9% of the harvest", "missing"),
        (PDF, "nothing of this kind", "missing"),
    ],
)
def test_a_quote_is_there_or_not_or_nearly(source: Retrieved, value: str, outcome: str) -> None:
    assert check_anchor(source, "quote", value)[0] == outcome


def test_a_missing_quote_comes_with_the_closest_passage() -> None:
    outcome, detail = check_anchor(TEXT, "quote", "fell from 31% to 9% of the harvest")
    assert (outcome, detail) == (
        "missing",
        "okafor2024.txt; the closest passage there: “fell from 31% to 19% of the harvest”",
    )


def test_a_passage_is_shown_without_what_would_act_on_a_terminal() -> None:
    source = Retrieved("manual_pdf", "the gain was \x1b[31mthirty percent\x1b[0m of all", detail="x.txt")
    _, detail = check_anchor(source, "quote", "the gain was forty percent of all")
    assert "\x1b" not in detail
    assert "thirty" in detail


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (paged("Losses fell.", preflight="FAIL"), "page counts disagree"),
        (paged("Losses fell.", preflight="UNAVAILABLE"), "could not be counted"),
        (paged("Losses fell.", ""), "no text on 1 of 2 pages"),
        (paged("~!@#$^&*()_+{}|:<>?-=[];',./" * 20), "does not read as words"),
        (paged("Losses \ufffd\ufffd fell in all the stores."), "does not read as words"),
        (Retrieved("failed", detail="okafor2024.pdf is encrypted"), "okafor2024.pdf is encrypted"),
        (Retrieved("audit_tool_failure", fault="retrieval_timeout"), "could not be read"),
    ],
)
def test_a_quote_that_a_bad_reading_may_hide_is_not_called_missing(source: Retrieved, says: str) -> None:
    outcome, detail = check_anchor(source, "quote", "nothing of this kind stands there")
    assert outcome == "unknown"
    assert says in detail


def test_a_quote_that_is_found_in_a_bad_reading_is_found() -> None:
    assert check_anchor(paged("Losses fell.", "", preflight="FAIL"), "quote", "Losses fell")[0] == "found"


@pytest.mark.parametrize(
    ("source", "kind", "value", "outcome", "says"),
    [
        (PDF, "page", "2", "found", ""),
        (PDF, "page", "3", "missing", "okafor2024.pdf has 2 pages"),
        (paged("only"), "page", "9", "missing", "has 1 page"),
        (PDF, "page", "1-3", "missing", "has 2 pages"),
        (TEXT, "page", "1", "unknown", "has no pages to count"),
        (paged("a", "b", preflight="FAIL"), "page", "9", "unknown", "disagree"),
        (paged("a", "b", preflight="UNAVAILABLE"), "page", "1", "unknown", "could not be counted"),
        (Retrieved("manual_pdf", "a\fb", detail="x.txt"), "page", "3", "missing", "x.txt has 2 pages"),
        (TEXT, "section", "2", "found", ""),
        (TEXT, "section", "Discussion", "found", ""),
        (TEXT, "section", "7", "missing", "has 1 Results; 2 Discussion; 3 End"),
        (
            Retrieved("manual_pdf", "no heading here", detail="x.txt"),
            "section",
            "2",
            "unknown",
            "shows no headings",
        ),
        (
            Retrieved("manual_pdf", "# A\n\nb\n\n## C\n\nd", detail="x.md"),
            "section",
            "2",
            "unknown",
            "carry no numbers",
        ),
        (
            Retrieved("manual_pdf", "# A\n\nb\n\n## C\n\nd", detail="x.md"),
            "section",
            "B",
            "missing",
            "x.md has A; C",
        ),
        (TEXT, "paragraph", "3", "found", ""),
        (TEXT, "paragraph", "99", "missing", "has 6 paragraphs"),
        (Retrieved("manual_pdf", "one block", detail="x.txt"), "paragraph", "2", "unknown", "no blank lines"),
        (PDF, "paragraph", "1", "unknown", "does not show where paragraphs end"),
        (TEXT, "table", "1", "unknown", "no kind of anchor"),
        (TEXT, "quote", " — ", "unknown", "holds no words"),
    ],
)
def test_a_place_is_there_or_not_or_cannot_be_told(
    source: Retrieved, kind: str, value: str, outcome: str, says: str
) -> None:
    found, detail = check_anchor(source, kind, value)
    assert found == outcome
    assert says in detail


def citation(
    kind: str, value: str, *, usable: bool = True, slug: str = "okafor2024", anchor: bool = True
) -> Citation:
    return Citation(Span(0, 5), Span(5, 9) if anchor else None, slug, (), kind, value, value, usable)


def test_usable_citations_are_looked_up_and_a_source_that_is_not_at_hand_is_said_once() -> None:
    citations = [
        citation("quote", "Losses of tomatoes"),
        citation("quote", "Losses", usable=False),
        citation("quote", "Losses", anchor=False),
        citation("page", "3", slug="nobody", usable=False),
        citation("quote", "Losses", slug="nobody"),
        citation("page", "3", slug="nobody"),
    ]
    checks = check_anchors(citations, {"okafor2024": TEXT}.get, "the folder")
    assert checks == (
        AnchorCheck(Span(5, 9), "quote", "Losses of tomatoes", "okafor2024", "found", "okafor2024.txt"),
        AnchorCheck(Span(5, 9), "quote", "Losses", "nobody", "absent", "the folder"),
    )


@given(
    st.text(max_size=120),
    st.sampled_from(["quote", "page", "section", "paragraph"]),
    st.text(max_size=40),
    st.sampled_from([None, "PASS", "FAIL"]),
)
def test_any_anchor_in_any_source_has_an_outcome(text: str, kind: str, value: str, preflight: str | None) -> None:
    outcome, detail = check_anchor(Retrieved("manual_pdf", text, detail="x", preflight=preflight), kind, value)
    assert outcome in {"found", "missing", "unknown", "inexact", "doubtful"}
    assert detail != ""


@given(st.text(alphabet="abcé -\n.", min_size=30, max_size=200), st.integers(0, 150), st.integers(5, 60))
def test_a_stretch_of_the_source_is_never_missing(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    outcome, _ = check_anchor(Retrieved("manual_pdf", text, detail="x"), "quote", quote)
    assert outcome in {"found", "unknown"}


def test_a_long_source_is_searched_in_no_time() -> None:
    source = Retrieved("manual_pdf", PROSE * 5000, detail="x")
    started = time.process_time()
    assert check_anchor(source, "quote", "words that nobody wrote anywhere here")[0] == "missing"
    assert time.process_time() - started < 40
