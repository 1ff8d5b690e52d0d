"""Acknowledging in a draft: what each directive covers, what it may silence, and what is wrong with it."""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlint.acknowledge.directives import Scope, apply_directives, scopes
from claimlint.acknowledge.outcome import Codes, Outcome, codes_of
from claimlint.documents.draft import Directive, Draft
from claimlint.documents.source import TextSource
from claimlint.engine import check_notes, dispatch
from claimlint.findings import Finding, Note, Problem, Range, Severity, Span
from claimlint.rules import Rule, rule, rules_of
from claimlint_rules import ack

COMMENT = re.compile(r"<!--\s*claimlint:\s*([\w-]*)=?([^>]*?)(?:\s--\s+([^>]*?))?\s*-->", re.DOTALL)
PATH = "d/paper.md"


def made(code: str, severity: Severity, *, default: bool = True) -> Rule:
    def check(draft: Draft) -> Iterator[Problem]:
        """Nothing."""
        yield from ()

    rule(code, code.lower(), severity, on=Draft, default=default)(check)
    return check.__claimlint_rule__  # type: ignore[attr-defined, no-any-return]


CODES: Codes = codes_of(
    [
        made("UNCITED-1", Severity.LOW_WARN),
        made("UNCITED-2", Severity.LOW_WARN, default=False),
        made("CITE-1", Severity.ERROR),
        made("CITE-12", Severity.LOW_WARN),
        made("INV-1", Severity.ERROR),
        made("LINK-5", Severity.INFO),
        made("GATE-9", Severity.LOW_WARN),
        *rules_of(ack),
    ]
)
RAN = frozenset(CODES.rules) - {"UNCITED-2"}


def draft_of(text: str) -> Draft:
    directives = tuple(
        Directive(
            Span(*found.span()),
            found.group(1),
            tuple(re.split(r"[\s,]+", found.group(2).strip())),
            found.group(3) or "",
        )
        if found.group(2).strip()
        else Directive(Span(*found.span()), found.group(1), (), found.group(3) or "")
        for found in COMMENT.finditer(text)
    )
    return Draft(TextSource(PATH, text), {}, text, (), (), (), {}, directives, (), ())


def finding(
    line: int,
    code: str = "UNCITED-1",
    severity: Severity = Severity.LOW_WARN,
    *,
    end: int | None = None,
    column: int = 5,
    path: str = PATH,
    subject: str = "",
) -> Finding:
    where = Range(line, 1, end or line, column)
    return Finding(code, code.lower(), severity, "m", path, where, None, None, (), "m", subject)


def applied(text: str, *findings: Finding, ran: frozenset[str] = RAN) -> Outcome:
    return apply_directives(findings, {PATH: scopes(draft_of(text))}, CODES, lambda _path, code: code in ran)


def silenced(text: str) -> list[int]:
    """The lines on which a finding of UNCITED-1 would be silenced."""
    return [line for line in range(1, text.count("\n") + 2) if not applied(text, finding(line)).kept]


def faults(text: str, *findings: Finding, ran: frozenset[str] = RAN) -> list[str]:
    """The ACK findings about a text's directives, as ``line CODE message``."""
    notes = applied(text, *findings, ran=ran).notes
    found = check_notes(notes, dispatch(rules_of(ack)), path=PATH)
    assert found.failures == ()
    return [f"{each.range.line} {each.code} {each.message}" for each in found.findings]


def codes(text: str, *findings: Finding, ran: frozenset[str] = RAN) -> list[str]:
    return [fault.split()[1] for fault in faults(text, *findings, ran=ran)]


