"""Which answer of the network becomes which outcome of a retrieval: one table, and the rule that sums it up.

An *authority* must know every id of its kind: doi.org the DOIs, arXiv its own papers. An *index* may know a work
(Crossref, DataCite, OpenAlex, Unpaywall, Europe PMC). An *address* is where a text should be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from claimlint.audit.types import (
    METHOD_API,
    METHOD_FAILED,
    METHOD_NOT_FOUND,
    METHOD_TOOL_FAILURE,
    Retrieved,
)


class Asked(Enum):
    """Who was asked."""

    AUTHORITY = "authority"
    INDEX = "index"
    ADDRESS = "address"


class Says(Enum):
    """What an answer says about the source."""

    TEXT = "here is its text"
    KNOWN = "it exists"
    UNKNOWN = "it is not known here"
    NO_TEXT = "there is no text here"
    REFUSED = "its text is not for everybody"
    TRANSIENT = "nothing: asking again may help"


API = "retrieval_api_error"
TIMEOUT = "retrieval_timeout"
NETWORK = "retrieval_network_error"

_ALL = (Asked.AUTHORITY, Asked.INDEX, Asked.ADDRESS)
_BOOKS = (Asked.AUTHORITY, Asked.INDEX)
_ADDRESS = (Asked.ADDRESS,)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: an ``answer`` of one of ``asked`` says ``says``.

    ``answer`` is a status (``404``), a class of them (``4xx``) or one of the words below it in the table.
    ``fault`` is set with TRANSIENT only.
    """

    asked: tuple[Asked, ...]
    answer: str
    says: Says
    fault: str | None = None


TABLE = (
    # no answer at all
    Line(_ALL, "timeout", Says.TRANSIENT, TIMEOUT),
    Line(_ALL, "no such host", Says.TRANSIENT, NETWORK),
    Line(_ALL, "no connection", Says.TRANSIENT, NETWORK),
    Line(_ALL, "cut off", Says.TRANSIENT, NETWORK),
    Line(_ALL, "blocked address", Says.REFUSED),
    Line(_BOOKS, "too many redirects", Says.TRANSIENT, API),
    Line(_ADDRESS, "too many redirects", Says.NO_TEXT),
    Line(_BOOKS, "too large", Says.TRANSIENT, API),
    Line(_ADDRESS, "too large", Says.NO_TEXT),
    # a status other than success
    Line(_ALL, "401", Says.REFUSED),
    Line(_ALL, "402", Says.REFUSED),
    Line(_ALL, "403", Says.REFUSED),
    Line(_ALL, "451", Says.REFUSED),
    Line(_BOOKS, "404", Says.UNKNOWN),
    Line(_BOOKS, "410", Says.UNKNOWN),
    Line(_ADDRESS, "404", Says.NO_TEXT),
    Line(_ADDRESS, "410", Says.NO_TEXT),
    Line(_ALL, "408", Says.TRANSIENT, TIMEOUT),
    Line(_ALL, "425", Says.TRANSIENT, API),
    Line(_ALL, "429", Says.TRANSIENT, API),
    Line(_BOOKS, "4xx", Says.TRANSIENT, API),
    Line(_ADDRESS, "4xx", Says.NO_TEXT),
    Line(_ALL, "5xx", Says.TRANSIENT, API),
    Line(_BOOKS, "3xx", Says.TRANSIENT, API),
    Line(_ADDRESS, "3xx", Says.NO_TEXT),
    # success, by content
    Line(_BOOKS, "record", Says.KNOWN),
    Line(_BOOKS, "no record", Says.UNKNOWN),
    Line(_BOOKS, "garbage", Says.TRANSIENT, API),
    Line(_ADDRESS, "text", Says.TEXT),
    Line(_ADDRESS, "no text in it", Says.NO_TEXT),
    Line(_ADDRESS, "landing page", Says.NO_TEXT),
    Line(_ADDRESS, "other content type", Says.NO_TEXT),
    Line(_ADDRESS, "garbage", Says.TRANSIENT, API),
)

_LOOKUP = {(asked, line.answer): line for line in TABLE for asked in line.asked}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was classified: who gave it, the line of the table it falls under, words for a person.

    ``text`` and ``labels`` are set with TEXT only.
    """

    asked: Asked
    line: Line
    detail: str
    text: str = ""
    labels: tuple[str, ...] = ()


def classify(asked: Asked, answer: str, detail: str, text: str = "", labels: tuple[str, ...] = ()) -> Answer:
    """The answer with its line; a status that has none falls under its class, anything else under ``garbage``."""
    line = _LOOKUP.get((asked, answer)) or _LOOKUP.get((asked, f"{answer[:1]}xx")) or _LOOKUP[asked, "garbage"]
    return Answer(asked, line, detail, text, labels)


def conclude(answers: Iterable[Answer]) -> Retrieved | None:
    """The outcome of all that was asked about one source; None when nobody was asked.

    Text wins. Else a transient failure makes the whole transient: who could not be asked may have known the
    source. ``not_found`` needs an authority that does not know its own id, and nobody who knows it or refused
    to say. Everything else is ``failed``: the source exists, or cannot be looked up, and has no open text.
    """
    given = tuple(answers)
    if not given:
        return None
    for answer in given:
        if answer.line.says is Says.TEXT:
            return Retrieved(METHOD_API, answer.text, detail=answer.detail, labels=answer.labels)
    for answer in given:
        if answer.line.says is Says.TRANSIENT:
            return Retrieved(METHOD_TOOL_FAILURE, fault=answer.line.fault, detail=answer.detail)
    denied = [answer for answer in given if answer.asked is Asked.AUTHORITY and answer.line.says is Says.UNKNOWN]
    known = [answer for answer in given if answer.line.says in (Says.KNOWN, Says.REFUSED)]
    if denied and not known:
        return Retrieved(METHOD_NOT_FOUND, detail="; ".join(dict.fromkeys(answer.detail for answer in denied)))
    told = [answer for answer in given if answer.line.says in (Says.REFUSED, Says.NO_TEXT)] or list(given)
    return Retrieved(METHOD_FAILED, detail="; ".join(dict.fromkeys(answer.detail for answer in told)))
