"""A run: drafts with their passports, then free passports; the same at any number of jobs."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from claimlint import registry
from claimlint.checker import Checker, UnitResult
from claimlint.discovery import Discovered, Target, discover
from claimlint.documents import draft_reader
from claimlint.engine import Outcome
from claimlint.errors import DocumentError
from claimlint.report import AuditSummary
from claimlint.run import RunResult, _each, merge, run
from claimlint.settings import Settings
from claimlint.task import Task
from tests.passport_samples import UNSUPPORTED, audit_row, clean
from tests.sample_rules import made, says

ALL = tuple(rule.code for rule in registry.load().rules)


@pytest.fixture(autouse=True)
def here(workdir: Path) -> Path:
    return workdir


def put(name: str, content: object) -> None:
    """Write a file: text as it is, anything else as JSON."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def ran(*paths: str, jobs: int = 1, **changes: Any) -> RunResult:
    found = discover(paths or (".",), exclude=(), force_exclude=True, hook=bool(changes.get("hook")))
    return run(found, Task(Settings(), changes.pop("codes", ALL), **changes), jobs=jobs)


def codes(result: RunResult) -> list[tuple[str, str]]:
    return [(finding.path, finding.code) for finding in result.findings]


DRAFT = "# Title\n\nWe cite one <!--ref:{slug}--><!--anchor:page:1-->. Most 40% fell. <!--ref:x-->\n"
MANIFEST = """
<!-- claim_intent_manifest
{"manifest_version": "1.0", "manifest_id": "M-2026-09-01T07:45:00Z-7d01", "emitted_by": "draft_writer_agent",
 "emitted_at": "2026-09-01T07:45:00Z", "manifest_negative_constraints": [],
 "claims": [{"claim_id": "C-001", "claim_text": "x", "intended_evidence_kind": "empirical", "planned_refs": []}]}
-->
"""


def a_project() -> None:
    """Drafts with a passport of their own, sharing one, with a manifest, broken; and free passports."""
    rows = [audit_row(**UNSUPPORTED) for _ in range(6)]
    put("shared/passport.json", {"claim_audit_results": rows})
    for index in range(6):
        put(f"shared/chapter{index}.md", DRAFT.format(slug=f"k{index}") + (MANIFEST if index % 2 else ""))
    for index in range(6):
        put(f"own/d{index}.md", DRAFT.format(slug="dot.ted"))
        put(
            f"own/d{index}.passport.json",
            {"claim_audit_results": [audit_row(judgment="MAYBE")], "claim_drift": []},
        )
    for index in range(6):
        put(f"free/p{index}.json", clean() if index % 2 else '{"claim_drifts": [')
        put(f"free/q{index}.yaml", "claim_drifts: [1]\nclaim_drifts: [2]\n")
    put("free/other.json", {"name": "no passport"})
    Path("own/latin.md").write_bytes("Café".encode("latin-1"))
    put("own/gone.md", "---\npassport: nothing.json\n---\nText <!--ref:x-->\n")


def test_the_result_is_the_same_at_any_number_of_jobs() -> None:
    a_project()
    expected = ran(jobs=1)
    assert len(expected.findings) > 40
    assert len(expected.failures) == 2
    for jobs in (2, 4, 0, 500):
        found = ran(jobs=jobs)
        assert found._replace(failures=(), unread=()) == expected._replace(failures=(), unread=())
        assert [str(each) for each in found.failures] == [str(each) for each in expected.failures]
        assert [str(each) for each in found.unread] == [str(each) for each in expected.unread]


def test_the_rows_of_a_shared_passport_are_counted_once_at_any_number_of_jobs() -> None:
    put("passport.json", {"claim_audit_results": [audit_row(**UNSUPPORTED) for _ in range(6)]})
    for index in range(8):
        put(f"d{index}.md", "Text." + (MANIFEST if index in (2, 5) else ""))
    for jobs in (1, 2, 4):
        assert ran(jobs=jobs).stages == (("source_description", 6),)


