"""The block structure of a Markdown text: which lines are prose, headings, tables, code, comments.

The rules are those of CommonMark with the tables of GitHub and the footnotes, divs and captions of Pandoc. The
scanner is our own because a linter needs what Markdown libraries do not give: the offset of every line's
content behind quote and list prefixes, no content dropped below some nesting depth, and citation markers that
are text of their paragraph although CommonMark lets a comment at a line's start end it. The tests hold it
against markdown-it-py. One pass, no recursion; a line costs at most ``MAX_DEPTH`` steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

MAX_DEPTH = 64
"""How many containers (quotes, list items, footnotes) nest; what would open more is read as text."""

_TAB = 4
_CODE_INDENT = 4


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


@dataclass(slots=True)
class _Container:
    kind: str
    indent: int = 0
    label: str = ""
    start: int = -1
    end: int = -1


_BLANK = re.compile(r"[ \t]*+")
# A line that can only be text: it starts with a letter, or with a letter behind common punctuation.
_PLAIN = re.compile(r" {0,3}+(?:[^\W\d_]|[(\"'“‘*_][^\W\d_])")
_HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)[ \t]*+")
_HEADING_END = re.compile(r"(?:(?<=[ \t])|^)#++[ \t]*$")
_SETEXT = re.compile(r"(=++|-++)[ \t]*$")
_BREAK = re.compile(r"(?:(?:\*[ \t]*+){3,}|(?:-[ \t]*+){3,}|(?:_[ \t]*+){3,})$")
_FENCE = re.compile(r"(`{3,}+)([^`]*)$|(~{3,}+)(.*)$")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|$)")
_DEFINITION = re.compile(r"[:~](?=[ \t]+\S)")
_FOOTNOTE = re.compile(r"\[\^([^\s\[\]]+)\]:[ \t]*+")
_DIV = re.compile(r":{3,}+[ \t]*+([^\n]*)")
_DELIMITER = re.compile(r"(?=[^|\n]*+\|)\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*$")
_GRID = re.compile(r"\+(?:[-=:]{2,}+\+)++[ \t]*$")
_RULER = re.compile(r"-{2,}+(?:[ \t]++-{2,}+)++[ \t]*$")
_RAW = re.compile(r"<(script|style|pre|textarea)(?=[\s>]|$)", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|"
    r"dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|"
    r"legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|"
    r"tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$)",
    re.IGNORECASE,
)
_MATH = re.compile(r"\$\$|\\\[|\\begin\{([A-Za-z]+\*?)\}")
_PROSE_ENVIRONMENTS = frozenset(
    {"itemize", "enumerate", "description", "quote", "quotation", "abstract", "center"}
)
MARKERISH = re.compile(r"<!--\s*+(?:ref|anchor)\s*+:", re.IGNORECASE)
"""How a comment starts that is, or was meant as, a citation marker."""


def scan_blocks(text: str) -> Blocks:
    """The blocks of a Markdown text. Never raises; time linear in the text."""
    scanner = _Scanner(text)
    scanner.run()
    return scanner.found


def math_end(opening: str, text: str, start: int, end: int) -> int:
    """The offset behind the end of the display formula that ``opening`` starts, looked for in a range; or -1."""
    close = {"$$": "$$", "\\[": "\\]"}.get(opening) or "\\end" + opening[len("\\begin") :]
    at = text.find(close, start, end)
    return -1 if at < 0 else at + len(close)


class _Scanner:
    """The state of one pass over the lines of a text.

    ``leaf`` is the open leaf block; ``until`` is what ends it: a fence, a formula, a raw element. ``column`` is
    how far the containers of the current line reach, ``at`` and ``indent`` give its first character behind
    that: offset, and blanks before it in columns.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = Blocks()
        self.stack: list[_Container] = []
        self.leaf: Block | None = None
        self.until = ""
        self.fence_indent = 0
        self.column = 0
        self.at = 0
        self.indent = 0
        self.mark = (0, 0)
        self.last_end = 0

    def run(self) -> None:
        text = self.text
        size = len(text)
        at = self._front_matter()
        find = text.find
        plain = _PLAIN.match
        while at < size:
            newline = find("\n", at)
            after = size if newline < 0 else newline
            end = after - 1 if after > at and text[after - 1] == "\r" else after
            if self.stack or self.until:
                self._line(at, end)
            elif at == end:
                self._blank(0, True)
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
        if leaf is None or leaf.closed or self.stack or self.text.find(self.until, at) >= 0:
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

    def _front_matter(self) -> int:
        text = self.text
        opening = text[:3]
        if opening not in ("---", "+++"):
            return 0
        lines: list[tuple[int, int]] = []
        at = 0
        closers = {opening, "..."} if opening == "---" else {opening}
        while at < len(text):
            newline = text.find("\n", at)
            after = len(text) if newline < 0 else newline
            line = text[at:after].rstrip()
            if at == 0:
                if line != opening:
                    return 0
            elif line in closers:
                info = "yaml" if opening == "---" else "toml"
                block = Block(Leaf.FRONT_MATTER, "paragraph", lines or [(at, at)], info=info)
                self.found.blocks.append(block)
                return after + 1
            else:
                if len(lines) == 0 and not line:
                    return 0
                lines.append((at, at + len(line)))
            at = after + 1
        return 0

    # -- one line ------------------------------------------------------------------------------------------

    def _line(self, at: int, end: int) -> None:
        self.column, self.mark = 0, (at, 0)
        self._advance(at, end, 0)
        matched = self._match(end)
        whole = matched == len(self.stack)
        blank = self.at >= end
        if blank:
            self._blank(matched, whole)
            return
        leaf = self.leaf
        if whole and leaf is not None and leaf.leaf in (Leaf.FENCE, Leaf.COMMENT, Leaf.RAW):
            self._opaque(leaf, end)
        elif whole and leaf is not None and leaf.leaf is Leaf.TEXT and self.until:
            self._formula(leaf, self.at, end)
        else:
            self._starts(matched, whole, end)
        self.last_end = end

    def _advance(self, at: int, end: int, column: int) -> None:
        """Move to the first character at or after ``at`` (which stands in ``column``) that is no blank."""
        found = _BLANK.match(self.text, at, end)
        stop = found.end() if found else at
        if self.text.find("\t", at, stop) < 0:
            column += stop - at
        else:
            for character in self.text[at:stop]:
                column += _TAB - column % _TAB if character == "\t" else 1
        self.at, self.indent = stop, column - self.column

    def _match(self, end: int) -> int:
        """How many open containers the line continues, from the outermost; moves behind their prefixes."""
        for number, container in enumerate(self.stack):
            if container.kind == "quote":
                if self.at >= end or self.indent >= _CODE_INDENT or self.text[self.at] != ">":
                    return number
                self._quote(end)
            elif self.at >= end:
                if container.start < 0:
                    return number
            elif self.indent >= container.indent:
                self.column += container.indent
                self.indent -= container.indent
            else:
                return number
        return len(self.stack)

    def _quote(self, end: int) -> None:
        at, column = self.at + 1, self.column + self.indent + 1
        self.mark = (at, column)
        self.column = column + 1 if at < end and self.text[at] in " \t" else column
        self._advance(at, end, column)

    def _blank(self, matched: int, whole: bool) -> None:
        leaf = self.leaf
        if not whole:
            self._close_to(matched)
        elif leaf is not None:
            if leaf.leaf in (Leaf.TEXT, Leaf.TABLE):
                self._close_leaf()
            elif leaf.leaf in (Leaf.FENCE, Leaf.COMMENT, Leaf.RAW, Leaf.CODE):
                leaf.lines.append((self.at, self.at))

    def _opaque(self, leaf: Block, end: int) -> None:
        """A line of a fence, comment or raw element: its content, or its end."""
        text = self.text
        if leaf.leaf is Leaf.FENCE:
            if self.indent < _CODE_INDENT and text.startswith(self.until, self.at):
                rest = text[self.at : end].lstrip(self.until[0])
                if not rest.strip():
                    leaf.closed = True
                    self.leaf, self.until = None, ""
                    return
            leaf.lines.append((self._content(min(self.indent, self.fence_indent)), end))
            return
        if leaf.leaf is Leaf.COMMENT:
            close = text.find("-->", self.at, end)
            if close < 0:
                leaf.lines.append((self.at, end))
                return
            leaf.lines.append((self.at, close + 3))
            leaf.closed = True
            self.leaf, self.until = None, ""
            self._advance(close + 3, end, 0)
            if self.at < end:
                self._open(Leaf.TEXT, self.at, end)
            return
        leaf.lines.append((self.at, end))
        if self.until in text[self.at : end].lower():
            leaf.closed = True
            self.leaf, self.until = None, ""

    def _content(self, columns: int) -> int:
        """The offset of the line's content once ``columns`` of its indentation are taken away."""
        at, column = self.mark
        while column < self.column + columns and at < self.at:
            column += _TAB - column % _TAB if self.text[at] == "\t" else 1
            at += 1
        return at

    # -- block starts --------------------------------------------------------------------------------------

    def _starts(self, matched: int, whole: bool, end: int) -> None:
        """Open the containers and the leaf that start on the line, or go on with the open paragraph."""
        leaf = self.leaf
        paragraph = leaf is not None and leaf.leaf is Leaf.TEXT
        table = leaf is not None and leaf.leaf is Leaf.TABLE
        lazy = paragraph and not whole
        while True:
            if self.indent >= _CODE_INDENT:
                break
            interrupts = paragraph and whole
            if len(self.stack) < MAX_DEPTH and self._container(matched, interrupts, end):
                matched, whole = len(self.stack), True
                paragraph = lazy = table = False
                if self.at >= end:
                    return
                continue
            if self._leaf_start(matched, whole, interrupts, table, end):
                return
            break
        if (whole and (paragraph or table)) or lazy:
            assert self.leaf is not None
            self.leaf.lines.append((self.at, end))
            return
        if not whole:
            self._close_to(matched)
        if self.indent >= _CODE_INDENT:
            start = self._content(_CODE_INDENT)
            if self.leaf is not None and self.leaf.leaf is Leaf.CODE:
                self.leaf.lines.append((start, end))
            else:
                self._open(Leaf.CODE, start, end)
            return
        self._open(Leaf.TEXT, self.at, end)

    def _container(self, matched: int, interrupts: bool, end: int) -> bool:
        """Open the container that starts at the line's first character; false when none does."""
        text, at = self.text, self.at
        first = text[at]
        if first == ">":
            self._enter(matched, _Container("quote", start=at))
            self._quote(end)
            return True
        if first == "[":
            note = _FOOTNOTE.match(text, at, end)
            if note is None:
                return False
            self._enter(matched, _Container("footnote", _TAB, note[1], note.end()))
            self.column += self.indent + note.end() - at
            self.mark = (note.end(), self.column)
            self._advance(note.end(), end, self.column)
            return True
        item = _ITEM.match(text, at, end)
        if item is None:
            item = _DEFINITION.match(text, at, end)
            if item is None or self._after_table():
                return False
        elif _BREAK.match(text, at, end) or (first == "-" and _RULER.match(text, at, end)):
            return False
        empty = not text[item.end() : end].strip(" \t")
        if interrupts and (empty or (item.lastindex and int(item[1]) != 1)):
            return False
        before = self.indent + item.end() - at
        outer = self.column
        self.column = column = outer + before
        self._advance(item.end(), end, column)
        blanks = 1 if empty or self.indent > _CODE_INDENT else self.indent
        self._enter(matched, _Container("list", before + blanks, start=-1 if empty else self.at))
        self.column = outer + before + blanks
        self.indent -= blanks
        self.mark = (item.end(), column)
        return True

    def _after_table(self) -> bool:
        """Whether a line that starts with a colon stands behind a table, and so is its caption."""
        blocks = self.found.blocks
        return bool(blocks) and blocks[-1].leaf is Leaf.TABLE

    def _leaf_start(self, matched: int, whole: bool, interrupts: bool, table: bool, end: int) -> bool:
        """Open the leaf that starts at the line's first character; false when that is plain text."""
        text, at = self.text, self.at
        first = text[at]
        made: Block | None = None
        if first == "#":
            heading = _HEADING.match(text, at, end)
            if heading is None:
                return False
            closing = _HEADING_END.search(text, heading.end(), end)
            stop = closing.start() if closing else end
            made = Block(Leaf.HEADING, "", [(heading.end(), max(stop, heading.end()))], len(heading[1]))
        elif first in "`~":
            fence = _FENCE.match(text, at, end)
            if fence is None:
                return False
            run, info = (fence[1], fence[2]) if fence[1] else (fence[3], fence[4])
            made = Block(Leaf.FENCE, "", [(at, end)], info=info.strip(), closed=False)
            self.fence_indent = self.indent
            self._begin(matched, whole, made)
            self.until = run
            return True
        elif first == "<":
            return self._angle(matched, whole, interrupts or table, end)
        elif first == ":" and (div := _DIV.match(text, at, end)):
            made = Block(Leaf.DIV, "", [(at, end)], info=div[1].strip())
        elif first == ":" and table and _DEFINITION.match(text, at, end):
            self._begin(matched, whole, Block(Leaf.TEXT, "", [(at, end)]))
            return True
        elif first in "=-*_+|:":
            return self._rule(matched, whole, interrupts, end)
        elif first in "$\\" and (formula := _MATH.match(text, at, end)):
            return self._formula_start(matched, whole, interrupts, formula, end)
        if made is None:
            return False
        self._begin(matched, whole, made)
        self.leaf = None
        return True

    def _rule(self, matched: int, whole: bool, interrupts: bool, end: int) -> bool:
        """Underlines of headings, thematic breaks, and the ruled lines that make a table."""
        text, at = self.text, self.at
        leaf = self.leaf
        if interrupts and leaf is not None:
            underline = _SETEXT.match(text, at, end)
            if underline:
                leaf.leaf, leaf.level = Leaf.HEADING, 1 if text[at] == "=" else 2
                self.leaf = None
                return True
            pipes = _DELIMITER.match(text, at, end) is not None
            if pipes or _RULER.match(text, at, end):
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
        made = _GRID.match(text, at, end) or (not interrupts and _RULER.match(text, at, end))
        if made:
            self._begin(matched, whole, Block(Leaf.TABLE, "", [(at, end)]))
            return True
        if _BREAK.match(text, at, end):
            self._begin(matched, whole, Block(Leaf.BREAK, "", [(at, end)]))
            self.leaf = None
            return True
        return False

    def _angle(self, matched: int, whole: bool, interrupts: bool, end: int) -> bool:
        """Comments, raw elements and block tags. Markers are text; so is a comment that ends on its line."""
        text, at = self.text, self.at
        if text.startswith("<!--", at):
            if MARKERISH.match(text, at):
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
        raw = _RAW.match(text, at, end)
        if raw:
            until = f"</{raw[1].lower()}>"
            closed = until in text[at:end].lower()
            self._begin(matched, whole, Block(Leaf.RAW, "", [(at, end)], info=raw[1], closed=closed))
            if closed:
                self.leaf = None
            else:
                self.until = until
            return True
        if interrupts and _TAG.match(text, at, end):
            self._begin(matched, whole, Block(Leaf.TEXT, "", [(at, end)]))
            return True
        return False

    def _formula_start(
        self, matched: int, whole: bool, interrupts: bool, opening: re.Match[str], end: int
    ) -> bool:
        """A display formula: its lines belong to the paragraph, but are no Markdown until it ends."""
        if opening[1] in _PROSE_ENVIRONMENTS:
            return False
        if interrupts and self.leaf is not None:
            leaf = self.leaf
            leaf.lines.append((self.at, end))
        else:
            leaf = Block(Leaf.TEXT, "", [(self.at, end)])
            self._begin(matched, whole, leaf)
        if math_end(opening[0], self.text, opening.end(), end) < 0:
            self.until = opening[0]
        return True

    def _formula(self, leaf: Block, at: int, end: int) -> None:
        leaf.lines.append((at, end))
        if math_end(self.until, self.text, at, end) >= 0:
            self.until = ""

    # -- opening and closing -------------------------------------------------------------------------------

    def _enter(self, matched: int, container: _Container) -> None:
        """Close what a new container ends, and go into it."""
        self._close_to(matched)
        self._fill(self.at)
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
