"""Which negative constraints apply to a claim (contract, section 7, step 3)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.audit.types import Constraint
from claimlint.audit.words import well_formed
from claimlint.documents.passport import Manifest, Row

_MANIFEST_FORM = "MNC-"
_CLAIM_FORM = "NC-"


def active_constraints(manifest: Manifest | None, claim_id: str | None) -> tuple[Constraint, ...]:
    """The manifest's constraints and those of the claim of that id, sorted by constraint id.

    A claim adds constraints and never overrides the manifest's (M-INV-3): an ``MNC-`` id under a claim is
    passed over.
    """
    if manifest is None:
        return ()
    found = dict.fromkeys(_constraints(manifest.row, "manifest_negative_constraints"))
    claim = manifest.claims.get(claim_id) if claim_id is not None else None
    if claim is not None:
        for constraint in _constraints(claim, "negative_constraints"):
            if not constraint.constraint_id.startswith(_MANIFEST_FORM):
                found.setdefault(constraint)
    return tuple(sorted(found, key=lambda each: (each.constraint_id, each.rule)))


def is_claim_constraint(constraint_id: str) -> bool:
    """Whether an id is of the form that stands under a claim."""
    return constraint_id.startswith(_CLAIM_FORM)


def _constraints(owner: Row, key: str) -> Iterator[Constraint]:
    for row in owner.children(key):
        constraint_id, rule = row.text("constraint_id"), row.text("rule")
        if constraint_id and rule is not None:
            yield Constraint(well_formed(constraint_id), well_formed(rule))
