"""Putting the rows of an audit into the passport files, whole or not at all (design, section 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from claimlint.atomic import write_text_atomic
from claimlint.audit.building import OWNED
from claimlint.audit.companions import settled_texts
from claimlint.audit.rows import NOT_APPLICABLE, RowData
from claimlint.audit.splice import new_document, remove_member, set_member
from claimlint.audit.words import normal
from claimlint.documents.json_text import Parsed, parse_json
from claimlint.documents.passport import AUDIT_SAMPLING_SUMMARIES, CLAIM_AUDIT_RESULTS, CLAIM_DRIFTS
from claimlint.documents.reader import is_yaml
from claimlint.documents.source import decode, open_regular
from claimlint.errors import DocumentError, WriteError

Validate = Callable[[Mapping[Path, str]], Sequence[str]]
"""Is given the new texts of all files, by path, and says what is wrong with them; nothing when all is well."""

_BOM = "\ufeff"
_MAX_DISPUTE = 1000
_BARE_MANIFEST = frozenset({"manifest_id", "claims"})
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What was written.

    ``path`` holds the rows now; ``changed`` are all files that were written. ``disputes`` counts the
    upstream_dispute texts that were carried over, ``lost_disputes`` quotes those that no row can hold any
    more: the claim is gone, or has no defect now.
    """

    path: Path
    changed: tuple[Path, ...]
    disputes: int
    lost_disputes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Succession:
    """What an audit leaves of the aggregates it owns: the old rows that stay, and the new ones that follow them.

    ``kept`` and ``fresh`` have every name of ``OWNED``. ``disputes`` and ``lost_disputes`` are as in
    ``WriteReport``.
    """

    kept: Mapping[str, list[Mapping[str, object]]]
    fresh: Mapping[str, list[RowData]]
    disputes: int
    lost_disputes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    bom: bool
    text: str
    top: Mapping[str, object]

    @property
    def yaml(self) -> bool:
        return is_yaml(str(self.path))


def write_back(
    paths: Sequence[Path],
    rows: Mapping[str, Sequence[RowData]],
    *,
    validate: Validate,
    keep: Callable[[str, Mapping[str, object]], bool] | None = None,
) -> WriteReport:
    """Replace the six aggregates that the audit owns in the passport that ``paths`` make up.

    They go into the file that holds audit rows already, else into the first, and out of all others. Other keys,
    their order, the indentation, byte order mark and line ends stay as they are. A single path that is not
    there yet becomes a new file. An upstream_dispute goes over to the row with the same claim text, slug and
    anchor. ``keep`` picks old rows that stay beside the new ones, given their aggregate and data: those of other
    drafts that share the passport; new finding ids are numbered above theirs.

    Raises WriteError when a file cannot be read or written, is no passport, or ``validate`` finds fault; then
    every file is as it was.
    """
    if not paths:
        raise WriteError("there is no passport to write into; name one with --passport FILE")
    files = [file for path in paths if (file := _read(path)) is not None]
    if not files:
        new: dict[str, Sequence[RowData]] = {name: rows.get(name, ()) for name in OWNED if rows.get(name)}
        new.setdefault(CLAIM_AUDIT_RESULTS, [])
        text = new_document(new, yaml=is_yaml(str(paths[0])))
        _check({paths[0]: text}, validate)
        write_text_atomic(paths[0], text)
        return WriteReport(paths[0], (paths[0],), 0, ())
    target = _target(files)
    made = succeed(_old_rows(files), rows, keep)
    merged = {name: [*made.kept[name], *made.fresh[name]] for name in OWNED}
    texts = {file.path: _edited(file, merged if file is target else None) for file in files}
    _check(texts, validate)
    changed = _write(files, texts)
    return WriteReport(target.path, changed, made.disputes, made.lost_disputes)


def _read(path: Path) -> _File | None:
    """A passport file, or None when it is not there."""
    try:
        with open_regular(path) as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WriteError(f"cannot be read: {error.strerror}", path=str(path)) from error
    try:
        text = decode(data, str(path))
    except DocumentError as error:
        raise WriteError(error.message, path=str(path)) from error
    parsed = _parse(text, path)
    if parsed.refusal is not None:
        raise WriteError(parsed.refusal.message, path=str(path))
    if parsed.repeats:
        raise WriteError("an object has a key twice, so it is not known what must be kept", path=str(path))
    if not isinstance(parsed.value, dict):
        raise WriteError("the top level is no object, so this is no passport", path=str(path))
    return _File(path, data.startswith(b"\xef\xbb\xbf"), text, parsed.value)


def _parse(text: str, path: Path) -> Parsed:
    if not is_yaml(str(path)):
        return parse_json(text)
    from claimlint.documents.yaml_text import parse_yaml

    return parse_yaml(text)


def _target(files: Sequence[_File]) -> _File:
    """The file that the rows go into. A file that is one bare manifest cannot hold them."""
    able = [
        file for file in files if any(name in file.top for name in OWNED) or not file.top.keys() >= _BARE_MANIFEST
    ]
    if not able:
        raise WriteError("the files hold one manifest each and no passport; name a passport with --passport FILE")
    for names in ((CLAIM_AUDIT_RESULTS,), OWNED):
        for file in able:
            if any(name in file.top for name in names):
                return file
    return able[0]


def _old_rows(files: Sequence[_File]) -> dict[str, list[Mapping[str, object]]]:
    found: dict[str, list[Mapping[str, object]]] = {name: [] for name in OWNED}
    for file in files:
        for name in OWNED:
            value = file.top.get(name)
            if isinstance(value, list):
                found[name].extend(row for row in value if isinstance(row, dict))
    return found


# --- what of the old rows stays


