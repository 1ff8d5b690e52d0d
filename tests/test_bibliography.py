"""Bibliographies: the keys a project knows, whatever the state of its files."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.bibliography import (
    Bibliography,
    BibliographyFile,
    Entry,
    corpus_entries,
    front_matter_entries,
    project_entries,
    read_entries,
)
from claimlint.documents.bibtex import bibtex_entries
from claimlint.documents.draft import Draft
from claimlint.documents.passport import join
from claimlint.documents.reader import read_passport_text
from claimlint.documents.source import TextSource
from claimlint.errors import DocumentError
from claimlint.workspace import Workspace


def keys(text: str) -> list[str]:
    return [entry.key for entry in bibtex_entries(text)]


def bib(text: str) -> tuple[Entry, ...]:
    return read_entries(text.encode(), "refs.bib")


def test_an_entry_is_read_with_its_key_title_and_place() -> None:
    (entry,) = bib("\n@Article{ okafor2024 ,\n  title = {The {DNA} of\n   things},\n  year = 2024}\n")
    where = entry.source.locate(entry.place)
    assert (entry.key, entry.title, where.line, where.column, where.end_column) == (
        "okafor2024",
        "The DNA of things",
        2,
        11,
        21,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@article(a, title = {x})", ["a"]),
        ('@article(a, title = "on (b) and )", note = {)})@book{c, }', ["a", "c"]),
        ("@article{a}@book{b}", ["a", "b"]),
        ("@article{10.1016/S0140-6736(97)11096-0, title={x}}", ["10.1016/S0140-6736(97)11096-0"]),
        ("@article {müller:2020+x.y_z, title={x}}", ["müller:2020+x.y_z"]),
        ('@string{jan = "January"}@preamble{"\\newcommand{\\x}{y}"}@misc{a,}', ["a"]),
        ("@comment{ @article{hidden, title={x}} }\n@misc{a,}", ["a"]),
        ("@Comment{jabref-meta: grouping:a;}\n@misc{a,}", ["a"]),
        ("@comment{ never closed\n@misc{a,\n title={x}}\n@comment{ again\n@misc{b,}", ["a", "b"]),
        ("@xdata{base, publisher={x}}@book{a, xdata={base}}", ["a"]),
        ("@article{ title = {no key}, year = 2020 }@misc{a,}", ["a"]),
        ("@article{}@article{,}@misc{a,}", ["a"]),
        ("@article{open,\n title = {never {closed},\n year = 2020\n@misc{a,\n title={x}}", ["open", "a"]),
        ("@article{a, note = {mail me@home.org, or \\} or \\{}}@misc{b,}", ["a", "b"]),
        ("% text around entries\nwho@where.org wrote this\n@misc{a,}", ["a"]),
        ("@misc{a,}@misc{a,}", ["a", "a"]),
        ("@set{all, entryset = {a, b}}@misc{a,}", ["all", "a"]),
        ("@", []),
        ("@misc{", []),
        ("@misc{a", ["a"]),
        ("", []),
    ],
)
def test_bibtex_keys_are_found(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_ids_are_further_keys_and_inherited_works_are_remembered() -> None:
    (entry,) = bib("@inbook{a, ids = {b, c}, crossref = {d}, related = {e,f}, booktitle = {no}}")
    assert (entry.aliases, entry.uses, entry.title) == (("b", "c"), ("d", "e", "f"), "")


def test_a_quoted_title_is_read() -> None:
    (entry,) = bib('@misc{a, title = "On {"}quotes{"}", year = 1}')
    assert entry.title == 'On "quotes"'


def test_a_title_is_cut() -> None:
    (entry,) = bib("@misc{a, title = {" + "x" * 99_999)
    assert entry.title == "x" * 300


def test_a_bibtex_file_in_an_old_encoding_is_read() -> None:
    assert [each.key for each in read_entries("@misc{a, author={Müller}}".encode("latin-1"), "r.bib")] == ["a"]


@given(st.text(alphabet='@{}()",=\\ \n%abid12', max_size=80))
def test_every_bibtex_key_is_where_it_says_and_in_order(text: str) -> None:
    entries = list(bibtex_entries(text))
    assert [text[each.span.start : each.span.end] for each in entries] == [each.key for each in entries]
    assert [each.span.start for each in entries] == sorted({each.span.start for each in entries})


@pytest.mark.parametrize(
    "unit",
    [
        "@comment{",
        "@article{",
        "@article{a,\n",
        "@",
        "\n",
        "@a ",
        "{",
        "\\",
        '"',
        "@article{a, title = {",
        "@a" + " " * 50,
    ],
)
def test_bibtex_takes_time_linear_in_the_file(unit: str) -> None:
    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        keys(text)
        return time.process_time() - start

    cost(20_000)
    small = max(min(cost(50_000) for _ in range(2)), 0.002)
    assert min(cost(400_000) for _ in range(3)) < 48 * small


CSL = [{"id": "okafor2024", "title": "On\n things"}, {"id": 7}, {"id": True}, {"title": "no id"}, "text"]


@pytest.mark.parametrize(
    ("value", "pointer"),
    [(CSL, "/0/id"), ({"references": CSL}, "/references/0/id"), ({"items": CSL}, "/items/0/id")],
)
def test_csl_json_is_read_as_a_list_or_wrapped(value: object, pointer: str) -> None:
    entries = read_entries(json.dumps(value).encode(), "refs.csl.json")
    assert [(each.key, each.title) for each in entries] == [("okafor2024", "On things"), ("7", "")]
    assert str(entries[0].place) == pointer


def test_csl_yaml_is_read_with_places() -> None:
    (entry,) = read_entries(b"references:\n- title: On things\n  id: okafor2024\n", "refs.yaml")
    where = entry.source.locate(entry.place)
    assert (entry.key, where.line, where.column) == ("okafor2024", 3, 7)


@pytest.mark.parametrize(
    ("path", "data", "message"),
    [
        ("r.json", b"[", "r.json: line 1: no valid JSON"),
        ("r.json", b'{"a": 1}', "r.json: holds no list of works"),
        ("r.json", b'["a"]', "r.json: holds no list of works"),
        ("r.json", b"3", "r.json: holds no list of works"),
        ("r.yaml", b"a:\n b: [", "r.yaml: line 2: no valid YAML"),
        ("r.json", b"\xff\xfe", "r.json: is UTF-16"),
        ("r.ris", b"TY  - JOUR", "r.ris: is no bibliography by its name"),
    ],
)
def test_what_is_no_bibliography_is_a_document_error(path: str, data: bytes, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_entries(data, path)
    assert str(caught.value)[: len(message)] == message


def test_an_empty_csl_list_has_no_entries() -> None:
    assert read_entries(b"[]", "r.json") == ()


@given(st.binary(max_size=60))
def test_any_bytes_are_a_bibtex_file(data: bytes) -> None:
    assert isinstance(read_entries(data, "r.bib"), tuple)


TEXT = '---\nreferences:\n- id: "okafor2024"\n  title: T\n- {id: b}\n---\n'


def test_references_in_front_matter_are_entries() -> None:
    front_matter = {"references": [{"id": "okafor2024", "title": "T"}, {"id": "b"}]}
    entries = front_matter_entries(TextSource("d.md", TEXT), front_matter)
    assert [(each.key, each.title, each.source.locate(each.place).line) for each in entries] == [
        ("okafor2024", "T", 3),
        ("b", "", 1),
    ]


@pytest.mark.parametrize("value", [None, "x", {}, [], [1, None]])
def test_front_matter_of_any_type_is_taken(value: object) -> None:
    assert front_matter_entries(TextSource("d.md", ""), {"references": value}) == ()


def test_corpus_rows_come_before_the_files_of_a_project() -> None:
    passport = join(
        [read_passport_text('{"literature_corpus": [{"citation_key": "a", "title": "A"}, {}]}', "p.json")]
    )
    source = TextSource("d.md", "")
    draft = Draft(source, {}, "", (), (), (), {}, (), (), ())
    files = (BibliographyFile("r.bib", bib("@misc{b,}")),)
    workspace = Workspace(draft, passport, Bibliography(files))
    assert [each.key for each in project_entries(workspace.passport, workspace.bibliography)] == ["a", "b"]
    assert corpus_entries(None) == ()
    assert project_entries(None, None) == ()
