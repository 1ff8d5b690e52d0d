"""What an audit may do, and what it takes from the world around it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from claimlint.audit.prompt import JUDGE_PROMPT_SHA256
from claimlint.errors import UsageError

if TYPE_CHECKING:
    from claimlint.audit.plan import Plan


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """The limits of an audit.

    ``max_claims`` caps the citations audited (more are sampled), ``max_calls`` the questions put to the judge,
    ``max_cost`` their estimated cost in the currency of ``price_in`` and ``price_out``, which are for a million
    tokens. ``concurrency`` is the number of calls under way at once. ``timeout`` (seconds) is what one attempt
    may take; the whole of a question, with up to ``retries`` further attempts, may take ``deadline`` seconds
    (twice the timeout unless it is given). A server that asks for a longer wait than ``max_wait`` seconds is
    not waited for. After ``breaker`` questions in a row that found no working judge, no further one is asked.
    ``prompt_version`` None says that the prompt is unknown, so that no other run may use the verdicts.
    ``require_evidence`` turns a SUPPORTED whose evidence is not in the excerpt into AMBIGUOUS.
    """

    max_claims: int = 100
    max_calls: int | None = None
    max_cost: float | None = None
    concurrency: int = 8
    timeout: float = 120.0
    deadline: float | None = None
    retrieval_deadline: float = 600.0
    retries: int = 3
    max_wait: float = 60.0
    breaker: int = 5
    prompt_version: str | None = JUDGE_PROMPT_SHA256
    require_evidence: bool = False
    price_in: float | None = None
    price_out: float | None = None

    def check(self) -> None:
        """Raises UsageError for a limit that cannot be kept."""
        if self.max_claims < 1:
            raise UsageError(f"at least one claim must be audited, so max-claims cannot be {self.max_claims}")
        if self.max_calls is not None and self.max_calls < 0:
            raise UsageError(f"max-calls cannot be {self.max_calls}; 0 asks nothing beyond the cache")
        if self.concurrency < 1:
            raise UsageError(f"at least one call must be under way, so concurrency cannot be {self.concurrency}")
        if self.max_cost is not None and (self.price_in is None or self.price_out is None):
            raise UsageError(
                "max-cost needs to know what the judge costs: set price-in and price-out under "
                "[tool.claimlint.judge] to its prices for a million tokens"
            )
        if self.max_cost is not None and not self.max_cost >= 0:
            raise UsageError(f"max-cost cannot be {self.max_cost}")

    @property
    def question_deadline(self) -> float:
        """What a question may take in all, in seconds."""
        return 2 * self.timeout if self.deadline is None else self.deadline


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Ambient:
    """The clock and the randomness of an audit, for tests to replace.

    ``now`` gives a time zone aware time; ``random_hex`` so many random lower-case hexadecimal digits.
    """

    now: Callable[[], datetime] = _utc
    random_hex: Callable[[int], str] = lambda digits: secrets.token_hex((digits + 1) // 2)[:digits]

    def stamp(self) -> str:
        """The time now as rows have it: UTC, to the second."""
        return self.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def audit_run_id(self) -> str:
        """A new audit run id."""
        return f"{self.stamp()}-{self.random_hex(4)}"


class Progress(Protocol):
    """Is told how far an audit has come; draws it or not. Called in the thread that runs the audit."""

    def retrieving(self, done: int, total: int) -> None:
        """So many of the cited sources have been asked for; called with 0 first."""
        ...

    def planned(self, plan: Plan) -> None:
        """The plan is made, and the first question comes next."""
        ...

    def judging(self, done: int, total: int, cost: float | None) -> None:
        """So many questions are done; ``cost`` is the estimate so far, None without prices."""
        ...


class Silent:
    """Progress that nobody watches."""

    def retrieving(self, done: int, total: int) -> None:
        """Nothing."""

    def planned(self, plan: Plan) -> None:
        """Nothing."""

    def judging(self, done: int, total: int, cost: float | None) -> None:
        """Nothing."""
