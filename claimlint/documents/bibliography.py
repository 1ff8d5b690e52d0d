"""Bibliographies: the citation keys that a project knows, each with its title and place.

Keys come from BibTeX and BibLaTeX files, from CSL-JSON and CSL-YAML files, from the ``references`` of a
draft's front matter, and from the ``literature_corpus`` rows of a passport.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from claimlint.documents.passport import LITERATURE_CORPUS
from claimlint.documents.source import JsonSource, TextSource, decode
from claimlint.errors import DocumentError
from claimlint.findings import Place, Pointer, Source, Span

if TYPE_CHECKING:
    from claimlint.documents.passport import Passport

BIBTEX_SUFFIXES = (".bib", ".bibtex")
CSL_SUFFIXES = (".json", ".yaml", ".yml")
"""The names of bibliographies that are read; CSL-JSON ends in ``.json``, mostly ``.csl.json``."""

_LISTS = ("references", "items")


@dataclass(frozen=True, slots=True)
class Entry:
    """A work that can be cited: its key, its title (may be empty) and the place of the key.

    ``aliases`` are further keys of the same work, ``uses`` the keys of works it inherits from or consists of.
    """

    key: str
    title: str
    source: Source
    place: Place
    aliases: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BibliographyFile:
    """The entries of one file. ``own`` says that the file serves this draft alone, as far as can be told."""

    path: str
    entries: tuple[Entry, ...]
    own: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A bibliography that belongs to the draft and could not be read: its name, why, and who names it."""

    name: str
    cause: str
    source: Source
    place: Place


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The bibliography of a draft, passport rows aside.

    While ``unread`` is not empty nobody knows all keys, so that none can be called unknown.
    """

    files: tuple[BibliographyFile, ...] = ()
    unread: tuple[Unread, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries in the order of the files."""
        return tuple(entry for file in self.files for entry in file.entries)


def corpus_entries(passport: Passport | None) -> tuple[Entry, ...]:
    """The ``literature_corpus`` rows of a passport; a row without a citation key is passed over."""
    if passport is None:
        return ()
    found: list[Entry] = []
    for row in passport.aggregate(LITERATURE_CORPUS):
        key = row.text("citation_key")
        if key:
            found.append(Entry(key, row.text("title") or "", row.source, row.pointer("citation_key")))
    return tuple(found)


def project_entries(passport: Passport | None, bibliography: Bibliography | None) -> tuple[Entry, ...]:
    """Every entry that a draft may cite: the corpus rows of its passport, then its bibliography."""
    return corpus_entries(passport) + (() if bibliography is None else bibliography.entries)


def read_entries(data: bytes, path: str) -> tuple[Entry, ...]:
    """The entries of a bibliography file from its bytes; ``path`` says how to read it and is shown.

    A BibTeX text is read whatever it holds. Raises ``DocumentError`` for a name of another format, for
    CSL-JSON or CSL-YAML that is broken, and for a document that holds no list of works.
    """
    name = path.lower()
    if name.endswith(BIBTEX_SUFFIXES):
        return _bibtex(data, path)
    if not name.endswith(CSL_SUFFIXES):
        known = ", ".join(BIBTEX_SUFFIXES + CSL_SUFFIXES)
        raise DocumentError(f"is no bibliography by its name (one of {known})", path=path)
    text = decode(data, path)
    source: TextSource
    if name.endswith(".json"):
        from claimlint.documents.json_text import parse_json

        source, parsed = JsonSource(path, text), parse_json(text)
    else:
        from claimlint.documents.yaml_text import YamlSource, parse_yaml

        source, parsed = YamlSource(path, text), parse_yaml(text)
    if parsed.refusal is not None:
        line = source.span_range(parsed.refusal.span).line
        raise DocumentError(f"line {line}: {parsed.refusal.message}", path=path)
    works = _works(parsed.value)
    if works is None:
        raise DocumentError("holds no list of works with an id each, so it is no CSL bibliography", path=path)
    prefix, items = works
    return tuple(
        Entry(key, title, source, Pointer((*prefix, index, "id"))) for index, key, title in _identified(items)
    )


def front_matter_entries(source: TextSource, front_matter: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The works written into a draft's front matter under ``references`` (pandoc)."""
    items = front_matter.get("references")
    if not isinstance(items, list) or not items:
        return ()
    places: dict[str, Span] = {}
    for found in re.finditer(r"^[ \t-]*[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([^\s\"'#]+)", source.text, re.MULTILINE):
        places.setdefault(found.group(1), Span(*found.span(1)))
    return tuple(Entry(key, title, source, places.get(key, Span(0, 0))) for _, key, title in _identified(items))


def _bibtex(data: bytes, path: str) -> tuple[Entry, ...]:
    from claimlint.documents.bibtex import bibtex_entries

    try:
        text = decode(data, path)
    except DocumentError:
        # Old files are often in a national encoding. Keys are ASCII there, so that they read the same.
        text = data.decode("latin-1")
    source = TextSource(path, text)
    return tuple(
        Entry(each.key, each.title, source, each.span, each.aliases, each.uses) for each in bibtex_entries(text)
    )


def _works(value: object) -> tuple[tuple[str, ...], list[Any]] | None:
    if isinstance(value, list):
        return ((), value) if not value or any(True for _ in _identified(value)) else None
    if isinstance(value, dict):
        for name in _LISTS:
            items = value.get(name)
            if isinstance(items, list):
                return (name,), items
    return None


def _identified(items: list[Any]) -> Iterator[tuple[int, str, str]]:
    """Index, key and title of the works that have a key."""
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        key = item.get("id")
        if isinstance(key, int) and not isinstance(key, bool):
            key = str(key)
        if isinstance(key, str) and key.strip():
            title = item.get("title")
            yield index, key.strip(), " ".join(title.split()) if isinstance(title, str) else ""
