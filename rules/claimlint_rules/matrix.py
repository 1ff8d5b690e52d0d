"""MATRIX: which judgment, audit status and defect stage may stand together (contract, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from claimlint.documents.matrix import ALLOWED_TRIPLES, Triple, triple_of
from claimlint.documents.passport import CLAIM_AUDIT_RESULTS, Row
from claimlint.documents.values import cause, shown
from claimlint.findings import Problem
from claimlint.rules import rule

_KEYS = ("judgment", "audit_status", "defect_stage")
_TRIPLES = sorted(ALLOWED_TRIPLES, key=lambda each: (each[0], each[1], each[2] or ""))
_WORDS = {part for each in ALLOWED_TRIPLES for part in each}
_REPAIR_ORDER = (2, 1, 0)
"""What is tried first: a verdict is seldom what is wrong, its defect stage often."""


@rule("MATRIX-1", "triple", on=CLAIM_AUDIT_RESULTS)
def triple_is_allowed(row: Row) -> Iterator[Problem]:
    """A row's judgment, audit_status and defect_stage are one of the twelve combinations of the matrix.

    Why
        The three say together what the audit found, and the gate decides by them. A combination outside the
        matrix has no meaning, so the gate refuses the row whatever its judgment is. From the contract, section 3:

        - SUPPORTED, completed: null
        - AMBIGUOUS, completed: source_description, citation_anchor, synthesis_overclaim or null
        - UNSUPPORTED, completed: source_description, metadata, citation_anchor, synthesis_overclaim or
          negative_constraint_violation
        - RETRIEVAL_FAILED, completed: retrieval_existence
        - RETRIEVAL_FAILED, inconclusive: not_applicable

    Bad
        {"judgment": "SUPPORTED", "audit_status": "completed", "defect_stage": "metadata"}

    Good
        {"judgment": "UNSUPPORTED", "audit_status": "completed", "defect_stage": "metadata"}

    Fix
        Write one of the combinations that the message names: the nearest to what the row says. A value that is
        missing or of a wrong type is SCHEMA-1 alone.
    """
    triple = triple_of(row.data)
    if triple is None or triple in ALLOWED_TRIPLES:
        return
    at, repairs = _repairs(triple)
    shown_triple = ", ".join(map(_word, triple))
    yield row.problem(
        at,
        f"({shown_triple}) is no allowed combination of judgment, audit_status and defect_stage; {repairs}",
        cause=cause(row, shown_triple),
    )


@lru_cache(maxsize=256)
def _repairs(triple: Triple) -> tuple[str, str]:
    """The key to change first, and the nearest allowed combinations in words."""
    ways: list[tuple[str, str]] = []
    for part in _REPAIR_ORDER:
        values = [each[part] for each in _TRIPLES if _differs_only_at(part, each, triple)]
        if values:
            ways.append((_KEYS[part], f"{_KEYS[part]} to {_either([_word(value) for value in values])}"))
    if ways:
        return ways[0][0], f"change {', or '.join(way for _, way in ways)}"
    same = [each for each in _TRIPLES if each[0] == triple[0]]
    nearest = same or [each for each in _TRIPLES if each[2] == triple[2]] or _TRIPLES
    listed = _either([f"({', '.join(map(_word, each))})" for each in nearest])
    return _KEYS[1] if same else _KEYS[0], f"the nearest {'is' if len(nearest) == 1 else 'are'} {listed}"


def _differs_only_at(part: int, one: Triple, other: Triple) -> bool:
    return all((one[each] == other[each]) != (each == part) for each in range(len(_KEYS)))


def _word(value: str | None) -> str:
    """A part as a message shows it: plain when it is a word of the vocabulary, quoted when it is not."""
    if value is None:
        return "null"
    return value if value in _WORDS else shown(value)


def _either(words: list[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last
