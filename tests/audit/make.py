"""Small passports, drafts and judges for the tests of the audit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import Ambient, AuditConfig
from claimlint.audit.preparing import prepare
from claimlint.audit.running import AuditOutcome, execute
from claimlint.audit.types import JudgeFault, JudgeQuestion, RetrievalRequest, Retrieved
from claimlint.documents.draft_reader import read_draft
from claimlint.documents.passport import Passport, join
from claimlint.documents.reader import read_passport_text
from claimlint.documents.source import TextSource
from claimlint.workspace import Workspace

NOW = datetime(2026, 11, 30, 8, 0, 0, tzinfo=UTC)
PAGES = "Page one says the oven was shared.\fPage two says costs fell by 12% in two towns.\fPage three."


def ambient() -> Ambient:
    return Ambient(now=lambda: NOW, random_hex=lambda digits: ("0123456789abcdef" * 4)[:digits])


def passport(**top: object) -> Passport:
    return join([read_passport_text(json.dumps(top), "passport.json")])


def manifest(
    manifest_id: str,
    emitted_at: str,
    *claims: Mapping[str, object],
    constraints: Sequence[tuple[str, str]] = (),
    emitted_by: str = "draft_writer_agent",
) -> dict[str, object]:
    return {
        "manifest_version": "1.0",
        "manifest_id": manifest_id,
        "emitted_by": emitted_by,
        "emitted_at": emitted_at,
        "claims": list(claims),
        "manifest_negative_constraints": rules(constraints),
    }


def rules(constraints: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"constraint_id": name, "rule": rule} for name, rule in constraints]


def claim(claim_id: str, text: str, **more: object) -> dict[str, object]:
    return {
        "claim_id": claim_id,
        "claim_text": text,
        "intended_evidence_kind": "empirical",
        "planned_refs": [],
        **more,
    }


M1 = "M-2026-10-03T08:30:00Z-aaaa"
M2 = "M-2026-10-04T08:30:00Z-bbbb"


class Sources:
    """A retriever of known texts; counts what it is asked."""

    name = "sources"

    def __init__(self, texts: Mapping[str, Retrieved | str | Exception]) -> None:
        self.texts = texts
        self.asked: list[str] = []

    def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
        self.asked.append(request.slug)
        found = self.texts.get(request.slug)
        if isinstance(found, Exception):
            raise found
        return Retrieved("manual_pdf", text=found) if isinstance(found, str) else found


class Scripted:
    """A judge that answers by a function; keeps the questions."""

    name = "scripted"
    model = "scripted"

    def __init__(self, answer: str | Callable[[JudgeQuestion], str]) -> None:
        self.answer = answer
        self.questions: list[JudgeQuestion] = []

    def ask(self, question: JudgeQuestion) -> str:
        self.questions.append(question)
        return self.answer if isinstance(self.answer, str) else self.answer(question)


def verdict(judgment: str, rationale: str = "the page says so", **lines: str) -> str:
    middle = "".join(f"{name.upper()}: {value}\n" for name, value in lines.items())
    return f"JUDGMENT: {judgment}\n{middle}RATIONALE: {rationale}"


def by_stream(cited: str, uncited: str = "NOT_VIOLATED") -> Callable[[JudgeQuestion], str]:
    return lambda question: verdict(uncited if question.ref_slug is None else cited)


def fails(fault: str, **more: object) -> Callable[[JudgeQuestion], str]:
    def answer(_question: JudgeQuestion) -> str:
        raise JudgeFault(fault, "as scripted", **more)  # type: ignore[arg-type]

    return answer


def workspace(draft: str, found: Passport | None = None, **more: object) -> Workspace:
    return Workspace(read_draft(TextSource("draft.md", draft)), found or passport(), **more)  # type: ignore[arg-type]


def audit(
    draft: str,
    judge: Scripted,
    *,
    found: Passport | None = None,
    sources: Mapping[str, Retrieved | str | Exception] | None = None,
    config: AuditConfig | None = None,
    cache: Path | None = None,
    progress: object = None,
) -> AuditOutcome:
    prepared = prepare(
        workspace(draft, found),
        config or AuditConfig(),
        [Sources({"src": PAGES} if sources is None else sources)],
        judge.model,
        VerdictCache(cache),
        ambient=ambient(),
    )
    return execute(prepared, judge, progress=progress)  # type: ignore[arg-type]
