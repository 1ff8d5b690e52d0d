"""Citations: refs paired with their anchors, and a note on each root cause of a fault (contract, section 5).

A note's kind is the name of the rule that reports it. Faults of a ref stand at the ref. Faults of a kind or value
stand at the anchor, or at the pair when the anchor is on a later line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from claimlint.documents.draft import Citation
from claimlint.documents.markers import (
    NEAR_REF,
    REF,
    STRAY_BLANKS,
    UNSEEN,
    Marker,
    encode_hyphens,
    repaired,
)
from claimlint.documents.styles import KINDS, MAX_QUOTE_WORDS
from claimlint.findings import Note, Span

if TYPE_CHECKING:
    from claimlint.documents.source import TextSource


_WORD = re.compile(r"[^\s<>]++")
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
# Han, kana, Thai, Lao, Myanmar and Khmer are written without blanks between words.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def cite(markers: Sequence[Marker], source: TextSource) -> tuple[list[Citation], list[Note]]:
    """The citations that markers make, in document order, and a note on each root cause of a fault."""
    citations: list[Citation] = []
    notes: list[Note] = []
    text = source.text
    number = 0
    while number < len(markers):
        marker = markers[number]
        number += 1
        if marker.verb == "anchor":
            notes.extend(_orphan(marker, source))
            continue
        anchor: Marker | None = markers[number] if number < len(markers) else None
        if anchor is not None and (
            anchor.verb != "anchor" or not _touches(text, marker.span.end, anchor.span.start)
        ):
            anchor = None
        if anchor is not None:
            number += 1
        citations.append(_citation(marker, anchor, source, notes))
        if anchor is not None and anchor.tail is not None:
            notes.append(_premature(anchor, source))
    return citations, notes


def _touches(text: str, start: int, end: int) -> bool:
    """Whether nothing but white space, and the quote prefixes of lines, stands between two offsets."""
    if start == end:
        return True
    gap = text[start:end]
    return not gap.strip() or ("\n" in gap and not gap.strip("> \t\r\n"))


def _orphan(anchor: Marker, source: TextSource) -> Iterator[Note]:
    kind, colon, value = anchor.body.partition(":")
    if anchor.damage:
        yield _damaged(anchor, source)
    elif colon:
        yield Note("orphan-anchor", source, anchor.span, {"kind": _short(kind), "value": _short(value)})
    if anchor.tail is not None:
        yield _premature(anchor, source)


def _premature(anchor: Marker, source: TextSource) -> Note:
    assert anchor.tail is not None
    shown = _short(source.text[anchor.tail.start : anchor.tail.end])
    return Note("premature-close", source, anchor.span, {"tail": shown})


def _damaged(marker: Marker, source: TextSource) -> Note:
    values = {"cause": marker.damage, "verb": marker.verb, "write": repaired(marker) or ""}
    return Note("damaged-marker", source, marker.span, values)


def _citation(ref: Marker, anchor: Marker | None, source: TextSource, notes: list[Note]) -> Citation:
    """The citation that a ref and the anchor behind it make; what is wrong with it is added to the notes."""
    shape = REF.match(ref.body)
    near = shape or NEAR_REF.match(ref.body)
    if near is not None:
        slug, words = near.groups()
        status = tuple(words.split()) if words else ()
    else:
        word = _WORD.search(ref.body)
        slug, status = (word.group() if word else ""), ()
    kind, _, raw = ("", "", "") if anchor is None else anchor.body.partition(":")
    value = unquote(raw) if "%" in raw else raw
    readable = anchor is not None and anchor.closed and (kind == "quote" or ">" not in raw)
    usable = (
        readable
        and kind in KINDS
        and kind != "none"
        and bool(value.strip())
        and near is not None
        and ref.closed
        and not ref.damage
        and anchor is not None
        and not anchor.damage
    )
    if ref.damage:
        notes.append(_damaged(ref, source))
    elif not ref.closed or near is None:
        notes.append(Note("malformed-ref", source, ref.span, {"body": _short(ref.body), "fault": _ref_fault(ref)}))
    elif shape is None:
        notes.append(Note("slug-shape", source, ref.span, {"slug": slug, "write": better_slug(slug)}))
    elif anchor is None or not readable:
        values = {"slug": slug, "cause": "" if anchor is None else _unreadable(anchor)}
        notes.append(Note("missing-anchor", source, ref.span, values))
    elif anchor.damage:
        notes.append(_damaged(anchor, source))
    else:
        for name, values in _value_faults(anchor, value):
            place = anchor.span
            if "\n" in source.text[ref.span.end : place.start]:
                place = Span(ref.span.start, place.end)
            notes.append(Note(name, source, place, values))
    if not readable:
        anchor, kind, raw, value = None, "", "", ""
    place_of_anchor = None if anchor is None else anchor.span
    return Citation(ref.span, place_of_anchor, slug, status, kind, raw, value, usable)


def _unreadable(anchor: Marker) -> str:
    """Why an anchor that stands where it should counts as none."""
    if not anchor.closed:
        return "the anchor behind it is not closed; end it with -->"
    kind = anchor.body.partition(":")[0]
    return f"the anchor behind it holds > in a value of kind {_short(kind)!r}; write %3E"


def _ref_fault(ref: Marker) -> str:
    """What is wrong with a ref that cannot be read, in the words of the message."""
    if not ref.closed:
        return "is not closed with -->"
    if not ref.body.strip():
        return "has no slug"
    if UNSEEN.search(ref.body):
        return "holds invisible characters"
    slug, *rest = ref.body.split()
    if len(rest) > 2:
        return f"has {len(rest)} status words"
    if not NEAR_REF.match(slug):
        return f"has the slug {_short(slug)!r}"
    return f"has the status {_short(' '.join(rest))!r}"


def _value_faults(anchor: Marker, value: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The faults of an anchor's kind and value: the name of each one's rule, and the words of its message."""
    kind, colon, raw = anchor.body.partition(":")
    if not colon:
        yield "empty-value", {"kind": _short(kind), "colon": ""}
    elif kind not in KINDS and kind.strip() in KINDS:
        yield "damaged-marker", {"cause": STRAY_BLANKS, "verb": "anchor", "write": repaired(anchor) or ""}
    elif kind not in KINDS:
        yield "invalid-kind", {"kind": _short(kind), "value": _short(raw)}
    elif kind == "none":
        yield "anchorless-citation", {}
    elif not value.strip():
        yield "empty-value", {"kind": kind, "colon": ":"}
    else:
        if kind == "quote":
            count = count_words(value)
            if count > MAX_QUOTE_WORDS:
                yield "quote-too-long", {"count": str(count)}
            if "--" in raw and anchor.tail is None:
                yield "raw-hyphens", {"write": _short(encode_hyphens(raw))}
        if "%" in raw:
            broken = _BROKEN_PERCENT.search(raw)
            if broken is not None:
                yield "bad-encoding", {"sequence": raw[broken.start() : broken.start() + 3], "bytes": ""}
            elif "\ufffd" in value and "\ufffd" not in raw and "%EF%BF%BD" not in raw.upper():
                yield "bad-encoding", {"sequence": _short(raw), "bytes": "yes"}


def count_words(value: str) -> int:
    """The words of a quote: runs between blanks; where a script writes none, those of a Unicode word segmenter."""
    words = value.split()
    if _UNSPACED.search(value) is None:
        return len(words)
    import regex

    count = 0
    for word in words:
        if _UNSPACED.search(word) is None:
            count += 1
        else:
            parts = regex.split(r"\b", word, flags=regex.WORD | regex.VERSION1)
            count += sum(1 for part in parts if any(character.isalnum() for character in part))
    return count


def better_slug(slug: str) -> str:
    """A slug of the contract's shape for one with dots or a leading digit."""
    plain = slug.replace(".", "-")
    if re.fullmatch(r"\d{4}\.\d{4,5}(?:v\d+)?", slug):
        return f"arxiv-{plain}"
    return plain if plain[:1].isalpha() else f"ref-{plain}"


def _short(text: str) -> str:
    """A value as a message shows it: on one line, and not too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= 60 else plain[:59] + "…"
