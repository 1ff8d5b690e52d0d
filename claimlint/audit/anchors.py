"""Looking anchors up in their sources without a judge: what ANCHOR-1 to ANCHOR-3 report.

A quote, page, section or paragraph is either there, or not there, or cannot be told, because the source or what
was read of it does not allow it. What cannot be told is never called missing.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from claimlint.audit.kept import kept
from claimlint.audit.normalise import normalise, normalised
from claimlint.audit.pages import find_pages, split_pages
from claimlint.audit.passage import find_paragraphs, find_quote, paragraphs
from claimlint.audit.sections import find_section, headings, is_number, numbered
from claimlint.audit.types import (
    METHOD_API,
    METHOD_MANUAL_PDF,
    PREFLIGHT_FAIL,
    PREFLIGHT_PASS,
    RetrievalRequest,
    Retrieved,
)
from claimlint.audit.words import scrub
from claimlint.discovery import show
from claimlint.documents.passport import LITERATURE_CORPUS
from claimlint.documents.values import listed
from claimlint.workspace import AnchorCheck

if TYPE_CHECKING:
    from claimlint.audit.types import Retriever
    from claimlint.documents.draft import Citation
    from claimlint.workspace import Workspace

FOUND = "found"
MISSING = "missing"
UNKNOWN = "unknown"
INEXACT = "inexact"
DOUBTFUL = "doubtful"
ABSENT = "absent"
"""Outcomes. ``inexact``: the words are there with other capitals or with gaps. ``doubtful``: words close to them
are in a PDF, where the reading may be what differs. ``absent``: there is no source to look into."""

Lookup = Callable[[str], Retrieved | None]
"""From a citation key to its source; None when no source is at hand."""

_GAP = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_WORD = re.compile(r"\w+")
_CLOSE = 0.7
"""The share of a quote's words that a passage must hold to be called close to it."""

_READABLE = 0.6
"""The least share of letters, digits and blanks in a text layer that makes sense."""

_SHOWN = 160


def check_workspace_anchors(
    workspace: Workspace, sources: Sequence[str], *, cache_dir: str | None = None
) -> tuple[AnchorCheck, ...]:
    """The anchors of a draft, looked up in the author's folders ``sources``.

    ``cache_dir`` keeps what was read of PDF and HTML files between runs. Raises UsageError for a folder that
    is none.
    """
    retriever = _retriever(tuple(sources), cache_dir, os.getcwd())
    corpus: dict[str, dict[str, object]] = {}
    if workspace.passport is not None:
        for row in workspace.passport.aggregate(LITERATURE_CORPUS):
            key = row.text("citation_key")
            if key:
                corpus.setdefault(key, dict(row.data))
    return check_anchors(
        workspace.draft.citations,
        lambda slug: retriever.retrieve(RetrievalRequest(slug, corpus.get(slug))),
        listed((show(folder) for folder in dict.fromkeys(sources)), "or"),
    )


def check_anchors(citations: Iterable[Citation], lookup: Lookup, where: str = "") -> tuple[AnchorCheck, ...]:
    """The outcome for every usable citation whose source is at hand, in the order of the draft.

    A source that is not at hand, ``where`` it was looked for, is said once: at its first usable citation.
    """
    checks: list[tuple[int, AnchorCheck]] = []
    usable = [(index, each) for index, each in enumerate(citations) if each.usable and each.anchor is not None]
    # What is worked out of a source is kept for the last few only, so its citations are looked up together.
    absent = None
    for index, citation in sorted(usable, key=lambda each: (each[1].slug, each[0])):
        source = None if citation.slug == absent else lookup(citation.slug)
        if citation.anchor is not None and citation.slug != absent:
            outcome, detail = ABSENT, where
            if source is None:
                absent = citation.slug
            else:
                outcome, detail = check_anchor(source, citation.kind, citation.value)
            check = AnchorCheck(citation.anchor, citation.kind, citation.value, citation.slug, outcome, detail)
            checks.append((index, check))
    return tuple(check for _, check in sorted(checks, key=lambda each: each[0]))


def check_anchor(source: Retrieved, kind: str, value: str) -> tuple[str, str]:
    """Outcome and detail of one anchor: ``detail`` says, in words for a message, what was looked at."""
    name = source.detail or "the source"
    if source.method not in (METHOD_API, METHOD_MANUAL_PDF):
        return UNKNOWN, source.detail or "the source could not be read"
    if kind == "quote":
        return _quote(source, name, value)
    if kind == "page":
        return _page(source, name, value)
    if kind == "section":
        return _section(source, name, value)
    if kind == "paragraph":
        return _paragraph(source, name, value)
    return UNKNOWN, f"{kind} is no kind of anchor"


def _quote(source: Retrieved, name: str, value: str) -> tuple[str, str]:
    text = source.text
    if not normalise(value):
        return UNKNOWN, "the quote holds no words"
    if find_quote(text, value) is not None:
        return FOUND, name
    changed = _inexact(text, value)
    if changed:
        return INEXACT, changed
    doubt = _unreadable(source)
    if doubt:
        return UNKNOWN, f"{name} {doubt}"
    near = _closest(text, value)
    # A PDF reader may part, join or mangle words, but it does not turn one number into another.
    if near and source.preflight is not None and _numbers(value) <= _numbers(near):
        return DOUBTFUL, f"{name}; the closest passage there: “{near}”"
    return MISSING, f"{name}; the closest passage there: “{near}”" if near else name


