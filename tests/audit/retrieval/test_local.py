"""Sources from folders: which file belongs to a citation, and which files are never read."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from claimlint.audit.retrieval import RetrieverContext
from claimlint.audit.retrieval import local as local_module
from claimlint.audit.retrieval.isolate import Reader
from claimlint.audit.retrieval.local import LocalRetriever, decode, make, shown_name
from claimlint.audit.types import RetrievalRequest, Retrieved
from claimlint.errors import UsageError
from tests.pdf_writer import pdf


def fill(folder: Path, *names: str) -> None:
    """Files whose text is their own path below the folder."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}", encoding="utf-8")


def retrieve(
    *folders: Path, slug: str = "okafor2024", corpus: Mapping[str, object] | None = None
) -> Retrieved | None:
    return LocalRetriever([str(folder) for folder in folders], Reader()).retrieve(RetrievalRequest(slug, corpus))


def chosen(*folders: Path, slug: str = "okafor2024", corpus: Mapping[str, object] | None = None) -> str | None:
    found = retrieve(*folders, slug=slug, corpus=corpus)
    return None if found is None else found.text.removeprefix("text of ")


@pytest.mark.parametrize(
    "name",
    [
        "okafor2024.txt",
        "okafor2024.md",
        "deep/er/okafor2024.txt",
        "Okafor2024.TXT",
        "okafor2024-final.txt",
        "okafor2024 (1).txt",
        "OKAFOR2024_v2.txt",
        "okafor2024.supplement.txt",
    ],
)
def test_a_file_named_by_the_citation_key_is_found(tmp_path: Path, name: str) -> None:
    fill(tmp_path, name)
    assert chosen(tmp_path) == name


@pytest.mark.parametrize(
    "name", ["okafor2024a.txt", "okafor20241.txt", "theokafor2024.txt", "okafor2024.docx", ".okafor2024.txt"]
)
def test_a_file_of_another_name_is_not_taken(tmp_path: Path, name: str) -> None:
    fill(tmp_path, name)
    assert retrieve(tmp_path) is None


@pytest.mark.parametrize(
    ("name", "corpus"),
    [
        ("10.1000_xyz.123.txt", {"doi": "10.1000/XYZ.123"}),
        ("2024 - 10.1000-xyz.123.txt", {"doi": "https://doi.org/10.1000/xyz.123"}),
        ("2101.00001.txt", {"arxiv_id": "arXiv:2101.00001v2"}),
        ("2101.00001v1.txt", {"arxiv_id": "2101.00001"}),
        ("hep-th_9901001.txt", {"arxiv_id": "hep-th/9901001"}),
        ("smith.txt", {"source_pointer": "file:smith.txt"}),
        ("a b.txt", {"source_pointer": "file:///elsewhere/a%20b.txt"}),
        ("papers/smith.txt", {"source_pointer": "papers/smith.txt"}),
        ("smith.txt", {"file": "Full text:/home/me/zotero/smith.txt:text/plain"}),
        ("smith.txt", {"source_pointer": "C:\\papers\\smith.txt"}),
    ],
)
def test_a_file_is_found_by_what_the_corpus_row_says(tmp_path: Path, name: str, corpus: dict[str, object]) -> None:
    fill(tmp_path, name, "other.txt")
    assert chosen(tmp_path, corpus=corpus) == name


@pytest.mark.parametrize("name", ["10.1000_xyz.1234.txt", "110.1000_xyz.123.txt", "12101.00001.txt"])
def test_a_longer_identifier_is_another_one(tmp_path: Path, name: str) -> None:
    fill(tmp_path, name)
    assert retrieve(tmp_path, corpus={"doi": "10.1000/xyz.123", "arxiv_id": "2101.00001"}) is None


