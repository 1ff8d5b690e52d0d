"""Putting questions to the judge: retries, pauses, the circuit breaker, and keeping verdicts at once.

One ``Asker`` serves one run and several threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from claimlint.audit.cache import Question, VerdictCache
from claimlint.audit.config import Ambient, AuditConfig
from claimlint.audit.prompt import material, question
from claimlint.audit.reply import CITED, UNCITED, parse_reply
from claimlint.audit.types import METHOD_NOT_ATTEMPTED, Judge, JudgeFault
from claimlint.audit.verdict import Verdict, verdict_of
from claimlint.audit.words import scrub
from claimlint.errors import AuditError

_FIRST_WAIT = 0.5
_MARK_DIGITS = 24


@dataclass(frozen=True, slots=True)
class Failed:
    """A question that was put to the judge, or that the judge was no longer fit to be asked, without a verdict."""

    fault: str
    detail: str


@dataclass(frozen=True, slots=True)
class NotAsked:
    """A question that was not put to the judge, because of a limit or because the run was ended."""

    reason: str


Answer = Verdict | Failed | NotAsked


@dataclass(frozen=True, slots=True)
class Ask:
    """One question with what is needed to ask it and to keep the verdict.

    ``scoped_manifest_id`` is told to the judge's transport only; ``method`` is how the source was had.
    """

    key: str
    question: Question
    scoped_manifest_id: str | None
    method: str = METHOD_NOT_ATTEMPTED


class Asker:
    """Asks a judge within the limits of a run."""

    def __init__(self, judge: Judge, cache: VerdictCache, config: AuditConfig, ambient: Ambient) -> None:
        self._judge = judge
        self._cache = cache
        self._config = config
        self._ambient = ambient
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._not_before = 0.0
        self._failures_in_a_row = 0
        self._last_failure = ""
        self.asked = 0
        self.cache_trouble: str | None = None

    @property
    def broken(self) -> bool:
        """Whether the circuit breaker is open: no further question is put to the judge."""
        return self._failures_in_a_row >= self._config.breaker

    def stop(self) -> None:
        """End the run: questions not yet asked, and waits between attempts, are given up."""
        self._stop.set()

    def ask(self, ask: Ask) -> Answer:
        """The verdict on a question, kept in the cache before it is returned, or why there is none."""
        if self._stop.is_set():
            return NotAsked("the run was ended")
        if self.broken:
            return Failed(
                "judge_api_error",
                f"not asked, because {self._config.breaker} questions in a row found no working judge; "
                f"the last: {self._last_failure}",
            )
        with self._lock:
            self.asked += 1
        try:
            verdict = self._verdict(ask)
        except JudgeFault as fault:
            self._count(fault)
            return Failed(fault.fault, fault.detail)
        except _StoppedError:
            return NotAsked("the run was ended")
        self._count(None)
        self._keep(ask.key, verdict)
        return verdict

    def _verdict(self, ask: Ask) -> Verdict:
        asked = ask.question
        put = question(
            claim_text=asked.claim_text,
            ref_slug=asked.ref_slug if asked.cited else None,
            anchor_kind=asked.anchor_kind,
            anchor_value=asked.anchor_value,
            excerpt=asked.excerpt,
            constraints=asked.constraints,
            scoped_manifest_id=ask.scoped_manifest_id,
            random_hex=lambda: self._ambient.random_hex(_MARK_DIGITS),
        )
        reply = self._attempts(lambda: self._judge.ask(put))
        parsed = parse_reply(
            reply,
            allowed=CITED if asked.cited else UNCITED,
            constraints=asked.constraints,
            material=material(put),
        )
        return verdict_of(
            parsed,
            cited=asked.cited,
            model=asked.judge_model,
            run_at=self._ambient.stamp(),
            method=ask.method,
        )

    def _attempts(self, call: Callable[[], str]) -> str:
        """The reply, after as many attempts as the limits allow; raises the last JudgeFault."""
        ends = time.monotonic() + self._config.question_deadline
        attempt = 0
        while True:
            self._pause(ends)
            try:
                reply = call()
            except JudgeFault as fault:
                wait = self._wait(fault, attempt)
                if wait is None or time.monotonic() + wait >= ends:
                    raise
                if fault.retry_after is not None:
                    with self._lock:
                        self._not_before = max(self._not_before, time.monotonic() + wait)
                self._sleep(wait)
                attempt += 1
            except Exception as error:
                raise JudgeFault(*_unexpected(error), infrastructure=True) from error
            else:
                if not isinstance(reply, str):
                    raise JudgeFault("judge_api_error", f"the judge returned {type(reply).__name__}, not text")
                return reply

    def _wait(self, fault: JudgeFault, attempt: int) -> float | None:
        """How long to wait before the next attempt, in seconds; None when there is to be none."""
        if not fault.transient or attempt >= self._config.retries:
            return None
        if fault.retry_after is not None:
            return None if fault.retry_after > self._config.max_wait else max(0.0, fault.retry_after)
        # Spread out, so that calls that failed together do not come back together.
        spread = 0.5 + int(self._ambient.random_hex(4), 16) / 0xFFFF
        return min(_FIRST_WAIT * 2.0**attempt * spread, self._config.max_wait)

    def _pause(self, ends: float) -> None:
        """Wait while the server asked another call to wait."""
        while True:
            with self._lock:
                rest = min(self._not_before, ends) - time.monotonic()
            if rest <= 0:
                break
            self._sleep(rest)
        if self._stop.is_set():
            raise _StoppedError

    def _sleep(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise _StoppedError

    def _count(self, fault: JudgeFault | None) -> None:
        with self._lock:
            if fault is not None and fault.infrastructure:
                self._failures_in_a_row += 1
                self._last_failure = str(fault.message)
            elif not self.broken:
                self._failures_in_a_row = 0

    def late(self) -> None:
        """Count a question that was given up because it took too long."""
        self._count(JudgeFault("judge_timeout", "no answer in time", infrastructure=True))

    def _keep(self, key: str, verdict: Verdict) -> None:
        try:
            self._cache.put(key, verdict)
        except AuditError as error:
            # The verdict is good and paid for; what is lost is that the next run asks again.
            with self._lock:
                self.cache_trouble = self.cache_trouble or str(error)


class _StoppedError(Exception):
    """The run was ended while a question waited."""


def _unexpected(error: Exception) -> tuple[str, str]:
    fault = "judge_timeout" if isinstance(error, TimeoutError) else "judge_api_error"
    return fault, f"{type(error).__name__}: {scrub(str(error))}"
