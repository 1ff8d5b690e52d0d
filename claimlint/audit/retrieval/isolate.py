"""Reading hostile documents in processes of their own, with limits, and keeping what was read.

A PDF or HTML file that loops or explodes ends its process, not the run. What was read is kept by the file's
SHA-256, in memory and in the cache folder, so that a file costs one process however often it is cited.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from claimlint.audit.preflight import PageCounts, preflight
from claimlint.documents.source import open_regular

PDF = "pdf"
HTML = "html"
JATS = "jats"

FORMAT = 1
"""Goes into the names of kept reads: raise it when the same bytes give another text."""

_MAX_OUTPUT = 256 * 1024 * 1024
_KEPT_CHARACTERS = 24_000_000
_ENVIRONMENT = (
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
)


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds.

    ``text`` has every page of a PDF ended by a form feed; ``labels`` are its page labels where it has any;
    ``preflight`` is the verdict on its page counts and None for other formats. ``problem`` says why there is
    no text, and is empty when there is.
    """

    text: str = ""
    labels: tuple[str, ...] = ()
    preflight: str | None = None
    problem: str = ""


class Reader:
    """Reads documents; safe to use from several threads.

    ``cache_dir`` is where reads are kept between runs (None: nowhere), ``timeout`` the seconds one read may
    take. At most one process a core runs at a time.
    """

    def __init__(self, cache_dir: str | None = None, *, timeout: float = 60.0) -> None:
        self._folder = None if cache_dir is None else Path(cache_dir) / f"source_text_v{FORMAT}"
        self._timeout = timeout
        self._slots = threading.BoundedSemaphore(max(1, min(4, os.cpu_count() or 1)))
        self._lock = threading.Lock()
        self._busy: dict[str, threading.Lock] = {}
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._size = 0

    def read_bytes(self, kind: str, data: bytes, charset: str = "") -> Document:
        """The document in ``data``, which is of the kind ``pdf``, ``html`` or ``jats``."""
        from tempfile import TemporaryFile

        with TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            return self.read(kind, file, charset)

    def read(self, kind: str, file: BinaryIO, charset: str = "") -> Document:
        """The document in a file that can be rewound; never raises for what the file holds."""
        key = f"{kind}-{_digest(file)}" + (
            f"-{hashlib.sha256(charset.encode()).hexdigest()[:8]}" if charset else ""
        )
        with self._lock:
            busy = self._busy.setdefault(key, threading.Lock())
        with busy:
            known = self._recall(key)
            if known is not None:
                return known
            with self._slots:
                made = self._run(kind, file, charset)
            self._keep(key, made)
            return made

    def _run(self, kind: str, file: BinaryIO, charset: str) -> Document:
        import subprocess
        import sys
        from tempfile import TemporaryFile

        script = Path(__file__).with_name("pdf.py" if kind == PDF else "markup.py")
        arguments = [] if kind == PDF else [kind, charset]
        # The keys in the environment are none of a document reader's business.
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        problem = ""
        with TemporaryFile() as output:
            file.seek(0)
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            child = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
                [sys.executable, "-P", str(script), *arguments],
                stdin=file,
                stdout=output,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            try:
                if child.wait(self._timeout) != 0:
                    problem = "could not be read: the reader ran out of memory or crashed"
            except subprocess.TimeoutExpired:
                problem = f"could not be read within {self._timeout:g} s"
            finally:
                child.kill()
                child.wait()
            output.seek(0)
            lines = output.read(_MAX_OUTPUT).split(b"\n")
        return _document(kind, lines, problem)

    def _recall(self, key: str) -> Document | None:
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        stored = self._load(key)
        if stored is not None:
            self._remember(key, stored)
        return stored

    def _remember(self, key: str, document: Document) -> None:
        with self._lock:
            self._kept[key] = document
            self._size += len(document.text)
            while self._size > _KEPT_CHARACTERS and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1].text)

    def _keep(self, key: str, document: Document) -> None:
        self._remember(key, document)
        # A read that ran out of time or memory may do better next time.
        if self._folder is None or document.problem.startswith("could not be read"):
            return
        from claimlint.atomic import write_text_atomic
        from claimlint.errors import WriteError

        stored = {
            "text": document.text,
            "labels": document.labels,
            "preflight": document.preflight,
            "problem": document.problem,
        }
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{key}.json"
            if not path.is_file():  # a pipe would be written to, and wait for its reader
                path.unlink(missing_ok=True)
            write_text_atomic(path, json.dumps(stored))
        except (OSError, WriteError):
            return  # the read is only made again next time

    def _load(self, key: str) -> Document | None:
        if self._folder is None:
            return None
        try:
            with open_regular(self._folder / f"{key}.json") as file:
                if os.fstat(file.fileno()).st_size > _MAX_OUTPUT:
                    return None
                stored = json.loads(file.read())
            text, labels, verdict = stored["text"], stored["labels"], stored["preflight"]
            problem = stored["problem"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        known = isinstance(text, str) and isinstance(problem, str) and isinstance(labels, list)
        if not known or not all(isinstance(label, str) for label in labels) or not isinstance(verdict, str | None):
            return None
        return Document(text, tuple(labels), verdict, problem)


def _digest(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _document(kind: str, lines: list[bytes], problem: str) -> Document:
    read = _line(lines, 0)
    if read is None:
        return Document(problem=problem or "could not be read: the reader gave no answer")
    stated = read.get("problem")
    if isinstance(stated, str) and stated:
        return Document(problem=stated)
    text, labels = read.get("text"), read.get("labels")
    if not isinstance(text, str):
        return Document(problem=problem or "could not be read: the reader gave no answer")
    if kind != PDF:
        return Document(text)
    names = tuple(label for label in labels if isinstance(label, str)) if isinstance(labels, list) else ()
    return Document(text, names, preflight(_counts(read, _line(lines, 1))))


def _counts(read: dict[str, object], counted: dict[str, object] | None) -> PageCounts | None:
    if counted is None or "unavailable" in counted:
        return None
    repaired = counted.get("repaired")
    return PageCounts(
        declared=_number(counted.get("declared")),
        enumerated=_number(counted.get("enumerated")),
        reader=_number(read.get("reader")),
        repaired=repaired if isinstance(repaired, str) else "",
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _line(lines: list[bytes], index: int) -> dict[str, object] | None:
    try:
        value: object = json.loads(lines[index])
    except (IndexError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
