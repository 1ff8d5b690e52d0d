"""The kinds of citation there are."""

from __future__ import annotations

CITATION_STYLES = frozenset({"marker", "pandoc", "footnote", "latex", "myst", "numeric", "author-year"})
"""The kinds of visible citation that UNCITED-1 may count (setting ``uncited.citations``)."""
