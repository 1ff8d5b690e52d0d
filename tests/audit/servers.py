"""Loopback servers that misbehave in the ways that HTTP libraries do not offer."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

Behaviour = Callable[[socket.socket], None]


@contextlib.contextmanager
def raw_server(behaviour: Behaviour) -> Iterator[str]:
    """The base URL of a server that reads each request and then lets ``behaviour`` have the connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            _read_request(connection)
            behaviour(connection)

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        thread.join()
        listener.close()


def _read_request(connection: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            while len(body) < int(value):
                body += connection.recv(65536)


def answer(
    body: bytes, *, status: str = "200 OK", kind: str = "application/json", length: int | None = None
) -> bytes:
    """An HTTP response as bytes; ``length`` overrides the true Content-Length."""
    size = len(body) if length is None else length
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
