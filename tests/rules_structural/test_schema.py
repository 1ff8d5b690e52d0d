"""SCHEMA-1: every row has the shape of its row type."""

from __future__ import annotations

import json
from typing import Any

import pytest

from claimlint.documents.passport import AGGREGATES, Passport, join
from claimlint.documents.reader import read_passport_text
from claimlint.engine import concrete
from claimlint.findings import Finding, Pointer, Severity
from claimlint.registry import PAGE_SECTIONS
from claimlint.schemas import NAMES
from claimlint_rules import schema
from tests.conformance.cases import conformance
from tests.rules_structural.samples import Json, good, only_rule, passport_of, without

RULE = only_rule(schema)


def read(top: object, path: str = "passport.json") -> Passport:
    return join([read_passport_text(json.dumps(top, indent=1), path)])


def findings(passport: Passport) -> list[Finding]:
    return [concrete(RULE, problem) for problem in RULE.check(passport)]


def lines(passport: Passport) -> list[str]:
    return [f"{found.range.line}:{found.range.column} {found.message}" for found in findings(passport)]


def snippet(section: str) -> Any:
    """The JSON of a section of the rule's page."""
    body = RULE.page.partition(f"\n{section}\n")[2]
    return json.loads(body.split("\n\n")[0])


def test_it_is_an_error_that_runs_by_default() -> None:
    assert (RULE.code, RULE.name, RULE.severity, RULE.default) == ("SCHEMA-1", "schema", Severity.ERROR, True)


def test_its_page_has_every_section_and_its_examples_are_true() -> None:
    assert [name for name in PAGE_SECTIONS if f"\n{name}\n" not in RULE.page] == []
    assert [found.message.partition(",")[0] for found in findings(read(snippet("Bad")))] == [
        'unknown key "claim_txt"; did you mean claim_text',
        'detected_at is "2026-02-30T11:01:00Z"',
        'finding_id is "CD-1"',
    ]
    assert lines(read(snippet("Good"))) == []


def test_a_passport_of_good_rows_is_clean() -> None:
    assert lines(read({aggregate: [good(NAMES[aggregate])] * 2 for aggregate in AGGREGATES})) == []
    assert lines(read({aggregate: [] for aggregate in AGGREGATES})) == []
    assert lines(read({})) == []


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_a_bad_row_is_found_in_every_aggregate(aggregate: str) -> None:
    name = NAMES[aggregate]
    first = next(iter(good(name)))
    found = list(RULE.check(passport_of(aggregate, good(name), without(good(name), first))))
    assert [problem.place for problem in found] == [Pointer((aggregate, 1))]


def test_a_finding_stands_at_the_value_or_the_key() -> None:
    rows = [
        good("claim_drift"),
        without(good("claim_drift", finding_id="x", claim_txt="y"), "claim_text", "detected_at"),
    ]
    text = json.dumps({"claim_drifts": rows}, indent=1)
    passport = join([read_passport_text(text, "passport.json")])
    found = findings(passport)
    assert [each.pointer for each in found] == [
        "/claim_drifts/1",
        "/claim_drifts/1/claim_txt",
        "/claim_drifts/1/finding_id",
    ]
    shown = text.split("\n")
    assert [shown[each.range.line - 1][each.range.column - 1 :] for each in found] == [
        "{",
        '"claim_txt": "y"',
        '"x",',
    ]


def test_an_aggregate_that_is_no_array_says_what_to_write() -> None:
    top = {"claim_drifts": good("claim_drift"), "uncited_assertions": None, "constraint_violations": "x"}
    assert lines(read(top)) == [
        "2:18 claim_drifts is an object, but must be an array of rows; put the row between [ and ]",
        "13:24 uncited_assertions is null, but must be an array of rows; write [] when there are none",
        "14:27 constraint_violations is a string, but must be an array of rows; write [] when there are none",
    ]


