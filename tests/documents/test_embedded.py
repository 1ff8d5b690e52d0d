"""Manifests in a draft: where they may stand, and that their places are those of the draft."""

from __future__ import annotations

import json

import pytest

from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS, PassportFile
from claimlint.findings import Pointer
from tests.drafts import draft

ID = "M-2026-10-03T08:30:00Z-f3e4"
BARE = {"manifest_id": ID, "claims": [{"claim_id": "C-001"}]}
JSON = json.dumps(BARE, indent=1)
WRAPPED = json.dumps({"claim_intent_manifests": [BARE]}, indent=1)
YAML = f"manifest_id: {ID}\nclaims:\n  - claim_id: C-001\n"
YAML_WRAPPED = (
    f"claim_intent_manifests:\n  - manifest_id: {ID}\n    claims:\n      - claim_id: C-001\n        x: 1\n"
)


def _prefixed(text: str, prefix: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.rstrip("\n").split("\n"))


def _comment(text: str) -> str:
    return f"<!-- claim_intent_manifest\n{text}\n-->\n"


def _only(text: str) -> PassportFile:
    (file,) = draft(text).manifests
    return file


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{JSON}\n```\n",
        f"```json\n{WRAPPED}\n```\n",
        f"```JSON claims\n{json.dumps([BARE])}\n```\n",
        f"```json\n{json.dumps({'claim_intent_manifest': BARE})}\n```\n",
        f"~~~ {{.yaml}}\n{YAML}~~~\n",
        f"```yml\n{YAML_WRAPPED}```\n",
        _prefixed(f"```json\n{WRAPPED}\n```", "> "),
        "- item\n\n" + _prefixed(f"```yaml\n{YAML_WRAPPED}```", "  "),
        _comment(JSON),
        _comment(WRAPPED),
        _comment(YAML),
        _prefixed(_comment(YAML), "> "),
        f"<!-- claim_intent_manifest: {json.dumps(BARE)} -->\n",
        f"<!-- claim_intent_manifest:\n{_prefixed(YAML, '  ')}-->\n",
        f"<!-- claim_intent_manifests {json.dumps([BARE])} -->\n",
        f"<!-- claim_intent_manifests: {json.dumps([BARE])} -->\n",
        f"<!--\n{YAML_WRAPPED}-->\n",
        f"Text <!-- claim_intent_manifest {json.dumps(BARE)} --> more.\n",
        f"---\ntitle: A\n{YAML_WRAPPED}---\n",
        f"---\ntitle: A\nclaim_intent_manifest:\n{_prefixed(YAML, '  ')}---\n",
        f"---\ntitle: A\n{YAML}---\n",
        f"``` {{#plan .json}}\n{JSON}\n```\n",
        f"```{{ .yaml }}\n{YAML}```\n",
        f"<!-- Claim-Intent-Manifest {json.dumps(BARE)} -->\n",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_manifest_is_read_with_its_places(text: str, ends: str) -> None:
    text = f"{text}\nMore text.\n".replace("\n", ends)
    file = _only(text)
    (row,) = file.rows[CLAIM_INTENT_MANIFESTS]
    assert (row.text("manifest_id"), file.notes, file.readable) == (ID, (), True)
    found = row.source.locate(row.pointer("claims", 0, "claim_id"))
    line = text.split(ends)[found.line - 1]
    assert line[found.column - 1 : found.end_column - 1].strip('"') == "C-001"


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n```\n',
        "```json\n[1, 2]\n```\n",
        '```json\n{"claim_audit_results": []}\n```\n',
        "```json\n{broken\n```\n",
        '```json\n{"manifest_id": broken, claims\n```\n',
        "```yaml\na: b: c\n```\n",
        f"```python\n{JSON}\n```\n",
        f"```\n{JSON}\n```\n",
        f"    {json.dumps(BARE)}\n",
        "<!-- a manifest -->\n",
        "<!-- claim_intent_manifest -->\n",
        "<!-- the claim intent manifests: see below -->\n",
        "---\ntitle: A\n---\n",
        '```json5\n{"manifest_id": "a", "claims": []}\n```\n',
        '```json\n{"claims": [1], "title": "a"}\n```\n',
    ],
)
def test_what_is_no_manifest_is_left_alone(text: str) -> None:
    read = draft(text)
    assert (read.manifests, read.notes) == ((), ())


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ('a\n\n```json\n{"claim_intent_manifests": [\n```\n', "unreadable", 4),
        ('```json\n{"claim_intent_manifests": 5}\n```\n', "", 2),
        ("```yaml\nclaim_intent_manifests: [\n```\n", "unreadable", 3),
        ('<!-- claim_intent_manifest\n{"a": NaN}\n-->\n', "not-json", 2),
        ("---\na: 1\nclaim_intent_manifests: [\n---\n", "unreadable", 4),
        ("---\nmanifest_id: [\nclaims: x\n---\n", "unreadable", 3),
        ('```json\n{"manifest_id": "a",\n "claims": [\n```\n', "unreadable", 3),
        (f"```yaml\n{YAML}---\n{YAML}```\n", "unreadable", 5),
    ],
)
def test_a_block_that_names_manifests_but_cannot_be_read_says_so(text: str, kind: str, line: int) -> None:
    file = _only(text)
    if not kind:
        assert [(each.name, each.source.locate(Pointer(each.tokens)).line) for each in file.misfits] == [
            (CLAIM_INTENT_MANIFESTS, line)
        ]
        return
    (note,) = file.notes
    assert (note.kind, file.readable) == (kind, False)
    assert abs(note.source.locate(note.place).line - line) <= 1


MISSPELT = json.dumps({"claim_intent_manifests ": [BARE]})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"```json\n{MISSPELT}\n```\n", ["near-miss-key"]),
        (f'```json\n{{"claim_intent_manifest": [{json.dumps(BARE)}]}}\n```\n', ["near-miss-key"]),
        ("---\nclaim_intent_manifest: all\n---\n", ["near-miss-key"]),
        ("---\nclaim-intent-manifests: []\n---\n", ["near-miss-key"]),
        ('```json\n{"claim_intent_manifest": {"claims": 1, "claims": 2}}\n```\n', ["duplicate-key"]),
        (f'```json\n[{json.dumps(BARE)}, {{"a": 1, "a": 2}}]\n```\n', ["duplicate-key"]),
        ("---\nclaim_intent_manifests: []\ntitle: A\nclaim_intent_manifests: []\n---\n", ["duplicate-key"]),
        (f"```json\n[{json.dumps({**BARE, 'session_id': chr(0xD800)})}]\n```\n", ["lone-surrogate"]),
    ],
)
def test_what_is_odd_in_a_block_of_manifests_is_noted(text: str, found: list[str]) -> None:
    assert [note.kind for note in _only(text).notes] == found


def test_what_is_no_object_among_manifests_is_no_row() -> None:
    file = _only(f"```json\n[{json.dumps(BARE)},\n 3]\n```\n")
    assert len(file.rows[CLAIM_INTENT_MANIFESTS]) == 1
    (misfit,) = file.misfits
    assert (misfit.name, misfit.value, misfit.source.locate(Pointer(misfit.tokens)).line) == (
        CLAIM_INTENT_MANIFESTS,
        3,
        3,
    )


@pytest.mark.parametrize("missing", ["manifest_id", "claims"])
def test_a_manifest_that_lacks_a_key_is_one_all_the_same(missing: str) -> None:
    lacking = {key: value for key, value in {**BARE, "emitted_by": "x"}.items() if key != missing}
    file = _only(f"```json\n{json.dumps(lacking)}\n```\n")
    assert [row.data for row in file.rows[CLAIM_INTENT_MANIFESTS]] == [lacking]
    assert [row.data for row in _only(_comment("{}")).rows[CLAIM_INTENT_MANIFESTS]] == [{}]


def test_front_matter_in_toml_is_read() -> None:
    assert draft('+++\npassport = "p.json"\n+++\n\nText.\n').front_matter == {"passport": "p.json"}
    assert [note.kind for note in draft("+++\npassport = p\n+++\n\nText.\n").notes] == ["front-matter"]


def test_manifests_come_in_the_order_of_the_text() -> None:
    other = JSON.replace("f3e4", "0000")
    text = f"{_comment(JSON)}\n```json\n{other}\n```\n\n{_comment(JSON)}"
    assert [each.rows[CLAIM_INTENT_MANIFESTS][0].text("manifest_id") for each in draft(text).manifests] == [
        ID,
        ID.replace("f3e4", "0000"),
        ID,
    ]
