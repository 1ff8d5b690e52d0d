"""Which claim a sentence stands for, and what it is judged under (design, section 4; contract, section 7)."""

from __future__ import annotations

import pytest

from claimlint.audit.binding import Claims, instant, is_instant
from claimlint.audit.constraints import active_constraints
from claimlint.audit.types import Constraint
from claimlint.audit.words import normal
from claimlint.documents.passport import SENTINEL

from .make import M1, M2, claim, manifest, passport, rules

EARLY, LATE = "2026-10-03T08:30:00Z", "2026-10-04T08:30:00Z"


def claims(*manifests: dict[str, object], **top: object) -> Claims:
    return Claims(passport(claim_intent_manifests=list(manifests), **top))


def test_a_text_is_bound_whatever_its_white_space() -> None:
    scope = claims(manifest(M1, EARLY, claim("C-001", " A  shared\n oven . "))).scope("A shared oven.")
    assert (scope.manifest_id, scope.claim_id, scope.written) == (M1, "C-001", M1)


def test_a_blank_before_a_stop_does_not_part_claim_and_sentence() -> None:
    assert (
        claims(manifest(M1, EARLY, claim("C-001", "Il a grandi : oui !"))).bound("Il a grandi: oui!") is not None
    )


def test_letters_in_two_unicode_forms_are_one_text() -> None:
    assert normal("cafe\u0301") == normal("caf\u00e9")


def test_of_two_manifests_with_the_text_the_one_emitted_last_counts() -> None:
    made = claims(manifest(M2, LATE, claim("C-007", "T.")), manifest(M1, EARLY, claim("C-001", "T.")))
    bound = made.bound("T.")
    assert bound is not None
    assert (bound.manifest_id, bound.claim_id) == (M2, "C-007")


def test_emission_is_compared_as_an_instant() -> None:
    made = claims(
        manifest(M1, "2026-10-03T10:00:00+05:00", claim("C-001", "T.")),
        manifest(M2, "2026-10-03T06:00:00Z", claim("C-001", "T.")),
    )
    bound = made.bound("T.")
    assert bound is not None
    assert bound.manifest_id == M2


def test_on_a_tie_the_later_row_counts() -> None:
    made = claims(
        manifest(M1, "2026-10-03T08:30:00Z", claim("C-001", "T.")),
        manifest(M2, "2026-10-03T10:30:00.000+02:00", claim("C-001", "T.")),
    )
    assert made.scope("T.").manifest_id == M2
    assert made.scope("unbound").manifest_id == M2


def test_an_unbound_text_is_judged_under_the_manifest_emitted_last_and_says_sentinel() -> None:
    made = claims(manifest(M2, LATE, claim("C-001", "a")), manifest(M1, EARLY, claim("C-009", "b")))
    scope = made.scope("something else")
    assert (scope.manifest_id, scope.claim_id, scope.written, scope.owner) == (M2, "C-010", SENTINEL, None)


def test_unbound_texts_get_one_new_id_each() -> None:
    made = claims(manifest(M1, EARLY, claim("C-002", "a")))
    assert [made.scope(text).claim_id for text in ("x", "y", "x ", "z")] == ["C-003", "C-004", "C-003", "C-005"]


def test_new_ids_stand_above_those_of_experiment_rows_too() -> None:
    made = claims(experiment_alignment_results=[{"claim_id": "C-1234"}])
    assert made.scope("x").claim_id == "C-1235"


def test_rows_that_the_audit_replaces_take_no_ids() -> None:
    assert claims(claim_audit_results=[{"claim_id": "C-050"}]).scope("x").claim_id == "C-001"


def test_without_a_manifest_nothing_is_active() -> None:
    scope = claims().scope("x")
    assert (scope.manifest_id, scope.written) == (None, SENTINEL)
    assert active_constraints(scope.manifest, scope.claim_id) == ()


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-10-03T08:30:00Z", "2026-10-03T08:30:00.1Z"),
        ("2026-10-03T08:30:00.05Z", "2026-10-03T08:30:00.5Z"),
        ("2026-10-03T08:30:00+01:00", "2026-10-03t08:30:00z"),
        ("2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z"),
        ("no time", "1900-01-01T00:00:00Z"),
        ("2026-02-30T00:00:00Z", "1900-01-01T00:00:00Z"),
    ],
)
def test_instants_sort_by_time(earlier: str, later: str) -> None:
    assert instant(earlier) < instant(later)


def test_equal_instants_are_equal_in_every_offset_and_precision() -> None:
    assert instant("2026-10-03T08:30:00.500Z") == instant("2026-10-03T10:30:00.5+02:00")


@pytest.mark.parametrize(
    "text", ["", "2026-10-03", "2026-10-03T25:00:00Z", "2026-10-03T08:30:00", "२०२६-10-03T08:30:00Z"]
)
def test_what_is_no_date_time_is_no_instant(text: str) -> None:
    assert not is_instant(text)


def test_constraints_are_the_manifests_and_the_claims_sorted_by_id() -> None:
    made = claims(
        manifest(
            M1,
            EARLY,
            claim("C-001", "a", negative_constraints=rules([("NC-C001-1", "n")])),
            claim("C-002", "b", negative_constraints=rules([("NC-C002-1", "other")])),
            constraints=[("MNC-2", "two"), ("MNC-10", "ten")],
        )
    )
    found = made.manifests[M1]
    assert active_constraints(found, "C-001") == (
        Constraint("MNC-10", "ten"),
        Constraint("MNC-2", "two"),
        Constraint("NC-C001-1", "n"),
    )


def test_constraints_are_chosen_by_manifest_and_claim_id_together() -> None:
    made = claims(
        manifest(M1, EARLY, claim("C-001", "a", negative_constraints=rules([("NC-C001-1", "first")]))),
        manifest(M2, LATE, claim("C-001", "b", negative_constraints=rules([("NC-C001-1", "second")]))),
    )
    assert [active_constraints(each, "C-001") for each in made.manifests.values()] == [
        (Constraint("NC-C001-1", "first"),),
        (Constraint("NC-C001-1", "second"),),
    ]


def test_a_claim_cannot_override_a_constraint_of_the_manifest() -> None:
    made = claims(
        manifest(
            M1,
            EARLY,
            claim("C-001", "a", negative_constraints=rules([("MNC-1", "weaker")])),
            constraints=[("MNC-1", "strict")],
        )
    )
    assert active_constraints(made.manifests[M1], "C-001") == (Constraint("MNC-1", "strict"),)


@pytest.mark.parametrize(
    ("planned", "backed"),
    [(["E1"], True), (["E1", "E2"], True), (["E1", "gone"], False), ([], False), ("E1", False), ([1], False)],
)
def test_a_claim_is_backed_when_all_its_experiments_are_on_record(planned: object, backed: bool) -> None:
    made = claims(
        manifest(M1, EARLY, claim("C-001", "a", planned_experiment_ids=planned)),
        experiment_provenance=[{"experiment_id": "E1"}, {"experiment_id": "E2"}],
    )
    assert made.backed_by_experiments(made.manifests[M1].claims["C-001"]) is backed


def test_rows_of_other_shapes_stop_nothing() -> None:
    made = claims(
        {"manifest_id": 7, "claims": [claim("C-001", "text of no id")]},
        {"manifest_id": M1, "claims": [{"claim_id": "C-004"}, 3, {"claim_text": "no id"}], "emitted_at": 5},
    )
    assert made.texts == {"text of no id", "no id"}
    assert made.scope("text of no id").claim_id == "C-005"
