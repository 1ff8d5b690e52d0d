"""A run with the live audit: each draft is audited, its new rows are written or held, then all rules run.

Rows that are not written stand in no file, so their findings are shown at the citation they are about.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from claimlint import registry
from claimlint.audit.building import OWNED
from claimlint.audit.preparing import prepare
from claimlint.audit.running import AuditOutcome, execute
from claimlint.checker import Checker, UnitResult
from claimlint.discovery import Discovered, Target, show
from claimlint.documents.passport import Passport, PassportFile, Row, join
from claimlint.documents.reader import read_passport_text
from claimlint.documents.source import FixedSource
from claimlint.engine import Outcome, check_passport, dispatch
from claimlint.errors import ClaimlintError, UsageError
from claimlint.findings import Span, Tokens
from claimlint.run import RunResult, merge
from claimlint.task import Task

if TYPE_CHECKING:
    from pathlib import Path

    from claimlint.audit.cache import VerdictCache
    from claimlint.audit.config import AuditConfig, Progress
    from claimlint.audit.plan import Plan
    from claimlint.audit.types import Judge, Retriever
    from claimlint.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit works with. ``judge_model`` is the configured one; ``judge`` may be None for a dry run."""

    config: AuditConfig
    retrievers: Sequence[Retriever]
    judge: Judge | None
    judge_model: str
    cache: VerdictCache
    write: bool = False
    dry_run: bool = False


class Audience(Protocol):
    """Whoever watches an audit: shows plans and progress, and may stop it before it costs anything."""

    def plan(self, path: str, plan: Plan) -> None:
        """Show the plan of one draft before its first call."""
        ...

    def agrees(self, plan: Plan) -> bool:
        """Whether the calls may be made."""
        ...

    def watch(self) -> Progress:
        """What is told how far things have come."""
        ...

    def say(self, message: str) -> None:
        """Show a message that is no finding."""
        ...


@dataclass(frozen=True, slots=True)
class AuditRun:
    """The result of the rules, and whether citations were left without a verdict."""

    result: RunResult
    incomplete: bool


def audit_run(found: Discovered, task: Task, audit: Audit, audience: Audience) -> AuditRun:
    """Audit every draft that was found, then check it; passports without a draft are checked as always.

    The limits on calls and cost hold for the run, not for each draft. Raises ``UsageError`` when there is no
    draft, ``AuditError`` and ``WriteError`` as the audit does.
    """
    drafts = [target for target in found.targets if target.is_draft]
    if not drafts:
        raise UsageError("--judge audits the citations of drafts, and none of the paths is a draft")
    checker = Checker(task)
    parts: list[UnitResult] = []
    incomplete = False
    config = audit.config
    for target in drafts:
        try:
            outcome, part = _audit_draft(checker, target, replace(audit, config=config), audience)
        except (UsageError, KeyboardInterrupt):
            raise
        except ClaimlintError as error:
            parts.append(UnitResult(Outcome(), (error,)))
            continue
        parts.append(part)
        if outcome is not None:
            incomplete = incomplete or bool(outcome.incomplete)
            config = _remaining(config, outcome)
            if outcome.interrupted:
                break
    claimed = {path for part in parts for path in part.linked}
    parts.extend(
        checker.passport((target,))
        for target in found.targets
        if not target.is_draft and os.path.realpath(target.path) not in claimed
    )
    parts.append(checker.prompt())
    return AuditRun(merge(parts, found.failures), incomplete)


def _audit_draft(
    checker: Checker, target: Target, audit: Audit, audience: Audience
) -> tuple[AuditOutcome | None, UnitResult]:
    workspace, linked = checker.workspace(target)
    progress = audience.watch()
    prepared = prepare(
        workspace,
        audit.config,
        audit.retrievers,
        audit.judge_model,
        audit.cache,
        progress=progress,
        keep_cache=audit.dry_run,
    )
    audience.plan(target.shown, prepared.plan)
    if audit.dry_run:
        return None, UnitResult(Outcome())
    if not audience.agrees(prepared.plan):
        raise UsageError("not started: nobody agreed to the calls")
    outcome = execute(prepared, audit.judge, progress=progress)
    for message in (*outcome.warnings, *outcome.incomplete):
        audience.say(f"{target.shown}: {message}")
    if audit.write:
        path = write_rows(checker, target, workspace, linked, outcome)
        audience.say(f"{show(path)}: {sum(map(len, outcome.rows.values()))} rows written")
        checker.forget()
        workspace, linked = checker.workspace(target)
    else:
        workspace = replace(workspace, passport=with_rows(workspace, outcome))
    return outcome, checker.checked(workspace, linked)


