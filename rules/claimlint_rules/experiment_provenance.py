"""EP-INV: what must hold between experiments, manifests and the intake declaration (contract, section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS, EXPERIMENT_PROVENANCE, Member, Passport, Row
from claimlint.documents.values import cause, differs, listed, member, repeats, shown
from claimlint.findings import Pointer, Problem, Related
from claimlint.rules import rule

STATUSES = ("experiments_declared", "no_experiments_declared", "legacy_unknown")
"""What an intake declaration may say."""


@rule("EP-INV-1", "duplicate-experiment-id", on=Passport)
def experiment_ids_are_unique(passport: Passport) -> Iterator[Problem]:
    """An experiment id stands once in a passport.

    Why
        Claims name their experiments by id. From the contract, section 4, EP-INV-1.

    Bad
        {"experiment_provenance": [{"experiment_id": "exp-1"}, {"experiment_id": "exp-1"}]}

    Good
        {"experiment_provenance": [{"experiment_id": "exp-1"}, {"experiment_id": "exp-2"}]}

    Fix
        Remove the copy, or give the later experiment an id of its own.
    """
    rows = passport.aggregate(EXPERIMENT_PROVENANCE)
    for first, later in repeats(rows, lambda row: row.text("experiment_id")):
        yield later.problem(
            "experiment_id",
            f"experiment_id {shown(later.text('experiment_id'))} is already taken; remove the copy or give "
            "this experiment an id of its own",
            cause=cause(later, "EP-INV-1: experiment_id repeated"),
            related=(first.related("first experiment with this id", "experiment_id"),),
        )


@rule("EP-INV-2", "planned-experiment-unknown", on=CLAIM_INTENT_MANIFESTS)
def planned_experiments_resolve(row: Row, passport: Passport) -> Iterator[Problem]:
    """Every planned experiment has a provenance row.

    Why
        A claim that rests on an experiment is exempt from citing, but only for an experiment that can be
        looked at. From the contract, section 4, EP-INV-2.

    Bad
        {"claims": [{"claim_id": "C-004", "planned_experiment_ids": ["exp-9"]}]}

    Good
        {"claims": [{"claim_id": "C-004", "planned_experiment_ids": ["exp-queue-1"]}]}

    Fix
        Write the experiment_id of a provenance row, or add the row.
    """
    for claim in row.children("claims"):
        planned = claim.data.get("planned_experiment_ids")
        if not isinstance(planned, list):
            continue
        for index, experiment in enumerate(planned):
            if isinstance(experiment, str) and experiment not in passport.experiment_ids:
                message = (
                    f"claim {shown(claim.text('claim_id'))} plans experiment {shown(experiment)}, which has no "
                    "experiment_provenance row; add the row or write the id of one that is there"
                )
                yield claim.problem(
                    ("planned_experiment_ids", index),
                    message,
                    cause=cause(row, "EP-INV-2: planned experiment unknown"),
                )


@rule("EP-INV-3", "experiment-claim-not-empirical", on=CLAIM_INTENT_MANIFESTS)
def claim_with_experiments_is_empirical(row: Row) -> Iterator[Problem]:
    """A claim with planned experiments is an empirical one.

    Why
        An experiment is evidence of what was measured; it backs no definition, theory or norm. From the
        contract, section 4, EP-INV-3. An empty list counts as well.

    Bad
        {"claim_id": "C-004", "intended_evidence_kind": "definitional", "planned_experiment_ids": ["exp-1"]}

    Good
        {"claim_id": "C-004", "intended_evidence_kind": "empirical", "planned_experiment_ids": ["exp-1"]}

    Fix
        Write empirical for intended_evidence_kind, or remove planned_experiment_ids.
    """
    for claim in row.children("claims"):
        if not isinstance(claim.data.get("planned_experiment_ids"), list):
            continue
        if differs(claim.data, "intended_evidence_kind", "empirical"):
            message = (
                f"claim {shown(claim.text('claim_id'))} has planned_experiment_ids, so intended_evidence_kind "
                f"must be empirical (is {member(claim.data, 'intended_evidence_kind')})"
            )
            yield claim.problem(
                "intended_evidence_kind", message, cause=cause(row, "EP-INV-3: intended_evidence_kind")
            )


@rule("EP-INV-4", "declaration-contradicted", on=Passport)
def declaration_agrees_with_provenance(passport: Passport) -> Iterator[Problem]:
    """What was declared at intake agrees with the experiments of the passport.

    Why
        Declared experiments without provenance cannot be looked at; provenance against the declaration came
        from somewhere else. From the contract, section 4, EP-INV-4.

    Bad
        {"experiment_intake_declaration": {"status": "experiments_declared"}, "experiment_provenance": []}

    Good
        {"experiment_intake_declaration": {"status": "no_experiments_declared"}, "experiment_provenance": []}

    Fix
        Add the provenance rows or remove them, or ask the author to declare again.
    """
    rows = passport.aggregate(EXPERIMENT_PROVENANCE)
    for declaration, data in _declarations(passport):
        status = data.get("status")
        if status == "experiments_declared" and not rows:
            message = (
                "status is experiments_declared, but the passport has no experiment_provenance row; add the "
                "rows or declare no_experiments_declared"
            )
            yield _problem(declaration, "status", message)
        elif status == "no_experiments_declared" and rows:
            message = (
                f"status is no_experiments_declared, but the passport has {len(rows)} experiment_provenance "
                f"row{'s' if len(rows) > 1 else ''}; remove them or declare experiments_declared"
            )
            yield _problem(declaration, "status", message, (rows[0].related("the first of them"),))


@rule("EP-INV-5", "bad-declaration", on=Passport)
def declaration_is_complete(passport: Passport) -> Iterator[Problem]:
    """An intake declaration is an object with a known status, declared by the scholar at a stated time.

    Why
        The declaration is a person's word about experiments; a tool must not make it. From the contract,
        section 4, EP-INV-5. A declaration that is null counts as none.

    Bad
        {"experiment_intake_declaration": {"status": "none", "declared_by": "agent", "declared_at": ""}}

    Good
        {"experiment_intake_declaration": {"status": "no_experiments_declared", "declared_by": "scholar",
                                           "declared_at": "2026-10-01T00:00:00Z"}}

    Fix
        Write experiments_declared, no_experiments_declared or legacy_unknown for status, scholar for
        declared_by and the time for declared_at.
    """
    for file in passport.files:
        declaration = file.declaration
        if declaration is None or declaration.value is None:
            continue
        data = declaration.value
        if not isinstance(data, dict):
            yield _problem(declaration, None, f"the declaration is {shown(data)}; write an object, or null")
            continue
        if data.get("status") not in STATUSES:
            yield _problem(
                declaration, "status", f"status is {member(data, 'status')}; write {listed(STATUSES, 'or')}"
            )
        if data.get("declared_by") != "scholar":
            message = f"declared_by is {member(data, 'declared_by')}; only the scholar declares: write scholar"
            yield _problem(declaration, "declared_by", message)
        declared_at = data.get("declared_at")
        if not isinstance(declared_at, str) or not declared_at:
            message = f"declared_at is {member(data, 'declared_at')}; write the time of the declaration"
            yield _problem(declaration, "declared_at", message)


def _declarations(passport: Passport) -> Iterator[tuple[Member, dict[str, object]]]:
    for file in passport.files:
        if file.declaration is not None and isinstance(file.declaration.value, dict):
            yield file.declaration, file.declaration.value


def _problem(declaration: Member, key: str | None, message: str, related: tuple[Related, ...] = ()) -> Problem:
    tokens = declaration.tokens if key is None else (*declaration.tokens, key)
    return Problem(message, declaration.source, Pointer(tokens), related=related)
