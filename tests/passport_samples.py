"""A clean passport with a row of every kind, and the short ways in which tests run rules on passports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy
from importlib import import_module
from typing import Any

from claimlint.documents.passport import Passport, join
from claimlint.documents.reader import read_passport_text
from claimlint.engine import Outcome, check_passport, dispatch
from claimlint.rules import Rule, rules_of

Json = dict[str, Any]

MANIFEST = "M-2026-09-01T07:45:00Z-7d01"
OTHER_MANIFEST = "M-2026-09-02T07:45:00Z-7d02"
SENTINEL = "M-0000-00-00T00:00:00Z-0000"

INVARIANT_MODULES = (
    "claim_audit_results",
    "manifests",
    "uncited_assertions",
    "claim_drifts",
    "constraint_violations",
    "uncited_audit_failures",
    "sampling",
    "experiment_provenance",
    "experiment_alignment",
)


def rules_in(modules: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of some modules of ``claimlint_rules``."""
    return tuple(rule for name in modules for rule in rules_of(import_module(f"claimlint_rules.{name}")))


INVARIANTS = rules_in(INVARIANT_MODULES)


def audit_row(**changes: object) -> Json:
    """A clean SUPPORTED row with some members changed; a change to ``...`` removes the member."""
    row: Json = {
        "claim_id": "C-001",
        "scoped_manifest_id": MANIFEST,
        "claim_text": "The night bus cut waiting times by 12%.",
        "ref_slug": "mbeki2022",
        "anchor_kind": "page",
        "anchor_value": "17",
        "judgment": "SUPPORTED",
        "audit_status": "completed",
        "defect_stage": None,
        "rationale": "Table 2 on page 17 has the same figure.",
        "judge_model": "judge-x",
        "judge_run_at": "2026-09-03T10:00:05Z",
        "ref_retrieval_method": "api",
        "upstream_owner_agent": "draft_writer_agent",
        "audit_run_id": "2026-09-03T10:00:00Z-c0de",
    }
    return changed(row, changes)


def changed(row: Json, changes: Json) -> Json:
    """A copy of a row with members set, or removed where the new value is ``...``."""
    merged = {**deepcopy(row), **changes}
    return {key: value for key, value in merged.items() if value is not ...}


UNSUPPORTED: Json = {"judgment": "UNSUPPORTED", "defect_stage": "source_description"}
AMBIGUOUS: Json = {"judgment": "AMBIGUOUS", "defect_stage": "citation_anchor"}
VIOLATED: Json = {
    "judgment": "UNSUPPORTED",
    "defect_stage": "negative_constraint_violation",
    "violated_constraint_id": "MNC-1",
}
UNJUDGED: Json = {
    "judgment": "RETRIEVAL_FAILED",
    "audit_status": "inconclusive",
    "defect_stage": "not_applicable",
}
FAILED: Json = {**UNJUDGED, "ref_retrieval_method": "failed", "rationale": "Behind a paywall."}
TOOL_FAILURE: Json = {
    **UNJUDGED,
    "ref_retrieval_method": "audit_tool_failure",
    "rationale": "judge_timeout: no answer in 60 s",
}
ANCHORLESS: Json = {
    **UNJUDGED,
    "anchor_kind": "none",
    "anchor_value": "",
    "ref_retrieval_method": "not_attempted",
    "rationale": "v3.7.3 R-L3-1-A violation: the citation has no anchor.",
}
NOT_FOUND: Json = {
    "judgment": "RETRIEVAL_FAILED",
    "audit_status": "completed",
    "defect_stage": "retrieval_existence",
    "ref_retrieval_method": "not_found",
    "rationale": "No index knows this reference.",
}
BREAKDOWN: Json = {
    **UNSUPPORTED,
    "sub_claim_breakdown": [
        {"sub_claim_text": "waiting times fell", "sub_verdict": "SUPPORTED", "evidence_pointer": "p. 17"},
        {"sub_claim_text": "by 12%", "sub_verdict": "UNSUPPORTED"},
    ],
}


