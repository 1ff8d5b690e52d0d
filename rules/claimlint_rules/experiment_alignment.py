"""EA-INV: what must hold of the rows that compare claims with experiments (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import EXPERIMENT_ALIGNMENT_RESULTS, Passport, Row
from claimlint.documents.values import cause, repeats, shown
from claimlint.findings import Problem
from claimlint.rules import rule


@rule("EA-INV-1", "duplicate-alignment-id", on=Passport)
def finding_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """A finding id stands once among the experiment alignment results.

    Why
        Reports name a finding by its id. From the contract, section 4, EA-INV-1.

    Bad
        {"experiment_alignment_results": [{"finding_id": "EA-001"}, {"finding_id": "EA-001"}]}

    Good
        {"experiment_alignment_results": [{"finding_id": "EA-001"}, {"finding_id": "EA-002"}]}

    Fix
        Give the later row the next free EA- number.
    """
    rows = passport.aggregate(EXPERIMENT_ALIGNMENT_RESULTS)
    for first, later in repeats(rows, lambda row: row.text("finding_id")):
        yield later.problem(
            "finding_id",
            f"finding_id {shown(later.text('finding_id'))} is already taken; write the next free EA- number",
            cause=cause(later, "EA-INV-1: finding_id repeated"),
            related=(first.related("first row with this id", "finding_id"),),
        )


@rule("EA-INV-2", "alignment-does-not-resolve", on=EXPERIMENT_ALIGNMENT_RESULTS)
def claim_and_experiment_resolve(row: Row, passport: Passport) -> Iterator[Problem]:
    """An alignment row names a claim of a manifest and an experiment with provenance.

    Why
        The row compares the two, so both have to be there to be read. From the contract, section 4, EA-INV-2.
        The sentinel names no manifest here.

    Bad
        {"scoped_manifest_id": "M-2026-10-06T09:15:30Z-0f3c", "claim_id": "C-004", "experiment_id": "exp-9"}

    Good
        {"scoped_manifest_id": "M-2026-10-06T09:15:30Z-0f3c", "claim_id": "C-004",
         "experiment_id": "exp-queue-1"}

    Fix
        Write the ids of the claim and of the experiment that were compared, or add the missing row.
    """
    scope, claim_id = row.text("scoped_manifest_id"), row.text("claim_id")
    if scope is not None and claim_id is not None and passport.claim(scope, claim_id) is None:
        message = (
            f"{shown(scope)} and {shown(claim_id)} name no manifest claim of this passport; write both ids of "
            "the claim that was compared"
        )
        at = "claim_id" if scope in passport.manifests else "scoped_manifest_id"
        yield row.problem(at, message, cause=cause(row, "EA-INV-2: no such claim"))
    experiment = row.text("experiment_id")
    if experiment is not None and experiment not in passport.experiment_ids:
        message = (
            f"experiment {shown(experiment)} has no experiment_provenance row; add the row or write the id of "
            "the experiment that was compared"
        )
        yield row.problem("experiment_id", message, cause=cause(row, "EA-INV-2: no such experiment"))
