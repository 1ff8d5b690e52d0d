"""Runs that end early: Ctrl-C, a kill, and two processes at once. What was judged is kept, and asked once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from .cli import Ran, audit_rows, claimlint, ended, start
from .projects import project, verdicts
from .servers import UNSUPPORTED, Answer, judge_server

OPTIONS = ("check", "draft.md", "--judge", "--sources", "sources", "--max-claims", "200", "--format", "json")


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "the run did not get that far"
        time.sleep(0.01)


def interrupted(folder: Path, *arguments: str, when: Callable[[], bool]) -> Ran:
    """Run the command and press Ctrl-C as a terminal does: the whole process group is told."""
    process = start(folder, *arguments)
    try:
        wait_for(when)
        os.killpg(process.pid, signal.SIGINT)
        return ended(process, timeout=60)
    finally:
        process.kill()


def test_ctrl_c_keeps_and_shows_what_is_done(tmp_path: Path) -> None:
    passport = project(tmp_path, count=40)
    with judge_server(lambda _claim, _earlier: Answer(delay=0.25)) as server:
        options = (*OPTIONS, "--write", "--concurrency", "4", *server.backend("openai"))
        began = time.monotonic()
        ran = interrupted(tmp_path, *options, when=lambda: len(server.claims) >= 12)
        assert time.monotonic() - began < 60
        asked, kept = set(server.claims), len(verdicts(tmp_path))
        assert ran.code == 3
        assert 8 <= kept < 40
        assert len(asked) - 4 <= kept
        judged = len(audit_rows(passport))
        assert 8 <= judged <= kept, "a verdict may arrive between the key and the end"
        assert ran.audit == (judged, 0, 40 - judged)
        assert ran.codes.count("LINK-3") == 40 - judged
        assert "the run was ended before all questions were asked" in ran.err
        server.claims.clear()
        again = claimlint(tmp_path, *options)
        assert (again.code, again.audit) == (0, (40, 0, 0))
        assert len(server.claims) == 40 - kept
    assert len(audit_rows(passport)) == 40


def test_ctrl_c_with_a_refusal_found_fails_the_run(tmp_path: Path) -> None:
    project(tmp_path, count=20)
    with judge_server(lambda _claim, _earlier: Answer(UNSUPPORTED, delay=0.05)) as server:
        options = (*OPTIONS, "--concurrency", "2", *server.backend("openai"))
        ran = interrupted(tmp_path, *options, when=lambda: len(server.claims) >= 6)
    assert ran.code == 1
    assert ran.report["summary"]["audit"]["complete"] is False


def test_ctrl_c_ends_the_programs_that_judge(tmp_path: Path) -> None:
    project(tmp_path, count=2)
    (tmp_path / "judge.sh").write_text("echo $$ >> pids\nexec sleep 60\n", "utf-8")
    pids = tmp_path / "pids"

    def both_run() -> bool:
        return pids.exists() and pids.read_text("utf-8").count("\n") == 2

    ran = interrupted(tmp_path, *OPTIONS, "--judge-backend", "command:sh judge.sh", when=both_run)
    assert (ran.code, ran.audit) == (3, (0, 0, 2))
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids.read_text("utf-8").split()), 5)


def test_drafts_behind_the_one_that_was_ended_are_named_and_not_called_clean(tmp_path: Path) -> None:
    project(tmp_path, count=20)
    (tmp_path / "later.md").write_text("Finding 300 holds <!--ref:src1--><!--anchor:page:1-->.\n", "utf-8")
    with judge_server(lambda _claim, _earlier: Answer(delay=0.05)) as server:
        options = (*OPTIONS, "later.md", "--concurrency", "2", *server.backend("openai"))
        ran = interrupted(tmp_path, *options, when=lambda: len(server.claims) >= 6)
        assert "Finding 300 holds." not in server.claims
    assert ran.code == 3
    assert "later.md: not audited, because the run was ended" in ran.err
    audited, sampled_out, not_audited = ran.audit
    assert (audited + not_audited, sampled_out) == (21, 0)
    assert not_audited > 1


def test_a_killed_run_leaves_its_verdicts_to_the_next(tmp_path: Path) -> None:
    passport = project(tmp_path, count=200)
    with judge_server(lambda _claim, _earlier: Answer(delay=0.02)) as server:
        options = (*OPTIONS, "--write", "--concurrency", "8", *server.backend("openai"))
        process = start(tmp_path, *options)
        wait_for(lambda: len(server.claims) >= 80)
        process.send_signal(signal.SIGKILL)
        ended(process)
        assert not passport.exists()
        time.sleep(0.3)  # requests of the dead process that the server has yet to read
        kept, asked = len(verdicts(tmp_path)), len(server.claims)
        assert asked - 8 <= kept < 200, "each verdict is kept when it arrives"
        server.claims.clear()
        ran = claimlint(tmp_path, *options)
        assert (ran.code, ran.audit) == (0, (200, 0, 0))
        assert len(server.claims) == len(set(server.claims)) == 200 - kept
        server.claims.clear()
        assert claimlint(tmp_path, *options).code == 0
        assert server.claims == [], "a second run asks nothing"
    assert len(audit_rows(passport)) == 200


def test_two_processes_share_one_cache(tmp_path: Path) -> None:
    for name in ("one", "two"):
        project(tmp_path / name, count=60)
    with judge_server(lambda _claim, _earlier: Answer(delay=0.02)) as server:
        options = (*OPTIONS, "--write", "--cache-dir", "../cache", *server.backend("openai"))
        both = [start(tmp_path / name, *options) for name in ("one", "two")]
        ran = [ended(process) for process in both]
        assert [(each.code, each.audit) for each in ran] == [(0, (60, 0, 0))] * 2
        assert 60 <= len(server.claims) <= 120
        server.claims.clear()
        assert claimlint(tmp_path / "one", *options).code == 0
        assert server.claims == []
    names = [path.name for path in (tmp_path / "cache" / "claim_audit_v1").iterdir()]
    assert len(names) == 60
    assert all(name.endswith(".json") for name in names), "nothing half written is left"
