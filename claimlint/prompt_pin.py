"""Hash, check and pin the judge prompt.

Everything here is pure: ``pin`` returns the new text of a settings file, and the caller writes it
(``claimlint.atomic``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from claimlint.documents.prompt_file import END, START, PromptFile, read_prompt
from claimlint.documents.source import TextSource
from claimlint.errors import DocumentError, SettingsError

TABLE = "judge-prompt"
FILE_KEY = "file"
HASH_KEY = "sha256"


@dataclass(frozen=True, slots=True)
class PinCheck:
    """The hash of a prompt beside its pin (None when there is none)."""

    sha256: str
    pinned: str | None

    @property
    def holds(self) -> bool:
        """Whether there is a pin and the prompt still has it."""
        return self.pinned is not None and self.pinned.strip().lower() == self.sha256


def canonical_prompt(text: str, path: str = "") -> str:
    """The judge prompt of a file's text: what stands between the canonical markers, stripped.

    Raises ``DocumentError`` naming ``path`` when the markers are missing, doubled, unclosed or out of order.
    """
    return _canonical(read_prompt(TextSource(path, text)))


def prompt_hash(text: str, path: str = "") -> str:
    """The SHA-256 of the judge prompt in a file's text, as lower-case hex; raises as ``canonical_prompt``."""
    file = read_prompt(TextSource(path, text))
    _canonical(file)
    return file.sha256 or ""


def check(text: str, pinned: str | None, path: str = "") -> PinCheck:
    """Compare the prompt in a file's text with its pin; raises as ``canonical_prompt`` does."""
    return PinCheck(prompt_hash(text, path), pinned)


def pin(settings: str, *, settings_path: str, prompt: str, sha256: str) -> str:
    """The text of a settings file with the judge prompt pinned; everything else in it stays as it is.

    ``settings`` is the text of ``pyproject.toml`` (the table is ``[tool.claimlint.judge-prompt]`` there) or of
    ``claimlint.toml`` (``[judge-prompt]``), empty for a new one. ``prompt`` is the prompt's path relative to
    that file's folder. Keys that are there are rewritten in place, whatever form the table has; missing ones
    are added. Raises ``SettingsError`` when the text is no valid TOML, or when the table is written in a form
    that cannot be extended in place.
    """
    from claimlint.toml_edit import set_strings

    own = os.path.basename(settings_path) != "pyproject.toml"
    table = (TABLE,) if own else ("tool", "claimlint", TABLE)
    values = {FILE_KEY: prompt, HASH_KEY: sha256}
    before = _parse(settings, settings_path)
    wanted = _with(before, table, values)
    made = set_strings(settings, table, values)
    if wanted is None or made is None or _parse(made, settings_path, edited=True) != wanted:
        name = ".".join(table)
        shown = "".join(f'\n{key} = "{value}"' for key, value in values.items())
        raise SettingsError(
            f"the table {name} cannot be changed in place; write it yourself:\n[{name}]{shown}",
            path=settings_path,
        )
    return made


def _canonical(file: PromptFile) -> str:
    text = file.canonical
    if text is None:
        raise DocumentError(
            f"needs one comment <!-- {START} --> before the judge prompt and one <!-- {END} --> behind it",
            path=file.source.path or None,
        )
    return text


def _parse(text: str, path: str, *, edited: bool = False) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        if edited:
            return None
        raise SettingsError(f"no valid TOML: {error}", path=path) from error


def _with(
    document: dict[str, Any] | None, table: tuple[str, ...], values: dict[str, str]
) -> dict[str, Any] | None:
    """A copy of a document with the values set in a table; None when something else stands in its place."""
    from copy import deepcopy

    made = deepcopy(document or {})
    inner = made
    for name in table:
        inner = inner.setdefault(name, {})
        if not isinstance(inner, dict):
            return None
    inner.update(values)
    return made
