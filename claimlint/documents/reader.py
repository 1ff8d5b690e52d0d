"""The passport reader: from a file, or a block inside a draft, to rows with places and notes on what is odd."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from claimlint.documents.json_text import Parsed, is_broken, parse_json
from claimlint.documents.passport import (
    AGGREGATES,
    CLAIM_INTENT_MANIFESTS,
    EXPERIMENT_INTAKE_DECLARATION,
    PASSPORT_KEYS,
    Member,
    PassportFile,
    Row,
)
from claimlint.documents.source import JsonSource, TextSource, decode, decode_loosely
from claimlint.documents.values import shorten
from claimlint.errors import EncodingError
from claimlint.findings import Note, Pointer, Related, Source, Span, Tokens

YAML_SUFFIXES = (".yaml", ".yml")
"""File names that end so are read as YAML; every other passport is JSON."""

MANIFEST_KEYS = frozenset(
    {
        "manifest_version",
        "manifest_id",
        "emitted_by",
        "emitted_at",
        "session_id",
        "claims",
        "manifest_negative_constraints",
    }
)
"""The keys of a manifest."""

_MOST_GUESSES = 1000
_MOST_SURROGATES = 20
_LONGEST_KEY = 64
_DEEPEST = 8


def is_manifest(top: Mapping[str, object]) -> bool:
    """Whether an object is a manifest by its keys, bare as it is; one of them may be missing or misspelt."""
    return ("manifest_id" in top or "claims" in top) and len(top.keys() & MANIFEST_KEYS) > 1


def is_yaml(path: str) -> bool:
    """Whether a path is read as YAML."""
    return path.lower().endswith(YAML_SUFFIXES)


def read_passport(data: bytes, path: str) -> PassportFile:
    """A passport file from its bytes. Never raises: an unreadable file is one with a note and no rows."""
    try:
        text = decode(data, path)
    except EncodingError as error:
        source = TextSource(path, decode_loosely(data))
        return _refused(source, "unreadable", error.message, Span(error.offset, error.offset + 1))
    return read_passport_text(text, path)


def read_passport_text(text: str, path: str) -> PassportFile:
    """A passport file from its text; the name's suffix says whether it is YAML."""
    source: TextSource
    if is_yaml(path):
        from claimlint.documents.yaml_text import YamlSource, parse_yaml

        source, parsed = YamlSource(path, text), parse_yaml(text)
    else:
        source, parsed = JsonSource(path, text), parse_json(text)
    return read_parsed(parsed, source, text, yaml=is_yaml(path))


def read_parsed(parsed: Parsed, source: Source, text: str, *, yaml: bool) -> PassportFile:
    """A passport file from a parsed document.

    ``source`` locates places (also for a block inside a draft), ``text`` is what was parsed.
    """
    if parsed.refusal is not None:
        return _refused(source, parsed.refusal.kind, parsed.refusal.message, parsed.refusal.span)
    if not isinstance(parsed.value, dict):
        note = Note("not-an-object", source, Pointer(()), {"found": type_name(parsed.value)})
        return PassportFile(source, {}, notes=(note,), recognised=False, readable=False)
    return _passport_file(parsed.value, source, oddities(parsed, source, text, yaml=yaml))


def oddities(parsed: Parsed, source: Source, text: str, *, yaml: bool) -> list[Note]:
    """The notes on a document that could be read: its repeated keys and broken strings."""
    notes: list[Note] = []
    if parsed.repeats:
        notes.extend(_duplicates(text, source, yaml=yaml))
    if parsed.surrogates:
        notes.extend(_surrogates(parsed.value, source))
    return notes


