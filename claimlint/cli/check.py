"""``claimlint check``: from options to a run, from its result to output and exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from claimlint.checker import Task
from claimlint.checking import check, selected_codes
from claimlint.cli.output import Shown, emit
from claimlint.discovery import (
    DRAFT_SUFFIXES,
    PASSPORT_SUFFIXES,
    Discovered,
    Target,
    discover,
    is_excluded,
    show,
)
from claimlint.documents.source import MAX_BYTES
from claimlint.errors import UsageError
from claimlint.report import exit_code
from claimlint.settings import FAIL_ON, Settings

F = TypeVar("F", bound=Callable[..., Any])


def _codes(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(part.upper() for part in parts if part)


def _code_option(name: str, text: str) -> Callable[[F], F]:
    return click.option(name, multiple=True, metavar="CODES", callback=_codes, help=text)


def _paths_option(name: str, variable: str, text: str) -> Callable[[F], F]:
    return click.option(name, variable, multiple=True, metavar="PATH", help=text)


@click.command("check", short_help="Check drafts and passports.")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@_code_option("--select", "Run only these rules: codes or families, separated by commas.")
@_code_option("--extend-select", "Run these rules too, for example one that is off by default.")
@_code_option("--ignore", "Do not run these rules. The gate's own refusals cannot be ignored.")
@click.option("--fail-on", type=click.Choice(list(FAIL_ON)), help="Lowest severity that fails the run [high].")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever the findings are.")
@click.option("--config", metavar="FILE", help="Settings file instead of the nearest one.")
@_paths_option("--passport", "passports", "Passport file of the drafts; several are joined.")
@click.option("--baseline", metavar="FILE", help="Baseline of acknowledged findings.")
@click.option("--write-baseline", is_flag=True, help="Acknowledge what is found now (LOW-WARN and info only).")
@click.option("--reason", metavar="TEXT", help="Reason for what --write-baseline adds.")
@click.option("--stdin-filename", metavar="NAME", help="Read standard input, under this name.")
@click.option("--no-force-exclude", is_flag=True, help="Check excluded files that are named.")
@click.option("--jobs", type=click.IntRange(min=0), default=0, help="Processes; 0 chooses [0].")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "concise", "json"]),
    default="text",
    help="How to print [text].",
)
@click.option("--output", metavar="FILE", help="Write the findings to a file instead of standard output.")
@click.option("--show-all", is_flag=True, help="Show every finding instead of one a root cause.")
@click.option("--statistics", is_flag=True, help="Show how often each rule reported.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings and errors only.")
@click.option("--fix", is_flag=True, help="Repair damaged markers where that is safe.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@_paths_option("--sources", "sources", "Folder of sources in which quotes and pages are looked up.")
@click.option("--hook", is_flag=True, hidden=True, help="The paths come from a file list, not from a person.")
def check_command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    exit_zero: bool,
    config: str | None,
    passports: tuple[str, ...],
    baseline: str | None,
    write_baseline: bool,
    reason: str | None,
    stdin_filename: str | None,
    no_force_exclude: bool,
    jobs: int,
    shape: str,
    output: str | None,
    show_all: bool,
    statistics: bool,
    quiet: bool,
    fix: bool,
    diff: bool,
    sources: tuple[str, ...],
    hook: bool,
) -> int:
    """Check drafts (.md, .markdown, .qmd, .Rmd) and passports (.json, .yaml, .yml).

    PATHS are files and folders; without any, the working directory.
    """
    from dataclasses import replace

    from claimlint import settings as settings_module

    settings = settings_module.load(config)
    settings = replace(
        settings,
        select=select or settings.select,
        extend_select=(*settings.extend_select, *extend_select),
        ignore=(*settings.ignore, *ignore),
        fail_on=fail_on or settings.fail_on,
    )
    found = _discovered(paths, stdin_filename, settings, force_exclude=not no_force_exclude, hook=hook)
    if diff:
        from claimlint.cli.fixing import show_fixes

        return show_fixes(found)
    if fix:
        from claimlint.cli.fixing import apply_fixes

        apply_fixes(found, quiet=quiet)
    folders = sources or tuple(settings.resolve(path) for path in settings.sources)
    task = Task(settings, selected_codes(settings), passports, folders, hook)
    report = check(found, task, jobs=jobs, baseline=baseline, write_baseline=write_baseline, reason=reason)
    stdin = {target.shown: target.text for target in found.targets if target.text is not None}
    emit(report, Shown(shape, output, show_all, statistics, quiet), stdin)
    return int(exit_code(report, settings.bar, exit_zero=exit_zero))


def _discovered(
    paths: tuple[str, ...], stdin_name: str | None, settings: Settings, *, force_exclude: bool, hook: bool
) -> Discovered:
    patterns = (*settings.exclude, *settings.extend_exclude)
    if stdin_name is None:
        if "-" in paths:
            raise UsageError("to read standard input, say what it is with --stdin-filename NAME")
        return discover(paths or (".",), exclude=patterns, force_exclude=force_exclude, hook=hook)
    if set(paths) - {"-"}:
        raise UsageError("--stdin-filename checks standard input alone; name no other paths")
    if not stdin_name.lower().endswith(DRAFT_SUFFIXES + PASSPORT_SUFFIXES):
        raise UsageError(f"--stdin-filename {stdin_name}: not a draft or passport by its name")
    if force_exclude and is_excluded(show(stdin_name), patterns):
        return Discovered((), 1, ())
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"standard input is larger than {MAX_BYTES} bytes")
    return Discovered((Target(stdin_name, show(stdin_name), named=True, text=data),), 0, ())
