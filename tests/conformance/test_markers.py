"""The marker rules against the conformance drafts."""

from __future__ import annotations

import re

from tests.conformance.cases import conformance
from tests.drafts import RULES, problems

# What the drafts do not judge: damaged markers, anchors of kind none, broken percent sequences.
UNJUDGED = {"CITE-10", "CITE-11", "CITE-12"}
MALFORMED = {"CITE-7", "CITE-9"}
_BEHIND_BAD_REF = re.compile(r"<!--ref:(?:|\d[^>]*|[\w:-]+(?: \S+){3})-->\s*(?P<anchor><!--anchor:)", re.MULTILINE)


def _silent(markdown: str) -> set[tuple[int, str]]:
    """The orphans that only follow a malformed ref: expected by the drafts, not reported by the contract."""
    return {
        (markdown.count("\n", 0, found.start("anchor")) + 1, "orphan-anchor")
        for found in _BEHIND_BAD_REF.finditer(markdown)
    }


def test_the_same_lines_are_flagged() -> None:
    wrong: list[tuple[int, list[int], list[int]]] = []
    for case in conformance("markers.json"):
        markdown = case["markdown"]
        expected = {(line, name) for line, name in case["expected"]} - _silent(markdown)
        found = {line for line, _, code, _ in problems(markdown) if code not in UNJUDGED}
        if found != {line for line, _ in expected}:
            wrong.append((case["id"], sorted({line for line, _ in expected}), sorted(found)))
    assert wrong == []


def test_a_line_with_one_kind_of_fault_has_its_code() -> None:
    wrong: list[tuple[int, int, str, set[str]]] = []
    for case in conformance("markers.json"):
        markdown = case["markdown"]
        expected = {(line, name) for line, name in case["expected"]} - _silent(markdown)
        found = [(line, code) for line, _, code, _ in problems(markdown) if code not in UNJUDGED]
        for line in sorted({line for line, _ in expected}):
            names = {name for each, name in expected if each == line}
            if len(names) == 1:
                (name,) = names
                wanted = MALFORMED if name == "malformed-ref" else {RULES[name].code}
                here = {code for each, code in found if each == line}
                if not (here and here <= wanted):
                    wrong.append((case["id"], line, name, here))
    assert wrong == []


def test_a_line_has_no_fault_twice() -> None:
    twice = [
        case["id"]
        for case in conformance("markers.json")
        for found in [[(line, column, code) for line, column, code, _ in problems(case["markdown"])]]
        if len(found) != len(set(found))
    ]
    assert twice == []
