"""What a reply means for a row, and what of it is kept in the cache (contract, section 7, steps 3, 5, 6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claimlint.audit.binding import is_instant
from claimlint.audit.reply import (
    AMBIGUOUS,
    NOT_VIOLATED,
    PARTIAL,
    SUB_VERDICTS,
    SUPPORTED,
    UNSUPPORTED,
    VIOLATED,
    Reply,
    SubClaim,
)
from claimlint.audit.types import (
    ANCHOR_UNLOCATED,
    CONSTRAINTS_NOT_CHECKED,
    EVIDENCE_UNLOCATED,
    METHOD_API,
    METHOD_MANUAL_PDF,
    METHOD_NOT_ATTEMPTED,
    PDF_UNVERIFIED,
    QUOTE_UNLOCATED,
    Constraint,
)
from claimlint.audit.words import MAX_TEXT, cut, scrub
from claimlint.documents.matrix import ALLOWED_TRIPLES, AMBIGUOUS_STAGES, UNSUPPORTED_STAGES

COMPLETED = "completed"
VIOLATION_STAGE = "negative_constraint_violation"
SOURCE_STAGE = "source_description"

_HINTS = frozenset(UNSUPPORTED_STAGES) - {VIOLATION_STAGE}
_MAX_PART = 1000
_TAGS = re.compile(
    "|".join(
        re.escape(tag)
        for tag in (QUOTE_UNLOCATED, ANCHOR_UNLOCATED, PDF_UNVERIFIED, CONSTRAINTS_NOT_CHECKED, EVIDENCE_UNLOCATED)
    )
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict in the words of the rows; its fields are those that the cache holds.

    ``judgment`` is SUPPORTED, UNSUPPORTED or AMBIGUOUS for a citation, VIOLATED or NOT_VIOLATED for a sentence
    without one. ``method`` is the ref_retrieval_method (``not_attempted`` for the latter).
    """

    judgment: str
    defect_stage: str | None
    rationale: str
    judge_model: str
    judge_run_at: str
    method: str
    violated: str | None = None
    breakdown: tuple[SubClaim, ...] = ()

    @property
    def is_violation(self) -> bool:
        """Whether a constraint was broken."""
        return self.violated is not None


def untagged(text: str) -> str:
    """A text from outside that cannot pass for one with tags of ours."""
    return _TAGS.sub(lambda match: f"({match[0][1:-1]})", text)


def verdict_of(reply: Reply, *, cited: bool, model: str, run_at: str, method: str) -> Verdict:
    """The verdict that a reply stands for, with hints outside the matrix coerced."""
    judgment, stage = _route(reply) if cited else (reply.verdict, None)
    return Verdict(
        judgment=judgment,
        defect_stage=stage,
        rationale=cut(untagged(reply.rationale)).rstrip(),
        judge_model=model,
        judge_run_at=run_at,
        method=method,
        violated=reply.violated,
        breakdown=reply.breakdown,
    )


def _route(reply: Reply) -> tuple[str, str | None]:
    if reply.verdict == VIOLATED:
        return (UNSUPPORTED, VIOLATION_STAGE)
    if reply.verdict == PARTIAL:
        return (UNSUPPORTED, SOURCE_STAGE)
    if reply.verdict == UNSUPPORTED:
        return (UNSUPPORTED, reply.hint if reply.hint in _HINTS else SOURCE_STAGE)
    if reply.verdict == AMBIGUOUS:
        return (AMBIGUOUS, reply.hint if reply.hint in AMBIGUOUS_STAGES else None)
    return (reply.verdict, None)


def to_stored(verdict: Verdict) -> dict[str, object]:
    """The cache's value: the contract's nine fields and nothing else."""
    return {
        "judgment": verdict.judgment,
        "audit_status": COMPLETED,
        "defect_stage": verdict.defect_stage,
        "rationale": verdict.rationale,
        "judge_model": verdict.judge_model,
        "judge_run_at": verdict.judge_run_at,
        "ref_retrieval_method": verdict.method,
        "violated_constraint_id": verdict.violated,
        "sub_claim_breakdown": sub_claims(verdict.breakdown) or None,
    }


def sub_claims(breakdown: Sequence[SubClaim]) -> list[dict[str, object]]:
    """A breakdown in the form of the row's sub_claim_breakdown."""
    return [
        {"sub_claim_text": each.text, "sub_verdict": each.verdict, "evidence_pointer": each.pointer}
        for each in breakdown
    ]


