"""The sentences of the conformance audits: each claim text of an expected row stands in its draft."""

from __future__ import annotations

from tests.conformance.cases import conformance
from tests.drafts import owners, texts


def test_each_citation_has_the_claim_text_and_order_of_its_expected_row() -> None:
    wrong = []
    for case in conformance("audit.json"):
        if case["max_claims_per_paper"] < len(owners(case["draft"])):
            continue
        expected = [(row[1], row[0]) for row in case["expected"]["claim_audit_results"]]
        if owners(case["draft"]) != expected:
            wrong.append(case["id"])
    assert wrong == []


def test_each_uncited_text_of_an_expected_row_is_a_sentence() -> None:
    missing = []
    for case in conformance("audit.json"):
        rows = case["expected"]
        wanted = {
            row[0]
            for name in ("uncited_assertions", "constraint_violations", "uncited_audit_failures")
            for row in rows[name]
        }
        missing += [(case["id"], text) for text in wanted - set(texts(case["draft"], "paragraph"))]
    assert missing == []


def test_each_scripted_reply_is_for_a_sentence() -> None:
    missing = []
    for case in conformance("audit.json"):
        known = set(texts(case["draft"]))
        missing += [
            (case["id"], reply["claim_text"])
            for reply in case["replies"]["replies"]
            if reply["claim_text"] not in known
        ]
    assert missing == []
