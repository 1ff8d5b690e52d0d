"""Blocking calls side by side, with a deadline that holds."""

from __future__ import annotations

import threading
import time

import pytest

from claimlint.audit.pool import Expired, run_all


def outcomes(tasks: list[float], workers: int, deadline: float = 30.0) -> dict[int, object]:
    found: dict[int, object] = {}

    def work(seconds: float) -> float:
        time.sleep(seconds)
        return seconds

    run_all(tasks, work, found.__setitem__, workers=workers, deadline=deadline)
    return found


def test_every_task_is_done_once() -> None:
    assert outcomes([0.0] * 50, 4) == dict.fromkeys(range(50), 0.0)


def test_without_tasks_nothing_is_started() -> None:
    assert outcomes([], 4) == {}


def test_tasks_run_side_by_side_up_to_the_limit() -> None:
    running = 0
    most = 0
    lock = threading.Lock()

    def work(_task: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1

    run_all(range(20), work, lambda *_: None, workers=5, deadline=30)
    assert most == 5


def test_a_call_that_takes_too_long_is_given_up_and_the_rest_goes_on() -> None:
    started = time.monotonic()
    found = outcomes([20.0, 0.0, 20.0, 0.0, 0.0], workers=2, deadline=0.2)
    assert time.monotonic() - started < 15
    assert found == {0: Expired(0.2), 1: 0.0, 2: Expired(0.2), 3: 0.0, 4: 0.0}


def test_an_exception_ends_the_batch() -> None:
    begun: list[int] = []

    def work(task: int) -> None:
        begun.append(task)
        if task == 1:
            raise ValueError("broken")
        time.sleep(0.05)

    with pytest.raises(ValueError, match="broken"):
        run_all(range(100), work, lambda *_: None, workers=2, deadline=30)
    time.sleep(0.2)
    assert len(begun) < 10


def test_an_interrupt_in_the_calling_thread_begins_no_further_task() -> None:
    begun: list[int] = []

    def done(index: int, _outcome: object) -> None:
        if index == 3:
            raise KeyboardInterrupt

    def work(task: int) -> None:
        begun.append(task)
        time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        run_all(range(500), work, done, workers=2, deadline=30)
    time.sleep(0.1)
    assert len(begun) < 50
