"""Showing how far an audit has come: a bar on a terminal, plain lines elsewhere; always on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from claimlint.cli.output import notice

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from claimlint.audit.plan import Plan

PLAIN_SECONDS = 10.0
"""How often plain progress says something, in seconds."""


class Watch:
    """The progress of one audit; use it as a context manager, so that the bar is taken down."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._started = self._said = time.monotonic()

    def __enter__(self) -> Watch:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def retrieving(self, done: int, total: int) -> None:
        """So many of the cited sources have been asked for."""
        self._show("fetching sources", done, total, "")

    def planned(self, plan: Plan) -> None:
        """The plan has been shown already."""

    def judging(self, done: int, total: int, cost: float | None) -> None:
        """So many questions are done, at an estimated cost so far."""
        self._show("asking the judge", done, total, "" if cost is None else f", cost so far {cost:.2f}")

    def _show(self, stage: str, done: int, total: int, more: str) -> None:
        if self._quiet or total == 0:
            return
        if stage != self._stage:
            self._stage = stage
            self._started = self._said = time.monotonic()
            if self._bar is not None:
                if self._task is not None:
                    self._bar.remove_task(self._task)
                self._task = self._bar.add_task(stage, total=total)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total, description=stage + more)
            return
        now = time.monotonic()
        if now - self._said >= PLAIN_SECONDS and 0 < done < total:
            self._said = now
            left = (now - self._started) / done * (total - done)
            notice(f"{stage}: {done} of {total}, about {left:.0f} s left{more}")
