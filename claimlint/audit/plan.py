"""What an audit is going to cost, before the first call (design, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimlint.audit.cache import Question
from claimlint.audit.config import AuditConfig
from claimlint.audit.prompt import template

ANSWER_TOKENS = 250
"""The tokens that an answer is taken to have."""

_BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of an audit.

    ``citations`` are all of the draft and ``audited`` those that sampling left; of these ``anchorless`` have
    no usable anchor and ``unavailable`` no source at hand. ``sentences`` counts the (sentence, manifest)
    pairs held against constraints. Of the questions that remain, ``cached`` have their verdict already,
    ``corrupt`` a damaged one, ``calls`` will be asked and ``refused`` exceed a limit. ``cost`` is an estimate
    for the calls; None without prices.
    """

    citations: int
    audited: int
    anchorless: int
    unavailable: int
    sources: int
    sentences: int
    cached: int
    corrupt: int
    calls: int
    refused: int
    tokens_in: int
    tokens_out: int
    cost: float | None

    def lines(self) -> tuple[str, ...]:
        """The plan in words, for a person."""
        sampled = "" if self.audited == self.citations else f" ({self.audited} sampled)"
        cost = "" if self.cost is None else f", about {self.cost:.2f}"
        lines = [
            f"{count(self.citations, 'citation')}{sampled} of {count(self.sources, 'source')}: {self.anchorless} "
            f"without a usable anchor, {self.unavailable} without a source; "
            f"{count(self.sentences, 'check')} of uncited sentences",
            f"{count(self.calls, 'call')} ({count(self.cached, 'verdict')} cached), about {self.tokens_in} tokens "
            f"in and {self.tokens_out} out{cost}",
        ]
        if self.corrupt:
            lines.append(f"{count(self.corrupt, 'cached verdict')} damaged")
        if self.refused:
            lines.append(f"{count(self.refused, 'question')} beyond the limit on calls or cost: not to be asked")
        return tuple(lines)


def count(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one question is taken to cost."""

    tokens_in: int
    tokens_out: int
    cost: float | None


def estimate(question: Question, config: AuditConfig) -> Estimate:
    """What a question is taken to cost: four bytes of UTF-8 a token."""
    form = template().citation if question.cited else template().sentence
    texts: Sequence[str] = (form, question.claim_text, question.anchor_value, question.excerpt)
    size = sum(_bytes(text) for text in texts)
    size += sum(_bytes(each.constraint_id) + _bytes(each.rule) for each in question.constraints)
    tokens_in = -(-size // _BYTES_A_TOKEN)
    if config.price_in is None or config.price_out is None:
        return Estimate(tokens_in, ANSWER_TOKENS, None)
    cost = (tokens_in * config.price_in + ANSWER_TOKENS * config.price_out) / 1_000_000
    return Estimate(tokens_in, ANSWER_TOKENS, cost)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