def _page(source: Retrieved, name: str, value: str) -> tuple[str, str]:
    hit = find_pages(source.text, value, source.labels)
    if hit.count == 0:
        return UNKNOWN, f"{name} has no pages to count"
    if source.preflight not in (None, PREFLIGHT_PASS):
        return UNKNOWN, f"the pages of {name} cannot be relied on: {_distrust(source.preflight)}"
    if hit.spans:
        return FOUND, name
    pages = "1 page" if hit.count == 1 else f"{hit.count} pages"
    return MISSING, f"{name} has {pages}"


def _section(source: Retrieved, name: str, value: str) -> tuple[str, str]:
    if find_section(source.text, value) is not None:
        return FOUND, name
    known = headings(source.text)
    if not known or (len(known) < 3 and not known[0].certain):
        return UNKNOWN, f"{name} shows no headings"
    if is_number(value) and not numbered(source.text):
        return UNKNOWN, f"the headings of {name} carry no numbers"
    titles = (source.text[heading.start : heading.end].strip("# \t").partition("\n")[0] for heading in known[:6])
    listed = "; ".join(_shown(title, 40) for title in titles)
    return MISSING, f"{name} has {listed}{'; …' if len(known) > 6 else ''}"


def _paragraph(source: Retrieved, name: str, value: str) -> tuple[str, str]:
    if source.preflight is not None:
        return UNKNOWN, f"{name}: the text of a PDF does not show where paragraphs end"
    count = len(paragraphs(source.text))
    if count < 2:
        return UNKNOWN, f"{name} has no blank lines between paragraphs"
    if find_paragraphs(source.text, value):
        return FOUND, name
    return MISSING, f"{name} has {count} paragraphs"


def _inexact(text: str, quote: str) -> str:
    """What differs when the quote's words are there in order, but not as one unbroken, equal stretch."""
    form = normalised(text)
    pieces = [piece for part in _GAP.split(quote) if (piece := normalise(part))]
    at = 0
    for piece in pieces:
        at = form.text.find(piece, at)
        if at < 0:
            break
        at += len(piece)
    else:
        if len(pieces) > 1:
            return "its parts are there, but not as one unbroken stretch"
    folded, wanted = form.text.casefold(), normalise(quote).casefold()
    at = folded.find(wanted)
    if at < 0:
        return ""
    # Case folding may change lengths; the stretch is shown only where it does not.
    there = form.text[at : at + len(wanted)] if len(folded) == len(form.text) else ""
    if there.casefold() != wanted:
        return "the words are there with other capitals"
    span = form.span(at, at + len(wanted))
    return f"the words are there with other capitals: “{_shown(text[span.start : span.end])}”"


def _unreadable(source: Retrieved) -> str:
    """Why a quote that was not found in a PDF may be there all the same; empty when there is no reason."""
    if source.preflight is None:
        return ""
    if source.preflight != PREFLIGHT_PASS:
        return f"may not have been read completely: {_distrust(source.preflight)}"
    return _poor(source.text)


@kept(4)
def _poor(text: str) -> str:
    """Why the text of a PDF may lack words that the PDF has; empty when there is no reason."""
    pages = [text[page.start : page.end] for page in split_pages(text)]
    blank = sum(1 for page in pages if not page.strip())
    if blank:
        return f"has no text on {blank} of {len(pages)} pages (scans?)"
    sensible = sum(1 for character in text if character.isalnum() or character.isspace())
    if sensible < _READABLE * len(text) or "\ufffd" in text:
        return "has a text layer that does not read as words"
    return ""


def _distrust(preflight: str | None) -> str:
    if preflight == PREFLIGHT_FAIL:
        return "its page counts disagree, or the file needed repair"
    return "its pages could not be counted independently"


class _Words:
    """The words of a text: where each begins and ends, and at which numbers each word stands."""

    __slots__ = ("ends", "numbers", "starts")

    def __init__(self, text: str) -> None:
        self.starts = array("q")
        self.ends = array("q")
        self.numbers: dict[str, array[int]] = {}
        for number, match in enumerate(_WORD.finditer(text)):
            self.starts.append(match.start())
            self.ends.append(match.end())
            self.numbers.setdefault(match.group().casefold(), array("q")).append(number)


@kept(4)
def _words(text: str) -> _Words:
    return _Words(text)


def _closest(text: str, quote: str) -> str:
    """The first passage, as many words long as the quote, that shares most words with it, when that is enough."""
    wanted = Counter(word.casefold() for word in _WORD.findall(quote))
    size = sum(wanted.values())
    if size < 3:
        return ""
    words = _words(text)
    # Only where a word of the quote stands can a passage end that shares more than the one before it.
    hits = sorted((number, word) for word in wanted for number in words.numbers.get(word, ()))
    held: Counter[str] = Counter()
    first = shared = best = at = 0
    for number, word in hits:
        held[word] += 1
        shared += held[word] <= wanted[word]
        while hits[first][0] <= number - size:
            old = hits[first][1]
            shared -= held[old] <= wanted[old]
            held[old] -= 1
            first += 1
        if shared > best:
            best, at = shared, number
    if best < _CLOSE * size:
        return ""
    return _shown(text[words.starts[max(0, at - size + 1)] : words.ends[at]])


def _numbers(text: str) -> set[str]:
    return {word for word in _WORD.findall(text) if any(map(str.isdigit, word))}


def _shown(text: str, most: int = _SHOWN) -> str:
    plain = scrub(text)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


@lru_cache(maxsize=4)
def _retriever(sources: tuple[str, ...], cache_dir: str | None, _working_directory: str) -> Retriever:
    """The folders' retriever, kept so that the drafts of one run read each source once."""
    from claimlint.audit.retrieval import context_of
    from claimlint.audit.retrieval.local import make
    from claimlint.audit_settings import OnlineSettings

    return make("", context_of(sources, cache_dir, OnlineSettings()))
