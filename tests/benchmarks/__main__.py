"""``python -m tests.benchmarks``: measure and print; a line that misses its target says so.

CPU times are medians of several runs, and ratios are to a bare interpreter, to ``json.load`` and to a loop over
plain ``jsonschema`` on this same machine, so that they mean the same on another.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import inputs
from tests.benchmarks.measure import PYTHON, Cost, check, claimlint, median

ROWS, MANY_ROWS = 10_000, 200_000
PROSE, MARKERS, DRAFTS = 1_000_000, 20_000, 100


class Line(NamedTuple):
    """One line of the result: what was measured, its value, and the bound it must keep (None for none)."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    def __str__(self) -> str:
        bound = ""
        if self.most is not None:
            bound = f"at most {self.most:g}" + ("" if self.value <= self.most else "  MISSED")
        if self.least is not None:
            bound = f"at least {self.least:g}" + ("" if self.value >= self.least else "  MISSED")
        return f"{self.name:<62} {self.value:>9.2f} {self.unit:<4} {bound}".rstrip()


def say(*lines: Line) -> None:
    """Print lines as they come in."""
    for line in lines:
        print(line, flush=True)


def start_up(folder: Path) -> Cost:
    """Print what starting costs; returns the cost of checking a small passport."""
    bare = median([PYTHON, "-c", "pass"], folder, runs=15)
    version = median(claimlint("--version"), folder, runs=9)
    small = check(inputs.small_passport(folder), folder, runs=15)
    say(
        Line("bare interpreter", bare.cpu * 1000, "ms"),
        Line("check of a small clean passport", small.cpu * 1000, "ms"),
        Line("  to a bare interpreter", small.cpu / bare.cpu, "x", most=10),
        Line("--version to a bare interpreter", version.cpu / bare.cpu, "x", most=5),
    )
    return small


def rows(folder: Path, small: Cost) -> None:
    """Print what rows cost, in time and memory, beyond the start-up of each process."""
    few, many = inputs.passport(folder, ROWS), inputs.passport(folder, MANY_ROWS)
    size, large = ((folder / name).stat().st_size for name in (few, many))
    load = beyond("import json", f"json.load(open({few!r}, encoding='utf-8'))", folder, runs=9)
    plain = beyond(_PLAIN, f"plain_loop({few!r})", folder, runs=1)
    first, second = check(few, folder, runs=7), check(many, folder, runs=3)
    checked = first.cpu - small.cpu
    say(
        Line(f"json.load of {ROWS} audit rows ({size / 1e6:.1f} MB)", load * 1000, "ms"),
        Line("check of them", checked * 1000, "ms"),
        Line("  to json.load", checked / load, "x", most=5),
        Line("  a loop over plain jsonschema to json.load", plain / load, "x"),
        Line(
            f"time a row at {MANY_ROWS} rows to that at {ROWS}",
            (second.cpu - small.cpu) / MANY_ROWS / (checked / ROWS),
            "x",
            most=1.5,
        ),
        Line(f"peak memory to the file at {ROWS} rows", first.peak / size, "x", most=12),
        Line(f"peak memory to the file at {MANY_ROWS} rows", second.peak / large, "x", most=12),
    )


_PLAIN = """
import json, jsonschema
from claimlint import schemas

def plain_loop(path):
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    validator = jsonschema.Draft202012Validator(schemas.load("claim_audit_result"), format_checker=checker)
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["claim_audit_results"]
    assert all([validator.is_valid(row) for row in rows])
"""


def beyond(setup: str, work: str, folder: Path, *, runs: int) -> float:
    """The CPU time of some work in a fresh process, without that of what is set up for it."""
    before, after = (median([PYTHON, "-c", f"{setup}\n{line}"], folder, runs=runs) for line in ("", work))
    return after.cpu - before.cpu


def texts(folder: Path) -> None:
    """Print what drafts cost."""
    empty = check(inputs.draft(folder, 100), folder, runs=5)
    one, two = (check(inputs.draft(folder, PROSE * times), folder, runs=3) for times in (1, 2))
    few, many = (check(inputs.markers(folder, MARKERS * times), folder, runs=3) for times in (1, 2))
    say(
        Line("check of a draft of one paragraph", empty.cpu * 1000, "ms"),
        Line("1 MB of prose beyond that", one.cpu - empty.cpu, "s", most=1),
        Line("  2 MB to 1 MB", (two.cpu - empty.cpu) / (one.cpu - empty.cpu), "x", most=2.4),
        Line(f"{MARKERS} markers beyond that", few.cpu - empty.cpu, "s", most=0.5),
        Line(f"  {2 * MARKERS} to {MARKERS}", (many.cpu - empty.cpu) / (few.cpu - empty.cpu), "x", most=2.4),
    )


def jobs(folder: Path) -> None:
    """Print how much faster two processes are than one."""
    path = inputs.drafts(folder, DRAFTS, 60_000)
    one, two = (check(path, folder, runs=3, jobs=number) for number in (1, 2))
    say(
        Line(f"{DRAFTS} drafts with one process", one.wall, "s"),
        Line("  with two, times as fast", one.wall / two.wall, "x", least=1.6),
    )


def main() -> None:
    """Run all benchmarks in a folder of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = start_up(folder)
        rows(folder, small)
        texts(folder)
        jobs(folder)


if __name__ == "__main__":
    main()
