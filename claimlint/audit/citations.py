"""The citations of a draft as the audit sees them (contract, section 7, step 1; design, section 4)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.audit.words import NO_TEXT, cut, well_formed
from claimlint.documents.draft import NO_SECTION
from claimlint.findings import Span

if TYPE_CHECKING:
    from claimlint.documents.draft import Citation, Draft, Heading, Sentence

NO_SLUG = "(no slug)"
"""Stands where a row needs a ref_slug and the marker has none."""

NO_ANCHOR = "none"

_KINDS = frozenset({"quote", "page", "section", "paragraph", NO_ANCHOR})
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SPACE_BEFORE_STOP = re.compile(r" ([.,;:!?])")


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
    sections = _Sections(draft.headings)
    return tuple(
        _citation(index, citation, owners.get(index), draft, sections)
        for index, citation in enumerate(draft.citations)
    )


def _citation(
    index: int, citation: Citation, owner: Sentence | None, draft: Draft, sections: _Sections
) -> AuditCitation:
    flaw = _flaw(citation)
    text = owner.text if owner is not None else _line_text(draft.source.text, citation.ref)
    return AuditCitation(
        index=index,
        claim_text=cut(well_formed(text)) or NO_TEXT,
        slug=citation.slug or NO_SLUG,
        kind=citation.kind if flaw is None else NO_ANCHOR,
        value=well_formed(citation.value) if flaw is None else "",
        section_path=owner.section_path if owner is not None else sections.path(citation.ref.start),
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


def _line_text(text: str, ref: Span) -> str:
    """The text around a marker that stands in no sentence: its line without comments."""
    start = text.rfind("\n", 0, ref.start) + 1
    end = text.find("\n", ref.end)
    line = _COMMENT.sub("", text[start : len(text) if end < 0 else end])
    return _SPACE_BEFORE_STOP.sub(r"\1", " ".join(line.split())).strip("#>|- \t")


class _Sections:
    """Section paths by place, for markers that stand in no sentence."""

    def __init__(self, headings: tuple[Heading, ...]) -> None:
        self._starts: list[int] = []
        self._paths: list[str] = []
        open_headings: list[Heading] = []
        for heading in headings:
            while open_headings and open_headings[-1].level >= heading.level:
                open_headings.pop()
            open_headings.append(heading)
            self._starts.append(heading.span.start)
            self._paths.append(" > ".join(each.text for each in open_headings) or NO_SECTION)

    def path(self, offset: int) -> str:
        at = bisect_right(self._starts, offset)
        return self._paths[at - 1] if at else NO_SECTION