def test_an_ambiguous_match_follows_the_documented_order(tmp_path: Path) -> None:
    corpus = {"source_pointer": "file:pointed.txt", "doi": "10.1000/xyz"}
    order = [
        "pointed.txt",
        "okafor2024.md",
        "okafor2024.txt",
        "okafor2024.html",
        "deep/okafor2024.md",
        "OKAFOR2024.md",
        "10.1000_xyz.txt",
        "deep/pointed.txt",
        "okafor2024-draft.txt",
        "Okafor2024-draft.txt",
    ]
    fill(tmp_path, *order)
    expected = ["pointed.txt", "okafor2024.md", "deep/okafor2024.md", "okafor2024.txt", "okafor2024.html"]
    expected += [
        "OKAFOR2024.md",
        "10.1000_xyz.txt",
        "deep/pointed.txt",
        "okafor2024-draft.txt",
        "Okafor2024-draft.txt",
    ]
    found = []
    for _ in order:
        name = chosen(tmp_path, corpus=corpus)
        assert name is not None
        found.append(name.strip())
        (tmp_path / found[-1]).unlink()
    assert found == expected


def test_the_folder_named_first_wins(tmp_path: Path) -> None:
    fill(tmp_path, "a/okafor2024.txt", "b/okafor2024.txt")
    retriever = LocalRetriever([str(tmp_path / "b"), str(tmp_path / "a")], Reader())
    (tmp_path / "b" / "okafor2024.txt").write_text("from b", encoding="utf-8")
    found = retriever.retrieve(RetrievalRequest("okafor2024"))
    assert found is not None
    assert found.text == "from b"


def test_a_pdf_comes_first_and_gives_way_when_it_has_no_text(tmp_path: Path) -> None:
    fill(tmp_path, "okafor2024.txt")
    (tmp_path / "okafor2024.pdf").write_bytes(pdf([["Out of the PDF."]]))
    assert retrieve(tmp_path) == Retrieved(
        "manual_pdf", "Out of the PDF.\f", detail="okafor2024.pdf", preflight="PASS"
    )
    (tmp_path / "okafor2024.pdf").write_bytes(pdf([[]]))
    assert retrieve(tmp_path) == Retrieved("manual_pdf", "text of okafor2024.txt", detail="okafor2024.txt")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (pdf([[]]), "okafor2024.pdf has no text layer"),
        (pdf([["a"]], encrypted=True), "okafor2024.pdf is encrypted"),
        (b"%PDF-1.4 nothing", "okafor2024.pdf is damaged, or is no PDF"),
    ],
)
def test_a_pdf_without_text_is_failed_and_says_why(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "okafor2024.pdf").write_bytes(data)
    found = retrieve(tmp_path)
    assert found is not None
    assert (found.method, found.text) == ("failed", "")
    assert found.detail.startswith(says)


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"", "is empty"), (b" \n", "is empty"), (b"a\0b", "is no text file"), (b"\xff\xfe\x00", "is no text file")],
)
def test_a_text_without_text_is_failed_and_says_why(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "okafor2024.txt").write_bytes(data)
    assert retrieve(tmp_path) == Retrieved("failed", detail=f"okafor2024.txt {says}")


def test_a_text_keeps_its_form_feeds_and_has_no_preflight(tmp_path: Path) -> None:
    (tmp_path / "okafor2024.txt").write_bytes(b"one\r\n\ftwo")
    assert retrieve(tmp_path) == Retrieved("manual_pdf", "one\n\ftwo", detail="okafor2024.txt")


def test_html_is_read_without_what_nobody_sees(tmp_path: Path) -> None:
    (tmp_path / "okafor2024.html").write_text("<p>Seen.</p><script>unseen</script>", encoding="utf-8")
    assert retrieve(tmp_path) == Retrieved("manual_pdf", "Seen.\n", detail="okafor2024.html")


@pytest.mark.parametrize("data", ["Café", "\ufeffCafé"], ids=["plain", "with a mark"])
def test_texts_of_several_encodings_are_read(data: str) -> None:
    assert decode(data.encode("utf-8")) == "Café"
    assert decode("Café".encode("utf-16")) == "Café"
    assert decode("Café".encode("cp1252")) == "Café"


# --- never outside


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    fill(tmp_path, "outside/secret.txt", "sources/other.txt")
    return tmp_path / "outside" / "secret.txt"


@pytest.mark.parametrize(
    "pointer",
    [
        "../outside/secret.txt",
        "file:../outside/secret.txt",
        "file:%2e%2e/outside/secret.txt",
        "sub/../../outside/secret.txt",
    ],
)
def test_a_pointer_does_not_lead_out_of_the_folders(tmp_path: Path, secret: Path, pointer: str) -> None:
    assert retrieve(tmp_path / "sources", corpus={"source_pointer": pointer}) is None


