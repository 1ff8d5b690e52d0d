"""Why a reader would not miss a citation in a sentence that D4-c names.

Measured on real papers, most sentences with a number or a verb of observation carry a visible citation or speak
of the author's own work. ``Demotions`` gives the reason in a few words; the sentence is then shown as ``info``.
A hyperlink alone is no reason, and neither is a citation in the neighbouring sentence unless the wording ties
the two together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from claimlint.documents.d4c import Trigger
from claimlint.documents.discourse import (
    asserts_nothing,
    backs_up,
    carries_on,
    is_chinese,
    narrates,
    speaks_of_a_part,
    takes_up_a_noun,
    turns_elsewhere,
)
from claimlint.documents.identifiers import all_identifiers, only_announces, only_superlatives
from claimlint.documents.own_work import (
    cross_reference,
    first_person,
    names_pattern,
    own_names,
)
from claimlint.documents.paper_sections import quiet_section
from claimlint.documents.styles import CITATION_STYLES
from claimlint.documents.visible_citations import FOOTNOTE, find_visible_citations, note_text_cites

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft


class Ground(Enum):
    """Why a reader would not miss a citation."""

    CITATION = "a visible citation"
    IDENTIFIER = "names and labels, not counts"
    SUPERLATIVE = "a superlative"
    ANNOUNCEMENT = "an announcement"
    NO_ASSERTION = "no assertion"
    OWN_WORK = "the author's own work"
    NEIGHBOUR = "a neighbour with a citation"


@dataclass(frozen=True, slots=True)
class Reason:
    """A ground with what it rests on in this sentence, in words that end a message."""

    ground: Ground
    text: str


_CITATION_REACH = 2
"""Over how many sentences *they*, *this*, *hence* carry a citation on."""

_OWN_REACH = 4
"""Over how many sentences the authors go on telling of their own work."""


class Demotions:
    """The reasons for one draft; what is found out about a sentence is remembered.

    ``styles`` are the kinds of visible citation that count. Each sentence is looked at once, and each
    question goes back over at most a few sentences of the same block.
    """

    def __init__(self, draft: Draft, styles: frozenset[str] = CITATION_STYLES) -> None:
        self._draft = draft
        self._styles = styles
        self._visible: dict[int, str] = {}
        self._own: dict[int, str] = {}
        self._notes: dict[str, bool] = {}
        self._intros: dict[int, int] = {}
        self._note_starts: list[int] | None = None
        self._note_labels: list[str] = []
        self._names: re.Pattern[str] | None = None
        self._named = False

    def reason(self, index: int, triggers: tuple[Trigger, ...]) -> Reason | None:
        """Why the sentence needs no ref marker; None when a reader would miss one."""
        prose = self._prose(index)
        visible = self._cited(index)
        if visible:
            return Reason(Ground.CITATION, visible)
        if all_identifiers(prose, triggers):
            return Reason(Ground.IDENTIFIER, "each number in it is a name or a label")
        if only_superlatives(prose, triggers):
            return Reason(Ground.SUPERLATIVE, "its only trigger is a superlative")
        if only_announces(prose, triggers):
            return Reason(Ground.ANNOUNCEMENT, "it only says how many points follow")
        if asserts_nothing(prose):
            return Reason(Ground.NO_ASSERTION, "it asks, supposes or recommends something")
        own = self._own_work(index)
        if own:
            return Reason(Ground.OWN_WORK, own)
        neighbour = self._neighbour(index)
        return Reason(Ground.NEIGHBOUR, neighbour) if neighbour else None

    # --- citations ------------------------------------------------------------------------------------

    def _cited(self, index: int) -> str:
        """What visible citation the sentence carries, or an empty text."""
        if index not in self._visible:
            self._visible[index] = self._find_citation(index)
        return self._visible[index]

    def _find_citation(self, index: int) -> str:
        sentence = self._draft.sentences[index]
        if sentence.citations:
            return "it carries a citation marker, though a damaged one"
        source = self._source(index)
        found = find_visible_citations(source, self._styles, self._note_cites)
        if not found:
            return "it stands in a note that names a source" if self._in_citing_note(index) else ""
        first = found[0]
        shown = " ".join(source[first.start : first.end].split())
        return f"it has a visible citation, {shown if len(shown) <= 60 else shown[:59] + '…'}"

    def _note_cites(self, label: str) -> bool:
        if label not in self._notes:
            span = self._draft.footnotes.get(label)
            text = "" if span is None else self._draft.source.text[span.start : span.end]
            self._notes[label] = note_text_cites(text)
        return self._notes[label]

    def _in_citing_note(self, index: int) -> bool:
        sentence = self._draft.sentences[index]
        if sentence.kind != "footnote" or FOOTNOTE not in self._styles:
            return False
        if self._note_starts is None:
            notes = sorted((span.start, label) for label, span in self._draft.footnotes.items())
            self._note_starts, self._note_labels = [start for start, _ in notes], [label for _, label in notes]
        at = bisect_right(self._note_starts, sentence.span.start) - 1
        return at >= 0 and self._note_cites(self._note_labels[at])

    def _neighbour(self, index: int) -> str:
        """A citation in the next sentence, which backs this one up, or before it in a sentence it carries on."""
        following = index + 1
        if self._together(index, following) and backs_up(self._prose(following)) and self._sourced(following):
            return "the next sentence backs it up with a citation"
        intro = self._intro(index)
        if intro is not None and self._sourced(intro):
            return "the sentence that introduces its list has a citation"
        at = index
        for _ in range(_CITATION_REACH):
            if not self._together(at - 1, at):
                return ""
            prose = self._prose(at)
            if not carries_on(prose) and not takes_up_a_noun(prose, self._prose(at - 1)):
                return ""
            at -= 1
            if self._sourced(at):
                return "it carries on from a sentence with a citation"
        return ""

    def _sourced(self, index: int) -> bool:
        return bool(self._draft.sentences[index].citations) or bool(self._cited(index))

    # --- the author's own work ------------------------------------------------------------------------

    def _own_work(self, index: int) -> str:
        sentence = self._draft.sentences[index]
        section = quiet_section(sentence.section_path, on_an_artefact=self._own_names() is not None)
        # A note belongs where it is called, not where it is written down.
        if section is not None and sentence.kind != "footnote":
            return f"it stands in the section {section[0]!r}, which {section[1]}"
        if sentence.kind == "caption":
            return "it is part of a caption"
        own = self._signs(index)
        if own:
            return own
        intro = self._intro(index)
        if intro is not None and self._signs(intro):
            return "the sentence that introduces its list speaks of the author's own work"
        at = index
        for _ in range(_OWN_REACH):
            if not self._together(at - 1, at) or not self._goes_on(at):
                break
            at -= 1
            if turns_elsewhere(self._prose(at)):
                break
            if self._signs(at):
                return "it goes on telling of the author's own work"
            if self._sourced(at):
                break
        return ""

    def _goes_on(self, index: int) -> bool:
        """Whether a sentence may tell more of the author's work than the one before it."""
        prose = self._prose(index)
        if carries_on(prose):
            return True
        if turns_elsewhere(prose):
            return False
        if is_chinese(prose) and first_person(self._prose(index - 1)):
            return True
        if speaks_of_a_part(prose) and self._speaks_by_name(index - 1):
            return True
        return narrates(prose)

    def _speaks_by_name(self, index: int) -> bool:
        names = self._own_names()
        return names is not None and names.search(self._source(index)) is not None

    def _signs(self, index: int) -> str:
        """A sign in the sentence itself that it speaks of the author's own work."""
        if index not in self._own:
            self._own[index] = self._find_signs(index)
        return self._own[index]

    def _find_signs(self, index: int) -> str:
        prose = self._prose(index)
        if first_person(prose):
            return "it speaks of the author's own work in the first person"
        if cross_reference(prose, self._source(index)):
            return "it points to a part of the paper itself"
        names = self._own_names()
        if names is not None and (match := names.search(self._source(index))) is not None:
            return f"it speaks of the author's own work, {' '.join(match.group().split())}"
        return ""

    def _own_names(self) -> re.Pattern[str] | None:
        if not self._named:
            draft = self._draft
            heading = draft.headings[0].text if draft.headings and draft.headings[0].level == 1 else ""
            self._names = names_pattern(own_names(draft.front_matter, heading, draft.source.text))
            self._named = True
        return self._names

    # --- sentences ------------------------------------------------------------------------------------

    def _intro(self, index: int) -> int | None:
        """The sentence with a colon at its end that introduces the list in which a sentence stands."""
        sentences = self._draft.sentences
        if sentences[index].kind != "list":
            return None
        at = index
        while at >= 0 and sentences[at].kind == "list":
            if at in self._intros:
                at = self._intros[at]
                break
            at -= 1
        self._intros[index] = at
        return at if at >= 0 and self._prose(at).rstrip(" \n\t*_").endswith((":", "：")) else None

    def _together(self, first: int, second: int) -> bool:
        """Whether two neighbouring sentences stand in one block."""
        sentences = self._draft.sentences
        if first < 0 or second >= len(sentences):
            return False
        return sentences[first].block == sentences[second].block

    def _prose(self, index: int) -> str:
        span = self._draft.sentences[index].span
        return self._draft.prose[span.start : span.end]

    def _source(self, index: int) -> str:
        span = self._draft.sentences[index].span
        return self._draft.source.text[span.start : span.end]
