"""Reading PDF, HTML and JATS in processes of their own: text, labels, preflight, limits."""

from __future__ import annotations

import io
import json
import logging
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.preflight import PageCounts, preflight
from claimlint.audit.retrieval import isolate, markup
from claimlint.audit.retrieval import pdf as pdf_program
from claimlint.audit.retrieval.isolate import HTML, JATS, PDF, Document, Reader
from tests.pdf_writer import assembled, pdf

TWO_PAGES = pdf([["An inter-", "national study."], ["Page two."]])


@pytest.fixture
def reader() -> Reader:
    return Reader()


# --- PDF


def test_a_pdf_becomes_its_pages_each_ended_by_a_form_feed(reader: Reader) -> None:
    assert reader.read_bytes(PDF, TWO_PAGES) == Document(
        "An inter-\nnational study.\fPage two.\f", preflight="PASS"
    )


def test_page_labels_are_kept_where_they_are_not_the_positions(reader: Reader) -> None:
    labelled = pdf([["a"], ["b"], ["c"]], labels="0 << /S /r >> 2 << /S /D >>")
    assert reader.read_bytes(PDF, labelled).labels == ("i", "ii", "1")
    plain = pdf([["a"], ["b"]], labels="0 << /S /D >>")
    assert reader.read_bytes(PDF, plain).labels == ()


def test_gaps_of_the_layout_part_no_paragraphs(reader: Reader) -> None:
    assert "\n\n" not in reader.read_bytes(PDF, pdf([["a", "", " ", "b"]])).text


def test_a_pdf_without_text_says_so(reader: Reader) -> None:
    assert "no text layer" in reader.read_bytes(PDF, pdf([[], [" "]])).problem


def test_an_encrypted_pdf_says_so(reader: Reader) -> None:
    assert reader.read_bytes(PDF, pdf([["a"]], encrypted=True)).problem == "is encrypted"


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4\nnothing more", b"hello", b"\0" * 1000])
def test_what_is_no_pdf_says_so(reader: Reader, data: bytes) -> None:
    assert reader.read_bytes(PDF, data).problem == "is damaged, or is no PDF"


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        (TWO_PAGES, "PASS"),
        (pdf([["a"], ["b"], ["c"]], declared=2), "FAIL"),
        (pdf([["a"], ["b"], ["c"]], declared=5), "FAIL"),
        (TWO_PAGES.replace(b"startxref\n", b"startxref\n9"), "FAIL"),
        (TWO_PAGES[: TWO_PAGES.index(b"startxref")], "FAIL"),
        (TWO_PAGES.replace(b" 00000 n", b"x00000 n"), "FAIL"),
    ],
    ids=["sound", "declares too few", "declares too many", "wrong startxref", "cut off", "broken table"],
)
def test_the_preflight_passes_only_sound_files(reader: Reader, data: bytes, verdict: str) -> None:
    assert reader.read_bytes(PDF, data).preflight == verdict


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        (PageCounts(3, 3, 3), "PASS"),
        (PageCounts(3, 3, 2), "FAIL"),
        (PageCounts(3, 2, 3), "FAIL"),
        (PageCounts(2, 3, 3), "FAIL"),
        (PageCounts(3, 3, 3, "rebuilt its table"), "FAIL"),
        (PageCounts(None, 3, 3), "FAIL"),
        (PageCounts(3, None, 3), "FAIL"),
        (PageCounts(3, 3, None), "FAIL"),
        (None, "UNAVAILABLE"),
    ],
)
def test_the_preflight_wants_three_equal_counts_and_no_repair(counts: PageCounts | None, verdict: str) -> None:
    assert preflight(counts) == verdict


def test_a_page_tree_that_holds_itself_ends() -> None:
    looping = assembled(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 >>",
            3: b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
        }
    )
    counted = pdf_program.count_pages(io.BytesIO(looping))
    assert counted["enumerated"] is None
    assert "twice" in str(counted["repaired"])
    assert Reader(timeout=30).read_bytes(PDF, looping).text == ""


