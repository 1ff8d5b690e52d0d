"""Which passport and which bibliography belong to a draft, and which drafts to a passport."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from claimlint.documents.bibliography import Bibliography
from claimlint.documents.draft import Draft
from claimlint.documents.source import TextSource
from claimlint.errors import DocumentError
from claimlint.link import COMMAND_LINE, DiskFiles, Linker, Named


class Tree:
    """Files in memory, by path."""

    def __init__(self, files: Mapping[str, str] | list[str]) -> None:
        self.files = dict(files) if isinstance(files, Mapping) else dict.fromkeys(files, "")
        self.reads: list[str] = []

    def is_file(self, path: str) -> bool:
        return path in self.files

    def names(self, folder: str) -> tuple[str, ...]:
        parts = (path.rpartition("/") for path in self.files)
        return tuple(sorted(name for parent, _, name in parts if parent == folder))

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return self.files[path].encode()

    def head(self, path: str) -> bytes:
        if "\ufffd" in self.files[path]:
            raise DocumentError("cannot be read", path=path)
        return self.files[path].encode()


def draft(front_matter: Mapping[str, Any] | None = None, path: str = "d/paper.md", text: str = "") -> Draft:
    return Draft(TextSource(path, text), front_matter or {}, "", (), (), (), {}, (), (), ())


def passports(
    files: list[str], front_matter: Mapping[str, Any] | None = None, path: str = "d/paper.md"
) -> tuple[str, ...]:
    return Linker(Tree(files)).passports(path, front_matter or {})


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], ()),
        (["d/other.passport.json", "passport.json", "d/sub/passport.json"], ()),
        (["d/passport.yml"], ("d/passport.yml",)),
        (["d/passport.yml", "d/passport.yaml"], ("d/passport.yaml",)),
        (["d/passport.json", "d/paper.passport.yml"], ("d/paper.passport.yml",)),
        (["d/paper.passport.yaml", "d/paper.passport.json"], ("d/paper.passport.json",)),
    ],
)
def test_a_passport_is_found_by_name_in_the_drafts_own_folder(names: list[str], expected: tuple[str, ...]) -> None:
    assert passports(names) == expected


def test_a_draft_in_the_working_directory_finds_its_passport() -> None:
    assert passports(["paper.passport.json"], path="paper.md") == ("paper.passport.json",)


def test_a_project_page_has_a_passport_of_its_own_name_only() -> None:
    assert passports(["d/passport.json"], path="d/README.md") == ()
    assert passports(["d/README.passport.json"], path="d/README.md") == ("d/README.passport.json",)


@pytest.mark.parametrize(
    "front_matter",
    [
        {"passport": ["../rows/a.json", "b.json", "./b.json"]},
        {"claimlint": {"passport": ["../rows/a.json", "b.json"]}},
    ],
)
def test_front_matter_names_files_that_are_joined(front_matter: dict[str, Any]) -> None:
    names = ["rows/a.json", "d/b.json", "d/paper.passport.json"]
    assert passports(names, front_matter) == ("rows/a.json", "d/b.json")


def test_front_matter_may_name_one_path() -> None:
    assert passports(["d/b.json", "d/passport.json"], {"passport": "b.json", "claimlint": {}}) == ("d/b.json",)


def test_a_named_passport_that_is_missing_names_both_files() -> None:
    with pytest.raises(DocumentError) as caught:
        passports([], {"passport": "b.json"})
    assert str(caught.value) == "d/paper.md: its front matter names the passport d/b.json, which does not exist"


@pytest.mark.parametrize("value", [3, {}, [], "", " ", ["a", 1], [""], True, "a\0b"])
def test_front_matter_that_names_no_path_is_refused(value: object) -> None:
    with pytest.raises(DocumentError, match="passport in the front matter must be a path or a list of paths"):
        passports([], {"passport": value})


def test_an_unknown_key_under_claimlint_in_front_matter_is_refused() -> None:
    with pytest.raises(DocumentError, match="has the unknown key 'pasport'; it knows passport only"):
        passports(["d/passport.json"], {"claimlint": {"pasport": "b.json"}})


@pytest.mark.parametrize(
    "front_matter", [{"claimlint": "x"}, {"claimlint": {"passport": None}}, {"passport": None}]
)
def test_front_matter_without_a_passport_leaves_the_choice_to_the_name(front_matter: dict[str, Any]) -> None:
    assert passports(["d/passport.json"], front_matter) == ("d/passport.json",)


ALL = Tree(["given.json", "set.json", "d/front.json", "d/paper.passport.json"])


@pytest.mark.parametrize(
    ("given", "configured", "front_matter", "expected"),
    [
        (("given.json",), ("set.json",), {"passport": "front.json"}, "given.json"),
        ((), ("set.json",), {"passport": "front.json"}, "set.json"),
        ((), (), {"passport": "front.json"}, "d/front.json"),
        ((), (), {}, "d/paper.passport.json"),
    ],
)
def test_the_command_line_comes_before_settings_before_front_matter_before_the_name(
    given: tuple[str, ...], configured: tuple[str, ...], front_matter: dict[str, Any], expected: str
) -> None:
    made = Linker(ALL, passports=Named(given, COMMAND_LINE) if given else Named(configured, "claimlint.toml"))
    assert made.passports("d/paper.md", front_matter) == (expected,)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (COMMAND_LINE, "--passport: names the passport no.json, which does not exist"),
        ("claimlint.toml", "claimlint.toml: names the passport no.json, which does not exist"),
    ],
)
def test_a_missing_passport_of_the_command_line_or_settings_is_an_error(by: str, message: str) -> None:
    made = Linker(Tree([]), passports=Named(("no.json",), by))
    with pytest.raises(DocumentError) as caught:
        made.passports("d/paper.md", {})
    assert str(caught.value) == message


FOLDER = {
    "d/passport.json": "",
    "d/paper.passport.json": "",
    "d/paper.md": "",
    "d/a.qmd": "",
    "d/b.Rmd": "passport: paper.passport.json",
    "d/broken.md": "claimlint: {passport: x}",
    "d/lost.md": "passport: no",
    "d/unreadable.md": "\ufffd",
    "d/README.md": "",
    "d/notes.txt": "",
    "d/sub/c.md": "",
}
FRONT: dict[str, Mapping[str, Any]] = {
    "d/b.Rmd": {"passport": "paper.passport.json"},
    "d/lost.md": {"passport": "no"},
}


def front_matter_of(path: str) -> Mapping[str, Any]:
    if path == "d/broken.md":
        raise DocumentError("no UTF-8", path=path)
    return FRONT[path]


@pytest.mark.parametrize(
    ("passport", "expected"),
    [
        ("d/passport.json", ("d/a.qmd",)),
        ("./d/paper.passport.json", ("d/b.Rmd", "d/paper.md")),
        ("d/other.json", ()),
        ("e/passport.json", ()),
    ],
)
def test_a_passport_finds_the_drafts_beside_it(passport: str, expected: tuple[str, ...]) -> None:
    assert Linker(Tree(FOLDER)).drafts(passport, front_matter_of) == expected


def test_a_passport_of_the_settings_belongs_to_every_draft_beside_it() -> None:
    made = Linker(Tree(FOLDER), passports=Named(("d/passport.json",), "claimlint.toml"))
    assert made.drafts("d/passport.json", front_matter_of) == ("d/a.qmd", "d/b.Rmd", "d/lost.md", "d/paper.md")


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (None, ("d/b.Rmd",)),
        (Named(("d/paper.passport.json",), COMMAND_LINE), ("e/x.md",)),
        (Named(("d/paper.passport.json",), "claimlint.toml"), ("d/a.qmd", "d/b.Rmd", "d/lost.md", "e/x.md")),
    ],
)
def test_companions_are_the_drafts_that_share_the_passport(named: Named | None, expected: tuple[str, ...]) -> None:
    made = Linker(Tree(FOLDER), passports=named)
    checked = ("d/paper.md", "./e/x.md")
    assert made.companions("d/paper.md", ("d/paper.passport.json",), checked, front_matter_of) == expected


def bibliography(
    files: dict[str, str],
    front_matter: Mapping[str, Any] | None = None,
    configured: tuple[str, ...] = (),
    text: str = "",
) -> Bibliography:
    made = Linker(Tree(files), bibliographies=Named(configured, "claimlint.toml"))
    return made.bibliography("d/paper.md", draft(front_matter, text=text))


def shape(made: Bibliography) -> list[tuple[str, list[str], bool]]:
    return [(file.path, [entry.key for entry in file.entries], file.own) for file in made.files]


CSL = '[{"id": "c"}]'


def test_bibliographies_beside_the_draft_are_its_own_when_it_is_alone() -> None:
    files = {
        "d/paper.md": "",
        "d/README.md": "",
        "d/a.bib": "@misc{a,}",
        "d/b.csl.json": CSL,
        "d/references.json": '[{"id": "r"}]',
        "d/other.json": CSL,
        "d/sub/x.bib": "@misc{x,}",
    }
    assert shape(bibliography(files)) == [
        ("d/a.bib", ["a"], True),
        ("d/b.csl.json", ["c"], True),
        ("d/references.json", ["r"], True),
    ]


def test_bibliographies_beside_several_drafts_belong_to_none_alone() -> None:
    files = {"d/paper.md": "", "d/second.qmd": "", "d/a.bib": "@misc{a,}"}
    assert shape(bibliography(files)) == [("d/a.bib", ["a"], False)]


def test_what_front_matter_names_comes_first_and_is_the_drafts_own() -> None:
    files = {"d/paper.md": "", "d/second.md": "", "d/a.bib": "@misc{a,}", "refs/b.bib": "@misc{b,}", "c.json": CSL}
    front_matter = {"bibliography": ["../refs/b.bib", "c.json"]}
    assert shape(bibliography(files, front_matter)) == [
        ("refs/b.bib", ["b"], True),
        ("c.json", ["c"], True),
        ("d/a.bib", ["a"], False),
    ]


def test_references_in_front_matter_are_the_drafts_own() -> None:
    assert shape(bibliography({}, {"references": [{"id": "i"}]})) == [("d/paper.md", ["i"], True)]


def test_a_bibliography_of_the_settings_is_read_once_for_many_drafts() -> None:
    tree = Tree({"d/paper.md": "", "d/second.md": "", "refs.bib": "@misc{a,}"})
    made = Linker(tree, bibliographies=Named(("refs.bib",), "claimlint.toml"))
    found = [shape(made.bibliography(path, draft(path=path))) for path in ("d/paper.md", "d/second.md")]
    assert (found, tree.reads) == ([[("refs.bib", ["a"], False)]] * 2, ["refs.bib"])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "claimlint.toml: names the bibliography refs.json, which does not exist"),
        ({"refs.json": "{}"}, "refs.json: holds no list of works with an id each, so it is no CSL bibliography"),
    ],
)
def test_a_bibliography_of_the_settings_must_be_readable(files: dict[str, str], message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        bibliography(files, configured=("refs.json",))
    assert str(caught.value) == message


def unread(made: Bibliography) -> list[tuple[str, str, int]]:
    return [(each.name, each.cause, each.source.locate(each.place).line) for each in made.unread]


def test_what_front_matter_names_in_vain_is_listed_with_its_place() -> None:
    text = "---\ntitle: x\nbibliography: [no.bib, d.ris]\n---\n"
    made = bibliography({"d/d.ris": ""}, {"bibliography": ["no.bib", "d.ris", 3, ""]}, text=text)
    assert unread(made) == [
        ("no.bib", "there is no such file", 3),
        ("d/d.ris", "is no bibliography by its name (one of .bib, .bibtex, .json, .yaml, .yml)", 3),
    ]


def test_a_broken_csl_file_beside_the_draft_is_listed_and_other_json_passed_over() -> None:
    made = bibliography({"d/a.csl.json": "[", "d/references.json": '{"links": []}'})
    assert [(name, line) for name, _, line in unread(made)] == [("d/a.csl.json", 1)]


def test_a_broken_file_that_front_matter_names_is_listed_once() -> None:
    assert len(bibliography({"d/a.csl.json": "["}, {"bibliography": "a.csl.json"}).unread) == 1


def test_files_on_disk_are_listed_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "paper.md").write_text("x")
    (tmp_path / "d" / "passport.json").write_text("{}")
    (tmp_path / "d" / "a.bib").write_text("@misc{a,}")
    files = DiskFiles()
    assert (files.names(""), files.names("d")) == ((), ("a.bib", "paper.md", "passport.json"))
    assert (files.is_file("d/a.bib"), files.is_file("d"), files.is_file("a\0")) == (True, False, False)
    assert (files.names("gone"), files.names("a\0")) == ((), ())
    assert (files.head("d/paper.md"), files.head("d/paper.md")) == (b"x", b"x")
    for path in ("gone", "a\0"):
        with pytest.raises(DocumentError, match="cannot be read"):
            files.head(path)
    made = Linker(files)
    assert made.passports("d/paper.md", {}) == ("d/passport.json",)
    assert shape(made.bibliography("d/paper.md", draft())) == [("d/a.bib", ["a"], True)]
