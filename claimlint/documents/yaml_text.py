"""Strict YAML: scalars as in the YAML 1.2 core schema, so that a document means what its JSON twin means.

A date-time stays a string, ``yes`` stays a string, no tag builds an object, and aliases cannot explode.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from claimlint.documents.json_text import MAX_DEPTH, MAX_DIGITS, Parsed, Refusal, holds_surrogate
from claimlint.documents.source import TextSource
from claimlint.findings import Span

if TYPE_CHECKING:
    import yaml

    from claimlint.findings import Pointer

MAX_EXPANDED = 2_000_000
"""How many values the aliases of a document may add to it once every one is written out.

Every hundred characters of a string count as one value more.
"""

_A_VALUE = 100
_PLAIN = "plain"
_TAG = "tag:yaml.org,2002:"
_STRING = _TAG + "str"
_CONTAINERS = {"mapping": _TAG + "map", "sequence": _TAG + "seq"}
_KINDS = {_TAG + "int": int, _TAG + "float": float, _TAG + "bool": bool, _TAG + "null": type(None)}
_MAX_BITS = 14_284
_INT = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("null", "Null", "NULL", "~", "")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


@cache
def _loader() -> type[Any]:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """The safe loader, told to leave the meaning of plain scalars to this module."""

        def resolve(self, kind: type[Any], value: Any, implicit: Any) -> str:
            if kind is yaml.ScalarNode:
                return _PLAIN if implicit[0] else _STRING
            return _CONTAINERS[kind.id]

    return Loader


def parse_yaml(text: str) -> Parsed:
    """Parse a YAML text. Never raises: what cannot be read comes back as a ``Refusal``."""
    import yaml

    if not text.strip():
        return Parsed(None, Refusal("unreadable", "the file is empty", Span(0, 0)))
    try:
        node = compose(text)
        if node is None:
            return Parsed(None)
        _bound(node)
        value = _build(node, {})
        repeats = any(_repeats(each) for each in _mappings(node))
    except _RefusedError as error:
        return Parsed(None, error.refusal)
    except yaml.MarkedYAMLError as error:
        return Parsed(None, _marked(text, error))
    except yaml.YAMLError as error:
        return Parsed(None, _unmarked(text, error))
    except RecursionError:
        return Parsed(None, Refusal("over-limit", f"nested too deep; {_DEPTH_LIMIT}", Span(0, 1)))
    except ValueError as error:
        return Parsed(None, Refusal("unreadable", f"no valid YAML: {error}", Span(0, 1)))
    return Parsed(value, None, repeats, holds_surrogate(value))


_DEPTH_LIMIT = f"at most {MAX_DEPTH} levels are read"


def _marked(text: str, error: yaml.MarkedYAMLError) -> Refusal:
    mark = error.problem_mark or error.context_mark
    at = 0 if mark is None else min(mark.index, len(text))
    span = Span(at, at + 1)
    cause = (error.problem or error.context or "cannot be read").strip()
    if "nesting depth" in cause:
        return Refusal("over-limit", f"nested too deep; {_DEPTH_LIMIT}", span)
    if "another document" in cause:
        return Refusal("unreadable", "more than one YAML document; a passport is one, so split the file", span)
    if text.startswith("\t", at):
        cause = "a tab cannot indent; use blanks"
    return Refusal("unreadable", f"no valid YAML: {cause}", span)


def _unmarked(text: str, error: yaml.YAMLError) -> Refusal:
    """The refusal for a character that YAML does not allow: the C reader counts bytes, so it is looked for."""
    character = getattr(error, "character", None)
    found = chr(character) if isinstance(character, int) else character
    at = max(0, text.find(found)) if isinstance(found, str) and found else 0
    cause = getattr(error, "reason", None) or str(error).partition("\n")[0]
    return Refusal("unreadable", f"no valid YAML: {cause}", Span(at, at + 1))


def compose(text: str) -> yaml.Node | None:
    """The node tree of the one document in a text; raises what the YAML library raises."""
    loader = _loader()(text)
    try:
        node: yaml.Node | None = loader.get_single_node()
    finally:
        loader.dispose()
    return node


def _bound(root: yaml.Node) -> None:
    """Refuse a document that is too deep, refers to itself, or grows too large when aliases are written out."""
    sizes: dict[int, int] = {}
    heights: dict[int, int] = {}
    open_nodes: set[int] = set()
    written = 0
    pending: list[tuple[yaml.Node, bool]] = [(root, False)]
    while pending:
        node, done = pending.pop()
        key = id(node)
        if done:
            open_nodes.discard(key)
            children = _children(node)
            written += 1
            sizes[key] = size = 1 + sum(sizes[id(child)] for child in children)
            heights[key] = 1 + max((heights[id(child)] for child in children), default=0)
            if heights[key] > MAX_DEPTH:
                raise _RefusedError(Refusal("over-limit", f"nested too deep; {_DEPTH_LIMIT}", _span(node)))
            if size > MAX_EXPANDED + written:
                message = f"aliases add more than {MAX_EXPANDED} values when they are written out"
                raise _RefusedError(Refusal("over-limit", message, _span(node)))
        elif isinstance(node.value, str):
            sizes[key] = size = 1 + len(node.value) // _A_VALUE
            written += size if key not in heights else 0
            heights[key] = 0
        elif key in open_nodes:
            raise _RefusedError(Refusal("over-limit", "an alias refers to its own parent", _span(node)))
        elif key not in sizes:
            open_nodes.add(key)
            pending.append((node, True))
            pending.extend((child, False) for child in _children(node))


def _children(node: yaml.Node) -> list[Any]:
    value: Any = node.value
    if isinstance(value, str):
        return []
    return [part for item in value for part in (item if isinstance(item, tuple) else (item,))]


def _mappings(root: yaml.Node) -> list[Any]:
    import yaml

    seen: set[int] = set()
    found: list[Any] = []
    pending: list[Any] = [root]
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            found.append(node)
        pending.extend(_children(node))
    return found


def _repeats(node: Any) -> bool:
    keys = [key.value for key, _ in node.value]
    return len(set(keys)) != len(keys)


def duplicate_keys(text: str) -> list[tuple[str, Span, Span]]:
    """Every key that a mapping repeats: key, span of its first and of its later place, in document order."""
    root = compose(text)
    found: list[tuple[str, Span, Span]] = []
    for node in [] if root is None else _mappings(root):
        first: dict[str, Span] = {}
        for key, _ in node.value:
            if key.value in first:
                found.append((key.value, first[key.value], _span(key)))
            else:
                first[key.value] = _span(key)
    return sorted(found, key=lambda each: each[2].start)


def _build(node: Any, made: dict[int, Any]) -> Any:
    key = id(node)
    if key in made:
        return made[key]
    result: Any
    if node.id == "scalar":
        result = _scalar(node)
    elif node.tag != _CONTAINERS[node.id]:
        raise _foreign_tag(node)
    elif node.id == "mapping":
        result = {_key(name): _build(item, made) for name, item in node.value}
    else:
        result = [_build(item, made) for item in node.value]
    made[key] = result
    return result


def _foreign_tag(node: Any) -> _RefusedError:
    tag = str(node.tag).replace(_TAG, "!!")
    shown = tag if len(tag) <= 60 else tag[:59] + "…"
    return _RefusedError(Refusal("not-json", f"the tag {shown} is no JSON value", _span(node)))


def _key(node: Any) -> str:
    value = _scalar(node) if isinstance(node.value, str) else None
    if value == "<<" and node.tag == _PLAIN:
        message = "the merge key <<, which JSON does not have; write the keys out"
        raise _RefusedError(Refusal("not-json", message, _span(node)))
    if not isinstance(value, str):
        raise _RefusedError(Refusal("not-json", "a key that is no string; put it in quotes", _span(node)))
    return value


def _scalar(node: Any) -> Any:
    if node.tag == _STRING:
        return node.value
    if node.tag == _PLAIN:
        return _plain(node)
    kind = _KINDS.get(node.tag)
    if kind is None:
        raise _foreign_tag(node)
    value = _plain(node)
    if kind is float and type(value) is int:
        value = _float(str(value), node)
    if type(value) is not kind:
        raise _foreign_tag(node)
    return value


def _plain(node: Any) -> Any:
    text: str = node.value
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        if len(text) > MAX_DIGITS:
            message = f"a number of {len(text)} digits; at most {MAX_DIGITS} are read"
            raise _RefusedError(Refusal("over-limit", message, _span(node)))
        base = 8 if text.startswith("0o") else 16 if text.startswith("0x") else 10
        number = int(text, base)
        if base != 10 and number.bit_length() > _MAX_BITS:
            message = f"a number of more than {MAX_DIGITS} digits; no more are read"
            raise _RefusedError(Refusal("over-limit", message, _span(node)))
        return number
    if _INFINITE.match(text):
        raise _RefusedError(Refusal("not-json", f"{text} is no JSON value", _span(node)))
    return _float(text, node) if _FLOAT.match(text) else text


def _float(text: str, node: Any) -> float:
    value = float(text)
    if value - value != 0:
        raise _RefusedError(Refusal("not-json", f"{text[:24]} is too large for a number", _span(node)))
    return value


def _span(node: Any) -> Span:
    return Span(node.start_mark.index, max(node.start_mark.index + 1, node.end_mark.index))


class YamlSource(TextSource):
    """A YAML text, in which pointers can be looked up."""

    __slots__ = ("_root", "_tables")

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self._root: Any = None
        self._tables: dict[int, dict[str, tuple[Any, Any]]] = {}

    def span_of(self, pointer: Pointer) -> Span:
        """The span of a pointer's value, or of its key; of the nearest parent when it is not there."""
        if self._root is None:
            import yaml

            try:
                self._root = compose(self.text) or False
            except (yaml.YAMLError, ValueError, RecursionError):
                self._root = False
        if self._root is False:
            return Span(0, 0)
        node, key = self._root, None
        for token in pointer.tokens:
            step = self._step(node, token)
            if step is None:
                break
            key, node = step
        else:
            if pointer.key and key is not None:
                return _span(key)
        span = _span(node)
        return Span(span.start, span.start + len(self.text[span.start : span.end].rstrip()))

    def _step(self, node: Any, token: str | int) -> tuple[Any, Any] | None:
        if node.id == "mapping" and isinstance(token, str):
            table = self._tables.get(id(node))
            if table is None:
                table = {name.value: (name, item) for name, item in node.value if name.id == "scalar"}
                self._tables[id(node)] = table
            return table.get(token)
        if node.id == "sequence" and isinstance(token, int) and 0 <= token < len(node.value):
            return None, node.value[token]
        return None
