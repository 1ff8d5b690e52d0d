"""What the command says before it asks anybody: missing judges, wrong options, plans, questions to a person."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from .cli import COMMAND, Inside, Ran, claimlint, environment
from .projects import all_supported, project, replay, verdicts
from .servers import Answer, judge_server

AUDIT = ("check", "draft.md", "--judge", "--sources", "sources")


Run = Callable[..., Ran]


def refused(run: Run, folder: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """What a run says that ends with a usage error, and changes nothing on disk."""
    before = sorted(folder.rglob("*"))
    ran = run(folder, *arguments, env=env)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert sorted(folder.rglob("*")) == before
    return ran.err


def test_no_judge_shows_three_ways_to_get_one(tmp_path: Path) -> None:
    project(tmp_path)
    said = refused(claimlint, tmp_path, *AUDIT)
    for way in ("--judge-backend openai", "--judge-backend anthropic", '--judge-backend "command:'):
        assert way in said


@pytest.mark.parametrize(
    "option",
    [
        ("--judge-backend", "openai"),
        ("--judge-model", "m"),
        ("--retriever", "local"),
        ("--online",),
        ("--max-claims", "5"),
        ("--max-calls", "0"),
        ("--max-cost", "0"),
        ("--concurrency", "2"),
        ("--dry-run",),
        ("--write",),
        ("--cache-dir", "x"),
        ("--no-cache",),
        ("--yes",),
    ],
    ids=lambda option: option[0],
)
def test_an_option_of_the_audit_without_judge_is_refused(
    option: tuple[str, ...], tmp_path: Path, inside: Inside
) -> None:
    project(tmp_path)
    assert f"{option[0]} goes with --judge" in refused(inside, tmp_path, "check", "draft.md", *option)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge-backend", "opneai"), "did you mean openai?"),
        (("--judge-backend", "oracle"), "known: anthropic, command, openai, replay"),
        (("--judge-backend", "openai"), "needs a model"),
        (("--judge-backend", "openai", "--judge-model", "m"), "needs a base URL"),
        (("--judge-backend", "openai:https://example.org/v1", "--judge-model", "m"), "set OPENAI_API_KEY"),
        (("--judge-backend", "anthropic", "--judge-model", "m"), "set ANTHROPIC_API_KEY"),
        (("--judge-backend", "openai:ftp://example.org", "--judge-model", "m"), "must begin with http"),
        (("--judge-backend", "openai:http://u:p@localhost/v1", "--judge-model", "m"), "no user name"),
        (("--judge-backend", "command:"), "command"),
        (("--judge-backend", "command:no-such-program-here"), "no-such-program-here"),
        (("--judge-backend", "replay:missing.json"), "missing.json"),
        (("--judge-backend", "replay:replies.json", "--retriever", "loacl"), "there is no retriever 'loacl'"),
        (("--judge-backend", "replay:replies.json", "--retriever", "api"), "add --online"),
        (("--judge-backend", "replay:replies.json", "--retriever", "replay:none.json"), "none.json"),
        (("--judge-backend", "replay:replies.json", "--max-cost", "1"), "price-in and price-out"),
        (("--judge-backend", "replay:replies.json", "--max-claims", "0"), "max-claims"),
        (("--judge-backend", "replay:replies.json", "--concurrency", "0"), "concurrency"),
        (("--judge-backend", "replay:replies.json", "--max-calls", "-1"), "max-calls"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_carried_out_is_said_before_anything_is_asked(
    arguments: tuple[str, ...], said: str, tmp_path: Path, inside: Inside
) -> None:
    project(tmp_path)
    replay(tmp_path / "replies.json", all_supported(4))
    assert said in refused(inside, tmp_path, *AUDIT, *arguments)


def test_sources_are_needed(tmp_path: Path, inside: Inside) -> None:
    project(tmp_path)
    backend = replay(tmp_path / "replies.json", all_supported(4))
    for options in (("--judge-backend", backend), ("--judge-backend", backend, "--dry-run")):
        assert "--sources DIR" in refused(inside, tmp_path, "check", "draft.md", "--judge", *options)
    assert "no such folder" in refused(
        inside, tmp_path, "check", "draft.md", "--judge", "--sources", "nowhere", "--judge-backend", backend
    )


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(name: str, tmp_path: Path) -> None:
    project(tmp_path)
    hide = f"import sys; sys.modules[{name!r}] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hide, "utf-8")
    paths = os.pathsep.join((str(tmp_path), environment(tmp_path)["PYTHONPATH"]))
    backend = ("--judge-backend", f"{name}:http://localhost:9", "--judge-model", "m")
    said = refused(
        claimlint, tmp_path, *AUDIT, *backend, env={"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    )
    assert f"pip install 'claimlint-drafts[{name}]'" in said


def test_a_passport_alone_has_no_citations_to_audit(tmp_path: Path) -> None:
    project(tmp_path, passport={"claim_audit_results": []})
    backend = replay(tmp_path / "replies.json", [])
    said = refused(
        claimlint,
        tmp_path,
        "check",
        "draft.passport.json",
        "--judge",
        "--sources",
        "sources",
        "--judge-backend",
        backend,
    )
    assert "none of the paths is a draft" in said


def test_a_dry_run_shows_the_plan_and_asks_nobody(tmp_path: Path) -> None:
    project(tmp_path, count=6, judge={"price-in": 3.0, "price-out": 15.0})
    with judge_server() as server:
        ran = claimlint(tmp_path, *AUDIT, "--dry-run", "--write", *server.backend("openai"))
        assert (ran.code, ran.out, server.claims) == (0, "", [])
        assert re.search(
            r"draft\.md: 6 calls \(0 verdicts cached\), about \d+ tokens in and 1500 out, about 0\.\d\d", ran.err
        )
        assert not (tmp_path / "draft.passport.json").exists()
        assert claimlint(tmp_path, *AUDIT, "--max-calls", "4", *server.backend("openai")).code == 3
        half = claimlint(tmp_path, *AUDIT, "--dry-run", *server.backend("openai"))
        assert "2 calls (4 verdicts cached)" in half.err
    without = claimlint(tmp_path, *AUDIT, "--dry-run")
    assert (without.code, "6 calls" in without.err) == (0, True)


def test_a_limit_on_cost_keeps_the_calls_below_it(tmp_path: Path, inside: Inside) -> None:
    project(tmp_path, count=8, judge={"price-in": 0.0, "price-out": 4000.0})
    backend = replay(tmp_path / "replies.json", all_supported(8))
    options = (*AUDIT, "--format", "json", "--judge-backend", backend)
    ran = inside(tmp_path, *options, "--max-cost", "3.5")
    assert (ran.code, ran.audit, len(verdicts(tmp_path))) == (3, (3, 0, 5), 3)
    assert inside(tmp_path, *options, "--max-cost", "0").audit == (3, 0, 5)
    assert inside(tmp_path, *options, "--max-cost", "5").audit == (8, 0, 0)


def test_the_plan_comes_before_the_first_call(tmp_path: Path) -> None:
    project(tmp_path)
    process = None
    with judge_server(lambda _claim, _earlier: Answer(delay=20)) as server:
        process = subprocess.Popen(
            [*COMMAND, *AUDIT, *server.backend("openai")],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        assert process.stderr is not None
        with process.stderr:
            first = process.stderr.readline()
            process.kill()
        process.wait()
    assert first.startswith(b"claimlint: draft.md: 4 citations of 4 sources")


QUESTION = "calls?"
CTRL_C = b"\x03"


def on_a_terminal(folder: Path, arguments: Sequence[str], typed: bytes = b"") -> tuple[int, str, str]:
    """Run the command with standard input and error on a terminal; returns code, output and what it showed.

    ``typed`` is typed when the command asks its question.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env={**environment(folder), "TERM": "xterm", "COLUMNS": "100"},
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    asked = False
    pressed = 0.0
    ends = time.monotonic() + 60
    try:
        while time.monotonic() < ends:
            ready, _, _ = select.select([ours], [], [], 0.1)
            if ready:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                shown += piece
            if typed == CTRL_C and QUESTION.encode() in shown and time.monotonic() > pressed + 2:
                # What a terminal makes of it; pressed again, because one that comes just before the read is lost.
                pressed = time.monotonic()
                time.sleep(0.3)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGINT)
            elif typed != CTRL_C and not asked and QUESTION.encode() in shown:
                asked = True
                os.write(ours, typed)
        out, _ = process.communicate(timeout=60)
        return process.returncode, out.decode(), shown.decode()
    finally:
        process.kill()
        process.communicate()
        os.close(ours)


