"""The recorded scenarios of the contract through the command: written, cached, and without writing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.audit.test_conformance import compared, scenarios
from tests.conformance.cases import conformance

from .cli import Inside, Ran, claimlint

Run = Callable[..., Ran]
CONTRACT = ("SCHEMA", "MATRIX")
SCENARIOS = scenarios()


def test_the_scenarios_are_here() -> None:
    assert len(conformance("audit.json")) == 25


def audited(run: Run, folder: Path, scenario: dict[str, Any], *arguments: str) -> Ran:
    return run(
        folder,
        *("check", "draft.md", "--judge", "--format", "json"),
        *("--judge-backend", "replay:replies.json", "--retriever", "replay:retrievals.json"),
        *("--max-claims", str(scenario["max_claims_per_paper"]), *arguments),
    )


def read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "draft.passport.json").read_text("utf-8"))
    return found


def rows_of(passport: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return compared({name: passport.get(name, []) for name in names})


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: str(each["id"]))
def test_a_scenario_comes_out_as_expected(scenario: dict[str, Any], tmp_path: Path, inside: Inside) -> None:
    (tmp_path / "draft.md").write_text(scenario["draft"], "utf-8")
    (tmp_path / "draft.passport.json").write_text(json.dumps(scenario["passport"]), "utf-8")
    for name in ("replies", "retrievals"):
        (tmp_path / f"{name}.json").write_text(json.dumps(scenario[name]), "utf-8")
    expected = dict(scenario["expected"])
    annotations, refuse = sorted(expected.pop("annotations")), expected.pop("gate_refuse")
    kept = {key: value for key, value in scenario["passport"].items() if key not in expected}

    held = audited(inside, tmp_path, scenario)
    assert read(tmp_path) == scenario["passport"], "nothing is written unless it is asked for"
    written = audited(claimlint, tmp_path, scenario, "--write")
    again = read(tmp_path)
    rewritten = audited(inside, tmp_path, scenario, "--write")

    for ran, passport in ((written, again), (rewritten, read(tmp_path))):
        assert rows_of(passport, list(expected)) == expected
        assert {key: value for key, value in passport.items() if key not in expected} == kept
        assert ran.annotations == annotations
    for ran in (held, written, rewritten):
        assert ran.report["summary"]["gate_refuse"] is refuse
        assert ran.report["errors"] == []
        assert ran.shown == written.shown
        assert ran.code == expected_code(ran)
    plain = inside(tmp_path, "check", "draft.passport.json", "draft.md", "--format", "json")
    assert plain.annotations == annotations
    assert plain.shown == written.shown
    assert [finding for finding in plain.report["findings"] if breaks_contract(finding)] == []


def expected_code(ran: Ran) -> int:
    severities = ran.report["summary"]["by_severity"]
    if severities["error"] or severities["high-warn"]:
        return 1
    return 0 if ran.report["summary"]["audit"]["complete"] else 3


def breaks_contract(finding: dict[str, Any]) -> bool:
    family = finding["code"].rpartition("-")[0]
    return finding["severity"] == "error" and (family in CONTRACT or family.endswith("INV"))
