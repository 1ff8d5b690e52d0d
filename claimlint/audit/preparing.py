"""From a draft to the questions that must be asked: everything of an audit that needs no judge.

``prepare`` reads the citations, has their sources fetched, finds the passages, looks into the cache and keeps to
the limits. Nothing is changed by it but the set-aside of damaged cache files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from claimlint.audit.binding import Claims, Scope
from claimlint.audit.cache import Corrupt, Hit, Question, VerdictCache
from claimlint.audit.citations import AuditCitation, audit_citations
from claimlint.audit.companions import belongs_elsewhere
from claimlint.audit.config import Ambient, AuditConfig, Progress, Silent
from claimlint.audit.constraints import active_constraints
from claimlint.audit.plan import Plan, estimate
from claimlint.audit.retrieving import requests_for, retrieve_all
from claimlint.audit.rows import Run
from claimlint.audit.sampling import audited_indices
from claimlint.audit.types import (
    METHOD_API,
    METHOD_MANUAL_PDF,
    PREFLIGHT_PASS,
    Constraint,
    Passage,
    Retrieved,
    Retriever,
)
from claimlint.audit.uncited_stream import UncitedQuestion, uncited_questions
from claimlint.audit.words import scrub
from claimlint.documents.coverage import NO_ANCHOR
from claimlint.documents.passport import CLAIM_AUDIT_RESULTS, LITERATURE_CORPUS, Passport, Row, join

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft
    from claimlint.workspace import Workspace

_GOT = (METHOD_API, METHOD_MANUAL_PDF)


@dataclass(frozen=True, slots=True)
class CitationCase:
    """An audited citation with what is known before a judge is asked.

    ``source`` is None when the citation has no usable anchor. ``passage`` and ``question`` are None unless the
    source was had.
    """

    citation: AuditCitation
    scope: Scope
    constraints: tuple[Constraint, ...]
    source: Retrieved | None = None
    passage: Passage | None = None
    question: Question | None = None
    key: str = ""

    @property
    def pdf_unverified(self) -> bool:
        """Whether the citation names a page of a PDF whose reading is not known to be whole."""
        source = self.source
        return (
            self.citation.kind == "page"
            and source is not None
            and source.method == METHOD_MANUAL_PDF
            and source.preflight not in (None, PREFLIGHT_PASS)
        )


@dataclass(frozen=True, slots=True)
class SentenceCase:
    """A sentence without a citation, held against the constraints of one manifest."""

    asked: UncitedQuestion
    question: Question
    key: str


Case = CitationCase | SentenceCase


@dataclass(frozen=True, slots=True)
class Prepared:
    """An audit that is ready to ask.

    ``emitted`` are all citations of the draft with their scopes, audited or not. ``known`` holds what the cache
    had for a key. ``calls`` are the cases to ask, those of one key together, and ``refused`` the keys that a
    limit keeps from being asked; ``costs`` estimates each call.
    """

    draft: Draft
    passport: Passport
    workspace: Workspace
    config: AuditConfig
    ambient: Ambient
    run: Run
    claims: Claims
    cache: VerdictCache
    emitted: tuple[tuple[AuditCitation, Scope], ...]
    sampled: tuple[int, ...]
    citations: tuple[CitationCase, ...]
    sentences: tuple[SentenceCase, ...]
    known: Mapping[str, Hit | Corrupt]
    calls: tuple[tuple[Case, ...], ...]
    costs: tuple[float | None, ...]
    refused: frozenset[str]
    plan: Plan


def prepare(
    workspace: Workspace,
    config: AuditConfig,
    retrievers: Sequence[Retriever],
    judge_model: str,
    cache: VerdictCache,
    *,
    ambient: Ambient | None = None,
    progress: Progress | None = None,
    keep_cache: bool = False,
) -> Prepared:
    """Make an audit ready; asks the retrievers, but not the judge.

    ``keep_cache`` leaves damaged cache files where they are (for a dry run). Raises UsageError for limits
    that cannot be kept; whatever a retriever does becomes a row.
    """
    config.check()
    ambient = ambient or Ambient()
    run = Run(ambient.audit_run_id(), ambient.stamp(), scrub(judge_model) or "unknown")
    passport = whole_passport(workspace)
    claims = Claims(passport, _kept_rows(workspace, passport))
    emitted = tuple((each, claims.scope(each.claim_text)) for each in audit_citations(workspace.draft))
    sampled = audited_indices(len(emitted), config.max_claims)
    audited = [emitted[index] for index in sampled]
    sources = retrieve_all(
        requests_for([each.slug for each, _ in audited if each.kind != NO_ANCHOR], corpus(passport, workspace)),
        retrievers,
        workers=config.concurrency,
        deadline=config.retrieval_deadline,
        progress=progress or Silent(),
    )
    version = config.prompt_version or f"__unknown__:{run.audit_run_id}"
    passages = _Passages()
    citations = tuple(
        _citation_case(each, scope, sources.get(each.slug), passages, run.judge_model, version)
        for each, scope in audited
    )
    sentences = tuple(
        _sentence_case(each, run.judge_model, version) for each in uncited_questions(workspace.draft, claims)
    )
    groups = _groups((*citations, *sentences))
    known = {
        key: found
        for key, cases in groups.items()
        if (found := cache.get(key, _question(cases[0]), set_aside=not keep_cache)) is not None
    }
    asked = {key: cases for key, cases in groups.items() if key not in known}
    calls, costs, refused, tokens = _within_limits(asked, config)
    hits = sum(isinstance(each, Hit) for each in known.values())
    plan = Plan(
        citations=len(emitted),
        audited=len(citations),
        anchorless=sum(case.citation.kind == NO_ANCHOR for case in citations),
        unavailable=sum(case.source is not None and case.source.method not in _GOT for case in citations),
        sources=len(sources),
        sentences=len(sentences),
        cached=hits,
        corrupt=len(known) - hits,
        calls=len(calls),
        refused=len(refused),
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        cost=None if config.price_in is None or config.price_out is None else sum(each or 0.0 for each in costs),
    )
    return Prepared(
        draft=workspace.draft,
        passport=passport,
        workspace=workspace,
        config=config,
        ambient=ambient,
        run=run,
        claims=claims,
        cache=cache,
        emitted=emitted,
        sampled=sampled,
        citations=citations,
        sentences=sentences,
        known=known,
        calls=calls,
        costs=costs,
        refused=refused,
        plan=plan,
    )


def whole_passport(workspace: Workspace) -> Passport:
    """The passport of a draft with the manifests that the draft, and others that share it, hold themselves."""
    files = () if workspace.passport is None else workspace.passport.files
    embedded = [each for each in workspace.embedded if all(each is not file for file in files)]
    if workspace.passport is not None and not embedded:
        return workspace.passport
    return join((*files, *embedded))


def _kept_rows(workspace: Workspace, passport: Passport) -> list[Row]:
    keep = belongs_elsewhere(workspace.draft, workspace.companions)
    rows = passport.aggregate(CLAIM_AUDIT_RESULTS)
    return [] if keep is None else [row for row in rows if keep(CLAIM_AUDIT_RESULTS, row.data)]


def corpus(passport: Passport, workspace: Workspace) -> dict[str, Mapping[str, object]]:
    """What is known about each source, by citation key: its corpus row, else its bibliography entry."""
    found: dict[str, Mapping[str, object]] = {}
    for row in passport.aggregate(LITERATURE_CORPUS):
        key = row.text("citation_key")
        if key:
            found.setdefault(key, row.data)
    for entry in () if workspace.bibliography is None else workspace.bibliography.entries:
        for key in (entry.key, *entry.aliases):
            found.setdefault(key, {"citation_key": entry.key, "title": entry.title})
    return found


class _Passages:
    """Finds each passage once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Passage] = {}

    def find(self, citation: AuditCitation, source: Retrieved) -> Passage:
        from claimlint.audit.passage import locate

        key = (citation.slug, citation.kind, citation.value)
        if key not in self._found:
            trusted = source.method != METHOD_MANUAL_PDF or source.preflight in (None, PREFLIGHT_PASS)
            self._found[key] = locate(
                source.text, citation.kind, citation.value, trust_pages=trusted, labels=source.labels
            )
        return self._found[key]