D = "<!-- claimlint: disable=UNCITED-1 -- why -->"
E = "<!-- claimlint: enable=UNCITED-1 -->"
N = "<!-- claimlint: disable-next-line=UNCITED-1 -- why -->"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a\n{D}\nb\nc", [3]),
        (f"{D}\n\n  \nb\nc", [4]),
        (f"a\nb {D}\nc", [2]),
        (f"a\n{D} b\nc", [2]),
        (f"> {D}\n> b\n> c", [2]),
        (f"- {D}\n  b\n  c", [2]),
        (f"12. {D}\n    b", [2]),
        (f"12 {D}\nb", [1]),
        (f"{D}\n{D.replace('UNCITED-1', 'LINK-5')}\nb\nc", [3]),
        (f"{D} {D.replace('UNCITED-1', 'LINK-5')}\nb\nc", [2]),
        ("b <!-- claimlint:\ndisable=UNCITED-1\n-- why --> c\nd", [1, 2, 3]),
        ("<!-- claimlint:\ndisable=UNCITED-1\n-- why -->\nd\ne", [4]),
        (f"a {N}\n\nb\nc", [3]),
        (f"{N}\nb\nc", [2]),
        (f"a\n{D}\nb\nc\n{E}\nd", [2, 3, 4, 5]),
        (f"a {D}\nb {E}\nc", [1, 2]),
        (f"{D}\nb\nc\n{D}\ne\nf\n{E}\nh", [2, 4, 5, 6, 7]),
        (f"{D}\nb\n{D}\nd\n{E}\nf\n{E}\nh", [1, 2, 3, 4, 5, 6, 7]),
        (f"{E}\nb\n{D}\nd\ne", [4]),
        (f"a\n{D}\nb\n{E.replace('UNCITED-1', 'UNCITED')}\nc", [3]),
        (f"{D}\nb\n{D}\nd\n{E.replace('=UNCITED-1', '')}\nf", [2, 3, 4, 5]),
        (
            f"{D.replace('UNCITED-1', 'LINK-5 UNCITED-1')}\nb\n\nd\n{E.replace('=UNCITED-1', '')}\nf",
            [1, 2, 3, 4, 5],
        ),
        (f"{D}\nb\n{D.replace('UNCITED-1', 'LINK-5')}\nd\n{E.replace('=UNCITED-1', '')}\nf", [2]),
        (f"{D}\nb\n{E}\n{D}\ne\n{E.replace('=UNCITED-1', '')}\nf", [1, 2, 3, 4, 5, 6]),
        (f"a\nb\n{D.replace('disable', 'disable-file')}\nc", [1, 2, 3, 4]),
        (f"a\n{D}", []),
        (f"a\n{D}\n\n", []),
        (f"{D.replace('UNCITED-1', 'UNCITED')}\nb", [2]),
        (f"{D.replace('UNCITED-1', 'LINK-5, UNCITED-1')}\nb", [2]),
        (f"{D.replace('UNCITED-1', 'LINK-5 UNCITED-1')}\nb", [2]),
        (f"{D.replace('UNCITED-1', 'LINK-5')}\nb", []),
        (f"{D.replace('UNCITED-1', 'UNCITED-2')}\nb", []),
        (f"{D}\r\n\r\nb\r\nc", [3]),
        ("a", []),
    ],
)
def test_a_directive_covers_its_lines(text: str, expected: list[int]) -> None:
    assert silenced(text) == expected


def test_a_finding_is_covered_when_any_of_its_lines_is() -> None:
    text = f"a\nb\nc {D}\nd"
    assert applied(text, finding(2, end=3)).acknowledged == 1
    assert applied(text, finding(3, end=4)).acknowledged == 1
    assert applied(text, finding(1, end=2)).acknowledged == 0


def test_a_finding_that_ends_before_a_lines_first_character_is_not_on_that_line() -> None:
    assert applied(f"a\nb {D}\nd", finding(1, end=2, column=1)).acknowledged == 0


def test_findings_of_other_files_stay() -> None:
    assert applied(f"{D}\nb", finding(2, path="d/other.md")).acknowledged == 0


@pytest.mark.parametrize("severity", [Severity.INFO, Severity.LOW_WARN])
def test_low_warnings_and_infos_can_be_acknowledged(severity: Severity) -> None:
    outcome = applied(f"{D}\nb", finding(2, severity=severity))
    assert (outcome.kept, outcome.acknowledged, outcome.notes) == ((), 1, ())


