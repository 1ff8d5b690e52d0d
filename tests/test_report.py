"""The report: grouping by root cause, counting, and the exit code, in which what could not be told comes first."""

from __future__ import annotations

from typing import Any

import pytest

from claimlint.errors import ClaimlintError, DocumentError, EncodingError, RuleCrashError, unexpected
from claimlint.findings import Finding, Range, Severity
from claimlint.report import AuditSummary, Exit, Report, Summary, by_severity, exit_code, group


def finding(**changes: Any) -> Finding:
    made = Finding(
        code="A-1",
        name="a",
        severity=Severity.ERROR,
        message="Wrong.",
        path="p.json",
        range=Range(1, 1, 1, 2),
        pointer="/a",
        annotation=None,
        related=(),
        cause="",
        subject="x",
    )
    return made._replace(**changes)


def test_findings_of_one_cause_are_one_group_where_the_first_stands() -> None:
    first, second, third = (finding(cause="c", range=Range(line, 1, line, 2)) for line in (1, 3, 5))
    other = finding(cause="d", range=Range(2, 1, 2, 2))
    groups = group([first, other, second, third])
    assert [(each.first.range.line, each.more) for each in groups] == [(1, 2), (2, 0)]


@pytest.mark.parametrize("changes", [{"path": "q.json"}, {"code": "A-2"}, {"cause": "d"}])
def test_another_file_rule_or_cause_is_another_group(changes: dict[str, Any]) -> None:
    assert len(group([finding(cause="c"), finding(**{"cause": "c", **changes})])) == 2


def test_findings_without_a_cause_are_not_grouped() -> None:
    assert [each.more for each in group([finding(), finding()])] == [0, 0]


def test_every_severity_is_counted_the_gravest_first() -> None:
    found = by_severity([finding(), finding(severity=Severity.INFO), finding()])
    assert list(found.items()) == [("error", 2), ("high-warn", 0), ("med-warn", 0), ("low-warn", 0), ("info", 1)]


ERROR, HIGH, MED, LOW, INFO = (
    Severity.ERROR,
    Severity.HIGH_WARN,
    Severity.MED_WARN,
    Severity.LOW_WARN,
    Severity.INFO,
)


@pytest.mark.parametrize(
    ("severities", "bar", "expected"),
    [
        ([], HIGH, Exit.CLEAN),
        ([ERROR], HIGH, Exit.FINDINGS),
        ([HIGH], HIGH, Exit.FINDINGS),
        ([MED, LOW, INFO], HIGH, Exit.CLEAN),
        ([HIGH], ERROR, Exit.CLEAN),
        ([MED], MED, Exit.FINDINGS),
        ([LOW], LOW, Exit.FINDINGS),
        ([INFO], LOW, Exit.CLEAN),
        ([ERROR], None, Exit.CLEAN),
    ],
)
def test_a_finding_at_or_above_the_bar_fails_the_run(
    severities: list[Severity], bar: Severity | None, expected: Exit
) -> None:
    report = Report(tuple(finding(severity=each) for each in severities), (), Summary(1))
    assert exit_code(report, bar, exit_zero=False) == expected


@pytest.mark.parametrize(
    ("findings", "failures", "unreadable", "incomplete", "exit_zero", "expected"),
    [
        (1, 0, False, False, False, 1),
        (1, 0, False, False, True, 0),
        (1, 1, False, False, False, 2),
        (1, 0, True, False, False, 2),
        (0, 1, False, True, True, 2),
        (1, 0, True, True, True, 2),
        (1, 0, False, True, False, 1),
        (0, 0, False, True, False, 3),
        (1, 0, False, True, True, 3),
        (0, 0, False, False, False, 0),
    ],
)
def test_could_not_tell_outranks_findings_which_outrank_an_incomplete_audit(
    findings: int, failures: int, unreadable: bool, incomplete: bool, exit_zero: bool, expected: int
) -> None:
    report = Report(
        (finding(),) * findings, (DocumentError("x"),) * failures, Summary(1, incomplete=incomplete), unreadable
    )
    assert exit_code(report, HIGH, exit_zero=exit_zero) == expected


def test_audits_add_up() -> None:
    assert AuditSummary(1, 2, 3) + AuditSummary(10, 20, 30) == AuditSummary(11, 22, 33)
    assert AuditSummary(1, 2, 3).total == 6


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ClaimlintError("why"), "why"),
        (DocumentError("why", path="p"), "p: why"),
        (RuleCrashError("why", path="p", rule="A-1"), "p: A-1: why"),
        (EncodingError("why", path="p", offset=3), "p: why"),
        (unexpected(MemoryError(), "p"), "p: does not fit into memory, so it was not checked"),
    ],
)
def test_an_error_names_file_rule_and_cause(error: ClaimlintError, text: str) -> None:
    assert str(error) == text


def test_errors_travel_between_processes() -> None:
    import pickle

    sent = EncodingError("why", path="p", offset=3)
    got = pickle.loads(pickle.dumps(sent))
    assert (type(got), str(got), got.offset) == (EncodingError, "p: why", 3)
