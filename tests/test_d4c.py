"""D4-c on single sentences (contract, section 6), held against an oracle that walks over characters."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.d4c import detect_uncited, has_ref_marker
from claimlint.documents.uncited import detect_uncited as from_documents
from claimlint_rules.uncited import detect_uncited as from_rules


def triggers(sentence: str) -> list[str]:
    candidate, tokens = detect_uncited(sentence)
    assert candidate is bool(tokens)
    return tokens


# --- numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Half of it, 50%, went.", ["50%"]),
        ("It fell by 12.5%.", ["12.5%"]),
        ("It fell by 5 %.", ["5"]),
        ("In 67 of 100 homes.", ["67 of 100"]),
        ("In 67  of\n100 homes.", ["67  of\n100"]),
        ("In 7 of 9% of homes.", ["7", "9%"]),
        ("A score of 3 of 4.5 points.", ["3", "4.5"]),
        ("All 1,250 cases.", ["1", "250"]),
        ("The 1890s and IPv4 and 10kg and x2.", []),
        ("A rise of 3.5kg.", []),
        ("A 2-fold rise of COVID-19.", ["2", "19"]),
        ("With p < .05 it holds.", ["05"]),
        ("From 1.2-3.4 to -5.", ["1.2", "3.4", "5"]),
        ("It was 3. Then 3 again.", ["3"]),
        ("约50%的人", []),
        ("全角５０和 50 名", ["50"]),
    ],
)
def test_numbers_are_triggers_unless_a_letter_or_digit_touches_them(sentence: str, expected: list[str]) -> None:
    assert triggers(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In 1900 and 2099.", []),
        ("In 1899 and 2100.", ["1899", "2100"]),
        ("A reading of 2019.5 units.", ["2019.5"]),
        ("See 3.1.2 and 1.2.3.4.", []),
        ("Section 3, chapter 3, FIGURE 3, Table 3, fig. 3, tbl. 3, step 3, Appendix 3.1, § 3.2, §3.", []),
        ("Section\n\n3 ends.", []),
        ("Tables 3 and figures 4.", ["3", "4"]),
        ("Fig 3 shows it.", ["3"]),
        ("A vegetable 3 and a footstep 4.", ["3", "4"]),
        ("Table 2 and 3 columns.", ["3"]),
        ("Table (3) is small.", ["3"]),
        ("Use v 2.4 or V\n2.4.", []),
        ("Use v 2 now.", ["2"]),
        ("Use rev 2.4 now.", ["2.4"]),
        ("The tool v3.7.3 and v2.4 ran.", []),
        ("The tool v3.\n7.3 ran.", []),
        ("Effects in v3. 7 withdrew.", ["7"]),
    ],
)
def test_bare_numbers_that_name_a_year_a_version_or_a_part_are_exempt(sentence: str, expected: list[str]) -> None:
    assert triggers(sentence) == expected


def test_percentages_and_ratios_are_never_exempt() -> None:
    assert triggers("Section 5% and step 2 of 4 and 2019% and table 1999 of 2000.") == [
        "5%",
        "2 of 4",
        "2019%",
        "1999 of 2000",
    ]


# --- words ------------------------------------------------------------------------------------------------


def test_words_are_recorded_in_lower_case_once_and_in_document_order() -> None:
    assert triggers("MOST saw 3; most SHOWED Several, and 3 of them two-thirds.") == [
        "most",
        "3",
        "showed",
        "several",
        "two-thirds",
    ]


@pytest.mark.parametrize("sentence", ["most-cited", "re-observed", "unobserved", "Mostly", "most2", "two‑most"])
def test_a_word_joined_by_a_letter_digit_or_hyphen_is_another_word(sentence: str) -> None:
    assert triggers(sentence) == []


def test_marks_of_emphasis_do_not_hide_a_word() -> None:
    assert triggers("_Most_ and **several** _50%_ (proved)") == ["most", "several", "50%", "proved"]


def test_a_letter_that_only_case_folding_makes_equal_spells_another_word() -> None:
    assert triggers("moſt") == []


# --- markers and definitions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "marker",
    [
        "<!--ref:a-->",
        "<!-- ref:a -->",
        "<!--\nref:2024.1-->",
        "<!--ref:a > b-->",
        "<!--ref:-x ok-->",
        "<!--ref:$c-->",
    ],
)
def test_a_ref_marker_is_recognised_in_every_shape_the_contract_names(marker: str) -> None:
    assert has_ref_marker(f"Most fell {marker}.")
    assert triggers(f"Most fell {marker}.") == []


@pytest.mark.parametrize(
    "other",
    [
        "<!--ref: a-->",
        "<!-- ref: $cell -->",
        "<!--REF:a-->",
        "<!--ref:-->",
        "<!--ref:>-->",
        "<!--ref:a",
        "<!--anchor:page:a-->",
    ],
)
def test_other_comments_are_no_ref_marker(other: str) -> None:
    assert not has_ref_marker(f"Most fell {other}.")
    assert triggers(f"Most fell {other}.") == ["most"]


@pytest.mark.parametrize("phrase", ["refers to", "is defined as", "we define", "for the purposes of"])
def test_a_definition_is_no_candidate_in_any_case_or_white_space(phrase: str) -> None:
    assert triggers(f"Most of it {phrase} 50%.") == []
    assert triggers(f"Most of it {phrase.upper()} 50%.") == []
    assert triggers(f"Most of it {phrase.replace(' ', chr(10))} 50%.") == []


def test_the_detector_can_be_imported_from_the_rules_and_from_the_documents() -> None:
    sentence = "Most of 7 of 9 towns showed 50%."
    assert from_documents is detect_uncited
    assert from_rules(sentence) == detect_uncited(sentence)


# --- the oracle -------------------------------------------------------------------------------------------

_WORDS = ["most", "several", "two-thirds", "showed", "demonstrated", "observed", "proved", "confirmed"]
_LABELS = ["section", "chapter", "figure", "table", "fig.", "tbl.", "step", "appendix"]
_DIGITS = "0123456789"


def _word_before(text: str, end: int, word: str) -> bool:
    if not text[:end].lower().endswith(word):
        return False
    at = end - len(word) - 1
    return at < 0 or not text[at].isalnum()


def _oracle(text: str) -> list[str]:
    """The triggers, by walking over the characters one at a time."""
    found: list[str] = []
    at = 0
    while at < len(text):
        end = at
        if text[at] in _DIGITS and (at == 0 or text[at - 1] not in _DIGITS):
            while end < len(text) and (text[end] in _DIGITS or _is_inner_dot(text, end)):
                end += 1
            token, start = text[at:end], at
            end, kept = _number(text, start, end, token)
            found += kept
        else:
            end, kept = _word(text, at)
            found += kept
        at = max(end, at + 1)
    return list(dict.fromkeys(found))


def _is_inner_dot(text: str, at: int) -> bool:
    return text[at] == "." and at > 0 and text[at - 1] in _DIGITS and text[at + 1 : at + 2] in set(_DIGITS)


def _number(text: str, start: int, end: int, token: str) -> tuple[int, list[str]]:
    broken = start > 0 and text[start - 1].isalnum()
    if broken:
        token = token.partition(".")[2]
        if not token:
            return end, []
    if text[end : end + 1] == "%":
        return end + 1, [token + "%"]
    if text[end : end + 1].isalnum() or broken:
        return end, []
    ratio = re.match(r"(\s+of\s+)(\d+(?:\.\d+)*)(%?)", text[end:], re.IGNORECASE | re.ASCII)
    if ratio and "." not in token + ratio[2] and not ratio[3]:
        after = end + ratio.end()
        if not text[after : after + 1].isalnum():
            return after, [text[start:after]]
    left = text[:start].rstrip()
    exempt = (
        (len(token) == 4 and token.isdigit() and 1900 <= int(token) <= 2099)
        or token.count(".") >= 2
        or left.endswith("§")
        or any(_word_before(text, len(left), label) for label in _LABELS)
        or (token.count(".") == 1 and _word_before(text, len(left), "v"))
        or ("." in token and len(left) > 1 and left[-1] == "." and left[-2] in _DIGITS)
    )
    return end, [] if exempt else [token]


def _word(text: str, at: int) -> tuple[int, list[str]]:
    def joins(index: int) -> bool:
        return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "-")

    if joins(at - 1):
        return at, []
    for word in _WORDS:
        end = at + len(word)
        if text[at:end].lower() == word and not joins(end):
            return end, [word]
    return at, []


_PIECES = st.sampled_from(
    [
        *(*_WORDS, *_LABELS, *"0123456789", *"%.,- \n()_§vVxé中"),
        *("19", "20", "2019", "3.5", "1.2.3", " of ", "Section ", "Most", " 12 ", "of"),
    ]
)


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_the_detector_equals_an_oracle_that_walks_over_characters(sentence: str) -> None:
    assert triggers(sentence) == _oracle(sentence)


@given(st.text(max_size=60))
def test_any_text_is_answered_and_tokens_stand_in_it_in_order(sentence: str) -> None:
    tokens = triggers(sentence)
    places = [sentence.lower().find(token.lower()) for token in tokens]
    assert all(place >= 0 for place in places)
    assert len(set(tokens)) == len(tokens)


@pytest.mark.parametrize(
    "piece",
    ["1.", "9", "most", "<!--ref:", "<!--", "5 of ", "5%", "a1.", "section ", " ", "-", "v1.2", "1 "],
)
def test_time_is_linear_in_the_sentence(piece: str) -> None:
    sentence = piece * (100_000 // len(piece))
    before = time.process_time()
    detect_uncited(sentence)
    assert time.process_time() - before < 20
