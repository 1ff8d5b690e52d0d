"""The verdict cache (contract, section 7, step 3)."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from claimlint.audit.cache import (
    CacheInfo,
    Corrupt,
    Hit,
    Question,
    VerdictCache,
    cache_info,
    constraints_hash,
    prune_cache,
)
from claimlint.audit.reply import Reply
from claimlint.audit.types import Constraint
from claimlint.audit.verdict import Verdict, to_stored, verdict_of
from claimlint.errors import AuditError

QUESTION = Question(
    claim_text="Costs fell – by 12%.",
    ref_slug="okafor2024",
    anchor_kind="quote",
    anchor_value="fell by 12%",
    excerpt="They fell by 12%.",
    constraints=(Constraint("MNC-1", "No “causes”."), Constraint("NC-C001-1", "No costs.")),
    judge_model="judge-x",
    prompt_version="0" * 64,
)


def verdict(word: str = "SUPPORTED") -> Verdict:
    return verdict_of(
        Reply(word, "it says so"), cited=True, model="judge-x", run_at="2026-11-30T08:00:00Z", method="api"
    )


def test_the_key_is_the_contracts_worked_out_by_hand() -> None:
    def digest(text: str) -> str:
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    constraints = (
        '[{"constraint_id":"MNC-1","rule":"No “causes”."},{"constraint_id":"NC-C001-1","rule":"No costs."}]'
    )
    canonical = (
        f'{{"active_constraints_hash":"{digest(constraints)}"'
        ',"anchor_kind":"quote"'
        f',"anchor_value_hash":"{digest("fell by 12%")}"'
        f',"claim_text_hash":"{digest("Costs fell – by 12%.")}"'
        ',"judge_model":"judge-x"'
        f',"prompt_version":"{"0" * 64}"'
        ',"ref_slug":"okafor2024"'
        f',"retrieved_excerpt_hash":"{digest("They fell by 12%.")}"}}'
    )
    assert QUESTION.key() == digest(canonical)


def test_the_key_of_a_known_question_never_changes() -> None:
    assert QUESTION.key() == "3cc3077a597d15af007ce157f9978fe161fb528201dd39bec1a49ebd8569286b"


def test_no_constraints_hash_as_an_empty_list() -> None:
    assert constraints_hash(()) == hashlib.sha256(b"[]").hexdigest()


@pytest.mark.parametrize(
    "changes",
    [
        {"claim_text": "x"},
        {"ref_slug": "x"},
        {"anchor_kind": "page"},
        {"anchor_value": "x"},
        {"excerpt": "x"},
        {"constraints": QUESTION.constraints[:1]},
        {"judge_model": "x"},
        {"prompt_version": "__unknown__:2026-11-30T08:00:00Z-0123"},
    ],
)
def test_every_part_of_a_question_changes_its_key(changes: dict[str, object]) -> None:
    assert replace(QUESTION, **changes).key() != QUESTION.key()  # type: ignore[arg-type]


def test_a_kept_verdict_is_found_by_another_run(tmp_path: Path) -> None:
    VerdictCache(tmp_path).put("k", verdict())
    assert VerdictCache(tmp_path).get("k", QUESTION) == Hit(verdict())


def test_a_verdict_stands_in_a_file_named_by_its_key_and_holds_nothing_of_the_run(tmp_path: Path) -> None:
    VerdictCache(tmp_path).put("k", verdict())
    file = tmp_path / "claim_audit_v1" / "k.json"
    assert [each.name for each in file.parent.iterdir()] == ["k.json"]
    assert json.loads(file.read_text("utf-8")) == to_stored(verdict())


def test_without_a_folder_verdicts_live_as_long_as_the_run() -> None:
    cache = VerdictCache(None)
    cache.put("k", verdict())
    assert cache.get("k", QUESTION) == Hit(verdict())
    assert cache.path("k") is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"judgment": "SUPPORTED", "judgment": "SUPPORTED"}',
        b" " * 1_000_001,
        json.dumps({**to_stored(verdict()), "judgment": "PERFECT"}).encode(),
        json.dumps({**to_stored(verdict()), "judge_model": "other"}).encode(),
        json.dumps({**to_stored(verdict()), "extra": 1}).encode(),
    ],
)
def test_a_damaged_file_is_reported_and_set_aside(tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "claim_audit_v1"
    folder.mkdir()
    (folder / "k.json").write_bytes(data)
    found = VerdictCache(tmp_path).get("k", QUESTION)
    assert isinstance(found, Corrupt)
    assert found.detail.startswith("k.json: it")
    assert [(each.name, each.read_bytes()) for each in folder.iterdir()] == [("k.json.corrupt", data)]
    assert VerdictCache(tmp_path).get("k", QUESTION) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder"])
def test_what_is_no_file_is_reported_and_set_aside(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "claim_audit_v1" / "k.json"
    path.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)
    assert isinstance(VerdictCache(tmp_path).get("k", QUESTION), Corrupt)
    assert [each.name for each in path.parent.iterdir()] == ["k.json.corrupt"]
    assert VerdictCache(tmp_path).get("k", QUESTION) is None


def test_a_dry_run_leaves_a_damaged_file_where_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "claim_audit_v1"
    folder.mkdir()
    (folder / "k.json").write_bytes(b"{")
    assert isinstance(VerdictCache(tmp_path).get("k", QUESTION, set_aside=False), Corrupt)
    assert [each.name for each in folder.iterdir()] == ["k.json"]


def test_a_damaged_file_that_cannot_be_set_aside_is_damaged_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Path, _target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    folder = tmp_path / "claim_audit_v1"
    folder.mkdir()
    (folder / "k.json").write_bytes(b"{")
    monkeypatch.setattr(Path, "replace", refuse)
    found = VerdictCache(tmp_path).get("k", QUESTION)
    assert isinstance(found, Corrupt)
    assert found.detail.endswith("it could not be set aside: Permission denied")


def test_a_good_file_that_another_process_put_there_meanwhile_stays(tmp_path: Path) -> None:
    folder = tmp_path / "claim_audit_v1"
    folder.mkdir()
    (folder / "k.json").write_bytes(b"{")
    seen = (folder / "k.json").stat()
    (folder / "k.json").unlink()
    VerdictCache(tmp_path).put("k", verdict())
    VerdictCache(tmp_path)._bad(folder / "k.json", seen, "as read before", set_aside=True)
    assert VerdictCache(tmp_path).get("k", QUESTION) == Hit(verdict())


def test_a_file_that_cannot_be_read_is_damaged_too(tmp_path: Path) -> None:
    (tmp_path / "claim_audit_v1" / "k.json").mkdir(parents=True)
    assert isinstance(VerdictCache(tmp_path).get("k", QUESTION), Corrupt)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = VerdictCache(tmp_path / "file")
    with pytest.raises(AuditError, match="cannot be written"):
        cache.put("k", verdict())
    with pytest.raises(AuditError, match="cannot be written"):
        cache.check_writable()
    assert cache.get("k", QUESTION) == Hit(verdict())


def test_trying_the_folder_leaves_nothing_in_it(tmp_path: Path) -> None:
    VerdictCache(tmp_path).check_writable()
    assert list((tmp_path / "claim_audit_v1").iterdir()) == []


def _hammer(folder: str, start: multiprocessing.synchronize.Barrier, bad: multiprocessing.Value) -> None:  # type: ignore[name-defined]
    start.wait()
    for number in range(150):
        cache = VerdictCache(Path(folder))
        cache.put(f"k{number % 5}", verdict("SUPPORTED"))
        found = VerdictCache(Path(folder)).get(f"k{(number + 2) % 5}", QUESTION)
        if isinstance(found, Corrupt):
            bad.value += 1


def test_two_processes_never_see_half_a_verdict(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start, bad = context.Barrier(2), context.Value("i", 0)
    workers = [context.Process(target=_hammer, args=(str(tmp_path), start, bad)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert bad.value == 0
    assert sorted(each.name for each in (tmp_path / "claim_audit_v1").iterdir()) == [
        f"k{n}.json" for n in range(5)
    ]


def test_threads_may_share_a_cache(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    threads = [
        threading.Thread(target=lambda: [cache.put(f"k{n}", verdict()) for n in range(40)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache_info(tmp_path).count == 40


def test_info_counts_verdicts_bytes_and_ages(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    for key, age in (("a", 100), ("b", 300)):
        cache.put(key, verdict())
        os.utime(tmp_path / "claim_audit_v1" / f"{key}.json", (1000 - age, 1000 - age))
    (tmp_path / "claim_audit_v1" / "c.json.corrupt").write_bytes(b"{")
    (tmp_path / "claim_audit_v1" / "README").write_bytes(b"not ours")
    size = len(json.dumps(to_stored(verdict())))
    assert cache_info(tmp_path) == CacheInfo(
        str(tmp_path / "claim_audit_v1"), count=2, bytes=2 * size + 1, corrupt=1, oldest=700, newest=900
    )


def test_pruning_removes_what_is_older_and_nothing_else(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    folder = tmp_path / "claim_audit_v1"
    for key, time in (("old", 700), ("new", 900)):
        cache.put(key, verdict())
        os.utime(folder / f"{key}.json", (time, time))
    (folder / "notes.txt").write_bytes(b"not ours")
    os.utime(folder / "notes.txt", (1, 1))
    cache.put_record("2026-11-30T08:00:00Z-0123", {})
    record = tmp_path / "claim_audit_runs" / "2026-11-30T080000Z-0123.json"
    os.utime(record, (700, 700))
    size = (folder / "old.json").stat().st_size + record.stat().st_size
    assert prune_cache(tmp_path, older_than=800) == (2, size)
    assert not record.exists()
    assert sorted(each.name for each in folder.iterdir()) == ["new.json", "notes.txt"]


def test_what_cannot_be_pruned_or_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    VerdictCache(tmp_path).put("k", verdict())
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        with pytest.raises(AuditError, match="cannot be removed"):
            prune_cache(tmp_path, older_than=1e12)
    (tmp_path / "file").write_text("x")
    with pytest.raises(AuditError, match="cannot be read"):
        cache_info(tmp_path / "file")


def test_a_cache_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert cache_info(tmp_path / "gone").count == 0
    assert prune_cache(tmp_path / "gone", older_than=1e12) == (0, 0)
