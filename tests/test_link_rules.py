"""LINK: the draft against its passport and its bibliography."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.bibliography import Bibliography, BibliographyFile, Entry, Unread
from claimlint.documents.cited_keys import EVERYTHING, cited_keys
from claimlint.documents.coverage import CUT, Coverage, coverage, match
from claimlint.documents.draft import Citation, Draft, Sentence
from claimlint.documents.draft_reader import read_draft
from claimlint.documents.passport import Passport, join
from claimlint.documents.reader import read_passport_text
from claimlint.documents.source import TextSource
from claimlint.findings import Problem, Severity, Span
from claimlint.rules import rules_of
from claimlint.workspace import Workspace
from claimlint_rules import link

from .conformance.cases import conformance

MARK = re.compile(r"<!--ref:([^\s>-]*)-->(?:<!--anchor:(\w+):(.*?)-->)?")


def draft_of(*lines: str, path: str = "d/paper.md") -> Draft:
    """A draft of one sentence a line, with markers in it."""
    text = "\n".join(lines)
    citations: list[Citation] = []
    sentences: list[Sentence] = []
    start = 0
    for line in lines:
        first = len(citations)
        for found in MARK.finditer(line):
            slug, kind, value = found.group(1), found.group(2) or "", found.group(3) or ""
            span = Span(start + found.start(), start + found.end())
            usable = bool(slug and kind and kind != "none" and value)
            citations.append(Citation(span, None, slug, (), kind, value, value, usable))
        plain = re.sub(r" ([.,;:!?])", r"\1", " ".join(MARK.sub("", line).split()))
        indices = tuple(range(first, len(citations)))
        sentences.append(Sentence(Span(start, start + len(line)), line, plain, "x", indices, 0, "paragraph"))
        start += len(line) + 1
    return Draft(TextSource(path, text), {}, text, (), tuple(sentences), tuple(citations), {}, (), (), ())


def passport_of(**aggregates: list[dict[str, Any]]) -> Passport:
    import json

    return join([read_passport_text(json.dumps(aggregates, indent=1), "d/passport.json")])


def audit(text: str, slug: str = "a", kind: str = "page", value: str = "3") -> dict[str, Any]:
    return {"claim_text": text, "ref_slug": slug, "anchor_kind": kind, "anchor_value": value}


def bibliography(*keys: str, own: bool = True, unread: tuple[Unread, ...] = ()) -> Bibliography:
    source = TextSource("d/refs.bib", "\n".join(keys))
    entries = []
    at = 0
    for key in keys:
        entries.append(Entry(key, "", source, Span(at, at + len(key))))
        at += len(key) + 1
    return Bibliography((BibliographyFile("d/refs.bib", tuple(entries), own),), unread)


def messages(problems: Iterable[Problem]) -> list[str]:
    return [problem.message for problem in problems]


def lines(problems: Iterable[Problem]) -> list[int]:
    return [problem.source.locate(problem.place).line for problem in problems]


def test_the_family_has_the_severities_of_its_contract() -> None:
    assert [(rule.code, rule.severity) for rule in rules_of(link)] == [
        ("LINK-1", Severity.ERROR),
        ("LINK-2", Severity.MED_WARN),
        ("LINK-3", Severity.MED_WARN),
        ("LINK-4", Severity.LOW_WARN),
        ("LINK-5", Severity.INFO),
        ("LINK-6", Severity.LOW_WARN),
    ]


# LINK-1

CITED = draft_of("One.", "Yields doubled <!--ref:okafor2042--><!--anchor:page:3-->.")


def test_an_unknown_slug_is_reported_at_its_marker_with_the_nearest_key() -> None:
    workspace = Workspace(CITED, bibliography=bibliography("okafor2024", "lee2019"))
    (problem,) = link.slugs_are_known(workspace)
    assert problem.message == (
        'no corpus row and no bibliography entry has the key "okafor2042"; did you mean "okafor2024"?'
    )
    where = CITED.source.locate(problem.place)
    assert (where.line, where.column) == (2, 16)


def test_a_key_that_differs_by_case_and_signs_is_the_nearest() -> None:
    workspace = Workspace(CITED, bibliography=bibliography("Okafor_2042", "okafor2043"))
    assert messages(link.slugs_are_known(workspace))[0].endswith('did you mean "Okafor_2042"?')


def test_a_slug_unlike_any_key_gets_no_guess() -> None:
    workspace = Workspace(CITED, bibliography=bibliography("zzz"))
    assert messages(link.slugs_are_known(workspace))[0].endswith("; add the work to the project")


@pytest.mark.parametrize(
    "workspace",
    [
        Workspace(CITED),
        Workspace(CITED, passport_of(claim_audit_results=[audit("x")])),
        Workspace(CITED, passport_of(literature_corpus=[{"citation_key": "okafor2042"}])),
        Workspace(CITED, bibliography=bibliography("okafor2042")),
        Workspace(
            CITED,
            bibliography=bibliography("other", unread=(Unread("no.bib", "gone", CITED.source, Span(0, 0)),)),
        ),
        Workspace(draft_of("A <!--ref:-->."), bibliography=bibliography("other")),
        Workspace(draft_of("A <!--ref:o&k-->."), bibliography=bibliography("other")),
        Workspace(draft_of("A <!--ref:arxiv-2301-12345-->."), bibliography=bibliography("2301.12345")),
        Workspace(draft_of("A <!--ref:2301.12345-->."), bibliography=bibliography("2301.12345")),
        Workspace(
            CITED,
            bibliography=Bibliography(
                (BibliographyFile("r", (Entry("k", "", CITED.source, Span(0, 0), ("okafor2042",)),)),)
            ),
        ),
    ],
    ids=[
        "no keys",
        "no corpus",
        "corpus",
        "entry",
        "bibliography missing",
        "empty slug",
        "no slug",
        "arXiv id",
        "its raw form",
        "alias",
    ],
)
def test_a_slug_is_not_unknown_where_a_work_has_it_or_nobody_can_tell(workspace: Workspace) -> None:
    assert messages(link.slugs_are_known(workspace)) == []


def test_guesses_for_many_unknown_slugs_are_bounded() -> None:
    draft = draft_of(*(f"S <!--ref:unknown{n}x--><!--anchor:page:1-->." for n in range(3000)))
    workspace = Workspace(draft, bibliography=bibliography(*(f"known{n}" for n in range(3000))))
    start = time.process_time()
    assert len(messages(link.slugs_are_known(workspace))) == 3000
    assert time.process_time() - start < 25


# LINK-2

DRAFT = draft_of(
    "Yields doubled <!--ref:a--><!--anchor:page:3-->.",
    "Costs fell <!--ref:b--><!--anchor:quote:no%20loss-->.",
    "Nobody knows.",
)


def stale(
    *rows: dict[str, Any], draft: Draft = DRAFT, companions: tuple[Draft, ...] = (), speaks: bool = True
) -> list[Problem]:
    passport = passport_of(claim_audit_results=list(rows))
    return list(
        link.audited_claims_are_in_the_draft(Workspace(draft, passport, companions=companions, speaks=speaks))
    )


def test_an_audit_of_what_the_draft_says_is_not_stale() -> None:
    rows = audit("Yields  doubled.\n"), audit("Costs fell.", "b", "quote", "no%20loss")
    assert stale(*rows) == []


@pytest.mark.parametrize(
    ("row", "where", "what"),
    [
        (audit("Yields tripled."), "claim_text", "the draft no longer has it"),
        (audit("Yields doubled.", "b"), "ref_slug", 'it now cites "a"'),
        (audit("Yields doubled.", value="4"), "anchor_value", 'its anchor is now page "3"'),
        (audit("Yields doubled.", kind="none", value=""), "anchor_value", 'its anchor is now page "3"'),
    ],
)
def test_a_stale_row_is_reported_at_the_member_that_differs(row: dict[str, Any], where: str, what: str) -> None:
    (problem,) = stale(row)
    assert (str(problem.place), what in problem.message) == (f"/claim_audit_results/0/{where}", True)


def test_a_stale_row_whose_sentence_is_there_points_at_it() -> None:
    (problem,) = stale(audit("Costs fell.", "c"))
    assert [each.source.locate(each.place).line for each in problem.related] == [2]


def test_equal_rows_are_matched_by_count() -> None:
    found = stale(audit("Yields doubled."), audit("Yields doubled."))
    assert [(str(each.place), "more audit rows" in each.message) for each in found] == [
        ("/claim_audit_results/1/claim_text", True)
    ]


@pytest.mark.parametrize("member", ["claim_text", "ref_slug", "anchor_kind", "anchor_value"])
def test_a_row_that_breaks_its_schema_is_not_called_stale(member: str) -> None:
    assert stale({**audit("Yields tripled."), member: 7}) == []


def test_a_long_claim_matches_by_its_first_2000_characters() -> None:
    draft = draft_of("x" * 1990 + " and then a good deal more <!--ref:a--><!--anchor:page:3-->.")
    assert stale(audit(draft.sentences[0].text[:CUT]), draft=draft) == []


def test_an_anchorless_citation_matches_its_row_without_an_anchor() -> None:
    draft = draft_of("Yields doubled <!--ref:a-->.", "Costs fell <!--ref:b--><!--anchor:none:-->.")
    rows = audit("Yields doubled.", kind="none", value=""), audit("Costs fell.", "b", "none", "")
    assert stale(*rows, draft=draft) == []


def test_a_row_is_not_stale_when_a_companion_draft_has_its_claim() -> None:
    other = draft_of("Rain helped <!--ref:a--><!--anchor:page:3-->.", path="d/z.md")
    assert stale(audit("Rain helped."), companions=(other,)) == []
    assert len(stale(audit("Rain helped."), audit("Rain helped."), companions=(other,))) == 1


def test_one_of_the_drafts_of_a_passport_reports_a_stale_row() -> None:
    other = draft_of("x", path="d/a.md")
    assert stale(audit("Rain helped."), companions=(other,), speaks=False) == []
    assert len(stale(audit("Rain helped."), companions=(other,))) == 1


# LINK-3 and the summary


def bare(draft: Draft, passport: Passport | None) -> list[int]:
    return lines(link.citations_are_audited(Workspace(draft, passport)))


MANY = draft_of(*(f"Claim {n} <!--ref:a--><!--anchor:page:{n}-->." for n in range(1, 6)))
ROWS = [audit(f"Claim {n}.", value=str(n)) for n in range(1, 6)]


@pytest.mark.parametrize(
    ("passport", "expected", "counts"),
    [
        (None, [], (0, 0, 5)),
        (passport_of(literature_corpus=[]), [], (0, 0, 5)),
        (passport_of(claim_audit_results=ROWS), [], (5, 0, 0)),
        (passport_of(claim_audit_results=ROWS[:3]), [4, 5], (3, 0, 2)),
        (
            passport_of(
                claim_audit_results=[ROWS[0], ROWS[2]],
                audit_sampling_summaries=[{"total_citation_count": 5, "audited_indices": [0, 2, 4]}],
            ),
            [5],
            (2, 2, 1),
        ),
        (
            passport_of(
                claim_audit_results=[ROWS[0]],
                audit_sampling_summaries=[{"total_citation_count": 4, "audited_indices": [0]}],
            ),
            [2, 3, 4, 5],
            (1, 0, 4),
        ),
        (
            passport_of(
                claim_audit_results=[ROWS[0]],
                audit_sampling_summaries=[
                    {"total_citation_count": 5, "audited_indices": [0, "x", None]},
                    {"total_citation_count": 5, "audited_indices": 7},
                    {"audited_indices": [1]},
                ],
            ),
            [],
            (1, 4, 0),
        ),
    ],
    ids=["no passport", "no audit", "all", "some", "sampled", "summary of an older draft", "odd summaries"],
)
def test_citations_without_a_row_are_reported_unless_sampled_out(
    passport: Passport | None, expected: list[int], counts: tuple[int, int, int]
) -> None:
    assert bare(MANY, passport) == expected
    assert coverage(MANY, passport) == Coverage(*counts, total=5)


def test_a_citation_without_a_row_names_slug_and_anchor_and_is_grouped() -> None:
    problems = list(link.citations_are_audited(Workspace(MANY, passport_of(claim_audit_results=ROWS[:3]))))
    assert problems[0].message == 'no audit row covers this citation of "a" (page "4"); run the audit again'
    assert len({problem.cause for problem in problems}) == 1


def test_a_citation_that_stands_twice_needs_two_rows() -> None:
    draft = draft_of(*["Same <!--ref:a--><!--anchor:page:3-->."] * 2)
    assert bare(draft, passport_of(claim_audit_results=[audit("Same.")])) == [2]


def test_a_citation_outside_any_sentence_is_known_by_its_line() -> None:
    text = "x\n| Costs fell <!--ref:a--> . |\ny"
    citation = Citation(Span(15, 27), None, "a", (), "page", "3", "3", True)
    draft = Draft(TextSource("d.md", text), {}, "", (), (), (citation,), {}, (), (), ())
    assert coverage(draft, passport_of(claim_audit_results=[audit("Costs fell.")])) == Coverage(1, 0, 0, 1)
    assert coverage(draft, None) == Coverage(0, 0, 1, 1)


def test_a_marker_without_slug_and_text_matches_the_row_that_says_so() -> None:
    passport = passport_of(claim_audit_results=[audit("(no text)", "(no slug)", "none", "")])
    assert coverage(draft_of("<!--ref:-->"), passport) == Coverage(1, 0, 0, 1)


def test_letters_match_however_they_are_composed() -> None:
    draft = draft_of("Cafe\u0301s closed <!--ref:a--><!--anchor:page:3-->.")
    assert stale(audit("Caf\xe9s closed."), draft=draft) == []


texts = st.sampled_from(["One.", "Two.", "Three."])


@given(
    st.lists(st.tuples(texts, st.sampled_from("ab")), max_size=8),
    st.lists(st.tuples(texts, st.sampled_from("ab"))),
)
def test_matching_loses_no_citation_and_no_row(cited: list[tuple[str, str]], rows: list[tuple[str, str]]) -> None:
    draft = draft_of(*(f"{text[:-1]} <!--ref:{slug}--><!--anchor:page:3-->." for text, slug in cited))
    found = match(draft, passport_of(claim_audit_results=[audit(text, slug) for text, slug in rows]))
    assert found.coverage.audited + len(found.uncovered) == len(cited)
    assert found.coverage.audited + len(found.stale) == len(rows)


# LINK-4


def gone(passport: Passport, companions: tuple[Draft, ...] = (), *, speaks: bool = True) -> list[str]:
    workspace = Workspace(DRAFT, passport, companions=companions, speaks=speaks)
    return [str(problem.place) for problem in link.uncited_rows_are_in_the_draft(workspace)]


ELSEWHERE = passport_of(
    uncited_assertions=[{"sentence_text": "Gone."}, {"sentence_text": "Nobody\n knows."}, {"sentence_text": 3}],
    claim_drifts=[
        {"claim_text": "Gone.", "drift_kind": "EMITTED_NOT_INTENDED"},
        {"claim_text": "Gone.", "drift_kind": "INTENDED_NOT_EMITTED"},
        {"claim_text": "Costs fell.", "drift_kind": "EMITTED_NOT_INTENDED"},
    ],
    constraint_violations=[{"claim_text": "Gone."}, {"claim_text": "Nobody knows."}],
)


def test_rows_whose_text_is_gone_are_reported_except_claims_that_were_never_written() -> None:
    assert gone(ELSEWHERE) == [
        "/uncited_assertions/0/sentence_text",
        "/claim_drifts/0/claim_text",
        "/constraint_violations/0/claim_text",
    ]


def test_a_text_that_a_companion_draft_has_is_not_gone() -> None:
    assert gone(ELSEWHERE, companions=(draft_of("Gone.", path="d/z.md"),)) == []


def test_one_of_the_drafts_of_a_passport_reports_a_text_that_is_gone() -> None:
    assert gone(ELSEWHERE, speaks=False) == []


def test_without_a_passport_nothing_is_gone() -> None:
    assert messages(link.uncited_rows_are_in_the_draft(Workspace(DRAFT))) == []


# LINK-5


def unused(text: str, *keys: str, own: bool = True) -> list[str]:
    found = link.entries_are_cited(Workspace(draft_of(text), bibliography=bibliography(*keys, own=own)))
    return re.findall(r'"([^"]*)"', " ".join(messages(found)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A <!--ref:a--><!--anchor:page:1-->.", ["b"]),
        ("A [see @a, p. 3; @b].", []),
        ("A [-@a].", ["b"]),
        ("As @a.", ["b"]),
        ("As @{a} says.", ["b"]),
        (r"A \citep[see][p. 3]{a, b}.", []),
        ("A {cite:p}`a,b`.", []),
        ("A [@x]. nocite: @*", ["b"]),
        (r"A \nocite{*}", ["b"]),
        ("No citation, only a@b.org.", []),
        ("", []),
    ],
)
def test_entries_that_nothing_cites_are_reported(text: str, expected: list[str]) -> None:
    everything = "*" in text
    assert unused(text, "a", "b") == ([] if everything else expected)


def test_an_entry_is_reported_at_its_place_with_its_title_grouped_by_file() -> None:
    passport = passport_of(
        literature_corpus=[{"citation_key": "c", "title": "On c"}, {"citation_key": "d"}, {"citation_key": "a"}]
    )
    problems = list(link.entries_are_cited(Workspace(DRAFT, passport, bibliography("a", "e"))))
    assert messages(problems) == [
        'nobody cites the corpus row "c" (On c)',
        'nobody cites the corpus row "d"',
        'nobody cites the entry "e"',
    ]
    assert [problem.source.path for problem in problems] == ["d/passport.json", "d/passport.json", "d/refs.bib"]
    assert len({problem.cause for problem in problems}) == 1


def test_a_bibliography_that_other_drafts_share_is_not_asked() -> None:
    assert unused("A [@a].", "a", "b", own=False) == []


def test_a_work_that_a_cited_one_inherits_from_is_used_and_so_is_one_cited_by_alias() -> None:
    source = TextSource("r.bib", "")
    entries = (
        Entry("part", "", source, Span(0, 0), ("p",), ("whole", "nowhere")),
        Entry("whole", "", source, Span(0, 0), (), ("series", "part")),
        Entry("series", "", source, Span(0, 0)),
        Entry("other", "", source, Span(0, 0)),
    )
    workspace = Workspace(
        draft_of("A [@p]."), bibliography=Bibliography((BibliographyFile("r.bib", entries, True),))
    )
    assert messages(link.entries_are_cited(workspace)) == ['nobody cites the entry "other"']


def test_a_key_that_is_no_slug_is_cited_by_the_slug_written_for_it() -> None:
    workspace = Workspace(
        draft_of("A <!--ref:arxiv-2301-12345--><!--anchor:page:1-->."), bibliography=bibliography("2301.12345")
    )
    assert messages(link.entries_are_cited(workspace)) == []


def test_what_a_companion_draft_cites_is_used() -> None:
    passport = passport_of(literature_corpus=[{"citation_key": "a"}, {"citation_key": "b"}, {"citation_key": "z"}])
    workspace = Workspace(DRAFT, passport, companions=(draft_of("Z [@z].", path="d/z.md"),))
    assert messages(link.entries_are_cited(workspace)) == []


# LINK-6


def test_a_bibliography_that_cannot_be_read_is_reported_where_it_is_named() -> None:
    broken = Unread("no.bib", "there is no such file", DRAFT.source, Span(50, 52))
    workspace = Workspace(DRAFT, bibliography=Bibliography((), (broken,)))
    (problem,) = link.bibliographies_can_be_read(workspace)
    assert (problem.message, lines([problem])) == (
        "the bibliography no.bib cannot be read, so no slug was looked up: there is no such file",
        [2],
    )
    assert messages(link.bibliographies_can_be_read(Workspace(DRAFT))) == []


# keys in the text


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[@doi:10.1000/x(1)]", "doi:10.1000/x"),
        ("@müller2020, p. 3", "müller2020"),
        ("@smith2020’s view", "smith2020"),
        ("@smith2020...", "smith2020"),
        ("*@a*", "a"),
        (r"\parencites{a}", "a"),
        (r"\Citeauthor*{a}", "a"),
        ("nocite: '@*'", EVERYTHING),
    ],
)
def test_keys_are_found_in_the_text(text: str, key: str) -> None:
    assert key in cited_keys(text)


@pytest.mark.parametrize(
    "text", ["me@home.org", r"\emph{a}", "{code}`a`", "@@a", "", "a @ b", "\\cite{a", "{cite}`a"]
)
def test_what_names_no_key_gives_none(text: str) -> None:
    assert cited_keys(text) == frozenset()


@pytest.mark.parametrize("unit", ["\\cite", "\\cite[", "{cite", "@a.", "@{", "\\cite{", "{cite}`", "cite", "@"])
def test_keys_are_found_in_linear_time(unit: str) -> None:
    def cost(count: int) -> float:
        text = unit * count
        start = time.process_time()
        cited_keys(text)
        return time.process_time() - start

    small = max(min(cost(10_000) for _ in range(2)), 0.002)
    assert min(cost(80_000) for _ in range(3)) < 48 * small


@given(st.text(alphabet="@{}[]*\\citea`,;. \n", max_size=60))
def test_any_text_is_searched_for_keys(text: str) -> None:
    assert isinstance(cited_keys(text), frozenset)


# What a real audit leaves


def audited(case: dict[str, Any]) -> Workspace:
    """The draft of a case with the rows that its audit is to write."""
    expected = case["expected"]
    sampling = [
        {"total_citation_count": total, "audited_indices": indices}
        for _cap, total, _count, indices in expected["audit_sampling_summaries"]
    ]
    passport = passport_of(
        claim_audit_results=[audit(*row[:4]) for row in expected["claim_audit_results"]],
        uncited_assertions=[{"sentence_text": row[0]} for row in expected["uncited_assertions"]],
        claim_drifts=[{"drift_kind": row[0], "claim_text": row[1]} for row in expected["claim_drifts"]],
        constraint_violations=[{"claim_text": row[0]} for row in expected["constraint_violations"]],
        audit_sampling_summaries=sampling,
    )
    return Workspace(read_draft(TextSource("d.md", case["draft"])), passport)


def test_a_draft_agrees_with_the_audit_that_was_made_of_it() -> None:
    cases = conformance("audit.json")
    assert len(cases) > 0
    for case in cases:
        workspace = audited(case)
        found = [problem for rule in rules_of(link)[1:4] for problem in rule.check(workspace)]
        assert messages(found) == [], case["id"]
        counted = coverage(workspace.draft, workspace.passport)
        assert counted.audited == len(case["expected"]["claim_audit_results"])
