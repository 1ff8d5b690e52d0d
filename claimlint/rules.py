"""The rule base: what a rule is, and the decorator that makes one of a function.

A rule is a small generator over one subject. ``on`` says which subjects it sees:

* the name of an aggregate (``"claim_audit_results"``): called with each row, or with (row, passport);
* ``Passport``, ``Draft``, ``Workspace`` or ``PromptFile``: called with the whole thing;
* ``Note``: called with each reader's note whose ``kind`` is the rule's name.

The type itself may be given, or its name: a name spares a module the import of what it only describes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from claimlint.findings import Problem, Severity

Check = Callable[..., Iterator[Problem]]
C = TypeVar("C", bound=Check)


class Rule(NamedTuple):
    """A rule with its metadata.

    ``doc`` is the docstring as written; ``page`` is what ``claimlint explain`` shows. ``default`` says whether
    the rule runs when nobody selected it. ``locked`` rules cannot be ignored: they are the gate's own refusals.
    """

    code: str
    name: str
    severity: Severity
    on: str
    check: Check
    doc: str
    takes_passport: bool
    default: bool = True
    locked: bool = False
    annotation: str | None = None

    @property
    def family(self) -> str:
        """The part of the code before its number: ``M-INV`` of ``M-INV-3``."""
        return self.code.rpartition("-")[0]

    @property
    def page(self) -> str:
        """The docstring without its indentation (Markdown)."""
        return _dedent(self.doc)

    @property
    def title(self) -> str:
        """The first sentence of the page."""
        return self.doc.strip().partition("\n")[0]


_ATTRIBUTE = "__claimlint_rule__"


def rule(
    code: str,
    name: str,
    severity: Severity = Severity.ERROR,
    *,
    on: type | str,
    default: bool = True,
    locked: bool = False,
    annotation: str | None = None,
) -> Callable[[C], C]:
    """Make a rule of a function. The function's docstring is the rule's page.

    The page's first line is its summary; sections ``Why``, ``Bad``, ``Good`` and ``Fix`` follow. The registry
    refuses a page that lacks one.
    """

    def register(check: C) -> C:
        made = Rule(
            code=code,
            name=name,
            severity=severity,
            on=on if isinstance(on, str) else on.__name__,
            check=check,
            doc=check.__doc__ or "",
            takes_passport=check.__code__.co_argcount == 2,
            default=default,
            locked=locked,
            annotation=annotation,
        )
        setattr(check, _ATTRIBUTE, made)
        return check

    return register


def rules_of(module: object) -> tuple[Rule, ...]:
    """The rules that a module, or a package with its own modules, defines, in the order of their definition."""
    name = str(getattr(module, "__name__", ""))
    found: dict[int, Rule] = {}
    for value in getattr(module, "__dict__", {}).values():
        made = getattr(value, _ATTRIBUTE, None)
        if isinstance(made, Rule) and f"{value.__module__}.".startswith(f"{name}."):
            found[id(made)] = made  # once, whatever names it has
    return tuple(found.values())


def _dedent(text: str) -> str:
    lines = text.expandtabs().split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(indents, default=0)
    return "\n".join([lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]).strip()
