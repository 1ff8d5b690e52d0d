"""Fetching: limits, redirects, addresses, manners and the cache, over real sockets on loopback."""

from __future__ import annotations

import gzip
import socket
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest
from werkzeug import Request, Response

from claimlint.audit.retrieval.transport import WebOptions, is_public
from claimlint.audit.retrieval.web import Web
from claimlint.errors import UsageError
from tests.audit.retrieval.conftest import Net


def test_an_answer_comes_with_its_type_and_charset(net: Net) -> None:
    net.put("/page", "<p>x", kind="Text/HTML; charset=iso-8859-1")
    fetched = net.web().get(net.url("/page"))
    assert (fetched.answer, fetched.body, fetched.content_type, fetched.charset) == (
        "200",
        b"<p>x",
        "text/html",
        "iso-8859-1",
    )


def test_redirects_are_followed_to_the_last_address(net: Net) -> None:
    net.put("/a", status=301, location="/b")
    net.put("/b", status=307, location=net.url("/c"))
    net.put("/c", "here")
    fetched = net.web().get(net.url("/a"))
    assert (fetched.body, fetched.url) == (b"here", net.url("/c"))


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:9/",
        "http://localhost:9/",
        "http://[::1]:9/",
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/",
        "https://192.168.0.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://0.0.0.0/",
        "https://user:password@example.org/",
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://127.0.0.1:70/",
        "javascript:alert(1)",
        "https:///no-host",
    ],
)
def test_a_redirect_to_a_private_or_odd_address_is_refused(net: Net, target: str) -> None:
    net.put("/a", status=302, location=target)
    assert net.web().get(net.url("/a")).answer == "blocked address"


@pytest.mark.parametrize(
    "address", ["https://example.org:port/", "https://[::1/", "", "example.org", "https://a\x00b/"]
)
def test_an_address_that_is_none_is_refused(net: Net, address: str) -> None:
    assert net.web().get(address).answer == "blocked address"


def test_private_addresses_can_be_allowed(net: Net) -> None:
    net.put("/a", "inside")
    assert net.web(allowed=frozenset()).get(net.url("/a")).answer == "blocked address"
    assert net.web(allowed=frozenset(), allow_private=True).get(net.url("/a")).answer == "200"