def test_on_a_terminal_a_person_is_asked_before_calls_that_may_cost(tmp_path: Path) -> None:
    project(tmp_path)
    with judge_server() as server:
        options = [*AUDIT, "--format", "json", *server.backend("openai")]
        code, out, shown = on_a_terminal(tmp_path, options, b"n\n")
        assert f"Make 4 {QUESTION}" in shown
        assert (code, server.claims) == (2, [])
        assert "nobody agreed to the calls" in shown
        code, out, shown = on_a_terminal(tmp_path, options, b"\n")
        assert (code, len(server.claims)) == (0, 4)
        assert '"audited": 4' in out
        code, _, shown = on_a_terminal(tmp_path, options)
        assert (code, QUESTION in shown) == (0, False), "nothing is asked when everything is cached"


def test_yes_and_recorded_judges_ask_nobody(tmp_path: Path) -> None:
    project(tmp_path)
    with judge_server() as server:
        code, _, shown = on_a_terminal(tmp_path, [*AUDIT, "--yes", *server.backend("openai")])
        assert (code, len(server.claims), QUESTION in shown) == (0, 4, False)
    backend = replay(tmp_path / "replies.json", all_supported(4))
    code, _, shown = on_a_terminal(tmp_path, [*AUDIT, "--no-cache", "--judge-backend", backend])
    assert (code, QUESTION in shown) == (0, False)


