"""A whole run: drafts first (each with its passports), then the passports that no draft claimed.

Work is done in units that share nothing, so that units can run in several processes; results come back in
the order of the units, which makes the output the same at any number of jobs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from claimlint.checker import Checker, UnitResult
from claimlint.discovery import Discovered, Target, show
from claimlint.engine import Outcome
from claimlint.errors import ClaimlintError, DocumentError
from claimlint.findings import Finding, sort_key
from claimlint.report import AuditSummary
from claimlint.task import Task

if TYPE_CHECKING:
    from claimlint.acknowledge.directives import Scope

UNITS_PER_JOB = 8
"""Fewer units than this for each process are not worth starting it."""

CHUNKS = 16
"""In how many portions each process is given its work: many, so that none waits for the other at the end."""

MAX_JOBS = 64
"""The most processes that are started, whatever is asked for."""

Unit = Target | tuple[Target, ...]
"""What is checked on its own: a draft, or the files of a passport."""


class RunResult(NamedTuple):
    """The joined results of all units: findings in output order, each once."""

    findings: tuple[Finding, ...]
    failures: tuple[ClaimlintError, ...]
    directives: tuple[tuple[str, tuple[Scope, ...]], ...]
    files: tuple[str, ...]
    skipped: int
    unread: tuple[DocumentError, ...]
    refuses: bool
    audit: AuditSummary | None
    stages: tuple[tuple[str, int], ...] | None


def run(discovered: Discovered, task: Task, *, jobs: int) -> RunResult:
    """Check all discovered files. ``jobs`` is the number of processes; 0 leaves the choice to claimlint."""
    drafts = {os.path.realpath(target.path): target for target in discovered.targets if target.is_draft}
    others = [target for target in discovered.targets if not target.is_draft]
    checker = Checker(task)
    if task.hook:
        for passport in others:
            for draft in checker.drafts_of(passport):
                drafts.setdefault(os.path.realpath(draft.path), draft)
    checker.task = task._replace(drafts=tuple(target.path for target in drafts.values()))
    units = sorted(drafts.values(), key=lambda target: (target.shown, target.path))
    first = _each(checker, "draft", units, jobs)
    claimed = {path for result in first for path in result.linked}
    free = [target for target in others if os.path.realpath(target.path) not in claimed]
    second = _each(checker, "passport", passport_units(free, task.together), jobs)
    return merge((*first, *second, checker.prompt()), discovered.failures)


def passport_units(targets: list[Target], named: tuple[tuple[str, ...], str] | None) -> list[tuple[Target, ...]]:
    """Passports as units: the files that were ``named`` together are one, each other file is its own."""
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
    counted = {part.counted: part.stages for part in parts if part.stages is not None}
    stages: dict[str, int] = {}
    for stage, count in (each for found in counted.values() for each in found):
        stages[stage] = stages.get(stage, 0) + count
    return RunResult(
        findings=tuple(sorted(findings, key=sort_key)),
        failures=tuple(sorted({str(each): each for each in wrong}.values(), key=str)),
        directives=tuple(sorted((each for part in parts for each in part.directives), key=lambda each: each[0])),
        files=tuple(sorted({path for part in parts for path in part.files})),
        skipped=sum(part.skipped for part in parts),
        unread=tuple({str(each): each for part in parts for each in part.unread}.values()),
        refuses=any(part.refuses for part in parts),
        audit=sum(audits[1:], start=audits[0]) if audits else None,
        stages=tuple(sorted(stages.items())) if counted else None,
    )


_checker: Checker | None = None


def _start(task: Task) -> None:
    import signal

    global _checker  # one for each worker process, made when it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends its workers
    _checker = Checker(task)


def _one(kind: str, unit: Unit) -> UnitResult:
    assert _checker is not None
    method: Callable[..., UnitResult] = getattr(_checker, kind)
    return method(unit)


def _each(
    checker: Checker, kind: str, units: list[Target] | list[tuple[Target, ...]], jobs: int
) -> list[UnitResult]:
    wanted = jobs or min(os.cpu_count() or 1, len(units) // UNITS_PER_JOB)
    workers = min(wanted, len(units), MAX_JOBS)
    if workers < 2:
        method: Callable[..., UnitResult] = getattr(checker, kind)
        return [method(unit) for unit in units]
    return _parallel(checker.task, kind, units, workers)


def _parallel(
    task: Task, kind: str, units: list[Target] | list[tuple[Target, ...]], workers: int
) -> list[UnitResult]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from functools import partial

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    chunk = max(1, len(units) // (workers * CHUNKS))
    results: list[UnitResult] = []
    pool = ProcessPoolExecutor(workers, context, initializer=_start, initargs=(task,))
    try:
        results.extend(pool.map(partial(_one, kind), units, chunksize=chunk))
    except BrokenProcessPool:
        results.extend(_unchecked(unit) for unit in units[len(results) :])
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return results


def _unchecked(unit: Unit) -> UnitResult:
    """The result for a unit whose worker process died before it gave one."""
    target = unit if isinstance(unit, Target) else unit[0]
    message = "not checked: a worker process died (out of memory?); try --jobs 1"
    return UnitResult(Outcome(), (DocumentError(message, path=target.shown),))
