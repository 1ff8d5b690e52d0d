"""The concise format: one line a root cause, ``path:line:col: CODE severity message``."""

from __future__ import annotations

from claimlint.report import Group, Report, group
from claimlint.reporters.safe_text import printable


def line(item: Group) -> str:
    """One group as one line."""
    finding = item.first
    where = f"{printable(finding.path)}:{finding.range.line}:{finding.range.column}"
    more = f" (and {item.more} more; --show-all lists them)" if item.more else ""
    return f"{where}: {finding.code} {finding.severity.label} {printable(finding.message)}{more}"


def render(report: Report, *, show_all: bool) -> str:
    """All findings, a line each; empty when there are none."""
    groups = tuple(Group(finding, 0) for finding in report.findings) if show_all else group(report.findings)
    return "".join(line(item) + "\n" for item in groups)