@pytest.mark.parametrize("severity", [Severity.MED_WARN, Severity.HIGH_WARN, Severity.ERROR])
def test_what_is_graver_stays_and_the_attempt_is_reported(severity: Severity) -> None:
    grave = finding(2, severity=severity)
    assert applied(f"{D}\nb", grave).kept == (grave,)
    assert faults(f"{D}\nb", grave) == [
        "1 ACK-4 UNCITED-1 is above low-warn and cannot be acknowledged; cure it and delete this"
    ]


def test_an_attempt_on_a_grave_rule_is_reported_even_where_it_found_nothing_or_did_not_run() -> None:
    text = "<!-- claimlint: disable=CITE-1 -- why -->\nb"
    assert codes(text) == codes(text, ran=frozenset()) == ["ACK-4"]


def test_a_family_silences_its_low_warnings_and_leaves_the_rest() -> None:
    text = "<!-- claimlint: disable=CITE -- why -->\nb"
    low, grave = finding(2, "CITE-12"), finding(2, "CITE-1", Severity.ERROR)
    outcome = applied(text, low, grave)
    assert (outcome.kept, outcome.acknowledged) == ((grave,), 1)
    assert codes(text, low) == []
    assert codes(text, low, grave) == ["ACK-4"]


def test_findings_about_acknowledgements_cannot_be_acknowledged() -> None:
    text = "<!-- claimlint: disable=ACK-3 -- why -->\nb"
    found = finding(2, "ACK-3")
    assert applied(text, found).kept == (found,)
    assert codes("<!-- claimlint: disable=ACK -- why -->\nb") == ["ACK-4"]


@pytest.mark.parametrize("reason", ["", " --", " -- .", " -- \u200b", " -- …!?"])
def test_a_directive_without_a_reason_silences_nothing_and_is_not_called_unused(reason: str) -> None:
    text = f"a\n<!-- claimlint: disable=UNCITED-1, LINK-5{reason} -->\nb"
    assert silenced(text) == []
    assert faults(text) == [
        "2 ACK-1 UNCITED-1, LINK-5 is acknowledged without a reason, so nothing is silenced; write why (-- REASON)"
    ]


def test_an_unknown_code_is_reported_with_its_nearest_and_the_others_work() -> None:
    text = "<!-- claimlint: disable=uncited-1, UNCITED-1, XYZ -- why -->\nb"
    assert faults(text, finding(2)) == [
        "1 ACK-2 there is no rule or family uncited-1; did you mean UNCITED-1?",
        "1 ACK-2 there is no rule or family XYZ; `claimlint rules` lists them",
    ]
    assert applied(text, finding(2)).acknowledged == 1


def test_a_directive_with_nothing_to_silence_is_unused() -> None:
    assert faults(f"a\n{D}\nb") == [
        "2 ACK-3 no finding of UNCITED-1 is left to silence here; delete it from the directive"
    ]


def test_each_code_of_a_directive_is_used_or_unused_by_itself() -> None:
    text = "<!-- claimlint: disable=UNCITED-1, LINK-5 -- why -->\nb"
    assert codes(text, finding(2)) == ["ACK-3"]
    assert codes(text, finding(2), finding(2, "LINK-5", Severity.INFO)) == []


def test_a_rule_that_did_not_run_makes_no_directive_unused() -> None:
    text = "<!-- claimlint: disable=UNCITED-1 -- why -->\nb"
    assert codes(text, ran=RAN - {"UNCITED-1"}) == []
    assert codes(text.replace("UNCITED-1", "UNCITED-2")) == []


def test_a_family_is_unused_when_all_its_default_rules_ran() -> None:
    text = "<!-- claimlint: disable=UNCITED -- why -->\nb"
    assert codes(text) == ["ACK-3"]
    assert codes(text, ran=frozenset({"UNCITED-2"})) == []


def test_of_two_directives_for_one_finding_one_is_unused() -> None:
    assert codes(f"{D}\nb {D}", finding(2)) == ["ACK-3"]


def test_an_enable_that_closes_nothing_is_unused() -> None:
    assert faults(f"a\n{E}\nb") == ["2 ACK-3 no disable=UNCITED-1 is open here; delete this, or correct its code"]
    assert codes(f"{D}\nb\n{E}", finding(2)) == []
    assert faults("a\n<!-- claimlint: enable -->") == [
        "2 ACK-3 no disable is open here; delete this, or correct its code"
    ]
    assert codes(f"{D}\nb\n<!-- claimlint: enable -->", finding(2)) == []


