"""From the paths on the command line to the files to check: each real file once, in one order."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import cache
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

PROJECT_PAGES = re.compile(
    r"(?:readme|changelog|changes|contributing|license|licence|code_of_conduct|security|authors|governance)"
    r"(?:[._-][\w.-]*)?\Z",
    re.IGNORECASE,
)
"""Names of pages that accompany a project and are no drafts; skipped unless a person names them."""


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
    """A path as output names it: relative to the working directory when it lies below, ``/`` between parts."""
    absolute = os.path.abspath(path)
    here = os.getcwd()
    inside = absolute == here or absolute.startswith(here.rstrip(os.sep) + os.sep)
    shown = os.path.relpath(absolute, here) if inside else path
    shown = os.fsencode(shown).decode("utf-8", errors="replace")
    return shown.replace(os.sep, "/") if os.sep != "/" else shown


def is_excluded(shown: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern names the path, one of its folders, or its name alone (shell patterns, ``/`` paths)."""
    parts = shown.split("/")
    prefixes = ["/".join(parts[: index + 1]) for index in range(len(parts))]
    for pattern in patterns:
        match = _matcher(pattern.rstrip("/")).match
        if any(match(part) for part in parts) or any(match(prefix) for prefix in prefixes):
            return True
    return False


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def discover(paths: Iterable[str], *, exclude: Iterable[str], force_exclude: bool, hook: bool) -> Discovered:
    """The files below the given paths, sorted by shown path.

    Patterns hold for named files too unless ``force_exclude`` is off. With ``hook`` the paths come from a file
    list, not from a person: files that are no drafts or passports are passed over without a word.
    """
    patterns = tuple(exclude)
    found: dict[str, Target] = {}
    failures: list[DocumentError] = []
    excluded = 0
    for path in paths:
        if os.path.isdir(path):
            for file in _walk(path, patterns):
                found.setdefault(os.path.realpath(file), Target(file, show(file)))
            continue
        shown = show(path)
        if force_exclude and is_excluded(shown, patterns):
            excluded += 1
        elif not os.path.lexists(path):
            failures.append(DocumentError("no such file or folder", path=shown))
        elif shown.lower().endswith(DRAFT_SUFFIXES + PASSPORT_SUFFIXES):
            if not (hook and is_project_page(shown)):
                found[os.path.realpath(path)] = Target(path, shown, named=not hook)
        elif not hook:
            known = ", ".join(DRAFT_SUFFIXES + PASSPORT_SUFFIXES)
            failures.append(DocumentError(f"not a draft or passport by its name (one of {known})", path=shown))
    ordered = tuple(sorted(found.values(), key=lambda target: target.shown))
    return Discovered(ordered, excluded, tuple(failures))


def is_project_page(shown: str) -> bool:
    """Whether a file is a page about a project (README, CHANGELOG, …) by its name."""
    stem = shown.rpartition("/")[2].rpartition(".")[0]
    return PROJECT_PAGES.match(stem) is not None


def _walk(top: str, patterns: tuple[str, ...]) -> Iterator[str]:
    seen: set[str] = set()
    pending = [top]
    while pending:
        folder = pending.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            path = os.path.join(folder, entry.name) if folder != "." else entry.name
            if is_excluded(show(path), patterns):
                continue
            if entry.is_dir():
                pending.append(path)
            elif (
                entry.name.lower().endswith(DRAFT_SUFFIXES + PASSPORT_SUFFIXES)
                and entry.is_file()
                and not is_project_page(entry.name)
            ):
                yield path
