"""Loading: each file is read once, and what nobody named and nobody knows is passed over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlint import loading
from claimlint.discovery import Target
from claimlint.documents import draft_reader
from claimlint.errors import DocumentError
from claimlint.loading import Loader, may_be_passport


def target(path: Path, *, named: bool = False) -> Target:
    return Target(str(path), path.name, named=named)


def write(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("value", "walked", "named"),
    [
        ({"claim_drifts": []}, True, True),
        ({"claim_drift": []}, True, True),
        ({"Claim Audit Results": []}, True, True),
        ({"manifest_id": "M-1", "claims": []}, True, True),
        ('{"claim_dr\\u0069fts": []}', True, True),
        ('{"claim_drifts": [', True, True),
        ('{"claim_drifts": NaN}', True, True),
        ({"name": "package"}, False, True),
        ({"description": "it has claim_drifts"}, False, True),
        ([{"claim_drifts": 1}], False, True),
        ("not json at all", False, True),
        ('{"name": ', False, True),
        ('{"a": "claim_drifts", "a": 1}', False, True),
    ],
)
def test_a_file_nobody_named_is_read_when_something_in_it_is_known(
    tmp_path: Path, value: object, walked: bool, named: bool
) -> None:
    path = write(tmp_path / "p.json", value)
    assert (Loader().passport_file(target(path)) is not None) is walked
    assert (Loader().passport_file(target(path, named=True)) is not None) is named


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-32"])
def test_a_passport_in_any_encoding_is_noticed(encoding: str) -> None:
    assert may_be_passport('{"claim_audit_results": ["é"]}'.encode(encoding)) is True


def test_a_passport_that_cannot_be_decoded_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_bytes('{"claim_drifts": []}'.encode("utf-16"))
    file = Loader().passport_file(target(path))
    assert file is not None
    assert (file.readable, [note.kind for note in file.notes]) == (False, ["unreadable"])


def test_a_file_is_read_once_and_joined_once(tmp_path: Path) -> None:
    one, two = (
        write(tmp_path / "a.json", {"claim_drifts": [{}]}),
        write(tmp_path / "b.json", {"claim_drifts": [{}]}),
    )
    loader = Loader()
    both = (target(one, named=True), target(two, named=True))
    joined = loader.passport(both)
    one.unlink()
    assert loader.passport(both) is joined
    assert loader.passport(both[:1]).files[0] is joined.files[0]
    assert len(joined.aggregate("claim_drifts")) == 2


def test_a_file_from_standard_input_is_not_looked_for_on_disk() -> None:
    file = Loader().passport_file(Target("gone.json", "gone.json", named=True, text=b'{"claim_drifts": []}'))
    assert file is not None
    assert file.recognised is True
    assert Loader().draft(Target("gone.md", "gone.md", text="Text é.".encode())).path == "gone.md"


@pytest.mark.parametrize("name", ["gone.json", "gone.md"])
def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path, name: str) -> None:
    read = Loader().draft if name.endswith(".md") else Loader().passport_file
    with pytest.raises(DocumentError, match="no such file"):
        read(target(tmp_path / name, named=True))


def test_a_draft_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "d.md").write_bytes("Café".encode("latin-1"))
    with pytest.raises(DocumentError, match="byte 0xe9 is not UTF-8"):
        Loader().draft(target(tmp_path / "d.md"))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RecursionError("too deep"), "internal error (RecursionError: too deep), so it was not checked"),
        (MemoryError(), "does not fit into memory, so it was not checked"),
        (DocumentError("plain", path="d.md"), "plain"),
    ],
)
def test_a_reader_that_fails_is_an_error_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(draft_reader, "read_draft", fail)
    monkeypatch.setattr(loading, "read_passport", fail)
    for path, read in ((tmp_path / "d.md", Loader().draft), (tmp_path / "p.json", Loader().passport_file)):
        path.write_text("x")
        with pytest.raises(DocumentError) as caught:
            read(target(path, named=True))
        assert words in caught.value.message