def succeed(
    old: Mapping[str, Sequence[Mapping[str, object]]],
    rows: Mapping[str, Sequence[RowData]],
    keep: Callable[[str, Mapping[str, object]], bool] | None = None,
) -> Succession:
    """The old rows that ``keep`` picks, themselves, and the new rows with the disputes of those that go.

    Finding ids of new rows go on from the highest that is kept. A sampling summary stays with the rows of its
    run, and an old drift goes when its text is an uncited assertion or a violation now.
    """
    kept = {name: [row for row in old.get(name, ()) if keep is not None and keep(name, row)] for name in OWNED}
    runs = {row.get("audit_run_id") for row in kept[CLAIM_AUDIT_RESULTS]}
    summaries = old.get(AUDIT_SAMPLING_SUMMARIES, ())
    kept[AUDIT_SAMPLING_SUMMARIES] = [row for row in summaries if row.get("audit_run_id") in runs]
    settled = settled_texts(lambda name: rows.get(name, ()))
    kept[CLAIM_DRIFTS] = [row for row in kept[CLAIM_DRIFTS] if normal(str(row.get("claim_text"))) not in settled]
    stays = {id(row) for row in kept[CLAIM_AUDIT_RESULTS]}
    goes = [row for row in old.get(CLAIM_AUDIT_RESULTS, ()) if id(row) not in stays]
    fresh, disputes, lost = _with_disputes(rows, goes)
    return Succession(kept, {name: _numbered_on(kept[name], fresh[name]) for name in OWNED}, disputes, lost)


def _with_disputes(
    rows: Mapping[str, Sequence[RowData]], old: Sequence[Mapping[str, object]]
) -> tuple[dict[str, list[RowData]], int, tuple[str, ...]]:
    """The new rows with the disputes of the old ones, how many were carried over, and those that were lost."""
    open_disputes: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in old:
        dispute = row.get("upstream_dispute")
        if isinstance(dispute, str) and dispute:
            open_disputes[_anchor_key(row)].append(dispute)
    fresh = {name: list(rows.get(name, ())) for name in OWNED}
    carried = 0
    for index, row in enumerate(fresh[CLAIM_AUDIT_RESULTS]):
        waiting = open_disputes.get(_anchor_key(row))
        if waiting and row.get("defect_stage") not in (None, NOT_APPLICABLE) and len(waiting[0]) <= _MAX_DISPUTE:
            fresh[CLAIM_AUDIT_RESULTS][index] = _disputed(row, waiting.pop(0))
            carried += 1
    return fresh, carried, tuple(each for waiting in open_disputes.values() for each in waiting)


def _anchor_key(row: Mapping[str, object]) -> tuple[str, ...]:
    texts = (row.get(key) for key in ("claim_text", "ref_slug", "anchor_kind", "anchor_value"))
    return tuple(normal(text) if isinstance(text, str) else "" for text in texts)


def _disputed(row: RowData, dispute: str) -> RowData:
    """The row with a dispute, in the place that the contract gives it."""
    made: RowData = {}
    for key, value in row.items():
        if key == "audit_run_id":
            made["upstream_dispute"] = dispute
        made[key] = value
    made.setdefault("upstream_dispute", dispute)
    return made


def _numbered_on(kept: Sequence[Mapping[str, object]], fresh: Sequence[RowData]) -> list[RowData]:
    """New rows whose finding ids go on from the highest that is kept."""
    offset = max((_number(row) for row in kept), default=0)
    return [_renumbered(row, offset) for row in fresh]


def _number(row: Mapping[str, object]) -> int:
    digits = str(row.get("finding_id", "")).rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < _MAX_DISPUTE else 0


def _renumbered(row: RowData, offset: int) -> RowData:
    if not offset or "finding_id" not in row:
        return row
    prefix = str(row["finding_id"]).rpartition("-")[0]
    return {**row, "finding_id": f"{prefix}-{_number(row) + offset:03d}"}


# --- new texts


def _edited(file: _File, rows: Mapping[str, list[Mapping[str, object]]] | None) -> str:
    """The text of a file with the rows put in, or, without rows, with the owned aggregates taken out."""
    text, expected = file.text, dict(file.top)
    try:
        for name in OWNED:
            if rows is not None and (rows[name] or name in file.top or name == CLAIM_AUDIT_RESULTS):
                text = set_member(text, name, rows[name], yaml=file.yaml)
                expected[name] = rows[name]
            elif rows is None and name in file.top:
                text = remove_member(text, name, yaml=file.yaml)
                del expected[name]
    except WriteError as error:
        raise WriteError(error.message, path=str(file.path)) from error
    again = _parse(text, file.path)
    if again.refusal is not None or (again.value or {}) != expected:
        raise WriteError(
            "the rows cannot be put in without touching the rest (is something in them referred to from outside, "
            "or written in an unusual form?); nothing was written",
            path=str(file.path),
        )
    return text


def _check(texts: Mapping[Path, str], validate: Validate) -> None:
    faults = list(validate(texts))
    if faults:
        more = f" (and {len(faults) - _SHOWN} more)" if len(faults) > _SHOWN else ""
        raise WriteError(
            f"nothing was written, because the new rows break the contract: {'; '.join(faults[:_SHOWN])}{more}"
        )


def _write(files: Sequence[_File], texts: Mapping[Path, str]) -> tuple[Path, ...]:
    """Write what has changed; when one file fails, those before it get their old text back."""
    done: list[_File] = []
    for file in files:
        if texts[file.path] == file.text:
            continue
        try:
            write_text_atomic(file.path, _bom(file) + texts[file.path])
        except WriteError:
            for earlier in done:
                write_text_atomic(earlier.path, _bom(earlier) + earlier.text)
            raise
        done.append(file)
    return tuple(file.path for file in done)


def _bom(file: _File) -> str:
    return _BOM if file.bom else ""
