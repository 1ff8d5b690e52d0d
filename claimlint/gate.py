"""The gate: what each row of a passport is annotated with, and whether the draft may go on (contract, section 8).

Each row of the contract's table is one ``GateEntry``: a pure function from a row to its annotation, or None
when the entry is not about that row. Types are never trusted: a row that can be read as one of a HIGH class
is annotated whatever its other members hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

from claimlint.documents.matrix import DEFECT_STAGES, is_allowed
from claimlint.documents.passport import (
    AUDIT_SAMPLING_SUMMARIES,
    CLAIM_AUDIT_RESULTS,
    CLAIM_DRIFTS,
    CLAIM_INTENT_MANIFESTS,
    CONSTRAINT_VIOLATIONS,
    EXPERIMENT_ALIGNMENT_RESULTS,
    FAULTS,
    SENTINEL,
    UNCITED_ASSERTIONS,
    UNCITED_AUDIT_FAILURES,
    Passport,
    Row,
)
from claimlint.documents.values import fault_of, whole
from claimlint.findings import Severity, code_key

PDF_TAG = "[pdf_read_integrity_unverified]"
"""What a rationale carries when the pages of a PDF could not be trusted (contract, section 7, step 4)."""

AMBIGUOUS = "[CLAIM-AUDIT-AMBIGUOUS]"
ANCHORLESS = "[HIGH-WARN-CLAIM-AUDIT-ANCHORLESS — v3.7.3 R-L3-1-A VIOLATION REACHED AUDIT]"
FABRICATED = "[HIGH-WARN-FABRICATED-REFERENCE]"
MANIFEST_MISSING = "[CLAIM-AUDIT-MANIFEST-MISSING — audit ran without pre-commitment baseline]"
NOT_SUPPORTED = "[HIGH-WARN-CLAIM-NOT-SUPPORTED]"
PDF_UNVERIFIED = "[LOW-WARN-PDF-READ-INTEGRITY-UNVERIFIED]"
PROVENANCE_INSUFFICIENT = "[EXPERIMENT-PROVENANCE-INSUFFICIENT]"
UNCITED = "[UNCITED-ASSERTION]"
UNVERIFIED = "[CLAIM-AUDIT-UNVERIFIED — REFERENCE FULL-TEXT NOT RETRIEVABLE]"
"""The annotations without a part of their own, byte for byte."""

HISTOGRAM_FROM = 5
"""The number of completed rows from which on a report shows the histogram of defect stages."""

UNKNOWN = "unknown"
"""What an annotation shows in place of an id, fault or kind that cannot be read."""

_CONSTRAINT_ID = re.compile(r"M?NC-[A-Za-z0-9-]{1,40}")
_DECIDING = ("judgment", "audit_status", "defect_stage", "ref_retrieval_method", "anchor_kind")
_FAILED_METHODS = frozenset({"not_found", "not_attempted", "failed", "audit_tool_failure"})
_VIOLATION = "negative_constraint_violation"

Data = Mapping[str, object]


class Tier(Enum):
    """What an author can do about an annotation: HIGH is cured in the prose, MED by a new run, LOW by either
    of them or by an acknowledgement. The value is the severity that a finding of the tier has."""

    LOW = Severity.LOW_WARN
    MED = Severity.MED_WARN
    HIGH = Severity.HIGH_WARN


class GateEntry(NamedTuple):
    """One row of the gate table: the rule's code, the aggregate it looks at, its tier, its annotation of a row."""

    code: str
    aggregate: str
    tier: Tier
    annotate: Callable[[Data], str | None]


class GateRow(NamedTuple):
    """An annotated row of a passport; ``code`` is the GATE rule that reports it."""

    code: str
    row: Row
    annotation: str
    tier: Tier


def supported_unverified(data: Data) -> str | None:
    """GATE-1: a supported claim whose PDF pages are not to be trusted."""
    if data.get("judgment") != "SUPPORTED":
        return None
    rationale = data.get("rationale")
    return PDF_UNVERIFIED if isinstance(rationale, str) and PDF_TAG in rationale else None


def ambiguous(data: Data) -> str | None:
    """GATE-2: an ambiguous verdict."""
    return AMBIGUOUS if data.get("judgment") == "AMBIGUOUS" else None


def unsupported(data: Data) -> str | None:
    """GATE-3: an unsupported claim, whatever its defect stage, but for a violated constraint."""
    if data.get("judgment") != "UNSUPPORTED" or data.get("defect_stage") == _VIOLATION:
        return None
    return NOT_SUPPORTED


