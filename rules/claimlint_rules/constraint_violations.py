"""CV-INV: what must hold of violated constraints in uncited sentences (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS, CONSTRAINT_VIOLATIONS, Passport, Row
from claimlint.documents.values import (
    CLAIM_CONSTRAINT_ID,
    MANIFEST_CONSTRAINT_ID,
    cause,
    member,
    repeats,
    shorten,
    shown,
)
from claimlint.findings import Problem
from claimlint.rules import rule

Owners = dict[str, list[str | None]]
"""The constraint ids of a manifest, each with the claims it stands under; None is the manifest itself, or a
claim without a readable id."""


@rule("CV-INV-1", "duplicate-violation-id", on=Passport)
def finding_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """A finding id stands once among the constraint violations.

    Why
        Disputes and reports name a finding by its id. From the contract, section 4, CV-INV-1.

    Bad
        {"constraint_violations": [{"finding_id": "CV-001"}, {"finding_id": "CV-001"}]}

    Good
        {"constraint_violations": [{"finding_id": "CV-001"}, {"finding_id": "CV-002"}]}

    Fix
        Give the later row the next free CV- number.
    """
    rows = passport.aggregate(CONSTRAINT_VIOLATIONS)
    for first, later in repeats(rows, lambda row: row.text("finding_id")):
        yield later.problem(
            "finding_id",
            f"finding_id {shown(later.text('finding_id'))} is already taken; write the next free CV- number",
            cause=cause(later, "CV-INV-1: finding_id repeated"),
            related=(first.related("first row with this id", "finding_id"),),
        )


@rule("CV-INV-2", "constraint-does-not-resolve", on=Passport)
def violated_constraint_resolves(passport: Passport) -> Iterator[Problem]:
    """The violated constraint stands in the row's manifest, a claim constraint under the row's claim.

    Why
        The author has to read the rule that was broken, and whom it binds. From the contract, section 4,
        CV-INV-2.

    Bad
        {"scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2", "violated_constraint_id": "NC-C001-1",
         "manifest_claim_id": "C-002"}

    Good
        {"scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2", "violated_constraint_id": "NC-C001-1",
         "manifest_claim_id": "C-001"}

    Fix
        Write the manifest that has the constraint, the constraint's id as written there and, for an NC- id,
        the claim that it stands under.
    """
    rows = passport.aggregate(CONSTRAINT_VIOLATIONS)
    known = _constraints(passport) if rows else {}
    for row in rows:
        scope, violated = row.text("scoped_manifest_id"), row.text("violated_constraint_id")
        if scope is None or violated is None:
            continue
        manifest = passport.manifests.get(scope)
        if manifest is None:
            yield row.problem(
                "scoped_manifest_id",
                f"no manifest {shown(scope)} in this passport; write the id of the one that has the constraint",
                cause=cause(row, "CV-INV-2: no such manifest"),
            )
            continue
        if violated not in known[scope]:
            some = ", ".join(shorten(each, 20) for each in list(known[scope])[:5]) or "it has none"
            yield row.problem(
                "violated_constraint_id",
                f"manifest {shorten(scope)} has no constraint {shown(violated)}; write one that it has ({some})",
                cause=cause(row, "CV-INV-2: no such constraint"),
                related=(manifest.row.related("the manifest", "manifest_id"),),
            )
        else:
            yield from _owned(row, violated, known[scope][violated])


def _owned(row: Row, violated: str, owners: list[str | None]) -> Iterator[Problem]:
    claim_id = row.data.get("manifest_claim_id")
    if None in owners or claim_id in owners or not isinstance(claim_id, str | None):
        return
    names = " or ".join(shown(owner) for owner in owners[:3])
    yield row.problem(
        "manifest_claim_id" if "manifest_claim_id" in row.data else "violated_constraint_id",
        f"{shorten(violated)} stands under claim {names}, so manifest_claim_id must be {names} "
        f"(is {member(row.data, 'manifest_claim_id')})",
        cause=cause(row, "CV-INV-2: claim does not own the constraint"),
    )


def _constraints(passport: Passport) -> dict[str, Owners]:
    """The constraints of every manifest, by its id."""
    every: dict[str, Owners] = {manifest_id: {} for manifest_id in passport.manifests}
    for manifest in passport.aggregate(CLAIM_INTENT_MANIFESTS):
        found = every.get(manifest.text("manifest_id") or "", {})
        for constraint in manifest.children("manifest_negative_constraints"):
            constraint_id = constraint.text("constraint_id")
            if constraint_id is not None and not constraint_id.startswith("NC-"):
                found.setdefault(constraint_id, []).append(None)
        for claim in manifest.children("claims"):
            claim_id = claim.text("claim_id")
            for constraint in claim.children("negative_constraints"):
                constraint_id = constraint.text("constraint_id")
                if constraint_id is not None and not constraint_id.startswith("MNC-"):
                    found.setdefault(constraint_id, []).append(claim_id)
    return every


@rule("CV-INV-3", "violation-claim-mismatch", on=CONSTRAINT_VIOLATIONS)
def claim_id_fits_the_constraint(row: Row) -> Iterator[Problem]:
    """A manifest constraint goes without a claim id; a claim constraint goes with the claim of its digits.

    Why
        MNC- constraints bind the whole manifest, NC-C001- constraints bind C-001. From the contract, section
        4, CV-INV-3. A missing key reads as null; an id of neither form is CV-INV-2 alone.

    Bad
        {"violated_constraint_id": "MNC-2", "manifest_claim_id": "C-001"}

    Good
        {"violated_constraint_id": "MNC-2", "manifest_claim_id": null}

    Fix
        Write null for an MNC- id, and the claim with the same digits for an NC- id.
    """
    data = row.data
    violated, claim_id = data.get("violated_constraint_id"), data.get("manifest_claim_id")
    if not isinstance(violated, str) or not isinstance(claim_id, str | None):
        return
    owner = CLAIM_CONSTRAINT_ID.fullmatch(violated)
    if owner is not None:
        must = f"C-{owner[1]}"
        if claim_id == must:
            return
    elif MANIFEST_CONSTRAINT_ID.fullmatch(violated) and claim_id is not None:
        must = "null"
    else:
        return
    message = (
        f"violated_constraint_id is {shorten(violated)}, so manifest_claim_id must be {shorten(must)} "
        f"(is {member(data, 'manifest_claim_id')})"
    )
    at = "manifest_claim_id" if "manifest_claim_id" in data else "violated_constraint_id"
    yield row.problem(at, message, cause=cause(row, "CV-INV-3: manifest_claim_id"))


@rule("CV-INV-4", "duplicate-violation", on=Passport)
def violations_are_unique(passport: Passport) -> Iterator[Problem]:
    """One sentence of a section violates a constraint of a manifest once.

    Why
        The same violation twice is counted twice at the gate. From the contract, section 4, CV-INV-4:
        scoped_manifest_id, section_path, claim_text and violated_constraint_id together are unique, where a
        value that is no string counts as "".

    Bad
        {"constraint_violations": [
          {"finding_id": "CV-001", "section_path": "4. Discussion", "claim_text": "It saved two million."},
          {"finding_id": "CV-002", "section_path": "4. Discussion", "claim_text": "It saved two million."}]}

    Good
        {"constraint_violations": [
          {"finding_id": "CV-001", "section_path": "4. Discussion", "claim_text": "It saved two million."}]}

    Fix
        Remove the later row.
    """
    rows = passport.aggregate(CONSTRAINT_VIOLATIONS)
    for first, later in repeats(rows, _identity):
        yield later.problem(
            (),
            f"{shown(later.data.get('finding_id'))} repeats {shown(first.data.get('finding_id'))}: the same "
            "manifest, section, claim_text and constraint; remove one of them",
            cause=cause(later, "CV-INV-4: violation repeated"),
            related=(first.related("first row with these values"),),
        )


def _identity(row: Row) -> tuple[str, ...]:
    # The contract hashes the claim text; the text itself makes the same rows equal.
    return tuple(
        row.text(key) or ""
        for key in ("scoped_manifest_id", "section_path", "claim_text", "violated_constraint_id")
    )
