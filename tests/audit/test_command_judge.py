"""The judge that is a program."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from claimlint.audit.judges import JudgeOptions, open_judge
from claimlint.audit.judges.command import MAX_OUTPUT, CommandJudge
from claimlint.audit.types import JudgeFault
from claimlint.errors import UsageError

from .make import audit
from .test_api_judges import ask

MARK = "<!--ref:src--><!--anchor:page:2-->"


def program(tmp_path: Path, body: str, *, timeout: float = 10.0, **environ: str) -> CommandJudge:
    script = tmp_path / "judge program.py"
    script.write_text(body, "utf-8")
    options = JudgeOptions(timeout=timeout, environ={"PATH": os.environ["PATH"], **environ})
    judge = open_judge(f"command:{sys.executable} '{script}' --arg 'two words'", options)
    assert isinstance(judge, CommandJudge)
    return judge


def fault_of(judge: CommandJudge) -> JudgeFault:
    with pytest.raises(JudgeFault) as caught:
        judge.ask(ask())
    return caught.value


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_the_program_gets_the_prompt_and_its_output_is_the_reply(tmp_path: Path) -> None:
    judge = program(tmp_path, "import sys\nprint(sys.argv[1:], len(sys.stdin.buffer.read().decode()))")
    assert judge.ask(ask()) == f"['--arg', 'two words'] {len(ask().prompt)}\n"


def test_a_program_need_not_read_its_input(tmp_path: Path) -> None:
    assert program(tmp_path, "print('done')").ask(ask()) == "done\n"


def test_output_that_is_no_utf_8_is_read_as_well_as_can_be(tmp_path: Path) -> None:
    assert program(tmp_path, "import os\nos.write(1, b'a\\xffb')").ask(ask()) == "a\ufffdb"


def test_a_program_that_fails_is_an_api_error_with_its_complaint(tmp_path: Path) -> None:
    fault = fault_of(program(tmp_path, "import sys\nprint('fine')\nsys.exit('no model\\x1b[31m here')"))
    assert (fault.fault, fault.detail) == (
        "judge_api_error",
        "the program ended with exit code 1: no model [31m here",
    )
    assert fault.infrastructure


def test_a_program_that_is_killed_is_an_api_error(tmp_path: Path) -> None:
    assert "signal 9" in fault_of(program(tmp_path, "import os\nos.kill(os.getpid(), 9)")).detail


def test_a_program_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    body = f"""
import subprocess, sys, time, pathlib
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(child.pid))
time.sleep(60)
"""
    started = time.monotonic()
    fault = fault_of(program(tmp_path, body, timeout=1.5))
    assert (fault.fault, fault.detail) == ("judge_timeout", "the program did not end within 1.5 s")
    assert time.monotonic() - started < 40
    child = int((tmp_path / "pid").read_text())
    ends = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not is_alive(child)


def test_a_child_that_holds_the_output_open_is_a_timeout(tmp_path: Path) -> None:
    child = '[sys.executable, "-c", "import time; time.sleep(60)"]'
    body = f'import subprocess, sys\nsubprocess.Popen({child})\nprint("x")'
    started = time.monotonic()
    assert fault_of(program(tmp_path, body, timeout=1.5)).fault == "judge_timeout"
    assert time.monotonic() - started < 40


def test_a_program_that_prints_without_end_is_stopped(tmp_path: Path) -> None:
    fault = fault_of(program(tmp_path, "while True: print('x' * 10000)"))
    assert fault.detail == f"the program printed more than {MAX_OUTPUT} bytes"


def test_complaints_without_end_are_cut(tmp_path: Path) -> None:
    fault = fault_of(program(tmp_path, "import sys\nsys.stderr.write('x' * 10**6)\nsys.exit(3)"))
    assert fault.detail.startswith("the program ended with exit code 3: xxx")
    assert len(fault.detail) < 400


def test_a_key_of_the_environment_comes_out_nowhere(tmp_path: Path) -> None:
    body = "import sys\nprint('JUDGMENT: SUPPORTED\\nRATIONALE: it is hunter2hunter2')\nsys.exit({})"
    environ = {"MY_API_KEY": "hunter2hunter2"}
    assert "hunter2" not in program(tmp_path, body.format(0), **environ).ask(ask())
    complaint = "import sys\nsys.exit('bad key hunter2hunter2')"
    assert "hunter2" not in fault_of(program(tmp_path, complaint, **environ)).detail


def test_closing_the_judge_kills_what_runs(tmp_path: Path) -> None:
    judge = program(tmp_path, "import time\ntime.sleep(60)")
    faults: list[JudgeFault] = []
    thread = threading.Thread(target=lambda: faults.append(fault_of(judge)))
    thread.start()
    while not judge._running:
        time.sleep(0.01)
    judge.close()
    thread.join(10)
    assert [fault.detail for fault in faults] == ["the program ended with signal 9"]


def test_an_audit_runs_on_a_program(tmp_path: Path) -> None:
    judge = program(tmp_path, "print('JUDGMENT: SUPPORTED\\nRATIONALE: yes, it does.')")
    outcome = audit(f"Costs fell {MARK}.", judge)  # type: ignore[arg-type]
    (row,) = outcome.aggregates()["claim_audit_results"]
    assert (row["judgment"], row["judge_model"]) == ("SUPPORTED", judge.model)
    assert outcome.record["judge_settings"] == {"program": os.path.basename(sys.executable)}


def test_another_command_is_another_model_so_that_no_verdict_is_shared() -> None:
    models = {open_judge(f"command:sh -c '{word}'", JudgeOptions()).model for word in ("a", "b")}
    assert len(models) == 2
    assert all(model.startswith("command:sh#") for model in models)
    assert open_judge("command:sh", JudgeOptions(model="named")).model == "named"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("command:", "needs a program"),
        ("command", "needs a program"),
        ("command:no-such-program-here x", "not on the PATH"),
        ("command:sh 'unclosed", "split into words"),
    ],
)
def test_a_command_that_cannot_run_is_refused_at_once(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        open_judge(spec, JudgeOptions())


def test_a_program_that_went_away_is_an_api_error(tmp_path: Path) -> None:
    script = tmp_path / "judge"
    script.write_text("#!/bin/sh\necho hi\n")
    script.chmod(0o755)
    judge = open_judge(f"command:{script}", JudgeOptions())
    script.unlink()
    with pytest.raises(JudgeFault, match="cannot be started"):
        judge.ask(ask())
