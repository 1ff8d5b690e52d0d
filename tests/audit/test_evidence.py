"""The rationale quotes the words that decided; words the excerpt does not have are noticed."""

from __future__ import annotations

import pytest

from claimlint.audit.evidence import has_unlocated_evidence

EXCERPT = "The ﬁrst trial showed a well-\nbeing gain of 12 % — “clear”, it said, over a year of\nobservation."


@pytest.mark.parametrize(
    "rationale",
    [
        "No quotation at all.",
        'It says "a well-being gain of 12 %".',
        'It says "THE FIRST TRIAL".',
        "It says “over a year of observation.”",
        'It says "first trial ... over a year".',
        'It says "first trial […] over a year".',
        "It says «gain of 12 %», and „first trial“.",
        'An empty "" and a blank " " say nothing.',
    ],
)
def test_words_of_the_excerpt_are_found_however_they_are_written(rationale: str) -> None:
    assert not has_unlocated_evidence(rationale, EXCERPT)


@pytest.mark.parametrize(
    "rationale",
    [
        'It says "a gain of 13 %".',
        'It says "first trial" and "second trial".',
        'It says "first trial ... over two years".',
        "It says “no such words”.",
    ],
)
def test_words_that_the_excerpt_does_not_have_are_noticed(rationale: str) -> None:
    assert has_unlocated_evidence(rationale, EXCERPT)
