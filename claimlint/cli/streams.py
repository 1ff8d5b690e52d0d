"""Standard output and error that end no run: closed, full or broken ones, and consoles that lack a character."""

from __future__ import annotations

import os
import sys

from claimlint.errors import WriteError


def prepare() -> None:
    """Make both streams usable: a closed one swallows what it gets, characters it lacks are written as escapes."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the end
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def write_out(text: str) -> None:
    """Write to standard output and flush it.

    A reader that went away is no error: what was found stands, and the exit code says it. Raises
    ``WriteError`` when the output cannot be written for another reason, for example a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        close_quietly("stdout")
    except OSError as error:
        close_quietly("stdout")
        raise WriteError(f"cannot be written: {error.strerror}", path="standard output") from error


def write_error(text: str) -> None:
    """Write to standard error; when that cannot be done there is nobody left to tell."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        close_quietly("stderr")


def close_quietly(name: str) -> None:
    """Let ``stdout`` or ``stderr`` lead nowhere, so that the interpreter does not complain when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, getattr(sys, name).fileno())
        finally:
            os.close(nowhere)
    except (OSError, ValueError):
        return
