"""UNCITED on drafts: what is prose, which claims are exempt, what the two rules report."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.draft import Draft
from claimlint.documents.draft_reader import read_draft
from claimlint.documents.extra_triggers import PatternList, WordList, extra_triggers, language_of
from claimlint.documents.passport import Passport, PassportFile, Row, join
from claimlint.documents.source import JsonSource, TextSource
from claimlint.documents.uncited import UncitedCandidate, further_candidates, uncited_candidates
from claimlint.findings import Problem, Severity, Span
from claimlint.workspace import Options, Workspace
from claimlint_rules.uncited import claims_carry_a_citation, further_claims_carry_a_citation


def draft_of(text: str) -> Draft:
    return read_draft(TextSource("draft.md", text))


def found(text: str) -> list[tuple[str, tuple[str, ...]]]:
    draft = draft_of(text)
    return [(draft.sentences[each.sentence].text, each.triggers) for each in uncited_candidates(draft)]


# --- prose ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "# Most of 50 towns",
        "| most | 50 |\n| --- | --- |\n| several | 12% |",
        "```\nmost = 50\n```",
        "    most = 50 of 100",
        "Use `most[50]` here.",
        "So $x = 50$ and \\(y = 12\\) hold.",
        "$$\nx = 50\n$$",
        "It fell <!-- by 50% -->.",
        "See [here](https://example.org/50%25) and <https://example.org/12>.",
        "See https://example.org/50/12 and doi:10.1371/journal.50.",
        "---\ntitle: Most of 50\n---\n\nIt fell.",
        "1. one thing\n2. another thing",
        "> It fell.",
        "It fell [@okafor2024, pp. 50--52].",
        "It fell [12].",
        "## References\n\n1. Okafor, N. Most of 50 towns. *Journal* 12, 3-4.",
        "![](most-50.png){width=50%}",
        "The term refers to 50% of it.",
    ],
)
def test_what_is_no_prose_makes_no_candidate(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "It fell by 50%.",
        "- It fell by 50%.",
        "> It fell by 50%.",
        "3. It fell by 50%.",
        "[It fell by 50%.](x.html)",
    ],
)
def test_a_bare_claim_is_a_candidate_wherever_prose_stands(text: str) -> None:
    assert [triggers for _, triggers in found(text)] == [("50%",)]


def test_a_marker_answers_for_its_own_sentence_only_also_from_behind_the_full_stop() -> None:
    marker = "<!--ref:okafor2024--><!--anchor:page:3-->"
    text = f"Most fell {marker}. Several rose.{marker} Then 50 left. {marker} Then 60 came."
    assert found(text) == [("Then 60 came.", ("60",))]


def test_a_marker_in_code_answers_for_nothing() -> None:
    assert [triggers for _, triggers in found("Most write `<!--ref:okafor2024-->` here.")] == [("most",)]


def test_a_damaged_marker_leaves_a_candidate_that_is_not_reported_twice() -> None:
    draft = draft_of("Most fell <!--REF:okafor2024--><!--anchor:page:3-->.")
    (candidate,) = uncited_candidates(draft)
    assert candidate.reason is not None
    assert candidate.reason.text == "it carries a citation marker, though a damaged one"


# --- manifests --------------------------------------------------------------------------------------------


def claim(number: int, text: str, experiments: object = None) -> dict[str, Any]:
    row: dict[str, Any] = {"claim_id": f"C-{number:03d}", "claim_text": text}
    return row if experiments is None else {**row, "planned_experiment_ids": experiments}


def passport_of(manifests: Mapping[str, list[dict[str, Any]]], experiments: tuple[str, ...] = ()) -> Passport:
    """A passport of manifests by the day of June on which they were emitted."""
    source = JsonSource("passport.json", "{}")
    rows = [
        {"manifest_id": f"M-{day}", "emitted_at": f"2026-06-{day}T10:00:00Z", "claims": claims}
        for day, claims in manifests.items()
    ]
    return join(
        [
            PassportFile(
                source,
                {
                    "claim_intent_manifests": tuple(
                        Row(row, source, ("claim_intent_manifests", index)) for index, row in enumerate(rows)
                    ),
                    "experiment_provenance": tuple(
                        Row({"experiment_id": each}, source, ("experiment_provenance", index))
                        for index, each in enumerate(experiments)
                    ),
                },
            )
        ]
    )


def ids(text: str, passport: Passport) -> list[tuple[str | None, str | None]]:
    return [
        (each.scoped_manifest_id, each.manifest_claim_id) for each in uncited_candidates(draft_of(text), passport)
    ]


def test_a_claim_is_bound_by_its_text_with_white_space_normalised() -> None:
    passport = passport_of({"01": [claim(1, "It  fell by\n50%.")]})
    assert ids("It fell\nby 50%.", passport) == [("M-01", "C-001")]
    assert ids("It rose by 50%.", passport) == [(None, None)]


def test_of_two_manifests_with_one_text_the_one_emitted_last_counts() -> None:
    passport = passport_of({"09": [claim(1, "It fell by 50%.")], "02": [claim(2, "It fell by 50%.")]})
    assert ids("It fell by 50%.", passport) == [("M-09", "C-001")]


@pytest.mark.parametrize(
    ("planned", "exempt"),
    [
        *((["e1"], True), (["e1", "e2"], True), (["e1", "gone"], False), (["gone"], False), ([], False)),
        *(("e1", False), ([1], False), (None, False)),
    ],
)
def test_only_a_claim_whose_experiments_all_resolve_is_exempt(planned: object, exempt: bool) -> None:
    passport = passport_of({"01": [claim(1, "It fell by 50%.", planned)]}, ("e1", "e2"))
    assert ids("It fell by 50%.", passport) == ([] if exempt else [("M-01", "C-001")])


def test_manifests_embedded_in_the_draft_count_without_a_passport() -> None:
    fence = '```json\n{"claim_intent_manifests": [{"manifest_id": "M-1", "claims": [%s]}]}\n```\n'
    row = '{"claim_id": "C-007", "claim_text": "It fell by 50%."}'
    (candidate,) = uncited_candidates(draft_of(fence % row + "\nIt fell by 50%.\n"))
    assert (candidate.scoped_manifest_id, candidate.manifest_claim_id) == ("M-1", "C-007")


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [3], [{}], [{"claim_id": 3, "claim_text": []}]])
def test_manifests_of_odd_types_are_passed_over(value: object) -> None:
    source = JsonSource("passport.json", "{}")
    rows = [{"manifest_id": value, "claims": value}, {"manifest_id": "M", "emitted_at": value, "claims": value}]
    passport = join(
        [PassportFile(source, {"claim_intent_manifests": tuple(Row(row, source, ()) for row in rows)})]
    )
    assert ids("It fell by 50%.", passport) == [(None, None)]


# --- the rules --------------------------------------------------------------------------------------------


def problems(text: str, options: Options | None = None) -> list[Problem]:
    return list(claims_carry_a_citation(Workspace(draft_of(text), options=options or Options())))


def test_a_claim_is_reported_at_its_sentence_with_its_triggers() -> None:
    (problem,) = problems("It rained. Most of 50 towns fell.")
    assert problem.place == Span(11, 33)
    assert problem.message == (
        'asserts "most", "50" without a citation; add the ref marker of a source, or drop the quantity'
    )
    assert problem.severity is None


def test_a_visible_citation_makes_it_an_info_with_the_reason() -> None:
    (problem,) = problems("Most fell [@okafor2024].")
    assert problem.severity is Severity.INFO
    assert problem.message == ('asserts "most" without a ref marker, but it has a visible citation, @okafor2024')


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("Most fell [@okafor2024].", "pandoc"),
        ("Most fell [12].", "numeric"),
        ("Most fell (Okafor, 2024).", "author-year"),
        ("Most fell \\cite{okafor2024}.", "latex"),
        ("Most fell {cite:p}`okafor2024`.", "myst"),
        ("Most fell.[^a]\n\n[^a]: See Okafor 2024, p. 3.\n", "footnote"),
    ],
)
def test_the_setting_narrows_which_citations_count(text: str, style: str) -> None:
    all_but = Options(citation_styles=Options().citation_styles - {style})
    assert problems(text)[0].severity is Severity.INFO
    assert problems(text, all_but)[0].severity is None


def test_a_footnote_counts_only_when_its_note_cites() -> None:
    cited = "Most fell.[^a]\n\n[^a]: See @okafor2024.\n"
    remark = "Most fell.[^a]\n\n[^a]: A remark, see https://example.org.\n"
    assert [each.severity for each in problems(cited)] == [Severity.INFO]
    assert [each.severity for each in problems(remark)] == [None]


def test_many_triggers_are_shown_as_the_first_six_and_a_number() -> None:
    (problem,) = problems("It was 3, 4, 5, 6, 7, 8, 9 and 11.")
    assert '"3", "4", "5", "6", "7", "8" and 2 more' in problem.message


def test_hyperlinks_alone_change_nothing() -> None:
    assert [each.severity for each in problems("Most fell, see [here](https://example.org).")] == [None]


# --- UNCITED-2 --------------------------------------------------------------------------------------------


def further(text: str, **settings: Any) -> list[tuple[str, ...]]:
    return [each.triggers for each in further_candidates(draft_of(text), **settings).candidates]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The majority found half of it.", ("majority", "found", "half")),
        ("The report shows that twenty-one fell.", ("shows", "twenty-one")),
        ("One in three fell, two thirds rose.", ("one in three", "two thirds")),
        ("多数城市取消了夜班车。", ("多数",)),
        ("约５０名司机失业。", ("５０名",)),
        ("三分之二的人同意，百分之五十反对。", ("三分之二", "百分之五十")),
        ("约50%的人同意。", ("50%",)),
        ("多くの都市で12社が撤退した。", ("多くの", "12社")),
        ("대부분의 도시에서 12명이 떠났다.", ("대부분", "12명")),
        ("研究表明成本下降。", ("表明",)),
    ],
)
def test_the_wider_net_has_more_words_and_more_scripts(text: str, expected: tuple[str, ...]) -> None:
    assert further(text) == [expected]


@pytest.mark.parametrize(
    "text", ["It rained.", "这是一个问题。", "第三次会议在2020年召开。", "The founder reported-ly left."]
)
def test_the_wider_net_has_holes(text: str) -> None:
    assert extra_triggers(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Most found 50.",
        "Half fell [@okafor2024].",
        "Half fell <!--ref:okafor2024--><!--anchor:page:3-->.",
        "We found half of it.",
        "Half refers to two of four.",
        "多数是指一半以上。",
        "# Half of it",
    ],
)
def test_what_uncited_1_knows_or_would_show_as_info_is_left_out(text: str) -> None:
    assert further(text) == []


def test_an_experiment_backed_claim_is_left_out_of_the_wider_net_too() -> None:
    passport = passport_of({"01": [claim(1, "Half fell.", ["e1"]), claim(2, "A third fell.", ["gone"])]}, ("e1",))
    found_ = further_candidates(draft_of("Half fell.\n\nA third fell."), passport).candidates
    assert [(each.triggers, each.manifest_claim_id) for each in found_] == [(("a third",), "C-002")]


def test_words_hold_for_their_language_or_for_all_when_the_draft_names_none() -> None:
    words = {"de": ("zeigte", "Mehrzahl"), "fr": ("montre",)}
    german = "---\nlang: de-CH\n---\n\nDie Mehrzahl fiel. La figure montre.\n"
    assert further(german, words=words) == [("mehrzahl",)]
    assert further(german.replace("lang", "x"), words=words) == [("mehrzahl",), ("montre",)]
    assert language_of({"lang": "pt_BR"}) == "pt"
    assert language_of({"lang": 3}) is None


def test_words_are_whole_words_but_for_scripts_without_blanks() -> None:
    assert WordList({"de": ["zeigte"]}, None).find("Er zeigte. Bezeigte, zeigte-te") == ("zeigte",)
    assert WordList({"zh": ["约有"]}, "zh").find("这里约有人") == ("约有",)
    assert WordList({"de": ["a.b", " "]}, None).find("a.b axb") == ("a.b",)


def test_patterns_of_the_settings_are_triggers() -> None:
    assert further("Ridership soared.", patterns=(r"soar(ed|s)", r"x*")) == [("soared",)]


def test_a_pattern_that_takes_too_long_is_dropped_and_named_after_its_time() -> None:
    listed = PatternList((r"(a+)+$", "soared"), seconds=0.05)
    before = time.process_time()
    assert listed.find("a" * 5000 + "! soared") == ("soared",)
    assert time.process_time() - before < 20
    assert [(each.pattern, each.fault) for each in listed.faults] == [
        (r"(a+)+$", "it searched for more than 0.05 s")
    ]
    assert listed.find("a soared") == ("soared",)


def test_a_pattern_that_would_fill_the_memory_is_not_compiled() -> None:
    listed = PatternList((r"((a{1000}){,1000}){1000}", "x{3}"))
    assert listed.find("xxx") == ("xxx",)
    assert [each.fault for each in listed.faults] == ["its repetitions multiply to more than 100000"]


def test_a_pattern_that_is_no_regular_expression_is_reported_on_the_settings() -> None:
    options = Options(patterns=("(unclosed",))
    (problem,) = further_claims_carry_a_citation(Workspace(draft_of("It rained."), options=options))
    assert problem.severity is Severity.LOW_WARN
    assert "'(unclosed'" in problem.message
    assert "uncited.patterns" in problem.message


# --- any text ---------------------------------------------------------------------------------------------

_LINES = st.sampled_from(
    [
        *("Most of 50 fell.", "It rose by 8%.", "[@k]", "# Results", "- several", "1. 50", "> Then 12.", "", "  "),
        *("<!--ref:a-->", "<!--anchor:page:3-->", "[^a]", "[^a]: See Lind 2023.", "| 50 |", "$$", "```"),
        *("We saw 3.", "Hence 4.", "For example, 5 [@k].", "The plan: 6:", "“Most”", "多数 50 名。", "\\cite{k}"),
        *("---", "title: X: a package"),
    ]
)


@given(st.lists(_LINES, max_size=12).map("\n".join))
def test_candidates_stand_in_order_and_do_not_depend_on_line_ends(text: str) -> None:
    candidates = uncited_candidates(draft_of(text))
    places = [each.sentence for each in candidates]
    assert places == sorted(set(places))
    assert all(each.triggers for each in candidates)

    def plain(some: tuple[UncitedCandidate, ...]) -> list[tuple[tuple[str, ...], object]]:
        return [(each.triggers, each.reason and each.reason.ground) for each in some]

    assert plain(uncited_candidates(draft_of(text.replace("\n", "\r\n")))) == plain(candidates)


@given(st.text(max_size=80))
def test_no_text_crashes_the_rules(text: str) -> None:
    workspace = Workspace(draft_of(text), options=Options(patterns=("a+",), words={"x": ("most",)}))
    list(claims_carry_a_citation(workspace))
    list(further_claims_carry_a_citation(workspace))


@pytest.mark.parametrize(
    "piece",
    [
        *("Most fell. ", "They saw 50. ", "- most\n", "Most[^a]. ", "Then 3 came. We saw 4. ", "(most "),
        *("# We present Foo, a tool\n", "We present `foo`, a tool for 5. ", "Most " + "word " * 50 + "\n\n"),
        "[^n]: most 3\n\n",
    ],
)
def test_time_is_linear_in_the_draft(piece: str) -> None:
    draft = draft_of(piece * (60_000 // len(piece)))
    before = time.process_time()
    uncited_candidates(draft)
    further_candidates(draft)
    assert time.process_time() - before < 20
