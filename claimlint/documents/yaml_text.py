"""Strict YAML: scalars as in the YAML 1.2 core schema, so that a document means what its JSON twin means.

A date-time stays a string, ``yes`` stays a string, no tag builds an object, and aliases cannot explode.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from claimlint.documents.json_text import MAX_DIGITS, Parsed, Refusal, holds_surrogate
from claimlint.documents.source import TextSource
from claimlint.findings import Span

if TYPE_CHECKING:
    import yaml

    from claimlint.findings import Pointer

MAX_EXPANDED = 2_000_000
"""How many values a document may hold once every alias is written out."""

MAX_DEPTH = 200
"""How many levels a document may be nested."""

_PLAIN = "plain"
_STRING = "tag:yaml.org,2002:str"
_CONTAINERS = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
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
            return "tag:yaml.org,2002:" + ("seq" if kind is yaml.SequenceNode else "map")

    return Loader


def parse_yaml(text: str) -> Parsed:
    """Parse a YAML text. Never raises: what cannot be read comes back as a ``Refusal``."""
    import yaml

    try:
        node = compose(text)
        if node is None:
            return Parsed(None)
        _bound(node)
        repeats = False
        made: dict[int, Any] = {}
        value = _build(node, made)
        repeats = any(_repeats(each) for each in _mappings(node))
    except _RefusedError as error:
        return Parsed(None, error.refusal)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = 0 if mark is None else min(mark.index, len(text))
        cause = (error.problem or error.context or "cannot be read").strip()
        return Parsed(None, Refusal("unreadable", f"no valid YAML: {cause}", Span(at, at + 1)))
    except yaml.YAMLError as error:
        at = getattr(error, "position", 0)
        cause = getattr(error, "reason", None) or str(error).partition("\n")[0]
        return Parsed(None, Refusal("unreadable", f"no valid YAML: {cause}", Span(at, at + 1)))
    except RecursionError:
        return Parsed(None, Refusal("over-limit", "nested too deep to read", Span(0, 1)))
    except ValueError as error:
        return Parsed(None, Refusal("unreadable", f"no valid YAML: {error}", Span(0, 1)))
    return Parsed(value, None, repeats, holds_surrogate(value))


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
    open_nodes: set[int] = set()
    pending: list[tuple[yaml.Node, bool, int]] = [(root, False, 1)]
    while pending:
        node, done, depth = pending.pop()
        key = id(node)
        if done:
            open_nodes.discard(key)
            size = 1 + sum(sizes[id(child)] for child in _children(node))
            if size > MAX_EXPANDED:
                message = f"aliases expand to more than {MAX_EXPANDED} values"
                raise _RefusedError(Refusal("over-limit", message, _span(node)))
            sizes[key] = size
            continue
        if key in sizes:
            continue
        if key in open_nodes:
            raise _RefusedError(Refusal("over-limit", "an alias refers to its own parent", _span(node)))
        if depth > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep"
            raise _RefusedError(Refusal("over-limit", message, _span(node)))
        open_nodes.add(key)
        pending.append((node, True, depth))
        pending.extend((child, False, depth + 1) for child in _children(node))


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
    value = node.value
    result: Any
    if isinstance(value, str):
        result = _scalar(node)
    elif node.tag not in _CONTAINERS:
        raise _RefusedError(Refusal("not-json", f"the tag {node.tag} is no JSON value", _span(node)))
    elif value and isinstance(value[0], tuple):
        result = {_key(name): _build(item, made) for name, item in value}
    elif node.tag.endswith("map"):
        result = {}
    else:
        result = [_build(item, made) for item in value]
    made[key] = result
    return result


def _key(node: Any) -> str:
    value = _scalar(node) if isinstance(node.value, str) else None
    if not isinstance(value, str):
        raise _RefusedError(Refusal("not-json", "a key that is no string; put it in quotes", _span(node)))
    return value


def _scalar(node: Any) -> Any:
    text: str = node.value
    if node.tag == _STRING:
        return text
    if node.tag != _PLAIN:
        raise _RefusedError(Refusal("not-json", f"the tag {node.tag} is no JSON value", _span(node)))
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        if len(text) > MAX_DIGITS:
            message = f"a number of {len(text)} digits; at most {MAX_DIGITS} are read"
            raise _RefusedError(Refusal("over-limit", message, _span(node)))
        base = 8 if text.startswith("0o") else 16 if text.startswith("0x") else 10
        return int(text, base)
    if _INFINITE.match(text):
        raise _RefusedError(Refusal("not-json", f"{text} is no JSON value", _span(node)))
    if _FLOAT.match(text):
        value = float(text)
        if value - value != 0:
            raise _RefusedError(Refusal("not-json", f"{text[:24]} is too large for a number", _span(node)))
        return value
    return text


def _span(node: Any) -> Span:
    return Span(node.start_mark.index, max(node.start_mark.index + 1, node.end_mark.index))


class YamlSource(TextSource):
    """A YAML text, in which pointers can be looked up."""

    __slots__ = ("_root",)

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self._root: Any = None

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

    @staticmethod
    def _step(node: Any, token: str | int) -> tuple[Any, Any] | None:
        value = node.value
        if isinstance(value, str) or not value:
            return None
        if isinstance(value[0], tuple):
            found = [(name, item) for name, item in value if name.value == token]
            return found[-1] if found else None
        if isinstance(token, int) and 0 <= token < len(value):
            return None, value[token]
        return None
