"""The indexes of published works: how each is asked, and how its answer is read.

Every function returns a ``Record``: the word for the outcome table (``record``, ``no record`` or ``garbage``) and
what the record leads to. Answers are somebody else's data: any value may have any type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from claimlint.audit.retrieval.identifiers import title_key, urlsplit_scheme

DEFAULT_URLS = {
    "arxiv": "https://export.arxiv.org",
    "arxiv-files": "https://arxiv.org",
    "crossref": "https://api.crossref.org",
    "datacite": "https://api.datacite.org",
    "doi": "https://doi.org",
    "europepmc": "https://www.ebi.ac.uk/europepmc/webservices/rest",
    "openalex": "https://api.openalex.org",
    "unpaywall": "https://api.unpaywall.org",
}
"""The base addresses, by the names that the setting ``online.urls`` knows."""

_FEED_ID = re.compile(r"<id>\s*https?://arxiv\.org/abs/([^<\s]{1,60})\s*</id>")


@dataclass(frozen=True, slots=True)
class Record:
    """What an index answered.

    ``word`` is ``record``, ``no record`` or ``garbage``. ``agency`` is a registration agency, ``pdfs`` are
    addresses of PDF files, ``articles`` PMC ids whose text Europe PMC has, ``works`` (title key, year, DOI) of
    works that a search found.
    """

    word: str
    agency: str = ""
    pdfs: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    works: tuple[tuple[str, int, str], ...] = ()


GARBAGE = Record("garbage")
NO_RECORD = Record("no record")


def doi_agency(body: bytes) -> Record:
    """doi.org's answer on who registered a DOI: ``[{"DOI", "RA"}]``, or a ``status`` when it does not exist."""
    first = next(_objects(_json(body)), None)
    if first is None:
        return GARBAGE
    if isinstance(first.get("RA"), str):
        return Record("record", agency=str(first["RA"]))
    status = str(first.get("status", "")).casefold()
    denied = "does not exist" in status or "invalid doi" in status or "unknown prefix" in status
    return NO_RECORD if denied else GARBAGE


def arxiv_feed(body: bytes, wanted: str) -> Record:
    """arXiv's Atom feed for one id, without version: an entry with that id, or none."""
    text = body.decode("utf-8", "replace")
    if "<feed" not in text or "</feed>" not in text:
        return GARBAGE
    found = {re.sub(r"v\d+$", "", match[1]).lower() for match in _FEED_ID.finditer(text)}
    return Record("record") if wanted.lower() in found else NO_RECORD


def crossref_work(body: bytes) -> Record:
    """A work of Crossref; the PDF addresses are those that its publisher gave."""
    work = _member(_json(body), "message")
    if not isinstance(work, dict) or not work.get("DOI"):
        return GARBAGE
    links = (link for link in _objects(work.get("link")) if link.get("content-type") == "application/pdf")
    return Record("record", pdfs=_addresses(link.get("URL") for link in links))


def crossref_search(body: bytes) -> Record:
    """The works that Crossref finds by title."""
    items = _member(_member(_json(body), "message"), "items")
    if not isinstance(items, list):
        return GARBAGE
    works: list[tuple[str, int, str]] = []
    for item in _objects(items):
        title, doi = item.get("title"), item.get("DOI")
        parts = _member(item.get("issued"), "date-parts")
        while isinstance(parts, list) and parts:
            parts = parts[0]
        if isinstance(title, list) and title and isinstance(title[0], str) and isinstance(doi, str):
            works.append((title_key(title[0]), parts if isinstance(parts, int) else 0, doi.lower()))
    return Record("record" if works else "no record", works=tuple(works))


def datacite_doi(body: bytes) -> Record:
    """A DOI of DataCite; its ``contentUrl`` leads to files."""
    attributes = _member(_member(_json(body), "data"), "attributes")
    if not isinstance(attributes, dict):
        return GARBAGE
    content = attributes.get("contentUrl")
    return Record("record", pdfs=_addresses(content if isinstance(content, list) else [content]))


def openalex_work(body: bytes) -> Record:
    """A work of OpenAlex with the open copies that it knows."""
    work = _json(body)
    if not isinstance(work, dict) or not isinstance(work.get("id"), str):
        return GARBAGE
    places = [work.get("best_oa_location"), work.get("primary_location")]
    locations = work.get("locations")
    places += locations if isinstance(locations, list) else []
    return Record("record", pdfs=_addresses(_member(place, "pdf_url") for place in places))


def openalex_search(body: bytes) -> Record:
    """The works that OpenAlex finds by title."""
    items = _member(_json(body), "results")
    if not isinstance(items, list):
        return GARBAGE
    works: list[tuple[str, int, str]] = []
    for item in _objects(items):
        title, doi, year = item.get("title"), item.get("doi"), item.get("publication_year")
        if isinstance(title, str) and isinstance(doi, str):
            bare = re.sub(r"^https?://doi\.org/", "", doi.lower())
            works.append((title_key(title), year if isinstance(year, int) else 0, bare))
    return Record("record" if works else "no record", works=tuple(works))


def unpaywall_doi(body: bytes) -> Record:
    """A DOI of Unpaywall with its open copies."""
    work = _json(body)
    if not isinstance(work, dict) or not isinstance(work.get("doi"), str):
        return GARBAGE
    places = [work.get("best_oa_location")]
    locations = work.get("oa_locations")
    places += locations if isinstance(locations, list) else []
    return Record("record", pdfs=_addresses(_member(place, "url_for_pdf") for place in places))


def europepmc_search(body: bytes) -> Record:
    """The articles that Europe PMC finds for a DOI, and the ids of those whose text it has."""
    found = _member(_member(_json(body), "resultList"), "result")
    if not isinstance(found, list):
        return GARBAGE
    ids: list[str] = []
    for item in _objects(found):
        pmcid = item.get("pmcid")
        if isinstance(pmcid, str) and re.fullmatch(r"PMC\d{1,9}", pmcid):
            ids.append(pmcid)
    return Record("record" if found else "no record", articles=tuple(dict.fromkeys(ids)))


def path(identifier: str) -> str:
    """An identifier as part of an address; the slash of a DOI stays one."""
    return quote(identifier, safe="/")


def _json(body: bytes) -> object:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value


def _member(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _objects(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _addresses(values: Iterator[object] | list[object]) -> tuple[str, ...]:
    found = (value for value in values if isinstance(value, str) and urlsplit_scheme(value) in ("http", "https"))
    return tuple(dict.fromkeys(address[:2000] for address in found))