def test_a_name_is_checked_by_the_address_that_is_connected_to(net: Net, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that first resolves to a public and then to a private address is connected to as it was checked."""
    port = net.server.port
    resolved: list[str] = []
    connected: list[object] = []

    def resolve(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        resolved.append(host)
        address = "93.184.216.34" if len(resolved) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def connect(address: tuple[str, int], *_: object, **__: object) -> socket.socket:
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    web = net.web()
    assert web.get(f"https://rebinding.example:{port}/").answer == "no connection"
    assert web.get(f"https://rebinding.example:{port}/").answer == "blocked address"
    assert connected == ["93.184.216.34"]


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("240.0.0.1", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("2002:7f00:1::", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize("stated", [True, False])
def test_a_body_that_is_too_large_is_not_read_to_its_end(net: Net, stated: bool) -> None:
    sent: list[int] = []

    def stream(request: Request) -> Response:
        def parts() -> object:
            for number in range(1000):
                sent.append(number)
                yield b"x" * 100_000

        return Response(parts(), headers={"content-length": "100000000"} if stated else {})  # type: ignore[arg-type]

    net.answers["/big"] = stream
    assert net.web(max_bytes=200_000).get(net.url("/big")).answer == "too large"
    assert len(sent) < 200


def test_a_body_that_unpacks_to_too_much_is_too_large(net: Net) -> None:
    packed = gzip.compress(b"0" * 50_000_000)
    net.answers["/bomb"] = lambda request: Response(packed, headers={"content-encoding": "gzip"})
    assert net.web(max_bytes=1_000_000).get(net.url("/bomb")).answer == "too large"


def test_a_body_that_is_not_what_it_says_to_be_packed_as_is_garbage(net: Net) -> None:
    net.answers["/bad"] = lambda request: Response(b"no gzip", headers={"content-encoding": "gzip"})
    assert net.web().get(net.url("/bad")).answer == "garbage"


@pytest.mark.parametrize(
    "dripping", [b"HTTP/1.1 200 OK\r\nx-a: ", b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n"]
)
def test_an_answer_that_drips_ends_with_the_time(dripping: bytes) -> None:
    import threading

    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            try:
                connection.sendall(dripping)
                for _ in range(100):
                    connection.sendall(b"x")
                    time.sleep(0.1)
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    port = listener.getsockname()[1]
    web = Web(WebOptions(timeout=0.5, allowed=frozenset({f"127.0.0.1:{port}"}), pace=0, retries=0))
    started = time.monotonic()
    assert web.get(f"http://127.0.0.1:{port}/").answer == "timeout"
    assert time.monotonic() - started < 20
    web.close()
    thread.join()
    listener.close()


@pytest.mark.parametrize("data", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort"])
def test_an_answer_that_breaks_off_is_cut_off(data: bytes, raw_server: Callable[[bytes], str]) -> None:
    url = raw_server(data)
    web = Web(WebOptions(timeout=2, allowed=frozenset({url.removeprefix("http://")}), pace=0, retries=0))
    assert web.get(f"{url}/").answer == "cut off"
    web.close()


def test_transient_failures_are_tried_again(net: Net) -> None:
    statuses = iter([500, 503, 200])
    net.answers["/a"] = lambda request: Response("text", next(statuses))
    assert net.web(retries=2).get(net.url("/a")).answer == "200"


@pytest.mark.parametrize("status", [401, 403, 404, 418])
def test_lasting_failures_are_not_tried_again(net: Net, status: int) -> None:
    net.put("/a", status=status)
    assert net.web(retries=3).get(net.url("/a")).answer == str(status)
    assert net.seen == ["/a"]


def test_retries_end(net: Net) -> None:
    net.put("/a", status=503)
    assert net.web(retries=2).get(net.url("/a")).answer == "503"
    assert net.seen == ["/a"] * 3


def test_retry_after_is_waited_for(net: Net) -> None:
    asked: list[float] = []

    def answer(request: Request) -> Response:
        asked.append(time.monotonic())
        return Response("text", 429 if len(asked) == 1 else 200, {"retry-after": "1"})

    net.answers["/a"] = answer
    assert net.web(retries=1, max_wait=3.0).get(net.url("/a")).answer == "200"
    assert asked[1] - asked[0] >= 1.0


@pytest.mark.parametrize("value", ["3600", format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)])
def test_a_wait_that_is_too_long_is_not_waited_for(net: Net, value: str) -> None:
    net.put("/a", status=429, retry_after=value)
    assert net.web(retries=5).get(net.url("/a")).answer == "429"
    assert net.seen == ["/a"]


def test_a_retry_after_that_is_none_counts_as_none(net: Net) -> None:
    net.put("/a", status=503, retry_after="soon")
    net.web(retries=1).get(net.url("/a"))
    assert net.seen == ["/a", "/a"]


def test_requests_to_one_host_keep_a_pause(net: Net) -> None:
    asked: list[float] = []

    def answer(request: Request) -> Response:
        asked.append(time.monotonic())
        return Response("text")

    net.answers["/a"] = answer
    web = net.web(pace=0.1)
    for _ in range(3):
        web.get(net.url("/a"))
    assert min(later - earlier for earlier, later in pairwise(asked)) >= 0.08


def test_a_host_that_does_not_answer_is_left_alone(closed_port: str) -> None:
    web = Web(WebOptions(allowed=frozenset({closed_port.removeprefix("http://")}), pace=0, retries=0))
    for _ in range(4):
        assert web.get(f"{closed_port}/").answer == "no connection"
    started = time.monotonic()
    assert web.get(f"{closed_port}/").answer == "no connection"
    assert time.monotonic() - started < 1


def test_the_client_says_who_it_is(net: Net) -> None:
    net.put("/a", "x")
    net.web(contact="me@example.org").get(net.url("/a"))
    assert "mailto:me@example.org" in net.headers[0]["User-Agent"]
    assert net.headers[0]["User-Agent"].startswith("claimlint/")


def test_good_answers_are_kept_between_runs_and_bad_ones_are_not(net: Net, tmp_path: Path) -> None:
    net.put("/good", "text", cache_control="no-store")
    net.put("/bad", status=404)
    for _ in range(2):
        web = net.web(cache_dir=str(tmp_path))
        assert web.get(net.url("/good")).body == b"text"
        assert web.get(net.url("/bad")).answer == "404"
        web.close()
    assert net.seen == ["/good", "/bad", "/bad"]


def test_a_cache_that_cannot_be_made_is_done_without(net: Net, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    net.put("/a", "text")
    web = net.web(cache_dir=str(blocked / "cache"))
    assert web.get(net.url("/a")).body == b"text"
    web.close()


def test_without_the_libraries_the_user_learns_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(UsageError, match=r'python -m pip install "claimlint-drafts\[online\]"'):
        Web(WebOptions())
