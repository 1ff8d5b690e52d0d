"""Other drafts that share the passport, for example the chapters of one paper: what is theirs is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from claimlint.audit.citations import audit_citations
from claimlint.audit.words import normal
from claimlint.documents.passport import (
    CLAIM_AUDIT_RESULTS,
    CLAIM_DRIFTS,
    CONSTRAINT_VIOLATIONS,
    UNCITED_ASSERTIONS,
    UNCITED_AUDIT_FAILURES,
)

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft

_TEXT_KEY = {
    UNCITED_ASSERTIONS: "sentence_text",
    CONSTRAINT_VIOLATIONS: "claim_text",
    UNCITED_AUDIT_FAILURES: "claim_text",
}


def cited_texts(drafts: Iterable[Draft]) -> frozenset[str]:
    """The normal forms of the claims that some drafts cite sources for."""
    return frozenset(normal(each.claim_text) for draft in drafts for each in audit_citations(draft))


def belongs_elsewhere(
    draft: Draft, companions: Iterable[Draft]
) -> Callable[[str, Mapping[str, object]], bool] | None:
    """Tells an old row that is about another draft alone, given its aggregate and data.

    None when there are no other drafts. What cannot be told apart by its text, such as an intended claim that
    nobody cites, is not kept: the audit of any of the drafts finds it again.
    """
    others = tuple(companions)
    if not others:
        return None
    own_cited, other_cited = cited_texts((draft,)), cited_texts(others)
    own_said, other_said = _sentences((draft,)), _sentences(others)

    def keep(name: str, row: Mapping[str, object]) -> bool:
        drifted = name == CLAIM_DRIFTS and row.get("drift_kind") == "EMITTED_NOT_INTENDED"
        if name == CLAIM_AUDIT_RESULTS or drifted:
            text = _text(row, "claim_text")
            return text in other_cited and text not in own_cited
        if name in _TEXT_KEY:
            text = _text(row, _TEXT_KEY[name])
            return text in other_said and text not in own_said
        return False

    return keep


def settled_texts(rows: Callable[[str], Iterable[Mapping[str, object]]]) -> frozenset[str]:
    """The normal forms of the texts that are uncited assertions or constraint violations: they make no drift.

    ``rows`` gives the rows of an aggregate.
    """
    return frozenset(
        _text(row, _TEXT_KEY[name]) for name in (UNCITED_ASSERTIONS, CONSTRAINT_VIOLATIONS) for row in rows(name)
    )


def _sentences(drafts: Iterable[Draft]) -> frozenset[str]:
    return frozenset(normal(sentence.text) for draft in drafts for sentence in draft.sentences)


def _text(row: Mapping[str, object], key: str) -> str:
    text = row.get(key)
    return normal(text) if isinstance(text, str) else ""
