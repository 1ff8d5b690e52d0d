"""Manifests that live in a draft: in a JSON or YAML fence, an HTML comment, or the front matter.

Each becomes a passport file whose places are places of the draft. A fence that is no manifest is left alone; one
that names manifests but cannot be read gets the reader's note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from claimlint.documents.json_text import Parsed, parse_json
from claimlint.documents.passport import CLAIM_INTENT_MANIFESTS, Member, PassportFile, Row
from claimlint.documents.reader import MANIFEST_KEYS, is_manifest, near_miss, oddities, read_parsed
from claimlint.documents.source import EmbeddedSource, JsonSource, TextSource

if TYPE_CHECKING:
    from claimlint.documents.markdown import Comment, Fence

_SINGLE = "claim_intent_manifest"
_MOST_KEYS = 1000
_NAME = re.compile(r"claim[_ -]?intent[_ -]?manifest", re.IGNORECASE)
_COMMENT = re.compile(r"<!--\s*+claim_intent_manifest(s?)\s*+(:?)")
_NEAR_COMMENT = re.compile(r"<!--\s*+claim[_ -]?intent[_ -]?manifest(s?)\s*+(:?)(?=\s*+[\[{])", re.IGNORECASE)
_BARE = (re.compile(r"[\"']?\bmanifest_id[\"']?\s*+:"), re.compile(r"[\"']?\bclaims[\"']?\s*+:"))


def fence_manifests(fences: Iterable[Fence], outer: TextSource) -> Iterator[PassportFile]:
    """The manifests in the code fences of a draft, one passport file a fence."""
    for fence in fences:
        yaml = _is_yaml(fence.info)
        if yaml is None:
            continue
        named = _NAME.search(fence.text) is not None
        if named or any(key in fence.text for key in MANIFEST_KEYS):
            made = _read(fence.text, fence.offsets, outer, yaml=yaml, named=named)
            if made is not None:
                yield made


def comment_manifest(comment: Comment, outer: TextSource) -> PassportFile | None:
    """The manifest in an HTML comment that begins with ``claim_intent_manifest``, or None."""
    opening = _COMMENT.match(comment.text) or _NEAR_COMMENT.match(comment.text)
    if opening is None:
        return None
    end = len(comment.text) - 3 if comment.text.endswith("-->") else len(comment.text)
    start = opening.end()
    rest = comment.text[start:end]
    if opening[1] and opening[2] and not rest.lstrip().startswith("{"):
        # The plural with its colon is a YAML key: the text is a passport from there on.
        start = opening.start(1) - len(_SINGLE)
        rest = comment.text[start:end]
    elif not rest.strip():
        return None
    text, offsets = _cut(comment.text, comment.offsets, start, end)
    return _read(text, offsets, outer, yaml=rest.lstrip()[:1] not in ("{", "["), named=True, alone=True)


def front_matter(fence: Fence, outer: TextSource) -> tuple[dict[str, Any], str | None, PassportFile | None]:
    """The front matter as an object, why it could not be read (or None), and the manifests in it."""
    if not fence.text.strip():
        return {}, None, None
    if fence.info != "yaml":
        return *_toml(fence.text), None
    from claimlint.documents.yaml_text import YamlSource, parse_yaml

    source = EmbeddedSource(outer, YamlSource(outer.path, fence.text), fence.offsets)
    parsed = parse_yaml(fence.text)
    if parsed.refusal is not None:
        if _NAME.search(fence.text) or _says_bare(fence.text):
            return {}, None, read_parsed(parsed, source, fence.text, yaml=True)
        line = source.locate(parsed.refusal.span).line
        return {}, f"line {line}: {parsed.refusal.message}", None
    if not isinstance(parsed.value, dict):
        return {}, None, None
    top: dict[str, Any] = parsed.value
    # Titles, authors and the like stand beside the manifests, and are none of a passport's business.
    wanted = _manifest_keys(top) | (MANIFEST_KEYS if is_manifest(top) else set())
    found = {key: value for key, value in top.items() if key in wanted}
    if not found:
        return top, None, None
    made = _passport(parsed._replace(value=found), source, fence.text, yaml=True)
    return top, None, made


def _toml(text: str) -> tuple[dict[str, Any], str | None]:
    import tomllib

    try:
        return tomllib.loads(text.replace("\r\n", "\n")), None
    except (ValueError, RecursionError) as error:
        return {}, f"no valid TOML: {error}"


def _is_yaml(info: str) -> bool | None:
    """Whether a fence's info string names YAML; None when it names neither YAML nor JSON."""
    words = info.strip().lstrip("{").split()
    if info.strip().startswith("{"):
        classes = [word.strip("{}.") for word in words if not word.startswith("#")]
    else:
        classes = [re.split(r"[{,]", words[0])[0].lstrip(".")] if words else []
    languages = [name.lower() for name in classes if name.lower() in ("json", "yaml", "yml")]
    return languages[0] != "json" if languages else None


