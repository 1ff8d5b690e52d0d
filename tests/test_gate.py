"""The gate: annotations, tiers, refusal, histogram."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from claimlint import gate
from claimlint.documents.matrix import ALLOWED_TRIPLES, DEFECT_STAGES, breaks_matrix, is_allowed
from claimlint.findings import Severity
from tests.conformance.cases import conformance
from tests.passport_samples import (
    AMBIGUOUS,
    ANCHORLESS,
    BREAKDOWN,
    FAILED,
    MANIFEST,
    NOT_FOUND,
    SENTINEL,
    TOOL_FAILURE,
    UNJUDGED,
    UNSUPPORTED,
    VIOLATED,
    Json,
    audit_row,
    check,
    clean,
    failure_row,
    passport_of,
    rules_in,
    violation_row,
)

GATE_RULES = rules_in(("gate",))
PDF = "The same figure. [pdf_read_integrity_unverified]"


def alignment(verdict: object) -> Json:
    return {"experiment_alignment_results": [{"finding_id": "EA-001", "alignment_verdict": verdict}]}


def sampled(audited: object, total: object) -> Json:
    return {"audit_sampling_summaries": [{"audited_count": audited, "total_citation_count": total}]}


def audited(**changes: object) -> Json:
    return {"claim_intent_manifests": [{"manifest_id": MANIFEST}], "claim_audit_results": [audit_row(**changes)]}


TABLE: list[tuple[str, Json, str, Severity]] = [
    (
        "GATE-1",
        audited(rationale=PDF),
        "[LOW-WARN-PDF-READ-INTEGRITY-UNVERIFIED]",
        Severity.LOW_WARN,
    ),
    ("GATE-2", audited(**AMBIGUOUS), "[CLAIM-AUDIT-AMBIGUOUS]", Severity.LOW_WARN),
    ("GATE-3", audited(**UNSUPPORTED), "[HIGH-WARN-CLAIM-NOT-SUPPORTED]", Severity.HIGH_WARN),
    (
        "GATE-4",
        audited(**VIOLATED),
        "[HIGH-WARN-NEGATIVE-CONSTRAINT-VIOLATION (MNC-1)]",
        Severity.HIGH_WARN,
    ),
    ("GATE-5", audited(**NOT_FOUND), "[HIGH-WARN-FABRICATED-REFERENCE]", Severity.HIGH_WARN),
    (
        "GATE-6",
        audited(**ANCHORLESS),
        "[HIGH-WARN-CLAIM-AUDIT-ANCHORLESS \u2014 v3.7.3 R-L3-1-A VIOLATION REACHED AUDIT]",
        Severity.HIGH_WARN,
    ),
    (
        "GATE-7",
        audited(**FAILED),
        "[CLAIM-AUDIT-UNVERIFIED \u2014 REFERENCE FULL-TEXT NOT RETRIEVABLE]",
        Severity.LOW_WARN,
    ),
    (
        "GATE-8",
        audited(**TOOL_FAILURE),
        "[CLAIM-AUDIT-TOOL-FAILURE \u2014 judge_timeout]",
        Severity.MED_WARN,
    ),
    ("GATE-9", {"uncited_assertions": [{}]}, "[UNCITED-ASSERTION]", Severity.LOW_WARN),
    (
        "GATE-10",
        {"constraint_violations": [violation_row(violated_constraint_id="NC-C001-1")]},
        "[HIGH-WARN-CONSTRAINT-VIOLATION-UNCITED (NC-C001-1)]",
        Severity.HIGH_WARN,
    ),
    (
        "GATE-11",
        {"claim_drifts": [{"drift_kind": "INTENDED_NOT_EMITTED"}]},
        "[LOW-WARN-CLAIM-DRIFT \u2014 kind=INTENDED_NOT_EMITTED]",
        Severity.LOW_WARN,
    ),
    (
        "GATE-12",
        {"uncited_audit_failures": [failure_row(fault_class="cache_corruption")]},
        "[CLAIM-AUDIT-TOOL-FAILURE-UNCITED \u2014 cache_corruption]",
        Severity.MED_WARN,
    ),
    ("GATE-13", sampled(3, 8), "[CLAIM-AUDIT-SAMPLED \u2014 3/8 audited]", Severity.LOW_WARN),
    (
        "GATE-14",
        {"claim_audit_results": [audit_row(scoped_manifest_id=SENTINEL)]},
        "[CLAIM-AUDIT-MANIFEST-MISSING \u2014 audit ran without pre-commitment baseline]",
        Severity.LOW_WARN,
    ),
    (
        "GATE-15",
        alignment("OVERSTATED"),
        "[HIGH-WARN-EXPERIMENT-MISALIGNED (OVERSTATED)]",
        Severity.HIGH_WARN,
    ),
    (
        "GATE-15",
        alignment("NOT_SUPPORTED_BY_PROVENANCE"),
        "[HIGH-WARN-EXPERIMENT-MISALIGNED (NOT_SUPPORTED_BY_PROVENANCE)]",
        Severity.HIGH_WARN,
    ),
    (
        "GATE-16",
        alignment("PROVENANCE_INSUFFICIENT"),
        "[EXPERIMENT-PROVENANCE-INSUFFICIENT]",
        Severity.LOW_WARN,
    ),
]


@pytest.mark.parametrize(("code", "document", "annotation", "severity"), TABLE)
def test_each_row_of_the_table_has_its_literal_and_tier(
    code: str, document: Json, annotation: str, severity: Severity
) -> None:
    passport = passport_of(document)
    assert [(row.code, row.annotation, row.tier.value) for row in gate.decide(passport)] == [
        (code, annotation, severity)
    ]
    found = [(each.code, each.annotation, each.severity) for each in check(passport, GATE_RULES).findings]
    assert found == [(code, annotation, severity)]
    assert gate.refuses(passport) is (severity is Severity.HIGH_WARN)


def test_every_rule_of_the_table_is_covered_and_high_rules_are_locked() -> None:
    assert {rule.code for rule in GATE_RULES} == {code for code, *_ in TABLE} | {"GATE-17"}
    locked = {rule.code for rule in GATE_RULES if rule.locked}
    assert locked == {code for code, _, _, severity in TABLE if severity is Severity.HIGH_WARN}


def test_evidence_that_the_excerpt_does_not_have_is_a_low_warning_beside_the_verdict() -> None:
    rationale = "It says 'half'. [evidence_unlocated]"
    found = check(audited(rationale=rationale), GATE_RULES).findings
    assert [(each.code, each.annotation, each.severity) for each in found] == [
        ("GATE-17", None, Severity.LOW_WARN)
    ]


def test_messages_hold_the_literal_the_claim_cut_short_and_advice() -> None:
    [finding] = check(audited(**UNSUPPORTED, claim_text="Long " * 50), GATE_RULES).findings
    literal = "[HIGH-WARN-CLAIM-NOT-SUPPORTED]"
    assert finding.message.startswith(f'{literal} "Long Long')
    assert "…" in finding.message
    assert "audit again" in finding.message
    assert len(finding.message) < 250


def test_a_finding_stands_on_the_claim_text() -> None:
    [finding] = check(audited(**AMBIGUOUS), GATE_RULES).findings
    assert finding.pointer == "/claim_audit_results/0/claim_text"
    assert finding.subject == "The night bus cut waiting times by 12%."


def test_calls_that_failed_alike_have_one_cause_whoever_wrote_the_claims() -> None:
    rows = [audit_row(**TOOL_FAILURE, upstream_owner_agent=owner) for owner in ("writer", None)]
    found = check({"claim_audit_results": rows}, rules_in(("gate",))).findings
    assert len({each.cause for each in found if each.code == "GATE-8"}) == 1


CLEAN: list[Json] = [
    audited(),
    audited(rationale="pdf_read_integrity_unverified without brackets"),
    sampled(8, 8),
    alignment("ALIGNED"),
    {"claim_audit_results": []},
    {},
]


@pytest.mark.parametrize("document", CLEAN)
def test_clean_rows_have_no_annotation(document: Json) -> None:
    passport = passport_of(document)
    assert gate.decide(passport) == ()
    assert gate.refuses(passport) is False


def test_the_pdf_tag_counts_on_supported_rows_only() -> None:
    rows = gate.decide(passport_of(audited(**AMBIGUOUS, rationale=PDF)))
    assert [row.annotation for row in rows] == ["[CLAIM-AUDIT-AMBIGUOUS]"]


def test_a_partial_claim_is_annotated_as_not_supported() -> None:
    rows = gate.decide(passport_of(audited(**BREAKDOWN)))
    assert [row.annotation for row in rows] == ["[HIGH-WARN-CLAIM-NOT-SUPPORTED]"]


def test_decisions_follow_the_table_and_then_the_rows() -> None:
    passport = passport_of(clean())
    codes = [row.code for row in gate.decide(passport)]
    assert codes == [
        *("GATE-2", "GATE-3", "GATE-4", "GATE-5", "GATE-6", "GATE-7", "GATE-8"),
        *("GATE-9", "GATE-9", "GATE-10", "GATE-10", "GATE-11", "GATE-11", "GATE-12", "GATE-13"),
    ]


def test_manifest_missing_is_said_once_and_only_without_any_manifest() -> None:
    rows = [audit_row(scoped_manifest_id=SENTINEL), audit_row(scoped_manifest_id=SENTINEL)]
    without = passport_of({"claim_audit_results": rows, **alignment("OVERSTATED")})
    assert [row.code for row in gate.decide(without)] == ["GATE-14", "GATE-15"]
    beside = passport_of({"claim_audit_results": rows, "claim_intent_manifests": [{"manifest_id": MANIFEST}]})
    assert gate.decide(beside) == ()


HIGH_CLAIMS: list[tuple[Json, str]] = [
    ({**UNSUPPORTED, "defect_stage": 5}, "[HIGH-WARN-CLAIM-NOT-SUPPORTED]"),
    ({**UNSUPPORTED, "defect_stage": ..., "audit_status": []}, "[HIGH-WARN-CLAIM-NOT-SUPPORTED]"),
    ({**VIOLATED, "violated_constraint_id": ...}, "[HIGH-WARN-NEGATIVE-CONSTRAINT-VIOLATION (unknown)]"),
    ({**VIOLATED, "violated_constraint_id": {}}, "[HIGH-WARN-NEGATIVE-CONSTRAINT-VIOLATION (unknown)]"),
    ({**NOT_FOUND, "audit_status": None, "defect_stage": {}}, "[HIGH-WARN-FABRICATED-REFERENCE]"),
    ({**NOT_FOUND, "ref_retrieval_method": 7}, "[HIGH-WARN-FABRICATED-REFERENCE]"),
    ({**ANCHORLESS, "defect_stage": ..., "anchor_kind": 0}, gate.ANCHORLESS),
    ({**ANCHORLESS, "ref_retrieval_method": ["not_attempted"]}, gate.ANCHORLESS),
]


@pytest.mark.parametrize(("changes", "annotation"), HIGH_CLAIMS)
def test_a_row_that_claims_a_high_class_refuses_whatever_else_is_broken(changes: Json, annotation: str) -> None:
    passport = passport_of(audited(**changes))
    assert [row.annotation for row in gate.decide(passport)] == [annotation]
    assert gate.refuses(passport) is True


def test_unreadable_parts_are_shown_as_unknown() -> None:
    passport = passport_of(
        {
            "claim_audit_results": [audit_row(**{**TOOL_FAILURE, "rationale": "it broke"})],
            "constraint_violations": [violation_row(violated_constraint_id="x" * 5000)],
            "claim_drifts": [{"drift_kind": ["EMITTED_NOT_INTENDED"]}],
            "uncited_audit_failures": [failure_row(fault_class="[HIGH-WARN-FABRICATED-REFERENCE]")],
        }
    )
    assert [row.annotation for row in gate.decide(passport)] == [
        "[CLAIM-AUDIT-TOOL-FAILURE \u2014 unknown]",
        "[HIGH-WARN-CONSTRAINT-VIOLATION-UNCITED (unknown)]",
        "[LOW-WARN-CLAIM-DRIFT \u2014 kind=unknown]",
        "[CLAIM-AUDIT-TOOL-FAILURE-UNCITED \u2014 unknown]",
    ]


@pytest.mark.parametrize(
    ("audited_count", "total"), [("3", 8), (3, None), (True, 8), (3, 10**30), (8, 3), (3.5, 8)]
)
def test_a_sample_that_cannot_be_read_is_not_announced(audited_count: Any, total: Any) -> None:
    assert gate.decide(passport_of(sampled(audited_count, total))) == ()


def test_whole_numbers_written_as_floats_are_read() -> None:
    [row] = gate.decide(passport_of(sampled(3.0, 8.0)))
    assert row.annotation == "[CLAIM-AUDIT-SAMPLED \u2014 3/8 audited]"


def _triples() -> Iterator[tuple[str, str, str | None]]:
    judgments = ("SUPPORTED", "UNSUPPORTED", "AMBIGUOUS", "RETRIEVAL_FAILED")
    return product(judgments, ("completed", "inconclusive"), (None, *sorted(DEFECT_STAGES)))


def test_exactly_twelve_of_all_triples_are_allowed() -> None:
    triples = list(_triples())
    assert len(triples) == 64
    assert {triple for triple in triples if triple in ALLOWED_TRIPLES} == ALLOWED_TRIPLES
    assert len(ALLOWED_TRIPLES) == 12


def test_rows_that_break_matrix_refuse() -> None:
    for judgment, status, stage in _triples():
        row = {"judgment": judgment, "audit_status": status, "defect_stage": stage}
        allowed = (judgment, status, stage) in ALLOWED_TRIPLES
        assert breaks_matrix(row) is not allowed
        refuses = gate.refuses(passport_of(audited(**row)))
        assert refuses is (not allowed or judgment == "UNSUPPORTED" or stage == "retrieval_existence")


UNREADABLE: list[Json] = [{"judgment": ...}, {"judgment": 1}, {"audit_status": []}, {"defect_stage": ...}]


@pytest.mark.parametrize("changes", UNREADABLE)
def test_an_unreadable_triple_breaks_no_matrix_but_the_gate_fails_closed(changes: Json) -> None:
    row = audit_row(**changes)
    assert breaks_matrix(row) is False
    assert is_allowed(row) is False
    assert gate.refuses(passport_of(audited(**changes))) is True


def test_a_string_outside_its_vocabulary_breaks_matrix() -> None:
    assert breaks_matrix(audit_row(judgment="SUPORTED")) is True
    assert breaks_matrix(audit_row(defect_stage="")) is True


def test_the_histogram_counts_stages_of_completed_rows_by_name() -> None:
    rows = [
        audit_row(**UNSUPPORTED),
        audit_row(**UNSUPPORTED),
        audit_row(**AMBIGUOUS),
        audit_row(**VIOLATED),
        audit_row(),
        audit_row(**UNJUDGED),
        audit_row(defect_stage=["metadata"]),
        audit_row(defect_stage="no such stage"),
    ]
    assert gate.defect_stages(passport_of({"claim_audit_results": rows})) == (
        ("citation_anchor", 1),
        ("negative_constraint_violation", 1),
        ("source_description", 2),
    )


def test_the_histogram_starts_at_five_completed_rows() -> None:
    four = {"claim_audit_results": [*[audit_row()] * 4, audit_row(**UNJUDGED)]}
    assert gate.defect_stages(passport_of(four)) is None
    five = {"claim_audit_results": [audit_row()] * 5}
    assert gate.defect_stages(passport_of(five)) == ()


KEYS = (
    *("claim_text", "ref_slug", "anchor_kind", "anchor_value", "judgment", "audit_status", "defect_stage"),
    *("ref_retrieval_method", "violated_constraint_id", "sub_claims", "scoped_manifest_id", "claim_id"),
    "rationale",
)


def _from_expected(expected: Json, manifests: list[Json]) -> Json:
    """A passport of the rows that an audit case lists, as far as they are listed."""
    rows = [dict(zip(KEYS, row, strict=True)) for row in expected["claim_audit_results"]]
    for row in rows:
        row["rationale"] = f"{row['rationale']}: detail" if row["rationale"] else "As the source says."
    sampling = ("max_claims_per_paper", "total_citation_count", "audited_count", "audited_indices")
    return {
        "claim_intent_manifests": manifests,
        "claim_audit_results": rows,
        "uncited_assertions": [{"sentence_text": row[0]} for row in expected["uncited_assertions"]],
        "claim_drifts": [{"drift_kind": row[0], "claim_text": row[1]} for row in expected["claim_drifts"]],
        "constraint_violations": [
            {"claim_text": row[0], "violated_constraint_id": row[1]} for row in expected["constraint_violations"]
        ],
        "uncited_audit_failures": [
            {"claim_text": row[0], "fault_class": row[2]} for row in expected["uncited_audit_failures"]
        ],
        "audit_sampling_summaries": [
            dict(zip(sampling, row, strict=True)) for row in expected["audit_sampling_summaries"]
        ],
    }


def test_audit_cases_get_exactly_their_annotations_and_decision() -> None:
    for case in conformance("audit.json"):
        expected = case["expected"]
        manifests = case["passport"].get("claim_intent_manifests", [])
        passport = passport_of(_from_expected(expected, manifests))
        found = sorted(row.annotation for row in gate.decide(passport))
        assert (case["id"], found) == (case["id"], sorted(expected["annotations"]))
        assert (case["id"], gate.refuses(passport)) == (case["id"], expected["gate_refuse"])
        reported = sorted(each.annotation or "" for each in check(passport, GATE_RULES).findings)
        assert reported == found


@pytest.mark.parametrize(
    "change",
    [
        {"defect_stage": ...},
        {"defect_stage": []},
        {"judgment": {}},
        {"audit_status": "inconclusive"},
        {"judgment": "UNSUPPORTED", "defect_stage": "metadata"},
        {
            "judgment": "RETRIEVAL_FAILED",
            "defect_stage": "retrieval_existence",
            "ref_retrieval_method": ["not_found"],
        },
    ],
)
def test_one_row_among_many_that_look_clean_makes_the_gate_refuse(change: Json) -> None:
    clean_rows = [audit_row(claim_id=f"C-{number:03}") for number in range(5)]
    assert gate.refuses(passport_of({"claim_audit_results": clean_rows})) is False
    assert (
        gate.refuses(passport_of({"claim_audit_results": [*clean_rows, audit_row(**change), *clean_rows]})) is True
    )
