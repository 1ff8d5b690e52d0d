"""What retrieval, passage location, judges and pipeline hand to one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from claimlint.documents.passport import FAULTS
from claimlint.errors import ClaimlintError

METHOD_API = "api"
METHOD_MANUAL_PDF = "manual_pdf"
METHOD_FAILED = "failed"
METHOD_NOT_FOUND = "not_found"
METHOD_TOOL_FAILURE = "audit_tool_failure"
METHOD_NOT_ATTEMPTED = "not_attempted"

PREFLIGHT_PASS = "PASS"  # noqa: S105 - a verdict, not a password
PREFLIGHT_FAIL = "FAIL"
PREFLIGHT_UNAVAILABLE = "UNAVAILABLE"

QUOTE_UNLOCATED = "[anchor_quote_unlocated]"
ANCHOR_UNLOCATED = "[anchor_unlocated]"
PDF_UNVERIFIED = "[pdf_read_integrity_unverified]"
CONSTRAINTS_NOT_CHECKED = "[constraints_not_checked]"
EVIDENCE_UNLOCATED = "[evidence_unlocated]"


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """One source to fetch: its citation key, and what is known about it.

    ``corpus`` is the ``literature_corpus`` row, or the bibliography entry, of that key; None when the project
    has none.
    """

    slug: str
    corpus: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The outcome of a retrieval (contract, section 7, step 2).

    ``method`` is ``api``, ``manual_pdf``, ``failed``, ``not_found`` or ``audit_tool_failure``. ``text`` is
    the source's text for the first two and empty otherwise; form feeds part its pages (none: it has no
    pages). ``fault`` is one of the retrieval faults with ``audit_tool_failure`` and None otherwise.
    ``detail`` says in a few words what happened. ``preflight`` is ``PASS``, ``FAIL`` or ``UNAVAILABLE`` for
    a PDF that was read locally, and None for everything that has no preflight: a page anchor of such a text
    is trusted. ``labels`` are the page labels of a PDF in the order of its pages; empty when it has none.
    """

    method: str
    text: str = ""
    fault: str | None = None
    detail: str = ""
    preflight: str | None = None
    labels: tuple[str, ...] = ()


class Retriever(Protocol):
    """A way to get at the text of sources; tried in the order the user gives."""

    @property
    def name(self) -> str:
        """The name it is registered and shown under."""
        ...

    def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
        """The source's text or why there is none; None says that the next retriever should be asked.

        Called from several threads at once. Must not raise: an exception is recorded as an
        ``audit_tool_failure`` of the fault that its type maps to.
        """
        ...


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a source that the judge sees.

    ``tag`` is ``[anchor_quote_unlocated]`` or ``[anchor_unlocated]`` when the anchor was not found and
    ``text`` is the whole source; None when it was found.
    """

    text: str
    located: bool
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Constraint:
    """An active negative constraint: what the claim must not say."""

    constraint_id: str
    rule: str


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """What a judge is asked.

    ``prompt`` is the whole prompt with the material fenced in; the other fields say what it was built from
    (a replay looks replies up by them, everything else sends only the prompt). ``ref_slug`` is None for a
    sentence without a citation; ``scoped_manifest_id`` is the manifest whose constraints apply.
    """

    prompt: str
    claim_text: str
    ref_slug: str | None
    anchor_kind: str
    anchor_value: str
    excerpt: str
    constraints: tuple[Constraint, ...]
    scoped_manifest_id: str | None


class JudgeFault(ClaimlintError):
    """A judge call that gave no verdict: ``fault`` is one of the contract's faults, ``detail`` says why.

    ``retry_after`` is the wait in seconds that the server asked for; ``transient`` says that the same call
    may succeed later; ``infrastructure`` that the judge could not be reached or used at all, which counts
    towards the circuit breaker.
    """

    def __init__(
        self,
        fault: str,
        detail: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        infrastructure: bool = False,
    ) -> None:
        if fault not in FAULTS:
            detail, fault = f"{fault}: {detail}", "judge_api_error"
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail
        self.transient = transient
        self.retry_after = retry_after
        self.infrastructure = infrastructure


class Judge(Protocol):
    """Answers whether an excerpt supports a claim; any transport.

    It may also have ``settings``, a mapping for the record of a run, without secrets; ``warm_up()``, called once
    before the first question; and ``close()``, called when the run is interrupted.
    """

    @property
    def name(self) -> str:
        """The backend's name, for example ``openai``."""
        ...

    @property
    def model(self) -> str:
        """The model that answers: written to rows and part of the cache key."""
        ...

    def ask(self, question: JudgeQuestion) -> str:
        """The reply as text, unparsed. Called from several threads at once.

        Raises JudgeFault; anything else is recorded as ``judge_api_error``.
        """
        ...
