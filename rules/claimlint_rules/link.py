"""LINK: the draft against its passport and its bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from claimlint.documents.passport import (
    CLAIM_AUDIT_RESULTS,
    CLAIM_DRIFTS,
    CONSTRAINT_VIOLATIONS,
    UNCITED_ASSERTIONS,
    Row,
)
from claimlint.documents.values import shorten, shown
from claimlint.findings import Problem, Related, Severity
from claimlint.rules import rule

if TYPE_CHECKING:
    from claimlint.documents.bibliography import Entry
    from claimlint.documents.coverage import Key
    from claimlint.documents.draft import Draft
    from claimlint.workspace import Workspace

# What only a draft needs is imported where it is used: these pages are loaded at every start.

_SLUG = re.compile(r"[A-Za-z][A-Za-z0-9_:-]*\Z")
_READABLE_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.-]*\Z")
"""A slug, and one whose only fault is a dot or a leading digit; CITE-7 reports any other."""

MAX_COMPARISONS = 30_000
"""How many pairs of an unknown slug and a known key are compared in one draft to find a nearest key."""

MAX_COMPARED = 80
"""The longest slug that a nearest key is looked for, in characters."""


@rule("LINK-1", "unknown-slug", on="Workspace")
def slugs_are_known(workspace: Workspace) -> Iterator[Problem]:
    """The slug of a ref marker is the key of a work that the project knows.

    A work is known by a `literature_corpus` row of the passport, or by an entry of a BibTeX, CSL-JSON or
    CSL-YAML file of the project. The rule is asked only where there is at least one such work, and where every
    bibliography could be read (see LINK-6).

    Why
        Nobody can look up a citation whose key leads nowhere, neither the reader nor the audit. A key that
        was made up by a language model looks like this too.

    Bad
        Yields doubled <!--ref:okafor2042--><!--anchor:page:3-->. (the corpus has okafor2024)

    Good
        Yields doubled <!--ref:okafor2024--><!--anchor:page:3-->.

    Fix
        Correct the slug, or add the work to the corpus or the bibliography once you have it in hand.
    """
    if workspace.bibliography is not None and workspace.bibliography.unread:
        return
    from claimlint.documents.bibliography import project_entries

    known = {
        key
        for entry in project_entries(workspace.passport, workspace.bibliography)
        for key in (entry.key, *entry.aliases)
    }
    if not known or not workspace.draft.citations:
        return
    nearest = _Nearest(known)
    written = {slug for key in known for slug in _written(key)}
    for citation in workspace.draft.citations:
        if citation.slug in written or not _READABLE_SLUG.match(citation.slug):
            continue
        near = nearest.of(citation.slug)
        advice = "add the work to the project" if near is None else f"did you mean {shown(near)}?"
        yield Problem(
            f"no corpus row and no bibliography entry has the key {shown(citation.slug)}; {advice}",
            workspace.draft.source,
            citation.ref,
            cause=f"unknown slug {citation.slug}",
        )


@rule("LINK-2", "stale-audit", Severity.MED_WARN, on="Workspace")
def audited_claims_are_in_the_draft(workspace: Workspace) -> Iterator[Problem]:
    """Every audited claim is still in the draft, with the citation that was audited.

    A row of `claim_audit_results` belongs to a citation with the same claim text (the sentence without its
    markers, white space aside), slug and anchor. Where several drafts share a passport, one of them has it.

    Why
        The audit judged another sentence than the one that will be published. Its verdict, good or bad, says
        nothing about the new one.

    Bad
        A row with claim_text "Yields doubled.", while the draft says "Yields tripled".

    Good
        The row of the last audit, which judged "Yields tripled."

    Fix
        Run the audit again: `claimlint check DRAFT --judge --write` replaces its rows.
    """
    passport = workspace.passport
    if not workspace.speaks or passport is None or not passport.aggregate(CLAIM_AUDIT_RESULTS):
        return
    from claimlint.documents.coverage import match, row_key

    draft = workspace.draft
    matched = match(draft, passport, workspace.companions)
    if not matched.stale:
        return
    places: dict[Key | tuple[str, ...], int] = {}
    for index, now in enumerate(matched.keys):
        for part in (now, (now.text, now.slug), (now.text,)):
            places.setdefault(part, index)
    for row in matched.stale:
        key = row_key(row)
        if key is None:
            continue
        if key in places:
            at, what, where = "claim_text", "there are more audit rows than citations of it", places[key]
        elif (key.text, key.slug) in places:
            where = places[key.text, key.slug]
            at, what = "anchor_value", f"its anchor is now {_anchor(matched.keys[where])}"
        elif (key.text,) in places:
            where = places[key.text,]
            at, what = "ref_slug", f"it now cites {shown(matched.keys[where].slug)}"
        else:
            at, what, where = "claim_text", "the draft no longer has it", -1
        yield row.problem(
            at,
            f"the audit of {shown(row.text('claim_text'))} ({key.slug}, {_anchor(key)}) is out of date: {what}; "
            "run the audit again",
            cause=f"LINK-2 {at} {where < 0}",
            related=()
            if where < 0
            else (Related("the draft's citation", draft.source, draft.citations[where].ref),),
        )


@rule("LINK-3", "not-audited", Severity.MED_WARN, on="Workspace")
def citations_are_audited(workspace: Workspace) -> Iterator[Problem]:
    """Where an audit was made, every citation has a verdict, or was left out by the audit's own sampling.

    An audit was made when the passport has `claim_audit_results`. A sampling summary speaks for the draft when
    it counts as many citations as the draft has. The run's summary counts audited, sampled out and not audited
    citations whether this rule runs or not.

    Why
        A draft of which no row is bad is not clean when half of its citations were never looked at.

    Bad
        A sentence that was added, with its citation, after the audit.

    Good
        As many audit rows as citations, or a sampling summary that names the ones that were judged.

    Fix
        Run the audit again: `claimlint check DRAFT --judge --write`. Cached verdicts cost nothing.
    """
    passport = workspace.passport
    if passport is None or not passport.aggregate(CLAIM_AUDIT_RESULTS):
        return
    from claimlint.documents.coverage import match

    matched = match(workspace.draft, passport)
    for index in matched.uncovered:
        key = matched.keys[index]
        yield Problem(
            f"no audit row covers this citation of {shown(key.slug)} ({_anchor(key)}); run the audit again",
            workspace.draft.source,
            workspace.draft.citations[index].ref,
            cause="LINK-3",
        )


@rule("LINK-4", "stale-row", Severity.LOW_WARN, on="Workspace")
def uncited_rows_are_in_the_draft(workspace: Workspace) -> Iterator[Problem]:
    """The text of every uncited assertion, drift and constraint violation is still in the draft.

    A drift of the kind INTENDED_NOT_EMITTED is about a text that the draft never had: it is not asked.

    Why
        Such a row speaks of a sentence that is gone. It keeps a gate shut, or a warning alive, for nothing.

    Bad
        An uncited_assertions row for "Most users agree.", a sentence that was deleted.

    Good
        Rows of the last audit only.

    Fix
        Run the audit again, or delete the row.
    """
    if not workspace.speaks or workspace.passport is None:
        return
    from claimlint.documents.coverage import plain

    texts = {plain(sentence.text) for draft in _together(workspace) for sentence in draft.sentences}
    for aggregate, member in (
        (UNCITED_ASSERTIONS, "sentence_text"),
        (CLAIM_DRIFTS, "claim_text"),
        (CONSTRAINT_VIOLATIONS, "claim_text"),
    ):
        for row in workspace.passport.aggregate(aggregate):
            text = row.text(member)
            if text is None or _is_unwritten(row, aggregate) or plain(text) in texts:
                continue
            yield row.problem(
                member,
                f"the draft no longer has {shown(text)}; delete the row or run the audit again",
                cause=f"LINK-4 {aggregate}",
            )


@rule("LINK-5", "uncited-entry", Severity.INFO, on="Workspace")
def entries_are_cited(workspace: Workspace) -> Iterator[Problem]:
    """Every corpus row and every bibliography entry is cited.

    Ref markers count, and so do pandoc, LaTeX and MyST citations and `nocite`. The rule is silent about a draft
    without any citation. A file counts when it serves this draft alone: the front matter names it, or it
    lies beside the only draft of its folder.

    Why
        A work that was gathered and is not used is either a citation that got lost or a row to delete.

    Bad
        A bibliography with lee2019, which no citation names.

    Good
        A bibliography whose every key is cited.

    Fix
        Cite the work where it was meant, or delete the entry.
    """
    from claimlint.documents.bibliography import corpus_entries
    from claimlint.documents.cited_keys import EVERYTHING, cited_keys

    files: list[tuple[str, tuple[Entry, ...]]] = []
    if workspace.speaks:
        files.append(("corpus row", corpus_entries(workspace.passport)))
    if workspace.bibliography is not None:
        files.extend(("entry", file.entries) for file in workspace.bibliography.files if file.own)
    if not any(entries for _, entries in files):
        return
    together = _together(workspace)
    cited = {key for draft in together for key in cited_keys(draft.source.text)}
    cited.update(citation.slug for draft in together for citation in draft.citations)
    if EVERYTHING in cited:
        return
    everyone = [entry for _, entries in files for entry in entries]
    used = _used(everyone, cited)
    if not used and not any(draft.citations for draft in together):
        return
    for kind, entries in files:
        for entry in entries:
            if entry.key not in used:
                title = f" ({shorten(entry.title)})" if entry.title else ""
                yield Problem(
                    f"nobody cites the {kind} {shown(entry.key)}{title}",
                    entry.source,
                    entry.place,
                    cause="LINK-5",
                )


@rule("LINK-6", "missing-bibliography", Severity.LOW_WARN, on="Workspace")
def bibliographies_can_be_read(workspace: Workspace) -> Iterator[Problem]:
    """Every bibliography that belongs to the draft can be read.

    Why
        As long as one is missing nobody knows all keys, so that LINK-1 stays silent about this draft.

    Bad
        bibliography: references.bib (and there is no such file)

    Good
        bibliography: refs/references.bib

    Fix
        Correct the path (it is relative to the draft), or save the bibliography as BibTeX or CSL-JSON.
    """
    for each in () if workspace.bibliography is None else workspace.bibliography.unread:
        yield Problem(
            f"the bibliography {shorten(each.name)} cannot be read, so no slug was looked up: {each.cause}",
            each.source,
            each.place,
        )


class _Nearest:
    """Finds the known key that is most like an unknown one, within a bounded number of comparisons."""

    def __init__(self, known: set[str]) -> None:
        self._keys = sorted(key for key in known if len(key) <= 2 * MAX_COMPARED)
        self._left = MAX_COMPARISONS
        self._answers: dict[str, str | None] = {}
        self._plain: dict[str, str] = {}
        for key in self._keys:
            self._plain.setdefault(_alphanumeric(key), key)

    def of(self, slug: str) -> str | None:
        if slug not in self._answers:
            self._answers[slug] = self._plain.get(_alphanumeric(slug)) or self._compare(slug)
        return self._answers[slug]

    def _compare(self, slug: str) -> str | None:
        self._left -= len(self._keys)
        if self._left < 0 or len(slug) > MAX_COMPARED:
            return None
        from difflib import get_close_matches

        return next(iter(get_close_matches(slug, self._keys, n=1, cutoff=0.7)), None)


def _written(key: str) -> tuple[str, ...]:
    """How a key is cited: as it is, and as the slug that CITE-9 proposes for one that is no slug."""
    if _SLUG.match(key):
        return (key,)
    from claimlint.documents.citations import better_slug

    return key, better_slug(key)


def _alphanumeric(key: str) -> str:
    return "".join(filter(str.isalnum, key.casefold()))


def _together(workspace: Workspace) -> tuple[Draft, ...]:
    return (workspace.draft, *workspace.companions)


def _is_unwritten(row: Row, aggregate: str) -> bool:
    return aggregate == CLAIM_DRIFTS and row.text("drift_kind") != "EMITTED_NOT_INTENDED"


def _anchor(key: Key) -> str:
    return "no anchor" if key.kind == "none" else f"{key.kind} {shown(key.value)}"


def _used(entries: Iterable[Entry], cited: set[str]) -> set[str]:
    """The keys of entries that are cited, or that a cited entry inherits from or consists of."""
    by_key: dict[str, list[Entry]] = {}
    for entry in entries:
        for key in (slug for each in (entry.key, *entry.aliases) for slug in _written(each)):
            by_key.setdefault(key, []).append(entry)
    used: set[str] = set()
    pending = [entry for key in cited for entry in by_key.get(key, ())]
    while pending:
        entry = pending.pop()
        if entry.key not in used:
            used.add(entry.key)
            pending.extend(parent for key in entry.uses for parent in by_key.get(key, ()))
    return used
