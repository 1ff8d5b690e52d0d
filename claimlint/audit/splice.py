"""Replacing top-level members of a JSON or YAML document and leaving every other character as it is.

``set_member`` and ``remove_member`` work on texts that the readers accept. The caller reads the result again:
what cannot be spliced for certain is refused there, not guessed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.errors import WriteError

if TYPE_CHECKING:
    import yaml

RowList = Sequence[Mapping[str, object]]

_BLANK = re.compile(r"[ \t\r\n]*")
_DEFAULT_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Member:
    """A top-level member: where its key begins, and where its value begins and ends."""

    key: str
    start: int
    value: int
    end: int


def set_member(text: str, key: str, rows: RowList, *, yaml: bool) -> str:
    """The document with ``key`` holding ``rows``: replaced where it stands, else put behind the last member.

    Raises WriteError for a document whose form cannot be kept.
    """
    return _set_yaml(text, key, rows) if yaml and not _is_json(text) else _set_json(text, key, rows)


def remove_member(text: str, key: str, *, yaml: bool) -> str:
    """The document without ``key``; raises as ``set_member`` does."""
    return _remove_yaml(text, key) if yaml and not _is_json(text) else _remove_json(text, key)


def new_document(rows: Mapping[str, RowList], *, yaml: bool) -> str:
    """A document of these members alone."""
    if yaml:
        return "".join(_dump_yaml(key, found, "", indented=False) for key, found in rows.items())
    return json.dumps({key: list(found) for key, found in rows.items()}, indent=2, ensure_ascii=False) + "\n"


def _is_json(text: str) -> bool:
    """Whether a YAML text is written as JSON."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


# --- JSON


def _json_members(text: str) -> tuple[list[_Member], int]:
    """The members of the top-level object, and where its closing brace stands."""
    decoder = json.JSONDecoder()
    found: list[_Member] = []
    at = _skip(text, 0)
    at = _skip(text, at + 1)
    try:
        while text[at] != "}":
            start = at
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
            _, end = decoder.raw_decode(text, at)
            found.append(_Member(key, start, at, end))
            at = _skip(text, end)
            if text[at] == ",":
                at = _skip(text, at + 1)
    except (ValueError, IndexError, RecursionError) as error:
        raise WriteError("the top level of the JSON cannot be taken apart") from error
    return found, at


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _json_style(text: str, members: Sequence[_Member]) -> tuple[str | None, bool]:
    """The indentation of the top level (None: everything on one line), and whether blanks follow separators."""
    if not members:
        return (_DEFAULT_INDENT, True)
    first = members[0]
    before = text[text.index("{") + 1 : first.start]
    spaced = text[first.start : first.value].endswith((" ", "\t"))
    return (before.rpartition("\n")[2] if "\n" in before else None, spaced)


def _dump_json(rows: RowList, indent: str | None, *, spaced: bool, text: str) -> str:
    if not rows:
        return "[]"
    ascii_only = text.isascii() and "\\u" in text
    colon = ": " if spaced else ":"
    if indent is None:
        separators = (", " if spaced else ",", colon)
        return json.dumps(list(rows), ensure_ascii=ascii_only, separators=separators)
    unit = indent or _DEFAULT_INDENT
    dumped = json.dumps(list(rows), ensure_ascii=ascii_only, indent=unit, separators=(",", colon))
    return dumped.replace("\n", _newline(text) + indent)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _set_json(text: str, key: str, rows: RowList) -> str:
    members, brace = _json_members(text)
    indent, spaced = _json_style(text, members)
    value = _dump_json(rows, indent, spaced=spaced, text=text)
    for member in members:
        if member.key == key:
            return text[: member.value] + value + text[member.end :]
    line = "" if indent is None else _newline(text) + indent
    gap = " " if indent is None and spaced and members else ""
    entry = f"{line}{gap}{json.dumps(key)}{': ' if spaced else ':'}{value}"
    if members:
        end = members[-1].end
        return text[:end] + "," + entry + text[end:]
    return text[: text.index("{") + 1] + entry + _newline(text) + text[brace:]


def _remove_json(text: str, key: str) -> str:
    members, _ = _json_members(text)
    for index, member in enumerate(members):
        if member.key == key:
            if index + 1 < len(members):
                return text[: member.start] + text[members[index + 1].start :]
            start = members[index - 1].end if index else member.start
            return text[:start] + text[member.end :]
    return text


