"""The allowed combinations of judgment, audit status and defect stage (contract, section 3)."""

from __future__ import annotations

from collections.abc import Mapping

UNSUPPORTED_STAGES = (
    "source_description",
    "metadata",
    "citation_anchor",
    "synthesis_overclaim",
    "negative_constraint_violation",
)
"""The defect stages of an UNSUPPORTED row, in the contract's order."""

AMBIGUOUS_STAGES = ("source_description", "citation_anchor", "synthesis_overclaim", None)
"""The defect stages of an AMBIGUOUS row, in the contract's order."""

DEFECT_STAGES = frozenset({"retrieval_existence", *UNSUPPORTED_STAGES, "not_applicable"})
"""The names of all defect stages; null, the eighth value, means that there is none."""

Triple = tuple[str, str, str | None]

ALLOWED_TRIPLES: frozenset[Triple] = frozenset(
    {
        ("SUPPORTED", "completed", None),
        *(("AMBIGUOUS", "completed", stage) for stage in AMBIGUOUS_STAGES),
        *(("UNSUPPORTED", "completed", stage) for stage in UNSUPPORTED_STAGES),
        ("RETRIEVAL_FAILED", "completed", "retrieval_existence"),
        ("RETRIEVAL_FAILED", "inconclusive", "not_applicable"),
    }
)
"""Every (judgment, audit_status, defect_stage) that a claim audit row may have."""

_MISSING = object()


def triple_of(data: Mapping[str, object]) -> Triple | None:
    """The row's (judgment, audit_status, defect_stage), or None when a part is missing or of a wrong type."""
    judgment, status = data.get("judgment"), data.get("audit_status")
    stage = data.get("defect_stage", _MISSING)
    if not isinstance(judgment, str) or not isinstance(status, str):
        return None
    if stage is None or isinstance(stage, str):
        return judgment, status, stage
    return None


def breaks_matrix(data: Mapping[str, object]) -> bool:
    """True when the row's triple can be read and is none of the allowed ones.

    A part that is missing or of a wrong type is for SCHEMA-1 to report, so such a row does not count here; a
    string outside its vocabulary can be read and does.
    """
    triple = triple_of(data)
    return triple is not None and triple not in ALLOWED_TRIPLES


def is_allowed(data: Mapping[str, object]) -> bool:
    """True when the row's triple can be read and is one of the allowed ones: what the gate asks."""
    return triple_of(data) in ALLOWED_TRIPLES
