"""GATE: what the gate says of each row of an audit, one rule a row of the contract's table (section 8)."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint import gate
from claimlint.documents.passport import (
    AUDIT_SAMPLING_SUMMARIES,
    CLAIM_AUDIT_RESULTS,
    CLAIM_DRIFTS,
    CONSTRAINT_VIOLATIONS,
    EXPERIMENT_ALIGNMENT_RESULTS,
    UNCITED_ASSERTIONS,
    UNCITED_AUDIT_FAILURES,
    Passport,
    Row,
)
from claimlint.documents.values import cause, shorten
from claimlint.findings import Problem, Severity
from claimlint.rules import rule

LOW, MED, HIGH = Severity.LOW_WARN, Severity.MED_WARN, Severity.HIGH_WARN

_TOOL_FAILURES = frozenset({"GATE-8", "GATE-12"})
_EXPLAINED = frozenset({"GATE-2", "GATE-3", "GATE-4", "GATE-8", "GATE-10", "GATE-12", "GATE-15", "GATE-16"})
"""Where the rationale says what to do about the verdict; elsewhere it repeats the annotation."""

_RATIONALE = 200
_EVIDENCE_UNLOCATED = "[evidence_unlocated]"


def _annotated(row: Row, annotation: str, code: str, advice: str) -> Problem:
    """The finding of an annotated row: the literal, the claim it is about, what to do."""
    key = next((key for key in ("claim_text", "sentence_text") if row.text(key)), None)
    text = (row.text(key) or "") if key else ""
    claim = f' "{shorten(text)}"' if text else ""
    message = f"{annotation}{claim}: {advice}"
    rationale = row.text("rationale") if code in _EXPLAINED else None
    if rationale and rationale.strip():
        message = f"{message}; the audit says: {shorten(rationale, _RATIONALE)}"
    # Calls that failed alike have one root cause, whoever wrote the claims; other verdicts are about their own.
    grouped = f"{code} {annotation}" if code in _TOOL_FAILURES else ""
    # A verdict is the same verdict wherever its row stands, so it is known by its claim.
    return row.problem(key or (), message, cause=grouped, annotation=annotation, subject=text)


@rule("GATE-1", "pdf-read-unverified", LOW, on=CLAIM_AUDIT_RESULTS, annotation=gate.PDF_UNVERIFIED)
def pdf_read_unverified(row: Row) -> Iterator[Problem]:
    """A supported claim was judged on a PDF whose pages could not be counted reliably.

    Why
        The passage was located by its content, so the page that the citation names is not confirmed. From the
        contract, section 8, first row.

    Bad
        {"judgment": "SUPPORTED", "rationale": "Same figure. [pdf_read_integrity_unverified]"}

    Good
        {"judgment": "SUPPORTED", "rationale": "Page 4 gives the same figure."}

    Fix
        Compare the page yourself, replace the PDF by an undamaged copy and audit again, or acknowledge.
    """
    annotation = gate.supported_unverified(row.data)
    if annotation is not None:
        advice = "the page was not confirmed: check it in the PDF, audit a sound copy, or acknowledge"
        yield _annotated(row, annotation, "GATE-1", advice)


@rule("GATE-2", "claim-ambiguous", LOW, on=CLAIM_AUDIT_RESULTS, annotation=gate.AMBIGUOUS)
def claim_ambiguous(row: Row) -> Iterator[Problem]:
    """The source neither clearly supports the claim nor clearly fails to.

    Why
        A reader of the source may come to another reading. From the contract, section 8.

    Bad
        {"judgment": "AMBIGUOUS", "rationale": "The excerpt is about another form."}

    Good
        {"judgment": "SUPPORTED", "rationale": "Page 4 gives the same figure."}

    Fix
        Say what the source says, or point the anchor at a clearer passage and audit again, or acknowledge.
    """
    annotation = gate.ambiguous(row.data)
    if annotation is not None:
        advice = "say what the source says, anchor a clearer passage, or acknowledge"
        yield _annotated(row, annotation, "GATE-2", advice)


@rule("GATE-3", "claim-not-supported", HIGH, on=CLAIM_AUDIT_RESULTS, locked=True, annotation=gate.NOT_SUPPORTED)
def claim_not_supported(row: Row) -> Iterator[Problem]:
    """The cited source does not support the claim: the gate refuses.

    Why
        The paper would state on the authority of a source what the source does not say. From the contract,
        section 8. HIGH-WARN is cured in the prose and cannot be acknowledged or ignored.

    Bad
        {"judgment": "UNSUPPORTED", "defect_stage": "synthesis_overclaim",
         "rationale": "The source says may, the draft says did."}

    Good
        {"judgment": "SUPPORTED", "defect_stage": null, "rationale": "Both say may."}

    Fix
        Rewrite the claim so that it says what the source says, or cite a source that says it, and audit again.
    """
    annotation = gate.unsupported(row.data)
    if annotation is not None:
        advice = "the source does not say so; rewrite the claim or cite a source that does, and audit again"
        yield _annotated(row, annotation, "GATE-3", advice)


@rule("GATE-4", "constraint-violated", HIGH, on=CLAIM_AUDIT_RESULTS, locked=True)
def constraint_violated(row: Row) -> Iterator[Problem]:
    """A cited claim violates a negative constraint of its manifest: the gate refuses.

    Why
        The writer committed beforehand not to claim this. From the contract, section 8. HIGH-WARN is cured in
        the prose and cannot be acknowledged or ignored.

    Bad
        {"judgment": "UNSUPPORTED", "defect_stage": "negative_constraint_violation",
         "violated_constraint_id": "MNC-1"}

    Good
        {"judgment": "SUPPORTED", "defect_stage": null, "violated_constraint_id": null}

    Fix
        Rewrite the claim so that it keeps the constraint, and audit again.
    """
    annotation = gate.violated(row.data)
    if annotation is not None:
        advice = "rewrite the claim so that it keeps the constraint, and audit again"
        yield _annotated(row, annotation, "GATE-4", advice)


@rule("GATE-5", "fabricated-reference", HIGH, on=CLAIM_AUDIT_RESULTS, locked=True, annotation=gate.FABRICATED)
def fabricated_reference(row: Row) -> Iterator[Problem]:
    """No index knows the cited reference: the gate refuses.

    Why
        A reference that does not exist is probably made up. From the contract, section 8. HIGH-WARN is cured
        in the prose and cannot be acknowledged or ignored.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "ref_retrieval_method": "not_found", "ref_slug": "ghost2021"}

    Good
        {"judgment": "SUPPORTED", "ref_retrieval_method": "api", "ref_slug": "okafor2024"}

    Fix
        Correct the bibliographic data, or remove the citation together with the claim that rests on it.
    """
    annotation = gate.not_found(row.data)
    if annotation is not None:
        slug = row.text("ref_slug")
        name = shorten(slug) if slug else "the reference"
        advice = f"no index knows {name}; correct its data or remove the citation, and audit again"
        yield _annotated(row, annotation, "GATE-5", advice)


@rule("GATE-6", "anchorless-at-audit", HIGH, on=CLAIM_AUDIT_RESULTS, locked=True, annotation=gate.ANCHORLESS)
def anchorless_at_audit(row: Row) -> Iterator[Problem]:
    """A citation without a usable anchor reached the audit: the gate refuses.

    Why
        Nobody can check a claim against a whole book. From the contract, section 8. HIGH-WARN is cured in the
        prose and cannot be acknowledged or ignored.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "anchor_kind": "none", "ref_retrieval_method": "not_attempted"}

    Good
        {"judgment": "SUPPORTED", "anchor_kind": "page", "anchor_value": "4", "ref_retrieval_method": "api"}

    Fix
        Put an anchor of kind quote, page, section or paragraph behind the ref marker, and audit again.
    """
    annotation = gate.not_attempted(row.data)
    if annotation is not None:
        advice = "put a quote, page, section or paragraph anchor behind the ref marker, and audit again"
        yield _annotated(row, annotation, "GATE-6", advice)


@rule("GATE-7", "reference-not-retrievable", LOW, on=CLAIM_AUDIT_RESULTS, annotation=gate.UNVERIFIED)
def reference_not_retrievable(row: Row) -> Iterator[Problem]:
    """The source could not be read for good, so the claim is not verified.

    Why
        A paywall or licence keeps the source closed; that says nothing about the claim. From the contract,
        section 8.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "ref_retrieval_method": "failed", "rationale": "Behind a paywall."}

    Good
        {"judgment": "SUPPORTED", "ref_retrieval_method": "manual_pdf"}

    Fix
        Put the document into a sources folder and audit again, or acknowledge.
    """
    annotation = gate.failed(row.data)
    if annotation is not None:
        advice = "put the document into a sources folder and audit again, or acknowledge"
        yield _annotated(row, annotation, "GATE-7", advice)


@rule("GATE-8", "audit-tool-failure", MED, on=CLAIM_AUDIT_RESULTS)
def audit_tool_failure(row: Row) -> Iterator[Problem]:
    """A tool failed on the citation, so it was not judged.

    Why
        The failure is transient and hides a verdict. From the contract, section 8. MED-WARN is cured by a new
        run and cannot be acknowledged.

    Bad
        {"judgment": "RETRIEVAL_FAILED", "ref_retrieval_method": "audit_tool_failure",
         "rationale": "judge_timeout: no answer in 30 s"}

    Good
        {"judgment": "SUPPORTED", "ref_retrieval_method": "api"}

    Fix
        Audit again: only what is missing is asked.
    """
    annotation = gate.tool_failure(row.data)
    if annotation is not None:
        advice = "the claim was not judged; audit again"
        yield _annotated(row, annotation, "GATE-8", advice)


@rule("GATE-9", "uncited-assertion", LOW, on=UNCITED_ASSERTIONS, annotation=gate.UNCITED)
def uncited_assertion(row: Row, passport: Passport) -> Iterator[Problem]:
    """A sentence states something checkable without a citation.

    The audit records every candidate of UNCITED-1. Where the draft is at hand and a reader would not miss a
    citation, the line is info with the reason, as UNCITED-1 shows it.

    Why
        A reader cannot follow a number or a finding that names no source. From the contract, section 8.

    Bad
        {"uncited_assertions": [{"finding_id": "UA-001", "sentence_text": "Another 40% never used it."}]}

    Good
        {"uncited_assertions": []}

    Fix
        Cite a source, or acknowledge when the sentence needs none.
    """
    excuse = passport.excused.get(" ".join((row.text("sentence_text") or "").split()))
    if excuse is None:
        yield _annotated(row, gate.uncited(row.data), "GATE-9", "cite a source, or acknowledge")
    else:
        found = _annotated(row, gate.uncited(row.data), "GATE-9", f"no ref marker, but {excuse}")
        yield found._replace(severity=Severity.INFO)


@rule("GATE-10", "constraint-violated-uncited", HIGH, on=CONSTRAINT_VIOLATIONS, locked=True)
def constraint_violated_uncited(row: Row) -> Iterator[Problem]:
    """An uncited sentence violates a negative constraint of a manifest: the gate refuses.

    Why
        The writer committed beforehand not to claim this. From the contract, section 8. HIGH-WARN is cured in
        the prose and cannot be acknowledged or ignored.

    Bad
        {"constraint_violations": [{"finding_id": "CV-001", "violated_constraint_id": "MNC-2",
                                    "claim_text": "The clinic saved two million."}]}

    Good
        {"constraint_violations": []}

    Fix
        Rewrite or remove the sentence, and audit again.
    """
    advice = "rewrite or remove the sentence, and audit again"
    yield _annotated(row, gate.violated_uncited(row.data), "GATE-10", advice)


@rule("GATE-11", "claim-drift", LOW, on=CLAIM_DRIFTS)
def claim_drift(row: Row) -> Iterator[Problem]:
    """The draft and its manifests do not make the same claims.

    A claim of a manifest and a sentence of the draft are the same claim when their texts are equal: the sentence
    without its markers, white space normalised. Nothing fuzzier is tried, so that a changed word or number shows,
    as two drifts: one that is planned and not written, one that is written and not planned.

    Why
        A claim that was added on the way, or dropped, was not weighed beforehand. From the contract, section 8.

    Bad
        {"claim_drifts": [{"drift_kind": "EMITTED_NOT_INTENDED", "claim_text": "Queues vanished overnight."}]}

    Good
        {"claim_drifts": []}

    Fix
        Remove or add the claim in the draft, or commit to it in a manifest in the draft's own words and audit
        again, or acknowledge.
    """
    if row.data.get("drift_kind") == "INTENDED_NOT_EMITTED":
        advice = "the draft lacks this planned claim; write it, drop it from the manifest, or acknowledge"
    else:
        advice = "no manifest plans this claim; remove it, add it to a manifest, or acknowledge"
    yield _annotated(row, gate.drift(row.data), "GATE-11", advice)


@rule("GATE-12", "uncited-tool-failure", MED, on=UNCITED_AUDIT_FAILURES)
def uncited_tool_failure(row: Row) -> Iterator[Problem]:
    """The judge failed on an uncited sentence, so its constraints were not checked.

    Why
        A failure is no clean verdict. From the contract, section 8. MED-WARN is cured by a new run and cannot
        be acknowledged.

    Bad
        {"uncited_audit_failures": [{"finding_id": "UAF-001", "fault_class": "judge_timeout"}]}

    Good
        {"uncited_audit_failures": []}

    Fix
        Audit again: only what is missing is asked.
    """
    advice = "its constraints were not checked; audit again"
    yield _annotated(row, gate.uncited_tool_failure(row.data), "GATE-12", advice)


@rule("GATE-13", "audit-sampled", LOW, on=AUDIT_SAMPLING_SUMMARIES)
def audit_sampled(row: Row) -> Iterator[Problem]:
    """Fewer than all citations were audited.

    Why
        Citations outside the sample are not clean, they are unknown. From the contract, section 8.

    Bad
        {"max_claims_per_paper": 9, "total_citation_count": 12, "audited_count": 9}

    Good
        {"max_claims_per_paper": 12, "total_citation_count": 12, "audited_count": 12}

    Fix
        Raise the number of claims per paper and audit again, or acknowledge.
    """
    annotation = gate.sampled_annotation(row.data)
    if annotation is not None:
        message = f"{annotation}: the other citations are unknown; audit with a higher cap, or acknowledge"
        grouped = cause(row, "GATE-13")
        yield row.problem("audited_count", message, cause=grouped, annotation=annotation, subject=annotation)


@rule("GATE-14", "manifest-missing", LOW, on=Passport, annotation=gate.MANIFEST_MISSING)
def manifest_missing(passport: Passport) -> Iterator[Problem]:
    """The audit ran although no manifest says what the draft meant to claim.

    Why
        Without a commitment made beforehand there is nothing to compare the claims with. From the contract,
        section 8.

    Bad
        {"claim_intent_manifests": [],
         "claim_audit_results": [{"scoped_manifest_id": "M-0000-00-00T00:00:00Z-0000"}]}

    Good
        {"claim_intent_manifests": [{"manifest_id": "M-2026-10-05T08:30:00Z-a1b2"}],
         "claim_audit_results": [{"scoped_manifest_id": "M-2026-10-05T08:30:00Z-a1b2"}]}

    Fix
        Lint the passport together with its manifests, or write one before the next draft, or acknowledge.
    """
    missing = gate.manifest_missing(passport)
    if missing is not None:
        message = f"{missing.annotation}: lint the manifests together with this passport, or acknowledge"
        literal = missing.annotation
        yield missing.row.problem(
            "scoped_manifest_id", message, cause="GATE-14", annotation=literal, subject=literal
        )


@rule("GATE-15", "experiment-misaligned", HIGH, on=EXPERIMENT_ALIGNMENT_RESULTS, locked=True)
def experiment_misaligned(row: Row) -> Iterator[Problem]:
    """The experiment does not carry the claim: the gate refuses.

    Why
        The paper would report more than was measured, or something that was not. From the contract, section 8.
        HIGH-WARN is cured in the prose and cannot be acknowledged or ignored.

    Bad
        {"experiment_id": "exp-queue-1", "alignment_verdict": "OVERSTATED"}

    Good
        {"experiment_id": "exp-queue-1", "alignment_verdict": "ALIGNED"}

    Fix
        Rewrite the claim so that it says what was measured.
    """
    annotation = gate.misaligned(row.data)
    if annotation is not None:
        advice = "rewrite the claim so that it says what the experiment measured"
        yield _annotated(row, annotation, "GATE-15", advice)


@rule(
    "GATE-16",
    "experiment-provenance-insufficient",
    LOW,
    on=EXPERIMENT_ALIGNMENT_RESULTS,
    annotation=gate.PROVENANCE_INSUFFICIENT,
)
def experiment_provenance_insufficient(row: Row) -> Iterator[Problem]:
    """The provenance of the experiment does not suffice to check the claim.

    Why
        The claim may hold, but its result cannot be looked at. From the contract, section 8.

    Bad
        {"experiment_id": "exp-queue-1", "alignment_verdict": "PROVENANCE_INSUFFICIENT"}

    Good
        {"experiment_id": "exp-queue-1", "alignment_verdict": "ALIGNED"}

    Fix
        Add the result file and metric to the provenance row and compare again, or acknowledge.
    """
    annotation = gate.provenance_insufficient(row.data)
    if annotation is not None:
        advice = "add result file and metric to the experiment's provenance, or acknowledge"
        yield _annotated(row, annotation, "GATE-16", advice)


@rule("GATE-17", "evidence-unlocated", LOW, on=CLAIM_AUDIT_RESULTS)
def evidence_unlocated(row: Row) -> Iterator[Problem]:
    """The words that a rationale quotes as evidence stand in the excerpt that was judged.

    Why
        A judge that quotes words the source does not have may have made up its reason too. The audit compares
        without regard to ligatures, dashes, hyphenation and white space, and tags what it does not find. The
        verdict stands; `require-evidence` in `[judge]` turns such a SUPPORTED into AMBIGUOUS. From the design,
        section 4.

    Bad
        {"judgment": "SUPPORTED", "rationale": "It says 'costs fell by half'. [evidence_unlocated]"}

    Good
        {"judgment": "SUPPORTED", "rationale": "It says 'costs fell by a tenth'."}

    Fix
        Read the passage yourself, then audit again with another judge, or acknowledge.
    """
    rationale = row.text("rationale")
    if rationale is not None and _EVIDENCE_UNLOCATED in rationale:
        yield row.problem(
            "rationale",
            f"the judge quotes words that are not in the excerpt: {shorten(rationale, _RATIONALE)}; "
            "read the passage yourself, audit again, or acknowledge",
            subject=row.text("claim_text") or "",
        )
