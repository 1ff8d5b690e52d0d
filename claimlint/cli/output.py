"""Printing a report: the chosen format, in colour where a terminal shows it, or into a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from claimlint.cli.entry import say_error
from claimlint.cli.streams import write_error, write_out
from claimlint.report import Report
from claimlint.reporters import text
from claimlint.reporters.safe_text import printable


class Shown(NamedTuple):
    """How a report is shown: format (``text``, ``concise``, ``json``), output file, and what is left out."""

    shape: str
    output: str | None
    show_all: bool
    statistics: bool
    quiet: bool


def emit(report: Report, shown: Shown, stdin: Mapping[str, bytes] | None = None) -> None:
    """Print a report: findings to standard output or a file, what could not be checked to standard error.

    ``stdin`` holds the content of documents that stand in no file, by their shown name.
    """
    lines = _Lines({path: _split(data) for path, data in (stdin or {}).items()})
    try:
        if shown.output is not None:
            from claimlint.atomic import write_bytes_atomic

            written = render(report, shown, lines)
            write_bytes_atomic(shown.output, written.encode("utf-8", errors="backslashreplace"))
        elif shown.shape == "text" and _in_colour():
            write_out(_drawn(_text_lines(report, shown, lines)))
        else:
            write_out(render(report, shown, lines))
    finally:
        for failure in report.failures:
            say_error(failure)


def render(report: Report, shown: Shown, source: _Lines) -> str:
    """A report as the text that goes to a pipe or a file."""
    if shown.shape == "json":
        from claimlint.reporters import json_format

        return json_format.render(report)
    if shown.shape == "concise":
        from claimlint.reporters import concise

        body = concise.render(report, show_all=shown.show_all)
        return body + (text.plain(text.statistics(report)) if shown.statistics else "")
    return text.plain(_text_lines(report, shown, source))


def _text_lines(report: Report, shown: Shown, source: _Lines) -> Iterator[text.Line]:
    lines = text.lines(report, source.line, show_all=shown.show_all, quiet=shown.quiet)
    return chain(lines, text.statistics(report)) if shown.statistics else lines


def _in_colour() -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _drawn(lines: Iterator[text.Line]) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    drawn = StringIO()
    console = Console(file=drawn, force_terminal=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text.assemble(*((piece.text, piece.style) for piece in line)))
    return drawn.getvalue()


class _Lines:
    """Source lines of files, read again for display; each file once. ``files`` holds those that are known."""

    def __init__(self, files: dict[str, list[str]]) -> None:
        self._files = files

    def line(self, path: str, number: int) -> str:
        if path not in self._files:
            try:
                with open(path, "rb") as file:
                    self._files[path] = _split(file.read())
            except (OSError, ValueError):
                self._files[path] = []
        lines = self._files[path]
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""


def _split(data: bytes) -> list[str]:
    return data.decode("utf-8-sig", errors="replace").split("\n")


def notice(message: str) -> None:
    """Say something on standard error that is no finding."""
    write_error(f"claimlint: {printable(message)}\n")
