"""The verdict cache: one small JSON file for each verdict (contract, section 7, step 3).

Several processes may use one folder at once: a file appears whole or not at all, and equal keys have equal
meaning, so whoever writes last does no harm. Files are not flushed to the disk one by one: they survive a
killed process, and one that a power cut damaged is noticed on reading and asked again.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from claimlint.atomic import write_text_atomic
from claimlint.audit.types import Constraint
from claimlint.audit.verdict import Verdict, from_stored, to_stored
from claimlint.audit.words import canonical_sha256, sha256_hex
from claimlint.documents.source import open_regular
from claimlint.errors import AuditError, WriteError

FOLDER = "claim_audit_v1"
"""The folder of the verdicts, inside the cache folder."""

RUNS = "claim_audit_runs"
"""The folder of the records of runs, inside the cache folder."""

CORRUPT = ".corrupt"
"""What is put behind the name of a file that was set aside."""

MAX_BYTES = 1_000_000
"""The largest file that is read as a verdict."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a verdict depends on. ``anchor_value`` is the decoded one, ``excerpt`` what the judge sees.

    For a sentence without a citation ``ref_slug`` is empty, the kind ``none``, and value and excerpt empty.
    """

    claim_text: str
    ref_slug: str
    anchor_kind: str
    anchor_value: str
    excerpt: str
    constraints: tuple[Constraint, ...]
    judge_model: str
    prompt_version: str

    @property
    def cited(self) -> bool:
        """Whether it is about a citation."""
        return bool(self.ref_slug)

    def key(self) -> str:
        """The contract's cache key, in lower-case hexadecimal."""
        return canonical_sha256(
            {
                "claim_text_hash": sha256_hex(self.claim_text),
                "ref_slug": self.ref_slug,
                "anchor_kind": self.anchor_kind,
                "anchor_value_hash": sha256_hex(self.anchor_value),
                "retrieved_excerpt_hash": sha256_hex(self.excerpt),
                "active_constraints_hash": constraints_hash(self.constraints),
                "judge_model": self.judge_model,
                "prompt_version": self.prompt_version,
            }
        )


def constraints_hash(constraints: Sequence[Constraint]) -> str:
    """The SHA-256 of the canonical JSON of the list of {constraint_id, rule}."""
    return canonical_sha256([{"constraint_id": each.constraint_id, "rule": each.rule} for each in constraints])


