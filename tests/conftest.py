"""What all tests share: a working directory of their own, and the command run in the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from claimlint.cli.entry import run


class Ran(NamedTuple):
    """What a run of the command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory in which no settings of a folder above count."""
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def command(workdir: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run ``claimlint`` with some arguments in the working directory."""

    def ran(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(list(arguments))
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return ran
