"""The ANCHOR rules: how much each outcome weighs, and from files to findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlint.cli.entry import run
from tests.pdf_writer import pdf


def check(folder: Path, draft: str, capsys: pytest.CaptureFixture[str], *more: str) -> list[tuple[str, str, int]]:
    """Code, severity and line of what ``claimlint check`` finds of the family ANCHOR, in order."""
    (folder / "draft.md").write_text(draft, encoding="utf-8")
    (folder / "claimlint.toml").write_text("", encoding="utf-8")
    run(["check", "--format", "json", "--select", "ANCHOR", *more, "draft.md"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    return [(each["code"], each["severity"], each["line"]) for each in findings]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "note2020.txt").write_text(
        "# Costs\n\nCosts fell by 12%.\n\n# Losses\n\nLosses did not.\n", encoding="utf-8"
    )
    (sources / "paper2021.pdf").write_bytes(pdf([["Costs fell by a third in all of the stores."], ["End."]]))
    (sources / "broken2022.pdf").write_bytes(pdf([["a"], ["b"]], declared=1))
    monkeypatch.chdir(tmp_path)
    return tmp_path


DRAFT = """Found <!--ref:note2020--><!--anchor:quote:Costs%20fell-->.
Made up <!--ref:note2020--><!--anchor:quote:Costs%20rose%20sharply-->.
Capitals <!--ref:note2020--><!--anchor:quote:costs%20fell-->.
Close in a PDF <!--ref:paper2021--><!--anchor:quote:by%20a%20third%20in%20most%20of%20the%20stores-->.
Hidden by damage <!--ref:broken2022--><!--anchor:quote:any%20other%20words-->.
Found <!--ref:paper2021--><!--anchor:page:2-->.
Beyond the end <!--ref:paper2021--><!--anchor:page:3-->.
Damaged <!--ref:broken2022--><!--anchor:page:9-->.
Found <!--ref:note2020--><!--anchor:section:Losses-->.
Not there <!--ref:note2020--><!--anchor:section:Methods-->.
Not there <!--ref:note2020--><!--anchor:paragraph:9-->.
Cannot be told <!--ref:paper2021--><!--anchor:paragraph:1-->.
"""


def test_each_outcome_has_its_weight(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(folder, DRAFT, capsys, "--sources", "sources") == [
        ("ANCHOR-1", "high-warn", 2),
        ("ANCHOR-1", "low-warn", 3),
        ("ANCHOR-1", "med-warn", 4),
        ("ANCHOR-1", "info", 5),
        ("ANCHOR-2", "med-warn", 7),
        ("ANCHOR-2", "info", 8),
        ("ANCHOR-3", "low-warn", 10),
        ("ANCHOR-3", "low-warn", 11),
        ("ANCHOR-3", "info", 12),
    ]


def test_a_source_without_a_file_is_said_once_with_the_name_to_give_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = """Once <!--ref:marsh2019--><!--anchor:page:3-->.
Twice <!--ref:marsh2019--><!--anchor:quote:any%20words-->.
Found <!--ref:note2020--><!--anchor:quote:Costs%20fell-->.
Other <!--ref:rfc:9110--><!--anchor:section:4-->.
"""
    (folder / "more").mkdir()
    (folder / "draft.md").write_text(draft, encoding="utf-8")
    arguments = ("--select", "ANCHOR", "--sources", "sources", "--sources", "more", "--format", "concise")
    assert run(["check", *arguments, "draft.md"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "draft.md:1:26: ANCHOR-2 info no file for marsh2019 in sources or more; "
        "name it marsh2019.pdf (or .txt, .md, .html)",
        "draft.md:4:26: ANCHOR-3 info no file for rfc:9110 in sources or more; "
        "name it rfc-9110.pdf (or .txt, .md, .html)",
    ]
    (folder / "named").mkdir()
    for name in ("marsh2019.txt", "rfc-9110.md"):
        (folder / "named" / name).write_text("# 4 any words\n\nany words\n", encoding="utf-8")
    run(["check", *arguments, "--sources", "named", "draft.md"])
    assert "no file for" not in capsys.readouterr().out


@pytest.mark.parametrize("named", ["draft.md", "p.json"])
def test_a_folder_of_sources_that_is_none_stops_the_run_and_whoever_names_it_is_named(
    folder: Path, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "draft.md").write_text("Nothing.\n", encoding="utf-8")
    (folder / "p.json").write_text('{"claim_drifts": []}', encoding="utf-8")
    for given, fault in (("gone", "no such folder"), ("draft.md", "is no folder")):
        (folder / "claimlint.toml").write_text("", encoding="utf-8")
        assert run(["check", "--sources", given, named]) == 2
        assert capsys.readouterr().err == f"claimlint: error: --sources {given}: {fault}\n"
        (folder / "claimlint.toml").write_text(f'sources = ["{given}"]', encoding="utf-8")
        assert run(["check", named]) == 2
        assert capsys.readouterr().err == f"claimlint: error: claimlint.toml: sources: {given}: {fault}\n"


def test_without_sources_nothing_is_looked_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(folder, DRAFT, capsys) == []


def test_a_made_up_quote_fails_the_run_and_an_unreadable_source_does_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = DRAFT.splitlines()
    for number, code in ((1, 1), (4, 0)):
        (folder / "draft.md").write_text(lines[number], encoding="utf-8")
        assert run(["check", "--select", "ANCHOR", "--sources", "sources", "draft.md"]) == code
    capsys.readouterr()


def test_the_corpus_row_says_where_the_source_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "citation_key": "elsewhere",
        "title": "T",
        "authors": [],
        "year": 2020,
        "source_pointer": "file:note2020.txt",
    }
    passport = {"literature_corpus": [row]}
    (folder / "draft.passport.json").write_text(json.dumps(passport), encoding="utf-8")
    draft = "Made up <!--ref:elsewhere--><!--anchor:quote:Costs%20rose%20sharply-->.\n"
    arguments = ("--sources", "sources", "--passport", "draft.passport.json")
    assert check(folder, draft, capsys, *arguments) == [("ANCHOR-1", "high-warn", 1)]
