"""Keeping what was worked out of the last few texts, for several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")


def kept(size: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Keep the results for the last ``size`` texts.

    Threads that ask for one text at once wait for the one result: ``lru_cache`` alone lets each of them work.
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        cached = lru_cache(maxsize=size)(function)
        lock = threading.Lock()

        @wraps(function)
        def asked(text: str) -> T:
            with lock:
                return cached(text)

        return asked

    return decorate
