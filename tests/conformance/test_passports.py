"""The invariants against the conformance passports, and against mutations of them."""

from __future__ import annotations

import json
import os
import random
from copy import deepcopy
from typing import Any

from claimlint import gate
from claimlint.documents.passport import join
from claimlint.documents.reader import read_passport_text
from tests.conformance.cases import conformance
from tests.passport_samples import INVARIANTS, Json, check, clean, rules_in

CASES = "passports.json.gz"
FAMILIES = {"INV", "M-INV", "U-INV", "D-INV", "CV-INV", "S-INV", "UAF-INV", "EP-INV", "EA-INV"}
EVERY = (*INVARIANTS, *rules_in(("gate",)))
MUTATIONS = int(os.environ.get("CLAIMLINT_MUTATIONS", "300"))


def _ours(codes: list[str]) -> set[str]:
    return {code for code in codes if code.rpartition("-")[0] in FAMILIES}


def test_every_expected_code_is_reported_and_no_other_than_may_be() -> None:
    wrong: list[tuple[str, str, list[str]]] = []
    for case in conformance(CASES)["cases"]:
        expected = _ours(case["expected"])
        found = {finding.code for finding in check(case["passport"]).findings}
        if expected - found:
            wrong.append((case["id"], "missing", sorted(expected - found)))
        if found - expected - _ours(case["may"]):
            wrong.append((case["id"], "unexpected", sorted(found - expected - _ours(case["may"]))))
    assert wrong == []


def test_hostile_passports_crash_no_rule() -> None:
    for passport in conformance(CASES)["hostile"]:
        _all_answer(json.dumps(passport))


def test_mutated_passports_crash_no_rule() -> None:
    rng = random.Random(20260903)
    passports = [clean(), *(case["passport"] for case in conformance(CASES)["cases"][:20])]
    texts = [json.dumps(passport) for passport in passports]
    for _ in range(MUTATIONS):
        passport = json.loads(rng.choice(texts))
        for _ in range(rng.randint(1, 6)):
            _mutate(passport, rng)
        _all_answer(json.dumps(passport))


def _all_answer(text: str) -> None:
    passport = join([read_passport_text(text, "passport.json")])
    first = check(passport, EVERY).findings
    again = check(join([read_passport_text(text, "passport.json")]), EVERY).findings
    assert first == again
    rows = gate.decide(passport)
    annotated = sorted(finding.annotation for finding in first if finding.annotation is not None)
    assert annotated == sorted(row.annotation for row in rows)
    if any(row.tier is gate.Tier.HIGH for row in rows):
        assert gate.refuses(passport)
    gate.defect_stages(passport)


def _deep() -> Any:
    value: Any = []
    for _ in range(30):
        value = [value]
    return value


JUNK: list[Any] = [
    *(None, True, False, 0, -1, 3.5, 9.0, 10**40, "", " ", "%", "%C3%28", "x", "é" * 5000, "\ud800", "null"),
    *([], {}, [[]], [{}], [None], {"a": 1}, ["C-001"], {"constraint_id": []}, "NC-C-001-1", "MNC-", _deep()),
    *("M-0000-00-00T00:00:00Z-0000", "C-001", "none", "SUPPORTED", "UNSUPPORTED", "completed", "metadata"),
    *("RETRIEVAL_FAILED", "inconclusive", "not_applicable", "not_found", "failed", "audit_tool_failure"),
    *("retrieval_existence", "negative_constraint_violation", "not_attempted", "judge_timeout:", "AMBIGUOUS"),
]


def _junk(rng: random.Random) -> Any:
    return deepcopy(rng.choice(JUNK))


def _mutate(passport: Json, rng: random.Random) -> None:
    """One change somewhere: a value replaced or removed, a row doubled, a key added, a part moved."""
    holders: list[Any] = []
    pending: list[Any] = [passport]
    while pending:
        value = pending.pop()
        if isinstance(value, dict) and value:
            holders.append(value)
            pending.extend(value.values())
        elif isinstance(value, list) and value:
            holders.append(value)
            pending.extend(value)
    if not holders:
        return
    holder = rng.choice(holders)
    key: Any = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    match rng.randrange(5):
        case 0 | 1:
            holder[key] = _junk(rng)
        case 2:
            del holder[key]
        case 3 if isinstance(holder, list):
            holder.append(json.loads(json.dumps(holder[key])))
        case 3:
            holder[rng.choice(["sub_claim_breakdown", "planned_experiment_ids", "x", ""])] = _junk(rng)
        case _:
            other = rng.choice(holders)
            holder[key] = json.loads(json.dumps(other))
