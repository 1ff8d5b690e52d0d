"""Loading: from files to documents, with a memory so that a passport shared by many drafts is read once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from claimlint.documents.passport import PASSPORT_KEYS, Passport, PassportFile, join
from claimlint.documents.reader import read_passport
from claimlint.documents.source import TextSource, decode, read_bytes
from claimlint.errors import ClaimlintError, unexpected

if TYPE_CHECKING:
    from claimlint.discovery import Target
    from claimlint.documents.draft import Draft


@cache
def _hint() -> re.Pattern[bytes]:
    names = sorted({key.rstrip("s").replace("_", "[_ -]?") for key in PASSPORT_KEYS})
    escaped = r"\\u00[4-7]"
    return re.compile("|".join((*names, "manifest_id", escaped)).encode(), re.IGNORECASE)


def may_be_passport(data: bytes) -> bool:
    """Whether anything in a file looks like a key of a passport, in whatever encoding.

    Files that nobody named are parsed only when it does: most JSON and YAML in a folder is something else.
    """
    found = _hint().search(data)
    if found is None and b"\0" in data[:64]:
        found = _hint().search(data.replace(b"\0", b""))
    return found is not None


class Loader:
    """Reads documents; each passport file, and each set of joined ones, once."""

    def __init__(self) -> None:
        self._files: dict[str, PassportFile] = {}
        self._joined: dict[tuple[str, ...], Passport] = {}

    def passport_file(self, target: Target) -> PassportFile | None:
        """A passport file; None when nobody named it and it holds nothing that claimlint knows.

        Raises ``DocumentError`` when it cannot be opened. What can be opened but not read comes back with a
        note and ``readable`` false.
        """
        known = self._files.get(target.path)
        if known is not None:
            return known
        data = target.text if target.text is not None else read_bytes(target.path, target.shown)
        if not target.named and not may_be_passport(data):
            return None
        try:
            made = read_passport(data, target.shown)
        except Exception as error:
            raise unexpected(error, target.shown) from error
        if not target.named and not made.recognised and all(note.kind in _STRANGERS for note in made.notes):
            return None
        self._files[target.path] = made
        return made

    def passport(self, targets: Iterable[Target]) -> Passport:
        """The passport that the given files make up; raises as ``passport_file`` does."""
        wanted = tuple(targets)
        key = tuple(target.path for target in wanted)
        known = self._joined.get(key)
        if known is None:
            files = (self.passport_file(target) for target in wanted)
            known = self._joined[key] = join(file for file in files if file is not None)
        return known

    def draft(self, target: Target) -> Draft:
        """A draft; raises ``DocumentError`` when it cannot be opened, is no UTF-8 text or defeats the reader."""
        from claimlint.documents.draft_reader import read_draft

        data = target.text if target.text is not None else read_bytes(target.path, target.shown)
        try:
            return read_draft(TextSource(target.shown, decode(data, target.shown)))
        except ClaimlintError:
            raise
        except Exception as error:
            raise unexpected(error, target.shown) from error


_STRANGERS = frozenset({"nothing-recognised", "not-an-object", "duplicate-key", "lone-surrogate"})
