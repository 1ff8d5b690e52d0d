"""Printing a report: the chosen format, in colour where a terminal shows it, or into a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from claimlint.cli.entry import say_error
from claimlint.report import Report
from claimlint.reporters import text
from claimlint.reporters.safe_text import printable


@dataclass(frozen=True, slots=True)
class Shown:
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
    if shown.output is None and shown.shape == "text" and _in_colour():
        _draw(_text_lines(report, shown, lines))
    else:
        written = render(report, shown, lines)
        if shown.output is None:
            sys.stdout.write(written)
        else:
            from claimlint.atomic import write_text_atomic

            write_text_atomic(shown.output, written)
    sys.stdout.flush()
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


def _draw(lines: Iterator[text.Line]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text.assemble(*((piece.text, piece.style) for piece in line)))


@dataclass(slots=True)
class _Lines:
    """Source lines of files, read again for display; each file once."""

    _files: dict[str, list[str]] = field(default_factory=dict)

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
    sys.stderr.write(f"claimlint: {printable(message)}\n")
