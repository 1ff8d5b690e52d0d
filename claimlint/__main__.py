"""The entry of the command: whatever happens, no traceback and no wrong exit code reaches the user."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit; ``--version`` alone is answered without loading anything else."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from claimlint import __version__

        sys.stdout.write(f"claimlint {__version__}\n")
        sys.exit(0)
    from claimlint.cli.entry import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
