"""The words of citations: styles, kinds of anchors, limits. Rules need these where no draft is read."""

from __future__ import annotations

CITATION_STYLES = frozenset({"marker", "pandoc", "footnote", "latex", "myst", "numeric", "author-year"})
"""The kinds of visible citation that UNCITED-1 may count (setting ``uncited.citations``)."""

KINDS = ("quote", "page", "section", "paragraph", "none")
"""The kinds of an anchor (contract, section 5)."""

MAX_QUOTE_WORDS = 25
"""The most words a quote may have (rule R-L3-1-B)."""
