"""What both ways of acknowledging share: which rules there are, what comes out, and how it is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from claimlint.findings import Finding, Note, Place, Range, Severity
from claimlint.rules import Rule

FAMILY = "ACK"

NO_REASON = "directive-without-reason"
UNKNOWN_CODE = "unknown-acknowledged-code"
UNUSED = "unused-directive"
FORBIDDEN = "forbidden-acknowledgement"
MALFORMED = "malformed-directive"
STALE = "stale-baseline-entry"
"""The kinds of notes that come out; each is the name of a rule of the family ACK."""

HIGHEST = Severity.LOW_WARN
"""The gravest severity that can be acknowledged (contract, section 8)."""

Ran = Callable[[str, str], bool]
"""Whether the rule of a code (second) ran on the file of a shown path (first)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is left of the findings, how many were acknowledged, and notes for the rules of the family ACK."""

    kept: tuple[Finding, ...]
    acknowledged: int
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes that can be named in an acknowledgement, each with its rule; and the families."""

    rules: Mapping[str, Rule]
    families: Mapping[str, tuple[Rule, ...]]

    def known(self, code: str) -> bool:
        """Whether a rule or a family has this name."""
        return code in self.rules or code in self.families

    def possible(self, code: str) -> bool:
        """Whether anything under a known code may ever be acknowledged."""
        return any(_low(rule) for rule in self._of(code))

    def complete(self, code: str, path: str, ran: Ran) -> bool:
        """Whether all that a known code could silence was looked for in a file."""
        if code in self.rules:
            return ran(path, code)
        wanted = [rule for rule in self._of(code) if _low(rule) and rule.default]
        return bool(wanted) and all(ran(path, rule.code) for rule in wanted)

    def nearest(self, code: str) -> str | None:
        """The known code or family that an unknown one was probably meant to be."""
        from difflib import get_close_matches

        names = [*self.rules, *sorted(self.families)]
        return next(iter(get_close_matches(code[:40].upper(), names, n=1, cutoff=0.75)), None)

    def _of(self, code: str) -> tuple[Rule, ...]:
        rule = self.rules.get(code)
        return self.families.get(code, ()) if rule is None else (rule,)


def codes_of(rules: Iterable[Rule]) -> Codes:
    """The codes of all rules there are, whether they run or not."""
    by_code: dict[str, Rule] = {}
    families: dict[str, list[Rule]] = {}
    for rule in rules:
        by_code[rule.code] = rule
        families.setdefault(rule.family, []).append(rule)
    return Codes(by_code, {family: tuple(members) for family, members in families.items()})


def _low(rule: Rule) -> bool:
    return rule.severity <= HIGHEST and rule.family != FAMILY


def may_be_acknowledged(finding: Finding) -> bool:
    """Whether a finding is one that an author may accept."""
    return finding.severity <= HIGHEST and finding.code.rpartition("-")[0] != FAMILY


def says_why(reason: str) -> bool:
    """Whether a reason says anything: dots, dashes and characters that nobody sees do not."""
    return any(map(str.isalnum, reason))


class FixedPlace:
    """A source that knows one place: where an acknowledgement stands. Unlike a text it is small to pass on."""

    __slots__ = ("_line", "_path", "_range")

    def __init__(self, path: str, found: Range, line: str) -> None:
        self._path = path
        self._range = found
        self._line = line

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._path

    def locate(self, place: Place) -> Range:
        """The one place, whatever is asked for."""
        return self._range

    def line_text(self, line: int) -> str:
        """The text of the place's first line."""
        return self._line if line == self._range.line else ""
