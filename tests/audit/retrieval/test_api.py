"""The indexes: who is asked for what, what their answers lead to, and when a source is called not found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.retrieval import RetrieverContext, indexes
from claimlint.audit.retrieval.api import base_urls, make, web_options
from claimlint.audit.types import Retrieved
from claimlint.audit_settings import OnlineSettings
from claimlint.errors import SettingsError
from tests.audit.retrieval.conftest import Net
from tests.pdf_writer import pdf

DOI = "10.1000/x.1"
PAPER = pdf([["Losses fell by a third."], ["Page two."]])
TEXT = "Losses fell by a third.\fPage two.\f"


def feed(*ids: str) -> str:
    entries = "".join(f"<entry><id>http://arxiv.org/abs/{each}v1</id></entry>" for each in ids)
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><id>x</id>{entries}</feed>'


def registered(net: Net, agency: str = "Crossref") -> None:
    net.put(f"/doi/ra/{DOI}", [{"DOI": DOI, "RA": agency}])
    if agency == "Crossref":
        net.put(f"/crossref/works/{DOI}", {"message": {"DOI": DOI}})
    else:
        net.put(f"/datacite/dois/{DOI}", {"data": {"attributes": {"doi": DOI}}})


def openalex(net: Net, *copies: str) -> None:
    places = [{"pdf_url": net.url(copy)} for copy in copies]
    net.put(
        f"/openalex/works/doi:{DOI}",
        {"id": "W1", "best_oa_location": places[0] if places else None, "locations": places},
    )


# --- arXiv


def test_an_arxiv_paper_comes_as_pdf(net: Net) -> None:
    net.put("/arxiv/api/query", feed("2101.00001"))
    net.put("/arxiv-files/pdf/2101.00001v2", PAPER)
    found = net.retrieve({"arxiv_id": "2101.00001v2"})
    assert (found.method, found.text, found.preflight) == ("api", TEXT, None)


def test_an_id_that_arxiv_does_not_know_is_not_found(net: Net) -> None:
    net.put("/arxiv/api/query", feed())
    found = net.retrieve({"arxiv_id": "2101.99999"})
    assert (found.method, found.detail) == ("not_found", "arXiv, 2101.99999: no record")


def test_the_entry_of_another_paper_is_not_the_paper(net: Net) -> None:
    net.put("/arxiv/api/query", feed("2101.00002"))
    assert net.retrieve({"arxiv_id": "2101.00001"}).method == "not_found"


def test_a_paper_is_fetched_though_its_index_is_down(net: Net) -> None:
    net.put("/arxiv/api/query", status=503)
    net.put("/arxiv-files/pdf/2101.00001", PAPER)
    assert net.retrieve({"arxiv_id": "2101.00001"}).text == TEXT


# --- DOI


def test_a_doi_is_looked_up_at_its_agency_and_its_open_copy_is_fetched(net: Net) -> None:
    registered(net)
    openalex(net, "/copy.pdf")
    net.put("/copy.pdf", PAPER)
    found = net.retrieve({"doi": f"https://doi.org/{DOI.upper()}"})
    assert found == Retrieved("api", TEXT, detail=net.url("/copy.pdf"))
    assert f"/datacite/dois/{DOI}" not in net.seen


def test_the_other_agency_is_not_asked_for_a_datacite_doi(net: Net) -> None:
    registered(net, "DataCite")
    net.put(f"/datacite/dois/{DOI}", {"data": {"attributes": {"contentUrl": [net.url("/file.pdf"), 3]}}})
    net.put("/file.pdf", PAPER)
    assert net.retrieve({"doi": DOI}).text == TEXT
    assert f"/crossref/works/{DOI}" not in net.seen


@pytest.mark.parametrize("status", ["DOI does not exist", "Invalid DOI", "Unknown prefix"])
@pytest.mark.parametrize("http", [200, 404])
def test_a_doi_that_nobody_knows_is_not_found(net: Net, status: str, http: int) -> None:
    net.put(f"/doi/ra/{DOI}", [{"DOI": DOI, "status": status}], status=http)
    found = net.retrieve({"doi": DOI, "title": "Some title"})
    assert found.method == "not_found"
    asked = {path.split("/")[1] for path in net.seen}
    assert asked == {"doi", "crossref", "datacite", "openalex", "europepmc"}


def test_a_doi_that_an_index_knows_is_not_called_fabricated(net: Net) -> None:
    net.put(f"/doi/ra/{DOI}", [{"DOI": DOI, "status": "DOI does not exist"}])
    openalex(net)
    assert net.retrieve({"doi": DOI}).method == "failed"


def test_an_index_that_is_down_leaves_the_question_open(net: Net) -> None:
    net.put(f"/doi/ra/{DOI}", [{"DOI": DOI, "status": "DOI does not exist"}])
    net.put(f"/crossref/works/{DOI}", status=502)
    found = net.retrieve({"doi": DOI})
    assert (found.method, found.fault) == ("audit_tool_failure", "retrieval_api_error")


def test_a_known_doi_without_an_open_copy_is_failed(net: Net) -> None:
    registered(net)
    found = net.retrieve({"doi": DOI})
    assert found.method == "failed"


def test_a_copy_that_may_not_be_read_gives_way_to_the_next(net: Net) -> None:
    registered(net)
    openalex(net, "/closed.pdf", "/scan.pdf", "/open.pdf")
    net.put("/closed.pdf", status=403)
    net.put("/scan.pdf", pdf([[]]))
    net.put("/open.pdf", PAPER)
    assert net.retrieve({"doi": DOI}).text == TEXT


def test_a_sign_in_page_under_the_name_of_a_pdf_is_no_text(net: Net) -> None:
    registered(net)
    openalex(net, "/paper.pdf")
    net.put("/paper.pdf", b"<html><body>Please sign in</body></html>")
    found = net.retrieve({"doi": DOI})
    assert found.method == "failed"
    assert "a page about the source" in found.detail


def test_unpaywall_is_asked_with_the_contact_address_only(net: Net) -> None:
    registered(net)
    net.put(f"/unpaywall/v2/{DOI}", {"doi": DOI, "best_oa_location": {"url_for_pdf": net.url("/copy.pdf")}})
    net.put("/copy.pdf", PAPER)
    assert net.retrieve({"doi": DOI}).method == "failed"
    assert net.retrieve({"doi": DOI}, contact="me@example.org").text == TEXT


def test_europe_pmc_gives_the_text_of_an_article(net: Net) -> None:
    registered(net)
    net.put("/europepmc/search", {"resultList": {"result": [{"pmcid": "PMC77"}, {"pmcid": "../x"}]}})
    net.put(
        "/europepmc/PMC77/fullTextXML",
        "<article><body><sec><title>Aims</title><p>Two.</p></sec></body></article>",
        kind="application/xml",
    )
    assert net.retrieve({"doi": DOI}).text == "## Aims\n\nTwo.\n"


def test_a_pmc_id_alone_is_enough(net: Net) -> None:
    net.put("/europepmc/PMC77/fullTextXML", "<article><p>Two.</p></article>", kind="text/xml")
    assert net.retrieve({"pmcid": "PMC77"}).text == "Two.\n"


def test_the_links_of_crossref_are_tried_last(net: Net) -> None:
    links = [
        {"URL": net.url("/a.xml"), "content-type": "text/xml"},
        {"URL": net.url("/a.pdf"), "content-type": "application/pdf"},
        {"URL": "ftp://example.org/a.pdf", "content-type": "application/pdf"},
    ]
    net.put(f"/doi/ra/{DOI}", [{"DOI": DOI, "RA": "Crossref"}])
    net.put(f"/crossref/works/{DOI}", {"message": {"DOI": DOI, "link": links}})
    net.put("/a.pdf", PAPER)
    assert net.retrieve({"doi": DOI}).text == TEXT
    assert "/a.xml" not in net.seen


# --- title and address


def test_a_title_that_crossref_knows_leads_to_its_doi(net: Net) -> None:
    items = [
        {"title": ["Other"], "DOI": "10.1000/other"},
        {"title": ["Cooling  Stores:"], "DOI": DOI.upper(), "issued": {"date-parts": [[2024]]}},
    ]
    net.put("/crossref/works", {"message": {"items": items}})
    registered(net)
    openalex(net, "/copy.pdf")
    net.put("/copy.pdf", PAPER)
    assert net.retrieve({"title": "Cooling stores", "year": 2023}).text == TEXT


def test_a_work_of_the_same_title_from_another_time_is_another_work(net: Net) -> None:
    works = [{"title": "Cooling stores", "doi": f"https://doi.org/{DOI}", "publication_year": 1999}]
    net.put("/crossref/works", {"message": {"items": []}})
    net.put("/openalex/works", {"results": works})
    assert net.retrieve({"title": "Cooling stores", "year": 2023}).method == "failed"
    assert f"/doi/ra/{DOI}" not in net.seen


def test_a_title_that_no_index_lists_is_failed_and_not_called_fabricated(net: Net) -> None:
    net.put("/crossref/works", {"message": {"items": []}})
    net.put("/openalex/works", {"results": []})
    assert net.retrieve({"title": "Cooling stores"}) == Retrieved(
        "failed", detail="Crossref, by title: no record; OpenAlex, by title: no record"
    )


@pytest.mark.parametrize("corpus", [None, {}, {"venue": "Journal"}])
def test_a_source_of_which_nothing_is_known_is_failed(net: Net, corpus: dict[str, object] | None) -> None:
    found = net.retrieve(corpus)
    assert (found.method, net.seen) == ("failed", [])


def test_a_web_page_may_be_the_source(net: Net) -> None:
    net.put("/page", "<h1>Report</h1><p>Losses fell.</p><script>x</script>", kind="text/html; charset=utf-8")
    assert net.retrieve({"source_pointer": net.url("/page")}).text == "# Report\n\nLosses fell.\n"


def test_a_long_page_is_the_text_of_a_source_with_an_id(net: Net) -> None:
    registered(net)
    net.put("/page", f"<p>{'Losses fell. ' * 1000}</p>", kind="text/html")
    assert net.retrieve({"doi": DOI, "url": net.url("/page")}).method == "api"


def test_a_page_that_is_gone_does_not_make_a_source_fabricated(net: Net) -> None:
    assert net.retrieve({"source_pointer": net.url("/gone")}).method == "failed"


def test_page_labels_come_along(net: Net) -> None:
    net.put("/a.pdf", pdf([["a"], ["b"]], labels="0 << /S /r >>"))
    assert net.retrieve({"url": net.url("/a.pdf")}).labels == ("i", "ii")


def test_an_identifier_cannot_leave_its_place_in_the_address(net: Net) -> None:
    net.retrieve({"doi": "10.1000/x?y=1#z&w/a"})
    assert "/doi/ra/10.1000/x?y=1#z&w/a" in net.seen
    net.retrieve({"doi": "10.1000/x/../../../secret"})
    assert [
        path
        for path in net.seen
        if not path.startswith(("/doi/", "/crossref/", "/datacite/", "/openalex/", "/europepmc/"))
    ] == []


# --- settings


def test_the_addresses_of_the_indexes_come_from_the_settings() -> None:
    urls = base_urls(OnlineSettings(urls={"crossref": "https://mirror.example/crossref/"}))
    assert urls["crossref"] == "https://mirror.example/crossref"
    assert urls["doi"] == "https://doi.org"


@pytest.mark.parametrize(
    ("urls", "says"),
    [
        ({"crosref": "https://x.example"}, "did you mean crossref"),
        ({"scopus": "https://x.example"}, "no such index; there are arxiv"),
        ({"doi": "doi.org"}, "is no http address"),
    ],
)
def test_a_wrong_setting_is_named(urls: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        base_urls(OnlineSettings(urls=urls))
    with pytest.raises(SettingsError, match="is no address"):
        web_options(OnlineSettings(urls={"doi": "https://x:port"}), None)


def test_the_addresses_that_the_user_sets_may_be_private() -> None:
    options = web_options(
        OnlineSettings(urls={"doi": "http://localhost:8080/a", "openalex": "https://oa.example"}), None
    )
    assert options.allowed == {"localhost:8080", "oa.example:443"}


def test_the_retriever_is_made_from_the_settings(tmp_path: Path) -> None:
    context = RetrieverContext(cache_dir=str(tmp_path), allow_online=True)
    assert make("", context).name == "api"


# --- reading answers

READERS = [
    indexes.doi_agency,
    indexes.crossref_work,
    indexes.crossref_search,
    indexes.datacite_doi,
    indexes.openalex_work,
    indexes.openalex_search,
    indexes.unpaywall_doi,
    indexes.europepmc_search,
    lambda body: indexes.arxiv_feed(body, "2101.00001"),
]
GARBAGE = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"3",
    b'"x"',
    b"<html>",
    b"[" * 10_000,
    b"\xff\xfe",
    b'{"message": 3, "data": []}',
    b'[{"RA": 3}]',
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("body", GARBAGE)
def test_garbage_is_called_garbage(reader: object, body: bytes) -> None:
    assert reader(body).word == "garbage"  # type: ignore[operator]


KEYS = (
    "message items title DOI doi link URL data attributes contentUrl id RA best_oa_location locations "
    "oa_locations results resultList result pmcid issued status date-parts pdf_url url_for_pdf"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_answer_is_read_without_a_crash(value: object) -> None:
    body = json.dumps(value).encode()
    assert {reader(body).word for reader in READERS} <= {"record", "no record", "garbage"}  # type: ignore[operator]
