"""Drafts for tests: from a text to what was read and what the rules of the draft say."""

from __future__ import annotations

import importlib

from claimlint.documents.draft import Draft, Sentence
from claimlint.documents.draft_reader import read_draft
from claimlint.documents.source import TextSource
from claimlint.findings import Note, Problem
from claimlint.rules import Rule, rules_of

RULES: dict[str, Rule] = {
    rule.name: rule
    for module in ("cite", "markdown")
    for rule in rules_of(importlib.import_module(f"claimlint_rules.{module}"))
}


def draft(text: str) -> Draft:
    """The draft that a text is."""
    return read_draft(TextSource("draft.md", text))


def problems(text: str) -> list[tuple[int, int, str, str]]:
    """Line, column, code and message of every problem that a note of the draft makes, in order."""
    read = draft(text)
    found: list[tuple[int, int, str, str]] = []
    for note in read.notes:
        rule = RULES[note.kind]
        for problem in rule.check(note):
            where = problem.source.locate(problem.place)
            found.append((where.line, where.column, rule.code, problem.message))
    return sorted(found)


def codes(text: str) -> list[str]:
    """The codes of the problems of a draft, in order of place."""
    return [code for _, _, code, _ in problems(text)]


def texts(text: str, kind: str | None = None) -> list[str]:
    """The claim texts of a draft's sentences, of one kind if one is given."""
    return [each.text for each in draft(text).sentences if kind is None or each.kind == kind]


def owners(text: str) -> list[tuple[str, str]]:
    """Slug and claim text of every citation, in document order."""
    read = draft(text)
    made: dict[int, Sentence] = {}
    for sentence in read.sentences:
        for number in sentence.citations:
            assert number not in made
            made[number] = sentence
    assert sorted(made) == list(range(len(read.citations)))
    return [(citation.slug, made[number].text) for number, citation in enumerate(read.citations)]


def message(note: Note) -> Problem:
    """The one problem that a note makes."""
    (problem,) = RULES[note.kind].check(note)
    return problem
