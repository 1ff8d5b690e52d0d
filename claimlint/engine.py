"""The engine: runs rules over documents and makes their problems concrete.

It knows subjects, not rules: each rule says what it is called with, and the table built here brings the two
together. A rule that raises ends neither the run nor the file: it becomes a failure beside the findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from claimlint.documents.passport import AGGREGATES
from claimlint.errors import RuleCrashError
from claimlint.findings import Finding, Pointer, Problem, RelatedRange

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft
    from claimlint.documents.passport import Passport, Row
    from claimlint.findings import Note, Range, Source
    from claimlint.rules import Rule
    from claimlint.workspace import Workspace

MAX_SUBJECT = 2000
"""How much of the text a finding stands on is kept as its subject, in characters."""

MAX_CAUSE = 300
"""How much of the error of a crashed rule is shown, in characters."""


class Dispatch(NamedTuple):
    """Rules by what they are called with: names of aggregates, kinds of notes, or types of whole documents."""

    by_aggregate: Mapping[str, tuple[Rule, ...]]
    by_note: Mapping[str, tuple[Rule, ...]]
    by_type: Mapping[str, tuple[Rule, ...]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of running rules: findings, and the rules that crashed."""

    findings: tuple[Finding, ...] = ()
    failures: tuple[RuleCrashError, ...] = ()

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(self.findings + other.findings, self.failures + other.failures)


def dispatch(rules: Iterable[Rule]) -> Dispatch:
    """The table of the rules that run."""
    by_aggregate: dict[str, list[Rule]] = {}
    by_note: dict[str, list[Rule]] = {}
    by_type: dict[str, list[Rule]] = {}
    for rule in rules:
        if rule.on == "Note":
            by_note.setdefault(rule.name, []).append(rule)
        elif rule.on in AGGREGATES:
            by_aggregate.setdefault(rule.on, []).append(rule)
        else:
            by_type.setdefault(rule.on, []).append(rule)
    return Dispatch(
        {name: tuple(found) for name, found in by_aggregate.items()},
        {name: tuple(found) for name, found in by_note.items()},
        {kind: tuple(found) for kind, found in by_type.items()},
    )


def check_passport(passport: Passport, table: Dispatch, *, path: str) -> Outcome:
    """Run the rules on rows, on the whole passport and on its files' notes.

    ``path`` names the passport when a rule crashes on the whole of it; a crash on a row names the row's file.
    """
    run = _Run(path)
    for name, rules in table.by_aggregate.items():
        rows = passport.aggregate(name)
        if rows:
            for rule in rules:
                run.rows(rule, rows, passport)
    for rule in table.by_type.get("Passport", ()):
        run.whole(rule, passport)
    run.notes(table, (note for file in passport.files for note in file.notes))
    return run.outcome()


def check_draft(draft: Draft, table: Dispatch) -> Outcome:
    """Run the rules on a draft alone and on its reader's notes."""
    run = _Run(draft.path)
    for rule in table.by_type.get("Draft", ()):
        run.whole(rule, draft)
    run.notes(table, draft.notes)
    return run.outcome()


def check_workspace(workspace: Workspace, table: Dispatch) -> Outcome:
    """Run the rules on a draft together with all that belongs to it."""
    run = _Run(workspace.draft.path)
    for rule in table.by_type.get("Workspace", ()):
        run.whole(rule, workspace)
    return run.outcome()


def check_document(document: object, table: Dispatch, *, path: str) -> Outcome:
    """Run the rules on a document of any other type, for example a prompt file."""
    run = _Run(path)
    for rule in table.by_type.get(type(document).__name__, ()):
        run.whole(rule, document)
    return run.outcome()


def check_notes(notes: Iterable[Note], table: Dispatch, *, path: str) -> Outcome:
    """Run the rules on notes alone."""
    run = _Run(path)
    run.notes(table, notes)
    return run.outcome()


class _Run:
    """Collects the findings and failures of one document."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._findings: list[Finding] = []
        self._failures: list[RuleCrashError] = []

    def rows(self, rule: Rule, rows: tuple[Row, ...], passport: Passport) -> None:
        check = rule.check
        found = self._findings
        row = rows[0]
        try:
            if rule.takes_passport:
                for row in rows:
                    for problem in check(row, passport):
                        found.append(concrete(rule, problem))
            else:
                for row in rows:
                    for problem in check(row):
                        found.append(concrete(rule, problem))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - any rule, also a third party's, may fail in any way
            self._failed(rule, error, row.source.path, f" at {row.pointer()}")

    def whole(self, rule: Rule, subject: object) -> None:
        self._collect(rule, lambda: rule.check(subject))

    def notes(self, table: Dispatch, notes: Iterable[Note]) -> None:
        for note in notes:
            for rule in table.by_note.get(note.kind, ()):
                self._collect(rule, lambda rule=rule, note=note: rule.check(note))  # type: ignore[misc]

    def outcome(self) -> Outcome:
        return Outcome(tuple(self._findings), tuple(self._failures))

    def _collect(self, rule: Rule, problems: Callable[[], Iterator[Problem]]) -> None:
        try:
            self._findings.extend(concrete(rule, problem) for problem in problems())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - see rows
            self._failed(rule, error, self._path)

    def _failed(self, rule: Rule, error: BaseException, path: str, place: str = "") -> None:
        cause = f"{type(error).__name__}: {error}"[:MAX_CAUSE]
        crash = RuleCrashError(f"the rule crashed{place} ({cause})", path=path, rule=rule.code)
        crash.__cause__ = error
        self._failures.append(crash)


def concrete(rule: Rule, problem: Problem) -> Finding:
    """A problem with its line and column; raises ``TypeError`` when a rule yields something else."""
    if not isinstance(problem, Problem) or not isinstance(problem.message, str):
        raise TypeError(f"yields {type(problem).__name__} instead of a Problem with a message")
    place = problem.place
    found = problem.source.locate(place)
    related = tuple(
        RelatedRange(each.message, each.source.path, each.source.locate(each.place)) for each in problem.related
    )
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity if problem.severity is None else problem.severity,
        message=problem.message,
        path=problem.source.path,
        range=found,
        pointer=str(place) if isinstance(place, Pointer) else None,
        annotation=problem.annotation,
        related=related,
        cause=problem.cause or (problem.message if isinstance(place, Pointer) else ""),
        subject=" ".join(problem.subject[:MAX_SUBJECT].split()) or _subject(problem.source, found),
    )


def _subject(source: Source, found: Range) -> str:
    first = source.line_text(found.line)
    start = found.column - 1
    if found.end_line == found.line:
        text = first[start : min(found.end_column - 1, start + MAX_SUBJECT)]
    else:
        lines = [first[start : start + MAX_SUBJECT + 1]]
        size = len(lines[0])
        for line in range(found.line + 1, found.end_line + 1):
            if size > MAX_SUBJECT:
                break
            part = source.line_text(line)
            lines.append(part[: found.end_column - 1] if line == found.end_line else part)
            size += len(part)
        text = " ".join(lines)
    return " ".join(text[:MAX_SUBJECT].split())
