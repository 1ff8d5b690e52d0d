"""Which passport and which bibliography belong to a draft, and which drafts belong to a passport.

Passports, the first line that names any decides:

1. ``--passport``;
2. ``passport`` in the settings;
3. ``passport`` in the draft's front matter, or ``claimlint: {passport: …}`` there (a path or a list of paths,
   relative to the draft);
4. the name: ``<stem>.passport.json``, ``.yaml`` or ``.yml`` beside the draft, else ``passport.json``, ``.yaml``
   or ``.yml`` there (not for project pages such as a README). Only the first of these that exists counts:
   files are joined only when a person names them together.

Bibliographies, all of them together: ``bibliography`` in the front matter (relative to the draft, else to the
working directory, as pandoc does), ``references`` in the front matter, ``bibliography`` in the settings, and
every ``*.bib``, ``*.csl.json`` and ``references.json`` in the draft's own folder (not below it).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from claimlint.discovery import DRAFT_SUFFIXES, is_project_page, show
from claimlint.documents.bibliography import (
    Bibliography,
    BibliographyFile,
    Entry,
    Unread,
    front_matter_entries,
    read_entries,
)
from claimlint.errors import DocumentError
from claimlint.findings import Span

if TYPE_CHECKING:
    from claimlint.documents.draft import Draft
    from claimlint.documents.source import TextSource

PASSPORT_ENDS = ("passport.json", "passport.yaml", "passport.yml")
"""File names of passports that are found beside a draft, also with the draft's stem and a dot before them."""


HEAD = 64 * 1024
"""How much of a draft is looked at to see whether its front matter may name a passport, in bytes."""

COMMAND_LINE = "--passport"
"""Who names the passports of a command line."""


class Files(Protocol):
    """The files there are. Paths are relative to the working directory or absolute."""

    def is_file(self, path: str) -> bool:
        """Whether a path leads to a file."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of the files in a folder, sorted; none when it cannot be listed."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises ``DocumentError``."""
        ...

    def head(self, path: str) -> bytes:
        """The first ``HEAD`` bytes of a file, in which its front matter stands; raises ``DocumentError``."""
        ...


