"""Sources from the author's own folders.

A file belongs to a citation when, in this order,

1. the corpus row points to it,
2. its name (without suffix) is the citation key; then the same in any case and with ``-``, ``_``, ``.``, ``:``
   and blanks taken for one another,
3. its name holds the DOI or the arXiv id of the row, ``/`` written as ``_`` or ``-``,
4. it is named like the file the row points to, in another folder,
5. its name begins with the citation key, and no letter or digit follows (``okafor2024-final.pdf``).

Of several that fit equally, PDF comes before Markdown, text and HTML, then the folder named first, the shorter
path and the alphabet decide. A file without readable text gives way to the next. Files outside the folders are
never read, whatever a pointer or a symbolic link says.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from claimlint.audit.retrieval.identifiers import Identifiers, identify
from claimlint.audit.retrieval.isolate import HTML, PDF, Reader
from claimlint.audit.types import METHOD_FAILED, METHOD_MANUAL_PDF, Retrieved
from claimlint.errors import UsageError

if TYPE_CHECKING:
    from claimlint.audit.retrieval import RetrieverContext
    from claimlint.audit.types import RetrievalRequest

SUFFIXES = {
    ".pdf": 0, ".md": 1, ".markdown": 1, ".txt": 2, ".text": 2, ".html": 3, ".htm": 3, ".xhtml": 3,
}  # fmt: skip
"""The file names that are read, with their rank among files that fit equally."""

MAX_FILES = 50_000
MAX_TEXT_BYTES = 32 * 1024 * 1024
MAX_PDF_BYTES = 512 * 1024 * 1024

_SEPARATORS = re.compile(r"[\s\-_.:/+]+")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file in one of the folders: its real path, its path below the folder, and its place in the order.

    ``stem`` is its name without suffix, ``loose`` the stem as it is compared when the exact name does not fit.
    """

    real: str
    shown: str
    stem: str
    loose: str
    order: tuple[int, int, int, str]