# --- YAML


def _yaml_members(text: str) -> tuple[list[_Member], int, bool]:
    """The members of the top-level block mapping, its column, and whether its sequences are indented."""
    from claimlint.documents.yaml_text import compose

    root = compose(text)
    pairs = _pairs(root)
    if root is None or not pairs or _in_flow(root):
        raise WriteError("only YAML whose top level is written as lines of KEY: VALUE can be changed")
    starts = [key.start_mark.index for key, _ in pairs]
    limits = [*starts[1:], root.end_mark.index]
    found = [
        _Member(key.value, start, value.start_mark.index, _line_end(text, _yaml_end(text, value, start, limit)))
        for (key, value), start, limit in zip(pairs, starts, limits, strict=True)
    ]
    column = pairs[0][0].start_mark.column
    indented = any(
        not _in_flow(value) and isinstance(value.value, list) and value.start_mark.column > column
        for _, value in pairs
        if value.tag.endswith("seq") and value.value
    )
    return found, column, indented


def _pairs(node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
    value = None if node is None else node.value
    return [pair for pair in value if isinstance(pair, tuple)] if isinstance(value, list) else []


def _in_flow(node: yaml.Node) -> bool:
    return bool(getattr(node, "flow_style", False))


def _yaml_end(text: str, value: yaml.Node, start: int, limit: int) -> int:
    """Where the text of a value ends: behind its last scalar or bracket."""
    end = value.start_mark.index
    pending = [value]
    while pending:
        node = pending.pop()
        if not start <= node.start_mark.index <= limit:
            return _last_text(text, start, limit)  # an alias: the node stands elsewhere
        if isinstance(node.value, str) or _in_flow(node) or not node.value:
            end = max(end, node.end_mark.index)
        else:
            for item in node.value:
                pending.extend(item if isinstance(item, tuple) else (item,))
    return len(text[:end].rstrip())


def _last_text(text: str, start: int, limit: int) -> int:
    """Where the last line before ``limit`` ends that is neither blank nor a comment."""
    end = limit
    while end > start:
        line_start = text.rfind("\n", start, end - 1) + 1
        line = text[max(line_start, start) : end].strip()
        if line and not line.startswith("#"):
            return max(line_start, start) + len(text[max(line_start, start) : end].rstrip())
        end = max(line_start, start)
    return start


def _line_end(text: str, at: int) -> int:
    """Behind the line break of the line that holds an offset."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _set_yaml(text: str, key: str, rows: RowList) -> str:
    members, column, indented = _yaml_members(text)
    block = _dump_yaml(key, rows, " " * column, indented=indented)
    if "\r\n" in text:
        block = block.replace("\n", "\r\n")
    for member in members:
        if member.key == key:
            return text[: member.start - column] + block + text[member.end :]
    end = members[-1].end
    gap = "" if text[:end].endswith("\n") else _newline(text)
    return text[:end] + gap + block + text[end:]


def _remove_yaml(text: str, key: str) -> str:
    members, column, _ = _yaml_members(text)
    for member in members:
        if member.key == key:
            return text[: member.start - column] + text[member.end :]
    return text


def _dump_yaml(key: str, rows: RowList, base: str, *, indented: bool) -> str:
    """A member as lines of YAML; strings that might be read as something else are in quotes."""
    import yaml

    if not rows:
        return f"{base}{key}: []\n"
    dumped: str = yaml.dump(
        [dict(row) for row in rows],
        Dumper=_dumper(),
        sort_keys=False,
        allow_unicode=True,
        width=110,
        default_flow_style=False,
    )
    inner = base + (_DEFAULT_INDENT if indented else "")
    lines = (inner + line if line else line for line in dumped.split("\n"))
    return f"{base}{key}:\n" + "\n".join(lines)


def _dumper() -> type[yaml.SafeDumper]:
    import yaml

    base: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    risky = re.compile(r"[-+.0-9~=<]|(?:true|false|null|yes|no|on|off|y|n)\Z", re.IGNORECASE)

    class Dumper(base):  # type: ignore[misc, valid-type]
        """The safe dumper, which leaves no scalar to be read by its looks, and writes no aliases."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        style = '"' if risky.match(value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper
