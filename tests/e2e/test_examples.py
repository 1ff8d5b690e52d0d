"""The example project does what the README says, offline and as printed."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from .cli import ROOT, Ran, claimlint


@pytest.fixture
def example(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".claimlint_cache"))
    return tmp_path


def printed(beginning: str) -> list[str]:
    """The README's first command that begins so, without the program's name."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    return shlex.split(next(line for line in lines if line.startswith(beginning)))[1:]


def test_the_audit_of_the_readme_runs_offline_as_printed(example: Path) -> None:
    command = printed("claimlint check examples/paper.md --judge")

    def run(*more: str) -> Ran:
        return claimlint(example, *command, "--format", "json", *more)

    before = (example / "examples" / "paper.passport.json").read_bytes()
    first = run()
    assert (first.code, first.audit) == (1, (6, 0, 0))
    assert first.codes.count("GATE-3") == 2
    assert "11 calls (0 verdicts cached)" in first.err
    again = run()
    assert again.out == first.out
    assert "0 calls (11 verdicts cached)" in again.err
    assert (example / "examples" / "paper.passport.json").read_bytes() == before
    written = run("--write")
    assert written.shown == first.shown
    rows = json.loads((example / "examples" / "paper.passport.json").read_text("utf-8"))
    assert len(rows["claim_audit_results"]) == 6
    assert claimlint(example, "check", "examples/paper.md", "--format", "json").shown == first.shown


def test_the_anchors_of_the_example_are_where_they_say(example: Path) -> None:
    ran = claimlint(example, *printed("claimlint check examples/paper.md --sources"), "--format", "json")
    assert ran.code == 0
    assert not [code for code in ran.codes if code.startswith(("ANCHOR", "CITE"))]