def _remaining(config: AuditConfig, outcome: AuditOutcome) -> AuditConfig:
    calls, cost = config.max_calls, config.max_cost
    if calls is not None:
        calls = max(0, calls - outcome.counts.calls)
    if cost is not None:
        cost = max(0.0, cost - (outcome.plan.cost or 0.0))
    return replace(config, max_calls=calls, max_cost=cost)


def with_rows(workspace: Workspace, outcome: AuditOutcome) -> Passport:
    """The passport of a draft with the rows of an audit in place of older ones."""
    spans: dict[Tokens, Span] = {}
    rows: dict[str, tuple[Row, ...]] = {}
    source = FixedSource(workspace.draft.source, spans)
    for name, made in outcome.rows.items():
        rows[name] = tuple(Row(each.data, source, (name, index)) for index, each in enumerate(made))
        for index, each in enumerate(made):
            if each.span is not None:
                spans[name, index] = each.span
    old = () if workspace.passport is None else workspace.passport.files
    kept = (
        file._replace(rows={name: found for name, found in file.rows.items() if name not in OWNED}) for file in old
    )
    return join((*kept, PassportFile(source, rows)))


def write_rows(
    checker: Checker, target: Target, workspace: Workspace, linked: tuple[Target, ...], outcome: AuditOutcome
) -> str:
    """Put the rows of an audit into the passport of a draft, or into a new one beside it; returns its path.

    Rows about sentences of other drafts that share the passport stay. The new passport is checked first, and
    nothing is written when a row of the audit breaks a contract. Raises ``WriteError``.
    """
    from pathlib import Path

    from claimlint.audit.write_back import write_back

    paths = [Path(each.path) for each in linked] or [Path(os.path.splitext(target.path)[0] + ".passport.json")]
    table = dispatch(rule for rule in registry.load().rules if _is_contract(rule.family))

    def validate(texts: Mapping[Path, str]) -> tuple[str, ...]:
        files = (read_passport_text(text, show(str(path))) for path, text in texts.items())
        made = check_passport(join((*files, *workspace.draft.manifests)), table, path=target.shown)
        broken = [each for each in made.findings if (each.pointer or "").startswith(_OWNED_POINTERS)]
        crashed = tuple(str(failure) for failure in made.failures)
        return crashed + tuple(f"{each.pointer}: {each.code} {each.message}" for each in broken)

    theirs = _texts_of_others(checker, target, linked)

    def keep(_aggregate: str, row: Mapping[str, object]) -> bool:
        text = row.get("claim_text", row.get("sentence_text"))
        return isinstance(text, str) and " ".join(text.split()) in theirs

    report = write_back(paths, outcome.aggregates(), validate=validate, keep=keep if theirs else None)
    return str(report.path)


_OWNED_POINTERS = tuple(f"/{name}" for name in OWNED)


def _is_contract(family: str) -> bool:
    return family.endswith("INV") or family in {"SCHEMA", "MATRIX"}


def _texts_of_others(checker: Checker, target: Target, linked: tuple[Target, ...]) -> frozenset[str]:
    """The sentences of all other drafts that have the same passport."""
    drafts = {each.path: each for passport in linked for each in checker.drafts_of(passport)}
    own = os.path.realpath(target.path)
    others = [each for path, each in drafts.items() if os.path.realpath(path) != own]
    mine = {sentence.text for sentence in checker.loader.draft(target).sentences}
    return frozenset(text.text for each in others for text in checker.loader.draft(each).sentences) - mine
