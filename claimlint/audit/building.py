"""Making the rows of the six aggregates of cases and answers (contract, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from claimlint.audit import rows
from claimlint.audit.asking import Answer, Failed, NotAsked
from claimlint.audit.cache import Corrupt, Hit
from claimlint.audit.companions import belongs_elsewhere, cited_texts, settled_texts
from claimlint.audit.drift import Emitted, all_texts, find_drifts
from claimlint.audit.evidence import has_unlocated_evidence
from claimlint.audit.preparing import Case, CitationCase, Prepared, SentenceCase
from claimlint.audit.reply import AMBIGUOUS, SUPPORTED
from claimlint.audit.rows import RowData
from claimlint.audit.types import EVIDENCE_UNLOCATED, METHOD_TOOL_FAILURE, PDF_UNVERIFIED
from claimlint.audit.verdict import Verdict
from claimlint.audit.words import normal
from claimlint.documents.draft import NO_SENTENCE
from claimlint.documents.passport import (
    AUDIT_SAMPLING_SUMMARIES,
    CLAIM_AUDIT_RESULTS,
    CLAIM_DRIFTS,
    CONSTRAINT_VIOLATIONS,
    UNCITED_ASSERTIONS,
    UNCITED_AUDIT_FAILURES,
)
from claimlint.findings import Span

OWNED = (
    CLAIM_AUDIT_RESULTS,
    UNCITED_ASSERTIONS,
    CLAIM_DRIFTS,
    CONSTRAINT_VIOLATIONS,
    UNCITED_AUDIT_FAILURES,
    AUDIT_SAMPLING_SUMMARIES,
)
"""The aggregates that the audit owns: a new run replaces them."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A new row and where it belongs in the draft; None for what is not in the draft."""

    data: RowData
    span: Span | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How the audited citations and the uncited checks came out.

    ``judged`` have a verdict (``cached`` of them from the cache), ``settled`` a row that needs none (no anchor,
    source not to be had or not known to exist), ``failed`` a failure that may pass, ``not_asked`` no row
    because of a limit or an early end. ``sentences_…`` say the same of uncited sentences.
    """

    judged: int
    cached: int
    settled: int
    failed: int
    not_asked: int
    sentences_judged: int
    sentences_failed: int
    calls: int


class RowBuilder:
    """Builds the rows of all aggregates from the cases and their answers."""

    def __init__(self, prepared: Prepared, answers: Mapping[int, Answer]) -> None:
        self._prepared = prepared
        self._answers = answers
        self._made: dict[str, list[AuditRow]] = {name: [] for name in OWNED}
        self._violated: set[str] = set()
        self._settled: set[str] = set()
        self._tally = dict.fromkeys(
            ("judged", "cached", "settled", "failed", "not_asked", "sentences_judged", "sentences_failed"), 0
        )

    def build(self) -> None:
        for case in self._prepared.citations:
            self._citation(case)
        self._uncited()
        for sentence in self._prepared.sentences:
            self._sentence(sentence)
        self._drifts()
        self._sampling()

    def rows(self) -> dict[str, tuple[AuditRow, ...]]:
        return {name: tuple(found) for name, found in self._made.items()}

    def counts(self, calls: int) -> Counts:
        return Counts(**self._tally, calls=calls)

    def _answer(self, case: Case) -> Answer:
        known = self._prepared.known.get(case.key)
        if isinstance(known, Hit):
            return known.verdict
        if isinstance(known, Corrupt):
            return Failed("cache_corruption", known.detail)
        if case.key in self._prepared.refused:
            return NotAsked("the limit on calls or cost was reached")
        return self._answers.get(id(case), NotAsked("the run was ended"))

    def _add(self, name: str, data: RowData, span: Span | None) -> None:
        self._made[name].append(AuditRow(data, span))

    def _number(self, name: str) -> int:
        return len(self._made[name]) + 1

    def _citation(self, case: CitationCase) -> None:
        row = self._citation_row(case)
        if row is not None:
            self._add(CLAIM_AUDIT_RESULTS, row, case.citation.span)

    def _citation_row(self, case: CitationCase) -> RowData | None:
        citation, scope, run = case.citation, case.scope, self._prepared.run
        if case.source is None:
            self._tally["settled"] += 1
            return rows.anchorless(citation, scope, run)
        if case.passage is None:
            source = case.source
            self._tally["failed" if source.method == METHOD_TOOL_FAILURE else "settled"] += 1
            return rows.unretrieved(
                citation,
                scope,
                run,
                method=source.method,
                fault=source.fault,
                detail=source.detail,
                constrained=bool(case.constraints),
            )
        answer = self._answer(case)
        if isinstance(answer, NotAsked):
            self._tally["not_asked"] += 1
            return None
        if isinstance(answer, Failed):
            self._tally["failed"] += 1
            return rows.unjudged(citation, scope, run, fault=answer.fault, detail=answer.detail)
        self._tally["judged"] += 1
        self._tally["cached"] += case.key in self._prepared.known
        if answer.is_violation and scope.manifest_id is not None:
            self._violated.add(scope.manifest_id)
        judgment, stage = answer.judgment, answer.defect_stage
        unlocated = has_unlocated_evidence(answer.rationale, case.passage.text)
        if unlocated and judgment == SUPPORTED and self._prepared.config.require_evidence:
            judgment, stage = AMBIGUOUS, None
        return rows.judged(
            citation,
            scope,
            run,
            answer,
            method=case.source.method,
            tags=(
                case.passage.tag,
                EVIDENCE_UNLOCATED if unlocated else None,
                PDF_UNVERIFIED if case.pdf_unverified else None,
            ),
            judgment=judgment,
            defect_stage=stage,
        )

    def _uncited(self) -> None:
        from claimlint.documents.uncited import uncited_candidates

        prepared = self._prepared
        for candidate in uncited_candidates(
            prepared.draft, prepared.passport, prepared.workspace.options.citation_styles
        ):
            sentence = prepared.draft.sentences[candidate.sentence]
            bound = prepared.claims.bound(sentence.text)
            if bound is not None and prepared.claims.backed_by_experiments(bound.claim):
                continue
            self._settled.add(normal(sentence.text))
            row = rows.uncited_assertion(
                self._number(UNCITED_ASSERTIONS),
                sentence.text,
                sentence.section_path,
                candidate.triggers,
                bound,
                prepared.run,
            )
            self._add(UNCITED_ASSERTIONS, row, sentence.span)

    def _sentence(self, case: SentenceCase) -> None:
        asked, answer = case.asked, self._answer(case)
        if isinstance(answer, Verdict):
            self._tally["sentences_judged"] += 1
            if not answer.is_violation:
                return
            self._settled.add(normal(asked.claim_text))
            row = rows.constraint_violation(
                self._number(CONSTRAINT_VIOLATIONS),
                asked.claim_text,
                asked.section_path,
                answer,
                manifest_id=asked.manifest_id,
                claim_id=asked.claim_of(answer.violated),
                owner=asked.owner,
            )
            self._add(CONSTRAINT_VIOLATIONS, row, asked.span)
            return
        # Without a row an uncited sentence looks checked and clean: what was not asked is recorded too.
        self._tally["sentences_failed"] += 1
        if isinstance(answer, NotAsked):
            answer = Failed("judge_api_error", f"not asked, because {answer.reason}")
        row = rows.uncited_failure(
            self._number(UNCITED_AUDIT_FAILURES),
            asked.claim_text,
            asked.section_path,
            self._prepared.run,
            fault=answer.fault,
            detail=answer.detail,
            manifest_id=asked.manifest_id,
            claim_id=asked.claim_with_constraints,
            owner=asked.owner,
        )
        self._add(UNCITED_AUDIT_FAILURES, row, asked.span)

    def _drifts(self) -> None:
        prepared = self._prepared
        drifts = find_drifts(
            prepared.claims,
            _emitted(prepared),
            stated=all_texts(sentence.text for sentence in prepared.draft.sentences),
            settled=_settled_elsewhere(prepared) | self._settled,
            elsewhere=cited_texts(prepared.workspace.companions),
            violated=frozenset(self._violated),
        )
        for each in drifts.emitted:
            row = rows.emitted_not_intended(self._number(CLAIM_DRIFTS), each.text, each.section_path, prepared.run)
            self._add(CLAIM_DRIFTS, row, each.span)
        for bound in drifts.intended:
            text = bound.claim.text("claim_text") or ""
            row = rows.intended_not_emitted(self._number(CLAIM_DRIFTS), bound, text, prepared.run)
            self._add(CLAIM_DRIFTS, row, None)

    def _sampling(self) -> None:
        prepared = self._prepared
        if len(prepared.sampled) < len(prepared.emitted):
            row = rows.sampling_summary(
                prepared.run,
                cap=prepared.config.max_claims,
                total=len(prepared.emitted),
                indices=prepared.sampled,
            )
            self._add(AUDIT_SAMPLING_SUMMARIES, row, None)


def _settled_elsewhere(prepared: Prepared) -> frozenset[str]:
    """The texts that make no drift because of what the passport says of other drafts that share it."""
    keep = belongs_elsewhere(prepared.draft, prepared.workspace.companions)
    if keep is None:
        return frozenset()

    def kept(name: str) -> list[Mapping[str, object]]:
        return [row.data for row in prepared.passport.aggregate(name) if keep(name, row.data)]

    return settled_texts(kept)


def _emitted(prepared: Prepared) -> dict[str, Emitted]:
    """The cited claims by their normal text, each with the manifests under which it was audited."""
    audited = set(prepared.sampled)
    scopes: dict[str, set[str]] = {}
    first: dict[str, Emitted] = {}
    for citation, scope in prepared.emitted:
        text = normal(citation.claim_text)
        if citation.claim_text == NO_SENTENCE:  # no claim, so nothing that could drift
            continue
        first.setdefault(text, Emitted(citation.claim_text, citation.section_path, citation.span, frozenset()))
        under = scopes.setdefault(text, set())
        if citation.index in audited and scope.manifest_id is not None:
            under.add(scope.manifest_id)
    return {
        text: Emitted(each.text, each.section_path, each.span, frozenset(scopes[text]))
        for text, each in first.items()
    }
