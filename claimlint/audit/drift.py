"""What was meant against what was written (contract, section 7, "Drift")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from claimlint.audit.binding import Bound, Claims
from claimlint.audit.words import normal
from claimlint.findings import Span


@dataclass(frozen=True, slots=True)
class Emitted:
    """A cited claim of the draft: its text, where it first stands, and the manifests it was judged under.

    ``scopes`` is empty for a text of which no citation was audited.
    """

    text: str
    section_path: str
    span: Span
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Drifts:
    """The drifts of a draft: cited claims that no manifest has, and manifest claims that are not cited."""

    emitted: tuple[Emitted, ...]
    intended: tuple[Bound, ...]


def find_drifts(
    claims: Claims,
    emitted: Mapping[str, Emitted],
    *,
    stated: frozenset[str],
    settled: frozenset[str],
    elsewhere: frozenset[str],
    violated: frozenset[str],
) -> Drifts:
    """The drifts that are to be reported.

    ``emitted`` holds the claims of all citations by their normal text, in document order. ``stated`` are the
    normal texts of all sentences of the draft, for claims whose evidence is an experiment. ``settled`` are
    those of uncited assertions and constraint violations, which outrank drift. ``elsewhere`` are those that
    other drafts of the same paper cite. ``violated`` are the manifests under which a citation was judged to
    break a constraint: their drift has been said already. Without any manifest claim nothing can drift.
    """
    if not claims.texts:
        return Drifts((), ())
    return Drifts(
        tuple(
            each
            for text, each in emitted.items()
            if text not in claims.texts and text not in settled and not each.scopes & violated
        ),
        tuple(
            bound
            for text, bound in _intended(claims, violated)
            if text
            and text not in emitted
            and text not in elsewhere
            and text not in settled
            and not (text in stated and claims.backed_by_experiments(bound.claim))
        ),
    )


def _intended(claims: Claims, violated: frozenset[str]) -> Iterator[tuple[str, Bound]]:
    for manifest_id, manifest in claims.manifests.items():
        if manifest_id in violated:
            continue
        for claim_id, claim in manifest.claims.items():
            text = claim.text("claim_text")
            if text is not None:
                yield normal(text), Bound(manifest_id, claim_id, manifest, claim)


def all_texts(texts: Iterable[str]) -> frozenset[str]:
    """The normal forms of some texts."""
    return frozenset(normal(text) for text in texts)
