"""The visible text of HTML, and of the JATS XML in which open archives give articles out.

This file is run as a program of its own, as ``pdf.py`` is: it reads a document from standard input and prints
one line of JSON. It imports nothing of claimlint. Nothing is executed, loaded or followed: scripts, styles and
hidden elements are dropped, and the rest becomes text in which headings are Markdown headings and blank lines
part paragraphs, so that section and paragraph anchors can be looked up.
"""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser

MAX_CHARACTERS = 32_000_000
MAX_MEMORY = 2 * 1024**3

_DROPPED = frozenset(
    {"script", "style", "template", "noscript", "svg", "object", "iframe", "head", "select", "textarea", "button"}
)
_JATS_DROPPED = frozenset({"journal-meta", "contrib-group", "aff", "permissions", "tex-math", "xref-group"})
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "caption", "dd", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
        "section", "table", "tbody", "tfoot", "thead", "tr", "ul", "details", "summary",
        "abstract", "sec", "disp-quote", "disp-formula", "fig", "table-wrap", "list", "list-item", "ref", "back",
        "boxed-text", "fn",
    }
)  # fmt: skip
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_IMPLIED = {
    "li": ("li",),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th", "tr"),
    "option": ("option",),
}
_CELLS = frozenset({"td", "th"})
_HEADING = re.compile(r"h([1-6])")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)


class _Text(HTMLParser):
    """Collects the visible text. ``dropped`` counts how deep it is inside elements that are not shown."""

    def __init__(self, *, jats: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.jats = jats
        self.parts: list[str] = []
        self.size = 0
        self.open: list[tuple[str, bool]] = []
        self.dropped = 0
        self.depth = 0
        self.pre = 0
        self.heading = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._close_implied(tag)
        hides = tag in _DROPPED or (self.jats and tag in _JATS_DROPPED) or _is_hidden(dict(attrs))
        if tag not in _VOID:
            self.open.append((tag, hides))
            self.dropped += hides
        elif hides:
            return
        if self.dropped:
            return
        self._begin(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # HTML ignores the slash of an element that may have content, XML does not.
        self.handle_starttag(tag, attrs)
        if self.jats and tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        # Only the last few open elements are searched: a stray end tag must not cost the whole stack each time.
        for back in range(1, min(len(self.open), 50) + 1):
            if self.open[-back][0] == tag:
                for name, hides in reversed(self.open[-back:]):
                    if not self.dropped:
                        self._end(name)
                    self.dropped -= hides
                del self.open[-back:]
                return

    def handle_data(self, data: str) -> None:
        if self.dropped:
            return
        if self.pre:
            self._add(data)
        else:
            self._add(re.sub(r"[\s\x00]+", " ", data))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Step over ``<![…``: CDATA is text, the rest a comment; the base class raises at unknown ones."""
        if self.rawdata.startswith("<![CDATA[", i):
            end = self.rawdata.find("]]>", i)
            if end >= 0:
                self.handle_data(self.rawdata[i + 9 : end])
            return end + 3 if end >= 0 else -1
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1

    def _close_implied(self, tag: str) -> None:
        """End what HTML lets an author leave open: a paragraph, a list item, a cell, a row."""
        if self.jats:
            return
        if self.open and self.open[-1][0] == "p" and (tag in _BLOCKS or _HEADING.fullmatch(tag)):
            self.handle_endtag("p")
        while self.open and self.open[-1][0] in _IMPLIED.get(tag, ()):
            self.handle_endtag(self.open[-1][0])

    def _begin(self, tag: str) -> None:
        heading = _HEADING.fullmatch(tag)
        if tag == "br":
            self._add("\n" if not self.heading else " ")
        elif heading is not None:
            self._begin_heading(int(heading[1]))
        elif self.jats and tag in ("title", "article-title"):
            self._begin_heading(min(self.depth + 1, 6))
        elif tag in _CELLS:
            self._add("\t")
        elif tag in _BLOCKS:
            self._add("\n\n" if tag != "tr" else "\n")
            self.depth += tag == "sec"
            self.pre += tag == "pre"

    def _end(self, tag: str) -> None:
        if _HEADING.fullmatch(tag) or (self.jats and tag in ("title", "article-title")):
            self._add("\n\n")
            self.heading = max(0, self.heading - 1)
        elif tag in _BLOCKS:
            self._add("\n\n" if tag != "tr" else "\n")
            self.depth -= tag == "sec"
            self.pre -= tag == "pre"

    def _begin_heading(self, level: int) -> None:
        self._add(f"\n\n{'#' * level} ")
        self.heading += 1

    def _add(self, text: str) -> None:
        self.size += len(text)
        if self.size > MAX_CHARACTERS:
            raise ValueError(f"has more than {MAX_CHARACTERS} characters of text")
        self.parts.append(text)


def text_of(data: bytes, charset: str = "", *, jats: bool = False) -> str:
    """The visible text of a document's bytes; ``charset`` is what its sender says.

    Raises ValueError when there is too much of it.
    """
    parser = _Text(jats=jats)
    parser.feed(_decoded(data, charset))
    parser.close()
    text = re.sub(r"[ \t\xa0]*\n[ \t\xa0]*", "\n", "".join(parser.parts))
    text = re.sub(r"[ \xa0]{2,}", " ", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    return "hidden" in attributes or _HIDDEN_STYLE.search((attributes.get("style") or "")[:1000]) is not None


def _decoded(data: bytes, charset: str) -> str:
    found = _CHARSET.search(data[:2048])
    declared = found[1].decode("ascii") if found else ""
    for name in ("utf-8-sig", charset, declared):
        try:
            return data.decode(name) if name else data.decode("utf-8-sig")
        except (LookupError, UnicodeDecodeError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:  # no such limits on Windows; the time limit of the caller holds there too
        return
    for kind, most in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CPU, 300)):
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            continue


def main() -> None:
    """Read standard input and print its text, or the problem, as JSON; arguments: the kind, the charset."""
    _limit_resources()
    kind, charset = (*sys.argv[1:], "html", "")[:2]
    try:
        text = text_of(sys.stdin.buffer.read(), charset, jats=kind == "jats")
    except (ValueError, AssertionError, RecursionError) as error:
        print(json.dumps({"problem": str(error) or "cannot be read as HTML"}))
        return
    problem = "" if any(map(str.isalnum, text)) else "has no visible text"
    print(json.dumps({"problem": problem} if problem else {"text": text}))


if __name__ == "__main__":
    main()