def type_name(value: object) -> str:
    """What a value is in the words of JSON, with its article: ``an array``."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _passport_file(top: dict[str, Any], source: Source, notes: list[Note]) -> PassportFile:
    rows: dict[str, tuple[Row, ...]] = {}
    misfits: list[Member] = []
    declaration: Member | None = None
    strangers = 0
    for key, value in top.items():
        if key in AGGREGATES:
            if isinstance(value, list):
                found = [Row(item, source, (key, index)) for index, item in enumerate(value) if type(item) is dict]
                rows[key] = tuple(found)
                if len(found) != len(value):
                    misfits.extend(
                        Member(key, item, source, (key, index))
                        for index, item in enumerate(value)
                        if type(item) is not dict
                    )
            else:
                misfits.append(Member(key, value, source, (key,)))
        elif key == EXPERIMENT_INTAKE_DECLARATION:
            declaration = Member(key, value, source, (key,))
        else:
            strangers += 1
            meant = near_miss(key, guess=strangers <= _MOST_GUESSES)
            if meant is not None and meant not in top:
                place = Pointer((key,), key=True)
                notes.append(Note("near-miss-key", source, place, {"key": shorten(key), "meant": meant}))
    recognised = any(key in top for key in PASSPORT_KEYS)
    if not recognised and is_manifest(top):
        rows[CLAIM_INTENT_MANIFESTS] = (Row(top, source, ()),)
        recognised = True
    elif not recognised and not any(note.kind == "near-miss-key" for note in notes):
        keys = ", ".join(shorten(key, 30) for key in sorted(top)[:5])
        notes.append(Note("nothing-recognised", source, Pointer(()), {"keys": keys}))
    return PassportFile(source, rows, tuple(misfits), declaration, tuple(notes), recognised)


def near_miss(key: str, *, guess: bool = True) -> str | None:
    """The passport key that an unknown top-level key was probably meant to be, or None.

    Without ``guess``, which takes longer, only spacing, case and plurals may differ.
    """
    if len(key) > _LONGEST_KEY:
        return None
    plain = key.strip().lower().replace("-", "_").replace(" ", "_")
    meant = _by_letters().get(_letters(plain))
    if meant is not None or not guess:
        return meant
    words = {word.rstrip("s") for word in plain.split("_")}
    known = [name for name in PASSPORT_KEYS if words & {word.rstrip("s") for word in name.split("_")}]
    if not known and "_" in plain:
        known = [name for name in PASSPORT_KEYS if name[:4] == plain[:4] or name[-4:] == plain[-4:]]
    if not known:
        return None
    from difflib import get_close_matches

    return next(iter(get_close_matches(plain, known, n=1, cutoff=0.84)), None)


def _letters(key: str) -> str:
    return key.replace("_", "").rstrip("s")


@cache
def _by_letters() -> dict[str, str]:
    return {_letters(name): name for name in PASSPORT_KEYS}


def _refused(source: Source, kind: str, message: str, at: Span) -> PassportFile:
    note = Note(kind, source, at, {"cause": message})
    return PassportFile(source, {}, notes=(note,), recognised=False, readable=False)


def _duplicates(text: str, source: Source, *, yaml: bool) -> list[Note]:
    if yaml:
        from claimlint.documents.yaml_text import duplicate_keys

        found = duplicate_keys(text)
    else:
        from claimlint.documents.positions import duplicates

        found = list(duplicates(text))
    return [
        Note(
            "duplicate-key",
            source,
            after,
            {"key": shorten(key), "first": str(source.locate(before).line)},
            (Related("first written here", source, before),),
        )
        for key, before, after in found
    ]


def _surrogates(top: object, source: Source) -> list[Note]:
    """The first broken strings of a document, each at its place, or at a parent of it that is not too deep."""
    found: list[Note] = []
    pending: list[tuple[Tokens, bool, object]] = [((), False, top)]
    while pending and len(found) < _MOST_SURROGATES:
        tokens, key, value = pending.pop()
        if isinstance(value, str):
            if is_broken(value):
                whole = len(tokens) <= _DEEPEST
                found.append(Note("lone-surrogate", source, Pointer(tokens[:_DEEPEST], key and whole), {}))
        elif isinstance(value, dict):
            for name, item in reversed(value.items()):
                pending += [((*tokens, name), False, item), ((*tokens, name), True, name)]
        elif isinstance(value, list):
            pending.extend(((*tokens, index), False, item) for index, item in reversed(list(enumerate(value))))
    return found
