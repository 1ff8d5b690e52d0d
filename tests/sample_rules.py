"""Rules made for tests: a page that the registry takes, and rules on what one likes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from claimlint.findings import Pointer, Problem, Severity
from claimlint.plugins import EntryPoint
from claimlint.registry import Registry, build
from claimlint.rules import Rule, rule, rules_of

PAGE = """Something is said.

Why
    Because.

Bad
    x

Good
    y

Fix
    Do it.
"""

Check = Callable[..., Iterator[Problem]]


def module_of(name: str, **checks: Check) -> ModuleType:
    """A module with these functions as its own."""
    module = ModuleType(name)
    for attribute, check in checks.items():
        check.__module__ = name
        setattr(module, attribute, check)
    return module


def point(family: str, value: str = "mod", distribution: str = "dist") -> EntryPoint:
    """An entry point of the group of rules."""
    return EntryPoint(family, value, distribution)


def says(code: str, on: type | str = "claim_drifts", *, page: str = PAGE, **options: Any) -> Check:
    """A rule that reports every subject it sees, at its source's start."""

    def check(subject: Any) -> Iterator[Problem]:
        yield Problem(f"{code} speaks", subject.source, getattr(subject, "place", Pointer(())))

    check.__doc__ = page
    name = options.pop("name", code.lower())
    return rule(code, name, options.pop("severity", Severity.ERROR), on=on, **options)(check)


def made(check: Check) -> Rule:
    """The rule that a function was made."""
    return rules_of(module_of("one", check=check))[0]


def registry_of(*codes: str, **options: Any) -> Registry:
    """A registry of rules of these codes, one family a module."""
    families: dict[str, list[str]] = {}
    for code in codes:
        families.setdefault(code.rpartition("-")[0], []).append(code)
    return build(
        (
            point(family),
            module_of(family, **{f"c{index}": says(code, **options) for index, code in enumerate(found)}),
        )
        for family, found in families.items()
    )
