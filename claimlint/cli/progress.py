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

PLAIN_SECONDS = 5.0
"""How often plain progress says something, in seconds."""

_JUDGING = "asking the judge"


class Watch:
    """The progress of the audits of one run; use it as a context manager, so that the bar is taken down."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._drawn = not quiet and sys.stderr.isatty()
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._started = self._said = time.monotonic()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._take_down()

    def retrieving(self, done: int, total: int) -> None:
        """So many of the cited sources have been asked for."""
        self._show("fetching sources", done, total, "")

    def planned(self, plan: Plan) -> None:
        """The plan has been shown already."""

    def judging(self, done: int, total: int, cost: float | None) -> None:
        """So many questions are done, at an estimated cost so far."""
        self._show(_JUDGING, done, total, "" if cost is None else f", cost so far {cost:.2f}")

    def _show(self, stage: str, done: int, total: int, more: str) -> None:
        if self._quiet or total == 0:
            return
        if done == 0:
            self._started = self._said = time.monotonic()
            if self._drawn:
                self._draw(stage, total)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total, description=stage + more)
        else:
            self._tell(stage, done, total, more)
        if done >= total:
            # Nothing may be drawn while a plan is shown or a question is asked.
            self._take_down()

    def _tell(self, stage: str, done: int, total: int, more: str) -> None:
        """Say now and then how far a long stage is, and how it ended."""
        now = time.monotonic()
        took = now - self._started
        if done >= total and (stage == _JUDGING or took >= PLAIN_SECONDS):
            notice(f"{stage}: {done} of {total} in {took:.1f} s{more}")
        elif 0 < done < total and now - self._said >= PLAIN_SECONDS:
            self._said = now
            notice(f"{stage}: {done} of {total}, about {took / done * (total - done):.0f} s left{more}")

    def _draw(self, stage: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._take_down()
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(stage, total=total)
        self._bar.start()

    def _take_down(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = None
