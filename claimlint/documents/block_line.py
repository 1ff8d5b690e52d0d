"""Where in a line the block scanner is: offsets for the file, columns with tabs expanded for Markdown."""

from __future__ import annotations

from claimlint.documents.block_grammar import BLANK

TAB = 4
"""A tab stop, in columns."""

CODE_INDENT = 4
"""How many columns of indentation make code."""


class Line:
    """A line of a text behind the prefixes of its containers.

    ``column`` is how far the containers reach; ``at`` is the offset of the first character behind them that is no
    blank, and ``indent`` how many columns of blanks stand before it. A tab may belong to both in part.
    """

    __slots__ = ("at", "column", "end", "indent", "mark", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.start(0, 0)

    def start(self, at: int, end: int) -> None:
        """Go to the start of a line that ends at ``end``."""
        self.end = end
        self.column = 0
        self.mark = (at, 0)
        self._advance(at, 0)

    def quote(self) -> None:
        """Go behind the quote prefix at ``at`` and one blank."""
        column = self.column + self.indent + 1
        at = self.at + 1
        self.mark = (at, column)
        self.column = column + 1 if at < self.end and self.text[at] in " \t" else column
        self._advance(at, column)

    def skip_to(self, at: int) -> None:
        """Go behind a container's mark, which ends at ``at``."""
        self.column += self.indent + at - self.at
        self.mark = (at, self.column)
        self._advance(at, self.column)

    def content(self, columns: int) -> int:
        """The offset of the line's content once ``columns`` of its indentation are taken away."""
        at, column = self.mark
        while column < self.column + columns and at < self.at:
            column += TAB - column % TAB if self.text[at] == "\t" else 1
            at += 1
        return at

    def _advance(self, at: int, column: int) -> None:
        """Find the first character at or after ``at``, which stands in ``column``, that is no blank."""
        text = self.text
        found = BLANK.match(text, at, self.end)
        stop = found.end() if found else at
        if text.find("\t", at, stop) < 0:
            column += stop - at
        else:
            for character in text[at:stop]:
                column += TAB - column % TAB if character == "\t" else 1
        self.at, self.indent = stop, column - self.column
