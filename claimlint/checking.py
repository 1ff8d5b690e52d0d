"""From the result of a run to a report: drop what is ignored or acknowledged, and count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from claimlint import registry
from claimlint.checker import Task
from claimlint.discovery import is_excluded
from claimlint.findings import Finding, sort_key
from claimlint.report import Report, Summary
from claimlint.run import RunResult

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


class Acceptance(NamedTuple):
    """What the command line says of the baseline: its file, whether to write it, the reason for new entries."""

    baseline: str | None = None
    write: bool = False
    reason: str | None = None


def make_report(
    result: RunResult,
    task: Task,
    *,
    excluded: int = 0,
    accept: Acceptance | None = None,
    incomplete: bool = False,
) -> Report:
    """The report of a run's result: ignored and acknowledged findings taken out."""
    from claimlint.acknowledge.apply import acknowledge_run

    accept = accept or Acceptance()
    findings = keep(result.findings, task.settings.per_file_ignores)
    kept, acknowledged = acknowledge_run(
        findings,
        result.directives,
        task,
        files=result.files,
        baseline=accept.baseline,
        write_baseline=accept.write,
        reason=accept.reason,
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
