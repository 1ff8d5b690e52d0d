"""Sources from the open indexes and archives of the web, used with ``--online`` only.

What is known of a source decides who is asked: arXiv for an arXiv id; doi.org for a DOI, then the agency that
registered it, then Unpaywall, OpenAlex and Europe PMC for an open copy; Crossref and OpenAlex by title when
there is no id; the address in the corpus row last. Asking stops at the first text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from claimlint.audit.retrieval import indexes
from claimlint.audit.retrieval.identifiers import Identifiers, identify
from claimlint.audit.retrieval.indexes import DEFAULT_URLS, Record, path
from claimlint.audit.retrieval.isolate import HTML, JATS, PDF, Document, Reader
from claimlint.audit.retrieval.local import decode
from claimlint.audit.retrieval.outcomes import Answer, Asked, Says, classify, conclude
from claimlint.audit.retrieval.transport import WebOptions
from claimlint.audit.retrieval.web import Fetched, Web
from claimlint.audit.types import METHOD_FAILED, Retrieved
from claimlint.audit.words import scrub
from claimlint.errors import SettingsError

if TYPE_CHECKING:
    from claimlint.audit.retrieval import RetrieverContext
    from claimlint.audit.types import RetrievalRequest
    from claimlint.audit_settings import OnlineSettings

_MAX_RECORD = 5_000_000
"""The largest answer of an index, in bytes."""

_MAX_COPIES = 6
"""How many addresses of open copies are tried for one source."""

_LANDING_PAGE = 8_000
"""A web page with less text, in characters, is taken for a landing page when the source has an id."""


class ApiRetriever:
    """Looks sources up in the indexes and fetches open texts; safe to use from several threads."""

    name = "api"

    def __init__(self, web: Web, urls: dict[str, str], reader: Reader, contact: str | None) -> None:
        self._web = web
        self._urls = urls
        self._reader = reader
        self._contact = contact

    def retrieve(self, request: RetrievalRequest) -> Retrieved | None:
        """The text of an open copy, or what is known about the source without one."""
        identifiers = identify(request.corpus)
        inquiry = _Inquiry(self._web, self._urls, self._reader, self._contact)
        inquiry.run(identifiers)
        concluded = conclude(inquiry.answers)
        if concluded is not None:
            return concluded
        detail = f"{request.slug} has no DOI, arXiv id, address or title to look it up by"
        return Retrieved(METHOD_FAILED, detail=detail)


def make(argument: str, context: RetrieverContext) -> ApiRetriever:
    """The retriever ``api``. Raises UsageError when its libraries are missing, SettingsError for its settings."""
    del argument
    online = context.online
    web = Web(web_options(online, context.cache_dir))
    return ApiRetriever(web, base_urls(online), context.reader, online.contact)


def base_urls(online: OnlineSettings) -> dict[str, str]:
    """The base address of every index; raises SettingsError for a name that is none or a value that is no URL."""
    for name, address in online.urls.items():
        if name not in DEFAULT_URLS:
            from difflib import get_close_matches

            near = get_close_matches(name, DEFAULT_URLS, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(DEFAULT_URLS))}"
            raise SettingsError(f"online.urls.{name}: no such index{hint}")
        if not address.startswith(("https://", "http://")):
            raise SettingsError(f"online.urls.{name}: {address!r} is no http address")
    return {name: online.urls.get(name, address).rstrip("/") for name, address in DEFAULT_URLS.items()}


def web_options(online: OnlineSettings, cache_dir: str | None) -> WebOptions:
    """How the network is used under these settings; the addresses that the user sets may be private."""
    allowed: set[str] = set()
    for address in online.urls.values():
        try:
            parts = urlsplit(address)
            allowed.add(f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}")
        except ValueError as error:
            raise SettingsError(f"online.urls: {address!r} is no address") from error
    return WebOptions(
        contact=online.contact,
        timeout=online.timeout,
        max_bytes=online.max_bytes,
        allow_private=online.allow_private,
        allowed=frozenset(allowed),
        cache_dir=cache_dir,
    )


class _Inquiry:
    """All that is asked about one source."""

    def __init__(self, web: Web, urls: dict[str, str], reader: Reader, contact: str | None) -> None:
        self.answers: list[Answer] = []
        self._web = web
        self._urls = urls
        self._reader = reader
        self._contact = contact
        self._tried: set[str] = set()

    def run(self, known: Identifiers) -> None:
        """Ask until there is a text or nobody is left."""
        if known.arxiv:
            self._arxiv(known)
        if known.doi and not self._done():
            self._doi(known.doi)
        if known.pmcid and not self._done():
            self._article(known.pmcid)
        has_id = bool(known.arxiv or known.doi or known.pmcid)
        if known.title and not has_id:
            self._by_title(known)
        for address in known.urls:
            if not self._done() and not (has_id and _is_resolver(address)):
                self._text(address, page=not has_id)

    def _done(self) -> bool:
        return any(answer.line.says is Says.TEXT for answer in self.answers)

    def _arxiv(self, known: Identifiers) -> None:
        bare = known.arxiv_bare
        self._record(
            Asked.AUTHORITY,
            f"{self._urls['arxiv']}/api/query?id_list={path(bare)}&max_results=1",
            lambda body: indexes.arxiv_feed(body, bare),
            f"arXiv, {known.arxiv}",
        )
        if self.answers[-1].line.says is not Says.UNKNOWN:
            self._text(f"{self._urls['arxiv-files']}/pdf/{path(known.arxiv)}")

    def _doi(self, doi: str) -> None:
        agency = self._record(
            Asked.AUTHORITY, f"{self._urls['doi']}/ra/{path(doi)}", indexes.doi_agency, f"doi.org, {doi}"
        ).agency.casefold()
        copies: list[str] = []
        mail = f"?mailto={quote(self._contact)}" if self._contact else ""
        # Who did not register a DOI need not know it, so only when nobody is named are both asked.
        if agency != "datacite":
            address = f"{self._urls['crossref']}/works/{path(doi)}{mail}"
            copies += self._record(Asked.INDEX, address, indexes.crossref_work, f"Crossref, {doi}").pdfs
        if agency != "crossref":
            address = f"{self._urls['datacite']}/dois/{path(doi)}"
            copies += self._record(Asked.INDEX, address, indexes.datacite_doi, f"DataCite, {doi}").pdfs
        open_copies: list[str] = []
        if self._contact:
            address = f"{self._urls['unpaywall']}/v2/{path(doi)}?email={quote(self._contact)}"
            open_copies += self._record(Asked.INDEX, address, indexes.unpaywall_doi, f"Unpaywall, {doi}").pdfs
        address = f"{self._urls['openalex']}/works/doi:{path(doi)}{mail}"
        open_copies += self._record(Asked.INDEX, address, indexes.openalex_work, f"OpenAlex, {doi}").pdfs
        query = quote(f'DOI:"{doi}"', safe="")
        address = f"{self._urls['europepmc']}/search?query={query}&format=json&resultType=lite"
        articles = self._record(Asked.INDEX, address, indexes.europepmc_search, f"Europe PMC, {doi}").articles
        for article in articles[:1]:
            self._article(article)
        for copy in [*open_copies, *copies][:_MAX_COPIES]:
            if not self._done():
                self._text(copy)

    def _article(self, pmcid: str) -> None:
        self._text(f"{self._urls['europepmc']}/{path(pmcid)}/fullTextXML", jats=True)

    def _by_title(self, known: Identifiers) -> None:
        words = quote(known.title[:300], safe="")
        crossref = f"{self._urls['crossref']}/works?query.bibliographic={words}&rows=5"
        openalex = f"{self._urls['openalex']}/works?search={words}&per-page=5"
        for address, read, name in (
            (crossref, indexes.crossref_search, "Crossref"),
            (openalex, indexes.openalex_search, "OpenAlex"),
        ):
            found = self._record(Asked.INDEX, address, _same_title(read, known), f"{name}, by title")
            if found.works:
                self._doi(found.works[0][2])
                return

    def _record(self, asked: Asked, address: str, read: Callable[[bytes], Record], name: str) -> Record:
        fetched = self._web.get(address, accept="application/json, application/atom+xml", most=_MAX_RECORD)
        if fetched.answer.startswith("2"):
            record = read(fetched.body)
            word = record.word
        else:
            record, word = indexes.GARBAGE, fetched.answer
            # doi.org answers a DOI that is not there with 404 and a status that says so.
            if asked is Asked.AUTHORITY and word in ("400", "404") and read(fetched.body) == indexes.NO_RECORD:
                record, word = indexes.NO_RECORD, "no record"
        self.answers.append(classify(asked, word, f"{name}: {word}"))
        return record

    def _text(self, address: str, *, page: bool = False, jats: bool = False) -> None:
        """Fetch what may be the source's text; ``page`` says that a web page may be the source itself."""
        if address in self._tried:
            return
        self._tried.add(address)
        fetched = self._web.get(address, accept="application/pdf, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5")
        self.answers.append(self._read(fetched, address, page=page, jats=jats))

    def _read(self, fetched: Fetched, address: str, *, page: bool, jats: bool) -> Answer:
        shown = scrub(address)[:300]
        if not fetched.answer.startswith("2"):
            return classify(Asked.ADDRESS, fetched.answer, f"{shown}: {fetched.answer}")
        kind = _kind(fetched, jats=jats)
        if kind == "text":
            document = Document(decode(fetched.body) or "", problem="has no text")
        elif kind:
            document = self._reader.read_bytes(kind, fetched.body, fetched.charset if kind == HTML else "")
        else:
            stated = scrub(fetched.content_type)[:60] or "no content type"
            return classify(Asked.ADDRESS, "other content type", f"{shown}: holds {stated}, which is no text")
        if not document.text.strip():
            word = "garbage" if kind == PDF and "damaged" in document.problem else "no text in it"
            return classify(Asked.ADDRESS, word, f"{shown}: {document.problem}")
        if kind == HTML and not page and len(document.text) < _LANDING_PAGE:
            return classify(Asked.ADDRESS, "landing page", f"{shown}: a page about the source, not its text")
        return classify(Asked.ADDRESS, "text", shown, document.text, document.labels)