def test_the_manifest_of_one_draft_counts_for_the_passport_it_shares_at_any_number_of_jobs() -> None:
    put("passport.json", {"claim_audit_results": [audit_row(claim_id="C-001"), audit_row(claim_id="C-009")]})
    put("a.md", "Text." + MANIFEST)
    put("b.md", "Text.")
    results = [ran(jobs=jobs, codes=("INV-15",)).findings for jobs in (1, 2)]
    assert [finding.pointer for finding in results[0]] == ["/claim_audit_results/1/claim_id"]
    assert results[1] == results[0]


def test_a_passport_that_a_draft_claimed_is_not_checked_again() -> None:
    put("d.md", "Text.")
    put("d.passport.json", {"claim_drift": []})
    put("free.json", {"claim_drift": []})
    result = ran()
    assert codes(result) == [("d.passport.json", "JSON-5"), ("free.json", "JSON-5")]
    assert result.files == ("d.md", "d.passport.json", "free.json")


def test_passports_that_are_named_together_are_joined() -> None:
    manifests = {"claim_intent_manifests": clean()["claim_intent_manifests"]}
    put("m.json", manifests)
    put("r.json", {"claim_audit_results": [audit_row()]})
    apart, joined = ran(codes=("INV-15",)), ran(codes=("INV-15",), passports=("m.json", "r.json"))
    assert (codes(apart), codes(joined)) == ([("r.json", "INV-15")], [])
    assert joined.files == ("m.json", "r.json")


def test_a_draft_whose_passport_is_missing_is_still_checked() -> None:
    put("d.md", "---\npassport: nothing.json\n---\n\nA text <!--ref:x-->.\n")
    result = ran(codes=("CITE-1",))
    assert codes(result) == [("d.md", "CITE-1")]
    assert [str(each) for each in result.failures] == [
        "d.md: its front matter names the passport nothing.json, which does not exist"
    ]
    assert result.files == ("d.md",)


def test_a_unit_that_fails_in_an_unforeseen_way_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    read = draft_reader.read_draft

    def fail(source: Any) -> Any:
        if source.path == "bad.md":
            raise ZeroDivisionError("oh")
        return read(source)

    monkeypatch.setattr(draft_reader, "read_draft", fail)
    put("bad.md", "x")
    put("good.md", "A text <!--ref:x-->.\n")
    for jobs in (1, 2):
        result = ran(codes=("CITE-1",), jobs=jobs)
        assert codes(result) == [("good.md", "CITE-1")]
        assert [str(each) for each in result.failures] == [
            "bad.md: internal error (ZeroDivisionError: oh), so it was not checked; "
            "this is a bug in claimlint, please report it"
        ]


def test_files_in_which_nothing_is_known_are_skipped_and_counted() -> None:
    put("a.json", {"name": "x"})
    put("b.yaml", "- 1\n")
    assert ran() == RunResult((), (), (), (), 2, (), False, None, None)


def test_what_cannot_be_read_is_unread() -> None:
    put("a.json", '{"claim_drifts": [')
    result = ran(codes=("INV-1",))
    assert (result.findings, len(result.unread), result.files) == ((), 1, ("a.json",))
    assert str(result.unread[0]).startswith("a.json: no valid JSON: ")


def test_a_hook_brings_the_draft_of_a_passport_along_unless_it_is_excluded() -> None:
    put("d.md", "A text <!--ref:x-->.\n")
    put("d.passport.json", {"claim_drifts": []})
    assert codes(ran("d.passport.json", hook=True, codes=("CITE-1",))) == [("d.md", "CITE-1")]
    found = discover(["d.passport.json"], exclude=(), force_exclude=True, hook=True)
    settings = Settings(extend_exclude=("*.md",))
    assert codes(run(found, Task(settings, ("CITE-1",), hook=True), jobs=1)) == []