class DiskFiles:
    """The files on disk; each folder is listed once."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {}
        self._heads: dict[str, bytes] = {}

    def is_file(self, path: str) -> bool:
        """Whether a path leads to a file, following symbolic links."""
        try:
            return os.path.isfile(path)
        except ValueError:
            return False

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of the files in a folder, sorted; none when it cannot be listed."""
        if folder not in self._names:
            try:
                with os.scandir(folder or ".") as entries:
                    self._names[folder] = tuple(sorted(entry.name for entry in entries if entry.is_file()))
            except (OSError, ValueError):
                self._names[folder] = ()
        return self._names[folder]

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises ``DocumentError`` naming it."""
        from claimlint.documents.source import read_bytes

        return read_bytes(path, show(path))

    def head(self, path: str) -> bytes:
        """The first ``HEAD`` bytes of a file, read once; raises ``DocumentError`` naming it."""
        from claimlint.documents.source import open_regular

        if path not in self._heads:
            try:
                with open_regular(path) as file:
                    self._heads[path] = file.read(HEAD)
            except (OSError, ValueError) as error:
                raise DocumentError(f"cannot be read: {error}", path=show(path)) from error
        return self._heads[path]


@dataclass(frozen=True, slots=True)
class Named:
    """Files that a person named together, usable from the working directory.

    ``by`` says where, for errors: ``COMMAND_LINE`` or the shown path of the settings file.
    """

    paths: tuple[str, ...]
    by: str


class Linker:
    """Answers the questions of this module for one run; each bibliography file is read once.

    ``passports`` are what the command line names, else the settings; ``bibliographies`` what the settings name.
    """

    def __init__(
        self, files: Files, *, passports: Named | None = None, bibliographies: Named | None = None
    ) -> None:
        self._files = files
        self._passports = passports if passports and passports.paths else None
        self._bibliographies = bibliographies if bibliographies and bibliographies.paths else None
        self._read: dict[str, tuple[Entry, ...] | DocumentError] = {}
        self._drafts: dict[str, tuple[str, ...]] = {}
        self._folders: dict[str, tuple[bool, tuple[str, ...]]] = {}

    def passports(self, draft: str, front_matter: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of the files that make up the passport of a draft; empty when it has none.

        ``draft`` is the path that opens the draft. Raises ``DocumentError`` for a named passport that does
        not exist, and for front matter that names none where it should.
        """
        if self._passports is not None:
            return self._existing(self._passports.paths, "", self._passports.by)
        named = _named_passports(front_matter, show(draft))
        if named:
            folder = os.path.dirname(draft)
            paths = (os.path.normpath(os.path.join(folder, name)) for name in named)
            return self._existing(paths, "its front matter ", show(draft))
        return self._beside(draft)

    def drafts(self, passport: str, front_matter_of: Callable[[str], Mapping[str, Any]]) -> tuple[str, ...]:
        """The drafts in a passport's own folder that belong to it, sorted.

        ``front_matter_of`` reads the front matter of a draft by its path; a draft for which it raises
        ``DocumentError``, or whose own links are broken, is passed over: it is checked when it is named.
        """
        wanted = os.path.normpath(passport)
        if wanted not in self._drafts:
            self._drafts[wanted] = tuple(self._linked(wanted, front_matter_of))
        return self._drafts[wanted]

    def companions(
        self,
        draft: str,
        passports: Iterable[str],
        checked: Iterable[str],
        front_matter_of: Callable[[str], Mapping[str, Any]],
    ) -> tuple[str, ...]:
        """The other drafts that share a draft's passport, sorted: together they hold the audited claims.

        ``checked`` are the drafts of this run. With ``--passport`` they are meant, and no others; with
        settings they and the drafts beside the passport; else the drafts beside it that link to it.
        """
        found: set[str] = set()
        if self._passports is not None:
            found.update(os.path.normpath(each) for each in checked)
        if self._passports is None or self._passports.by != COMMAND_LINE:
            for passport in passports:
                found.update(self.drafts(passport, front_matter_of))
        return tuple(sorted(found - {os.path.normpath(draft)}))

    def bibliography(self, path: str, draft: Draft) -> Bibliography:
        """The bibliography of a draft; ``path`` opens the draft.

        Raises ``DocumentError`` for a file that the settings name and that cannot be read. What front matter
        names or lies beside the draft and cannot be read is listed in ``unread``.
        """
        folder = os.path.dirname(path)
        found: dict[str, BibliographyFile] = {}
        unread: list[Unread] = []
        named = _texts(draft.front_matter.get("bibliography"))
        place = _key_place(draft.source, "bibliography") if named else Span(0, 0)
        for name in named:
            file = self._front_matter_file(folder, name)
            if file is None:
                unread.append(Unread(name, "there is no such file", draft.source, place))
            else:
                self._add(file, found, unread, draft.source, place, own=True)
        inline = front_matter_entries(draft.source, draft.front_matter)
        alone, beside = self._beside_drafts(folder)
        if self._bibliographies is not None:
            paths, by = self._bibliographies.paths, self._bibliographies.by
            for file in self._existing(paths, "", by, what="bibliography"):
                entries = self._entries(file)
                if isinstance(entries, DocumentError):
                    raise entries
                found.setdefault(file, BibliographyFile(show(file), entries, alone))
        own = alone and not found
        for name in beside:
            file = os.path.normpath(os.path.join(folder, name))
            if file in found or any(each.name == show(file) for each in unread):
                continue
            if _is_csl(name) or not isinstance(self._entries(file), DocumentError):
                self._add(file, found, unread, draft.source, Span(0, 0), own=own)
        files = tuple(found.values())
        if inline:
            files = (BibliographyFile(draft.path, inline, True), *files)
        return Bibliography(files, tuple(unread))

    def _beside_drafts(self, folder: str) -> tuple[bool, tuple[str, ...]]:
        """Whether a folder holds at most one draft, and the bibliographies in it."""
        if folder not in self._folders:
            names = self._files.names(folder)
            self._folders[folder] = (sum(map(_is_draft, names)) <= 1, tuple(filter(_is_bibliography, names)))
        return self._folders[folder]

    def _linked(self, passport: str, front_matter_of: Callable[[str], Mapping[str, Any]]) -> Iterator[str]:
        folder = os.path.dirname(passport)
        for name in filter(_is_draft, self._files.names(folder)):
            draft = os.path.join(folder, name)
            try:
                # Most drafts name no passport: reading them all for each passport would take too long.
                named = b"passport" in self._files.head(draft)
                linked = self.passports(draft, front_matter_of(draft) if named else {})
            except DocumentError:
                continue
            if passport in linked:
                yield draft

    def _existing(self, paths: Iterable[str], who: str, by: str, *, what: str = "passport") -> tuple[str, ...]:
        kept: dict[str, None] = {}
        for each in paths:
            file = os.path.normpath(each)
            if not self._files.is_file(file):
                raise DocumentError(f"{who}names the {what} {show(file)}, which does not exist", path=by)
            kept[file] = None
        return tuple(kept)

    def _beside(self, draft: str) -> tuple[str, ...]:
        folder, name = os.path.split(draft)
        stem = os.path.splitext(name)[0]
        there = set(self._files.names(folder))
        shared = () if is_project_page(name) else PASSPORT_ENDS
        for candidate in (*(f"{stem}.{end}" for end in PASSPORT_ENDS), *shared):
            if candidate in there:
                return (os.path.normpath(os.path.join(folder, candidate)),)
        return ()

    def _front_matter_file(self, folder: str, name: str) -> str | None:
        for base in dict.fromkeys((folder, "")):
            file = os.path.normpath(os.path.join(base, name))
            if self._files.is_file(file):
                return file
        return None

    def _entries(self, file: str) -> tuple[Entry, ...] | DocumentError:
        if file not in self._read:
            try:
                self._read[file] = read_entries(self._files.read(file), show(file))
            except DocumentError as error:
                self._read[file] = error
        return self._read[file]

    def _add(
        self,
        file: str,
        found: dict[str, BibliographyFile],
        unread: list[Unread],
        source: TextSource,
        place: Span,
        *,
        own: bool,
    ) -> None:
        entries = self._entries(file)
        if isinstance(entries, DocumentError):
            unread.append(Unread(show(file), entries.message, source, place))
        else:
            found.setdefault(file, BibliographyFile(show(file), entries, own))


