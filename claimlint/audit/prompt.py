"""Putting a question to a judge into words: the canonical prompt with the material fenced in.

The material is hostile. Each call has a random mark that no material can know, so that nothing in it can close
its fence; and what is put in is never looked at again for places to fill.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from claimlint.audit.types import Constraint, JudgeQuestion
from claimlint.audit.words import sha256_hex
from claimlint.errors import AuditError

JUDGE_PROMPT_SHA256 = "7846ac6a2a4a4093ddd3f4259b58d1e7a423ab884d01273572ade6c83e27d462"
"""The SHA-256 of the canonical prompt that these sources were released with."""

PROMPT_FILE = Path(__file__).with_name("judge_prompt.md")
"""The Markdown file that holds the canonical prompt."""

NO_ANCHOR = "none"
"""The anchor kind of a sentence without a citation."""

_START = re.compile(r"<!--\s*JUDGE-PROMPT-CANONICAL-START\b.*?-->", re.DOTALL)
_END = re.compile(r"<!--\s*JUDGE-PROMPT-CANONICAL-END\b.*?-->", re.DOTALL)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Template:
    """The canonical prompt: its hash, and its two forms with places to fill."""

    sha256: str
    citation: str
    sentence: str


@cache
def template() -> Template:
    """The canonical prompt as it stands in its file.

    Raises AuditError when the file cannot be read, has no markers, or is not the pinned one.
    """
    try:
        text = PROMPT_FILE.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AuditError("the judge prompt cannot be read", path=str(PROMPT_FILE)) from error
    canonical = canonical_text(text)
    if canonical is None or sha256_hex(canonical) != JUDGE_PROMPT_SHA256:
        raise AuditError("the judge prompt is not the one that was pinned", path=str(PROMPT_FILE))
    common, _, rest = canonical.partition("[[citation]]\n")
    citation, _, sentence = rest.partition("[[sentence]]\n")
    return Template(JUDGE_PROMPT_SHA256, (common + citation).strip(), (common + sentence).strip())


def canonical_text(document: str) -> str | None:
    """The stripped text between the canonical markers of a Markdown file; None without both of them."""
    start = _START.search(document)
    end = _END.search(document, start.end()) if start is not None else None
    if start is None or end is None:
        return None
    return document[start.end() : end.start()].strip().replace("\r\n", "\n")


def question(
    *,
    claim_text: str,
    ref_slug: str | None,
    anchor_kind: str,
    anchor_value: str,
    excerpt: str,
    constraints: Sequence[Constraint],
    scoped_manifest_id: str | None,
    random_hex: Callable[[], str],
) -> JudgeQuestion:
    """A question with its prompt; ``ref_slug`` is None for a sentence without a citation.

    ``random_hex`` gives the mark, and more of it while the mark stands in the material.
    """
    listed = "\n".join(" ".join(f"{each.constraint_id}: {each.rule}".split()) for each in constraints)
    texts = {
        "claim": claim_text,
        "excerpt": excerpt,
        "anchor_kind": anchor_kind,
        "anchor_value": anchor_value,
        "constraints": listed or "(none)",
    }
    mark = random_hex()
    while any(mark in text for text in texts.values()):
        mark += random_hex()
    values = {**texts, "mark": mark, "fence": f"===== {mark}"}
    form = template().sentence if ref_slug is None else template().citation
    return JudgeQuestion(
        prompt=_PLACE.sub(lambda match: values[match[1]], form),
        claim_text=claim_text,
        ref_slug=ref_slug,
        anchor_kind=anchor_kind,
        anchor_value=anchor_value,
        excerpt=excerpt,
        constraints=tuple(constraints),
        scoped_manifest_id=scoped_manifest_id,
    )


def material(asked: JudgeQuestion) -> tuple[str, ...]:
    """Every text that a judge was given with a question, for telling what its reply only repeats."""
    form = template().sentence if asked.ref_slug is None else template().citation
    rules = (f"{each.constraint_id} {each.rule}" for each in asked.constraints)
    return (form, asked.claim_text, asked.anchor_value, *rules, asked.excerpt)
