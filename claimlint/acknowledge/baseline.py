"""The baseline: a file of findings that are accepted, known by their content so that moved lines change nothing.

``{"version": 1, "entries": [{"path", "code", "fingerprint", "count", "reason"}]}``; paths are relative to the
file's folder, with ``/``. A fingerprint is the SHA-256 of the code and of the text the finding stands on. An
entry accepts ``count`` findings of one path, code and fingerprint; one more is reported. A verdict of the gate
is about its claim: it stands in the draft until it is written into the passport, so an entry of another path
accepts it too when its own path's entries are used up.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claimlint.acknowledge.outcome import (
    FORBIDDEN,
    NO_REASON,
    STALE,
    UNKNOWN_CODE,
    Codes,
    Outcome,
    Ran,
    may_be_acknowledged,
    says_why,
)
from claimlint.errors import SettingsError
from claimlint.findings import Finding, Note, Pointer

if TYPE_CHECKING:
    from claimlint.documents.source import JsonSource

DEFAULT_REASON = "baseline"
"""The reason of entries that ``--write-baseline`` adds without ``--reason``."""

VERSION = 1
_GATE = "GATE"
_TEXTS = ("path", "code", "fingerprint", "reason")

Key = tuple[str, str, str]
"""Shown path, code and fingerprint of a finding."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Findings that are accepted. ``path`` is the shown path (relative to the working directory)."""

    path: str
    code: str
    fingerprint: str
    count: int
    reason: str

    @property
    def key(self) -> Key:
        """What findings are compared by."""
        return self.path, self.code, self.fingerprint


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a baseline in the order of its file, which ``source`` locates them in."""

    entries: tuple[Entry, ...]
    source: JsonSource


def fingerprint(finding: Finding) -> str:
    """What a finding is known by, as 64 hex digits: its code and the text it stands on, white space aside.

    Where that text has no letter or digit, the message stands in for it.
    """
    from hashlib import sha256

    subject = " ".join(finding.subject.split())
    if not any(map(str.isalnum, subject)):
        subject = finding.message
    return sha256(f"{finding.code}\n{subject}".encode("utf-8", errors="surrogatepass")).hexdigest()


def read_baseline(text: str, path: str) -> Baseline:
    """A baseline from the text of its file.

    Raises ``SettingsError`` naming the file and the place for anything but the documented shape.
    """
    from claimlint.documents.json_text import parse_json
    from claimlint.documents.source import JsonSource

    source, parsed = JsonSource(path, text), parse_json(text)
    if parsed.refusal is not None:
        line = source.span_range(parsed.refusal.span).line
        raise SettingsError(f"line {line}: {parsed.refusal.message}", path=path)
    document = parsed.value
    if (
        not isinstance(document, dict)
        or document.get("version") != VERSION
        or set(document) != {"version", "entries"}
    ):
        raise SettingsError('is no baseline: it must be {"version": 1, "entries": [...]}', path=path)
    items = document["entries"]
    if not isinstance(items, list):
        raise SettingsError("is no baseline: entries must be an array", path=path)
    folder = posixpath.dirname(path)
    entries = []
    for index, item in enumerate(items):
        fault = _entry_fault(item)
        if fault is not None:
            line = source.locate(Pointer(("entries", index))).line
            raise SettingsError(f"line {line}: entry {index}: {fault}", path=path)
        shown = posixpath.normpath(posixpath.join(folder, item["path"]))
        entries.append(Entry(shown, item["code"], item["fingerprint"], item["count"], item["reason"]))
    return Baseline(tuple(entries), source)


def apply_baseline(
    findings: Iterable[Finding], baseline: Baseline, codes: Codes, ran: Ran, checked: frozenset[str]
) -> Outcome:
    """Take out the findings that the baseline accepts, the first of several equal ones.

    Entries for files that were not ``checked`` (shown paths), or whose rule did not run, are not called stale.
    """
    ledger = _Ledger(baseline.entries)
    every = tuple(findings)
    keys = [_key(finding) for finding in every] if baseline.entries else []
    accepted = {index for index, key in enumerate(keys) if ledger.accepts(every[index], key)}
    for index, key in enumerate(keys):
        if index not in accepted and ledger.accepts(every[index], _anywhere(key)):
            accepted.add(index)
    kept = tuple(finding for index, finding in enumerate(every) if index not in accepted)
    notes: list[Note] = []
    for index, entry in enumerate(baseline.entries):
        values = {"code": entry.code, "path": entry.path, "near": ""}
        kind, member = None, "code"
        if not codes.known(entry.code):
            kind = UNKNOWN_CODE
            values["near"] = codes.nearest(entry.code) or ""
        elif ledger.forbids(entry) or not codes.possible(entry.code):
            kind = FORBIDDEN
        elif not says_why(entry.reason):
            kind, member = NO_REASON, "reason"
        elif ledger.left[index] and entry.path in checked and ran(entry.path, entry.code):
            kind, member = STALE, "fingerprint"
            values["count"], values["left"] = str(entry.count), str(entry.count - ledger.left[index])
        if kind is not None:
            notes.append(Note(kind, baseline.source, Pointer(("entries", index, member)), values))
    return Outcome(kept, len(accepted), tuple(notes))


class _Ledger:
    """How many findings each entry may still accept."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.left = [entry.count if says_why(entry.reason) else 0 for entry in entries]
        self._forbidden: set[Key] = set()
        self._open: dict[Key, list[int]] = {}
        for index in range(len(entries) - 1, -1, -1):
            for key in {entries[index].key, _anywhere(entries[index].key)}:
                self._open.setdefault(key, []).append(index)

    def accepts(self, finding: Finding, key: Key) -> bool:
        """Whether the first entry under a key that is not used up may accept the finding; then it does."""
        found = self._open.get(key, [])
        while found and not self.left[found[-1]]:
            found.pop()
        if not found:
            return False
        if not may_be_acknowledged(finding):
            self._forbidden.add(key)
            return False
        self.left[found[-1]] -= 1
        return True

    def forbids(self, entry: Entry) -> bool:
        """Whether a finding came that the entry would have accepted, had it been less grave."""
        return not self._forbidden.isdisjoint({entry.key, _anywhere(entry.key)})


