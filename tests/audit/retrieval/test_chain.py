"""Chains of retrievers: what wins, what an exception becomes, and how a chain is made."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from claimlint.audit.retrieval import RetrieverContext, build_retriever, context_of
from claimlint.audit.retrieval.chain import Chain, fault_of
from claimlint.audit.types import RetrievalRequest, Retrieved
from claimlint.audit_settings import OnlineSettings
from claimlint.errors import RegistryError, UsageError

TEXT = Retrieved("manual_pdf", "text")
API_TEXT = Retrieved("api", "text of the web")
FAILED = Retrieved("failed", detail="paywall")
NOT_FOUND = Retrieved("not_found", detail="no index knows it")
TRANSIENT = Retrieved("audit_tool_failure", fault="retrieval_timeout", detail="slow")
REQUEST = RetrievalRequest("okafor2024")


class Scripted:
    """A retriever that gives, or raises, one thing."""

    name = "scripted"

    def __init__(self, outcome: object) -> None:
        self.outcome = outcome
        self.asked = 0

    def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
        self.asked += 1
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome  # type: ignore[return-value]


def outcome(*given: object) -> Retrieved:
    return Chain([Scripted(each) for each in given]).retrieve(REQUEST)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((TEXT, API_TEXT), TEXT),
        ((None, API_TEXT), API_TEXT),
        ((FAILED, API_TEXT), API_TEXT),
        ((TRANSIENT, TEXT), TEXT),
        ((NOT_FOUND, TEXT), TEXT),
        ((FAILED, TRANSIENT), TRANSIENT),
        ((NOT_FOUND, TRANSIENT), TRANSIENT),
        ((FAILED, NOT_FOUND), NOT_FOUND),
        ((FAILED, None), FAILED),
        ((None,), Retrieved("failed", detail="no source is at hand for okafor2024")),
        ((), Retrieved("failed", detail="no source is at hand for okafor2024")),
    ],
)
def test_text_wins_and_else_the_worst_honest_outcome_stands(
    given: tuple[object, ...], expected: Retrieved
) -> None:
    assert outcome(*given) == expected


def test_the_next_retriever_is_not_asked_once_there_is_text() -> None:
    second = Scripted(API_TEXT)
    Chain([Scripted(TEXT), second]).retrieve(REQUEST)
    assert second.asked == 0


class ReadTimeout(Exception):
    """Named as HTTP clients name theirs."""


class TransportError(Exception):
    """Named as HTTP clients name theirs."""


class SpecialTransportError(TransportError):
    """One of their children."""


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (TimeoutError("slow"), "retrieval_timeout"),
        (ReadTimeout(), "retrieval_timeout"),
        (ConnectionResetError("reset"), "retrieval_network_error"),
        (OSError("no route"), "retrieval_network_error"),
        (SpecialTransportError(), "retrieval_network_error"),
        (ValueError("odd"), "retrieval_api_error"),
        (KeyError("doi"), "retrieval_api_error"),
    ],
)
def test_an_exception_becomes_a_fault_and_ends_nothing(error: Exception, fault: str) -> None:
    assert fault_of(error) == fault
    found = outcome(error)
    assert (found.method, found.fault) == ("audit_tool_failure", fault)
    assert type(error).__name__ in found.detail
    assert outcome(error, TEXT) == TEXT


@pytest.mark.parametrize(
    ("answer", "method", "fault"),
    [
        ("text", "audit_tool_failure", "retrieval_api_error"),
        (Retrieved("guessed", "text"), "audit_tool_failure", "retrieval_api_error"),
        (Retrieved("audit_tool_failure", fault="bad luck"), "audit_tool_failure", "retrieval_api_error"),
        (Retrieved("manual_pdf", " \n"), "failed", None),
        (Retrieved("api", ""), "audit_tool_failure", "retrieval_api_error"),
    ],
)
def test_a_senseless_answer_is_made_sound(answer: object, method: str, fault: str | None) -> None:
    found = outcome(answer)
    assert (found.method, found.fault) == (method, fault)


def test_a_source_is_retrieved_once_for_all_its_citations() -> None:
    class Slow(Scripted):
        def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
            time.sleep(0.02)
            return super().retrieve(request)

    slow = Slow(TEXT)
    chain = Chain([slow])
    threads = [threading.Thread(target=chain.retrieve, args=(REQUEST,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow.asked == 1
    chain.retrieve(RetrievalRequest("okafor2024", {"doi": "10.1000/other"}))
    assert slow.asked == 2


# --- making chains


def test_local_comes_first_and_the_web_last_unless_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "okafor2024.txt").write_text("from the folder", encoding="utf-8")
    recording = tmp_path / "replay.json"
    recording.write_text(
        '{"retrievals": [{"ref_slug": "okafor2024", "method": "api", "text": "recorded"}]}', encoding="utf-8"
    )
    context = context_of([str(tmp_path)], None, OnlineSettings())
    assert build_retriever([], context).retrieve(REQUEST).text == "from the folder"
    assert build_retriever([f"replay:{recording}"], context).retrieve(REQUEST).text == "from the folder"
    named = build_retriever([f"replay:{recording}", "local"], context)
    assert named.retrieve(REQUEST).text == "recorded"
    online = context_of([], None, OnlineSettings(), allow_online=True)
    assert build_retriever([], online).retrieve(REQUEST).detail.startswith("okafor2024 has no DOI")


def test_nothing_to_retrieve_from_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="--sources DIR"):
        build_retriever([], RetrieverContext())


def test_the_web_is_used_only_when_the_user_says_so() -> None:
    with pytest.raises(UsageError, match="--online"):
        build_retriever(["api"], RetrieverContext())


def test_an_unknown_retriever_is_a_usage_error_that_lists_the_known() -> None:
    with pytest.raises(UsageError, match=r"no retriever 'lokal'; there are .*api, local, replay"):
        build_retriever(["lokal"], RetrieverContext())


PLUGIN = """
from claimlint.audit.types import Retrieved


class Shelf:
    name = "shelf"

    def __init__(self, argument):
        self.argument = argument

    def retrieve(self, request):
        return Retrieved("manual_pdf", f"{request.slug} from {self.argument}")


def make(argument, context):
    return Shelf(argument)


def broken(argument, context):
    raise KeyError(argument)


def useless(argument, context):
    return object()


number = 3
"""


def test_a_third_party_retriever_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shelf_plugin.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "shelf_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf-plugin\nVersion: 1.0\n", encoding="utf-8")
    points = "\n".join(f"{name} = shelf_plugin:{name}" for name in ("make", "broken", "useless", "number", "gone"))
    (info / "entry_points.txt").write_text(f"[claimlint.retrievers]\n{points}\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    chain = build_retriever(["make:the attic"], RetrieverContext())
    assert chain.retrieve(REQUEST) == Retrieved("manual_pdf", "okafor2024 from the attic")
    for name, says in (
        ("broken", "cannot be made: KeyError"),
        ("useless", "no method retrieve"),
        ("number", "not callable"),
        ("gone", "cannot be loaded"),
    ):
        with pytest.raises(RegistryError, match=says):
            build_retriever([name], RetrieverContext())
