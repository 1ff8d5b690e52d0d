"""The table of outcomes: a test for every line, over real sockets, and the rule that sums answers up."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest
from werkzeug import Request, Response

from claimlint.audit.retrieval.outcomes import TABLE, Asked, Says, classify, conclude
from claimlint.audit.types import Retrieved
from tests.audit.retrieval.conftest import Net
from tests.pdf_writer import pdf

FAILED = ("failed", None)
NOT_FOUND = ("not_found", None)
API_ERROR = ("audit_tool_failure", "retrieval_api_error")
TIMEOUT = ("audit_tool_failure", "retrieval_timeout")
NETWORK = ("audit_tool_failure", "retrieval_network_error")
TEXT = ("api", None)

EXPECTED = {
    "authority": {
        "timeout": TIMEOUT,
        "no such host": NETWORK,
        "no connection": NETWORK,
        "cut off": NETWORK,
        "blocked address": FAILED,
        "too many redirects": API_ERROR,
        "too large": API_ERROR,
        "401": FAILED,
        "402": FAILED,
        "403": FAILED,
        "451": FAILED,
        "404": NOT_FOUND,
        "410": NOT_FOUND,
        "408": TIMEOUT,
        "425": API_ERROR,
        "429": API_ERROR,
        "4xx": API_ERROR,
        "5xx": API_ERROR,
        "3xx": API_ERROR,
        "record": FAILED,
        "no record": NOT_FOUND,
        "garbage": API_ERROR,
    },
    "index": {
        "timeout": TIMEOUT,
        "no such host": NETWORK,
        "no connection": NETWORK,
        "cut off": NETWORK,
        "blocked address": FAILED,
        "too many redirects": API_ERROR,
        "too large": API_ERROR,
        "401": FAILED,
        "402": FAILED,
        "403": FAILED,
        "451": FAILED,
        "404": FAILED,
        "410": FAILED,
        "408": TIMEOUT,
        "425": API_ERROR,
        "429": API_ERROR,
        "4xx": API_ERROR,
        "5xx": API_ERROR,
        "3xx": API_ERROR,
        "record": FAILED,
        "no record": FAILED,
        "garbage": API_ERROR,
    },
    "address": {
        "timeout": TIMEOUT,
        "no such host": NETWORK,
        "no connection": NETWORK,
        "cut off": NETWORK,
        "blocked address": FAILED,
        "too many redirects": FAILED,
        "too large": FAILED,
        "401": FAILED,
        "402": FAILED,
        "403": FAILED,
        "451": FAILED,
        "404": FAILED,
        "410": FAILED,
        "408": TIMEOUT,
        "425": API_ERROR,
        "429": API_ERROR,
        "4xx": FAILED,
        "5xx": API_ERROR,
        "3xx": FAILED,
        "text": TEXT,
        "no text in it": FAILED,
        "landing page": FAILED,
        "other content type": FAILED,
        "garbage": API_ERROR,
    },
}
LINES = [(asked, answer) for asked, answers in EXPECTED.items() for answer in answers]


def test_the_table_has_these_lines_and_no_other() -> None:
    lines = [(asked.value, line.answer) for line in TABLE for asked in line.asked]
    assert sorted(lines) == sorted(LINES)
    assert len(set(lines)) == len(lines)


def test_every_transient_line_names_its_fault_and_no_other_does() -> None:
    assert [line for line in TABLE if (line.fault is not None) is not (line.says is Says.TRANSIENT)] == []


@pytest.fixture
def unknown_host(monkeypatch: pytest.MonkeyPatch) -> str:
    real = socket.getaddrinfo

    def resolve(host: str, *rest: object, **named: object) -> object:
        if host == "no-such-host.example":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return real(host, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return "http://no-such-host.example:81"


@pytest.mark.parametrize(("asked", "answer"), LINES, ids=[f"{asked}: {answer}" for asked, answer in LINES])
def test_an_answer_becomes_the_outcome_of_its_line(
    asked: str,
    answer: str,
    net: Net,
    raw_server: Callable[[bytes], str],
    closed_port: str,
    unknown_host: str,
) -> None:
    base, path = _stage(net, asked, answer, raw_server, closed_port, unknown_host)
    urls = {} if asked == "address" else {"doi" if asked == "authority" else "crossref": base}
    if asked == "address":
        corpus: dict[str, object] = {"source_pointer": base + path}
        if answer == "landing page":
            corpus["doi"] = "10.1000/x"
        urls = {"arxiv": base}
    else:
        corpus = {"doi": "10.1000/x"}
        if asked == "index":
            net.put("/doi/ra/10.1000/x", [{"DOI": "10.1000/x", "RA": "Crossref"}])
    if answer == "landing page":
        net.put("/doi/ra/10.1000/x", [{"DOI": "10.1000/x", "RA": "Crossref"}])
    timeout = 0.3 if answer == "timeout" else 2.0
    found = net.retrieve(corpus, urls=urls, timeout=timeout, max_bytes=20_000, allow_private=False)
    assert (found.method, found.fault) == EXPECTED[asked][answer]
    assert (found.text != "") is (found.method == "api")
    if answer != "landing page":
        assert found.detail != ""


def _stage(
    net: Net, asked: str, answer: str, raw_server: Callable[[bytes], str], closed_port: str, unknown_host: str
) -> tuple[str, str]:
    """Make the network give an answer; the base address to ask and the path below it."""
    path = {"authority": "/ra/10.1000/x", "index": "/works/10.1000/x", "address": "/paper"}[asked]
    base = {"authority": net.url("/doi"), "index": net.url("/crossref"), "address": net.url("/direct")}[asked]
    full = base.removeprefix(net.url("")) + path
    full = full if full.startswith("/") else f"/{full}"
    if answer == "no such host":
        return unknown_host, path
    if answer == "no connection":
        return closed_port, path
    if answer == "cut off":
        return raw_server(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 99\r\n\r\nshort"), path
    if answer == "timeout":
        net.answers[full] = _slow
    elif answer == "blocked address":
        net.put(full, status=302, location=closed_port + "/inside")
    elif answer == "too many redirects":
        net.put(full, status=302, location=net.url(full))
    elif answer == "too large":
        net.put(full, "x" * (25_000 if asked == "address" else 5_100_000))
    elif answer.isdigit():
        net.put(full, "refused", status=int(answer))
    elif answer in ("3xx", "4xx", "5xx"):
        net.put(full, "odd", status={"3xx": 300, "4xx": 418, "5xx": 503}[answer])
    else:
        _stage_content(net, full, asked, answer)
    return base, path


def _stage_content(net: Net, full: str, asked: str, answer: str) -> None:
    if answer == "record":
        record: object = {"message": {"DOI": "10.1000/x"}}
        net.put(full, [{"DOI": "10.1000/x", "RA": "Crossref"}] if asked == "authority" else record)
    elif answer == "no record":
        if asked == "authority":
            net.put(full, [{"DOI": "10.1000/x", "status": "DOI does not exist"}])
        else:
            net.put("/europepmc/search", {"resultList": {"result": []}})
    elif answer == "garbage":
        net.put(full, b"%PDF-1.4 nothing" if asked == "address" else "<html>Welcome</html>")
    elif answer == "text":
        net.put(full, "The text of the paper.")
    elif answer == "no text in it":
        net.put(full, pdf([[]]))
    elif answer == "landing page":
        net.put(full, "<h1>Buy this paper</h1>", kind="text/html")
    else:
        net.put(full, b"\x89PNG", kind="image/png")


def _slow(request: Request) -> Response:
    time.sleep(0.8)
    return Response("late")


# --- summing up


def test_text_wins_over_everything() -> None:
    answers = [
        classify(Asked.AUTHORITY, "404", "doi.org"),
        classify(Asked.INDEX, "500", "Crossref"),
        classify(Asked.ADDRESS, "text", "copy", "words", ("i",)),
    ]
    assert conclude(answers) == Retrieved("api", "words", detail="copy", labels=("i",))


def test_a_transient_failure_leaves_the_question_open() -> None:
    answers = [classify(Asked.AUTHORITY, "404", "doi.org"), classify(Asked.INDEX, "timeout", "Crossref")]
    assert conclude(answers) == Retrieved("audit_tool_failure", fault="retrieval_timeout", detail="Crossref")


@pytest.mark.parametrize("knower", ["record", "403"])
def test_not_found_needs_that_nobody_knows_the_source(knower: str) -> None:
    denied = classify(Asked.AUTHORITY, "no record", "doi.org")
    unknown = classify(Asked.INDEX, "404", "Crossref")
    assert conclude([denied, unknown]) == Retrieved("not_found", detail="doi.org")
    found = conclude([denied, unknown, classify(Asked.INDEX, knower, "OpenAlex")])
    assert found is not None
    assert found.method == "failed"


def test_an_index_that_need_not_know_a_source_does_not_make_it_fabricated() -> None:
    found = conclude([classify(Asked.INDEX, "404", "Crossref"), classify(Asked.INDEX, "no record", "OpenAlex")])
    assert found is not None
    assert found.method == "failed"


def test_nobody_asked_is_no_outcome() -> None:
    assert conclude([]) is None


@pytest.mark.parametrize(
    ("answer", "line"), [("418", "4xx"), ("599", "5xx"), ("204", "garbage"), ("strange", "garbage")]
)
def test_an_answer_without_a_line_falls_under_its_class(answer: str, line: str) -> None:
    assert classify(Asked.INDEX, answer, "").line.answer == line
