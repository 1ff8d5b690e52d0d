"""Fetching over HTTP with manners and with limits.

A name and contact address, a pause between two requests to one host, ``Retry-After`` and a cache; https only,
bounds on size and time, redirects followed one by one and each checked like the first address.
"""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from claimlint import __version__
from claimlint.audit.retrieval.transport import Blocked, Hosts, WebOptions, guarded_transport
from claimlint.errors import UsageError

if TYPE_CHECKING:
    import httpx

MAX_REDIRECTS = 5

_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of a request.

    ``answer`` is the status as text (``200``), or in a few words why there is none (the outcome table's words).
    ``url`` is the address that answered last.
    """

    answer: str
    url: str
    body: bytes = b""
    content_type: str = ""
    charset: str = ""


class Web:
    """Fetches; safe to use from several threads."""

    def __init__(self, options: WebOptions) -> None:
        """Raises UsageError when the HTTP libraries are not installed."""
        try:
            import httpx  # noqa: F401
            from hishel import SqliteStorage  # noqa: F401
        except ImportError as error:
            raise UsageError(
                'the network needs more libraries: python -m pip install "claimlint-drafts[online]"'
            ) from error
        self.options = options
        self._hosts = Hosts(options)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def get(self, url: str, *, accept: str = "*/*", most: int | None = None) -> Fetched:
        """Fetch an address; failures that may pass are tried again; never raises."""
        limit = most or self.options.max_bytes
        permitted = self._permitted(url)
        if not permitted:
            return Fetched("blocked address", url)
        host = urlsplit(permitted).netloc
        if self._hosts.is_down(host):
            return Fetched("no connection", url)
        for attempt in range(self.options.retries + 1):
            fetched, wait = self._follow(url, accept, limit)
            reached = fetched.answer.isdigit() or fetched.answer in ("blocked address", "too large")
            self._hosts.note(host, reached=reached)
            transient = fetched.answer in ("timeout", "no connection", "cut off") or (
                fetched.answer.isdigit() and int(fetched.answer) in _TRANSIENT
            )
            if not transient or attempt == self.options.retries:
                break
            pause = self.options.backoff * 2**attempt if wait is None else wait
            if pause > self.options.max_wait:
                break
            self._hosts.hold(urlsplit(fetched.url).netloc, pause)
            time.sleep(pause)
        return fetched

    def close(self) -> None:
        """Close the connections and the cache."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = _client(self.options, self._hosts)
            return self._client

    def _follow(self, url: str, accept: str, limit: int) -> tuple[Fetched, float | None]:
        deadline = time.monotonic() + self.options.timeout
        for _ in range(MAX_REDIRECTS + 1):
            permitted = self._permitted(url)
            if not permitted:
                return Fetched("blocked address", url), None
            fetched, location, wait = self._once(permitted, accept, limit, deadline)
            if not location:
                return fetched, wait
            try:
                url = urljoin(permitted, location)
            except ValueError:
                return Fetched("3xx", url), None
        return Fetched("too many redirects", url), None

    def _permitted(self, url: str) -> str:
        """The address as it may be asked: https, unless plain http is allowed there; empty when it may not."""
        try:
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            return ""
        if not parts.hostname or parts.username is not None:
            return ""
        if parts.scheme == "https":
            return url
        if parts.scheme == "http":
            free = self.options.allow_private or f"{parts.hostname}:{port}" in self.options.allowed
            return url if free else url.replace("http:", "https:", 1)
        return ""

    def _once(self, url: str, accept: str, limit: int, deadline: float) -> tuple[Fetched, str, float | None]:
        """One request: what came of it, where it redirects to, how long the server asks to wait."""
        import httpcore
        import httpx

        left = max(0.1, deadline - time.monotonic())
        try:
            with self._open().stream("GET", url, headers={"accept": accept}, timeout=left) as response:
                location = response.headers.get("location", "") if 300 <= response.status_code < 400 else ""
                wait = _retry_after(response.headers.get("retry-after", ""))
                answer = str(response.status_code)
                body = b"" if location else _body(response, limit, deadline)
                if body is None:
                    return Fetched("too large", url), "", None
                content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                charset = response.charset_encoding or ""
                return Fetched(answer, url, body, content_type, charset), location, wait
        except Blocked:
            return Fetched("blocked address", url), "", None
        except (httpx.TimeoutException, httpcore.TimeoutException, TimeoutError):
            return Fetched("timeout", url), "", None
        except (httpx.ConnectError, httpcore.ConnectError) as error:
            unknown = isinstance(error.__cause__, socket.gaierror) or "gaierror" in repr(error)
            return Fetched("no such host" if unknown else "no connection", url), "", None
        except httpx.DecodingError:
            return Fetched("garbage", url), "", None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
            return Fetched("blocked address", url), "", None
        except (httpx.HTTPError, httpcore.NetworkError, httpcore.ProtocolError, OSError):
            return Fetched("cut off", url), "", None


def _client(options: WebOptions, hosts: Hosts) -> httpx.Client:
    import logging

    import httpx

    transport: httpx.BaseTransport = guarded_transport(options, hosts)
    if options.cache_dir is not None:
        from hishel import SqliteStorage
        from hishel.httpx import CacheTransport

        logging.getLogger("hishel").addHandler(logging.NullHandler())
        storage = SqliteStorage(
            database_path=Path(options.cache_dir) / "http_v1.db",
            default_ttl=options.cache_seconds,
            max_stream_size=options.max_bytes,
        )
        transport = CacheTransport(next_transport=transport, storage=storage)
    contact = f" (mailto:{options.contact})" if options.contact else ""
    return httpx.Client(
        transport=transport,
        headers={"user-agent": f"claimlint/{__version__}{contact}", "accept-encoding": "gzip, deflate"},
        follow_redirects=False,
        trust_env=False,
    )


def _body(response: httpx.Response, limit: int, deadline: float) -> bytes | None:
    """The body, decoded; None when it is larger than ``limit``. Raises TimeoutError at the deadline."""
    stated = response.headers.get("content-length", "")
    if stated.isdigit() and int(stated) > limit:
        return None
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes(65536):
        size += len(part)
        if size > limit:
            return None
        if time.monotonic() > deadline:
            raise TimeoutError
        parts.append(part)
    return b"".join(parts)


def _retry_after(value: str) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or as a date; None when it asks for none."""
    text = value.strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
