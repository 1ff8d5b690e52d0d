"""The sentences of a draft that assert something and name no source (contract, section 6).

``uncited_candidates`` lists all that D4-c names: the audit writes every one of them as a row. Each carries the
reason why a reader would not miss a citation there, when there is one; the rule shows those as ``info``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.documents.d4c import (
    Trigger,
    detect_uncited,
    find_triggers,
    has_ref_marker,
    is_definition,
    tokens_of,
)
from claimlint.documents.styles import CITATION_STYLES

if TYPE_CHECKING:
    from claimlint.documents.demotion import Reason
    from claimlint.documents.draft import Draft, Sentence
    from claimlint.documents.extra_triggers import PatternFault
    from claimlint.documents.passport import Passport, Row

__all__ = [
    "Further",
    "UncitedCandidate",
    "assertion_triggers",
    "detect_uncited",
    "excused_sentences",
    "further_candidates",
    "marked",
    "uncited_candidates",
]


_NO_PROSE = frozenset({"heading", "table", "reference"})


@dataclass(frozen=True, slots=True)
class UncitedCandidate:
    """A sentence that D4-c names.

    ``sentence`` indexes ``Draft.sentences``. ``triggers`` are the trigger tokens in document order, each once.
    The two ids name the manifest claim of the same text (both None when there is none). ``reason`` is None
    when a reader would miss a citation, and otherwise says why not.
    """

    sentence: int
    triggers: tuple[str, ...]
    manifest_claim_id: str | None
    scoped_manifest_id: str | None
    reason: Reason | None


def uncited_candidates(
    draft: Draft, passport: Passport | None = None, styles: frozenset[str] = CITATION_STYLES
) -> tuple[UncitedCandidate, ...]:
    """The candidates of a draft in document order.

    Not among them: sentences with a ref marker, definitions, and sentences bound by their text to a manifest
    claim whose ``planned_experiment_ids`` all name provenance rows of the passport. Manifests are those of the
    passport and those embedded in the draft. ``styles`` are the kinds of visible citation that count.
    """
    from claimlint.documents.demotion import Demotions

    found: list[UncitedCandidate] = []
    claims: Mapping[str, _Bound] | None = None
    demotions = Demotions(draft, styles)
    for index, sentence in enumerate(draft.sentences):
        triggers = assertion_triggers(draft, sentence, styles)
        if not triggers:
            continue
        if claims is None:
            claims = _claims_by_text(draft, passport)
        bound = claims.get(_flat(sentence.text))
        if bound is not None and _experiment_backed(bound.claim, passport):
            continue
        found.append(
            UncitedCandidate(
                index,
                tuple(tokens_of(triggers)),
                bound.claim_id if bound else None,
                bound.manifest_id if bound else None,
                demotions.reason(index, triggers),
            )
        )
    return tuple(found)


def excused_sentences(
    drafts: Iterable[Draft], passport: Passport | None = None, styles: frozenset[str] = CITATION_STYLES
) -> dict[str, str]:
    """Why a reader would not miss a citation, by the text of the candidates (white space normalised).

    A text that also stands where a reader would miss one is left out.
    """
    reasons: dict[str, str] = {}
    missed: set[str] = set()
    for draft in drafts:
        for candidate in uncited_candidates(draft, passport, styles):
            text = _flat(draft.sentences[candidate.sentence].text)
            if candidate.reason is None:
                missed.add(text)
            else:
                reasons.setdefault(text, candidate.reason.text)
    return {text: reason for text, reason in reasons.items() if text not in missed}


@dataclass(frozen=True, slots=True)
class Further:
    """The sentences with weaker signs of a claim, and the patterns of the settings that could not be applied."""

    candidates: tuple[UncitedCandidate, ...]
    faults: tuple[PatternFault, ...]


def further_candidates(
    draft: Draft,
    passport: Passport | None = None,
    styles: frozenset[str] = CITATION_STYLES,
    words: Mapping[str, tuple[str, ...]] | None = None,
    patterns: tuple[str, ...] = (),
) -> Further:
    """The sentences that D4-c does not name but a wider net does, in document order.

    ``words`` maps a language to extra words, ``patterns`` are regular expressions that run with a time limit.
    Left out are sentences with a ref marker, definitions, experiment-backed claims, and every sentence in which
    a reader would not miss a citation.
    """
    from claimlint.documents.demotion import Demotions
    from claimlint.documents.extra_triggers import (
        PatternList,
        WordList,
        extra_definition,
        extra_triggers,
        language_of,
    )

    listed = WordList(words or {}, language_of(draft.front_matter))
    matching = PatternList(patterns)
    demotions = Demotions(draft, styles)
    claims: Mapping[str, _Bound] | None = None
    found: list[UncitedCandidate] = []
    for index, sentence in enumerate(draft.sentences):
        if sentence.kind in _NO_PROSE:
            continue
        prose = prose_of(draft, sentence)
        tokens = dict.fromkeys((*extra_triggers(prose), *listed.find(prose), *matching.find(prose)))
        if not tokens or is_definition(prose) or extra_definition(prose) or marked(draft, sentence):
            continue
        if assertion_triggers(draft, sentence, styles) or demotions.reason(index, ()) is not None:
            continue
        if claims is None:
            claims = _claims_by_text(draft, passport)
        bound = claims.get(_flat(sentence.text))
        if bound is not None and _experiment_backed(bound.claim, passport):
            continue
        claim_id, manifest_id = (bound.claim_id, bound.manifest_id) if bound else (None, None)
        found.append(UncitedCandidate(index, tuple(tokens), claim_id, manifest_id, None))
    return Further(tuple(found), tuple(matching.faults))


def assertion_triggers(
    draft: Draft, sentence: Sentence, styles: frozenset[str] = CITATION_STYLES
) -> tuple[Trigger, ...]:
    """The triggers in a sentence's prose; empty when it carries a ref marker or is a definition.

    Headings, cells of tables and entries of the list of references are no prose.
    The numbers inside a visible citation (its own number, a page) are no prose.
    """
    if sentence.kind in _NO_PROSE or (sentence.citations and marked(draft, sentence)):
        return ()
    prose = prose_of(draft, sentence)
    triggers = find_triggers(prose)
    if not triggers or is_definition(prose):
        return ()
    if "[" in prose or "\\" in prose or "［" in prose:
        from claimlint.documents.visible_citations import citation_extents

        extents = citation_extents(source_of(draft, sentence), styles)
        if extents:
            return tuple(
                trigger for trigger in triggers if not any(start <= trigger.start < end for start, end in extents)
            )
    return triggers


def prose_of(draft: Draft, sentence: Sentence) -> str:
    """The sentence as D4-c sees it: at the length of its span, with everything that is no prose blanked."""
    return draft.prose[sentence.span.start : sentence.span.end]


def source_of(draft: Draft, sentence: Sentence) -> str:
    """The file's text of the sentence."""
    return draft.source.text[sentence.span.start : sentence.span.end]


