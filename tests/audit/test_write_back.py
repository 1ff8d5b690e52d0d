"""Rows go into the passport whole or not at all, and everything else stays as it was (design, section 4)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimlint.atomic import write_text_atomic
from claimlint.audit import write_back as module
from claimlint.audit.companions import belongs_elsewhere
from claimlint.audit.splice import remove_member, set_member
from claimlint.audit.write_back import write_back
from claimlint.documents.json_text import parse_json
from claimlint.documents.yaml_text import parse_yaml
from claimlint.errors import WriteError

from .make import Scripted, audit, verdict, workspace

RESULTS, DRIFTS, UNCITED = "claim_audit_results", "claim_drifts", "uncited_assertions"
MARK = "<!--ref:src--><!--anchor:page:2-->"


def row(text: str = "It is so.", **more: object) -> dict[str, object]:
    return {
        "claim_text": text,
        "ref_slug": "src",
        "anchor_kind": "page",
        "anchor_value": "2",
        "defect_stage": "metadata",
        "violated_constraint_id": None,
        "audit_run_id": "r",
        **more,
    }


def fine(_texts: Mapping[Path, str]) -> Sequence[str]:
    return ()


def write(
    paths: Sequence[Path], rows: Mapping[str, Sequence[dict[str, object]]], **more: object
) -> module.WriteReport:
    return write_back(paths, rows, validate=fine, **more)  # type: ignore[arg-type]


def loads(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text("utf-8-sig"))
    return found


# --- what stays


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "claim_audit_results": [\n    {\n      "a": 1\n    }\n  ]\n}'),
        ('{"x":1}', '{"x":1,"claim_audit_results":[{"a":1}]}'),
        ('{"x": 1}\n', '{"x": 1, "claim_audit_results": [{"a": 1}]}\n'),
        (
            '{\n\t"x": 1e3,\n\t"y": "\\u00e9"\n}',
            '{\n\t"x": 1e3,\n\t"y": "\\u00e9",\n\t"claim_audit_results": [\n\t\t{\n\t\t\t"a": 1\n\t\t}\n\t]\n}',
        ),
        (
            '{\r\n    "claim_audit_results": [],\r\n    "x": 1\r\n}\r\n',
            '{\r\n    "claim_audit_results": [\r\n        {\r\n            "a": 1\r\n        }\r\n    ],'
            '\r\n    "x": 1\r\n}\r\n',
        ),
        (
            '{ "odd" :  [1,\n2] ,\n  "claim_audit_results":[{"old": 1}], "z": {} }',
            '{ "odd" :  [1,\n2] ,\n  "claim_audit_results":[{"a": 1}], "z": {} }',
        ),
    ],
)
def test_a_json_file_keeps_every_other_character(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "p.json"
    file.write_bytes(before.encode())
    write([file], {RESULTS: [{"a": 1}]})
    assert file.read_bytes().decode() == after


YAML = """# A passport
x: 1e3   # kept as written
claim_audit_results:
- a: 0
  b: |
    # no comment
    text
