"""Measuring processes: CPU time, wall time and peak memory of the command as an installation has it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PYTHON = sys.executable


class Cost(NamedTuple):
    """What a process cost: seconds of CPU (with its children), seconds on the clock, peak bytes."""

    cpu: float
    wall: float
    peak: int


_RUN = """
import json, os, sys, time
null = os.open(os.devnull, os.O_RDWR)
started = time.perf_counter()
moves = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=moves), 0)
wall = time.perf_counter() - started
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss]))
"""


def cost(arguments: Sequence[str], folder: Path) -> Cost:
    """Run a process to its end, without its output; bytecode is kept, as an installation keeps it.

    A small process between this one and that keeps this one's memory out of the other's peak.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "FORCE_COLOR")
    }
    command = [PYTHON, "-c", _RUN, *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    code, cpu, wall, peak = json.loads(ran.stdout)
    if code not in (0, 1):
        raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
    return Cost(cpu, wall, peak * (1 if sys.platform == "darwin" else 1024))


def median(arguments: Sequence[str], folder: Path, *, runs: int) -> Cost:
    """The medians of several runs, after one that fills the caches."""
    cost(arguments, folder)
    found = [cost(arguments, folder) for _ in range(runs)]
    return Cost(
        statistics.median(each.cpu for each in found),
        statistics.median(each.wall for each in found),
        max(each.peak for each in found),
    )


def claimlint(*arguments: str) -> list[str]:
    """The command line of the command: what its console script does."""
    return [PYTHON, "-c", "from claimlint.__main__ import main; main()", *arguments]


def check(path: str, folder: Path, *, runs: int, jobs: int = 1) -> Cost:
    """The cost of checking a path."""
    return median(claimlint("check", path, "--jobs", str(jobs), "--quiet"), folder, runs=runs)
