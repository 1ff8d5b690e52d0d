"""The wider net of UNCITED-2: more words, spelled-out numbers, Chinese, Japanese and Korean, patterns of the user.

D4-c itself knows eight English words and ASCII numbers that no letter touches. What is added here is found far
more often in sentences that need no source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import prod
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

PATTERN_SECONDS = 1.0
"""How long one pattern of the settings may search one draft, in seconds."""

MAX_COPIES = 100_000
"""The largest product of a pattern's counted repetitions: nested ones are written out when it is compiled."""

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_UNITS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"


@cache
def _english() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w-])(?:found|finds|reports|reported|shows|shown|suggests?|suggested|indicates?|indicated|reveals?|revealed"
        rf"|half|majority|minority|dozens?|hundreds?|thousands?|millions?|billions?|doubled|tripled|halved|twofold|threefold"
        rf"|(?:one|a)[\s-](?:third|quarter|fifth|tenth)|(?:two|three|four)[\s-](?:thirds|quarters|fifths)"
        rf"|one\s(?:in|of|out\sof)\s(?:the\s)?(?:{_UNITS})|(?:thir|four|fif|six|seven|eigh|nine)teen|{_UNITS}|(?:{_TENS})(?:-\w+)?)(?![\w-])",
        re.IGNORECASE,
    )


@cache
def _cjk() -> re.Pattern[str]:
    digit = "0-9０-９一二三四五六七八九十百千万亿億兆两兩〇零"
    number = rf"(?<![第{digit}.．])(?:[{digit}]+(?:[.．][0-9０-９]+)?)"
    # One of a thing is how Chinese says *a*; a bare 十 or 千 is a part of too many words.
    counted = (
        "名|人|个|個|例|项|項|种|種|次|家|所|篇|组|組|倍|成|岁|歲|天|周|年间|年間|位|件|份|只|台|座|条|頭|匹|本|枚|社|校|割|施設|"
        "명|개|건|회|곳|배|차례|퍼센트"
    )
    return re.compile(
        rf"{number}[%％‰]|(?![一](?:个|個|种|種|项|項|次|位|件|条|名|人|家|本|天|周|份|只|台|座|组|組|成|社|校|例))"
        rf"{number}\s?(?:多|余|餘|几)?(?:{counted})"
        r"|[０-９]+(?:[．.][０-９]+)*|百分之[一二三四五六七八九十百零〇两0-9０-９.]+|[一二三四五六七八九十两0-9０-９]+分之[一二三四五六七八九十两0-9０-９]+"
        r"|绝?大多数|多数|大部分|半数|過半数|一半|若干|数[十百千万]|不少|多くの|大半|ほとんど|대부분|절반|과반수|다수"
        r"|发现|表明|显示|證實|证实|证明|观察到|報告|报告|指出|揭示|示した|示された|示されて|明らかに|確認され|確認した|観察され|認められ|判明し"
        r"|나타났|나타난다|보여주|보여준|관찰되|확인되|확인했|보고되|보고했|밝혀"
    )


@cache
def _spaceless() -> re.Pattern[str]:
    return re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@cache
def _definitions() -> re.Pattern[str]:
    return re.compile(r"是指|指的是|定义为|定義|とは.{1,40}(?:である|いう|指す)|을\s?말한다|를\s?말한다|정의한다")


def extra_definition(prose: str) -> bool:
    """Whether a Chinese, Japanese or Korean sentence defines a term."""
    return _definitions().search(prose) is not None


def extra_triggers(prose: str) -> tuple[str, ...]:
    """The built-in triggers of UNCITED-2 in a sentence, each once, in document order; words in lower case."""
    found = [(m.start(), " ".join(m.group().lower().split())) for m in _english().finditer(prose)]
    if _spaceless().search(prose) or _wide_digit().search(prose):
        found += [(m.start(), m.group()) for m in _cjk().finditer(prose)]
    return tuple(dict.fromkeys(token for _, token in sorted(found)))