# about y
y:
- {k: v}
'z': "é"
"""


def test_a_yaml_file_keeps_every_other_line(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(YAML, "utf-8")
    write([file], {RESULTS: [{"a": 1, "b": "2026-10-03"}], DRIFTS: [{"c": None}]})
    assert file.read_text("utf-8") == (
        '# A passport\nx: 1e3   # kept as written\nclaim_audit_results:\n- a: 1\n  b: "2026-10-03"\n'
        "# about y\ny:\n- {k: v}\n'z': \"é\"\nclaim_drifts:\n- c: null\n"
    )


def test_yaml_sequences_are_indented_as_the_file_does(tmp_path: Path) -> None:
    file = tmp_path / "p.yml"
    file.write_text("---\nx:\n  - 1\n  - 2\n...\n", "utf-8")
    write([file], {RESULTS: [{"a": {"b": [1]}}]})
    assert file.read_text("utf-8") == (
        "---\nx:\n  - 1\n  - 2\nclaim_audit_results:\n  - a:\n      b:\n      - 1\n...\n"
    )


def test_yaml_with_crlf_keeps_it(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_bytes(b"x: 1\r\n")
    write([file], {RESULTS: []})
    assert file.read_bytes() == b"x: 1\r\nclaim_audit_results: []\r\n"


def test_json_in_a_yaml_file_stays_json(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text('{"x": 1}', "utf-8")
    write([file], {RESULTS: [{"a": 1}]})
    assert file.read_text("utf-8") == '{"x": 1, "claim_audit_results": [{"a": 1}]}'


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_bytes(b'\xef\xbb\xbf{"x": 1}')
    write([file], {RESULTS: []})
    assert file.read_bytes() == b'\xef\xbb\xbf{"x": 1, "claim_audit_results": []}'


def test_a_link_to_a_passport_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    link.symlink_to(real)
    write([link], {RESULTS: []})
    assert link.is_symlink()
    assert loads(real) == {RESULTS: []}


def test_writing_the_same_rows_again_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text('{"x": 1}')
    write([file], {RESULTS: [row()]})
    before = (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino)
    report = write([file], {RESULTS: [row()]})
    assert (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino) == before
    assert report.changed == ()


# --- which file


def test_all_six_aggregates_are_replaced_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    old = {name: [{"old": 1}] for name in module.OWNED}
    file.write_text(json.dumps({"keep": 1, **old, "literature_corpus": [1], "experiment_alignment_results": [2]}))
    write([file], {RESULTS: [row()]})
    assert loads(file) == {
        "keep": 1,
        **{name: [] for name in old},
        RESULTS: [row()],
        "literature_corpus": [1],
        "experiment_alignment_results": [2],
    }
    assert list(loads(file)) == ["keep", *old, "literature_corpus", "experiment_alignment_results"]


def test_empty_aggregates_are_not_added_but_the_results_are(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text("{}")
    write([file], dict.fromkeys(module.OWNED, ()))
    assert loads(file) == {RESULTS: []}


def test_of_several_files_the_one_with_audit_rows_gets_them_and_the_others_lose_theirs(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("a.json", "b.json", "c.yaml"))
    first.write_text('{"claim_intent_manifests": [], "claim_drifts": [{"old": 1}]}')
    second.write_text('{"claim_audit_results": []}')
    third.write_text("uncited_assertions:\n- old: 1\nkeep: 2\n")
    report = write([first, second, third], {RESULTS: [row()], DRIFTS: [{"new": 1}]})
    assert (report.path, report.changed) == (second, (first, second, third))
    assert loads(first) == {"claim_intent_manifests": []}
    assert loads(second) == {RESULTS: [row()], DRIFTS: [{"new": 1}]}
    assert third.read_text() == "keep: 2\n"


def test_without_audit_rows_the_first_file_gets_them(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text('{"x": 1}')
    second.write_text('{"y": 1}')
    assert write([first, second], {RESULTS: []}).path == first
    assert loads(second) == {"y": 1}


def test_a_file_that_is_one_bare_manifest_gets_none(tmp_path: Path) -> None:
    bare, other = tmp_path / "a.json", tmp_path / "b.json"
    bare.write_text('{"manifest_id": "M", "claims": []}')
    other.write_text("{}")
    assert write([bare, other], {RESULTS: []}).path == other
    with pytest.raises(WriteError, match="no passport"):
        write([bare], {RESULTS: []})


@pytest.mark.parametrize("name", ["new.json", "new.yaml"])
def test_a_passport_that_is_not_there_is_made(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    write([file], {RESULTS: [row()], DRIFTS: []})
    text = file.read_text("utf-8")
    found = parse_yaml(text) if name.endswith("yaml") else parse_json(text)
    assert found.value == {RESULTS: [row()]}


# --- disputes


def disputed(text: str = "It is so.", words: str = "but it is", **more: object) -> dict[str, object]:
    return row(text, upstream_dispute=words, **more)


def test_a_dispute_goes_over_to_the_same_claim_slug_and_anchor(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps({RESULTS: [disputed(), disputed("Other.", anchor_value="3")]}))
    report = write([file], {RESULTS: [row("Other."), row("It  is so.")]})
    found = loads(file)[RESULTS]
    assert found == [row("Other."), disputed("It  is so.")]
    assert (report.disputes, report.lost_disputes) == (1, ("but it is",))
    assert isinstance(found, list)
    assert list(found[1])[-2:] == ["upstream_dispute", "audit_run_id"]


@pytest.mark.parametrize("stage", [None, "not_applicable"])
def test_a_dispute_without_a_defect_is_reported_and_not_written(tmp_path: Path, stage: str | None) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps({RESULTS: [disputed()]}))
    report = write([file], {RESULTS: [row(defect_stage=stage)]})
    assert loads(file) == {RESULTS: [row(defect_stage=stage)]}
    assert report.lost_disputes == ("but it is",)


def test_equal_citations_take_their_disputes_in_order(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps({RESULTS: [disputed(words="one"), disputed(words="two")]}))
    write([file], {RESULTS: [row(), row(), row()]})
    found = loads(file)[RESULTS]
    assert isinstance(found, list)
    assert [each.get("upstream_dispute") for each in found] == ["one", "two", None]


@pytest.mark.parametrize("words", ["", None, 3, "x" * 1001])
def test_what_is_no_dispute_is_not_carried_over(tmp_path: Path, words: object) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps({RESULTS: [row(upstream_dispute=words)]}))
    assert write([file], {RESULTS: [row()]}).disputes == 0


# --- other drafts


def test_rows_of_another_draft_stay_and_new_ids_go_on_from_theirs(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    theirs = {
        RESULTS: [row("Their claim.", audit_run_id="theirs")],
        UNCITED: [{"finding_id": "UA-007", "sentence_text": "Theirs."}, {"finding_id": "UA-008"}],
        "audit_sampling_summaries": [{"audit_run_id": "theirs"}, {"audit_run_id": "older"}],
    }
    file.write_text(json.dumps(theirs))
    new = {RESULTS: [row()], UNCITED: [{"finding_id": "UA-001", "sentence_text": "Mine."}]}

    def keep(_name: str, old: Mapping[str, object]) -> bool:
        return "Their" in str(old.get("claim_text", old.get("sentence_text")))

    write([file], new, keep=keep)
    assert loads(file) == {
        RESULTS: [row("Their claim.", audit_run_id="theirs"), row()],
        UNCITED: [
            {"finding_id": "UA-007", "sentence_text": "Theirs."},
            {"finding_id": "UA-008", "sentence_text": "Mine."},
        ],
        "audit_sampling_summaries": [{"audit_run_id": "theirs"}],
    }


def test_two_chapters_of_one_paper_share_a_passport(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text("{}")
    texts = (f"One holds {MARK}.\n\nMost fell.\n", f"Two holds {MARK}.\n\nSeveral fell.\n")
    for here, other in ((0, 1), (1, 0), (0, 1)):
        rows = audit(texts[here], Scripted(verdict("SUPPORTED"))).aggregates()
        keep = belongs_elsewhere(workspace(texts[here]).draft, (workspace(texts[other]).draft,))
        write([file], rows, keep=keep)
    found = loads(file)
    assert sorted(each["claim_text"] for each in found[RESULTS]) == ["One holds.", "Two holds."]  # type: ignore[attr-defined,index]
    assert sorted(each["sentence_text"] for each in found[UNCITED]) == ["Most fell.", "Several fell."]  # type: ignore[attr-defined,index]
    assert len({each["finding_id"] for each in found[UNCITED]}) == 2  # type: ignore[attr-defined,index]


def test_rows_are_told_apart_by_the_draft_that_has_their_text() -> None:
    here, there = workspace(f"Mine holds {MARK}. Mine."), workspace(f"Theirs holds {MARK}. Theirs. Mine.")
    keep = belongs_elsewhere(here.draft, (there.draft,))
    assert keep is not None
    emitted = {"drift_kind": "EMITTED_NOT_INTENDED", "claim_text": "Theirs holds."}
    assert keep(RESULTS, row("Theirs holds."))
    assert keep(DRIFTS, emitted)
    assert keep(UNCITED, {"sentence_text": "Theirs."})
    assert keep("constraint_violations", {"claim_text": "Theirs."})
    assert not keep(RESULTS, row("Mine holds."))
    assert not keep(RESULTS, {"claim_text": 3})
    assert not keep(UNCITED, {"sentence_text": "Mine."})
    assert not keep(DRIFTS, {**emitted, "drift_kind": "INTENDED_NOT_EMITTED"})
    assert not keep("audit_sampling_summaries", {})
    assert belongs_elsewhere(here.draft, ()) is None


# --- whole or not at all


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("p.json", b"{", "no valid JSON"),
        ("p.json", b"[]", "no object"),
        ("p.json", b'{"a": 1, "a": 2}', "a key twice"),
        ("p.json", b"\xff", "not UTF-8"),
        ("p.json", b'{"a": NaN}', "no JSON value"),
        ("p.yaml", b"a: &x [1]\nb: {c: *x", "no valid YAML"),
        ("p.yaml", b"{a: 1}", "lines of KEY: VALUE"),
        ("p.yaml", b"claim_audit_results: &x\n- 1\nb: *x\n", "referred to from outside"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(WriteError, match=words) as caught:
        write([file], {RESULTS: [row()]})
    assert (file.read_bytes(), caught.value.path) == (data, str(file))


def test_rows_that_break_the_contract_are_not_written(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text("{}")
    faults = [f"INV-{number}" for number in range(1, 9)]
    with pytest.raises(WriteError, match="break the contract: INV-1; INV-2; INV-3; INV-4; INV-5 \\(and 3 more\\)"):
        write_back([file], {RESULTS: [row()]}, validate=lambda _texts: faults)
    assert file.read_text() == "{}"


def test_the_new_text_is_what_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text("{}")
    seen: list[dict[Path, str]] = []
    write_back([file], {RESULTS: [row()]}, validate=lambda texts: seen.append(dict(texts)) or ())  # type: ignore[func-returns-value]
    assert seen == [{file: file.read_text()}]


def test_without_a_passport_there_is_nothing_to_write_into() -> None:
    with pytest.raises(WriteError, match="--passport FILE"):
        write([], {RESULTS: []})


def test_a_full_disk_leaves_every_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text('{"claim_drifts": [{"old": 1}]}')
    second.write_text('{"claim_audit_results": [{"old": 1}]}')

    def full(path: Path, text: str) -> None:
        if path == second:
            raise WriteError("cannot be written: No space left on device", path=str(path))
        write_text_atomic(path, text)

    monkeypatch.setattr(module, "write_text_atomic", full)
    with pytest.raises(WriteError, match="No space left"):
        write([first, second], {RESULTS: [row()]})
    assert loads(first) == {DRIFTS: [{"old": 1}]}
    assert loads(second) == {RESULTS: [{"old": 1}]}


FILLED = """
import resource, signal, sys
from pathlib import Path
from claimlint.audit.write_back import write_back
from claimlint.errors import WriteError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
try:
    write_back([Path(sys.argv[1])], {"claim_audit_results": [{"a": "x" * 1000}]}, validate=lambda texts: ())
