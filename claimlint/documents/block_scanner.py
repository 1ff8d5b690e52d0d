"""The block structure of a Markdown text: which lines are prose, headings, tables, code, comments.

The rules are those of CommonMark with the tables of GitHub and the footnotes, divs and captions of Pandoc. The
scanner is our own because a linter needs what Markdown libraries do not give: the offset of every line's
content behind quote and list prefixes, no content dropped below some nesting depth, and citation markers that
are text of their paragraph although CommonMark lets a comment at a line's start end it. The tests hold it
against markdown-it-py. One pass, no recursion; a line costs at most ``MAX_DEPTH`` steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from claimlint.documents import block_grammar as grammar
from claimlint.documents.block_line import CODE_INDENT, Line
from claimlint.documents.blocks import Block, Blocks, Leaf
from claimlint.documents.front_matter import front_matter_block

MAX_DEPTH = 64
"""How many containers (quotes, list items, footnotes) nest; what would open more is read as text."""

_OPAQUE = frozenset({Leaf.FENCE, Leaf.COMMENT, Leaf.RAW})


@dataclass(slots=True)
class _Container:
    kind: str
    indent: int = 0
    label: str = ""
    start: int = -1


def scan_blocks(text: str) -> Blocks:
    """The blocks of a Markdown text. Never raises; time linear in the text."""
    scanner = _Scanner(text)
    scanner.run()
    return scanner.found


class _Scanner:
    """The state of one pass over the lines of a text.

    ``leaf`` is the open leaf block; ``until`` is what ends it: a fence, a formula, a raw element. ``stack`` holds
    the open containers from the outermost, ``line`` is where in the current line the scanner is.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = Blocks()
        self.stack: list[_Container] = []
        self.leaf: Block | None = None
        self.until = ""
        self.fence_indent = 0
        self.line = Line(text)
        self.last_end = 0

    def run(self) -> None:
        text = self.text
        size = len(text)
        at = 0
        matter = front_matter_block(text)
        if matter is not None:
            self.found.blocks.append(matter[0])
            at = matter[1]
        find = text.find
        plain = grammar.PLAIN.match
        while at < size:
            newline = find("\n", at)
            after = size if newline < 0 else newline
            end = after - 1 if after > at and text[after - 1] == "\r" else after
            if self.stack or self.until:
                self._line(at, end)
            elif at == end:
                self._blank(0, True, at)
            elif plain(text, at, end):
                self._plain(at, end)
            else:
                self._line(at, end)
                if self.until and self._endless(after + 1):
                    break
            at = after + 1
        self._close_to(0)

    def _endless(self, at: int) -> bool:
        """Whether the fence or comment just opened at the top level is never closed: then it takes the rest."""
        leaf = self.leaf
        if leaf is None or leaf.leaf not in (Leaf.FENCE, Leaf.COMMENT) or self.stack:
            return False
        if self.text.find(self.until, at) >= 0:
            return False
        size = len(self.text.rstrip("\r\n"))
        if at < size:
            leaf.lines.append((at, size))
        return True

    def _plain(self, at: int, end: int) -> None:
        leaf = self.leaf
        content = at + 1 if self.text[at] == " " else at
        while self.text[content] == " ":
            content += 1
        if leaf is not None and leaf.leaf in (Leaf.TEXT, Leaf.TABLE):
            leaf.lines.append((content, end))
        else:
            self._open(Leaf.TEXT, content, end)
        self.last_end = end

    # -- one line ------------------------------------------------------------------------------------------

    def _line(self, at: int, end: int) -> None:
        self.line.start(at, end)
        matched = self._match(end)
        whole = matched == len(self.stack)
        blank = self.line.at >= end
        if blank:
            self._blank(matched, whole, end)
            return
        leaf = self.leaf
        if whole and leaf is not None and leaf.leaf in _OPAQUE:
            self._opaque(leaf, end)
        elif whole and leaf is not None and leaf.leaf is Leaf.TEXT and self.until:
            self._formula(leaf, self.line.at, end)
        else:
            self._starts(matched, whole, end)
        self.last_end = end

    def _match(self, end: int) -> int:
        """How many open containers the line continues, from the outermost; moves behind their prefixes."""
        for number, container in enumerate(self.stack):
            if container.kind == "quote":
                if self.line.at >= end or self.line.indent >= CODE_INDENT or self.text[self.line.at] != ">":
                    return number
                self.line.quote()
            elif self.line.at >= end:
                if container.start < 0:
                    return number
            elif self.line.indent >= container.indent:
                self.line.column += container.indent
                self.line.indent -= container.indent
            else:
                return number
        return len(self.stack)

    def _blank(self, matched: int, whole: bool, at: int) -> None:
        leaf = self.leaf
        if not whole:
            self._close_to(matched)
        elif leaf is not None:
            if leaf.leaf in (Leaf.TEXT, Leaf.TABLE):
                self._close_leaf()
            elif leaf.leaf in _OPAQUE or leaf.leaf is Leaf.CODE:
                leaf.lines.append((at, at))

    def _opaque(self, leaf: Block, end: int) -> None:
        """A line of a fence, comment or raw element: its content, or its end."""
        text = self.text
        if leaf.leaf is Leaf.FENCE:
            if self.line.indent < CODE_INDENT and text.startswith(self.until, self.line.at):
                rest = text[self.line.at : end].lstrip(self.until[0])
                if not rest.strip():
                    leaf.closed = True
                    self.leaf, self.until = None, ""
                    return
            leaf.lines.append((self.line.content(min(self.line.indent, self.fence_indent)), end))
            return
        if leaf.leaf is Leaf.COMMENT:
            start = self.line.content(0)
            close = text.find("-->", self.line.at, end)
            if close < 0:
                leaf.lines.append((start, end))
                return
            leaf.lines.append((start, close + 3))
            leaf.closed = True
            self.leaf, self.until = None, ""
            self.line.start(close + 3, end)
            if self.line.at < end:
                self._open(Leaf.TEXT, self.line.at, end)
            return
        leaf.lines.append((self.line.at, end))
        if self.until in text[self.line.at : end].lower():
            leaf.closed = True
            self.leaf, self.until = None, ""

    # -- block starts --------------------------------------------------------------------------------------

    def _starts(self, matched: int, whole: bool, end: int) -> None:
        """Open the containers and the leaf that start on the line, or go on with the open paragraph."""
        leaf = self.leaf
        paragraph = leaf is not None and leaf.leaf is Leaf.TEXT
        table = leaf is not None and leaf.leaf is Leaf.TABLE
        lazy = paragraph and not whole
        while True:
            if self.line.indent >= CODE_INDENT:
                break
            interrupts = paragraph and whole
            if len(self.stack) < MAX_DEPTH and self._container(matched, interrupts, end):
                matched, whole = len(self.stack), True
                paragraph = lazy = table = False
                if self.line.at >= end:
                    return
                continue
            if self._leaf_start(matched, whole, interrupts, table, end):
                return
            break
        if (whole and (paragraph or table)) or lazy:
            assert self.leaf is not None
            self.leaf.lines.append((self.line.at, end))
            return
        if not whole:
            self._close_to(matched)
        if self.line.indent >= CODE_INDENT:
            start = self.line.content(CODE_INDENT)
            if self.leaf is not None and self.leaf.leaf is Leaf.CODE:
                self.leaf.lines.append((start, end))
            else:
                self._open(Leaf.CODE, start, end)
            return
        self._open(Leaf.TEXT, self.line.at, end)

    def _container(self, matched: int, interrupts: bool, end: int) -> bool:
        """Open the container that starts at the line's first character; false when none does."""
        text, at = self.text, self.line.at
        first = text[at]
        if first == ">":
            self._enter(matched, _Container("quote", start=at))
            self.line.quote()
            return True
        if first == "[":
            note = grammar.FOOTNOTE.match(text, at, end)
            if note is None:
                return False
            self._enter(matched, _Container("footnote", CODE_INDENT, note[1], note.end()))
            self.line.skip_to(note.end())
            return True
        item = grammar.ITEM.match(text, at, end)
        if item is None:
            item = grammar.DEFINITION.match(text, at, end)
            if item is None or self._after_table():
                return False
        elif grammar.BREAK.match(text, at, end) or (first == "-" and grammar.RULER.match(text, at, end)):
            return False
        empty = not text[item.end() : end].strip(" \t")
        if interrupts and (empty or (item.lastindex and int(item[1]) != 1)):
            return False
        line = self.line
        before = line.indent + item.end() - at
        line.skip_to(item.end())
        blanks = 1 if empty or line.indent > CODE_INDENT else line.indent
        self._enter(matched, _Container("list", before + blanks, start=-1 if empty else line.at))
        line.column += blanks
        line.indent -= blanks
        return True

    def _after_table(self) -> bool:
        """Whether a line that starts with a colon stands behind a table, and so is its caption."""
        blocks = self.found.blocks
        return bool(blocks) and blocks[-1].leaf is Leaf.TABLE

    def _leaf_start(self, matched: int, whole: bool, interrupts: bool, table: bool, end: int) -> bool:
        """Open the leaf that starts at the line's first character; false when that is plain text."""
        text, at = self.text, self.line.at
        first = text[at]
        made: Block | None = None
        if first == "#":
            heading = grammar.HEADING.match(text, at, end)
            if heading is None:
                return False
            closing = grammar.HEADING_END.search(text, heading.end(), end)
            stop = heading.end() + len(text[heading.end() : closing.start() if closing else end].rstrip())
            made = Block(Leaf.HEADING, "", [(heading.end(), stop)], len(heading[1]))
        elif first in "`~":
            fence = grammar.FENCE.match(text, at, end)
            if fence is None:
                return False
            run, info = (fence[1], fence[2]) if fence[1] else (fence[3], fence[4])
            made = Block(Leaf.FENCE, "", [(at, end)], info=info.strip(), closed=False)
            self.fence_indent = self.line.indent
            self._begin(matched, whole, made)
            self.until = run
            return True
        elif first == "<":
            return self._angle(matched, whole, interrupts or table, end)
        elif first == ":" and (div := grammar.DIV.match(text, at, end)):
            made = Block(Leaf.DIV, "", [(at, end)], info=div[1].strip())
        elif first == ":" and table and grammar.DEFINITION.match(text, at, end):
            self._begin(matched, whole, Block(Leaf.TEXT, "", [(at, end)]))
            return True
        elif first in "=-*_+|:":
            return self._rule(matched, whole, interrupts, end)
        elif first in "$\\" and (formula := grammar.MATH.match(text, at, end)):
            return self._formula_start(matched, whole, interrupts, formula, end)
        if made is None:
            return False
        self._begin(matched, whole, made)
        self.leaf = None
        return True

    def _rule(self, matched: int, whole: bool, interrupts: bool, end: int) -> bool:
        """Underlines of headings, thematic breaks, and the ruled lines that make a table."""
        text, at = self.text, self.line.at
        leaf = self.leaf
        if interrupts and leaf is not None:
            underline = grammar.SETEXT.match(text, at, end)
            if underline:
                leaf.leaf, leaf.level = Leaf.HEADING, 1 if text[at] == "=" else 2
                self.leaf = None
                return True
            pipes = grammar.DELIMITER.match(text, at, end) is not None
            if pipes or grammar.RULER.match(text, at, end):
                header = leaf.lines[-1]
                if pipes and "|" not in text[header[0] : header[1]]:
                    return False
                if len(leaf.lines) > 1:
                    leaf.lines.pop()
                    leaf = Block(Leaf.TABLE, leaf.container, [header])
                    self.found.blocks.append(leaf)
                    self.leaf = leaf
                leaf.leaf = Leaf.TABLE
                leaf.lines.append((at, end))
                return True
        if leaf is not None and leaf.leaf is Leaf.TABLE and whole:
            return False
        made = grammar.GRID.match(text, at, end) or (not interrupts and grammar.RULER.match(text, at, end))
        if made:
            self._begin(matched, whole, Block(Leaf.TABLE, "", [(at, end)]))
            return True
        if grammar.BREAK.match(text, at, end):
            self._begin(matched, whole, Block(Leaf.BREAK, "", [(at, end)]))
            self.leaf = None
            return True
        return False

    def _angle(self, matched: int, whole: bool, interrupts: bool, end: int) -> bool:
        """Comments, raw elements and block tags. Markers are text; so is a comment that ends on its line."""
        text, at = self.text, self.line.at
        if text.startswith("<!--", at):
            if grammar.MARKERISH.match(text, at):
                return False
            close = text.find("-->", at + 2, end)
            if close >= 0:
                if interrupts or text[close + 3 : end].strip():
                    return False
                self._begin(matched, whole, Block(Leaf.COMMENT, "", [(at, close + 3)]))
                self.leaf = None
                return True
            self._begin(matched, whole, Block(Leaf.COMMENT, "", [(at, end)], closed=False))
            self.until = "-->"
            return True
        raw = grammar.RAW.match(text, at, end)
        if raw:
            until = f"</{raw[1].lower()}>"
            closed = until in text[at:end].lower()
            self._begin(matched, whole, Block(Leaf.RAW, "", [(at, end)], info=raw[1], closed=closed))
            if closed:
                self.leaf = None
            else:
                self.until = until
            return True
        if interrupts and grammar.TAG.match(text, at, end):
            self._begin(matched, whole, Block(Leaf.TEXT, "", [(at, end)]))
            return True
        return False

    def _formula_start(
        self, matched: int, whole: bool, interrupts: bool, opening: re.Match[str], end: int
    ) -> bool:
        """A display formula: its lines belong to the paragraph, but are no Markdown until it ends."""
        if opening[1] in grammar.PROSE_ENVIRONMENTS:
            return False
        if interrupts and self.leaf is not None:
            leaf = self.leaf
            leaf.lines.append((self.line.at, end))
        else:
            leaf = Block(Leaf.TEXT, "", [(self.line.at, end)])
            self._begin(matched, whole, leaf)
        if grammar.math_end(opening[0], self.text, opening.end(), end) < 0:
            self.until = opening[0]
        return True

    def _formula(self, leaf: Block, at: int, end: int) -> None:
        leaf.lines.append((at, end))
        if grammar.math_end(self.until, self.text, at, end) >= 0:
            self.until = ""

    # -- opening and closing -------------------------------------------------------------------------------

    def _enter(self, matched: int, container: _Container) -> None:
        """Close what a new container ends, and go into it."""
        self._close_to(matched)
        self._fill(self.line.at)
        self.stack.append(container)

    def _fill(self, start: int) -> None:
        if self.stack and self.stack[-1].start < 0:
            self.stack[-1].start = start

    def _begin(self, matched: int, whole: bool, block: Block) -> None:
        """Close what a new leaf ends, and make it the open one."""
        if not whole:
            self._close_to(matched)
        self._close_leaf()
        block.container = self.stack[-1].kind if self.stack else "paragraph"
        self._fill(block.start)
        self.found.blocks.append(block)
        self.leaf = block

    def _open(self, leaf: Leaf, start: int, end: int) -> None:
        self.until = ""
        self._fill(start)
        self.leaf = Block(leaf, self.stack[-1].kind if self.stack else "paragraph", [(start, end)])
        self.found.blocks.append(self.leaf)

    def _close_leaf(self) -> None:
        self.leaf, self.until = None, ""

    def _close_to(self, depth: int) -> None:
        """Close the open leaf and every container deeper than ``depth``."""
        self._close_leaf()
        while len(self.stack) > depth:
            closed = self.stack.pop()
            if closed.kind == "footnote" and closed.label not in self.found.footnotes:
                self.found.footnotes[closed.label] = (closed.start, max(closed.start, self.last_end))
