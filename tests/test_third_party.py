"""A third party's package brings rules, judges and retrievers; a broken one stops the run and is named."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from claimlint.plugins import JUDGES, RETRIEVERS, RULES

RULE = '''
from collections.abc import Iterator

from claimlint.documents.passport import Passport, Row
from claimlint.findings import Problem, Severity
from claimlint.rules import rule


@rule("ACME-1", "short-rationale", Severity.LOW_WARN, on="claim_audit_results")
def short_rationale(row: Row) -> Iterator[Problem]:
    """A rationale has three words.

    Why
        House style.

    Bad
        {"rationale": "Yes."}

    Good
        {"rationale": "Table two agrees."}

    Fix
        Write more.
    """
    rationale = row.text("rationale")
    if rationale is not None and len(rationale.split()) < 3:
        yield row.problem("rationale", f"the rationale {rationale!r} is too short; write three words")
'''


BACKENDS = """

def judge(options):
    raise RuntimeError("the judge of acme")


def fetch(argument, context):
    raise RuntimeError("the retriever of acme")
"""


def wheel(folder: Path, files: dict[str, str], entry_points: str) -> Path:
    """A wheel of a tiny distribution, made without any build tool."""
    info = "acme_claims-1.0.dist-info"
    files = {
        **files,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: acme-claims\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
    }
    record = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(text.encode())}\n")
    path = folder / "acme_claims-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return path


class Site:
    """A folder on the import path into which packages are installed, and the command run with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, path: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
        subprocess.run([*pip, "--target", str(self.folder), str(path)], check=True, timeout=120)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH", "")]))
        return subprocess.run(
            [sys.executable, "-m", "claimlint", *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            timeout=60,
            check=False,
        )


@pytest.fixture
def site(workdir: Path, tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@pytest.fixture
def installed(site: Site, tmp_path: Path) -> Site:
    """A site with a package of one rule family, a judge and a retriever."""
    points = {
        RULES: "ACME = acme_claims",
        JUDGES: "acme = acme_claims:judge",
        RETRIEVERS: "acme = acme_claims:fetch",
    }
    text = "".join(f"[{group}]\n{point}\n\n" for group, point in points.items())
    site.install(wheel(tmp_path, {"acme_claims.py": RULE + BACKENDS}, text))
    return site


PASSPORT = {"claim_audit_results": [{"rationale": "Yes."}, {"rationale": "Table two agrees."}]}


def test_the_rule_of_an_installed_package_is_listed_explained_and_used(installed: Site) -> None:
    Path("p.json").write_text(json.dumps(PASSPORT, indent=1))
    ran = installed.run("check", "p.json", "--format", "concise", "--select", "ACME", "--fail-on", "low")
    expected = "p.json:4:17: ACME-1 low-warn the rationale 'Yes.' is too short; write three words\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, expected, "")
    assert "ACME-1 " in installed.run("rules").stdout
    assert installed.run("explain", "acme-1").stdout.startswith("# ACME-1 short-rationale\n")
    assert "did you mean ACME" in installed.run("check", "--select", "ACMO").stderr


def test_the_rule_of_an_installed_package_runs_by_default_and_in_every_process(installed: Site) -> None:
    for index in range(4):
        Path(f"p{index}.json").write_text(json.dumps(PASSPORT, indent=1))
    found = [installed.run("check", "--format", "concise", "--jobs", jobs).stdout for jobs in ("1", "2")]
    assert found[0].count(" ACME-1 ") == 4
    assert found[1] == found[0]


def test_judges_and_retrievers_of_an_installed_package_are_found_and_used(installed: Site) -> None:
    Path("d.md").write_text("It fell <!--ref:k--><!--anchor:page:1-->.\n")
    judged = ["check", "d.md", "--judge", "--yes", "--judge-model", "m", "--judge-backend"]
    ran = installed.run(*judged, "acme", "--retriever", "local")
    assert (ran.returncode, "the judge of acme" in ran.stderr) == (2, True)
    ran = installed.run(*judged, "command:cat", "--retriever", "acme")
    assert (ran.returncode, "the retriever of acme" in ran.stderr) == (2, True)
    ran = installed.run(*judged, "acmo", "--retriever", "local")
    assert (ran.returncode, "acme" in ran.stderr) == (2, True)


@pytest.mark.parametrize(
    ("code", "points", "message"),
    [
        (
            "raise ValueError('oh')",
            "ACME = acme_claims",
            "plugin ACME (acme_claims) cannot be loaded: ValueError: oh",
        ),
        (
            "import sys; sys.exit(0)",
            "ACME = acme_claims",
            "plugin ACME (acme_claims) cannot be loaded: SystemExit: 0",
        ),
        ("", "ACME = acme_claims", "family ACME (acme_claims) defines no rule"),
        (
            "",
            "ACME = nothing_here",
            "plugin ACME (nothing_here of acme_claims) cannot be loaded: ModuleNotFoundError: ",
        ),
        (
            RULE,
            "OTHER = acme_claims",
            "rule ACME-1 of acme_claims is not of the family OTHER it is registered as",
        ),
        (RULE.replace("ACME-1", "INV-1"), "INV = acme_claims", "the code INV-1 is taken: both "),
        (
            RULE.replace("    Fix\n", ""),
            "ACME = acme_claims",
            "rule ACME-1 of acme_claims: its page lacks Fix",
        ),
        (
            RULE.replace("claim_audit_results", "claim_audit_result"),
            "ACME = acme_claims",
            "is on 'claim_audit_result', not one of",
        ),
    ],
)
def test_a_broken_package_stops_the_run_and_is_named(
    site: Site, tmp_path: Path, code: str, points: str, message: str
) -> None:
    site.install(wheel(tmp_path, {"acme_claims.py": code}, f"[{RULES}]\n{points}\n"))
    Path("p.json").write_text(json.dumps(PASSPORT))
    ran = site.run("check", "p.json")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("claimlint: error: ")
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_rule_of_a_package_that_crashes_is_named_and_the_others_still_report(site: Site, tmp_path: Path) -> None:
    code = RULE.replace('rationale = row.text("rationale")', "raise SystemExit(0)")
    site.install(wheel(tmp_path, {"acme_claims.py": code}, f"[{RULES}]\nACME = acme_claims\n"))
    Path("p.json").write_text(json.dumps(PASSPORT))
    ran = site.run("check", "p.json", "--format", "concise")
    assert ran.returncode == 2
    assert " SCHEMA-1 " in ran.stdout
    assert ran.stderr == (
        "claimlint: error: p.json: ACME-1: the rule crashed at /claim_audit_results/0 (SystemExit: 0)\n"
    )
