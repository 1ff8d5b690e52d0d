"""One call through an official client library, within limits. The two libraries are built alike."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from claimlint.audit.judges.wire import CONNECT, Response, SamplingRefusedError, Wire, chain
from claimlint.audit.types import JudgeFault, JudgeQuestion

if TYPE_CHECKING:
    from types import ModuleType

NO_KEY = "none"
"""What a server that asks for no key is sent as one."""


class Calls(Protocol):
    """The client's resource that answers prompts, in the form that hands over answers as they stream in."""

    def create(self, **arguments: object) -> AbstractContextManager[Response]:
        """Begin a call."""
        ...


@dataclass(slots=True)
class ApiJudge:
    """A judge behind an HTTP API.

    ``connect`` makes the client's resource, when it is first needed: the libraries take long to import, and a run
    that finds all verdicts in its cache needs none. ``arguments`` makes the call's arguments of a
    prompt, and the sampling parameters of their own; ``text`` takes the reply out of the decoded answer, and
    raises JudgeFault when there is none.
    """

    name: str
    model: str
    base_url: str
    wire: Wire
    connect: Callable[[], Calls]
    arguments: Callable[[str], dict[str, object]]
    sampling: Mapping[str, object]
    text: Callable[[object], str]
    _fixed: bool = field(default=True, init=False)
    _calls: Calls | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def settings(self) -> Mapping[str, object]:
        """What a run's record says of this judge; holds no key."""
        used: Mapping[str, object] = self.sampling if self._fixed else dict.fromkeys(self.sampling, "refused")
        return {"base_url": self.base_url, **used}

    def warm_up(self) -> None:
        """Make the client now, so that no question's time is spent on it; what fails here, fails when asked."""
        with suppress(Exception):
            self._connected()

    def ask(self, question: JudgeQuestion) -> str:
        """The reply to a question; raises JudgeFault."""
        if self._fixed:
            try:
                return self._call(question.prompt, self.sampling)
            except SamplingRefusedError:
                self._fixed = False
        try:
            return self._call(question.prompt, {})
        except SamplingRefusedError as error:
            raise JudgeFault("judge_api_error", f"the call is refused: {self.wire.shown(str(error))}") from error

    def _connected(self) -> Calls:
        with self._lock:
            if self._calls is None:
                self._calls = self.connect()
            return self._calls

    def _call(self, prompt: str, sampling: Mapping[str, object]) -> str:
        calls = self._connected()
        started = time.monotonic()
        try:
            with calls.create(**self.arguments(prompt), extra_body=dict(sampling)) as response:
                answer = self.wire.body(response.iter_bytes(), started)
        except Exception as error:
            # A client may wrap what our hook raised in an exception of its own.
            for cause in chain(error):
                if isinstance(cause, JudgeFault | SamplingRefusedError):
                    raise cause from None
            raise self.wire.broken(error, self.base_url) from error
        return self.wire.redact(self.text(answer))


def http_client(sdk: ModuleType, wire: Wire, timeout: float) -> object:
    """An HTTP client for one of the libraries: no redirects, and every answer seen by the wire first."""
    return sdk.DefaultHttpxClient(
        follow_redirects=False,
        timeout=limits(sdk, timeout),
        event_hooks={"response": [wire.check]},
        headers={"accept-encoding": "identity"},
    )


def limits(sdk: ModuleType, timeout: float) -> object:
    """The library's time limits: for each read or write, and for connecting."""
    return sdk.Timeout(timeout, connect=min(timeout, CONNECT))
