"""The JSON format (design, section 4): every finding, ungrouped, in ASCII so that any console can print it."""

from __future__ import annotations

import json

from claimlint.findings import Finding
from claimlint.report import Report, by_severity

VERSION = 1


def render(report: Report) -> str:
    """The whole report as one JSON document with a final newline."""
    summary = report.summary
    audit = summary.audit
    document = {
        "version": VERSION,
        "findings": [_finding(finding) for finding in report.findings],
        "errors": [
            {"message": failure.message, "path": failure.path, "rule": failure.rule} for failure in report.failures
        ],
        "summary": {
            "files": summary.files,
            "skipped": summary.skipped,
            "excluded": summary.excluded,
            "unchecked": summary.unchecked,
            "findings": len(report.findings),
            "acknowledged": summary.acknowledged,
            "by_severity": by_severity(report.findings),
            "gate_refuse": summary.gate_refuse,
            "audit": None
            if audit is None
            else {
                "total": audit.total,
                "audited": audit.audited,
                "sampled_out": audit.sampled_out,
                "not_audited": audit.not_audited,
                "failed": audit.failed,
                "complete": not (summary.incomplete or audit.not_audited or audit.failed),
            },
            "defect_stages": None if summary.histogram is None else dict(summary.histogram),
        },
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, object]:
    where = finding.range
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.label,
        "message": finding.message,
        "path": finding.path,
        "line": where.line,
        "column": where.column,
        "end_line": where.end_line,
        "end_column": where.end_column,
        "pointer": finding.pointer,
        "annotation": finding.annotation,
        "related": [
            {
                "message": each.message,
                "path": each.path,
                "line": each.range.line,
                "column": each.range.column,
                "end_line": each.range.end_line,
                "end_column": each.range.end_column,
            }
            for each in finding.related
        ],
    }
