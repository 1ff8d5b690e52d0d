"""``claimlint schema NAME``: print the JSON Schema of a row type."""

from __future__ import annotations

import click

from claimlint.cli.streams import write_out
from claimlint.errors import UsageError


@click.command("schema", short_help="Print the JSON Schema of a row type.")
@click.argument("name", required=False)
def schema_command(name: str | None) -> None:
    """Print the JSON Schema of the row type NAME (or of the aggregate); without a NAME, list the names."""
    from claimlint import schemas

    if name is None:
        write_out("\n".join(sorted(schemas.NAMES.values())) + "\n")
        return
    plain = name.removesuffix(".json").replace("-", "_")
    wanted = schemas.NAMES.get(plain, plain)
    known = sorted(schemas.NAMES.values())
    if wanted not in known:
        from difflib import get_close_matches

        near = get_close_matches(wanted, known, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else f"; one of {', '.join(known)}"
        raise UsageError(f"no schema {name!r}{hint}")
    write_out(schemas.text(wanted).rstrip("\n") + "\n")
