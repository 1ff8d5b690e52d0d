"""Citation markers: from comments to citations, and notes on every marker that breaks the contract (section 5).

``parse_marker`` reads one comment, ``cite`` pairs refs with their anchors. A note's kind is the name of the rule
that reports it; one root cause makes one note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from claimlint.documents.draft import Citation
from claimlint.findings import Note, Span

if TYPE_CHECKING:
    from claimlint.documents.source import TextSource

KINDS = ("quote", "page", "section", "paragraph", "none")
"""The anchor kinds of the contract."""

MAX_QUOTE_WORDS = 25
"""How many words a quote may have."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A comment that is, or was meant as, a marker.

    ``verb`` is ``ref`` or ``anchor``, ``body`` what stands behind its colon. ``damage`` says how a formatter or
    a person altered it, and is empty for one that is not; ``closed`` is false when its ``-->`` is missing.
    ``tail`` is the text behind a quote that its own ``-->`` cut off.
    """

    span: Span
    verb: str
    body: str
    damage: str = ""
    closed: bool = True
    tail: Span | None = None


_STATUS = r"[A-Za-z0-9]++(?:[-+][A-Za-z0-9]++)*+"
_REF = re.compile(rf"([A-Za-z][A-Za-z0-9_:-]*+)((?:[ \t]++{_STATUS}){{0,2}}+)[ \t]*+\Z")
_NEAR_REF = re.compile(rf"([A-Za-z0-9][A-Za-z0-9_:.-]*+)((?:[ \t]++{_STATUS}){{0,2}}+)[ \t]*+\Z")
_STRICT = re.compile(r"<!--(ref|anchor):(?![ \t\r\n])")
_LOOSE = re.compile(r"<!--(\s*+)(ref|anchor)(\s*+):(\s*+)", re.IGNORECASE)
_ALTERED = re.compile(r"(?:\\?<|&[^;]{1,5};)\s?\\?!\s?[\\\s—–‒-]*+(ref|anchor)\s*+:\s*+", re.IGNORECASE)
_ALTERED_END = re.compile(r"\s*+[\\—–‒-](?:[\\\s—–‒-]*+)(?:>|&[^;]{1,5};)\Z")
# A comment with a blank behind its colon is a marker only when what follows can be nothing but a slug.
_SLUG_ALONE = re.compile(r"@?[A-Za-z0-9][A-Za-z0-9_:./-]*+(?:\s++(?:ok|[A-Z][A-Z0-9+-]++)){0,2}+\s*+\Z")
_PLACEHOLDERS = frozenset(
    {"add", "check", "citation", "fixme", "here", "missing", "needed", "none", "tbd", "todo", "xxx"}
)
_WORD = re.compile(r"[^\s<>]++")
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HYPHENS = re.compile(r"-{2,}")
# Han, kana, Thai, Lao, Myanmar and Khmer are written without blanks between words.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def parse_marker(text: str, start: int, tail: Span | None = None) -> Marker | None:
    """The marker that a comment is, or None. ``text`` is the whole comment, ``start`` its offset in the file."""
    span = Span(start, start + len(text))
    strict = _STRICT.match(text)
    if strict is not None and text[-3:] == "-->":
        body = text[strict.end() : -3]
        damage = "it is split over lines" if "\n" in body else ""
        return Marker(span, strict[1], body, damage, tail=tail)
    loose = _LOOSE.match(text)
    if loose is None:
        return None
    closed = text.endswith("-->")
    body = text[loose.end() : -3 if closed else len(text)]
    verb = loose[2].lower()
    if loose[4] and not _means_it(verb, body):
        return None
    if not closed:
        return Marker(span, verb, body, closed=False)
    if not body.strip() and verb == "ref":
        return Marker(span, verb, "")
    if loose[1] or loose[3] or loose[4] or "\n" in body:
        damage = "it is split over lines" if "\n" in text else "it holds stray blanks"
    else:
        damage = f"{loose[2]} is not in lower case"
    if verb == "anchor" and not _means_it(verb, body):
        return None
    return Marker(span, verb, body, damage, tail=tail)


def parse_altered(text: str, start: int) -> Marker | None:
    """The marker whose angle brackets or dashes were altered, so that it is no comment any more."""
    opening = _ALTERED.match(text)
    closing = _ALTERED_END.search(text, max(0, len(text) - 16))
    if opening is None or closing is None or closing.start() < opening.end():
        return None
    body = text[opening.end() : closing.start()]
    verb = opening[1].lower()
    if not _means_it(verb, body):
        return None
    escaped = "\\" in text or "&" in text[:4]
    damage = "it is escaped, so it shows as text" if escaped else "its dashes are altered, so it shows as text"
    return Marker(Span(start, start + len(text)), verb, body.replace("\\_", "_"), damage)


def _means_it(verb: str, body: str) -> bool:
    """Whether a comment whose spacing is not that of a marker was meant as one."""
    if verb == "anchor":
        kind, colon, _ = body.partition(":")
        return bool(colon) and kind.strip().lower() in KINDS
    plain = body.strip()
    return not plain or (_SLUG_ALONE.match(plain) is not None and plain.lower() not in _PLACEHOLDERS)


# -- pairing -----------------------------------------------------------------------------------------------------


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
        citation, found = _citation(marker, anchor, source)
        citations.append(citation)
        notes.extend(found)
        if anchor is not None and anchor.tail is not None:
            notes.append(_premature(anchor, source))
    return citations, notes


def _touches(text: str, start: int, end: int) -> bool:
    """Whether nothing but white space, and the quote prefixes of lines, stands between two offsets."""
    gap = text[start:end]
    return not gap or not gap.strip() or ("\n" in gap and not gap.strip("> \t\r\n"))


def _orphan(anchor: Marker, source: TextSource) -> Iterator[Note]:
    kind, colon, value = anchor.body.partition(":")
    if anchor.damage:
        yield _damaged(anchor, source)
    elif colon:
        yield Note("orphan-anchor", source, anchor.span, {"kind": kind, "value": _short(value)})
    if anchor.tail is not None:
        yield _premature(anchor, source)


def _premature(anchor: Marker, source: TextSource) -> Note:
    assert anchor.tail is not None
    shown = _short(source.text[anchor.tail.start : anchor.tail.end])
    return Note("premature-close", source, anchor.span, {"tail": shown})


def _damaged(marker: Marker, source: TextSource) -> Note:
    values = {"cause": marker.damage, "verb": marker.verb, "write": repaired(marker) or ""}
    return Note("damaged-marker", source, marker.span, values)


def _citation(ref: Marker, anchor: Marker | None, source: TextSource) -> tuple[Citation, list[Note]]:
    notes: list[Note] = []
    shape = _REF.match(ref.body)
    near = shape or _NEAR_REF.match(ref.body)
    if near is not None:
        slug, status = near[1], tuple(near[2].split())
    else:
        word = _WORD.search(ref.body)
        slug, status = (word.group() if word else ""), ()
    kind, _, raw = ("", "", "") if anchor is None else anchor.body.partition(":")
    value = unquote(raw) if "%" in raw else raw
    readable = anchor is not None and anchor.closed and (kind == "quote" or ">" not in raw)
    fit = (
        ref.closed
        and not ref.damage
        and near is not None
        and readable
        and anchor is not None
        and not anchor.damage
    )
    usable = fit and kind in KINDS and kind != "none" and bool(value.strip())
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
        place = anchor.span
        if "\n" in source.text[ref.span.end : place.start]:
            place = Span(ref.span.start, place.end)
        notes.extend(Note(name, source, place, values) for name, values in _value_faults(anchor, value))
    if not readable:
        anchor, kind, raw, value = None, "", "", ""
    citation = Citation(
        ref=ref.span,
        anchor=None if anchor is None else anchor.span,
        slug=slug,
        status=status,
        kind=kind,
        raw_value=raw,
        value=value,
        usable=usable,
    )
    return citation, notes


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
    slug, *rest = ref.body.split()
    if len(rest) > 2:
        return f"has {len(rest)} status words"
    if not _NEAR_REF.match(slug):
        return f"has the slug {_short(slug)!r}"
    return f"has the status {_short(' '.join(rest))!r}"


def _value_faults(anchor: Marker, value: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The faults of an anchor's kind and value: the name of each one's rule, and the words of its message."""
    kind, colon, raw = anchor.body.partition(":")
    if not colon:
        yield "empty-value", {"kind": kind, "colon": ""}
    elif kind not in KINDS:
        yield "invalid-kind", {"kind": kind, "value": _short(raw)}
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


def encode_hyphens(raw: str) -> str:
    """A quote's value with every hyphen of a run of two or more encoded."""
    return _HYPHENS.sub(lambda run: "%2D" * len(run.group()), raw)


def repaired(marker: Marker) -> str | None:
    """What a damaged marker was, or None when that cannot be told for sure."""
    body = " ".join(marker.body.split())
    if marker.verb == "ref":
        body = body.removeprefix("@")
        return f"<!--ref:{body}-->" if _NEAR_REF.match(body) else None
    kind, colon, value = (part.strip() for part in body.partition(":"))
    kind = kind.lower()
    if not colon or kind not in KINDS or (not value and kind != "none"):
        return None
    if "escaped" in marker.damage and ("\\" in value or "&" in value):
        return None
    if "--" in value or value.endswith("-") or "<" in value or (">" in value and kind != "quote"):
        return None
    return f"<!--anchor:{kind}:{value}-->"


def _short(text: str) -> str:
    """A value as a message shows it: on one line, and not too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= 60 else plain[:59] + "…"
