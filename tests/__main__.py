"""``python -m tests``: everything that has to be green: formatting, lint, types, layers, tests, coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COVERAGE = 95


def main() -> int:
    """Run every check, each with its own heading; stop at the first that fails."""
    python = sys.executable
    scripts = Path(python).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}"}
    workers = str(min(4, os.cpu_count() or 1))
    commands = [
        [python, "-m", "ruff", "format", "--check", "--quiet", "."],
        [python, "-m", "ruff", "check", "--quiet", "."],
        [python, "-m", "mypy"],
        [str(scripts / "lint-imports"), "--no-cache"],
        [
            python,
            "-m",
            "pytest",
            "-q",
            "-n",
            workers,
            "--cov",
            "--cov-branch",
            "--cov-report=term",
            f"--cov-fail-under={COVERAGE}",
            *sys.argv[1:],
        ],
    ]
    for command in commands:
        print("$", " ".join([Path(command[0]).name, *command[1:]]), flush=True)
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
