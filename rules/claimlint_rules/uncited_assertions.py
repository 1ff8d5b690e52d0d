"""U-INV: what must hold of the uncited assertions of an audit (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import UNCITED_ASSERTIONS, Passport, Row
from claimlint.documents.values import cause, member, repeats, shown
from claimlint.findings import Problem
from claimlint.rules import rule

RULE_VERSION = "D4-c-v1"
"""The version of the uncited-sentence rule that rows are written under."""


@rule("U-INV-1", "duplicate-uncited-id", on=Passport)
def finding_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """A finding id stands once among the uncited assertions.

    Why
        Acknowledgements and disputes name a finding by its id. From the contract, section 4, U-INV-1.

    Bad
        {"uncited_assertions": [{"finding_id": "UA-001"}, {"finding_id": "UA-001"}]}

    Good
        {"uncited_assertions": [{"finding_id": "UA-001"}, {"finding_id": "UA-002"}]}

    Fix
        Give the later row the next free UA- number.
    """
    rows = passport.aggregate(UNCITED_ASSERTIONS)
    for first, later in repeats(rows, lambda row: row.text("finding_id")):
        yield later.problem(
            "finding_id",
            f"finding_id {shown(later.text('finding_id'))} is already taken; write the next free UA- number",
            cause=cause(later, "U-INV-1: finding_id repeated"),
            related=(first.related("first row with this id", "finding_id"),),
        )


@rule("U-INV-2", "no-trigger-tokens", on=UNCITED_ASSERTIONS)
def trigger_tokens_are_named(row: Row) -> Iterator[Problem]:
    """An uncited assertion names the words that triggered it.

    Why
        Without a trigger there is no reason to ask for a citation. From the contract, section 4, U-INV-2.

    Bad
        {"sentence_text": "Most nurses saw shorter queues.", "trigger_tokens": []}

    Good
        {"sentence_text": "Most nurses saw shorter queues.", "trigger_tokens": ["most"]}

    Fix
        Write the triggers of the sentence in document order, or remove the row.
    """
    if row.data.get("trigger_tokens") == []:
        message = "trigger_tokens is empty; write what triggered the finding, or remove the row"
        yield row.problem("trigger_tokens", message, cause=cause(row, "U-INV-2: trigger_tokens empty"))


@rule("U-INV-3", "uncited-rule-version", on=UNCITED_ASSERTIONS)
def rule_version_is_known(row: Row) -> Iterator[Problem]:
    """An uncited assertion is written under the rule version D4-c-v1.

    Why
        Rows of another version were found by other triggers and cannot be compared. From the contract,
        section 4, U-INV-3.

    Bad
        {"finding_id": "UA-001", "rule_version": "D4-a-v1"}

    Good
        {"finding_id": "UA-001", "rule_version": "D4-c-v1"}

    Fix
        Write D4-c-v1, or audit again when the row comes from another version.
    """
    version = row.data.get("rule_version")
    if isinstance(version, str) and version != RULE_VERSION:
        message = f"rule_version is {shown(version)}; an uncited assertion is written under {RULE_VERSION}"
        yield row.problem("rule_version", message, cause=cause(row, "U-INV-3: rule_version"))


@rule("U-INV-4", "uncited-claim-does-not-resolve", on=UNCITED_ASSERTIONS)
def manifest_claim_resolves(row: Row, passport: Passport) -> Iterator[Problem]:
    """An uncited assertion names no manifest claim, or one that exists by both its ids.

    Why
        A claim id alone is ambiguous between manifests, and a manifest id alone names no claim. From the
        contract, section 4, U-INV-4. A missing key reads as null.

    Bad
        {"finding_id": "UA-001", "manifest_claim_id": "C-001", "scoped_manifest_id": null}

    Good
        {"finding_id": "UA-001", "manifest_claim_id": "C-001",
         "scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2"}

    Fix
        Write both ids of the claim that the sentence states, or null for both.
    """
    data = row.data
    claim_id, scope = data.get("manifest_claim_id"), data.get("scoped_manifest_id")
    if claim_id is None and scope is None:
        return
    if not isinstance(claim_id, str | None) or not isinstance(scope, str | None):
        return
    if claim_id is None or scope is None:
        empty = "manifest_claim_id" if claim_id is None else "scoped_manifest_id"
        given = "scoped_manifest_id" if claim_id is None else "manifest_claim_id"
        message = (
            f"{given} is {member(data, given)}, but {empty} is {member(data, empty)}; write both ids of the "
            "claim or null for both"
        )
        yield row.problem(given, message, cause=cause(row, f"U-INV-4: {empty} not set"))
    elif passport.claim(scope, claim_id) is None:
        message = (
            f"{shown(scope)} and {shown(claim_id)} name no manifest claim of this passport; write both ids of "
            "a claim that is there or null for both"
        )
        at = "manifest_claim_id" if scope in passport.manifests else "scoped_manifest_id"
        yield row.problem(at, message, cause=cause(row, "U-INV-4: no such claim"))
