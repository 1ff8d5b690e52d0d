"""Sampling of long drafts (contract, section 7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.sampling import audited_indices
from claimlint.errors import UsageError


def test_a_short_draft_is_audited_whole() -> None:
    assert audited_indices(3, 3) == (0, 1, 2)


@pytest.mark.parametrize(
    ("total", "cap", "indices"), [(11, 8, (0, 1, 2, 4, 5, 6, 8, 9)), (7, 4, (0, 1, 3, 5)), (5, 1, (0,))]
)
def test_each_bucket_gives_its_first(total: int, cap: int, indices: tuple[int, ...]) -> None:
    assert audited_indices(total, cap) == indices


@pytest.mark.parametrize("cap", [0, -1])
def test_auditing_nothing_is_refused(cap: int) -> None:
    with pytest.raises(UsageError, match="at least one claim"):
        audited_indices(5, cap)


@given(st.integers(0, 3000), st.integers(1, 300))
def test_indices_ascend_strictly_within_the_draft(total: int, cap: int) -> None:
    found = audited_indices(total, cap)
    assert len(found) == min(total, cap)
    assert list(found) == sorted(set(found))
    assert all(0 <= index < total for index in found)
    assert list(found) == [int(number * total / len(found)) for number in range(len(found))]
