"""The detector against the shared cases."""

from __future__ import annotations

from claimlint_rules.uncited import detect_uncited
from tests.conformance.cases import conformance


def test_the_detector_equals_every_shared_case() -> None:
    cases = conformance("uncited.json")
    found = {case["sentence"]: detect_uncited(case["sentence"]) for case in cases}
    expected = {case["sentence"]: (case["candidate"], case["trigger_tokens"]) for case in cases}
    assert len(cases) >= 300
    assert found == expected
