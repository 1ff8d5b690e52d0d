"""Normalising: which texts count as the same words, and where they stand in the original."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.normalise import Normalised, find_normalised, normalise

SAME = {
    "ligature": ("the ﬁrst oﬃce ﬂoor", "the first office floor"),
    "full-width letters": ("ＡＢＣ１２", "ABC12"),
    "mathematical letters": ("𝑝 < .05", "p < .05"),
    "half-width kana": ("ｶﾞｽ", "ガス"),
    "decomposed letter": ("cafe\u0301", "café"),
    "decomposed Hangul": ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
    "em dash with and without blanks": ("costs — as planned — fell", "costs—as planned—fell"),
    "double hyphen for a dash": ("pages 12--14", "pages 12–14"),
    "minus sign": ("fell by −5", "fell by -5"),
    "curly quotes": ("“it’s”", '"it\'s"'),
    "guillemets": ("«oui»", '"oui"'),
    "doubled single quotes": ("``word''", '"word"'),
    "ellipsis": ("and so on…", "and so on..."),
    "soft hyphen": ("inter\u00adnational", "international"),
    "hyphenation": ("inter-\nnational", "international"),
    "hyphenation with the non-breaking hyphen": ("inter\u2010\r\n  national", "international"),
    "hyphenation as PDFium writes it": ("inter\u0002\r\nnational", "international"),
    "hyphen of a compound at a line end": ("well-\nknown", "well-known"),
    "hyphen before a digit at a line end": ("COVID-\n19", "COVID-19"),
    "white space": ("a \t\n\u00a0 b", "a b"),
    "page break": ("one\ftwo", "one two"),
    "zero-width blank": ("a\u200bb", "ab"),
    "line break between ideographs": ("模型\n使用", "模型使用"),
    "blank between scripts": ("使用 GPT 模型", "使用GPT模型"),
    "outer blanks": ("  a b \n", "a b"),
}

DIFFERENT = {
    "case": ("The gain", "the gain"),
    "digit": ("12%", "13%"),
    "superscript": ("10²", "102"),
    "comparison": ("p < .05", "p > .05"),
    "punctuation": ("no, more", "no more"),
    "sign": ("-5", "5"),
    "joined words": ("therapist", "the rapist"),
    "hyphen between digits": ("2019-20", "201920"),
}

ALPHABET = st.text(alphabet="abÉe1 2-\n\f—'’\"“.,ﬁ…\u00ad\u200bα模", max_size=60)


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_what_reads_the_same_has_one_form(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_says_something_else_keeps_its_own_form(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize(
    ("haystack", "needle", "expected"),
    [
        ("An inter-\nnational ﬁeld.", "international field", "inter-\nnational ﬁeld"),
        ("He said “yes” — twice.", '"yes" - twice', "“yes” — twice"),
        ("Le cafe\u0301 noir", "café noir", "cafe\u0301 noir"),
        ("It fell by −5%.", "by -5%", "by −5%"),
        ("all of it", "all of it", "all of it"),
        ("x\u00ad\ny z", "xy", "x\u00ad\ny"),
        ("Costs fell — a lot.", "— a lot", "a lot"),
    ],
)
def test_a_hit_is_the_stretch_of_the_original(haystack: str, needle: str, expected: str) -> None:
    span = find_normalised(haystack, needle)
    assert span is not None
    assert haystack[span.start : span.end] == expected


@pytest.mark.parametrize("needle", ["", " \n", "—", "\u00ad"])
def test_nothing_is_found_nowhere(needle: str) -> None:
    assert find_normalised("a — b", needle) is None


def test_part_of_a_composed_letter_is_no_hit() -> None:
    assert find_normalised("cafe\u0301", "cafe") is None


@given(ALPHABET)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=80))
def test_canonically_equal_texts_have_one_form(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(unicodedata.normalize("NFC", text))


@given(st.text(max_size=80), st.integers(0, 80), st.integers(1, 20))
def test_every_stretch_of_the_form_has_a_place_in_the_text(text: str, start: int, length: int) -> None:
    form = Normalised(text)
    end = min(start + length, len(form.text))
    if start < end:
        span = form.span(start, end)
        assert 0 <= span.start < span.end <= len(text)


@given(ALPHABET, ALPHABET, ALPHABET)
def test_a_stretch_that_is_there_is_found(before: str, needle: str, after: str) -> None:
    haystack = f"{before} | {needle} | {after}"
    if normalise(needle):
        span = find_normalised(haystack, needle)
        assert span is not None
        assert normalise(haystack[span.start : span.end]) == normalise(needle)


def test_long_runs_of_one_kind_are_cheap() -> None:
    for unit in (" ", "-", "\u00ad", "e\u0301\u0323", "\u0301\u0323", "''", "模 "):
        text = unit * 20_000
        assert len(normalise(text)) <= len(text)
