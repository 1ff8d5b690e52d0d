"""The read preflight of a PDF: may its page numbers be relied on? (contract, section 7, step 4)

Readers cut a document with a damaged table of contents short without a word. So the pages are counted three
times: as the page tree declares them, as walking the tree finds them, and as the reader of the text reads them.
"""

from __future__ import annotations

from dataclasses import dataclass

from claimlint.audit.types import PREFLIGHT_FAIL, PREFLIGHT_PASS, PREFLIGHT_UNAVAILABLE


@dataclass(frozen=True, slots=True)
class PageCounts:
    """Three counts of the pages of one file; None where a count could not be made.

    ``repaired`` says what a strict parser found to repair, and is empty when there was nothing.
    """

    declared: int | None
    enumerated: int | None
    reader: int | None
    repaired: str = ""


def preflight(counts: PageCounts | None) -> str:
    """``PASS``, ``FAIL`` or ``UNAVAILABLE``.

    ``PASS`` only when the three counts agree and nothing had to be repaired; ``UNAVAILABLE`` when the pages
    could not be counted at all, as in an encrypted file.
    """
    if counts is None:
        return PREFLIGHT_UNAVAILABLE
    if counts.repaired or None in (counts.declared, counts.enumerated, counts.reader):
        return PREFLIGHT_FAIL
    agreed = counts.declared == counts.enumerated == counts.reader
    return PREFLIGHT_PASS if agreed else PREFLIGHT_FAIL
