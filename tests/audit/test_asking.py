"""Limits of a run: retries, waits, the circuit breaker, caps, Ctrl-C, and nothing that looks clean."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import AuditConfig, Silent
from claimlint.audit.plan import Plan
from claimlint.audit.preparing import prepare
from claimlint.audit.running import execute
from claimlint.audit.types import JudgeFault, JudgeQuestion
from claimlint.errors import UsageError

from .make import (
    M1,
    PAGES,
    Scripted,
    Sources,
    ambient,
    audit,
    claim,
    fails,
    manifest,
    passport,
    verdict,
    workspace,
)

MARK = "<!--ref:src--><!--anchor:page:2-->"
ONE = f"Costs fell {MARK}."
QUICK = AuditConfig(concurrency=1)


def many(count: int) -> str:
    return "\n\n".join(f"Claim {'x' * number} holds {MARK}." for number in range(count))


def in_turn(*answers: str | JudgeFault | Exception) -> Scripted:
    left: Iterator[str | JudgeFault | Exception] = iter(answers)

    def answer(_question: JudgeQuestion) -> str:
        found = next(left)
        if isinstance(found, str):
            return found
        raise found

    return Scripted(answer)


def busy(retry_after: float | None = 0.0) -> JudgeFault:
    return JudgeFault("judge_api_error", "HTTP 429", transient=True, retry_after=retry_after, infrastructure=True)


# --- retries


def test_a_passing_failure_is_tried_again() -> None:
    judge = in_turn(busy(), busy(), verdict("SUPPORTED"))
    outcome = audit(ONE, judge)
    assert outcome.aggregates()["claim_audit_results"][0]["judgment"] == "SUPPORTED"
    assert (len(judge.questions), outcome.counts.calls) == (3, 1)


def test_attempts_are_bounded() -> None:
    judge = Scripted(fails("judge_api_error", transient=True, retry_after=0.0))
    audit(ONE, judge, config=AuditConfig(retries=2))
    assert len(judge.questions) == 3


def test_a_lasting_failure_is_not_tried_again() -> None:
    judge = Scripted(fails("judge_api_error"))
    audit(ONE, judge)
    assert len(judge.questions) == 1


def test_a_reply_that_cannot_be_read_is_not_asked_again() -> None:
    judge = Scripted("who knows")
    audit(ONE, judge)
    assert len(judge.questions) == 1


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    started = time.monotonic()
    audit(ONE, in_turn(busy(0.4), verdict("SUPPORTED")))
    assert time.monotonic() - started >= 0.4


def test_without_a_wish_of_the_server_the_waits_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimlint.audit.asking._FIRST_WAIT", 0.1)
    judge = Scripted(fails("judge_api_error", transient=True))
    started = time.monotonic()
    audit(ONE, judge, config=AuditConfig(retries=2))
    # 0.1 and 0.2 seconds, each times 0.5 and the random hexadecimal 0123 of 65,535.
    assert 0.15 <= time.monotonic() - started < 20
    assert len(judge.questions) == 3


def test_ctrl_c_ends_a_wait_between_attempts() -> None:
    waiting = threading.Event()

    def answer(question: JudgeQuestion) -> str:
        if "xx" not in question.claim_text:
            waiting.wait(5)
            return verdict("SUPPORTED")
        waiting.set()
        raise JudgeFault("judge_api_error", "down", transient=True)

    class Press(Silent):
        def judging(self, done: int, total: int, cost: float | None) -> None:
            if done == 1:
                raise KeyboardInterrupt

    started = time.monotonic()
    outcome = audit(many(3), Scripted(answer), config=AuditConfig(concurrency=3), progress=Press())
    assert outcome.interrupted
    assert time.monotonic() - started < 20


def test_a_wait_holds_for_every_call_to_the_server() -> None:
    times: list[float] = []
    lock = threading.Lock()

    def answer(question: JudgeQuestion) -> str:
        with lock:
            times.append(time.monotonic())
            first = len(times) == 1
        if first:
            raise busy(0.5)
        time.sleep(0.05)
        return verdict("SUPPORTED")

    audit(many(6), Scripted(answer), config=AuditConfig(concurrency=2))
    late = [each for each in times if 0.25 < each - times[0] < 0.45]
    assert late == []


def test_a_wait_beyond_the_limit_is_not_waited() -> None:
    judge = in_turn(busy(3600.0))
    started = time.monotonic()
    audit(ONE, judge)
    assert (len(judge.questions), time.monotonic() - started < 60) == (1, True)


def test_a_question_ends_at_its_deadline() -> None:
    started = time.monotonic()
    judge = Scripted(fails("judge_timeout", transient=True, retry_after=0.2))
    audit(ONE, judge, config=AuditConfig(deadline=0.5, retries=100))
    assert time.monotonic() - started < 20
    assert len(judge.questions) <= 3


def test_a_judge_that_never_returns_is_a_timeout() -> None:
    held = threading.Event()

    def answer(question: JudgeQuestion) -> str:
        held.wait(60)
        return verdict("SUPPORTED")

    outcome = audit(ONE, Scripted(answer), config=AuditConfig(deadline=0.1))
    held.set()
    (row,) = outcome.aggregates()["claim_audit_results"]
    assert str(row["rationale"]).startswith("judge_timeout: no answer within ")


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (TimeoutError("slow"), "judge_timeout"),
        (ValueError("odd\x1b[0m"), "judge_api_error"),
        (OSError(), "judge_api_error"),
    ],
)
def test_whatever_a_judge_raises_becomes_a_row(error: Exception, fault: str) -> None:
    (row,) = audit(ONE, in_turn(error)).aggregates()["claim_audit_results"]
    assert str(row["rationale"]).startswith(f"{fault}: {type(error).__name__}")
    assert "\x1b" not in str(row["rationale"])


def test_a_judge_that_returns_no_text_is_an_api_error() -> None:
    (row,) = audit(ONE, Scripted(lambda _: None)).aggregates()["claim_audit_results"]  # type: ignore[arg-type,return-value]
    assert row["rationale"] == "judge_api_error: the judge returned NoneType, not text"


def test_an_unknown_fault_is_an_api_error() -> None:
    assert JudgeFault("odd", "detail").fault == "judge_api_error"


# --- the circuit breaker


def test_after_failures_in_a_row_the_judge_is_not_asked_any_more() -> None:
    judge = Scripted(fails("judge_api_error", infrastructure=True))
    outcome = audit(many(20), judge, config=AuditConfig(concurrency=1, breaker=4))
    rows = outcome.aggregates()["claim_audit_results"]
    assert (len(judge.questions), len(rows)) == (4, 20)
    assert {row["ref_retrieval_method"] for row in rows} == {"audit_tool_failure"}
    assert str(rows[-1]["rationale"]).startswith("judge_api_error: not asked, because 4 questions in a row")
    assert "the judge failed several times in a row and was not asked any more" in outcome.incomplete


def test_an_answer_in_between_closes_the_row_of_failures() -> None:
    down = JudgeFault("judge_api_error", "down", infrastructure=True)
    judge = in_turn(*[down, down, "unreadable"] * 5)
    audit(many(15), judge, config=AuditConfig(concurrency=1, breaker=3))
    assert len(judge.questions) == 15


def test_failures_of_a_question_alone_do_not_count() -> None:
    judge = Scripted(fails("judge_api_error"))
    audit(many(10), judge, config=AuditConfig(concurrency=1, breaker=2))
    assert len(judge.questions) == 10


# --- limits on calls and cost


def test_max_calls_leaves_the_rest_without_rows_and_says_so() -> None:
    judge = Scripted(verdict("SUPPORTED"))
    outcome = audit(many(5), judge, config=AuditConfig(max_calls=2))
    assert len(judge.questions) == 2
    assert [row["claim_text"] for row in outcome.aggregates()["claim_audit_results"]] == [
        "Claim holds.",
        "Claim x holds.",
    ]
    assert (outcome.counts.not_asked, outcome.plan.refused, outcome.plan.calls) == (3, 3, 2)
    assert "3 citations not judged, without a row" in outcome.incomplete


def test_what_is_cached_needs_no_call(tmp_path: Path) -> None:
    audit(many(5), Scripted(verdict("SUPPORTED")), config=AuditConfig(max_calls=3), cache=tmp_path)
    outcome = audit(many(5), Scripted(verdict("SUPPORTED")), config=AuditConfig(max_calls=2), cache=tmp_path)
    assert (outcome.counts.judged, outcome.counts.calls, outcome.incomplete) == (5, 2, ())


def test_an_uncited_sentence_that_was_not_asked_is_a_failure_and_not_clean() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(M1, "2026-10-03T08:30:00Z", claim("C-001", "x"), constraints=[("MNC-1", "r")])
        ]
    )
    outcome = audit("It began.", Scripted(verdict("NOT_VIOLATED")), found=found, config=AuditConfig(max_calls=0))
    (row,) = outcome.aggregates()["uncited_audit_failures"]
    assert row["rationale"] == "judge_api_error: not asked, because the limit on calls or cost was reached"
    assert outcome.incomplete


def test_max_calls_holds_also_when_equal_questions_fail() -> None:
    judge = Scripted(fails("judge_api_error"))
    audit("\n\n".join([ONE] * 6), judge, config=AuditConfig(max_calls=3))
    assert len(judge.questions) == 3


def test_max_cost_ends_the_calls_before_it_is_exceeded() -> None:
    prices = {"price_in": 1000.0, "price_out": 0.0}
    free = prepare(workspace(many(5)), AuditConfig(**prices), [Sources({"src": PAGES})], "m", VerdictCache(None))  # type: ignore[arg-type]
    assert free.plan.cost is not None
    limit = free.plan.cost / 2
    outcome = audit(many(5), Scripted(verdict("SUPPORTED")), config=AuditConfig(max_cost=limit, **prices))  # type: ignore[arg-type]
    assert outcome.plan.cost is not None
    assert outcome.plan.cost <= limit
    assert (outcome.counts.judged, outcome.counts.not_asked) == (2, 3)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (AuditConfig(max_cost=1.0), r"price-in and price-out under \[tool\.claimlint\.judge\]"),
        (AuditConfig(max_cost=-1.0, price_in=1.0, price_out=1.0), "max-cost"),
        (AuditConfig(max_calls=-1), "max-calls"),
        (AuditConfig(concurrency=0), "concurrency"),
        (AuditConfig(max_claims=0), "max-claims"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(config: AuditConfig, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        audit(ONE, Scripted(verdict("SUPPORTED")), config=config)


# --- plan and progress


class Watch(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def planned(self, plan: Plan) -> None:
        self.told.append(("planned", plan.calls))

    def judging(self, done: int, total: int, cost: float | None) -> None:
        self.told.append((done, total, cost))


def test_progress_is_told_plan_first_and_every_question_after() -> None:
    watch = Watch()
    audit(many(3), Scripted(verdict("SUPPORTED")), config=AuditConfig(price_in=0.0, price_out=4.0), progress=watch)
    assert watch.told == [("planned", 3), (0, 3, 0.0), (1, 3, 0.001), (2, 3, 0.002), (3, 3, 0.003)]


def test_a_plan_says_what_will_be_asked_and_asks_nothing(tmp_path: Path) -> None:
    audit(many(2), Scripted(verdict("SUPPORTED")), cache=tmp_path)
    draft = f"{many(4)}\n\nNo anchor <!--ref:src-->.\n\nNo source <!--ref:gone--><!--anchor:page:1-->."
    plan = prepare(
        workspace(draft),
        AuditConfig(price_in=1.0, price_out=1.0),
        [Sources({"src": PAGES})],
        "scripted",
        VerdictCache(tmp_path),
        ambient=ambient(),
    ).plan
    assert (plan.citations, plan.anchorless, plan.unavailable, plan.sources) == (6, 1, 1, 2)
    assert (plan.cached, plan.calls, plan.refused, plan.tokens_out) == (2, 2, 0, 500)
    assert plan.lines()[0].startswith("6 citations of 2 sources: 1 without a usable anchor, 1 without a source")
    assert plan.lines()[1].startswith("2 calls (2 verdicts cached), about ")


def test_the_plan_says_what_is_sampled_damaged_and_refused() -> None:
    plan = Plan(9, 4, 0, 0, 1, 0, cached=0, corrupt=2, calls=1, refused=3, tokens_in=10, tokens_out=5, cost=0.5)
    assert plan.lines() == (
        "9 citations (4 sampled) of 1 source: 0 without a usable anchor, 0 without a source; "
        "0 checks of uncited sentences",
        "1 call (0 verdicts cached), about 10 tokens in and 5 out, about 0.50",
        "2 cached verdicts damaged",
        "3 questions beyond the limit on calls or cost: not to be asked",
    )


# --- ending early


class Impatient(Silent):
    """Presses Ctrl-C after some answers."""

    def __init__(self, after: int) -> None:
        self.after = after

    def judging(self, done: int, total: int, cost: float | None) -> None:
        if done == self.after:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_what_was_judged_and_says_what_was_not(tmp_path: Path) -> None:
    config = AuditConfig(concurrency=1)
    outcome = audit(many(8), Scripted(verdict("SUPPORTED")), cache=tmp_path, config=config, progress=Impatient(3))
    assert outcome.interrupted
    assert outcome.counts.judged >= 3
    assert outcome.counts.judged + outcome.counts.not_asked == 8
    assert "the run was ended before all questions were asked" in outcome.incomplete
    again = audit(many(8), Scripted(verdict("SUPPORTED")), cache=tmp_path)
    assert again.counts.cached >= 3
    assert again.counts.judged == 8


def test_ctrl_c_ends_waits_and_running_programs() -> None:
    closed: list[bool] = []

    class Slow(Scripted):
        def close(self) -> None:
            closed.append(True)

    judge = Slow(fails("judge_api_error", transient=True, retry_after=30.0))
    first = threading.Event()

    def answer(question: JudgeQuestion) -> str:
        if not first.is_set():
            first.set()
            return verdict("SUPPORTED")
        raise busy(30.0)

    judge.answer = answer
    started = time.monotonic()
    outcome = audit(many(3), judge, config=AuditConfig(concurrency=1), progress=Impatient(1))
    assert time.monotonic() - started < 20
    assert (outcome.interrupted, closed) == (True, [True])


def test_a_cache_that_fills_up_loses_no_verdict(tmp_path: Path) -> None:
    prepared = prepare(
        workspace(many(2)),
        QUICK,
        [Sources({"src": PAGES})],
        "scripted",
        VerdictCache(tmp_path),
        ambient=ambient(),
    )

    def answer(question: JudgeQuestion) -> str:
        folder = tmp_path / "claim_audit_v1"
        if folder.is_dir():
            folder.rmdir()
            folder.write_text("in the way")
        return verdict("SUPPORTED")

    outcome = execute(prepared, Scripted(answer))
    assert outcome.counts.judged == 2
    assert len(outcome.warnings) == 1
    assert "the verdict cache cannot be written" in outcome.warnings[0]


def test_the_record_says_how_the_audit_was_made() -> None:
    record = audit(ONE, Scripted(verdict("SUPPORTED"))).record
    assert record["judge_model"] == "scripted"
    assert record["audit_run_id"] == "2026-11-30T08:00:00Z-0123"
    assert isinstance(record["prompt_version"], str)
    assert (record["judged"], record["calls"]) == (1, 1)


def test_a_run_that_asked_keeps_its_record_beside_the_verdicts(tmp_path: Path) -> None:
    outcome = audit(many(2), Scripted(verdict("SUPPORTED")), cache=tmp_path)
    (file,) = (tmp_path / "claim_audit_runs").iterdir()
    kept = json.loads(file.read_text("utf-8"))
    assert file.name == "2026-11-30T080000Z-0123.json"
    assert kept.pop("verdicts") == sorted(each.stem for each in (tmp_path / "claim_audit_v1").iterdir())
    assert kept == outcome.record
    file.unlink()
    audit(many(2), Scripted(verdict("SUPPORTED")), cache=tmp_path)
    assert not file.exists()


def test_a_record_that_cannot_be_kept_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "claim_audit_runs").write_text("in the way")
    outcome = audit(ONE, Scripted(verdict("SUPPORTED")), cache=tmp_path)
    assert outcome.counts.judged == 1
    assert ["record of the run cannot be written" in each for each in outcome.warnings] == [True]
