"""The command group, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from claimlint import __version__
from claimlint.cli import streams
from claimlint.errors import ClaimlintError
from claimlint.report import Exit
from claimlint.reporters.safe_text import printable

INTERRUPTED = 130
"""The exit code of an interrupted run, as shells have it."""

_COMPLETION = "_CLAIMLINT_COMPLETE"

_COMMANDS = {
    "cache": "claimlint.cli.cache",
    "check": "claimlint.cli.check",
    "explain": "claimlint.cli.explain",
    "prompt": "claimlint.cli.prompt",
    "rules": "claimlint.cli.explain",
    "schema": "claimlint.cli.schema",
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(import_module(module), f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], _COMMANDS, n=1)
            if os.path.exists(args[0]):
                hint = f"did you mean `claimlint check {args[0]}`?"
            elif near:
                hint = f"did you mean {near[0]!r}?"
            else:
                hint = f"the commands are {', '.join(sorted(_COMMANDS))}"
            ctx.fail(f"No such command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="claimlint %(version)s")
def claimlint() -> None:
    """Lint Markdown drafts and the evidence passports beside them.

    `claimlint check draft.md` is the main job. Exit codes: 0 clean, 1 findings at or above the bar, 2 could
    not tell (usage, settings, an unreadable file, a rule that crashed), 3 the audit is incomplete.
    """


def run(arguments: list[str]) -> int:
    """Run the command line with the given arguments; returns the exit code and never raises."""
    streams.prepare()
    code = _carried_out(arguments)
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except OSError:
            streams.close_quietly(name)
    return code


def _carried_out(arguments: list[str]) -> int:
    try:
        if _COMPLETION in os.environ:
            claimlint.main(arguments, prog_name="claimlint")  # answers the shell and exits
        with claimlint.make_context("claimlint", list(arguments)) as context:
            result = claimlint.invoke(context)
        return int(result) if isinstance(result, int) else int(Exit.CLEAN)
    except (click.exceptions.Exit, SystemExit) as error:
        return _exit_code(error)
    except click.ClickException as error:
        _say_usage(error)
    except ClaimlintError as error:
        say_error(error)
    except (KeyboardInterrupt, click.Abort):
        _write_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        streams.close_quietly("stdout")
        if arguments[:1] != ["check"]:  # the reader of a page has seen enough
            return int(Exit.CLEAN)
    except OSError as error:
        _write_error(f"{error.filename or 'standard output'}: {error.strerror}")
        streams.close_quietly("stdout")
    except MemoryError:
        _write_error("out of memory; check fewer or smaller files at once")
    except BaseException as error:  # noqa: BLE001 - no traceback may reach a user
        cause = f"{type(error).__name__}: {error}"
        _write_error(f"internal error ({cause}); this is a bug in claimlint, please report it")
    return int(Exit.COULD_NOT_TELL)


def _exit_code(error: click.exceptions.Exit | SystemExit) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if _COMPLETION in os.environ:
        return error.code if isinstance(error.code, int) else int(Exit.CLEAN)
    _write_error(f"something asked to exit with {error.code!r}; this is a bug in claimlint or in a plugin")
    return int(Exit.COULD_NOT_TELL)


def say_error(error: ClaimlintError) -> None:
    """Print an error to standard error."""
    _write_error(str(error))


def _say_usage(error: click.ClickException) -> None:
    try:
        error.show()
    except OSError:
        streams.close_quietly("stderr")


def _write_error(message: str) -> None:
    lines = "\n".join(printable(line) for line in message.split("\n"))
    streams.write_error(f"claimlint: error: {lines}\n")
