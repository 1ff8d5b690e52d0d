"""The wheel: both packages, every schema and data file, the entry points, and nothing else."""

from __future__ import annotations

import configparser
import json
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from claimlint import __version__, schemas

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"claimlint": ROOT / "claimlint", "claimlint_rules": ROOT / "rules" / "claimlint_rules"}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution, built as a release is, but without the network."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    ran = subprocess.run([*build, str(ROOT)], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def test_the_wheel_is_named_after_the_distribution(wheel: Path) -> None:
    assert wheel.name == f"claimlint_drafts-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_both_packages_and_nothing_else(names: set[str]) -> None:
    assert {name.partition("/")[0] for name in names} == {
        "claimlint",
        "claimlint_rules",
        f"claimlint_drafts-{__version__}.dist-info",
    }


def test_the_wheel_holds_every_module_and_data_file_once(names: set[str]) -> None:
    there = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    schema_files = {f"claimlint/_schemas/{path.name}" for path in (ROOT / "schemas").iterdir()}
    assert {name for name in names if ".dist-info/" not in name} == there | schema_files
    assert {"claimlint/py.typed", "claimlint_rules/py.typed", "claimlint/audit/judge_prompt.md"} <= names


def test_a_wheel_from_the_checkout_holds_the_same(names: set[str], tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, capture_output=True, timeout=300, check=True)
    (found,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(found) as archive:
        assert set(archive.namelist()) == names


def test_every_schema_is_in_the_wheel(names: set[str]) -> None:
    packed = {name.rpartition("/")[2] for name in names if name.startswith("claimlint/_schemas/")}
    assert packed == {f"{name}.json" for name in schemas.NAMES.values()}


def test_the_wheel_declares_every_entry_point(wheel: Path) -> None:
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        parser.read_string(archive.read(entry_points).decode())
    found = {section: dict(parser[section]) for section in parser.sections()}
    declared = project()
    assert found == {"console_scripts": declared["scripts"], **declared["entry-points"]}
    assert len(found["claimlint.rules"]) >= 20


def test_the_wheel_works_without_the_checkout(wheel: Path, workdir: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    passport = {"claim_drifts": [{"drift_kind": "NONE"}]}
    Path("p.json").write_text(json.dumps(passport))
    code = (
        "import os, sys; site, root = sys.argv.pop(1), sys.argv.pop(1); "
        "sys.path = [site] + [p for p in sys.path if p and p not in (root, os.path.join(root, 'rules'))]; "
        "import claimlint; print(claimlint.__file__); from claimlint.__main__ import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(site), str(ROOT), "check", "p.json", "--format", "concise"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    where, *found = ran.stdout.splitlines()
    assert where == str(site / "claimlint" / "__init__.py")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert any(": SCHEMA-1 " in line for line in found)


def test_the_source_distribution_holds_what_a_build_and_the_tests_need(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        parts = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    wanted = {"claimlint", "rules", "schemas", "tests", "examples", "pyproject.toml", "README.md", "LICENSE"}
    assert wanted <= parts
    assert not {".venv", ".git", "dist"} & parts