_KEYS = frozenset(
    {
        "judgment",
        "audit_status",
        "defect_stage",
        "rationale",
        "judge_model",
        "judge_run_at",
        "ref_retrieval_method",
        "violated_constraint_id",
        "sub_claim_breakdown",
    }
)


def from_stored(value: object, *, cited: bool, model: str, constraints: Sequence[Constraint]) -> Verdict:
    """A stored verdict, checked as strictly as a fresh one.

    ``cited`` says whether it was asked for a citation; ``model`` and ``constraints`` are those of its key.
    Raises ValueError saying what is wrong with it.
    """
    if not isinstance(value, Mapping) or value.keys() != _KEYS:
        raise ValueError("it is not an object with the nine fields of a verdict")
    verdict = Verdict(
        judgment=_text(value, "judgment"),
        defect_stage=_optional(value, "defect_stage"),
        rationale=_text(value, "rationale"),
        judge_model=_text(value, "judge_model"),
        judge_run_at=_text(value, "judge_run_at"),
        method=_text(value, "ref_retrieval_method"),
        violated=_optional(value, "violated_constraint_id"),
        breakdown=_breakdown(value["sub_claim_breakdown"]),
    )
    if value["audit_status"] != COMPLETED:
        raise ValueError("its audit_status is not completed")
    if verdict.judge_model != model:
        raise ValueError("it was given by another model")
    if not is_instant(verdict.judge_run_at):
        raise ValueError("its judge_run_at is no date-time")
    if verdict.violated is not None and all(verdict.violated != each.constraint_id for each in constraints):
        raise ValueError("it names a constraint that is not active")
    if cited:
        _check_cited(verdict)
    else:
        _check_uncited(verdict)
    return verdict


def _check_cited(verdict: Verdict) -> None:
    if verdict.judgment not in SUB_VERDICTS:
        raise ValueError("its judgment is none of a citation's")
    if (verdict.judgment, COMPLETED, verdict.defect_stage) not in ALLOWED_TRIPLES:
        raise ValueError("its judgment and defect_stage do not go together")
    if verdict.method not in (METHOD_API, METHOD_MANUAL_PDF):
        raise ValueError("its ref_retrieval_method is neither api nor manual_pdf")
    if (verdict.defect_stage == VIOLATION_STAGE) != verdict.is_violation:
        raise ValueError("its defect_stage and violated_constraint_id do not go together")
    found = [each.verdict for each in verdict.breakdown]
    mixed = SUPPORTED in found and any(each != SUPPORTED for each in found)
    if found and not (mixed and verdict.judgment == UNSUPPORTED and verdict.defect_stage == SOURCE_STAGE):
        raise ValueError("its sub_claim_breakdown does not fit its judgment")


def _check_uncited(verdict: Verdict) -> None:
    fits = verdict.judgment == (VIOLATED if verdict.is_violation else NOT_VIOLATED)
    if not fits or verdict.defect_stage or verdict.breakdown or verdict.method != METHOD_NOT_ATTEMPTED:
        raise ValueError("it is no verdict on a sentence without a citation")


def _text(value: Mapping[str, object], key: str) -> str:
    text = value[key]
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT or text != scrub(text):
        raise ValueError(f"its {key} is not one line of text of up to {MAX_TEXT} characters")
    return text


def _optional(value: Mapping[str, object], key: str) -> str | None:
    return None if value[key] is None else _text(value, key)


def _breakdown(value: object) -> tuple[SubClaim, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) < 2:
        raise ValueError("its sub_claim_breakdown is no list of two or more")
    return tuple(_item(each) for each in value)


def _item(value: object) -> SubClaim:
    if not isinstance(value, Mapping) or value.keys() != {"sub_claim_text", "sub_verdict", "evidence_pointer"}:
        raise ValueError("a sub-claim does not have the three fields")
    text, verdict, pointer = value["sub_claim_text"], value["sub_verdict"], value["evidence_pointer"]
    if not isinstance(text, str) or not 0 < len(text) <= _MAX_PART:
        raise ValueError("a sub_claim_text is not a text of up to 1000 characters")
    if not isinstance(verdict, str) or verdict not in SUB_VERDICTS:
        raise ValueError("a sub_verdict is unknown")
    if pointer is not None and (not isinstance(pointer, str) or len(pointer) > _MAX_PART):
        raise ValueError("an evidence_pointer is not a text of up to 1000 characters")
    return SubClaim(text, verdict, pointer)
