"""A whole run: drafts first (each with its passports), then the passports that no draft claimed.

Work is done in units that share nothing, so that units can run in several processes; results come back in
the order of the units, which makes the output the same at any number of jobs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claimlint import registry
from claimlint.discovery import Discovered, Target, show
from claimlint.documents.passport import Passport, join
from claimlint.engine import Dispatch, Outcome, check_draft, check_passport, check_workspace, dispatch
from claimlint.errors import ClaimlintError, DocumentError
from claimlint.findings import Finding, sort_key
from claimlint.link import DiskFiles, Linker, Named
from claimlint.loading import Loader
from claimlint.report import AuditSummary
from claimlint.settings import Settings
from claimlint.workspace import Options, Workspace

if TYPE_CHECKING:
    from claimlint.documents.draft import Directive

UNITS_PER_JOB = 8
"""Fewer units than this for each process are not worth starting it."""


@dataclass(frozen=True, slots=True)
class Task:
    """What every unit of a run shares.

    ``codes`` are the rules that run. ``passports`` were given on the command line and belong to every draft.
    ``sources`` are folders in which anchors are looked up. With ``hook`` a passport that is passed without its
    draft brings the draft along.
    """

    settings: Settings
    codes: tuple[str, ...]
    passports: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    hook: bool = False

    @property
    def together(self) -> Named | None:
        """The passport files that the command line, or else the settings, name together for every draft."""
        if self.passports:
            return Named(self.passports, "--passport")
        if self.settings.passport:
            paths = tuple(self.settings.resolve(path) for path in self.settings.passport)
            return Named(paths, show(self.settings.file or "the settings"))
        return None

    @property
    def bibliographies(self) -> Named | None:
        """The bibliographies that the settings name for every draft."""
        if not self.settings.bibliography:
            return None
        paths = tuple(self.settings.resolve(path) for path in self.settings.bibliography)
        return Named(paths, show(self.settings.file or "the settings"))


@dataclass(frozen=True, slots=True)
class UnitResult:
    """What came of one unit: a draft with its passports, or one passport.

    ``directives`` are the draft's acknowledgements by its shown path. ``linked`` are the real paths of the
    passports the draft claimed. ``checked`` counts documents, ``skipped`` those that held nothing known.
    """

    outcome: Outcome
    failures: tuple[ClaimlintError, ...] = ()
    directives: tuple[tuple[str, tuple[Directive, ...]], ...] = ()
    linked: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    skipped: int = 0
    unreadable: bool = False
    refuses: bool = False
    audit: AuditSummary | None = None
    stages: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The joined results of all units: findings in output order, each once."""

    findings: tuple[Finding, ...]
    failures: tuple[ClaimlintError, ...]
    directives: tuple[tuple[str, tuple[Directive, ...]], ...]
    files: tuple[str, ...]
    skipped: int
    unreadable: bool
    refuses: bool
    audit: AuditSummary | None
    stages: tuple[tuple[str, int], ...] | None


class Checker:
    """Checks units one after the other; what it read and ran once it does not read and run again."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.loader = Loader()
        known = registry.load()
        self.table: Dispatch = dispatch(known.by_code[code] for code in task.codes)
        self.linker = Linker(DiskFiles(), passports=task.together, bibliographies=task.bibliographies)
        self._done: set[tuple[str, ...]] = set()

    def draft(self, target: Target) -> UnitResult:
        """Check a draft, its passports, and the two together."""
        try:
            workspace, linked = self.workspace(target)
            return self.checked(workspace, linked)
        except ClaimlintError as error:
            return UnitResult(Outcome(), (error,))

    def workspace(self, target: Target) -> tuple[Workspace, tuple[Target, ...]]:
        """A draft with all that belongs to it, and the files of its passport; raises ``DocumentError``."""
        draft = self.loader.draft(target)
        paths = self.linker.passports(target.path, draft.front_matter)
        linked = tuple(Target(path, show(path), named=True) for path in paths)
        passport = None
        if linked or draft.manifests:
            passport = self.loader.passport(linked)
            if draft.manifests:
                passport = join((*passport.files, *draft.manifests))
        workspace = Workspace(
            draft=draft,
            passport=passport,
            bibliography=self.linker.bibliography(target.path, draft),
            options=options(self.task.settings),
        )
        if self.task.sources:
            from claimlint.audit.anchors import check_workspace_anchors

            workspace = replace(workspace, anchors=check_workspace_anchors(workspace, self.task.sources))
        return workspace, linked

    def checked(self, workspace: Workspace, linked: tuple[Target, ...]) -> UnitResult:
        """Check a workspace; the rows of one passport are checked once, however many drafts share it."""
        draft, passport = workspace.draft, workspace.passport
        outcome = check_draft(draft, self.table) + check_workspace(workspace, self.table)
        part = UnitResult(Outcome())
        if passport is not None:
            key = tuple(each.path for each in linked)
            if draft.manifests or key not in self._done:
                self._done.add(key)
                part = self._passport_result(passport, draft.path)
        return UnitResult(
            outcome=outcome + part.outcome,
            directives=((draft.path, draft.directives),) if draft.directives else (),
            linked=tuple(os.path.realpath(each.path) for each in linked),
            files=(draft.path, *(each.shown for each in linked)),
            unreadable=part.unreadable,
            refuses=part.refuses,
            audit=coverage_of(workspace),
            stages=part.stages,
        )

    def passport(self, targets: tuple[Target, ...]) -> UnitResult:
        """Check the passport that some files make up, without a draft."""
        try:
            passport = self.loader.passport(targets)
        except ClaimlintError as error:
            return UnitResult(Outcome(), (error,))
        if not passport.files:
            return UnitResult(Outcome(), skipped=len(targets))
        made = self._passport_result(passport, targets[0].shown)
        files = tuple(each.shown for each in targets)
        return UnitResult(
            made.outcome, files=files, unreadable=made.unreadable, refuses=made.refuses, stages=made.stages
        )

    def _passport_result(self, passport: Passport, path: str) -> UnitResult:
        from claimlint.gate import defect_stages, refuses

        return UnitResult(
            check_passport(passport, self.table, path=path),
            unreadable=any(not file.readable for file in passport.files),
            refuses=refuses(passport),
            stages=defect_stages(passport),
        )

    def drafts_of(self, target: Target) -> tuple[Target, ...]:
        """The drafts beside a passport that belong to it."""

        def front_matter(path: str) -> Mapping[str, object]:
            return self.loader.draft(Target(path, show(path))).front_matter

        return tuple(Target(path, show(path)) for path in self.linker.drafts(target.path, front_matter))


def options(settings: Settings) -> Options:
    """The settings that rules read."""
    return Options(
        citation_styles=frozenset(settings.uncited.citations),
        words=settings.uncited.words,
        patterns=settings.uncited.patterns,
    )


def coverage_of(workspace: Workspace) -> AuditSummary:
    """How many of a draft's citations have a verdict."""
    from claimlint.documents.coverage import coverage

    counted = coverage(workspace.draft, workspace.passport)
    return AuditSummary(counted.audited, counted.sampled_out, counted.not_audited)


