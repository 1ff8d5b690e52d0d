"""A file that the settings name and that is not there: the message names settings file, key and file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command


@pytest.mark.parametrize(
    ("settings", "arguments", "message"),
    [
        (
            'baseline = "gone.json"',
            ("check", "draft.md"),
            "baseline: gone.json cannot be used: no such file; create it with --write-baseline",
        ),
        (
            '[judge-prompt]\nfile = "gone.md"',
            ("check", "draft.md"),
            "judge-prompt.file: gone.md: no such file",
        ),
        ('[judge-prompt]\nfile = "gone.md"', ("prompt", "hash"), "judge-prompt.file: gone.md: no such file"),
        ('[judge-prompt]\nfile = "gone.md"', ("prompt", "pin"), "judge-prompt.file: gone.md: no such file"),
        ('sources = ["gone"]', ("check", "draft.md"), "sources: gone: no such folder"),
    ],
)
def test_who_names_a_file_that_is_missing_is_named(
    workdir: Path, command: Command, settings: str, arguments: tuple[str, ...], message: str
) -> None:
    (workdir / "claimlint.toml").write_text(settings + "\n")
    (workdir / "draft.md").write_text("Nothing.\n")
    ran = command(*arguments)
    assert (ran.code, ran.err) == (2, f"claimlint: error: claimlint.toml: {message}\n")


def test_a_baseline_of_the_settings_that_is_missing_can_be_written(workdir: Path, command: Command) -> None:
    (workdir / "claimlint.toml").write_text('baseline = "new.json"\n')
    (workdir / "draft.md").write_text("Nothing.\n")
    assert command("check", "--write-baseline").code == 0
    assert command("check").code == 0
