"""Loading: from files to documents, with a memory so that a passport shared by many drafts is read once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claimlint.documents.passport import PASSPORT_KEYS, Passport, PassportFile, join
from claimlint.documents.reader import read_passport
from claimlint.documents.source import TextSource, decode, read_bytes

if TYPE_CHECKING:
    from claimlint.discovery import Target
    from claimlint.documents.draft import Draft

_STEMS = sorted({word for key in PASSPORT_KEYS for word in (key[:-1], key.replace("_", "-"))})
_SNIFF = re.compile("|".join(map(re.escape, _STEMS)).encode(), re.IGNORECASE)


@dataclass(slots=True)
class Loader:
    """Reads documents; each passport file, and each set of joined ones, once."""

    _files: dict[str, PassportFile] = field(default_factory=dict)
    _joined: dict[tuple[str, ...], Passport] = field(default_factory=dict)

    def passport_file(self, target: Target) -> PassportFile | None:
        """A passport file; None when nobody named it and it holds nothing that claimlint knows.

        Raises ``DocumentError`` when it cannot be opened. What can be opened but not read comes back with a
        note and ``readable`` false.
        """
        known = self._files.get(target.path)
        if known is not None:
            return known
        data = target.text if target.text is not None else read_bytes(target.path, target.shown)
        if not target.named and _SNIFF.search(data) is None:
            return None
        made = read_passport(data, target.shown)
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
        """A draft; raises ``DocumentError`` when it cannot be opened or is no UTF-8 text."""
        from claimlint.documents.draft_reader import read_draft

        data = target.text if target.text is not None else read_bytes(target.path, target.shown)
        return read_draft(TextSource(target.shown, decode(data, target.shown)))


_STRANGERS = frozenset({"nothing-recognised", "not-an-object", "duplicate-key", "lone-surrogate"})
