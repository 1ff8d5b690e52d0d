"""From the paths on the command line to the files to check: each real file once, in one order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from claimlint.errors import DocumentError

DRAFT_SUFFIXES = (".md", ".markdown", ".qmd", ".rmd")
PASSPORT_SUFFIXES = (".json", ".yaml", ".yml")
DEFAULT_EXCLUDE = (
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    ".tox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".claimlint_cache",
    "site-packages",
)
"""Folders and files that are left out unless the settings say otherwise."""

PROJECT_PAGES = (
    "authors",
    "changelog",
    "changes",
    "code_of_conduct",
    "contributing",
    "governance",
    "licence",
    "license",
    "readme",
    "security",
)
"""Names of pages that accompany a project and are no drafts; skipped unless a person names them.

More may follow behind ``.``, ``_`` or ``-``, for example ``README.de.md``.
"""


class Target(NamedTuple):
    """A file to check.

    ``path`` opens it, ``shown`` is how output names it (relative to the working directory, with ``/``).
    ``named`` says that a person gave this very path: then a file in which nothing is recognised is reported.
    ``text`` holds the content when it comes from standard input.
    """

    path: str
    shown: str
    named: bool = False
    text: bytes | None = None

    @property
    def is_draft(self) -> bool:
        """Whether the file is read as a Markdown draft."""
        return self.shown.lower().endswith(DRAFT_SUFFIXES)


class Discovered(NamedTuple):
    """The files to check, how many were excluded by pattern, and the paths that could not be used."""

    targets: tuple[Target, ...]
    excluded: int
    failures: tuple[DocumentError, ...]


def show(path: str) -> str:
    """A path as output names it: relative to the working directory when it lies below, ``/`` between parts.

    Bytes of a name that are no UTF-8 are written as ``\\xff``.
    """
    absolute = os.path.abspath(path)
    here = os.getcwd()
    inside = absolute == here or absolute.startswith(here.rstrip(os.sep) + os.sep)
    shown = _printed(os.path.relpath(absolute, here) if inside else path)
    return shown.replace(os.sep, "/") if os.sep != "/" else shown


def _printed(name: str) -> str:
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")


def is_excluded(shown: str, patterns: Iterable[str], root: str = ".") -> bool:
    """Whether a pattern names a path or one of the folders it lies in.

    A pattern without ``/`` names files and folders of any depth, one with ``/`` starts at ``root``, the folder
    of the settings file (a path from the working directory). ``*``, ``?`` and ``[…]`` match within a name,
    ``**`` matches any number of folders.
    """
    return _matches(_parts(shown, root, os.getcwd()), tuple(patterns))


Parts = tuple[str, ...]


@lru_cache(maxsize=4096)
def _parts(shown: str, root: str, here: str) -> Parts:
    """The parts of a path below ``root``; both are relative to the folder ``here``, which also keys the cache."""
    inside = shown
    if root != ".":
        inside = os.path.relpath(os.path.join(here, shown), os.path.join(here, root)).replace(os.sep, "/")
    return tuple(part for part in inside.split("/") if part not in ("", ".", ".."))


class _Patterns(NamedTuple):
    """Compiled patterns: plain names, patterns of names, and patterns of paths (None stands for ``**``)."""

    names: frozenset[str]
    shapes: tuple[re.Pattern[str], ...]
    paths: tuple[tuple[re.Pattern[str] | None, ...], ...]


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> _Patterns:
    names: set[str] = set()
    shapes: list[re.Pattern[str]] = []
    paths: list[tuple[re.Pattern[str] | None, ...]] = []
    for pattern in patterns:
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        if len(parts) > 1 or pattern.startswith(("/", "./")):
            paths.append(tuple(None if part == "**" else _shape(part) for part in parts))
        elif parts and set("*?[").isdisjoint(parts[0]):
            names.add(parts[0])
        elif parts:
            shapes.append(_shape(parts[0]))
    return _Patterns(frozenset(names), tuple(shapes), tuple(path for path in paths if path))


def _shape(part: str) -> re.Pattern[str]:
    from fnmatch import translate

    return re.compile(translate(part))


def _matches(parts: Parts, patterns: tuple[str, ...]) -> bool:
    known = _compiled(patterns)
    return (
        not known.names.isdisjoint(parts)
        or any(shape.match(part) for shape in known.shapes for part in parts)
        or any(_begins(parts, path) for path in known.paths)
    )


def _begins(parts: Parts, pattern: tuple[re.Pattern[str] | None, ...]) -> bool:
    """Whether a pattern of a path matches a path or one of its folders."""
    ends = {0}
    for shape in pattern:
        if shape is None:
            ends = set(range(min(ends), len(parts) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(parts) and shape.match(parts[end])}
        if not ends:
            return False
    return True


def discover(
    paths: Iterable[str],
    *,
    exclude: Iterable[str],
    force_exclude: bool,
    hook: bool,
    root: str = ".",
    sources: Iterable[str] = (),
) -> Discovered:
    """The files below the given paths, sorted by shown path; each real file once, by its own name if that is met.

    Patterns (see ``is_excluded``) hold for named paths too unless ``force_exclude`` is off. With ``hook`` the
    paths come from a file list, not from a person: files that are no drafts or passports are passed over
    without a word. ``sources`` are patterns of what drafts are checked against: it is no draft itself, unless a
    person names it.
    """
    patterns = tuple(exclude)
    support = tuple(sources)
    found: dict[str, Target] = {}
    failures: list[DocumentError] = []
    excluded = 0
    for path in paths:
        shown = show(path)
        left_out = is_excluded(shown, patterns, root)
        if left_out and force_exclude:
            excluded += 1
        elif os.path.isdir(path):
            top = _Folder(path, shown.rstrip("/") or "/", () if left_out else _parts(shown, root, os.getcwd()))
            skipped = patterns if is_excluded(shown, support, root) else patterns + support
            for target in _walk(top, skipped, failures):
                found.setdefault(os.path.realpath(target.path), target)
        elif not os.path.lexists(path):
            failures.append(DocumentError("no such file or folder", path=shown))
        elif hook and is_excluded(shown, support, root):
            continue
        elif _is_known(shown):
            real = os.path.realpath(path)
            if not (hook and is_project_page(shown)) and not (real in found and found[real].named):
                found[real] = Target(path, shown, named=not hook)
        elif not hook:
            known = ", ".join(DRAFT_SUFFIXES + PASSPORT_SUFFIXES)
            failures.append(DocumentError(f"not a draft or passport by its name (one of {known})", path=shown))
    ordered = tuple(sorted(found.values(), key=lambda target: (target.shown, target.path)))
    return Discovered(ordered, excluded, tuple(failures))


def _is_known(name: str) -> bool:
    return name.lower().endswith(DRAFT_SUFFIXES + PASSPORT_SUFFIXES)


def is_project_page(shown: str) -> bool:
    """Whether a file is a page about a project (README, CHANGELOG, …) by its name."""
    stem = shown.rpartition("/")[2].rpartition(".")[0].lower()
    return any(stem.startswith(page) and stem[len(page) :][:1] in ("", ".", "_", "-") for page in PROJECT_PAGES)


class _Folder(NamedTuple):
    """A folder to walk: the path that opens it, how it is shown, its parts as patterns see them."""

    path: str
    shown: str
    parts: Parts


def _walk(top: _Folder, patterns: tuple[str, ...], failures: list[DocumentError]) -> Iterator[Target]:
    """The files below a folder; what is reached through symbolic links comes last, and each folder once.

    Links that lead nowhere are passed over; a folder that cannot be read is a failure.
    """
    seen: set[str] = set()
    pending = [top]
    links: list[_Folder] = []
    linked_files: list[Target] = []
    while pending or links:
        folder = pending.pop() if pending else links.pop()
        real = os.path.realpath(folder.path)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(folder.path) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            failures.append(DocumentError(f"the folder cannot be read: {error.strerror}", path=folder.shown))
            continue
        for entry in listed:
            below = _below(folder, entry.name)
            if _matches(below.parts, patterns):
                continue
            if _is(entry.is_dir):
                (links if entry.is_symlink() else pending).append(below)
            elif _is_known(entry.name) and _is(entry.is_file) and not is_project_page(entry.name):
                target = Target(below.path, below.shown)
                if entry.is_symlink():
                    linked_files.append(target)
                else:
                    yield target
    yield from linked_files


def _below(folder: _Folder, name: str) -> _Folder:
    printed = _printed(name)
    path = name if folder.path == "." else os.path.join(folder.path, name)
    shown = printed if folder.shown == "." else f"{folder.shown.rstrip('/')}/{printed}"
    return _Folder(path, shown, (*folder.parts, printed))


def _is(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError:  # a link that leads to itself
        return False