def clean() -> Json:
    """A passport with every kind of row that breaks no invariant."""
    return {
        "claim_intent_manifests": [
            {
                "manifest_version": "1.0",
                "manifest_id": MANIFEST,
                "emitted_by": "draft_writer_agent",
                "emitted_at": "2026-09-01T07:45:00Z",
                "claims": [
                    {
                        "claim_id": "C-001",
                        "claim_text": "The night bus cut waiting times by 12%.",
                        "intended_evidence_kind": "empirical",
                        "planned_refs": ["mbeki2022"],
                        "negative_constraints": [
                            {"constraint_id": "NC-C001-1", "rule": "Do not name a cause."},
                        ],
                    },
                    {
                        "claim_id": "C-002",
                        "claim_text": "By night bus we mean line 12 after ten.",
                        "intended_evidence_kind": "definitional",
                        "planned_refs": [],
                    },
                ],
                "manifest_negative_constraints": [
                    {"constraint_id": "MNC-1", "rule": "Say nothing about fares."},
                ],
            },
            {
                "manifest_version": "1.0",
                "manifest_id": OTHER_MANIFEST,
                "emitted_by": "synthesis_agent",
                "emitted_at": "2026-09-02T07:45:00Z",
                "claims": [
                    {
                        "claim_id": "C-001",
                        "claim_text": "In our model the last bus was 3 minutes late.",
                        "intended_evidence_kind": "empirical",
                        "planned_refs": [],
                        "planned_experiment_ids": ["exp-late-1"],
                    },
                ],
                "manifest_negative_constraints": [],
            },
        ],
        "claim_audit_results": [
            audit_row(),
            audit_row(**AMBIGUOUS),
            audit_row(**BREAKDOWN),
            audit_row(**VIOLATED),
            audit_row(**NOT_FOUND, claim_id="C-077", scoped_manifest_id=SENTINEL),
            audit_row(**ANCHORLESS),
            audit_row(**FAILED),
            audit_row(**TOOL_FAILURE),
        ],
        "uncited_assertions": [
            {
                "finding_id": "UA-001",
                "sentence_text": "Most riders observed fewer gaps.",
                "section_path": "2. Results",
                "trigger_tokens": ["most", "observed"],
                "detected_at": "2026-09-03T10:01:00Z",
                "rule_version": "D4-c-v1",
                "upstream_owner_agent": None,
                "manifest_claim_id": "C-002",
                "scoped_manifest_id": MANIFEST,
            },
            {
                "finding_id": "UA-002",
                "sentence_text": "Another 30% walked.",
                "section_path": "2. Results",
                "trigger_tokens": ["30%"],
                "detected_at": "2026-09-03T10:01:00Z",
                "rule_version": "D4-c-v1",
            },
        ],
        "claim_drifts": [
            {
                "finding_id": "CD-001",
                "drift_kind": "INTENDED_NOT_EMITTED",
                "claim_text": "By night bus we mean line 12 after ten.",
                "manifest_claim_id": "C-002",
                "scoped_manifest_id": MANIFEST,
                "detected_at": "2026-09-03T10:01:00Z",
                "rule_version": "D4-a-v1",
            },
            {
                "finding_id": "CD-002",
                "drift_kind": "EMITTED_NOT_INTENDED",
                "claim_text": "Every town should run one.",
                "section_path": "3. Discussion",
                "detected_at": "2026-09-03T10:01:00Z",
                "rule_version": "D4-a-v1",
            },
        ],
        "constraint_violations": [
            violation_row(),
            violation_row(
                finding_id="CV-002",
                claim_text="Bright stops caused the rise.",
                violated_constraint_id="NC-C001-1",
                manifest_claim_id="C-001",
            ),
        ],
        "uncited_audit_failures": [failure_row()],
        "audit_sampling_summaries": [
            {
                "audit_run_id": "2026-09-03T10:00:00Z-c0de",
                "max_claims_per_paper": 3,
                "total_citation_count": 8,
                "audited_count": 3,
                "audited_indices": [0, 2, 5],
                "sampling_strategy": "stratified_buckets_v1",
                "emitted_at": "2026-09-03T10:00:00Z",
            }
        ],
        "experiment_provenance": [
            {
                "experiment_id": "exp-late-1",
                "title": "Bus simulation",
                "repro_lock": {
                    "schema_version": "1.0",
                    "stochasticity_declaration": "seeded",
                    "ars_version": "3.17",
                    "model": {"family": "f", "id": "i", "weight_stable": True},
                    "prompts": {"hash_timing": "skill-load", "skill_md_hash": "a1", "agents_bundle_hash": "b2"},
                    "materials": {"list_hash": "c3", "count": 1},
                    "external_protocols": {"s2_api_protocol_version": "1", "s2_snapshot_available": False},
                    "cross_model": {"enabled": False, "secondary_model_id": None},
                },
                "planned_vs_executed": [{"planned": "lateness", "executed": True, "result_file": "late.csv"}],
                "negative_results": [],
                "known_limitations": [{"description": "one depot"}],
            }
        ],
        "experiment_alignment_results": [
            {
                "finding_id": "EA-001",
                "scoped_manifest_id": OTHER_MANIFEST,
                "claim_id": "C-001",
                "claim_text": "In our model the last bus was 3 minutes late.",
                "experiment_id": "exp-late-1",
                "result_pointer": "late.csv#mean",
                "manuscript_locator": "2. Results",
                "alignment_verdict": "ALIGNED",
                "rationale": "Same figure.",
                "judge_model": "judge-x",
                "judge_run_at": "2026-09-03T10:02:00Z",
                "rule_version": "EA-v1",
            }
        ],
        "experiment_intake_declaration": {
            "status": "experiments_declared",
            "declared_by": "scholar",
            "declared_at": "2026-08-30T09:00:00Z",
        },
    }


