"""``claimlint prompt``: hash, check, pin and show the canonical judge prompt."""

from __future__ import annotations

import os

import click

from claimlint import prompt_pin, settings
from claimlint.discovery import show
from claimlint.documents.source import read_text
from claimlint.errors import UsageError
from claimlint.report import Exit

_FILE = click.argument("file", required=False, metavar="[FILE]")
_CONFIG = click.option("--config", metavar="FILE", help="Settings file instead of the nearest one.")


@click.group("prompt", short_help="Hash, check, pin or show the judge prompt.")
def prompt_command() -> None:
    """Work with the judge prompt: the text between the canonical START and END comments of a file.

    Without FILE, the file that the settings name in [judge-prompt]; failing that, claimlint's own prompt.
    """


@prompt_command.command("hash")
@_FILE
@_CONFIG
def hash_command(file: str | None, config: str | None) -> None:
    """Print the SHA-256 of the prompt."""
    path, text = _read(file, settings.load(config))
    click.echo(prompt_pin.prompt_hash(text, show(path)))


@prompt_command.command("check")
@_FILE
@_CONFIG
def check_prompt_command(file: str | None, config: str | None) -> int:
    """Compare the prompt with its pin in the settings; exit code 1 when it differs or has none."""
    loaded = settings.load(config)
    path, text = _read(file, loaded)
    found = prompt_pin.check(text, loaded.judge_prompt.sha256, show(path))
    if found.holds:
        click.echo(f"{show(path)}: the prompt has its pinned hash {found.sha256}")
        return int(Exit.CLEAN)
    pinned = f"pinned is {found.pinned}" if found.pinned else "nothing is pinned"
    click.echo(f"{show(path)}: the prompt has the hash {found.sha256}, but {pinned}")
    return int(Exit.FINDINGS)


@prompt_command.command("pin")
@_FILE
@_CONFIG
def pin_command(file: str | None, config: str | None) -> None:
    """Write the prompt's hash into the settings file."""
    from claimlint.atomic import write_text_atomic

    loaded = settings.load(config)
    path, text = _read(file, loaded)
    target = loaded.file or settings.FILE_NAME
    digest = prompt_pin.prompt_hash(text, show(path))
    before = read_text(target, show(target)) if os.path.exists(target) else ""
    folder = os.path.dirname(os.path.abspath(target))
    relative = os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/")
    after = prompt_pin.pin(before, settings_path=target, prompt=relative, sha256=digest)
    write_text_atomic(target, after)
    click.echo(f"{show(target)}: pinned {digest} for {relative}")


@prompt_command.command("show")
@_FILE
@_CONFIG
def show_command(file: str | None, config: str | None) -> None:
    """Print the prompt."""
    path, text = _read(file, settings.load(config))
    click.echo(prompt_pin.canonical_prompt(text, show(path)))


def _read(file: str | None, loaded: settings.Settings) -> tuple[str, str]:
    """Path and text of the prompt file that is given, that the settings name, or that comes with claimlint."""
    if file is not None:
        return file, read_text(file, show(file))
    if loaded.judge_prompt.file is not None:
        named = loaded.resolve(loaded.judge_prompt.file)
        return named, settings.read_named(loaded, named, "judge-prompt.file")
    from claimlint.audit import prompt

    own = os.path.join(os.path.dirname(prompt.__file__), "judge_prompt.md")
    if not os.path.isfile(own):
        raise UsageError("no prompt file: name one, or set file in [judge-prompt]")
    return own, read_text(own, show(own))
