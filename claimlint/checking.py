"""From the result of a run to a report: drop what is ignored or acknowledged, and count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from claimlint import registry
from claimlint.discovery import is_excluded
from claimlint.errors import DocumentError, UsageError
from claimlint.findings import Finding, sort_key
from claimlint.report import Report, Summary
from claimlint.run import RunResult
from claimlint.task import Task

if TYPE_CHECKING:
    from claimlint.settings import Settings


def selected_codes(settings: Settings) -> tuple[str, ...]:
    """The codes of the rules that run.

    Raises ``UsageError`` for an unknown code, also in per-file ignores, and when no rule is left.
    """
    known = registry.load()
    for codes in settings.per_file_ignores.values():
        for code in codes:
            registry.require_known(known, code)
    chosen = registry.select(
        known, selected=settings.select, extended=settings.extend_select, ignored=settings.ignore
    )
    if not chosen:
        raise UsageError("no rule is left to run; look at select and ignore")
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
    findings = keep(result.findings, task.settings)
    kept, acknowledged = acknowledge_run(
        findings,
        result.directives,
        task,
        files=result.files,
        baseline=accept.baseline,
        write_baseline=accept.write,
        reason=accept.reason,
    )
    unread = {each.path for each in result.unread}
    summary = Summary(
        files=len(set(result.files) - unread),
        skipped=result.skipped,
        excluded=excluded,
        acknowledged=acknowledged,
        gate_refuse=result.refuses,
        audit=result.audit,
        incomplete=incomplete,
        unchecked=len(unread | {failure.path for failure in result.failures if failure.path}),
        empty=not (result.files or excluded or task.hook or result.failures),
        histogram=None if result.stages is None else dict(result.stages),
    )
    failures = (*result.failures, *_unexplained(result.unread, kept))
    return Report(tuple(sorted(kept, key=sort_key)), failures, summary, bool(result.unread))


def _unexplained(unread: Iterable[DocumentError], kept: Iterable[Finding]) -> tuple[DocumentError, ...]:
    """The unread files of which no finding says so, because its rule was not selected or is ignored."""
    explained = {finding.path for finding in kept if finding.code.startswith("JSON-")}
    return tuple(each for each in unread if each.path not in explained)


def keep(findings: Iterable[Finding], settings: Settings) -> tuple[Finding, ...]:
    """The findings that no per-file ignore takes away; the gate's own refusals always stay."""
    per_file = settings.per_file_ignores
    if not per_file:
        return tuple(findings)
    locked = {rule.code for rule in registry.load().rules if rule.locked}
    return tuple(
        finding
        for finding in findings
        if finding.code in locked
        or not any(
            registry.matches(finding.code, codes) and is_excluded(finding.path, (pattern,), settings.root)
            for pattern, codes in per_file.items()
        )
    )
