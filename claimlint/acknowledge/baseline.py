"""The baseline: a file of findings that are accepted, known by their content so that moved lines change nothing.

``{"version": 1, "entries": [{"path", "code", "fingerprint", "count", "reason"}]}``; paths are relative to the
file's folder, with ``/``. A fingerprint is the SHA-256 of the code and of the text the finding stands on. An
entry accepts ``count`` findings of one path, code and fingerprint; one more is reported.
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
)
from claimlint.errors import SettingsError
from claimlint.findings import Finding, Note, Pointer

if TYPE_CHECKING:
    from claimlint.documents.source import JsonSource

DEFAULT_REASON = "baseline"
"""The reason of entries that ``--write-baseline`` adds without ``--reason``."""

VERSION = 1
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
    left: Counter[Key] = Counter()
    for entry in baseline.entries:
        if entry.reason.strip():
            left[entry.key] += entry.count
    kept: list[Finding] = []
    forbidden: set[Key] = set()
    acknowledged = 0
    for finding in findings:
        key = (finding.path, finding.code, fingerprint(finding)) if left else None
        if key is None or left[key] <= 0:
            kept.append(finding)
        elif may_be_acknowledged(finding):
            left[key] -= 1
            acknowledged += 1
        else:
            forbidden.add(key)
            kept.append(finding)
    notes: list[Note] = []
    for index, entry in enumerate(baseline.entries):
        values = {"code": entry.code, "path": entry.path, "near": ""}
        kind, member = None, "code"
        if not codes.known(entry.code):
            kind = UNKNOWN_CODE
            values["near"] = codes.nearest(entry.code) or ""
        elif entry.key in forbidden or not codes.possible(entry.code):
            kind = FORBIDDEN
        elif not entry.reason.strip():
            kind, member = NO_REASON, "reason"
        elif left[entry.key] > 0 and entry.path in checked and ran(entry.path, entry.code):
            kind, member = STALE, "fingerprint"
            unmatched = min(left[entry.key], entry.count)
            left[entry.key] -= unmatched
            values["count"], values["left"] = str(entry.count), str(entry.count - unmatched)
        if kind is not None:
            notes.append(Note(kind, baseline.source, Pointer(("entries", index, member)), values))
    return Outcome(tuple(kept), acknowledged, tuple(notes))


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
    counts: Counter[Key] = Counter(
        (finding.path, finding.code, fingerprint(finding)) for finding in findings if may_be_acknowledged(finding)
    )
    before = () if old is None else old.entries
    reasons = {entry.key: entry.reason for entry in reversed(before) if entry.reason.strip()}
    made = [Entry(*key, count, reasons.get(key, reason)) for key, count in counts.items()]
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
    return path if folder == "." or posixpath.isabs(path) else posixpath.relpath(path, folder)


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
