"""Reading a judge's reply: one strict format, tolerant of dressing, never of doubt (contract, section 7).

A block begins at a ``JUDGMENT:`` line and is complete with its ``RATIONALE:``; the last complete block counts.
The judge may repeat what it was given, and what it was given is hostile, so a block that stands in the
material is passed over, wherever it stands in the reply. Whatever is left unclear is ``judge_parse_error``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from claimlint.audit.types import Constraint, JudgeFault
from claimlint.audit.words import cut, scrub

SUPPORTED = "SUPPORTED"
UNSUPPORTED = "UNSUPPORTED"
AMBIGUOUS = "AMBIGUOUS"
PARTIAL = "PARTIAL"
VIOLATED = "VIOLATED"
NOT_VIOLATED = "NOT_VIOLATED"

CITED = frozenset({SUPPORTED, UNSUPPORTED, AMBIGUOUS, PARTIAL, VIOLATED})
"""The verdicts on a citation."""

UNCITED = frozenset({VIOLATED, NOT_VIOLATED})
"""The verdicts on a sentence without a citation."""

SUB_VERDICTS = frozenset({SUPPORTED, UNSUPPORTED, AMBIGUOUS})

MAX_REPLY = 200_000
"""The longest reply that is read, in characters."""

_MAX_PART = 1000
_ECHO_WORDS = 8
_ECHO_WORDS_IN_PLACE = 3
_LABELS = ("JUDGMENT", "DEFECT_STAGE_HINT", "VIOLATED_CONSTRAINT_ID", "SUB_CLAIM_BREAKDOWN", "RATIONALE")
_NOTHING = frozenset({"", "-", "–", "—", "none", "null", "n/a", "na", "omit", "omitted", "not applicable"})


@dataclass(frozen=True, slots=True)
class SubClaim:
    """One line of a breakdown; ``pointer`` is None for ``-``."""

    text: str
    verdict: str
    pointer: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A well-formed reply. ``violated`` is given exactly with VIOLATED, ``breakdown`` with PARTIAL."""

    verdict: str
    rationale: str
    hint: str | None = None
    violated: str | None = None
    breakdown: tuple[SubClaim, ...] = ()


@dataclass(slots=True)
class _Block:
    """A block as found: values by label, breakdown lines, rationale lines, and all lines above the rationale."""

    values: dict[str, list[str]] = field(default_factory=lambda: {label: [] for label in _LABELS})
    items: list[str] = field(default_factory=list)
    rationale: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return any(line.strip() for line in self.rationale)


def parse_reply(
    reply: str, *, allowed: frozenset[str], constraints: Sequence[Constraint], material: Sequence[str]
) -> Reply:
    """The verdict of a reply.

    ``allowed`` are the verdicts that may be given, ``constraints`` those that may be violated, and
    ``material`` is all that the judge was given: the instructions, and each text that was put among them.
    Raises JudgeFault with ``judge_parse_error``. Time is linear in the reply and the material.
    """
    if len(reply) > MAX_REPLY:
        raise _fault(f"the reply has {len(reply)} characters, more than {MAX_REPLY}")
    echo = _Echo(material)
    blocks = _blocks(reply)
    for index in range(len(blocks) - 1, -1, -1):
        if blocks[index].complete and not echo.holds(blocks[index]):
            answer = _answer(blocks[index], allowed, constraints)
            if answer.verdict in (SUPPORTED, NOT_VIOLATED):
                _refuse_second_thoughts(answer.verdict, blocks[index + 1 :], allowed, echo)
            return answer
    raise _fault(_why_nothing(blocks, reply))


def _fault(detail: str) -> JudgeFault:
    return JudgeFault("judge_parse_error", detail)


def _why_nothing(blocks: Sequence[_Block], reply: str) -> str:
    if blocks and not any(block.complete for block in blocks):
        return "the reply has a JUDGMENT but no RATIONALE"
    shown = cut(scrub(reply), 120)
    return f"the reply has no verdict block of its own: {shown}" if shown else "the reply is empty"


# --- lines to blocks


