"""From a reply to the words of a row, and through the cache unchanged (contract, section 7, steps 3 and 6)."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.audit.reply import CITED, Reply, SubClaim, parse_reply
from claimlint.audit.types import Constraint, JudgeFault
from claimlint.audit.verdict import Verdict, from_stored, to_stored, untagged, verdict_of

RULES = (Constraint("MNC-1", "no causes"),)
TIME = "2026-11-30T08:00:00Z"
MIXED = (SubClaim("a", "SUPPORTED", "p. 2"), SubClaim("b", "AMBIGUOUS", None))


def route(verdict: str, hint: str | None = None, **more: object) -> Verdict:
    reply = Reply(verdict, "r", hint, **more)  # type: ignore[arg-type]
    return verdict_of(reply, cited=True, model="m", run_at=TIME, method="api")


@pytest.mark.parametrize(
    ("verdict", "hint", "judgment", "stage"),
    [
        ("SUPPORTED", None, "SUPPORTED", None),
        ("SUPPORTED", "metadata", "SUPPORTED", None),
        ("AMBIGUOUS", None, "AMBIGUOUS", None),
        ("AMBIGUOUS", "source_description", "AMBIGUOUS", "source_description"),
        ("AMBIGUOUS", "citation_anchor", "AMBIGUOUS", "citation_anchor"),
        ("AMBIGUOUS", "synthesis_overclaim", "AMBIGUOUS", "synthesis_overclaim"),
        ("AMBIGUOUS", "metadata", "AMBIGUOUS", None),
        ("AMBIGUOUS", "nonsense", "AMBIGUOUS", None),
        ("UNSUPPORTED", None, "UNSUPPORTED", "source_description"),
        ("UNSUPPORTED", "metadata", "UNSUPPORTED", "metadata"),
        ("UNSUPPORTED", "citation_anchor", "UNSUPPORTED", "citation_anchor"),
        ("UNSUPPORTED", "synthesis_overclaim", "UNSUPPORTED", "synthesis_overclaim"),
        ("UNSUPPORTED", "retrieval_existence", "UNSUPPORTED", "source_description"),
        ("UNSUPPORTED", "negative_constraint_violation", "UNSUPPORTED", "source_description"),
        ("PARTIAL", "metadata", "UNSUPPORTED", "source_description"),
        ("VIOLATED", "metadata", "UNSUPPORTED", "negative_constraint_violation"),
    ],
)
def test_a_hint_outside_the_matrix_is_coerced(
    verdict: str, hint: str | None, judgment: str, stage: str | None
) -> None:
    found = route(verdict, hint, violated="MNC-1" if verdict == "VIOLATED" else None)
    assert (found.judgment, found.defect_stage) == (judgment, stage)


@pytest.mark.parametrize(
    "verdict",
    [
        route("SUPPORTED"),
        route("UNSUPPORTED", "metadata"),
        route("AMBIGUOUS", "citation_anchor"),
        route("PARTIAL", breakdown=MIXED),
        route("VIOLATED", violated="MNC-1"),
    ],
)
def test_a_verdict_on_a_citation_comes_back_from_the_cache_as_it_was(verdict: Verdict) -> None:
    stored = json.loads(json.dumps(to_stored(verdict)))
    assert from_stored(stored, cited=True, model="m", constraints=RULES) == verdict


@given(st.text(max_size=60), st.integers(1, 60), st.text(max_size=30), st.sampled_from(["-", "p. 2"]))
def test_whatever_a_judge_writes_comes_back_from_the_cache_as_it_was(
    words: str, times: int, part: str, pointer: str
) -> None:
    lines = f"- {part} :: SUPPORTED :: {pointer}\n- {part} b :: UNSUPPORTED :: -\n"
    for text in (
        f"JUDGMENT: AMBIGUOUS\nRATIONALE: {words * times}",
        f"JUDGMENT: PARTIAL\nSUB_CLAIM_BREAKDOWN:\n{lines}RATIONALE: {words * times}",
    ):
        with suppress(JudgeFault):
            reply = parse_reply(text, allowed=CITED, constraints=RULES, material=("",))
            verdict = verdict_of(reply, cited=True, model="m", run_at=TIME, method="api")
            stored = json.loads(json.dumps(to_stored(verdict), ensure_ascii=False).encode("utf-8"))
            assert from_stored(stored, cited=True, model="m", constraints=RULES) == verdict


@pytest.mark.parametrize(("word", "violated"), [("NOT_VIOLATED", None), ("VIOLATED", "MNC-1")])
def test_a_verdict_on_a_sentence_comes_back_from_the_cache_as_it_was(word: str, violated: str | None) -> None:
    reply = Reply(word, "r", violated=violated)
    verdict = verdict_of(reply, cited=False, model="m", run_at=TIME, method="not_attempted")
    stored = to_stored(verdict)
    assert stored["judgment"] == word
    assert from_stored(stored, cited=False, model="m", constraints=RULES) == verdict


def test_exactly_the_contracts_fields_are_stored() -> None:
    assert list(to_stored(route("SUPPORTED"))) == [
        "judgment",
        "audit_status",
        "defect_stage",
        "rationale",
        "judge_model",
        "judge_run_at",
        "ref_retrieval_method",
        "violated_constraint_id",
        "sub_claim_breakdown",
    ]


BREAKDOWN = [
    {"sub_claim_text": "a", "sub_verdict": "SUPPORTED", "evidence_pointer": None},
    {"sub_claim_text": "b", "sub_verdict": "UNSUPPORTED", "evidence_pointer": None},
]


@pytest.mark.parametrize(
    "changes",
    [
        {"judgment": "FINE"},
        {"judgment": "RETRIEVAL_FAILED"},
        {"judgment": "NOT_VIOLATED"},
        {"judgment": 1},
        {"audit_status": "inconclusive"},
        {"defect_stage": "metadata"},
        {"judgment": "UNSUPPORTED"},
        {"judgment": "AMBIGUOUS", "defect_stage": "metadata"},
        {"judgment": "UNSUPPORTED", "defect_stage": "negative_constraint_violation"},
        {"judgment": "UNSUPPORTED", "defect_stage": "metadata", "violated_constraint_id": "MNC-1"},
        {
            "judgment": "UNSUPPORTED",
            "defect_stage": "negative_constraint_violation",
            "violated_constraint_id": "MNC-9",
        },
        {"rationale": ""},
        {"rationale": " "},
        {"rationale": "x" * 2001},
        {"rationale": "a\x1b[31mb"},
        {"rationale": None},
        {"judge_model": "another"},
        {"judge_run_at": "yesterday"},
        {"ref_retrieval_method": "failed"},
        {"sub_claim_breakdown": BREAKDOWN},
        {"sub_claim_breakdown": []},
        {"sub_claim_breakdown": BREAKDOWN[:1], "judgment": "UNSUPPORTED", "defect_stage": "source_description"},
        {"sub_claim_breakdown": "x", "judgment": "UNSUPPORTED", "defect_stage": "source_description"},
        {
            "sub_claim_breakdown": [BREAKDOWN[0], BREAKDOWN[0]],
            "judgment": "UNSUPPORTED",
            "defect_stage": "source_description",
        },
        {
            "sub_claim_breakdown": [BREAKDOWN[0], {**BREAKDOWN[1], "sub_verdict": "MAYBE"}],
            "judgment": "UNSUPPORTED",
            "defect_stage": "source_description",
        },
        {
            "sub_claim_breakdown": [BREAKDOWN[0], {**BREAKDOWN[1], "sub_claim_text": ""}],
            "judgment": "UNSUPPORTED",
            "defect_stage": "source_description",
        },
        {
            "sub_claim_breakdown": [BREAKDOWN[0], {**BREAKDOWN[1], "evidence_pointer": 3}],
            "judgment": "UNSUPPORTED",
            "defect_stage": "source_description",
        },
        {
            "sub_claim_breakdown": [BREAKDOWN[0], "b"],
            "judgment": "UNSUPPORTED",
            "defect_stage": "source_description",
        },
        {"claim_id": "C-001"},
    ],
)
def test_a_stored_verdict_is_checked_as_strictly_as_a_fresh_one(changes: dict[str, object]) -> None:
    stored = {**to_stored(route("SUPPORTED")), **changes}
    with pytest.raises(ValueError, match=r"\w"):
        from_stored(stored, cited=True, model="m", constraints=RULES)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"judgment": "SUPPORTED"}])
def test_anything_but_the_nine_fields_is_no_verdict(value: object) -> None:
    with pytest.raises(ValueError, match="nine fields"):
        from_stored(value, cited=True, model="m", constraints=RULES)


def test_a_citations_verdict_is_none_on_a_sentence_and_the_other_way_round() -> None:
    with pytest.raises(ValueError, match="without a citation"):
        from_stored(to_stored(route("SUPPORTED")), cited=False, model="m", constraints=RULES)
    reply = verdict_of(Reply("NOT_VIOLATED", "r"), cited=False, model="m", run_at=TIME, method="not_attempted")
    with pytest.raises(ValueError, match="citation"):
        from_stored(to_stored(reply), cited=True, model="m", constraints=RULES)


def test_a_judge_cannot_forge_the_tags_of_the_audit() -> None:
    text = "x [pdf_read_integrity_unverified] [anchor_unlocated] [kept]"
    assert untagged(text) == "x (pdf_read_integrity_unverified) (anchor_unlocated) [kept]"
