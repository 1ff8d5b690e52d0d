"""M-INV: what must hold inside a claim intent manifest, and between manifests (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS, Passport, Row
from claimlint.documents.values import CLAIM_CONSTRAINT_ID, CLAIM_ID, cause, repeats, shorten, shown
from claimlint.findings import Problem
from claimlint.rules import rule


@rule("M-INV-1", "duplicate-claim-id", on=CLAIM_INTENT_MANIFESTS)
def claim_ids_are_unique(row: Row) -> Iterator[Problem]:
    """A claim id stands once in a manifest.

    Why
        Audit rows name a claim by manifest id and claim id; two claims of one id cannot be told apart. From
        the contract, section 4, M-INV-1. Two manifests may use the same claim id.

    Bad
        {"claims": [{"claim_id": "C-001", "claim_text": "Queues fell."},
                    {"claim_id": "C-001", "claim_text": "Costs fell."}]}

    Good
        {"claims": [{"claim_id": "C-001", "claim_text": "Queues fell."},
                    {"claim_id": "C-002", "claim_text": "Costs fell."}]}

    Fix
        Give the later claim the next free id, in the manifest and in the rows that mean it.
    """
    for first, later in repeats(row.children("claims"), lambda claim: claim.text("claim_id")):
        claim_id = later.text("claim_id") or ""
        message = (
            f"claim_id {shown(claim_id)} is already a claim of this manifest; give this claim an id of its own"
        )
        yield later.problem(
            "claim_id",
            message,
            cause=cause(row, "M-INV-1: claim_id repeated"),
            related=(first.related("first claim with this id", "claim_id"),),
        )


@rule("M-INV-2", "constraint-under-wrong-claim", on=CLAIM_INTENT_MANIFESTS)
def constraint_stands_under_its_claim(row: Row) -> Iterator[Problem]:
    """A claim constraint stands under the claim whose digits it carries.

    Why
        The digits of NC-C001-1 say that it limits C-001; under another claim the audit would apply the wrong
        rule. From the contract, section 4, M-INV-2.

    Bad
        {"claim_id": "C-002", "negative_constraints": [{"constraint_id": "NC-C001-1", "rule": "No causes."}]}

    Good
        {"claim_id": "C-002", "negative_constraints": [{"constraint_id": "NC-C002-1", "rule": "No causes."}]}

    Fix
        Move the constraint to its claim, or write the digits of the claim it stands under.
    """
    for claim in row.children("claims"):
        owner = CLAIM_ID.fullmatch(claim.text("claim_id") or "")
        if owner is None:
            continue
        for constraint in claim.children("negative_constraints"):
            found = CLAIM_CONSTRAINT_ID.fullmatch(constraint.text("constraint_id") or "")
            if found and found[1] != owner[1]:
                written, meant = shorten(found[0]), shorten(f"NC-C{owner[1]}-…")
                message = (
                    f"{written} belongs to claim {shorten(f'C-{found[1]}')}, but stands under "
                    f"{shorten(owner[0])}; move it there or write {meant}"
                )
                yield constraint.problem(
                    "constraint_id", message, cause=cause(row, "M-INV-2: constraint under another claim")
                )


@rule("M-INV-3", "manifest-constraint-in-claim", on=CLAIM_INTENT_MANIFESTS)
def claim_overrides_no_manifest_constraint(row: Row) -> Iterator[Problem]:
    """A claim carries no manifest constraint.

    Why
        A claim adds constraints of its own; a manifest's constraint repeated under a claim would look like an
        override, and there is none. From the contract, section 4, M-INV-3.

    Bad
        {"claim_id": "C-001", "negative_constraints": [{"constraint_id": "MNC-1", "rule": "Costs are fine."}]}

    Good
        {"claim_id": "C-001", "negative_constraints": [{"constraint_id": "NC-C001-1", "rule": "No causes."}]}

    Fix
        Remove the constraint, since the manifest's holds for every claim, or give it an NC- id of the claim.
    """
    for claim in row.children("claims"):
        for constraint in claim.children("negative_constraints"):
            found = constraint.text("constraint_id")
            if found is not None and found.startswith("MNC-"):
                owner = shown(claim.text("claim_id"))
                message = (
                    f"claim {owner} carries the manifest constraint {shown(found)}; remove it (the manifest's "
                    "own holds anyway) or give it an NC- id of the claim"
                )
                yield constraint.problem(
                    "constraint_id", message, cause=cause(row, "M-INV-3: MNC id under a claim")
                )


@rule("M-INV-4", "duplicate-manifest-id", on=Passport)
def manifest_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """A manifest id stands once in a passport.

    Why
        Every row that names a manifest would name two. From the contract, section 4, M-INV-4.

    Bad
        {"claim_intent_manifests": [{"manifest_id": "M-2026-10-05T08:30:00Z-a1b2"},
                                    {"manifest_id": "M-2026-10-05T08:30:00Z-a1b2"}]}

    Good
        {"claim_intent_manifests": [{"manifest_id": "M-2026-10-05T08:30:00Z-a1b2"},
                                    {"manifest_id": "M-2026-10-05T08:30:00Z-c3d4"}]}

    Fix
        Remove the copy, or give the later manifest its own four closing hex digits.
    """
    manifests = passport.aggregate(CLAIM_INTENT_MANIFESTS)
    for first, later in repeats(manifests, lambda row: row.text("manifest_id")):
        message = (
            f"manifest_id {shown(later.text('manifest_id'))} is already taken; remove the copy or give this "
            "manifest an id of its own"
        )
        yield later.problem(
            "manifest_id",
            message,
            cause=cause(later, "M-INV-4: manifest_id repeated"),
            related=(first.related("first manifest with this id", "manifest_id"),),
        )
