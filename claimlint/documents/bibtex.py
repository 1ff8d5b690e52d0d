"""The keys of a BibTeX or BibLaTeX file: a scanner, not a parser.

It needs no macro values and no well-formed fields: an entry that is never closed ends where the next one
starts on a line of its own. Every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from claimlint.findings import Span

MAX_TITLE = 300
"""How much of a title is kept, in characters."""

_ENTRY = re.compile(r"@[ \t]*([A-Za-z][A-Za-z0-9_]*)\s*([{(])")
_KEYS = {
    "{": re.compile(r"\s*([^\s,{}]+)(?=\s*[,}]|\s*\Z)"),
    "(": re.compile(r"\s*([^\s,(){}]+)(?=\s*[,)]|\s*\Z)"),
}
_STEP = re.compile(r"""[{}()"]|\\.""")
_GUARDED_STEP = re.compile(
    _STEP.pattern + r"""|\n(?=[ \t]*@[ \t]*[A-Za-z]\w*[ \t]*[{(][ \t]*[^\s,{}"=]+[ \t]*,)"""
)
_FIELD = re.compile(r"[\s,](title|ids|crossref|xref|xdata|entryset|related)[ \t]*=[ \t]*([{\"])", re.IGNORECASE)
_NO_ENTRIES = frozenset({"string", "preamble", "comment", "xdata"})
_KEY_FIELDS = frozenset({"crossref", "xref", "entryset", "related"})


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """An entry: its key and the key's span, its title without braces, its aliases (``ids``).

    ``uses`` holds the keys of the entries it takes part in or inherits from (``crossref`` and the like):
    whoever cites this entry uses those too.
    """

    key: str
    span: Span
    title: str
    aliases: tuple[str, ...]
    uses: tuple[str, ...]


def bibtex_entries(text: str) -> Iterator[BibtexEntry]:
    """The entries of a text in document order, repeated keys included. Never raises."""
    at = 0
    guard_comments = False
    while (found := _ENTRY.search(text, at)) is not None:
        kind, opening = found.group(1).lower(), found.group(2)
        body = found.end()
        at, closed = _end(text, body, opening, guarded=kind != "comment" or guard_comments)
        if kind == "comment" and not closed and not guard_comments:
            # A comment that is never closed would hide all that follows it.
            guard_comments = True
            at = body
        key = None if kind in _NO_ENTRIES else _KEYS[opening].match(text, body, at)
        if key is None:
            continue
        fields = _fields(text, key.end(), at)
        yield BibtexEntry(
            key=key.group(1),
            span=Span(*key.span(1)),
            title=" ".join(fields.get("title", "").replace("{", "").replace("}", "").split())[:MAX_TITLE],
            aliases=_keys(fields.get("ids", "")),
            uses=tuple(each for name in sorted(_KEY_FIELDS) for each in _keys(fields.get(name, ""))),
        )


def _end(text: str, at: int, opening: str, *, guarded: bool) -> tuple[int, bool]:
    """The offset behind the entry whose body starts at ``at``, and whether it is closed.

    A guarded entry that is not closed ends where the next one starts on a line of its own.
    """
    depth = 0
    quoted = False
    for step in (_GUARDED_STEP if guarded else _STEP).finditer(text, at):
        mark = step.group()
        if mark == "\n":
            return step.start(), False
        if mark == "{":
            depth += 1
        elif mark == "}":
            if depth == 0 and opening == "{":
                return step.end(), True
            depth = max(0, depth - 1)
        elif mark == '"' and depth == 0:
            quoted = not quoted
        elif mark == ")" and opening == "(" and depth == 0 and not quoted:
            return step.end(), True
    return len(text), False


def _fields(text: str, at: int, end: int) -> dict[str, str]:
    """The values of the fields that are read, the first of each name."""
    found: dict[str, str] = {}
    for field in _FIELD.finditer(text, at, end):
        name = field.group(1).lower()
        if name not in found:
            found[name] = _value(text, field.end(), end, field.group(2))
    return found


def _value(text: str, at: int, end: int, opening: str) -> str:
    limit = min(end, at + 20 * MAX_TITLE)
    depth = 0
    for index in range(at, limit):
        character = text[index]
        if character == "{":
            depth += 1
        elif character == "}":
            if depth == 0:
                return text[at:index]
            depth -= 1
        elif character == '"' and opening == '"' and depth == 0:
            return text[at:index]
    return text[at:limit]


def _keys(value: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[\s,]+", value) if part)