class Dying(Checker):
    """A checker whose process ends without a word at one of its units."""

    def passport(self, targets: tuple[Target, ...]) -> UnitResult:
        if targets[0].shown == "p3.json":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().passport(targets)


def test_a_worker_that_dies_leaves_failures_for_what_it_held(monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(8):
        put(f"p{index}.json", {"claim_drift": []})
    monkeypatch.setattr("claimlint.run.Checker", Dying)
    result = ran(jobs=2)
    assert result.failures
    assert {str(each).partition(":")[2] for each in result.failures} == {
        " not checked: a worker process died (out of memory?); try --jobs 1"
    }
    reported = {each.path for each in result.failures} | {path for path, _ in codes(result)}
    assert reported == {f"p{index}.json" for index in range(8)}


class Interrupted(Checker):
    def passport(self, targets: tuple[Target, ...]) -> UnitResult:
        if targets[0].shown == "p0.json":
            os.kill(os.getppid(), signal.SIGINT)
        signal.pause()
        raise AssertionError


def test_an_interrupt_ends_the_workers(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("claimlint.run.Checker", Interrupted)
    checker = Interrupted(Task(Settings(), ALL))
    units: list[tuple[Target, ...]] = [(Target(f"p{index}.json", f"p{index}.json"),) for index in range(4)]
    with pytest.raises(KeyboardInterrupt):
        _each(checker, "passport", units, 2)
    assert capfd.readouterr().err == ""


def test_merging_counts_a_finding_once_and_sorts() -> None:
    put("p.json", {"claim_drifts": [{}, {}]})
    checker = Checker(Task(Settings(), ALL))
    part = checker.passport((Target("p.json", "p.json", named=True),))
    twice = merge(
        [part, UnitResult(Outcome(), (DocumentError("b"), DocumentError("a"))), part], [DocumentError("b")]
    )
    assert twice.findings == merge([part]).findings
    assert [str(each) for each in twice.failures] == ["a", "b"]


def test_merging_adds_up_what_drafts_say_of_their_citations() -> None:
    parts = [
        UnitResult(Outcome(), audit=AuditSummary(1, 2, 3)),
        UnitResult(Outcome()),
        UnitResult(Outcome(), audit=AuditSummary(1, 0, 1)),
    ]
    assert merge(parts).audit == AuditSummary(2, 2, 4)
    assert merge([]).audit is None


def test_nothing_to_check_is_an_empty_result() -> None:
    assert run(Discovered((), 3, ()), Task(Settings(), ALL), jobs=0).files == ()


def test_a_crash_in_a_shared_passport_names_the_passport(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_passport: object) -> Any:
        raise ValueError("oh")

    broken = made(says("INV-1", "Passport"))._replace(check=crash)
    known = registry.load()
    changed = known._replace(by_code={**known.by_code, "INV-1": broken})
    monkeypatch.setattr(registry, "load", lambda: changed)
    put("passport.json", {"claim_audit_results": [audit_row()]})
    for index in range(4):
        put(f"d{index}.md", "Text.")
    for jobs in (1, 2):
        assert [str(each) for each in ran(codes=("INV-1",), jobs=jobs).failures] == [
            "passport.json: INV-1: the rule crashed (ValueError: oh)"
        ]


def test_a_draft_whose_unreadable_front_matter_may_name_a_passport_is_a_failure() -> None:
    put("d.md", "---\ntitle: a: b\npassport: p.json\n---\nText <!--ref:x-->\n")
    put("e.md", "---\ntitle: a: b\n---\nText <!--ref:x-->\n")
    put("p.json", clean())
    result = ran("d.md", "e.md")
    (failure,) = result.failures
    assert str(failure).startswith("d.md: its front matter may name a passport, but cannot be read: line 2: ")
    assert codes(result) == [("d.md", "MD-4"), ("d.md", "CITE-1"), ("e.md", "MD-4"), ("e.md", "CITE-1")]
    assert ran("d.md", passports=("p.json",)).failures == ()
