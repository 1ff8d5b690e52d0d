"""Reading and showing the values of rows whose keys and types nobody has checked yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from claimlint.documents.passport import FAULTS, Row

SHOWN = 60
"""The most characters of a value or text that a message repeats."""

CLAIM_ID = re.compile(r"C-([0-9]{3,})")
CLAIM_CONSTRAINT_ID = re.compile(r"NC-C([0-9]{3,})-[0-9]+")
MANIFEST_CONSTRAINT_ID = re.compile(r"MNC-[0-9]+")
"""Shapes of ids (contract, section 2), to be matched in full; the first group holds the claim's digits."""

_MISSING = object()
_FAULT_WIDTH = max(map(len, FAULTS)) + 1


def shorten(text: str, width: int = SHOWN) -> str:
    """The text on one line, white space collapsed, with its end cut off (``…``) beyond ``width`` characters."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else line[: width - 1] + "…"


def shown(value: object) -> str:
    """A value as a message shows it: JSON, cut short; containers only by their kind."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        from json import dumps

        return dumps(shorten(value), ensure_ascii=False)
    if isinstance(value, int) and not -(10**18) < value < 10**18:
        return "a huge number"
    if isinstance(value, int | float):
        return str(value)
    return "an array" if isinstance(value, list) else "an object"


def member(data: Mapping[str, object], key: str) -> str:
    """The member of a row as a message shows it, or ``missing``."""
    return shown(data[key]) if key in data else "missing"


def listed(words: Iterable[str], last: str) -> str:
    """Words as an enumeration: ``a, b and c`` for ``last`` "and"."""
    every = list(words)
    return " ".join([", ".join(every[:-1]), last, every[-1]]) if len(every) > 1 else "".join(every)


def differs(data: Mapping[str, object], key: str, *allowed: str | None) -> bool:
    """True when the string (or the null of a defect stage) under ``key`` can be read and is not allowed.

    A missing key and a value of another type are for SCHEMA-1 alone (contract, section 4), so they do not
    differ. A string outside its vocabulary can be read.
    """
    value = data.get(key, _MISSING)
    if value is None:
        return key == "defect_stage" and None not in allowed
    return isinstance(value, str) and value not in allowed


def is_none(value: object) -> bool:
    """True for the values that count as "no id": null and the empty string."""
    return value is None or value == ""


def whole(value: object) -> int | None:
    """A JSON integer as an int (``9.0`` is one, ``true`` is none), or None for anything else."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def cause(row: Row, text: str) -> str:
    """The group of equal faults of one writer: a text without values of the row, and who wrote the row."""
    for key in ("upstream_owner_agent", "emitted_by", "judge_model"):
        writer = row.data.get(key)
        if isinstance(writer, str) and writer:
            return f"{text} [{shorten(writer)}]"
    return text


def repeats(rows: Iterable[Row], key: Callable[[Row], Hashable | None]) -> Iterator[tuple[Row, Row]]:
    """Every row whose key an earlier row has, with the first such row; rows without a key are passed over."""
    first: dict[Hashable, Row] = {}
    for row in rows:
        found = key(row)
        if found is None:
            continue
        before = first.setdefault(found, row)
        if before is not row:
            yield before, row


def fault_of(rationale: object) -> str | None:
    """The fault that a rationale begins with (``judge_timeout: no answer``), or None."""
    if not isinstance(rationale, str):
        return None
    head, colon, _ = rationale[:_FAULT_WIDTH].partition(":")
    return head if colon and head in FAULTS else None