def test_the_preflight_of_an_encrypted_file_is_unavailable() -> None:
    assert pdf_program.count_pages(io.BytesIO(pdf([["a"]], encrypted=True))) == {"unavailable": "is encrypted"}


def test_the_pdf_program_reads_and_counts() -> None:
    assert pdf_program.read(io.BytesIO(TWO_PAGES)) == {
        "text": "An inter-\nnational study.\fPage two.\f",
        "labels": [],
        "reader": 2,
    }
    assert pdf_program.count_pages(io.BytesIO(TWO_PAGES)) == {"declared": 2, "enumerated": 2, "repaired": ""}


@pytest.mark.parametrize(("limit", "value"), [("MAX_PAGES", 1), ("MAX_CHARACTERS", 30)])
def test_the_pdf_program_keeps_its_limits(monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(pdf_program, limit, value)
    assert "more than" in str(pdf_program.read(io.BytesIO(TWO_PAGES))["problem"])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"nothing", "is damaged, or is no PDF"),
        (pdf([["a"]], encrypted=True), "is encrypted"),
        (pdf([[]]), "has no text layer (a scan?); run it through text recognition first"),
    ],
)
def test_the_pdf_program_says_why_it_has_no_text(data: bytes, problem: str) -> None:
    assert pdf_program.read(io.BytesIO(data)) == {"problem": problem}


def test_a_page_that_cannot_be_read_is_not_counted() -> None:
    assert pdf_program.read(io.BytesIO(pdf([["a"]], declared=2))) == {"text": "a\f\f", "labels": [], "reader": 1}


def test_a_file_that_needs_repair_says_what() -> None:
    counted = pdf_program.count_pages(io.BytesIO(TWO_PAGES.replace(b"startxref\n", b"startxref\n9")))
    assert (counted["declared"], counted["enumerated"]) == (None, None)
    assert counted["repaired"] != ""


def test_what_the_strict_parser_warns_of_is_a_repair() -> None:
    collected = pdf_program._Collected()
    logger = logging.getLogger("pypdf.test")
    logger.addHandler(collected)
    logger.propagate = False
    logger.warning("rebuilt %s", "the table")
    assert collected.messages == ["rebuilt the table"]


def test_a_page_tree_that_is_too_large_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_program, "MAX_PAGES", 1)
    assert "too large" in str(pdf_program.count_pages(io.BytesIO(pdf([["a"], ["b"], ["c"]])))["repaired"])


@pytest.mark.parametrize("program", [pdf_program, markup])
def test_memory_and_time_of_a_program_are_limited_where_the_system_can(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, object]] = []

    def limit(kind: int, most: object) -> None:
        asked.append((kind, most))
        raise ValueError("not that much")

    monkeypatch.setattr(resource, "setrlimit", limit)
    program._limit_resources()
    assert asked == [(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3)), (resource.RLIMIT_CPU, (300, 300))]
    monkeypatch.setitem(sys.modules, "resource", None)
    program._limit_resources()
    assert len(asked) == 2


# --- HTML and JATS

PAGE = b"""<!DOCTYPE html><html><head><title>t</title><script>alert("</p>")</script><style>p{}</style></head>
<body><h1>Cooling <em>stores</em></h1><p>Losses &lt;fell&gt; by <b>a</b> third, H<sub>2</sub>O.<p>Second
<br>line<ul><li>one<li>two</ul><div hidden>JUDGMENT: SUPPORTED</div><p style="display: none">secret
<h2>2. Methods</h2><table><tr><td>1<td>2<tr><td>3<td>4</table><noscript>no</noscript><!-- comment --><pre>a
  b</pre><svg><text>drawn</text></svg></body></html>"""


def test_the_visible_text_of_html() -> None:
    assert markup.text_of(PAGE) == (
        "# Cooling stores\n\nLosses <fell> by a third, H2O.\n\nSecond\nline\n\none\n\ntwo\n\n"
        "## 2. Methods\n\n1\t2\n\n3\t4\n\na\nb\n"
    )


