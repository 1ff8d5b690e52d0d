"""Recorded retrievals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlint.audit.retrieval import RetrieverContext
from claimlint.audit.retrieval.replay import load, make
from claimlint.audit.types import RetrievalRequest, Retrieved
from claimlint.errors import UsageError


def recording(folder: Path, *entries: object) -> str:
    path = folder / "retrievals.json"
    path.write_text(json.dumps({"retrievals": entries}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"method": "manual_pdf", "text": "a\fb"}, Retrieved("manual_pdf", "a\fb")),
        ({"method": "api", "text": "a", "detail": "d"}, Retrieved("api", "a", detail="d")),
        (
            {"method": "manual_pdf", "text": "a", "preflight": "FAIL"},
            Retrieved("manual_pdf", "a", preflight="FAIL"),
        ),
        ({"method": "failed"}, Retrieved("failed")),
        ({"method": "not_found"}, Retrieved("not_found")),
        ({"method": "manual_pdf", "text": " "}, Retrieved("failed", detail="the recorded text is empty")),
        (
            {"fault": "retrieval_timeout", "detail": "30 s"},
            Retrieved("audit_tool_failure", fault="retrieval_timeout", detail="30 s"),
        ),
        (
            {"method": "audit_tool_failure", "fault": "retrieval_api_error"},
            Retrieved("audit_tool_failure", fault="retrieval_api_error"),
        ),
    ],
)
def test_a_recorded_retrieval_comes_back(tmp_path: Path, entry: dict[str, object], expected: Retrieved) -> None:
    replay = load(recording(tmp_path, {"ref_slug": "x", **entry}))
    assert replay.retrieve(RetrievalRequest("x")) == expected


def test_what_is_not_recorded_is_an_api_error(tmp_path: Path) -> None:
    found = load(recording(tmp_path)).retrieve(RetrievalRequest("x"))
    assert found == Retrieved(
        "audit_tool_failure", fault="retrieval_api_error", detail="no retrieval of x is recorded"
    )


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"method": "manual_pdf"}, "has no ref_slug"),
        ("x", "has no ref_slug"),
        ({"ref_slug": "x"}, "method None is none of api"),
        ({"ref_slug": "x", "method": "audit_tool_failure"}, "there is no fault"),
        ({"ref_slug": "x", "fault": "judge_timeout"}, "fault 'judge_timeout' is none of"),
        ({"ref_slug": "x", "method": "api", "text": 3}, "text must be text"),
        ({"ref_slug": "x", "method": "api", "detail": 3}, "detail must be text"),
        ({"ref_slug": "x", "method": "api", "text": "a", "preflight": "ok"}, "preflight 'ok' is none of"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, entry: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load(recording(tmp_path, entry))


def test_a_source_is_recorded_once(tmp_path: Path) -> None:
    entry = {"ref_slug": "x", "method": "failed"}
    with pytest.raises(UsageError, match="a second time"):
        load(recording(tmp_path, entry, entry))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"retrievals": {}}', "[" * 100_000])
def test_a_file_that_is_no_recording_is_a_usage_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError):
        make(str(path), RetrieverContext())


def test_a_recording_must_be_named_and_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="replay:FILE"):
        make("", RetrieverContext())
    with pytest.raises(UsageError, match="no such file"):
        make(str(tmp_path / "none.json"), RetrieverContext())
