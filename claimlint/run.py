"""A whole run: drafts first (each with its passports), then the passports that no draft claimed.

Work is done in units that share nothing, so that units can run in several processes; results come back in
the order of the units, which makes the output the same at any number of jobs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claimlint.checker import Checker, Task, UnitResult
from claimlint.discovery import Discovered, Target, show
from claimlint.errors import ClaimlintError, DocumentError
from claimlint.findings import Finding, sort_key
from claimlint.report import AuditSummary

if TYPE_CHECKING:
    from claimlint.acknowledge.directives import Scope

UNITS_PER_JOB = 8
"""Fewer units than this for each process are not worth starting it."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The joined results of all units: findings in output order, each once."""

    findings: tuple[Finding, ...]
    failures: tuple[ClaimlintError, ...]
    directives: tuple[tuple[str, tuple[Scope, ...]], ...]
    files: tuple[str, ...]
    skipped: int
    unreadable: bool
    refuses: bool
    audit: AuditSummary | None
    stages: tuple[tuple[str, int], ...] | None


def run(discovered: Discovered, task: Task, *, jobs: int) -> RunResult:
    """Check all discovered files. ``jobs`` is the number of processes; 0 leaves the choice to claimlint."""
    drafts = {os.path.realpath(target.path): target for target in discovered.targets if target.is_draft}
    others = [target for target in discovered.targets if not target.is_draft]
    checker = Checker(replace(task, drafts=tuple(target.path for target in drafts.values())))
    if task.hook:
        for passport in others:
            for draft in checker.drafts_of(passport):
                drafts.setdefault(os.path.realpath(draft.path), draft)
    first = _each(checker, "draft", sorted(drafts.values(), key=lambda target: target.shown), jobs)
    claimed = {path for result in first for path in result.linked}
    free = [target for target in others if os.path.realpath(target.path) not in claimed]
    second = _each(checker, "passport", _passport_units(free, task.together), jobs)
    return merge((*first, *second, checker.prompt()), discovered.failures)


def _passport_units(targets: list[Target], named: tuple[tuple[str, ...], str] | None) -> list[tuple[Target, ...]]:
    together = () if named is None else named[0]
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
