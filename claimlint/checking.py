"""From discovered files to a report: run the rules, drop what is ignored or acknowledged, count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from claimlint import registry
from claimlint.checker import Task
from claimlint.discovery import Discovered, is_excluded
from claimlint.findings import Finding, sort_key
from claimlint.report import Report, Summary
from claimlint.run import RunResult, run

if TYPE_CHECKING:
    from claimlint.settings import Settings


def selected_codes(settings: Settings) -> tuple[str, ...]:
    """The codes of the rules that run; raises ``UsageError`` for an unknown code, also in per-file ignores."""
    known = registry.load()
    for codes in settings.per_file_ignores.values():
        for code in codes:
            registry.require_known(known, code)
    chosen = registry.select(
        known, selected=settings.select, extended=settings.extend_select, ignored=settings.ignore
    )
    return tuple(rule.code for rule in chosen)


def check(
    found: Discovered,
    task: Task,
    *,
    jobs: int = 0,
    baseline: str | None = None,
    write_baseline: bool = False,
    reason: str | None = None,
) -> Report:
    """Check files and report; see ``run``. ``baseline`` overrides the settings' file."""
    return report(
        run(found, task, jobs=jobs),
        task,
        excluded=found.excluded,
        baseline=baseline,
        write_baseline=write_baseline,
        reason=reason,
    )


def report(
    result: RunResult,
    task: Task,
    *,
    excluded: int = 0,
    baseline: str | None = None,
    write_baseline: bool = False,
    reason: str | None = None,
    incomplete: bool = False,
) -> Report:
    """The report of a run's result: ignored and acknowledged findings taken out."""
    from claimlint.acknowledge.apply import acknowledge_run

    settings = task.settings
    findings = keep(result.findings, settings.per_file_ignores)
    kept, acknowledged = acknowledge_run(
        findings,
        result.directives,
        task,
        files=result.files,
        baseline=baseline,
        write_baseline=write_baseline,
        reason=reason,
    )
    summary = Summary(
        files=len(result.files),
        skipped=result.skipped,
        excluded=excluded,
        acknowledged=acknowledged,
        gate_refuse=result.refuses,
        audit=result.audit,
        incomplete=incomplete,
        histogram=None if result.stages is None else dict(result.stages),
    )
    return Report(tuple(sorted(kept, key=sort_key)), result.failures, summary, result.unreadable)


def keep(findings: Iterable[Finding], per_file: Mapping[str, tuple[str, ...]]) -> tuple[Finding, ...]:
    """The findings that no per-file ignore takes away; the gate's own refusals always stay."""
    if not per_file:
        return tuple(findings)
    locked = {rule.code for rule in registry.load().rules if rule.locked}
    return tuple(
        finding
        for finding in findings
        if finding.code in locked
        or not any(
            registry.matches(finding.code, codes) and is_excluded(finding.path, (pattern,))
            for pattern, codes in per_file.items()
        )
    )
