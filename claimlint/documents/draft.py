"""The draft: a Markdown paper as typed values. Every offset counts characters of the file's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claimlint.documents.passport import PassportFile
    from claimlint.documents.source import TextSource
    from claimlint.findings import Note, Span

NO_SECTION = "(no section)"
"""The section path of text before any heading (design, section 4)."""

NO_SENTENCE = "(no sentence)"
"""The claim text of a citation that stands in no sentence and behind none."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A ref marker in prose and the anchor behind it, in document order.

    ``ref`` is the span of the ref comment and ``anchor`` that of the anchor comment (None when there is none that
    can be read). ``slug`` is the citation key as far as one can be read (empty for ``<!--ref:-->``). ``kind`` is
    the anchor kind as written and ``raw_value`` its value as written, ``value`` the URL-decoded value. ``usable``
    is true when slug, kind and value can be read and the kind is not ``none``: such a citation can be retrieved
    and judged, also when a rule asks for another slug (CITE-9) or a shorter or encoded quote (CITE-4, 5, 6, 12).
    Everything else that a person meant as a citation is recorded by the audit as anchor kind none (contract,
    section 7, step 1), also a damaged ``<!-- ref:x -->``.
    """

    ref: Span
    anchor: Span | None
    slug: str
    status: tuple[str, ...]
    kind: str
    raw_value: str
    value: str
    usable: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of prose.

    ``span`` covers the sentence and the markers that follow its full stop. ``raw`` is the file's text of the
    sentence with line breaks, block-quote and list prefixes made blanks but markers kept: what D4-c looks at.
    ``text`` is the claim text: markers deleted, runs of white space made one blank, a blank before ``.,;:!?``
    deleted, trimmed (design, section 4). ``citations`` indexes ``Draft.citations``. ``block`` numbers the
    block (paragraph, list item, …) it stands in; ``kind`` is that block's kind: paragraph, list, quote, footnote
    and caption are prose; heading, table (a cell) and reference (an entry of a bibliography) are not. A citation
    that stands alone belongs to the sentence before it, else to one whose text is ``NO_SENTENCE``.
    """

    span: Span
    raw: str
    text: str
    section_path: str
    citations: tuple[int, ...]
    block: int
    kind: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1 to 6, its text without markup, its span."""

    level: int
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """An acknowledgement comment: ``<!-- claimlint: disable=CODES -- reason -->``.

    ``verb`` is ``disable``, ``enable``, ``disable-next-line`` or ``disable-file``; ``codes`` are as written.
    """

    span: Span
    verb: str
    codes: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, read once.

    ``prose`` is the text at equal length with everything that is no prose (front matter, headings, tables,
    reference lists, code, math, comments, HTML, addresses, link targets, footnote references, attributes) blanked
    out, so that offsets stay those of the file; line feeds stay.
    ``front_matter`` is the parsed YAML object (empty when there is none). ``manifests`` are the embedded
    manifests, one passport file a block. ``footnotes`` maps a footnote's label to the span of its text.
    """

    source: TextSource
    front_matter: Mapping[str, Any]
    prose: str
    headings: tuple[Heading, ...]
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    footnotes: Mapping[str, Span]
    directives: tuple[Directive, ...]
    manifests: tuple[PassportFile, ...]
    notes: tuple[Note, ...]

    @property
    def path(self) -> str:
        """The path as shown."""
        return self.source.path
