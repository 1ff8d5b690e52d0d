"""The connections of the network: turns per host, and addresses that may be connected to.

A private, loopback or link-local address is refused on the very address that is connected to, after the name
was resolved, so that a name that changes its mind between check and use is of no help to anybody.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ssl

    import httpcore
    import httpx

_TRIES_PER_HOST = 4
"""How many requests in a row may fail to reach a host before it is left alone for the rest of the run."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class WebOptions:
    """How the network is used. Times are in seconds, sizes in bytes.

    ``allowed`` holds ``host:port`` pairs that may be plain http and private, because the user named them as
    base URLs; ``allow_private`` allows that of every address. ``pace`` is the pause between two requests to a
    host, ``paces`` that of single hosts. A wait that a server asks for is kept up to ``max_wait``.
    """

    contact: str | None = None
    timeout: float = 30.0
    max_bytes: int = 50_000_000
    allow_private: bool = False
    allowed: frozenset[str] = frozenset()
    pace: float = 0.2
    paces: tuple[tuple[str, float], ...] = (("export.arxiv.org", 3.0), ("arxiv.org", 3.0))
    retries: int = 2
    backoff: float = 1.0
    max_wait: float = 60.0
    cache_dir: str | None = None
    cache_seconds: float = 7 * 24 * 3600.0


class Blocked(Exception):
    """The host has only addresses that must not be connected to."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, also when it is an IPv4 address in IPv6 clothes."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


@dataclass(slots=True)
class Hosts:
    """When each host may be asked next, and which hosts did not answer."""

    options: WebOptions
    lock: threading.Lock = field(default_factory=threading.Lock)
    free_at: dict[str, float] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)

    def wait_for(self, host: str) -> None:
        """Wait for this thread's turn."""
        pace = dict(self.options.paces).get(host, self.options.pace)
        with self.lock:
            now = time.monotonic()
            turn = max(now, self.free_at.get(host, 0.0))
            self.free_at[host] = turn + pace
        if turn > now:
            time.sleep(min(turn - now, self.options.max_wait))

    def hold(self, host: str, seconds: float) -> None:
        """Let nobody ask a host for some seconds."""
        with self.lock:
            self.free_at[host] = max(self.free_at.get(host, 0.0), time.monotonic() + seconds)

    def note(self, host: str, *, reached: bool) -> None:
        """Remember whether a host answered."""
        with self.lock:
            self.failures[host] = 0 if reached else self.failures.get(host, 0) + 1

    def is_down(self, host: str) -> bool:
        """Whether a host has not answered several times in a row."""
        with self.lock:
            return self.failures.get(host, 0) >= _TRIES_PER_HOST


def guarded_transport(options: WebOptions, hosts: Hosts) -> httpx.BaseTransport:
    """A transport that takes turns per host and connects to permitted addresses only."""
    import httpcore
    import httpx

    now = threading.local()

    class Timed(httpcore.NetworkStream):
        """A connection whose reads end with the request's time, however slowly its bytes drip."""

        def __init__(self, inner: httpcore.NetworkStream) -> None:
            self._inner = inner

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            left = getattr(now, "deadline", float("inf")) - time.monotonic()
            if left <= 0:
                raise httpcore.ReadTimeout("the answer came too slowly")
            return self._inner.read(max_bytes, left if timeout is None else min(left, timeout))

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            self._inner.write(buffer, timeout)

        def close(self) -> None:
            self._inner.close()

        def start_tls(
            self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
        ) -> httpcore.NetworkStream:
            return Timed(self._inner.start_tls(ssl_context, server_hostname, timeout))

        def get_extra_info(self, info: str) -> Any:
            return self._inner.get_extra_info(info)

    class Backend(httpcore.NetworkBackend):
        """Resolves a name once, and connects to a resolved address that is permitted."""

        def __init__(self) -> None:
            self._plain = httpcore.SyncBackend()

        def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore.NetworkStream:
            free = options.allow_private or f"{host}:{port}" in options.allowed
            error: Exception = Blocked(host)
            for address in _addresses(host, port):
                if not free and not is_public(address):
                    continue
                try:
                    return Timed(self._plain.connect_tcp(address, port, timeout, local_address, socket_options))
                except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                    error = failed
            raise error

        def connect_unix_socket(
            self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
        ) -> httpcore.NetworkStream:
            raise Blocked(path)

        def sleep(self, seconds: float) -> None:
            time.sleep(seconds)

    class Stream(httpx.SyncByteStream):
        def __init__(self, inner: Iterable[bytes]) -> None:
            self._inner = inner

        def __iter__(self) -> Iterator[bytes]:
            yield from self._inner

        def close(self) -> None:
            close = getattr(self._inner, "close", None)
            if close is not None:
                close()

    class Transport(httpx.BaseTransport):
        def __init__(self) -> None:
            self._pool = httpcore.ConnectionPool(max_connections=32, network_backend=Backend())

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            hosts.wait_for(request.url.netloc.decode("ascii", "replace"))
            now.deadline = time.monotonic() + request.extensions.get("timeout", {}).get("read", options.timeout)
            assert isinstance(request.stream, httpx.SyncByteStream)
            response = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
            assert isinstance(response.stream, Iterable)
            return httpx.Response(
                status_code=response.status,
                headers=response.headers,
                stream=Stream(response.stream),
                extensions=response.extensions,
            )

        def close(self) -> None:
            self._pool.close()

    return Transport()


def _addresses(host: str, port: int) -> list[str]:
    import httpcore

    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise httpcore.ConnectError(f"gaierror: {error}") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