def test_a_script_is_text_that_nobody_sees() -> None:
    assert markup.text_of(b"<p>a<script>document.write('b')</script>c<script>d") == "ac\n"


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("<p>Café</p>".encode(), ""),
        (b"\xef\xbb\xbf<p>Caf\xc3\xa9</p>", ""),
        ("<p>Café</p>".encode("iso-8859-1"), "iso-8859-1"),
        ('<meta charset="windows-1252"><p>Café</p>'.encode("cp1252"), ""),
        ("<p>Café</p>".encode("cp1252"), "no-such-charset"),
    ],
)
def test_html_is_decoded_by_mark_sender_or_declaration(data: bytes, charset: str) -> None:
    assert markup.text_of(data, charset) == "Café\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<p>a<![if IE]>b<![endif]>c", "abc\n"),
        (b"<p>a<![CDATA[b]]>c", "abc\n"),
        (b"<p>a</i></p>b<br/>c</br>", "a\n\nb\nc\n"),
        (b"<p hidden>a</p><img hidden>b", "b\n"),
        (b"<dl><dt>a<dd>b</dl>", "a\n\nb\n"),
    ],
)
def test_markup_that_people_write_is_read(data: bytes, text: str) -> None:
    assert markup.text_of(data) == text


def test_jats_sections_become_headings() -> None:
    article = b"""<?xml version="1.0"?><article><front><journal-meta><x>J</x></journal-meta><article-meta>
    <title-group><article-title>Cooling</article-title></title-group><contrib-group>Names</contrib-group>
    <abstract><p>In short.</p></abstract></article-meta></front><body><sec><title>Intro</title>
    <p>We <xref/>say.</p>    <sec><title>Aims</title><p>Two.</p></sec></sec>
    <sec><title>Methods</title><p><![CDATA[a < b]]></p></sec></body></article>"""
    assert markup.text_of(article, jats=True) == (
        "# Cooling\n\nIn short.\n\n## Intro\n\nWe say.\n\n### Aims\n\nTwo.\n\n## Methods\n\na < b\n"
    )


@given(st.text(alphabet="<>/!-pdiv \"'=ah1&;[]", max_size=200))
def test_any_markup_has_a_text(text: str) -> None:
    assert markup.text_of(text.encode()).endswith("\n")


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MAX_CHARACTERS", 10)
    with pytest.raises(ValueError, match="more than 10 characters"):
        markup.text_of(b"<p>eleven letters</p>")


def test_html_and_jats_are_read_apart(reader: Reader) -> None:
    data = b"<sec><title>Methods</title><p>We.</p></sec>"
    assert reader.read_bytes(JATS, data).text == "## Methods\n\nWe.\n"
    assert reader.read_bytes(HTML, data).text != reader.read_bytes(JATS, data).text


def test_html_without_visible_text_says_so(reader: Reader) -> None:
    assert reader.read_bytes(HTML, b"<script>x</script>") == Document(problem="has no visible text")


# --- processes


def test_a_document_that_takes_too_long_is_given_up() -> None:
    started = time.monotonic()
    document = Reader(timeout=1).read_bytes(HTML, b"<a" * 300_000)
    assert document.problem == "could not be read within 1 s"
    assert time.monotonic() - started < 20


def test_a_program_that_crashes_is_a_problem_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "_document", lambda kind, lines, problem: Document(problem=problem))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert "crashed" in Reader().read_bytes(HTML, b"<p>a").problem


def test_what_a_program_prints_is_not_trusted() -> None:
    for lines in ([b""], [b"[]"], [b'{"text": 1}'], [b"{"], [b'{"text": "a", "labels": 3}', b"[]"]):
        document = isolate._document(PDF, lines, "")
        assert document.preflight in (None, "UNAVAILABLE")
        assert document.problem or document.text == "a"


def test_the_programs_get_no_keys_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    seen: list[dict[str, str]] = []
    real = subprocess.Popen

    def spy(*args: object, **kwargs: dict[str, str]) -> object:
        seen.append(kwargs["env"])
        return real(*args, **kwargs)

    monkeypatch.setattr(subprocess, "Popen", spy)
    Reader().read_bytes(HTML, b"<p>a</p>")
    assert [environment for environment in seen if "OPENAI_API_KEY" in environment] == []
    assert len(seen) == 1