def run(discovered: Discovered, task: Task, *, jobs: int) -> RunResult:
    """Check all discovered files. ``jobs`` is the number of processes; 0 leaves the choice to claimlint."""
    drafts = {os.path.realpath(target.path): target for target in discovered.targets if target.is_draft}
    others = [target for target in discovered.targets if not target.is_draft]
    checker = Checker(task)
    if task.hook:
        for passport in others:
            for draft in checker.drafts_of(passport):
                drafts.setdefault(os.path.realpath(draft.path), draft)
    first = _each(checker, "draft", sorted(drafts.values(), key=lambda target: target.shown), jobs)
    claimed = {path for result in first for path in result.linked}
    free = [target for target in others if os.path.realpath(target.path) not in claimed]
    second = _each(checker, "passport", _passport_units(free, task.together), jobs)
    return merge((*first, *second), discovered.failures)


def _passport_units(targets: list[Target], named: Named | None) -> list[tuple[Target, ...]]:
    together = () if named is None else named.paths
    joined = {os.path.realpath(path) for path in together}
    alone: list[tuple[Target, ...]] = [
        (target,) for target in targets if os.path.realpath(target.path) not in joined
    ]
    if len(alone) == len(targets):
        return alone
    return [tuple(Target(path, show(path), named=True) for path in together), *alone]


def merge(results: Iterable[UnitResult], failures: Iterable[ClaimlintError] = ()) -> RunResult:
    """The results of all units as one; a finding that two units made counts once."""
    parts = tuple(results)
    findings = {finding: None for part in parts for finding in part.outcome.findings}
    wrong = [*failures, *(each for part in parts for each in (*part.failures, *part.outcome.failures))]
    audits = [part.audit for part in parts if part.audit is not None]
    stages: dict[str, int] = {}
    for part in parts:
        for stage, count in part.stages or ():
            stages[stage] = stages.get(stage, 0) + count
    return RunResult(
        findings=tuple(sorted(findings, key=sort_key)),
        failures=tuple(sorted({str(each): each for each in wrong}.values(), key=str)),
        directives=tuple(sorted((each for part in parts for each in part.directives), key=lambda each: each[0])),
        files=tuple(sorted({path for part in parts for path in part.files})),
        skipped=sum(part.skipped for part in parts),
        unreadable=any(part.unreadable for part in parts),
        refuses=any(part.refuses for part in parts),
        audit=sum(audits[1:], start=audits[0]) if audits else None,
        stages=tuple(sorted(stages.items())) if any(part.stages is not None for part in parts) else None,
    )


_checker: Checker | None = None


def _start(task: Task) -> None:
    global _checker  # one for each worker process, made when it starts
    _checker = Checker(task)


def _one(kind: str, unit: Target | tuple[Target, ...]) -> UnitResult:
    assert _checker is not None
    method: Callable[..., UnitResult] = getattr(_checker, kind)
    return method(unit)


def _each(
    checker: Checker, kind: str, units: list[Target] | list[tuple[Target, ...]], jobs: int
) -> list[UnitResult]:
    wanted = jobs or min(os.cpu_count() or 1, len(units) // UNITS_PER_JOB)
    workers = min(wanted, len(units))
    if workers < 2:
        method: Callable[..., UnitResult] = getattr(checker, kind)
        return [method(unit) for unit in units]
    return list(_parallel(checker.task, kind, units, workers))


def _parallel(
    task: Task, kind: str, units: list[Target] | list[tuple[Target, ...]], workers: int
) -> Iterator[UnitResult]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from functools import partial

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    chunk = max(1, len(units) // (workers * 4))
    try:
        with ProcessPoolExecutor(workers, context, initializer=_start, initargs=(task,)) as pool:
            yield from pool.map(partial(_one, kind), units, chunksize=chunk)
    except BrokenProcessPool as error:
        message = "a worker process died (out of memory?); nothing it held was checked; try --jobs 1"
        raise DocumentError(message) from error
