"""Why a reader would not miss a citation: each ground holds where it should, and not beside it."""

from __future__ import annotations

import pytest

from claimlint.documents.demotion import Ground
from claimlint.documents.draft_reader import read_draft
from claimlint.documents.own_work import own_names
from claimlint.documents.paper_sections import ABSTRACT, OWN, quiet_section
from claimlint.documents.source import TextSource
from claimlint.documents.uncited import uncited_candidates


def grounds(text: str) -> list[Ground | None]:
    """The ground of every candidate; None for those that are reported at low-warn."""
    candidates = uncited_candidates(read_draft(TextSource("draft.md", text)))
    return [each.reason.ground if each.reason else None for each in candidates]


# --- names and labels -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Tests of COVID-19 and SARS-CoV-2 and IL-6 exist.",
        "Files carry a SHA-256 sum.",
        "It runs on Python 3.8 and on Ubuntu 22.",
        "It runs on Python versions: 2.7 (up to 0.6) and from 3.5 to 3.8.",
        "The text is under CC BY 4.0, the code under GPL-3.0.",
        "The code is under the BSD 3-Clause licence.",
        "Support came with pull request number 3945 and issue #12.",
        "Funds came under grant agreement No. 101036457 and EP/R018456/1.",
        "It conforms to ISO 9001, RFC 3339 and IEC 62056-21.",
        "It concerns type 2 diabetes in a phase 3 trial.",
        "The law is regulation 2016/679.",
        "The law 2016/679 applies.",
        "There is (1) a bus and (2) a train.",
        "There is 1) a bus and 2) a train.",
        "Things such as Industry 4.0, often praised.",
        "The panel met on 12 May and on June 3-5 at 14:00.",
        "The receptor 5-HT was blocked.",
        "It is step 2 of 4.",
    ],
)
def test_numbers_that_only_name_are_identifiers(text: str) -> None:
    assert grounds(text) == [Ground.IDENTIFIER]


@pytest.mark.parametrize(
    "text",
    [
        "It struck COVID-19 wards in 12 towns.",
        "It cost 4.0 euros.",
        "There are 12 versions.",
        "In Germany 12 hospitals closed.",
        "The model had an AUC of 0.9.",
        "The sum (12) was low in 30 towns.",
        "The rate fell (by 3) there.",
        "In May 12000 came.",
        "It took 14:3 tries.",
        "Only 12 of them came.",
        "Overall 12 were closed.",
        "It rose to grade 50%.",
    ],
)
def test_numbers_that_count_are_none(text: str) -> None:
    assert grounds(text) == [None]


# --- superlatives, announcements, what asserts nothing -------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "It is the most popular tool.",
        "Its most popular part is old.",
        "It is used most often at night.",
        "It fell, most notably in towns.",
        "It was the [most viewed](https://example.org) page.",
        "Old towns were hurt most.",
        "Delay is most common at night.",
        "The town grew at most a little.",
    ],
)
def test_a_lone_superlative_counts_nothing(text: str) -> None:
    assert grounds(text) == [Ground.SUPERLATIVE]


@pytest.mark.parametrize(
    "text",
    [
        "Most towns fell.",
        "It fell in most of the towns.",
        "Most early towns fell.",
        "It is the most popular tool in 12 towns.",
        "Most recent studies agree.",
        "It is the most popular, and several towns agree.",
    ],
)
def test_most_that_counts_is_no_superlative(text: str) -> None:
    assert grounds(text) == [None]


def test_a_count_of_the_points_that_follow_is_an_announcement() -> None:
    assert grounds("Several important questions remain open.") == [Ground.ANNOUNCEMENT]
    assert grounds("There are 3 reasons for this.") == [Ground.ANNOUNCEMENT]
    assert grounds("Several towns remain open.") == [None]
    assert grounds("Several questions remain open in 12 towns.") == [None]


