"""SCHEMA: every row has the shape of its row type (contract, section 2)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.passport import AGGREGATES, Member, Passport, Row
from claimlint.documents.values import cause
from claimlint.findings import Pointer, Problem
from claimlint.rules import rule
from claimlint.schemas import NAMES, faults, valid_rows

_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


@rule("SCHEMA-1", "schema", on=Passport)
def rows_fit_their_schema(passport: Passport) -> Iterator[Problem]:
    """Every aggregate is an array of objects, and each of them fits the schema of its row type.

    Why
        Rows are written by programs and read by others: a misspelt key, a date that no calendar has or a verdict
        outside its vocabulary would be passed over in silence, and the gate would decide on half a row. From the
        contract, section 2; `claimlint schema NAME` prints a schema, with a description of every key. Rows of
        literature_corpus may have keys of their own, all others may not.

    Bad
        {"claim_drifts": [{"finding_id": "CD-1", "drift_kind": "EMITTED_NOT_INTENDED",
          "claim_txt": "Queues vanished.", "detected_at": "2026-02-30T11:01:00Z", "rule_version": "D4-a-v1"}]}

    Good
        {"claim_drifts": [{"finding_id": "CD-001", "drift_kind": "EMITTED_NOT_INTENDED",
          "claim_text": "Queues vanished.", "detected_at": "2026-02-28T11:01:00Z", "rule_version": "D4-a-v1"}]}

    Fix
        Write what the message asks for at the place it names. Many rows with one fault come from one writer:
        mend the writer, then the rows. Where there is nothing to write, write null if the schema allows it, and
        leave the key out if it is optional.
    """
    for part in passport.files:
        for member in part.misfits:
            yield _misfit(member)
    for aggregate in AGGREGATES:
        rows = passport.aggregate(aggregate)
        name = NAMES[aggregate]
        if rows and not valid_rows(name, [row.data for row in rows]):
            for row in rows:
                yield from _faults(aggregate, name, row)


def _faults(aggregate: str, name: str, row: Row) -> Iterator[Problem]:
    for fault in faults(name, row.data):
        yield Problem(
            message=fault.message,
            source=row.source,
            place=row.pointer(*fault.tokens, key=fault.key),
            cause=cause(row, f"{aggregate}: {fault.rule}"),
        )


def _misfit(member: Member) -> Problem:
    """An aggregate that is no array, or one of its elements that is no object."""
    kind = _KINDS.get(type(member.value), "a number")
    element = bool(member.tokens) and isinstance(member.tokens[-1], int)
    if element:
        message = f"{member.name}[{member.tokens[-1]}] is {kind}, but every row must be an object"
    elif isinstance(member.value, dict):
        message = f"{member.name} is an object, but must be an array of rows; put the row between [ and ]"
    else:
        message = f"{member.name} is {kind}, but must be an array of rows; write [] when there are none"
    return Problem(message, member.source, Pointer(member.tokens), cause=f"{member.name}: {element}: {kind}")
