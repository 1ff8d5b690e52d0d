"""The entry of the command: whatever happens, no traceback and no wrong exit code reaches the user."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_CONTAINERS = 100_000
"""After how many new objects the interpreter looks for cycles: loading modules and rows makes none."""


def main() -> None:
    """Run the command line and exit; ``--version`` alone is answered without loading anything else."""
    gc.set_threshold(_CONTAINERS, 50, 50)
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command is still being loaded
        code = 130
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the process without taking it apart: to free a large passport costs a tenth of its check.

    After an audit, with other threads, a debugger or the like, the interpreter does it all the same.
    """
    watched = "claimlint.audit.running" in sys.modules or _is_traced()
    threading = sys.modules.get("threading")
    if watched or (threading is not None and threading.active_count() > 1):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError):  # closed, or its reader has gone
            continue
    os._exit(code)


def _is_traced() -> bool:
    return sys.gettrace() is not None or sys.getprofile() is not None or "coverage" in sys.modules


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
