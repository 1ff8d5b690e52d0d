"""The row schemas: where they are, whether a row fits its schema, and what is wrong with one that does not.

The files in ``schemas/`` hold no ``anyOf`` and the like, so that the place of a value in a row decides what is
allowed there and every fault can be put in one sentence.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from claimlint.documents.passport import (
    AUDIT_SAMPLING_SUMMARIES,
    CLAIM_AUDIT_RESULTS,
    CLAIM_DRIFTS,
    CLAIM_INTENT_MANIFESTS,
    CONSTRAINT_VIOLATIONS,
    EXPERIMENT_ALIGNMENT_RESULTS,
    EXPERIMENT_INTAKE_DECLARATION,
    EXPERIMENT_PROVENANCE,
    LITERATURE_CORPUS,
    UNCITED_ASSERTIONS,
    UNCITED_AUDIT_FAILURES,
)
from claimlint.errors import ClaimlintError, UsageError

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

    from claimlint.findings import Tokens

NAMES: Mapping[str, str] = {
    CLAIM_AUDIT_RESULTS: "claim_audit_result",
    CLAIM_INTENT_MANIFESTS: "claim_intent_manifest",
    UNCITED_ASSERTIONS: "uncited_assertion",
    CLAIM_DRIFTS: "claim_drift",
    CONSTRAINT_VIOLATIONS: "constraint_violation",
    UNCITED_AUDIT_FAILURES: "uncited_audit_failure",
    AUDIT_SAMPLING_SUMMARIES: "audit_sampling_summary",
    EXPERIMENT_PROVENANCE: "experiment_provenance",
    EXPERIMENT_ALIGNMENT_RESULTS: "experiment_alignment_result",
    EXPERIMENT_INTAKE_DECLARATION: "experiment_intake_declaration",
    LITERATURE_CORPUS: "literature_corpus_entry",
}
"""The schema of each top-level key of a passport (contract, section 2)."""

Schema = dict[str, Any]
Broken = dict["Tokens", set[str]]

_HERE = os.path.dirname(os.path.abspath(__file__))
_FOLDERS = (os.path.join(_HERE, "_schemas"), os.path.join(os.path.dirname(_HERE), "schemas"))
_DEPTH = 8
_SHOWN = 60
_FEW_KEYS = 10
_NEAR_LENGTH = 64
_GUESSES = 20
_EXACT = 2**53
_HUGE = 10**18
_UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError, SystemError)
"""What the validator's releases raise at a value that JSON does not have, such as half a surrogate pair."""

_EMPTY: tuple[object, ...] = (None, "", [], {})
_ORDER = ("type", "enum", "const", "minLength", "maxLength", "minItems", "minimum", "uniqueItems", "pattern")


class SchemaFault(NamedTuple):
    """One thing that is wrong with a row.

    ``tokens`` lead to it from the row; with ``key`` true the place is that member's key. ``rule`` names the
    broken part of the schema without any value of the row, so that equal faults of many rows have one ``rule``.
    """

    tokens: Tokens
    message: str
    rule: str
    key: bool = False


@cache
def text(name: str) -> str:
    """The text of a schema file, for example that of ``claim_drift``.

    Raises ``UsageError`` for a name that is no schema's and ``ClaimlintError`` when the file cannot be read.
    """
    if name not in NAMES.values():
        near = _near(name, NAMES.values())
        hint = f"did you mean {near}?" if near else f"the schemas are {_either(sorted(NAMES.values()), 'and')}"
        raise UsageError(f"no schema is called {_shown(name)}; {hint}")
    for folder in _FOLDERS:
        try:
            with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ClaimlintError(f"the schema {name} cannot be read: {error.strerror}") from error
    raise ClaimlintError(f"the schema {name} is not part of this installation; install claimlint again")


@cache
def load(name: str) -> Schema:
    """A schema as a JSON object, shared by all callers: do not change it. Raises as ``text`` does."""
    schema: Schema = json.loads(text(name))
    return schema


def valid_rows(name: str, rows: Sequence[object]) -> bool:
    """Whether every row fits the schema; in one call, which is the fastest way to clear a whole aggregate."""
    try:
        return _validator(name).is_valid(rows)
    except _UNREADABLE:
        return all(is_valid(name, row) for row in rows)


def is_valid(name: str, row: object) -> bool:
    """Whether a row fits the schema. No value raises: not even one that JSON does not have.

    Integers are compared up to the digits that Python converts (4300); the readers refuse longer ones.
    """
    try:
        return _validator(name).is_valid([row])
    except _UNREADABLE:
        return _validator(name).is_valid([_plain(row, _DEPTH)])


