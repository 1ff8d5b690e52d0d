"""Citation markers: which comments are markers, and what they say (contract, section 5).

A marker is `<!--ref:SLUG-->` or `<!--anchor:KIND:VALUE-->`. Comments that a formatter or a person altered are
markers too, with their damage; any other comment is none. Pairing refs with anchors is for ``citations``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from claimlint.documents.block_grammar import INVISIBLE
from claimlint.documents.inline import Inline, Piece
from claimlint.documents.styles import KINDS
from claimlint.findings import Span


class Marker(NamedTuple):
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


STRAY_BLANKS = "it holds stray blanks"
"""The damage of a marker with blanks where it has none."""

_STATUS = r"[A-Za-z0-9]++(?:[-+][A-Za-z0-9]++)*+"
REF = re.compile(rf"([A-Za-z][A-Za-z0-9_:-]*+)((?:[ \t]++{_STATUS}){{0,2}}+)[ \t]*+\Z")
"""The body of a ref: a slug, and up to two status words."""

NEAR_REF = re.compile(rf"([A-Za-z0-9][A-Za-z0-9_:.-]*+)((?:[ \t]++{_STATUS}){{0,2}}+)[ \t]*+\Z")
"""The same with a slug that may start with a digit and hold dots."""

UNSEEN = re.compile(rf"[{INVISIBLE}]++")
"""Characters that nobody sees in a marker, and that make it another one."""

# What nearly every marker is: one line, closed, no angle brackets inside.
_EXACT = re.compile(r"<!--(ref|anchor):(?![ \t\r])((?:[^<>\n-]|-(?!->))*+)-->")
_STRICT = re.compile(r"<!--(ref|anchor):(?![ \t\r\n])")
_LOOSE = re.compile(r"<!--([\s-]*+)(ref|anchor)(\s*+)([:：])(\s*+)", re.IGNORECASE)
_ALTERED = re.compile(r"(?:\\?<|&[^;]{1,5};)\s?(?:\\?!)?\s?[\\\s—–‒-]*+(ref|anchor)\s*+:\s*+", re.IGNORECASE)
_ALTERED_END = re.compile(r"\s*+[\\—–‒-](?:[\\\s—–‒-]*+)(?:>|&[^;]{1,5};)\Z")
# A comment with a blank behind its colon is a marker only when what follows can be nothing but a slug.
_SLUG_ALONE = re.compile(r"@?[A-Za-z0-9][A-Za-z0-9_:./-]*+(?:\s++(?:ok|[A-Z][A-Z0-9+-]++)){0,2}+\s*+\Z")
_PLACEHOLDERS = frozenset(
    {"add", "check", "citation", "fixme", "here", "missing", "needed", "none", "tbd", "todo", "xxx"}
)
_HYPHENS = re.compile(r"-{2,}")


def find_markers(content: str, start: int, pieces: list[Piece], found: list[Marker]) -> list[Piece]:
    """Add the markers among the pieces of a block's content to ``found``; the comments that are none come back.

    ``start`` is the offset of the content in the file.
    """
    others: list[Piece] = []
    exact_match = _EXACT.match
    for piece in pieces:
        first, last, sort = piece
        marker: Marker | None
        if sort is Inline.COMMENT:
            exact = exact_match(content, first)
            if exact is not None:
                verb, body = exact.groups()
                tail = _tail(content, last, start) if body.startswith("quote:") else None
                found.append(Marker(Span(start + first, start + last), verb, body, "", True, tail))
                continue
            text = content[first:last]
            tail = _tail(content, last, start) if text.startswith("<!--anchor:quote:") else None
            marker = parse_marker(text, start + first, tail)
        elif sort is Inline.MARKER:
            marker = parse_altered(content[first:last], start + first)
        else:
            if sort is Inline.OPEN_COMMENT:
                others.append(piece)
            continue
        if marker is not None:
            found.append(marker)
        elif sort is Inline.COMMENT:
            others.append(piece)
    return others


def _tail(content: str, at: int, start: int) -> Span | None:
    """What a quote's own ``-->`` left behind as text: up to the last ``-->`` before the line or a comment ends."""
    stop = content.find("<!--", at)
    stop = len(content) if stop < 0 else stop
    line = content.find("\n", at, stop)
    stop = stop if line < 0 else line
    close = content.rfind("-->", at, stop)
    if close < 0 or (content[at] in ".,;:!?)" and content[at + 1 : at + 2].isspace()):
        # Behind a full stop stands the next sentence, and an arrow in it is an arrow.
        return None
    return Span(start + at, start + close + 3)


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
        plain = text if text.isascii() else UNSEEN.sub("", text)
        hidden = None if plain == text else parse_marker(plain, start)
        return hidden and hidden._replace(span=span, damage="it holds invisible characters", tail=tail)
    closed = text.endswith("-->")
    body = text[loose.end() : -3 if closed else len(text)]
    verb = loose[2].lower()
    hyphens = "-" in loose[1]
    if hyphens:
        body = body.rstrip("-")
    if (loose[5] or hyphens) and not _means_it(verb, body):
        return None
    if not closed:
        return Marker(span, verb, body, closed=False)
    if not body.strip() and verb == "ref":
        return Marker(span, verb, "")
    if hyphens:
        damage = "it has more than two hyphens"
    elif loose[1] or loose[3] or loose[5] or "\n" in body:
        damage = "it is split over lines" if "\n" in text else STRAY_BLANKS
    elif loose[4] != ":":
        damage = "its colon is a full-width one"
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
    body = text[opening.end() : closing.start()].replace("\\_", "_")
    verb = opening[1].lower()
    if not _means_it(verb, body):
        return None
    escaped = "\\" in text or "&" in text[:4]
    damage = "it is escaped, so it shows as text" if escaped else "its dashes are altered, so it shows as text"
    return Marker(Span(start, start + len(text)), verb, body, damage)


def _means_it(verb: str, body: str) -> bool:
    """Whether a comment whose spacing is not that of a marker was meant as one."""
    if verb == "anchor":
        kind, colon, _ = body.partition(":")
        return bool(colon) and kind.strip().lower() in KINDS
    plain = body.strip()
    return not plain or (_SLUG_ALONE.match(plain) is not None and plain.lower() not in _PLACEHOLDERS)


def encode_hyphens(raw: str) -> str:
    """A quote's value with every hyphen of a run of two or more encoded."""
    return _HYPHENS.sub(lambda run: "%2D" * len(run.group()), raw)


def repaired(marker: Marker) -> str | None:
    """What a damaged marker was, or None when that cannot be told for sure."""
    body = " ".join(marker.body.split())
    if marker.verb == "ref":
        body = body.removeprefix("@")
        return f"<!--ref:{body}-->" if NEAR_REF.match(body) else None
    kind, colon, value = (part.strip() for part in body.partition(":"))
    kind = kind.lower()
    if not colon or kind not in KINDS or (not value and kind != "none"):
        return None
    if "escaped" in marker.damage and ("\\" in value or "&" in value):
        return None
    if "--" in value or value.endswith("-") or "<" in value or (">" in value and kind != "quote"):
        return None
    return f"<!--anchor:{kind}:{value}-->"
