"""The recorded scenarios of the contract: rows, annotations and the gate decision, fresh and from the cache."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import AuditConfig
from claimlint.audit.judges.replay import read_replay
from claimlint.audit.preparing import prepare
from claimlint.audit.retrieval.replay import load
from claimlint.audit.running import execute
from claimlint.audit.write_back import write_back
from claimlint.documents.passport import FAULTS, SENTINEL, Passport, join
from claimlint.documents.reader import read_passport_text
from claimlint.engine import check_passport, dispatch
from claimlint.findings import Severity
from claimlint.gate import refuses
from tests.passport_samples import INVARIANTS, rules_in

from .make import ambient, workspace

CASES = Path(__file__).parents[3] / "shared" / "conformance" / "audit.json"
Rows = dict[str, list[list[object]]]


def scenarios() -> list[dict[str, Any]]:
    if not CASES.exists():
        return []
    found: list[dict[str, Any]] = json.loads(CASES.read_text("utf-8"))
    return found


def test_the_scenarios_are_here() -> None:
    if not CASES.exists() and not os.environ.get("CI"):
        pytest.skip(f"{CASES} is not on this machine")
    assert len(scenarios()) == 25


def _begins(row: dict[str, Any]) -> str | None:
    rationale = row["rationale"]
    if row["anchor_kind"] == "none":
        return "v3.7.3 R-L3-1-A violation" if rationale.startswith("v3.7.3 R-L3-1-A violation:") else rationale
    if row["ref_retrieval_method"] == "audit_tool_failure":
        fault = rationale.partition(":")[0]
        return fault if fault in FAULTS else rationale
    return None


def _claim_row(row: dict[str, Any]) -> list[object]:
    bound = row["scoped_manifest_id"] != SENTINEL
    return [
        row["claim_text"],
        row["ref_slug"],
        row["anchor_kind"],
        row["anchor_value"],
        row["judgment"],
        row["audit_status"],
        row["defect_stage"],
        row["ref_retrieval_method"],
        row["violated_constraint_id"],
        len(row.get("sub_claim_breakdown", [])),
        row["scoped_manifest_id"],
        row["claim_id"] if bound else None,
        _begins(row),
    ]


def compared(rows: dict[str, list[dict[str, Any]]]) -> Rows:
    """The rows in the form in which the scenarios list them."""
    return {
        "claim_audit_results": [_claim_row(row) for row in rows["claim_audit_results"]],
        "uncited_assertions": sorted(
            [row["sentence_text"], row["trigger_tokens"], row["manifest_claim_id"]]
            for row in rows["uncited_assertions"]
        ),
        "claim_drifts": sorted(
            [row["drift_kind"], row["claim_text"], row["manifest_claim_id"] or "", row["scoped_manifest_id"] or ""]
            for row in rows["claim_drifts"]
        ),
        "constraint_violations": sorted(
            [row["claim_text"], row["violated_constraint_id"], row["scoped_manifest_id"]]
            for row in rows["constraint_violations"]
        ),
        "uncited_audit_failures": sorted(
            [row["claim_text"], row["scoped_manifest_id"], row["fault_class"], row["manifest_claim_id"] or ""]
            for row in rows["uncited_audit_failures"]
        ),
        "audit_sampling_summaries": [
            [
                row["max_claims_per_paper"],
                row["total_citation_count"],
                row["audited_count"],
                row["audited_indices"],
            ]
            for row in rows["audit_sampling_summaries"]
        ],
    }


def annotations(passport: Passport) -> list[str]:
    found = check_passport(passport, dispatch(rules_in(["gate"])), path="passport.json")
    return sorted(each.annotation for each in found.findings if each.annotation is not None)


def check_contract(passport: Passport) -> None:
    found = check_passport(
        passport, dispatch((*INVARIANTS, *rules_in(["schema", "matrix"]))), path="passport.json"
    )
    assert [f"{each.code} {each.message}" for each in found.findings if each.severity >= Severity.ERROR] == []


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda each: str(each["id"]))
def test_a_scenario_gives_its_rows_annotations_and_decision(scenario: dict[str, Any], tmp_path: Path) -> None:
    for name in ("replies", "retrievals", "passport"):
        (tmp_path / f"{name}.json").write_text(json.dumps(scenario[name]), "utf-8")
    judge = read_replay(str(tmp_path / "replies.json"))
    read = join([read_passport_text(json.dumps(scenario["passport"]), "passport.json")])
    expected = {name: scenario["expected"][name] for name in compared(_none())}
    for calls in ("some", "none"):
        prepared = prepare(
            workspace(scenario["draft"], read),
            AuditConfig(max_claims=scenario["max_claims_per_paper"]),
            [load(str(tmp_path / "retrievals.json"))],
            judge.model,
            VerdictCache(tmp_path / "cache"),
            ambient=ambient(),
        )
        outcome = execute(prepared, judge)
        assert compared(outcome.aggregates()) == expected, calls  # type: ignore[arg-type]
        if calls == "none":
            failed = outcome.counts.failed + outcome.counts.sentences_failed
            assert outcome.counts.calls <= failed
    report = write_back([tmp_path / "passport.json"], outcome.aggregates(), validate=lambda _texts: ())
    written = join([read_passport_text(report.path.read_text("utf-8"), "passport.json")])
    check_contract(written)
    assert annotations(written) == sorted(scenario["expected"]["annotations"])
    assert refuses(written) is scenario["expected"]["gate_refuse"]


def _none() -> dict[str, list[dict[str, Any]]]:
    return {
        name: []
        for name in (
            "claim_audit_results",
            "uncited_assertions",
            "claim_drifts",
            "constraint_violations",
            "uncited_audit_failures",
            "audit_sampling_summaries",
        )
    }