def test_a_row_that_is_no_object_is_named_by_its_index() -> None:
    row = good("literature_corpus_entry")
    found = findings(read({"literature_corpus": [row, "x", [], 1, None, True]}))
    assert [(each.pointer, each.message) for each in found] == [
        ("/literature_corpus/1", "literature_corpus[1] is a string, but every row must be an object"),
        ("/literature_corpus/2", "literature_corpus[2] is an array, but every row must be an object"),
        ("/literature_corpus/3", "literature_corpus[3] is a number, but every row must be an object"),
        ("/literature_corpus/4", "literature_corpus[4] is null, but every row must be an object"),
        ("/literature_corpus/5", "literature_corpus[5] is a boolean, but every row must be an object"),
    ]


@pytest.mark.parametrize("declaration", [None, [], "x", {}, {"status": 5}])
def test_a_bad_intake_declaration_is_left_to_its_own_rule(declaration: object) -> None:
    assert lines(read({"experiment_intake_declaration": declaration})) == []


def causes(*rows: Json) -> list[str]:
    return [problem.cause for problem in RULE.check(passport_of("claim_drifts", *rows))]


def test_rows_with_one_fault_of_one_writer_have_one_cause() -> None:
    rows = [good("claim_drift", finding_id=f"CD-{number}") for number in range(20)]
    assert len(causes(*rows)) == 20
    assert len(set(causes(*rows))) == 1


def test_another_key_another_part_of_the_schema_and_another_writer_are_other_causes() -> None:
    rows = [
        good("claim_drift", finding_id="CD-1"),
        good("claim_drift", finding_id=None),
        good("claim_drift", rule_version="v1"),
        good("claim_drift", a=1),
        good("claim_drift", b=1),
        without(good("claim_drift"), "claim_text"),
        without(good("claim_drift"), "detected_at"),
        good("claim_drift", finding_id="CD-1", upstream_owner_agent="synthesis_agent"),
        good("claim_drift", finding_id="CD-1", upstream_owner_agent=None),
    ]
    assert len(set(causes(*rows))) == len(rows)


def test_the_same_fault_in_two_aggregates_has_two_causes() -> None:
    top = {
        "claim_drifts": [good("claim_drift", claim_text="")],
        "constraint_violations": [good("constraint_violation", claim_text="")],
        "uncited_audit_failures": [1],
        "audit_sampling_summaries": [1],
    }
    assert len({found.cause for found in findings(read(top))}) == 4


def test_rows_of_several_files_are_found_in_their_file() -> None:
    bad = {"claim_drifts": [good("claim_drift", finding_id="x")]}
    files = [read_passport_text(json.dumps(top), path) for path, top in (("a.json", {}), ("b.json", bad))]
    assert [found.path for found in findings(join(files))] == ["b.json"]


def test_a_yaml_passport_is_held_to_the_same_schemas() -> None:
    text = (
        "audit_sampling_summaries:\n- {audit_run_id: 2026-10-07T11:00:00Z-beef, max_claims_per_paper: 9,\n"
        "   total_citation_count: 12, audited_count: 1, audited_indices: [0],\n"
        "   sampling_strategy: stratified_buckets_v1, emitted_at: 2026-10-07T11:00:00Z}\n"
        "claim_intent_manifests:\n- manifest_version: 1.0\n"
    )
    found = findings(join([read_passport_text(text, "passport.yaml")]))
    assert [(each.range.line, each.message) for each in found if "missing" not in each.message] == [
        (6, 'manifest_version is 1.0, but must be "1.0"')
    ]


def test_a_bare_manifest_is_checked_like_a_row() -> None:
    found = findings(read(without(good("claim_intent_manifest", emitted_by="me"), "emitted_at")))
    assert [(each.pointer, each.message.partition(",")[0]) for each in found] == [
        ("", "emitted_at is missing; it must be an RFC 3339 date and time with its offset"),
        ("/emitted_by", 'emitted_by is "me"'),
    ]


def test_every_conformance_case_breaks_its_schemas_exactly_when_it_is_said_to() -> None:
    wrong: list[tuple[str, list[str]]] = []
    for case in conformance("passports.json.gz")["cases"]:
        found = lines(read(case["passport"]))
        if bool(found) != ("schema" in case["expected"]) and not (found and "schema" in case["may"]):
            wrong.append((case["id"], found))
    assert wrong == []


def test_no_hostile_passport_crashes_it() -> None:
    hostile = conformance("passports.json.gz")["hostile"]
    assert len([lines(read(passport)) for passport in hostile]) == len(hostile)
