"""Uncited sentences against constraints, and what was meant against what was written (contract, section 7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import AuditConfig
from claimlint.audit.preparing import prepare
from claimlint.audit.running import AuditOutcome, execute
from claimlint.audit.types import JudgeQuestion
from claimlint.documents.passport import SENTINEL

from .make import (
    M1,
    M2,
    PAGES,
    Scripted,
    audit,
    by_stream,
    claim,
    fails,
    manifest,
    passport,
    rules,
    verdict,
    workspace,
)

EARLY, LATE = "2026-10-03T08:30:00Z", "2026-10-04T08:30:00Z"
MARK = "<!--ref:src--><!--anchor:page:2-->"
MNC = [("MNC-1", "no children")]


def rows(outcome: AuditOutcome, name: str) -> list[dict[str, Any]]:
    return outcome.aggregates()[name]


def violated_when(test: Callable[[JudgeQuestion], bool], constraint: str = "MNC-1") -> Scripted:
    def answer(question: JudgeQuestion) -> str:
        if test(question):
            return verdict("VIOLATED", violated_constraint_id=constraint)
        return verdict("NOT_VIOLATED" if question.ref_slug is None else "SUPPORTED")

    return Scripted(answer)


# --- uncited sentences


def test_every_prose_sentence_is_asked_under_every_manifest_with_constraints() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC),
            manifest(M2, LATE, claim("C-001", "y"), constraints=[("MNC-1", "no costs")]),
        ]
    )
    judge = Scripted(verdict("NOT_VIOLATED"))
    no_prose = "| a | b |\n|---|---|\n| c | d |\n\n```\ncode.\n```\n"
    draft = f"# A heading\n\nThe scheme began. It ended in spring.\n\n{no_prose}"
    outcome = audit(draft, judge, found=found)
    assert sorted((each.claim_text, str(each.scoped_manifest_id)) for each in judge.questions) == [
        ("It ended in spring.", M1),
        ("It ended in spring.", M2),
        ("The scheme began.", M1),
        ("The scheme began.", M2),
    ]
    assert all((each.ref_slug, each.anchor_kind, each.excerpt) == (None, "none", "") for each in judge.questions)
    assert rows(outcome, "constraint_violations") == []


def test_a_sentence_with_a_marker_is_not_asked_as_uncited() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC)])
    judge = Scripted(by_stream("SUPPORTED"))
    audit(f"Costs fell {MARK}. Waits rose <!-- ref:other -->.", judge, found=found)
    assert [each.ref_slug for each in judge.questions] == ["src"]


def test_without_an_active_constraint_nothing_is_asked() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"))])
    judge = Scripted(verdict("NOT_VIOLATED"))
    audit("The scheme began.", judge, found=found)
    assert judge.questions == []


def test_a_bound_sentence_is_asked_under_its_manifest_alone_with_the_claims_constraints() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(
                M1,
                EARLY,
                claim("C-001", "The scheme began.", negative_constraints=rules([("NC-C001-1", "n")])),
            ),
            manifest(M2, LATE, claim("C-001", "y"), constraints=MNC),
        ]
    )
    judge = violated_when(lambda _: True, "NC-C001-1")
    outcome = audit("The scheme began.", judge, found=found)
    (question,) = judge.questions
    assert (question.scoped_manifest_id, [each.constraint_id for each in question.constraints]) == (
        M1,
        ["NC-C001-1"],
    )
    (row,) = rows(outcome, "constraint_violations")
    assert (row["manifest_claim_id"], row["scoped_manifest_id"], row["violated_constraint_id"]) == (
        "C-001",
        M1,
        "NC-C001-1",
    )


def test_a_violation_of_a_manifests_constraint_names_no_claim() -> None:
    held = claim("C-001", "The scheme began.", negative_constraints=rules([("NC-C001-1", "n")]))
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, held, constraints=MNC)])
    outcome = audit("# S\n\nThe scheme began.", violated_when(lambda _: True), found=found)
    (row,) = rows(outcome, "constraint_violations")
    assert row == {
        "finding_id": "CV-001",
        "claim_text": "The scheme began.",
        "section_path": "S",
        "violated_constraint_id": "MNC-1",
        "scoped_manifest_id": M1,
        "judge_verdict": "VIOLATED",
        "rationale": "the page says so",
        "judge_model": "scripted",
        "judge_run_at": "2026-11-30T08:00:00Z",
        "rule_version": "D4-a-v1",
        "manifest_claim_id": None,
        "upstream_owner_agent": "draft_writer_agent",
    }


def test_a_sentence_that_stands_twice_in_a_section_is_asked_and_reported_once() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC)])
    judge = violated_when(lambda _: True)
    outcome = audit("# A\n\nIt is so. It is so.\n\n# B\n\nIt is so.", judge, found=found)
    assert [row["section_path"] for row in rows(outcome, "constraint_violations")] == ["A", "B"]
    assert len(judge.questions) == 1


@pytest.mark.parametrize("word", ["SUPPORTED", "UNSUPPORTED", "AMBIGUOUS", "PARTIAL", "MAYBE"])
def test_any_other_verdict_on_a_sentence_is_a_failure(word: str) -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC)])
    outcome = audit("It is so.", Scripted(verdict(word)), found=found)
    (row,) = rows(outcome, "uncited_audit_failures")
    assert row["fault_class"] == "judge_parse_error"
    assert row["rationale"].startswith("judge_parse_error: ")


@pytest.mark.parametrize(("own", "claim_id"), [([], None), ([("NC-C001-1", "n")], "C-001")])
def test_a_failure_names_the_claim_only_when_its_own_constraint_was_active(
    own: list[tuple[str, str]], claim_id: str | None
) -> None:
    held = claim("C-001", "It is so.", negative_constraints=rules(own))
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, held, constraints=MNC)])
    outcome = audit("It is so.", Scripted(fails("judge_timeout")), found=found)
    (row,) = rows(outcome, "uncited_audit_failures")
    assert (row["finding_id"], row["fault_class"], row["manifest_claim_id"], row["rule_version"]) == (
        "UAF-001",
        "judge_timeout",
        claim_id,
        "D4-c-v1-uaf-v1",
    )
    assert outcome.incomplete


def test_verdicts_on_sentences_are_cached_clean_ones_too(tmp_path: Path) -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC)])
    draft = "It is so. Children like it."
    first = audit(draft, violated_when(lambda each: "Children" in each.claim_text), found=found, cache=tmp_path)
    judge = Scripted("never")
    second = audit(draft, judge, found=found, cache=tmp_path)
    assert second.aggregates() == first.aggregates()
    assert judge.questions == []


def test_a_damaged_verdict_on_a_sentence_is_a_failure_and_never_clean(tmp_path: Path) -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC)])
    audit("It is so.", Scripted(verdict("NOT_VIOLATED")), found=found, cache=tmp_path)
    next(iter(tmp_path.glob("claim_audit_v1/*.json"))).write_text("{}")
    outcome = audit("It is so.", Scripted("never"), found=found, cache=tmp_path)
    assert [row["fault_class"] for row in rows(outcome, "uncited_audit_failures")] == ["cache_corruption"]


def test_changed_constraints_are_asked_again(tmp_path: Path) -> None:
    for rule in ("no children", "no parents"):
        held = manifest(M1, EARLY, claim("C-001", "x"), constraints=[("MNC-1", rule)])
        judge = Scripted(verdict("NOT_VIOLATED"))
        audit("It is so.", judge, found=passport(claim_intent_manifests=[held]), cache=tmp_path)
        assert len(judge.questions) == 1


# --- uncited assertions


def test_every_candidate_is_a_row_with_its_claim() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-003", "Most waits fell by 12%."))])
    outcome = audit("# S\n\nMost waits fell by 12%. Several rose.\n\nIt began.", Scripted("never"), found=found)
    assert [
        (row["finding_id"], row["trigger_tokens"], row["manifest_claim_id"], row["scoped_manifest_id"])
        for row in rows(outcome, "uncited_assertions")
    ] == [("UA-001", ["most", "12%"], "C-003", M1), ("UA-002", ["several"], None, None)]


@pytest.mark.parametrize(("planned", "reported"), [(["E1"], False), (["E1", "gone"], True)])
def test_a_sentence_backed_by_experiments_is_not_uncited(planned: list[str], reported: bool) -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(M1, EARLY, claim("C-001", "Waits fell by 12%.", planned_experiment_ids=planned))
        ],
        experiment_provenance=[{"experiment_id": "E1"}],
    )
    outcome = audit("Waits fell by 12%.", Scripted("never"), found=found)
    assert bool(rows(outcome, "uncited_assertions")) is reported
    assert rows(outcome, "claim_audit_results") == []
    assert "experiment_alignment_results" not in outcome.aggregates()


def test_a_claim_with_refs_and_experiments_gets_its_citation_row() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(M1, EARLY, claim("C-001", "Waits fell by 12%.", planned_experiment_ids=["E1"]))
        ],
        experiment_provenance=[{"experiment_id": "E1"}],
    )
    outcome = audit(f"Waits fell by 12% {MARK}.", Scripted(verdict("UNSUPPORTED")), found=found)
    assert [row["claim_id"] for row in rows(outcome, "claim_audit_results")] == ["C-001"]


# --- drift


def drifts(
    draft: str, *manifests: dict[str, object], judge: Scripted | None = None, **more: object
) -> list[object]:
    found = passport(claim_intent_manifests=list(manifests), **more)
    outcome = audit(draft, judge or Scripted(by_stream("SUPPORTED")), found=found)
    return [
        (row["drift_kind"], row["claim_text"], row["scoped_manifest_id"], row["manifest_claim_id"])
        for row in rows(outcome, "claim_drifts")
    ]


def emitted(text: str) -> tuple[object, ...]:
    return ("EMITTED_NOT_INTENDED", text, None, None)


def intended(text: str, manifest_id: str = M1, claim_id: str = "C-001") -> tuple[object, ...]:
    return ("INTENDED_NOT_EMITTED", text, manifest_id, claim_id)


def test_a_claim_in_neither_or_both_is_no_drift() -> None:
    assert drifts(f"Costs fell {MARK}.", manifest(M1, EARLY, claim("C-001", " Costs  fell . "))) == []


def test_a_cited_claim_that_no_manifest_has_drifts_once() -> None:
    draft = f"# S\n\nCosts fell {MARK}{MARK}.\n\n# T\n\nCosts fell {MARK}.\n\nIt is so {MARK}."
    assert drifts(draft, manifest(M1, EARLY, claim("C-001", "It is so."))) == [emitted("Costs fell.")]


def test_an_emitted_drift_has_the_section_of_its_first_place() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "It is so."))])
    outcome = audit(
        f"# S\n\n## U\n\nCosts fell {MARK}.\n\nIt is so {MARK}.", Scripted(verdict("SUPPORTED")), found=found
    )
    (row,) = rows(outcome, "claim_drifts")
    assert (row["finding_id"], row["section_path"], row["rule_version"]) == ("CD-001", "S > U", "D4-a-v1")


def test_a_manifest_claim_without_a_citation_drifts_also_when_its_sentence_is_there() -> None:
    found = manifest(M1, EARLY, claim("C-001", "It began."))
    assert drifts("It began.", found) == [intended("It began.")]
    assert drifts("Nothing.", found) == [intended("It began.")]


def test_two_manifests_that_miss_the_same_claim_drift_each() -> None:
    assert drifts(
        "Nothing.", manifest(M1, EARLY, claim("C-001", "x")), manifest(M2, LATE, claim("C-002", "x"))
    ) == [intended("x"), intended("x", M2, "C-002")]


def test_a_claim_of_two_manifests_is_emitted_for_both() -> None:
    both = (manifest(M1, EARLY, claim("C-001", "It is.")), manifest(M2, LATE, claim("C-001", "It is.")))
    assert drifts(f"It is {MARK}.", *both) == []


def test_without_manifest_claims_nothing_drifts() -> None:
    assert drifts(f"Costs fell {MARK}.") == []
    assert drifts(f"Costs fell {MARK}.", manifest(M1, EARLY)) == []


def test_an_anchorless_citation_is_emitted_too() -> None:
    assert drifts("It is so <!--ref:src-->.", manifest(M1, EARLY, claim("C-001", "It is so."))) == []


def test_a_citation_that_was_sampled_out_is_emitted_too() -> None:
    found = passport(
        claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "A two."), claim("C-002", "A one."))]
    )
    draft = f"A one {MARK}.\n\nA two {MARK}.\n\nA three {MARK}."
    outcome = audit(draft, Scripted(verdict("SUPPORTED")), found=found, config=AuditConfig(max_claims=1))
    assert [row["claim_text"] for row in rows(outcome, "claim_drifts")] == ["A three."]


def test_uncited_wins_over_drift() -> None:
    assert drifts("Most waits fell.", manifest(M1, EARLY, claim("C-001", "Most  waits fell."))) == []


def test_a_violation_wins_over_drift() -> None:
    judge = violated_when(lambda question: question.ref_slug is None)
    assert (
        drifts("It began.", manifest(M1, EARLY, claim("C-001", "It began."), constraints=MNC), judge=judge) == []
    )


@pytest.mark.parametrize(
    ("planned", "known", "drift"), [(["E1"], "E1", False), (["E1"], "E2", True), ([], "E1", True)]
)
def test_a_claim_backed_by_experiments_is_emitted_by_its_sentence(
    planned: list[str], known: str, drift: bool
) -> None:
    held = manifest(M1, EARLY, claim("C-001", "It began.", planned_experiment_ids=planned))
    provenance = [{"experiment_id": known}]
    assert drifts("It began.", held, experiment_provenance=provenance) == (
        [intended("It began.")] if drift else []
    )
    assert drifts("Else.", held, experiment_provenance=provenance) == [intended("It began.")]


def two_manifests() -> tuple[dict[str, object], dict[str, object]]:
    return (
        manifest(M1, EARLY, claim("C-001", "Early cited."), claim("C-002", "Early missing."), constraints=MNC),
        manifest(M2, LATE, claim("C-001", "Late cited."), claim("C-002", "Late missing."), constraints=MNC),
    )


DRAFT = f"Early cited {MARK}.\n\nLate cited {MARK}.\n\nUnbound one {MARK}.\n\nUnbound two {MARK}.\n"


def test_a_violation_silences_the_drift_of_its_manifest_and_of_no_other() -> None:
    judge = violated_when(lambda question: question.claim_text == "Early cited.")
    assert drifts(DRAFT, *two_manifests(), judge=judge) == [
        emitted("Unbound one."),
        emitted("Unbound two."),
        intended("Late missing.", M2, "C-002"),
    ]


@pytest.mark.parametrize("text", ["Late cited.", "Unbound one."])
def test_a_violation_also_of_a_sentinel_row_silences_what_was_judged_under_its_manifest(text: str) -> None:
    judge = violated_when(lambda question: question.claim_text == text)
    assert drifts(DRAFT, *two_manifests(), judge=judge) == [intended("Early missing.", M1, "C-002")]


def test_a_cached_violation_silences_drift_as_well(tmp_path: Path) -> None:
    found = passport(claim_intent_manifests=list(two_manifests()))
    judge = violated_when(lambda question: question.claim_text == "Late cited.")
    for _ in range(2):
        outcome = audit(DRAFT, judge, found=found, cache=tmp_path)
        assert [row["claim_text"] for row in rows(outcome, "claim_drifts")] == ["Early missing."]


def test_a_violation_of_an_uncited_sentence_silences_no_other_drift() -> None:
    judge = violated_when(lambda question: question.ref_slug is None)
    draft = f"It began.\n\nCosts fell {MARK}."
    assert drifts(draft, manifest(M1, EARLY, claim("C-001", "x"), constraints=MNC), judge=judge) == [
        emitted("Costs fell."),
        intended("x"),
    ]


def test_what_another_chapter_cites_is_not_missing() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "It is so."))])
    chapter = workspace(f"It is so {MARK}.").draft
    here = workspace("Nothing.", found, companions=(chapter,))
    outcome = execute(prepare(here, AuditConfig(), [], "m", VerdictCache(None)), None)
    assert rows(outcome, "claim_drifts") == []


def test_a_citation_that_belongs_to_no_sentence_is_a_row_and_no_drift() -> None:
    found = passport(claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "It is so."))])
    outcome = audit(f"# S\n\n{MARK}\n\nIt is so {MARK}.", Scripted(verdict("SUPPORTED")), found=found)
    assert [row["claim_text"] for row in rows(outcome, "claim_audit_results")] == ["(no sentence)", "It is so."]
    assert rows(outcome, "claim_drifts") == []


def test_a_claim_in_another_unicode_form_exempts_its_sentence_too() -> None:
    held = claim("C-001", "Cafe\u0301s grew by 12%.", planned_experiment_ids=["E1"])
    found = passport(
        claim_intent_manifests=[manifest(M1, EARLY, held)], experiment_provenance=[{"experiment_id": "E1"}]
    )
    assert rows(audit("Caf\u00e9s grew by 12%.", Scripted("never"), found=found), "uncited_assertions") == []


def test_manifest_missing_works_without_a_manifest() -> None:
    outcome = audit(f"Costs fell {MARK}.", Scripted(verdict("SUPPORTED")), sources={"src": PAGES})
    assert [row["scoped_manifest_id"] for row in rows(outcome, "claim_audit_results")] == [SENTINEL]
