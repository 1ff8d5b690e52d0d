"""Plugins: entry points are found as the standard library finds them, only faster; what fails to load is named."""

from __future__ import annotations

import sys
import zipfile
from importlib.metadata import entry_points as standard
from pathlib import Path

import pytest

from claimlint.errors import RegistryError
from claimlint.plugins import JUDGES, RETRIEVERS, RULES, EntryPoint, entry_points


def distribution(folder: Path, name: str, text: str, kind: str = "dist-info") -> None:
    """Put the metadata of an installed distribution into a folder."""
    info = folder / f"{name}-1.0.{kind}"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole import path."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize("group", [RULES, JUDGES, RETRIEVERS, "console_scripts"])
def test_all_entry_points_of_this_environment_are_found(group: str) -> None:
    found = {(point.name, point.value) for point in entry_points(group)}
    assert found == {(point.name, point.value) for point in standard(group=group)}


def test_entry_points_are_sorted_by_name_and_distribution(folder: Path) -> None:
    distribution(folder, "zeta", "[g]\nB = z\n[other]\nC = no\n")
    distribution(folder, "alpha", "[x]\nA=no\n\n[g]\n# C = no\n; D = no\nB = a.b:c [extra]\nA   =   a \n")
    distribution(folder, "old", "[g]\nB = o\n", kind="egg-info")
    assert entry_points("g") == (
        EntryPoint("A", "a", "alpha"),
        EntryPoint("B", "a.b:c", "alpha"),
        EntryPoint("B", "o", "old"),
        EntryPoint("B", "z", "zeta"),
    )


def test_the_first_of_two_copies_of_a_distribution_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(tmp_path / "one", "alpha", "[g]\nA = first\n")
    distribution(tmp_path / "two", "alpha", "[g]\nA = second\nB = second\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "one")])
    assert entry_points("g") == (EntryPoint("A", "first", "alpha"),)


def test_what_cannot_be_read_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution(folder, "good", "[g]\nA = a\n")
    (folder / "bare-1.dist-info").mkdir()
    (folder / "file-1.egg-info").write_text("Name: file")
    distribution(folder, "broken", "")
    (folder / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"[g]\nB = \xff\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder / "gone")])
    assert entry_points("g") == (EntryPoint("A", "a", "good"),)


def test_an_empty_entry_of_the_path_is_the_working_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(folder, "here", "[g]\nA = a\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [""])
    assert entry_points("g") == (EntryPoint("A", "a", "here"),)


def test_a_zip_on_the_path_is_left_to_the_standard_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = folder / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("in_zip-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: in-zip\nVersion: 1.0\n")
        file.writestr("in_zip-1.0.dist-info/entry_points.txt", "[g]\nA = a\n")
    distribution(folder, "plain", "[g]\nB = b\n")
    monkeypatch.setattr(sys, "path", [str(archive), str(folder)])
    assert entry_points("g") == (EntryPoint("A", "a", "in_zip"), EntryPoint("B", "b", "plain"))


def test_a_module_and_an_attribute_of_one_are_loaded() -> None:
    assert EntryPoint("A", "json", "d").load() is sys.modules["json"]
    assert EntryPoint("A", "json:decoder.JSONDecoder", "d").load() is sys.modules["json"].JSONDecoder


@pytest.mark.parametrize(
    ("source", "value", "cause"),
    [
        ("", "no_such_module_here", "ModuleNotFoundError: No module named 'no_such_module_here'"),
        ("", "broken_plugin:nothing", "AttributeError: module 'broken_plugin' has no attribute 'nothing'"),
        ("raise KeyError('x')", "broken_plugin", "KeyError: 'x'"),
        ("def (", "broken_plugin", "SyntaxError: "),
        ("import sys; sys.exit(0)", "broken_plugin", "SystemExit: 0"),
        ("", "", "ValueError: Empty module name"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named_with_the_cause(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, value: str, cause: str
) -> None:
    (folder / "broken_plugin.py").write_text(source)
    monkeypatch.delitem(sys.modules, "broken_plugin", raising=False)
    with pytest.raises(RegistryError) as caught:
        EntryPoint("ACME", value, "acme").load()
    assert caught.value.message.startswith(f"plugin ACME ({value} of acme) cannot be loaded: {cause}")
