"""JSON: what keeps a passport file from being read, and what in it is not recognised."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.findings import Note, Problem, Severity
from claimlint.rules import rule


def _problem(note: Note, message: str, cause: str = "") -> Problem:
    return Problem(message, note.source, note.place, cause=cause, related=note.related)


@rule("JSON-1", "unreadable", on=Note)
def json_1(note: Note) -> Iterator[Problem]:
    """A passport file is valid JSON or YAML in UTF-8.

    Why
        Nothing in a file that cannot be read was checked, so it is never called clean: the run ends with
        exit code 2 ("could not tell"), whatever is ignored.

    Bad
        {"claim_audit_results": [],}

    Good
        {"claim_audit_results": []}

    Fix
        Repair the text at the place that is named; save other encodings as UTF-8.
    """
    yield _problem(note, f"cannot be read: {note.values['cause']}; nothing in it was checked")


@rule("JSON-2", "duplicate-key", on=Note)
def json_2(note: Note) -> Iterator[Problem]:
    """An object holds each key once.

    Why
        Readers disagree about which of two equal keys counts. A verdict that one tool sees and another does
        not is no verdict. claimlint goes on with the later one, as most readers do.

    Bad
        {"judgment": "UNSUPPORTED", "judgment": "SUPPORTED"}

    Good
        {"judgment": "UNSUPPORTED"}

    Fix
        Delete one of the two; the finding names both lines.
    """
    key, first = note.values["key"], note.values["first"]
    yield _problem(note, f"key {key!r} is already written at line {first}; keep one", cause=f"duplicate {key}")


@rule("JSON-3", "not-json", on=Note)
def json_3(note: Note) -> Iterator[Problem]:
    """Every value is one that JSON has: no NaN, no Infinity, no tags, no keys that are no strings.

    Why
        Such values are read differently by every tool, or not at all. The file is not checked further, and
        the run ends with exit code 2.

    Bad
        {"value": NaN}

    Good
        {"value": null}

    Fix
        Write null, a finite number or a string; in YAML, put the key in quotes.
    """
    yield _problem(note, f"{note.values['cause']}; nothing in the file was checked")


@rule("JSON-4", "over-limit", on=Note)
def json_4(note: Note) -> Iterator[Problem]:
    """A document stays within the limits on nesting, length of numbers and expansion of aliases.

    Why
        A file that would exhaust memory or the stack is refused before it can. No real passport comes near
        the limits. The run ends with exit code 2.

    Bad
        {"value": 1000…(five thousand digits)…0}

    Good
        {"value": 1000}

    Fix
        Look at how the file was made; it is most likely damaged.
    """
    yield _problem(note, f"{note.values['cause']}; nothing in the file was checked")


@rule("JSON-5", "near-miss-key", Severity.MED_WARN, on=Note)
def json_5(note: Note) -> Iterator[Problem]:
    """A top-level key that nearly is an aggregate's name is probably meant to be it.

    Why
        Rows under a key that nobody reads are checked by nobody, and the file looks clean.

    Bad
        {"claim_audit_result": []}

    Good
        {"claim_audit_results": []}

    Fix
        Write the name in full (contract, section 2).
    """
    yield _problem(
        note, f"key {note.values['key']!r} is not read by anything; did you mean {note.values['meant']!r}?"
    )


@rule("JSON-6", "not-an-object", on=Note)
def json_6(note: Note) -> Iterator[Problem]:
    """A passport is one object whose keys are the aggregates.

    Why
        An array or a bare value at the top holds no aggregate that could be checked; the run ends with exit
        code 2.

    Bad
        [{"claim_id": "C-001"}]

    Good
        {"claim_audit_results": [{"claim_id": "C-001"}]}

    Fix
        Put the rows under the aggregate they belong to.
    """
    yield _problem(note, f"a passport is an object, but this file holds {note.values['found']}")


@rule("JSON-7", "nothing-recognised", Severity.LOW_WARN, on=Note)
def json_7(note: Note) -> Iterator[Problem]:
    """A file that was named holds at least one aggregate.

    Why
        A file in which nothing was recognised was not checked. Files found in a folder or passed by a hook
        are passed over without a word; one that a person names is reported.

    Bad
        {"name": "my-package"}

    Good
        {"claim_audit_results": []}

    Fix
        Name another file, or write the aggregate's key as in the contract, section 2.
    """
    keys = note.values["keys"]
    holds = f"its keys are {keys}" if keys else "it is empty"
    yield _problem(
        note, f"nothing in this file was recognised as part of a passport ({holds}); it was not checked"
    )


@rule("JSON-8", "lone-surrogate", on=Note)
def json_8(note: Note) -> Iterator[Problem]:
    """A string holds whole characters.

    Why
        Half of a surrogate pair (backslash, u, d800 to dfff) is no character: the text cannot be written as
        UTF-8, hashed or shown.

    Bad
        {"claim_text": "\\\\ud83d"}

    Good
        {"claim_text": "\\\\ud83d\\\\ude00"}

    Fix
        Write both halves, or delete the stray one.
    """
    yield _problem(note, "the string holds half of a surrogate pair, which is no character")