def _same_title(read: Callable[[bytes], Record], known: Identifiers) -> Callable[[bytes], Record]:
    """A reader of search results that keeps the works of the same title, and of about the same year."""

    def kept(body: bytes) -> Record:
        record = read(body)
        works = tuple(
            work
            for work in record.works
            if work[0] == known.title and (not work[1] or not known.year or abs(work[1] - known.year) <= 1)
        )
        return record if record.word == "garbage" else Record("record" if works else "no record", works=works)

    return kept


def _kind(fetched: Fetched, *, jats: bool) -> str:
    """What an answer holds: the content decides for PDF, the sender's word for the rest; empty when no text."""
    if b"%PDF-" in fetched.body[:1024]:
        return PDF
    stated = fetched.content_type
    if stated == "application/pdf":
        # Sign-in pages are often sent under the name of the PDF that was asked for.
        return HTML if fetched.body[:200].lstrip()[:1] == b"<" else PDF
    if jats and stated in ("application/xml", "text/xml", ""):
        return JATS
    if stated in ("text/html", "application/xhtml+xml"):
        return HTML
    return "text" if stated in ("text/plain", "text/markdown", "text/x-markdown") else ""


def _is_resolver(address: str) -> bool:
    """Whether an address only leads to a page about a work whose id is known anyway."""
    host = urlsplit(address).netloc.lower().removeprefix("www.")
    return host in ("doi.org", "dx.doi.org") or (host == "arxiv.org" and "/abs/" in address)
