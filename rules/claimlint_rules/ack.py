"""ACK: acknowledgements keep their own rules."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.documents.values import shorten
from claimlint.findings import Note, Pointer, Problem, Severity
from claimlint.rules import rule


def _problem(note: Note, message: str) -> Problem:
    return Problem(message, note.source, note.place, related=note.related)


def _value(note: Note, key: str) -> str:
    return shorten(note.values.get(key, ""))


@rule("ACK-1", "directive-without-reason", Severity.MED_WARN, on=Note)
def acknowledgement_has_a_reason(note: Note) -> Iterator[Problem]:
    """An acknowledgement says why, in a directive behind two hyphens, in a baseline entry under `reason`.

    Why
        Whoever reads the draft later, a co-author or an editor, has to see why a warning was accepted. Without
        a reason the directive silences nothing.

    Bad
        <!-- claimlint: disable=UNCITED-1 -->

    Good
        <!-- claimlint: disable=UNCITED-1 -- our own measurement, see table 2 -->

    Fix
        Write the reason behind the codes, or in the entry `"reason": "…"`; or delete the acknowledgement and
        cure the finding.
    """
    code = _value(note, "code")
    if isinstance(note.place, Pointer):  # in a baseline
        message = f'the entry for {code} has no reason, so it accepts nothing; write "reason": "…"'
    else:
        message = f"{code} is acknowledged without a reason, so nothing is silenced; write why (-- REASON)"
    yield _problem(note, message)


@rule("ACK-2", "unknown-acknowledged-code", Severity.MED_WARN, on=Note)
def acknowledged_code_exists(note: Note) -> Iterator[Problem]:
    """An acknowledgement names rules or families that exist.

    Why
        A misspelt code silences nothing. One that was right until a plugin was removed is forgotten for good.

    Bad
        <!-- claimlint: disable=UNCITED1 -- our own measurement -->

    Good
        <!-- claimlint: disable=UNCITED-1 -- our own measurement -->

    Fix
        Write a code that `claimlint rules` lists, or a whole family.
    """
    near = note.values.get("near")
    advice = f"did you mean {near}?" if near else "`claimlint rules` lists them"
    yield _problem(note, f"there is no rule or family {_value(note, 'code')}; {advice}")


@rule("ACK-3", "unused-directive", Severity.LOW_WARN, on=Note)
def directive_silences_something(note: Note) -> Iterator[Problem]:
    """A directive has something to silence.

    It is asked for rules that ran. An `enable` has to close a `disable` of the same code above it.

    Why
        A directive that outlived its finding hides the next one on that line, which nobody has looked at.

    Bad
        <!-- claimlint: disable=UNCITED-1 -- our own measurement --> above a sentence that has a citation now.

    Good
        The sentence without the directive.

    Fix
        Delete the code from the directive, or the whole comment. Look whether it stands on the right line: alone
        on a line it speaks for the next one, beside text for its own.
    """
    code = _value(note, "code")
    if note.values.get("verb") == "enable":
        what = f"disable={code}" if code else "disable"
        yield _problem(note, f"no {what} is open here; delete this, or correct its code")
    else:
        yield _problem(note, f"no finding of {code} is left to silence here; delete it from the directive")


@rule("ACK-4", "forbidden-acknowledgement", Severity.MED_WARN, on=Note)
def only_low_warnings_are_acknowledged(note: Note) -> Iterator[Problem]:
    """Only low warnings and infos are acknowledged.

    Why
        A broken contract and a high warning are cured by fixing the prose, a medium one by running the audit
        again; accepting them is not the author's to do (contract, section 8). The finding stays.

    Bad
        <!-- claimlint: disable=CITE-1 -- the anchor comes later -->

    Good
        Yields doubled <!--ref:okafor2024--><!--anchor:page:3-->.

    Fix
        Cure the finding and delete the acknowledgement. A rule that does not fit the project is turned off with
        `ignore` in the settings.
    """
    yield _problem(
        note, f"{_value(note, 'code')} is above low-warn and cannot be acknowledged; cure it and delete this"
    )


@rule("ACK-5", "malformed-directive", Severity.MED_WARN, on=Note)
def directive_is_well_formed(note: Note) -> Iterator[Problem]:
    """A directive is `disable`, `disable-next-line`, `disable-file` or `enable`, with `=` and codes.

    Why
        A comment that looks like a directive and is none silences nothing.

    Bad
        <!-- claimlint: ignore UNCITED-1 -->

    Good
        <!-- claimlint: disable=UNCITED-1 -- our own measurement -->

    Fix
        Write `<!-- claimlint: disable=CODES -- reason -->`, with commas between several codes.
    """
    cause = _value(note, "cause")
    shown = f" ({cause})" if cause else ""
    verb = note.values.get("near") or "disable"
    form = verb if verb == "enable" else f"{verb}=CODES -- reason"
    yield _problem(note, f"this is no directive{shown}; write <!-- claimlint: {form} -->")


@rule("ACK-6", "stale-baseline-entry", Severity.INFO, on=Note)
def baseline_entry_matches_something(note: Note) -> Iterator[Problem]:
    """Every baseline entry still accepts as many findings as it says.

    It is asked for files that were checked and rules that ran.

    Why
        What was cured should not come back unnoticed under an old entry.

    Bad
        An entry with "count": 2 for a sentence that now stands once in the draft.

    Good
        The baseline as `--write-baseline` writes it now.

    Fix
        Delete the entry or lower its count; `claimlint check --write-baseline` does both and keeps the reasons.
    """
    left, count = note.values.get("left", "0"), note.values.get("count", "1")
    found = "nothing" if left == "0" else f"only {left} of {count} findings"
    yield _problem(
        note,
        f"the entry for {_value(note, 'code')} in {_value(note, 'path')} matches {found} any more; "
        "write the baseline again",
    )
