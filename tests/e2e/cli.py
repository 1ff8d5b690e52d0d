"""Running the command as a user does: another process, its own folder, and nothing inherited but the path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from claimlint.cli import entry

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "claimlint")


@dataclass(frozen=True)
class Ran:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The report of ``--format json``."""
        report: dict[str, Any] = json.loads(self.out)
        return report

    @property
    def audit(self) -> tuple[int, int, int]:
        """The citations audited, sampled out and not audited."""
        counts = self.report["summary"]["audit"]
        return counts["audited"], counts["sampled_out"], counts["not_audited"]

    @property
    def codes(self) -> list[str]:
        """The codes of the findings."""
        return sorted(finding["code"] for finding in self.report["findings"])

    @property
    def shown(self) -> list[tuple[str, str | None]]:
        """Codes and annotations of the findings."""
        found = ((finding["code"], finding["annotation"]) for finding in self.report["findings"])
        return sorted(found, key=lambda each: (each[0], each[1] or ""))

    @property
    def annotations(self) -> list[str]:
        """The annotations of the gate."""
        return sorted(annotation for _, annotation in self.shown if annotation is not None)


def environment(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a run: no key, no proxy and no settings of the machine."""
    paths = [str(ROOT), str(ROOT / "rules")]
    return {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join(paths),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": os.environ.get("PYTHONDONTWRITEBYTECODE", ""),
        **(more or {}),
    }


def claimlint(
    folder: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    timeout: float = 30,
    stdin: str | None = None,
) -> Ran:
    """Run ``claimlint`` in a folder."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(folder, env),
        capture_output=True,
        timeout=timeout,
        check=False,
        stdin=subprocess.DEVNULL if stdin is None else None,
        input=None if stdin is None else stdin.encode(),
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class Inside:
    """Runs the command in this process, which takes far less time; for what does not depend on processes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        with self._monkeypatch.context() as patch:
            for name in os.environ:
                if name.startswith(("OPENAI_", "ANTHROPIC_")):
                    patch.delenv(name)
            for name, value in {"HOME": str(folder), **(env or {})}.items():
                patch.setenv(name, value)
            patch.chdir(folder)
            self._capsys.readouterr()
            code = entry.run(list(arguments))
        told = self._capsys.readouterr()
        return Ran(code, told.out, told.err)


def start(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start ``claimlint`` in a folder, in a process group of its own; the caller ends it."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(folder, env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes], timeout: float = 30) -> Ran:
    """How a started run ended; it is killed when it takes too long."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Ran(process.returncode, out.decode(), err.decode())


def audit_rows(path: Path) -> list[dict[str, Any]]:
    """The audited citations of a passport file."""
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["claim_audit_results"]
    return rows
