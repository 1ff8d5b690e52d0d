"""Safe repairs of a draft (``--fix``, ``--diff``): text in, text and a list of edits out.

Repaired are markers whose meaning cannot be mistaken: stray blanks, case, line breaks and escaped or dashed
brackets of a marker, the case of an anchor's kind, and hyphens in a quote. Nothing else is ever changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from claimlint.documents.markdown import read_markdown
from claimlint.documents.markers import STRAY_BLANKS, Marker, encode_hyphens, repaired
from claimlint.documents.source import TextSource
from claimlint.documents.styles import KINDS
from claimlint.findings import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: the span of the old text it replaces, the new text, and why."""

    span: Span
    replacement: str
    reason: str


@dataclass(frozen=True, slots=True)
class FixResult:
    """A repaired text with the edits that lead to it, in order; without edits it is the text that was given."""

    text: str
    edits: tuple[Edit, ...]


def fix(text: str) -> FixResult:
    """Repair what is safe. Never raises; ``fix(fix(text).text)`` changes nothing more."""
    markers = read_markdown(TextSource("", text)).markers
    edits = tuple(edit for edit in map(_edit, markers) if edit is not None)
    if not edits:
        return FixResult(text, ())
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts.append(text[at : edit.span.start])
        parts.append(edit.replacement)
        at = edit.span.end
    parts.append(text[at:])
    return FixResult("".join(parts), edits)


def diff(path: str, text: str, result: FixResult) -> Iterator[str]:
    """The lines of a unified diff between a text and its repair, without line ends."""
    from difflib import unified_diff

    if result.edits:
        before, after = text.split("\n"), result.text.split("\n")
        yield from unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")


def _edit(marker: Marker) -> Edit | None:
    """The repair of one marker, or None when it needs none or none is safe."""
    if not marker.closed or marker.tail is not None:
        return None
    if marker.damage:
        written = repaired(marker)
        return None if written is None else Edit(marker.span, written, marker.damage)
    if marker.verb != "anchor":
        return None
    kind, colon, value = marker.body.partition(":")
    if not colon:
        return None
    lower = kind.strip().lower()
    reasons: list[str] = []
    if kind != lower and lower in KINDS:
        reasons.append("the kind is not in lower case" if kind.strip() == kind else STRAY_BLANKS)
        kind = lower
    if kind == "quote" and "--" in value:
        reasons.append("the quote holds --")
        value = encode_hyphens(value)
    if not reasons:
        return None
    return Edit(marker.span, f"<!--anchor:{kind}:{value}-->", " and ".join(reasons))
