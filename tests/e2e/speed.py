"""``python -m tests.e2e.speed``: what an audit costs in time and memory, against a judge that takes 100 ms.

The judge's server is a process of its own, so that it takes nothing from the command's processor time.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.pdf_writer import pdf

from .cli import ROOT, Ran, claimlint, ended, environment, start
from .projects import project
from .servers import Answer, judge_server

DELAY = 0.1
CITATIONS = 200
CONCURRENCY = 16
IDEAL = CITATIONS / CONCURRENCY * DELAY
_TEXT = "the measured waiting time of residents fell in towns that ran night buses and rose where stops closed"


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of processor time."""

    wall: float
    cpu: float


@contextmanager
def slow_judge(delay: float = DELAY) -> Iterator[tuple[str, ...]]:
    """The options that name a judge in another process that takes ``delay`` seconds."""
    command = [
        sys.executable,
        "-m",
        __name__ if __name__ != "__main__" else "tests.e2e.speed",
        "--serve",
        str(delay),
    ]
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment(ROOT), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        port = int(server.stdout.readline())
        yield ("--judge-backend", f"openai:http://127.0.0.1:{port}/v1", "--judge-model", "tiny-1")
    finally:
        server.stdin.close()
        server.wait(10)
        server.stdout.close()


def timed(folder: Path, *arguments: str) -> Cost:
    """What a run costs that is to end well."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ran = claimlint(folder, "check", "draft.md", "--judge", "--sources", "sources", *arguments, timeout=120)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ran.code == 0, ran.err
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def audits(folder: Path) -> tuple[Cost, Cost, Cost]:
    """What an audit of one citation costs, one of 200, and the latter again."""
    project(folder / "one", count=1)
    project(folder / "many", count=CITATIONS)
    with slow_judge() as judge:
        options = ("--max-claims", str(CITATIONS), "--concurrency", str(CONCURRENCY), *judge)
        return timed(folder / "one", *options), timed(folder / "many", *options), timed(folder / "many", *options)


def large_sources(folder: Path, citations: int) -> None:
    """A project that cites ten PDF files of 200 full pages, half of it by quotes that are not there."""
    (folder / "sources").mkdir(parents=True)
    words = _TEXT.split(" ")
    lines = [" ".join(words[(start + step * 5) % len(words)] for step in range(14)) for start in range(45)]
    for number in range(10):
        pages = [[f"Page {page} of source {number}.", *lines] for page in range(1, 201)]
        (folder / "sources" / f"big{number}.pdf").write_bytes(pdf(pages))
    anchors = ("page:7", "quote:no%20such%20words%20are%20here")
    sentences = (
        f"Finding {number} holds <!--ref:big{number % 10}--><!--anchor:{anchors[number // 10 % 2]}-->."
        for number in range(citations)
    )
    (folder / "draft.md").write_text("\n\n".join(sentences) + "\n", "utf-8")


def memory(folder: Path, citations: int = 64) -> tuple[Ran, int]:
    """An audit of large sources with all calls at once, and the most memory its processes took, in bytes."""
    large_sources(folder, citations)
    with judge_server(lambda _claim, _earlier: Answer(delay=0.5)) as server:
        options = ("--judge", "--sources", "sources", "--concurrency", "64", "--format", "json")
        process = start(folder, "check", "draft.md", *options, *server.backend("openai"))
        most = 0

        def watch() -> None:
            nonlocal most
            while process.poll() is None:
                most = max(most, _resident(process.pid))
                time.sleep(0.02)

        watcher = threading.Thread(target=watch)
        watcher.start()
        ran = ended(process, timeout=120)
        watcher.join()
        assert server.most_under_way > citations // 2, "the calls were not under way together"
    return ran, most


def _resident(process: int) -> int:
    """The memory of a process and its children, in bytes."""
    total, waiting = 0, [process]
    while waiting:
        each = waiting.pop()
        try:
            status = Path(f"/proc/{each}/status").read_text("utf-8")
            waiting += map(int, Path(f"/proc/{each}/task/{each}/children").read_text("utf-8").split())
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))
    return total


def _serve(delay: float) -> None:
    with judge_server(lambda _claim, _earlier: Answer(delay=delay)) as server:
        print(server.port, flush=True)
        sys.stdin.read()


def main() -> None:
    """Print the numbers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one, many, again = audits(folder)
        asked = many.wall - one.wall + DELAY
        print(f"one citation                {one.wall:6.2f} s ({one.cpu:.2f} s of processor time)")
        print(f"{CITATIONS} citations, beyond that  {asked:6.2f} s, {asked / IDEAL:.2f} times the ideal")
        print(f"{CITATIONS} citations, cached       {again.wall:6.2f} s ({again.cpu:.2f} s of processor time)")
        began = time.monotonic()
        _, most = memory(folder / "large")
        print(
            f"64 at once over ten PDF files of 200 pages: {most / 1e6:.0f} MB in {time.monotonic() - began:.1f} s"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        _serve(float(sys.argv[2]))
    else:
        main()
