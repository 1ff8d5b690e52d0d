"""Citation keys that a draft names outside its ref markers: pandoc, LaTeX and MyST, ``nocite`` included.

This only answers whether a known key is named anywhere. It looks at the whole text, code and comments
included, because an entry that is named somewhere should not be called unused.
"""

from __future__ import annotations

import re

EVERYTHING = "*"
"""The key under which ``nocite`` asks for the whole bibliography."""

_PANDOC = re.compile(r"(?<![\w.@])@(?:\{([^{}\s]+)\}|(\*)|(\w[^\s\[\]{}(),;\"'`|\\<>]*))")
_LATEX = re.compile(r"\\([A-Za-z]+)\*?(?:\[[^\[\]\n]*\]){0,2}\{([^{}]*)\}")
_MYST = re.compile(r"\{([\w:]+)\}`([^`\n]*)`")
_AT_THE_END = ".:,;!?*_-/#$%&+~"


def cited_keys(text: str) -> frozenset[str]:
    """Every key that a text may name; ``EVERYTHING`` when it asks for all."""
    found: set[str] = set()
    for match in _PANDOC.finditer(text):
        braced, everything, bare = match.groups()
        if bare is None:
            found.add(braced or everything)
        else:
            stem = bare.rstrip(_AT_THE_END)
            found.update((bare, stem, stem.removesuffix("’s")))
    for pattern in (_LATEX, _MYST):
        for match in pattern.finditer(text):
            command, keys = match.groups()
            if "cite" in command.lower():
                found.update(part.strip() for part in keys.split(","))
    return frozenset(found)
