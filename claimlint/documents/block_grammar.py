"""What starts and ends blocks of Markdown: one pattern each, matched at a line's first character behind prefixes.

The grammar is CommonMark's with the tables of GitHub, and footnotes, divs, definitions and ruled tables of Pandoc.
"""

from __future__ import annotations

import re

BLANK = re.compile(r"[ \t]*+")
# A line that can only be text: it starts with a letter, or with a letter behind common punctuation.
PLAIN = re.compile(r" {0,3}+(?:[^\W\d_]|[(\"'“‘*_][^\W\d_])")
HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)[ \t]*+")
HEADING_END = re.compile(r"(?:(?<=[ \t])|^)#++[ \t]*$")
SETEXT = re.compile(r"(=++|-++)[ \t]*$")
BREAK = re.compile(r"(?:(?:\*[ \t]*+){3,}|(?:-[ \t]*+){3,}|(?:_[ \t]*+){3,})$")
FENCE = re.compile(r"(`{3,}+)([^`]*)$|(~{3,}+)(.*)$")
ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|$)")
DEFINITION = re.compile(r"[:~](?=[ \t]+\S)")
FOOTNOTE = re.compile(r"\[\^([^\s\[\]]+)\]:[ \t]*+")
DIV = re.compile(r":{3,}+[ \t]*+([^\n]*)")
DELIMITER = re.compile(r"(?=[^|\n]*+\|)\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*$")
GRID = re.compile(r"\+(?:[-=:]{2,}+\+)++[ \t]*$")
RULER = re.compile(r"-{2,}+(?:[ \t]++-{2,}+)++[ \t]*$")
RAW = re.compile(r"<(script|style|pre|textarea)(?=[\s>]|$)", re.IGNORECASE)
TAG = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|"
    r"dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|"
    r"legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|"
    r"tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$)",
    re.IGNORECASE,
)
MATH = re.compile(r"\$\$|\\\[|\\begin\{([A-Za-z]+\*?)\}")
PROSE_ENVIRONMENTS = frozenset({"itemize", "enumerate", "description", "quote", "quotation", "abstract", "center"})
INVISIBLE = r"\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
"""Characters without a width, for a set of a pattern: they get into a marker when it is copied from a page."""
_REF, _ANCHOR = (f"[{INVISIBLE}]*+".join(verb) for verb in ("ref", "anchor"))
MARKERISH = re.compile(rf"<!--[\s{INVISIBLE}-]*+(?:{_REF}|{_ANCHOR})[\s{INVISIBLE}]*+[:：]", re.IGNORECASE)
"""How a comment starts that is, or was meant as, a citation marker."""


def math_end(opening: str, text: str, start: int, end: int) -> int:
    """The offset behind the end of the display formula that ``opening`` starts, looked for in a range; or -1."""
    close = {"$$": "$$", "\\[": "\\]"}.get(opening) or "\\end" + opening[len("\\begin") :]
    at = text.find(close, start, end)
    return -1 if at < 0 else at + len(close)
