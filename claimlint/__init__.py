"""claimlint: a linter for Markdown drafts and the evidence passports beside them."""

from __future__ import annotations

__version__ = "0.1.0"