@pytest.mark.parametrize(
    "text",
    [
        "How many of the 50 towns fell?",
        "Suppose that 50 towns fell.",
        "Let x be one of 50 towns.",
        "Trials should follow people for 90 days.",
        "建议扩大到 400 米。",
        "where 0.1 would mean a rise.",
    ],
)
def test_what_asks_supposes_or_recommends_asserts_nothing(text: str) -> None:
    assert grounds(text) == [Ground.NO_ASSERTION]


def test_what_others_recommend_is_a_claim_about_them() -> None:
    assert grounds("Guidelines say that trials should last 90 days.") == [None]


# --- the author's own work --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "We counted 50 towns.",
        "In our sample 50 towns fell.",
        "Here I describe 50 towns.",
        "This study covers 50 towns.",
        "The present review covers most towns.",
        "本文收集了 50 份问卷。",
        "我们访问了 50 人。",
        "Wir haben 50 Orte besucht, und unsere Zahl ist 50.",
        "Table 2 lists 50 towns.",
        "It fell in 50 towns (see Figure 3).",
        "It fell in 50 towns (@fig:map).",
        "It fell in 50 towns (see [the map](#map)).",
        "It fell in 50 towns, as Supplementary Table 3 tells.",
        "It fell in 50 towns, see \\ref{map}.",
        "![Most of 50 towns.](map.png)",
        "Table: Most of 50 towns.",
    ],
)
def test_signs_of_the_authors_own_work(text: str) -> None:
    assert grounds(text) == [Ground.OWN_WORK]


@pytest.mark.parametrize(
    "text",
    [
        "The US has 50 towns.",
        "Type I errors are 50 in number.",
        "As we all know, 50 towns fell.",
        "In our society most towns fell.",
        "The USA has 50 towns.",
        "A figure of 50 is given.",
    ],
)
def test_what_only_looks_like_the_first_person_or_a_reference(text: str) -> None:
    assert grounds(text) == [None]


@pytest.mark.parametrize(
    "heading",
    [
        "Methods",
        "2. Materials and Methods",
        "2.1 Statistical analysis",
        "III. Results",
        "Results and discussion",
        "Main results",
        "Acknowledgments",
        "ACKNOWLEDGEMENTS",
        "Funding statement",
        "Code and data availability",
        "Limitations",
        "Limitations of this study",
        "What we found",
        "Our survey",
        "二、方法",
        "3 研究结果",
        "致谢",
    ],
)
def test_sections_on_the_authors_own_work(heading: str) -> None:
    assert quiet_section(f"Title > {heading}", on_an_artefact=False) == (heading, OWN)
    assert quiet_section(f"{heading} > A part", on_an_artefact=False) == (heading, OWN)
    assert grounds(f"## {heading}\n\nMost towns fell.") == [Ground.OWN_WORK]


@pytest.mark.parametrize(
    "heading",
    [
        "Introduction",
        "Background",
        "Findings",
        "Discussion",
        "Deep learning methods in biology",
        "Limitations of existing tools",
        "What we know about sleep",
        "Should we worry?",
        "Design",
        "Usage",
        "(no section)",
    ],
)
def test_other_sections_say_nothing(heading: str) -> None:
    assert quiet_section(heading, on_an_artefact=False) is None


def test_an_abstract_cites_nothing_by_custom() -> None:
    assert quiet_section("Abstract", on_an_artefact=False) == ("Abstract", ABSTRACT)


PACKAGE = "---\ntitle: 'tidy: A Python package for tides'\n---\n\n"


