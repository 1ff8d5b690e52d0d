"""The outcome of a run: what reporters print and what decides the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from claimlint.errors import ClaimlintError
from claimlint.findings import Finding, Severity


class Exit(IntEnum):
    """The exit codes of a run."""

    CLEAN = 0
    FINDINGS = 1
    COULD_NOT_TELL = 2
    INCOMPLETE = 3


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """How many citations of the drafts an audit covers.

    ``total`` is the sum of the first three. ``failed`` of the audited ones have a row that says that a tool
    failed, and so no verdict.
    """

    audited: int
    sampled_out: int
    not_audited: int
    failed: int = 0

    @property
    def total(self) -> int:
        """All citations that were looked at."""
        return self.audited + self.sampled_out + self.not_audited

    def __add__(self, other: AuditSummary) -> AuditSummary:
        return AuditSummary(
            self.audited + other.audited,
            self.sampled_out + other.sampled_out,
            self.not_audited + other.not_audited,
            self.failed + other.failed,
        )


class Summary(NamedTuple):
    """Counts of a run.

    ``files`` were checked; ``skipped`` held nothing that claimlint knows and nobody named them; ``excluded``
    were named but match an exclude pattern; ``unchecked`` could not be checked. ``empty`` says that a person
    asked for a check and there was nothing to check, which is not the same as clean. ``acknowledged`` findings
    were silenced by a directive or the baseline. ``gate_refuse`` is the gate's decision over all passports
    (contract, section 8); ``audit`` is None when no draft was checked. ``incomplete`` says that a live audit
    left citations without a verdict.
    """

    files: int
    skipped: int = 0
    excluded: int = 0
    acknowledged: int = 0
    gate_refuse: bool = False
    audit: AuditSummary | None = None
    incomplete: bool = False
    unchecked: int = 0
    empty: bool = False
    histogram: Mapping[str, int] | None = None


class Report(NamedTuple):
    """All findings in output order, what could not be checked, and the counts."""

    findings: tuple[Finding, ...]
    failures: tuple[ClaimlintError, ...]
    summary: Summary
    unreadable: bool = False


class Group(NamedTuple):
    """Findings with one root cause: the first stands for the ``more`` others."""

    first: Finding
    more: int


def by_severity(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings there are of each severity, the gravest first; every severity is a key."""
    counts = {severity.label: 0 for severity in sorted(Severity, reverse=True)}
    for finding in findings:
        counts[finding.severity.label] += 1
    return counts


def group(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """Findings of one file and rule with one cause as one group, in the order of their first members."""
    order: list[Finding] = []
    more: dict[int, int] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for finding in findings:
        key = (finding.path, finding.code, finding.cause)
        if finding.cause and key in seen:
            more[seen[key]] += 1
            continue
        seen[key] = len(order)
        more[len(order)] = 0
        order.append(finding)
    return tuple(Group(finding, more[index]) for index, finding in enumerate(order))


def exit_code(report: Report, bar: Severity | None, *, exit_zero: bool) -> Exit:
    """The exit code: what could not be told outranks findings, findings outrank an incomplete audit.

    ``exit_zero`` turns findings into success, and nothing else.
    """
    if report.failures or report.unreadable or report.summary.empty:
        return Exit.COULD_NOT_TELL
    if bar is not None and not exit_zero and any(finding.severity >= bar for finding in report.findings):
        return Exit.FINDINGS
    return Exit.INCOMPLETE if report.summary.incomplete else Exit.CLEAN
