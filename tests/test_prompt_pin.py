"""The judge prompt: found between its markers, hashed, checked and pinned."""

from __future__ import annotations

import hashlib
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.prompt_file import END, START, read_prompt
from claimlint.documents.source import TextSource
from claimlint.errors import DocumentError, SettingsError
from claimlint.findings import Problem
from claimlint.prompt_pin import canonical_prompt, check, pin, prompt_hash
from claimlint.rules import rules_of
from claimlint_rules import prompt

SEEDS = Path(__file__).parents[2] / "shared" / "seeds"
PROMPT = "Does the excerpt support the claim?"
TEXT = f"# Judge\n\n<!-- {START} (v1): bump -->\n\n{PROMPT}\n\n<!-- {END} -->\n"
DIGEST = hashlib.sha256(PROMPT.encode()).hexdigest()


def test_the_prompt_of_the_first_seed_has_its_known_hash() -> None:
    if not SEEDS.is_dir():
        assert "CI" not in os.environ, f"{SEEDS} is missing"
        pytest.skip("the shared seeds are not beside this checkout")
    (seed,) = SEEDS.glob("000*.txt")
    text = "\n".join(line.removeprefix("+") for line in seed.read_text(encoding="utf-8").split("\n"))
    assert prompt_hash(text) == "cdd5ba2d681ea6d6422a017fb122f36a9d62edb32f9d27bd98dbaad1f807b058"


def test_the_prompt_is_the_stripped_text_between_the_comments() -> None:
    assert (canonical_prompt(TEXT), prompt_hash(TEXT)) == (PROMPT, DIGEST)


def test_line_ends_do_not_change_the_hash() -> None:
    text = TEXT.replace(PROMPT, f"{PROMPT}\nSay why.")
    assert prompt_hash(text.replace("\n", "\r\n")) == prompt_hash(text)


def test_an_empty_prompt_has_the_hash_of_no_text() -> None:
    assert prompt_hash(f"<!--{START}--><!--{END}-->") == hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize(
    ("pinned", "holds"),
    [(DIGEST, True), (f" {DIGEST.upper()}\n", True), ("0" * 64, False), ("", False), (None, False)],
)
def test_a_check_says_whether_the_pin_holds(pinned: str | None, holds: bool) -> None:
    found = check(TEXT, pinned)
    assert (found.sha256, found.holds) == (DIGEST, holds)


BROKEN = {
    "no markers": "",
    "no end": f"<!-- {START} -->x",
    "no start": f"x<!-- {END} -->",
    "doubled start": f"<!-- {START} -->x<!-- {START} -->y<!-- {END} -->",
    "doubled end": f"<!-- {START} -->x<!-- {END} -->y<!-- {END} -->",
    "out of order": f"<!-- {END} -->x<!-- {START} -->",
    "start not closed": f"<!-- {START} x<!-- {END} -->",
    "end not closed": f"<!-- {START} -->x<!-- {END} ",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_file_without_good_markers_has_no_prompt(text: str) -> None:
    with pytest.raises(DocumentError, match=r"judge\.md: needs one comment <!-- JUDGE-PROMPT-CANONICAL-START -->"):
        prompt_hash(text, "judge.md")


@pytest.mark.parametrize("opening", [f"<!--{START}-->", f"<!-- {START}: why -->", f"<!--\n{START}\n-->"])
def test_a_marker_may_hold_more_than_its_name(opening: str) -> None:
    assert canonical_prompt(f"{opening}x<!-- {END} -->") == "x"


@pytest.mark.parametrize("other", [f"<!-- {START}ED -->", f"<!-- {START}-2 -->", f"<!-- see {START} -->", START])
def test_another_comment_is_no_marker(other: str) -> None:
    assert canonical_prompt(f"{other}{TEXT}{other}") == PROMPT


@given(
    st.lists(st.sampled_from([f"<!-- {START}", f"<!-- {END}", "-->", "x", "\n", " "]), max_size=12).map("".join)
)
def test_any_text_is_read_and_its_markers_are_ordered_and_inside(text: str) -> None:
    file = read_prompt(TextSource("p.md", text))
    ends = [offset for each in file.found for offset in (each.span.start, each.span.end)]
    assert ends == sorted(ends)
    assert all(0 <= offset <= len(text) for offset in ends)
    codes = {rule.code for rule in rules_of(prompt) for _ in rule.check(file)}
    assert ("PROMPT-2" in codes) is (file.sha256 is None)


# The rules


def found(text: str, pinned: str | None = DIGEST) -> list[tuple[str, Problem]]:
    file = read_prompt(TextSource("judge.md", text), pinned)
    return [(rule.code, problem) for rule in rules_of(prompt) for problem in rule.check(file)]


def test_a_prompt_with_its_pin_is_clean() -> None:
    assert found(TEXT) == []


def test_a_changed_prompt_names_both_hashes_at_the_prompt() -> None:
    ((code, problem),) = found(TEXT, "0" * 64)
    where = problem.source.locate(problem.place)
    assert (code, where.line, where.column, where.end_column) == ("PROMPT-1", 5, 1, len(PROMPT) + 1)
    assert problem.message == (
        f"the judge prompt has the SHA-256 {DIGEST}, but {'0' * 64} is pinned; "
        "take the change back, or pin the new prompt with `claimlint prompt pin`"
    )


@pytest.mark.parametrize("pinned", [None, "", "  "])
def test_a_prompt_without_a_pin_is_reported_once_with_its_hash(pinned: str | None) -> None:
    ((code, problem),) = found(TEXT, pinned)
    assert (code, DIGEST in problem.message) == ("PROMPT-3", True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no markers", [f"the comment <!-- {START} --> is missing", f"the comment <!-- {END} --> is missing"]),
        ("no end", [f"the comment <!-- {END} --> is missing"]),
        ("no start", [f"the comment <!-- {START} --> is missing"]),
        ("doubled start", [f"{START} is written again"]),
        ("doubled end", [f"{END} is written again"]),
        ("out of order", [f"{END} stands before {START}"]),
        ("start not closed", [f"the comment {START} is not closed"]),
        ("end not closed", [f"the comment {END} is not closed"]),
    ],
)
def test_bad_markers_are_told_apart(name: str, expected: list[str]) -> None:
    problems = found(BROKEN[name])
    assert [(code, problem.message.split(";")[0]) for code, problem in problems] == [
        ("PROMPT-2", message) for message in expected
    ]


