"""A run with the live audit: limits and trouble that drafts share, and where rows are held and shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from claimlint import auditing
from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import AuditConfig, Progress, Silent
from claimlint.audit.plan import Plan
from claimlint.auditing import Audit, AuditRun, audit_run
from claimlint.checking import selected_codes
from claimlint.discovery import discover
from claimlint.errors import UsageError
from claimlint.settings import Settings
from claimlint.task import Task

from .audit.make import PAGES, Scripted, Sources, by_stream, claim, fails, manifest, verdict


@dataclass
class Listener:
    """An audience that agrees as often as it is told to, and remembers."""

    agreed: Iterator[bool] = field(default_factory=lambda: iter([True] * 10))
    plans: list[tuple[str, int]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def plan(self, path: str, plan: Plan) -> None:
        self.plans.append((path, plan.calls))

    def agrees(self, plan: Plan) -> bool:
        return next(self.agreed)

    def watch(self) -> Progress:
        return Silent()

    def say(self, message: str) -> None:
        self.said.append(message)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cited(*texts: str) -> str:
    return "\n\n".join(f"{text[:-1]} <!--ref:src--><!--anchor:page:1-->." for text in texts) + "\n"


def drafts(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, "utf-8")


def audited(
    judge: Scripted,
    listener: Listener | None = None,
    *,
    paths: tuple[str, ...] = (".",),
    config: AuditConfig | None = None,
    **more: object,
) -> AuditRun:
    settings = Settings()
    found = discover(paths, exclude=settings.excluded, force_exclude=True, hook=False, root=".")
    audit = Audit(
        config=config or AuditConfig(retries=0),
        retrievers=[Sources({"src": PAGES})],
        judge=judge,
        judge_model=judge.model,
        cache=VerdictCache(None),
    )
    task = Task(settings, selected_codes(settings))
    return audit_run(found, task, replace(audit, **more), listener or Listener())  # type: ignore[arg-type]


def shown(run: AuditRun, *codes: str) -> list[tuple[str, str, int]]:
    return [
        (finding.code, finding.path, finding.range.line)
        for finding in run.result.findings
        if finding.code in codes
    ]


def counts(run: AuditRun) -> tuple[int, int, int]:
    made = run.result.audit
    assert made is not None
    return made.audited, made.sampled_out, made.not_audited


def test_passports_alone_cannot_be_audited(folder: Path) -> None:
    (folder / "passport.json").write_text('{"claim_audit_results": []}', "utf-8")
    with pytest.raises(UsageError, match="none of the paths is a draft"):
        audited(Scripted(verdict("SUPPORTED")))


def test_a_path_that_is_not_there_is_a_failure_of_its_own(folder: Path) -> None:
    run = audited(Scripted(verdict("SUPPORTED")), paths=("nowhere.md",))
    assert [failure.path for failure in run.result.failures] == ["nowhere.md"]


def test_a_draft_whose_passport_is_unreadable_is_not_audited(folder: Path) -> None:
    drafts(folder, a=cited("One."), b=cited("Two."), c=cited("Three."))
    (folder / "a.passport.json").write_text('{"claim_intent_manifests": [', "utf-8")
    (folder / "c.md").write_text("---\npassport: nowhere.json\n---\n\n" + cited("Three."), "utf-8")
    judge = Scripted(verdict("SUPPORTED"))
    run = audited(judge)
    assert [question.claim_text for question in judge.questions] == ["Two."]
    assert sorted({failure.path for failure in run.result.failures}) == ["a.md", "c.md"]
    assert counts(run) == (1, 0, 1)


def test_a_dispute_that_no_row_can_hold_is_said(folder: Path) -> None:
    drafts(folder, a=cited("One."))
    no = Scripted(verdict("UNSUPPORTED"))
    audited(no, write=True)
    path = folder / "a.passport.json"
    rows = json.loads(path.read_text("utf-8"))
    rows["claim_audit_results"][0]["upstream_dispute"] = "It does say so."
    path.write_text(json.dumps(rows), "utf-8")
    listener = Listener()
    audited(no, listener, write=True)
    assert json.loads(path.read_text("utf-8"))["claim_audit_results"][0]["upstream_dispute"] == "It does say so."
    audited(Scripted(verdict("SUPPORTED")), listener, write=True)
    assert listener.said == [
        "a.passport.json: 1 row written",
        "a.passport.json: 1 row written",
        "a.passport.json: no row can hold this dispute any more: It does say so.",
    ]


def test_a_passport_beside_the_drafts_is_checked_as_always(folder: Path) -> None:
    drafts(folder, a=cited("One.", "Two."))
    (folder / "other.json").write_text('{"claim_audit_results": [{}]}', "utf-8")
    run = audited(Scripted(verdict("SUPPORTED")))
    assert ("SCHEMA-1", "other.json", 1) in shown(run, "SCHEMA-1")
    assert run.result.files == ("a.md", "other.json")


@pytest.mark.parametrize(
    ("config", "planned"),
    [
        (AuditConfig(max_calls=3), [2, 1, 0]),
        (AuditConfig(max_cost=0.9, price_in=0.0, price_out=1000.0), [2, 1, 0]),
    ],
    ids=["calls", "cost"],
)
def test_limits_hold_for_all_drafts_together(config: AuditConfig, planned: list[int], folder: Path) -> None:
    drafts(folder, a=cited("One.", "Two."), b=cited("Three.", "Four."), c=cited("Five.", "Six."))
    names = ["a.md", "b.md", "c.md"]
    dry = Listener()
    run = audited(Scripted(verdict("SUPPORTED")), dry, config=config, dry_run=True)
    assert dry.plans == list(zip(names, planned, strict=True))
    assert (run.result.findings, run.incomplete) == ((), False)
    listener = Listener()
    judge = Scripted(verdict("SUPPORTED"))
    run = audited(judge, listener, config=config)
    assert listener.plans == dry.plans
    assert (len(judge.questions), counts(run), run.incomplete) == (3, (3, 0, 3), True)


def test_a_judge_that_is_gone_is_not_asked_for_the_drafts_that_follow(folder: Path) -> None:
    drafts(folder, a=cited("One.", "Two.", "Three."), b=cited("Four."), c=cited("Three."))
    judge = Scripted(fails("judge_api_error", infrastructure=True))
    run = audited(judge, config=AuditConfig(retries=0, breaker=2, concurrency=1))
    assert len(judge.questions) == 2
    assert counts(run) == (3, 0, 2)
    assert [code for code, *_ in shown(run, "GATE-8")] == ["GATE-8"] * 3
    assert run.incomplete


def test_one_no_ends_the_asking_and_nothing_is_called_clean(folder: Path) -> None:
    drafts(folder, a=cited("One."), b=cited("Two."), c=cited("Three."))
    judge = Scripted(verdict("SUPPORTED"))
    listener = Listener(agreed=iter([True, False]))
    run = audited(judge, listener)
    assert [question.claim_text for question in judge.questions] == ["One."]
    assert [str(failure) for failure in run.result.failures] == [
        "b.md: not audited, because nobody agreed to the calls"
    ]
    assert listener.said == ["c.md: not audited, because nobody agreed to the calls"]
    assert (counts(run), run.incomplete) == ((1, 0, 2), True)


def test_a_bug_in_the_audit_of_one_draft_loses_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts(folder, a=cited("One."), b=cited("Two."))
    real = auditing.execute

    def execute(prepared: object, *more: object, **named: object) -> object:
        if prepared.draft.path == "a.md":  # type: ignore[attr-defined]
            raise ZeroDivisionError("whatever")
        return real(prepared, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(auditing, "execute", execute)
    run = audited(Scripted(verdict("UNSUPPORTED")))
    assert shown(run, "GATE-3") == [("GATE-3", "b.md", 1)]
    assert ["ZeroDivisionError" in str(failure) for failure in run.result.failures] == [True]


def test_limits_that_cannot_be_kept_end_the_run(folder: Path) -> None:
    drafts(folder, a=cited("One."))
    with pytest.raises(UsageError, match="price-in"):
        audited(Scripted(verdict("SUPPORTED")), config=AuditConfig(max_cost=1.0))


def test_rows_that_cannot_be_written_are_shown_from_memory(folder: Path) -> None:
    drafts(folder, a=cited("One."), b=cited("Two."))
    (folder / "a.passport.json").write_text('{"x": 1, "x": 2}', "utf-8")
    run = audited(Scripted(verdict("UNSUPPORTED")), write=True)
    assert shown(run, "GATE-3") == [("GATE-3", "a.md", 1), ("GATE-3", "b.passport.json", 6)]
    assert [failure.path for failure in run.result.failures] == ["a.passport.json"]


def test_an_intended_claim_that_is_gone_is_shown_at_its_manifest(folder: Path) -> None:
    drafts(folder, a="Nothing is cited here, and nothing is claimed.\n")
    intended = manifest("M-2026-10-03T08:30:00Z-aaaa", "2026-10-03T08:30:00Z", claim("C-001", "Costs fell."))
    (folder / "a.passport.json").write_text(json.dumps({"claim_intent_manifests": [intended]}, indent=1), "utf-8")
    run = audited(Scripted(verdict("SUPPORTED")))
    text = (folder / "a.passport.json").read_text("utf-8").splitlines()
    line = next(number for number, each in enumerate(text, 1) if '"claim_id"' in each) - 1
    assert shown(run, "GATE-11") == [("GATE-11", "a.passport.json", line)]


def shared(folder: Path, *names: str) -> None:
    head = "---\npassport: shared.json\n---\n\n"
    for name in names:
        texts = (f"{name.upper()} {verb}." for verb in ("grew", "shrank", "stayed"))
        drafts(folder, **{name: head + cited(*texts) + f"\nMost of {name} agreed.\n"})
    (folder / "shared.json").write_text('{"literature_corpus": []}', "utf-8")


def test_drafts_of_one_passport_are_checked_against_the_rows_of_all(folder: Path) -> None:
    shared(folder, "a", "b")
    held = audited(Scripted(verdict("UNSUPPORTED")))
    assert shown(held, "GATE-3") == [("GATE-3", name, line) for name in ("a.md", "b.md") for line in (5, 7, 9)]
    assert shown(held, "LINK-2", "LINK-3", "LINK-4", "U-INV-1") == []
    assert dict(held.result.stages or ()) == {"source_description": 6}
    written = audited(Scripted(verdict("UNSUPPORTED")), write=True)
    assert dict(written.result.stages or ()) == {"source_description": 6}
    codes = [sorted(finding.code for finding in run.result.findings) for run in (held, written)]
    assert codes[0] == codes[1]


def test_a_draft_audited_alone_leaves_the_rows_of_its_companions_as_they_were(folder: Path) -> None:
    shared(folder, "a", "b")
    audited(Scripted(verdict("UNSUPPORTED")), write=True)
    before = json.loads((folder / "shared.json").read_text("utf-8"))
    held = audited(Scripted(verdict("SUPPORTED")), paths=("b.md",))
    assert [(code, path) for code, path, _ in shown(held, "GATE-3")] == [("GATE-3", "shared.json")] * 3
    assert json.loads((folder / "shared.json").read_text("utf-8")) == before
    audited(Scripted(verdict("SUPPORTED")), paths=("b.md",), write=True)
    after = json.loads((folder / "shared.json").read_text("utf-8"))
    old, new = before["claim_audit_results"], after["claim_audit_results"]
    assert new[:3] == old[:3]
    assert [row["judgment"] for row in new] == ["UNSUPPORTED"] * 3 + ["SUPPORTED"] * 3


def test_a_sentence_that_one_draft_cites_and_another_does_not_is_no_drift(folder: Path) -> None:
    head = "---\npassport: shared.json\n---\n\n"
    drafts(folder, a=head + cited("Costs fell by 9%."), b=head + "Costs fell by 9%.\n", c=head + "Nothing.\n")
    intended = manifest("M-2026-10-03T08:30:00Z-aaaa", "2026-10-03T08:30:00Z", claim("C-001", "Other."))
    (folder / "shared.json").write_text(json.dumps({"claim_intent_manifests": [intended]}), "utf-8")
    for paths in (("a.md",), ("b.md",), ("a.md",), ("a.md", "b.md", "c.md")):
        run = audited(Scripted(verdict("SUPPORTED")), paths=paths, write=True)
        assert run.result.failures == ()
        assert shown(run, "D-INV-4") == []
    rows = json.loads((folder / "shared.json").read_text("utf-8"))
    assert [row["sentence_text"] for row in rows["uncited_assertions"]] == ["Costs fell by 9%."]
    assert [row["drift_kind"] for row in rows["claim_drifts"]] == ["INTENDED_NOT_EMITTED"]


def ended_after(number: int) -> Callable[[object], str]:
    """Answers that many questions, then Ctrl-C."""
    asked = iter(range(1, 100))

    def answer(question: object) -> str:
        if next(asked) > number:
            raise KeyboardInterrupt
        return by_stream("SUPPORTED")(question)  # type: ignore[arg-type]

    return answer


def test_ctrl_c_leaves_the_drafts_that_follow_unaudited_and_says_so(folder: Path) -> None:
    drafts(folder, a=cited("One.", "Two.", "Three."), b=cited("Four."))
    listener = Listener()
    run = audited(Scripted(ended_after(1)), listener, config=AuditConfig(concurrency=1))  # type: ignore[arg-type]
    assert (counts(run), run.incomplete) == ((1, 0, 3), True)
    assert "b.md: not audited, because the run was ended" in listener.said
    assert [path for path, _ in listener.plans] == ["a.md"]
