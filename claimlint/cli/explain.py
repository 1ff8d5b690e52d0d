"""``claimlint rules`` and ``claimlint explain CODE``."""

from __future__ import annotations

import sys

import click

from claimlint import registry
from claimlint.cli.streams import write_out
from claimlint.rules import Rule


@click.command("rules", short_help="List all rules.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How to print them.")
def rules_command(shape: str) -> None:
    """List all rules with their severity; rules that are off by default are marked."""
    rules = registry.load().rules
    if shape == "json":
        import json

        write_out(json.dumps([_as_json(rule) for rule in rules], indent=2) + "\n")
        return
    codes = max(len(rule.code) for rule in rules)
    names = max(len(rule.name) for rule in rules)
    write_out("".join(_line(rule, codes, names) for rule in rules))


def _line(rule: Rule, codes: int, names: int) -> str:
    state = "" if rule.default else " (off by default)"
    return f"{rule.code:<{codes}}  {rule.severity.label:<9}  {rule.name:<{names}}  {rule.title}{state}\n"


def _as_json(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.label,
        "summary": rule.title,
        "default": rule.default,
        "ignorable": not rule.locked,
    }


@click.command("explain", short_help="Show the page of a rule.")
@click.argument("code")
def explain_command(code: str) -> None:
    """Show what a rule asks, why, and how to fix what it finds. CODE is its code, its name, or a family."""
    known = registry.load()
    wanted = code.upper()
    chosen = [rule for rule in known.rules if rule.name == code.lower()]
    if not chosen:
        registry.require_known(known, wanted)
        chosen = [rule for rule in known.rules if registry.matches(rule.code, (wanted,))]
    pages = "\n\n".join(page(rule) for rule in chosen)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(pages))
    else:
        write_out(pages + "\n")


_EXAMPLES = ("Bad", "Good")


def _close_fence(lines: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
    lines += ["```", ""]


def page(rule: Rule) -> str:
    """The page of a rule as Markdown."""
    headed: list[str] = []
    section = ""
    for line in rule.page.splitlines():
        if line in registry.PAGE_SECTIONS:
            if section in _EXAMPLES:
                _close_fence(headed)
            elif headed and headed[-1].strip():
                headed.append("")
            section = line
            headed += [f"## {line}", ""]
            if section in _EXAMPLES:
                headed.append("```")
        else:
            headed.append(line.removeprefix("    "))
    facts = [f"Severity: {rule.severity.label}."]
    if not rule.default:
        facts.append("Off by default; turn it on with `--extend-select`.")
    if rule.locked:
        facts.append("Cannot be ignored: it is one of the gate's own refusals.")
    if rule.annotation:
        facts.append(f"Gate annotation: `{rule.annotation}`.")
    text = "\n".join(headed).rstrip()
    return f"# {rule.code} {rule.name}\n\n{text}\n\n{' '.join(facts)}"
