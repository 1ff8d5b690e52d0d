"""Good passports, damaged at random in text and in value: no rule crashes, and every finding can be shown.

``CLAIMLINT_MUTATIONS`` sets how many are tried; the seed is their number, so that a failure can be tried again.
"""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest
import yaml

from claimlint import registry
from claimlint.checker import Checker
from claimlint.discovery import Target
from claimlint.report import Report, Summary
from claimlint.reporters import concise, json_format, text
from claimlint.run import merge
from claimlint.settings import Settings
from claimlint.task import Task
from tests.passport_samples import clean

COUNT = int(os.environ.get("CLAIMLINT_MUTATIONS", "400"))
CHUNKS = 8
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    3.0,
    1e308,
    10**30,
    "",
    " ",
    "x" * 3000,
    "C-001",
    "NC-C001-1",
    "NC-C-001-1",
    "MNC-1",
    "M-0000-00-00T00:00:00Z-0000",
    "2026-02-30T25:61:00Z",
    "SUPPORTED",
    "negative_constraint_violation",
    "judge_timeout: x",
    "%zz",
    "\u202e\x1b[31m",
    "\ud800",
    "é\u0301中😀",
    "1\n",
    "٣",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"a": {"b": [1]}},
    ["a", "a"],
]
PIECES = [
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\\u",
    "\\ud800",
    "NaN",
    "1e999",
    "null",
    "\x00",
    "\ufeff",
    "é",
    "\r\n",
    "9" * 50,
]
CODES = tuple(rule.code for rule in registry.load().rules)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a value, with each of its keys or indices."""
    found: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        item = pending.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        found += [(item, key) for key in keys]
        pending += [item[key] for key in keys]
    return found


def damaged_value(dice: random.Random) -> Any:
    """A clean passport in which some values, keys and rows were changed, swapped, repeated or taken away."""
    value = clean()
    for _ in range(dice.randint(1, 6)):
        container, key = dice.choice(places(value))
        kind = dice.randrange(6)
        if kind == 0:
            del container[key]
        elif kind == 1:
            other, where = dice.choice(places(value))
            container[key] = json.loads(json.dumps(other[where]))
        elif kind == 2 and isinstance(container, dict):
            container[dice.choice(["", "x", key + "s", key.upper(), "claim_id"])] = container.pop(key)
        elif kind == 3 and isinstance(container, list):
            container.append(json.loads(json.dumps(container[key])))
        else:
            container[key] = json.loads(json.dumps(dice.choice(ODD)))
        if not places(value):
            break
    return value


def damaged_text(dice: random.Random, written: str) -> bytes:
    """A text with some pieces put in, taken out or moved, and sometimes broken bytes."""
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(written) + 1)
        end = min(len(written), start + dice.randrange(12))
        piece = dice.choice([*PIECES, written[start:end] * 2, ""])
        written = written[:start] + piece + written[end:]
    data = bytearray(written.encode("utf-8", errors="surrogatepass"))
    if dice.random() < 0.1 and data:
        data[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(data)


def mutation(seed: int) -> tuple[str, bytes]:
    """The name and the bytes of one damaged passport."""
    dice = random.Random(seed)
    value = damaged_value(dice) if dice.random() < 0.8 else clean()
    as_yaml = dice.random() < 0.2
    if as_yaml:
        written = yaml.safe_dump(value, allow_unicode=True, default_flow_style=dice.choice([None, False, True]))
    else:
        written = json.dumps(value, indent=dice.choice([None, 1]), ensure_ascii=dice.random() < 0.7)
    name = "p.yaml" if as_yaml else "p.json"
    if dice.random() < 0.4:
        return name, damaged_text(dice, written)
    return name, written.encode("utf-8", errors="surrogatepass")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_damage_makes_a_rule_crash_or_a_finding_that_cannot_be_shown(chunk: int) -> None:
    checker = Checker(Task(Settings(), CODES))
    for seed in range(chunk, COUNT, CHUNKS):
        name, data = mutation(seed)
        checker.forget()
        result = merge([checker.passport((Target(name, name, named=True, text=data),))])
        assert [str(failure) for failure in result.failures] == [], f"mutation {seed}"
        assert result.findings or result.files, f"mutation {seed}"
        report = Report(result.findings, result.failures, Summary(1), bool(result.unread))
        lines = data.decode("utf-8", errors="replace").split("\n")

        def line_text(_path: str, line: int, lines: list[str] = lines) -> str:
            return lines[line - 1] if line <= len(lines) else ""

        shown = text.plain(text.lines(report, line_text, show_all=True, quiet=False))
        assert "\x1b" not in shown, f"mutation {seed}"
        assert concise.render(report, show_all=True).count("\n") == len(result.findings), f"mutation {seed}"
        assert len(json.loads(json_format.render(report))["findings"]) == len(result.findings)
        for finding in result.findings:
            where = finding.range
            assert (where.line, where.column) <= (where.end_line, where.end_column), f"mutation {seed}"
            assert 1 <= where.line <= len(lines), f"mutation {seed}"
            assert len(finding.message) < 2000, f"mutation {seed}"
