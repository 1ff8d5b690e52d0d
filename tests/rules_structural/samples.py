"""One row of every type, with every key it may have, and passports made of such rows."""

from __future__ import annotations

import copy
from typing import Any

from claimlint.documents.passport import Passport, PassportFile, Row, join
from claimlint.documents.source import JsonSource
from claimlint.rules import Rule, rules_of

Json = dict[str, Any]

MANIFEST_ID = "M-2026-10-05T08:30:00Z-a1b2"
_OWNER = "draft_writer_agent"
_DONE = "2026-10-07T11:00:05Z"

_ROWS: dict[str, Json] = {
    "claim_audit_result": {
        "claim_id": "C-001",
        "scoped_manifest_id": MANIFEST_ID,
        "claim_text": "Queues fell by 18%.",
        "ref_slug": "okafor2024",
        "anchor_kind": "page",
        "anchor_value": "4",
        "judgment": "UNSUPPORTED",
        "audit_status": "completed",
        "defect_stage": "source_description",
        "rationale": "Only the first half is there.",
        "judge_model": "judge-a",
        "judge_run_at": _DONE,
        "ref_retrieval_method": "api",
        "upstream_owner_agent": _OWNER,
        "violated_constraint_id": None,
        "upstream_dispute": "The second half is on page 5.",
        "audit_run_id": "2026-10-07T11:00:00Z-beef",
        "sub_claim_breakdown": [
            {"sub_claim_text": "queues fell", "sub_verdict": "SUPPORTED", "evidence_pointer": "p. 4"},
            {"sub_claim_text": "by 18%", "sub_verdict": "UNSUPPORTED", "evidence_pointer": None},
        ],
    },
    "claim_intent_manifest": {
        "manifest_version": "1.0",
        "manifest_id": MANIFEST_ID,
        "emitted_by": _OWNER,
        "emitted_at": "2026-10-05T08:30:00Z",
        "session_id": "",
        "claims": [
            {
                "claim_id": "C-001",
                "claim_text": "Queues fell by 18%.",
                "intended_evidence_kind": "empirical",
                "planned_refs": [],
                "planned_experiment_ids": ["exp-queue-1", "exp-queue-2"],
                "negative_constraints": [{"constraint_id": "NC-C001-1", "rule": "Name no cause."}],
            }
        ],
        "manifest_negative_constraints": [{"constraint_id": "MNC-1", "rule": "No cost estimates."}],
    },
    "uncited_assertion": {
        "finding_id": "UA-001",
        "sentence_text": "Most nurses observed shorter queues.",
        "section_path": "3. Results",
        "trigger_tokens": ["most", "observed"],
        "detected_at": _DONE,
        "rule_version": "D4-c-v1",
        "upstream_owner_agent": None,
        "manifest_claim_id": "C-001",
        "scoped_manifest_id": MANIFEST_ID,
    },
    "claim_drift": {
        "finding_id": "CD-001",
        "drift_kind": "EMITTED_NOT_INTENDED",
        "claim_text": "Queues vanished overnight.",
        "detected_at": _DONE,
        "rule_version": "D4-a-v1",
        "manifest_claim_id": None,
        "scoped_manifest_id": None,
        "section_path": "3. Results",
        "upstream_owner_agent": _OWNER,
    },
    "constraint_violation": {
        "finding_id": "CV-001",
        "claim_text": "The software caused the drop.",
        "section_path": "4. Discussion",
        "violated_constraint_id": "NC-C001-1",
        "scoped_manifest_id": MANIFEST_ID,
        "judge_verdict": "VIOLATED",
        "rationale": "States a cause.",
        "judge_model": "judge-a",
        "judge_run_at": _DONE,
        "rule_version": "D4-a-v1",
        "manifest_claim_id": "C-001",
        "upstream_owner_agent": _OWNER,
    },
    "uncited_audit_failure": {
        "finding_id": "UAF-001",
        "claim_text": "The clinic saved two million.",
        "section_path": "4. Discussion",
        "scoped_manifest_id": MANIFEST_ID,
        "fault_class": "judge_timeout",
        "rationale": "judge_timeout: no answer in 30 s",
        "judge_model": "judge-a",
        "judge_run_at": _DONE,
        "rule_version": "D4-c-v1-uaf-v1",
        "manifest_claim_id": None,
        "upstream_owner_agent": _OWNER,
    },
    "audit_sampling_summary": {
        "audit_run_id": "2026-10-07T11:00:00Z-beef",
        "max_claims_per_paper": 2,
        "total_citation_count": 4,
        "audited_count": 2,
        "audited_indices": [0, 2],
        "sampling_strategy": "stratified_buckets_v1",
        "emitted_at": _DONE,
    },
    "experiment_provenance": {
        "experiment_id": "exp-queue-1",
        "title": "Queue simulation",
        "description": "",
        "repro_lock": {
            "schema_version": "1.0",
            "stochasticity_declaration": "seeded",
            "ars_version": "3.17",
            "model": {"family": "f", "id": "f-1", "weight_stable": True},
            "prompts": {"hash_timing": "skill-load", "skill_md_hash": "aa", "agents_bundle_hash": "bb"},
            "materials": {"list_hash": "cc", "count": 0},
            "external_protocols": {"s2_api_protocol_version": "1", "s2_snapshot_available": False},
            "cross_model": {"enabled": False, "secondary_model_id": None},
        },
        "planned_vs_executed": [
            {"planned": "mean wait", "executed": True, "result_file": "o.csv", "metric": "wait", "value": 12.5},
            {"planned": "longest wait", "executed": False, "skip_reason": "no data", "value": None},
        ],
        "negative_results": [{"description": "No effect at night.", "result_file": "n.csv"}],
        "known_limitations": [{"description": "One hospital."}],
    },
    "experiment_alignment_result": {
        "finding_id": "EA-001",
        "scoped_manifest_id": MANIFEST_ID,
        "claim_id": "C-004",
        "claim_text": "In our simulation the wait fell by 12.5 minutes.",
        "experiment_id": "exp-queue-1",
        "result_pointer": "o.csv#wait",
        "manuscript_locator": "4. Results",
        "alignment_verdict": "ALIGNED",
        "rationale": "Same figure.",
        "judge_model": "judge-a",
        "judge_run_at": _DONE,
        "rule_version": "EA-v1",
    },
    "experiment_intake_declaration": {
        "status": "experiments_declared",
        "declared_by": "scholar",
        "declared_at": "in October",
    },
    "literature_corpus_entry": {
        "citation_key": "10.1000/queue.2024",
        "title": "Queues",
        "authors": [{"family": "Okafor", "given": "N."}, {"literal": "Ministry of Health"}],
        "year": 2024,
        "source_pointer": "zotero://select/items/ABC",
        "venue": "Journal of Waiting",
        "doi": None,
        "tags": ["read"],
    },
}

ROW_TYPES = tuple(_ROWS)


def good(row_type: str, **changes: Any) -> Json:
    """A new row that fits its schema, with some members changed."""
    return {**copy.deepcopy(_ROWS[row_type]), **changes}


def without(row: Json, *keys: str) -> Json:
    """The row without some of its members."""
    return {key: value for key, value in row.items() if key not in keys}


def passport_of(aggregate: str, *rows: Json) -> Passport:
    """A passport whose one aggregate holds the rows; its places cannot be looked up."""
    source = JsonSource("passport.json", "{}")
    made = tuple(Row(row, source, (aggregate, index)) for index, row in enumerate(rows))
    return join([PassportFile(source, {aggregate: made})])


def only_rule(module: object) -> Rule:
    """The one rule of a module."""
    (found,) = rules_of(module)
    return found
