"""A run with the live audit: all drafts are audited first, their new rows written or held, then all rules run.

Rows that are not written stand in no file, so their findings are shown at the citation they are about.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from claimlint.audit.placing import held_rows, write_rows
from claimlint.audit.preparing import prepare
from claimlint.audit.running import AuditOutcome, execute
from claimlint.checker import Checker, UnitResult
from claimlint.discovery import Discovered, Target, show
from claimlint.documents.passport import Passport, join
from claimlint.engine import Outcome
from claimlint.errors import ClaimlintError, DocumentError, UsageError, unexpected
from claimlint.run import RunResult, merge, passport_units
from claimlint.task import Task

if TYPE_CHECKING:
    from claimlint.audit.cache import VerdictCache
    from claimlint.audit.config import AuditConfig, Progress
    from claimlint.audit.plan import Plan
    from claimlint.audit.preparing import Prepared
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

    The limits on calls and cost hold for the run, not for each draft. After a dry run the result holds what
    went wrong, and nothing else. Raises ``UsageError`` when there is no draft, and for limits that cannot be kept.
    """
    by_path = {os.path.realpath(target.path): target for target in found.targets if target.is_draft}
    drafts = sorted(by_path.values(), key=lambda target: (target.shown, target.path))
    if not drafts and found.failures:
        return AuditRun(merge((), found.failures), incomplete=False)
    if not drafts:
        raise UsageError("--judge audits the citations of drafts, and none of the paths is a draft")
    checker = Checker(task._replace(drafts=tuple(target.path for target in by_path.values())))
    round_ = _Round(checker, audit, audience)
    for target in drafts:
        round_.audit(target)
    if audit.dry_run:
        return AuditRun(merge(round_.failures, found.failures), incomplete=False)
    parts = [*round_.failures, *(round_.checked(target) for target in drafts)]
    claimed = {path for part in parts for path in part.linked}
    free = [
        target for target in found.targets if not target.is_draft and os.path.realpath(target.path) not in claimed
    ]
    parts.extend(checker.passport(unit) for unit in passport_units(free, task.together))
    parts.append(checker.prompt())
    return AuditRun(merge(parts, found.failures), round_.incomplete)


class _Round:
    """The audits of one run, one after the other: they share the limits, and drafts may share a passport."""

    def __init__(self, checker: Checker, audit: Audit, audience: Audience) -> None:
        self._checker = checker
        self._audit = audit
        self._audience = audience
        self._config = audit.config
        self._held: dict[tuple[str, ...], Passport] = {}
        self._over = ""
        self.failures: list[UnitResult] = []
        self.incomplete = False

    def audit(self, target: Target) -> None:
        """Audit one draft; what goes wrong is a failure of this draft, and the others go on."""
        if self._over:
            self.incomplete = True
            self._audience.say(f"{target.shown}: not audited, because {self._over}")
            return
        try:
            self._draft(target)
        except UsageError:
            raise
        except ClaimlintError as error:
            self._failed(error)
        except Exception as error:  # noqa: BLE001 - what was judged for the other drafts must still be shown
            self._failed(unexpected(error, target.shown))

    def checked(self, target: Target) -> UnitResult:
        """The draft checked together with what its audit found."""
        if not self._held:
            return self._checker.draft(target)
        try:
            workspace, linked = self._checker.workspace(target)
        except ClaimlintError:
            return self._checker.draft(target)
        key = _key(target, linked)
        if key not in self._held:
            return self._checker.checked(workspace, linked)
        workspace = _holding(workspace, self._held[key])
        return self._checker.checked(workspace, linked)._replace(counted=key)

    def _draft(self, target: Target) -> None:
        workspace, linked = self._checker.workspace(target, anchors=False)
        key = _key(target, linked)
        if key in self._held:
            workspace = _holding(workspace, self._held[key])
        for file in () if workspace.passport is None else workspace.passport.files:
            if not file.readable:  # what it says of claims and constraints decides what is asked
                message = f"not audited, because {file.source.path} cannot be read"
                raise DocumentError(message, path=target.shown)
        prepared = self._prepared(workspace)
        self._audience.plan(target.shown, prepared.plan)
        if self._audit.dry_run:
            self._spend(prepared.plan.calls, prepared.plan.cost)
            return
        if not self._audience.agrees(prepared.plan):
            self._over = "nobody agreed to the calls"
            raise ClaimlintError(f"not audited, because {self._over}", path=target.shown)
        outcome = execute(prepared, self._audit.judge, progress=self._audience.watch())
        for message in (*outcome.warnings, *outcome.incomplete):
            self._audience.say(f"{target.shown}: {message}")
        self._account(outcome)
        self._put(target, linked, key, workspace, outcome)

    def _prepared(self, workspace: Workspace) -> Prepared:
        return prepare(
            workspace,
            self._config,
            self._audit.retrievers,
            self._audit.judge_model,
            self._audit.cache,
            progress=self._audience.watch(),
            keep_cache=self._audit.dry_run,
        )

    def _put(
        self,
        target: Target,
        linked: tuple[Target, ...],
        key: tuple[str, ...],
        workspace: Workspace,
        outcome: AuditOutcome,
    ) -> None:
        """Write the rows, or hold them: also when they cannot be written, so that they are at least shown."""
        if self._audit.write:
            try:
                report = write_rows(target, linked, workspace, outcome)
            except ClaimlintError as error:
                self._failed(error)
            else:
                count = sum(map(len, outcome.rows.values()))
                self._audience.say(f"{show(str(report.path))}: {count} {'row' if count == 1 else 'rows'} written")
                for dispute in report.lost_disputes:
                    self._audience.say(
                        f"{show(str(report.path))}: no row can hold this dispute any more: {dispute}"
                    )
                self._held.pop(key, None)
                self._checker.forget()
                return
        files = self._held[key].files if key in self._held else self._checker.loader.passport(linked).files
        self._held[key] = held_rows(files, workspace, outcome)

    def _account(self, outcome: AuditOutcome) -> None:
        self.incomplete = self.incomplete or bool(outcome.incomplete)
        self._spend(outcome.counts.calls, outcome.plan.cost)
        if outcome.interrupted:
            self._over = "the run was ended"
        elif outcome.broken:
            # What the cache knows is still worth showing; a judge that is gone is not asked again.
            self._config = replace(self._config, max_calls=0)

    def _spend(self, calls: int, cost: float | None) -> None:
        config = self._config
        if config.max_calls is not None:
            config = replace(config, max_calls=max(0, config.max_calls - calls))
        if config.max_cost is not None:
            config = replace(config, max_cost=max(0.0, config.max_cost - (cost or 0.0)))
        self._config = config

    def _failed(self, error: ClaimlintError) -> None:
        self.failures.append(UnitResult(Outcome(), (error,)))


def _key(target: Target, linked: tuple[Target, ...]) -> tuple[str, ...]:
    """What a passport is held under: its files, or its draft when it has none."""
    return tuple(os.path.realpath(each.path) for each in linked) or (target.path,)


def _holding(workspace: Workspace, held: Passport) -> Workspace:
    """The workspace with a held passport in place of the one on disk."""
    return replace(workspace, passport=join((*held.files, *workspace.embedded)))
