"""The command: options, output, exit codes; whatever happens there is no traceback and no wrong exit code."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from claimlint import __version__, registry
from claimlint.cli import check as check_module
from claimlint.cli import entry
from claimlint.errors import ClaimlintError
from tests.conftest import Command
from tests.passport_samples import AMBIGUOUS, UNSUPPORTED, audit_row, clean

SENTINEL = "M-0000-00-00T00:00:00Z-0000"


def put(name: str, content: object) -> None:
    """Write a file: bytes and text as they are, anything else as JSON."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def audits(*changes: dict[str, Any]) -> dict[str, Any]:
    """A passport with the clean manifests and rows with these changes."""
    return {
        "claim_intent_manifests": clean()["claim_intent_manifests"][:1],
        "claim_audit_results": [audit_row(**change) for change in changes],
    }


GOOD, BAD = audits({}), audits({"judgment": "MAYBE"})


def codes(out: str) -> list[str]:
    """The codes of concise output."""
    return [line.split(": ")[1].split()[0] for line in out.splitlines()]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Any:
    def feed(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return feed


def test_a_clean_passport_exits_with_0(command: Command) -> None:
    put("p.json", GOOD)
    assert command("check", "p.json") == (0, "1 file checked, no findings\n", "")


def test_findings_exit_with_1_and_stand_at_their_place(command: Command) -> None:
    put("p.json", BAD)
    code, out, err = command("check", "p.json", "--format", "concise", "--select", "SCHEMA")
    line = next(i for i, line in enumerate(Path("p.json").read_text().splitlines(), 1) if "MAYBE" in line)
    assert (code, err) == (1, "")
    assert out.startswith(f'p.json:{line}:16: SCHEMA-1 error judgment is "MAYBE", but must be ')


def test_without_paths_the_working_directory_is_checked(command: Command) -> None:
    put("a/p.json", BAD)
    assert command("check", "--format", "concise", "--select", "MATRIX").out.startswith("a/p.json:")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "error"], 0),
        (["--fail-on", "high"], 1),
        (["--fail-on", "never"], 0),
        (["--exit-zero"], 0),
        (["--select", "INV"], 0),
        (["--ignore", "GATE"], 1),
        (["--select", "GATE-2"], 0),
        (["--select", "GATE-2", "--fail-on", "low"], 1),
    ],
)
def test_the_bar_and_the_choice_of_rules_decide_between_0_and_1(
    command: Command, options: list[str], code: int
) -> None:
    put("p.json", audits(AMBIGUOUS, UNSUPPORTED))
    assert command("check", "p.json", *options).code == code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "gone.json"], "error: gone.json: no such file or folder"),
        (["check", "text.txt"], "error: text.txt: not a draft or passport by its name"),
        (["check", "--select", "INV-20"], "error: unknown rule or family 'INV-20'; did you mean INV-2?"),
        (["check", "--extend-select", "CITES"], "error: unknown rule or family 'CITES'; did you mean CITE?"),
        (["check", "--ignore", "inv-1,nope"], "error: unknown rule or family 'NOPE'"),
        (["check", "--select", "INV", "--ignore", "INV"], "error: no rule is left to run"),
        (["check", "--config", "gone.toml"], "error: gone.toml: no such settings file"),
        (["check", "--config", "bad.toml"], "error: bad.toml: unknown key slect; did you mean select?"),
        (["check", "--config", "codes.toml"], "error: unknown rule or family 'INV-77'; did you mean INV-"),
        (
            ["check", "--passport", "gone.json", "d.md"],
            "names the passport gone.json, which does not exist",
        ),
        (["check", "-"], "error: to read standard input, say what it is with --stdin-filename NAME"),
        (
            ["check", "--stdin-filename", "x.txt"],
            "error: --stdin-filename x.txt: not a draft or passport by its name",
        ),
        (["check", "--stdin-filename", "x.md", "d.md"], "--stdin-filename checks standard input alone"),
        (["check", "p.json", "--output", "no/such/folder.txt"], "error: no/such/folder.txt: cannot be written: "),
        (["check", "p.json", "--output", "."], "error: .: cannot be written: it is a folder"),
        (["check", "--baseline", "gone.json", "p.json"], "gone.json: "),
        (["check", "--jobs", "-1"], "Invalid value for '--jobs'"),
        (["check", "--jobs", "many"], "Invalid value for '--jobs'"),
        (["check", "--format", "xml"], "Invalid value for '--format'"),
        (["check", "--fail-on", "warn"], "Invalid value for '--fail-on'"),
        (["check", "--slect", "INV"], "No such option"),
        (["chekc"], "No such command 'chekc'; did you mean 'check'?"),
        (["xyz"], "No such command 'xyz'; the commands are cache, check, explain, prompt, rules, schema"),
        (["explain", "INV-20"], "error: unknown rule or family 'INV-20'"),
        (["explain"], "Missing argument 'CODE'"),
        (["schema", "claim_drifft"], "error: no schema 'claim_drifft'; did you mean claim_drift?"),
    ],
)
def test_what_cannot_be_carried_out_exits_with_2_and_says_why(
    command: Command, arguments: list[str], words: str
) -> None:
    put("p.json", GOOD)
    put("d.md", "Text.\n")
    put("text.txt", "x")
    put("bad.toml", "slect = []")
    put("codes.toml", "[per-file-ignores]\n'*.md' = ['INV-77']\n")
    code, _, err = command(*arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err


def test_what_could_not_be_told_outranks_findings_which_are_still_shown(command: Command) -> None:
    put("bad.json", BAD)
    put("latin.md", "Café\n".encode("latin-1"))
    code, out, err = command("check", ".", "gone.json", "--format", "concise", "--exit-zero")
    assert code == 2
    assert "SCHEMA-1" in codes(out)
    assert err == (
        "claimlint: error: gone.json: no such file or folder\n"
        "claimlint: error: latin.md: line 1: byte 0xe9 is not UTF-8; save the file as UTF-8\n"
    )


UNREADABLE = {
    "empty.json": b"",
    "cut.json": b'{"claim_drifts": [',
    "nan.json": b'{"claim_drifts": [NaN]}',
    "huge.json": b'{"claim_drifts": [1e999]}',
    "long.json": b'{"claim_drifts": [' + b"1" * 5000 + b"]}",
    "deep.json": b'{"claim_drifts": ' + b"[" * 5000,
    "latin.json": '{"claim_drifts": "é"}'.encode("latin-1"),
    "utf16.json": '{"claim_drifts": []}'.encode("utf-16"),
    "nul.json": b'{"claim_drifts": "\0"}',
    "array.json": b"[1]",
    "null.json": b"null",
    "empty.yaml": b"",
    "tab.yaml": b"claim_drifts:\n\t- a: 1\n",
    "two.yaml": b"claim_drifts: []\n---\nclaim_drifts: []\n",
    "tag.yaml": b"claim_drifts: !!python/object:os.system {}\n",
    "key.yaml": b"claim_drifts: []\n1: a\n",
    "self.yaml": b"claim_drifts: &a [*a]\n",
    "inf.yaml": b"claim_drifts: [.inf]\n",
    "list.yaml": b"- a\n",
}


@pytest.mark.parametrize("name", sorted(UNREADABLE))
@pytest.mark.parametrize(
    "options", [[], ["--select", "INV"], ["--ignore", "JSON"], ["--exit-zero", "--fail-on", "never"]]
)
def test_a_passport_that_cannot_be_read_is_never_called_clean(
    command: Command, name: str, options: list[str]
) -> None:
    put(name, UNREADABLE[name])
    code, out, err = command("check", name, *options, "--format", "concise")
    assert code == 2
    assert (out + err).count(name) == 1
    assert "Traceback" not in err


def test_a_passport_whose_faults_are_ignored_for_the_file_is_not_called_clean_either(command: Command) -> None:
    put("p.json", "{")
    put("claimlint.toml", "[per-file-ignores]\n'p.json' = ['JSON']\n")
    code, out, err = command("check", "p.json")
    assert code == 2
    assert out == "No file was checked\n1 file could not be checked\n"
    assert err.startswith("claimlint: error: p.json: no valid JSON: ")


def test_a_file_in_which_nothing_is_known_says_so_when_a_person_named_it(command: Command) -> None:
    put("x.json", {"name": "package"})
    named = command("check", "x.json", "--format", "concise")
    assert (named.code, codes(named.out)) == (0, ["JSON-7"])
    assert command("check", "x.json", "--fail-on", "low").code == 1
    nothing = "No file was checked: none of the paths holds a draft or a passport\n"
    assert command("check", "--hook", "x.json") == (0, nothing, "")


def test_a_run_that_found_nothing_to_check_is_not_clean(command: Command) -> None:
    nothing = "No file was checked: none of the paths holds a draft or a passport\n"
    assert command("check") == (2, nothing, "")
    put("x.json", {"name": "package"})
    assert command("check", ".") == (2, nothing, "")


@pytest.mark.parametrize("arguments", [["."], ["--hook", "p.json"], ["p.json"]])
def test_a_broken_passport_is_reported_however_it_was_found(command: Command, arguments: list[str]) -> None:
    put("p.json", b'{"claim_drifts": [')
    assert command("check", *arguments).code == 2


def test_a_folder_named_like_a_file_is_searched(command: Command) -> None:
    put("x.json/p.json", BAD)
    assert command("check", "x.json", "--format", "concise", "--select", "MATRIX").out.startswith("x.json/p.json:")


def test_a_duplicate_key_is_reported_with_both_lines(command: Command) -> None:
    put("p.json", '{"claim_drifts": [],\n"claim_drifts": []}')
    out = command("check", "p.json").out.splitlines()
    assert out[0] == "p.json:2:1: JSON-2 error key 'claim_drifts' is already written at line 1; keep one"
    assert "  = first written here: p.json:1:2" in out


def test_equal_faults_are_one_line_unless_all_are_asked_for(command: Command) -> None:
    put("p.json", audits(*[{"judgment": "MAYBE"}] * 20))
    brief = command("check", "p.json", "--format", "concise", "--select", "SCHEMA").out
    assert brief.count("\n") == 1
    assert brief.endswith(" (and 19 more; --show-all lists them)\n")
    assert (
        command("check", "p.json", "--format", "concise", "--select", "SCHEMA", "--show-all").out.count("\n") == 20
    )
    text = command("check", "p.json", "--select", "SCHEMA").out
    assert "20 findings in 1 file checked: 20 error" in text
    assert text.count("SCHEMA-1") == 1


def test_quiet_leaves_the_counts_out_and_statistics_adds_its_own(command: Command) -> None:
    put("p.json", audits(*[{"judgment": "MAYBE"}] * 3))
    out = command("check", "p.json", "--quiet", "--select", "SCHEMA", "--statistics").out.splitlines()
    assert out[-1] == "3  SCHEMA-1  error      schema"
    assert not any("checked" in line for line in out)
    put("p.json", GOOD)
    assert command("check", "p.json", "--quiet") == (0, "", "")
    assert command("check", "p.json", "-q", "--statistics", "--format", "concise") == (0, "", "")


def test_json_output_has_findings_errors_and_counts(command: Command) -> None:
    put("p.json", BAD)
    code, out, _ = command("check", "p.json", "gone.json", "--format", "json")
    document = json.loads(out)
    assert code == 2
    assert document["errors"] == [{"message": "no such file or folder", "path": "gone.json", "rule": None}]
    assert {each["path"] for each in document["findings"]} == {"p.json"}
    assert document["summary"]["gate_refuse"] is True


@pytest.mark.parametrize("shape", ["text", "concise", "json"])
def test_output_goes_to_a_file_and_nowhere_else(command: Command, shape: str) -> None:
    put("p.json", BAD)
    printed = command("check", "p.json", "--format", shape).out
    assert command("check", "p.json", "--format", shape, "--output", "out.txt") == (1, "", "")
    assert Path("out.txt").read_text() == printed


def test_a_broken_character_reaches_neither_console_nor_file_as_a_crash(command: Command) -> None:
    put("p.json", '{"claim_drifts": [{"drift_kind": "\\ud83d", "\\udc00": 1}]}')
    assert command("check", "p.json").code == 1
    assert command("check", "p.json", "--output", "out.txt").code == 1
    assert "\\ud83d" in Path("out.txt").read_text()


def test_standard_input_is_checked_under_its_name(command: Command, stdin: Any) -> None:
    stdin(json.dumps(BAD, indent=1).encode())
    code, out, _ = command("check", "--stdin-filename", "dir/p.json", "--select", "MATRIX")
    assert code == 1
    assert out.splitlines()[0].startswith("dir/p.json:")
    assert '"judgment": "MAYBE"' in out
    stdin(b"A text <!--ref:x-->.\n")
    assert command("check", "-", "--stdin-filename", "d.md", "--format", "concise", "--select", "CITE").code == 1


def test_standard_input_in_another_encoding_is_refused(command: Command, stdin: Any) -> None:
    stdin("Café".encode("latin-1"))
    assert command("check", "--stdin-filename", "d.md").code == 2
    stdin(b"\xff\xfe{")
    assert command("check", "--stdin-filename", "p.json").code == 2


def test_standard_input_that_is_closed_or_too_large_is_refused(
    command: Command, stdin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "which is closed" in command("check", "--stdin-filename", "d.md").err
    monkeypatch.setattr(check_module, "MAX_BYTES", 3)
    stdin(b"1234")
    assert "standard input is larger than 3 bytes" in command("check", "--stdin-filename", "d.md").err


def test_standard_input_that_is_excluded_is_not_checked(command: Command, stdin: Any) -> None:
    put("claimlint.toml", "exclude = ['old']")
    stdin(b"A text <!--ref:x-->.\n")
    ran = command("check", "--stdin-filename", "old/d.md")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 named path excluded by the settings and not checked")
    stdin(b"A text <!--ref:x-->.\n")
    assert command("check", "--stdin-filename", "old/d.md", "--no-force-exclude").code == 1


def test_excludes_hold_for_named_files_too(command: Command) -> None:
    put("claimlint.toml", "extend-exclude = ['old']")
    put("old/p.json", BAD)
    named = command("check", "old/p.json")
    assert (named.code, named.out.splitlines()[-1]) == (0, "1 named path excluded by the settings and not checked")
    assert command("check", "old/p.json", "--no-force-exclude").code == 1
    assert command("check", ".").code == 2


def test_settings_of_a_folder_above_hold_below(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    put("pyproject.toml", "[tool.claimlint]\nselect = ['MATRIX']\nexclude = ['paper/old']\n")
    put("paper/p.json", BAD)
    put("paper/old/p.json", BAD)
    monkeypatch.chdir("paper")
    assert codes(command("check", "--format", "concise").out) == ["MATRIX-1"]


def test_per_file_ignores_turn_rules_off_but_not_the_gates_refusals(command: Command) -> None:
    put("a.json", audits(UNSUPPORTED, {"judgment": "MAYBE"}))
    put("claimlint.toml", "[per-file-ignores]\n'a.json' = ['ALL']\n'b.json' = ['SCHEMA']\n")
    assert codes(command("check", "a.json", "--format", "concise").out) == ["GATE-3"]
    assert codes(command("check", "a.json", "--format", "concise", "--ignore", "GATE-3,GATE").out) == ["GATE-3"]
    put("b.json", BAD)
    assert "SCHEMA-1" not in codes(command("check", "b.json", "--format", "concise").out)


def test_a_code_is_matched_whole(command: Command) -> None:
    row = {"judgment": "SUPPORTED", "ref_retrieval_method": "failed"}
    put("p.json", audits(row))
    assert codes(command("check", "p.json", "--format", "concise", "--select", "INV-1").out) == []
    assert codes(command("check", "p.json", "--format", "concise", "--select", "INV-10").out) == ["INV-10"]
    assert codes(command("check", "p.json", "--format", "concise", "--select", " inv-10 , INV-1 ").out) == [
        "INV-10"
    ]


@pytest.mark.parametrize("jobs", ["0", "2", "4"])
def test_the_output_is_the_same_at_any_number_of_jobs(command: Command, jobs: str) -> None:
    for index in range(9):
        put(f"d{index}.md", f"A text <!--ref:k{index}-->. Most of it.\n")
        put(f"d{index}.passport.json", audits({"judgment": "MAYBE"}, UNSUPPORTED))
        put(f"p{index}.json", {"claim_drift": []})
    put("broken.json", b'{"claim_drifts": [')
    for shape in ("text", "concise", "json"):
        assert command("check", "--format", shape, "--jobs", jobs) == command(
            "check", "--format", shape, "--jobs", "1"
        )


def test_a_rule_that_crashes_exits_with_2_and_hides_nothing(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_row: object) -> Any:
        raise ValueError("oh\nno")

    known = registry.load()
    broken = known._replace(by_code={**known.by_code, "INV-1": known.by_code["INV-1"]._replace(check=crash)})
    monkeypatch.setattr(registry, "load", lambda: broken)
    put("p.json", BAD)
    code, out, err = command("check", "p.json", "--format", "concise")
    assert (code, "SCHEMA-1" in codes(out)) == (2, True)
    assert err == (
        "claimlint: error: p.json: INV-1: the rule crashed at /claim_audit_results/0 (ValueError: oh\nno)\n"
    )


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "out of memory; check fewer or smaller files at once"),
        (ZeroDivisionError("oh"), 2, "internal error (ZeroDivisionError: oh); this is a bug in claimlint"),
        (ClaimlintError("why", path="p"), 2, "p: why"),
        (SystemExit(0), 2, "something asked to exit with 0; this is a bug"),
        (OSError(28, "No space left on device"), 2, "standard output: No space left on device"),
        (BrokenPipeError(), 2, ""),
    ],
)
def test_whatever_is_raised_becomes_a_message_and_an_exit_code(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise error

    monkeypatch.setattr(check_module, "run", fail)
    put("p.json", GOOD)
    ran = command("check", "p.json")
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_colour_is_for_terminals_and_who_asks_for_it(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    put("p.json", BAD)
    plain = command("check", "p.json").out
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = command("check", "p.json").out
    assert "\x1b[" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert command("check", "p.json").out == plain
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert command("check", "p.json").out == plain
    monkeypatch.delenv("TERM")
    assert "\x1b" not in command("check", "p.json", "--format", "concise").out
    command("check", "p.json", "--output", "out.txt")
    assert Path("out.txt").read_text() == plain


def test_the_text_in_colour_is_the_plain_text(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    put("p.json", '{"claim_drifts": [{"claim_text": "[bold]x[/bold] :smile: \\u001b[31m 中"}]}')
    plain = command("check", "p.json", "--show-all").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert re.sub(r"\x1b\[[0-9;]*m", "", command("check", "p.json", "--show-all").out) == plain


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"], ["-h"], ["rules", "-h"]])
def test_help_and_version_exit_with_0(command: Command, arguments: list[str]) -> None:
    code, out, err = command(*arguments)
    assert (code, bool(out), err) == (0, True, "")


def test_the_version_is_that_of_the_package(command: Command) -> None:
    assert command("--version").out == f"claimlint {__version__}\n"


def test_a_command_alone_shows_how_to_use_it(command: Command) -> None:
    code, out, err = command()
    assert code == 2
    assert "Commands:" in out + err


def test_rules_lists_every_rule(command: Command) -> None:
    rules = registry.load().rules
    lines = command("rules").out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in rules]
    assert [rule.code for rule in rules if not rule.default] == [
        line.split()[0] for line in lines if line.endswith("(off by default)")
    ]
    as_json = json.loads(command("rules", "--format", "json").out)
    assert [(each["code"], each["severity"], each["ignorable"]) for each in as_json] == [
        (rule.code, rule.severity.label, not rule.locked) for rule in rules
    ]


def test_explain_shows_the_page_of_a_rule_or_of_a_family(command: Command) -> None:
    code, out, err = command("explain", "inv-6")
    assert (code, err) == (0, "")
    assert out.startswith("# INV-6 ")
    assert [line for line in out.splitlines() if line.startswith("## ")] == [
        "## Why",
        "## Bad",
        "## Good",
        "## Fix",
    ]
    assert out.endswith("Severity: error.\n")
    assert command("explain", "M-INV").out.count("\n# M-INV-") == 3


@pytest.mark.parametrize(
    ("code", "fact"),
    [
        ("UNCITED-2", "Off by default; turn it on with `--extend-select`."),
        ("GATE-3", "Cannot be ignored: it is one of the gate's own refusals."),
        ("GATE-2", "Gate annotation: `[CLAIM-AUDIT-AMBIGUOUS]`."),
    ],
)
def test_explain_says_what_is_special(command: Command, code: str, fact: str) -> None:
    assert fact in command("explain", code).out


def test_explain_draws_the_page_on_a_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claimlint.cli.explain.sys.stdout.isatty", lambda: True, raising=False)
    out = command("explain", "INV-6").out
    assert "INV-6" in out
    assert "# INV-6" not in out


def test_schema_prints_one_or_lists_them(command: Command) -> None:
    names = command("schema").out.split()
    assert len(names) == 11
    for name in ("claim_drift", "claim_drifts", "claim-drift.json"):
        assert json.loads(command("schema", name).out)["type"] == "object"
    for name in names:
        assert "properties" in json.loads(command("schema", name).out)


def test_the_shell_can_ask_for_completions(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CLAIMLINT_COMPLETE", "bash_source")
    code, out, _ = command()
    assert (code, "_claimlint_completion" in out) == (0, True)


def test_every_command_can_be_loaded(command: Command) -> None:
    for name in entry._COMMANDS:
        assert command(name, "--help").code == 0
