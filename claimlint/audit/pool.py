"""Running blocking calls side by side, with a deadline that holds even for a call that never returns.

The workers are daemon threads: a call that hangs is given up and its thread left behind, and neither Ctrl-C
nor the end of the program waits for it. (The standard library's executors join their threads at exit.)
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

_TICK = 0.2


@dataclass(frozen=True, slots=True)
class Expired:
    """Stands for the outcome of a call that did not return within so many seconds."""

    seconds: float


def run_all(
    tasks: Sequence[Task],
    work: Callable[[Task], Outcome],
    done: Callable[[int, Outcome | Expired], None],
    *,
    workers: int,
    deadline: float,
) -> None:
    """Call ``work`` for every task on up to ``workers`` threads, and ``done`` with each index and outcome.

    Tasks start in their order; ``done`` is called in the calling thread, as outcomes arrive. A call that takes
    longer than ``deadline`` seconds is ``Expired``; what it returns later is dropped. An exception of ``work``
    is raised here, and so is KeyboardInterrupt; no further task is begun then.
    """
    _Batch(tasks, work, workers, deadline).drive(done)


class _Batch(Generic[Task, Outcome]):
    def __init__(
        self, tasks: Sequence[Task], work: Callable[[Task], Outcome], workers: int, deadline: float
    ) -> None:
        self._tasks = tasks
        self._work = work
        self._workers = max(1, min(workers, len(tasks)))
        self._deadline = deadline
        self._arrived: queue.SimpleQueue[tuple[int, Outcome | None, BaseException | None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._next = 0
        self._since: dict[int, float] = {}
        self._given_up: set[int] = set()

    def drive(self, done: Callable[[int, Outcome | Expired], None]) -> None:
        open_tasks = len(self._tasks)
        if not open_tasks:
            return
        for _ in range(self._workers):
            self._start()
        tick = min(_TICK, self._deadline)
        check = time.monotonic() + tick
        try:
            while open_tasks:
                try:
                    index, outcome, error = self._arrived.get(timeout=tick)
                except queue.Empty:
                    pass
                else:
                    if error is not None:
                        raise error
                    open_tasks -= 1
                    done(index, outcome)  # type: ignore[arg-type]
                if time.monotonic() < check:
                    continue
                for index in self._overdue():
                    open_tasks -= 1
                    self._start()
                    done(index, Expired(self._deadline))
                check = time.monotonic() + tick
        finally:
            with self._lock:
                self._next = len(self._tasks)

    def _start(self) -> None:
        threading.Thread(target=self._loop, name="claimlint-audit", daemon=True).start()

    def _loop(self) -> None:
        while True:
            with self._lock:
                index = self._next
                if index >= len(self._tasks):
                    return
                self._next += 1
                self._since[index] = time.monotonic()
            outcome: Outcome | None = None
            error: BaseException | None = None
            try:
                outcome = self._work(self._tasks[index])
            except BaseException as raised:  # noqa: BLE001 - handed to the calling thread
                error = raised
            with self._lock:
                self._since.pop(index, None)
                if index in self._given_up:
                    return
            self._arrived.put((index, outcome, error))

    def _overdue(self) -> list[int]:
        """The calls that have run too long; each is given up, and its thread with it."""
        now = time.monotonic()
        with self._lock:
            late = [index for index, since in self._since.items() if now - since > self._deadline]
            for index in late:
                del self._since[index]
            self._given_up.update(late)
        return late