@dataclass(frozen=True, slots=True)
class Hit:
    """A cached verdict."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Corrupt:
    """A cache file that holds no valid verdict; ``detail`` says why."""

    detail: str


class VerdictCache:
    """Verdicts by key, in memory and, with a folder, on disk. Safe for several threads."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / FOLDER
        self._runs = None if folder is None else folder / RUNS
        self._memory: dict[str, Verdict] = {}
        self._lock = threading.Lock()

    def path(self, key: str) -> Path | None:
        """Where the verdict of a key is kept; None without a folder."""
        return None if self._folder is None else self._folder / f"{key}.json"

    def get(self, key: str, question: Question, *, set_aside: bool = True) -> Hit | Corrupt | None:
        """The verdict of a key, or what is wrong with its file, or None when there is none.

        With ``set_aside`` a bad file is moved out of the way, so that the next run asks again.
        """
        with self._lock:
            known = self._memory.get(key)
        if known is not None:
            return Hit(known)
        path = self.path(key)
        if path is None:
            return None
        try:
            with open_regular(path) as file:
                identity = os.fstat(file.fileno())
                data = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._bad(path, None, f"it cannot be read: {error.strerror}", set_aside=set_aside)
        try:
            verdict = _verdict(data, question)
        except ValueError as error:
            return self._bad(path, identity, str(error), set_aside=set_aside)
        with self._lock:
            self._memory[key] = verdict
        return Hit(verdict)

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict, at once. Raises AuditError when the folder cannot be written."""
        with self._lock:
            self._memory[key] = verdict
        path = self.path(key)
        if path is None:
            return
        body = json.dumps(to_stored(verdict), ensure_ascii=False, sort_keys=True).encode("utf-8")
        temporary = path.with_name(f".{key}.{os.getpid()}.{threading.get_ident()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(body)
            temporary.replace(path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise AuditError(f"the verdict cache cannot be written: {error.strerror}", path=str(path)) from error

    def put_record(self, audit_run_id: str, record: Mapping[str, object]) -> None:
        """Keep how a run was made, beside the verdicts. Raises AuditError when it cannot be written."""
        if self._runs is None:
            return
        path = self._runs / f"{audit_run_id.replace(':', '')}.json"
        try:
            self._runs.mkdir(parents=True, exist_ok=True)
            write_text_atomic(path, json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        except (OSError, WriteError) as error:
            raise AuditError("the record of the run cannot be written", path=str(path)) from error

    def check_writable(self) -> None:
        """Make the folder and try it, before anything is paid for. Raises AuditError."""
        if self._folder is None:
            return
        trial = self._folder / f".{os.getpid()}.trial.tmp"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            trial.write_bytes(b"")
            trial.unlink()
        except OSError as error:
            message = f"the verdict cache cannot be written: {error.strerror}"
            raise AuditError(message, path=str(self._folder)) from error

    def _bad(self, path: Path, seen: os.stat_result | None, detail: str, *, set_aside: bool) -> Corrupt:
        if set_aside:
            try:
                # Another process may have put a good file there meanwhile.
                if seen is None or _same(path.stat(), seen):
                    path.replace(path.with_name(path.name + CORRUPT))
            except OSError as error:
                detail = f"{detail}; it could not be set aside: {error.strerror}"
        return Corrupt(f"{path.name}: {detail}")


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_ino, one.st_mtime_ns) == (other.st_ino, other.st_mtime_ns)


def _verdict(data: bytes, question: Question) -> Verdict:
    """The verdict in a file; raises ValueError saying what is wrong."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES} bytes")
    try:
        value: object = json.loads(data.decode("utf-8"), object_pairs_hook=_pairs)
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error.msg}") from error
    return from_stored(value, cited=question.cited, model=question.judge_model, constraints=question.constraints)


def _pairs(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("it has a key twice")
    return found


# --- looking after the folder


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What a cache folder holds. ``oldest`` and ``newest`` are file times in seconds since 1970, or None."""

    folder: str
    count: int
    bytes: int
    corrupt: int
    oldest: float | None
    newest: float | None


def cache_info(cache_dir: Path) -> CacheInfo:
    """How many verdicts a cache folder holds, their size in bytes, how many were set aside, and their ages.

    A folder that is not there holds nothing. Raises AuditError when it cannot be read.
    """
    files = _files(cache_dir / FOLDER)
    verdicts = [status for name, status in files if name.endswith(".json")]
    times = [status.st_mtime for status in verdicts]
    return CacheInfo(
        folder=str(cache_dir / FOLDER),
        count=len(verdicts),
        bytes=sum(status.st_size for _, status in files),
        corrupt=sum(name.endswith(CORRUPT) for name, _ in files),
        oldest=min(times, default=None),
        newest=max(times, default=None),
    )


def prune_cache(cache_dir: Path, *, older_than: float) -> tuple[int, int]:
    """Remove what was written before a time (seconds since 1970): the files removed, and their bytes.

    Records of runs, and files that were set aside or left over by a killed process, go by the same rule.
    Raises AuditError.
    """
    removed = size = 0
    for folder in (cache_dir / FOLDER, cache_dir / RUNS):
        for name, status in _files(folder):
            if status.st_mtime < older_than:
                path = folder / name
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise AuditError(f"cannot be removed: {error.strerror}", path=str(path)) from error
                removed += 1
                size += status.st_size
    return removed, size


def _files(folder: Path) -> list[tuple[str, os.stat_result]]:
    """The cache's own files, by name; anything else that lies there is not ours to count or remove."""
    found: list[tuple[str, os.stat_result]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".json", CORRUPT, ".tmp")) and entry.is_file(follow_symlinks=False):
                    try:
                        found.append((entry.name, entry.stat(follow_symlinks=False)))
                    except FileNotFoundError:  # another process was quicker
                        continue
    except FileNotFoundError:
        return []
    except OSError as error:
        raise AuditError(f"cannot be read: {error.strerror}", path=str(folder)) from error
    return sorted(found, key=lambda each: each[0])
