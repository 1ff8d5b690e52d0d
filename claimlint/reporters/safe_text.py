"""Making any text safe to print: nothing in a draft, a source or a reply may drive the reader's terminal."""

from __future__ import annotations

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_TABLE = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    **{code: f"\\u{code:04x}" for code in (*_BIDI, 0x2028, 0x2029)},
    ord("\t"): " ",
    ord("\n"): "\\n",
    ord("\r"): "\\r",
}


_WITH_TABS = {code: escape for code, escape in _TABLE.items() if code != ord("\t")}


def printable(text: str, *, keep_tabs: bool = False) -> str:
    """The text on one line, with control and direction characters written out as escapes."""
    return text.translate(_WITH_TABS if keep_tabs else _TABLE)


def width(text: str) -> int:
    """How many terminal cells a printable text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    cells = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
            continue
        cells += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return cells
