"""The entry of the command: whatever happens, no traceback and no wrong exit code reaches the user."""

from __future__ import annotations

import gc
import sys

_CONTAINERS = 100_000
"""After how many new objects the interpreter looks for cycles: loading modules and rows makes none."""


def main() -> None:
    """Run the command line and exit; ``--version`` alone is answered without loading anything else."""
    gc.set_threshold(_CONTAINERS, 50, 50)
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command is still being loaded
        code = 130
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from claimlint import __version__
        from claimlint.cli.streams import prepare, write_error, write_out
        from claimlint.errors import WriteError

        prepare()
        try:
            write_out(f"claimlint {__version__}\n")
        except WriteError as error:
            write_error(f"claimlint: error: {error}\n")
            return 2
        return 0
    from claimlint.cli.entry import run

    return run(arguments)


if __name__ == "__main__":
    main()