def test_a_paper_on_a_package_tells_of_it_under_design_and_by_its_name() -> None:
    assert grounds(PACKAGE + "# Design\n\nEach test takes 25 hours.") == [Ground.OWN_WORK]
    assert grounds(PACKAGE + "# Uses\n\nThe tool tidy reads 12 formats.") == [Ground.OWN_WORK]
    assert grounds(PACKAGE + "# Uses\n\n`tidy.read` knows 12 formats.") == [Ground.OWN_WORK]
    assert grounds(PACKAGE + "# Uses\n\nThe package has 12 parts.") == [Ground.OWN_WORK]
    assert grounds(PACKAGE + "# Uses\n\nTides have 12 parts.") == [None]
    assert grounds("# Uses\n\nThe package has 12 parts.") == [None]


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Pooch: A friend to fetch your files", "Pooch is a Python library.", {"Pooch"}),
        ("`pooch`: a Python library", "", {"pooch"}),
        ("Verde - gridding with the Verde library", "", {"Verde"}),
        ("Telework: a review", "Telework is common.", set()),
        ("Spatial data with GeoFoo in Python", "GeoFoo is a Python package.", {"GeoFoo"}),
        ("Tides in Python", "Python is a programming language.", set()),
        ("", "We introduce [Manubot](https://manubot.org), a new tool.", {"Manubot"}),
        ("", "We present `foo`, a tool.", {"foo"}),
        ("", "Our paper was code-named the Deep Review and ended.", {"Deep Review"}),
        ("", "We present Bayesian methods.", set()),
    ],
)
def test_the_works_own_name_is_read_from_title_and_introductions(
    title: str, text: str, expected: set[str]
) -> None:
    assert own_names({"title": title}, "", text) == expected


def test_the_name_of_the_repository_in_the_front_matter_is_the_works_own() -> None:
    assert own_names({"repository": "https://github.com/lab/tidy.git"}, "", "") == {"tidy"}
    assert own_names({"title": 3, "repository": None}, "", "") == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We asked nurses. Most worked at night.", Ground.OWN_WORK),
        ("We asked nurses. They came from 12 wards.", Ground.OWN_WORK),
        ("We asked nurses. It rained. Most wards were closed.", Ground.OWN_WORK),
        ("We asked nurses. Most nurses leave early.", None),
        ("We asked nurses. Most studies showed that they left.", None),
        ("Our data agree with earlier studies. Most nurses left.", None),
        ("We asked nurses.\n\nMost left.", None),
        ("Nurses were asked by Lind [@lind2023]. Most left.", None),
        ("Most left. We asked nurses.", None),
    ],
)
def test_a_tale_of_the_authors_own_work_goes_on_until_the_talk_turns(text: str, expected: Ground | None) -> None:
    assert grounds(text)[-1] is expected


# --- neighbours -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Most fell. For example, Graz fell [@lind2023].", Ground.NEIGHBOUR),
        ("Most fell. For example, Graz fell <!--ref:lind2023--><!--anchor:page:3-->.", Ground.NEIGHBOUR),
        ("Most fell. This was shown in Graz [@lind2023].", Ground.NEIGHBOUR),
        ("Most fell. For example, Graz fell.", None),
        ("Most fell. Graz fell too [@lind2023].", None),
        ("Graz fell [@lind2023]. Hence most fell.", Ground.NEIGHBOUR),
        ("Graz fell [@lind2023]. These towns lost 50 buses.", Ground.NEIGHBOUR),
        ("Graz fell [@lind2023]. It lost 50 buses.", Ground.NEIGHBOUR),
        ("Graz fell [@lind2023]. It is well known that most fell.", None),
        ("Graz gained people [@lind2023]. The gain was 50 a year.", Ground.NEIGHBOUR),
        ("Graz fell [@lind2023]. Buses were driven by 50 of them.", Ground.NEIGHBOUR),
        ("Graz fell [@lind2023]. Most towns fell.", None),
        ("Graz fell [@lind2023].\n\nHence most fell.", None),
        ("Graz fell. Hence most fell.", None),
        ("Lind lists the losses [@lind2023]:\n\n- most buses\n", Ground.NEIGHBOUR),
        ("Lind lists the losses [@lind2023].\n\n- most buses\n", None),
        ("We list the losses:\n\n- a bus\n- most buses\n", Ground.OWN_WORK),
    ],
)
def test_a_neighbours_citation_counts_only_where_the_talk_links_the_two(
    text: str, expected: Ground | None
) -> None:
    assert grounds(text)[0] is expected
