"""Verdicts and failures as passport rows (contract, sections 2 and 7, step 6).

Every function returns a new row with its keys in the contract's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.audit.types import (
    CONSTRAINTS_NOT_CHECKED,
    METHOD_FAILED,
    METHOD_NOT_ATTEMPTED,
    METHOD_NOT_FOUND,
    METHOD_TOOL_FAILURE,
)
from claimlint.audit.verdict import COMPLETED, Verdict, sub_claims, untagged
from claimlint.audit.words import cut, scrub, tagged

if TYPE_CHECKING:
    from claimlint.audit.binding import Bound, Scope
    from claimlint.audit.citations import AuditCitation

RowData = dict[str, object]

RETRIEVAL_FAILED = "RETRIEVAL_FAILED"
INCONCLUSIVE = "inconclusive"
NOT_APPLICABLE = "not_applicable"
NO_ANCHOR_PREFIX = "v3.7.3 R-L3-1-A violation:"
"""How the rationale of a citation without a usable anchor begins (INV-6)."""

_NO_SECTION = "(no section)"


@dataclass(frozen=True, slots=True)
class Run:
    """What all rows of one audit share: its id, its time, and the configured judge model."""

    audit_run_id: str
    started_at: str
    judge_model: str


def anchorless(citation: AuditCitation, scope: Scope, run: Run) -> RowData:
    """The row of a citation without a usable anchor."""
    rationale = f"{NO_ANCHOR_PREFIX} {citation.flaw}; the claim cannot be checked against its source"
    return _failure(citation, scope, run, METHOD_NOT_ATTEMPTED, cut(scrub(rationale)))


def unretrieved(
    citation: AuditCitation,
    scope: Scope,
    run: Run,
    *,
    method: str,
    fault: str | None,
    detail: str,
    constrained: bool,
) -> RowData:
    """The row of a citation whose source could not be had.

    ``method`` is failed, not_found or audit_tool_failure; ``fault`` is given with the last. ``constrained``
    says that constraints were active, which nobody has checked then.
    """
    said = untagged(scrub(detail))
    if method == METHOD_FAILED:
        rationale = f"the full text of the source could not be had: {said or 'access is restricted'}"
    elif method == METHOD_NOT_FOUND:
        rationale = f"no index knows the cited source: {said or 'it seems not to exist'}"
    else:
        rationale = fault_rationale(fault or "retrieval_api_error", said)
    row = _failure(
        citation, scope, run, method, tagged(rationale, CONSTRAINTS_NOT_CHECKED if constrained else None)
    )
    if method == METHOD_NOT_FOUND:
        row["audit_status"] = COMPLETED
        row["defect_stage"] = "retrieval_existence"
    return row


def unjudged(citation: AuditCitation, scope: Scope, run: Run, *, fault: str, detail: str) -> RowData:
    """The row of a citation that no verdict was given on: the judge failed, or the cache did."""
    return _failure(citation, scope, run, METHOD_TOOL_FAILURE, cut(fault_rationale(fault, detail)))


def judged(
    citation: AuditCitation,
    scope: Scope,
    run: Run,
    verdict: Verdict,
    *,
    method: str,
    tags: Sequence[str | None],
    judgment: str,
    defect_stage: str | None,
) -> RowData:
    """The row of a verdict. ``judgment`` and ``defect_stage`` are the verdict's, or what a setting made of it."""
    row = _row(
        citation,
        scope,
        run,
        judgment=judgment,
        status=COMPLETED,
        stage=defect_stage,
        rationale=tagged(verdict.rationale, *tags),
        model=verdict.judge_model,
        run_at=verdict.judge_run_at,
        method=method,
        violated=verdict.violated,
    )
    if verdict.breakdown:
        row["sub_claim_breakdown"] = sub_claims(verdict.breakdown)
    return row


def fault_rationale(fault: str, detail: str) -> str:
    """The rationale of a failure: the fault, a colon, and what happened."""
    return f"{fault}: {untagged(scrub(detail)) or 'no details were given'}"


def _failure(citation: AuditCitation, scope: Scope, run: Run, method: str, rationale: str) -> RowData:
    return _row(
        citation,
        scope,
        run,
        judgment=RETRIEVAL_FAILED,
        status=INCONCLUSIVE,
        stage=NOT_APPLICABLE,
        rationale=rationale,
        model=run.judge_model,
        run_at=run.started_at,
        method=method,
        violated=None,
    )


