"""The judge prompt in its file: the text between two comments, known by its SHA-256.

The comments begin ``JUDGE-PROMPT-CANONICAL-START`` and ``JUDGE-PROMPT-CANONICAL-END``; more may follow inside
each. The canonical text is what stands between them, stripped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.findings import Span

if TYPE_CHECKING:
    from claimlint.documents.source import TextSource

START = "JUDGE-PROMPT-CANONICAL-START"
END = "JUDGE-PROMPT-CANONICAL-END"

_OPENING = re.compile(r"<!--\s*(JUDGE-PROMPT-CANONICAL-(?:START|END))(?!-?\w)")


@dataclass(frozen=True, slots=True)
class Marker:
    """One of the two comments: its name (``START`` or ``END``), its span, and whether it is closed."""

    name: str
    span: Span
    closed: bool


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A file with a judge prompt.

    ``found`` holds its markers in order. ``pinned`` is the SHA-256 that the settings hold, None when they hold
    none.
    """

    source: TextSource
    found: tuple[Marker, ...]
    pinned: str | None

    @property
    def span(self) -> Span | None:
        """What stands between the markers; None unless there is one of each, closed and in order."""
        if [(each.name, each.closed) for each in self.found] != [(START, True), (END, True)]:
            return None
        return Span(self.found[0].span.end, self.found[1].span.start)

    @property
    def canonical(self) -> str | None:
        """The canonical text, with LF line ends: a checkout that writes CR LF has the same prompt."""
        span = self.span
        if span is None:
            return None
        return self.source.text[span.start : span.end].replace("\r\n", "\n").strip()

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the canonical text in UTF-8, as lower-case hex digits."""
        text = self.canonical
        return None if text is None else text_sha256(text)


def read_prompt(source: TextSource, pinned: str | None = None) -> PromptFile:
    """Find the markers of a prompt file; never raises."""
    text = source.text
    openings = list(_OPENING.finditer(text))
    found: list[Marker] = []
    for index, opening in enumerate(openings):
        limit = openings[index + 1].start() if index + 1 < len(openings) else len(text)
        close = text.find("-->", opening.end(), limit)
        end = opening.end() if close < 0 else close + 3
        found.append(Marker(opening.group(1), Span(opening.start(), end), close >= 0))
    return PromptFile(source, tuple(found), pinned)


def text_sha256(text: str) -> str:
    """The SHA-256 of a text in UTF-8, as lower-case hex digits; halves of surrogate pairs are hashed as such."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
