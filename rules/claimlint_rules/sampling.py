"""S-INV: what must hold of the sampling summary of an audit (contract, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from claimlint.documents.passport import AUDIT_SAMPLING_SUMMARIES, Row
from claimlint.documents.values import cause, shown, whole
from claimlint.findings import Problem, Span
from claimlint.gate import sampled_annotation
from claimlint.rules import rule

if TYPE_CHECKING:
    from claimlint.workspace import Workspace

_ANNOTATION = re.compile(
    r"\[(?:HIGH-WARN-[A-Z]|LOW-WARN-[A-Z]|CLAIM-AUDIT-[A-Z]|UNCITED-ASSERTION\]"
    r"|EXPERIMENT-PROVENANCE-INSUFFICIENT\])"
)
_REPORT_HEADING = "AI Self-Reflection Report"


@rule("S-INV-1", "sample-count-mismatch", on=AUDIT_SAMPLING_SUMMARIES)
def count_is_the_number_of_indices(row: Row) -> Iterator[Problem]:
    """The audited count is the number of audited indices.

    Why
        The gate shows the count, and a reader looks up the indices. From the contract, section 4, S-INV-1.

    Bad
        {"audited_count": 4, "audited_indices": [0, 2, 5]}

    Good
        {"audited_count": 3, "audited_indices": [0, 2, 5]}

    Fix
        Write the number of the indices, or the missing indices.
    """
    count, indices = whole(row.data.get("audited_count")), row.data.get("audited_indices")
    if count is not None and isinstance(indices, list) and count != len(indices):
        message = (
            f"audited_count is {shown(count)}, but audited_indices has {len(indices)} entries; "
            f"write {len(indices)}, or the indices that were audited"
        )
        yield row.problem("audited_count", message, cause=cause(row, "S-INV-1: audited_count"))


@rule("S-INV-2", "sample-too-large", on=AUDIT_SAMPLING_SUMMARIES)
def count_is_within_cap_and_total(row: Row) -> Iterator[Problem]:
    """The audited count exceeds neither the cap nor the number of citations.

    Why
        A sample is a part of the citations and the cap bounds its cost. From the contract, section 4, S-INV-2.

    Bad
        {"max_claims_per_paper": 9, "total_citation_count": 8, "audited_count": 9}

    Good
        {"max_claims_per_paper": 9, "total_citation_count": 12, "audited_count": 9}

    Fix
        Write the counts of the run; when more than the cap were audited, write the cap that was in force.
    """
    count = whole(row.data.get("audited_count"))
    if count is None:
        return
    limits = ((key, whole(row.data.get(key))) for key in ("max_claims_per_paper", "total_citation_count"))
    over = [(key, limit) for key, limit in limits if limit is not None and count > limit]
    if over:
        parts = " and ".join(f"{key} ({shown(limit)})" for key, limit in over)
        message = f"audited_count is {shown(count)}, more than {parts}; write the counts of the run"
        yield row.problem("audited_count", message, cause=cause(row, "S-INV-2: audited_count"))


@rule("S-INV-3", "sample-not-announced", on="Workspace")
def sampling_is_announced(workspace: Workspace) -> Iterator[Problem]:
    """A report or annotated draft says when only a sample of its citations was audited.

    Why
        Without the annotation a reader takes the citations that were not audited for clean ones. From the
        contract, section 4, S-INV-3 and section 8. It is asked of a draft that carries gate annotations or an
        AI Self-Reflection Report, when a sampling summary says that fewer than all were audited; for several
        drafts of one passport it may stand in any of them.

    Bad
        ## AI Self-Reflection Report
        [CLAIM-AUDIT-AMBIGUOUS] The anchor is about another form.

    Good
        ## AI Self-Reflection Report
        [CLAIM-AUDIT-SAMPLED — 9/12 audited]
        [CLAIM-AUDIT-AMBIGUOUS] The anchor is about another form.

    Fix
        Copy the annotation from the message into the report.
    """
    summaries = () if workspace.passport is None else workspace.passport.aggregate(AUDIT_SAMPLING_SUMMARIES)
    place = _annotated(workspace) if summaries else None
    if place is None:
        return
    texts = [draft.source.text for draft in (workspace.draft, *workspace.companions)]
    for row in summaries:
        annotation = sampled_annotation(row.data)
        if annotation is not None and not any(annotation in text for text in texts):
            yield Problem(
                f"the draft shows the outcome of an audit of a sample; write {annotation} beside it",
                workspace.draft.source,
                place,
                cause="S-INV-3: sampling not announced",
                related=(row.related("the sampling summary"),),
            )


def _annotated(workspace: Workspace) -> Span | None:
    """Where a draft first shows the outcome of an audit, or None."""
    found = _ANNOTATION.search(workspace.draft.source.text)
    if found is not None:
        return Span(found.start(), found.end())
    headings = (heading for heading in workspace.draft.headings if _REPORT_HEADING in heading.text)
    return next((heading.span for heading in headings), None)


@rule("S-INV-4", "sample-not-ascending", on=AUDIT_SAMPLING_SUMMARIES)
def indices_ascend(row: Row) -> Iterator[Problem]:
    """The audited indices ascend strictly.

    Why
        The sample follows the draft, and an index that stands twice was audited once. From the contract,
        section 4, S-INV-4.

    Bad
        {"audited_indices": [0, 5, 2]}

    Good
        {"audited_indices": [0, 2, 5]}

    Fix
        Sort the indices and remove repeated ones, then correct audited_count.
    """
    indices = row.data.get("audited_indices")
    if not isinstance(indices, list):
        return
    read = [(at, index) for at, index in enumerate(map(whole, indices)) if index is not None]
    for (_, before), (at, after) in pairwise(read):
        if after <= before:
            message = (
                f"audited_indices has {shown(after)} after {shown(before)}; write the indices in ascending "
                "order, each once"
            )
            yield row.problem(("audited_indices", at), message, cause=cause(row, "S-INV-4: audited_indices"))
            return
