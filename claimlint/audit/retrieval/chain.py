"""Several retrievers, asked in order, as one.

Text found by any of them wins, also behind a failure. When none finds text the worst honest outcome stands: a
transient failure before ``not_found`` (whoever could not be asked might have known it), ``not_found`` before
``failed``.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from claimlint.audit.types import (
    METHOD_API,
    METHOD_FAILED,
    METHOD_MANUAL_PDF,
    METHOD_NOT_FOUND,
    METHOD_TOOL_FAILURE,
    Retrieved,
)

if TYPE_CHECKING:
    from claimlint.audit.types import RetrievalRequest, Retriever

_WORST_FIRST = (METHOD_TOOL_FAILURE, METHOD_NOT_FOUND, METHOD_FAILED)
_FAULTS = frozenset({"retrieval_timeout", "retrieval_network_error", "retrieval_api_error"})


class Chain:
    """Retrievers in order. Each source is retrieved once in a run, however many citations name it."""

    name = "chain"

    def __init__(self, retrievers: Sequence[Retriever]) -> None:
        self._retrievers = tuple(retrievers)
        self._lock = threading.Lock()
        self._busy: dict[str, threading.Lock] = {}
        self._known: dict[str, tuple[RetrievalRequest, Retrieved]] = {}

    def retrieve(self, request: RetrievalRequest) -> Retrieved:
        """The source's text or why there is none; never raises and never None."""
        with self._lock:
            busy = self._busy.setdefault(request.slug, threading.Lock())
        with busy:
            known = self._known.get(request.slug)
            if known is None or known[0].corpus != request.corpus:
                known = self._known[request.slug] = (request, self._ask(request))
            return known[1]

    def _ask(self, request: RetrievalRequest) -> Retrieved:
        misses: list[Retrieved] = []
        for retriever in self._retrievers:
            found = _asked(retriever, request)
            if found is None:
                continue
            if found.method in (METHOD_API, METHOD_MANUAL_PDF):
                return found
            misses.append(found)
        if not misses:
            return Retrieved(METHOD_FAILED, detail=f"no source is at hand for {request.slug}")
        return min(misses, key=lambda miss: _WORST_FIRST.index(miss.method))


def fault_of(error: BaseException) -> str:
    """The fault class of an exception (contract, section 7, step 2)."""
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return "retrieval_timeout"
    if isinstance(error, OSError):
        return "retrieval_network_error"
    # HTTP clients have their own trees of errors; their base names are alike.
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"NetworkError", "ConnectError", "ConnectionError", "TransportError", "ProtocolError"}:
        return "retrieval_network_error"
    return "retrieval_api_error"


def _asked(retriever: Retriever, request: RetrievalRequest) -> Retrieved | None:
    """A retriever's answer made sound: an exception or a senseless answer is a failure of the tool."""
    try:
        answer = retriever.retrieve(request)
    except Exception as error:  # noqa: BLE001 - a retriever that raises must not end the run
        detail = f"{getattr(retriever, 'name', 'retriever')}: {type(error).__name__}: {error}"
        return Retrieved(METHOD_TOOL_FAILURE, fault=fault_of(error), detail=detail[:500])
    if answer is None:
        return None
    if not isinstance(answer, Retrieved) or answer.method not in (METHOD_API, METHOD_MANUAL_PDF, *_WORST_FIRST):
        detail = f"{getattr(retriever, 'name', 'retriever')}: gave no retrieval outcome"
        return Retrieved(METHOD_TOOL_FAILURE, fault="retrieval_api_error", detail=detail)
    if answer.method == METHOD_MANUAL_PDF and not answer.text.strip():
        return Retrieved(METHOD_FAILED, detail=answer.detail or "the source has no text")
    if answer.method == METHOD_API and not answer.text.strip():
        return Retrieved(METHOD_TOOL_FAILURE, fault="retrieval_api_error", detail=answer.detail or "empty answer")
    if answer.method == METHOD_TOOL_FAILURE and answer.fault not in _FAULTS:
        return Retrieved(METHOD_TOOL_FAILURE, fault="retrieval_api_error", detail=answer.detail)
    return answer
