"""Why a reader would not miss a citation in a sentence that D4-c names.

Measured on real papers, most sentences with a number or a verb of observation carry a visible citation or speak
of the author's own work. ``Demotions`` gives the reason in a few words; the sentence is then shown as ``info``.
A hyperlink alone is no reason, and neither is a citation in the neighbouring sentence unless the wording ties
the two together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from claimlint.documents.d4c import Trigger
from claimlint.documents.identifiers import all_identifiers, only_announces, only_superlatives
from claimlint.documents.own_work import (
    cross_reference,
    first_person,
    names_pattern,
    opens_caption,
    own_names,
    own_section,
)
from claimlint.documents.styles import CITATION_STYLES
from claimlint.documents.visible_citations import find_visible_citations, note_text_cites

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft


class Ground(Enum):
    """Why a reader would not miss a citation."""

    CITATION = "a visible citation"
    IDENTIFIER = "names and labels, not counts"
    SUPERLATIVE = "a superlative"
    ANNOUNCEMENT = "an announcement"
    QUESTION = "a question or supposition"
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


@cache
def _carries_on() -> re.Pattern[str]:
    """The start of a sentence that goes on with what the one before it said."""
    return re.compile(
        r"\W*(?:(?:Hence|Thus|Therefore|Consequently|Accordingly|As\sa\sresult|As\ssuch"
        r"|Th[ei]se?|Those|Such|They|Their|It|Its|Both|He|She|Here|The\s(?:former|latter|same)"
        r"|(?:In|Of|For|With|From|Among|Under|To)\s(?:this|that|these|those|its|their|both|them)"
        r"|The\s(?:studies|study|authors?|researchers|report|survey|trial|review|paper|analysis)"
        r"|따라서|이들|이는)(?![^\W_])"
        r"|因此|所以|这些|這些|该|該|其|これら|この|その|したがって)"
    )


@cache
def _exemplifies() -> re.Pattern[str]:
    """The start of a sentence that gives an example of what the one before it said."""
    return re.compile(
        r"\W*(?:For\s(?:example|instance)|E\.g\.|In\sparticular|Specifically|Namely|To\sillustrate"
        r"|As\san\sexample|(?:One|An|Another)\s(?:\w+\s)?example|Examples\s(?:are|include)"
        r"|Among\s(?:these|them)|例如|比如|たとえば|例えば|예를 들어)"
    )


@cache
def _elsewhere() -> re.Pattern[str]:
    """Words that turn from the authors to others."""
    return re.compile(
        r"\b(?:literature|researchers|scholars|experts|others|(?:prior|previous|earlier|recent|other|several|many|most|some)\s"
        r"(?:\w+\s)?(?:work|studies|papers|authors|trials|reports|reviews|surveys)|according\sto|worldwide|globally|"
        r"in\sgeneral|generally|typically|nationally|it\sis\s(?:well\s)?known|published)\b",
        re.IGNORECASE,
    )


@cache
def _past() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:took|gave|said|made|rose|fell|found|led|left|chose|met|grew|came|went|saw|got|kept|told|held|ran|became|"
        r"began|wrote|spent|sent|drew|lost|won|built|felt|thought|[a-z]{2,}ed)\b|[了过過]|た。|했다|였다"
    )


@cache
def _past_auxiliary() -> re.Pattern[str]:
    return re.compile(r"\b(?:was|were|had|did)\b")


@cache
def _present_auxiliary() -> re.Pattern[str]:
    return re.compile(r"\b(?:is|are|has|have|do|does|can|may|will|must|should|could|would|might)\b")


@cache
def _part() -> re.Pattern[str]:
    """The start of a sentence on a part of what the one before it spoke of."""
    return re.compile(
        r"\W*The\s(?!(?:majority|number|average|mean|median|rate|proportion|percentage|share|prevalence|incidence|costs?|"
        r"world|global|total|first|second|third|only|most|use|world)\b)[a-z]"
    )


@cache
def _supposes() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:Suppose|Imagine|Assume|Assuming|Consider|Let\s(?:us|\w\b)|Say|假设|假設)(?![^\W_])|\W*(?:假设|假設)"
    )


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
        self._captions: dict[int, bool] = {}
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
        if prose.rstrip(' \n\t*_"”’)').endswith(("?", "？")) or _supposes().match(prose):
            return Reason(Ground.QUESTION, "it asks or supposes something")
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
            return ""
        first = found[0]
        shown = " ".join(source[first.start : first.end].split())
        return f"it has a visible citation, {shown if len(shown) <= 60 else shown[:59] + '…'}"

    def _note_cites(self, label: str) -> bool:
        if label not in self._notes:
            span = self._draft.footnotes.get(label)
            text = "" if span is None else self._draft.source.text[span.start : span.end]
            self._notes[label] = note_text_cites(text)
        return self._notes[label]

    def _neighbour(self, index: int) -> str:
        """A citation in the next sentence that exemplifies this one, or before it in a sentence it carries on."""
        following = index + 1
        if (
            self._together(index, following)
            and _exemplifies().match(self._prose(following))
            and self._sourced(following)
        ):
            return "the next sentence gives an example with a citation"
        at = index
        for _ in range(_CITATION_REACH):
            if not _carries_on().match(self._prose(at)) or not self._together(at - 1, at):
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
        heading = own_section(sentence.section_path)
        if heading is not None:
            return f"it stands in the section {heading!r}, which is about the author's own work"
        if self._caption(index):
            return "it is part of a caption"
        own = self._signs(index)
        if own:
            return own
        at = index
        for _ in range(_OWN_REACH):
            if not self._together(at - 1, at) or not self._goes_on(at):
                break
            at -= 1
            if self._signs(at):
                return "it goes on telling of the author's own work"
            if self._sourced(at):
                break
        return ""

    def _goes_on(self, index: int) -> bool:
        """Whether a sentence may tell more of what the one before it tells of."""
        prose = self._prose(index)
        if _carries_on().match(prose):
            return True
        if _elsewhere().search(prose):
            return False
        if _part().match(prose) and self._speaks_by_name(index - 1):
            return True
        if _past_auxiliary().search(prose):
            return True
        return bool(_past().search(prose)) and not _present_auxiliary().search(prose)

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

    def _caption(self, index: int) -> bool:
        block = self._draft.sentences[index].block
        if block not in self._captions:
            first = index
            while first > 0 and self._draft.sentences[first - 1].block == block:
                first -= 1
            self._captions[block] = opens_caption(self._source(first))
        return self._captions[block]

    # --- sentences ------------------------------------------------------------------------------------

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
