"""One audit in a process of its own: ``python -m tests.audit.one_audit URL CACHE CITATIONS CONCURRENCY``.

Prints the counts and the seconds as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import AuditConfig
from claimlint.audit.judges import JudgeOptions, open_judge
from claimlint.audit.preparing import prepare
from claimlint.audit.running import execute

from .make import PAGES, Sources, workspace
from .model_server import ROOT


def draft(citations: int) -> str:
    marker = "<!--ref:src--><!--anchor:page:2-->"
    return "\n\n".join(f"Claim number {number} holds {marker}." for number in range(citations))


def main(url: str, cache: str, citations: str, concurrency: str) -> None:
    judge = open_judge("openai", JudgeOptions(model="m", base_url=url, environ={}))
    started = time.perf_counter()
    prepared = prepare(
        workspace(draft(int(citations))),
        AuditConfig(max_claims=1000, concurrency=int(concurrency)),
        [Sources({"src": PAGES})],
        judge.model,
        VerdictCache(Path(cache)),
    )
    outcome = execute(prepared, judge)
    print(json.dumps({**asdict(outcome.counts), "seconds": time.perf_counter() - started}))


def start(url: str, cache: Path, citations: int, concurrency: int) -> subprocess.Popen[str]:
    """Begin an audit in a process of its own."""
    arguments = [url, str(cache), str(citations), str(concurrency)]
    command = [sys.executable, "-m", "tests.audit.one_audit", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Its counts."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(output)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
