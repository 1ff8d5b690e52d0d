"""Sections of a source text: its headings, and the stretch that belongs to one of them.

Markdown headings count where the text has any. Elsewhere (plain text, text out of a PDF) a heading is a short
line of its own that is numbered in sequence, is one of the usual section names, or is written in capitals
between blank lines. Where such guesses can go either way they make a section too long rather than too short:
a judge who sees too much is slower, one who sees too little is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from claimlint.audit.kept import kept
from claimlint.audit.normalise import normalise
from claimlint.findings import Span

_MAX_LINE = 200
_MAX_WORDS = 14

_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{3,})[ \t]*$")
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?!\s*\n)(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_NUMBERED = re.compile(
    r"^(?:(?:section|sec\.|chapter|part|§)\s*)?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){1,4}|[IVX]{1,7}(?=\.))"
    r"(?P<mark>[.:]?)\s+(?P<title>\S.*)$",
    re.IGNORECASE,
)
_APPENDIX = re.compile(r"^(?:appendix|annex|supplement)\s+(?P<number>[A-Z]|\d{1,2})\b[.:]?\s*(?P<title>.*)$", re.I)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*\w*$|[ \t]{3,}\d+$")
_WANTED = re.compile(r"^(?:sections?|sects?\.?|secs?\.?|chapters?|chap\.?|ch\.|§+|第)\s*(?=\S)", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*|[a-z](?:\.\d{1,3})+|[ivxlc]+)\.?$")

_ENDS = frozenset(
    {
        "abstract",
        "acknowledgements",
        "acknowledgments",
        "appendix",
        "bibliography",
        "conclusion",
        "conclusions",
        "data availability",
        "funding",
        "references",
        "summary",
        "supplementary material",
    }
)
_MAIN = frozenset(
    {
        "background",
        "data and methods",
        "discussion",
        "discussion and conclusion",
        "discussion and conclusions",
        "evaluation",
        "experiments",
        "findings",
        "introduction",
        "literature review",
        "materials and methods",
        "method",
        "methodology",
        "methods",
        "methods and materials",
        "related work",
        "results",
        "results and discussion",
        "theory",
    }
)
_INNER = frozenset(
    {
        "analysis",
        "data",
        "future work",
        "limitations",
        "measures",
        "participants",
        "procedure",
        "statistical analysis",
        "study design",
    }
)


@dataclass(frozen=True, slots=True)
class SourceHeading:
    """A heading of a source: its level (1 is the top), its number (empty when it has none), title and place.

    Number and title are in the form in which they are compared. ``end`` is where the heading's last line ends;
    ``certain`` is false for a line of plain text that is taken for a heading.
    """

    level: int
    number: str
    title: str
    start: int
    end: int
    certain: bool


@kept(16)
def headings(text: str) -> tuple[SourceHeading, ...]:
    """The headings of a text in its order; a heading repeated as a running head counts once."""
    found = tuple(_markdown(text)) or tuple(_plain(text))
    kept: list[SourceHeading] = []
    for heading in found:
        if not kept or (kept[-1].number, kept[-1].title) != (heading.number, heading.title):
            kept.append(heading)
    return tuple(kept)


def find_section(text: str, value: str) -> Span | None:
    """The section that an anchor value names, from its heading to the next one of its level or above.

    ``3.2``, ``§ 3.2``, ``Methods``, ``3.2 Results`` and a path such as ``Methods > Participants`` are understood.
    When several headings fit (a table of contents, or two sections of one name) the longest section is taken.
    """
    known = headings(text)
    span: Span | None = Span(0, len(text))
    for step in value.split(" > "):
        if span is None:
            return None
        span = _step(text, known, step, span)
    return span


def front_matter_end(text: str) -> int:
    """The offset behind the YAML block at the top of a Markdown text; 0 when there is none."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


def numbered(text: str) -> bool:
    """Whether any heading of a text carries a number, so that a section number can be looked up at all."""
    return any(heading.number for heading in headings(text))


def is_number(value: str) -> bool:
    """Whether an anchor value names a section by number alone."""
    return _BARE_NUMBER.match(_key(_WANTED.sub("", value.strip(), count=1))) is not None


def _step(text: str, known: tuple[SourceHeading, ...], value: str, within: Span) -> Span | None:
    candidates = [
        Span(heading.start, _end(text, known, index))
        for index, heading in enumerate(known)
        if within.start <= heading.start < within.end and _fits(heading, value)
    ]
    if not candidates:
        wanted = _key(value)
        loose = [
            Span(heading.start, _end(text, known, index))
            for index, heading in enumerate(known)
            if within.start <= heading.start < within.end and f" {wanted} " in f" {heading.title} "
        ]
        # A part of a title names a section only where no other title holds it.
        candidates = loose if len(loose) == 1 and not is_number(value) else []
    return max(candidates, key=lambda span: (span.end - span.start, -span.start), default=None)


