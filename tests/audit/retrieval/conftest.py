"""An index server on loopback, and a retriever that knows no other network."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from claimlint.audit.retrieval.api import ApiRetriever, base_urls, web_options
from claimlint.audit.retrieval.indexes import DEFAULT_URLS
from claimlint.audit.retrieval.isolate import Reader
from claimlint.audit.retrieval.transport import WebOptions
from claimlint.audit.retrieval.web import Web
from claimlint.audit.types import RetrievalRequest, Retrieved
from claimlint.audit_settings import OnlineSettings

Handler = Callable[[Request], Response]


@dataclass
class Net:
    """The whole network of a test: paths and what they answer; anything else is 404.

    ``seen`` lists the paths that were asked, in order.
    """

    server: HTTPServer
    answers: dict[str, Handler] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def url(self, path: str) -> str:
        return self.server.url_for(path)

    def put(self, path: str, body: object = "", status: int = 200, kind: str = "", **headers: str) -> None:
        """Answer a path with a text, bytes, or anything else as JSON."""
        if isinstance(body, bytes):
            data, guessed = body, "application/pdf"
        elif isinstance(body, str):
            data, guessed = body.encode(), "text/plain"
        else:
            data, guessed = json.dumps(body).encode(), "application/json"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = lambda request: Response(data, status, sent, content_type=kind or guessed)

    def options(self, **changes: object) -> WebOptions:
        made = web_options(OnlineSettings(urls={name: self.url(f"/{name}") for name in DEFAULT_URLS}), None)
        made = replace(made, timeout=2.0, pace=0.0, paces=(), retries=0, backoff=0.01, max_wait=0.5)
        return replace(made, **changes)  # type: ignore[arg-type]

    def web(self, **changes: object) -> Web:
        return Web(self.options(**changes))

    def retriever(
        self, contact: str | None = None, urls: dict[str, str] | None = None, **changes: object
    ) -> ApiRetriever:
        named = {name: self.url(f"/{name}") for name in DEFAULT_URLS} | (urls or {})
        online = OnlineSettings(urls=named, contact=contact)
        allowed = web_options(online, None).allowed
        return ApiRetriever(self.web(allowed=allowed, **changes), base_urls(online), Reader(), contact)

    def retrieve(self, corpus: dict[str, object] | None, **changes: object) -> Retrieved:
        found = self.retriever(**changes).retrieve(RetrievalRequest("okafor2024", corpus))  # type: ignore[arg-type]
        assert found is not None
        return found


@pytest.fixture
def net(httpserver: HTTPServer) -> Iterator[Net]:
    made = Net(httpserver)

    def answer(request: Request) -> Response:
        made.seen.append(request.path)
        made.headers.append(dict(request.headers))
        handler = made.answers.get(request.path)
        return handler(request) if handler else Response("not here", 404)

    httpserver.expect_request(re.compile(".*")).respond_with_handler(answer)
    yield made
    httpserver.clear()


@pytest.fixture
def raw_server() -> Iterator[Callable[[bytes], str]]:
    """A server that sends given bytes to whoever connects and hangs up."""
    listeners: list[socket.socket] = []

    def start(data: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in listeners:
        listener.close()


@pytest.fixture
def closed_port() -> str:
    """An address on loopback at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"