def test_an_absolute_pointer_out_of_the_folders_is_named_and_not_read(tmp_path: Path, secret: Path) -> None:
    found = retrieve(tmp_path / "sources", corpus={"source_pointer": f"file://{secret}"})
    assert found == Retrieved("failed", detail=f"{secret} is outside the source folders")


def test_a_link_out_of_the_folders_is_not_followed(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "sources" / "okafor2024.txt").symlink_to(secret)
    (tmp_path / "sources" / "folder").symlink_to(secret.parent)
    assert retrieve(tmp_path / "sources") is None
    assert retrieve(tmp_path / "sources", slug="secret") is None
    assert retrieve(tmp_path / "sources", corpus={"source_pointer": "okafor2024.txt"}) is None


def test_a_link_inside_the_folders_is_followed(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "sources" / "okafor2024.txt").symlink_to(tmp_path / "sources" / "other.txt")
    (tmp_path / "linked").symlink_to(tmp_path / "sources")
    assert chosen(tmp_path / "linked") == "sources/other.txt"


def test_folders_that_link_to_one_another_end(tmp_path: Path) -> None:
    fill(tmp_path, "okafor2024.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert chosen(tmp_path) == "okafor2024.txt"


def test_a_link_put_in_place_of_the_file_meanwhile_is_not_followed(tmp_path: Path, secret: Path) -> None:
    fill(tmp_path, "sources/okafor2024.txt")
    retriever = LocalRetriever([str(tmp_path / "sources")], Reader())
    retriever.retrieve(RetrievalRequest("other"))
    (tmp_path / "sources" / "okafor2024.txt").unlink()
    (tmp_path / "sources" / "okafor2024.txt").symlink_to(secret)
    found = retriever.retrieve(RetrievalRequest("okafor2024"))
    assert found is not None
    assert found.method == "failed"


def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "okafor2024.txt")
    found = retrieve(tmp_path)
    assert found == Retrieved("failed", detail="okafor2024.txt cannot be read: not a regular file")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_module, "MAX_TEXT_BYTES", 5)
    fill(tmp_path, "okafor2024.txt")
    found = retrieve(tmp_path)
    assert found == Retrieved("failed", detail="okafor2024.txt has 22 bytes, more than the limit of 5")


def test_a_name_that_would_act_on_a_terminal_is_spelled_out(tmp_path: Path) -> None:
    name = "okafor2024-\x1b[31mred.txt"
    (tmp_path / name).write_bytes(b"")
    assert retrieve(tmp_path) == Retrieved("failed", detail="okafor2024-\\x1b[31mred.txt is empty")
    assert shown_name("a\nb") == "a\\x0ab"


# --- making


def test_the_folders_must_be_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        make(str(tmp_path / "none"), RetrieverContext())
    with pytest.raises(UsageError, match="needs a folder"):
        make("", RetrieverContext())
    assert make("", RetrieverContext(sources=(str(tmp_path),))).name == "local"


def test_folders_of_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_module, "MAX_FILES", 2)
    fill(tmp_path, "a.txt", "b.txt", "c.txt")
    with pytest.raises(UsageError, match="more than 2 documents"):
        retrieve(tmp_path)


def test_ten_long_pdfs_cited_by_64_threads_stay_small(tmp_path: Path) -> None:
    """The bound is 300 MB for the whole process, so ten sources of 200 pages each may add far less."""
    for number in range(10):
        pages = [
            [f"source {number} page {page} line {line} " + "and more words" * 4 for line in range(40)]
            for page in range(200)
        ]
        (tmp_path / f"source{number}.pdf").write_bytes(pdf(pages))
    retriever = LocalRetriever([str(tmp_path)], Reader())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: list[Retrieved | None] = []

    def ask(number: int) -> None:
        found.append(retriever.retrieve(RetrievalRequest(f"source{number % 10}")))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.preflight for each in found if each is not None] == ["PASS"] * 64
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 120 * 1024