def _fits(heading: SourceHeading, value: str) -> bool:
    wanted = _key(value)
    if not wanted:
        return False
    if wanted in (heading.title, f"{heading.number} {heading.title}".strip()):
        return True
    bare = _key(_WANTED.sub("", value.strip(), count=1)).rstrip(".")
    if heading.number and bare in (heading.number, f"appendix {heading.number}"):
        return True
    number, _, title = bare.partition(" ")
    return number.rstrip(".") == heading.number and title == heading.title


def _end(text: str, known: tuple[SourceHeading, ...], index: int) -> int:
    level = known[index].level
    for later in known[index + 1 :]:
        if later.level <= level:
            return later.start
    return len(text)


def _key(title: str) -> str:
    """A title for comparing: case, markup, punctuation at its end and typography do not count."""
    plain = unicodedata.normalize("NFKC", re.sub(r"[*_`]|\{#[^}]*\}|<[^<>]*>", "", title))
    return normalise(plain).casefold().strip(" .:;,")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    # Form feeds and both kinds of line end part lines; str.splitlines would part at more.
    for match in re.finditer(r"\r\n|[\n\r\f]", text):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]


def _markdown(text: str) -> Iterator[SourceHeading]:
    fence = ""
    begin = front_matter_end(text)
    before: tuple[int, str] = (0, "")
    for start, line in _lines(text):
        mark = _FENCE.match(line)
        if start < begin:
            continue
        if fence:
            if mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            continue
        if mark is not None:
            fence = mark[1]
            continue
        if len(line) <= _MAX_LINE:
            atx = _ATX.match(line)
            if atx is not None:
                yield _made(len(atx[1]), atx[2], start, start + len(line))
            elif before[1].strip() and len(before[1]) <= _MAX_LINE and _UNDERLINE.match(line):
                yield _made(1 if "=" in line else 2, before[1], before[0], start + len(line))
        before = (start, line)


def _made(level: int, text: str, start: int, end: int) -> SourceHeading:
    number, title = "", text.strip()
    match = _APPENDIX.match(title) or _NUMBERED.match(title)
    if match is not None:
        number, title = match["number"].casefold(), match["title"]
    return SourceHeading(level, number, _key(title), start, end, certain=True)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of plain text that may be a heading; ``mark`` is the punctuation behind its number."""

    number: str
    mark: str
    title: str
    start: int
    end: int


def _plain(text: str) -> Iterator[SourceHeading]:
    candidates = list(_candidates(text))
    usual_marks = {line.mark for line in candidates if line.number.isdigit() and line.title in _ENDS | _MAIN}
    runs = Counter(line.title for line in candidates if line.number.isdigit())
    chapters = any(line.number for line in candidates)
    top = 0
    seen: set[tuple[str, str]] = set()
    for line in candidates:
        title = line.title.rstrip("0123456789 ")
        if line.number.isdigit():
            number = int(line.number)
            # A list has another punctuation than the headings; a running head repeats under page numbers.
            if (usual_marks and line.mark not in usual_marks) or runs[line.title] > 2:
                continue
            # Sections come in order; only a table of contents makes the same ones come again.
            if not top < number <= top + 2 and (line.number, title) not in seen:
                continue
            top = number
            seen.add((line.number, title))
        level = _plain_level(line, chapters=chapters)
        yield SourceHeading(level, line.number, line.title, line.start, line.end, certain=False)


def _plain_level(line: _Line, *, chapters: bool) -> int:
    if line.number:
        return line.number.count(".") + 1
    if line.title in _ENDS or (line.title in _MAIN and not chapters):
        return 1
    return 7 if chapters else 2


def _candidates(text: str) -> Iterator[_Line]:
    lines = list(_lines(text))
    for index, (start, raw) in enumerate(lines):
        line = raw.strip()
        if not line or len(line) > _MAX_LINE or len(line.split()) > _MAX_WORDS or _LEADERS.search(line):
            continue
        before = lines[index - 1][1].strip() if index else ""
        after = lines[index + 1][1].strip() if index + 1 < len(lines) else ""
        found = _candidate(line, Span(start, start + len(raw)), alone=not before and not after)
        if found is not None:
            yield found


def _candidate(line: str, place: Span, *, alone: bool) -> _Line | None:
    appendix = _APPENDIX.match(line)
    if appendix is not None and line[-1] not in ".,;":
        key = _key(appendix["title"])
        return _Line(appendix["number"].casefold(), "appendix", key, place.start, place.end)
    match = _NUMBERED.match(line)
    title = _key(line if match is None else match["title"])
    usual = (title in _ENDS or title in _MAIN or title in _INNER) and line[-1] not in ".,;"
    if match is not None:
        number = match["number"].casefold()
        known = usual or _is_title(match["title"])
        return _Line(number, match["mark"], title, place.start, place.end) if known else None
    known = usual or (alone and len(line) > 3 and line.isupper())
    return _Line("", "", title, place.start, place.end) if known else None


def _is_title(title: str) -> bool:
    """Whether what follows a number reads as a title rather than as a sentence, a list item or a table row."""
    first = title[0]
    return (
        (first.isupper() or _is_unicased(first)) and title[-1] not in ".,;:" and not re.search(r"\d\s+\d", title)
    )


def _is_unicased(character: str) -> bool:
    return character.isalpha() and character.lower() == character.upper()
