"""Keeping results of texts for several threads."""

from __future__ import annotations

import threading
import time

from claimlint.audit.kept import kept


def test_threads_that_ask_for_one_text_share_one_computation() -> None:
    computed: list[str] = []

    @kept(2)
    def length(text: str) -> int:
        computed.append(text)
        time.sleep(0.02)
        return len(text)

    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(length("abc"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (computed, found) == (["abc"], [3] * 8)


def test_the_last_few_texts_are_kept() -> None:
    computed: list[str] = []

    @kept(2)
    def length(text: str) -> int:
        computed.append(text)
        return len(text)

    assert [length(text) for text in ("a", "bb", "a", "ccc", "a", "bb")] == [1, 2, 1, 3, 1, 2]
    assert computed == ["a", "bb", "ccc", "bb"]
