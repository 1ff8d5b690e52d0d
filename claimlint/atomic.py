"""Files that are written whole or not at all.

The new content goes to a temporary file in the same folder, is flushed to the disk, and takes the old
file's place in one step: whoever reads meanwhile sees the old file or the new one, and an error in between
(full disk, read-only folder, a kill) leaves the old one as it was.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from claimlint.errors import WriteError

_FILE_MODE = 0o666
"""What ``open`` asks for as well: the process's umask takes away what it must."""


def write_text_atomic(path: str | Path, text: str) -> None:
    """Replace the content of a file by ``text`` in UTF-8; line ends stay as they are in ``text``.

    Raises ``WriteError`` as ``write_bytes_atomic`` does, and for text that UTF-8 has no form for (lone
    surrogates).
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise WriteError(
            f"character {error.start} is a lone surrogate, which cannot be written as UTF-8", path=str(path)
        ) from error
    write_bytes_atomic(path, data)


def write_bytes_atomic(path: str | Path, data: bytes) -> None:
    """Replace the content of a file by ``data``, or make the file; its folder must exist.

    The permissions of an old file are kept, and a symbolic link keeps pointing at the file that is written.
    Devices and pipes, which cannot be replaced, are written to directly. Raises ``WriteError`` naming
    ``path``; a regular file that stood there is untouched then.
    """
    shown = str(path)
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and stat.S_ISDIR(mode):
            raise WriteError("cannot be written: it is a folder", path=shown)
        if mode is not None and not os.access(target, os.W_OK):
            raise WriteError("cannot be written: it is read-only", path=shown)
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
            return
        _replace(target, data, mode)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise WriteError(f"cannot be written: {cause}", path=shown) from error


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.parent / f".claimlint-{os.urandom(8).hex()}.tmp"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Bring the rename itself to the disk, where the system can do that for a folder."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)
