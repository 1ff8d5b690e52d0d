"""UAF-INV: what must hold of uncited sentences that could not be judged (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import (
    CONSTRAINT_VIOLATIONS,
    FAULTS,
    UNCITED_AUDIT_FAILURES,
    Passport,
    Row,
)
from claimlint.documents.values import cause, repeats, shorten, shown
from claimlint.findings import Problem
from claimlint.rules import rule


@rule("UAF-INV-1", "duplicate-failure-id", on=Passport)
def finding_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """A finding id stands once among the uncited audit failures.

    Why
        Reports name a finding by its id. From the contract, section 4, UAF-INV-1.

    Bad
        {"uncited_audit_failures": [{"finding_id": "UAF-001"}, {"finding_id": "UAF-001"}]}

    Good
        {"uncited_audit_failures": [{"finding_id": "UAF-001"}, {"finding_id": "UAF-002"}]}

    Fix
        Give the later row the next free UAF- number.
    """
    rows = passport.aggregate(UNCITED_AUDIT_FAILURES)
    for first, later in repeats(rows, lambda row: row.text("finding_id")):
        yield later.problem(
            "finding_id",
            f"finding_id {shown(later.text('finding_id'))} is already taken; write the next free UAF- number",
            cause=cause(later, "UAF-INV-1: finding_id repeated"),
            related=(first.related("first row with this id", "finding_id"),),
        )


@rule("UAF-INV-2", "failure-manifest-does-not-resolve", on=UNCITED_AUDIT_FAILURES)
def manifest_resolves(row: Row, passport: Passport) -> Iterator[Problem]:
    """The manifest that a sentence could not be judged against is in the passport.

    Why
        A rerun asks the same constraints again, and they stand in that manifest. From the contract, section
        4, UAF-INV-2. The sentinel names no manifest.

    Bad
        {"finding_id": "UAF-001", "scoped_manifest_id": "M-0000-00-00T00:00:00Z-0000"}

    Good
        {"finding_id": "UAF-001", "scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2"}

    Fix
        Write the id of the manifest whose constraints were asked, or lint it together with this passport.
    """
    scope = row.data.get("scoped_manifest_id")
    if isinstance(scope, str) and scope not in passport.manifests:
        message = (
            f"no manifest {shown(scope)} in this passport; write the id of the one whose constraints were asked"
        )
        yield row.problem("scoped_manifest_id", message, cause=cause(row, "UAF-INV-2: no such manifest"))


@rule("UAF-INV-3", "failure-claim-does-not-resolve", on=UNCITED_AUDIT_FAILURES)
def claim_resolves(row: Row, passport: Passport) -> Iterator[Problem]:
    """A claim that the row names is one of its manifest.

    Why
        The claim's own constraints were among those asked. From the contract, section 4, UAF-INV-3; it is not
        asked when the manifest does not resolve.

    Bad
        {"scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2", "manifest_claim_id": "C-042"}

    Good
        {"scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2", "manifest_claim_id": null}

    Fix
        Write a claim of the manifest, or null when only the manifest's constraints were asked.
    """
    scope, claim_id = row.data.get("scoped_manifest_id"), row.data.get("manifest_claim_id")
    if not isinstance(scope, str) or not isinstance(claim_id, str) or scope not in passport.manifests:
        return
    if passport.claim(scope, claim_id) is None:
        message = f"manifest {shorten(scope)} has no claim {shown(claim_id)}; write one that it has, or null"
        yield row.problem("manifest_claim_id", message, cause=cause(row, "UAF-INV-3: no such claim"))


@rule("UAF-INV-4", "duplicate-failure", on=Passport)
def failures_are_unique(passport: Passport) -> Iterator[Problem]:
    """One sentence of a section fails once per manifest.

    Why
        There is one judge call per sentence and manifest, so there can be one failure. From the contract,
        section 4, UAF-INV-4: scoped_manifest_id, section_path and claim_text together are unique.

    Bad
        {"uncited_audit_failures": [
          {"finding_id": "UAF-001", "section_path": "4. Discussion", "claim_text": "Families liked calls."},
          {"finding_id": "UAF-002", "section_path": "4. Discussion", "claim_text": "Families liked calls."}]}

    Good
        {"uncited_audit_failures": [
          {"finding_id": "UAF-001", "section_path": "4. Discussion", "claim_text": "Families liked calls."}]}

    Fix
        Remove the later row.
    """
    rows = passport.aggregate(UNCITED_AUDIT_FAILURES)
    for first, later in repeats(rows, _sentence):
        yield later.problem(
            (),
            f"{shown(later.data.get('finding_id'))} repeats {shown(first.data.get('finding_id'))}: the same "
            "manifest, section and claim_text; remove one of them",
            cause=cause(later, "UAF-INV-4: failure repeated"),
            related=(first.related("first row with these values"),),
        )


def _sentence(row: Row) -> tuple[str, str, str] | None:
    # The contract hashes the claim text; the text itself makes the same rows equal.
    scope, section, claim = (row.text(key) for key in ("scoped_manifest_id", "section_path", "claim_text"))
    return None if scope is None or section is None or claim is None else (scope, section, claim)


@rule("UAF-INV-5", "failure-rationale-mismatch", on=UNCITED_AUDIT_FAILURES)
def rationale_begins_with_the_fault(row: Row) -> Iterator[Problem]:
    """The rationale begins with the row's own fault class and a colon.

    Why
        The fault stands in two places, and a report shows either. From the contract, section 4, UAF-INV-5;
        it is asked when fault_class is a known fault.

    Bad
        {"fault_class": "judge_timeout", "rationale": "No answer in 30 s."}

    Good
        {"fault_class": "judge_timeout", "rationale": "judge_timeout: no answer in 30 s"}

    Fix
        Begin the rationale with the fault class and a colon.
    """
    fault, rationale = row.data.get("fault_class"), row.data.get("rationale")
    if not isinstance(fault, str) or fault not in FAULTS or not isinstance(rationale, str):
        return
    if not rationale.startswith(f"{fault}:"):
        message = f'fault_class is {fault}, so the rationale must begin with "{fault}:" (is {shown(rationale)})'
        yield row.problem("rationale", message, cause=cause(row, "UAF-INV-5: rationale"))


@rule("UAF-INV-6", "failed-and-violated", on=Passport)
def not_judged_excludes_violated(passport: Passport) -> Iterator[Problem]:
    """A sentence that could not be judged is not a constraint violation as well.

    Why
        Violated and not judged exclude each other for one sentence, section and manifest. From the contract,
        section 4, UAF-INV-6.

    Bad
        {"constraint_violations": [{"finding_id": "CV-001", "claim_text": "It saved two million."}],
         "uncited_audit_failures": [{"finding_id": "UAF-001", "claim_text": "It saved two million."}]}

    Good
        {"constraint_violations": [{"finding_id": "CV-001", "claim_text": "It saved two million."}],
         "uncited_audit_failures": []}

    Fix
        Remove the failure when the sentence was judged, the violation when it was not.
    """
    failures = passport.aggregate(UNCITED_AUDIT_FAILURES)
    if not failures:
        return
    violations: dict[tuple[str, str, str], Row] = {}
    for row in passport.aggregate(CONSTRAINT_VIOLATIONS):
        key = _sentence(row)
        if key is not None:
            violations.setdefault(key, row)
    for row in failures:
        key = _sentence(row)
        if key is not None and key in violations:
            violation = violations[key]
            yield row.problem(
                (),
                f"{shown(row.data.get('finding_id'))} says that the sentence was not judged, "
                f"{shown(violation.data.get('finding_id'))} that it violates "
                f"{shown(violation.data.get('violated_constraint_id'))}; remove one of them",
                cause=cause(row, "UAF-INV-6: not judged and violated"),
                related=(violation.related("the constraint violation"),),
            )
