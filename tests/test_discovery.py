"""Discovery: each real file once, in one order; patterns hold for named files too; nothing is lost in silence."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from claimlint.discovery import DEFAULT_EXCLUDE, Discovered, discover, is_excluded, is_project_page, show


@pytest.fixture(autouse=True)
def here(workdir: Path) -> Path:
    return workdir


def tree(*names: str) -> None:
    """Make empty files, with their folders, in the working directory."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def seek(
    *paths: str, exclude: Iterable[str] = DEFAULT_EXCLUDE, force: bool = True, hook: bool = False, root: str = "."
) -> Discovered:
    return discover(paths, exclude=exclude, force_exclude=force, hook=hook, root=root)


def shown(found: Discovered) -> list[str]:
    return [target.shown for target in found.targets]


def failures(found: Discovered) -> list[str]:
    return [str(failure) for failure in found.failures]


def test_a_folder_is_searched_for_drafts_and_passports() -> None:
    tree(
        "b.md", "a/c.json", "a/d.YAML", "a/e.yml", "f.qmd", "g.Rmd", "h.markdown", "i.txt", "j", "k.json5", ".l.md"
    )
    assert shown(seek(".")) == [".l.md", "a/c.json", "a/d.YAML", "a/e.yml", "b.md", "f.qmd", "g.Rmd", "h.markdown"]


def test_pages_about_the_project_are_passed_over_unless_a_person_names_them() -> None:
    tree("README.md", "readme.de.md", "CHANGELOG.md", "LICENSE.md", "readmes.md", "a/Contributing.md")
    assert shown(seek(".")) == ["readmes.md"]
    assert shown(seek("README.md")) == ["README.md"]
    assert shown(seek("README.md", "readmes.md", hook=True)) == ["readmes.md"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("README.md", True),
        ("x/readme-en.md", True),
        ("code_of_conduct.md", True),
        ("readmes.md", False),
        ("paper.md", False),
        ("security_audit.md", True),
        (".md", False),
        ("my-readme.md", False),
    ],
)
def test_what_a_page_about_the_project_is(name: str, expected: bool) -> None:
    assert is_project_page(name) is expected


def test_each_real_file_stands_once_by_its_own_name() -> None:
    tree("m/paper.md")
    Path("a").symlink_to("m")
    Path("z").symlink_to("m")
    Path("m/again.md").symlink_to("paper.md")
    os.link("m/paper.md", "m/hard.md")
    assert shown(seek(".")) == ["m/hard.md", "m/paper.md"]
    assert shown(seek("m/paper.md", "z/paper.md", "./m/../m/paper.md", ".")) == ["m/hard.md", "m/paper.md"]


def test_a_file_that_is_named_and_met_is_named() -> None:
    tree("m/paper.md")
    for paths in (("m", "m/paper.md"), ("m/paper.md", "m"), ("m/paper.md", "m/paper.md")):
        assert [(target.shown, target.named) for target in seek(*paths).targets] == [("m/paper.md", True)]


def test_loops_of_links_end() -> None:
    tree("a/paper.md")
    Path("a/up").symlink_to("..")
    Path("a/self.md").symlink_to("self.md")
    Path("self").symlink_to("self")
    Path("a/gone.md").symlink_to("nothing.md")
    found = seek(".")
    assert (shown(found), failures(found)) == (["a/paper.md"], [])


def test_names_may_hold_anything_a_file_system_takes() -> None:
    tree("a b/päper 中.md", "new\nline.md", "-dash.md")
    raw = os.fsdecode(b"bad\xff.md")
    tree(raw)
    found = seek(".")
    assert shown(found) == ["-dash.md", "a b/päper 中.md", "bad\\xff.md", "new\nline.md"]
    assert found.targets[2].path == raw
    assert shown(seek(raw, "a b")) == ["a b/päper 中.md", "bad\\xff.md"]


def test_paths_are_shown_from_the_working_directory(here: Path, tmp_path: Path) -> None:
    tree("m/paper.md")
    (tmp_path / "out.md").touch()
    assert show(str(here / "m" / "paper.md")) == "m/paper.md"
    assert show("./m//paper.md") == "m/paper.md"
    assert (show("."), show(".."), show("/")) == (".", "..", "/")
    assert shown(seek(str(here))) == ["m/paper.md"]
    assert shown(seek("..")) == ["../out.md", "../work/m/paper.md"]
    assert shown(seek("../")) == ["../out.md", "../work/m/paper.md"]
    assert shown(seek(str(tmp_path / "out.md"))) == [str(tmp_path / "out.md")]


