"""Reading a PDF: its text page by page, its page labels, and whether the read can be relied on.

This file is run as a program of its own, because PDF libraries meet hostile files with native code: it reads a
PDF from standard input and prints two lines of JSON, what was read and what the preflight counted. It imports
nothing of claimlint. PDFium reads the text; pypdf, in its strict mode, walks the page tree, which PDFium does
not show.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

MAX_PAGES = 20_000
MAX_CHARACTERS = 32_000_000
MAX_MEMORY = 2 * 1024**3
"""Limits of one read: pages, characters of text, bytes of memory that the process may ask for."""

_LINE_END_HYPHENS = str.maketrans({"\ufffe": "-\n", "\u0002": "-\n", "\f": " ", "\r": None})


def read(file: BinaryIO) -> dict[str, object]:
    """The text of a PDF, every page ended by a form feed, and its labels; or the ``problem`` that forbids it.

    ``reader`` is the number of pages whose text could be read. Blank lines are left out of the text: in a PDF
    they are gaps of the layout and part no paragraphs.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        return {"problem": "is encrypted" if locked else "is damaged, or is no PDF"}
    count = len(document)
    if count > MAX_PAGES:
        return {"problem": f"has {count} pages, more than the limit of {MAX_PAGES}"}
    pages: list[str] = []
    labels: list[str] = []
    total = readable = 0
    for index in range(count):
        text = _page_text(document, index)
        readable += text is not None
        pages.append(text or "")
        labels.append(document.get_page_label(index))
        total += len(pages[-1])
        if total > MAX_CHARACTERS:
            return {"problem": f"has more than {MAX_CHARACTERS} characters of text"}
    if not any(character.isalnum() for page in pages for character in page):
        return {"problem": "has no text layer (a scan?); run it through text recognition first"}
    labelled = any(label and label != str(number) for number, label in enumerate(labels, start=1))
    return {
        "text": "".join(f"{page}\f" for page in pages),
        "labels": labels if labelled else [],
        "reader": readable,
    }


def count_pages(file: BinaryIO) -> dict[str, object]:
    """What a strict parser counts: ``declared`` by the page tree's root, ``enumerated`` by walking the tree.

    ``repaired`` says what the parser would have had to repair; it is empty for a sound file.
    """
    import pypdf

    warnings = _Collected()
    logger = logging.getLogger("pypdf")
    logger.addHandler(warnings)
    logger.propagate = False
    try:
        reader = pypdf.PdfReader(file, strict=True)
        if reader.is_encrypted:
            return {"unavailable": "is encrypted"}
        root: Any = reader.trailer["/Root"]
        tree: Any = root["/Pages"]
        return {
            "declared": int(tree["/Count"]),
            "enumerated": sum(1 for _ in _leaves(tree)),
            "repaired": "; ".join(warnings.messages[:3]),
        }
    except Exception as error:  # noqa: BLE001 - any failure of a strict parser means a file that needs repair
        return {"declared": None, "enumerated": None, "repaired": f"{type(error).__name__}: {error}"[:300]}


class _Collected(logging.Handler):
    """Keeps what the parser warns of: each warning is a repair."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage()[:200])


def _leaves(tree: Any) -> Iterator[object]:
    """The pages of a page tree; a node that comes twice or a tree that is too large is an error."""
    pending: list[Any] = [tree]
    seen: set[int] = set()
    nodes = 0
    while pending:
        node = pending.pop().get_object()
        nodes += 1
        if nodes > 2 * MAX_PAGES:
            raise ValueError("the page tree is too large")
        if "/Kids" not in node:
            yield node
            continue
        for kid in node["/Kids"]:
            number = getattr(kid, "idnum", None)
            if number is not None and number in seen:
                raise ValueError("the page tree holds a node twice")
            if number is not None:
                seen.add(number)
            pending.append(kid)


def _page_text(document: Any, index: int) -> str | None:
    """The text of a page without blank lines; None when the page cannot be read."""
    import pypdfium2

    try:
        page = document[index]
        layer = page.get_textpage()
        if layer.count_chars() > MAX_CHARACTERS:
            return None
        text = layer.get_text_range() if layer.count_chars() > 0 else ""
        layer.close()
        page.close()
    except pypdfium2.PdfiumError:
        return None
    plain = text.encode("utf-8", "replace").decode("utf-8").translate(_LINE_END_HYPHENS)
    return "\n".join(line for line in plain.split("\n") if line.strip())


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # no such limits on Windows; the time limit of the caller holds there too
        return
    for kind, most in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CPU, 300)):
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            continue


def main() -> None:
    """Read standard input, a seekable file, and print what was read and what was counted."""
    _limit_resources()
    file = sys.stdin.buffer
    print(json.dumps(read(file)), flush=True)
    file.seek(0)
    print(json.dumps(count_pages(file)), flush=True)


if __name__ == "__main__":
    main()
