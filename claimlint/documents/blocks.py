"""The types of the block structure of a Markdown text: which lines are prose, headings, tables, code, comments."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Leaf(StrEnum):
    """What a block holds."""

    TEXT = "text"
    HEADING = "heading"
    TABLE = "table"
    CODE = "code"
    FENCE = "fence"
    COMMENT = "comment"
    RAW = "raw"
    DIV = "div"
    FRONT_MATTER = "front matter"
    BREAK = "break"


@dataclass(slots=True)
class Block:
    """A leaf block.

    ``lines`` are the half-open offsets of its lines' content: behind the prefixes of containers, without line
    ends. ``container`` is the innermost container: ``list``, ``quote`` or ``footnote``, or ``paragraph`` when
    there is none. ``info`` is the info string of a fence or the text behind the colons of a div; ``level`` is
    that of a heading; ``closed`` is false when a fence or comment was ended by the end of its container or
    file.
    """

    leaf: Leaf
    container: str
    lines: list[tuple[int, int]]
    level: int = 0
    info: str = ""
    closed: bool = True

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self.lines[0][0]

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.lines[-1][1]


@dataclass(slots=True)
class Blocks:
    """The blocks of a text in document order; ``footnotes`` maps a label to the offsets of its note's text."""

    blocks: list[Block] = field(default_factory=list)
    footnotes: dict[str, tuple[int, int]] = field(default_factory=dict)
