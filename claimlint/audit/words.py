"""Small text helpers of the audit: the written form of texts, cutting, hashing, canonical JSON."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from hashlib import sha256

MAX_TEXT = 2000
"""The longest claim text and rationale that a row may hold, in characters (contract, section 2)."""

_CONTROLS = {
    code: " "
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000))
    if code != 0x20
}


@cache
def _before_stop() -> re.Pattern[str]:
    return re.compile(r" ([.,;:!?])")


def normal(text: str) -> str:
    """A claim text in the form in which two of them are compared.

    Runs of white space are one blank, a blank before ``.,;:!?`` is deleted, ends are trimmed (the design's
    claim text, section 4), letters are composed (NFC), and what a row cannot hold is cut off.
    """
    plain = _before_stop().sub(r"\1", " ".join(text.split()))
    return cut(unicodedata.normalize("NFC", plain)).rstrip()


def scrub(text: str) -> str:
    """A text from outside on one line, without control characters and lone surrogates."""
    return " ".join(text.translate(_CONTROLS).split())


def well_formed(text: str) -> str:
    """The text with lone surrogates, which UTF-8 has no form for, made replacement characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def cut(text: str, size: int = MAX_TEXT) -> str:
    """The first ``size`` characters of a text."""
    return text[:size]


def tagged(text: str, *tags: str | None) -> str:
    """A rationale with its tags behind it, cut so that every tag survives."""
    found = [tag for tag in tags if tag]
    if not found:
        return cut(text)
    tail = " " + " ".join(found)
    return cut(text, MAX_TEXT - len(tail)).rstrip() + tail


def sha256_hex(text: str) -> str:
    """The SHA-256 of a text's UTF-8 form, in lower-case hexadecimal."""
    return sha256(text.encode("utf-8")).hexdigest()


def canonical_sha256(value: list[dict[str, str]] | dict[str, str]) -> str:
    """The SHA-256 of a value's canonical JSON (RFC 8785), in lower-case hexadecimal."""
    import rfc8785

    return sha256(rfc8785.dumps(value)).hexdigest()
