"""A model server in a process of its own: answers every prompt the same way after a while, and logs calls.

``python -m tests.audit.model_server SECONDS LOG`` prints its port; the log gets one line for each call, with
the claim asked about.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPLY = "JUDGMENT: SUPPORTED\nRATIONALE: the page says so"
ANSWER = json.dumps({"choices": [{"message": {"role": "assistant", "content": REPLY}}]}).encode()
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}\r\n\r\n".encode()
CLAIM = re.compile(r"CLAIM\n(.*?)\n===== ")


async def serve(seconds: float, log: Path) -> None:
    lines = log.open("a", encoding="utf-8", buffering=1)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                body = json.loads(await reader.readexactly(int(size[1]) if size else 0))
                claim = CLAIM.search(body["messages"][0]["content"])
                lines.write(f"{claim[1] if claim else '?'}\n")
                await asyncio.sleep(seconds)
                writer.write(HEAD + ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


@contextmanager
def model_server(seconds: float, log: Path) -> Iterator[str]:
    """The base URL of a server that takes so long for each answer."""
    log.touch()
    command = [sys.executable, "-m", "tests.audit.model_server", str(seconds), str(log)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), Path(sys.argv[2])))
