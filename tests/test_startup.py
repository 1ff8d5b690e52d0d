"""Start-up: a run loads what it needs and no more, so that checking a small passport stays quick."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.passport_samples import audit_row, clean

HEAVY = (
    "asyncio",
    "difflib",
    "httpx",
    "jsonschema",
    "markdown_it",
    "multiprocessing",
    "openai",
    "pypdfium2",
    "regex",
    "rfc8785",
    "rich",
    "sentencex",
    "tomllib",
    "yaml",
)
DRAFTS = ("claimlint.documents.draft", "claimlint.link", "claimlint.workspace", "claimlint.audit.anchors")
CODE = """
import sys
from claimlint import __main__ as entry

def leave(code):
    print(*sorted(sys.modules), sep=chr(10), file=sys.stderr)
    sys.exit(code)

entry._leave = leave
entry.main()
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that a run of the command has loaded when it ends; it must end well."""
    environment = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    ran = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return set(ran.stderr.splitlines())


@pytest.fixture
def passport(workdir: Path) -> str:
    rows = {"claim_intent_manifests": clean()["claim_intent_manifests"][:1], "claim_audit_results": [audit_row()]}
    Path("p.json").write_text(json.dumps(rows))
    return "p.json"


def test_a_small_clean_passport_loads_nothing_heavy(passport: str) -> None:
    assert loaded("check", passport) & {*HEAVY, *DRAFTS} == set()


def test_every_family_is_loaded_all_the_same(passport: str) -> None:
    rules = Path(__file__).parent.parent / "rules" / "claimlint_rules"
    families = {f"claimlint_rules.{path.stem}" for path in rules.glob("[!_]*.py")}
    assert families - loaded("check", passport) == set()


def test_a_passport_in_yaml_loads_yaml_alone(workdir: Path) -> None:
    Path("p.yaml").write_text("claim_drifts: []\n")
    assert loaded("check", "p.yaml") & {*HEAVY, *DRAFTS} == {"yaml"}


def test_the_version_loads_neither_the_command_line_nor_the_rules(workdir: Path) -> None:
    modules = loaded("--version")
    assert modules & {"click", "claimlint.registry", "claimlint_rules", *HEAVY, *DRAFTS} == set()


@pytest.mark.parametrize("arguments", [["rules"], ["explain", "INV-6"], ["schema", "claim_drift"], ["--help"]])
def test_pages_load_nothing_heavy(workdir: Path, arguments: list[str]) -> None:
    assert loaded(*arguments) & {*HEAVY, *DRAFTS} == set()
