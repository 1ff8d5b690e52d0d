"""ANCHOR: anchors against the sources themselves, wherever the project has them. No judge is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from claimlint.documents.values import shown
from claimlint.findings import Problem, Severity
from claimlint.rules import rule

if TYPE_CHECKING:
    from claimlint.workspace import AnchorCheck, Workspace

_FOUND = "found"
_UNKNOWN = "unknown"
_ABSENT = "absent"


@rule("ANCHOR-1", "quote-not-in-source", Severity.HIGH_WARN, on="Workspace")
def quotes_are_in_their_source(workspace: Workspace) -> Iterator[Problem]:
    """The words of a quote anchor stand in the cited source.

    Asked where a source is at hand (`--sources DIR`). Ligatures, dashes, quotation marks, hyphenation, white
    space and page breaks do not count. The weight follows from what can be known: words that are nowhere in the
    source weigh high-warn; words that come close to a passage of a PDF weigh med-warn, because reading a PDF
    may change a text; words that are there with other capitals or with gaps weigh low-warn. Where the source
    cannot be read well enough to tell, the line is info: a scan without text, a text layer that reads as no
    words, a PDF whose page counts disagree. A source of which no file lies in the folders is info, once for
    each source, under the rule of its first anchor.

    Why
        A quote is the one part of a citation that anybody can check by searching for it. One that its source
        does not have was changed, belongs to another source, or was made up.

    Bad
        Waiting fell <!--ref:okafor2024--><!--anchor:quote:waiting%20fell%20by%20half-->. (the source: "waiting
        fell by a third")

    Good
        Waiting fell <!--ref:okafor2024--><!--anchor:quote:waiting%20fell%20by%20a%20third-->.

    Fix
        Copy up to 25 unbroken words from the source into the anchor, and look whether they still carry the
        sentence. If they do not, the sentence is what must change.
    """
    yield from _absent(workspace, "quote")
    for check in _checks(workspace, "quote"):
        quote = shown(check.value)
        if check.outcome == _UNKNOWN:
            yield _unknown(workspace, check, f"the quote {quote}")
            continue
        if check.outcome == "inexact":
            message = f"the quote {quote} is not in {check.slug} as it stands: {check.detail}"
            yield _problem(workspace, check, f"{message}; copy its own words", Severity.LOW_WARN)
            continue
        severity = Severity.MED_WARN if check.outcome == "doubtful" else None
        message = (
            f"the quote {quote} is not in {check.slug} (looked in {check.detail}); quote the source's own words"
        )
        yield _problem(workspace, check, message, severity)


@rule("ANCHOR-2", "page-not-in-source", Severity.MED_WARN, on="Workspace")
def pages_are_in_their_source(workspace: Workspace) -> Iterator[Problem]:
    """The pages of a page anchor exist in the cited source.

    Asked where a source is at hand and has pages: a PDF, or a text with form feeds. A number is looked up among
    the page labels of a PDF, then as a position in the file, then among the numbers printed on the pages, so
    that page 345 of a journal is found in a file of ten pages. A PDF whose declared, enumerated and read page
    counts disagree is not asked (info).

    It weighs med-warn and not more: a wrong page misleads a reader, but says nothing yet about the claim.

    Why
        A reader who turns to the page finds nothing, and a judge who is shown the whole source instead of one
        page judges less sharply.

    Bad
        Costs fell <!--ref:okafor2024--><!--anchor:page:12-->. (the source has 4 pages)

    Good
        Costs fell <!--ref:okafor2024--><!--anchor:page:3-->.

    Fix
        Write the page as it is printed, or its position in the file. If you copied the number from another
        edition, cite that edition.
    """
    yield from _absent(workspace, "page")
    for check in _checks(workspace, "page"):
        if check.outcome == _UNKNOWN:
            yield _unknown(workspace, check, f"page {shown(check.value)}")
            continue
        message = f"page {shown(check.value)} is not in {check.slug}: {check.detail}; write a page that it has"
        yield _problem(workspace, check, message, None)


@rule("ANCHOR-3", "place-not-in-source", Severity.LOW_WARN, on="Workspace")
def sections_and_paragraphs_are_in_their_source(workspace: Workspace) -> Iterator[Problem]:
    """The section or paragraph that an anchor names is in the cited source.

    Asked where a source is at hand. A section is found by its number or its title; paragraphs are counted from
    1 between blank lines, headings aside. Sources without visible headings or blank lines, and paragraphs in a
    PDF, cannot be told (info).

    It weighs low-warn: outside Markdown and HTML, headings are recognised by their looks.

    Why
        An anchor that leads nowhere is no anchor: neither the reader nor the judge gets to the passage meant.

    Bad
        The tool was validated <!--ref:okafor2024--><!--anchor:section:7.4-->. (the last section is 5)

    Good
        The tool was validated <!--ref:okafor2024--><!--anchor:section:4.2-->.

    Fix
        Write the section's number or title as the source has it, or anchor the claim by a quote, which is the
        easiest to check.
    """
    for kind in ("section", "paragraph"):
        yield from _absent(workspace, kind)
        for check in _checks(workspace, kind):
            place = f"{kind} {shown(check.value)}"
            if check.outcome == _UNKNOWN:
                yield _unknown(workspace, check, place)
                continue
            message = f"{place} is not in {check.slug}: {check.detail}; name one that it has, or anchor a quote"
            yield _problem(workspace, check, message, None)


def _checks(workspace: Workspace, kind: str) -> Iterator[AnchorCheck]:
    return (check for check in workspace.anchors if check.kind == kind and check.outcome not in (_FOUND, _ABSENT))


def _absent(workspace: Workspace, kind: str) -> Iterator[Problem]:
    for check in workspace.anchors:
        if check.kind == kind and check.outcome == _ABSENT:
            name = check.slug.replace(":", "-")  # which stands for the key in a file name, too
            message = f"no file for {check.slug} in {check.detail}; name it {name}.pdf (or .txt, .md, .html)"
            yield _problem(workspace, check, message, Severity.INFO, cause=f"no file: {check.slug}")


def _unknown(workspace: Workspace, check: AnchorCheck, what: str) -> Problem:
    message = f"{what} could not be looked up in {check.slug}: {check.detail}"
    return _problem(workspace, check, message, Severity.INFO, cause=f"not looked up: {check.slug}: {check.detail}")


def _problem(
    workspace: Workspace, check: AnchorCheck, message: str, severity: Severity | None, *, cause: str = ""
) -> Problem:
    return Problem(message, workspace.draft.source, check.span, cause=cause, severity=severity)
