"""Front matter: the YAML (or TOML) between the first line of a text and the line that closes it."""

from __future__ import annotations

from claimlint.documents.blocks import Block, Leaf

_CLOSERS = {"---": ("---", "..."), "+++": ("+++",)}


def front_matter_block(text: str) -> tuple[Block, int] | None:
    """The front matter of a text and the offset of the line behind it, or None.

    It opens with a first line ``---`` (``+++`` for TOML), not followed by a blank line, and has to be closed.
    """
    closers = _CLOSERS.get(text[:3])
    first = text.find("\n")
    if closers is None or first < 0 or text[3:first].strip():
        return None
    lines: list[tuple[int, int]] = []
    at = first + 1
    while at < len(text):
        newline = text.find("\n", at)
        after = len(text) if newline < 0 else newline
        line = text[at:after].rstrip()
        if line in closers:
            info = "yaml" if text[0] == "-" else "toml"
            return Block(Leaf.FRONT_MATTER, "paragraph", lines or [(at, at)], info=info), after + 1
        if not lines and not line:
            return None
        lines.append((at, at + len(line)))
        at = after + 1
    return None
