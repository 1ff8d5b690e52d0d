"""The judges behind HTTP, over real sockets: what servers do, and which fault or reply comes of it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from claimlint.audit.config import AuditConfig
from claimlint.audit.judges import JudgeOptions, open_judge
from claimlint.audit.judges.wire import MAX_ANSWER, retry_after
from claimlint.audit.prompt import question
from claimlint.audit.types import Judge, JudgeFault, JudgeQuestion
from claimlint.errors import UsageError

from .make import audit
from .make import verdict as reply
from .servers import answer, raw_server

KEY = "sk-test-0123456789abcdefghij"
MARK = "<!--ref:src--><!--anchor:page:2-->"
ONE = f"Costs fell {MARK}."
NAMES = ("openai", "anthropic")
ROUTES = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}


@pytest.fixture(scope="module")
def running() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as made:
        yield made


@pytest.fixture
def server(running: HTTPServer) -> HTTPServer:
    running.clear()
    return running


def base(name: str, root: str) -> str:
    return f"{root}/v1" if name == "openai" else root


def judge_at(name: str, root: str, timeout: float = 5.0, **environ: str) -> Judge:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    options = JudgeOptions(
        model="model-1", base_url=base(name, root), timeout=timeout, seed=7, environ={**keys, **environ}
    )
    return open_judge(name, options)


def said(name: str, text: object) -> dict[str, Any]:
    if name == "openai":
        return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
    return {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}


def ask() -> JudgeQuestion:
    return question(
        claim_text="Costs fell.",
        ref_slug="src",
        anchor_kind="page",
        anchor_value="2",
        excerpt="They fell.",
        constraints=(),
        scoped_manifest_id=None,
        random_hex=lambda: "ab" * 12,
    )


def fault_of(judge: Judge) -> JudgeFault:
    with pytest.raises(JudgeFault) as caught:
        judge.ask(ask())
    assert KEY not in str(caught.value)
    return caught.value


# --- good answers


@pytest.mark.parametrize("name", NAMES)
def test_a_good_answer_is_the_reply(name: str, server: HTTPServer) -> None:
    server.expect_request(ROUTES[name], method="POST").respond_with_json(said(name, reply("SUPPORTED")))
    assert judge_at(name, server.url_for("")).ask(ask()) == reply("SUPPORTED")


def requests_of(name: str, server: HTTPServer) -> tuple[dict[str, Any], Request]:
    server.expect_request(ROUTES[name]).respond_with_json(said(name, reply("SUPPORTED")))
    judge_at(name, server.url_for("")).ask(ask())
    request = server.log[0][0]
    body: dict[str, Any] = json.loads(request.get_data())
    return body, request


def test_openai_is_sent_the_prompt_with_temperature_and_seed(server: HTTPServer) -> None:
    body, request = requests_of("openai", server)
    assert body == {
        "model": "model-1",
        "messages": [{"role": "user", "content": ask().prompt}],
        "temperature": 0,
        "seed": 7,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_anthropic_is_sent_the_prompt_with_temperature(server: HTTPServer) -> None:
    body, request = requests_of("anthropic", server)
    assert body == {
        "model": "model-1",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": ask().prompt}],
        "temperature": 0,
    }
    assert KEY in (
        request.headers.get("x-api-key"),
        request.headers.get("authorization", "").removeprefix("Bearer "),
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_refuses_temperature_is_asked_once_more_without_and_then_always_so(
    name: str, server: HTTPServer
) -> None:
    def handle(request: Request) -> Response:
        if "temperature" in json.loads(request.get_data()):
            text = json.dumps({"error": {"message": "Unsupported parameter: 'temperature'"}})
            return Response(text, status=400, content_type="application/json")
        return Response(json.dumps(said(name, "ok")), content_type="application/json")

    server.expect_request(ROUTES[name]).respond_with_handler(handle)
    judge = judge_at(name, server.url_for(""))
    assert [judge.ask(ask()), judge.ask(ask())] == ["ok", "ok"]
    assert len(server.log) == 3
    assert judge.settings["temperature"] == "refused"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_does_not_run_is_named_with_a_question(name: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    fault = fault_of(judge_at(name, url))
    expected = f"cannot reach {base(name, url)}: connection refused; is the server running?"
    assert (fault.fault, fault.detail) == ("judge_api_error", expected)
    assert (fault.transient, fault.infrastructure) == (True, True)


def test_a_host_that_does_not_exist_is_named_without_numbers() -> None:
    detail = fault_of(judge_at("openai", "http://claimlint.invalid")).detail
    assert detail.startswith("cannot reach http://claimlint.invalid/v1: ")
    assert "rrno" not in detail
    assert "running" not in detail


def test_a_server_that_refuses_sampling_whatever_is_sent_is_an_api_error(server: HTTPServer) -> None:
    server.expect_request(ROUTES["openai"]).respond_with_data("no seed for you", status=400)
    assert fault_of(judge_at("openai", server.url_for(""))).detail == "the call is refused: no seed for you"


@pytest.mark.parametrize(
    ("name", "body", "text"),
    [
        ("openai", said("openai", None), ""),
        ("openai", said("openai", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "ab"),
        ("anthropic", {"content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "a"}]}, "a"),
        ("anthropic", {"content": []}, ""),
    ],
)
def test_answers_of_other_forms_are_read(name: str, body: object, text: str, server: HTTPServer) -> None:
    server.expect_request(ROUTES[name]).respond_with_json(body)
    assert judge_at(name, server.url_for("")).ask(ask()) == text


# --- answers that are none


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("status", "transient", "infrastructure"),
    [
        (400, False, False),
        (401, False, True),
        (403, False, True),
        (404, False, True),
        (413, False, False),
        (408, True, True),
        (429, True, True),
        (500, True, True),
        (503, True, True),
        (529, True, True),
    ],
)
def test_a_status_is_an_api_error_with_the_servers_words(
    name: str, status: int, transient: bool, infrastructure: bool, server: HTTPServer
) -> None:
    server.expect_request(ROUTES[name]).respond_with_json({"error": {"message": "not today"}}, status=status)
    fault = fault_of(judge_at(name, server.url_for("")))
    assert (fault.fault, fault.detail) == ("judge_api_error", f"HTTP {status}: not today")
    assert (fault.transient, fault.infrastructure) == (transient, infrastructure)
    assert len(server.log) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_wait_that_the_server_asks_for_is_handed_on(name: str, server: HTTPServer) -> None:
    server.expect_request(ROUTES[name]).respond_with_data("slow down", status=429, headers={"Retry-After": "17"})
    assert fault_of(judge_at(name, server.url_for(""))).retry_after == 17.0


def test_an_exhausted_quota_is_not_waited_for(server: HTTPServer) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    server.expect_request(ROUTES["openai"]).respond_with_json(body, status=429, headers={"Retry-After": "1"})
    assert not fault_of(judge_at("openai", server.url_for(""))).transient


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 08:01:00 GMT"}, 60.0),
        ({"retry-after": "Mon, 30 Nov 2026 07:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, datetime(2026, 11, 30, 8, 0, tzinfo=UTC)) == seconds


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        "text",
        None,
        {"choices": []},
        {"choices": None},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": "x"},
        {"content": None},
        {"content": "x"},
        {"error": {"message": "upstream is down"}},
    ],
)
def test_an_answer_of_no_known_shape_is_an_api_error(name: str, body: object, server: HTTPServer) -> None:
    server.expect_request(ROUTES[name]).respond_with_json(body)
    assert fault_of(judge_at(name, server.url_for(""))).fault == "judge_api_error"


@pytest.mark.parametrize("name", NAMES)
def test_a_web_page_is_no_answer(name: str, server: HTTPServer) -> None:
    server.expect_request(ROUTES[name]).respond_with_data("<html>Log in</html>", content_type="text/html")
    assert "web page" in fault_of(judge_at(name, server.url_for(""))).detail


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed_so_that_the_key_goes_nowhere_else(
    name: str, status: int, server: HTTPServer
) -> None:
    where = server.url_for("/elsewhere")
    server.expect_request("/elsewhere").respond_with_json(said(name, "stolen"))
    server.expect_request(ROUTES[name]).respond_with_data("", status=status, headers={"Location": where})
    fault = fault_of(judge_at(name, server.url_for("")))
    assert [request.path for request, _ in server.log] == [ROUTES[name]]
    assert fault.detail.startswith(f"the server redirects to {where}")
    assert not fault.transient


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "body",
    [b"", b"\x00\xff\xfe garbage", b'{"choices": [{"mess', b"[" * 100_000, b'{"a": 1e999999}x'],
)
def test_garbage_is_an_api_error_that_may_pass(name: str, body: bytes) -> None:
    with raw_server(lambda connection: connection.sendall(answer(body))) as url:
        fault = fault_of(judge_at(name, url))
    assert (fault.fault, fault.transient) == ("judge_api_error", True)


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_breaks_off_is_an_api_error_that_may_pass(name: str) -> None:
    whole = json.dumps(said(name, reply("SUPPORTED"))).encode()
    with raw_server(lambda connection: connection.sendall(answer(whole[:40], length=len(whole)))) as url:
        fault = fault_of(judge_at(name, url))
    assert (fault.fault, fault.transient) == ("judge_api_error", True)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_hangs_up_is_an_api_error_that_may_pass(name: str) -> None:
    with raw_server(lambda _connection: None) as url:
        fault = fault_of(judge_at(name, url))
    assert (fault.fault, fault.transient, fault.infrastructure) == ("judge_api_error", True, True)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_that_is_not_there_is_an_api_error(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    fault = fault_of(judge_at(name, f"http://127.0.0.1:{port}"))
    assert (fault.fault, fault.transient, fault.infrastructure) == ("judge_api_error", True, True)


def quiet(connection: socket.socket) -> None:
    time.sleep(3)


def drip(connection: socket.socket) -> None:
    connection.sendall(answer(b"", length=1000))
    for _ in range(100):
        time.sleep(0.1)
        connection.sendall(b" ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("behaviour", [quiet, drip])
def test_a_server_that_never_finishes_is_a_timeout(name: str, behaviour: Callable[[socket.socket], None]) -> None:
    started = time.monotonic()
    with raw_server(behaviour) as url:
        fault = fault_of(judge_at(name, url, timeout=0.4))
        assert time.monotonic() - started < 20
    assert (fault.fault, fault.transient, fault.infrastructure) == ("judge_timeout", True, True)


def flood(connection: socket.socket) -> None:
    connection.sendall(answer(b"", length=10**9))
    while True:
        connection.sendall(b" " * 65536)


def test_an_answer_without_end_is_cut_off() -> None:
    with raw_server(flood) as url:
        assert (
            fault_of(judge_at("openai", url, timeout=30)).detail == f"the answer has more than {MAX_ANSWER} bytes"
        )


def angry_flood(connection: socket.socket) -> None:
    connection.sendall(answer(b"", status="500 Broken", kind="text/plain", length=10**9))
    while True:
        connection.sendall(b"x" * 65536)


def test_an_error_without_end_is_cut_off() -> None:
    with raw_server(angry_flood) as url:
        fault = fault_of(judge_at("openai", url, timeout=30))
    assert fault.detail.startswith("HTTP 500: xxx")
    assert len(fault.detail) < 400


# --- keys


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_key_that_the_server_repeats_comes_out_nowhere(
    name: str, status: int, server: HTTPServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    body: object = {"error": {"message": f"bad key {KEY} in Bearer {KEY}"}}
    if status == 200:
        body = said(name, reply("SUPPORTED", f"The key is {KEY}."))
    server.expect_request(ROUTES[name]).respond_with_json(body, status=status)
    judge = judge_at(name, server.url_for(""))
    outcome = audit(ONE, judge, cache=tmp_path, config=AuditConfig(retries=0))  # type: ignore[arg-type]
    shown = json.dumps([outcome.aggregates(), dict(outcome.record), outcome.warnings, outcome.incomplete])
    files = "".join(each.read_text("utf-8") for each in tmp_path.glob("claim_audit_v1/*.json"))
    output = "".join(capfd.readouterr())
    assert "[redacted]" in shown
    assert KEY not in shown + files + output + repr(judge.settings)  # type: ignore[attr-defined]


def test_an_error_shows_no_other_key_either(server: HTTPServer) -> None:
    other = "sk-proj-" + "z" * 30
    server.expect_request(ROUTES["openai"]).respond_with_json({"error": {"message": f"not {other}"}}, status=401)
    assert other not in fault_of(judge_at("openai", server.url_for(""))).detail


@pytest.mark.parametrize("name", NAMES)
def test_a_server_on_the_internet_needs_a_key_from_the_environment(name: str) -> None:
    options = JudgeOptions(model="m", base_url="https://models.example.org/v1", environ={})
    with pytest.raises(UsageError, match=f"{name.upper()}_API_KEY in the environment"):
        open_judge(name, options)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8080",
        "http://[::1]:9",
        "http://gpu-box:8000",
        "http://10.0.0.7/v1",
    ],
)
def test_a_server_close_by_needs_none(url: str) -> None:
    assert open_judge("openai", JudgeOptions(model="m", base_url=url, environ={})).model == "m"


# --- options


def test_openai_always_needs_a_base_url() -> None:
    with pytest.raises(UsageError, match="needs a base URL"):
        open_judge("openai", JudgeOptions(model="m", environ={"OPENAI_API_KEY": KEY}))


def test_a_base_url_may_come_from_the_argument_the_settings_or_the_environment() -> None:
    near, far = "http://localhost:1/v1", "http://localhost:2/v1"
    found = [
        open_judge(f"openai:{near}", JudgeOptions(model="m", base_url=far, environ={})),
        open_judge("openai", JudgeOptions(model="m", base_url=near, environ={"OPENAI_BASE_URL": far})),
        open_judge("openai", JudgeOptions(model="m", environ={"OPENAI_BASE_URL": near})),
    ]
    assert {each.settings["base_url"] for each in found} == {near}  # type: ignore[attr-defined]


def test_anthropic_goes_to_the_official_address_unless_told_otherwise() -> None:
    judge = open_judge("anthropic", JudgeOptions(model="m", environ={"ANTHROPIC_API_KEY": KEY}))
    assert judge.settings["base_url"] == "https://api.anthropic.com"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_needed(name: str) -> None:
    with pytest.raises(UsageError, match="needs a model"):
        open_judge(name, JudgeOptions(model=" ", base_url="http://localhost:1", environ={}))


@pytest.mark.parametrize(
    "url",
    [
        "localhost:1",
        "ftp://x.org",
        "http://",
        "http://me:secret@x.org",
        "http://x.org?key=secret",
        "http://x.org#secret",
        "http://[x",
        "http://x:y",
    ],
)
def test_a_base_url_that_cannot_be_used_or_shown_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_judge("openai", JudgeOptions(model="m", base_url=url, environ={}))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_library_says_how_to_install_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=rf"pip install 'claimlint-drafts\[{name}\]'"):
        open_judge(name, JudgeOptions(model="m", base_url="http://localhost:1", environ={}))


# --- a whole audit over the wire


@pytest.mark.parametrize("name", NAMES)
def test_an_audit_gets_through_429_and_500(name: str, server: HTTPServer) -> None:
    calls = 0
    lock = threading.Lock()

    def handle(_request: Request) -> Response:
        nonlocal calls
        with lock:
            calls += 1
            turn = calls
        if turn == 1:
            return Response("slow down", status=429, headers={"Retry-After": "0"})
        if turn == 2:
            return Response("oops", status=500, headers={"Retry-After": "0"})
        return Response(json.dumps(said(name, reply("UNSUPPORTED"))), content_type="application/json")

    server.expect_request(ROUTES[name]).respond_with_handler(handle)
    judge = judge_at(name, server.url_for(""))
    outcome = audit(ONE, judge)  # type: ignore[arg-type]
    assert outcome.aggregates()["claim_audit_results"][0]["judgment"] == "UNSUPPORTED"
    assert calls == 3
