"""Judges behind HTTP, both protocols, that answer well, late, badly or never."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from .cli import audit_rows, claimlint
from .projects import all_supported, everything, project, replay, verdicts
from .servers import SUPPORTED, UNSUPPORTED, Answer, judge_server

KEY = "sk-e2e-0123456789abcdefPLANTED"
KEYS = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
STYLES = ("openai", "anthropic")

ECHO = Answer(
    body=f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode(),
    status=401,
)
NEVER = Answer(delay=30.0)

# What the server does about each finding, at its first and at all later requests, and the fault that remains.
WAYS: dict[str, tuple[Answer, Answer, str | None]] = {
    "answers": (Answer(), Answer(), None),
    "answers late": (Answer(delay=0.5), Answer(), None),
    "asks to wait": (Answer(b"{}".decode(), body=b"{}", status=429, headers={"Retry-After": "1"}), Answer(), None),
    "fails once": (Answer(body=b"oops", status=500, kind="text/plain"), Answer(), None),
    "breaks off once": (Answer(cut=20), Answer(), None),
    "hangs": (NEVER, NEVER, "judge_timeout"),
    "answers again": (Answer(), Answer(), None),
    "fails always": (Answer(body=b"oops", status=503), Answer(body=b"oops", status=503), "judge_api_error"),
    "breaks off always": (Answer(cut=20), Answer(cut=20), "judge_api_error"),
    "answers in between": (Answer(), Answer(), None),
    "sends no JSON": (Answer(body=b"\x00\xff{"), Answer(body=b"\x00\xff{"), "judge_api_error"),
    "sends half of JSON": (Answer(body=b'{"choices": ['), Answer(body=b'{"content": ['), "judge_api_error"),
    "sends a page": (
        Answer(body=b"<html><script>alert(1)</script>", kind="text/html"),
        Answer(body=b"<html><script>alert(1)</script>", kind="text/html"),
        "judge_api_error",
    ),
    "answers after those": (Answer(), Answer(), None),
    "sends nothing": (Answer(body=b"{}"), Answer(body=b"{}"), "judge_api_error"),
    "gives no verdict": (
        Answer("I would rather not say."),
        Answer("I would rather not say."),
        "judge_parse_error",
    ),
    "gives two verdicts": (
        Answer(f"JUDGMENT: UNSUPPORTED\n{SUPPORTED}"),
        Answer(f"JUDGMENT: UNSUPPORTED\n{SUPPORTED}"),
        "judge_parse_error",
    ),
    "stops within a verdict": (Answer("JUDGMENT: SUPP"), Answer("JUDGMENT: SUPP"), "judge_parse_error"),
}


def claim(way: str) -> str:
    return f"Finding 1 of a judge that {way}."


def draft(ways: list[str]) -> str:
    return "\n\n".join(f"{claim(way)[:-1]} <!--ref:src1--><!--anchor:page:1-->." for way in ways) + "\n"


def outcomes(path: Path) -> dict[str, tuple[str, str]]:
    """Judgment and, for a failure, its fault, by claim."""
    return {row["claim_text"]: (row["judgment"], fault_of(row)) for row in audit_rows(path)}


def fault_of(row: dict[str, str]) -> str:
    return row["rationale"].partition(":")[0] if row["ref_retrieval_method"] == "audit_tool_failure" else ""


@pytest.mark.parametrize("style", STYLES)
def test_each_misbehaviour_costs_its_own_citation_and_no_other(style: str, tmp_path: Path) -> None:
    passport = project(
        tmp_path,
        draft=draft(list(WAYS)),
        judge={"timeout": 1.5, "retries": 1, "concurrency": 1},
    )

    def misbehave(asked: str, earlier: int) -> Answer:
        first, later, _ = next(answers for way, answers in WAYS.items() if claim(way) == asked)
        return later if earlier else first

    with judge_server(misbehave) as server:
        options = ("check", "draft.md", "--judge", "--sources", "sources", "--write", "--format", "json")
        ran = claimlint(tmp_path, *options, *server.backend(style), env=KEYS)
        failed = {claim(way): fault for way, (_, _, fault) in WAYS.items() if fault is not None}
        good = {claim(way) for way in WAYS} - failed.keys()
        assert ran.code == 3
        assert outcomes(passport) == {
            **dict.fromkeys(good, ("SUPPORTED", "")),
            **{each: ("RETRIEVAL_FAILED", fault) for each, fault in failed.items()},
        }
        assert ran.report["summary"]["audit"]["complete"] is False
        assert len(verdicts(tmp_path)) == len(good), "no failure is kept"
        assert server.claims.count(claim("hangs")) == 2, "one attempt and one retry"
        assert server.claims.count(claim("gives no verdict")) == 1, "a reply is not asked for twice"

        server.script = lambda _claim, _earlier: Answer()
        server.claims.clear()
        again = claimlint(tmp_path, *options, *server.backend(style), env=KEYS)
        assert again.code == 0
        assert sorted(server.claims) == sorted(failed), "only what failed is asked again"
        assert outcomes(passport) == {claim(way): ("SUPPORTED", "") for way in WAYS}
        assert again.report["summary"]["audit"]["complete"] is True
    for text in (ran.out, ran.err, again.out, again.err):
        assert KEY not in text
    assert KEY.encode() not in everything(tmp_path)


@pytest.mark.parametrize("style", STYLES)
def test_a_judge_that_refuses_the_key_is_soon_left_alone_and_the_key_is_told_nowhere(
    style: str, tmp_path: Path
) -> None:
    passport = project(tmp_path, count=40, judge={"retries": 3, "concurrency": 4})
    with judge_server(lambda _claim, _earlier: ECHO) as server:
        ran = claimlint(
            tmp_path,
            *("check", "draft.md", "--judge", "--sources", "sources", "--write"),
            *server.backend(style),
            env=KEYS,
        )
        assert ran.code == 3
        assert len(server.claims) <= 5 + 4, "five in a row, and what was under way"
    assert {row["judgment"] for row in audit_rows(passport)} == {"RETRIEVAL_FAILED"}
    assert "judge_api_error: HTTP 401" in audit_rows(passport)[0]["rationale"]
    assert "was not asked any more" in ran.err
    assert "no findings" not in ran.out
    assert KEY not in ran.out + ran.err
    assert KEY.encode() not in everything(tmp_path)
    assert verdicts(tmp_path) == []


def test_a_server_that_always_fails_ends_the_run_for_all_drafts(tmp_path: Path) -> None:
    project(tmp_path, count=12, judge={"retries": 0, "concurrency": 2})
    (tmp_path / "other.md").write_text(draft(["answers"]) + "\n", "utf-8")
    with judge_server(lambda _claim, _earlier: Answer(body=b"oops", status=500)) as server:
        ran = claimlint(
            tmp_path,
            *("check", "draft.md", "other.md", "--judge", "--sources", "sources", "--format", "json"),
            *server.backend("openai"),
            env=KEYS,
        )
        assert ran.code == 3
        assert len(server.claims) <= 5 + 2
        assert claim("answers") not in server.claims
    assert ran.audit == (12, 0, 1)
    assert ran.codes.count("GATE-8") == 12


def test_what_is_found_outranks_what_is_missing(tmp_path: Path) -> None:
    project(tmp_path, count=2)
    first, second = all_supported(2)
    fails = {**second, "reply": None, "fault": "judge_timeout", "detail": "no answer"}
    backend = replay(tmp_path / "replies.json", [{**first, "reply": UNSUPPORTED}, fails])
    options = ("check", "draft.md", "--judge", "--sources", "sources", "--judge-backend", backend)
    assert claimlint(tmp_path, *options).code == 1
    assert claimlint(tmp_path, *options, "--exit-zero").code == 3
    assert claimlint(tmp_path, *options, "--fail-on", "never").code == 3


def test_calls_are_made_side_by_side_up_to_the_limit(tmp_path: Path) -> None:
    project(tmp_path, count=24)
    with judge_server(lambda _claim, _earlier: Answer(delay=0.1)) as server:
        began = time.monotonic()
        options = ("check", "draft.md", "--judge", "--sources", "sources", "--concurrency", "6")
        assert claimlint(tmp_path, *options, *server.backend("openai")).code == 0
        assert time.monotonic() - began < 24 * 0.1 + 20
        assert server.most_under_way == 6
        assert {request["temperature"] for request in server.requests} == {0}
        assert {request["model"] for request in server.requests} == {"tiny-1"}