def _citation_case(
    citation: AuditCitation,
    scope: Scope,
    source: Retrieved | None,
    passages: _Passages,
    model: str,
    version: str,
) -> CitationCase:
    case = CitationCase(citation, scope, active_constraints(scope.manifest, scope.claim_id))
    if citation.kind == NO_ANCHOR or source is None:
        return case
    if source.method not in _GOT:
        return replace(case, source=source)
    passage = passages.find(citation, source)
    question = Question(
        claim_text=citation.claim_text,
        ref_slug=citation.slug,
        anchor_kind=citation.kind,
        anchor_value=citation.value,
        excerpt=passage.text,
        constraints=case.constraints,
        judge_model=model,
        prompt_version=version,
    )
    return replace(case, source=source, passage=passage, question=question, key=question.key())


def _sentence_case(asked: UncitedQuestion, model: str, version: str) -> SentenceCase:
    question = Question(
        claim_text=asked.claim_text,
        ref_slug="",
        anchor_kind=NO_ANCHOR,
        anchor_value="",
        excerpt="",
        constraints=asked.constraints,
        judge_model=model,
        prompt_version=version,
    )
    return SentenceCase(asked, question, question.key())


def _question(case: Case) -> Question:
    if case.question is None:
        raise AssertionError("a case without a question has no key")
    return case.question


def _groups(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases with a question, by key: one verdict serves all of a key."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        if case.question is not None:
            groups.setdefault(case.key, []).append(case)
    return groups


def _within_limits(
    asked: Mapping[str, list[Case]], config: AuditConfig
) -> tuple[tuple[tuple[Case, ...], ...], tuple[float | None, ...], frozenset[str], tuple[int, int]]:
    """The calls that the limits allow, their estimated costs, the keys refused, and the tokens in and out.

    Citations come before uncited sentences, and each in document order; the first call that exceeds a limit
    ends the calls.
    """
    calls: list[tuple[Case, ...]] = []
    costs: list[float | None] = []
    refused: set[str] = set()
    tokens_in = tokens_out = 0
    spent = 0.0
    for key, cases in asked.items():
        guess = estimate(_question(cases[0]), config)
        full = config.max_calls is not None and len(calls) >= config.max_calls
        dear = config.max_cost is not None and spent + (guess.cost or 0.0) > config.max_cost
        if refused or full or dear:
            refused.add(key)
            continue
        spent += guess.cost or 0.0
        calls.append(tuple(cases))
        costs.append(guess.cost)
        tokens_in += guess.tokens_in
        tokens_out += guess.tokens_out
    return tuple(calls), tuple(costs), frozenset(refused), (tokens_in, tokens_out)
