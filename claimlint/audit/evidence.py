"""Whether the words that a rationale quotes are in the excerpt (design, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from claimlint.audit.normalise import normalise, normalised

_QUOTED = re.compile(r'"([^"]*)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』')
_GAP = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_EDGE = " \t.,;:!?'’"


def has_unlocated_evidence(rationale: str, excerpt: str) -> bool:
    """Whether some phrase in double quotation marks in the rationale is not in the excerpt.

    Ligatures, dashes, hyphenation, white space, case and the punctuation at a phrase's ends do not count; an
    ellipsis parts a phrase into pieces that must all be there.
    """
    pieces = list(_pieces(rationale))
    if not pieces:
        return False
    text = normalised(excerpt).text.casefold()
    return any(piece not in text for piece in pieces)


def _pieces(rationale: str) -> Iterator[str]:
    for match in _QUOTED.finditer(rationale):
        phrase = next(group for group in match.groups() if group is not None)
        for part in _GAP.split(phrase):
            piece = normalise(part.strip(_EDGE)).casefold()
            if piece:
                yield piece
