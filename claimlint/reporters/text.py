"""The text format: each root cause with its source line and a caret, then the counts.

Lines are made of styled pieces; the command decides whether they are drawn in colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from claimlint.findings import Finding, Severity
from claimlint.report import Group, Report, Summary, by_severity, group
from claimlint.reporters.safe_text import printable, width

CONTEXT = 100
"""How many characters of a long source line are shown."""

STYLES = {
    Severity.ERROR: "bold red",
    Severity.HIGH_WARN: "bold red",
    Severity.MED_WARN: "bold yellow",
    Severity.LOW_WARN: "yellow",
    Severity.INFO: "cyan",
}

LineText = Callable[[str, int], str]
"""From a shown path and a 1-based line number to the text of that line."""


class Piece(NamedTuple):
    """A piece of a line with its style (a rich style name, empty for none)."""

    text: str
    style: str = ""


Line = tuple[Piece, ...]


def lines(report: Report, line_text: LineText, *, show_all: bool, quiet: bool) -> Iterator[Line]:
    """The report as styled lines; with ``quiet`` the counts at the end are left out."""
    groups = tuple(Group(finding, 0) for finding in report.findings) if show_all else group(report.findings)
    for item in groups:
        yield from _finding(item, line_text)
        yield ()
    if not quiet:
        yield from _summary(report)


def plain(styled: Iterator[Line]) -> str:
    """Styled lines as plain text."""
    return "".join("".join(piece.text for piece in line) + "\n" for line in styled)


def statistics(report: Report) -> Iterator[Line]:
    """How often each rule reported, the most frequent first."""
    counts: dict[tuple[str, str, Severity], int] = {}
    for finding in report.findings:
        key = (finding.code, finding.name, finding.severity)
        counts[key] = counts.get(key, 0) + 1
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    digits = max((len(str(count)) for _, count in rows), default=1)
    codes = max((len(key[0]) for key, _ in rows), default=1)
    for (code, name, severity), count in rows:
        yield (
            Piece(f"{count:>{digits}}  "),
            Piece(f"{code:<{codes}}", "bold"),
            Piece(f"  {severity.label:<9}  ", STYLES[severity]),
            Piece(name),
        )


def _finding(item: Group, line_text: LineText) -> Iterator[Line]:
    finding = item.first
    where = f"{printable(finding.path)}:{finding.range.line}:{finding.range.column}"
    style = STYLES[finding.severity]
    yield (
        Piece(where, "bold"),
        Piece(": "),
        Piece(finding.code, style),
        Piece(" "),
        Piece(finding.severity.label, style),
        Piece(" " + printable(finding.message)),
    )
    yield from _excerpt(finding, line_text, style)
    for each in finding.related:
        place = f"{printable(each.path)}:{each.range.line}:{each.range.column}"
        yield (Piece("  = ", "blue"), Piece(f"{printable(each.message)}: {place}"))
    if item.more:
        yield (Piece("  = ", "blue"), Piece(f"and {item.more} more of the same cause; --show-all lists them"))


def _excerpt(finding: Finding, line_text: LineText, style: str) -> Iterator[Line]:
    where = finding.range
    source = line_text(finding.path, where.line)
    if not source.strip():
        return
    start = where.column - 1
    end = where.end_column - 1 if where.end_line == where.line else len(source)
    first = max(0, start - CONTEXT // 4) if len(source) > CONTEXT else 0
    last = min(len(source), first + CONTEXT)
    before = ("…" if first else "") + printable(source[first:start])
    marked = printable(source[start : min(max(end, start + 1), last)])
    after = printable(source[min(max(end, start + 1), last) : last]) + ("…" if last < len(source) else "")
    gutter = " " * len(str(where.line))
    yield (Piece(f" {gutter} |", "blue"),)
    yield (Piece(f" {where.line} | ", "blue"), Piece((before + marked + after).rstrip()))
    caret = " " * width(before) + "^" * max(1, width(marked.rstrip()))
    yield (Piece(f" {gutter} | ", "blue"), Piece(caret, style))


def _summary(report: Report) -> Iterator[Line]:
    summary = report.summary
    counts = {label: count for label, count in by_severity(report.findings).items() if count}
    files = _count(summary.files, "file")
    if counts:
        total = _count(len(report.findings), "finding")
        parts = ", ".join(f"{count} {label}" for label, count in counts.items())
        yield (Piece(f"{total} in {files} checked: {parts}", "bold"),)
    elif summary.files:
        style = "bold" if report.failures or report.unreadable else "bold green"
        yield (Piece(f"{files} checked, no findings", style),)
    elif summary.excluded or report.failures or report.unreadable:
        yield (Piece("No file was checked", "bold yellow"),)
    else:
        yield (Piece("No file was checked: none of the paths holds a draft or a passport", "bold yellow"),)
    if report.failures or report.unreadable:
        what = _count(summary.unchecked, "file") if summary.unchecked else "Something"
        yield (Piece(f"{what} could not be checked", "bold red"),)
    yield from _details(summary)


def _details(summary: Summary) -> Iterator[Line]:
    if summary.gate_refuse:
        yield (Piece("The gate refuses: a row is HIGH-WARN or breaks the matrix", "bold red"),)
    audit = summary.audit
    if audit is not None and audit.total:
        yield (
            Piece(
                f"{_count(audit.total, 'citation')}: {audit.audited} audited, {audit.sampled_out} sampled out, "
                f"{audit.not_audited} not audited"
                + (
                    f"; {audit.failed} of the audited have no verdict, because a tool failed"
                    if audit.failed
                    else ""
                )
            ),
        )
    if summary.incomplete:
        yield (Piece("The audit is incomplete: some citations have no verdict; run it again", "bold yellow"),)
    if summary.histogram is not None:
        stages = ", ".join(f"{stage} {count}" for stage, count in summary.histogram.items())
        yield (Piece(f"Defect stages: {stages}" if stages else "No defect stages recorded"),)
    if summary.acknowledged:
        yield (Piece(f"{_count(summary.acknowledged, 'finding')} acknowledged"),)
    if summary.excluded:
        yield (Piece(f"{_count(summary.excluded, 'named path')} excluded by the settings and not checked"),)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
