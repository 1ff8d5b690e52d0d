"""Choosing which citations of a long draft are judged (contract, section 7, "Sampling")."""

from __future__ import annotations

from claimlint.errors import UsageError


def audited_indices(total: int, cap: int) -> tuple[int, ...]:
    """The indices of the citations to audit, ascending: all of them, or the first of each of ``cap`` buckets.

    Raises ``UsageError`` for a cap below 1.
    """
    if cap < 1:
        raise UsageError(f"at least one claim must be audited, so max-claims cannot be {cap}")
    if total <= cap:
        return tuple(range(total))
    return tuple(index * total // cap for index in range(cap))
