"""What a corpus row says about its source: DOI, arXiv id, addresses, file names, title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from claimlint.audit.normalise import normalise

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+", re.IGNORECASE)
_ARXIV = re.compile(r"(?<![\w.])(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(v\d+)?(?![\w/])", re.IGNORECASE)
_ARXIV_PLACE = re.compile(r"arxiv(?:\.org/(?:abs|pdf|html)/|[:. ]\s*)", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_PMCID = re.compile(r"PMC\d{1,9}", re.IGNORECASE)
_FILE_KEYS = ("source_pointer", "file")


@dataclass(frozen=True, slots=True)
class Identifiers:
    """How one source can be found; anything unknown is empty.

    ``doi`` is in lower case without a resolver's address, ``arxiv`` without ``arXiv:`` (with its version, when
    it names one), ``pmcid`` with its ``PMC``. ``urls`` are http and https addresses. ``files`` are paths or
    file names that the row points to. ``title`` is normalised and in lower case, ``year`` 0 when unknown.
    """

    doi: str = ""
    arxiv: str = ""
    pmcid: str = ""
    urls: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    title: str = ""
    year: int = 0

    @property
    def arxiv_bare(self) -> str:
        """The arXiv id without its version."""
        return re.sub(r"v\d+$", "", self.arxiv)


def identify(corpus: Mapping[str, object] | None) -> Identifiers:
    """The identifiers in a ``literature_corpus`` row or a bibliography entry; any value may have any type."""
    row = {str(key).casefold(): value for key, value in (corpus or {}).items()}
    addresses = tuple(
        dict.fromkeys(
            value
            for key in ("source_pointer", "url", "fulltext_url")
            if urlsplit_scheme(value := _text(row, key)) in ("http", "https")
        )
    )
    doi = _doi(_text(row, "doi")) or next((found for url in addresses if (found := _doi_of_url(url))), "")
    arxiv = _arxiv(row, doi, addresses)
    pmcid = _PMCID.search(_text(row, "pmcid"))
    return Identifiers(
        doi="" if _ARXIV_DOI.fullmatch(doi) else doi,
        arxiv=arxiv,
        pmcid=pmcid.group().upper() if pmcid else "",
        urls=addresses,
        files=tuple(
            dict.fromkeys(path for key in _FILE_KEYS for path in _files(_text(row, key), listed=key == "file"))
        ),
        title=title_key(_text(row, "title")),
        year=_year(row),
    )


def title_key(title: str) -> str:
    """A title for comparing: letters and digits only, in lower case."""
    plain = re.sub(r"<[^<>]*>|[{}\\]", "", title[:2000])
    return " ".join(re.findall(r"\w+", normalise(plain).casefold()))


def urlsplit_scheme(address: str) -> str:
    """The scheme of an address in lower case; empty when it has none or is none."""
    try:
        return urlsplit(address).scheme.lower()
    except ValueError:
        return ""


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    return value.strip()[:4000] if isinstance(value, str) else ""


def _doi(value: str) -> str:
    found = _DOI.search(unquote(value))
    doi = found.group().lower() if found else ""
    while doi.endswith((".", ",", ";", "]", "}")) or (doi.endswith(")") and "(" not in doi):
        doi = doi[:-1]
    # A DOI becomes part of an address, in which dots as a whole step would lead elsewhere.
    return "" if {".", ".."} & set(doi.split("/")) else doi


def _doi_of_url(url: str) -> str:
    host = urlsplit(url).netloc.lower()
    return _doi(url) if host.removeprefix("www.") in ("doi.org", "dx.doi.org") else ""


def _arxiv(row: Mapping[str, object], doi: str, addresses: tuple[str, ...]) -> str:
    stated = _text(row, "arxiv_id") or _text(row, "arxiv")
    if not stated and _text(row, "archiveprefix").casefold() == "arxiv":
        stated = _text(row, "eprint")
    inside = _ARXIV_DOI.fullmatch(doi)
    for value in (stated, inside[1] if inside else ""):
        found = _ARXIV.search(_ARXIV_PLACE.sub("", value, count=1))
        if found:
            return found.group().lower()
    for url in addresses:
        place = _ARXIV_PLACE.search(url)
        found = _ARXIV.match(url, place.end()) if place else None
        if found:
            return found.group().lower()
    return ""


def _files(value: str, *, listed: bool) -> list[str]:
    """The paths in a pointer: a file address, a plain path, or (``listed``) what a reference manager writes."""
    scheme = "" if listed and not value.startswith("file:") else urlsplit_scheme(value)
    if scheme == "file":
        parts = urlsplit(value)
        path = unquote(parts.path)
        return [path] if path and parts.netloc in ("", "localhost") else []
    if len(scheme) > 1 or "\0" in value:
        return []
    paths: list[str] = []
    for item in value.split(";"):
        # JabRef and Zotero write description:path:type.
        fields = item.strip().split(":")
        path = fields[1] if len(fields) == 3 and fields[1] else item.strip()
        if path and "." in path:
            paths.append(path)
    return paths


def _year(row: Mapping[str, object]) -> int:
    value: object = row.get("year")
    issued = row.get("issued")
    if value is None and isinstance(issued, Mapping):
        value = issued.get("date-parts")
        while isinstance(value, list) and value:
            value = value[0]
    found = re.search(r"\b(1[5-9]\d\d|20\d\d)\b", str(value)) if isinstance(value, int | str) else None
    return int(found.group()) if found else 0