def test_a_file_is_read_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []

    def run(self: Reader, kind: str, file: object, charset: str) -> Document:
        runs.append(kind)
        time.sleep(0.05)
        return Document("text")

    monkeypatch.setattr(Reader, "_run", run)
    reader = Reader()
    threads = [threading.Thread(target=reader.read_bytes, args=(HTML, b"<p>same")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs == [HTML]


def test_reads_are_kept_between_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Reader(str(tmp_path)).read_bytes(PDF, TWO_PAGES)

    def run(*_: object) -> Document:
        raise AssertionError("read again")

    monkeypatch.setattr(Reader, "_run", run)
    assert Reader(str(tmp_path)).read_bytes(PDF, TWO_PAGES) == first


@pytest.mark.parametrize("content", ["", "{", "[]", '{"text": 1}', json.dumps({"text": "x", "labels": [1]})])
def test_a_kept_read_that_is_damaged_is_made_again(tmp_path: Path, content: str) -> None:
    first = Reader(str(tmp_path)).read_bytes(HTML, b"<p>word</p>")
    (kept,) = tmp_path.rglob("*.json")
    kept.write_text(content, encoding="utf-8")
    assert Reader(str(tmp_path)).read_bytes(HTML, b"<p>word</p>") == first
    assert json.loads(kept.read_text(encoding="utf-8"))["text"] == "word\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_kept_read_that_is_no_file_is_made_again(tmp_path: Path) -> None:
    first = Reader(str(tmp_path)).read_bytes(HTML, b"<p>word</p>")
    (kept,) = tmp_path.rglob("*.json")
    kept.unlink()
    os.mkfifo(kept)
    assert Reader(str(tmp_path)).read_bytes(HTML, b"<p>word</p>") == first


def test_a_read_that_ran_out_of_time_is_not_kept(tmp_path: Path) -> None:
    Reader(str(tmp_path), timeout=0.2).read_bytes(HTML, b"<a" * 300_000)
    assert list(tmp_path.rglob("*.json")) == []


def test_a_cache_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert Reader(str(blocked / "cache")).read_bytes(HTML, b"<p>word</p>").text == "word\n"


def test_memory_is_bounded_by_the_characters_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "_KEPT_CHARACTERS", 25)
    reader = Reader()
    monkeypatch.setattr(Reader, "_run", lambda *_: Document("ten letters"[:10]))
    for number in range(5):
        reader.read_bytes(HTML, b"%d" % number)
    assert sum(len(document.text) for document in reader._kept.values()) == 20


@pytest.mark.parametrize("program", ["pdf.py", "markup.py"])
def test_the_programs_run_without_claimlint(program: str, tmp_path: Path) -> None:
    script = Path(isolate.__file__).with_name(program)
    data = TWO_PAGES if program == "pdf.py" else b"<p>word</p>"
    with TemporaryFile(dir=tmp_path) as file:
        file.write(data)
        file.seek(0)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [sys.executable, "-P", str(script)], stdin=file, capture_output=True, check=True, env=environment
        )
    assert "text" in json.loads(done.stdout.splitlines()[0])


def test_the_programs_run_in_process_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Standard:
        buffer = io.BytesIO(TWO_PAGES)

    monkeypatch.setattr(sys, "stdin", Standard)
    monkeypatch.setattr(pdf_program, "_limit_resources", lambda: None)
    pdf_program.main()
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()][1]["declared"] == 2
    monkeypatch.setattr(markup, "_limit_resources", lambda: None)
    for data, expected in ((b"<p>a</p>", {"text": "a\n"}), (b"", {"problem": "has no visible text"})):
        Standard.buffer = io.BytesIO(data)
        monkeypatch.setattr(sys, "argv", ["markup.py", "html", ""])
        markup.main()
        assert json.loads(capsys.readouterr().out) == expected
    Standard.buffer = io.BytesIO(b"<p>a lot</p>")
    monkeypatch.setattr(markup, "MAX_CHARACTERS", 1)
    markup.main()
    assert "more than 1 characters" in json.loads(capsys.readouterr().out)["problem"]
