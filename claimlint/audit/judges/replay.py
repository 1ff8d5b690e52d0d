"""The judge that gives recorded replies (design, section 4): for tests and reproducible runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from claimlint.audit.judges import JudgeOptions
from claimlint.audit.types import JudgeFault, JudgeQuestion
from claimlint.audit.words import normal
from claimlint.documents.passport import FAULTS
from claimlint.errors import DocumentError, UsageError

_KNOWN = frozenset({"claim_text", "ref_slug", "anchor_value", "scoped_manifest_id", "reply", "fault", "detail"})
_DEFAULT_MODEL = "replay"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded reply. None as ``anchor_value`` or ``scoped_manifest_id`` stands for any."""

    anchor_value: str | None
    scoped_manifest_id: str | None
    reply: str | None
    fault: str
    detail: str

    def fits(self, question: JudgeQuestion) -> bool:
        """Whether it was recorded for a question of the same text and slug like this one."""
        return self.anchor_value in (None, question.anchor_value) and self.scoped_manifest_id in (
            None,
            question.scoped_manifest_id,
        )

    @property
    def closeness(self) -> int:
        """How much it says about the question it belongs to."""
        return (self.anchor_value is not None) + (self.scoped_manifest_id is not None)


@dataclass(frozen=True, slots=True)
class ReplayJudge:
    """Looks replies up by claim text and slug; of several that fit, the closest counts, then the first."""

    model: str
    replies: Mapping[tuple[str, str | None], tuple[Recorded, ...]]
    name: str = "replay"

    def ask(self, question: JudgeQuestion) -> str:
        """The recorded reply; raises the recorded JudgeFault, or ``judge_api_error`` when nothing is."""
        recorded = self.replies.get((normal(question.claim_text), question.ref_slug), ())
        fitting = [each for each in recorded if each.fits(question)]
        if not fitting:
            raise JudgeFault("judge_api_error", "the replay file has no reply for this question")
        found = max(fitting, key=lambda each: each.closeness)
        if found.reply is None:
            raise JudgeFault(found.fault, found.detail)
        return found.reply


def open_replay(options: JudgeOptions) -> ReplayJudge:
    """The judge ``replay:FILE``; raises UsageError when the file is missing or not of the documented form."""
    if not options.argument:
        raise UsageError("the judge replay needs a file: --judge-backend replay:FILE")
    return read_replay(options.argument, options.model)


def read_replay(path: str, model: str | None = None) -> ReplayJudge:
    """The judge of a replay file; ``model`` overrides the file's. Raises UsageError."""
    from claimlint.documents.json_text import parse_json
    from claimlint.documents.source import read_text

    try:
        text = read_text(path, path)
    except DocumentError as error:
        raise UsageError(f"the replay file cannot be used: {error.message}", path=path) from error
    parsed = parse_json(text)
    document: object = parsed.value
    if parsed.refusal is not None:
        raise UsageError(f"the replay file is no JSON: {parsed.refusal.message}", path=path)
    replies = document.get("replies") if isinstance(document, dict) else None
    named = document.get("model", _DEFAULT_MODEL) if isinstance(document, dict) else None
    if not isinstance(replies, list) or not isinstance(named, str):
        raise UsageError('the replay file must hold {"model": "…", "replies": […]}', path=path)
    found: dict[tuple[str, str | None], tuple[Recorded, ...]] = {}
    for index, entry in enumerate(replies):
        key, recorded = _entry(entry, index, path)
        found[key] = (*found.get(key, ()), recorded)
    return ReplayJudge(model or named or _DEFAULT_MODEL, found)


def _entry(entry: object, index: int, path: str) -> tuple[tuple[str, str | None], Recorded]:
    where = f"reply {index} of the replay file"
    if not isinstance(entry, dict) or not isinstance(entry.get("claim_text"), str):
        raise UsageError(f"{where} has no claim_text", path=path)
    unknown = sorted(entry.keys() - _KNOWN)
    if unknown:
        raise UsageError(f"{where} has the unknown key {unknown[0]!r}", path=path)
    for name in _KNOWN - {"claim_text"}:
        if not isinstance(entry.get(name), str | None):
            raise UsageError(f"{where}: {name} is no string", path=path)
    reply, fault = entry.get("reply"), entry.get("fault")
    if (reply is None) == (fault is None):
        raise UsageError(f"{where} must have either a reply or a fault", path=path)
    if fault is not None and fault not in FAULTS:
        raise UsageError(f"{where}: {fault!r} is no fault; known: {', '.join(sorted(FAULTS))}", path=path)
    recorded = Recorded(
        anchor_value=entry.get("anchor_value"),
        scoped_manifest_id=entry.get("scoped_manifest_id"),
        reply=reply,
        fault=fault or "",
        detail=entry.get("detail") or "recorded",
    )
    return (normal(entry["claim_text"]), entry.get("ref_slug")), recorded
