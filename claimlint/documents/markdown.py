"""A Markdown paper as passages: every stretch of text that can hold a sentence or a marker, with its section.

``read_markdown`` puts the block scanner and the inline scanner together. A passage's ``content`` has exactly the
length of the file's text that it covers: quote and list prefixes inside it are blanks, so an offset in it is an
offset in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from claimlint.documents.block_scanner import scan_blocks
from claimlint.documents.blocks import Block, Leaf
from claimlint.documents.draft import NO_SECTION, Heading
from claimlint.documents.inline import Inline, Piece, blank, blanks, scan_inline
from claimlint.documents.markers import Marker, find_markers
from claimlint.findings import Note, Span

if TYPE_CHECKING:
    from claimlint.documents.source import TextSource

PROSE_KINDS = frozenset({"paragraph", "list", "quote", "footnote", "caption"})
"""The kinds of passage that are prose; ``heading``, ``table`` and ``reference`` are not."""


class Passage(NamedTuple):
    """A stretch of text: a paragraph, a list item's text, a heading, a table cell.

    ``start`` is the file offset of ``content``, ``pieces`` are the code spans, comments, formulas, … in it,
    ``visible`` is the content with its pieces blanked out, and ``kind`` is one of ``PROSE_KINDS``, ``heading``,
    ``table`` or ``reference`` (an entry of a bibliography).
    """

    kind: str
    start: int
    content: str
    pieces: list[Piece]
    section_path: str
    visible: str


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment: its span, its text, and the file offset of each line of that text."""

    span: Span
    text: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fence:
    """A code block with an info string, or front matter: its text and the file offset of each line of it."""

    info: str
    text: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Markdown:
    """All that a draft needs of a Markdown text, in document order."""

    passages: list[Passage] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    front_matter: Fence | None = None
    footnotes: dict[str, Span] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


