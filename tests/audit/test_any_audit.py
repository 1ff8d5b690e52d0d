"""Whatever a draft, its manifests, sources and judge hold, the rows keep every schema and invariant."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimlint.audit.building import OWNED
from claimlint.audit.config import AuditConfig
from claimlint.audit.types import JudgeFault, JudgeQuestion, Retrieved
from claimlint.documents.passport import FAULTS, join
from claimlint.documents.reader import read_passport_text
from claimlint.engine import check_passport, dispatch
from tests.passport_samples import INVARIANTS, rules_in

from .make import M1, M2, Scripted, audit, claim, manifest, passport, rules

SENTENCES = (
    "Costs fell.",
    "Most waits fell by 12%.",
    "Children under five liked it.",
    "It refers to the pilot.",
    "Café owners – 3 of 9 – agreed.",
    "x" * 2100 + ".",
    "",
)
MARKERS = (
    "",
    "",
    "<!--ref:a--><!--anchor:page:1-->",
    "<!--ref:b ok--><!--anchor:quote:no%20such%20words-->",
    "<!--ref:c--><!--anchor:section:x--><!--ref:a--><!--anchor:paragraph:1-->",
    "<!--ref:d--><!--anchor:none:-->",
    "<!--ref:-->",
    "<!-- ref:a -->",
    "<!--ref:a--><!--anchor:table:3-->",
    "<!--ref:a--><!--anchor:page:%20-->",
)
TAILS = ("", "\n\n", "\n\n# Part\n\n", "\n\n## Sub\n\n- ", "\n\n> ")
DRAFTS = st.lists(
    st.tuples(st.sampled_from(SENTENCES), st.sampled_from(MARKERS), st.sampled_from(TAILS)), max_size=8
).map(lambda parts: " ".join(f"{text} {marker}{tail}" for text, marker, tail in parts))

OWN = st.lists(
    st.tuples(st.sampled_from(["1", "2"]), st.just("no costs")), max_size=2, unique_by=lambda each: each[0]
)


@st.composite
def manifests(draw: st.DrawFn) -> list[dict[str, object]]:
    found = []
    for manifest_id, time in ((M1, "2026-10-03T08:30:00Z"), (M2, "2026-10-04T08:30:00Z")):
        if not draw(st.booleans()):
            continue
        claims = []
        for number in range(1, draw(st.integers(1, 3)) + 1):
            digits = f"{number:03d}"
            held = rules([(f"NC-C{digits}-{part}", rule) for part, rule in draw(OWN)])
            more = {"planned_experiment_ids": ["E1"]} if draw(st.booleans()) else {}
            text = draw(st.sampled_from(SENTENCES[:5]))
            claims.append(claim(f"C-{digits}", text, negative_constraints=held, **more))
        constraints = [("MNC-1", "no children"), ("MNC-2", "no causes")][: draw(st.integers(0, 2))]
        found.append(manifest(manifest_id, time, *claims, constraints=constraints))
    return found


REPLIES = st.sampled_from(
    [
        "JUDGMENT: SUPPORTED\nRATIONALE: yes",
        'JUDGMENT: SUPPORTED\nRATIONALE: "no such words" \x1b[1m',
        "JUDGMENT: UNSUPPORTED\nDEFECT_STAGE_HINT: nonsense\nRATIONALE: " + "no " * 900,
        "JUDGMENT: AMBIGUOUS\nDEFECT_STAGE_HINT: metadata\nRATIONALE: perhaps",
        "JUDGMENT: PARTIAL\nSUB_CLAIM_BREAKDOWN:\n- a :: SUPPORTED :: -\n- b :: AMBIGUOUS :: p. 2\nRATIONALE: h",
        "JUDGMENT: VIOLATED\nVIOLATED_CONSTRAINT_ID: MNC-1\nRATIONALE: children",
        "JUDGMENT: VIOLATED\nVIOLATED_CONSTRAINT_ID: NC-C001-1\nRATIONALE: costs",
        "JUDGMENT: NOT_VIOLATED\nRATIONALE: nothing",
        "no verdict",
        "",
        *sorted(FAULTS),
    ]
)
SOURCES = st.fixed_dictionaries(
    {
        slug: st.sampled_from(
            [
                "Page one.\fPage two.",
                Retrieved("api", text="Some text."),
                Retrieved("manual_pdf", text="Page one.", preflight="FAIL"),
                Retrieved("manual_pdf", text=" "),
                Retrieved("failed", detail="403"),
                Retrieved("not_found"),
                Retrieved("audit_tool_failure", fault="retrieval_timeout", detail="x" * 3000),
                Retrieved("odd"),
                TimeoutError("slow"),
                RuntimeError("\ud800"),
            ]
        )
        for slug in "abcd"
    }
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(DRAFTS, manifests(), SOURCES, st.lists(REPLIES, min_size=1, max_size=6), st.integers(1, 5), st.booleans())
def test_the_rows_of_any_audit_keep_every_schema_and_invariant(
    draft: str,
    held: list[dict[str, object]],
    sources: dict[str, Retrieved | str | Exception],
    replies: list[str],
    cap: int,
    strict: bool,
) -> None:
    provenance: list[Any] = [{"experiment_id": "E1"}]

    def answer(question: JudgeQuestion) -> str:
        # Picked by the question, so that the order of calls does not matter.
        found = replies[len(question.claim_text + (question.ref_slug or "") + question.excerpt) % len(replies)]
        if found in FAULTS:
            raise JudgeFault(found, "scripted \x00 \ud800")
        return found

    found = passport(claim_intent_manifests=held, experiment_provenance=provenance)
    config = AuditConfig(max_claims=cap, concurrency=2, require_evidence=strict)
    outcome = audit(draft, Scripted(answer), found=found, sources=sources, config=config)
    rows = {name: made for name, made in outcome.aggregates().items() if made}
    top = {"claim_intent_manifests": held, "experiment_provenance": provenance, **rows}
    text = json.dumps(top, ensure_ascii=False).encode("utf-8").decode("utf-8")
    audited = join([read_passport_text(text, "passport.json")])
    table = dispatch((*INVARIANTS, *rules_in(["schema", "matrix"])))
    broken = check_passport(audited, table, path="passport.json").findings
    owned = tuple(f"/{name}/" for name in OWNED)
    assert [f"{each.pointer} {each.message}" for each in broken if (each.pointer or "").startswith(owned)] == []
