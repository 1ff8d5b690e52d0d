"""What a rule may see at once: a draft, the passport it belongs to, its bibliography, its checked sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claimlint.documents.styles import CITATION_STYLES

if TYPE_CHECKING:
    from claimlint.documents.bibliography import Bibliography
    from claimlint.documents.draft import Draft
    from claimlint.documents.passport import Passport, PassportFile
    from claimlint.findings import Span


@dataclass(frozen=True, slots=True)
class Options:
    """Settings that rules read.

    ``citation_styles`` narrows what counts as a citation; ``words`` maps a language to extra UNCITED-2
    triggers; ``patterns`` are extra UNCITED-2 trigger patterns from the settings (run with a time limit).
    """

    citation_styles: frozenset[str] = CITATION_STYLES
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """The outcome of looking one anchor up in its source (no judge involved).

    ``kind`` is the anchor kind, ``outcome`` is ``found``, ``missing``, ``unknown`` (the source could not be
    read, or has no pages to count), ``inexact`` (a quote's words are there with other capitals or with gaps),
    ``doubtful`` (words close to a quote are in a PDF) or ``absent`` (no file is the source: said once for each,
    at its first citation); ``detail`` says what was looked at, for the message.
    """

    span: Span
    kind: str
    value: str
    slug: str
    outcome: str
    detail: str


@dataclass(frozen=True, slots=True)
class Workspace:
    """A draft with all that belongs to it.

    ``companions`` are the other drafts that share its passport, for example the chapters of one paper: what
    the passport says of them is not gone when this draft does not have it. ``speaks`` says that this draft, of
    those that share a passport in one run, is the one to report what none of them has.
    """

    draft: Draft
    passport: Passport | None = None
    bibliography: Bibliography | None = None
    anchors: tuple[AnchorCheck, ...] = ()
    options: Options = field(default_factory=Options)
    companions: tuple[Draft, ...] = ()
    speaks: bool = True

    @property
    def embedded(self) -> tuple[PassportFile, ...]:
        """The manifests that stand in the draft and its companions, in the same order from each of them."""
        holding = [draft for draft in (self.draft, *self.companions) if draft.manifests]
        drafts = sorted(holding, key=lambda draft: draft.path)
        return tuple(file for draft in drafts for file in draft.manifests)
