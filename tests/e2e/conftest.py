"""Fixtures of the end-to-end tests."""

from __future__ import annotations

import pytest

from .cli import Inside


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Inside:
    """Runs the command in this process."""
    return Inside(monkeypatch, capsys)
