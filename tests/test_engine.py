"""The engine: which rule sees what, how problems become findings, and that a crash stays one rule's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from claimlint.documents.passport import Passport, Row, join
from claimlint.documents.reader import read_passport_text
from claimlint.documents.source import TextSource
from claimlint.engine import (
    MAX_SUBJECT,
    Outcome,
    check_document,
    check_draft,
    check_notes,
    check_passport,
    check_workspace,
    concrete,
    dispatch,
)
from claimlint.findings import Finding, Note, Pointer, Problem, Range, Related, RelatedRange, Severity, Span
from claimlint.rules import Rule, rule
from claimlint.workspace import Workspace
from tests.drafts import draft
from tests.sample_rules import PAGE, Check, made, says


def passport(*drifts: object, path: str = "p.json") -> Passport:
    return join([read_passport_text(json.dumps({"claim_drifts": list(drifts), "x": 1}), path)])


def found(outcome: Outcome) -> list[str]:
    return [finding.code for finding in outcome.findings]


def of(check: Any, code: str = "A-1", on: type | str = "claim_drifts", **options: Any) -> Rule:
    """A rule made of a function."""
    check.__doc__ = PAGE
    return made(rule(code, code.lower(), on=on, **options)(check))


def test_each_rule_sees_its_own_subjects() -> None:
    table = dispatch(
        made(says(code, on))
        for code, on in [
            ("ROW-1", "claim_drifts"),
            ("OTHER-1", "uncited_assertions"),
            ("DRAFT-1", "Draft"),
            ("WORK-1", "Workspace"),
        ]
    )
    text = draft("A text.")
    assert found(check_passport(passport({}, {}), table, path="p.json")) == ["ROW-1", "ROW-1"]
    assert found(check_draft(text, table)) == ["DRAFT-1"]
    assert check_workspace(Workspace(text), table).failures[0].rule == "WORK-1"  # a workspace has no source
    assert found(check_document(text, table, path="x")) == ["DRAFT-1"]


def test_a_rule_is_given_the_passport_when_it_asks_for_it() -> None:
    def check(row: Row, whole: Passport) -> Iterator[Problem]:
        yield row.problem((), f"one of {len(whole.aggregate('claim_drifts'))}")

    outcome = check_passport(passport({}, {}), dispatch([of(check)]), path="p.json")
    assert [finding.message for finding in outcome.findings] == ["one of 2", "one of 2"]


def test_a_note_goes_to_every_rule_of_its_name() -> None:
    table = dispatch(
        made(says(code, Note, name=name)) for code, name in [("A-1", "odd"), ("B-1", "odd"), ("C-1", "even")]
    )
    note = Note("odd", TextSource("x", "text"), Span(1, 2), {})
    assert found(check_notes([note], table, path="x")) == ["A-1", "B-1"]


def test_a_passports_notes_are_reported_with_it() -> None:
    table = dispatch([made(says("A-1", Note, name="near-miss-key"))])
    made_of = join([read_passport_text('{"claim_drift": []}', "p.json")])
    assert found(check_passport(made_of, table, path="p.json")) == ["A-1"]


def crash(subject: object) -> Iterator[Problem]:
    raise KeyError("nothing")
    yield


def crash_late(row: Row) -> Iterator[Problem]:
    if row.data.get("bad"):
        raise ValueError("no " * 500)
    yield row.problem((), "fine")


def leave(row: Row) -> Iterator[Problem]:
    raise SystemExit(0)
    yield


def cancel(row: Row) -> Iterator[Problem]:
    raise BaseException("cancelled")
    yield


def no_generator(row: Row) -> Iterator[Problem]:
    return None  # type: ignore[return-value]


def wrong_thing(row: Row) -> Iterator[Problem]:
    yield "a message"  # type: ignore[misc]


def wrong_message(row: Row) -> Iterator[Problem]:
    yield row.problem((), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (crash, "the rule crashed at /claim_drifts/0 (KeyError: 'nothing')"),
        (leave, "the rule crashed at /claim_drifts/0 (SystemExit: 0)"),
        (cancel, "the rule crashed at /claim_drifts/0 (BaseException: cancelled)"),
        (no_generator, "the rule crashed at /claim_drifts/0 (TypeError: 'NoneType' object is not iterable)"),
        (
            wrong_thing,
            "the rule crashed at /claim_drifts/0 (TypeError: yields str instead of a Problem with a message)",
        ),
        (
            wrong_message,
            "the rule crashed at /claim_drifts/0 (TypeError: yields Problem instead of a Problem with a message)",
        ),
    ],
)
def test_a_rule_that_crashes_is_named_with_file_and_cause_and_hides_nothing(check: Check, message: str) -> None:
    table = dispatch([of(check, "BAD-1"), made(says("GOOD-1"))])
    outcome = check_passport(passport({}, path="d/p.json"), table, path="p.json")
    assert found(outcome) == ["GOOD-1"]
    assert [(each.rule, each.path, each.message) for each in outcome.failures] == [("BAD-1", "d/p.json", message)]
    assert str(outcome.failures[0]) == f"d/p.json: BAD-1: {message}"


def test_what_a_rule_found_before_it_crashed_is_kept() -> None:
    outcome = check_passport(passport({}, {"bad": 1}, {}), dispatch([of(crash_late)]), path="p.json")
    assert found(outcome) == ["A-1"]
    assert outcome.failures[0].message.startswith("the rule crashed at /claim_drifts/1 (ValueError: no no")
    assert len(outcome.failures[0].message) < 400


def test_a_crash_on_a_whole_document_names_that_document() -> None:
    table = dispatch(
        [
            of(crash, "A-1", Passport),
            of(crash, "B-1", "Draft"),
            of(
                crash,
                "C-1",
                Note,
            ),
        ]
    )
    assert [(each.rule, each.path) for each in check_passport(passport(), table, path="p.json").failures] == [
        ("A-1", "p.json")
    ]
    assert [(each.rule, each.path) for each in check_draft(draft("x"), table).failures] == [("B-1", "draft.md")]
    note = Note("c-1", TextSource("x", ""), Span(0, 0), {})
    assert [(each.rule, each.path) for each in check_notes([note], table, path="n").failures] == [("C-1", "n")]


def test_outcomes_add_up() -> None:
    one = check_passport(passport({}), dispatch([made(says("A-1"))]), path="p.json")
    two = check_passport(passport({}), dispatch([of(crash, "B-1")]), path="p.json")
    assert (found(one + two), [each.rule for each in (one + two).failures]) == (["A-1"], ["B-1"])


def test_a_problem_becomes_a_finding_with_line_and_column() -> None:
    source = TextSource("d.md", "one\ntwo  words\nthree")
    other = Related("see there", source, Span(0, 3))
    problem = Problem(
        "Wrong.", source, Span(4, 14), cause="c", severity=Severity.INFO, annotation="[X]", related=(other,)
    )
    assert concrete(made(says("A-1", name="n")), problem) == Finding(
        code="A-1",
        name="n",
        severity=Severity.INFO,
        message="Wrong.",
        path="d.md",
        range=Range(2, 1, 2, 11),
        pointer=None,
        annotation="[X]",
        related=(RelatedRange("see there", "d.md", Range(1, 1, 1, 4)),),
        cause="c",
        subject="two words",
    )


def test_equal_messages_in_a_passport_are_one_cause_and_places_in_a_draft_are_not() -> None:
    source = TextSource("d.md", "text")
    known = made(says("A-1"))
    assert concrete(known, Problem("Wrong.", source, Pointer(("a", 1)))).cause == "Wrong."
    assert concrete(known, Problem("Wrong.", source, Pointer(("a", 1)))).pointer == "/a/1"
    assert concrete(known, Problem("Wrong.", source, Span(0, 1))).cause == ""


@pytest.mark.parametrize(
    ("text", "span", "subject"),
    [
        ("a b\r\n  c\nd e", Span(2, 11), "b c d"),
        ("x" * 5000, Span(10, 4000), "x" * MAX_SUBJECT),
        ("x\n" * 5000, Span(0, 10_000), " ".join(["x"] * (MAX_SUBJECT // 2))),
        ("abc", Span(3, 3), ""),
        ("", Span(0, 1), ""),
    ],
)
def test_the_subject_is_the_text_a_finding_stands_on(text: str, span: Span, subject: str) -> None:
    assert concrete(made(says("A-1")), Problem("m", TextSource("x", text), span)).subject == subject
