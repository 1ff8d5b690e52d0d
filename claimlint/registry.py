"""The registry: every rule there is, checked against the plugin contract, and the choice of those that run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from claimlint.documents.passport import AGGREGATES
from claimlint.errors import RegistryError, UsageError
from claimlint.findings import code_key
from claimlint.plugins import RULES, EntryPoint, entry_points
from claimlint.rules import Rule, rules_of

PAGE_SECTIONS = ("Why", "Bad", "Good", "Fix")
"""What the docstring of every rule has to hold, each as a line of its own."""

SUBJECTS = (*AGGREGATES, "Passport", "Draft", "Workspace", "PromptFile", "Note")
"""What a rule can be called with: the row of an aggregate, or a whole document by the name of its type."""


class Registry(NamedTuple):
    """All rules, in the order of their codes, and by code."""

    rules: tuple[Rule, ...]
    by_code: Mapping[str, Rule]

    @property
    def families(self) -> frozenset[str]:
        """The families of all rules."""
        return frozenset(rule.family for rule in self.rules)


@cache
def load() -> Registry:
    """The registry of all installed families, made once.

    Raises ``RegistryError`` when a plugin cannot be loaded, defines no rule or breaks the contract: a code that
    is taken, a family other than its entry point's name, a page without its sections.
    """
    points = entry_points(RULES)
    if not points:
        raise RegistryError("no rule family is installed; reinstall claimlint-drafts")
    return build((point, point.load()) for point in points)


def build(families: Iterable[tuple[EntryPoint, object]]) -> Registry:
    """The registry of loaded families: pairs of an entry point and its module (see ``load``)."""
    by_code: dict[str, Rule] = {}
    loaded = [(point, _rules_of(point, module)) for point, module in families]
    # Who registers a family owns its codes, whoever comes first; a code of nobody's is its first definer's.
    owners: dict[str, str] = {}
    for own in (True, False):
        for point, found in loaded:
            for rule in found:
                if (rule.family == point.name) is own:
                    owners.setdefault(rule.code, point.origin)
    for point, found in loaded:
        for rule in found:
            if rule.code in by_code or owners[rule.code] != point.origin:
                both = f"both {owners[rule.code]} and {point.origin} define it"
                raise RegistryError(f"the code {rule.code} is taken: {both}; a plugin numbers a family of its own")
            _check(rule, point)
            by_code[rule.code] = rule
    ordered = sorted(by_code.values(), key=lambda rule: code_key(rule.code))
    return Registry(tuple(ordered), by_code)


def _rules_of(point: EntryPoint, module: object) -> tuple[Rule, ...]:
    try:
        found = rules_of(module)
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        message = f"family {point.name} ({point.origin}) cannot be searched for rules: {cause}"
        raise RegistryError(message) from error
    if not found:
        raise RegistryError(f"family {point.name} ({point.origin}) defines no rule")
    return found


_LONGEST_CODE = 40


def _check(rule: Rule, point: EntryPoint) -> None:
    where = point.origin
    number = rule.code.rpartition("-")[2]
    plain = rule.code.isascii() and rule.code == rule.code.upper() and len(rule.code) <= _LONGEST_CODE
    if not (plain and number.isdigit() and rule.family.replace("-", "").isalnum()):
        message = "a code is a family in capitals, a hyphen and a number, for example ACME-1"
        raise RegistryError(f"rule {rule.code} of {where}: {message}")
    if rule.on not in SUBJECTS:
        raise RegistryError(f"rule {rule.code} of {where} is on {rule.on!r}, not one of {', '.join(SUBJECTS)}")
    if rule.family != point.name:
        raise RegistryError(f"rule {rule.code} of {where} is not of the family {point.name} it is registered as")
    lines = {line.strip() for line in rule.doc.splitlines()}
    missing = [section for section in PAGE_SECTIONS if section not in lines]
    if missing or not rule.doc.strip():
        raise RegistryError(f"rule {rule.code} of {where}: its page lacks {', '.join(missing) or 'a text'}")


def select(
    registry: Registry,
    *,
    selected: tuple[str, ...] | None = None,
    extended: tuple[str, ...] = (),
    ignored: tuple[str, ...] = (),
) -> tuple[Rule, ...]:
    """The rules that run, in order.

    ``selected`` replaces the default set, ``extended`` adds to it, ``ignored`` takes away; each entry is a whole
    code, a whole family, or ``ALL``. Locked rules (the gate's refusals) cannot be ignored. Raises
    ``UsageError`` for an entry that names nothing.
    """
    for entry in (*(selected or ()), *extended, *ignored):
        require_known(registry, entry)
    chosen: list[Rule] = []
    for rule in registry.rules:
        wanted = rule.default if selected is None else matches(rule.code, selected)
        wanted = wanted or matches(rule.code, extended)
        if wanted and (rule.locked or not matches(rule.code, ignored)):
            chosen.append(rule)
    return tuple(chosen)


def matches(code: str, entries: Iterable[str]) -> bool:
    """Whether a code is named by an entry: as a whole code, by its whole family, or by ``ALL``."""
    family = code.rpartition("-")[0]
    return any(entry in (code, family, "ALL") for entry in entries)


def require_known(registry: Registry, entry: str) -> None:
    """Raise ``UsageError`` when an entry names no rule and no family, with the nearest one that exists."""
    if entry == "ALL" or entry in registry.by_code or entry in registry.families:
        return
    from difflib import get_close_matches

    known = [*registry.by_code, *sorted(registry.families)]
    near = get_close_matches(entry.upper(), known, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]}?" if near else "; `claimlint rules` lists them"
    raise UsageError(f"unknown rule or family {entry!r}{hint}")