def test_ctrl_c_at_the_question_asks_nothing(tmp_path: Path) -> None:
    project(tmp_path)
    with judge_server() as server:
        code, out, shown = on_a_terminal(tmp_path, [*AUDIT, *server.backend("openai")], CTRL_C)
        assert server.claims == []
    assert (code, out) == (130, "")
    assert "interrupted" in shown


def test_a_terminal_gets_a_bar_with_eta_and_cost_and_a_log_gets_lines(tmp_path: Path) -> None:
    project(tmp_path, count=12, judge={"price-in": 3.0, "price-out": 15.0})
    with judge_server(lambda _claim, _earlier: Answer(delay=0.2)) as server:
        options = [*AUDIT, "--yes", "--concurrency", "4", *server.backend("openai")]
        code, out, shown = on_a_terminal(tmp_path, options)
        assert code == 0
        assert re.search(r"asking the judge, cost so far 0\.\d\d .*━", shown)
        assert re.search(r"\d+/12", shown)
        assert re.search(r"\d:\d\d:\d\d", shown)
        assert "━" not in out
        log = claimlint(tmp_path, *options, "--no-cache")
        assert "asking the judge: 12 of 12 in " in log.err
        assert "\x1b" not in log.err + log.out
        cached = claimlint(tmp_path, *options, "--quiet")
        assert cached.err == ""
    backend = replay(tmp_path / "replies.json", all_supported(12))
    quiet = claimlint(tmp_path, *AUDIT, "--quiet", "--judge-backend", backend)
    assert "asking" not in quiet.err
    assert "12 calls" in quiet.err, "what costs is said even so"


def test_the_cache_can_be_looked_at_and_emptied(tmp_path: Path) -> None:
    project(tmp_path)
    backend = replay(tmp_path / "replies.json", all_supported(4))
    assert claimlint(tmp_path, *AUDIT, "--judge-backend", backend).code == 0
    assert re.search(r"verdicts +4\n", claimlint(tmp_path, "cache", "info").out)
    kept = claimlint(tmp_path, "cache", "prune", "--older-than", "1")
    assert (kept.code, len(verdicts(tmp_path))) == (0, 4)
    pruned = claimlint(tmp_path, "cache", "prune")
    assert (pruned.code, verdicts(tmp_path)) == (0, [])
    assert re.search(r"verdicts +0\n", claimlint(tmp_path, "cache", "info").out)
    elsewhere = claimlint(tmp_path, "cache", "info", "--cache-dir", "nowhere")
    assert (elsewhere.code, "verdicts  0" in elsewhere.out) == (0, True)
    untouched = claimlint(tmp_path, *AUDIT, "--judge-backend", backend, "--no-cache")
    assert (untouched.code, verdicts(tmp_path)) == (0, [])


def test_a_draft_whose_passport_cannot_be_read_costs_nothing(tmp_path: Path) -> None:
    passport = project(tmp_path)
    passport.write_text('{"claim_intent_manifests": [', "utf-8")
    with judge_server() as server:
        ran = claimlint(tmp_path, *AUDIT, "--format", "json", *server.backend("openai"))
        assert (ran.code, server.claims) == (2, [])
    assert "draft.md: not audited, because draft.passport.json cannot be read" in ran.err
    assert ran.codes == ["JSON-1"]
    assert ran.audit == (0, 0, 4)


def test_a_draft_that_cannot_be_read_keeps_no_other_from_its_audit(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00")
    backend = replay(tmp_path / "replies.json", all_supported(4))
    ran = claimlint(tmp_path, *AUDIT, "bad.md", "--format", "json", "--judge-backend", backend)
    assert (ran.code, ran.audit) == (2, (4, 0, 0))
    assert [error["path"] for error in ran.report["errors"]] == ["bad.md"]


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    project(tmp_path)
    backend = replay(tmp_path / "replies.json", all_supported(4))
    options = ("--judge", "--sources", "sources", "--judge-backend", backend)
    ran = claimlint(tmp_path, "check", "nowhere.md", *options)
    assert (ran.code, "nowhere.md: no such file" in ran.err) == (2, True)


def test_standard_input_is_audited_under_its_name(tmp_path: Path) -> None:
    project(tmp_path)
    backend = replay(tmp_path / "replies.json", all_supported(4))
    text = (tmp_path / "draft.md").read_text("utf-8")
    options = ("--judge", "--sources", "sources", "--format", "json", "--judge-backend", backend)
    ran = claimlint(tmp_path, "check", "--stdin-filename", "piped.md", *options, stdin=text)
    assert (ran.code, ran.audit) == (0, (4, 0, 0))
    assert {finding["path"] for finding in ran.report["findings"]} == {"piped.md"}