def violation_row(**changes: object) -> Json:
    """A clean constraint violation with some members changed; ``...`` removes one."""
    row: Json = {
        "finding_id": "CV-001",
        "claim_text": "Fares fell as well.",
        "section_path": "3. Discussion",
        "violated_constraint_id": "MNC-1",
        "scoped_manifest_id": MANIFEST,
        "judge_verdict": "VIOLATED",
        "rationale": "It speaks of fares.",
        "judge_model": "judge-x",
        "judge_run_at": "2026-09-03T10:02:00Z",
        "rule_version": "D4-a-v1",
    }
    return changed(row, changes)


def failure_row(**changes: object) -> Json:
    """A clean uncited audit failure with some members changed; ``...`` removes one."""
    row: Json = {
        "finding_id": "UAF-001",
        "claim_text": "Riders liked the light.",
        "section_path": "3. Discussion",
        "scoped_manifest_id": OTHER_MANIFEST,
        "fault_class": "judge_api_error",
        "rationale": "judge_api_error: 502 from the endpoint",
        "judge_model": "judge-x",
        "judge_run_at": "2026-09-03T10:02:00Z",
        "rule_version": "D4-c-v1-uaf-v1",
    }
    return changed(row, changes)


def passport_of(*documents: Json, path: str = "passport.json") -> Passport:
    """A passport joined from JSON documents, each read as a file of its own."""
    names = [path] if len(documents) == 1 else [f"{index}-{path}" for index in range(len(documents))]
    return join(
        read_passport_text(json.dumps(document, indent=1), name)
        for name, document in zip(names, documents, strict=True)
    )


def check(document: Json | Passport, rules: tuple[Rule, ...] = INVARIANTS) -> Outcome:
    """What rules find in a passport; a rule that crashes fails the test."""
    passport = document if isinstance(document, Passport) else passport_of(document)
    outcome = check_passport(passport, dispatch(rules), path="passport.json")
    assert [str(failure) for failure in outcome.failures] == []
    return outcome


def reported(document: Json | Passport, rules: tuple[Rule, ...] = INVARIANTS) -> list[tuple[str, str]]:
    """(code, pointer) of every finding, sorted."""
    return sorted((finding.code, finding.pointer or "") for finding in check(document, rules).findings)
