"""The hooks that claimlint offers, and the one it uses on its own examples."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from claimlint.cli.entry import run

ROOT = Path(__file__).parent.parent
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}


@pytest.mark.parametrize(
    ("name", "hooks"),
    [
        ("paper.md", {"claimlint"}),
        ("drafts/über uns.markdown", {"claimlint"}),
        ("analysis.qmd", {"claimlint"}),
        ("analysis.Rmd", {"claimlint"}),
        ("audit.json", {"claimlint"}),
        ("evidence/audit.yaml", {"claimlint"}),
        ("passport.json", {"claimlint", "claimlint-passports"}),
        ("a/passport.yml", {"claimlint", "claimlint-passports"}),
        ("paper.passport.json", {"claimlint", "claimlint-passports"}),
        ("my-passport.YAML", {"claimlint", "claimlint-passports"}),
        ("notpassport.json", {"claimlint"}),
        ("paper.md.bak", set()),
        ("paper.tex", set()),
        ("passport.toml", set()),
        ("json", set()),
    ],
)
def test_each_hook_takes_the_files_it_is_for(name: str, hooks: set[str]) -> None:
    assert {hook for hook, made in HOOKS.items() if re.search(made["files"], name)} == hooks


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_hook_sees_all_its_files_in_one_run_and_passes_over_what_is_not_its_own(
    hook: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("package.json").write_text('{"name": "x"}', encoding="utf-8")
    Path("README.md").write_text("Most people like it.\n", encoding="utf-8")
    program, *arguments = shlex.split(HOOKS[hook]["entry"])
    assert (program, HOOKS[hook]["require_serial"]) == ("claimlint", True)
    assert run([*arguments, "package.json", "README.md"]) == 0
    assert "none of the paths holds a draft or a passport" in capsys.readouterr().out


@pytest.mark.parametrize("passed", ["paper.md", "paper.passport.json"])
def test_the_hook_finds_the_other_half_itself(
    passed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.md").write_text("Queues fell <!--ref:okafor2024-->.\n", encoding="utf-8")
    Path("paper.passport.json").write_text('{"claim_drifts": [{}]}', encoding="utf-8")
    assert run(["check", "--hook", "--format", "concise", passed]) == 1
    reported = {line.split(":")[0] for line in capsys.readouterr().out.splitlines()}
    assert reported == {"paper.md", "paper.passport.json"}


def test_our_own_hook_passes_on_the_examples_that_are_not_broken_on_purpose(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    config = yaml.safe_load(Path(".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hook = next(each for each in config["repos"][0]["hooks"] if each["id"] == "claimlint")
    files = [
        path.as_posix()
        for path in sorted(Path("examples").rglob("*"))
        if path.is_file() and path.suffix != ".pdf" and not re.search(hook["exclude"], path.as_posix())
    ]
    assert all(re.search(hook["files"], path) for path in files)
    assert run([*shlex.split(hook["entry"])[1:], *files]) == 0
    capsys.readouterr()
