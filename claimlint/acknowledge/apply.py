"""Acknowledging at the end of a run: directives first, then the baseline, then what is wrong with either."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from claimlint.errors import DocumentError, SettingsError

if TYPE_CHECKING:
    from claimlint.acknowledge.baseline import Baseline, Entry
    from claimlint.acknowledge.directives import Scope
    from claimlint.acknowledge.outcome import Ran
    from claimlint.findings import Finding, Note
    from claimlint.rules import Rule
    from claimlint.settings import Settings
    from claimlint.task import Task

DEFAULT_NAME = "claimlint-baseline.json"
"""The name of the baseline when nobody gives another."""


def acknowledge_run(
    findings: tuple[Finding, ...],
    directives: Iterable[tuple[str, tuple[Scope, ...]]],
    task: Task,
    *,
    files: Iterable[str],
    baseline: str | None = None,
    write_baseline: bool = False,
    reason: str | None = None,
) -> tuple[tuple[Finding, ...], int]:
    """The findings that nobody acknowledged, ACK findings included, and how many were acknowledged.

    ``directives`` are the scopes of each draft by shown path, ``files`` the shown paths of all that was
    checked. ``baseline`` overrides the settings; without either, ``claimlint-baseline.json`` in the settings'
    folder counts where it exists. With ``write_baseline`` that file is written first, ``reason`` standing in
    the entries that are new. Raises ``SettingsError`` for a baseline that is missing or broken, ``WriteError``
    when it cannot be written, and ``RuleCrashError``.
    """
    path = _baseline_path(task.settings, baseline, writing=write_baseline)
    found = dict(directives)
    if path is None and not found:
        return findings, 0
    from claimlint import registry
    from claimlint.acknowledge.directives import apply_directives
    from claimlint.acknowledge.outcome import codes_of

    known = registry.load()
    codes = codes_of(known.rules)
    ran = _ran(task)
    outcome = apply_directives(findings, found, codes, ran)
    kept, acknowledged, notes = outcome.kept, outcome.acknowledged, outcome.notes
    if path is not None:
        from claimlint.acknowledge.baseline import apply_baseline, updated

        checked_files = frozenset(files)
        named_by = task.settings.file if baseline is None and task.settings.baseline is not None else None
        read = _read(path, named_by=named_by, missing_is_fine=write_baseline)
        accepted = _as_shown(read, checked_files)
        checked = checked_files | _gone(accepted)
        if write_baseline:
            entries = updated(kept, accepted, codes, ran, checked, reason=_words(reason))
            accepted = _as_shown(_write(path, entries), checked_files)
        if accepted is not None:
            more = apply_baseline(kept, accepted, codes, ran, checked)
            kept, acknowledged, notes = more.kept, acknowledged + more.acknowledged, notes + more.notes
    return kept + _reported(notes, (known.by_code[code] for code in task.codes), ran), acknowledged


def written(settings: Settings, given: str | None) -> tuple[str, int]:
    """The baseline that a run with ``write_baseline`` left: its shown path, and how many entries it has."""
    from claimlint.discovery import show

    path = _baseline_path(settings, given, writing=True) or DEFAULT_NAME
    read = _read(path, named_by=None, missing_is_fine=False)
    return show(path), 0 if read is None else len(read.entries)


def _baseline_path(settings: Settings, given: str | None, *, writing: bool) -> str | None:
    if given is not None:
        return given
    if settings.baseline is not None:
        return settings.resolve(settings.baseline)
    usual = settings.resolve(DEFAULT_NAME)
    return usual if writing or os.path.isfile(usual) else None


def _ran(task: Task) -> Ran:
    from claimlint.discovery import is_excluded
    from claimlint.registry import matches

    codes = frozenset(task.codes)
    ignores = task.settings.per_file_ignores

    def ran(path: str, code: str) -> bool:
        return code in codes and not any(
            matches(code, ignored) and is_excluded(path, (pattern,), task.settings.root)
            for pattern, ignored in ignores.items()
        )

    return ran


def _read(path: str, *, named_by: str | None, missing_is_fine: bool) -> Baseline | None:
    """The baseline at a path; ``named_by`` is the settings file that names it, when one does."""
    from claimlint.acknowledge.baseline import read_baseline
    from claimlint.discovery import show
    from claimlint.documents.source import read_text

    if missing_is_fine and not os.path.lexists(path):
        return None
    try:
        text = read_text(path, show(path))
    except DocumentError as error:
        hint = "" if os.path.lexists(path) else "; create it with --write-baseline"
        if named_by is not None:
            message = f"baseline: {show(path)} cannot be used: {error.message}{hint}"
            raise SettingsError(message, path=show(named_by)) from error
        raise SettingsError(f"the baseline cannot be used: {error.message}{hint}", path=show(path)) from error
    return read_baseline(text, show(path))


def _as_shown(baseline: Baseline | None, files: frozenset[str]) -> Baseline | None:
    """The baseline with its paths as this run shows them, which depends on where it was started."""
    if baseline is None:
        return None
    from dataclasses import replace

    names = {os.path.abspath(path): path for path in files}
    entries = (
        replace(entry, path=names.get(os.path.abspath(entry.path), entry.path)) for entry in baseline.entries
    )
    return replace(baseline, entries=tuple(entries))


def _gone(baseline: Baseline | None) -> frozenset[str]:
    """The files of a baseline that are no longer there: nothing can match their entries."""
    entries = () if baseline is None else baseline.entries
    return frozenset(path for path in {entry.path for entry in entries} if not os.path.lexists(path))


def _words(reason: str | None) -> str:
    from claimlint.acknowledge.baseline import DEFAULT_REASON
    from claimlint.acknowledge.outcome import says_why

    return reason.strip() if reason is not None and says_why(reason) else DEFAULT_REASON


def _write(path: str, entries: tuple[Entry, ...]) -> Baseline:
    from claimlint.acknowledge.baseline import read_baseline, render
    from claimlint.atomic import write_text_atomic
    from claimlint.discovery import show

    text = render(entries, show(path))
    write_text_atomic(path, text)
    return read_baseline(text, show(path))


def _reported(notes: tuple[Note, ...], rules: Iterable[Rule], ran: Ran) -> tuple[Finding, ...]:
    from claimlint.engine import check_notes, dispatch

    outcome = check_notes(notes, dispatch(rules), path="acknowledgements")
    if outcome.failures:
        raise outcome.failures[0]
    return tuple(finding for finding in dict.fromkeys(outcome.findings) if ran(finding.path, finding.code))