def test_an_enable_needs_no_reason_and_its_codes_are_checked() -> None:
    assert codes("<!-- claimlint: enable=XYZ -->") == ["ACK-2"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("<!-- claimlint: ignore=UNCITED-1 -- why -->", "it says ignore"),
        ("<!-- claimlint: disable= -- why -->", "it names no code"),
        ("<!-- claimlint: why -->", "it says why"),
    ],
)
def test_what_is_no_directive_is_reported(text: str, cause: str) -> None:
    assert faults(f"{text}\nb") == [
        f"1 ACK-5 this is no directive ({cause}); write <!-- claimlint: disable=CODES -- reason -->"
    ]
    assert silenced(f"{text}\nb") == []


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("disable-nextline=UNCITED-1 -- why", "disable-next-line=CODES -- reason"),
        ("disable_file=UNCITED-1 -- why", "disable-file=CODES -- reason"),
        ("disable-next-line= -- why", "disable-next-line=CODES -- reason"),
        ("enabled", "enable"),
    ],
)
def test_a_verb_that_is_nearly_right_is_proposed(written: str, form: str) -> None:
    [fault] = faults(f"<!-- claimlint: {written} -->\nb")
    assert fault.endswith(f"; write <!-- claimlint: {form} -->")


def test_a_readers_note_on_a_malformed_directive_needs_no_cause() -> None:
    note = Note("malformed-directive", TextSource(PATH, "x"), Span(0, 1), {})
    (found,) = check_notes([note], dispatch(rules_of(ack)), path=PATH).findings
    assert found.message == "this is no directive; write <!-- claimlint: disable=CODES -- reason -->"


def test_faults_stand_at_their_comment_in_document_order() -> None:
    text = f"a\n\n{D}\nb\n<!-- claimlint: disable=XYZ -- why -->\n<!-- claimlint: disable=LINK-5 -->"
    notes = applied(text).notes
    assert [note.source.locate(note.place).line for note in notes] == [3, 5, 6]
    assert [note.source.line_text(line) for note, line in zip(notes, (3, 5, 1), strict=True)] == [
        D,
        "<!-- claimlint: disable=XYZ -- why -->",
        "",
    ]


def test_scopes_pass_between_processes() -> None:
    found = scopes(draft_of(f"{D}\nb"))
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_draft_without_directives_has_no_scopes() -> None:
    assert scopes(draft_of("a")) == ()


pieces = st.lists(
    st.sampled_from([D, E, N, "a", "", "> ", " ", D.replace("disable", "disable-file")]), max_size=12
)


@given(pieces, st.integers(0, 15))
def test_acknowledging_only_ever_takes_findings_away(parts: list[str], line: int) -> None:
    text = "\n".join(parts)
    one = finding(max(1, line))
    outcome = applied(text, one)
    assert outcome.acknowledged + len(outcome.kept) == 1
    assert set(outcome.kept) <= {one}


@given(pieces)
def test_a_line_is_silenced_when_a_scope_says_so(parts: list[str]) -> None:
    text = "\n".join(parts)
    found: tuple[Scope, ...] = scopes(draft_of(text))
    covered = {
        line
        for scope in found
        if scope.verb != "enable"
        for first, last in scope.covers.values()
        for line in range(1, len(parts) + 1)
        if first <= line <= last
    }
    assert set(silenced(text)) == covered


@pytest.mark.parametrize("unit", [f"{D}\n", f"{D} ", f"{D}\n\n", f"a {D}\n", f"{D}\nb\n{E}\n"])
def test_directives_take_time_linear_in_the_draft(unit: str) -> None:
    def cost(count: int) -> float:
        draft = draft_of(unit * count)
        findings = [finding(line) for line in range(1, count)]
        start = time.process_time()
        apply_directives(findings, {PATH: scopes(draft)}, CODES, lambda _path, code: True)
        return time.process_time() - start

    small = max(min(cost(500) for _ in range(3)), 0.002)
    assert min(cost(4000) for _ in range(3)) < 48 * small
