"""The audit's half of the command line, in this process: options to an audit, its plan, its progress."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import click
import pytest

from claimlint.cli import entry, judging, progress
from claimlint.cli.progress import PLAIN_SECONDS, Watch

from .e2e.projects import all_supported, project, replay, verdicts


class Screen(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A monotonic clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    project(tmp_path)
    replay(tmp_path / "replies.json", all_supported(4))
    return tmp_path


def audit(*arguments: str, backend: str = "replay:replies.json") -> int:
    return entry.run(
        ["check", "draft.md", "--judge", "--sources", "sources", "--judge-backend", backend, *arguments]
    )


def test_a_log_hears_of_a_long_stage_now_and_then_and_of_the_end(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Watch(quiet=False) as watch:
        watch.retrieving(0, 2)
        clock.now += 1
        watch.retrieving(1, 2)
        watch.retrieving(2, 2)
        assert capsys.readouterr().err == "", "a short stage is not worth a line"
        watch.judging(0, 10, 0.0)
        clock.now += 1
        watch.judging(1, 10, 0.01)
        clock.now += PLAIN_SECONDS
        watch.judging(2, 10, 0.02)
        watch.judging(3, 10, 0.03)
        clock.now += 2.5
        watch.judging(10, 10, 0.1)
    assert capsys.readouterr().err.splitlines() == [
        "claimlint: asking the judge: 2 of 10, about 24 s left, cost so far 0.02",
        "claimlint: asking the judge: 10 of 10 in 8.5 s, cost so far 0.10",
    ]


def test_a_slow_retrieval_says_how_it_ended(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Watch(quiet=False) as watch:
        watch.retrieving(0, 1)
        clock.now += PLAIN_SECONDS
        watch.retrieving(1, 1)
        watch.retrieving(0, 0)
    assert capsys.readouterr().err == "claimlint: fetching sources: 1 of 1 in 5.0 s\n"


def test_a_terminal_shows_a_bar_until_the_stage_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with Watch(quiet=False) as watch:
        watch.judging(0, 4, 0.0)
        watch.judging(2, 4, 0.5)
        assert "asking the judge" in screen.getvalue()
        watch.judging(4, 4, 1.0)
        over = screen.getvalue()
        watch.retrieving(0, 2)
        watch.judging(0, 2, None)
    assert "4/4" in over
    assert re.search(r"cost so far 1\.00", over)


def test_quiet_progress_says_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Watch(quiet=True) as watch:
        watch.judging(0, 4, 0.0)
        clock.now += 100
        watch.judging(4, 4, 1.0)
    assert capsys.readouterr().err == ""


def test_settings_and_options_make_the_audit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "claimlint.toml").write_text(
        'cache-dir = "kept"\nsources = ["sources"]\n[judge]\nbackend = "replay:replies.json"\nmax-calls = 3\n',
        "utf-8",
    )
    assert entry.run(["check", "draft.md", "--judge"]) == 3
    assert len(list((folder / "kept" / "claim_audit_v1").glob("*.json"))) == 3
    assert "3 calls" in capsys.readouterr().err
    assert entry.run(["check", "draft.md", "--judge", "--max-calls", "8", "--quiet"]) == 0
    assert "1 call (3 verdicts cached)" in capsys.readouterr().err
    assert not (folder / ".claimlint_cache").exists()


def test_a_dry_run_prints_a_plan_and_no_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("--dry-run", "--write", "--format", "json") == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "4 calls" in told.err
    assert sorted(path.name for path in folder.iterdir()) == ["draft.md", "replies.json", "sources"]


def test_a_dry_run_in_which_something_went_wrong_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.md").write_bytes(b"\xff\xfe\x00")
    assert audit("bad.md", "--dry-run") == 2
    assert "bad.md" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "code", "kept"),
    [(True, 0, 4), (False, 2, 0), (None, entry.INTERRUPTED, 0)],
    ids=["yes", "no", "ctrl-c"],
)
def test_a_person_is_asked_before_calls(
    answer: bool | None, code: int, kept: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def confirm(question: str, **_more: object) -> bool:
        asked.append(question)
        if answer is None:
            raise click.Abort
        return answer

    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(judging, "_asks_first", lambda *_: True)
    monkeypatch.setattr("sys.stdin", Screen())
    monkeypatch.setattr("sys.stderr", Screen())
    assert audit() == code
    assert asked == ["Make 4 calls?"]
    assert len(verdicts(folder)) == kept


def test_the_report_of_an_audit_counts_what_it_covers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("--format", "json", "--max-calls", "1") == 3
    summary = json.loads(capsys.readouterr().out)["summary"]["audit"]
    assert (summary["audited"], summary["not_audited"], summary["complete"]) == (1, 3, False)
    assert audit("--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["summary"]["audit"]["complete"] is True


def test_the_cache_is_counted_and_pruned_by_age(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit() == 0
    (verdicts(folder)[0].parent / "x.json.corrupt").write_text("{", "utf-8")
    capsys.readouterr()
    assert entry.run(["cache", "info"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"verdicts +4\n", said)
    assert re.search(r"damaged +1\n", said)
    assert re.search(r"oldest +\d{4}-\d\d-\d\d \d\d:\d\d\n", said)
    assert entry.run(["cache", "prune", "--older-than", "1"]) == 0
    assert len(verdicts(folder)) == 4
    assert entry.run(["cache", "prune", "--cache-dir", ".claimlint_cache"]) == 0
    assert verdicts(folder) == []