def _named_passports(front_matter: Mapping[str, Any], shown: str) -> tuple[str, ...]:
    own = front_matter.get("claimlint")
    values = [("passport", front_matter.get("passport"))]
    if isinstance(own, Mapping):
        unknown = sorted(map(str, own.keys() - {"passport"}))
        if unknown:
            message = f"claimlint in the front matter has the unknown key {unknown[0]!r}; it knows passport only"
            raise DocumentError(message, path=shown)
        values.append(("claimlint.passport", own.get("passport")))
    for name, value in values:
        if value is None:
            continue
        paths = _texts(value)
        if not paths or len(paths) != (len(value) if isinstance(value, list) else 1):
            raise DocumentError(f"{name} in the front matter must be a path or a list of paths", path=shown)
        return paths
    return ()


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip() and "\0" not in item)


def _key_place(source: TextSource, key: str) -> Span:
    import re

    found = re.search(rf"^{key}(?=[ \t]*:)", source.text, re.MULTILINE)
    return Span(0, 0) if found is None else Span(*found.span())


def _is_draft(name: str) -> bool:
    return name.lower().endswith(DRAFT_SUFFIXES) and not is_project_page(name)


def _is_bibliography(name: str) -> bool:
    return name.lower().endswith((".bib", ".csl.json")) or name.lower() == "references.json"


def _is_csl(name: str) -> bool:
    """Whether the name alone says CSL; a ``references.json`` may be something else."""
    return name.lower().endswith(".csl.json")
