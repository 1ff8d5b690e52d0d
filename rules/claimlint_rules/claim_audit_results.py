"""INV: what must hold inside a claim audit row, and between it and its manifest (contract, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from claimlint.documents.matrix import AMBIGUOUS_STAGES, UNSUPPORTED_STAGES
from claimlint.documents.passport import (
    CLAIM_AUDIT_RESULTS,
    CLAIM_INTENT_MANIFESTS,
    SENTINEL,
    Passport,
    Row,
)
from claimlint.documents.values import cause, differs, fault_of, is_none, listed, member, shorten, shown
from claimlint.findings import Problem
from claimlint.rules import rule

ANCHORLESS_PREFIX = "v3.7.3 R-L3-1-A violation"
"""How the rationale of a row for a citation without an anchor begins."""

_Wanted = tuple[str, tuple[str | None, ...]]

_NOT_JUDGED: tuple[_Wanted, ...] = (
    ("judgment", ("RETRIEVAL_FAILED",)),
    ("audit_status", ("inconclusive",)),
    ("defect_stage", ("not_applicable",)),
)
_NOT_FOUND: tuple[_Wanted, ...] = (
    ("judgment", ("RETRIEVAL_FAILED",)),
    ("audit_status", ("completed",)),
    ("defect_stage", ("retrieval_existence",)),
)
_UNSUPPORTED: tuple[_Wanted, ...] = (
    ("audit_status", ("completed",)),
    ("defect_stage", UNSUPPORTED_STAGES),
)
_AMBIGUOUS: tuple[_Wanted, ...] = (
    ("audit_status", ("completed",)),
    ("defect_stage", AMBIGUOUS_STAGES),
)
_METADATA: tuple[_Wanted, ...] = (
    ("judgment", ("UNSUPPORTED",)),
    ("audit_status", ("completed",)),
    ("ref_retrieval_method", ("api", "manual_pdf")),
)
_BREAKDOWN: tuple[_Wanted, ...] = (
    ("judgment", ("UNSUPPORTED",)),
    ("defect_stage", ("source_description",)),
)
_UNJUDGED_METHODS = ("not_attempted", "failed", "audit_tool_failure")
_HYPHENATED = re.compile(r"NC-C-([0-9]+)-([0-9]+)")


def _either(values: Iterable[str | None]) -> str:
    return listed(("null" if value is None else value for value in values), "or")


def _wrong(row: Row, wanted: Iterable[_Wanted]) -> list[tuple[str, str]]:
    """The members of a row that are not as wanted, each with what it must be."""
    data = row.data
    return [
        (key, _either(allowed))
        for key, allowed in wanted
        if data.get(key) not in allowed and differs(data, key, *allowed)
    ]


def _refuse(row: Row, code: str, premise: str, wrong: list[tuple[str, str]]) -> Iterator[Problem]:
    """One problem that names every wrong member; none when there is none."""
    if wrong:
        parts = listed((f"{key} must be {must} (is {member(row.data, key)})" for key, must in wrong), "and")
        keys = ", ".join(key for key, _ in wrong)
        yield row.problem(wrong[0][0], f"{premise}, so {parts}", cause=cause(row, f"{code}: {keys}"))


@rule("INV-1", "supported-with-defect", on=CLAIM_AUDIT_RESULTS)
def supported_names_no_defect(row: Row) -> Iterator[Problem]:
    """A SUPPORTED row is completed and names neither a defect nor a violated constraint.

    Why
        A claim that its source backs has no defect; a row that says both cannot be trusted in either half.
        From the contract, section 4, INV-1; null and "" both count as "no constraint".

    Bad
        {"judgment": "SUPPORTED", "audit_status": "completed", "defect_stage": "metadata"}

    Good
        {"judgment": "SUPPORTED", "audit_status": "completed", "defect_stage": null}

    Fix
        Write null for defect_stage and violated_constraint_id and completed for audit_status, or, when the
        defect is real, write UNSUPPORTED or AMBIGUOUS for judgment.
    """
    data = row.data
    if data.get("judgment") != "SUPPORTED":
        return
    wrong = _wrong(row, (("defect_stage", (None,)), ("audit_status", ("completed",))))
    violated = data.get("violated_constraint_id")
    if isinstance(violated, str) and violated:
        wrong.append(("violated_constraint_id", "null"))
    if wrong:
        yield from _refuse(row, "INV-1", "judgment is SUPPORTED", wrong)


@rule("INV-2", "unsupported-without-defect", on=CLAIM_AUDIT_RESULTS)
def unsupported_names_its_defect(row: Row) -> Iterator[Problem]:
    """An UNSUPPORTED row is completed and says which of five defects the claim has.

    Why
        The author can only repair a claim when the row says where it went wrong. From the contract, sections
        3 and 4, INV-2.

    Bad
        {"judgment": "UNSUPPORTED", "audit_status": "completed", "defect_stage": null}

    Good
        {"judgment": "UNSUPPORTED", "audit_status": "completed", "defect_stage": "source_description"}

    Fix
        Write source_description, metadata, citation_anchor, synthesis_overclaim or
        negative_constraint_violation for defect_stage, and completed for audit_status.
    """
    if row.data.get("judgment") == "UNSUPPORTED":
        yield from _refuse(row, "INV-2", "judgment is UNSUPPORTED", _wrong(row, _UNSUPPORTED))


@rule("INV-3", "ambiguous-with-wrong-defect", on=CLAIM_AUDIT_RESULTS)
def ambiguous_has_an_ambiguous_defect(row: Row) -> Iterator[Problem]:
    """An AMBIGUOUS row is completed, and its defect stage is one of three or null.

    Why
        An ambiguous reading can come from the description, the anchor or an overclaim; wrong metadata and a
        violated constraint are certain, so they make a row UNSUPPORTED. From the contract, sections 3 and 4,
        INV-3.

    Bad
        {"judgment": "AMBIGUOUS", "audit_status": "completed", "defect_stage": "metadata"}

    Good
        {"judgment": "AMBIGUOUS", "audit_status": "completed", "defect_stage": "citation_anchor"}

    Fix
        Write source_description, citation_anchor, synthesis_overclaim or null for defect_stage and completed
        for audit_status, or write UNSUPPORTED for judgment when the defect is certain.
    """
    if row.data.get("judgment") == "AMBIGUOUS":
        yield from _refuse(row, "INV-3", "judgment is AMBIGUOUS", _wrong(row, _AMBIGUOUS))


@rule("INV-4", "inconclusive-with-defect", on=CLAIM_AUDIT_RESULTS)
def inconclusive_retrieval_has_no_stage(row: Row) -> Iterator[Problem]:
    """A failed retrieval that stays inconclusive has the defect stage not_applicable.

    Why
        Nothing was judged, so no defect was found. From the contract, section 4, INV-4.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "audit_status": "inconclusive", "defect_stage": "metadata"}

    Good
        {"judgment": "RETRIEVAL_FAILED", "audit_status": "inconclusive", "defect_stage": "not_applicable"}

    Fix
        Write not_applicable for defect_stage. When the reference is known not to exist, write completed and
        retrieval_existence instead.
    """
    data = row.data
    if data.get("judgment") == "RETRIEVAL_FAILED" and data.get("audit_status") == "inconclusive":
        premise = "judgment is RETRIEVAL_FAILED and audit_status inconclusive"
        yield from _refuse(row, "INV-4", premise, _wrong(row, _NOT_JUDGED[2:]))


@rule("INV-5", "completed-retrieval-without-existence", on=CLAIM_AUDIT_RESULTS)
def completed_retrieval_failure_is_about_existence(row: Row) -> Iterator[Problem]:
    """A failed retrieval that is completed has the defect stage retrieval_existence.

    Why
        A retrieval fails for good only when no index knows the reference. From the contract, section 4, INV-5.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "audit_status": "completed", "defect_stage": "not_applicable"}

    Good
        {"judgment": "RETRIEVAL_FAILED", "audit_status": "completed", "defect_stage": "retrieval_existence"}

    Fix
        Write retrieval_existence for defect_stage when the reference does not exist; write inconclusive and
        not_applicable when it only could not be read.
    """
    data = row.data
    if data.get("judgment") == "RETRIEVAL_FAILED" and data.get("audit_status") == "completed":
        premise = "judgment is RETRIEVAL_FAILED and audit_status completed"
        yield from _refuse(row, "INV-5", premise, _wrong(row, _NOT_FOUND[2:]))


@rule("INV-6", "anchorless-row", on=CLAIM_AUDIT_RESULTS)
def anchorless_row_was_not_judged(row: Row) -> Iterator[Problem]:
    """A row for a citation without an anchor says that nothing was retrieved, and why.

    Why
        Without an anchor there is no passage to judge, so any verdict would be made up. From the contract,
        section 4, INV-6; every part that is wrong is reported at its own place.

    Bad
        {"anchor_kind": "none", "anchor_value": "4", "judgment": "SUPPORTED", "audit_status": "completed",
         "defect_stage": null, "ref_retrieval_method": "api", "rationale": "Looks right."}

    Good
        {"anchor_kind": "none", "anchor_value": "", "judgment": "RETRIEVAL_FAILED",
         "audit_status": "inconclusive", "defect_stage": "not_applicable",
         "ref_retrieval_method": "not_attempted",
         "rationale": "v3.7.3 R-L3-1-A violation: the citation has no anchor."}

    Fix
        Give the citation an anchor in the draft and audit it again, or write the row as above.
    """
    data = row.data
    if data.get("anchor_kind") != "none":
        return
    wrong = _wrong(row, (*_NOT_JUDGED, ("ref_retrieval_method", ("not_attempted",))))
    if isinstance(data.get("anchor_value"), str) and data["anchor_value"] != "":
        wrong.append(("anchor_value", '""'))
    rationale = data.get("rationale")
    if isinstance(rationale, str) and not rationale.startswith(ANCHORLESS_PREFIX):
        wrong.append(("rationale", f'a text that begins with "{ANCHORLESS_PREFIX}"'))
    for part in wrong:
        yield from _refuse(row, "INV-6", "anchor_kind is none", [part])


@rule("INV-7", "violation-without-constraint", on=CLAIM_AUDIT_RESULTS)
def violation_names_its_constraint(row: Row) -> Iterator[Problem]:
    """A row whose defect is a violated constraint names that constraint.

    Why
        The gate shows the id, and the author has to look the rule up. From the contract, section 4, INV-7.

    Bad
        {"defect_stage": "negative_constraint_violation", "violated_constraint_id": null}

    Good
        {"defect_stage": "negative_constraint_violation", "violated_constraint_id": "MNC-1"}

    Fix
        Write the id of the violated constraint (MNC-1, NC-C001-1), or the stage the claim really failed at.
    """
    data = row.data
    if data.get("defect_stage") == "negative_constraint_violation" and is_none(data.get("violated_constraint_id")):
        message = (
            "defect_stage is negative_constraint_violation, but violated_constraint_id is "
            f"{member(data, 'violated_constraint_id')}; write the id of the violated constraint"
        )
        at = "violated_constraint_id" if "violated_constraint_id" in data else "defect_stage"
        yield row.problem(at, message, cause=cause(row, "INV-7: violated_constraint_id"))


@rule("INV-8", "violation-not-unsupported", on=CLAIM_AUDIT_RESULTS)
def violation_is_unsupported(row: Row) -> Iterator[Problem]:
    """A row whose defect is a violated constraint has the judgment UNSUPPORTED.

    Why
        A violation outranks every other verdict; under another judgment the gate would let it pass. From the
        contract, section 4, INV-8.

    Bad
        {"judgment": "AMBIGUOUS", "defect_stage": "negative_constraint_violation"}

    Good
        {"judgment": "UNSUPPORTED", "defect_stage": "negative_constraint_violation"}

    Fix
        Write UNSUPPORTED for judgment, or another defect_stage when no constraint was violated.
    """
    if row.data.get("defect_stage") == "negative_constraint_violation":
        premise = "defect_stage is negative_constraint_violation"
        yield from _refuse(row, "INV-8", premise, _wrong(row, (("judgment", ("UNSUPPORTED",)),)))


@rule("INV-9", "dispute-without-defect", on=CLAIM_AUDIT_RESULTS)
def dispute_needs_a_defect(row: Row) -> Iterator[Problem]:
    """A dispute names a defect that the row does not have.

    Why
        The writer disputes a finding; a row without a finding leaves nothing to dispute. From the contract,
        section 4, INV-9.

    Bad
        {"defect_stage": null, "upstream_dispute": "Page 4 does say so."}

    Good
        {"defect_stage": "source_description", "upstream_dispute": "Page 4 does say so."}

    Fix
        Remove upstream_dispute, or restore the defect_stage that it disputes.
    """
    data = row.data
    dispute = data.get("upstream_dispute")
    if dispute and isinstance(dispute, str) and data.get("defect_stage", "") in (None, "not_applicable"):
        message = (
            f"upstream_dispute is set, but defect_stage is {member(data, 'defect_stage')}; "
            "remove the dispute or name the disputed defect"
        )
        yield row.problem("upstream_dispute", message, cause=cause(row, "INV-9: upstream_dispute"))


@rule("INV-10", "failed-retrieval-judged", on=CLAIM_AUDIT_RESULTS)
def failed_retrieval_was_not_judged(row: Row) -> Iterator[Problem]:
    """A row whose retrieval failed for good carries no verdict.

    Why
        Behind a paywall or licence nobody read the source. From the contract, section 4, INV-10.

    Bad
        {"ref_retrieval_method": "failed", "judgment": "SUPPORTED", "audit_status": "completed",
         "defect_stage": null}

    Good
        {"ref_retrieval_method": "failed", "judgment": "RETRIEVAL_FAILED", "audit_status": "inconclusive",
         "defect_stage": "not_applicable"}

    Fix
        Write RETRIEVAL_FAILED, inconclusive and not_applicable; when the source was read after all, write
        api or manual_pdf for ref_retrieval_method.
    """
    if row.data.get("ref_retrieval_method") == "failed":
        yield from _refuse(row, "INV-10", "ref_retrieval_method is failed", _wrong(row, _NOT_JUDGED))


@rule("INV-11", "attempt-without-anchor", on=CLAIM_AUDIT_RESULTS)
def only_anchorless_rows_are_not_attempted(row: Row) -> Iterator[Problem]:
    """The method is not_attempted exactly when the anchor kind is none.

    Why
        The audit skips a citation for one reason only, a missing anchor; any other skipped row is a hole in
        the audit. From the contract, section 4, INV-11.

    Bad
        {"anchor_kind": "page", "anchor_value": "4", "ref_retrieval_method": "not_attempted"}

    Good
        {"anchor_kind": "none", "anchor_value": "", "ref_retrieval_method": "not_attempted"}

    Fix
        Write none for anchor_kind when the citation has no anchor, otherwise retrieve the source and write
        how (api, manual_pdf, failed, not_found, audit_tool_failure).
    """
    data = row.data
    kind, method = data.get("anchor_kind"), data.get("ref_retrieval_method")
    if (kind == "none") is (method == "not_attempted"):
        return
    if not isinstance(kind, str) or not isinstance(method, str):
        return
    if kind == "none":
        message = f"anchor_kind is none, so ref_retrieval_method must be not_attempted (is {shown(method)})"
    else:
        message = (
            f"ref_retrieval_method is not_attempted, so anchor_kind must be none (is {shown(kind)}); "
            "a citation with an anchor has to be retrieved"
        )
    yield row.problem("ref_retrieval_method", message, cause=cause(row, "INV-11: ref_retrieval_method"))


@rule("INV-12", "not-found-mismatch", on=CLAIM_AUDIT_RESULTS)
def not_found_goes_with_retrieval_existence(row: Row) -> Iterator[Problem]:
    """The method is not_found exactly when the row says that the reference does not exist.

    Why
        Only an index that must know a reference can deny it; the gate treats such a row as a fabricated
        reference. From the contract, section 4, INV-12.

    Bad
        {"ref_retrieval_method": "not_found", "judgment": "RETRIEVAL_FAILED",
         "audit_status": "inconclusive", "defect_stage": "not_applicable"}

    Good
        {"ref_retrieval_method": "not_found", "judgment": "RETRIEVAL_FAILED",
         "audit_status": "completed", "defect_stage": "retrieval_existence"}

    Fix
        Write RETRIEVAL_FAILED, completed and retrieval_existence for a reference that no index knows; write
        failed or audit_tool_failure for one that only could not be read.
    """
    data = row.data
    method = data.get("ref_retrieval_method")
    if method == "not_found":
        yield from _refuse(row, "INV-12", "ref_retrieval_method is not_found", _wrong(row, _NOT_FOUND))
    elif (
        data.get("defect_stage") == "retrieval_existence"
        and data.get("judgment") == "RETRIEVAL_FAILED"
        and data.get("audit_status") == "completed"
        and isinstance(method, str)
    ):
        premise = "the row says that the reference does not exist (retrieval_existence, completed)"
        yield from _refuse(row, "INV-12", premise, [("ref_retrieval_method", "not_found")])


@rule("INV-13", "metadata-defect-mismatch", on=CLAIM_AUDIT_RESULTS)
def metadata_defect_needs_a_read_source(row: Row) -> Iterator[Problem]:
    """A metadata defect is an UNSUPPORTED, completed verdict on a source that was read.

    Why
        Wrong metadata shows only beside the source, and it is certain when seen. From the contract, section
        4, INV-13.

    Bad
        {"defect_stage": "metadata", "judgment": "UNSUPPORTED", "audit_status": "completed",
         "ref_retrieval_method": "failed"}

    Good
        {"defect_stage": "metadata", "judgment": "UNSUPPORTED", "audit_status": "completed",
         "ref_retrieval_method": "api"}

    Fix
        Write UNSUPPORTED, completed and api or manual_pdf, or another defect_stage.
    """
    if row.data.get("defect_stage") == "metadata":
        yield from _refuse(row, "INV-13", "defect_stage is metadata", _wrong(row, _METADATA))


@rule("INV-14", "tool-failure-mismatch", on=CLAIM_AUDIT_RESULTS)
def tool_failure_names_its_fault(row: Row) -> Iterator[Problem]:
    """A row that a tool failed on carries no verdict and begins its rationale with the fault.

    Why
        The gate shows the fault, and a rerun asks only what a tool failed on. From the contract, section 4,
        INV-14.

    Bad
        {"ref_retrieval_method": "audit_tool_failure", "judgment": "RETRIEVAL_FAILED",
         "audit_status": "inconclusive", "defect_stage": "not_applicable", "rationale": "Timed out."}

    Good
        {"ref_retrieval_method": "audit_tool_failure", "judgment": "RETRIEVAL_FAILED",
         "audit_status": "inconclusive", "defect_stage": "not_applicable",
         "rationale": "judge_timeout: no answer in 30 s"}

    Fix
        Write RETRIEVAL_FAILED, inconclusive and not_applicable, and begin the rationale with judge_timeout,
        judge_api_error, judge_parse_error, cache_corruption, retrieval_api_error, retrieval_timeout or
        retrieval_network_error and a colon.
    """
    data = row.data
    if data.get("ref_retrieval_method") != "audit_tool_failure":
        return
    wrong = _wrong(row, _NOT_JUDGED)
    if isinstance(data.get("rationale"), str) and fault_of(data["rationale"]) is None:
        wrong.append(("rationale", 'a text that begins with a fault and a colon, such as "judge_timeout:"'))
    yield from _refuse(row, "INV-14", "ref_retrieval_method is audit_tool_failure", wrong)


@rule("INV-15", "claim-does-not-resolve", on=CLAIM_AUDIT_RESULTS)
def scoped_claim_resolves(row: Row, passport: Passport) -> Iterator[Problem]:
    """The row's manifest id and claim id name a claim of that manifest.

    Why
        A verdict belongs to one claim; claim ids repeat between manifests, so both ids are needed. From the
        contract, section 4, INV-15. Rows that were judged without a manifest carry the sentinel
        M-0000-00-00T00:00:00Z-0000.

    Bad
        {"scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2", "claim_id": "C-042"}

    Good
        {"scoped_manifest_id": "M-0000-00-00T00:00:00Z-0000", "claim_id": "C-042"}

    Fix
        Write the ids of the manifest claim that was judged, lint the manifest together with the audit rows,
        or write the sentinel when there was no manifest.
    """
    data = row.data
    scope, claim_id = data.get("scoped_manifest_id"), data.get("claim_id")
    if scope == SENTINEL or passport.claim(scope, claim_id) is not None:
        return
    if not isinstance(scope, str) or not isinstance(claim_id, str):
        return
    manifest = passport.manifests.get(scope)
    if manifest is None:
        message = (
            f"no manifest {shown(scope)} in this passport; write the id of one that is, or {SENTINEL} when "
            "the claim was judged without a manifest"
        )
        yield row.problem("scoped_manifest_id", message, cause=cause(row, "INV-15: no such manifest"))
    else:
        message = (
            f"manifest {shorten(scope)} has no claim {shown(claim_id)}; write one of its claims "
            f"({_some(manifest.claims)}), or {SENTINEL} for scoped_manifest_id when no manifest has the claim"
        )
        related = (manifest.row.related("the manifest", "manifest_id"),)
        yield row.problem("claim_id", message, cause=cause(row, "INV-15: no such claim"), related=related)


def _some(names: Iterable[str]) -> str:
    """The first few names, cut short."""
    every = list(names)
    listed = ", ".join(shorten(name, 20) for name in every[:5]) or "it has none"
    return listed + (f", and {len(every) - 5} more" if len(every) > 5 else "")


@rule("INV-16", "blank-anchor-value", on=CLAIM_AUDIT_RESULTS)
def anchor_has_a_value(row: Row) -> Iterator[Problem]:
    """An anchor of any kind but none has a value that is not blank.

    Why
        The value is what leads to the passage; a blank one leads nowhere, also when it is blank only after
        URL-decoding. From the contract, section 4, INV-16.

    Bad
        {"anchor_kind": "page", "anchor_value": "%20"}

    Good
        {"anchor_kind": "page", "anchor_value": "4"}

    Fix
        Write the page, section, paragraph or quote, or none for anchor_kind when the citation has no anchor.
    """
    data = row.data
    value = data.get("anchor_value")
    if not isinstance(value, str) or (value and "%" not in value and not value.isspace()):
        return
    kind = data.get("anchor_kind")
    if kind == "none" or not isinstance(kind, str) or _decoded(value).strip():
        return
    message = (
        f"anchor_kind is {shown(kind)}, but anchor_value {shown(value)} is blank; write the value, or none "
        "for anchor_kind"
    )
    yield row.problem("anchor_value", message, cause=cause(row, "INV-16: blank anchor_value"))


def _decoded(value: str) -> str:
    if "%" not in value:
        return value
    from urllib.parse import unquote

    return unquote(value)


@rule("INV-17", "hyphenated-constraint-id", on=CLAIM_INTENT_MANIFESTS)
def constraint_id_has_no_inner_hyphen(row: Row) -> Iterator[Problem]:
    """A claim constraint id is written NC-C001-1, without a hyphen behind the C.

    Why
        Audit rows name constraints by this id; NC-C-001-1 never matches. From the contract, section 4,
        INV-17. Ids of other wrong shapes are SCHEMA-1.

    Bad
        {"claim_id": "C-001", "negative_constraints": [{"constraint_id": "NC-C-001-1", "rule": "No causes."}]}

    Good
        {"claim_id": "C-001", "negative_constraints": [{"constraint_id": "NC-C001-1", "rule": "No causes."}]}

    Fix
        Remove the hyphen between C and the digits, here and in the rows that name the constraint.
    """
    for claim in row.children("claims"):
        for constraint in claim.children("negative_constraints"):
            found = _HYPHENATED.fullmatch(constraint.text("constraint_id") or "")
            if found:
                message = f"constraint_id {found[0]} has a hyphen behind the C; write NC-C{found[1]}-{found[2]}"
                yield constraint.problem(
                    "constraint_id", message, cause=cause(row, "INV-17: hyphen in constraint_id")
                )


@rule("INV-18", "unjudged-with-wrong-method", on=CLAIM_AUDIT_RESULTS)
def unjudged_row_says_why(row: Row) -> Iterator[Problem]:
    """A row without a verdict has a method that explains why there is none.

    Why
        Only a missing anchor, a permanent refusal or a failing tool leaves a citation unjudged. From the
        contract, section 4, INV-18.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "audit_status": "inconclusive", "defect_stage": "not_applicable",
         "ref_retrieval_method": "api"}

    Good
        {"judgment": "RETRIEVAL_FAILED", "audit_status": "inconclusive", "defect_stage": "not_applicable",
         "ref_retrieval_method": "failed"}

    Fix
        Write not_attempted, failed or audit_tool_failure for ref_retrieval_method; when the source was read,
        write the verdict instead.
    """
    data = row.data
    if data.get("audit_status") != "inconclusive" or data.get("defect_stage") != "not_applicable":
        return
    if data.get("judgment") == "RETRIEVAL_FAILED":
        premise = "the row has no verdict (RETRIEVAL_FAILED, inconclusive, not_applicable)"
        wrong = _wrong(row, (("ref_retrieval_method", _UNJUDGED_METHODS),))
        yield from _refuse(row, "INV-18", premise, wrong)


@rule("INV-19", "breakdown-mismatch", on=CLAIM_AUDIT_RESULTS)
def breakdown_is_partly_supported(row: Row) -> Iterator[Problem]:
    """A sub-claim breakdown stands on an UNSUPPORTED claim of which a part is supported and a part is not.

    Why
        A breakdown records a partial verdict; when all parts agree, the row has a plain verdict and the
        breakdown hides it. From the contract, section 4, INV-19. The key alone counts, and a missing or
        unknown sub_verdict counts for neither side.

    Bad
        {"judgment": "UNSUPPORTED", "defect_stage": "source_description",
         "sub_claim_breakdown": [{"sub_claim_text": "queues fell", "sub_verdict": "UNSUPPORTED"},
                                 {"sub_claim_text": "by 18%", "sub_verdict": "UNSUPPORTED"}]}

    Good
        {"judgment": "UNSUPPORTED", "defect_stage": "source_description",
         "sub_claim_breakdown": [{"sub_claim_text": "queues fell", "sub_verdict": "SUPPORTED"},
                                 {"sub_claim_text": "by 18%", "sub_verdict": "UNSUPPORTED"}]}

    Fix
        Remove the breakdown, or write UNSUPPORTED and source_description and give two or more sub-claims,
        at least one SUPPORTED and at least one UNSUPPORTED or AMBIGUOUS.
    """
    data = row.data
    if "sub_claim_breakdown" not in data:
        return
    yield from _refuse(row, "INV-19", "sub_claim_breakdown is there", _wrong(row, _BREAKDOWN))
    items = data["sub_claim_breakdown"]
    if not isinstance(items, list):
        return
    verdicts = [item.get("sub_verdict") for item in items if isinstance(item, dict)]
    needs = ["2 or more items"] if len(items) < 2 else []
    if "SUPPORTED" not in verdicts:
        needs.append("a SUPPORTED item")
    if "UNSUPPORTED" not in verdicts and "AMBIGUOUS" not in verdicts:
        needs.append("an UNSUPPORTED or AMBIGUOUS item")
    if needs:
        has = ", ".join(map(shown, verdicts[:5])) or "none"
        message = (
            f"sub_claim_breakdown needs {listed(needs, 'and')} (its verdicts: {has}); complete it or remove it"
        )
        yield row.problem("sub_claim_breakdown", message, cause=cause(row, "INV-19: items of sub_claim_breakdown"))
