"""MD: parts of a draft that were not read because something in its Markdown is not closed or not valid."""

from __future__ import annotations

from collections.abc import Iterator

from claimlint.findings import Note, Problem, Severity
from claimlint.rules import rule


def _unread(note: Note, what: str, fix: str) -> Problem:
    first, last = note.values["first"], note.values["last"]
    where = f"line {first} was" if first == last else f"lines {first} to {last} were"
    return Problem(f"{what}; {where} not checked; {fix}", note.source, note.place, cause=f"{what}; {fix}")


@rule("MD-1", "unclosed-fence", Severity.MED_WARN, on=Note)
def md_1(note: Note) -> Iterator[Problem]:
    """A code fence is closed.

    Why
        Everything up to the end of the file (or of the list item or quote it stands in) is read as code:
        no marker, sentence or manifest in it is checked.

    Bad
        ```
        x = 1

        The gain was 12% <!--ref:okafor2024--><!--anchor:page:4-->.

    Good
        ```
        x = 1
        ```

        The gain was 12% <!--ref:okafor2024--><!--anchor:page:4-->.

    Fix
        Close the fence with a line of at least as many of the same characters, indented no more than its start.
    """
    fence = note.values["fence"]
    yield _unread(note, f"the code fence {fence} is never closed", f"end the code with a line {fence}")


@rule("MD-2", "unclosed-comment", Severity.MED_WARN, on=Note)
def md_2(note: Note) -> Iterator[Problem]:
    """An HTML comment is closed.

    Why
        A comment at the start of a line goes on to the end of the file, one inside a paragraph hides the rest of
        that paragraph: nothing in it is checked.

    Bad
        <!-- to do: rewrite

        The gain was 12% in every town.

    Good
        <!-- to do: rewrite -->

        The gain was 12% in every town.

    Fix
        Write --> where the comment ends.
    """
    yield _unread(note, "the comment is never closed", "end it with -->")


@rule("MD-3", "unclosed-element", Severity.MED_WARN, on=Note)
def md_3(note: Note) -> Iterator[Problem]:
    """A raw HTML element (script, style, pre, textarea) is closed.

    Why
        What it holds is no Markdown, so everything up to the end of the file is left unchecked.

    Bad
        <pre>
        x = 1

        The gain was 12% in every town.

    Good
        <pre>
        x = 1
        </pre>

        The gain was 12% in every town.

    Fix
        Write the closing tag.
    """
    element = note.values["element"]
    yield _unread(note, f"the element <{element}> is never closed", f"end it with </{element}>")


@rule("MD-4", "front-matter", Severity.LOW_WARN, on=Note)
def md_4(note: Note) -> Iterator[Problem]:
    """The front matter is valid YAML.

    Why
        A passport, bibliography or language named in front matter that cannot be read is not used, so the draft
        may be checked against less than was meant.

    Bad
        ---
        title: Ovens: a study
        ---

    Good
        ---
        title: "Ovens: a study"
        ---

    Fix
        Repair the line that is named; put values that hold a colon in quotes.
    """
    message = f"the front matter cannot be read ({note.values['cause']}); nothing in it was used"
    yield Problem(message, note.source, note.place)
