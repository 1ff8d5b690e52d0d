"""What a corpus row says about where its source is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.retrieval.identifiers import Identifiers, identify


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (None, Identifiers()),
        ({}, Identifiers()),
        ({"doi": "10.1000/ABC"}, Identifiers(doi="10.1000/abc")),
        ({"DOI": "https://doi.org/10.1000/abc."}, Identifiers(doi="10.1000/abc")),
        ({"doi": "doi:10.1000/a(b)c"}, Identifiers(doi="10.1000/a(b)c")),
        ({"doi": "(10.1000/abc)"}, Identifiers(doi="10.1000/abc")),
        ({"doi": "10.1000/(abc)"}, Identifiers(doi="10.1000/(abc)")),
        ({"doi": "10.1000/x/../../y"}, Identifiers()),
        ({"doi": "none"}, Identifiers()),
        ({"doi": 10.1}, Identifiers()),
        ({"arxiv_id": "arXiv:2101.00001v2"}, Identifiers(arxiv="2101.00001v2")),
        ({"arxiv_id": "hep-th/9901001"}, Identifiers(arxiv="hep-th/9901001")),
        ({"doi": "10.48550/arXiv.2101.00001"}, Identifiers(arxiv="2101.00001")),
        ({"eprint": "2101.00001", "archivePrefix": "arXiv"}, Identifiers(arxiv="2101.00001")),
        ({"eprint": "2101.00001"}, Identifiers()),
        ({"pmcid": "pmc123"}, Identifiers(pmcid="PMC123")),
        (
            {"source_pointer": "https://arxiv.org/abs/2101.00001"},
            Identifiers(arxiv="2101.00001", urls=("https://arxiv.org/abs/2101.00001",)),
        ),
        (
            {"source_pointer": "https://doi.org/10.1000/abc"},
            Identifiers(doi="10.1000/abc", urls=("https://doi.org/10.1000/abc",)),
        ),
        ({"url": "https://example.org/10.1000/abc"}, Identifiers(urls=("https://example.org/10.1000/abc",))),
        ({"source_pointer": "file:///a/b%20c.pdf"}, Identifiers(files=("/a/b c.pdf",))),
        ({"source_pointer": "file:b.pdf"}, Identifiers(files=("b.pdf",))),
        ({"source_pointer": "file://server/b.pdf"}, Identifiers()),
        ({"source_pointer": "papers/b.pdf"}, Identifiers(files=("papers/b.pdf",))),
        ({"source_pointer": "zotero://select/items/1_AB"}, Identifiers()),
        ({"source_pointer": "http://[bad"}, Identifiers()),
        ({"file": "PDF:/a/b.pdf:application/pdf;c.pdf"}, Identifiers(files=("/a/b.pdf", "c.pdf"))),
        ({"title": "The {Big} <i>Study</i>:  Part-One"}, Identifiers(title="the big study partone")),
        ({"year": 2020}, Identifiers(year=2020)),
        ({"year": "c. 1999"}, Identifiers(year=1999)),
        ({"issued": {"date-parts": [[2018, 4]]}}, Identifiers(year=2018)),
        ({"issued": {"date-parts": []}}, Identifiers()),
    ],
)
def test_a_row_is_read(row: dict[str, object] | None, expected: Identifiers) -> None:
    assert identify(row) == expected


def test_the_version_of_an_arxiv_id_can_be_left_out() -> None:
    assert identify({"arxiv_id": "2101.00001v12"}).arxiv_bare == "2101.00001"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20), lambda inner: st.lists(inner, max_size=2)
)


@given(
    st.dictionaries(
        st.sampled_from(["doi", "arxiv_id", "source_pointer", "url", "file", "title", "year", "issued", "pmcid"]),
        VALUES,
    )
)
def test_any_row_is_read_without_a_crash(row: dict[str, object]) -> None:
    assert isinstance(identify(row), Identifiers)
