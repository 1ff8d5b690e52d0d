"""UNCITED: sentences that assert something and name no source (contract, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from claimlint.findings import Problem, Severity, Span
from claimlint.rules import rule

if TYPE_CHECKING:
    from claimlint.workspace import Workspace


def detect_uncited(sentence: str) -> tuple[bool, list[str]]:
    """Whether a sentence is a candidate of D4-c, and its trigger tokens (contract, section 6)."""
    from claimlint.documents.d4c import detect_uncited as detect

    return detect(sentence)


_SHOWN = 6


@rule("UNCITED-1", "uncited-claim", Severity.LOW_WARN, on="Workspace")
def claims_carry_a_citation(workspace: Workspace) -> Iterator[Problem]:
    """A sentence that counts or reports an observation names its source.

    The triggers are percentages, `N of M`, bare numbers, and the words most, several, two-thirds, showed,
    demonstrated, observed, proved, confirmed (detector D4-c). A ref marker in the sentence or right behind its
    full stop answers for it; a definition and a claim backed by an experiment on record need none. Years,
    versions and numbers of sections, tables and figures are no triggers.

    A sentence is shown as `info`, with the reason, where a reader would not miss a marker: it has a visible
    citation (`[@key]`, a footnote that cites, `\\cite{key}`, `[12]`, `(Okafor, 2024)`; the setting
    `uncited.citations` narrows these), its numbers only name (`COVID-19`, `CC BY 4.0`), it speaks of the
    author's own work, or its wording ties it to a neighbour with a citation. The audit records those too.

    Why
        A number without a source cannot be checked, and is what a language model makes up most readily. From
        the contract, section 6.

    Bad
        Most clinics cut waiting times by 40%.

    Good
        Most clinics cut waiting times by 40% <!--ref:okafor2024--><!--anchor:page:12-->.

    Fix
        Cite the work that says so, or take the quantity out. Where neither is right, acknowledge the line with
        a reason: `<!-- claimlint: disable=UNCITED-1 -- common knowledge in the field -->`.
    """
    from claimlint.documents.uncited import uncited_candidates

    draft, options = workspace.draft, workspace.options
    for candidate in uncited_candidates(draft, workspace.passport, options.citation_styles):
        asserts = f"asserts {_quoted(candidate.triggers)}"
        span = draft.sentences[candidate.sentence].span
        if candidate.reason is None:
            yield Problem(
                f"{asserts} without a citation; add the ref marker of a source, or drop the quantity",
                draft.source,
                span,
            )
        else:
            yield Problem(
                f"{asserts} without a ref marker, but {candidate.reason.text}",
                draft.source,
                span,
                cause=f"UNCITED-1: {candidate.reason.ground.value}",
                severity=Severity.INFO,
            )


@rule("UNCITED-2", "maybe-uncited-claim", Severity.INFO, on="Workspace", default=False)
def further_claims_carry_a_citation(workspace: Workspace) -> Iterator[Problem]:
    """A sentence with a weaker sign of a claim names its source, too.

    Looks at the sentences that UNCITED-1 passes over, with more triggers: found, reports, shows, half,
    majority, spelled-out numbers, Chinese, Japanese and Korean quantities and verbs of finding, full-width
    digits, the words of `uncited.words` (by language) and the patterns of `uncited.patterns`. Sentences that
    UNCITED-1 would show as `info` are left out.

    It is off by default and never more than `info`: *two* and *found* stand in far more sentences that need no
    source than in ones that do. A pattern that is no regular expression, or that takes too long, is dropped and
    reported as `low-warn`.

    Why
        Claims hide behind words that no short list holds. For a last reading before submission, and for
        languages that UNCITED-1 does not read, a long list is worth its false alarms.

    Bad
        The majority of clinics found shorter queues.

    Good
        The majority of clinics found shorter queues <!--ref:lind2023--><!--anchor:section:4-->.

    Fix
        Cite the work that says so, or leave the line as it is.
    """
    from claimlint.documents.uncited import further_candidates

    draft, options = workspace.draft, workspace.options
    found = further_candidates(draft, workspace.passport, options.citation_styles, options.words, options.patterns)
    for candidate in found.candidates:
        yield Problem(
            f"may assert {_quoted(candidate.triggers)} without a citation; add one if a source says so",
            draft.source,
            draft.sentences[candidate.sentence].span,
        )
    for each in found.faults:
        yield Problem(
            f"the setting uncited.patterns holds {each.pattern[:60]!r}, which was not applied: {each.fault}; "
            "write a simpler pattern, or remove it",
            draft.source,
            Span(0, 0),
            cause=f"UNCITED-2: pattern {each.pattern}",
            severity=Severity.LOW_WARN,
        )


def _quoted(triggers: tuple[str, ...]) -> str:
    """The trigger tokens for a message: the first few in quotes, the rest as a number."""
    shown = ", ".join(f'"{" ".join(token.split())}"' for token in triggers[:_SHOWN])
    more = len(triggers) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
