"""``claimlint cache info`` and ``claimlint cache prune``: the verdict cache."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import click

from claimlint import settings
from claimlint.discovery import show

SECONDS_A_DAY = 86_400
_DIR = click.option("--cache-dir", metavar="DIR", help="Folder of the cache [.claimlint_cache].")


@click.group("cache", short_help="Look at the verdict cache, or empty it.")
def cache_command() -> None:
    """Work with the cache of verdicts that audits keep."""


@cache_command.command("info")
@_DIR
def info_command(cache_dir: str | None) -> None:
    """Say how many verdicts there are, how large they are, and how old."""
    from claimlint.audit.cache import cache_info

    folder = _folder(cache_dir)
    found = cache_info(folder)
    click.echo(f"folder    {show(str(folder))}")
    click.echo(f"verdicts  {found.count}")
    click.echo(f"bytes     {found.bytes}")
    if found.corrupt:
        click.echo(f"damaged   {found.corrupt}")
    if found.oldest is not None:
        click.echo(f"oldest    {datetime.fromtimestamp(found.oldest).astimezone():%Y-%m-%d %H:%M}")


@cache_command.command("prune")
@_DIR
@click.option("--older-than", type=click.FloatRange(min=0), default=0.0, metavar="DAYS", help="Keep younger ones.")
def prune_command(cache_dir: str | None, older_than: float) -> None:
    """Delete verdicts; the next audit asks for them again."""
    from claimlint.audit.cache import prune_cache

    before = time.time() - older_than * SECONDS_A_DAY
    count, size = prune_cache(_folder(cache_dir), older_than=before)
    click.echo(f"deleted {count} verdicts, {size} bytes")


def _folder(given: str | None) -> Path:
    if given is not None:
        return Path(given)
    loaded = settings.load()
    return Path(loaded.resolve(loaded.cache_dir))
