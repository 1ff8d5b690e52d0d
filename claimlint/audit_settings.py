"""The settings that only a live audit reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class JudgeSettings(NamedTuple):
    """``[judge]``: which judge is asked, and within which limits.

    ``timeout`` is in seconds a call, ``price-in`` and ``price-out`` in units of currency for a million tokens.
    """

    backend: str | None = None
    model: str | None = None
    base_url: str | None = None
    timeout: float = 120.0
    concurrency: int = 8
    max_claims: int = 100
    max_calls: int | None = None
    max_cost: float | None = None
    retries: int = 3
    seed: int = 0
    price_in: float | None = None
    price_out: float | None = None
    require_evidence: bool = False


class OnlineSettings(NamedTuple):
    """``[online]``: base URLs of the indexes, the contact address sent to them, and limits.

    ``timeout`` is in seconds a request, ``max-bytes`` the largest answer that is read.
    """

    contact: str | None = None
    timeout: float = 30.0
    max_bytes: int = 50_000_000
    allow_private: bool = False
    urls: Mapping[str, str] = {}
