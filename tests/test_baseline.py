"""The baseline: accepted findings known by their content, counted, with reasons."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint import registry
from claimlint.acknowledge.apply import acknowledge_run
from claimlint.acknowledge.baseline import (
    Baseline,
    Entry,
    apply_baseline,
    fingerprint,
    read_baseline,
    render,
    updated,
)
from claimlint.acknowledge.directives import scopes
from claimlint.acknowledge.outcome import Outcome
from claimlint.engine import check_notes, dispatch
from claimlint.errors import SettingsError, WriteError
from claimlint.findings import Finding, Severity
from claimlint.rules import rules_of
from claimlint.settings import Settings
from claimlint.task import Task
from claimlint_rules import ack

from .test_acknowledge import CODES, PATH, RAN, D, draft_of, finding

CHECKED = frozenset({PATH})


def ran(_path: str, code: str) -> bool:
    return code in RAN


def ran_all(_path: str, _code: str) -> bool:
    return True


def entry(subject: str, count: int = 1, code: str = "UNCITED-1", reason: str = "seen", path: str = PATH) -> Entry:
    return Entry(path, code, fingerprint(finding(1, code, subject=subject)), count, reason)


def baseline(*entries: Entry) -> Baseline:
    return read_baseline(render(entries, "claimlint-baseline.json"), "claimlint-baseline.json")


def applied(accepted: Baseline, *findings: Finding, checked: frozenset[str] = CHECKED) -> Outcome:
    return apply_baseline(findings, accepted, CODES, ran, checked)


def faults(accepted: Baseline, *findings: Finding, checked: frozenset[str] = CHECKED) -> list[str]:
    notes = applied(accepted, *findings, checked=checked).notes
    found = check_notes(notes, dispatch(rules_of(ack)), path="claimlint-baseline.json")
    return [f"{each.pointer} {each.code} {each.message}" for each in found.findings]


def test_a_finding_is_known_by_code_and_content_wherever_it_stands() -> None:
    one = finding(3, subject="Most users  agree.")
    assert fingerprint(one) == fingerprint(finding(9, subject="Most users agree."))
    assert fingerprint(one) != fingerprint(finding(3, subject="Most users disagree."))
    assert fingerprint(one) != fingerprint(finding(3, "LINK-5", subject="Most users agree."))


def test_a_finding_that_stands_on_signs_alone_is_known_by_its_message() -> None:
    one = finding(3, subject="{")
    assert fingerprint(one) != fingerprint(one._replace(message="other"))


def test_an_accepted_finding_is_taken_out_after_its_line_moved() -> None:
    outcome = applied(baseline(entry("Most agree.")), finding(77, subject="Most agree."))
    assert (outcome.kept, outcome.acknowledged, outcome.notes) == ((), 1, ())


@pytest.mark.parametrize(
    "other",
    [
        finding(1, subject="Most disagree."),
        finding(1, "LINK-5", Severity.INFO, subject="Most agree."),
        finding(1, subject="Most agree.", path="d/other.md"),
    ],
)
def test_another_text_rule_or_file_is_reported(other: Finding) -> None:
    assert applied(baseline(entry("Most agree.")), other).kept == (other,)


def test_a_third_equal_finding_is_reported_when_two_are_accepted() -> None:
    three = [finding(line, subject="Most agree.") for line in (1, 2, 3)]
    outcome = applied(baseline(entry("Most agree.", 2)), *three)
    assert (outcome.kept, outcome.acknowledged) == ((three[2],), 2)


def test_two_entries_for_one_content_add_up() -> None:
    two = baseline(entry("Most agree."), entry("Most agree.", reason="again"))
    assert applied(two, *[finding(1, subject="Most agree.")] * 2).acknowledged == 2


def test_a_grave_finding_stays_and_its_entry_is_reported() -> None:
    grave = finding(1, severity=Severity.MED_WARN, subject="x")
    assert applied(baseline(entry("x")), grave).kept == (grave,)
    assert faults(baseline(entry("x")), grave) == [
        "/entries/0/code ACK-4 UNCITED-1 is above low-warn and cannot be acknowledged; cure it and delete this"
    ]
    assert faults(baseline(entry("x", code="CITE-1")))[0].startswith("/entries/0/code ACK-4 CITE-1 ")


def test_an_entry_without_a_reason_accepts_nothing() -> None:
    one = finding(1, subject="x")
    accepted = baseline(entry("x", reason=" …"))
    assert applied(accepted, one).kept == (one,)
    assert faults(accepted, one) == [
        '/entries/0/reason ACK-1 the entry for UNCITED-1 has no reason, so it accepts nothing; write "reason": "…"'
    ]


def test_an_entry_for_a_rule_that_does_not_exist_is_reported() -> None:
    assert faults(baseline(entry("x", code="UNCITD-1"))) == [
        "/entries/0/code ACK-2 there is no rule or family UNCITD-1; did you mean UNCITED-1?"
    ]


def test_an_entry_that_matches_less_than_it_says_is_stale() -> None:
    accepted = baseline(entry("x", 2), entry("y"))
    assert faults(accepted, finding(1, subject="x")) == [
        "/entries/0/fingerprint ACK-6 the entry for UNCITED-1 in d/paper.md matches only 1 of 2 findings any "
        "more; write the baseline again",
        "/entries/1/fingerprint ACK-6 the entry for UNCITED-1 in d/paper.md matches nothing any more; "
        "write the baseline again",
    ]


def test_an_entry_is_not_stale_when_its_file_was_not_checked_or_its_rule_did_not_run() -> None:
    assert faults(baseline(entry("x")), checked=frozenset()) == []
    assert faults(baseline(entry("x", code="UNCITED-2"))) == []


# Verdicts of the gate: the same in the draft and in the passport

VERDICT = finding(4, "GATE-9", subject="Most agree.")
WRITTEN = VERDICT._replace(path="d/paper.passport.json")


@pytest.mark.parametrize(("before", "after"), [(VERDICT, WRITTEN), (WRITTEN, VERDICT)])
def test_a_verdict_is_accepted_wherever_its_row_stands(before: Finding, after: Finding) -> None:
    accepted = baseline(entry("Most agree.", code="GATE-9", path=before.path))
    checked = frozenset({before.path, after.path})
    outcome = applied(accepted, after, checked=checked)
    assert (outcome.kept, outcome.acknowledged, outcome.notes) == ((), 1, ())
    [made] = updated([after], accepted, CODES, ran_all, checked, reason="new")
    assert (made.path, made.reason) == (after.path, "seen")


def test_a_verdict_is_counted_against_the_entries_of_its_own_file_first() -> None:
    accepted = baseline(
        entry("Most agree.", code="GATE-9", path="d/a.md"), entry("Most agree.", code="GATE-9", path="d/b.md")
    )
    at_b = VERDICT._replace(path="d/b.md")
    outcome = applied(accepted, at_b, checked=frozenset({"d/b.md"}))
    assert (outcome.acknowledged, outcome.notes) == (1, ())
    assert applied(accepted, at_b, at_b, at_b).kept == (at_b,)


# The file


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "b.json: line 1: the file is empty"),
        ("{", "b.json: line 1: no valid JSON"),
        ("[]", 'b.json: is no baseline: it must be {"version": 1, "entries": [...]}'),
        ('{"version": 2, "entries": []}', "b.json: is no baseline: it must be"),
        ('{"version": 1, "entries": [], "x": 1}', "b.json: is no baseline: it must be"),
        ('{"version": 1, "entries": {}}', "b.json: is no baseline: entries must be an array"),
        ('{"version": 1, "entries": [\n3]}', "b.json: line 2: entry 0: must be an object with path, code"),
    ],
)
def test_what_is_no_baseline_is_a_settings_error(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_baseline(text, "b.json")
    assert str(caught.value)[: len(message)] == message


GOOD = {"path": "a.md", "code": "UNCITED-1", "fingerprint": "f", "count": 1, "reason": "r"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": 3}, "path must be a string"),
        ({"reason": None}, "reason must be a string"),
        ({"count": 0}, "count must be a whole number of 1 or more"),
        ({"count": True}, "count must be a whole number of 1 or more"),
        ({"count": 1.0}, "count must be a whole number of 1 or more"),
        ({"line": 3}, "must be an object with path, code, fingerprint, count, reason, and nothing else"),
    ],
)
def test_a_bad_entry_is_named_with_its_line(change: dict[str, Any], message: str) -> None:
    text = json.dumps({"version": 1, "entries": [GOOD, {**GOOD, **change}]}, indent=1)
    with pytest.raises(SettingsError) as caught:
        read_baseline(text, "b.json")
    assert str(caught.value) == f"b.json: line 11: entry 1: {message}"


@pytest.mark.parametrize(
    ("file", "shown", "written"),
    [
        ("b.json", "d/paper.md", "d/paper.md"),
        ("d/b.json", "d/paper.md", "paper.md"),
        ("ci/b.json", "d/paper.md", "../d/paper.md"),
        ("../b.json", "../d/paper.md", "d/paper.md"),
        ("d/b.json", "/abs/paper.md", "/abs/paper.md"),
        ("/abs/b.json", "/abs/d/paper.md", "d/paper.md"),
    ],
)
def test_paths_are_relative_to_the_baseline(file: str, shown: str, written: str) -> None:
    text = render([entry("x", path=shown)], file)
    assert json.loads(text)["entries"][0]["path"] == written
    assert [each.path for each in read_baseline(text, file).entries] == [shown]


@given(st.text(), st.integers(1, 9))
def test_a_baseline_reads_back_as_it_was_written(reason: str, count: int) -> None:
    one = entry("x", count, reason=reason)
    assert read_baseline(render([one], "b.json"), "b.json").entries == (one,)


def rewritten(
    old: Baseline | None, *findings: Finding, checked: frozenset[str] = CHECKED
) -> list[tuple[Any, ...]]:
    made = updated(findings, old, CODES, ran, checked, reason="new")
    return [(each.code, each.count, each.reason) for each in made]


def test_a_new_baseline_counts_what_can_be_acknowledged() -> None:
    found = [
        finding(9, subject="x"),
        finding(1, subject="x"),
        finding(2, "CITE-1", Severity.ERROR, subject="x"),
        finding(3, "CITE-12", Severity.MED_WARN, subject="x"),
        finding(3, "ACK-3", subject="x"),
        finding(3, "LINK-5", Severity.INFO, subject="x"),
    ]
    assert rewritten(None, *found) == [("LINK-5", 1, "new"), ("UNCITED-1", 2, "new")]


def test_old_reasons_are_kept_and_what_is_cured_goes() -> None:
    old = baseline(entry("x", 5), entry("gone"), entry("z", reason=" "))
    made = rewritten(old, finding(1, subject="x"), finding(1, subject="z"))
    assert sorted(made) == [("UNCITED-1", 1, "new"), ("UNCITED-1", 1, "seen")]


def test_entries_that_this_run_cannot_judge_stay() -> None:
    old = baseline(entry("x"), entry("y", code="UNCITED-2"), entry("z", path="d/other.md"))
    assert rewritten(old) == [("UNCITED-1", 1, "seen"), ("UNCITED-2", 1, "seen")]
    assert rewritten(baseline(entry("x", code="CITE-1")), checked=frozenset()) == []


def test_entries_are_written_sorted() -> None:
    found = [finding(1, path=path, subject=subject) for path in ("b.md", "a.md") for subject in ("2", "1")]
    made = updated(found, None, CODES, ran, frozenset(), reason="r")
    assert list(made) == sorted(made, key=lambda each: each.key)
    assert made == updated(reversed(found), None, CODES, ran, frozenset(), reason="r")


# The end of a run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "load", lambda: registry.Registry(tuple(CODES.rules.values()), CODES.rules))
    (tmp_path / "d").mkdir()
    (tmp_path / PATH).write_text("x")
    return tmp_path


TASK = Task(Settings(), ("UNCITED-1", "LINK-5", "ACK-1", "ACK-2", "ACK-3", "ACK-4", "ACK-5", "ACK-6"))
ONE = finding(2, subject="Most agree.")


def run(*findings: Finding, task: Task = TASK, text: str = "", **options: Any) -> tuple[list[str], int]:
    found = ((PATH, scopes(draft_of(text))),) if text else ()
    kept, acknowledged = acknowledge_run(tuple(findings), found, task, files=[PATH], **options)
    return [each.code for each in kept], acknowledged


def test_a_run_without_acknowledgements_is_left_alone(here: Path) -> None:
    assert run(ONE) == (["UNCITED-1"], 0)


def test_a_written_baseline_silences_the_next_run_without_being_named(here: Path) -> None:
    assert run(ONE, write_baseline=True, reason="our own data") == ([], 1)
    document = json.loads((here / "claimlint-baseline.json").read_text())
    assert [(each["path"], each["reason"]) for each in document["entries"]] == [(PATH, "our own data")]
    assert run(ONE) == ([], 1)
    assert run(ONE, ONE) == (["UNCITED-1"], 1)


def test_a_baseline_written_again_keeps_its_reasons_and_bytes(here: Path) -> None:
    run(ONE, write_baseline=True, reason="our own data")
    before = (here / "claimlint-baseline.json").read_bytes()
    run(ONE, write_baseline=True)
    assert (here / "claimlint-baseline.json").read_bytes() == before


def test_without_a_reason_new_entries_say_baseline(here: Path) -> None:
    run(ONE, write_baseline=True, reason="  ")
    assert json.loads((here / "claimlint-baseline.json").read_text())["entries"][0]["reason"] == "baseline"


def test_the_settings_and_the_command_line_name_the_baseline(here: Path) -> None:
    run(ONE, write_baseline=True, baseline="d/b.json")
    assert run(ONE) == (["UNCITED-1"], 0)
    assert run(ONE, baseline="d/b.json") == ([], 1)
    task = TASK._replace(settings=Settings(root="d", baseline="b.json"))
    assert run(ONE, task=task) == ([], 1)


def test_directives_come_before_the_baseline(here: Path) -> None:
    other = finding(9, subject="Other.")
    assert run(ONE, other, text=f"{D}\nb", write_baseline=True) == ([], 2)
    assert len(json.loads((here / "claimlint-baseline.json").read_text())["entries"]) == 1


def test_faults_are_reported_unless_their_rule_is_off_or_ignored_for_the_file(here: Path) -> None:
    assert run(text=f"{D}\nb") == (["ACK-3"], 0)
    assert run(text=f"{D}\nb", task=TASK._replace(codes=("UNCITED-1",))) == ([], 0)
    for ignored in ("ACK-3", "UNCITED-1"):
        task = TASK._replace(settings=Settings(per_file_ignores={"d/*.md": (ignored,)}))
        assert run(text=f"{D}\nb", task=task) == ([], 0)


def test_an_entry_of_a_file_that_is_gone_is_stale_and_leaves_the_new_baseline(here: Path) -> None:
    run(ONE, write_baseline=True)
    (here / PATH).unlink()
    kept, _ = acknowledge_run((), (), TASK, files=[])
    assert [each.code for each in kept] == ["ACK-6"]
    acknowledge_run((), (), TASK, files=[], write_baseline=True)
    assert json.loads((here / "claimlint-baseline.json").read_text())["entries"] == []


@pytest.mark.parametrize(("start", "shown"), [(".", PATH), ("d", "paper.md"), ("d/e", "../paper.md")])
def test_the_folder_that_a_run_starts_in_changes_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch, start: str, shown: str
) -> None:
    (here / "d" / "e").mkdir()
    run(ONE, write_baseline=True)
    written = (here / "claimlint-baseline.json").read_bytes()
    monkeypatch.chdir(here / start)
    task = TASK._replace(settings=Settings(root=os.path.relpath(here)))
    for name in (shown, str(here / PATH)):
        found = (ONE._replace(path=name),)
        assert acknowledge_run(found, (), task, files=[name]) == ((), 1)
        assert acknowledge_run(found, (), task, files=[name], write_baseline=True) == ((), 1)
        assert (here / "claimlint-baseline.json").read_bytes() == written


def test_a_named_baseline_that_is_missing_or_broken_is_a_settings_error(here: Path) -> None:
    missing = "cannot be used: no such file; create it with --write-baseline"
    with pytest.raises(SettingsError) as caught:
        run(ONE, baseline="b.json")
    assert str(caught.value) == f"b.json: the baseline {missing}"
    with pytest.raises(SettingsError) as caught:
        run(ONE, task=TASK._replace(settings=Settings(file="claimlint.toml", baseline="b.json")))
    assert str(caught.value) == f"claimlint.toml: baseline: b.json {missing}"
    (here / "b.json").write_text("{}")
    for writing in (False, True):
        with pytest.raises(SettingsError, match=r"b\.json: is no baseline"):
            run(ONE, baseline="b.json", write_baseline=writing)


def test_a_baseline_that_cannot_be_written_is_a_write_error(here: Path) -> None:
    with pytest.raises(WriteError, match=r"gone/b\.json: cannot be written"):
        run(ONE, baseline="gone/b.json", write_baseline=True)