def test_a_prompt_with_bad_markers_and_no_pin_is_told_both() -> None:
    assert [code for code, _ in found(BROKEN["no end"], None)] == ["PROMPT-2", "PROMPT-3"]


# Pinning

NEW = {"file": "prompts/judge.md", "sha256": DIGEST}


def pinned(settings: str, name: str = "pyproject.toml") -> str:
    return pin(settings, settings_path=name, prompt=NEW["file"], sha256=DIGEST)


FORMS = {
    "nothing": ("", f'[tool.claimlint.judge-prompt]\nfile = "prompts/judge.md"\nsha256 = "{DIGEST}"\n'),
    "another table": (
        "[project]\nname = 'x' # my [tool.claimlint.judge-prompt]\n",
        "[project]\nname = 'x' # my [tool.claimlint.judge-prompt]\n\n"
        f'[tool.claimlint.judge-prompt]\nfile = "prompts/judge.md"\nsha256 = "{DIGEST}"\n',
    ),
    "no line end": (
        "a = 1",
        f'a = 1\n\n[tool.claimlint.judge-prompt]\nfile = "prompts/judge.md"\nsha256 = "{DIGEST}"\n',
    ),
    "a table": (
        '[tool.claimlint.judge-prompt] # pin\nsha256 = "old" # why\nfile = "prompts/judge.md"\n\n[x]\ny = 1\n',
        f'[tool.claimlint.judge-prompt] # pin\nsha256 = "{DIGEST}" # why\nfile = "prompts/judge.md"\n'
        "\n[x]\ny = 1\n",
    ),
    "half a table": (
        '[tool.claimlint.judge-prompt]\nfile = "other.md" # here\n\n[x]\ny = 1\n',
        f'[tool.claimlint.judge-prompt]\nfile = "prompts/judge.md" # here\nsha256 = "{DIGEST}"\n\n[x]\ny = 1\n',
    ),
    "an empty table at the end": (
        "[ tool . 'claimlint' . \"judge-prompt\" ]",
        "[ tool . 'claimlint' . \"judge-prompt\" ]\n" + f'file = "prompts/judge.md"\nsha256 = "{DIGEST}"\n',
    ),
    "an inline table": (
        "[tool.claimlint]\njudge-prompt = { file = 'a', sha256 = 'b' }\n",
        f'[tool.claimlint]\njudge-prompt = {{ file = "prompts/judge.md", sha256 = "{DIGEST}" }}\n',
    ),
    "half an inline table": (
        "[tool.claimlint]\njudge-prompt = {file = 'a'} # x\n",
        f'[tool.claimlint]\njudge-prompt = {{file = "prompts/judge.md", sha256 = "{DIGEST}"}} # x\n',
    ),
    "an empty inline table": (
        "[tool.claimlint]\njudge-prompt = {}\n",
        f'[tool.claimlint]\njudge-prompt = {{ file = "prompts/judge.md", sha256 = "{DIGEST}" }}\n',
    ),
    "nested inline tables": (
        "tool = { claimlint = { judge-prompt = { file = 'a' } }, x = [1, '}'] }\n",
        f'tool = {{ claimlint = {{ judge-prompt = {{ file = "prompts/judge.md", sha256 = "{DIGEST}" }} }}, '
        "x = [1, '}'] }\n",
    ),
    "an inline table without it": (
        "[tool]\nclaimlint = { fail-on = 'low' }\n",
        "[tool]\nclaimlint = { fail-on = 'low', judge-prompt.file = \"prompts/judge.md\", "
        f'judge-prompt.sha256 = "{DIGEST}" }}\n',
    ),
    "dotted keys": (
        "[tool]\nclaimlint.judge-prompt.file = 'a'\nx = 1\n",
        '[tool]\nclaimlint.judge-prompt.file = "prompts/judge.md"\n'
        f'claimlint.judge-prompt.sha256 = "{DIGEST}"\nx = 1\n',
    ),
    "Windows line ends": (
        "[tool.claimlint.judge-prompt]\r\nfile = 'a'\r\n[x]\r\n",
        f'[tool.claimlint.judge-prompt]\r\nfile = "prompts/judge.md"\r\nsha256 = "{DIGEST}"\r\n[x]\r\n',
    ),
}


