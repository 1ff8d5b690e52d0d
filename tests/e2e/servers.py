"""A judge behind HTTP on loopback that speaks both protocols and misbehaves as it is told."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SUPPORTED = "JUDGMENT: SUPPORTED\nRATIONALE: The page says so."
UNSUPPORTED = "JUDGMENT: UNSUPPORTED\nRATIONALE: The page says nothing of the kind."

_CLAIM = re.compile(r"Finding \d+[^.\n]*\.")


@dataclass(frozen=True)
class Answer:
    """What the server sends: the judge's words, or a whole body with status and headers.

    ``delay`` is in seconds before anything is sent; ``cut`` drops so many bytes off the end of the body.
    """

    text: str = SUPPORTED
    body: bytes | None = None
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int = 0


Script = Callable[[str, int], Answer]
"""From a claim and the number of earlier requests about it to an answer."""


class JudgeServer:
    """The running server: what it was asked, and how often."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.claims: list[str] = []
        self.requests: list[dict[str, object]] = []
        self.under_way = self.most_under_way = 0
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._seen: Counter[str] = Counter()
        self.port = 0

    @property
    def openai(self) -> str:
        """The base URL for the judge ``openai``."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic(self) -> str:
        """The base URL for the judge ``anthropic``."""
        return f"http://127.0.0.1:{self.port}"

    def backend(self, style: str) -> tuple[str, ...]:
        """The options that name this server as the judge."""
        return ("--judge-backend", f"{style}:{getattr(self, style)}", "--judge-model", "tiny-1")

    def begin(self, request: dict[str, object]) -> Answer:
        messages = request["messages"]
        assert isinstance(messages, list)
        found = _CLAIM.search(str(messages[0]["content"]))
        claim = found[0] if found else ""
        with self._lock:
            earlier = self._seen[claim]
            self._seen[claim] += 1
            self.claims.append(claim)
            self.requests.append(request)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        return self.script(claim, earlier)

    def end(self) -> None:
        with self._lock:
            self.under_way -= 1


@contextmanager
def judge_server(script: Script | None = None) -> Iterator[JudgeServer]:
    """A judge server that runs as long as the block."""
    judge = JudgeServer(script or (lambda _claim, _earlier: Answer()))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet: the second of two would wait for a delayed acknowledgement

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            answer = judge.begin(json.loads(raw))
            try:
                judge.over.wait(answer.delay)
                with suppress(OSError):
                    self._send(answer)
            finally:
                judge.end()

        def _send(self, answer: Answer) -> None:
            body = _body(answer, self.path) if answer.body is None else answer.body
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.cut:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            self.wfile.write(body[: len(body) - answer.cut])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, request: object, client_address: object) -> None:
            """Clients that are killed leave broken connections."""

    server = Server(("127.0.0.1", 0), Handler)
    judge.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield judge
    finally:
        judge.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _body(answer: Answer, path: str) -> bytes:
    if path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": answer.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        made: dict[str, object] = {
            "id": "c",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": "tiny-1",
            "choices": [choice],
        }
    else:
        assert path.endswith("/v1/messages"), path
        made = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "tiny-1",
            "content": [{"type": "text", "text": answer.text}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    return json.dumps(made).encode()
