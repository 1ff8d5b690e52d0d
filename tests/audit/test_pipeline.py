"""The audit per citation, sentence by sentence of the contract, section 7."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimlint.audit.cache import VerdictCache
from claimlint.audit.config import AuditConfig
from claimlint.audit.preparing import prepare
from claimlint.audit.running import AuditOutcome, execute
from claimlint.audit.types import Retrieved
from claimlint.documents.passport import SENTINEL
from claimlint.errors import UsageError

from .make import (
    M1,
    M2,
    PAGES,
    Scripted,
    Sources,
    audit,
    by_stream,
    claim,
    fails,
    manifest,
    passport,
    rules,
    workspace,
)
from .make import verdict as reply

EARLY, LATE = "2026-10-03T08:30:00Z", "2026-10-04T08:30:00Z"
CITED = "# Results\n\nCosts fell in two towns <!--ref:src--><!--anchor:page:2-->.\n"


def results(outcome: AuditOutcome) -> list[dict[str, Any]]:
    return outcome.aggregates()["claim_audit_results"]


def only(outcome: AuditOutcome) -> dict[str, Any]:
    (row,) = results(outcome)
    return row


# --- step 1: the anchor


@pytest.mark.parametrize(
    "marker",
    [
        "<!--ref:src--><!--anchor:none:-->",
        "<!--ref:src-->",
        "<!--ref:src--><!--anchor:table:3-->",
        "<!--ref:src--><!--anchor:page:%20-->",
        "<!--ref:src--><!--anchor:page:-->",
        "<!-- ref:src -->",
        "<!-- ref:src --><!--anchor:page:2-->",
        "<!--ref:src--> in between <!--anchor:page:2-->",
    ],
)
def test_what_a_person_meant_as_a_citation_without_a_usable_anchor_is_anchorless(marker: str) -> None:
    judge = Scripted(reply("SUPPORTED"))
    found = passport(
        claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=[("MNC-1", "r")])]
    )
    row = only(audit(f"Costs fell {marker}.", judge, found=found))
    assert row["rationale"].startswith("v3.7.3 R-L3-1-A violation:")
    assert (row["anchor_kind"], row["anchor_value"], row["ref_slug"]) == ("none", "", "src")
    assert (row["judgment"], row["audit_status"], row["defect_stage"], row["ref_retrieval_method"]) == (
        "RETRIEVAL_FAILED",
        "inconclusive",
        "not_applicable",
        "not_attempted",
    )
    assert judge.questions == []


def test_a_marker_without_a_slug_is_a_citation_too() -> None:
    row = only(audit("Costs fell <!--ref:-->.", Scripted(reply("SUPPORTED"))))
    assert (row["ref_slug"], row["ref_retrieval_method"]) == ("(no slug)", "not_attempted")


def test_an_anchorless_citation_is_not_retrieved() -> None:
    sources = Sources({})
    prepare(
        workspace("Costs fell <!--ref:src--><!--anchor:none:-->."),
        AuditConfig(),
        [sources],
        "m",
        VerdictCache(None),
    )
    assert sources.asked == []


# --- step 2: the source


def retrieved(source: Retrieved | Exception | None, *, constrained: bool = False) -> dict[str, Any]:
    found = passport()
    if constrained:
        found = passport(
            claim_intent_manifests=[manifest(M1, EARLY, claim("C-001", "x"), constraints=[("MNC-1", "r")])]
        )
    judge = Scripted(by_stream("SUPPORTED"))
    row = only(audit(CITED, judge, found=found, sources={} if source is None else {"src": source}))
    if row["judgment"] == "RETRIEVAL_FAILED":
        assert judge.questions == []
    return row


@pytest.mark.parametrize("method", ["api", "manual_pdf"])
def test_a_source_with_text_goes_on_to_the_judge(method: str) -> None:
    assert retrieved(Retrieved(method, text=PAGES))["ref_retrieval_method"] == method


def test_a_source_that_is_closed_ends_in_its_row() -> None:
    row = retrieved(Retrieved("failed", detail="HTTP 403"))
    assert (row["judgment"], row["audit_status"], row["defect_stage"]) == (
        "RETRIEVAL_FAILED",
        "inconclusive",
        "not_applicable",
    )
    assert row["rationale"] == "the full text of the source could not be had: HTTP 403"


def test_a_source_that_no_index_knows_ends_in_its_row() -> None:
    row = retrieved(Retrieved("not_found", detail="Crossref has no such DOI"))
    assert (row["judgment"], row["audit_status"], row["defect_stage"], row["ref_retrieval_method"]) == (
        "RETRIEVAL_FAILED",
        "completed",
        "retrieval_existence",
        "not_found",
    )


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (Retrieved("audit_tool_failure", fault="retrieval_timeout", detail="30 s"), "retrieval_timeout"),
        (TimeoutError("slow"), "retrieval_timeout"),
        (ConnectionResetError("gone"), "retrieval_network_error"),
        (OSError("no route"), "retrieval_network_error"),
        (ValueError("odd"), "retrieval_api_error"),
        (Retrieved("audit_tool_failure"), "retrieval_api_error"),
        (Retrieved("audit_tool_failure", fault="judge_timeout"), "retrieval_api_error"),
        (Retrieved("teleported", text="x"), "retrieval_api_error"),
        (Retrieved("api", text=" \n"), "retrieval_api_error"),
    ],
)
def test_a_failure_that_may_pass_is_a_tool_failure(source: Retrieved | Exception, fault: str) -> None:
    row = retrieved(source)
    assert row["ref_retrieval_method"] == "audit_tool_failure"
    assert row["rationale"].startswith(f"{fault}: ")
    assert (row["audit_status"], row["defect_stage"]) == ("inconclusive", "not_applicable")


def test_a_pdf_without_text_is_failed() -> None:
    assert retrieved(Retrieved("manual_pdf", text="\f \f"))["ref_retrieval_method"] == "failed"


def test_a_source_that_no_retriever_has_is_failed() -> None:
    row = retrieved(None)
    assert row["ref_retrieval_method"] == "failed"
    assert "none of the retrievers has it (sources)" in row["rationale"]


@pytest.mark.parametrize(
    "source",
    [
        Retrieved("failed", detail="x" * 3000),
        Retrieved("not_found"),
        Retrieved("audit_tool_failure", fault="retrieval_timeout", detail="x" * 3000),
    ],
)
def test_unchecked_constraints_are_said_at_the_end_of_such_a_row(source: Retrieved) -> None:
    rationale = retrieved(source, constrained=True)["rationale"]
    assert rationale.endswith(" [constraints_not_checked]")
    assert len(rationale) <= 2000
    assert "[constraints_not_checked]" not in retrieved(source)["rationale"]


def test_the_retrievers_are_asked_in_their_order_and_once_a_source() -> None:
    first, second = Sources({}), Sources({"src": PAGES})
    draft = f"{CITED}\nAnd waits fell <!--ref:src--><!--anchor:page:1-->.\n"
    prepared = prepare(workspace(draft), AuditConfig(), [first, second], "m", VerdictCache(None))
    assert (first.asked, second.asked) == (["src"], ["src"])
    assert prepared.plan.sources == 1


# --- step 3: the cache


def test_a_second_run_asks_nothing_and_gives_the_same_rows(tmp_path: Path) -> None:
    first = audit(CITED, Scripted(reply("UNSUPPORTED", defect_stage_hint="metadata")), cache=tmp_path)
    judge = Scripted(reply("SUPPORTED"))
    second = audit(CITED, judge, cache=tmp_path)
    assert judge.questions == []
    assert second.aggregates() == first.aggregates()
    assert (second.counts.cached, second.counts.calls) == (1, 0)


@pytest.mark.parametrize("fault", ["judge_timeout", "judge_api_error"])
def test_a_failure_is_asked_again_by_the_next_run(tmp_path: Path, fault: str) -> None:
    audit(CITED, Scripted(fails(fault)), cache=tmp_path)
    assert not list(tmp_path.glob("claim_audit_v1/*.json"))
    assert only(audit(CITED, Scripted(reply("SUPPORTED")), cache=tmp_path))["judgment"] == "SUPPORTED"


def test_a_reply_that_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    row = only(audit(CITED, Scripted("who knows"), cache=tmp_path))
    assert row["rationale"].startswith("judge_parse_error: ")
    assert not list(tmp_path.glob("claim_audit_v1/*.json"))


def test_a_damaged_verdict_is_cache_corruption_in_this_run_and_asked_in_the_next(tmp_path: Path) -> None:
    draft = f"{CITED}\nCosts fell in two towns <!--ref:src--><!--anchor:page:2-->.\n"
    audit(draft, Scripted(reply("SUPPORTED")), cache=tmp_path)
    (file,) = tmp_path.glob("claim_audit_v1/*.json")
    file.write_text(file.read_text().replace("SUPPORTED", "PERFECT"))
    judge = Scripted(reply("SUPPORTED"))
    rows = results(audit(draft, judge, cache=tmp_path))
    assert [row["rationale"].partition(":")[0] for row in rows] == ["cache_corruption"] * 2
    assert [row["ref_retrieval_method"] for row in rows] == ["audit_tool_failure"] * 2
    assert judge.questions == []
    assert file.with_name(file.name + ".corrupt").exists()
    assert [row["judgment"] for row in results(audit(draft, judge, cache=tmp_path))] == ["SUPPORTED"] * 2
    assert len(judge.questions) == 1


def test_an_unknown_prompt_is_never_answered_from_another_run(tmp_path: Path) -> None:
    for _ in range(2):
        judge = Scripted(reply("SUPPORTED"))
        config = AuditConfig(prompt_version=None)
        prepared = prepare(
            workspace(CITED), config, [Sources({"src": PAGES})], judge.model, VerdictCache(tmp_path)
        )
        execute(prepared, judge)
        assert len(judge.questions) == 1
        assert prepared.citations[0].question is not None
        assert prepared.citations[0].question.prompt_version == f"__unknown__:{prepared.run.audit_run_id}"


def test_equal_citations_are_asked_once(tmp_path: Path) -> None:
    judge = Scripted(reply("SUPPORTED"))
    rows = results(audit(CITED + "\n" + CITED, judge, cache=tmp_path))
    assert [row["judgment"] for row in rows] == ["SUPPORTED", "SUPPORTED"]
    assert len(judge.questions) == 1


def test_a_failure_serves_no_equal_citation() -> None:
    answers = iter([fails("judge_api_error"), lambda _: reply("SUPPORTED")])
    judge = Scripted(lambda question: next(answers)(question))
    rows = results(audit(CITED + "\n" + CITED, judge))
    assert [row["judgment"] for row in rows] == ["RETRIEVAL_FAILED", "SUPPORTED"]


def test_the_method_is_how_the_source_was_had_in_this_run(tmp_path: Path) -> None:
    audit(CITED, Scripted(reply("SUPPORTED")), cache=tmp_path, sources={"src": Retrieved("api", text=PAGES)})
    judge = Scripted(reply("SUPPORTED"))
    row = only(audit(CITED, judge, cache=tmp_path))
    assert (row["ref_retrieval_method"], judge.questions) == ("manual_pdf", [])


# --- step 4: the passage


def test_the_judge_sees_the_page() -> None:
    judge = Scripted(reply("SUPPORTED"))
    audit(CITED, judge)
    assert judge.questions[0].excerpt.strip() == "Page two says costs fell by 12% in two towns."


def test_a_quote_that_is_not_found_is_tagged_and_judged_on_the_whole(tmp_path: Path) -> None:
    for _ in range(2):
        judge = Scripted(reply("SUPPORTED"))
        row = only(audit("Costs fell <!--ref:src--><!--anchor:quote:no%20such%20words-->.", judge, cache=tmp_path))
        assert row["rationale"] == "the page says so [anchor_quote_unlocated]"
        assert row["judgment"] == "SUPPORTED"


@pytest.mark.parametrize("anchor", ["page:9", "section:Nowhere", "paragraph:99"])
def test_another_anchor_that_is_not_found_is_tagged(anchor: str) -> None:
    judge = Scripted(reply("SUPPORTED"))
    row = only(audit(f"Costs fell <!--ref:src--><!--anchor:{anchor}-->.", judge))
    assert row["rationale"].endswith(" [anchor_unlocated]")
    assert judge.questions[0].excerpt == PAGES


@pytest.mark.parametrize("preflight", ["FAIL", "UNAVAILABLE"])
def test_a_page_of_an_unverified_pdf_is_located_by_content_and_tagged_also_from_the_cache(
    tmp_path: Path, preflight: str
) -> None:
    source = Retrieved("manual_pdf", text=PAGES, preflight=preflight)
    for calls in (1, 0):
        judge = Scripted(reply("SUPPORTED"))
        row = only(audit(CITED, judge, sources={"src": source}, cache=tmp_path))
        assert row["rationale"] == "the page says so [pdf_read_integrity_unverified]"
        assert len(judge.questions) == calls
    assert "pdf_read" not in next(iter(tmp_path.glob("claim_audit_v1/*.json"))).read_text()


@pytest.mark.parametrize(
    ("source", "anchor"),
    [
        (Retrieved("manual_pdf", text=PAGES, preflight="PASS"), "page:2"),
        (Retrieved("manual_pdf", text=PAGES), "page:2"),
        (Retrieved("manual_pdf", text=PAGES, preflight="FAIL"), "quote:costs%20fell"),
        (Retrieved("api", text=PAGES), "page:2"),
    ],
)
def test_no_other_citation_gets_the_pdf_tag(source: Retrieved, anchor: str) -> None:
    draft = f"Costs fell <!--ref:src--><!--anchor:{anchor}-->."
    row = only(audit(draft, Scripted(reply("SUPPORTED")), sources={"src": source}))
    assert row["rationale"] == "the page says so"


def test_the_pdf_tag_survives_a_long_rationale() -> None:
    source = Retrieved("manual_pdf", text=PAGES, preflight="FAIL")
    row = only(audit(CITED, Scripted(reply("SUPPORTED", "x" * 4000)), sources={"src": source}))
    assert len(row["rationale"]) == 2000
    assert row["rationale"].endswith("x [pdf_read_integrity_unverified]")


# --- step 5 and 6: the judge and the row


def test_the_judge_is_asked_once_with_claim_anchor_excerpt_and_constraints() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(
                M1,
                EARLY,
                claim("C-001", "Costs fell in two towns.", negative_constraints=rules([("NC-C001-1", "n")])),
                constraints=[("MNC-1", "m")],
            )
        ]
    )
    judge = Scripted("no verdict")
    audit(CITED, judge, found=found)
    (question,) = judge.questions
    assert (question.claim_text, question.anchor_kind, question.anchor_value) == (
        "Costs fell in two towns.",
        "page",
        "2",
    )
    assert [each.constraint_id for each in question.constraints] == ["MNC-1", "NC-C001-1"]
    assert question.scoped_manifest_id == M1


@pytest.mark.parametrize(
    "answer",
    ["who knows", reply("NOT_VIOLATED"), reply("VIOLATED", violated_constraint_id="MNC-77"), reply("PARTIAL")],
)
def test_a_reply_outside_the_contract_is_a_parse_error(answer: str) -> None:
    row = only(audit(CITED, Scripted(answer)))
    assert row["rationale"].startswith("judge_parse_error: ")
    assert (row["ref_retrieval_method"], row["judgment"]) == ("audit_tool_failure", "RETRIEVAL_FAILED")


def test_a_partial_verdict_is_unsupported_with_its_breakdown() -> None:
    answer = reply("PARTIAL", sub_claim_breakdown="- a :: SUPPORTED :: p. 2\n- b :: AMBIGUOUS :: -")
    row = only(audit(CITED, Scripted(answer)))
    assert (row["judgment"], row["defect_stage"]) == ("UNSUPPORTED", "source_description")
    assert row["sub_claim_breakdown"] == [
        {"sub_claim_text": "a", "sub_verdict": "SUPPORTED", "evidence_pointer": "p. 2"},
        {"sub_claim_text": "b", "sub_verdict": "AMBIGUOUS", "evidence_pointer": None},
    ]


def test_no_other_row_has_the_key_of_a_breakdown() -> None:
    assert "sub_claim_breakdown" not in only(audit(CITED, Scripted(reply("UNSUPPORTED"))))


def test_a_row_without_a_call_has_the_configured_model_and_the_time_of_the_run() -> None:
    row = only(audit("Costs fell <!--ref:src-->.", Scripted(reply("SUPPORTED"))))
    assert (row["judge_model"], row["judge_run_at"]) == ("scripted", "2026-11-30T08:00:00Z")
    assert row["audit_run_id"] == "2026-11-30T08:00:00Z-0123"


def test_long_texts_are_cut_before_hashing() -> None:
    words = "word " * 600
    draft = (
        f"{words}end <!--ref:src--><!--anchor:page:2-->.\n\n{words}other end <!--ref:src--><!--anchor:page:2-->.\n"
    )
    judge = Scripted(reply("SUPPORTED", "y" * 3000))
    rows = results(audit(draft, judge))
    assert [len(row["claim_text"]) for row in rows] == [2000, 2000]
    assert len(rows[0]["rationale"]) == 2000
    assert len(judge.questions) == 1


def test_a_rationale_that_is_cut_behind_a_word_comes_back_from_the_cache(tmp_path: Path) -> None:
    judge = Scripted(reply("SUPPORTED", "word " * 1000))
    first = audit(CITED, judge, cache=tmp_path)
    assert audit(CITED, judge, cache=tmp_path).aggregates() == first.aggregates()
    assert len(judge.questions) == 1


def test_an_unbound_citation_says_sentinel_and_is_judged_under_the_last_manifest() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(M2, LATE, claim("C-001", "x"), constraints=[("MNC-1", "late")]),
            manifest(M1, EARLY, claim("C-001", "y"), constraints=[("MNC-1", "early")]),
        ]
    )
    judge = Scripted(reply("VIOLATED", violated_constraint_id="MNC-1"))
    row = only(audit(CITED, judge, found=found))
    assert (row["scoped_manifest_id"], row["claim_id"]) == (SENTINEL, "C-002")
    assert (row["judgment"], row["defect_stage"], row["violated_constraint_id"]) == (
        "UNSUPPORTED",
        "negative_constraint_violation",
        "MNC-1",
    )
    assert judge.questions[0].constraints[0].rule == "late"


def test_a_bound_citation_names_its_claim_and_who_wrote_the_manifest() -> None:
    found = passport(
        claim_intent_manifests=[
            manifest(M1, EARLY, claim("C-004", "Costs fell in two towns."), emitted_by="synthesis_agent")
        ]
    )
    row = only(audit(CITED, Scripted(reply("SUPPORTED")), found=found))
    assert (row["scoped_manifest_id"], row["claim_id"], row["upstream_owner_agent"]) == (
        M1,
        "C-004",
        "synthesis_agent",
    )


def test_evidence_that_the_excerpt_does_not_have_is_tagged() -> None:
    row = only(audit(CITED, Scripted(reply("SUPPORTED", 'It says "costs rose".'))))
    assert (row["judgment"], row["rationale"]) == ("SUPPORTED", 'It says "costs rose". [evidence_unlocated]')


def test_evidence_can_be_required(tmp_path: Path) -> None:
    judge = Scripted(reply("SUPPORTED", 'It says "costs rose".'))
    audit(CITED, judge, cache=tmp_path)
    row = only(audit(CITED, judge, cache=tmp_path, config=AuditConfig(require_evidence=True)))
    assert (row["judgment"], row["defect_stage"], len(judge.questions)) == ("AMBIGUOUS", None, 1)


def test_located_evidence_is_not_tagged() -> None:
    row = only(
        audit(
            CITED, Scripted(reply("SUPPORTED", 'It says "costs fell".')), config=AuditConfig(require_evidence=True)
        )
    )
    assert (row["judgment"], row["rationale"]) == ("SUPPORTED", 'It says "costs fell".')


def test_markers_in_one_sentence_are_one_citation_each_in_document_order() -> None:
    draft = "Costs fell <!--ref:a--><!--anchor:page:1--><!--ref:b--><!--anchor:page:2-->.\n"
    rows = results(audit(draft, Scripted(reply("SUPPORTED")), sources={"a": PAGES, "b": PAGES}))
    assert [(row["ref_slug"], row["claim_text"]) for row in rows] == [("a", "Costs fell."), ("b", "Costs fell.")]


# --- sampling


def many(count: int) -> str:
    return "\n\n".join(
        f"Claim {'x' * number} holds <!--ref:src--><!--anchor:page:2-->." for number in range(count)
    )


def test_a_long_draft_is_sampled_with_one_summary() -> None:
    outcome = audit(many(7), Scripted(reply("SUPPORTED")), config=AuditConfig(max_claims=4))
    assert outcome.aggregates()["audit_sampling_summaries"] == [
        {
            "audit_run_id": "2026-11-30T08:00:00Z-0123",
            "max_claims_per_paper": 4,
            "total_citation_count": 7,
            "audited_count": 4,
            "audited_indices": [0, 1, 3, 5],
            "sampling_strategy": "stratified_buckets_v1",
            "emitted_at": "2026-11-30T08:00:00Z",
        }
    ]
    assert len(results(outcome)) == 4


def test_a_draft_that_is_audited_whole_has_no_summary() -> None:
    outcome = audit(many(4), Scripted(reply("SUPPORTED")), config=AuditConfig(max_claims=4))
    assert outcome.aggregates()["audit_sampling_summaries"] == []


def test_auditing_no_claim_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one claim"):
        audit(CITED, Scripted(reply("SUPPORTED")), config=AuditConfig(max_claims=0))


# --- where rows belong


def test_every_row_knows_its_place_in_the_draft() -> None:
    draft = "Most costs rose.\n\n" + CITED
    outcome = audit(draft, Scripted(reply("SUPPORTED")))
    (result,) = outcome.rows["claim_audit_results"]
    (uncited,) = outcome.rows["uncited_assertions"]
    assert result.span is not None
    assert uncited.span is not None
    assert draft[result.span.start : result.span.end] == "<!--ref:src--><!--anchor:page:2-->"
    assert draft[uncited.span.start : uncited.span.end] == "Most costs rose."


def test_the_same_input_gives_the_same_bytes_at_any_concurrency() -> None:
    made = {
        json.dumps(
            audit(many(30), Scripted(reply("UNSUPPORTED")), config=AuditConfig(concurrency=width)).aggregates()
        )
        for width in (1, 3, 16)
    }
    assert len(made) == 1


def test_an_empty_draft_has_an_empty_audit() -> None:
    outcome = audit("", Scripted(reply("SUPPORTED")), found=passport())
    assert set(map(tuple, outcome.aggregates().values())) == {()}
    assert outcome.incomplete == ()


def test_the_manifests_in_the_draft_itself_count() -> None:
    block = json.dumps(manifest(M1, EARLY, claim("C-009", "Costs fell in two towns.")))
    draft = f"{CITED}\n```json\n{block}\n```\n"
    for given in (passport(), None):
        row = only(audit(draft, Scripted(reply("SUPPORTED")), found=given))
        assert (row["scoped_manifest_id"], row["claim_id"]) == (M1, "C-009")
