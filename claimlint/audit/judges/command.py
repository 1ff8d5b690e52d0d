"""The judge that is a program: it gets the prompt on standard input and prints its answer.

The program runs without a shell, in a process group of its own that is killed when it takes too long or says
too much.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from claimlint.audit.judges import JudgeOptions
from claimlint.audit.judges.wire import Wire
from claimlint.audit.types import JudgeFault, JudgeQuestion
from claimlint.audit.words import sha256_hex
from claimlint.errors import UsageError

MAX_OUTPUT = 1_000_000
"""The most that is read of what a program prints, in bytes."""

_MAX_COMPLAINT = 4000
_PIECE = 65_536
_LEAVE = 1.0
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SHORTEST_SECRET = 8


@dataclass(slots=True)
class CommandJudge:
    """Runs ``arguments`` once for each question. ``timeout`` is in seconds."""

    arguments: tuple[str, ...]
    model: str
    timeout: float
    wire: Wire
    name: str = "command"
    _running: set[int] = field(default_factory=set, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def settings(self) -> Mapping[str, object]:
        """What a run's record says of this judge; its arguments may hold a key, so they are left out."""
        return {"program": os.path.basename(self.arguments[0])}

    def ask(self, question: JudgeQuestion) -> str:
        """What the program prints; raises JudgeFault."""
        ends = time.monotonic() + self.timeout
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own program, without a shell
                self.arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            detail = f"the program cannot be started: {error.strerror}"
            raise JudgeFault("judge_api_error", detail, infrastructure=True) from error
        with self._lock:
            self._running.add(process.pid)
        talk = _Talk(process, question.prompt.encode("utf-8", "replace"))
        try:
            code = talk.run(ends)
        finally:
            talk.end()
            with self._lock:
                self._running.discard(process.pid)
        if talk.too_much:
            raise JudgeFault("judge_api_error", f"the program printed more than {MAX_OUTPUT} bytes")
        if code is None:
            raise JudgeFault(
                "judge_timeout", f"the program did not end within {self.timeout:g} s", infrastructure=True
            )
        if code != 0:
            said = self.wire.shown(talk.complaint.decode("utf-8", "replace"))
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            detail = f"the program ended with {how}" + (f": {said}" if said else "")
            raise JudgeFault("judge_api_error", detail, infrastructure=True)
        return self.wire.redact(talk.output.decode("utf-8", "replace"))

    def close(self) -> None:
        """Kill the programs that are still running: Ctrl-C does not reach them in their own session."""
        with self._lock:
            for pid in self._running:
                _kill_group(pid)


class _Talk:
    """One run of the program: its input written, its output read, both bounded."""

    def __init__(self, process: subprocess.Popen[bytes], prompt: bytes) -> None:
        self._process = process
        self.output = bytearray()
        self.complaint = bytearray()
        self.too_much = False
        self._threads = [
            threading.Thread(target=self._write, args=(prompt,), daemon=True),
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_complaint, daemon=True),
        ]

    def run(self, ends: float) -> int | None:
        """The exit code; None when the program, or what it started, is not done in time."""
        for thread in self._threads:
            thread.start()
        try:
            code = self._process.wait(max(0.0, ends - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None
        for thread in self._threads[1:]:
            thread.join(max(0.0, ends - time.monotonic()))
            if thread.is_alive():  # something it started holds the pipe open
                return None
        return code

    def end(self) -> None:
        """Kill what is left, and let go of the pipes."""
        if self._process.poll() is None or any(thread.is_alive() for thread in self._threads):
            _kill_group(self._process.pid)
        self._process.wait()
        for thread in self._threads:
            thread.join(_LEAVE)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _write(self, prompt: bytes) -> None:
        # A program that does not read its input to the end is no error.
        pipe, rest = self._process.stdin, memoryview(prompt)
        with suppress(OSError, ValueError):
            while pipe is not None and rest:
                rest = rest[os.write(pipe.fileno(), rest) :]
        with suppress(OSError):
            if pipe is not None:
                pipe.close()

    def _read_output(self) -> None:
        for piece in _pieces(self._process.stdout):
            self.output += piece
            if len(self.output) > MAX_OUTPUT:
                self.too_much = True
                _kill_group(self._process.pid)
                return

    def _read_complaint(self) -> None:
        for piece in _pieces(self._process.stderr):
            self.complaint += piece[: _MAX_COMPLAINT - len(self.complaint)]


def _pieces(pipe: IO[bytes] | None) -> Iterator[bytes]:
    with suppress(OSError, ValueError):
        while pipe is not None and (piece := os.read(pipe.fileno(), _PIECE)):
            yield piece


def _kill_group(pid: int) -> None:
    """Kill a program and what it started in its group."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)


def open_command(options: JudgeOptions) -> CommandJudge:
    """The judge ``command:PROGRAM ARGS``.

    Without a model of its own the judge goes by the program's name and a hash of the whole command, so that
    another command never gets the cached verdicts of this one. Raises UsageError when the program is missing.
    """
    import shlex
    import shutil

    try:
        arguments = shlex.split(options.argument)
    except ValueError as error:
        raise UsageError(f"the command of the judge cannot be split into words: {error}") from error
    if not arguments:
        raise UsageError("the judge command needs a program: --judge-backend 'command:PROGRAM ARGS'")
    program = shutil.which(arguments[0], path=options.environ.get("PATH"))
    if program is None:
        raise UsageError(f"the program {arguments[0]!r} of the judge command is not on the PATH")
    short = f"command:{os.path.basename(arguments[0])}#{sha256_hex(options.argument)[:8]}"
    secrets = [
        value
        for name, value in options.environ.items()
        if len(value) >= _SHORTEST_SECRET and any(part in name.upper() for part in _SECRET_NAMES)
    ]
    return CommandJudge(
        arguments=(program, *arguments[1:]),
        model=options.model or short,
        timeout=options.timeout,
        wire=Wire(options.timeout, secrets),
    )