except WriteError as error:
    print(error)
"""


def test_a_file_that_cannot_grow_is_an_error_and_the_old_passport_is_intact(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text('{"x": 1}')
    made = subprocess.run([sys.executable, "-c", FILLED, str(file)], capture_output=True, text=True, check=True)
    assert made.stdout.startswith(f"{file}: cannot be written: ")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("p.json", '{"x": 1}')]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_an_error_and_the_old_passport_is_intact(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text("{}")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="cannot be written"):
            write([file], {RESULTS: [row()]})
    finally:
        tmp_path.chmod(0o700)
    assert file.read_text() == "{}"


def test_a_folder_in_the_place_of_the_passport_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be read"):
        write([tmp_path], {RESULTS: []})
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "p.json")
        with pytest.raises(WriteError, match="cannot be read: is not a regular file"):
            write([tmp_path / "p.json"], {RESULTS: []})


# --- any document

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["yes", "1e3", "0o17", "~", "2026-10-03", "- a", "# b", "a: b", "x\ny", " lead", "é", "=", "<<", "null"]
    ),
)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["a", "b", "claim_audit_results", "claim_drifts", "z: y", "é", "#k"])
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=5)
ROWS = st.lists(st.dictionaries(st.sampled_from(["k", "l"]), VALUES, max_size=2), max_size=2)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS, ROWS, st.sampled_from([None, 1, 4, "\t"]), st.booleans())
def test_a_member_of_any_json_document_is_set_and_removed_alone(
    document: dict[str, object], rows: list[dict[str, object]], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    changed = set_member(text, RESULTS, rows, yaml=False)
    assert parse_json(changed).value == {**document, RESULTS: rows}
    rest = {key: value for key, value in document.items() if key != RESULTS}
    assert parse_json(remove_member(changed, RESULTS, yaml=False)).value == rest


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS, ROWS, st.booleans())
def test_a_member_of_any_yaml_document_is_set_and_removed_alone_or_refused(
    document: dict[str, object], rows: list[dict[str, object]], comment: bool
) -> None:
    import yaml

    document = {"first": 0, **document}
    text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
    if comment:
        text = "# top\n" + text + "# end\n"
    before = parse_yaml(text)
    if before.refusal is not None or before.repeats:
        return
    changed = set_member(text, RESULTS, rows, yaml=True)
    assert parse_yaml(changed).value == {**before.value, RESULTS: rows}
    rest = {key: value for key, value in before.value.items() if key != RESULTS}
    assert parse_yaml(remove_member(changed, RESULTS, yaml=True)).value == rest
    assert not comment or changed.count("# top\n") + changed.count("# end\n") >= 2
