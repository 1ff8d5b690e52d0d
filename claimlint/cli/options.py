"""The options of ``claimlint check``, typed."""

from __future__ import annotations

from typing import NamedTuple


class CheckOptions(NamedTuple):
    """The options of the command as click hands them on, with the names it gives them."""

    paths: tuple[str, ...]
    select: tuple[str, ...]
    extend_select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_on: str | None
    exit_zero: bool
    config: str | None
    passports: tuple[str, ...]
    baseline: str | None
    write_baseline: bool
    reason: str | None
    stdin_filename: str | None
    no_force_exclude: bool
    jobs: int
    shape: str
    output: str | None
    show_all: bool
    statistics: bool
    quiet: bool
    fix: bool
    diff: bool
    sources: tuple[str, ...]
    judge: bool
    judge_backend: str | None
    judge_model: str | None
    retrievers: tuple[str, ...]
    online: bool
    max_claims: int | None
    max_calls: int | None
    max_cost: float | None
    concurrency: int | None
    dry_run: bool
    write: bool
    cache_dir: str | None
    no_cache: bool
    yes: bool
    hook: bool


JUDGE_ONLY = (
    "judge_backend",
    "judge_model",
    "retrievers",
    "online",
    "max_claims",
    "max_calls",
    "max_cost",
    "concurrency",
    "dry_run",
    "write",
    "cache_dir",
    "no_cache",
    "yes",
)
"""Options that mean something with ``--judge`` only."""