def test_what_cannot_be_used_is_a_failure() -> None:
    tree("text.txt", "folder.json/paper.md")
    os.mkfifo("fifo.json")
    Path("gone.md").symlink_to("nothing.md")
    found = seek("nothing.md", "text.txt", "folder.json", "fifo.json", "gone.md")
    assert shown(found) == ["fifo.json", "folder.json/paper.md", "gone.md"]
    assert failures(found) == [
        "nothing.md: no such file or folder",
        "text.txt: not a draft or passport by its name (one of .md, .markdown, .qmd, .rmd, .json, .yaml, .yml)",
    ]


def test_a_hook_passes_over_what_is_no_document_but_not_what_is_gone() -> None:
    tree("text.txt", "p.json")
    found = seek("text.txt", "p.json", "gone.json", hook=True)
    assert [(target.shown, target.named) for target in found.targets] == [("p.json", False)]
    assert failures(found) == ["gone.json: no such file or folder"]


def test_a_folder_that_cannot_be_read_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    tree("a/one.md", "b/two.md")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == "a":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = seek(".")
    assert (shown(found), failures(found)) == (["b/two.md"], ["a: the folder cannot be read: Permission denied"])


def test_a_fifo_in_a_folder_is_passed_over() -> None:
    os.mkfifo("fifo.json")
    assert seek(".") == Discovered((), 0, ())


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("venv", "venv", True),
        ("venv", "a/venv/b.md", True),
        ("venv", "a/venv.md", False),
        ("venv/", "a/venv/b.md", True),
        ("*.md", "a/b.md", True),
        ("draft-?.md", "a/draft-1.md", True),
        ("draft-?.md", "a/draft-10.md", False),
        ("[ab].md", "x/a.md", True),
        ("a/b", "a/b/c.md", True),
        ("a/b", "x/a/b/c.md", False),
        ("a/*.md", "a/b.md", True),
        ("a/*.md", "a/b/c.md", False),
        ("a/*/c.md", "a/b/c.md", True),
        ("a/**/c.md", "a/c.md", True),
        ("a/**/c.md", "a/b/b/c.md", True),
        ("a/**/c.md", "b/c.md", False),
        ("**/c.md", "c.md", True),
        ("**/b/*.md", "a/b/c.md", True),
        ("a/**", "a/b.md", True),
        ("/a.md", "a.md", True),
        ("/a.md", "b/a.md", False),
        ("./a.md", "b/a.md", False),
        (".*", "a/b.md", False),
        (".*", ".hidden/b.md", True),
        (".*", "../a/b.md", False),
        ("A.md", "a.md", False),
        ("[z-a].md", "a.md", False),
        ("", "a.md", False),
        ("/", "a.md", False),
        ("é*", "a/éa.md", True),
    ],
)
def test_a_pattern_names_a_path_or_a_folder_it_lies_in(pattern: str, path: str, expected: bool) -> None:
    assert is_excluded(path, [pattern]) is expected


def test_patterns_with_a_slash_start_at_the_folder_of_the_settings(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree("paper/drafts/a.md", "paper/b.md")
    monkeypatch.chdir(here / "paper")
    assert shown(seek(".", exclude=["paper/drafts"], root="..")) == ["b.md"]
    assert shown(seek(".", exclude=["paper/drafts"])) == ["b.md", "drafts/a.md"]
    assert is_excluded("drafts/a.md", ["paper/drafts/*.md"], "..") is True


def test_patterns_hold_for_named_files_and_folders_too() -> None:
    tree("old/a.md", "b.md")
    for paths in (("old/a.md", "b.md"), ("old", "b.md")):
        found = seek(*paths, exclude=["old"])
        assert (shown(found), found.excluded) == (["b.md"], 1)
        assert shown(seek(*paths, exclude=["old"], force=False)) == ["b.md", "old/a.md"]
    assert shown(seek("old", exclude=["old", "a.md"], force=False)) == []


def test_what_is_excluded_follows_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, excluded in (("old", True), ("new", False)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert is_excluded("p.json", ("old/p.json",), "..") is excluded


def test_what_is_excluded_need_not_exist() -> None:
    assert seek("old/gone.md", exclude=["old"]) == Discovered((), 1, ())


def test_the_usual_folders_are_left_out_by_default() -> None:
    tree("node_modules/a.json", "x/.venv/b.md", ".git/c.md", "d.md", ".claimlint_cache/e.json")
    assert shown(seek(".")) == ["d.md"]