def _manifest_keys(top: Mapping[str, object]) -> set[str]:
    """The keys that hold manifests, or were probably meant to."""
    near = (key for key in islice(top, _MOST_KEYS) if near_miss(key) == CLAIM_INTENT_MANIFESTS)
    return {key for key in (CLAIM_INTENT_MANIFESTS, _SINGLE) if key in top} | set(near)


def _says_bare(text: str) -> bool:
    """Whether a text that cannot be read has the keys of a bare manifest."""
    return all(key.search(text) is not None for key in _BARE)


def _cut(text: str, offsets: tuple[int, ...], start: int, end: int) -> tuple[str, tuple[int, ...]]:
    """A part of a text whose lines have offsets, with the offsets of the part's lines."""
    first = text.count("\n", 0, start)
    line_start = text.rfind("\n", 0, start) + 1
    part = text[start:end]
    lines = part.count("\n") + 1
    return part, (offsets[first] + start - line_start, *offsets[first + 1 : first + lines])


def _read(
    text: str, offsets: tuple[int, ...], outer: TextSource, *, yaml: bool, named: bool, alone: bool = False
) -> PassportFile | None:
    """A block as a passport file: an object, or an array of manifests; None when it is something else.

    ``named`` says that the block names manifests, ``alone`` that it can hold nothing else.
    """
    parsed: Parsed
    inner: TextSource
    if yaml:
        from claimlint.documents.yaml_text import YamlSource, parse_yaml

        parsed, inner = parse_yaml(text), YamlSource(outer.path, text)
    else:
        parsed, inner = parse_json(text), JsonSource(outer.path, text)
    source = EmbeddedSource(outer, inner, offsets)
    value = parsed.value
    if parsed.refusal is not None:
        wanted = named or _says_bare(text)
    elif isinstance(value, list):
        wanted = alone or any(isinstance(item, dict) and is_manifest(item) for item in value)
    elif isinstance(value, dict):
        wanted = alone or is_manifest(value) or bool(_manifest_keys(value))
    else:
        wanted = alone
    return _passport(parsed, source, text, yaml=yaml, alone=alone) if wanted else None


def _passport(
    parsed: Parsed, source: EmbeddedSource, text: str, *, yaml: bool, alone: bool = False
) -> PassportFile:
    """A parsed block that holds manifests as a passport file, in whatever way they are wrapped."""
    value = parsed.value
    if isinstance(value, list):
        rows = tuple(Row(item, source, (number,)) for number, item in enumerate(value) if isinstance(item, dict))
        misfits = tuple(
            Member(CLAIM_INTENT_MANIFESTS, item, source, (number,))
            for number, item in enumerate(value)
            if not isinstance(item, dict)
        )
        notes = tuple(oddities(parsed, source, text, yaml=yaml))
        return PassportFile(source, {CLAIM_INTENT_MANIFESTS: rows}, misfits, notes=notes)
    made = read_parsed(parsed, source, text, yaml=yaml)
    if not isinstance(value, dict) or CLAIM_INTENT_MANIFESTS in made.rows or made.misfits:
        return made
    single = value.get(_SINGLE)
    if isinstance(single, dict):
        return _known(made, Row(single, source, (_SINGLE,)))
    if alone and not made.recognised and not _manifest_keys(value):
        return _known(made, Row(value, source, ()))
    return made


def _known(made: PassportFile, row: Row) -> PassportFile:
    """A passport file with a manifest that its reader could not know to be one."""
    notes = tuple(note for note in made.notes if note.kind not in ("nothing-recognised", "near-miss-key"))
    return made._replace(rows={**made.rows, CLAIM_INTENT_MANIFESTS: (row,)}, notes=notes, recognised=True)
