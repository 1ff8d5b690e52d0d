"""The command group, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from claimlint import __version__
from claimlint.errors import ClaimlintError
from claimlint.report import Exit
from claimlint.reporters.safe_text import printable

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


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="claimlint %(version)s")
def claimlint() -> None:
    """Lint Markdown drafts and the evidence passports beside them.

    `claimlint check draft.md` is the main job. Exit codes: 0 clean, 1 findings at or above the bar, 2 could
    not tell (usage, settings, an unreadable file, a rule that crashed), 3 the audit is incomplete.
    """


def run(arguments: list[str]) -> int:
    """Run the command line with the given arguments; returns the exit code and never raises."""
    _forgive_consoles()
    try:
        result = claimlint.main(arguments, prog_name="claimlint", standalone_mode=False)
        sys.stdout.flush()
        return int(result) if isinstance(result, int) else 0
    except click.ClickException as error:
        error.show()
        return int(Exit.COULD_NOT_TELL)
    except ClaimlintError as error:
        say_error(error)
        return int(Exit.COULD_NOT_TELL)
    except (KeyboardInterrupt, click.Abort):
        _write_error("interrupted")
        return 130
    except BrokenPipeError:
        _close_quietly()
        return int(Exit.COULD_NOT_TELL)
    except MemoryError:
        _write_error("out of memory; check fewer or smaller files at once")
        return int(Exit.COULD_NOT_TELL)
    except Exception as error:  # noqa: BLE001 - no traceback may reach a user
        _write_error(
            f"internal error ({type(error).__name__}: {error}); this is a bug in claimlint, please report it"
        )
        return int(Exit.COULD_NOT_TELL)


def say_error(error: ClaimlintError) -> None:
    """Print an error to stderr in one line."""
    _write_error(str(error))


def _write_error(message: str) -> None:
    try:
        lines = "\n".join(printable(line) for line in message.split("\n"))
        sys.stderr.write(f"claimlint: error: {lines}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def _forgive_consoles() -> None:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _close_quietly() -> None:
    """Keep the interpreter from complaining about the reader that went away."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
