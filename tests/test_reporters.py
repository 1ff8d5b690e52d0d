"""Reporters: text with source lines, one line a cause, JSON; and nothing that is shown drives a terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.errors import DocumentError, RuleCrashError
from claimlint.findings import Range, RelatedRange, Severity
from claimlint.report import AuditSummary, Report, Summary
from claimlint.reporters import concise, json_format, text
from claimlint.reporters.safe_text import printable, width
from tests.test_report import finding

SOURCE = {("p.json", 2): '  "a": "b",', ("d.md", 1): "中文 text here", ("d.md", 3): "x" * 500 + "HERE" + "y" * 500}


def report(*findings: Any, failures: Any = (), unreadable: bool = False, **counts: Any) -> Report:
    return Report(findings, failures, Summary(**{"files": 1, **counts}), unreadable)


def as_text(made: Report, *, show_all: bool = False, quiet: bool = False) -> list[str]:
    lines = text.lines(made, lambda path, line: SOURCE.get((path, line), ""), show_all=show_all, quiet=quiet)
    return text.plain(lines).splitlines()


def test_text_shows_the_source_line_with_a_caret() -> None:
    made = report(finding(range=Range(2, 3, 2, 6)))
    assert as_text(made) == [
        "p.json:2:3: A-1 error Wrong.",
        "   |",
        ' 2 |   "a": "b",',
        "   |   ^^^",
        "",
        "1 finding in 1 file checked: 1 error",
    ]


@pytest.mark.parametrize(
    ("where", "line", "caret"),
    [
        (Range(1, 1, 1, 3), "   1 | 中文 text here", "     | ^^^^"),
        (Range(1, 4, 1, 8), "   1 | 中文 text here", "     |      ^^^^"),
        (Range(1, 4, 2, 2), "   1 | 中文 text here", "     |      ^^^^^^^^^"),
        (Range(1, 13, 1, 13), "   1 | 中文 text here", "     |               ^"),
    ],
)
def test_the_caret_counts_the_cells_of_a_terminal(where: Range, line: str, caret: str) -> None:
    shown = as_text(report(finding(path="d.md", range=where)))
    assert [shown[2], shown[3]] == [line.removeprefix("  "), caret.removeprefix("  ")]


def test_a_long_line_is_cut_around_the_place() -> None:
    shown = as_text(report(finding(path="d.md", range=Range(3, 501, 3, 505))))
    assert len(shown[2]) < text.CONTEXT + 10
    assert "HERE" in shown[2]
    assert shown[3].index("^^^^") == shown[2].index("HERE")


def test_without_a_source_line_there_is_no_excerpt() -> None:
    assert as_text(report(finding(path="gone.md")))[:2] == ["gone.md:1:1: A-1 error Wrong.", ""]


def test_related_places_and_further_findings_are_named() -> None:
    other = RelatedRange("first written here", "q.json", Range(7, 8, 7, 9))
    one, two = finding(cause="c", related=(other,)), finding(cause="c", range=Range(9, 1, 9, 2))
    assert as_text(report(one, two))[:3] == [
        "p.json:1:1: A-1 error Wrong.",
        "  = first written here: q.json:7:8",
        "  = and 1 more of the same cause; --show-all lists them",
    ]
    assert [line for line in as_text(report(one, two), show_all=True) if line.startswith("p.json")] == [
        "p.json:1:1: A-1 error Wrong.",
        "p.json:9:1: A-1 error Wrong.",
    ]


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        (report(), ["1 file checked, no findings"]),
        (report(files=2), ["2 files checked, no findings"]),
        (report(files=0), ["No file was checked: none of the paths holds a draft or a passport"]),
        (report(files=0, unreadable=True, unchecked=1), ["No file was checked", "1 file could not be checked"]),
        (
            report(files=0, excluded=1),
            ["No file was checked", "1 named path excluded by the settings and not checked"],
        ),
        (
            report(failures=(DocumentError("x"),)),
            ["1 file checked, no findings", "Something could not be checked"],
        ),
        (
            report(gate_refuse=True),
            ["1 file checked, no findings", "The gate refuses: a row is HIGH-WARN or breaks the matrix"],
        ),
        (
            report(audit=AuditSummary(1, 2, 3)),
            ["1 file checked, no findings", "6 citations: 1 audited, 2 sampled out, 3 not audited"],
        ),
        (
            report(audit=AuditSummary(3, 0, 0, 2)),
            [
                "1 file checked, no findings",
                "3 citations: 3 audited, 0 sampled out, 0 not audited; 2 of the audited have no verdict, because "
                "a tool failed",
            ],
        ),
        (report(audit=AuditSummary(0, 0, 0)), ["1 file checked, no findings"]),
        (
            report(incomplete=True),
            [
                "1 file checked, no findings",
                "The audit is incomplete: some citations have no verdict; run it again",
            ],
        ),
        (report(histogram={}), ["1 file checked, no findings", "No defect stages recorded"]),
        (report(histogram={"a": 1, "b": 2}), ["1 file checked, no findings", "Defect stages: a 1, b 2"]),
        (
            report(acknowledged=1, excluded=2),
            [
                "1 file checked, no findings",
                "1 finding acknowledged",
                "2 named paths excluded by the settings and not checked",
            ],
        ),
    ],
)
def test_the_counts_say_what_was_checked_and_what_was_not(made: Report, lines: list[str]) -> None:
    assert as_text(made) == lines
    assert as_text(made, quiet=True) == []


def test_statistics_count_every_finding_the_most_frequent_first() -> None:
    made = report(
        finding(cause="c"), finding(cause="c"), *[finding(code="B-2", name="b", severity=Severity.INFO)] * 10
    )
    assert text.plain(text.statistics(made)).splitlines() == ["10  B-2  info       b", " 2  A-1  error      a"]
    assert text.plain(text.statistics(report())) == ""


def test_concise_is_one_line_a_cause() -> None:
    made = report(
        finding(cause="c"),
        finding(cause="c"),
        finding(code="B-1", severity=Severity.LOW_WARN, message="Two\nlines."),
    )
    assert concise.render(made, show_all=False) == (
        "p.json:1:1: A-1 error Wrong. (and 1 more; --show-all lists them)\np.json:1:1: B-1 low-warn Two\\nlines.\n"
    )
    assert concise.render(made, show_all=True).count("\n") == 3
    assert concise.render(report(), show_all=False) == ""


def test_json_has_every_finding_with_every_key() -> None:
    other = RelatedRange("see", "q.json", Range(7, 8, 7, 9))
    made = report(
        finding(annotation="[X — é]", related=(other,), cause="c"),
        finding(cause="c", pointer=None),
        failures=(RuleCrashError("oh", path="p", rule="A-1"),),
        files=3,
        skipped=1,
        excluded=2,
        acknowledged=4,
        gate_refuse=True,
        audit=AuditSummary(1, 2, 3),
        incomplete=True,
        histogram={"metadata": 5},
    )
    written = json_format.render(made)
    assert written.isascii()
    assert written.endswith("}\n")
    first = {
        "code": "A-1",
        "name": "a",
        "severity": "error",
        "message": "Wrong.",
        "path": "p.json",
        "line": 1,
        "column": 1,
        "end_line": 1,
        "end_column": 2,
        "pointer": "/a",
        "annotation": "[X — é]",
        "related": [{"message": "see", "path": "q.json", "line": 7, "column": 8, "end_line": 7, "end_column": 9}],
    }
    assert json.loads(written) == {
        "version": 1,
        "findings": [first, {**first, "pointer": None, "annotation": None, "related": []}],
        "errors": [{"message": "oh", "path": "p", "rule": "A-1"}],
        "summary": {
            "files": 3,
            "skipped": 1,
            "excluded": 2,
            "unchecked": 0,
            "findings": 2,
            "acknowledged": 4,
            "by_severity": {"error": 2, "high-warn": 0, "med-warn": 0, "low-warn": 0, "info": 0},
            "gate_refuse": True,
            "audit": {
                "total": 6,
                "audited": 1,
                "sampled_out": 2,
                "not_audited": 3,
                "failed": 0,
                "complete": False,
            },
            "defect_stages": {"metadata": 5},
        },
    }


def test_what_does_not_apply_is_null_in_json() -> None:
    summary = json.loads(json_format.render(report()))["summary"]
    assert (summary["audit"], summary["defect_stages"]) == (None, None)


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("plain é 中 😀", "plain é 中 😀"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\r\nb\tc", "a\\r\\nb c"),
        ("\x9b2J\x7f", "\\x9b2J\\x7f"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_what_could_drive_a_terminal_is_written_out(given: str, printed: str) -> None:
    assert printable(given) == printed


@given(st.text())
def test_printed_text_is_one_line_without_control_characters(given: str) -> None:
    assert all(character.isprintable() or ord(character) > 0x9F for character in printable(given))
    assert len(printable(given).splitlines()) <= 1


@given(st.text(), st.text(), st.text())
def test_a_finding_is_one_line_whatever_it_says(path: str, message: str, code: str) -> None:
    made = report(finding(path=path, message=message, code=printable(code)))
    assert concise.render(made, show_all=False).count("\n") == 1


@pytest.mark.parametrize(
    ("given", "cells"), [("abc", 3), ("中文", 4), ("e\u0301", 1), ("ｗ", 2), ("a\u200db", 2), ("", 0)]
)
def test_width_counts_cells(given: str, cells: int) -> None:
    assert width(given) == cells
