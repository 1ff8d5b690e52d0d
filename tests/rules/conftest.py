"""``pytest tests/rules --update-examples`` writes the expected outputs and the README's table of rules anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-examples",
        action="store_true",
        help="write the expected output of every example, and the README's table of rules",
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are written rather than compared."""
    return bool(request.config.getoption("--update-examples", default=False))
