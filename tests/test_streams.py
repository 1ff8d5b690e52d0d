"""Streams and the end of the process: what breaks there changes neither the exit code nor the last words."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, NoReturn

import pytest

from claimlint import __main__ as entry
from claimlint import __version__
from claimlint.cli import streams
from claimlint.errors import WriteError


class Broken(io.StringIO):
    """A stream on which every write fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, _text: str) -> NoReturn:
        raise self.error

    def fileno(self) -> int:
        return self.end

    end = -1


@pytest.fixture
def pipe() -> Any:
    """The writing end of a pipe."""
    read, write = os.pipe()
    yield write
    os.close(read)
    os.close(write)


def is_nowhere(descriptor: int) -> bool:
    return os.path.samestat(os.fstat(descriptor), os.stat(os.devnull))


def test_a_reader_that_has_gone_is_no_error_and_the_stream_leads_nowhere(
    monkeypatch: pytest.MonkeyPatch, pipe: int
) -> None:
    broken = Broken(BrokenPipeError())
    broken.end = pipe
    monkeypatch.setattr(sys, "stdout", broken)
    streams.write_out("x")
    assert is_nowhere(pipe)


def test_a_full_disk_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Broken(OSError(28, "No space left on device")))
    with pytest.raises(WriteError, match="standard output: cannot be written: No space left on device"):
        streams.write_out("x")


def test_what_cannot_be_said_on_standard_error_is_not_said(monkeypatch: pytest.MonkeyPatch, pipe: int) -> None:
    broken = Broken(OSError())
    broken.end = pipe
    monkeypatch.setattr(sys, "stderr", broken)
    streams.write_error("x")
    assert is_nowhere(pipe)


def test_a_closed_stream_swallows_what_it_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    streams.prepare()
    with sys.stdout:
        streams.write_out("x")
        assert sys.stdout.name == os.devnull


def test_a_character_that_a_console_lacks_is_written_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data, encoding="ascii"))
    streams.prepare()
    streams.write_out("é中\ud800\n")
    assert data.getvalue() == b"\\xe9\\u4e2d\\ud800\n"


class LeftError(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def leaving(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The exit codes with which ``main`` leaves."""
    codes: list[int] = []
    monkeypatch.setattr(entry, "_leave", codes.append)
    return codes


def main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["claimlint", *arguments])
    import gc

    before = gc.get_threshold()
    try:
        entry.main()
    finally:
        gc.set_threshold(*before)


def test_the_version_is_answered(
    monkeypatch: pytest.MonkeyPatch, leaving: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    main(monkeypatch, "--version")
    assert (leaving, capsys.readouterr().out) == ([0], f"claimlint {__version__}\n")


def test_the_version_on_a_full_disk_exits_with_2(
    monkeypatch: pytest.MonkeyPatch, leaving: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", Broken(OSError(28, "No space left on device")))
    main(monkeypatch, "--version")
    assert leaving == [2]
    assert capsys.readouterr().err == (
        "claimlint: error: standard output: cannot be written: No space left on device\n"
    )


def test_a_command_is_run_with_its_arguments(
    monkeypatch: pytest.MonkeyPatch, leaving: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    main(monkeypatch, "explain", "NOPE-1")
    assert leaving == [2]
    assert "unknown rule or family 'NOPE-1'" in capsys.readouterr().err


def test_an_interrupt_while_loading_exits_with_130(monkeypatch: pytest.MonkeyPatch, leaving: list[int]) -> None:
    def interrupt(_arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_run", interrupt)
    main(monkeypatch)
    assert leaving == [130]


def test_a_process_that_is_traced_or_has_audited_ends_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    def hard(code: int) -> NoReturn:
        raise LeftError(code)

    monkeypatch.setattr(os, "_exit", hard)
    monkeypatch.setattr(entry, "_is_traced", lambda: True)
    with pytest.raises(SystemExit, match="3"):
        entry._leave(3)
    monkeypatch.setattr(entry, "_is_traced", lambda: False)
    monkeypatch.setitem(sys.modules, "claimlint.audit.running", entry)
    with pytest.raises(SystemExit, match="3"):
        entry._leave(3)


def test_any_other_process_ends_at_once_after_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    def hard(code: int) -> NoReturn:
        raise LeftError(code)

    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data))
    monkeypatch.setattr(sys, "stderr", None)
    sys.stdout.write("last words")
    monkeypatch.setattr(os, "_exit", hard)
    monkeypatch.setattr(entry, "_is_traced", lambda: False)
    monkeypatch.delitem(sys.modules, "claimlint.audit.running", raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    with pytest.raises(LeftError, match="1"):
        entry._leave(1)
    assert data.getvalue() == b"last words"


def test_a_debugger_a_profiler_and_a_coverage_measurement_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "coverage", raising=False)
    monkeypatch.setattr(sys, "gettrace", lambda: None)
    monkeypatch.setattr(sys, "getprofile", lambda: None)
    assert entry._is_traced() is False
    monkeypatch.setitem(sys.modules, "coverage", entry)
    assert entry._is_traced() is True
