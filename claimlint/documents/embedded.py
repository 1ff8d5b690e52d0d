"""Manifests that live in a draft: in a JSON or YAML fence, an HTML comment, or the front matter.

Each becomes a passport file whose places are places of the draft. A fence that is no manifest is left alone; one
that names manifests but cannot be read gets the reader's note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from claimlint.documents.json_text import Parsed, parse_json
from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS, PassportFile, Row
from claimlint.documents.reader import read_parsed
from claimlint.documents.source import EmbeddedSource, JsonSource, TextSource

if TYPE_CHECKING:
    from claimlint.documents.markdown import Comment, Fence

_NAME = "claim_intent_manifest"
_COMMENT = re.compile(r"<!--\s*+claim_intent_manifest(s?)\s*+(:?)")
_LANGUAGE = re.compile(r"\{?\.?(json|ya?ml)\b", re.IGNORECASE)
_MANIFEST_KEYS = frozenset({"manifest_id", "claims"})


def fence_manifests(fences: Iterable[Fence], outer: TextSource) -> Iterator[PassportFile]:
    """The manifests in the code fences of a draft, one passport file a fence."""
    for fence in fences:
        language = _LANGUAGE.match(fence.info)
        named = _NAME in fence.text
        if language is None or not (named or set(_keys(fence.text)) >= _MANIFEST_KEYS):
            continue
        made = _read(fence.text, fence.offsets, outer, yaml=language[1].lower() != "json")
        if made is not None and (
            CLAIM_INTENT_MANIFESTS in made.rows or _misplaced(made) or (named and made.notes)
        ):
            yield made


def comment_manifest(comment: Comment, outer: TextSource) -> PassportFile | None:
    """The manifest in an HTML comment that begins with ``claim_intent_manifest``, or None."""
    opening = _COMMENT.match(comment.text)
    if opening is None:
        return None
    end = len(comment.text) - 3 if comment.text.endswith("-->") else len(comment.text)
    start = opening.end()
    rest = comment.text[start:end]
    if opening[1] and opening[2] and not rest.lstrip().startswith("{"):
        # The plural with its colon is a YAML key: the text is a passport from there on.
        start = opening.start(0) + comment.text[: opening.end()].index(_NAME)
        rest = comment.text[start:end]
    elif not rest.strip():
        return None
    text, offsets = _cut(comment.text, comment.offsets, start, end)
    return _read(text, offsets, outer, yaml=rest.lstrip()[:1] not in ("{", "["))


def front_matter(fence: Fence, outer: TextSource) -> tuple[dict[str, Any], str | None, PassportFile | None]:
    """The front matter as an object, why it could not be read (or None), and the manifests in it."""
    if fence.info != "yaml" or not fence.text.strip():
        return {}, None, None
    from claimlint.documents.yaml_text import YamlSource, parse_yaml

    source = EmbeddedSource(outer, YamlSource(outer.path, fence.text), fence.offsets)
    parsed = parse_yaml(fence.text)
    if parsed.refusal is not None:
        if _NAME in fence.text:
            return {}, None, read_parsed(parsed, source, fence.text, yaml=True)
        line = source.locate(parsed.refusal.span).line
        return {}, f"line {line}: {parsed.refusal.message}", None
    if not isinstance(parsed.value, dict):
        return {}, None, None
    top: dict[str, Any] = parsed.value
    if CLAIM_INTENT_MANIFESTS in top:
        found = {CLAIM_INTENT_MANIFESTS: top[CLAIM_INTENT_MANIFESTS]}
        return top, None, read_parsed(Parsed(found), source, fence.text, yaml=True)
    single = top.get(_NAME)
    if isinstance(single, dict):
        return top, None, PassportFile(source, {CLAIM_INTENT_MANIFESTS: (Row(single, source, (_NAME,)),)})
    return top, None, None


def _keys(text: str) -> Iterator[str]:
    """Those of a bare manifest's keys that a text mentions."""
    return (key for key in _MANIFEST_KEYS if key in text)


def _misplaced(made: PassportFile) -> bool:
    """Whether manifests stand there, but not as an array."""
    return any(member.name == CLAIM_INTENT_MANIFESTS for member in made.misfits)


def _cut(text: str, offsets: tuple[int, ...], start: int, end: int) -> tuple[str, tuple[int, ...]]:
    """A part of a text whose lines have offsets, with the offsets of the part's lines."""
    first = text.count("\n", 0, start)
    line_start = text.rfind("\n", 0, start) + 1
    part = text[start:end]
    lines = part.count("\n") + 1
    return part, (offsets[first] + start - line_start, *offsets[first + 1 : first + lines])


def _read(text: str, offsets: tuple[int, ...], outer: TextSource, *, yaml: bool) -> PassportFile | None:
    """A block as a passport file: an object, or an array of manifests."""
    parsed: Parsed
    inner: TextSource
    if yaml:
        from claimlint.documents.yaml_text import YamlSource, parse_yaml

        parsed, inner = parse_yaml(text), YamlSource(outer.path, text)
    else:
        parsed, inner = parse_json(text), JsonSource(outer.path, text)
    source = EmbeddedSource(outer, inner, offsets)
    value = parsed.value
    if isinstance(value, list):
        if not any(isinstance(item, dict) and item.keys() >= _MANIFEST_KEYS for item in value):
            return None
        rows = tuple(Row(item, source, (number,)) for number, item in enumerate(value) if isinstance(item, dict))
        return PassportFile(source, {CLAIM_INTENT_MANIFESTS: rows})
    if isinstance(value, dict) and CLAIM_INTENT_MANIFESTS not in value:
        single = value.get(_NAME)
        if isinstance(single, dict):
            return PassportFile(source, {CLAIM_INTENT_MANIFESTS: (Row(single, source, (_NAME,)),)})
        if not value.keys() >= _MANIFEST_KEYS:
            return None
    return read_parsed(parsed, source, text, yaml=yaml)