@cache
def _label() -> re.Pattern[str]:
    # Dressing: block quotes, list bullets, headings, bold, code ticks.
    names = "|".join(_LABELS).replace("_", r"(?:\\?_|[ ])")
    return re.compile(rf"[\s>#*_`+-]*({names})[\s*_`]*[:：][\s*_`]*", re.IGNORECASE)


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"[\s>]*(?:`{3,}|~{3,})[\w-]*\s*")


def _blocks(reply: str) -> list[_Block]:
    blocks: list[_Block] = []
    label = ""
    for line in reply.splitlines():
        match = _label().match(line)
        if match is not None:
            label_before, label = label, match[1].upper().replace("\\", "").replace(" ", "_")
            if label == "JUDGMENT" and (not blocks or blocks[-1].complete):
                blocks.append(_Block())
            elif not label_before and blocks and blocks[-1].complete:
                # A block ends with the paragraph of its rationale.
                label = ""
                continue
            if not blocks:
                label = ""
                continue
            if not blocks[-1].complete:
                blocks[-1].above.append(match[1] if label == "RATIONALE" else line)
            _take(blocks[-1], label, line[match.end() :])
        elif _fence().fullmatch(line):
            label = "" if label == "RATIONALE" and blocks[-1].complete else label
        elif label == "RATIONALE":
            if line.strip(" \t>"):
                blocks[-1].rationale.append(line)
            elif blocks[-1].complete:
                label = ""
        elif label == "SUB_CLAIM_BREAKDOWN":
            if line.strip(" \t>"):
                blocks[-1].items.append(line)
                blocks[-1].above.append(line)
        elif label:
            # The value may stand on the line below its label.
            values = blocks[-1].values[label]
            values[-1] = values[-1] or _plain(line.lstrip(" \t>"))
            blocks[-1].above.append(line)
            label = ""
    return blocks


def _take(block: _Block, label: str, value: str) -> None:
    if label == "RATIONALE":
        block.values[label].append(value)
        if value.strip(" \t*_`"):
            block.rationale.append(value)
    elif label == "SUB_CLAIM_BREAKDOWN":
        block.values[label].append("")
        if _plain(value).lower() not in _NOTHING:
            block.items.append(value)
    else:
        block.values[label].append(_plain(value))


def _plain(value: str) -> str:
    """A value without markup around it."""
    return value.strip().strip("*_`\"'“”‘’<>()[] \t").strip()


# --- a block to a verdict


def _answer(block: _Block, allowed: frozenset[str], constraints: Sequence[Constraint]) -> Reply:
    verdicts = {_verdict(value) for value in block.values["JUDGMENT"]}
    if len(verdicts) > 1:
        raise _fault(f"one block gives two verdicts: {', '.join(sorted(verdicts))}")
    verdict = verdicts.pop()
    if verdict not in allowed:
        expected = ", ".join(sorted(allowed))
        raise _fault(f"the verdict is {cut(scrub(verdict), 60) or 'empty'}, expected one of {expected}")
    if len(block.values["RATIONALE"]) > 1 or len(block.values["SUB_CLAIM_BREAKDOWN"]) > 1:
        raise _fault("one block has a label twice")
    violated = _violated(block, verdict, constraints)
    breakdown = tuple(_sub_claim(line) for line in block.items)
    _check_breakdown(verdict, breakdown)
    rationale = cut(scrub(" ".join(line.strip(" \t>") for line in block.rationale)).strip(" *_"))
    if not rationale:
        raise _fault("the RATIONALE has no words")
    return Reply(
        verdict=verdict,
        rationale=rationale,
        hint=(_single(block, "DEFECT_STAGE_HINT") or "").replace("\\", "").lower() or None,
        violated=violated,
        breakdown=breakdown if verdict == PARTIAL else (),
    )


def _verdict(value: str) -> str:
    return re.sub(r"[\s-]+", "_", value.replace("\\", "").rstrip(".").strip()).upper()


def _single(block: _Block, label: str) -> str | None:
    found = {value.lower(): value for value in block.values[label] if value.lower() not in _NOTHING}
    if len(found) > 1:
        raise _fault(f"one block gives two values for {label}")
    return next(iter(found.values()), None)


