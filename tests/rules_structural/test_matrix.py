"""MATRIX-1: judgment, audit status and defect stage stand together as the matrix allows."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from claimlint.documents.matrix import ALLOWED_TRIPLES
from claimlint.documents.reader import read_passport_text
from claimlint.findings import Pointer, Severity
from claimlint.registry import PAGE_SECTIONS
from claimlint_rules import matrix
from tests.conformance.cases import conformance
from tests.rules_structural.samples import Json, good, only_rule, passport_of, without

RULE = only_rule(matrix)
PARTS = ("judgment", "audit_status", "defect_stage")
JUDGMENTS = ("SUPPORTED", "UNSUPPORTED", "AMBIGUOUS", "RETRIEVAL_FAILED")
STATUSES = ("completed", "inconclusive")
STAGES = (
    "retrieval_existence",
    "metadata",
    "source_description",
    "citation_anchor",
    "synthesis_overclaim",
    "negative_constraint_violation",
    "not_applicable",
    None,
)
ODD_TRIPLES = [
    triple
    for triple in itertools.product(("x", *JUDGMENTS), ("y", *STATUSES), ("z", *STAGES))
    if triple not in ALLOWED_TRIPLES
]
MATRIX = {
    ("SUPPORTED", "completed"): {None},
    ("AMBIGUOUS", "completed"): {"source_description", "citation_anchor", "synthesis_overclaim", None},
    ("UNSUPPORTED", "completed"): {
        "source_description",
        "metadata",
        "citation_anchor",
        "synthesis_overclaim",
        "negative_constraint_violation",
    },
    ("RETRIEVAL_FAILED", "completed"): {"retrieval_existence"},
    ("RETRIEVAL_FAILED", "inconclusive"): {"not_applicable"},
}


def row_with(*triple: object) -> Json:
    return good("claim_audit_result", **dict(zip(PARTS, triple, strict=True)))


def found(row: Json) -> list[tuple[str, str]]:
    """The place and message of each problem of a row."""
    (read,) = passport_of("claim_audit_results", row).aggregate("claim_audit_results")
    return [(str(problem.place), problem.message) for problem in RULE.check(read)]


def snippet(section: str) -> Any:
    return json.loads(RULE.page.partition(f"\n{section}\n")[2].split("\n\n")[0])


def test_it_is_an_error_that_runs_by_default() -> None:
    assert (RULE.code, RULE.name, RULE.severity, RULE.default) == ("MATRIX-1", "triple", Severity.ERROR, True)


def test_its_page_has_every_section_and_its_examples_are_true() -> None:
    assert [name for name in PAGE_SECTIONS if f"\n{name}\n" not in RULE.page] == []
    assert len(found(snippet("Bad"))) == 1
    assert found(snippet("Good")) == []


@pytest.mark.parametrize("triple", list(itertools.product(JUDGMENTS, STATUSES, STAGES)), ids=repr)
def test_a_triple_passes_exactly_when_the_contract_lists_it(triple: tuple[str, str, str | None]) -> None:
    allowed = triple[2] in MATRIX.get(triple[:2], set())
    assert (found(row_with(*triple)) == []) is allowed


@pytest.mark.parametrize(
    ("triple", "at", "named", "offer"),
    [
        (
            ("SUPPORTED", "completed", "metadata"),
            "defect_stage",
            "(SUPPORTED, completed, metadata)",
            "change defect_stage to null, or judgment to UNSUPPORTED",
        ),
        (
            ("SUPPORTED", "inconclusive", None),
            "audit_status",
            "(SUPPORTED, inconclusive, null)",
            "change audit_status to completed",
        ),
        (
            ("AMBIGUOUS", "completed", "metadata"),
            "defect_stage",
            "(AMBIGUOUS, completed, metadata)",
            "change defect_stage to null, citation_anchor, source_description or synthesis_overclaim, "
            "or judgment to UNSUPPORTED",
        ),
        (
            ("RETRIEVAL_FAILED", "completed", "not_applicable"),
            "defect_stage",
            "(RETRIEVAL_FAILED, completed, not_applicable)",
            "change defect_stage to retrieval_existence, or audit_status to inconclusive",
        ),
        (
            ("SUPPORTED", "inconclusive", "metadata"),
            "audit_status",
            "(SUPPORTED, inconclusive, metadata)",
            "the nearest is (SUPPORTED, completed, null)",
        ),
        (
            ("supported", "done", None),
            "judgment",
            '("supported", "done", null)',
            "the nearest are (AMBIGUOUS, completed, null) or (SUPPORTED, completed, null)",
        ),
    ],
)
def test_a_message_names_the_triple_and_the_nearest_choices(
    triple: tuple[object, ...], at: str, named: str, offer: str
) -> None:
    message = f"{named} is no allowed combination of judgment, audit_status and defect_stage; {offer}"
    assert found(row_with(*triple)) == [(f"/claim_audit_results/0/{at}", message)]


@pytest.mark.parametrize("triple", ODD_TRIPLES, ids=repr)
def test_every_message_offers_a_way_that_leads_into_the_matrix(triple: tuple[str, str, str | None]) -> None:
    ((place, message),) = found(row_with(*triple))
    offer = message.partition("; ")[2]
    assert place.rpartition("/")[2] in PARTS
    assert offer.startswith(("change ", "the nearest is (", "the nearest are ("))
    for way in offer.removeprefix("change ").split(", or ") if offer.startswith("change ") else ():
        part, _, values = way.partition(" to ")
        for word in values.replace(" or ", ", ").split(", "):
            changed = list(triple)
            changed[PARTS.index(part)] = None if word == "null" else word  # type: ignore[call-overload]
            assert tuple(changed) in ALLOWED_TRIPLES


@pytest.mark.parametrize("key", PARTS)
@pytest.mark.parametrize("value", [..., 5, True, [], {}, ["completed"]], ids=repr)
def test_a_part_that_is_missing_or_of_a_wrong_type_is_left_to_the_schema(key: str, value: object) -> None:
    row = row_with("SUPPORTED", "inconclusive", "metadata")
    assert found(without(row, key) if value is ... else {**row, key: value}) == []


def test_a_judgment_or_status_of_null_is_left_to_the_schema() -> None:
    assert found(row_with(None, "completed", None)) == []
    assert found(row_with("SUPPORTED", None, None)) == []


def test_rows_of_one_triple_and_writer_have_one_cause_and_others_have_others() -> None:
    bad = row_with("SUPPORTED", "completed", "metadata")
    rows = [bad, {**bad, "claim_id": "C-002"}, {**bad, "upstream_owner_agent": None}, {**bad, "judgment": "x"}]
    read = passport_of("claim_audit_results", *rows).aggregate("claim_audit_results")
    causes = [problem.cause for row in read for problem in RULE.check(row)]
    assert [causes.index(each) for each in causes] == [0, 0, 2, 3]


def test_a_word_outside_the_vocabulary_cannot_steer_the_terminal() -> None:
    ((_, message),) = found(row_with("\x1b[2J" + "x" * 500, "completed", None))
    assert message.isprintable()
    assert len(message) < 300


def test_it_reports_the_conformance_cases_that_it_must_and_no_others() -> None:
    wrong: list[tuple[str, list[Pointer]]] = []
    cases = conformance("passports.json.gz")
    for case in cases["cases"]:
        rows = read_passport_text(json.dumps(case["passport"]), "p.json").rows.get("claim_audit_results", ())
        places = [problem.place for row in rows for problem in RULE.check(row)]
        if bool(places) != ("matrix" in case["expected"]) and not (places and "matrix" in case["may"]):
            wrong.append((case["id"], places))
    assert wrong == []


def test_no_hostile_passport_crashes_it() -> None:
    for passport in conformance("passports.json.gz")["hostile"]:
        rows = read_passport_text(json.dumps(passport), "p.json").rows.get("claim_audit_results", ())
        assert [problem for row in rows for problem in RULE.check(row) if not problem.message] == []
