"""The audit against the draft: which citations the audit rows cover, and which rows the draft no longer has.

A row covers a citation when claim text, slug and anchor are equal; equal citations are matched by count. Texts
are equal when they are so after white space is normalised; the audit cuts claim texts, so that the first
``CUT`` characters decide.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.documents.passport import AUDIT_SAMPLING_SUMMARIES, CLAIM_AUDIT_RESULTS
from claimlint.documents.values import whole

if TYPE_CHECKING:
    from claimlint.documents.draft import Citation, Draft
    from claimlint.documents.passport import Passport, Row
    from claimlint.findings import Span

CUT = 2000
"""The longest claim text that an audit row holds, in characters (contract, section 7)."""

NO_ANCHOR = "none"
NO_SLUG = "(no slug)"
NO_TEXT = "(no text)"
"""What the audit writes where a row needs a slug or text and the marker or sentence has none."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SPACE_BEFORE_STOP = re.compile(r" ([.,;:!?])")


@dataclass(frozen=True, slots=True)
class Key:
    """What an audited citation is known by. Without a usable anchor the kind is ``none`` and the value empty."""

    text: str
    slug: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many citations of a draft an audit covers; ``total`` is the sum of the first three.

    ``failed`` of the audited ones have a row that says that a tool failed, and so no verdict.
    """

    audited: int
    sampled_out: int
    not_audited: int
    total: int
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Matched:
    """Citations and rows, brought together.

    ``uncovered`` holds the indices of citations without a row that were not sampled out. ``stale`` are the
    rows that no citation has. ``keys`` are the keys of all citations.
    """

    coverage: Coverage
    uncovered: tuple[int, ...]
    stale: tuple[Row, ...]
    keys: tuple[Key, ...]


def plain(text: str) -> str:
    """A text as it is compared: cut as the audit cuts it, each run of white space one blank, trimmed, composed."""
    joined = " ".join(text[:CUT].split())
    return joined if joined.isascii() else unicodedata.normalize("NFC", joined)


def citation_keys(draft: Draft) -> tuple[Key, ...]:
    """The key of every citation of a draft, in document order."""
    texts: dict[int, str] = {}
    for sentence in draft.sentences:
        for index in sentence.citations:
            texts.setdefault(index, sentence.text)
    lines = _Lines(draft.source.text)
    return tuple(
        _citation_key(citation, texts[index] if index in texts else lines.text(citation.ref))
        for index, citation in enumerate(draft.citations)
    )


def row_key(row: Row) -> Key | None:
    """The key of an audit row, or None when a part of it is missing or no string."""
    text, slug, kind = row.text("claim_text"), row.text("ref_slug"), row.text("anchor_kind")
    if text is None or slug is None or kind is None:
        return None
    value = "" if kind == NO_ANCHOR else row.text("anchor_value")
    return None if value is None else Key(plain(text), slug, kind, " ".join(value.split()))


def match(draft: Draft, passport: Passport | None, companions: Iterable[Draft] = ()) -> Matched:
    """Match a draft's citations with the audit rows of its passport.

    ``companions`` are other drafts that share the passport: a row that one of them has is not stale.
    """
    rows = () if passport is None else passport.aggregate(CLAIM_AUDIT_RESULTS)
    keys = citation_keys(draft)
    left: defaultdict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        key = row_key(row)
        if key is not None:
            left[key].append(row)
    counts = Counter({key: len(found) for key, found in left.items()})
    bare: list[int] = []
    failed = 0
    for index, key in enumerate(keys):
        if counts[key] > 0:
            counts[key] -= 1
            failed += left[key][counts[key]].data.get("ref_retrieval_method") == "audit_tool_failure"
        else:
            bare.append(index)
    sampled_out = _sampled_out(bare, len(keys), passport)
    uncovered = tuple(index for index in bare if index not in sampled_out)
    elsewhere = Counter(key for companion in companions for key in citation_keys(companion))
    # The first rows of a key are taken as the ones that still have their citation.
    stale = {
        id(row)
        for key, found in left.items()
        for row in found[len(found) - max(0, counts[key] - elsewhere[key]) :]
    }
    return Matched(
        Coverage(len(keys) - len(bare), len(sampled_out), len(uncovered), len(keys), failed),
        uncovered,
        tuple(row for row in rows if id(row) in stale),
        keys,
    )


def coverage(draft: Draft, passport: Passport | None) -> Coverage:
    """How many citations of a draft were audited, left out by sampling, or not audited."""
    if passport is None:
        return Coverage(0, 0, len(draft.citations), len(draft.citations))
    return match(draft, passport).coverage


def _citation_key(citation: Citation, text: str) -> Key:
    claim, slug = plain(text) or NO_TEXT, citation.slug or NO_SLUG
    if not citation.usable:
        return Key(claim, slug, NO_ANCHOR, "")
    return Key(claim, slug, citation.kind, " ".join(citation.value.split()))


class _Lines:
    """The claim texts of markers that stand in no sentence: their line without comments and block marks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = -1
        self._found = ""

    def text(self, ref: Span) -> str:
        # Markers come in order, and a line may hold very many: each line is looked at once.
        if not self._start <= ref.start < self._end:
            self._start = self._text.rfind("\n", 0, ref.start) + 1
            end = self._text.find("\n", ref.end)
            self._end = len(self._text) if end < 0 else end
            line = " ".join(_COMMENT.sub("", self._text[self._start : self._end]).split())
            self._found = _SPACE_BEFORE_STOP.sub(r"\1", line).strip("#>|- \t")
        return self._found


def _sampled_out(bare: list[int], total: int, passport: Passport | None) -> frozenset[int]:
    """The citations without a row that a sampling summary left out.

    Indices count the citations in document order. A summary that counts another number of them was made for
    an older draft: its indices say nothing about this one.
    """
    audited: set[int] = set()
    sampled = False
    for row in () if passport is None else passport.aggregate(AUDIT_SAMPLING_SUMMARIES):
        indices, count = row.data.get("audited_indices"), row.data.get("total_citation_count")
        if isinstance(indices, list) and whole(count) == total:
            sampled = True
            audited.update(index for each in indices if (index := whole(each)) is not None)
    return frozenset(index for index in bare if index not in audited) if sampled else frozenset()
