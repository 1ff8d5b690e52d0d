"""The citations of a draft as the audit sees them (contract, section 7, step 1; design, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.audit.words import cut, well_formed
from claimlint.documents.coverage import NO_ANCHOR, NO_SLUG
from claimlint.documents.draft import NO_SECTION, NO_SENTENCE
from claimlint.findings import Span

if TYPE_CHECKING:
    from claimlint.documents.draft import Citation, Draft, Sentence

_KINDS = frozenset({"quote", "page", "section", "paragraph", NO_ANCHOR})


@dataclass(frozen=True, slots=True)
class AuditCitation:
    """One citation to audit.

    ``index`` counts all citations of the draft from 0. ``claim_text`` is cut to what a row may hold. ``kind``
    is ``none`` and ``value`` empty when the citation has no anchor that can be used, and ``flaw`` says why;
    otherwise ``flaw`` is None.
    """

    index: int
    claim_text: str
    slug: str
    kind: str
    value: str
    section_path: str
    span: Span
    flaw: str | None


def audit_citations(draft: Draft) -> tuple[AuditCitation, ...]:
    """All citations of a draft in document order; what a person meant as one is never left out."""
    owners: dict[int, Sentence] = {}
    for sentence in draft.sentences:
        for index in sentence.citations:
            owners.setdefault(index, sentence)
    return tuple(_citation(index, citation, owners.get(index)) for index, citation in enumerate(draft.citations))


def _citation(index: int, citation: Citation, owner: Sentence | None) -> AuditCitation:
    flaw = _flaw(citation)
    text = "" if owner is None else cut(well_formed(owner.text))
    return AuditCitation(
        index=index,
        claim_text=text or NO_SENTENCE,
        slug=citation.slug or NO_SLUG,
        kind=citation.kind if flaw is None else NO_ANCHOR,
        value=well_formed(citation.value) if flaw is None else "",
        section_path=NO_SECTION if owner is None else owner.section_path,
        span=citation.ref if citation.anchor is None else Span(citation.ref.start, citation.anchor.end),
        flaw=flaw,
    )


def _flaw(citation: Citation) -> str | None:
    """Why a citation has no anchor that can be used, or None when it has one."""
    from urllib.parse import unquote

    if citation.anchor is None:
        return "the ref has no anchor behind it"
    if citation.kind == NO_ANCHOR:
        return "the anchor is of the kind none"
    if citation.kind not in _KINDS:
        return f"the anchor is of the unknown kind {citation.kind!r}"
    # Rows are checked for a value that is not blank after decoding, and hold a decoded value already.
    if not citation.value.strip() or not unquote(citation.value).strip():
        return f"the {citation.kind} anchor has a blank value"
    if not citation.usable:
        return "the marker is malformed"
    return None