def faults(name: str, row: object) -> tuple[SchemaFault, ...]:
    """All that is wrong with a row, sorted by place, one fault for each root cause; empty when it fits.

    A missing key stands at the object that lacks it, an unknown key at the key, anything else at its value.
    """
    broken = _broken(name, row)
    if not broken:
        return ()
    parents = {tokens[:-1] for tokens in broken if tokens}
    schema = load(name)
    found: list[SchemaFault] = []
    for tokens, keywords in broken.items():
        if keywords == {"uniqueItems"} and tokens in parents:
            continue
        value = _value(row, tokens)
        if isinstance(value, dict) and keywords <= {"required", "additionalProperties"}:
            found.extend(_key_faults(name, schema, tokens, value))
        else:
            found.append(_value_fault(schema, tokens, value, keywords))
    return tuple(sorted(found, key=lambda fault: (_sortable(fault.tokens), fault.rule)))


@cache
def _validator(name: str) -> Draft202012Validator:
    """The compiled validator of a list of rows."""
    from jsonschema_rs import Draft202012Validator

    schema = load(name)
    row = {key: value for key, value in schema.items() if key not in ("$schema", "$defs")}
    rows = {"type": "array", "items": row, "$defs": schema.get("$defs", {})}
    return Draft202012Validator(rows, validate_formats=True)


def _broken(name: str, row: object) -> Broken:
    try:
        return _errors(name, row)
    except _UNREADABLE:
        return _errors(name, _plain(row, _DEPTH))


def _errors(name: str, row: Any) -> Broken:
    broken: Broken = {}
    for error in _validator(name).iter_errors([row]):
        tokens = tuple(error.instance_path[1:])
        broken.setdefault(tokens, set()).add(str(error.schema_path[-1]))
    return broken


def _plain(value: object, depth: int) -> object:
    """A copy that the validator can read, and whose faults are those of the value.

    No schema looks deeper than ``_DEPTH``, into a huge number or at half a surrogate pair: it is the kind of the
    value, its length and its keys that decide.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return max(-_EXACT, min(value, _EXACT))
    if isinstance(value, dict):
        return {_plain_key(key): _plain(item, depth - 1) for key, item in value.items()} if depth else {}
    if isinstance(value, list):
        return [_plain(item, depth - 1) for item in value] if depth else []
    return value if isinstance(value, float) and isfinite(value) else 0.5


def _plain_key(key: object) -> object:
    return _plain(key, 0) if isinstance(key, str) else "\ufffd"


def _sortable(tokens: Tokens) -> tuple[tuple[int, str], ...]:
    return tuple((token, "") if isinstance(token, int) else (-1, str(token)) for token in tokens)


def _value(row: Any, tokens: Tokens) -> object:
    for token in tokens:
        row = row[token]
    return row


def _node(schema: Schema, tokens: Tokens) -> Schema:
    """What the schema says of the value at ``tokens``; of a named form, the form's own description."""
    node = schema
    for token in tokens:
        node = node["items"] if isinstance(token, int) else node["properties"][token]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _key_faults(name: str, schema: Schema, tokens: Tokens, value: dict[Any, Any]) -> Iterator[SchemaFault]:
    """The missing and the unknown keys of an object; a misspelt key is one fault, not two."""
    node = _node(schema, tokens)
    properties: Schema = node["properties"]
    rule = _rule(tokens)
    missing = [key for key in node["required"] if key not in value]
    unknown: list[SchemaFault] = []
    for key in value if node.get("additionalProperties") is False else ():
        if key in properties:
            continue
        absent = [each for each in properties if each not in value]
        near = _near(key, missing) or _near(key, absent) if len(unknown) < _GUESSES else None
        if near in missing:
            missing.remove(near)
            hint = f"did you mean {near}, which is missing?"
        elif near:
            hint = f"did you mean {near}?"
        elif len(properties) <= _FEW_KEYS:
            hint = f"the keys are {_either(properties, 'and')}"
        else:
            hint = f"`claimlint schema {name}` lists the keys"
        message = f"unknown key {_shown(key)}{_inside(tokens)}; {hint}"
        unknown.append(SchemaFault((*tokens, key), message, f"{rule}: unknown key {_shown(key)}", key=True))
    for key in missing:
        message = f"{key} is missing{_inside(tokens)}; it must be {_allowed(_node(schema, (*tokens, key)))}"
        yield SchemaFault(tokens, message, f"{rule}: {key} missing")
    yield from unknown


