"""The command as a process: streams that break, consoles that lack a character, interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.passport_samples import audit_row

ROWS = [audit_row(judgment="MAYBE", claim_text=f"Café 中 {index}") for index in range(300)]


@pytest.fixture(autouse=True)
def here(workdir: Path) -> Path:
    text = json.dumps({"claim_audit_results": ROWS}, ensure_ascii=False, indent=1)
    Path("p.json").write_text(text, encoding="utf-8")
    return workdir


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which ``claimlint`` is the command."""
    script = f'claimlint() {{ "{sys.executable}" -m claimlint "$@"; }}\n{line}'
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("claimlint check p.json --show-all | head -1", "1 0"),
        ("FORCE_COLOR=1 claimlint check p.json --show-all | head -1", "1 0"),
        ("claimlint check p.json --show-all --format json | true", "1 0"),
        ("claimlint check p.json gone.json --show-all 2>&1 | true", "2 0"),
        ("claimlint rules | true", "0 0"),
        ("claimlint explain GATE | true", "0 0"),
        ("claimlint schema claim_drift | true", "0 0"),
        ("claimlint --help | true", "0 0"),
        ("claimlint --version | true", "0 0"),
        ("claimlint check p.json --show-all >&-", "1"),
        ("claimlint check p.json gone.json 2>&-", "2"),
        ("claimlint check p.json >&- 2>&- <&-", "1"),
        ("claimlint check --stdin-filename x.json <&-", "2"),
    ],
)
def test_a_stream_that_breaks_or_is_closed_changes_no_exit_code_and_makes_no_noise(line: str, codes: str) -> None:
    ran = shell(f'{line}\necho "${{PIPESTATUS[@]}}" > codes.txt')
    assert Path("codes.txt").read_text() == f"{codes}\n"
    for noise in ("Traceback", "Exception ignored", "internal error"):
        assert noise not in ran.stdout + ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "line",
    ["claimlint check p.json", "claimlint rules", "claimlint --version", "FORCE_COLOR=1 claimlint check p.json"],
)
def test_a_full_disk_is_said_and_exits_with_2(line: str) -> None:
    ran = shell(f"{line} >/dev/full")
    assert ran.returncode == 2
    assert ran.stderr == "claimlint: error: standard output: cannot be written: No space left on device\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "ascii:strict"])
@pytest.mark.parametrize("colour", ["", "FORCE_COLOR=1 "])
def test_a_console_without_a_character_shows_an_escape(encoding: str, colour: str) -> None:
    ran = shell(f"{colour}PYTHONIOENCODING={encoding} claimlint check p.json --select SCHEMA; echo $?")
    assert (ran.stdout.splitlines()[-1], ran.stderr) == ("1", "")
    Path("中.md").touch()
    ran = shell(f"PYTHONIOENCODING={encoding} claimlint check gone-中.md")
    assert (ran.returncode, ran.stderr) == (2, "claimlint: error: gone-\\u4e2d.md: no such file or folder\n")


def test_output_is_utf_8_without_a_locale() -> None:
    ran = shell("LC_ALL=C claimlint check gone-中.md; LANG= LC_ALL=POSIX claimlint check p.json --select SCHEMA")
    assert (ran.returncode, "Traceback" in ran.stderr) == (1, False)


def test_a_name_that_is_no_utf_8_is_shown_with_escapes() -> None:
    name = os.fsdecode(b"bad\xff.json")
    Path(name).write_text('{"claim_drifts": [')
    ran = shell("claimlint check . --format concise")
    assert ran.returncode == 2
    assert "bad\\xff.json:1:19: JSON-1 error" in ran.stdout


READY = "import sys; from claimlint.__main__ import main; print('ready', flush=True); main()"


@pytest.mark.parametrize("pause", [0.01, 0.05, 0.5])
def test_an_interrupt_exits_with_130(pause: float) -> None:
    Path("big.json").write_text(json.dumps({"claim_audit_results": [*ROWS] * 100}))
    process = subprocess.Popen(
        [sys.executable, "-c", READY, "check", "big.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(pause)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.removeprefix("claimlint: error: interrupted\n")) == (130, "")
