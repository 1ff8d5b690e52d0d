"""Reading passports: rows remember their file and place, and whatever is odd is noted, never raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from claimlint.documents.passport import PASSPORT_KEYS, PassportFile, join
from claimlint.documents.reader import near_miss, read_passport, read_passport_text
from claimlint.findings import Range
from tests.documents.json_texts import VALUES


def read(value: object, path: str = "p.json") -> PassportFile:
    return read_passport_text(json.dumps(value, indent=1), path)


def notes(file: PassportFile) -> list[tuple[str, int, int]]:
    """Kind, line and column of the notes of a file."""
    found = []
    for note in file.notes:
        where = note.source.locate(note.place)
        found.append((note.kind, where.line, where.column))
    return found


def test_rows_remember_file_and_pointer() -> None:
    file = read({"claim_drifts": [{"finding_id": "CD-001"}, {"finding_id": "CD-002"}]})
    row = file.rows["claim_drifts"][1]
    assert (row.source.path, str(row.pointer("finding_id"))) == ("p.json", "/claim_drifts/1/finding_id")
    assert row.source.locate(row.pointer("finding_id")) == Range(7, 18, 7, 26)
    assert (file.recognised, file.readable, file.notes) == (True, True, ())


def test_json_and_yaml_give_the_same_rows() -> None:
    value = {"claim_drifts": [{"finding_id": "CD-001", "when": "2026-09-01", "yes": True}], "other": 1.5}
    as_json = read(value)
    as_yaml = read_passport_text(yaml.safe_dump(value), "p.YML")
    assert [row.data for row in as_yaml.rows["claim_drifts"]] == [row.data for row in as_json.rows["claim_drifts"]]


def test_files_are_joined_in_order() -> None:
    files = (
        read({"claim_drifts": [{"n": 1}]}, "a.json"),
        read({}, "b.json"),
        read({"claim_drifts": [{"n": 2}]}, "c.json"),
    )
    rows = join(files).aggregate("claim_drifts")
    assert [(row.source.path, row.data["n"], str(row.pointer())) for row in rows] == [
        ("a.json", 1, "/claim_drifts/0"),
        ("c.json", 2, "/claim_drifts/0"),
    ]


@pytest.mark.parametrize(
    ("data", "kind", "line", "column"),
    [
        (b"", "unreadable", 1, 1),
        (b"{", "unreadable", 1, 2),
        (b"\xef\xbb\xbf{\r\n  \xff}", "unreadable", 2, 3),
        ('{"claim_drifts": []}'.encode("utf-16"), "unreadable", 1, 1),
        ('{\n"claim_drifts": ["é"]}'.encode("latin-1"), "unreadable", 2, 19),
        (b'{"claim_drifts"\n: [\0]}', "unreadable", 2, 4),
        (b'{"claim_drifts": [NaN]}', "not-json", 1, 19),
        (b'{"claim_drifts": [1e999]}', "not-json", 1, 19),
        (b'{"claim_drifts": [' + b"9" * 5000 + b"]}", "over-limit", 1, 19),
        (b"[" * 2000, "over-limit", 1, 2000),
        (b"[]", "not-an-object", 1, 1),
        (b'\r\n\r\n"x"', "not-an-object", 3, 1),
        (b"null", "not-an-object", 1, 1),
    ],
)
def test_what_cannot_be_read_is_noted_at_its_place_and_has_no_rows(
    data: bytes, kind: str, line: int, column: int
) -> None:
    file = read_passport(data, "p.json")
    assert notes(file) == [(kind, line, column)]
    assert (file.readable, file.recognised, dict(file.rows)) == (False, False, {})


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_and_crlf_move_nothing(mark: bytes, end: str) -> None:
    text = json.dumps({"claim_drifts": [{"finding_id": "é"}]}, indent=1, ensure_ascii=False).replace("\n", end)
    file = read_passport(mark + text.encode(), "p.json")
    row = file.rows["claim_drifts"][0]
    assert row.source.locate(row.pointer("finding_id")) == Range(4, 18, 4, 21)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("p.json", '{"claim_drifts": [],\n "x": {"a": 1, "a": 2},\n "claim_drifts": [{}]}'),
        ("p.yaml", "claim_drifts: []\nx: {a: 1, a: 2}\nclaim_drifts: [{}]\n"),
    ],
)
def test_a_duplicate_key_is_noted_with_both_lines_and_the_last_counts(path: str, text: str) -> None:
    file = read_passport_text(text, path)
    found = [(note.values["key"], note.values["first"], note.related[0].message) for note in file.notes]
    assert found == [("a", "2", "first written here"), ("claim_drifts", "1", "first written here")]
    assert [note.source.locate(note.place).line for note in file.notes] == [2, 3]
    assert [note.source.locate(note.related[0].place).line for note in file.notes] == [2, 1]
    assert len(file.rows["claim_drifts"]) == 1


def test_what_is_no_array_and_what_is_no_row_are_misfits() -> None:
    file = read(
        {"claim_drifts": {"a": 1}, "uncited_assertions": [{}, 1, None, [], "x"], "claim_audit_results": None}
    )
    assert [(each.name, each.tokens, each.value) for each in file.misfits] == [
        ("claim_drifts", ("claim_drifts",), {"a": 1}),
        ("uncited_assertions", ("uncited_assertions", 1), 1),
        ("uncited_assertions", ("uncited_assertions", 2), None),
        ("uncited_assertions", ("uncited_assertions", 3), []),
        ("uncited_assertions", ("uncited_assertions", 4), "x"),
        ("claim_audit_results", ("claim_audit_results",), None),
    ]
    assert {name: len(rows) for name, rows in file.rows.items()} == {"uncited_assertions": 1}
    assert file.recognised is True


@pytest.mark.parametrize("value", [None, {}, [], "x", {"status": "legacy_unknown"}])
def test_the_declaration_is_kept_whatever_it_is(value: object) -> None:
    member = read({"experiment_intake_declaration": value}).declaration
    assert member is not None
    assert (member.value, member.tokens) == (value, ("experiment_intake_declaration",))


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("claim_audit_result", "claim_audit_results"),
        ("claim-audit-results", "claim_audit_results"),
        ("Claim Audit Results", "claim_audit_results"),
        ("claimAuditResults", "claim_audit_results"),
        (" claim_audit_results ", "claim_audit_results"),
        ("claim_drift", "claim_drifts"),
        ("claims_drifts", "claim_drifts"),
        ("uncited_assertion", "uncited_assertions"),
        ("uncited_asertions", "uncited_assertions"),
        ("claim_intent_manifest", "claim_intent_manifests"),
        ("experiment_intake_declarations", "experiment_intake_declaration"),
        ("literature_corpora", "literature_corpus"),
        ("results", None),
        ("claims", None),
        ("drifts", None),
        ("audit", None),
        ("experiments", None),
        ("version", None),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_a_key_that_nearly_is_an_aggregates_name_is_told_from_others(key: str, meant: str | None) -> None:
    assert near_miss(key) == meant


@pytest.mark.parametrize("name", PASSPORT_KEYS)
def test_every_key_of_a_passport_is_its_own_nearest(name: str) -> None:
    assert (near_miss(name[:-1]), near_miss(name + "s"), near_miss(name.upper())) == (name, name, name)


def test_a_near_miss_is_noted_at_the_key() -> None:
    file = read({"claim_drifts": [], "uncited_assertion": []})
    assert notes(file) == [("near-miss-key", 3, 2)]
    assert dict(file.notes[0].values) == {"key": "uncited_assertion", "meant": "uncited_assertions"}


def test_a_near_miss_is_noted_behind_any_number_of_other_keys() -> None:
    others = {f"claim_{number}": 1 for number in range(3000)}
    file = read_passport_text(json.dumps({**others, "Claim-Drift": [], "claim_audit_results": []}), "p.json")
    assert [note.values["meant"] for note in file.notes] == ["claim_drifts"]


def test_a_key_beside_the_one_it_resembles_is_no_near_miss() -> None:
    assert read({"claim_drifts": [], "claim_drift": []}).notes == ()


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        ({}, ""),
        ({"b": 1, "a": 2}, "a, b"),
        ({"k" * 50: 1}, "k" * 29 + "…"),
        (dict.fromkeys("gfedcba"), "a, b, c, d, e"),
    ],
)
def test_a_file_in_which_nothing_is_known_says_what_it_holds(value: object, keys: str) -> None:
    file = read(value)
    assert [(note.kind, note.values["keys"]) for note in file.notes] == [("nothing-recognised", keys)]
    assert (file.recognised, file.readable) == (False, True)


def test_a_near_miss_alone_is_not_also_nothing() -> None:
    assert [note.kind for note in read({"claim_drift": []}).notes] == ["near-miss-key"]


def test_a_bare_manifest_is_a_row_at_the_top() -> None:
    file = read({"manifest_id": "M-1", "claims": [{"claim_id": "C-001"}]})
    row = file.rows["claim_intent_manifests"][0]
    assert (str(row.pointer("claims", 0)), file.recognised) == ("/claims/0", True)


def test_half_a_surrogate_pair_is_noted_at_its_value_or_key() -> None:
    text = '{"claim_drifts": [{"a": "\\ud83d", "b\\udc00": 1}], "z": "\\ud83d\\ude00"}'
    file = read_passport_text(text, "p.json")
    assert notes(file) == [("lone-surrogate", 1, 25), ("lone-surrogate", 1, 35)]


def test_only_the_first_broken_strings_are_noted_and_not_too_deep() -> None:
    deep = '{"claim_drifts": ' + "[" * 100 + ", ".join(['"\\ud800"'] * 1000) + "]" * 100 + "}"
    file = read_passport_text(deep, "p.json")
    assert len(file.notes) == 20
    assert all(str(note.place).count("/") == 8 for note in file.notes)


ROWS = st.dictionaries(st.sampled_from([*PASSPORT_KEYS, "claim_drift", "x"]), VALUES, max_size=4)


@given(ROWS)
@settings(max_examples=200, deadline=None)
def test_every_object_is_read_and_every_part_of_it_can_be_located(value: dict[str, Any]) -> None:
    file = read(value)
    assert file.readable is True
    held = sum(len(rows) for name, rows in file.rows.items() if name in value)
    arrays = [item for name, item in value.items() if name in PASSPORT_KEYS[:-1] and isinstance(item, list)]
    assert held == sum(isinstance(item, dict) for array in arrays for item in array)
    for name, rows in file.rows.items():
        for row in rows:
            where = row.source.locate(row.pointer())
            assert name not in value or value[name][row.tokens[1]] == row.data
            assert where.line >= 1


@given(st.binary(max_size=60), st.sampled_from(["p.json", "p.yaml"]))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_passport_file(data: bytes, path: str) -> None:
    file = read_passport(data, path)
    for note in file.notes:
        where = note.source.locate(note.place)
        assert (where.line, where.column) >= (1, 1)
    assert file.readable or file.notes
