"""Guards against an audit that became slow or large; ``python -m tests.e2e.speed`` prints the real numbers.

The bounds are generous, because tests share their machine with other tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from . import speed


def test_calls_overlap_and_a_cached_run_is_short(tmp_path: Path) -> None:
    one, many, again = speed.audits(tmp_path)
    assert many.wall - one.wall + speed.DELAY < 3 * speed.IDEAL
    assert again.cpu < 1.0


def test_many_calls_over_large_sources_stay_small(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("memory is read from /proc, which this system does not have")
    ran, most = speed.memory(tmp_path / "large")
    assert ran.audit == (64, 0, 0)
    assert 20_000_000 < most < 300_000_000
