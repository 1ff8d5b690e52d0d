"""Acknowledging inside a draft: ``<!-- claimlint: disable=UNCITED-1 -- reason -->``.

What a directive covers, in lines:

* ``disable=CODES`` behind or before text on its line: that line (those lines, when the comment spans several);
* ``disable=CODES`` alone on its line: the next line that is neither blank nor a directive alone;
* ``disable=CODES`` with an ``enable=CODES`` further down: everything from the one to the other. An ``enable``
  closes the nearest open ``disable`` of the same code above it, without codes the nearest open one whole;
* ``disable-next-line=CODES``: the next such line, wherever the comment stands;
* ``disable-file=CODES``: the whole file.

A finding is covered when any of its lines is. A code is a whole code or a whole family. A directive without a
reason, and a code that does not exist, silence nothing. Codes are separated by commas or blanks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.acknowledge.outcome import (
    FORBIDDEN,
    MALFORMED,
    NO_REASON,
    UNKNOWN_CODE,
    UNUSED,
    Codes,
    FixedPlace,
    Outcome,
    Ran,
    may_be_acknowledged,
    says_why,
)
from claimlint.findings import Finding, Note, Range, Span

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft
    from claimlint.documents.source import TextSource

DISABLE = "disable"
ENABLE = "enable"
NEXT_LINE = "disable-next-line"
FILE = "disable-file"
VERBS = (DISABLE, ENABLE, NEXT_LINE, FILE)

_ALL_LINES = (1, 1 << 60)
_NO_LINES = (0, 0)
_OWN_COMMENT = re.compile(r"<!--\s*claimlint:(?:(?!-->|<!--).)*-->", re.DOTALL)
_ITEM = re.compile(r"\d{1,9}[.)]")

Lines = tuple[int, int]
"""First and last line, both 1-based and covered."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A directive with the lines it covers, without the text it stands in.

    ``line`` is the first line of its comment as written. ``covers`` maps each code to its lines; for an
    ``enable`` it holds the codes that closed something.
    """

    range: Range
    line: str
    verb: str
    codes: tuple[str, ...]
    reason: str
    covers: Mapping[str, Lines]


def scopes(draft: Draft) -> tuple[Scope, ...]:
    """The directives of a draft with the lines they cover, in document order. Takes time linear in the draft."""
    if not draft.directives:
        return ()
    source = draft.source
    directives = sorted(draft.directives, key=lambda each: each.span.start)
    ranges = [source.span_range(each.span) for each in directives]
    alone = _alone(source, ranges)
    following = _following(source, ranges, alone)
    covers: list[dict[str, Lines]] = []
    open_codes = _Open()
    for index, (directive, found) in enumerate(zip(directives, ranges, strict=True)):
        own = (found.line, found.end_line)
        codes = tuple(dict.fromkeys(directive.codes))
        if directive.verb == FILE:
            covers.append(dict.fromkeys(codes, _ALL_LINES))
        elif directive.verb == NEXT_LINE:
            covers.append(dict.fromkeys(codes, following[index]))
        elif directive.verb == DISABLE:
            covers.append(dict.fromkeys(codes, following[index] if alone[index] else own))
            open_codes.add(index, codes)
        else:
            closed: dict[str, Lines] = {}
            for opened, code in open_codes.close(codes):
                covers[opened][code] = closed[code] = (ranges[opened].line, found.end_line)
            covers.append(closed)
    return tuple(
        Scope(found, source.line_text(found.line), each.verb, tuple(dict.fromkeys(each.codes)), each.reason, lines)
        for each, found, lines in zip(directives, ranges, covers, strict=True)
    )


def apply_directives(
    findings: Iterable[Finding], found: Mapping[str, tuple[Scope, ...]], codes: Codes, ran: Ran
) -> Outcome:
    """Take out the findings that a directive covers.

    ``found`` holds the scopes of every draft by its shown path. Findings that may not be acknowledged stay.
    """
    files = {path: _File(path, each, codes) for path, each in found.items()}
    kept: list[Finding] = []
    acknowledged = 0
    for finding in findings:
        file = files.get(finding.path)
        if file is not None and file.silences(finding):
            acknowledged += 1
        else:
            kept.append(finding)
    notes = tuple(note for path in sorted(files) for note in files[path].notes(ran))
    return Outcome(tuple(kept), acknowledged, notes)


class _File:
    """The directives of one draft at work."""

    def __init__(self, path: str, found: tuple[Scope, ...], codes: Codes) -> None:
        self._path = path
        self._scopes = found
        self._codes = codes
        self._used: set[tuple[int, str]] = set()
        self._forbidden: set[tuple[int, str]] = set()
        self._notes: list[tuple[int, Note]] = []
        at_work: dict[str, list[tuple[Lines, int]]] = {}
        for index, scope in enumerate(found):
            for code in self._valid(index, scope):
                at_work.setdefault(code, []).append((scope.covers[code], index))
        self._tables = {code: _Table(intervals) for code, intervals in at_work.items()}

    def silences(self, finding: Finding) -> bool:
        where = finding.range
        last = where.end_line - (where.end_column == 1 and where.end_line > where.line)
        for code in (finding.code, finding.code.rpartition("-")[0]):
            table = self._tables.get(code)
            index = None if table is None else table.covering(where.line, last)
            if index is None:
                continue
            if may_be_acknowledged(finding):
                self._used.add((index, code))
                return True
            self._forbidden.add((index, code))
        return False

    def notes(self, ran: Ran) -> list[Note]:
        """What is wrong with the directives, in document order."""
        found = list(self._notes)
        for index, scope in enumerate(self._scopes):
            for code in scope.codes or ("",):
                kind = self._fault(index, code, ran)
                if kind is not None:
                    found.append((index, self._note(kind, scope, code=code, verb=scope.verb)))
        return [note for _, note in sorted(found, key=lambda each: each[0])]

    def _fault(self, index: int, code: str, ran: Ran) -> str | None:
        scope = self._scopes[index]
        if scope.verb == ENABLE:
            if not code:
                return None if scope.covers else UNUSED
            return UNUSED if self._codes.known(code) and code not in scope.covers else None
        if code not in self._tables or not self._tables[code].holds(index):
            return None
        if (index, code) in self._forbidden:
            return FORBIDDEN
        if (index, code) in self._used:
            return None
        if not self._codes.possible(code):
            return FORBIDDEN
        return UNUSED if self._codes.complete(code, self._path, ran) else None

    def _valid(self, index: int, scope: Scope) -> list[str]:
        """The codes of a scope that take effect; notes what is wrong with the others."""
        if scope.verb not in VERBS or not (scope.codes or scope.verb == ENABLE):
            what = "it names no code" if scope.verb in VERBS else f"it says {scope.verb}" if scope.verb else ""
            self._notes.append((index, self._note(MALFORMED, scope, cause=what, near=_meant(scope.verb))))
            return []
        known = [code for code in scope.codes if self._codes.known(code)]
        for code in scope.codes:
            if not self._codes.known(code):
                near = self._codes.nearest(code) or ""
                self._notes.append((index, self._note(UNKNOWN_CODE, scope, code=code, near=near)))
        if scope.verb == ENABLE:
            return []
        if not says_why(scope.reason):
            self._notes.append((index, self._note(NO_REASON, scope, code=", ".join(scope.codes))))
            return []
        return known

    def _note(self, kind: str, scope: Scope, **values: str) -> Note:
        source = FixedPlace(self._path, scope.range, scope.line)
        return Note(kind, source, Span(0, 0), values)


def _meant(written: str) -> str:
    """The verb that a directive was probably meant to have; empty when there is none like it."""
    from difflib import get_close_matches

    verb = re.match(r"[A-Za-z_-]*", written[:40])
    plain = verb[0].lower().replace("_", "-") if verb else ""
    return next(iter(get_close_matches(plain, VERBS, n=1, cutoff=0.75)), "")


class _Open:
    """The codes of ``disable`` directives that no ``enable`` has closed yet."""

    def __init__(self) -> None:
        self._by_code: dict[str, list[int]] = {}
        self._left: dict[int, dict[str, None]] = {}

    def add(self, index: int, codes: tuple[str, ...]) -> None:
        """Open the codes of a directive."""
        if codes:
            self._left[index] = dict.fromkeys(codes)
        for code in codes:
            self._by_code.setdefault(code, []).append(index)

    def close(self, codes: tuple[str, ...]) -> list[tuple[int, str]]:
        """Close the nearest directive of each code, or the nearest one whole: indices and codes."""
        if not codes and self._left:
            codes = tuple(next(reversed(self._left.values())))
        found: list[tuple[int, str]] = []
        for code in codes:
            if self._by_code.get(code):
                index = self._by_code[code].pop()
                del self._left[index][code]
                if not self._left[index]:
                    del self._left[index]
                found.append((index, code))
        return found


class _Table:
    """The lines that the directives of one code cover."""

    def __init__(self, intervals: list[tuple[Lines, int]]) -> None:
        ordered = sorted(intervals)
        self._starts = [lines[0] for lines, _ in ordered]
        self._members = {index for _, index in intervals}
        # For each start the interval that reaches furthest among all that start no later.
        self._furthest: list[tuple[int, int]] = []
        best = (0, -1)
        for (_, last), index in ordered:
            if last > best[0]:
                best = (last, index)
            self._furthest.append(best)

    def holds(self, index: int) -> bool:
        """Whether a directive takes part."""
        return index in self._members

    def covering(self, first: int, last: int) -> int | None:
        """The index of a directive that covers one of the lines from first to last, or None."""
        at = bisect_right(self._starts, last)
        if at == 0:
            return None
        reach, index = self._furthest[at - 1]
        return index if reach >= first else None


def _alone(source: TextSource, ranges: list[Range]) -> list[bool]:
    """Whether each directive stands on its lines with nothing but other directives."""
    known: dict[tuple[int, int], bool] = {}
    found: list[bool] = []
    for where in ranges:
        lines = (where.line, where.end_line)
        if lines not in known:
            if where.line == where.end_line:
                around = source.line_text(where.line)
            else:
                before = source.line_text(where.line)[: where.column - 1]
                behind = source.line_text(where.end_line)[where.end_column - 1 :]
                around = f"{before} {behind}"
            rest = _OWN_COMMENT.sub("", around).strip(" \t\r>*+-")
            known[lines] = not rest or _ITEM.fullmatch(rest) is not None
        found.append(known[lines])
    return found


def _following(source: TextSource, ranges: list[Range], alone: list[bool]) -> list[Lines]:
    """The next line behind each directive that holds something else."""
    count = len(source.starts)
    by_line: dict[int, Lines] = {}
    found: list[Lines] = [_NO_LINES] * len(ranges)
    for index in range(len(ranges) - 1, -1, -1):
        line = ranges[index].end_line + 1
        while line <= count and line not in by_line and not source.line_text(line).strip():
            line += 1
        lines = by_line.get(line, _NO_LINES if line > count else (line, line))
        found[index] = lines
        if alone[index]:
            by_line[ranges[index].line] = lines
    return found
