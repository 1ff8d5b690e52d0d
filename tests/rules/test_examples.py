"""Every rule holds together: page, examples with their exact output, README row, entry point.

An example is a file ``good-*`` or ``bad-*`` in ``tests/rules/CODE/``; beside it stands its whole expected output
in the concise format, ``<stem>.out``. Each is checked in its own folder. Other files there are companions: a
draft's ``<stem>.passport.json``, its bibliography, ``claimlint.toml`` (or ``<stem>.toml``) with settings, a folder
``sources``. A rule that is off by default is turned on for its examples.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from claimlint import registry
from claimlint.cli.entry import run
from claimlint.plugins import RULES, entry_points
from claimlint.rules import Rule

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"
COMPANIONS = (".out", ".toml", ".bib", ".passport.json", ".passport.yaml", ".csl.json")


def _examples() -> list[Path]:
    return [
        path
        for path in sorted(FOLDER.glob("*/*"))
        if path.name.startswith(("good-", "bad-")) and path.is_file() and not path.name.endswith(COMPANIONS)
    ]


EXAMPLES = _examples()


@cache
def _rules() -> tuple[Rule, ...]:
    return registry.load().rules


def _output(example: Path, empty: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What ``claimlint check`` prints of an example in the concise format."""
    code, folder = example.parent.name, example.parent
    configs = (folder / f"{example.stem}.toml", folder / "claimlint.toml", empty)
    config = next(path for path in configs if path.is_file())
    arguments = ["check", "--format", "concise", "--show-all", "--quiet", "--jobs", "1", "--config", str(config)]
    if not next(rule for rule in _rules() if rule.code == code).default:
        arguments += ["--extend-select", code]
    if (folder / "sources").is_dir():
        arguments += ["--sources", "sources"]
    run([*arguments, example.name])
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{path.parent.name}/{path.name}" for path in EXAMPLES])
def test_an_example_has_exactly_its_expected_output(
    example: Path,
    update: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    empty = tmp_path / "claimlint.toml"
    empty.write_text("", encoding="utf-8")
    monkeypatch.chdir(example.parent)
    found = _output(example, empty, capsys)
    lines = re.findall(rf"^[^:]+:\d+:\d+: {re.escape(example.parent.name)} ", found, re.MULTILINE)
    assert bool(lines) is example.name.startswith("bad-"), found
    expected = example.with_suffix(".out")
    if update:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def test_every_rule_has_a_good_and_a_bad_example() -> None:
    lacking = [
        rule.code
        for rule in _rules()
        if {path.name.partition("-")[0] for path in EXAMPLES if path.parent.name == rule.code} != {"good", "bad"}
    ]
    assert lacking == []


def test_every_folder_of_examples_belongs_to_a_rule_and_every_output_to_an_example() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert folders - {rule.code for rule in _rules()} == set()
    outputs = set(FOLDER.glob("*/*.out"))
    assert outputs == {example.with_suffix(".out") for example in EXAMPLES}


def _sections(rule: Rule) -> dict[str, str]:
    """The text of each section of a rule's page."""
    found: dict[str, str] = {}
    name = ""
    for line in rule.page.splitlines()[1:]:
        if line in registry.PAGE_SECTIONS:
            name = line
            found[name] = ""
        elif name:
            found[name] += line + "\n"
    return found


def test_every_page_has_a_summary_sentence_and_all_its_sections_in_order() -> None:
    for rule in _rules():
        summary, blank = rule.page.splitlines()[:2]
        assert summary.endswith("."), rule.code
        assert blank == "", rule.code
        sections = _sections(rule)
        assert list(sections) == list(registry.PAGE_SECTIONS), rule.code
        assert all(len(text.split()) >= 2 for text in sections.values()), rule.code


def test_examples_in_pages_that_look_like_json_are_json() -> None:
    for rule in _rules():
        for name in ("Bad", "Good"):
            text = _sections(rule)[name].strip()
            if text.startswith("{") and rule.family != "JSON":
                assert isinstance(json.loads(text), dict), rule.code


def test_names_are_unique_and_spelt_alike() -> None:
    names = [rule.name for rule in _rules()]
    assert sorted(names) == sorted(set(names))
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_every_family_is_the_entry_point_of_its_module() -> None:
    points = {point.name: point.value for point in entry_points(RULES) if point.distribution == "claimlint_drafts"}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert points == declared["project"]["entry-points"]["claimlint.rules"]
    ours = [rule for rule in _rules() if rule.check.__module__.startswith("claimlint_rules.")]
    assert {rule.family: rule.check.__module__ for rule in ours} == points


def _table() -> str:
    """The README's table of rules."""
    rows = ["| code | name | severity | what it asks |", "| --- | --- | --- | --- |"]
    for rule in _rules():
        title = rule.title.replace("|", "\\|")
        off = "" if rule.default else " (off by default)"
        rows.append(f"| {rule.code} | {rule.name} | {rule.severity.label}{off} | {title} |")
    return "\n".join(rows)


def test_the_readme_has_the_row_of_every_rule(update: bool) -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    shown, _, after = rest.partition(END)
    if update:
        readme.write_text(f"{before}{BEGIN}\n{_table()}\n{END}{after}", encoding="utf-8")
        return
    assert shown.strip().splitlines() == _table().splitlines()
