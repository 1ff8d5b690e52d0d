"""Visible citations: what counts as one in each style, and what only looks like one."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.documents.styles import CITATION_STYLES
from claimlint.documents.visible_citations import (
    blank_code,
    citation_extents,
    find_visible_citations,
    is_cross_reference,
    note_text_cites,
)

CITATIONS = {
    "pandoc": [
        "X [@okafor2024, p. 3].",
        "X [see @doe99, pp. 33--35; also @smith04, chap. 1].",
        "As @okafor2024 says, x.",
        "Okafor says so [-@okafor2024].",
        "-@okafor2024 said so.",
        "X [@doi:10.1371/journal.pbio.1002195].",
        "X [@tag:techblog; @url:https://example.org/a_b].",
        "X @{https://example.org/x?a=1}.",
        "X [@2020okafor].",
        "X [@DBLP:conf/icse/2020].",
        "X (@figueroa2020).",
        "X [@eqlund2020].",
    ],
    "latex": [
        r"X \cite{k}.",
        r"X \citep[see][p.~3]{k,l}.",
        r"X \citet*{k}.",
        r"X \parencite{k} and \textcite {l}.",
        r"X \footcite{k}.",
        r"X \autocites{a}{b}.",
        r"X \Citeauthor{k}.",
    ],
    "myst": [
        "X {cite}`k`.",
        "X {cite:p}`k,l`.",
        "{cite:t}`k` says.",
        "X {citep}`k`.",
        "X :cite:`k`.",
        "X :cite:p:`k`.",
    ],
    "numeric": [
        "X [12].",
        "X [3, 4].",
        "X [3–5].",
        "X [1-3,7].",
        r"X \[12\].",
        "shown[12] before",
        "X [12, p. 5].",
        "X [refs. 3, 4].",
        "X [1][2].",
        "X [[12](#ref-12)].",
        "X ［12］。",
        "It fell.^12^",
        "Lind^3,4^ says",
        "It fell.<sup>3</sup>",
    ],
    "author-year": [
        "X (Okafor, 2024).",
        "X (Okafor, 2024; Lind et al. 2023).",
        "X (see Lind & Okafor, 2023a, p. 4).",
        "X (e.g. van der Berg 2019: 15).",
        "X (Okafor, in press).",
        "X (Okafor n.d.).",
        "X (WHO 2020).",
        "Okafor (2024) says x.",
        "Okafor's (2024) x.",
        "Lind et al. (2023, p. 3) say x.",
        "Lind and colleagues (2023) say x.",
        "X [Okafor et al., 2024].",
        "X（王伟等，2020）。",
        "王等（2020）认为",
        "X（世界卫生组织，2021）。",
        "田中ら（2019）は",
        "김민수 (2020)",
    ],
    "footnote": ["X.[^a]", "X ^[See Lind 2023, p. 3.] y.", "X^[@lind2023]."],
}

NO_CITATIONS = [
    "Write to lind@example.org or <a.b@c.de>.",
    "See @fig:x, @Fig:x, @tbl-x, @sec-x, @eq:x, @tab:y, @lst-z and [@fig:a; @fig:b].",
    r"See \@ref(fig:x) and \ref{k} and \nocite{k} and \cite{} and \cite{ }.",
    "By [@lind](https://github.com/lind) and https://example.org/@lind/1.",
    "P@10 and @5 and @ 7.",
    "`[@k]` and ``(Okafor, 2024) [12]``",
    "<!-- [@k] (Okafor, 2024) [12] -->",
    "$[12]$ and $x_{[@k]}$",
    "In the interval [2, 5], in [0, 1], with a 95% CI [1, 3] and x[3].",
    "Since [2019] it is so.",
    "- [ ] a task, - [x] another",
    "m^2^ and 10^3^ and CO~2~",
    "Since then (June 2019), (since March 2020), (in 2020), (1990–2020), (n = 2019).",
    "The Act (2010) and the Report (1987) say so.",
    "[A link](https://example.org/Okafor,2019) and [another](#lind-2019).",
    "（2020年3月）以来",
    "X[^b] and X ^[A remark.].",
]


def styles_of(text: str) -> set[str]:
    return {citation.style for citation in find_visible_citations(text, note_cites=lambda label: label == "a")}


@pytest.mark.parametrize(
    ("style", "text"), [(style, text) for style, texts in CITATIONS.items() for text in texts]
)
def test_a_citation_is_found_in_its_style_and_gone_when_the_style_does_not_count(style: str, text: str) -> None:
    assert style in styles_of(text)
    others = CITATION_STYLES - {style}
    found = find_visible_citations(text, others, lambda label: True)
    assert style not in {citation.style for citation in found}


@pytest.mark.parametrize("text", NO_CITATIONS)
def test_what_only_looks_like_a_citation_is_none(text: str) -> None:
    assert styles_of(text) == set()


def test_the_offsets_are_those_of_the_citation() -> None:
    text = "It fell [see @lind2023, p. 3], said Okafor (2024) [12]."
    assert [text[each.start : each.end] for each in find_visible_citations(text)] == [
        "@lind2023",
        "Okafor (2024)",
        "[12]",
    ]


def test_a_citation_with_its_brackets_pages_and_numbers_is_no_prose() -> None:
    text = r"It fell [see @lind2023, p. 3] by 5 \cite[p.~7]{k} in [0, 1] [8, 9] (@fig:x 4)."
    assert [text[start:end] for start, end in citation_extents(text)] == [
        "[see @lind2023, p. 3]",
        r"\cite[p.~7]{k}",
        "[8, 9]",
    ]
    assert citation_extents(text, frozenset({"marker"})) == ()


@pytest.mark.parametrize("key", ["fig:x", "FIG:x", "tbl-x", "sec-x-y", "eq:1", "suppfig-a", "thm:b"])
def test_keys_with_the_prefix_of_a_cross_reference_are_no_citation(key: str) -> None:
    assert is_cross_reference(key)


@pytest.mark.parametrize("key", ["fig2020", "figueroa:2020", "section", "tablet-2020", "doi:10.1/x", "note"])
def test_other_keys_are_no_cross_reference(key: str) -> None:
    assert not is_cross_reference(key)


@pytest.mark.parametrize(
    "text",
    [
        "See @lind2023.",
        "<!--ref:lind2023--><!--anchor:page:3-->",
        "Okafor, N. (2024). Ferry lines. *Journal* 3, 12–14.",
        "N. Okafor, *Ferry lines* (Oxford, 2024), 12.",
        "See Lind 2023, p. 4.",
        "https://doi.org/10.1000/xyz",
        "arXiv:1609.08144",
        "ISBN 9780262517638",
        "Ibid., p. 3.",
        "{cite}`k`",
    ],
)
def test_a_note_that_names_a_source_cites(text: str) -> None:
    assert note_text_cites(text)


@pytest.mark.parametrize(
    "text", ["A remark.", "See https://example.org/x.", "In March 2020 we met.", "mail a@b.org", ""]
)
def test_a_note_that_only_remarks_or_links_cites_nothing(text: str) -> None:
    assert not note_text_cites(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b` c", "a     c"),
        ("a ``b`c`` d", "a         d"),
        ("a `b c", "a `b c"),
        ("a <!-- b --> c", "a            c"),
        ("a <!-- b c", "a <!-- b c"),
        ("a $b$ c, $5 and $6", "a     c, $5 and $6"),
        ("[a](b) c", "[a](   c"),
    ],
)
def test_code_comments_math_and_link_targets_are_blanked_at_equal_length(text: str, expected: str) -> None:
    assert blank_code(text) == expected


_PIECES = st.sampled_from(
    [
        *"`$[]()^@{}\\;,. <>!-*_0129",
        *("<!--", "-->", "Okafor", " 2024", "@k", "[@k]", "[12]", "\\cite{k}", "{cite}`k`", "^["),
        *("et al.", "（", "）", "等"),
    ]
)


@given(st.lists(_PIECES, max_size=25).map("".join))
def test_citations_lie_inside_the_text_in_order_and_blanking_keeps_the_length(text: str) -> None:
    found = find_visible_citations(text, note_cites=lambda label: True)
    assert list(found) == sorted(found, key=lambda each: (each.start, each.end))
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    extents = citation_extents(text)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(extents))
    assert len(blank_code(text)) == len(text)


@pytest.mark.parametrize(
    "piece",
    [
        *("`a``b", "<!--", "$a", "(", "[@", "A", "[1,", "\\cite", "a](", "@a-", "Okafor (2024 ", "{cite}`", "^["),
        *("\\a[", "Ab, ", "\\a{ ", "9", "1, ", "^[((", "（", "[a ", "@{a", "^1^", "[^a]", "等"),
    ],
)
def test_time_is_linear_in_the_text(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    before = time.process_time()
    find_visible_citations(text, note_cites=note_text_cites)
    citation_extents(text)
    note_text_cites(text)
    assert time.process_time() - before < 20


def test_code_spans_of_every_length_cost_linear_time() -> None:
    text = " ".join("`" * length for length in range(1, 1200))
    before = time.process_time()
    assert blank_code(text) == text
    assert time.process_time() - before < 20
