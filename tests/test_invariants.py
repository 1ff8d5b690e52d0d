"""The invariants of passport rows: what each reports, where, and what keeps it silent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from claimlint.documents.draft import Draft, Heading
from claimlint.documents.source import TextSource
from claimlint.documents.values import shown
from claimlint.engine import check_workspace, dispatch
from claimlint.findings import Span
from claimlint.workspace import Workspace
from tests.passport_samples import (
    AMBIGUOUS,
    ANCHORLESS,
    BREAKDOWN,
    FAILED,
    INVARIANTS,
    MANIFEST,
    NOT_FOUND,
    OTHER_MANIFEST,
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
    reported,
    violation_row,
)

Change = Callable[[Json], None]


def test_a_passport_with_every_kind_of_row_is_clean() -> None:
    assert reported(clean()) == []


AUDIT: list[tuple[Json, list[str]]] = [
    # INV-1
    ({"defect_stage": "source_description"}, ["INV-1 defect_stage"]),
    ({"audit_status": "inconclusive"}, ["INV-1 audit_status"]),
    ({"violated_constraint_id": "MNC-1"}, ["INV-1 violated_constraint_id"]),
    ({"violated_constraint_id": ""}, []),
    ({"violated_constraint_id": None}, []),
    ({"violated_constraint_id": 5}, []),
    ({"defect_stage": ...}, []),
    ({"defect_stage": 5, "audit_status": None}, []),
    ({"defect_stage": "source_description", "audit_status": "inconclusive"}, ["INV-1 defect_stage"]),
    # INV-2
    ({**UNSUPPORTED, "defect_stage": None}, ["INV-2 defect_stage"]),
    ({**UNSUPPORTED, "defect_stage": "not_applicable"}, ["INV-2 defect_stage"]),
    ({**UNSUPPORTED, "audit_status": "inconclusive"}, ["INV-2 audit_status"]),
    ({**UNSUPPORTED, "defect_stage": ...}, []),
    ({**UNSUPPORTED, "defect_stage": "metadata"}, []),
    # INV-3
    ({**AMBIGUOUS, "defect_stage": None}, []),
    ({**AMBIGUOUS, "defect_stage": "not_applicable"}, ["INV-3 defect_stage"]),
    ({**AMBIGUOUS, "audit_status": "inconclusive"}, ["INV-3 audit_status"]),
    # INV-4, INV-5
    ({**FAILED, "defect_stage": "citation_anchor"}, ["INV-10 defect_stage", "INV-4 defect_stage"]),
    ({**NOT_FOUND, "defect_stage": "not_applicable"}, ["INV-12 defect_stage", "INV-5 defect_stage"]),
    ({**NOT_FOUND, "defect_stage": None}, ["INV-12 defect_stage", "INV-5 defect_stage"]),
    # INV-6
    (
        {**ANCHORLESS, "judgment": "SUPPORTED", "audit_status": "completed", "defect_stage": None},
        ["INV-6 audit_status", "INV-6 defect_stage", "INV-6 judgment"],
    ),
    ({**ANCHORLESS, "anchor_value": "17"}, ["INV-6 anchor_value"]),
    ({**ANCHORLESS, "anchor_value": " "}, ["INV-6 anchor_value"]),
    ({**ANCHORLESS, "rationale": "no anchor"}, ["INV-6 rationale"]),
    ({**ANCHORLESS, "rationale": " v3.7.3 R-L3-1-A violation"}, ["INV-6 rationale"]),
    ({**ANCHORLESS, "anchor_value": None, "rationale": 7}, []),
    (
        {**ANCHORLESS, "ref_retrieval_method": "failed"},
        ["INV-11 ref_retrieval_method", "INV-6 ref_retrieval_method"],
    ),
    # INV-7, INV-8
    ({**VIOLATED, "violated_constraint_id": ...}, ["INV-7 defect_stage"]),
    ({**VIOLATED, "violated_constraint_id": None}, ["INV-7 violated_constraint_id"]),
    ({**VIOLATED, "violated_constraint_id": ""}, ["INV-7 violated_constraint_id"]),
    ({**VIOLATED, "violated_constraint_id": 7}, []),
    ({**VIOLATED, "judgment": "AMBIGUOUS"}, ["INV-3 defect_stage", "INV-8 judgment"]),
    ({**VIOLATED, "judgment": None}, []),
    # INV-9
    ({"upstream_dispute": "It does say so."}, ["INV-9 upstream_dispute"]),
    ({**FAILED, "upstream_dispute": "It is open."}, ["INV-9 upstream_dispute"]),
    ({**UNSUPPORTED, "upstream_dispute": "It does say so."}, []),
    ({"upstream_dispute": ""}, []),
    ({"upstream_dispute": ["x"]}, []),
    ({"upstream_dispute": "x", "defect_stage": ...}, []),
    # INV-10
    ({"ref_retrieval_method": "failed"}, ["INV-10 judgment"]),
    # INV-11
    ({**UNJUDGED, "ref_retrieval_method": "not_attempted"}, ["INV-11 ref_retrieval_method"]),
    ({**UNJUDGED, "ref_retrieval_method": "not_attempted", "anchor_kind": 1}, []),
    # INV-12
    ({**NOT_FOUND, "ref_retrieval_method": "api"}, ["INV-12 ref_retrieval_method"]),
    ({**NOT_FOUND, "ref_retrieval_method": ...}, []),
    ({**NOT_FOUND, "audit_status": ...}, []),
    ({**UNJUDGED, "ref_retrieval_method": "not_found"}, ["INV-12 audit_status", "INV-18 ref_retrieval_method"]),
    # INV-13
    ({**UNSUPPORTED, "defect_stage": "metadata", "ref_retrieval_method": "manual_pdf"}, []),
    (
        {**UNSUPPORTED, "defect_stage": "metadata", "ref_retrieval_method": "audit_tool_failure"},
        ["INV-13 ref_retrieval_method", "INV-14 judgment"],
    ),
    ({**AMBIGUOUS, "defect_stage": "metadata"}, ["INV-13 judgment", "INV-3 defect_stage"]),
    # INV-14
    ({**TOOL_FAILURE, "rationale": "timed out"}, ["INV-14 rationale"]),
    ({**TOOL_FAILURE, "rationale": "judge_timeout"}, ["INV-14 rationale"]),
    ({**TOOL_FAILURE, "rationale": "judge_timeout :"}, ["INV-14 rationale"]),
    ({**TOOL_FAILURE, "rationale": "retrieval_network_error:"}, []),
    ({**TOOL_FAILURE, "rationale": None}, []),
    # INV-15
    ({"claim_id": "C-404"}, ["INV-15 claim_id"]),
    ({"scoped_manifest_id": "M-2026-01-01T00:00:00Z-0001"}, ["INV-15 scoped_manifest_id"]),
    ({"scoped_manifest_id": OTHER_MANIFEST, "claim_id": "C-002"}, ["INV-15 claim_id"]),
    ({"scoped_manifest_id": SENTINEL, "claim_id": "C-404"}, []),
    ({"scoped_manifest_id": SENTINEL, "claim_id": 1}, []),
    ({"scoped_manifest_id": ["x"], "claim_id": {}}, []),
    # INV-16
    ({"anchor_value": ""}, ["INV-16 anchor_value"]),
    ({"anchor_value": " \t"}, ["INV-16 anchor_value"]),
    ({"anchor_value": "%20%09%C2%A0"}, ["INV-16 anchor_value"]),
    ({"anchor_value": "+"}, []),
    ({"anchor_value": "%"}, []),
    ({"anchor_value": "%41"}, []),
    ({"anchor_value": 17}, []),
    ({"anchor_value": "", "anchor_kind": ...}, []),
    # INV-18
    ({**UNJUDGED, "ref_retrieval_method": "api"}, ["INV-18 ref_retrieval_method"]),
    ({**UNJUDGED, "ref_retrieval_method": None}, []),
    # INV-19
    ({**BREAKDOWN, "judgment": "AMBIGUOUS"}, ["INV-19 judgment"]),
    ({**BREAKDOWN, "defect_stage": "metadata"}, ["INV-19 defect_stage"]),
    ({**UNSUPPORTED, "sub_claim_breakdown": []}, ["INV-19 sub_claim_breakdown"]),
    ({**UNSUPPORTED, "sub_claim_breakdown": [{"sub_verdict": "SUPPORTED"}]}, ["INV-19 sub_claim_breakdown"]),
    (
        {**UNSUPPORTED, "sub_claim_breakdown": [{"sub_verdict": "SUPPORTED"}, {"sub_verdict": "PARTIAL"}, {}]},
        ["INV-19 sub_claim_breakdown"],
    ),
    (
        {**UNSUPPORTED, "sub_claim_breakdown": [{"sub_verdict": "AMBIGUOUS"}, {"sub_verdict": []}]},
        ["INV-19 sub_claim_breakdown"],
    ),
    (
        {**UNSUPPORTED, "sub_claim_breakdown": [{"sub_verdict": "SUPPORTED"}, {"sub_verdict": "AMBIGUOUS"}]},
        [],
    ),
    ({**UNSUPPORTED, "sub_claim_breakdown": None}, []),
    ({"sub_claim_breakdown": None}, ["INV-19 judgment"]),
]


@pytest.mark.parametrize(("changes", "expected"), AUDIT)
def test_audit_rows(changes: Json, expected: list[str]) -> None:
    passport = {**clean(), "claim_audit_results": [audit_row(**changes)]}
    found = [f"{code} {pointer.rpartition('/')[2]}" for code, pointer in reported(passport)]
    assert found == expected


def _claim(passport: Json, manifest: int, claim: int) -> Json:
    found: Json = passport["claim_intent_manifests"][manifest]["claims"][claim]
    return found


def _set(key: str, index: int, **values: object) -> Change:
    def change(passport: Json) -> None:
        row = passport[key][index]
        row.update(values)
        for name, value in values.items():
            if value is ...:
                del row[name]

    return change


def _claim_with(manifest: int, claim: int, **values: object) -> Change:
    return lambda passport: _claim(passport, manifest, claim).update(values)


def _again(key: str, index: int, **values: object) -> Change:
    def change(passport: Json) -> None:
        copy = json.loads(json.dumps(passport[key][index]))
        passport[key].append({**copy, **values})

    return change


def _constraints(claim: int, *ids: object) -> Change:
    rows = [{"constraint_id": constraint_id, "rule": "No."} for constraint_id in ids]
    return _claim_with(0, claim, negative_constraints=rows)


def _declare(value: object) -> Change:
    return lambda passport: passport.update(experiment_intake_declaration=value)


def _declare_with(**values: object) -> Change:
    return lambda passport: passport["experiment_intake_declaration"].update(values)


def _without_experiments(passport: Json) -> None:
    passport["experiment_provenance"] = []
    passport["experiment_alignment_results"] = []
    del _claim(passport, 1, 0)["planned_experiment_ids"]


def _both(*changes: Change) -> Change:
    def change(passport: Json) -> None:
        for each in changes:
            each(passport)

    return change


M0 = "/claim_intent_manifests/0"
M1 = "/claim_intent_manifests/1"
DECLARATION = "/experiment_intake_declaration"

ELSEWHERE: list[tuple[Change, list[str]]] = [
    # INV-17
    (_constraints(1, "NC-C-002-1"), [f"INV-17 {M0}/claims/1/negative_constraints/0/constraint_id"]),
    (_constraints(1, "NC-C-002-x", "NC-C-²-1", "NC-C-002-1 ", "", 7), []),
    # M-INV
    (
        lambda passport: passport["claim_intent_manifests"][0]["claims"].append({"claim_id": "C-001"}),
        [f"M-INV-1 {M0}/claims/2/claim_id"],
    ),
    (_constraints(1, "NC-C001-2"), [f"M-INV-2 {M0}/claims/1/negative_constraints/0/constraint_id"]),
    (_constraints(1, "NC-C0002-1"), [f"M-INV-2 {M0}/claims/1/negative_constraints/0/constraint_id"]),
    (_constraints(1, "NC-C002-1", "NC-C002", "nonsense"), []),
    (_constraints(1, "MNC-1"), [f"M-INV-3 {M0}/claims/1/negative_constraints/0/constraint_id"]),
    (_again("claim_intent_manifests", 1), ["M-INV-4 /claim_intent_manifests/2/manifest_id"]),
    # U-INV
    (_again("uncited_assertions", 0), ["U-INV-1 /uncited_assertions/2/finding_id"]),
    (_set("uncited_assertions", 1, trigger_tokens=[]), ["U-INV-2 /uncited_assertions/1/trigger_tokens"]),
    (_set("uncited_assertions", 1, trigger_tokens=""), []),
    (_set("uncited_assertions", 1, rule_version="D4-a-v1"), ["U-INV-3 /uncited_assertions/1/rule_version"]),
    (_set("uncited_assertions", 1, rule_version=1), []),
    (
        _set("uncited_assertions", 0, scoped_manifest_id=None),
        ["U-INV-4 /uncited_assertions/0/manifest_claim_id"],
    ),
    (
        _set("uncited_assertions", 0, manifest_claim_id=...),
        ["U-INV-4 /uncited_assertions/0/scoped_manifest_id"],
    ),
    (
        _set("uncited_assertions", 0, manifest_claim_id="C-009"),
        ["U-INV-4 /uncited_assertions/0/manifest_claim_id"],
    ),
    (
        _set("uncited_assertions", 0, scoped_manifest_id=SENTINEL),
        ["U-INV-4 /uncited_assertions/0/scoped_manifest_id"],
    ),
    (_set("uncited_assertions", 0, scoped_manifest_id=4), []),
    # D-INV
    (_again("claim_drifts", 0), ["D-INV-1 /claim_drifts/2/finding_id"]),
    (_set("claim_drifts", 0, manifest_claim_id=None), ["D-INV-2 /claim_drifts/0/manifest_claim_id"]),
    (_set("claim_drifts", 0, manifest_claim_id=...), ["D-INV-2 /claim_drifts/0/drift_kind"]),
    (_set("claim_drifts", 0, manifest_claim_id="C-009"), ["D-INV-2 /claim_drifts/0/manifest_claim_id"]),
    (_set("claim_drifts", 0, scoped_manifest_id=SENTINEL), ["D-INV-2 /claim_drifts/0/scoped_manifest_id"]),
    (_set("claim_drifts", 0, scoped_manifest_id=[]), []),
    (_set("claim_drifts", 1, manifest_claim_id="C-001"), ["D-INV-2 /claim_drifts/1/manifest_claim_id"]),
    (_set("claim_drifts", 1, section_path=None), ["D-INV-2 /claim_drifts/1/section_path"]),
    (_set("claim_drifts", 1, section_path=""), ["D-INV-2 /claim_drifts/1/section_path"]),
    (_set("claim_drifts", 1, section_path=...), ["D-INV-2 /claim_drifts/1/drift_kind"]),
    (_set("claim_drifts", 1, section_path=3, manifest_claim_id=4), []),
    (_set("claim_drifts", 1, drift_kind="SIDEWAYS", section_path=None), []),
    (_set("claim_drifts", 1, rule_version="D4-c-v1"), ["D-INV-3 /claim_drifts/1/rule_version"]),
    (_set("claim_drifts", 1, claim_text="Another 30% walked."), ["D-INV-4 /claim_drifts/1/claim_text"]),
    (_set("claim_drifts", 1, claim_text="another 30% walked."), []),
    # CV-INV
    (
        _again("constraint_violations", 0, claim_text="Fares rose."),
        ["CV-INV-1 /constraint_violations/2/finding_id"],
    ),
    (
        _set("constraint_violations", 0, violated_constraint_id="MNC-9"),
        ["CV-INV-2 /constraint_violations/0/violated_constraint_id"],
    ),
    (
        _set("constraint_violations", 0, violated_constraint_id="nonsense"),
        ["CV-INV-2 /constraint_violations/0/violated_constraint_id"],
    ),
    (
        _set("constraint_violations", 0, scoped_manifest_id=SENTINEL),
        ["CV-INV-2 /constraint_violations/0/scoped_manifest_id"],
    ),
    (_set("constraint_violations", 0, scoped_manifest_id=[], violated_constraint_id={}), []),
    (
        _set("constraint_violations", 1, manifest_claim_id="C-002"),
        [
            "CV-INV-2 /constraint_violations/1/manifest_claim_id",
            "CV-INV-3 /constraint_violations/1/manifest_claim_id",
        ],
    ),
    (
        _set("constraint_violations", 1, manifest_claim_id=...),
        [
            "CV-INV-2 /constraint_violations/1/violated_constraint_id",
            "CV-INV-3 /constraint_violations/1/violated_constraint_id",
        ],
    ),
    (_set("constraint_violations", 1, manifest_claim_id=9), []),
    (
        _set("constraint_violations", 0, manifest_claim_id="C-001"),
        ["CV-INV-3 /constraint_violations/0/manifest_claim_id"],
    ),
    (_again("constraint_violations", 0, finding_id="CV-009"), ["CV-INV-4 /constraint_violations/2"]),
    (_again("constraint_violations", 0, finding_id="CV-009", section_path="4. Outlook"), []),
    # UAF-INV
    (
        _again("uncited_audit_failures", 0, claim_text="Riders liked the seats."),
        ["UAF-INV-1 /uncited_audit_failures/1/finding_id"],
    ),
    (
        _set("uncited_audit_failures", 0, scoped_manifest_id=SENTINEL, manifest_claim_id="C-404"),
        ["UAF-INV-2 /uncited_audit_failures/0/scoped_manifest_id"],
    ),
    (
        _set("uncited_audit_failures", 0, manifest_claim_id="C-002"),
        ["UAF-INV-3 /uncited_audit_failures/0/manifest_claim_id"],
    ),
    (_set("uncited_audit_failures", 0, manifest_claim_id=5), []),
    (_again("uncited_audit_failures", 0, finding_id="UAF-009"), ["UAF-INV-4 /uncited_audit_failures/1"]),
    (
        _set("uncited_audit_failures", 0, rationale="judge_timeout: late"),
        ["UAF-INV-5 /uncited_audit_failures/0/rationale"],
    ),
    (_set("uncited_audit_failures", 0, rationale="odd", fault_class="odd"), []),
    (
        lambda passport: passport["uncited_audit_failures"].append(
            failure_row(
                finding_id="UAF-002",
                claim_text="Fares fell as well.",
                scoped_manifest_id=MANIFEST,
                section_path="3. Discussion",
            )
        ),
        ["UAF-INV-6 /uncited_audit_failures/1"],
    ),
    # S-INV
    (_set("audit_sampling_summaries", 0, audited_count=2), ["S-INV-1 /audit_sampling_summaries/0/audited_count"]),
    (_set("audit_sampling_summaries", 0, audited_count=3.0), []),
    (_set("audit_sampling_summaries", 0, audited_count=True), []),
    (
        _set("audit_sampling_summaries", 0, max_claims_per_paper=2),
        ["S-INV-2 /audit_sampling_summaries/0/audited_count"],
    ),
    (
        _set("audit_sampling_summaries", 0, total_citation_count=2),
        ["S-INV-2 /audit_sampling_summaries/0/audited_count"],
    ),
    (_set("audit_sampling_summaries", 0, total_citation_count="2"), []),
    (
        _set("audit_sampling_summaries", 0, audited_indices=[0, 5, 5]),
        ["S-INV-4 /audit_sampling_summaries/0/audited_indices/2"],
    ),
    (
        _set("audit_sampling_summaries", 0, audited_indices=[5, "x", 2]),
        ["S-INV-4 /audit_sampling_summaries/0/audited_indices/2"],
    ),
    (_set("audit_sampling_summaries", 0, audited_indices=["5", [], None]), []),
    # EP-INV
    (_again("experiment_provenance", 0), ["EP-INV-1 /experiment_provenance/1/experiment_id"]),
    (
        _claim_with(1, 0, planned_experiment_ids=["exp-late-1", "exp-404", 7]),
        [f"EP-INV-2 {M1}/claims/0/planned_experiment_ids/1"],
    ),
    (_claim_with(1, 0, planned_experiment_ids="exp-404"), []),
    (
        _claim_with(0, 1, planned_experiment_ids=[]),
        [f"EP-INV-3 {M0}/claims/1/intended_evidence_kind"],
    ),
    (_without_experiments, [f"EP-INV-4 {DECLARATION}/status"]),
    (_both(_without_experiments, _declare_with(status="no_experiments_declared")), []),
    (_both(_without_experiments, _declare_with(status="legacy_unknown")), []),
    (_declare_with(status="no_experiments_declared"), [f"EP-INV-4 {DECLARATION}/status"]),
    (_declare(None), []),
    (_declare([]), [f"EP-INV-5 {DECLARATION}"]),
    (
        _declare({"status": [], "declared_by": "agent", "declared_at": ""}),
        [
            f"EP-INV-5 {DECLARATION}/declared_at",
            f"EP-INV-5 {DECLARATION}/declared_by",
            f"EP-INV-5 {DECLARATION}/status",
        ],
    ),
    # EA-INV
    (_again("experiment_alignment_results", 0), ["EA-INV-1 /experiment_alignment_results/1/finding_id"]),
    (
        _set("experiment_alignment_results", 0, claim_id="C-002", experiment_id="exp-404"),
        [
            "EA-INV-2 /experiment_alignment_results/0/claim_id",
            "EA-INV-2 /experiment_alignment_results/0/experiment_id",
        ],
    ),
    (
        _set("experiment_alignment_results", 0, scoped_manifest_id=SENTINEL),
        ["EA-INV-2 /experiment_alignment_results/0/scoped_manifest_id"],
    ),
    (_set("experiment_alignment_results", 0, claim_id=0, experiment_id=None), []),
]


@pytest.mark.parametrize(("change", "expected"), ELSEWHERE)
def test_other_rows(change: Change, expected: list[str]) -> None:
    passport = clean()
    change(passport)
    assert [f"{code} {pointer}" for code, pointer in reported(passport)] == expected


def _draft(text: str, *, headings: tuple[str, ...] = ()) -> Draft:
    spans = [(heading, Span(text.index(heading), text.index(heading) + len(heading))) for heading in headings]
    return Draft(
        source=TextSource("draft.md", text),
        front_matter={},
        prose=text,
        headings=tuple(Heading(2, heading, span) for heading, span in spans),
        sentences=(),
        citations=(),
        footnotes={},
        directives=(),
        manifests=(),
        notes=(),
    )


REPORT = "AI Self-Reflection Report"
SAMPLED = "[CLAIM-AUDIT-SAMPLED — 3/8 audited]"


def _announced(draft: Draft, *others: Draft, passport: Json | None = None) -> list[tuple[str, int, int]]:
    """(code, line, column) of what the rules on workspaces report of a draft."""
    joined = passport_of(clean() if passport is None else passport)
    workspace = Workspace(draft, joined, companions=others)
    outcome = check_workspace(workspace, dispatch(INVARIANTS))
    assert outcome.failures == ()
    return [(each.code, each.range.line, each.range.column) for each in outcome.findings]


def test_an_annotated_draft_without_the_sampling_annotation_is_reported_where_it_is_annotated() -> None:
    draft = _draft("Buses run late.\n\nThey run [UNCITED-ASSERTION] early.\n")
    assert _announced(draft) == [("S-INV-3", 3, 10)]


def test_a_report_without_the_sampling_annotation_is_reported_at_its_heading() -> None:
    assert _announced(_draft(f"## {REPORT}\n", headings=(REPORT,))) == [("S-INV-3", 1, 4)]


def test_the_sampling_annotation_may_stand_in_any_draft_of_the_passport() -> None:
    annotated = _draft("They run [LOW-WARN-CLAIM-DRIFT — kind=EMITTED_NOT_INTENDED] early.\n")
    assert _announced(_draft(f"[CLAIM-AUDIT-AMBIGUOUS] and {SAMPLED}\n")) == []
    assert _announced(annotated, _draft(f"{SAMPLED}\n")) == []
    assert _announced(annotated, _draft("[CLAIM-AUDIT-SAMPLED — 2/8 audited]\n")) == [("S-INV-3", 1, 10)]


def test_a_draft_without_annotations_and_an_audit_of_all_citations_are_not_asked() -> None:
    assert _announced(_draft("A reader [sic] writes of HIGH-WARN and CLAIM-AUDIT.\n")) == []
    annotated = _draft("They run [HIGH-WARN-CLAIM-NOT-SUPPORTED] early.\n")
    assert _announced(annotated, passport={}) == []
    whole = clean()
    whole["audit_sampling_summaries"][0].update(total_citation_count=3)
    assert _announced(annotated, passport=whole) == []


def test_a_draft_without_a_passport_is_not_asked() -> None:
    draft = _draft("They run [HIGH-WARN-CLAIM-NOT-SUPPORTED] early.\n")
    assert check_workspace(Workspace(draft), dispatch(INVARIANTS)).findings == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (True, "true"),
        (4.5, "4.5"),
        (10**30, "a huge number"),
        (["x"], "an array"),
        ({}, "an object"),
        ('a "b"\n\x1b[31m', '"a \\"b\\" \\u001b[31m"'),
        ("é" * 100, '"' + "é" * 59 + '…"'),
    ],
)
def test_values_are_shown_as_short_json(value: object, expected: str) -> None:
    assert shown(value) == expected


def test_every_invariant_but_the_one_on_drafts_has_a_case() -> None:
    named = {each.split(" ")[0] for _, expected in (*AUDIT, *ELSEWHERE) for each in expected}
    assert {rule.code for rule in INVARIANTS} - named == {"S-INV-3"}


def test_a_part_that_is_no_string_counts_as_empty_in_violations() -> None:
    rows = [
        violation_row(scoped_manifest_id=[], claim_text=1),
        violation_row(finding_id="CV-002", scoped_manifest_id=None, claim_text={}),
    ]
    assert reported({**clean(), "constraint_violations": rows}) == [("CV-INV-4", "/constraint_violations/1")]


def test_the_later_of_two_rows_is_reported_and_the_first_is_related() -> None:
    first = {"uncited_assertions": [clean()["uncited_assertions"][1]]}
    outcome = check(passport_of(first, first))
    [finding] = outcome.findings
    assert (finding.code, finding.path) == ("U-INV-1", "1-passport.json")
    assert [(each.path, each.message) for each in finding.related] == [
        ("0-passport.json", "first row with this id")
    ]


def test_a_claim_resolves_in_another_file_of_the_passport() -> None:
    whole = clean()
    manifests = {"claim_intent_manifests": whole.pop("claim_intent_manifests")}
    assert reported(passport_of(whole, manifests)) == []


def test_claims_resolve_in_every_manifest_of_one_id() -> None:
    passport = clean()
    passport["claim_intent_manifests"][1]["manifest_id"] = MANIFEST
    passport["experiment_alignment_results"][0]["scoped_manifest_id"] = MANIFEST
    passport["claim_intent_manifests"][1]["claims"][0]["claim_id"] = "C-777"
    passport["experiment_alignment_results"][0]["claim_id"] = "C-777"
    passport["uncited_audit_failures"] = []
    assert reported(passport) == [("M-INV-4", "/claim_intent_manifests/1/manifest_id")]


def test_each_declaration_is_held_against_the_whole_passport() -> None:
    part = {"experiment_intake_declaration": clean()["experiment_intake_declaration"]}
    assert reported(passport_of(part, clean())) == []
    assert reported(passport_of(part, {})) == [("EP-INV-4", "/experiment_intake_declaration/status")]


def test_equal_faults_of_one_writer_share_a_cause_and_others_do_not() -> None:
    rows = [
        audit_row(defect_stage="metadata", claim_text="One."),
        audit_row(defect_stage="citation_anchor", claim_text="Two."),
        audit_row(defect_stage="metadata", upstream_owner_agent="synthesis_agent"),
        audit_row(violated_constraint_id="MNC-1"),
    ]
    found = check({**clean(), "claim_audit_results": rows}).findings
    causes = [finding.cause for finding in found if finding.code == "INV-1"]
    assert causes == [causes[0], causes[0], causes[2], causes[3]]
    assert len(set(causes)) == 3


def test_messages_say_the_values_and_what_to_write() -> None:
    messages = {
        finding.message
        for changes in (
            {"defect_stage": "metadata", "audit_status": "inconclusive"},
            {"claim_id": "C-404"},
            {"anchor_value": "%20"},
        )
        for finding in check({**clean(), "claim_audit_results": [audit_row(**changes)]}).findings
        if finding.code in ("INV-1", "INV-15", "INV-16")
    }
    assert messages == {
        'judgment is SUPPORTED, so defect_stage must be null (is "metadata") and audit_status must be completed '
        '(is "inconclusive")',
        f'manifest {MANIFEST} has no claim "C-404"; write one of its claims (C-001, C-002), or {SENTINEL} for '
        "scoped_manifest_id when no manifest has the claim",
        'anchor_kind is "page", but anchor_value "%20" is blank; write the value, or none for anchor_kind',
    }


def test_messages_stay_short_whatever_the_values_hold() -> None:
    huge: Any = "z\n" * 50_000
    passport = clean()
    passport["claim_audit_results"] = [
        audit_row(claim_id=huge),
        audit_row(judgment=huge, **{key: value for key, value in FAILED.items() if key != "judgment"}),
        audit_row(**{**VIOLATED, "judgment": huge}),
        audit_row(anchor_kind=huge, anchor_value=""),
    ]
    passport["constraint_violations"] = [violation_row(violated_constraint_id=huge)]
    passport["claim_intent_manifests"].append({"manifest_id": huge, "claims": [{"claim_id": huge}]})
    passport["claim_intent_manifests"].append({"manifest_id": huge})
    findings = check(passport).findings
    assert {finding.code for finding in findings} >= {"INV-15", "INV-8", "INV-10", "CV-INV-2", "M-INV-4"}
    assert max(len(finding.message) for finding in findings) < 600
    assert not any("\n" in finding.message for finding in findings)
    assert max(len(finding.cause) for finding in findings) < 200


def _large(size: int) -> Json:
    """A clean passport with ``size`` claims in one manifest and as many rows that name them."""
    manifest = clean()["claim_intent_manifests"][0]
    ids = [f"{index:05}" for index in range(size)]
    manifest["claims"] = [
        {
            "claim_id": f"C-{each}",
            "intended_evidence_kind": "empirical",
            "planned_experiment_ids": [f"exp-{each}"],
            "negative_constraints": [{"constraint_id": f"NC-C{each}-1", "rule": "No."}],
        }
        for each in ids
    ]
    violations = [
        violation_row(
            finding_id=f"CV-{each}",
            claim_text=f"Claim {each}.",
            violated_constraint_id=f"NC-C{each}-1",
            manifest_claim_id=f"C-{each}",
        )
        for each in ids
    ]
    return {
        "claim_intent_manifests": [manifest],
        "claim_audit_results": [audit_row(claim_id=f"C-{each}") for each in ids],
        "uncited_assertions": [{"finding_id": f"UA-{each}", "sentence_text": each} for each in ids],
        "claim_drifts": [{"finding_id": f"CD-{each}", "claim_text": f"Not {each}."} for each in ids],
        "constraint_violations": violations,
        "uncited_audit_failures": [
            failure_row(finding_id=f"UAF-{each}", claim_text=each, scoped_manifest_id=MANIFEST) for each in ids
        ],
        "audit_sampling_summaries": [{"audited_count": size, "audited_indices": list(range(size))}],
        "experiment_provenance": [{"experiment_id": f"exp-{each}"} for each in ids],
    }


def _calls(document: Json) -> int:
    """How many functions are called while a passport is checked."""
    passport = passport_of(document)
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        outcome = check(passport)
    finally:
        sys.setprofile(before)
    assert outcome.findings == ()
    return count


def test_the_cost_is_linear_in_rows_and_claims() -> None:
    assert _calls(_large(400)) < 2.1 * _calls(_large(200))