def _key(finding: Finding) -> Key:
    return finding.path, finding.code, fingerprint(finding)


def _anywhere(key: Key) -> Key:
    """The key without the path where that is not part of what a finding is."""
    path, code, known_by = key
    return ("" if code.rpartition("-")[0] == _GATE else path), code, known_by


def updated(
    findings: Iterable[Finding],
    old: Baseline | None,
    codes: Codes,
    ran: Ran,
    checked: frozenset[str],
    *,
    reason: str,
) -> tuple[Entry, ...]:
    """The entries of a new baseline, sorted: what is found now, of what can be acknowledged at all.

    Reasons of old entries are kept. Old entries of files that were not checked, or of rules that did not run,
    stay as they are.
    """
    counts: Counter[Key] = Counter(_key(finding) for finding in findings if may_be_acknowledged(finding))
    before = () if old is None else old.entries
    given = [(entry.key, entry.reason) for entry in reversed(before) if says_why(entry.reason)]
    reasons = {_anywhere(key): words for key, words in given} | dict(given)
    made = [
        Entry(*key, count, reasons.get(key) or reasons.get(_anywhere(key), reason))
        for key, count in counts.items()
    ]
    made.extend(
        entry
        for entry in before
        if (entry.path not in checked or not ran(entry.path, entry.code))
        and (codes.possible(entry.code) or not codes.known(entry.code))
    )
    return tuple(sorted(made, key=lambda entry: (entry.key, entry.reason)))


def render(entries: Iterable[Entry], path: str) -> str:
    """The text of a baseline file at ``path`` (as shown), one entry after the other in the order given."""
    from json import dumps

    folder = posixpath.dirname(path) or "."
    items = [
        {
            "path": _relative(entry.path, folder),
            "code": entry.code,
            "fingerprint": entry.fingerprint,
            "count": entry.count,
            "reason": entry.reason,
        }
        for entry in entries
    ]
    return dumps({"version": VERSION, "entries": items}, indent=2, ensure_ascii=False) + "\n"


def _relative(path: str, folder: str) -> str:
    found = posixpath.relpath(path, folder)
    return path if posixpath.isabs(path) and found.startswith("..") else found


def _entry_fault(item: Any) -> str | None:
    if not isinstance(item, dict) or set(item) != {*_TEXTS, "count"}:
        return f"must be an object with {', '.join((*_TEXTS[:3], 'count', 'reason'))}, and nothing else"
    for key in _TEXTS:
        if not isinstance(item[key], str):
            return f"{key} must be a string"
    count = item["count"]
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        return "count must be a whole number of 1 or more"
    return None