def _violated(block: _Block, verdict: str, constraints: Sequence[Constraint]) -> str | None:
    named = _single(block, "VIOLATED_CONSTRAINT_ID")
    if verdict != VIOLATED:
        if named is not None:
            raise _fault(f"the verdict is {verdict}, but {cut(scrub(named), 60)} is named as violated")
        return None
    active = {each.constraint_id.lower(): each.constraint_id for each in constraints}
    if named is None:
        raise _fault("the verdict is VIOLATED, but no constraint is named")
    if named.lower() not in active:
        known = ", ".join(sorted(active.values())) or "none"
        raise _fault(f"{cut(scrub(named), 60)} is named as violated, but is not active (active: {known})")
    return active[named.lower()]


def _sub_claim(line: str) -> SubClaim:
    text = line.lstrip(" \t>")
    bullet = re.match(r"(?:[-*•]|\d{1,3}[.)])\s+", text)
    parts = re.split(r"\s+::\s+", text[bullet.end() :].rstrip()) if bullet else []
    inner = [index for index in range(1, len(parts) - 1) if _plain(parts[index]).upper() in SUB_VERDICTS]
    if len(inner) == 1:
        at = inner[0]
        claim = cut(scrub(" :: ".join(parts[:at])), _MAX_PART)
        pointer = cut(scrub(" :: ".join(parts[at + 1 :])), _MAX_PART)
        if claim and pointer:
            return SubClaim(claim, _plain(parts[at]).upper(), None if _plain(pointer) in ("-", "") else pointer)
    raise _fault(f"a breakdown line is not '- text :: VERDICT :: pointer or -': {cut(scrub(line), 120)}")


def _check_breakdown(verdict: str, breakdown: Sequence[SubClaim]) -> None:
    found = [each.verdict for each in breakdown]
    mixed = SUPPORTED in found and any(each != SUPPORTED for each in found)
    if verdict == PARTIAL and not mixed:
        raise _fault("the verdict is PARTIAL, but no breakdown has both a supported and another sub-claim")
    if verdict == SUPPORTED and any(each != SUPPORTED for each in found):
        raise _fault("the verdict is SUPPORTED, but a sub-claim of the breakdown is not")


def _refuse_second_thoughts(verdict: str, rest: Iterable[_Block], allowed: frozenset[str], echo: _Echo) -> None:
    """A reply that was cut off while it took a clean verdict back is no clean verdict."""
    for block in (each for each in rest if not each.complete):
        for value in block.values["JUDGMENT"]:
            other = _verdict(value)
            if other in allowed and other != verdict and not echo.has_verdict(other):
                raise _fault(f"the reply gives {verdict} and then begins another block with {other}")


# --- what the judge only repeats


class _Echo:
    """Tells a block that was copied from the material from one that the judge wrote.

    Both are compared as bare letters and digits, so that quoting, markup, line breaks, hyphenation and
    look-alike forms do not matter.
    """

    def __init__(self, material: Sequence[str]) -> None:
        self._material = material

    def holds(self, block: _Block) -> bool:
        """Whether the block stands in the material: as a whole, or its verdict and how its rationale begins."""
        rationale = " ".join(block.rationale).split()
        in_place = _bare(" ".join(block.above + rationale[:_ECHO_WORDS_IN_PLACE]))
        if self._has(in_place):
            return True
        head = _bare(" ".join(rationale[:_ECHO_WORDS]))
        return any(self.has_verdict(value) for value in block.values["JUDGMENT"]) and self._has(head)

    def has_verdict(self, verdict: str) -> bool:
        """Whether the material has a label line with this verdict."""
        return self._has(f"judgment{_bare(verdict)}")

    def _has(self, bare: str) -> bool:
        return any(bare in _bare_material(part) for part in self._material)


@lru_cache(maxsize=32)
def _bare_material(text: str) -> str:
    return _bare(text)


def _bare(text: str) -> str:
    """A text as its letters and digits only, in one case and compatible form."""
    return "".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))
