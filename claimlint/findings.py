"""Findings and what they are made of: severities, places, problems.

A rule yields ``Problem``s, which say where in symbols (a JSON Pointer into a file, or a span of characters).
The engine turns each into a ``Finding`` with line and column.

The types that every run needs are named tuples: a frozen dataclass takes five times as long to define, which at
every start is time that a person waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple, Protocol


class Severity(IntEnum):
    """How much a finding weighs; ``error`` means that a contract is broken."""

    INFO = 0
    LOW_WARN = 1
    MED_WARN = 2
    HIGH_WARN = 3
    ERROR = 4

    @property
    def label(self) -> str:
        """The name in output and settings, for example ``low-warn``."""
        return self.name.lower().replace("_", "-")


class Range(NamedTuple):
    """A stretch of a file: 1-based lines and columns, counted in characters; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Span(NamedTuple):
    """A stretch of a text as half-open character offsets, 0-based."""

    start: int
    end: int


Token = str | int
Tokens = tuple[Token, ...]


class Source(Protocol):
    """A file, or a part of one, in which places can be looked up."""

    @property
    def path(self) -> str:
        """The path as shown: relative to the working directory, with ``/``."""
        ...

    def locate(self, place: Place) -> Range:
        """Line and column of a place; never raises: an unknown pointer falls back to its nearest parent."""
        ...

    def line_text(self, line: int) -> str:
        """The text of a 1-based line without its line end; empty when there is none."""
        ...


class Pointer(NamedTuple):
    """A place in a JSON or YAML document: the keys and indices that lead to it.

    With ``key`` true the place is the member's key rather than its value.
    """

    tokens: Tokens
    key: bool = False

    def __str__(self) -> str:
        """The JSON Pointer (RFC 6901)."""
        return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in self.tokens)


Place = Pointer | Span


class Related(NamedTuple):
    """Another place that belongs to a problem, for example the first of two duplicates."""

    message: str
    source: Source
    place: Place


class Note(NamedTuple):
    """What a reader saw while reading: a fact with a place, which a rule of the same name turns into a problem.

    ``kind`` equals the name of the rule that reports it (``duplicate-key``, ``missing-anchor``); ``values``
    holds the words the message needs.
    """

    kind: str
    source: Source
    place: Place
    values: Mapping[str, str]
    related: tuple[Related, ...] = ()


class Problem(NamedTuple):
    """What a rule yields: one broken rule at one place.

    ``cause`` groups problems with one root cause in shown output. When it is empty, equal messages are one
    cause in a passport, and every problem is its own in a draft, where each place is looked at.
    ``severity`` overrides the rule's own. ``annotation`` is a gate literal (contract, section 8).
    ``subject`` is the text the problem is about where that is not the text of its place: what a baseline knows
    it by.
    """

    message: str
    source: Source
    place: Place
    cause: str = ""
    severity: Severity | None = None
    annotation: str | None = None
    related: tuple[Related, ...] = ()
    subject: str = ""


class RelatedRange(NamedTuple):
    """A related place, made concrete."""

    message: str
    path: str
    range: Range


class Finding(NamedTuple):
    """A problem made concrete: what every reporter prints.

    ``subject`` is the text the finding is about, or stands on, with its white space made single blanks: the
    part of a baseline entry that survives moved lines.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    range: Range
    pointer: str | None
    annotation: str | None
    related: tuple[RelatedRange, ...]
    cause: str
    subject: str


def code_key(code: str) -> tuple[str, int, str]:
    """Sort key of a rule code: by family, then by number, so that INV-2 comes before INV-10."""
    family, _, number = code.rpartition("-")
    return (family, int(number), "") if number.isascii() and number.isdigit() else (code, 0, number)


def sort_key(finding: Finding) -> tuple[str, int, int, tuple[str, int, str], str, str]:
    """The one order of findings in output: path, place, code, message."""
    where = finding.range
    return (
        finding.path,
        where.line,
        where.column,
        code_key(finding.code),
        finding.message,
        finding.pointer or "",
    )