_NUMBERING = re.compile(r"[\s\d.IVXivx]*[.)\s:：、]+")
_REFERENCES = frozenset(
    {
        *("references", "reference", "reference list", "references cited", "cited references", "bibliography"),
        *("works cited", "literature cited", "literature", "citations", "sources", "references and notes"),
        *("literatur", "literaturverzeichnis", "quellen", "quellenverzeichnis", "referenzen"),
        *("références", "references bibliographiques", "références bibliographiques", "bibliographie"),
        *("referencias", "referencias bibliográficas", "bibliografía", "referências", "bibliografia"),
        *("referências bibliográficas", "riferimenti", "riferimenti bibliografici", "literatuur", "referenties"),
        *("литература", "список литературы", "библиография", "источники", "список источников"),
        *("参考文献", "參考文獻", "引用文献", "引用文獻", "参考资料", "參考資料", "参考書目", "参考书目", "文献"),
        *("참고문헌", "참고 문헌", "kaynakça", "kaynaklar", "källor", "referenser", "litteratur", "bibliografie"),
    }
)
_DEFINITIONS = re.compile(r"(?:(?:^|\n)[ ]{0,3}\[(?!\^)[^\[\]\n]{1,999}\]:[ \t]*+[^\s].*+)++")
_ENTRY = re.compile(r"\[(?:\d{1,4}|[A-Za-z+]{1,12}\d{2,4}[a-z]?)\]:?[ \t]+\S")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CAPTION = re.compile(
    r"(?:[*_]{1,3}+)?(?:(?:Supplementary |Supplemental |Extended Data )?(?:Table|Figure|Fig\.|Tab\.|Scheme|Box"
    r"|Listing|Algorithm|Abbildung|Abb\.|Tabelle|Tableau|Tabla|Figura|Рис\.|Рисунок|Таблица|Табл\.)\s{0,3}"
    r"(?:[A-Z]{0,2}\d{1,3}(?:[.-]\d{1,3})*[A-Za-z]?|[IVX]{1,6})|[图表図圖]\s?\d{1,3}(?:[.-]\d{1,3})*)"
    r"\s{0,2}(?:[*_]{1,3}\s{0,2}[.:：|]?|[.:：|](?=\s|[*_])|(?<=[\d])\s(?=[^\x00-\x7f]))"
)
_CAPTION_STARTS = frozenset(":*_TFSELBA图表図圖РТ")
_TABLE_CAPTION = re.compile(r"(?:(?:Table|Figure)?:)[ \t]+\S")
_HTML_TABLE = re.compile(r"</?(?:table|thead|tbody|tfoot|tr|td|th)(?=[\s>])", re.IGNORECASE)
_RULE_ROW = re.compile(r"[\s|:+=-]*+\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_TRAILING_ATTRIBUTE = re.compile(r"[ \t]*\{[^{}\n]*\}[ \t]*\Z")
_LINK = re.compile(r"!?\[([^\[\]]*+)\](?:\([^()\s]*+(?:\s[^()]*+)?\)|\[[^\[\]]*+\]|\{[^{}]*+\})")
_EMPHASIS = re.compile(r"(?<![\w\\])[*_`~]+(?=\S)|(?<=[^\s\\])[*_`~]+(?!\w)|(?<=\w)\*+(?=\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_COMMENTS = frozenset({Inline.COMMENT, Inline.OPEN_COMMENT, Inline.MARKER})


def read_markdown(source: TextSource) -> Markdown:
    """The passages, headings, comments and fences of a Markdown text. Never raises; linear time."""
    reader = _Reader(source)
    reader.run()
    return replace(reader.made, front_matter=reader.front_matter)


def content_of(text: str, lines: list[tuple[int, int]]) -> str:
    """The text of lines at equal length, with what stands between them (prefixes) blanked."""
    first, end = lines[0]
    if len(lines) == 1:
        return text[first:end]
    parts = [text[first:end]]
    for start, stop in lines[1:]:
        gap = text[end:start]
        parts.append(gap if gap == "\n" else blanks(gap))
        parts.append(text[start:stop])
        end = stop
    return "".join(parts)


def plain_heading(content: str, pieces: list[Piece]) -> str:
    """A heading's text without comments, attributes, link targets, emphasis and escapes."""
    text = blank(content, pieces, keep=frozenset(Inline) - _COMMENTS) if pieces else content
    text = _TRAILING_ATTRIBUTE.sub("", text.rstrip())
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub("", text)
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    return " ".join(text.split())


class _Reader:
    """Walks the blocks once, keeping the section path and whether a bibliography is being read."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.text = source.text
        self.made = Markdown()
        self.front_matter: Fence | None = None
        self.path: list[tuple[int, str]] = []
        self.section = NO_SECTION
        self.references = 0
        self.divs: list[bool] = []
        self.refs_divs = 0
        self.behind_table = False

    def run(self) -> None:
        scanned = scan_blocks(self.text)
        for label, (start, end) in scanned.footnotes.items():
            self.made.footnotes[label] = Span(start, end)
        for block in scanned.blocks:
            leaf = block.leaf
            if leaf is Leaf.TEXT:
                self._text(block)
            elif leaf is Leaf.HEADING:
                self._heading(block)
            elif leaf is Leaf.TABLE:
                self._table(block)
            elif leaf is Leaf.COMMENT:
                self._comment(block)
            elif leaf is Leaf.DIV:
                self._div(block.info)
            elif leaf in (Leaf.FENCE, Leaf.FRONT_MATTER, Leaf.RAW):
                self._opaque(block)
            if leaf is not Leaf.COMMENT:
                self.behind_table = leaf is Leaf.TABLE

    def _text(self, block: Block) -> None:
        content = content_of(self.text, block.lines)
        pieces = scan_inline(content)
        start = block.start
        kind = block.container
        if self.references or self.refs_divs:
            kind = "reference"
        elif content[0] == "<" and _HTML_TABLE.match(content):
            kind = "table"
        elif content.startswith("![") and (end := _image_end(content, pieces)):
            # The caption of a figure is the alternative text of its image.
            kind, start, content = "caption", start + 2, content[2:end]
            pieces = [(first - 2, last - 2, sort) for first, last, sort in pieces if last <= end]
        elif content[0] in _CAPTION_STARTS and self._is_caption(content):
            kind = "caption"
        elif content.startswith("["):
            definitions = _DEFINITIONS.match(content)
            if definitions is not None and definitions.end() >= len(content.rstrip()):
                kind = "reference"
            elif definitions is not None:
                end = definitions.end()
                kept = [piece for piece in pieces if piece[0] >= end or piece[2] in _COMMENTS]
                pieces = sorted([*kept, *_holes(0, end, kept)])
            elif _ENTRY.match(content) and _YEAR.search(content):
                kind = "reference"
        self._add(kind, start, content, pieces)

    def _is_caption(self, content: str) -> bool:
        if _TABLE_CAPTION.match(content):
            return self.behind_table or content[0] != ":"
        return _CAPTION.match(content) is not None

    def _heading(self, block: Block) -> None:
        content = content_of(self.text, block.lines)
        pieces = scan_inline(content)
        title = plain_heading(content, pieces)
        level = block.level
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.path.append((level, title))
        self.section = " > ".join(name for _, name in self.path if name) or NO_SECTION
        if self.references and level <= self.references:
            self.references = 0
        if not self.references and _names_references(title):
            self.references = level
        self.made.headings.append(Heading(level, title, Span(block.start, block.end)))
        self._add("heading", block.start, content, pieces)

    def _table(self, block: Block) -> None:
        content = content_of(self.text, block.lines)
        pieces = scan_inline(content)
        self._comments(content, block.start, pieces)
        visible = blank(content, pieces, keep=frozenset(Inline) - _COMMENTS) if pieces else content
        rows = [(first - block.start, last - block.start) for first, last in block.lines]
        number = 0
        for start, end in _cells(visible, [row for row in rows if _RULE_ROW.match(content, *row) is None]):
            mine: list[Piece] = []
            while number < len(pieces) and pieces[number][0] < end:
                if pieces[number][0] >= start:
                    mine.append(pieces[number])
                number += 1
            # Code spans may reach over the end of a cell; in a table the cell wins.
            shifted = [(first - start, min(last, end) - start, kind) for first, last, kind in mine]
            self._passage("table", block.start + start, content[start:end], shifted)

    def _div(self, info: str) -> None:
        if info.strip(": "):
            self.divs.append("#refs" in info)
            self.refs_divs += self.divs[-1]
        elif self.divs:
            self.refs_divs -= self.divs.pop()

    def _comment(self, block: Block) -> None:
        text = self.text
        shown = "\n".join([text[start:end] for start, end in block.lines])
        offsets = tuple([start for start, _ in block.lines])
        self.made.comments.append(Comment(Span(block.start, block.end), shown, offsets))
        if not block.closed:
            self._unclosed("unclosed-comment", block.start, block.end)

    def _opaque(self, block: Block) -> None:
        text = self.text
        if block.leaf is Leaf.RAW:
            if not block.closed:
                self._unclosed("unclosed-element", block.start, block.end, element=block.info.lower())
            return
        if not block.closed:
            run = text[block.start : block.lines[0][1]]
            ticks = run[: len(run) - len(run.lstrip(run[0]))]
            self._unclosed("unclosed-fence", block.start, block.end, fence=ticks[:12])
            return
        lines = block.lines if block.leaf is Leaf.FRONT_MATTER else block.lines[1:]
        shown = "\n".join([text[start:end] for start, end in lines])
        fence = Fence(block.info, shown, tuple([start for start, _ in lines]))
        if block.leaf is Leaf.FRONT_MATTER:
            self.front_matter = fence
        else:
            self.made.fences.append(fence)

    def _unclosed(self, kind: str, start: int, end: int, **values: str) -> None:
        source = self.source
        first, last = source.position(start)[0], source.position(end)[0]
        line_end = self.text.find("\n", start, end)
        shown = Span(start, end if line_end < 0 else line_end)
        shown = Span(start, start + len(self.text[start : shown.end].rstrip()))
        self.made.notes.append(Note(kind, source, shown, {"first": str(first), "last": str(last), **values}))

    def _passage(self, kind: str, start: int, content: str, pieces: list[Piece]) -> None:
        visible = blank(content, pieces) if pieces else content
        self.made.passages.append(Passage(kind, start, content, pieces, self.section, visible))

    def _add(self, kind: str, start: int, content: str, pieces: list[Piece]) -> None:
        self._passage(kind, start, content, pieces)
        if pieces:
            self._comments(content, start, pieces)

    def _comments(self, content: str, start: int, pieces: list[Piece]) -> None:
        """Keep the markers of a passage, and the other comments: directives and manifests stand in them."""
        for first, last, kind in find_markers(content, start, pieces, self.made.markers):
            if kind is Inline.OPEN_COMMENT:
                self._unclosed("unclosed-comment", start + first, start + len(content))
                continue
            shown = content[first:last]
            offsets = [start + first]
            at = shown.find("\n")
            while at >= 0:
                offsets.append(start + first + at + 1)
                at = shown.find("\n", at + 1)
            self.made.comments.append(Comment(Span(start + first, start + last), shown, tuple(offsets)))


def _image_end(content: str, pieces: list[Piece]) -> int:
    """The end of the alternative text of the image that a block consists of, or 0 when it is another block."""
    targets = [piece[0] for piece in pieces if piece[2] is Inline.TARGET]
    if not targets or pieces[-1][2] not in (Inline.TARGET, Inline.ATTRIBUTE):
        return 0
    end = targets[-1] - 1
    whole = pieces[-1][1] >= len(content.rstrip()) and content.count("[", 2, end) == content.count("]", 2, end)
    return end if whole and end > 2 else 0


def _names_references(title: str) -> bool:
    plain = title.strip().rstrip(":：.").lower()
    if plain in _REFERENCES:
        return True
    numbering = _NUMBERING.match(plain)
    return numbering is not None and plain[numbering.end() :].strip() in _REFERENCES


def _holes(start: int, end: int, pieces: list[Piece]) -> list[Piece]:
    """Link-target pieces for the parts of a range that no other piece covers."""
    found: list[Piece] = []
    at = start
    for first, last, _ in pieces:
        if first >= end:
            break
        if first > at:
            found.append((at, first, Inline.TARGET))
        at = max(at, last)
    if at < end:
        found.append((at, end, Inline.TARGET))
    return found


def _cells(content: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans of the cells in the rows of a table."""
    for start, end in lines:
        at = start
        for pipe in _PIPE.finditer(content, start, end):
            if pipe.start() > at:
                yield at, pipe.start()
            at = pipe.end()
        if at < end:
            yield at, end
