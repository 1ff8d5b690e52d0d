"""Recorded retrievals, for tests and for runs that must come out the same again.

The file is ``{"retrievals": [{"ref_slug", "method", "text", "preflight"} or {"ref_slug", "fault", "detail"}]}``
(design, section 4). A source that is not recorded is a ``retrieval_api_error``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from claimlint.audit.types import (
    METHOD_API,
    METHOD_FAILED,
    METHOD_MANUAL_PDF,
    METHOD_NOT_FOUND,
    METHOD_TOOL_FAILURE,
    PREFLIGHT_FAIL,
    PREFLIGHT_PASS,
    PREFLIGHT_UNAVAILABLE,
    Retrieved,
)
from claimlint.documents.source import read_text
from claimlint.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from claimlint.audit.retrieval import RetrieverContext
    from claimlint.audit.types import RetrievalRequest

FAULTS = ("retrieval_api_error", "retrieval_timeout", "retrieval_network_error")
METHODS = (METHOD_API, METHOD_MANUAL_PDF, METHOD_FAILED, METHOD_NOT_FOUND, METHOD_TOOL_FAILURE)
PREFLIGHTS = (PREFLIGHT_PASS, PREFLIGHT_FAIL, PREFLIGHT_UNAVAILABLE)


class ReplayRetriever:
    """Answers from a recording, and asks nobody else."""

    name = "replay"

    def __init__(self, recorded: Mapping[str, Retrieved]) -> None:
        self._recorded = dict(recorded)

    def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
        """What was recorded for the citation key."""
        known = self._recorded.get(request.slug)
        if known is not None:
            return known
        detail = f"no retrieval of {request.slug} is recorded"
        return Retrieved(METHOD_TOOL_FAILURE, fault="retrieval_api_error", detail=detail)


def make(argument: str, context: RetrieverContext) -> ReplayRetriever:
    """The retriever of ``replay:FILE``; raises UsageError for a file that is no recording."""
    del context
    if not argument:
        raise UsageError("the replay retriever needs a recording: --retriever replay:FILE")
    return load(argument)


def load(path: str) -> ReplayRetriever:
    """Read a recording; raises UsageError naming the file and the entry that is wrong."""
    try:
        data: object = json.loads(read_text(path, path))
    except (DocumentError, ValueError, RecursionError) as error:
        cause = error.message if isinstance(error, DocumentError) else f"is no JSON: {error}"
        raise UsageError(f"recording of retrievals: {cause}", path=path) from error
    entries = data.get("retrievals") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise UsageError('is no recording: it must hold {"retrievals": […]}', path=path)
    recorded: dict[str, Retrieved] = {}
    for index, entry in enumerate(entries):
        slug = entry.get("ref_slug") if isinstance(entry, dict) else None
        if not isinstance(slug, str):
            raise UsageError(f"retrievals[{index}] has no ref_slug", path=path)
        if slug in recorded:
            raise UsageError(f"retrievals[{index}] records {slug} a second time", path=path)
        recorded[slug] = _recorded(entry, f"retrievals[{index}] ({slug})", path)
    return ReplayRetriever(recorded)


def _recorded(entry: Mapping[str, object], where: str, path: str) -> Retrieved:
    fault, method = entry.get("fault"), entry.get("method")
    detail = entry.get("detail", "")
    if not isinstance(detail, str):
        raise UsageError(f"{where}: detail must be text", path=path)
    if fault is not None:
        if fault not in FAULTS:
            raise UsageError(f"{where}: fault {fault!r} is none of {', '.join(FAULTS)}", path=path)
        return Retrieved(METHOD_TOOL_FAILURE, fault=str(fault), detail=detail)
    if method not in METHODS or method == METHOD_TOOL_FAILURE:
        allowed = ", ".join(METHODS[:-1])
        raise UsageError(f"{where}: method {method!r} is none of {allowed}, and there is no fault", path=path)
    text, preflight = entry.get("text", ""), entry.get("preflight")
    if not isinstance(text, str):
        raise UsageError(f"{where}: text must be text", path=path)
    if preflight is not None and preflight not in PREFLIGHTS:
        raise UsageError(f"{where}: preflight {preflight!r} is none of {', '.join(PREFLIGHTS)}", path=path)
    if method in (METHOD_API, METHOD_MANUAL_PDF) and not text.strip():
        return Retrieved(METHOD_FAILED, detail=detail or "the recorded text is empty")
    return Retrieved(str(method), text, detail=detail, preflight=None if preflight is None else str(preflight))
