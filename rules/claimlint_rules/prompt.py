"""PROMPT: the judge prompt is the one that was pinned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from claimlint.documents.values import shorten
from claimlint.findings import Problem, Related, Span
from claimlint.rules import rule

if TYPE_CHECKING:
    from claimlint.documents.prompt_file import Marker, PromptFile


@rule("PROMPT-1", "changed-prompt", on="PromptFile")
def prompt_has_its_pinned_hash(file: PromptFile) -> Iterator[Problem]:
    """The text between the canonical markers has the SHA-256 that the settings pin.

    The text is stripped, its line ends are read as LF, and it is hashed as UTF-8. Settings:
    `file` and `sha256` in `[tool.claimlint.judge-prompt]`.

    Why
        Another prompt is another judge: verdicts in the cache and a calibration made with the old one say
        nothing about the new one. The pin makes every change of the prompt a deliberate one.

    Bad
        A word changed in the prompt, with the pin as it was.

    Good
        The prompt and its pin changed in the same commit.

    Fix
        Take the change back; or calibrate the judge again and write the new hash with
        `claimlint prompt pin FILE`.
    """
    found, span = file.sha256, file.span
    if found is None or span is None or file.pinned is None or _same(file.pinned, found):
        return
    yield Problem(
        f"the judge prompt has the SHA-256 {found}, but {shorten(file.pinned, 70)} is pinned; "
        "take the change back, or pin the new prompt with `claimlint prompt pin`",
        file.source,
        _text_span(file, span),
    )


@rule("PROMPT-2", "prompt-markers", on="PromptFile")
def prompt_stands_between_its_markers(file: PromptFile) -> Iterator[Problem]:
    """A prompt file has one START and one END comment around the prompt, in this order.

    Why
        Only what stands between the two comments is sent and pinned. With one of them missing, doubled or
        in the wrong place nobody can say what the prompt is.

    Bad
        <!-- JUDGE-PROMPT-CANONICAL-START -->
        Does the excerpt support the claim?

    Good
        <!-- JUDGE-PROMPT-CANONICAL-START -->
        Does the excerpt support the claim?
        <!-- JUDGE-PROMPT-CANONICAL-END -->

    Fix
        Write each comment once, START before the prompt and END behind it, and close both with `-->`.
    """
    from claimlint.documents.prompt_file import END, START

    starts, ends = _named(file, START), _named(file, END)
    for name, markers in ((START, starts), (END, ends)):
        if not markers:
            where = file.found[0].span if file.found else Span(0, 0)
            yield Problem(f"the comment <!-- {name} --> is missing; write it once", file.source, where)
        for later in markers[1:]:
            related = (Related("first written here", file.source, markers[0].span),)
            yield Problem(f"{name} is written again; keep one", file.source, later.span, related=related)
    for marker in file.found:
        if not marker.closed:
            yield Problem(
                f"the comment {marker.name} is not closed; write --> at its end", file.source, marker.span
            )
    if len(starts) == len(ends) == 1 and ends[0].span.start < starts[0].span.start:
        yield Problem(f"{END} stands before {START}; put it behind the prompt", file.source, ends[0].span)


@rule("PROMPT-3", "unpinned-prompt", on="PromptFile")
def prompt_is_pinned(file: PromptFile) -> Iterator[Problem]:
    """The settings pin the judge prompt by its SHA-256.

    Why
        Without a pin nobody notices that the prompt changed under verdicts that were made with another one.

    Bad
        [tool.claimlint.judge-prompt]
        file = "prompts/judge.md"

    Good
        [tool.claimlint.judge-prompt]
        file = "prompts/judge.md"
        sha256 = "0f343b0931126a20f133d67c2b018a3b5f4a1cb4a6b2c0a6a3c4a9f0d7f3c1b2"

    Fix
        Run `claimlint prompt pin FILE`, which writes both keys.
    """
    if file.pinned is None or not file.pinned.strip():
        digest = "" if file.sha256 is None else f" (now {file.sha256})"
        yield Problem(
            f"no SHA-256 is pinned for this judge prompt{digest}; write it with `claimlint prompt pin`",
            file.source,
            file.found[0].span if file.found else Span(0, 0),
        )


def _same(pinned: str, found: str) -> bool:
    """Whether a pin holds; a blank pin is none, which PROMPT-3 reports."""
    written = pinned.strip().lower()
    return not written or written == found


def _named(file: PromptFile, name: str) -> list[Marker]:
    return [marker for marker in file.found if marker.name == name]


def _text_span(file: PromptFile, span: Span) -> Span:
    """The span without the white space around the prompt."""
    text = file.source.text[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, max(start, span.start + len(text.rstrip())))
