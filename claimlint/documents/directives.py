"""Acknowledgement directives: ``<!-- claimlint: disable=UNCITED-1 -- reason -->`` (design, section 3).

Only the form is read here; which codes exist, and which may be acknowledged, is for rules to say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from claimlint.documents.draft import Directive

if TYPE_CHECKING:
    from claimlint.documents.markdown import Comment

VERBS = ("disable", "enable", "disable-next-line", "disable-file")
"""The verbs of directives; ``enable`` alone needs no codes: it ends every open ``disable``."""

_DIRECTIVE = re.compile(r"<!--\s*+claimlint\s*+:\s*+", re.IGNORECASE)
_VERB = re.compile(r"([A-Za-z-]*+)\s*+")
_REASON = re.compile(r"(?:^|\s)(?:--|—|–)(?:\s|$)")
_SEPARATOR = re.compile(r"[\s,]+")


def parse_directive(comment: Comment) -> Directive | None:
    """The directive that a comment holds, or None when it is another comment.

    A directive that cannot be understood comes back with the verb as written and without codes.
    """
    opening = _DIRECTIVE.match(comment.text)
    if opening is None:
        return None
    body = comment.text[opening.end() :].removesuffix("-->").rstrip()
    cut = _REASON.search(body)
    order, reason = (body, "") if cut is None else (body[: cut.start()], body[cut.end() :])
    verb = _VERB.match(order)
    written = verb[1].strip("-") if verb else ""
    rest = order[verb.end() :] if verb else order
    codes: tuple[str, ...] = ()
    if rest.startswith("=") and written in VERBS:
        codes = tuple(code for code in _SEPARATOR.split(rest[1:].strip()) if code)
    elif rest:
        written = order.strip()
    return Directive(comment.span, written, codes, " ".join(reason.split()))