@cache
def _wide_digit() -> re.Pattern[str]:
    return re.compile(r"[０-９]")


def language_of(front_matter: Mapping[str, object]) -> str | None:
    """The primary language subtag that a draft declares (``lang: de-CH`` gives ``de``), or None."""
    value = front_matter.get("lang", front_matter.get("language"))
    return value.replace("_", "-").partition("-")[0].lower() if isinstance(value, str) and value else None


class WordList:
    """The extra words of the settings that hold for a draft: those of its language, or all when it names none.

    Words are found in any case as whole words, a hyphen counting as a letter; in scripts without blanks
    anywhere.
    """

    def __init__(self, words: Mapping[str, Iterable[str]], language: str | None) -> None:
        chosen = {
            word.strip()
            for key, listed in words.items()
            if language is None or key.partition("-")[0].lower() in {language, "*"}
            for word in listed
        }
        parts = [
            re.escape(word) if _spaceless().search(word) else rf"(?<![\w-]){re.escape(word)}(?![\w-])"
            for word in sorted(chosen - {""}, key=lambda word: (-len(word), word))
        ]
        self._pattern = re.compile("|".join(parts), re.IGNORECASE) if parts else None

    def find(self, prose: str) -> tuple[str, ...]:
        """The words of the list in a sentence, each once, in lower case."""
        if self._pattern is None:
            return ()
        return tuple(dict.fromkeys(match.group().lower() for match in self._pattern.finditer(prose)))


def _copies(pattern: str) -> int:
    """How often a part of a pattern may be written out when it is compiled, at the most."""
    return prod(max(1, int(count[:9])) for count in re.findall(r"\{(?:\d*,)?(\d+)[,}]", pattern))


@dataclass(frozen=True, slots=True)
class PatternFault:
    """A pattern of the settings that was not applied to the whole draft, and why."""

    pattern: str
    fault: str


@dataclass(slots=True)
class PatternList:
    """The patterns of the settings, run with a time limit each.

    ``faults`` grows: a pattern that cannot be compiled, or has used up its time, is dropped and named there.
    """

    patterns: tuple[str, ...]
    seconds: float = PATTERN_SECONDS
    faults: list[PatternFault] = field(default_factory=list)
    _left: dict[str, float] = field(default_factory=dict)
    _compiled: dict[str, regex.Pattern[str]] | None = None

    def find(self, prose: str) -> tuple[str, ...]:
        """What the patterns match in a sentence, each text once; empty matches do not count."""
        return tuple(dict.fromkeys(self._matches(prose)))

    def _matches(self, prose: str) -> Iterator[str]:
        for text, pattern in list(self._patterns().items()):
            start = monotonic()
            try:
                match = pattern.search(prose, timeout=max(self._left[text], 0.001))
            except TimeoutError:
                self._drop(text, f"it searched for more than {self.seconds:g} s")
                continue
            self._left[text] -= monotonic() - start
            if match is not None and match.group().strip():
                yield " ".join(match.group().split())
            if self._left[text] <= 0:
                self._drop(text, f"it searched for more than {self.seconds:g} s")

    def _patterns(self) -> dict[str, regex.Pattern[str]]:
        if self._compiled is None:
            self._compiled = {}
            if self.patterns:
                import regex

                for text in self.patterns:
                    if _copies(text) > MAX_COPIES:
                        fault = f"its repetitions multiply to more than {MAX_COPIES}"
                        self.faults.append(PatternFault(text, fault))
                        continue
                    try:
                        self._compiled[text] = regex.compile(text)
                    except (regex.error, OverflowError, RecursionError, ValueError) as error:
                        self.faults.append(PatternFault(text, f"it is no regular expression ({error})"))
                    else:
                        self._left[text] = self.seconds
        return self._compiled

    def _drop(self, text: str, fault: str) -> None:
        self.faults.append(PatternFault(text, fault))
        if self._compiled is not None:
            del self._compiled[text]