def _row(
    citation: AuditCitation,
    scope: Scope,
    run: Run,
    *,
    judgment: str,
    status: str,
    stage: str | None,
    rationale: str,
    model: str,
    run_at: str,
    method: str,
    violated: str | None,
) -> RowData:
    return {
        "claim_id": scope.claim_id,
        "scoped_manifest_id": scope.written,
        "claim_text": citation.claim_text,
        "ref_slug": citation.slug,
        "anchor_kind": citation.kind,
        "anchor_value": citation.value,
        "judgment": judgment,
        "audit_status": status,
        "defect_stage": stage,
        "rationale": rationale,
        "judge_model": model,
        "judge_run_at": run_at,
        "ref_retrieval_method": method,
        "upstream_owner_agent": scope.owner,
        "violated_constraint_id": violated,
        "audit_run_id": run.audit_run_id,
    }


def uncited_assertion(
    number: int, text: str, section_path: str, tokens: Sequence[str], bound: Bound | None, run: Run
) -> RowData:
    """The row of a sentence that asserts something and names no source."""
    return {
        "finding_id": f"UA-{number:03d}",
        "sentence_text": cut(text),
        "section_path": section_path or _NO_SECTION,
        "trigger_tokens": list(tokens),
        "detected_at": run.started_at,
        "rule_version": "D4-c-v1",
        "upstream_owner_agent": None if bound is None else bound.owner,
        "manifest_claim_id": None if bound is None else bound.claim_id,
        "scoped_manifest_id": None if bound is None else bound.manifest_id,
    }


def emitted_not_intended(number: int, text: str, section_path: str, run: Run) -> RowData:
    """The drift row of a cited claim that no manifest has."""
    return {
        "finding_id": f"CD-{number:03d}",
        "drift_kind": "EMITTED_NOT_INTENDED",
        "claim_text": cut(text),
        "detected_at": run.started_at,
        "rule_version": "D4-a-v1",
        "manifest_claim_id": None,
        "scoped_manifest_id": None,
        "section_path": section_path or _NO_SECTION,
        "upstream_owner_agent": None,
    }


def intended_not_emitted(number: int, bound: Bound, text: str, run: Run) -> RowData:
    """The drift row of a manifest claim that the draft does not cite a source for."""
    return {
        "finding_id": f"CD-{number:03d}",
        "drift_kind": "INTENDED_NOT_EMITTED",
        "claim_text": cut(text),
        "detected_at": run.started_at,
        "rule_version": "D4-a-v1",
        "manifest_claim_id": bound.claim_id,
        "scoped_manifest_id": bound.manifest_id,
        "section_path": None,
        "upstream_owner_agent": bound.owner,
    }


def constraint_violation(
    number: int,
    text: str,
    section_path: str,
    verdict: Verdict,
    *,
    manifest_id: str,
    claim_id: str | None,
    owner: str | None,
) -> RowData:
    """The row of a sentence without a citation that breaks a constraint.

    ``claim_id`` is the claim that the constraint stands under; None for a manifest's constraint.
    """
    return {
        "finding_id": f"CV-{number:03d}",
        "claim_text": text,
        "section_path": section_path or _NO_SECTION,
        "violated_constraint_id": verdict.violated,
        "scoped_manifest_id": manifest_id,
        "judge_verdict": "VIOLATED",
        "rationale": verdict.rationale,
        "judge_model": verdict.judge_model,
        "judge_run_at": verdict.judge_run_at,
        "rule_version": "D4-a-v1",
        "manifest_claim_id": claim_id,
        "upstream_owner_agent": owner,
    }


def uncited_failure(
    number: int,
    text: str,
    section_path: str,
    run: Run,
    *,
    fault: str,
    detail: str,
    manifest_id: str,
    claim_id: str | None,
    owner: str | None,
) -> RowData:
    """The row of a sentence without a citation that no verdict was given on."""
    return {
        "finding_id": f"UAF-{number:03d}",
        "claim_text": text,
        "section_path": section_path or _NO_SECTION,
        "scoped_manifest_id": manifest_id,
        "fault_class": fault,
        "rationale": cut(fault_rationale(fault, detail)),
        "judge_model": run.judge_model,
        "judge_run_at": run.started_at,
        "rule_version": "D4-c-v1-uaf-v1",
        "manifest_claim_id": claim_id,
        "upstream_owner_agent": owner,
    }


def sampling_summary(run: Run, *, cap: int, total: int, indices: Sequence[int]) -> RowData:
    """The row that says which citations of a long draft were audited."""
    return {
        "audit_run_id": run.audit_run_id,
        "max_claims_per_paper": cap,
        "total_citation_count": total,
        "audited_count": len(indices),
        "audited_indices": list(indices),
        "sampling_strategy": "stratified_buckets_v1",
        "emitted_at": run.started_at,
    }
