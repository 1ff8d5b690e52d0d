"""Whether a sentence speaks of the author's own work: its evidence is in the paper, not in another source.

The signs are the first person, a cross-reference, the work's own name, and the section it stands in. They are
asked of one sentence; how far they reach over its neighbours is decided by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice

from claimlint.documents.visible_citations import cross_references
from claimlint.documents.word_lists import ARTEFACTS, COMMON_NAMES, DOCUMENTS

_EVERYBODY_DOES = r"\s(?:all|know|live|humans|people|as\sa\ssociety)\b"
_EVERYBODYS = (
    r"\s(?:own\s)?(?:age|ancestors|bod(?:y|ies)|brains?|children|cit(?:y|ies)|climate|country|daily|day|economy|era"
    r"|health|knowledge|lives|nation|planet|region|societ(?:y|ies)|species|state|times?|town|understanding|world)\b"
)
"""What makes *we* and *our* mean everybody."""


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:[Ww]e\b(?!{_EVERYBODY_DOES})|[Oo]ur\b(?!{_EVERYBODYS})|[Oo]urs|us|[Oo]ursel(?:ves|f)|[Mm]y|me|mine|myself)\b"
        r"|(?<![^\W_])I(?=['’]|\s(?:am|was|have|had|do|did|will|would|can|could|may|might|also|then|first|[a-z]{3,}))"
        rf"|\b(?:[Tt]his|[Tt]he\s(?:present|current))\s(?:\w+\s)?(?:{DOCUMENTS})\b"
        r"|\b(?:wir|uns|unsere?[mnrs]?|nous|notre|nos|nosotros|nuestr[oa]s?|noss[oa]s?)\b"
        r"|我们|我們|本文|本研究|本课题|本論文|本稿|笔者|筆者|我々|私たち|우리|본\s?연구|본\s?논문"
    )


@cache
def _roman() -> re.Pattern[str]:
    return re.compile(r"(?:[Tt]ype|[Tt]able|[Pp]art|War|[Pp]hase|[Cc]lass|[Ss]tage|Figure|Section|Vol\.?)\s$")


def first_person(prose: str) -> bool:
    """Whether the authors speak of themselves or of *this paper* (English, and a few other languages)."""
    for match in _first_person().finditer(prose):
        if match.group() != "I" or not _roman().search(prose, max(0, match.start() - 10), match.start()):
            return True
    return False


@cache
def _reference() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:Fig(?:s|ures?)?\b\.?|Tables?\b|Tab\.|Sections?\b|Sects?\.|Appendix|Appendices|Eqs?\.|Equations?\b"
        r"|Chapters?\b|Algorithms?\b|Listings?\b|Box\b|Videos?\b|Abbildung|Abb\.|Tabellen?\b|Abschnitt|Tableau|Tabla"
        r"|Figura|Sect\.|Supplement(?:ary|al)?\s\w+\b)[\s~*_]{0,3}(?:S?[0-9]|[A-Z]\b|[IVX]+\b|@|\[|\\)"
        r"|\b(?:figures?|fig\.|tables?|sections?|equations?|appendix)[\s~]{1,2}S?[0-9]"
        r"|\bSupplement(?:ary|al)\s(?:Materials?|Information|Notes?|Data|Figures?|Tables?|Files?)\b"
        r"|[图圖表図]\s?[0-9]|그림\s?[0-9]|附录|補足資料"
    )


@cache
def _local_link() -> re.Pattern[str]:
    return re.compile(r"\]\(#|\\(?:auto|page|name|eq|c|C)?ref\{|\\@ref\(|\{(?:num|eq)?ref\}`|\[-@sec")


def cross_reference(prose: str, source: str) -> bool:
    """Whether the sentence points to a part of the same work: ``Figure 3``, ``@tbl-x``, ``[…](#part)``.

    ``source`` is the file's text of the sentence, where link targets and keys still stand.
    """
    return bool(_reference().search(prose) or _local_link().search(source)) or cross_references(source)


# --- the work's own name ----------------------------------------------------------------------------------

_NAME_KEYS = ("repository", "repo", "repo-url", "repository-code", "code", "software", "package", "short-title")


_MOST_NAMES = 20
_TITLE = 300
"""How many introduced names, and how many characters of a title, are looked at."""


def own_names(front_matter: Mapping[str, object], first_heading: str, text: str) -> frozenset[str]:
    """The names the paper gives its own work; ``text`` is the file's text.

    A title ``Name: what it is`` gives one when the text or the title says that the name is a package, a data
    set, a model and so on (a topic in front of a colon is no name), and so does another word of the title of
    which the text says so. A repository in the front matter gives one, and so do sentences such as *we present
    Name* and *code-named Name*.
    """
    names = set(islice(_introduced(text), _MOST_NAMES))
    title = front_matter.get("title")
    for line in (title[:_TITLE] if isinstance(title, str) else "", first_heading[:_TITLE]):
        head, rest = _split_title(line)
        if head and (_artefact().search(rest) or _is_artefact(head, text)):
            names.add(head)
        else:
            names.update(word for word in _title_words().findall(line) if _could_name(word, text))
    for key in _NAME_KEYS:
        value = front_matter.get(key)
        if isinstance(value, str) and (match := _last_part().search(value.strip())) is not None:
            names.add(match[1].removesuffix(".git"))
    return frozenset(name for name in names if len(name) > 1)


@cache
def _title_words() -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])[A-Za-z][\w.+-]*[\w+]")


def _could_name(word: str, text: str) -> bool:
    distinct = any(c.isupper() or c.isdigit() for c in word[1:]) or f"`{word}`" in text
    return distinct and word.lower() not in COMMON_NAMES and _is_artefact(word, text)


def _split_title(title: str) -> tuple[str, str]:
    match = _titled().match(title.strip())
    return (match[1], match[2]) if match is not None else ("", "")


@cache
def _titled() -> re.Pattern[str]:
    return re.compile(
        r"[*_`\"“]{0,3}([\w.+-]+(?:\s[\w.+-]+)?)[*_`\"”]{0,3}\s?(?::|\s[-–—]{1,3}\s)\s?(.+)", re.DOTALL
    )


@cache
def _artefact() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{ARTEFACTS})\b", re.IGNORECASE)


def _is_artefact(name: str, text: str) -> bool:
    """Whether the text says somewhere that the name is a package, a data set and so on."""
    said = (
        rf"(?<![\w-]){re.escape(name)}[*_`]{{0,3}}(?:\]\([^()\s]{{0,200}}\))?"
        rf"\s(?:is|provides|implements|offers|was)\s[^.]{{0,80}}?\b(?:{ARTEFACTS})\b"
    )
    return re.search(said, text) is not None


@cache
def _last_part() -> re.Pattern[str]:
    return re.compile(r"(?:^|/)([A-Za-z][\w.-]{2,40})/?$")


@cache
def _introducing() -> re.Pattern[str]:
    verbs = (
        "introduced?|present(?:ed)?|describe|developed?|propose|proposed|built|build|created?|released?|call(?:ed)?|"
        "named?|designed|wrote|dub(?:bed)?"
    )
    name = r"[\[*_`\"“]{0,3}((?:[A-Z]|(?<=`)[a-z])[\w+-]*+(?:\.[\w+-]++)*+(?:\s[A-Z][\w+-]*+)?)"
    return re.compile(
        # What follows must not make the name an adjective, as in *we present Bayesian methods*.
        rf"\b(?:[Ww]e|I)\s(?:\w+\s){{0,2}}?(?:{verbs})\s(?:(?:it|(?:this|our|the)\s\w+)\s)?{name}"
        r"(?=[\]*_`\"”]{0,3}\s*(?:[,(:;.—–]|---|(?:an?|which|that|as|for)\b|$))"
        rf"|\bcode-named\s(?:the\s)?{name}|\b[Oo]ur\s\w+,?\s(?:called|named|dubbed)\s{name}"
    )


def _introduced(text: str) -> Iterator[str]:
    for match in _introducing().finditer(text):
        name = (match[1] or match[2] or match[3]).rstrip(".")
        if name.lower() not in {"figure", "table", "section", "a", "an", "the", "in", "here"}:
            yield name


def names_pattern(names: frozenset[str]) -> re.Pattern[str] | None:
    """A pattern that finds any of the names as whole words; None when there is none.

    Where a paper has a name for its work, *the package* or *the library* at the start of a sentence is that work.
    """
    if not names:
        return None
    listed = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    coded = "|".join(re.escape(name.lower()) for name in sorted(names))
    return re.compile(rf"(?<![\w-])(?:{listed})(?![^\W_])|`(?:{coded})(?![^\W_])|^\W*The\s(?:{ARTEFACTS})\b")
