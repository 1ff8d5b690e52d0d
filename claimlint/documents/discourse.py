"""How a sentence hangs together with the one before it, and whether it asserts anything: told by its wording.

All questions are asked of blanked prose. They err towards no: what is not clearly tied stands alone.
"""

from __future__ import annotations

import re
from functools import cache


@cache
def _carries_on() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:(?:Hence|Thus|Therefore|Consequently|Accordingly|As\sa\sresult|As\ssuch"
        r"|This|These(?!\sdays)|Those(?!\s(?:who|that|in|with))|Such|They|Their|Its|He|She|Here|The\s(?:former|latter|same)"
        r"|It(?!\s(?:is|was|has\sbeen|seems)\s(?:\w+\s){0,3}(?:that|to)\b)"
        r"|(?:In|Of|For|With|From|Among|Under|To)\s(?:this|that|these|those|its|their|both|them)"
        r"|The\s(?:studies|study|authors?|researchers|report|survey|trial|review|paper|analysis)"
        r"|따라서|이들|이는)(?![^\W_])"
        r"|[^\W_]+(?:\s[^\W_]+){0,3}\s(?:therefore|thus|hence|consequently)\b"
        r"|因此|所以|这些|這些|该|該|其|これら|この|その|したがって)"
    )


@cache
def _points_back() -> re.Pattern[str]:
    return re.compile(r"\b(?:of|among|for)\s(?:them|these|those)\b(?!\s\w+s\b)")


def carries_on(prose: str) -> bool:
    """Whether a sentence takes up the one before it: *Hence*, *These*, *They*, *of them*."""
    return bool(_carries_on().match(prose) or _points_back().search(prose))


@cache
def _definite() -> re.Pattern[str]:
    return re.compile(r"\W*The\s(?:[a-z]+\s)?([a-z]{4,})\b")


def takes_up_a_noun(prose: str, before: str) -> bool:
    """Whether a sentence starts with *the* and a noun whose stem stood in the one before: *gained … The gain*."""
    match = _definite().match(prose)
    return match is not None and match[1][:5].rstrip("s") in before.lower()


@cache
def _exemplifies() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:For\s(?:example|instance)|E\.g\.|In\sparticular|Specifically|Namely|To\sillustrate"
        r"|As\san\sexample|(?:One|An|Another)\s(?:\w+\s)?example|Examples\s(?:are|include)"
        r"|Among\s(?:these|them)|例如|比如|たとえば|例えば|예를 들어)"
    )


@cache
def _evidences() -> re.Pattern[str]:
    verbs = "confirmed|demonstrated|described|established|estimated|found|measured|observed|reported|shown|tested"
    return re.compile(
        rf"\W*(?:This|These|It)\b.{{0,60}}?\s(?:was|were|has\sbeen|have\sbeen)\s(?:\w+\s)?(?:{verbs})\b"
    )


def backs_up(prose: str) -> bool:
    """Whether a sentence exemplifies the one before it, or gives evidence: *For example*, *This was shown*."""
    return bool(_exemplifies().match(prose) or _evidences().match(prose))


@cache
def _part() -> re.Pattern[str]:
    measures = (
        "majority|number|average|mean|median|rate|proportion|percentage|share|prevalence|incidence|costs?|world|global"
        "|total|first|second|third|only|most|use"
    )
    return re.compile(
        rf"\W*(?:The\s(?!(?:{measures})\b)[a-z]|Users?\b|Developers?\b|Each\b|Currently\b|At\spresent\b|To\sdate\b)"
    )


def speaks_of_a_part(prose: str) -> bool:
    """Whether a sentence starts as one on a part or the use of a thing: *the*, *users*, *each*."""
    return _part().match(prose) is not None


@cache
def _elsewhere() -> re.Pattern[str]:
    some = "prior|previous|earlier|recent|other|several|many|most|some"
    works = "work|studies|papers|authors|trials|reports|reviews|surveys"
    return re.compile(
        rf"\b(?:literature|researchers|scholars|experts|others|(?:{some})\s(?:\w+\s)?(?:{works})|according\sto"
        r"|worldwide|globally|in\sgeneral|generally|typically|nationally|it\sis\s(?:well\s)?known|published)\b"
        r"|研究表明|据|文献|学者|报道|全国|我国|世界|国外|国内|先行研究|によると|연구에\s따르면",
        re.IGNORECASE,
    )


def turns_elsewhere(prose: str) -> bool:
    """Whether a sentence names other people's work, or the world at large."""
    return _elsewhere().search(prose) is not None


@cache
def _past() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:took|gave|said|made|rose|fell|found|led|left|chose|met|grew|came|went|saw|got|kept|told|held|ran|became"
        r"|began|wrote|spent|sent|drew|lost|won|built|felt|thought|[a-z]{2,}ed)\b|[了过過]|た。|했다|였다"
    )


@cache
def _past_auxiliary() -> re.Pattern[str]:
    return re.compile(r"\b(?:was|were|had|did)\b")


@cache
def _present_auxiliary() -> re.Pattern[str]:
    return re.compile(r"\b(?:is|are|has|have|do|does|can|may|will|must|should|could|would|might)\b")


def narrates(prose: str) -> bool:
    """Whether a sentence is told in the past tense (in Chinese: with a particle of it)."""
    if _past_auxiliary().search(prose):
        return True
    return bool(_past().search(prose)) and not _present_auxiliary().search(prose)


@cache
def _chinese() -> re.Pattern[str]:
    return re.compile(r"[\u4e00-\u9fff]")


def is_chinese(prose: str) -> bool:
    """Whether Chinese characters stand in a sentence: its verbs have no tense."""
    return _chinese().search(prose) is not None


@cache
def _supposes() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:(?:Suppose|Imagine|Assume|Assuming|Consider|Let\s(?:us|\w\b)|Say|where)(?![^\W_])|假设|假設)"
    )


@cache
def _recommends() -> re.Pattern[str]:
    return re.compile(r"\b(?:should|ought\sto)\b|^\W*建议|应当|应该|すべきである|해야\s한다")


@cache
def _authority() -> re.Pattern[str]:
    return re.compile(
        r"(?i:\b(?:guidelines?|guidance|standards?|according|committees?|agenc(?:y|ies)|experts|laws?|regulations?"
        r"|directives?|recommend\w*|government|ministry)\b)|\bWHO\b|标准|规定|指南|组织|ガイドライン"
    )


def asserts_nothing(prose: str) -> bool:
    """Whether a sentence asks, supposes, explains a formula (*where x is …*), or says what should be done.

    What somebody else recommends (*guidelines say …*) is a claim about them.
    """
    if prose.rstrip(' \n\t*_"”’)').endswith(("?", "？")) or _supposes().match(prose):
        return True
    return _recommends().search(prose) is not None and not _authority().search(prose)
