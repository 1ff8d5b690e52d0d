"""What the judges behind HTTP share: limits that hold, and one table from what went wrong to a fault.

The official clients have limits per read, follow redirects with the key, read bodies of any size and hand on
whatever was in them. So redirects are off, answers are read here piece by piece, and errors are met before the
client sees them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from claimlint.audit.types import JudgeFault
from claimlint.audit.words import cut, scrub
from claimlint.errors import UsageError

MAX_ANSWER = 4_000_000
"""The most that is read of an answer, in bytes."""

MAX_ERROR = 20_000
"""The most that is read of an error's body, in bytes."""

CONNECT = 10.0
"""The seconds that connecting may take, when an attempt may take longer."""

_SHOWN = 300
_DEEPEST = 10
_TRANSIENT = frozenset({408, 409, 425, 429})
_ABOUT_THE_QUESTION = frozenset({400, 413, 414, 422})
_NO_QUOTA = re.compile(r"insufficient_quota|billing|credit balance", re.IGNORECASE)
_SAMPLING = re.compile(r"\b(temperature|seed)\b", re.IGNORECASE)
_SECRET = re.compile(
    r"\b(?:sk|key|pk|gsk|xai|AIza|hf|ghp|api)[-_][A-Za-z0-9_-]{12,}|\bBearer\s+\S+", re.IGNORECASE
)


class Response(Protocol):
    """The part of an HTTP client's response that is used here."""

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, by name in any case."""
        ...

    def iter_bytes(self) -> Iterable[bytes]:
        """The body, piece by piece."""
        ...


class SamplingRefusedError(Exception):
    """The server takes no temperature or no seed."""


class Wire:
    """Keeps one judge's calls within limits and its key out of every text.

    ``timeout`` is in seconds for one attempt.
    """

    def __init__(self, timeout: float, secrets: Iterable[str]) -> None:
        self._timeout = timeout
        self._secrets = sorted((each for each in secrets if each), key=len, reverse=True)

    def redact(self, text: str) -> str:
        """A text without the keys."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text

    def shown(self, text: str, size: int = _SHOWN) -> str:
        """The beginning of a server's or program's words, without the keys and without what looks like one."""
        return cut(_SECRET.sub("[redacted]", self.redact(scrub(text))), size)

    def check(self, response: Response) -> None:
        """Raises for a response that holds no answer; a hook of the client, before it reads the body.

        JudgeFault for what went wrong, SamplingRefusedError when a parameter did.
        """
        status, headers = response.status_code, response.headers
        if 200 <= status < 300:
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind in ("text/html", "application/xhtml+xml"):
                raise JudgeFault(
                    "judge_api_error",
                    "the server answered with a web page; is the base URL that of the API?",
                    infrastructure=True,
                )
            return
        if 300 <= status < 400:
            where = self.shown(headers.get("location", "")) or "nowhere"
            raise JudgeFault(
                "judge_api_error",
                f"the server redirects to {where}, which is not followed: set the base URL to the place itself",
                infrastructure=True,
            )
        raise self._refusal(status, headers, self._error_body(response))

    def body(self, pieces: Iterable[bytes], started: float) -> object:
        """The JSON value of an answer that came in pieces; ``started`` is when, by the monotonic clock.

        Raises JudgeFault when it takes too long, is too long, or is no JSON.
        """
        data = bytearray()
        for piece in pieces:
            data += piece
            if len(data) > MAX_ANSWER:
                raise JudgeFault("judge_api_error", f"the answer has more than {MAX_ANSWER} bytes")
            if time.monotonic() - started > self._timeout:
                raise self.too_late()
        try:
            value: object = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            shown = self.shown(data[:1000].decode("utf-8", "replace"), 80)
            detail = f"the answer is no JSON: {shown}" if shown else "the answer is empty"
            raise JudgeFault("judge_api_error", detail, transient=True, infrastructure=True) from error
        if isinstance(value, dict) and value.get("error"):
            raise JudgeFault(
                "judge_api_error", self._message(json.dumps(value)), transient=True, infrastructure=True
            )
        return value

    def too_late(self) -> JudgeFault:
        """The fault of an attempt that took too long."""
        return JudgeFault(
            "judge_timeout", f"no answer within {self._timeout:g} s", transient=True, infrastructure=True
        )

    def broken(self, error: Exception, url: str) -> JudgeFault:
        """The fault of an exception of the client: it could not connect to ``url``, or the answer broke off."""
        causes = chain(error)
        names = [type(each).__name__ for each in causes]
        if "ConnectTimeout" in names:
            detail = f"cannot reach {url}: no connection within {min(CONNECT, self._timeout):g} s"
            return JudgeFault("judge_timeout", detail, transient=True, infrastructure=True)
        if any("Timeout" in name for name in names):
            return self.too_late()
        words = next((text for each in reversed(causes) if (text := scrub(_words(each)))), "")
        detail = f"{names[0]}: {words}" if words else names[0]
        if "ConnectError" in names:
            running = "; is the server running?" if "ConnectionRefusedError" in names else ""
            detail = f"cannot reach {url}: {words[:1].lower()}{words[1:]}{running}"
        return JudgeFault("judge_api_error", self.shown(detail), transient=True, infrastructure=True)

    def _refusal(self, status: int, headers: Mapping[str, str], body: str) -> Exception:
        if status in (400, 422) and _SAMPLING.search(body):
            return SamplingRefusedError(body)
        transient = (status in _TRANSIENT or status >= 500) and not _NO_QUOTA.search(body)
        return JudgeFault(
            "judge_api_error",
            f"HTTP {status}: {self._message(body)}",
            transient=transient,
            retry_after=retry_after(headers) if transient else None,
            infrastructure=status not in _ABOUT_THE_QUESTION,
        )

    def _error_body(self, response: Response) -> str:
        started = time.monotonic()
        data = bytearray()
        with suppress(Exception):  # the status says enough
            for piece in response.iter_bytes():
                data += piece
                if len(data) > MAX_ERROR or time.monotonic() - started > self._timeout:
                    break
        return data[:MAX_ERROR].decode("utf-8", "replace")

    def _message(self, body: str) -> str:
        """The words of an error's body for a person: its message, else how it begins."""
        try:
            value: object = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        found = value.get("error", value) if isinstance(value, dict) else value
        if isinstance(found, dict):
            found = found.get("message") or found.get("type")
        words = found if isinstance(found, str) else body
        return self.shown(words) or "no message"


def _words(error: BaseException) -> str:
    """What an exception says, without the number of the operating system's error."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def chain(error: BaseException) -> list[BaseException]:
    """An exception and what led to it, the outermost first."""
    found = [error]
    while (cause := found[-1].__cause__ or found[-1].__context__) is not None and len(found) < _DEEPEST:
        found.append(cause)
    return found


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a server asks to wait (``retry-after-ms``, ``retry-after`` as seconds or as a date)."""
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after")
    plain = _number(value)
    if plain is not None or value is None:
        return plain
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _number(value: str | None) -> float | None:
    try:
        found = float(value) if value is not None else None
    except ValueError:
        return None
    return found if found is not None and 0 <= found < 1e9 else None


def checked_base_url(url: str, source: str) -> str:
    """A base URL that can be used and shown; raises UsageError for another.

    ``source`` says where it comes from, for the message.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{source} is no URL: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{source} must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError(f"{source} must hold no user name, password or query: keys belong in the environment")
    return url.strip().rstrip("/")


def is_local(url: str) -> bool:
    """Whether a URL names this machine or one of a private network, where a key is not usual."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local", ".internal"))
