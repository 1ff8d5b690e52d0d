"""Which sentences without a citation are held against which constraints (contract, section 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.audit.binding import Claims, owner_of
from claimlint.audit.constraints import active_constraints, is_claim_constraint
from claimlint.audit.types import Constraint
from claimlint.audit.words import cut, well_formed
from claimlint.findings import Span

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft
    from claimlint.documents.passport import Manifest


@dataclass(frozen=True, slots=True)
class UncitedQuestion:
    """A sentence and the constraints of one manifest that it must not break.

    ``claim_id`` is the manifest claim that the sentence stands for, or None. ``span`` is its first place in
    the section.
    """

    claim_text: str
    section_path: str
    span: Span
    manifest_id: str
    claim_id: str | None
    owner: str | None
    constraints: tuple[Constraint, ...]

    def claim_of(self, constraint_id: str | None) -> str | None:
        """The claim that a violated constraint stands under; None for a manifest's constraint."""
        return self.claim_id if constraint_id is not None and is_claim_constraint(constraint_id) else None

    @property
    def claim_with_constraints(self) -> str | None:
        """The claim, when a constraint of its own is among the active ones."""
        own = any(is_claim_constraint(each.constraint_id) for each in self.constraints)
        return self.claim_id if own else None


def uncited_questions(draft: Draft, claims: Claims) -> tuple[UncitedQuestion, ...]:
    """Every (sentence, manifest) with an active constraint, in document order, then that of the manifests.

    All prose sentences without a ref marker are asked, whether or not they assert something (headings, tables
    and lists of works are no prose); a sentence that stands twice in a section is asked once.
    """
    from claimlint.documents.markdown import PROSE_KINDS

    seen: set[tuple[str, str, str]] = set()
    found: list[UncitedQuestion] = []
    for sentence in draft.sentences:
        text = cut(well_formed(sentence.text))
        if sentence.citations or not text or sentence.kind not in PROSE_KINDS:
            continue
        for manifest_id, manifest, claim_id in _manifests(sentence.text, claims):
            key = (manifest_id, sentence.section_path, text)
            constraints = active_constraints(manifest, claim_id)
            if constraints and key not in seen:
                seen.add(key)
                found.append(
                    UncitedQuestion(
                        claim_text=text,
                        section_path=sentence.section_path,
                        span=sentence.span,
                        manifest_id=manifest_id,
                        claim_id=claim_id,
                        owner=owner_of(manifest),
                        constraints=constraints,
                    )
                )
    return tuple(found)


def _manifests(text: str, claims: Claims) -> Iterator[tuple[str, Manifest, str | None]]:
    """The manifests that a sentence is held against: that of its claim, or all of them."""
    bound = claims.bound(text)
    if bound is not None:
        yield bound.manifest_id, bound.manifest, bound.claim_id
        return
    for manifest_id, manifest in claims.manifests.items():
        yield manifest_id, manifest, None
