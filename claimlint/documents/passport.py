"""The passport: rows that remember their file and place, joined from one or more files.

Names and shapes are those of the contract, section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from claimlint.findings import Note, Pointer, Problem, Related, Severity, Source, Token, Tokens

CLAIM_AUDIT_RESULTS = "claim_audit_results"
CLAIM_INTENT_MANIFESTS = "claim_intent_manifests"
UNCITED_ASSERTIONS = "uncited_assertions"
CLAIM_DRIFTS = "claim_drifts"
CONSTRAINT_VIOLATIONS = "constraint_violations"
UNCITED_AUDIT_FAILURES = "uncited_audit_failures"
AUDIT_SAMPLING_SUMMARIES = "audit_sampling_summaries"
EXPERIMENT_PROVENANCE = "experiment_provenance"
EXPERIMENT_ALIGNMENT_RESULTS = "experiment_alignment_results"
EXPERIMENT_INTAKE_DECLARATION = "experiment_intake_declaration"
LITERATURE_CORPUS = "literature_corpus"

AGGREGATES = (
    CLAIM_AUDIT_RESULTS,
    CLAIM_INTENT_MANIFESTS,
    UNCITED_ASSERTIONS,
    CLAIM_DRIFTS,
    CONSTRAINT_VIOLATIONS,
    UNCITED_AUDIT_FAILURES,
    AUDIT_SAMPLING_SUMMARIES,
    EXPERIMENT_PROVENANCE,
    EXPERIMENT_ALIGNMENT_RESULTS,
    LITERATURE_CORPUS,
)
"""The top-level keys that hold arrays of rows."""

PASSPORT_KEYS = (*AGGREGATES, EXPERIMENT_INTAKE_DECLARATION)
"""All top-level keys that claimlint reads; the declaration is one object, not an array."""

SENTINEL = "M-0000-00-00T00:00:00Z-0000"
"""The manifest id of rows that were judged without a manifest."""

FAULTS = frozenset(
    {
        "judge_timeout",
        "judge_api_error",
        "judge_parse_error",
        "cache_corruption",
        "retrieval_api_error",
        "retrieval_timeout",
        "retrieval_network_error",
    }
)
"""The fault classes that a failed retrieval or judge call is recorded under."""

Data = Mapping[str, Any]


class Row(NamedTuple):
    """One row of an aggregate, or an object inside one, with its place.

    ``data`` is the JSON object as read: keys and types are not checked, so rules ask for types before use.
    ``tokens`` lead to it from the top of its file.
    """

    data: Data
    source: Source
    tokens: Tokens

    def pointer(self, *tokens: Token, key: bool = False) -> Pointer:
        """The place of a member of this row (of the row itself when no token is given)."""
        return Pointer(self.tokens + tokens, key)

    def text(self, key: str) -> str | None:
        """The string under ``key``, or None when it is missing or no string."""
        value = self.data.get(key)
        return value if isinstance(value, str) else None

    def children(self, key: str) -> Iterator[Row]:
        """The objects in the array under ``key``; anything that is no object is passed over."""
        value = self.data.get(key)
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    yield Row(item, self.source, (*self.tokens, key, index))

    def problem(
        self,
        at: str | Tokens,
        message: str,
        *,
        cause: str = "",
        severity: Severity | None = None,
        annotation: str | None = None,
        related: tuple[Related, ...] = (),
        subject: str = "",
    ) -> Problem:
        """A problem at a member of this row: ``at`` is a key, or the tokens that lead to it; ``()`` is the row.

        When the member is missing, the place falls back to the row.
        """
        tokens: Tokens = (at,) if isinstance(at, str) else at
        return Problem(
            message=message,
            source=self.source,
            place=Pointer(self.tokens + tokens),
            cause=cause,
            severity=severity,
            annotation=annotation,
            related=related,
            subject=subject,
        )

    def related(self, message: str, *tokens: Token) -> Related:
        """This row, or a member of it, as a related place."""
        return Related(message, self.source, Pointer(self.tokens + tokens))


class Member(NamedTuple):
    """A top-level value of a passport that is not what it should be, or is one object: its place and value."""

    name: str
    value: object
    source: Source
    tokens: Tokens


class Manifest(NamedTuple):
    """A manifest row, indexed: its claims by claim id (the first of two with one id).

    When two rows share a manifest id (M-INV-4), ``row`` is the first and ``claims`` holds those of both, so that
    one fault does not make every row that names a claim unresolved.
    """

    row: Row
    claims: Mapping[str, Row]


class PassportFile(NamedTuple):
    """What one file, or one manifest block of a draft, adds to a passport.

    ``rows`` holds the objects of each aggregate; ``misfits`` what stands where an array or an object should:
    aggregates that are no arrays and elements that are no objects. ``recognised`` is false when no key of the
    file is one that claimlint knows; ``readable`` is false when nothing of it could be checked.
    """

    source: Source
    rows: Mapping[str, tuple[Row, ...]]
    misfits: tuple[Member, ...] = ()
    declaration: Member | None = None
    notes: tuple[Note, ...] = ()
    recognised: bool = True
    readable: bool = True


class Passport(NamedTuple):
    """One passport, joined from its files.

    ``manifests`` is keyed by manifest_id and holds only rows whose id is a string;
    ``experiment_ids`` holds the ids of all provenance rows. ``excused`` says, where the passport is checked
    together with its drafts, why a reader would not miss a citation in a sentence: by the sentence's text with
    white space normalised.
    """

    files: tuple[PassportFile, ...]
    rows: Mapping[str, tuple[Row, ...]]
    manifests: Mapping[str, Manifest]
    experiment_ids: frozenset[str]
    excused: Mapping[str, str] = {}

    def aggregate(self, name: str) -> tuple[Row, ...]:
        """The rows of an aggregate, in the order of files and of rows."""
        return self.rows.get(name, ())

    def claim(self, manifest_id: object, claim_id: object) -> Row | None:
        """The claim that (manifest_id, claim_id) names, or None; any type may be asked for."""
        if not isinstance(manifest_id, str) or not isinstance(claim_id, str):
            return None
        manifest = self.manifests.get(manifest_id)
        return None if manifest is None else manifest.claims.get(claim_id)


def join(files: Iterable[PassportFile]) -> Passport:
    """One passport of several files; rows keep the order of the files."""
    parts = tuple(files)
    rows: dict[str, tuple[Row, ...]] = {}
    for name in AGGREGATES:
        found = [part.rows[name] for part in parts if name in part.rows]
        if found:
            rows[name] = found[0] if len(found) == 1 else tuple(row for some in found for row in some)
    first: dict[str, Row] = {}
    claims: dict[str, dict[str, Row]] = {}
    for row in rows.get(CLAIM_INTENT_MANIFESTS, ()):
        manifest_id = row.text("manifest_id")
        if manifest_id is None:
            continue
        first.setdefault(manifest_id, row)
        known = claims.setdefault(manifest_id, {})
        for claim in row.children("claims"):
            claim_id = claim.text("claim_id")
            if claim_id is not None:
                known.setdefault(claim_id, claim)
    manifests = {manifest_id: Manifest(row, claims[manifest_id]) for manifest_id, row in first.items()}
    experiments = (row.text("experiment_id") for row in rows.get(EXPERIMENT_PROVENANCE, ()))
    return Passport(parts, rows, manifests, frozenset(each for each in experiments if each is not None))
