"""GATE-9 says of a sentence what UNCITED-1 says: a row that its draft excuses is info, with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimlint.documents import uncited
from tests.conftest import Command

PLAIN = "Most clinics cut waiting times by 40%."
CITED = "Half of them, 52%, did so at once [@okafor2024]."
OWN = "We measured 12 wards."


def passport(*sentences: str) -> str:
    return json.dumps({"uncited_assertions": [{"sentence_text": each} for each in sentences]})


def verdicts(command: Command, *arguments: str) -> list[tuple[str, str, str]]:
    """Severity, annotation and message of what GATE-9 finds."""
    findings = json.loads(command("check", "--select", "GATE-9", "--format", "json", *arguments).out)["findings"]
    return [(each["severity"], each["annotation"], each["message"]) for each in findings]


def severities(command: Command, *arguments: str) -> list[str]:
    return [severity for severity, _, _ in verdicts(command, *arguments)]


def test_a_sentence_that_its_draft_excuses_is_info_with_the_reason(workdir: Path, command: Command) -> None:
    (workdir / "d.md").write_text(f"{PLAIN}\n\n{CITED}\n\n# Methods\n\n{OWN}\n")
    (workdir / "d.passport.json").write_text(passport(PLAIN, CITED.replace(" ", "  "), OWN))
    plain, cited, own = verdicts(command, "d.md")
    assert [each[0] for each in (plain, cited, own)] == ["low-warn", "info", "info"]
    assert {each[1] for each in (plain, cited, own)} == {"[UNCITED-ASSERTION]"}
    findings = json.loads(command("check", "--select", "UNCITED-1", "--format", "json", "d.md").out)["findings"]
    for verdict, finding in zip((cited, own), findings[1:], strict=True):
        reason = finding["message"].partition(", but ")[2]
        assert verdict[2].endswith(f": no ref marker, but {reason}")


def test_what_counts_as_a_citation_is_what_the_settings_say(workdir: Path, command: Command) -> None:
    (workdir / "claimlint.toml").write_text('[uncited]\ncitations = ["latex"]\n')
    (workdir / "d.md").write_text(f"{CITED}\n")
    (workdir / "d.passport.json").write_text(passport(CITED))
    assert severities(command, "d.md") == ["low-warn"]


def test_a_text_that_another_draft_does_not_excuse_is_not_excused(workdir: Path, command: Command) -> None:
    text = "The county had 12 wards."
    (workdir / "a.md").write_text(f"# Methods\n\n{text}\n")
    (workdir / "p.json").write_text(passport(text))
    for section, expected in (("Methods", "info"), ("Background", "low-warn")):
        (workdir / "b.md").write_text(f"# {section}\n\n{text}\n")
        assert severities(command, "--passport", "p.json", "a.md", "b.md") == [expected]


def test_a_passport_alone_excuses_nothing_and_looks_at_no_draft(
    workdir: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_arguments: object) -> None:
        raise AssertionError("no draft is at hand")

    monkeypatch.setattr(uncited, "excused_sentences", never)
    (workdir / "p.json").write_text(passport(OWN))
    assert severities(command, "p.json") == ["low-warn"]
