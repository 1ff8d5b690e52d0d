"""The row schemas, and the two validators that have to agree on them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from claimlint import schemas
from claimlint.documents.passport import PASSPORT_KEYS
from claimlint.errors import ClaimlintError, UsageError
from claimlint.schemas import NAMES, SchemaFault, faults, is_valid, load, text, valid_rows
from tests.rules_structural.samples import ROW_TYPES, Json, good, without

FOLDER = Path(__file__).resolve().parent.parent / "schemas"
LENIENT = {"literature_corpus_entry", "experiment_intake_declaration"}
STOCK = {
    name: Draft202012Validator(
        json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")),
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )
    for name in ROW_TYPES
}


def nodes(node: Json, place: str = "") -> Iterator[tuple[str, Json]]:
    """Every part of a schema that describes a value, with its place."""
    yield place, node
    for key, child in node.get("properties", {}).items():
        yield from nodes(child, f"{place}/{key}")
    if "items" in node:
        yield from nodes(node["items"], f"{place}/*")


def messages(name: str, row: object) -> list[str]:
    return [fault.message for fault in faults(name, row)]


def verdicts(name: str, row: object) -> tuple[bool, bool, bool]:
    """What each way of asking says: the fast validator, the stock one, and the search for faults."""
    return is_valid(name, row), STOCK[name].is_valid(row), not faults(name, row)


# The files


def test_every_passport_key_has_a_schema_and_every_schema_a_passport_key() -> None:
    assert sorted(NAMES) == sorted(PASSPORT_KEYS)
    assert sorted(f"{name}.json" for name in NAMES.values()) == sorted(file.name for file in FOLDER.iterdir())


@pytest.mark.parametrize("name", ROW_TYPES)
def test_a_schema_is_valid_itself_and_has_a_title(name: str) -> None:
    schema = load(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]


@pytest.mark.parametrize("name", ROW_TYPES)
def test_every_key_has_a_description(name: str) -> None:
    schema = load(name)
    forms = [(f"$defs/{key}", form) for key, form in schema.get("$defs", {}).items()]
    assert [place for place, node in [*nodes(schema), *forms] if not node.get("description")] == []


@pytest.mark.parametrize("name", ROW_TYPES)
def test_objects_refuse_unknown_keys_except_where_the_contract_is_lenient(name: str) -> None:
    objects = [node for _, node in nodes(load(name)) if node.get("type") == "object"]
    assert {node.get("additionalProperties", True) for node in objects} == {name in LENIENT}


@pytest.mark.parametrize("name", ROW_TYPES)
def test_patterns_are_anchored_know_ascii_digits_only_and_hold_one_line(name: str) -> None:
    forms = [form for form in load(name).get("$defs", {}).values() if "pattern" in form]
    assert [form for form in forms if not re.fullmatch(r"\^.*\$", form["pattern"])] == []
    assert [form for form in forms if re.search(r"\\[dwsb]", form["pattern"], re.IGNORECASE)] == []
    assert [form for form in forms if form["not"] != {"type": "string", "pattern": "\\n"}] == []
    assert "pattern" not in {key for _, node in nodes(load(name)) for key in node}


@pytest.mark.parametrize("name", ROW_TYPES)
def test_every_date_time_is_checked_by_its_format(name: str) -> None:
    found = re.findall(r'"(\w+_at)": \{[^}]*"\$ref": "#/\$defs/(\w+)"', text(name))
    declared = [key for key in load(name)["properties"] if key.endswith("_at") and name not in LENIENT]
    assert found == [(key, "date_time") for key in declared]


def test_a_schema_is_found_beside_the_checkout_and_as_it_was_written() -> None:
    assert text("claim_drift") == (FOLDER / "claim_drift.json").read_text(encoding="utf-8")


def test_an_unknown_schema_name_is_a_usage_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        load("claim_drifts")
    assert str(raised.value) == 'no schema is called "claim_drifts"; did you mean claim_drift?'
    with pytest.raises(
        UsageError, match=r'no schema is called "\.\./x"; the schemas are audit_sampling_summary, '
    ):
        load("../x")


def test_a_schema_that_is_not_installed_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(schemas, "_FOLDERS", (tmp_path,))
    with pytest.raises(ClaimlintError, match="not part of this installation"):
        text.__wrapped__("claim_drift")
    (tmp_path / "claim_drift.json").mkdir()
    with pytest.raises(ClaimlintError, match="cannot be read"):
        text.__wrapped__("claim_drift")


# Rows


@pytest.mark.parametrize("name", ROW_TYPES)
def test_a_full_row_fits(name: str) -> None:
    assert verdicts(name, good(name)) == (True, True, True)


@pytest.mark.parametrize("name", ROW_TYPES)
def test_a_row_of_required_keys_alone_fits_and_lacks_none(name: str) -> None:
    required = load(name)["required"]
    least = {key: value for key, value in good(name).items() if key in required}
    assert verdicts(name, least) == (True, True, True)
    for key in required:
        assert verdicts(name, without(least, key)) == (False, False, False)


IDS = [
    ("claim_audit_result", "claim_id", "C-001"),
    ("claim_audit_result", "scoped_manifest_id", "M-0000-00-00T00:00:00Z-0000"),
    ("claim_audit_result", "scoped_manifest_id", "M-2026-99-99T99:99:99Z-0f3c"),
    ("claim_audit_result", "violated_constraint_id", "NC-C001-1"),
    ("claim_audit_result", "violated_constraint_id", "MNC-12"),
    ("claim_audit_result", "audit_run_id", "2026-10-07T11:00:00Z-beef"),
    ("claim_drift", "finding_id", "CD-0001"),
    ("constraint_violation", "finding_id", "CV-001"),
    ("uncited_assertion", "finding_id", "UA-001"),
    ("uncited_audit_failure", "finding_id", "UAF-001"),
    ("experiment_alignment_result", "finding_id", "EA-001"),
    ("experiment_provenance", "experiment_id", "9.a_B-c"),
]


@pytest.mark.parametrize(("name", "key", "value"), IDS)
def test_an_id_of_the_right_form_fits_and_nothing_may_stand_around_it(name: str, key: str, value: str) -> None:
    assert verdicts(name, good(name, **{key: value})) == (True, True, True)
    digit = max(re.findall("[0-9]", value))
    bad = [
        value + "\n",
        "\n" + value,
        " " + value,
        value + " ",
        value + "\r",
        value + "\u2028",
        value.swapcase() + "!",
    ]
    bad += [value.replace(digit, "٣"), value.replace(digit, "３"), "", "x" + value + "\nx"]
    assert [each for each in bad if verdicts(name, good(name, **{key: each})) != (False, False, False)] == []


@pytest.mark.parametrize(
    "value",
    ["C-01", "C-1", "c-001", "C001", "C--001", "C-001a", "C-"],
)
def test_a_claim_id_has_three_or_more_digits(value: str) -> None:
    assert verdicts("claim_audit_result", good("claim_audit_result", claim_id=value)) == (False, False, False)


@pytest.mark.parametrize("value", ["NC-C-001-1", "NC-C01-1", "NC-C001", "MNC-", "MNC-1-1", "NC-C001-1 or MNC-1"])
def test_a_constraint_id_has_one_of_two_forms(value: str) -> None:
    row = good("claim_audit_result", violated_constraint_id=value)
    assert verdicts("claim_audit_result", row) == (False, False, False)


def test_an_id_of_any_length_is_read_in_full() -> None:
    digits = "1" * 2_000_000
    assert is_valid("claim_audit_result", good("claim_audit_result", claim_id=f"C-{digits}"))
    assert not is_valid("claim_audit_result", good("claim_audit_result", claim_id=f"C-{digits}x"))


TIMES = {
    "2026-10-07T11:00:05Z": True,
    "2026-10-07t11:00:05z": True,
    "2026-10-07T11:00:05.123456789012Z": True,
    "2026-10-07T11:00:05+23:59": True,
    "2026-10-07T11:00:05-00:00": True,
    "2024-02-29T00:00:00Z": True,
    "0001-01-01T00:00:00Z": True,
    "9999-12-31T23:59:59-23:59": True,
    "2026-02-29T00:00:00Z": False,
    "1900-02-29T00:00:00Z": False,
    "2026-02-30T11:00:05Z": False,
    "2026-04-31T11:00:05Z": False,
    "2026-13-01T11:00:05Z": False,
    "2026-10-00T11:00:05Z": False,
    "2026-10-07T24:00:00Z": False,
    "2026-10-07T11:60:00Z": False,
    "2016-12-31T23:59:60Z": False,
    "2026-10-07T11:00:60Z": False,
    "2026-10-07T11:00:05": False,
    "2026-10-07T11:00Z": False,
    "2026-10-07 11:00:05Z": False,
    "2026-10-07T11:00:05.Z": False,
    "2026-10-07T11:00:05,5Z": False,
    "2026-10-07T11:00:05+0200": False,
    "2026-10-07T11:00:05+24:00": False,
    "2026-10-07T11:00:05+02:60": False,
    "0000-01-01T00:00:00Z": False,
    "10000-01-01T00:00:00Z": False,
    "2026-10-07": False,
    "yesterday": False,
    "": False,
    "2026-10-07T11:00:05Z\n": False,
    " 2026-10-07T11:00:05Z": False,
    "٢٠٢٦-10-07T11:00:05Z": False,
}


@pytest.mark.parametrize(("value", "fits"), TIMES.items(), ids=repr)
def test_a_time_is_an_rfc_3339_date_time_that_exists(value: str, fits: bool) -> None:
    row = good("claim_drift", detected_at=value)
    assert verdicts("claim_drift", row) == (fits, fits, fits)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (0, True),
        (2.0, True),
        (10**30, True),
        (2**64, True),
        (-0.0, True),
        (-1, False),
        (2.5, False),
        (True, False),
        ("2", False),
        (None, False),
        (float("nan"), False),
        (-(10**30), False),
    ],
    ids=repr,
)
def test_a_count_is_a_whole_number_of_zero_or_more(value: object, fits: bool) -> None:
    row = good("audit_sampling_summary", audited_count=value)
    assert verdicts("audit_sampling_summary", row) == (fits, fits, fits)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("x" * 2000, True),
        ("x" * 2001, False),
        ("😀" * 2000, True),
        ("😀" * 2001, False),
        ("e\u0301" * 1000, True),
        ("", False),
    ],
    ids=["2000", "2001", "2000 emoji", "2001 emoji", "1000 accents", "empty"],
)
def test_the_length_of_a_text_is_counted_in_characters(value: str, fits: bool) -> None:
    assert verdicts("claim_drift", good("claim_drift", claim_text=value)) == (fits, fits, fits)


def test_planned_experiments_are_unique_and_not_none() -> None:
    for ids, fits in (([], False), (["a"], True), (["a", "b"], True), (["a", "b", "a"], False), (["a", 1], False)):
        row = good("claim_intent_manifest")
        row["claims"][0]["planned_experiment_ids"] = ids
        assert verdicts("claim_intent_manifest", row) == (fits, fits, fits)


@pytest.mark.parametrize(
    "value", [None, True, 0, "", "text", [], {}, [1, {"a": None}], {"b": [1]}, float("nan")], ids=repr
)
def test_a_measured_value_may_be_anything(value: object) -> None:
    row = good("experiment_provenance")
    row["planned_vs_executed"][0]["value"] = value
    assert verdicts("experiment_provenance", row) == (True, True, True)


@pytest.mark.parametrize(
    "changes",
    [
        {"citation_key": "2401.01234"},
        {"citation_key": "Müller 2024"},
        {"authors": []},
        {"authors": "Okafor, N. and Lind, P."},
        {"year": "n.d."},
        {"year": None},
        {"source_pointer": None},
        {"source_pointer": "papers/okafor 2024.pdf"},
        {"obtained_via": {"tool": "zotero"}, "": 1},
        {"abstract": None, "venue": ["a"], "doi": 10},
    ],
    ids=repr,
)
def test_a_corpus_row_may_hold_what_real_ones_hold(changes: Json) -> None:
    row = good("literature_corpus_entry", **changes)
    assert verdicts("literature_corpus_entry", row) == (True, True, True)


@pytest.mark.parametrize("changes", [{"citation_key": ""}, {"citation_key": 7}, {"title": None}], ids=repr)
def test_a_corpus_row_has_a_key_and_a_title(changes: Json) -> None:
    row = good("literature_corpus_entry", **changes)
    assert verdicts("literature_corpus_entry", row) == (False, False, False)


def test_a_list_of_rows_fits_when_each_row_does() -> None:
    fit = good("claim_drift")
    assert valid_rows("claim_drift", [])
    assert valid_rows("claim_drift", [fit, fit])
    assert not valid_rows("claim_drift", [fit, without(fit, "finding_id")])
    assert valid_rows("claim_drift", [fit, good("claim_drift", claim_text="half \ud800")])
    assert not valid_rows("claim_drift", [good("claim_drift", claim_text="half \ud800"), {}])


# Messages


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (
            "claim_drift",
            {"finding_id": "CD-1"},
            'finding_id is "CD-1", but must be a finding id (CD- and three or more digits, such as CD-001)',
        ),
        (
            "claim_drift",
            {"finding_id": 5},
            "finding_id is 5, but must be a finding id (CD- and three or more digits, such as CD-001)",
        ),
        (
            "claim_drift",
            {"finding_id": "CD-001\n"},
            'finding_id is "CD-001\\n", but must be a finding id (CD- and three or more digits, such as CD-001)',
        ),
        (
            "claim_drift",
            {"drift_kind": "emitted-not-intended"},
            'drift_kind is "emitted-not-intended", but must be "EMITTED_NOT_INTENDED" or "INTENDED_NOT_EMITTED"; '
            'did you mean "EMITTED_NOT_INTENDED"?',
        ),
        (
            "claim_drift",
            {"drift_kind": True},
            'drift_kind is true, but must be "EMITTED_NOT_INTENDED" or "INTENDED_NOT_EMITTED"',
        ),
        ("claim_drift", {"claim_text": ""}, "claim_text is empty, but must be a string of 1 to 2000 characters"),
        ("claim_drift", {"claim_text": "é" * 2001}, "claim_text has 2001 characters, but may have at most 2000"),
        (
            "claim_drift",
            {"claim_text": ["a", "b"]},
            "claim_text is an array of 2 items, but must be a string of 1 to 2000 characters",
        ),
        (
            "claim_drift",
            {"section_path": ""},
            "section_path is empty, but must be a string that is not empty or null, or be left out",
        ),
        ("claim_drift", {"rule_version": "D4-b-v1"}, 'rule_version is "D4-b-v1", but must be "D4-a-v1"'),
        (
            "claim_drift",
            {"detected_at": "2026-02-30T11:01:00Z"},
            'detected_at is "2026-02-30T11:01:00Z", but must be an RFC 3339 date and time with its offset, '
            "such as 2026-10-07T11:00:05Z (a day that exists, no leap second)",
        ),
        ("claim_intent_manifest", {"manifest_version": 1.0}, 'manifest_version is 1.0, but must be "1.0"'),
        (
            "claim_intent_manifest",
            {"session_id": None},
            "session_id is null, but must be a string, or be left out",
        ),
        ("claim_intent_manifest", {"claims": {}}, "claims is an object, but must be an array of 1 or more items"),
        ("claim_intent_manifest", {"claims": []}, "claims is empty, but must be an array of 1 or more items"),
        (
            "claim_audit_result",
            {"sub_claim_breakdown": [{"sub_claim_text": "a", "sub_verdict": "SUPPORTED"}]},
            "sub_claim_breakdown has 1 item, but must be an array of 2 or more items",
        ),
        (
            "claim_audit_result",
            {"upstream_dispute": "x" * 1001},
            "upstream_dispute has 1001 characters, but may have at most 1000",
        ),
        (
            "claim_audit_result",
            {"upstream_dispute": 1},
            "upstream_dispute is 1, but must be a string of at most 1000 characters or null",
        ),
        (
            "audit_sampling_summary",
            {"audited_count": -1},
            "audited_count is -1, but must be a whole number of 0 or more",
        ),
        (
            "audit_sampling_summary",
            {"max_claims_per_paper": 0},
            "max_claims_per_paper is 0, but must be a whole number of 1 or more",
        ),
        (
            "audit_sampling_summary",
            {"audited_count": -(10**4000)},
            "audited_count is a number of nineteen or more digits, but must be a whole number of 0 or more",
        ),
        (
            "audit_sampling_summary",
            {"audited_indices": [0, "1"]},
            'audited_indices[1] is "1", but must be a whole number of 0 or more',
        ),
        (
            "literature_corpus_entry",
            {"year": []},
            "year is an empty array, but must be a number, a string or null",
        ),
        ("experiment_provenance", {"repro_lock": []}, "repro_lock is an empty array, but must be an object"),
    ],
)
def test_a_message_names_the_key_the_value_and_what_is_allowed(name: str, changes: Json, message: str) -> None:
    assert messages(name, good(name, **changes)) == [message]


def test_a_nested_fault_is_named_by_its_path() -> None:
    row = good("claim_intent_manifest")
    row["claims"][0]["negative_constraints"][0]["constraint_id"] = "MNC-1"
    row["claims"][0]["planned_experiment_ids"] = ["a", "b", "a"]
    del row["manifest_negative_constraints"][0]["rule"]
    assert faults("claim_intent_manifest", row) == (
        SchemaFault(
            ("claims", 0, "negative_constraints", 0, "constraint_id"),
            'claims[0].negative_constraints[0].constraint_id is "MNC-1", but must be the id of a claim\'s '
            "constraint (NC-C, the digits of the claim, a hyphen and a number, such as NC-C001-1)",
            "claims/*/negative_constraints/*/constraint_id: pattern",
        ),
        SchemaFault(
            ("claims", 0, "planned_experiment_ids"),
            'claims[0].planned_experiment_ids holds "a" more than once, but must name each only once',
            "claims/*/planned_experiment_ids: uniqueItems",
        ),
        SchemaFault(
            ("manifest_negative_constraints", 0),
            "rule is missing in manifest_negative_constraints[0]; it must be a string of 1 to 500 characters",
            "manifest_negative_constraints/*: rule missing",
        ),
    )


def test_a_missing_key_stands_at_the_row_and_an_unknown_one_at_the_key() -> None:
    row = without(good("claim_drift", zebra=1), "finding_id")
    assert faults("claim_drift", row) == (
        SchemaFault(
            (),
            "finding_id is missing; it must be a finding id (CD- and three or more digits, such as CD-001)",
            "row: finding_id missing",
        ),
        SchemaFault(
            ("zebra",),
            'unknown key "zebra"; the keys are finding_id, drift_kind, claim_text, detected_at, rule_version, '
            "manifest_claim_id, scoped_manifest_id, section_path and upstream_owner_agent",
            'row: unknown key "zebra"',
            key=True,
        ),
    )


def test_a_misspelt_key_is_one_fault_and_names_the_key_meant() -> None:
    row = without(good("claim_drift", **{"claim-txt": "x"}), "claim_text")
    assert messages("claim_drift", row) == ['unknown key "claim-txt"; did you mean claim_text, which is missing?']
    row = without(good("claim_drift", SectionPath="x"), "section_path")
    assert messages("claim_drift", row) == ['unknown key "SectionPath"; did you mean section_path?']
    assert messages("claim_audit_result", good("claim_audit_result", claim_texts="x")) == [
        'unknown key "claim_texts"; `claimlint schema claim_audit_result` lists the keys'
    ]


def test_two_misspelt_keys_do_not_share_one_missing_key() -> None:
    row = without(good("claim_drift", claim_txt="x", claim_texts="y"), "claim_text")
    hints = [message.partition(";")[2] for message in messages("claim_drift", row)]
    assert [hint == " did you mean claim_text, which is missing?" for hint in hints] == [False, True]


def test_a_wrong_item_of_a_list_hides_that_the_list_repeats_it() -> None:
    row = good("claim_intent_manifest")
    row["claims"][0]["planned_experiment_ids"] = [1, 1]
    assert [fault.tokens[-1] for fault in faults("claim_intent_manifest", row)] == [0, 1]


def test_the_rule_of_a_fault_holds_no_value_of_the_row() -> None:
    found = {
        faults("audit_sampling_summary", good("audit_sampling_summary", audited_indices=indices))[0].rule
        for indices in ([0, "1"], ["x"], [3, 4, None])
    }
    assert found == {"audited_indices/*: type"}


def test_control_characters_and_long_values_do_not_reach_a_message() -> None:
    shown = messages(
        "claim_drift", good("claim_drift", finding_id="\x1b[31m\x9b\u202e\ud800\U000e0001" + "x" * 500)
    )
    assert shown == [
        'finding_id is "\\u001b[31m\\u009b\\u202e\\ud800\\U000e0001' + "x" * 50 + '…", '
        "but must be a finding id (CD- and three or more digits, such as CD-001)"
    ]
    (shown_key,) = messages("claim_drift", good("claim_drift", **{"\x1b]0;" + "k" * 500: 1}))
    assert shown_key.startswith('unknown key "\\u001b]0;kkkk')
    assert len(shown_key) < 300


def test_a_row_that_is_no_object_is_one_fault() -> None:
    assert [messages("claim_drift", row) for row in ("x", None, [], 1.5)] == [
        ['the row is "x", but must be an object'],
        ["the row is null, but must be an object"],
        ["the row is an empty array, but must be an object"],
        ["the row is 1.5, but must be an object"],
    ]


# Values that JSON or the validator does not know


def nested(levels: int) -> object:
    value: object = "bottom"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


HOSTILE = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "huge": 10**6000,
    "surrogate": "\ud800",
    "deep": nested(900),
    "deeper": nested(50_000),
    "bytes": b"x",
    "tuple": (1, 2),
    "set": {1},
    "odd keys": {1: 2, None: 3, "\udfff": 4, (): 5},
    "nul": "\0",
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "name", ["claim_drift", "claim_intent_manifest", "experiment_provenance", "literature_corpus_entry"]
)
def test_no_value_raises_wherever_it_stands(name: str, value: Any) -> None:
    assert is_valid(name, value) is (faults(name, value) == ())
    assert not valid_rows(name, [value])
    for key in good(name):
        row = good(name, **{key: value})
        assert is_valid(name, row) is (faults(name, row) == ())
        assert valid_rows(name, [row]) is is_valid(name, row)
    row = good(name, unknown=value)
    assert is_valid(name, row) is (name in LENIENT)


def test_keys_that_json_does_not_have_are_unknown_keys() -> None:
    found = faults("claim_drift", {**good("claim_drift"), 1: "x", None: "y", "\ud800": "z"})
    assert [(fault.tokens, fault.message.partition(";")[0]) for fault in found] == [
        ((None,), "unknown key null"),
        (("\ud800",), 'unknown key "\\ud800"'),
        ((1,), "unknown key 1"),
    ]


def test_a_value_that_cannot_be_read_changes_no_other_fault() -> None:
    plain = good("claim_intent_manifest", emitted_by="me", manifest_id=5, extra=1)
    odd = good(
        "claim_intent_manifest", emitted_by="me", manifest_id=5, extra=[nested(5000), "\ud800", float("nan")]
    )
    assert messages("claim_intent_manifest", odd) == messages("claim_intent_manifest", plain)


def test_the_number_of_unknown_keys_costs_linear_time_and_none_is_lost() -> None:
    row = {**good("claim_audit_result"), **{f"claim_text_{number}": number for number in range(5000)}}
    assert len(faults("claim_audit_result", row)) == 5000


# Two validators, one verdict


def places(value: object) -> Iterator[tuple[str | int, ...]]:
    yield ()
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in members:
        yield from ((key, *rest) for rest in places(item))


def put(row: Json, place: tuple[str | int, ...], change: Any) -> object:
    """The row with the value at a place replaced by what ``change`` makes of it; Ellipsis deletes it."""
    if not place:
        return change(row)
    inner: Any = row
    for token in place[:-1]:
        inner = inner[token]
    made = change(inner[place[-1]])
    if made is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = made
    return row


ODD_TEXTS = st.one_of(
    st.text(max_size=4),
    st.sampled_from(
        [*TIMES, *(value for _, _, value in IDS), "SUPPORTED", "supported", "1.0", "null", "\x00", "😀" * 501]
    ),
    st.integers(0, 3000).map(lambda count: "é" * count),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**25, -(10**25), 2**63, 2**64, 1.0, 0.0, -0.0, 3.5, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
    ODD_TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def _twisted(value: object, text: str) -> object:
    """A value near the old one: a string with something at its end, a number as a float, a list twice as long."""
    if isinstance(value, str):
        return value + text
    if isinstance(value, bool) or value is None:
        return text
    if isinstance(value, int):
        return float(value)
    if isinstance(value, list):
        return value + value
    return {**value, text: 1} if isinstance(value, dict) else text


CHANGES = st.one_of(
    VALUES.map(lambda value: lambda _: value),
    st.just(lambda _: ...),
    st.sampled_from(["\n", "\r\n", " ", "٣", "Z", "0", "\u2028", ""]).map(
        lambda text: lambda value: _twisted(value, text)
    ),
)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_both_validators_give_one_verdict_on_rows_with_any_change(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(ROW_TYPES))
    row: Any = good(name)
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from(sorted(set(places(row)) - {()}, key=repr)))
        row = put(row, place, data.draw(CHANGES))
        if not row:
            break
    fast, stock, search = verdicts(name, row)
    assert (fast, search) == (stock, stock)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ROW_TYPES), VALUES)
def test_faults_stand_at_places_of_the_row_in_order_one_at_a_place(name: str, value: object) -> None:
    row = good(name)
    row[sorted(row)[len(repr(value)) % len(row)]] = value
    found = faults(name, row)
    known = set(places(row))
    assert [fault for fault in found if fault.tokens not in known] == []
    assert len({(fault.tokens, fault.rule) for fault in found}) == len(found)
    assert faults(name, json.loads(json.dumps(row))) == found


def test_a_valid_row_imports_no_second_validator() -> None:
    program = (
        "import sys; from claimlint import schemas; "
        "schemas.is_valid('claim_drift', {}); schemas.faults('claim_drift', {}); "
        "print('jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