@pytest.mark.parametrize(("before", "after"), FORMS.values(), ids=FORMS)
def test_a_pin_is_written_in_the_form_that_is_there(before: str, after: str) -> None:
    assert pinned(before) == after


def test_claimlint_toml_has_its_tables_without_a_prefix() -> None:
    assert pinned("fail-on = 'low'\n", "x/claimlint.toml") == (
        f'fail-on = \'low\'\n\n[judge-prompt]\nfile = "prompts/judge.md"\nsha256 = "{DIGEST}"\n'
    )


DISTRACTIONS = """
a = '''
[tool.claimlint.judge-prompt]
sha256 = "no"
'''
b = \"\"\"\\\"\"\" [tool.claimlint.judge-prompt]\"\"\"\"\"
c = [ # a comment with ] and "
  "]", {d = 1}, '''x''',
]
"q.r".s = 1979-05-27T07:32:00Z
"\\u0061b" = -inf
[[tool.other]]
[[tool.other]]
e = ""
"""


def test_what_only_looks_like_the_table_is_left_alone() -> None:
    made = pinned(DISTRACTIONS)
    assert (
        made == f'{DISTRACTIONS}\n[tool.claimlint.judge-prompt]\nfile = "prompts/judge.md"\nsha256 = "{DIGEST}"\n'
    )
    assert tomllib.loads(made)["tool"]["claimlint"]["judge-prompt"] == NEW


@pytest.mark.parametrize("form", FORMS)
def test_pinning_twice_changes_nothing(form: str) -> None:
    once = pinned(FORMS[form][0])
    assert pinned(once) == once


@pytest.mark.parametrize("path", ['a "b".md', "a\\b.md", "ü\t.md", "\x7f"])
def test_any_path_is_quoted(path: str) -> None:
    made = pin("", settings_path="claimlint.toml", prompt=path, sha256=DIGEST)
    assert tomllib.loads(made)["judge-prompt"]["file"] == path


@pytest.mark.parametrize("text", ["a =", "a = 1\na = 2", "\x00", "[" * 100_000])
def test_settings_that_are_no_toml_are_refused(text: str) -> None:
    with pytest.raises(SettingsError, match=r"pyproject\.toml: no valid TOML"):
        pinned(text)


@pytest.mark.parametrize(
    "text",
    [
        "tool = 3",
        "[tool]\nclaimlint = 'x'",
        "[[tool.claimlint.judge-prompt]]\nfile = 'a'",
        "[tool.claimlint]\njudge-prompt = [{file = 'a'}]",
        "[tool.claimlint.judge-prompt.file]\nx = 1\n",
    ],
)
def test_a_table_that_cannot_be_extended_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        pinned(text)
    assert str(caught.value).endswith(
        "cannot be changed in place; write it yourself:\n"
        f'[tool.claimlint.judge-prompt]\nfile = "prompts/judge.md"\nsha256 = "{DIGEST}"'
    )


lines = st.sampled_from(
    [
        "[tool]",
        "[tool.claimlint]",
        "[tool.claimlint.judge-prompt]",
        "[x]",
        "[[y]]",
        "file = 'a'",
        'sha256 = "b" # c',
        "judge-prompt.file = 'a'",
        "judge-prompt = {}",
        "judge-prompt = { file = 'a', sha256 = \"x\" }",
        "claimlint = { judge-prompt = {sha256 = '''\n'''} }",
        "z = [\n 1, # ]\n]",
        "# end",
        "",
    ]
)


@given(st.lists(lines, max_size=7), st.sampled_from(["\n", "\r\n"]))
def test_a_pin_changes_two_keys_and_nothing_else(parts: list[str], newline: str) -> None:
    text = newline.join(parts)
    try:
        made = tomllib.loads(pinned(text))
    except SettingsError:
        return
    before = tomllib.loads(text)
    before.setdefault("tool", {}).setdefault("claimlint", {}).setdefault("judge-prompt", {}).update(NEW)
    assert made == before