class LocalRetriever:
    """Finds sources in folders; safe to use from several threads."""

    name = "local"

    def __init__(self, folders: Sequence[str], reader: Reader) -> None:
        self._reader = reader
        self._folders = tuple(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        self._lock = threading.Lock()
        self._files: tuple[SourceFile, ...] | None = None
        self._texts: dict[tuple[str, int, int], Retrieved] = {}

    def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
        """The text of the first file that fits and has one; why not, when files fit; None when none does."""
        failed: Retrieved | None = None
        identifiers = identify(request.corpus)
        for file in self._candidates(request.slug, identifiers):
            found = self._read(file)
            if found.method == METHOD_MANUAL_PDF:
                return found
            failed = failed or found
        outside = None if failed else self._outside(identifiers)
        if outside is not None:
            return Retrieved(METHOD_FAILED, detail=f"{shown_name(outside)} is outside the source folders")
        return failed

    def _candidates(self, slug: str, identifiers: Identifiers) -> Iterator[SourceFile]:
        files = self.files()
        ranked: list[tuple[int, tuple[int, int, int, str], SourceFile]] = []
        pointed = {real for path in identifiers.files for real in self._inside(path)}
        names = {os.path.basename(path.replace("\\", "/")) for path in identifiers.files}
        for file in files:
            rank = 0 if file.real in pointed else _rank(file, slug, identifiers, names)
            if rank is not None:
                ranked.append((rank, file.order, file))
        seen: set[str] = set()
        for _, _, file in sorted(ranked, key=lambda each: each[:2]):
            if file.real not in seen:
                seen.add(file.real)
                yield file

    def _inside(self, path: str) -> Iterator[str]:
        for folder in self._folders:
            real = os.path.realpath(os.path.join(folder, path))
            if real.startswith(os.path.join(folder, "")):
                yield real

    def _outside(self, identifiers: Identifiers) -> str | None:
        for path in identifiers.files:
            if os.path.isabs(path) and os.path.isfile(path) and not any(self._inside(path)):
                return path
        return None

    def files(self) -> tuple[SourceFile, ...]:
        """The documents in the folders; raises UsageError when there are more than ``MAX_FILES``."""
        with self._lock:
            if self._files is None:
                self._files = tuple(self._walk())
            return self._files

    def _walk(self) -> Iterator[SourceFile]:
        count = 0
        for number, folder in enumerate(self._folders):
            for place, folders, names in os.walk(folder, followlinks=False):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for name in sorted(names):
                    stem, suffix = os.path.splitext(name)
                    rank = SUFFIXES.get(suffix.lower())
                    if rank is None or name.startswith("."):
                        continue
                    real = os.path.realpath(os.path.join(place, name))
                    # A link may lead to another file of the folders, but not out of them.
                    if not any(real.startswith(os.path.join(root, "")) for root in self._folders):
                        continue
                    shown = os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/")
                    plain = unicodedata.normalize("NFC", stem)
                    yield SourceFile(real, shown, plain, _loose(plain), (rank, number, shown.count("/"), shown))
                    count += 1
                    if count >= MAX_FILES:
                        raise UsageError(
                            f"the source folders hold more than {MAX_FILES} documents; name smaller ones"
                        )

    def _read(self, file: SourceFile) -> Retrieved:
        name = shown_name(file.shown)
        try:
            with _open(file.real) as opened:
                status = os.fstat(opened.fileno())
                key = (file.real, status.st_mtime_ns, status.st_size)
                known = self._texts.get(key)
                if known is None:
                    known = self._texts[key] = self._read_open(opened, status.st_size, file, name)
                return known
        except OSError as error:
            return Retrieved(METHOD_FAILED, detail=f"{name} cannot be read: {error.strerror or error}")

    def _read_open(self, opened: BinaryIO, size: int, file: SourceFile, name: str) -> Retrieved:
        suffix = os.path.splitext(file.real)[1].lower() or os.path.splitext(file.shown)[1].lower()
        most = MAX_PDF_BYTES if suffix == ".pdf" else MAX_TEXT_BYTES
        if size > most:
            return Retrieved(METHOD_FAILED, detail=f"{name} has {size} bytes, more than the limit of {most}")
        if SUFFIXES.get(suffix) == SUFFIXES[".pdf"]:
            document = self._reader.read(PDF, opened)
        elif SUFFIXES.get(suffix) == SUFFIXES[".html"]:
            document = self._reader.read(HTML, opened)
        else:
            return _plain_text(opened.read(), name)
        if document.problem:
            return Retrieved(METHOD_FAILED, detail=f"{name} {document.problem}")
        return Retrieved(
            METHOD_MANUAL_PDF,
            document.text,
            detail=name,
            preflight=document.preflight,
            labels=document.labels,
        )


def make(argument: str, context: RetrieverContext) -> LocalRetriever:
    """The retriever of ``local`` (the folders of ``--sources``) or ``local:DIR``.

    Raises UsageError when there is no folder, one that is none, and when they hold too many files.
    """
    folders = (argument,) if argument else context.sources
    if not folders:
        raise UsageError("the local retriever needs a folder: --sources DIR, or --retriever local:DIR")
    for folder in folders:
        if not Path(folder).is_dir():
            named = f"--retriever local:{folder}" if argument else f"--sources {folder}"
            raise UsageError(f"{named}: no such folder")
    retriever = LocalRetriever(folders, context.reader)
    retriever.files()
    return retriever


def shown_name(name: str) -> str:
    """A file name for messages: control characters are spelled out, so that no name can act on a terminal."""
    return "".join(
        character if character.isprintable() else f"\\x{ord(character):02x}" for character in name[:200]
    )


def _rank(file: SourceFile, slug: str, identifiers: Identifiers, names: set[str]) -> int | None:
    """How well a file's name fits: the smaller the better; None when it does not."""
    key = unicodedata.normalize("NFC", slug)
    if key and file.stem == key:
        return 1
    wanted = _loose(key)
    if wanted and file.loose == wanted:
        return 2
    for identifier in (identifiers.doi, identifiers.arxiv, identifiers.arxiv_bare):
        if identifier and _holds(file.loose, _loose(identifier)):
            return 3
    if os.path.basename(file.shown) in names:
        return 4
    if key and _begins(file.stem, key):
        return 5
    return 6 if wanted and _begins(file.loose, wanted) else None


def _loose(name: str) -> str:
    return _SEPARATORS.sub("-", name.casefold()).strip("-")


def _begins(name: str, start: str) -> bool:
    return name.startswith(start) and not name[len(start) : len(start) + 1].isalnum()


def _holds(name: str, part: str) -> bool:
    """Whether a name holds an identifier with no letter or digit at its ends, an arXiv version aside."""
    return part in name and re.search(rf"(?<![^\W_]){re.escape(part)}(?:v\d+)?(?![^\W_])", name) is not None


def _open(path: str) -> BinaryIO:
    """Open a regular file without following a link that was put in its place meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file")
    return os.fdopen(descriptor, "rb")


def _plain_text(data: bytes, name: str) -> Retrieved:
    text = decode(data)
    if text is None:
        return Retrieved(METHOD_FAILED, detail=f"{name} is no text file")
    if not text.strip():
        return Retrieved(METHOD_FAILED, detail=f"{name} is empty")
    return Retrieved(METHOD_MANUAL_PDF, text.replace("\r\n", "\n"), detail=name)


def decode(data: bytes) -> str | None:
    """The text of a source: UTF-8, UTF-16 with its mark, else Windows-1252; None when it is no text."""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    encodings = ("utf-16",) if marked else ("utf-8-sig", "cp1252", "latin-1")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None