def violated(data: Data) -> str | None:
    """GATE-4: a cited claim that violates a constraint."""
    if data.get("judgment") != "UNSUPPORTED" or data.get("defect_stage") != _VIOLATION:
        return None
    return f"[HIGH-WARN-NEGATIVE-CONSTRAINT-VIOLATION ({_constraint(data)})]"


def not_found(data: Data) -> str | None:
    """GATE-5: a reference that no index knows."""
    return FABRICATED if _failure(data) == "not_found" else None


def not_attempted(data: Data) -> str | None:
    """GATE-6: a citation without an anchor that reached the audit."""
    return ANCHORLESS if _failure(data) == "not_attempted" else None


def failed(data: Data) -> str | None:
    """GATE-7: a source that cannot be read for good, for example behind a paywall."""
    return UNVERIFIED if _failure(data) == "failed" else None


def tool_failure(data: Data) -> str | None:
    """GATE-8: a citation on which a tool failed; the fault is the one its rationale begins with."""
    if _failure(data) != "audit_tool_failure":
        return None
    return f"[CLAIM-AUDIT-TOOL-FAILURE — {fault_of(data.get('rationale')) or UNKNOWN}]"


def uncited(_data: Data) -> str:
    """GATE-9: a sentence that should cite."""
    return UNCITED


def violated_uncited(data: Data) -> str:
    """GATE-10: an uncited sentence that violates a constraint."""
    return f"[HIGH-WARN-CONSTRAINT-VIOLATION-UNCITED ({_constraint(data)})]"


def drift(data: Data) -> str:
    """GATE-11: a claim that was planned and not written, or written and not planned."""
    kind = data.get("drift_kind")
    known = kind in ("EMITTED_NOT_INTENDED", "INTENDED_NOT_EMITTED")
    return f"[LOW-WARN-CLAIM-DRIFT — kind={kind if known else UNKNOWN}]"


def uncited_tool_failure(data: Data) -> str:
    """GATE-12: an uncited sentence on which the judge failed."""
    fault = data.get("fault_class")
    known = isinstance(fault, str) and fault in FAULTS
    return f"[CLAIM-AUDIT-TOOL-FAILURE-UNCITED — {fault if known else UNKNOWN}]"


def sampled_annotation(data: Data) -> str | None:
    """GATE-13: an audit of fewer than all citations."""
    count, total = whole(data.get("audited_count")), whole(data.get("total_citation_count"))
    if count is None or total is None or count >= total or total >= _HUGE or count <= -_HUGE:
        return None
    return f"[CLAIM-AUDIT-SAMPLED — {count}/{total} audited]"


def misaligned(data: Data) -> str | None:
    """GATE-15: a claim that its experiment does not carry."""
    verdict = data.get("alignment_verdict")
    if verdict in ("OVERSTATED", "NOT_SUPPORTED_BY_PROVENANCE"):
        return f"[HIGH-WARN-EXPERIMENT-MISALIGNED ({verdict})]"
    return None


def provenance_insufficient(data: Data) -> str | None:
    """GATE-16: an experiment whose provenance does not suffice to compare."""
    insufficient = data.get("alignment_verdict") == "PROVENANCE_INSUFFICIENT"
    return PROVENANCE_INSUFFICIENT if insufficient else None


_HUGE = 10**18

GATE_TABLE: tuple[GateEntry, ...] = (
    GateEntry("GATE-1", CLAIM_AUDIT_RESULTS, Tier.LOW, supported_unverified),
    GateEntry("GATE-2", CLAIM_AUDIT_RESULTS, Tier.LOW, ambiguous),
    GateEntry("GATE-3", CLAIM_AUDIT_RESULTS, Tier.HIGH, unsupported),
    GateEntry("GATE-4", CLAIM_AUDIT_RESULTS, Tier.HIGH, violated),
    GateEntry("GATE-5", CLAIM_AUDIT_RESULTS, Tier.HIGH, not_found),
    GateEntry("GATE-6", CLAIM_AUDIT_RESULTS, Tier.HIGH, not_attempted),
    GateEntry("GATE-7", CLAIM_AUDIT_RESULTS, Tier.LOW, failed),
    GateEntry("GATE-8", CLAIM_AUDIT_RESULTS, Tier.MED, tool_failure),
    GateEntry("GATE-9", UNCITED_ASSERTIONS, Tier.LOW, uncited),
    GateEntry("GATE-10", CONSTRAINT_VIOLATIONS, Tier.HIGH, violated_uncited),
    GateEntry("GATE-11", CLAIM_DRIFTS, Tier.LOW, drift),
    GateEntry("GATE-12", UNCITED_AUDIT_FAILURES, Tier.MED, uncited_tool_failure),
    GateEntry("GATE-13", AUDIT_SAMPLING_SUMMARIES, Tier.LOW, sampled_annotation),
    GateEntry("GATE-15", EXPERIMENT_ALIGNMENT_RESULTS, Tier.HIGH, misaligned),
    GateEntry("GATE-16", EXPERIMENT_ALIGNMENT_RESULTS, Tier.LOW, provenance_insufficient),
)
"""The gate table, but for GATE-14, which is about a whole passport (``manifest_missing``)."""


