"""Where sentences end. Each case lists its sentences; they are joined by a blank (CJK ones by nothing)."""

from __future__ import annotations

import pytest
from hypothesis import given

from claimlint.documents.inline import blank, scan_inline
from claimlint.documents.sentences import split_sentences
from tests.documents.markdown_texts import markdown_texts

SPACED = [
    ["We saw 5%.", "The next one (Fig. 3) was p < .05.", "Then came Smith et al. (2020) and e.g. this.", "Done."],
    ["U.S. data show it.", "The U.S. Department of Health agreed.", "It grew in the U.S.", "The rest fell."],
    ["J. R. R. Tolkien wrote it.", "Smith, J. and Lee, K. agreed.", "So did A. B. Cole."],
    ["It ended in 2020.", "7 people left.", "The value is .05.", "Of these, 3.5 failed.", "v3.7.3 is out."],
    ['He said "it works."', "Then more.", "See (it did.)", "Next.", "“Yes.”", "No."],
    ["Is it?", "Yes!", "“Why?” he asked.", "Yahoo! is a firm.", "Really?!", "Yes."],
    ["Well... maybe so.", "It was long…", "Then it ended.", "We cut … words."],
    ["We tested x vs. y, p. 3, pp. 4-5, No. 7, approx. 5 and ca. 9, i.e. this.", "Dr. Smith and Prof. Lee went."],
    ["See Sect. 3, Eq. (4), Ref. [5], Tab. 2 and Vol. IX.", "Then go.", "It is Ch. 4."],
    [
        "Group B was larger.",
        "It lacked vitamin C.",
        "The rest had it.",
        "We love modern art.",
        "Then we left the app.",
    ],
    [
        "Smith et al. showed it.",
        "So did Lee et al.",
        "The others did not.",
        "Cats, dogs, etc.",
        "Birds were left out.",
    ],
    ["The result (it was large. See below) held.", "Next.", "(First one.", "Second one.)", "Third."],
    ["The mice (C57BL/6J; n = 5 per group, p = 0.03 vs. control) died.", "All others lived."],
    ["The E. coli strain grew.", "S. aureus did not.", "The levels fell.", "mRNA rose.", "pH was 7."],
    ["It has more (files, folders, etc).", "fsspec does the same."],
    ["In Jan. 2020 and on Feb. 3 it began.", "Then it ended.", "This took 5 min.", "Participants then left."],
    ["A. First point.", "B. Second point.", "1. First point.", "IV. Fourth point."],
    [
        "The end.[1]",
        "Next one.",
        "The end.^1^",
        "Next.",
        "The end.[^2]",
        "Next.",
        "The end. [@a; @b, p. 3]",
        "Next.",
    ],
    ["It ends with a note. [12]"],
    ["It is so. [@a]", "Then [b] came.", "[c] too."],
    ["It was “so … so.”", "It is 3…5 or 3... 5."],
    ["It is so, and [@b] said so.", "[@c] agreed.", "So it is. [see @d]", "@e did not."],
    ["So it is.^[See Smith. 2020 too.]", "Next one^[A note. Two.] ends."],
    ["It uses `a.b. C` here.", "$x.$ is it.", "See <https://a.b/c.>.", "See https://a.b/c.", "Next."],
    ["See [it.](https://a.b)", "Next [one. Two](https://a.b) ends."],
    ["All trials ended early.*", "The *next.*", "_More._", "End."],
    ["Washington, D.C.", "The rest is in St. Louis.", "He was a Ph.D. student.", "Acme Inc. Ltd. was sold."],
    ["Dies ist z. B. ein Satz.", "Am 3. Mai kam er, vgl. Abb. 3.", "Der Rest (d. h. alles) nicht."],
    ["Selon M. Dupont, p. ex., oui.", "Le reste, env. 5, non."],
    ["Это т.е. пример.", "В 2020 г. было так.", "См. рис. 3 и табл. 4.", "Вот и т.д. и т.п.", "Потом."],
    ["А. С. Пушкин родился в г. Москва.", "Затем он уехал."],
    ["한국어 문장입니다.", "다음 문장입니다."],
    ["The first: one; the second.", "Then a list of methods.", "scipy is one."],
    ["He asked “Why? Because.” and left.", 'She said "No. Never." and left.', "Then «Да. Нет.» was heard."],
]
UNSPACED = [
    ["这是第一句。", "这是第二句！", "“他说。”", "然后是第三句？", "对。"],
    ["日本語の文です。", "「はい。」と言った。", "次の文です！", "「終わり。」", "次。"],
    ["图1显示结果。", "见 Smith 等（2020）。", "增长了3.5%。", "约５．２倍。", "完"],
    ["第一句（见图。）后半句。", "第二句.", "第三句?", "第四句!"],
]


def split(text: str) -> list[str]:
    """The sentences of a text."""
    pieces = scan_inline(text)
    return [text[start:end] for start, end in split_sentences(text, pieces, blank(text, pieces))]


@pytest.mark.parametrize("expected", SPACED, ids=lambda case: case[0][:30])
def test_sentences_end_where_a_reader_ends_them(expected: list[str]) -> None:
    assert split(" ".join(expected)) == expected
    assert split("\n".join(expected)) == expected


@pytest.mark.parametrize("expected", UNSPACED, ids=lambda case: case[0])
def test_sentences_without_blanks_end_at_their_stops(expected: list[str]) -> None:
    assert split("".join(expected)) == expected


M = "<!--ref:x--><!--anchor:page:1-->"


@pytest.mark.parametrize(
    "expected",
    [
        [f"One {M}.", f"Two {M}."],
        [f"One.{M}", f"Two.{M}"],
        [f"One. {M}", f"Two. {M} {M}"],
        [f"One.{M}{M}", "Two."],
        [f"{M} One.", "Two."],
        [f"It was 5%.{M}", "7 left."],
        [f"p < .05.{M}", "More."],
        [f"“One.”{M}", "Two."],
        ["One <!--note-->.", f"Two {M}, then three."],
        [f"One &lt;!--ref:x--&gt;.{M}", "Two."],
        [f"Smith et al.{M} showed it.", f"See Fig. {M} 3."],
    ],
    ids=str,
)
def test_a_marker_behind_the_stop_belongs_to_the_sentence_before(expected: list[str]) -> None:
    assert split(" ".join(expected)) == expected


def test_a_marker_behind_a_wide_stop_belongs_to_the_sentence_before() -> None:
    assert split(f"第一句。{M}第二句{M}。第三句") == [f"第一句。{M}", f"第二句{M}。", "第三句"]


@pytest.mark.parametrize("text", ["", " ", M, f" {M}{M} ", "<!-- a -->"])
def test_a_text_without_words_has_no_sentence(text: str) -> None:
    assert split(text) == []


@given(markdown_texts())
def test_sentences_are_ordered_disjoint_and_inside_the_text(text: str) -> None:
    pieces = scan_inline(text)
    at = 0
    for start, end, _ in pieces:
        assert at <= start < end <= len(text)
        at = end
    visible = blank(text, pieces)
    assert len(visible) == len(text)
    at = 0
    for start, end in split_sentences(text, pieces, visible):
        assert at <= start < end <= len(text)
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        assert not visible[at:start].strip()
        at = end
    assert not visible[at:].strip()
