"""Where the rows of an audit go: into the passport of the draft, or beside it in memory for one run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from claimlint import registry
from claimlint.audit.building import OWNED, AuditRow
from claimlint.audit.companions import belongs_elsewhere
from claimlint.audit.write_back import WriteReport, succeed, write_back
from claimlint.discovery import Target, show
from claimlint.documents.passport import Passport, PassportFile, Row, join
from claimlint.documents.reader import read_passport_text
from claimlint.documents.source import FixedSource
from claimlint.engine import check_passport, dispatch
from claimlint.findings import Place, Range, Source, Span, Tokens

if TYPE_CHECKING:
    from claimlint.audit.running import AuditOutcome
    from claimlint.workspace import Workspace

_OWNED_POINTERS = tuple(f"/{name}" for name in OWNED)


def held_rows(files: Iterable[PassportFile], workspace: Workspace, outcome: AuditOutcome) -> Passport:
    """The passport that ``files`` make up, as it would be with the rows of an audit written into it.

    A new row is shown at the place of the draft that it is about, and an intended claim that the draft does
    not have at the manifest that intends it.
    """
    parts = tuple(files)
    passport = join(parts)
    old = {name: [row.data for row in passport.aggregate(name)] for name in OWNED}
    made = succeed(old, outcome.aggregates(), belongs_elsewhere(workspace.draft, workspace.companions))
    stays = {id(data) for found in made.kept.values() for data in found}
    kept = [
        file._replace(rows={name: _of_file(name, rows, stays) for name, rows in file.rows.items()})
        for file in parts
    ]
    spans: dict[Tokens, Span] = {}
    source = FixedSource(workspace.draft.source, spans)
    rows: dict[str, tuple[Row, ...]] = {}
    for name in OWNED:
        offset = len(made.kept[name])
        for index, each in enumerate(outcome.rows[name]):
            if each.span is not None:
                spans[name, offset + index] = each.span
        rows[name] = tuple(
            Row(data, _place(each, workspace.passport) or source, (name, offset + index))
            for index, (data, each) in enumerate(zip(made.fresh[name], outcome.rows[name], strict=True))
        )
    return join((*kept, PassportFile(source, rows)))


def _of_file(name: str, rows: tuple[Row, ...], stays: set[int]) -> tuple[Row, ...]:
    return tuple(row for row in rows if id(row.data) in stays) if name in OWNED else rows


def _place(row: AuditRow, passport: Passport | None) -> Source | None:
    """The place of the intended claim that a row says is missing; None for rows about something in the draft."""
    if row.span is not None or passport is None:
        return None
    claim = passport.claim(row.data.get("scoped_manifest_id"), row.data.get("manifest_claim_id"))
    return None if claim is None else _Instead(claim.source, claim.pointer())


class _Instead:
    """Shows every place at one place of another source."""

    __slots__ = ("_base", "_place")

    def __init__(self, base: Source, place: Place) -> None:
        self._base = base
        self._place = place

    @property
    def path(self) -> str:
        return self._base.path

    def locate(self, place: Place) -> Range:
        del place
        return self._base.locate(self._place)

    def line_text(self, line: int) -> str:
        return self._base.line_text(line)


def write_rows(
    target: Target, linked: tuple[Target, ...], workspace: Workspace, outcome: AuditOutcome
) -> WriteReport:
    """Put the rows of an audit into the passport of a draft, or into a new one beside it.

    Rows about other drafts that share the passport stay. The new passport is checked first, and nothing is
    written when a row that the audit owns breaks a contract. Raises ``WriteError``.
    """
    paths = [Path(each.path) for each in linked] or [Path(os.path.splitext(target.path)[0] + ".passport.json")]
    table = dispatch(rule for rule in registry.load().rules if _is_contract(rule.family))

    def validate(texts: Mapping[Path, str]) -> tuple[str, ...]:
        files = (read_passport_text(text, show(str(path))) for path, text in texts.items())
        made = check_passport(join((*files, *workspace.embedded)), table, path=target.shown)
        broken = [each for each in made.findings if (each.pointer or "").startswith(_OWNED_POINTERS)]
        crashed = tuple(str(failure) for failure in made.failures)
        return crashed + tuple(f"{each.pointer}: {each.code} {each.message}" for each in broken)

    keep = belongs_elsewhere(workspace.draft, workspace.companions)
    return write_back(paths, outcome.aggregates(), validate=validate, keep=keep)


def _is_contract(family: str) -> bool:
    return family.endswith("INV") or family in {"SCHEMA", "MATRIX"}
