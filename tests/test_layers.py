"""The layers: import-linter's contracts hold, and they speak of every module there is."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SEEN_BY_RULES = {"documents", "findings", "gate", "rules", "schemas", "workspace"}
LINT = """
import sys
sys.path[:0] = [".", "rules"]
from importlinter.cli import lint_imports
sys.exit(lint_imports(config_filename=sys.argv[1], no_cache=True))
"""


def contracts() -> list[dict[str, Any]]:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    found: list[dict[str, Any]] = tool["importlinter"]["contracts"]
    return found


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the packages in a folder against the contracts of this project."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LINT, str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=120,
    )


def test_the_contracts_hold() -> None:
    ran = lint(ROOT)
    assert ran.returncode == 0, ran.stdout
    assert f"Contracts: {len(contracts())} kept, 0 broken." in ran.stdout


def test_every_module_is_open_to_rules_or_forbidden_to_them() -> None:
    rules = next(each for each in contracts() if each.get("source_modules") == ["claimlint_rules"])
    forbidden = {name.removeprefix("claimlint.") for name in rules["forbidden_modules"]}
    there = {
        path.stem
        for path in (ROOT / "claimlint").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert forbidden | SEEN_BY_RULES == there - {"__init__"}
    assert forbidden & SEEN_BY_RULES == set()


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("claimlint/engine.py", "import click", "Only the outermost layer knows click and rich"),
        ("claimlint/reporters/text.py", "import rich.console", "Only the outermost layer knows click and rich"),
        ("rules/claimlint_rules/gate.py", "import click", "Only the outermost layer knows click and rich"),
        ("claimlint/engine.py", "import claimlint_rules.gate", "The engine does not know the rules"),
        ("rules/claimlint_rules/gate.py", "import claimlint.engine", "Rules see documents, findings"),
        ("claimlint/documents/source.py", "import claimlint.gate", "Data flows one way"),
        ("claimlint/new_module.py", "import claimlint.errors", "Data flows one way"),
    ],
)
def test_a_broken_contract_is_noticed(tmp_path: Path, module: str, line: str, contract: str) -> None:
    for name in ("claimlint", "rules/claimlint_rules"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / module).open("a") as file:
        file.write(f"\n{line}\n")
    ran = lint(tmp_path)
    broken = [text for text in ran.stdout.splitlines() if " BROKEN" in text]
    assert (ran.returncode, [text.startswith(contract) for text in broken]) == (1, [True])