def decide(passport: Passport) -> tuple[GateRow, ...]:
    """Every annotated row of a passport, by the gate table's order and then by the rows' own."""
    found = [
        GateRow(entry.code, row, annotation, entry.tier)
        for entry in GATE_TABLE
        for row in passport.aggregate(entry.aggregate)
        if (annotation := entry.annotate(row.data)) is not None
    ]
    missing = manifest_missing(passport)
    if missing is not None:
        found.append(missing)
    return tuple(sorted(found, key=lambda each: code_key(each.code)))


def manifest_missing(passport: Passport) -> GateRow | None:
    """GATE-14: the first row that was judged under the sentinel, when the passport has no manifest at all."""
    if passport.aggregate(CLAIM_INTENT_MANIFESTS):
        return None
    for row in passport.aggregate(CLAIM_AUDIT_RESULTS):
        if row.data.get("scoped_manifest_id") == SENTINEL:
            return GateRow("GATE-14", row, MANIFEST_MISSING, Tier.LOW)
    return None


def refuses(passport: Passport) -> bool:
    """Whether the gate refuses the draft: on any HIGH row, and on any audit row that breaks MATRIX.

    The gate fails closed: a row whose judgment, status or stage is missing or unreadable is none of the
    allowed ones either.
    """
    audits = tuple(_distinct(passport.aggregate(CLAIM_AUDIT_RESULTS)))
    if any(not is_allowed(row.data) for row in audits):
        return True
    return any(
        entry.annotate(row.data) is not None
        for entry in GATE_TABLE
        if entry.tier is Tier.HIGH
        for row in (audits if entry.aggregate == CLAIM_AUDIT_RESULTS else passport.aggregate(entry.aggregate))
    )


def _distinct(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows that differ in what decides about a refusal: thousands of rows are a few kinds."""
    seen: set[tuple[object, ...]] = set()
    for row in rows:
        kind = ("defect_stage" in row.data, *map(row.data.get, _DECIDING))  # missing is not null
        try:
            if kind in seen:
                continue
            seen.add(kind)
        except TypeError:  # a member that is an array or object
            pass
        yield row


def defect_stages(passport: Passport) -> tuple[tuple[str, int], ...] | None:
    """How many completed audit rows have each defect stage: (stage, count), sorted by stage.

    None when there are fewer than ``HISTOGRAM_FROM`` completed rows; empty when none of them has a stage (a
    report then says "No defect stages recorded"). Stages outside the vocabulary are not counted.
    """
    completed = 0
    counts: dict[str, int] = {}
    for row in passport.aggregate(CLAIM_AUDIT_RESULTS):
        if row.data.get("audit_status") == "completed":
            completed += 1
            stage = row.text("defect_stage")
            if stage in DEFECT_STAGES:
                counts[stage] = counts.get(stage, 0) + 1
    return tuple(sorted(counts.items())) if completed >= HISTOGRAM_FROM else None


def _failure(data: Data) -> str | None:
    """The way a retrieval failed: the method, or what the row's other parts claim when the method is none."""
    if data.get("judgment") != "RETRIEVAL_FAILED":
        return None
    method = data.get("ref_retrieval_method")
    if isinstance(method, str) and method in _FAILED_METHODS:
        return method
    if data.get("defect_stage") == "retrieval_existence":
        return "not_found"
    return "not_attempted" if data.get("anchor_kind") == "none" else None


def _constraint(data: Data) -> str:
    constraint_id = data.get("violated_constraint_id")
    known = isinstance(constraint_id, str) and _CONSTRAINT_ID.fullmatch(constraint_id)
    return str(constraint_id) if known else UNKNOWN
