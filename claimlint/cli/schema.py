"""``claimlint schema NAME``: print the JSON Schema of a row type."""

from __future__ import annotations

import click

from claimlint.errors import UsageError


@click.command("schema", short_help="Print the JSON Schema of a row type.")
@click.argument("name", required=False)
def schema_command(name: str | None) -> None:
    """Print the JSON Schema of the row type NAME; without a NAME, list the names."""
    from claimlint import schemas

    if name is None:
        click.echo("\n".join(schemas.NAMES))
        return
    wanted = name.removesuffix(".json").replace("-", "_")
    if wanted not in schemas.NAMES:
        from difflib import get_close_matches

        near = get_close_matches(wanted, schemas.NAMES, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else f"; one of {', '.join(schemas.NAMES)}"
        raise UsageError(f"no schema {name!r}{hint}")
    click.echo(schemas.text(wanted).rstrip("\n"))
