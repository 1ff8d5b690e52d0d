"""Whole runs with a baseline: what was accepted once stays accepted, from wherever one looks at it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Command

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
JUDGED = ("--judge", "--sources", "sources", "--judge-backend", "replay:replies.json")


@pytest.fixture
def project(workdir: Path) -> Path:
    """The example project in the working directory."""
    shutil.copytree(EXAMPLES, workdir, dirs_exist_ok=True)
    return workdir


def gate(command: Command, *arguments: str) -> list[tuple[str, str, str]]:
    """Code, severity and path of the gate's findings."""
    findings = json.loads(command("check", "paper.md", "--format", "json", *arguments).out)["findings"]
    return [(each["code"], each["severity"], each["path"]) for each in findings if each["code"].startswith("GATE")]


@pytest.mark.parametrize("order", [1, -1])
def test_a_verdict_is_accepted_before_and_after_it_is_written_to_the_passport(
    project: Path, command: Command, order: int
) -> None:
    before = (project / "paper.passport.json").read_bytes()
    ways = [((*JUDGED,), "paper.md"), ((*JUDGED, "--write"), "paper.passport.json")][::order]
    for turn, (arguments, path) in enumerate(ways):
        (project / "paper.passport.json").write_bytes(before)
        found = gate(command, *arguments)
        low = [each for each in found if each[1] in ("low-warn", "info")]
        if turn == 0:
            assert {each[2] for each in low} >= {path}
            command("check", "paper.md", *arguments, "--write-baseline", "--reason", "seen")
            low = [each for each in gate(command, *arguments) if each[1] in ("low-warn", "info")]
        assert low == []
    stale = command("check", "paper.md", *ways[1][0], "--select", "ACK,GATE").out
    assert "ACK-" not in stale


@pytest.mark.parametrize(
    ("sentences", "said"),
    [(0, "0 entries"), (1, "1 entry"), (3, "3 entries")],
)
def test_a_run_that_writes_the_baseline_says_what_it_wrote(
    workdir: Path, command: Command, sentences: int, said: str
) -> None:
    text = "".join(f"Most clinics cut costs by {number}%.\n\n" for number in range(sentences))
    (workdir / "draft.md").write_text(text or "Nothing.\n")
    for options, path in (((), "claimlint-baseline.json"), (("--baseline", "ci.json"), "ci.json")):
        ran = command("check", "--write-baseline", *options)
        assert (ran.code, ran.err) == (0, f"claimlint: wrote {said} to {path}\n")
    assert command("check", "--write-baseline", "--quiet").err == ""


def test_a_baseline_holds_in_every_folder_of_the_project(
    workdir: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workdir / "claimlint.toml").write_text("")
    (workdir / "sub").mkdir()
    (workdir / "sub" / "draft.md").write_text("Most clinics cut waiting times by 40%.\n")
    command("check", "--write-baseline", "--reason", "seen")
    entries = json.loads((workdir / "claimlint-baseline.json").read_text())["entries"]
    assert [each["path"] for each in entries] == ["sub/draft.md"]
    for folder in (".", "sub"):
        monkeypatch.chdir(workdir / folder)
        summary = json.loads(command("check", "--format", "json").out)
        assert (summary["findings"], summary["summary"]["acknowledged"]) == ([], 1)