def marked(draft: Draft, sentence: Sentence) -> bool:
    """Whether a ref marker stands in the sentence or right behind it."""
    text = draft.source.text
    return any(
        has_ref_marker(text[draft.citations[index].ref.start : draft.citations[index].ref.end])
        for index in sentence.citations
    )


# --- manifest claims --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Bound:
    claim: Row
    claim_id: str
    manifest_id: str


def _flat(text: str) -> str:
    return " ".join(text.split())


def _claims_by_text(draft: Draft, passport: Passport | None) -> Mapping[str, _Bound]:
    """The manifest claims by their normalised text; of two with one text, the one of the later manifest."""
    from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS

    known = {id(each) for each in passport.files} if passport is not None else set()
    rows = list(passport.aggregate(CLAIM_INTENT_MANIFESTS)) if passport is not None else []
    for block in draft.manifests:
        if id(block) not in known:
            rows += block.rows.get(CLAIM_INTENT_MANIFESTS, ())
    found: dict[str, _Bound] = {}
    for row in sorted(rows, key=_emitted):
        manifest_id = row.text("manifest_id")
        if manifest_id is None:
            continue
        first: set[str] = set()
        for claim in row.children("claims"):
            text, claim_id = claim.text("claim_text"), claim.text("claim_id")
            if text is None or claim_id is None or _flat(text) in first:
                continue
            first.add(_flat(text))
            found[_flat(text)] = _Bound(claim, claim_id, manifest_id)
    return found


def _emitted(row: Row) -> float:
    """When a manifest was emitted, as an instant; one without a readable time comes first."""
    from datetime import UTC, datetime

    value = row.text("emitted_at")
    if value is None:
        return float("-inf")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return float("-inf")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _experiment_backed(claim: Row, passport: Passport | None) -> bool:
    """Whether a claim rests on experiments of the author's that are all on record; a dangling one is none."""
    planned = claim.data.get("planned_experiment_ids")
    if not isinstance(planned, list) or not planned:
        return False
    known = passport.experiment_ids if passport is not None else frozenset()
    return all(isinstance(each, str) and each in known for each in planned)
