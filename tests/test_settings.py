"""Settings: one home, found upward to a stop point; an unknown key names the near miss; values are checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from claimlint.audit_settings import JudgeSettings, OnlineSettings
from claimlint.documents.styles import CITATION_STYLES
from claimlint.errors import SettingsError
from claimlint.findings import Severity
from claimlint.settings import Settings, find, load, override


@pytest.fixture(autouse=True)
def here(workdir: Path) -> Path:
    return workdir


def put(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def loaded(text: str) -> Settings:
    put("claimlint.toml", text)
    return load()


def refused(text: str, name: str = "claimlint.toml") -> str:
    put(name, text)
    with pytest.raises(SettingsError) as caught:
        load(name)
    assert caught.value.path == name
    return caught.value.message


def test_without_a_file_the_defaults_hold() -> None:
    settings = load()
    assert settings == Settings()
    assert (settings.fail_on, settings.bar, settings.select, settings.root) == (
        "high",
        Severity.HIGH_WARN,
        None,
        ".",
    )
    assert set(settings.uncited.citations) == set(CITATION_STYLES)
    assert (settings.judge, settings.online) == (JudgeSettings(), OnlineSettings())


def test_every_key_is_read() -> None:
    settings = loaded(
        """
        select = ["INV", "CITE-1"]
        extend-select = "UNCITED-2"
        ignore = []
        exclude = ["old"]
        extend-exclude = ["more"]
        fail-on = "low"
        passport = ["a.json", "b.json"]
        bibliography = "c.bib"
        baseline = "base.json"
        sources = ["papers"]
        retriever = ["local"]
        cache-dir = "cache"
        per-file-ignores = {"drafts/*.md" = ["CITE"], "x.md" = "INV-1"}
        [uncited]
        citations = ["pandoc"]
        words = {de = ["zeigte"]}
        patterns = ["[0-9]+ fold"]
        [judge-prompt]
        file = "prompt.md"
        sha256 = "00"
        [judge]
        backend = "openai"
        model = "m"
        base-url = "http://localhost:1/v1"
        timeout = 5
        concurrency = 2
        max-claims = 10
        max-calls = 20
        max-cost = 1.5
        retries = 0
        seed = 7
        price-in = 1
        price-out = 2.5
        require-evidence = true
        [online]
        contact = "a@b.example"
        timeout = 1.5
        max-bytes = 1000
        allow-private = true
        urls = {crossref = "https://x.example"}
        """
    )
    assert settings._replace(uncited=Settings().uncited, judge_given=None, online_given=None) == Settings(
        file=str(Path("claimlint.toml").absolute()),
        select=("INV", "CITE-1"),
        extend_select=("UNCITED-2",),
        exclude=("old",),
        extend_exclude=("more",),
        fail_on="low",
        passport=("a.json", "b.json"),
        bibliography=("c.bib",),
        baseline="base.json",
        sources=("papers",),
        retriever=("local",),
        cache_dir="cache",
        per_file_ignores={"drafts/*.md": ("CITE",), "x.md": ("INV-1",)},
        judge_prompt=settings.judge_prompt,
    )
    assert (settings.judge_prompt.file, settings.judge_prompt.sha256) == ("prompt.md", "00")
    assert settings.uncited._asdict() == {
        "citations": ("pandoc",),
        "words": {"de": ("zeigte",)},
        "patterns": ("[0-9]+ fold",),
    }
    assert settings.judge == JudgeSettings(
        "openai", "m", "http://localhost:1/v1", 5.0, 2, 10, 20, 1.5, 0, 7, 1.0, 2.5, True
    )
    assert settings.online == OnlineSettings("a@b.example", 1.5, 1000, True, {"crossref": "https://x.example"})
    assert settings.excluded == ("old", "more")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ignroe = []", "unknown key ignroe; did you mean ignore?"),
        ("fail_on = 'low'", "unknown key fail_on; did you mean fail-on?"),
        ("Select = []", "unknown key Select; did you mean select?"),
        ("judge-given = {}", "unknown key judge-given; did you mean judge?"),
        ("root = '.'", "unknown key root; known keys: "),
        ("xyz = 1", "unknown key xyz; known keys: baseline, bibliography, cache-dir, exclude, "),
        ("[judge]\nmodle = 'x'", "unknown key judge.modle; did you mean model?"),
        ("[judge]\nmax_claims = 1", "unknown key judge.max_claims; did you mean max-claims?"),
        ("[online]\nurl = {}", "unknown key online.url; did you mean urls?"),
        ("[uncited]\ncitation = []", "unknown key uncited.citation; did you mean citations?"),
        (
            "[tool.claimlint]\nselect = []",
            "outside pyproject.toml the keys stand alone; write them without [tool.claimlint]",
        ),
        ("uncited = 1", "uncited must be a table"),
        ("judge = []", "judge must be a table"),
        ("select = 1", "select must be a list of strings"),
        ("select = [1]", "select must be a list of strings"),
        ("exclude = {}", "exclude must be a list of strings"),
        ("per-file-ignores = []", "per-file-ignores must be a table"),
        ("per-file-ignores = {x = 1}", "per-file-ignores.x must be a list of strings"),
        ("fail-on = 'warn'", "fail-on must be one of error, high, med, low, never, not 'warn'"),
        ("fail-on = ['low']", "fail-on must be one of error, high, med, low, never, not ['low']"),
        ("baseline = 1", "baseline must be a string"),
        ("cache-dir = []", "cache-dir must be a string"),
        ("[uncited]\ncitations = ['apa']", "uncited.citations: 'apa' is none of "),
        ("[judge]\nmodel = 1", "judge.model must be a string"),
        ("[judge]\nconcurrency = 0", "judge.concurrency must be at least 1, not 0"),
        ("[judge]\nconcurrency = 1.5", "judge.concurrency must be a whole number"),
        ("[judge]\nconcurrency = true", "judge.concurrency must be a whole number"),
        ("[judge]\nmax-calls = '1'", "judge.max-calls must be a whole number"),
        ("[judge]\nmax-cost = -1", "judge.max-cost must be at least 0, not -1"),
        ("[judge]\nmax-cost = nan", "judge.max-cost must be at least 0, not nan"),
        ("[judge]\ntimeout = inf", "judge.timeout must be at least 0.001, not inf"),
        ("[judge]\ntimeout = 0x" + "f" * 300, "judge.timeout is too large"),
        ("[judge]\nrequire-evidence = 1", "judge.require-evidence must be true or false"),
        ("[online]\nurls = {x = 1}", "online.urls.x must be a string"),
        ("select = [", "no valid TOML: "),
        ("select = []\nselect = []", "no valid TOML: "),
        ("seed = " + "9" * 5000, "no valid TOML: "),
        ("a = " + "[" * 5000, "no valid TOML: "),
    ],
)
def test_what_is_not_a_setting_is_refused_by_name(text: str, message: str) -> None:
    assert refused(text).startswith(message)


def test_a_file_in_another_encoding_is_refused() -> None:
    Path("claimlint.toml").write_bytes("ignore = ['é']".encode("latin-1"))
    with pytest.raises(SettingsError, match="no valid TOML"):
        load()


def test_pyproject_holds_the_settings_in_its_own_table() -> None:
    put("pyproject.toml", "[project]\nname = 'x'\n[tool.claimlint]\nfail-on = 'never'\n")
    assert (load().bar, load("pyproject.toml").fail_on) == (None, "never")
    assert refused("[tool.claimlint]\nx = 1", "pyproject.toml").startswith("unknown key x; ")
    assert refused("[tool]\nclaimlint = 1", "pyproject.toml") == "tool.claimlint is no table"
    assert refused("[tool.other]\nclaimlint = 1", "pyproject.toml") == "has no [tool.claimlint] table"
    put("pyproject.toml", "tool = 1  # claimlint")
    assert load() == Settings()


def test_a_settings_file_that_is_named_must_be_one() -> None:
    Path("folder").mkdir()
    for name in ("gone.toml", "folder"):
        with pytest.raises(SettingsError, match=f"^{name}: no such settings file$"):
            load(name)


def test_a_named_file_of_any_name_holds_the_keys_alone() -> None:
    put("conf/strict.toml", "fail-on = 'low'")
    settings = load("conf/strict.toml")
    assert (settings.fail_on, settings.root, settings.file) == ("low", "conf", "conf/strict.toml")


def test_a_settings_file_without_permission_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    put("claimlint.toml", "")
    put("sub/pyproject.toml", "")

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    for start in (".", "sub"):
        with pytest.raises(SettingsError, match="cannot be read: Permission denied"):
            load(start=start)


def nearest(start: str = ".") -> str | None:
    found = find(start)
    return None if found is None else os.path.relpath(found)


def test_the_nearest_file_upward_counts(here: Path) -> None:
    put("claimlint.toml", "")
    put("a/pyproject.toml", "[tool.claimlint]\n")
    put("a/b/pyproject.toml", "[project]\n")
    put("c/claimlint.toml/x", "")
    Path("a/b/c").mkdir()
    assert nearest("a/b/c") == "a/pyproject.toml"
    assert nearest("c") == "claimlint.toml"
    put("a/claimlint.toml", "")
    assert nearest("a/b") == "a/claimlint.toml"


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_search_stops_at_a_repository(kind: str) -> None:
    put("claimlint.toml", "")
    put("repository/.git/HEAD" if kind == "folder" else "repository/.git", "x")
    Path("repository/a").mkdir()
    assert nearest("repository/a") is None
    put("repository/claimlint.toml", "")
    assert nearest("repository/a") == "repository/claimlint.toml"


def test_the_search_stops_at_the_home_folder_also_through_a_link(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("claimlint.toml", "")
    Path("home/a").mkdir(parents=True)
    Path("link").symlink_to("home")
    for home in ("home", "link"):
        monkeypatch.setenv("HOME", str(here / home))
        assert nearest("home/a") is None
    put("home/claimlint.toml", "")
    assert nearest("home/a") == "home/claimlint.toml"


def test_the_search_stops_at_the_root() -> None:
    assert find("/") is None


def test_paths_of_the_settings_start_at_their_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("claimlint.toml", "passport = 'p.json'")
    assert (load().root, load().resolve("p.json")) == (".", "p.json")
    Path("a/b").mkdir(parents=True)
    monkeypatch.chdir(here / "a" / "b")
    settings = load()
    assert (settings.root, settings.resolve("p.json"), settings.resolve("/x")) == ("../..", "../../p.json", "/x")


@pytest.mark.parametrize(
    ("bar", "severity"),
    [
        ("error", Severity.ERROR),
        ("high", Severity.HIGH_WARN),
        ("med", Severity.MED_WARN),
        ("low", Severity.LOW_WARN),
        ("never", None),
    ],
)
def test_the_bar_is_the_lowest_severity_that_fails(bar: str, severity: Severity | None) -> None:
    assert Settings(fail_on=bar).bar == severity


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ({}, {}),
        ({"select": ("A",)}, {"select": ("A",)}),
        ({"extend_select": ("B",)}, {"extend_select": ("X", "B")}),
        ({"ignore": ("C",)}, {"ignore": ("Y", "C")}),
        ({"fail_on": "low"}, {"fail_on": "low"}),
    ],
)
def test_the_command_line_stands_above_the_file(given: dict[str, Any], changes: dict[str, Any]) -> None:
    file = Settings(select=("S",), extend_select=("X",), ignore=("Y",), fail_on="error")
    assert override(file, **given) == file._replace(**changes)
