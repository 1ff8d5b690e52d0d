"""Which manifest claim a sentence stands for, and which manifest it is judged under (design, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from claimlint.audit.words import normal
from claimlint.documents.passport import (
    CLAIM_INTENT_MANIFESTS,
    EXPERIMENT_ALIGNMENT_RESULTS,
    SENTINEL,
    Manifest,
    Passport,
    Row,
)

Instant = tuple[int, str]
"""Seconds since year 1 in UTC, and the digits of the fraction without trailing zeros: sorts by time."""

AGENTS = frozenset({"synthesis_agent", "draft_writer_agent", "report_compiler_agent"})
"""The writers of manifests that rows may name (contract, section 2)."""

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
_BEFORE_ALL: Instant = (-(10**12), "")
_CLAIM_ID = re.compile(r"C-(\d{3,1000})", re.ASCII)


def instant(text: str | None) -> Instant:
    """The instant that an RFC 3339 date-time names; one that names none comes before all others.

    A leap second is the second after it.
    """
    match = _TIME.fullmatch(text) if text is not None else None
    if match is None:
        return _BEFORE_ALL
    year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
    if hour > 23 or minute > 59 or second > 60:
        return _BEFORE_ALL
    try:
        date = datetime(year, month, day)
    except ValueError:
        return _BEFORE_ALL
    seconds = date.toordinal() * 86_400 + hour * 3600 + minute * 60 + second
    if match[8] is not None:
        offset = int(timedelta(hours=int(match[9]), minutes=int(match[10])).total_seconds())
        seconds += -offset if match[8] == "+" else offset
    return (seconds, (match[7] or "").rstrip("0"))


def is_instant(text: str) -> bool:
    """Whether a text is an RFC 3339 date-time."""
    return instant(text) != _BEFORE_ALL


def owner_of(manifest: Manifest | None) -> str | None:
    """The agent that emitted a manifest, when it names a known one."""
    agent = None if manifest is None else manifest.row.text("emitted_by")
    return agent if agent in AGENTS else None


@dataclass(frozen=True, slots=True)
class Bound:
    """A claim of a manifest that a text stands for."""

    manifest_id: str
    claim_id: str
    manifest: Manifest
    claim: Row

    @property
    def owner(self) -> str | None:
        """The agent that emitted the manifest."""
        return owner_of(self.manifest)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a citation is judged under, and what its row says of that.

    ``manifest_id`` and ``manifest`` give the constraints (None: there is no manifest). ``written`` is the
    row's scoped_manifest_id: SENTINEL when (manifest_id, claim_id) is no claim of a manifest.
    """

    manifest_id: str | None
    manifest: Manifest | None
    claim_id: str
    written: str

    @property
    def owner(self) -> str | None:
        """The agent that emitted the manifest of the claim; None for a claim that no manifest has."""
        return None if self.written == SENTINEL else owner_of(self.manifest)


class Claims:
    """The claims of all manifests, by text; and the numbering of claims that no manifest has.

    Nothing changes once it is built but the numbers handed out by ``scope``, which depend only on the order
    in which distinct texts are first asked for.
    """

    def __init__(self, passport: Passport, kept: Iterable[Row] = ()) -> None:
        """``kept`` are the audit rows that the next ones will stand beside, so that their claim ids are taken."""
        self._passport = passport
        self._bound: dict[str, Bound] = {}
        self._numbers: dict[str, str] = {}
        self._next = _highest_claim_number(passport, kept) + 1
        self.texts: frozenset[str] = frozenset(
            normal(text)
            for row in passport.aggregate(CLAIM_INTENT_MANIFESTS)
            for claim in row.children("claims")
            if (text := claim.text("claim_text")) is not None
        )
        # Sorting is stable: of manifests emitted at one instant the later row stays the later one.
        in_time = sorted(passport.manifests.items(), key=lambda each: instant(each[1].row.text("emitted_at")))
        self.last: tuple[str, Manifest] | None = in_time[-1] if in_time else None
        for manifest_id, manifest in in_time:
            self._add(manifest_id, manifest)

    @property
    def manifests(self) -> Mapping[str, Manifest]:
        """The manifests by their ids, in the order of their rows."""
        return self._passport.manifests

    def bound(self, text: str) -> Bound | None:
        """The manifest claim of that text, of the manifest emitted last when several have it."""
        return self._bound.get(normal(text))

    def scope(self, text: str) -> Scope:
        """What a citation with that claim text is judged under.

        A text that no manifest has gets the next free claim id, one for each distinct text, and is judged
        under the manifest emitted last.
        """
        bound = self.bound(text)
        if bound is not None:
            return Scope(bound.manifest_id, bound.manifest, bound.claim_id, bound.manifest_id)
        key = normal(text)
        if key not in self._numbers:
            self._numbers[key] = f"C-{self._next:03d}"
            self._next += 1
        manifest_id, manifest = self.last or (None, None)
        return Scope(manifest_id, manifest, self._numbers[key], SENTINEL)

    def backed_by_experiments(self, claim: Row) -> bool:
        """Whether a claim names experiments and all of them are in the provenance."""
        planned = claim.data.get("planned_experiment_ids")
        if not isinstance(planned, list) or not planned:
            return False
        known = self._passport.experiment_ids
        return all(isinstance(each, str) and each in known for each in planned)

    def _add(self, manifest_id: str, manifest: Manifest) -> None:
        own: dict[str, Bound] = {}
        for claim_id, claim in manifest.claims.items():
            text = claim.text("claim_text")
            if text is not None:
                own.setdefault(normal(text), Bound(manifest_id, claim_id, manifest, claim))
        self._bound.update(own)


def _highest_claim_number(passport: Passport, kept: Iterable[Row]) -> int:
    """The highest number of a claim id that the passport holds outside the rows that an audit replaces."""
    ids: Iterable[str | None] = (
        *(
            claim.text("claim_id")
            for row in passport.aggregate(CLAIM_INTENT_MANIFESTS)
            for claim in row.children("claims")
        ),
        *(row.text("claim_id") for row in passport.aggregate(EXPERIMENT_ALIGNMENT_RESULTS)),
        *(row.text("claim_id") for row in kept),
    )
    numbers = (int(match[1]) for each in ids if each is not None and (match := _CLAIM_ID.fullmatch(each)))
    return max(numbers, default=0)
