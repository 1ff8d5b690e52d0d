"""Asking the retrievers for every cited source, once each (contract, section 7, step 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claimlint.audit.config import Progress
from claimlint.audit.pool import Expired, run_all
from claimlint.audit.types import (
    METHOD_API,
    METHOD_FAILED,
    METHOD_MANUAL_PDF,
    METHOD_NOT_FOUND,
    METHOD_TOOL_FAILURE,
    RetrievalRequest,
    Retrieved,
    Retriever,
)
from claimlint.audit.words import scrub, well_formed

RETRIEVAL_FAULTS = frozenset({"retrieval_api_error", "retrieval_timeout", "retrieval_network_error"})
"""The faults that a retrieval can have."""


def retrieve_all(
    requests: Sequence[RetrievalRequest],
    retrievers: Sequence[Retriever],
    *,
    workers: int,
    deadline: float,
    progress: Progress,
) -> dict[str, Retrieved]:
    """The outcome for each slug; the retrievers are asked in their order until one knows the source.

    Never raises for what a retriever does; one that takes longer than ``deadline`` seconds is a
    ``retrieval_timeout``.
    """
    found: dict[str, Retrieved] = {}
    progress.retrieving(0, len(requests))

    def arrived(index: int, outcome: Retrieved | Expired) -> None:
        if isinstance(outcome, Expired):
            outcome = _failure("retrieval_timeout", f"no answer within {outcome.seconds:g} s")
        found[requests[index].slug] = outcome
        progress.retrieving(len(found), len(requests))

    run_all(requests, lambda request: retrieve(request, retrievers), arrived, workers=workers, deadline=deadline)
    return found


def retrieve(request: RetrievalRequest, retrievers: Sequence[Retriever]) -> Retrieved:
    """The outcome for one source, made to fit the contract."""
    for retriever in retrievers:
        try:
            found = retriever.retrieve(request)
        except Exception as error:  # noqa: BLE001 - a retriever may be anybody's code
            return _failure(fault_of(error), f"{retriever.name}: {str(error) or type(error).__name__}")
        if found is not None:
            return _checked(found, retriever.name)
    asked = ", ".join(retriever.name for retriever in retrievers)
    return Retrieved(
        METHOD_FAILED, detail=f"none of the retrievers has it ({asked})" if asked else "no retriever is set"
    )


def fault_of(error: BaseException) -> str:
    """The fault that an exception of a retrieval stands for (contract, section 7, step 2)."""
    if isinstance(error, TimeoutError):
        return "retrieval_timeout"
    if isinstance(error, OSError):
        return "retrieval_network_error"
    return "retrieval_api_error"


def _failure(fault: str, detail: str) -> Retrieved:
    return Retrieved(METHOD_TOOL_FAILURE, fault=fault, detail=scrub(detail))


def _checked(found: Retrieved, name: str) -> Retrieved:
    if found.method in (METHOD_API, METHOD_MANUAL_PDF):
        text = well_formed(found.text)
        if text.strip():
            return found if text is found.text else _with_text(found, text)
        if found.method == METHOD_MANUAL_PDF:
            return Retrieved(METHOD_FAILED, detail=found.detail or f"{name}: the file has no text")
        return _failure("retrieval_api_error", found.detail or f"{name}: the answer has no text")
    if found.method in (METHOD_FAILED, METHOD_NOT_FOUND):
        return found
    if found.method == METHOD_TOOL_FAILURE and found.fault in RETRIEVAL_FAULTS:
        return found
    said = found.fault or found.method
    return _failure("retrieval_api_error", found.detail or f"{name}: unexpected outcome {said!r}")


def _with_text(found: Retrieved, text: str) -> Retrieved:
    from dataclasses import replace

    return replace(found, text=text)


def requests_for(slugs: Sequence[str], corpus: Mapping[str, Mapping[str, object]]) -> list[RetrievalRequest]:
    """One request for each distinct slug, in their order."""
    return [RetrievalRequest(slug, corpus.get(slug)) for slug in dict.fromkeys(slugs)]