def _value_fault(schema: Schema, tokens: Tokens, value: object, keywords: set[str]) -> SchemaFault:
    node = _node(schema, tokens)
    name = _place(tokens) or "the row"
    keyword = next((each for each in _ORDER if each in keywords), "pattern")
    allowed = _allowed(node)
    if isinstance(value, str) and keyword == "maxLength":
        message = f"{name} has {len(value)} characters, but may have at most {node['maxLength']}"
    elif isinstance(value, list) and keyword == "uniqueItems":
        message = f"{name} holds {_shown(_repeated(value))} more than once, but must name each only once"
    elif keyword in ("minLength", "minItems"):
        count = f"has {_count(value, 'item')}" if isinstance(value, list) and value else "is empty"
        message = f"{name} {count}, but must be {allowed}"
    else:
        message = f"{name} is {_shown(value)}, but must be {allowed}"
    if value in _EMPTY and _is_optional(schema, tokens):
        message += ", or be left out"
    if keyword == "enum" and isinstance(value, str):
        near = _near(value, (each for each in node["enum"] if each is not None))
        message += f'; did you mean "{near}"?' if near else ""
    return SchemaFault(tokens, message, f"{_rule(tokens)}: {keyword}")


def _is_optional(schema: Schema, tokens: Tokens) -> bool:
    return (
        bool(tokens) and isinstance(tokens[-1], str) and tokens[-1] not in _node(schema, tokens[:-1])["required"]
    )


def _allowed(node: Schema) -> str:
    """What the schema allows at a place, as the end of "it must be …"."""
    if "const" in node:
        return _shown(node["const"])
    if "enum" in node:
        return _either(map(_shown, node["enum"]), "or")
    if "pattern" in node:
        return str(node["description"])
    if "type" not in node:
        return "any value"
    types: list[str] = [node["type"]] if isinstance(node["type"], str) else node["type"]
    return _either((_kind(node, each) for each in types), "or")


def _kind(node: Schema, kind: str) -> str:
    if kind == "string":
        return _string_kind(node.get("minLength"), node.get("maxLength"))
    if kind == "array" and "minItems" in node:
        return f"an array of {node['minItems']} or more items"
    if kind == "integer":
        return f"a whole number of {node['minimum']} or more"
    words = {"array": "an array", "object": "an object", "boolean": "true or false", "number": "a number"}
    return words.get(kind, kind)


def _string_kind(least: int | None, most: int | None) -> str:
    if most is None:
        return "a string" if least is None else "a string that is not empty"
    return (
        f"a string of at most {most} characters" if least is None else f"a string of {least} to {most} characters"
    )


def _either(words: Iterable[str], last: str) -> str:
    *some, end = words
    return f"{', '.join(some)} {last} {end}" if some else str(end)


def _near(word: object, known: Iterable[str]) -> str | None:
    """The known word that another was probably meant to be: case and hyphens aside, or a letter or two off."""
    if not isinstance(word, str) or len(word) > _NEAR_LENGTH:
        return None
    return _nearest(word.strip().lower().replace("-", "_").replace(" ", "_"), tuple(known))


@lru_cache(maxsize=1024)
def _nearest(plain: str, known: tuple[str, ...]) -> str | None:
    from difflib import get_close_matches

    by_plain = {each.lower(): each for each in known}
    return next((by_plain[each] for each in get_close_matches(plain, by_plain, n=1, cutoff=0.75)), None)


def _repeated(items: list[object]) -> object:
    seen: set[str] = set()
    for item in items:
        if isinstance(item, str):
            if item in seen:
                return item
            seen.add(item)
    return items


def _place(tokens: Tokens) -> str:
    parts = (f"[{token}]" if isinstance(token, int) else f".{token}" for token in tokens)
    return "".join(parts).lstrip(".")


def _inside(tokens: Tokens) -> str:
    return f" in {_place(tokens)}" if tokens else ""


def _rule(tokens: Tokens) -> str:
    return "/".join("*" if isinstance(token, int) else str(token) for token in tokens) or "row"


def _count(items: Sequence[object], word: str) -> str:
    return f"{len(items)} {word}" if len(items) == 1 else f"{len(items)} {word}s"


def _shown(value: object) -> str:
    """A value as a message shows it: JSON, cut short, with everything a terminal could obey escaped."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        cut = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
        return "".join(map(_escaped, json.dumps(cut, ensure_ascii=False)))
    if isinstance(value, int):
        return str(value) if -_HUGE < value < _HUGE else "a number of nineteen or more digits"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, list):
        return f"an array of {_count(value, 'item')}" if value else "an empty array"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    number = ord(char)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
