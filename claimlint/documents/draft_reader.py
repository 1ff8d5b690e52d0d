"""From the text of a draft to a ``Draft``: passages, sentences, citations, directives, manifests, notes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from claimlint.documents.citations import cite
from claimlint.documents.directives import parse_directive
from claimlint.documents.draft import NO_SENTENCE, Citation, Draft, Sentence
from claimlint.documents.embedded import comment_manifest, fence_manifests, front_matter
from claimlint.documents.inline import SIMPLE_COMMENT, Inline, blanks, piece_start
from claimlint.documents.markdown import PROSE_KINDS, Markdown, Passage, read_markdown
from claimlint.documents.sentences import split_sentences
from claimlint.findings import Note, Span

if TYPE_CHECKING:
    from claimlint.documents.passport import PassportFile
    from claimlint.documents.source import TextSource

_BLANK_BEFORE_STOP = tuple(" " + stop for stop in ".,;:!?")
_WORD = re.compile(r"[^\W_]")
_WHOLE = frozenset({"table", "heading"})
_HIDDEN = frozenset({Inline.COMMENT, Inline.OPEN_COMMENT, Inline.MARKER})


def read_draft(source: TextSource) -> Draft:
    """Read a draft. Never raises; time is linear in the text."""
    made = read_markdown(source)
    markers = made.markers
    citations, notes = cite(markers, source)
    directives = sorted(
        (each for each in map(parse_directive, made.comments) if each is not None),
        key=lambda each: each.span.start,
    )
    matter, manifests, more = _manifests(made, source)
    passages = made.passages
    tails = {each.span.end: each.tail.end for each in markers if each.tail is not None}
    return Draft(
        source=source,
        front_matter=matter,
        prose=_prose(source.text, passages),
        headings=tuple(made.headings),
        sentences=tuple(_Sentences(source.text, passages, citations, tails).read()),
        citations=tuple(citations),
        footnotes=made.footnotes,
        directives=tuple(directives),
        manifests=manifests,
        notes=(*made.notes, *more, *notes),
    )


def _manifests(
    made: Markdown, source: TextSource
) -> tuple[dict[str, object], tuple[PassportFile, ...], list[Note]]:
    matter: dict[str, object] = {}
    notes: list[Note] = []
    found: list[PassportFile] = []
    if made.front_matter is not None:
        matter, cause, manifest = front_matter(made.front_matter, source)
        if cause is not None:
            names = "passport" if "passport" in made.front_matter.text else ""
            notes.append(Note("front-matter", source, Span(0, 3), {"cause": cause, "names": names}))
        if manifest is not None:
            found.append(manifest)
    placed = [(file.source.locate(Span(0, 0)).line, file) for file in fence_manifests(made.fences, source)]
    for comment in made.comments:
        file = comment_manifest(comment, source)
        if file is not None:
            placed.append((source.position(comment.span.start)[0], file))
    placed.sort(key=lambda each: each[0])
    return matter, (*found, *(file for _, file in placed)), notes


def _prose(text: str, passages: list[Passage]) -> str:
    parts: list[str] = []
    at = 0
    for passage in passages:
        if passage.kind in PROSE_KINDS:
            parts.append(blanks(text[at : passage.start]))
            parts.append(passage.visible)
            at = passage.start + len(passage.content)
    parts.append(blanks(text[at:]))
    return "".join(parts)


# -- sentences ---------------------------------------------------------------------------------------------------


def _claim_text(shown: str) -> str:
    """A sentence without its markers as a claim: white space made one blank, none before a stop."""
    text = " ".join(shown.split())
    for pair in _BLANK_BEFORE_STOP:
        if pair in text:
            text = text.replace(pair, pair[1])
    return text


class _Sentences:
    """Cuts passages into sentences and gives every citation one of them as its owner."""

    def __init__(
        self,
        text: str,
        passages: Sequence[Passage],
        citations: Sequence[Citation],
        tails: dict[int, int],
    ) -> None:
        self.text = text
        self.passages = passages
        self.refs = [each.ref.start for each in citations]
        self.tails = tails
        self.number = 0
        self.made: list[Sentence] = []

    def read(self) -> list[Sentence]:
        refs = self.refs
        for block, passage in enumerate(self.passages):
            spans = self._spans(passage)
            stop = passage.start + len(passage.content)
            if spans:
                limits = [*(passage.start + start for start, _ in spans[1:]), stop]
                for (start, end), limit in zip(spans, limits, strict=True):
                    self.made.append(self._sentence(passage, block, start, end, self._owned(limit)))
            elif self.number < len(refs) and refs[self.number] < stop:
                self._adopt(passage, block, self._owned(stop))
        return self.made

    def _owned(self, stop: int) -> tuple[int, ...]:
        """The next citations, as far as their refs stand before an offset."""
        first, refs = self.number, self.refs
        number = first
        while number < len(refs) and refs[number] < stop:
            number += 1
        self.number = number
        return tuple(range(first, number))

    def _spans(self, passage: Passage) -> list[tuple[int, int]]:
        content, visible = passage.content, passage.visible
        if passage.kind not in _WHOLE:
            spans = split_sentences(content, passage.pieces, visible)
            return [(start, end) for start, end in spans if _WORD.search(visible, start, end)]
        if not _WORD.search(visible):
            return []
        return [(len(content) - len(content.lstrip()), len(content.rstrip()))]

    def _sentence(self, passage: Passage, block: int, start: int, end: int, owned: tuple[int, ...]) -> Sentence:
        raw = passage.content[start:end]
        shown = self._without_markers(passage, raw, start, end) if passage.pieces else raw
        if "\n" in raw or "\r" in raw:
            raw = raw.replace("\n", " ").replace("\r", " ")
        span = Span(passage.start + start, passage.start + end)
        return Sentence(span, raw, _claim_text(shown), passage.section_path, owned, block, passage.kind)

    def _without_markers(self, passage: Passage, raw: str, start: int, end: int) -> str:
        if not self.tails:
            shown = SIMPLE_COMMENT.sub("", raw)
            if "<" not in shown and "&" not in shown:
                return shown
        content, base = passage.content, passage.start
        parts: list[str] = []
        at = start
        pieces = passage.pieces
        for number in range(bisect_left(pieces, start, key=piece_start), len(pieces)):
            first, last, kind = pieces[number]
            if first >= end:
                break
            if kind in _HIDDEN and first >= at:
                parts.append(content[at:first])
                at = self.tails.get(base + last, base + last) - base
        if at < end:
            parts.append(content[at:end])
        return "".join(parts)

    def _adopt(self, passage: Passage, block: int, owned: tuple[int, ...]) -> None:
        """Give citations that stand alone to the sentence before them, or else to a sentence without words.

        A paragraph of markers belongs to the paragraph above it, a table cell of markers to the cell before it.
        """
        before = self.made[-1] if self.made else None
        if before is not None and before.block == block - 1 and before.section_path == passage.section_path:
            same = before.kind in PROSE_KINDS and passage.kind in PROSE_KINDS
            between = self.text[before.span.end : passage.start]
            if same or (before.kind == passage.kind == "table" and "\n" not in between):
                self.made[-1] = replace(before, citations=(*before.citations, *owned))
                return
        content = passage.content
        start, end = len(content) - len(content.lstrip()), len(content.rstrip())
        made = self._sentence(passage, block, start, end, owned)
        self.made.append(replace(made, text=NO_SENTENCE))
