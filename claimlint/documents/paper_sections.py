"""What the headings of a paper say about the sentences under them."""

from __future__ import annotations

import re
from functools import cache

OWN = "is about the author's own work"
ABSTRACT = "goes without citations by custom"


@cache
def _own() -> re.Pattern[str]:
    """Methods, Results, Funding, Acknowledgements, Availability, Limitations, as papers call them."""
    and_ = r"\s(?:and|&)\s"
    return re.compile(
        rf"(?:(?:materials?|participants|subjects|patients|data){and_})?"
        r"(?:(?:the|our|study|research|experimental|statistical|computational|online|supplementary|detailed"
        r"|proposed)\s)?(?:methods?|methodology)"
        rf"(?:{and_}(?:materials|data|procedures?|analys[ei]s|design|results))?"
        r"|(?:(?:main|key|our|experimental|empirical|simulation|numerical|preliminary|additional|quantitative"
        rf"|qualitative|benchmark)\s)*results?(?:{and_}(?:discussion|analysis|evaluation|findings))?"
        r"|acknowled?ge?ments?\b.*|thanks|funding\b.*|.*\bfunding|financial\s(?:support|disclosure).*"
        r"|grant\ssupport|.*\bavailability\b.*|data\saccess.*|(?:research|study)\sdesign|data\scollection.*"
        r"|statistical\sanalys[ei]s|(?:study\s)?participants|(?:study\s)?procedures?|measures"
        r"|experimental\s(?:setup|design|procedures?)|(?:strengths\sand\s)?limit(?:ation)?s"
        r"(?:\sof\s(?:this|the\spresent|the|our)\s(?:study|work|review|paper|approach|evidence|data|survey))?"
        r"|authors?['’]?\scontributions?|credit\s.*statement|(?:competing|conflicts?\sof)\s?interests?.*"
        r"|(?:研究|实验)?方法|材料[与和]方法|(?:研究|实验)?结果|結果(?:と考察)?|方法|致谢|謝辞|基金.*|资助.*|数据可用性.*|局限.*"
        r"|결과|(?:연구\s?)?방법|감사.*",
        re.IGNORECASE,
    )


@cache
def _of_an_artefact() -> re.Pattern[str]:
    """What a paper on a piece of software tells of it."""
    return re.compile(
        r"(?:software|package|library|system|implementation|code|technical)?\s?"
        r"(?:design|architecture|implementation|description|overview|details|structure)(?:\s(?:and|&)\s\w+)?"
        r"|(?:(?:key|main|core)\s)?(?:features|functionality|functionalities|capabilities|components|modules)"
        r"|(?:example\s)?usage|examples?|example\sof\suse|api|getting\sstarted|installation|quick\s?start|workflow"
        r"|(?:data\s)?(?:collection|processing|preprocessing|annotation|cleaning|records|formats?|storage)"
        r"|technical\svalidation|usage\snotes|file\sformats?"
        r"|performance|benchmarks?|testing|tests|documentation|roadmap|future\s(?:work|development|directions|plans)",
        re.IGNORECASE,
    )


@cache
def _abstract() -> re.Pattern[str]:
    return re.compile(r"abstract|executive\ssummary|plain\slanguage\ssummary|摘要|要旨|초록", re.IGNORECASE)


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(
        r"\bwe\s(?:asked|built|chose|collected|counted|did|evaluated|found|learn(?:ed|t)|made|measured|saw|searched"
        r"|studied|tested|used)\b"
        r"|\bour\s(?:approach|contributions?|data|experiments?|findings|methods?|results|sample|study|survey)\b",
        re.IGNORECASE,
    )


@cache
def _numbering() -> re.Pattern[str]:
    return re.compile(
        r"(?:[0-9]+(?:\.[0-9]+)*[.):]?\s*|[IVX]+[.):]\s+|[A-H][.)]\s+|第\S{1,3}[章节節]\s?|[一二三四五六七八九十]+[、.]\s?)"
    )


@cache
def _bare(section_path: str) -> tuple[tuple[str, str], ...]:
    """The headings of a section path, as written and without number and markup."""
    found = []
    for heading in section_path.split(" > "):
        shown = heading.strip()
        plain = shown.strip("*_ ")
        number = _numbering().match(plain)
        found.append((shown, (plain if number is None else plain[number.end() :]).strip(" .:*_")))
    return tuple(found)


@cache
def quiet_section(section_path: str, *, on_an_artefact: bool) -> tuple[str, str] | None:
    """The heading on a section path under which readers expect no citations, and why; or None.

    Methods, Results, Funding, Acknowledgements, Availability and Limitations are about the author's own work,
    as is a section with *we* in its heading; an abstract cites nothing by custom. ``on_an_artefact`` says that
    the paper is on a package, a data set and so on: Design, Usage and the like are then about that.
    """
    for shown, bare in _bare(section_path):
        if _own().fullmatch(bare) or _first_person().search(bare):
            return shown, OWN
        if on_an_artefact and _of_an_artefact().fullmatch(bare):
            return shown, OWN
        if _abstract().fullmatch(bare):
            return shown, ABSTRACT
    return None
