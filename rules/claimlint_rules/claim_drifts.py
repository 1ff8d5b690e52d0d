"""D-INV: what must hold of the drifts between intended and emitted claims (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import CLAIM_DRIFTS, UNCITED_ASSERTIONS, Passport, Row
from claimlint.documents.values import cause, listed, member, repeats, shorten, shown
from claimlint.findings import Problem
from claimlint.rules import rule

RULE_VERSION = "D4-a-v1"
"""The version of the drift rule that rows are written under."""


@rule("D-INV-1", "duplicate-drift-id", on=Passport)
def finding_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """A finding id stands once among the drifts.

    Why
        Acknowledgements and disputes name a finding by its id. From the contract, section 4, D-INV-1.

    Bad
        {"claim_drifts": [{"finding_id": "CD-001"}, {"finding_id": "CD-001"}]}

    Good
        {"claim_drifts": [{"finding_id": "CD-001"}, {"finding_id": "CD-002"}]}

    Fix
        Give the later row the next free CD- number.
    """
    for first, later in repeats(passport.aggregate(CLAIM_DRIFTS), lambda row: row.text("finding_id")):
        yield later.problem(
            "finding_id",
            f"finding_id {shown(later.text('finding_id'))} is already taken; write the next free CD- number",
            cause=cause(later, "D-INV-1: finding_id repeated"),
            related=(first.related("first row with this id", "finding_id"),),
        )


@rule("D-INV-2", "drift-ids-mismatch", on=CLAIM_DRIFTS)
def drift_names_what_its_kind_needs(row: Row, passport: Passport) -> Iterator[Problem]:
    """A drift names the manifest claim that was not written, or the section of the claim that was not planned.

    Why
        INTENDED_NOT_EMITTED is about a manifest claim, so both its ids are set and resolve.
        EMITTED_NOT_INTENDED is about the draft: no manifest has the claim, and only the section leads to it.
        From the contract, section 4, D-INV-2. A missing key reads as null.

    Bad
        {"drift_kind": "EMITTED_NOT_INTENDED", "manifest_claim_id": "C-001", "scoped_manifest_id": null,
         "section_path": null}

    Good
        {"drift_kind": "EMITTED_NOT_INTENDED", "manifest_claim_id": null, "scoped_manifest_id": null,
         "section_path": "3. Results"}

    Fix
        For INTENDED_NOT_EMITTED write both ids of the claim; for EMITTED_NOT_INTENDED write null for both and
        the section.
    """
    kind = row.data.get("drift_kind")
    if kind == "INTENDED_NOT_EMITTED":
        yield from _intended(row, passport)
    elif kind == "EMITTED_NOT_INTENDED":
        yield from _emitted(row)


def _intended(row: Row, passport: Passport) -> Iterator[Problem]:
    data = row.data
    ids = ("scoped_manifest_id", "manifest_claim_id")
    scope, claim_id = (data.get(key) for key in ids)
    if not isinstance(scope, str | None) or not isinstance(claim_id, str | None):
        return
    unset = [key for key in ids if data.get(key) is None]
    if unset:
        parts = " and ".join(f"{key} is {member(data, key)}" for key in unset)
        at = unset[0] if unset[0] in data else "drift_kind"
        message = f"drift_kind is INTENDED_NOT_EMITTED, but {parts}; write both ids of the manifest claim"
        yield row.problem(at, message, cause=cause(row, "D-INV-2: ids not set"))
    elif passport.claim(scope, claim_id) is None:
        at = "manifest_claim_id" if scope in passport.manifests else "scoped_manifest_id"
        message = (
            f"drift_kind is INTENDED_NOT_EMITTED, but {shown(scope)} and {shown(claim_id)} name no manifest "
            "claim of this passport; write both ids of a claim that is there"
        )
        yield row.problem(at, message, cause=cause(row, "D-INV-2: no such claim"))


def _emitted(row: Row) -> Iterator[Problem]:
    data = row.data
    wrong = [
        (key, "null") for key in ("manifest_claim_id", "scoped_manifest_id") if isinstance(data.get(key), str)
    ]
    section = data.get("section_path")
    if section is None or (isinstance(section, str) and not section.strip()):
        wrong.append(("section_path", "the section it stands in"))
    if wrong:
        parts = listed((f"{key} must be {must} (is {member(data, key)})" for key, must in wrong), "and")
        keys = ", ".join(key for key, _ in wrong)
        at = next((key for key, _ in wrong if key in data), "drift_kind")
        message = f"drift_kind is EMITTED_NOT_INTENDED, so {parts}"
        yield row.problem(at, message, cause=cause(row, f"D-INV-2: {keys}"))


@rule("D-INV-3", "drift-rule-version", on=CLAIM_DRIFTS)
def rule_version_is_known(row: Row) -> Iterator[Problem]:
    """A drift is written under the rule version D4-a-v1.

    Why
        Rows of another version were found by another comparison. From the contract, section 4, D-INV-3.

    Bad
        {"finding_id": "CD-001", "rule_version": "D4-c-v1"}

    Good
        {"finding_id": "CD-001", "rule_version": "D4-a-v1"}

    Fix
        Write D4-a-v1, or audit again when the row comes from another version.
    """
    version = row.data.get("rule_version")
    if isinstance(version, str) and version != RULE_VERSION:
        message = f"rule_version is {shown(version)}; a drift is written under {RULE_VERSION}"
        yield row.problem("rule_version", message, cause=cause(row, "D-INV-3: rule_version"))


@rule("D-INV-4", "drift-of-uncited", on=Passport)
def uncited_wins_over_drift(passport: Passport) -> Iterator[Problem]:
    """A sentence that is an uncited assertion is no drift as well.

    Why
        One sentence, one finding: what is missing is the citation, and the author would be told twice. From
        the contract, section 4, D-INV-4.

    Bad
        {"uncited_assertions": [{"finding_id": "UA-001", "sentence_text": "Another 40% never used it."}],
         "claim_drifts": [{"finding_id": "CD-001", "claim_text": "Another 40% never used it."}]}

    Good
        {"uncited_assertions": [{"finding_id": "UA-001", "sentence_text": "Another 40% never used it."}],
         "claim_drifts": []}

    Fix
        Remove the drift.
    """
    drifts = passport.aggregate(CLAIM_DRIFTS)
    if not drifts:
        return
    uncited: dict[str, Row] = {}
    for row in passport.aggregate(UNCITED_ASSERTIONS):
        sentence = row.text("sentence_text")
        if sentence is not None:
            uncited.setdefault(sentence, row)
    for row in drifts:
        claim = row.text("claim_text")
        if claim is not None and claim in uncited:
            first = uncited[claim]
            yield row.problem(
                "claim_text",
                f'"{shorten(claim)}" is an uncited assertion already '
                f"({shown(first.data.get('finding_id'))}); remove this drift",
                cause=cause(row, "D-INV-4: drift of an uncited assertion"),
                related=(first.related("the uncited assertion", "sentence_text"),),
            )
