"""``claimlint check``: from options to a run, from its result to output and exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from claimlint.checking import Acceptance, make_report, selected_codes
from claimlint.cli.options import JUDGE_ONLY, CheckOptions
from claimlint.cli.output import Shown, emit, notice
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
from claimlint.report import Exit, Report, exit_code
from claimlint.run import run
from claimlint.settings import FAIL_ON, Settings
from claimlint.task import Task

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
@click.option("--judge", is_flag=True, help="Audit the citations: fetch the sources, ask a judge, check again.")
@click.option("--judge-backend", metavar="NAME[:ARG]", help="openai, anthropic, command:PROGRAM, replay:FILE.")
@click.option("--judge-model", metavar="NAME", help="Model that is asked.")
@click.option(
    "--retriever", "retrievers", multiple=True, metavar="NAME[:ARG]", help="local, api, replay; in order."
)
@click.option("--online", is_flag=True, help="Fetch sources from the indexes of the web, too.")
@click.option("--max-claims", type=click.IntRange(min=1), help="Audit at most so many citations (sampled) [100].")
@click.option("--max-calls", type=click.IntRange(min=0), help="Ask the judge at most so often.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Stop at this estimated cost.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Calls under way at once [8].")
@click.option("--dry-run", is_flag=True, help="Say what the audit would ask and cost, and stop.")
@click.option("--write", is_flag=True, help="Write the verdicts into the passport.")
@click.option("--cache-dir", metavar="DIR", help="Folder of the verdict cache [.claimlint_cache].")
@click.option("--no-cache", is_flag=True, help="Neither read nor keep verdicts.")
@click.option("--yes", is_flag=True, help="Do not ask before making calls.")
@click.option("--hook", is_flag=True, hidden=True, help="The paths come from a file list, not from a person.")
def check_command(**given: object) -> int:
    """Check drafts (.md, .markdown, .qmd, .Rmd) and passports (.json, .yaml, .yml).

    PATHS are files and folders; without any, the working directory.
    """
    return check(CheckOptions(**given))  # type: ignore[arg-type]  # click has checked the types


def check(options: CheckOptions) -> int:
    """Carry out the command and return its exit code; raises what the parts raise."""
    from claimlint import settings as settings_module

    settings = settings_module.load(options.config)
    settings = settings_module.override(
        settings,
        select=options.select,
        extend_select=options.extend_select,
        ignore=options.ignore,
        fail_on=options.fail_on,
    )
    sources = settings_module.source_folders(settings, options.sources)
    found = _discovered(options, settings)
    if options.diff:
        from claimlint.cli.fixing import show_fixes

        return show_fixes(found)
    if options.fix:
        from claimlint.cli.fixing import apply_fixes

        found = apply_fixes(found)
    kept = options.judge and not options.no_cache
    cache_dir = options.cache_dir or settings.resolve(settings.cache_dir) if kept else None
    task = Task(settings, selected_codes(settings), options.passports, sources, options.hook, cache_dir=cache_dir)
    report = _judged(found, task, options) if options.judge else _checked(found, task, options)
    if report is None:
        return int(Exit.CLEAN)
    if options.write_baseline and not options.quiet:
        _say_what_was_written(options, settings)
    if options.fix and options.stdin_filename is not None and options.output is None:
        return int(exit_code(report, settings.bar, exit_zero=options.exit_zero))  # the repaired text was printed
    stdin = {target.shown: target.text for target in found.targets if target.text is not None}
    emit(report, Shown(options.shape, options.output, options.show_all, options.statistics, options.quiet), stdin)
    return int(exit_code(report, settings.bar, exit_zero=options.exit_zero))


def _checked(found: Discovered, task: Task, options: CheckOptions) -> Report:
    _refuse_judge_options(options)
    result = run(found, task, jobs=options.jobs)
    return make_report(result, task, excluded=found.excluded, accept=_acceptance(options))


def _judged(found: Discovered, task: Task, options: CheckOptions) -> Report | None:
    from claimlint.cli.judging import judged

    audited = judged(found, task, options)
    if audited is None:
        return None
    return make_report(
        audited.result,
        task,
        excluded=found.excluded,
        accept=_acceptance(options),
        incomplete=audited.incomplete,
    )


def _refuse_judge_options(options: CheckOptions) -> None:
    for name in JUDGE_ONLY:
        value = getattr(options, name)
        if value is None or value is False or value == ():  # 0 has been given
            continue
        shown = {"retrievers": "retriever"}.get(name, name).replace("_", "-")
        raise UsageError(f"--{shown} goes with --judge")


def _say_what_was_written(options: CheckOptions, settings: Settings) -> None:
    from claimlint.acknowledge.apply import written

    path, count = written(settings, options.baseline)
    notice(f"wrote {count} {'entry' if count == 1 else 'entries'} to {path}")


def _acceptance(options: CheckOptions) -> Acceptance:
    return Acceptance(options.baseline, options.write_baseline, options.reason)


def _discovered(options: CheckOptions, settings: Settings) -> Discovered:
    sources = (*options.sources, *(settings.resolve(path) for path in settings.sources))
    folders = (os.path.relpath(path, settings.root).replace(os.sep, "/") for path in sources)
    patterns = settings.excluded
    force = not options.no_force_exclude
    name = options.stdin_filename
    if name is None:
        if "-" in options.paths:
            raise UsageError("to read standard input, say what it is with --stdin-filename NAME")
        paths = options.paths or (".",)
        return discover(
            paths,
            exclude=patterns,
            force_exclude=force,
            hook=options.hook,
            root=settings.root,
            sources=[f"/{folder}" for folder in folders],
        )
    if set(options.paths) - {"-"}:
        raise UsageError("--stdin-filename checks standard input alone; name no other paths")
    if not name.lower().endswith(DRAFT_SUFFIXES + PASSPORT_SUFFIXES):
        raise UsageError(f"--stdin-filename {name}: not a draft or passport by its name")
    if force and is_excluded(show(name), patterns, settings.root):
        return Discovered((), 1, ())
    if sys.stdin is None:
        raise UsageError("--stdin-filename reads standard input, which is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"standard input is larger than {MAX_BYTES} bytes")
    return Discovered((Target(name, show(name), named=True, text=data),), 0, ())
