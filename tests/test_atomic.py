"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from claimlint.atomic import write_bytes_atomic, write_text_atomic
from claimlint.errors import WriteError


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_text_is_written_as_utf_8_with_its_line_ends(tmp_path: Path) -> None:
    write_text_atomic(tmp_path / "a.txt", "é\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa9\r\nb\n"


def test_nothing_but_the_file_is_left_in_the_folder(tmp_path: Path) -> None:
    write_bytes_atomic(tmp_path / "a.txt", b"1")
    write_bytes_atomic(tmp_path / "a.txt", b"2")
    assert (names(tmp_path), (tmp_path / "a.txt").read_bytes()) == (["a.txt"], b"2")


def test_the_old_files_permissions_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    file.chmod(0o640)
    write_text_atomic(file, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_new_file_gets_the_permissions_of_the_umask(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_text_atomic(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text_atomic(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_missing_folder_is_a_write_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"gone.a\.txt: cannot be written: No such file"):
        write_text_atomic(tmp_path / "gone" / "a.txt", "new")


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(WriteError, match="it is a folder"):
        write_text_atomic(tmp_path / "a", "new")


def test_a_path_with_a_nul_character_is_a_write_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        write_text_atomic(f"{tmp_path}/a\0b", "new")


def test_a_lone_surrogate_is_a_write_error_and_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(WriteError, match="lone surrogate"):
        write_text_atomic(tmp_path / "a.txt", "new \ud800")
    assert (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.parametrize("step", ["flush", "rename"])
def test_a_full_disk_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (tmp_path / "a.txt").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "flush":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(WriteError, match="No space left on device"):
        write_text_atomic(tmp_path / "a.txt", "new")
    assert (names(tmp_path), (tmp_path / "a.txt").read_text()) == (["a.txt"], "old")


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(WriteError, match="read-only"):
        write_text_atomic(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_device_is_written_to_and_not_replaced() -> None:
    before = Path(os.devnull).stat().st_mode
    write_text_atomic(os.devnull, "gone")
    assert Path(os.devnull).stat().st_mode == before


def test_a_folder_that_cannot_be_flushed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: os.PathLike[str], flags: int, *mode: int) -> int:
        if flags == os.O_RDONLY:
            raise OSError(13, "Permission denied")
        return real(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse)
    write_text_atomic(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "new"
