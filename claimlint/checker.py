"""Checking one unit: a draft with all that belongs to it, or a passport alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from claimlint import registry
from claimlint.discovery import Target, is_excluded, show
from claimlint.documents.passport import CLAIM_AUDIT_RESULTS, UNCITED_ASSERTIONS, join
from claimlint.engine import (
    Dispatch,
    Outcome,
    check_document,
    check_draft,
    check_passport,
    check_workspace,
    dispatch,
)
from claimlint.errors import ClaimlintError, DocumentError, unexpected
from claimlint.loading import Loader
from claimlint.task import Task

if TYPE_CHECKING:
    from claimlint.acknowledge.directives import Scope
    from claimlint.documents.draft import Draft
    from claimlint.documents.passport import Passport, PassportFile
    from claimlint.link import Linker
    from claimlint.report import AuditSummary
    from claimlint.settings import Settings
    from claimlint.workspace import Options, Workspace


class UnitResult(NamedTuple):
    """What came of one unit: a draft with its passports, or one passport.

    ``directives`` are the draft's acknowledgements, with the lines they cover, by its shown path. ``linked``
    are the real paths of the passports the draft claimed. ``files`` are the shown paths of what was checked;
    ``skipped`` counts files that held nothing known, ``unread`` says of which files nothing could be checked.
    ``stages`` counts the defect stages of a passport, and ``counted`` names it.
    """

    outcome: Outcome
    failures: tuple[ClaimlintError, ...] = ()
    directives: tuple[tuple[str, tuple[Scope, ...]], ...] = ()
    linked: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    skipped: int = 0
    unread: tuple[DocumentError, ...] = ()
    refuses: bool = False
    audit: AuditSummary | None = None
    stages: tuple[tuple[str, int], ...] | None = None
    counted: tuple[str, ...] = ()


class Checker:
    """Checks units one after the other; what it read and ran once it does not read and run again."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.loader = Loader()
        known = registry.load()
        self.table: Dispatch = dispatch(known.by_code[code] for code in task.codes)
        self._linker: Linker | None = None
        self._done: set[tuple[str, ...]] = set()
        self._companions: dict[str, Draft] = {}

    @property
    def linker(self) -> Linker:
        """Finds what belongs to a draft; made when the first draft is met."""
        if self._linker is None:
            from claimlint.link import DiskFiles, Linker, Named

            together, bibliographies = self.task.together, self.task.bibliographies
            self._linker = Linker(
                DiskFiles(),
                passports=None if together is None else Named(*together),
                bibliographies=None if bibliographies is None else Named(*bibliographies),
            )
        return self._linker

    def draft(self, target: Target) -> UnitResult:
        """Check a draft, its passports, and the two together."""
        return _guarded(target.shown, lambda: self._draft(target))

    def _draft(self, target: Target) -> UnitResult:
        try:
            workspace, linked = self.workspace(target)
        except ClaimlintError as error:
            draft = self.loader.draft(target)  # when it is the draft that cannot be read, this raises again
            return UnitResult(check_draft(draft, self.table), (error,), _directives(draft), files=(draft.path,))
        return self.checked(workspace, linked)

    def workspace(self, target: Target, *, anchors: bool = True) -> tuple[Workspace, tuple[Target, ...]]:
        """A draft with all that belongs to it, and the files of its passport; raises ``DocumentError``.

        ``anchors`` says whether they are looked up in the sources, if there are any.
        """
        from dataclasses import replace

        from claimlint.workspace import Workspace

        draft = self.loader.draft(target)
        if self.task.together is None:
            _require_front_matter(draft)
        paths = self.linker.passports(target.path, draft.front_matter)
        linked = tuple(Target(path, show(path), named=True) for path in paths)
        workspace = Workspace(
            draft=draft,
            bibliography=self.linker.bibliography(target.path, draft),
            options=options(self.task.settings),
        )
        if paths:
            workspace = self._with_companions(workspace, target, paths)
        embedded = workspace.embedded
        if linked or embedded:
            passport = self.loader.passport(linked)
            if embedded:
                passport = join((*passport.files, *embedded))
            workspace = replace(workspace, passport=passport)
        if anchors and self.task.sources:
            from claimlint.audit.anchors import check_workspace_anchors

            found = check_workspace_anchors(workspace, self.task.sources, cache_dir=self.task.source_cache)
            workspace = replace(workspace, anchors=found)
        return workspace, linked

    def checked(self, workspace: Workspace, linked: tuple[Target, ...]) -> UnitResult:
        """Check a workspace; the rows of one passport are checked once, however many drafts share it."""
        draft, passport = workspace.draft, workspace.passport
        outcome = check_draft(draft, self.table) + check_workspace(workspace, self.table)
        files = tuple(each.shown for each in linked)
        claimed = tuple(os.path.realpath(each.path) for each in linked)
        part = UnitResult(Outcome())
        if passport is not None:
            shared = self.loader.passport(linked)
            key = claimed if passport is shared else (*claimed, draft.path)
            if key not in self._done:
                self._done.add(key)
                path = files[0] if passport is shared else draft.path
                part = self._passport_result(_with_excuses(passport, workspace), path)
                part = _without(part, {each.path for each in workspace.companions})
            if passport.aggregate(CLAIM_AUDIT_RESULTS) == shared.aggregate(CLAIM_AUDIT_RESULTS):
                key = claimed
            part = part._replace(counted=key)
        return part._replace(
            outcome=outcome + part.outcome,
            directives=_directives(draft),
            linked=claimed,
            files=(draft.path, *files),
            audit=coverage_of(workspace),
        )

    def passport(self, targets: tuple[Target, ...]) -> UnitResult:
        """Check the passport that some files make up, without a draft."""
        return _guarded(targets[0].shown, lambda: self._passport(targets))

    def _passport(self, targets: tuple[Target, ...]) -> UnitResult:
        passport = self.loader.passport(targets)
        if not passport.files:
            return UnitResult(Outcome(), skipped=len(targets))
        return self._passport_result(passport, targets[0].shown)._replace(
            files=tuple(each.shown for each in targets),
            counted=tuple(os.path.realpath(each.path) for each in targets),
        )

    def prompt(self) -> UnitResult:
        """Check the judge prompt that the settings name, if they do."""
        return _guarded(self.task.settings.judge_prompt.file or "", self._prompt)

    def _prompt(self) -> UnitResult:
        named = self.task.settings.judge_prompt
        if named.file is None or not self.table.by_type.get("PromptFile"):
            return UnitResult(Outcome())
        from claimlint.documents.prompt_file import read_prompt
        from claimlint.documents.source import TextSource
        from claimlint.settings import read_named

        path = self.task.settings.resolve(named.file)
        source = TextSource(show(path), read_named(self.task.settings, path, "judge-prompt.file"))
        outcome = check_document(read_prompt(source, named.sha256), self.table, path=source.path)
        return UnitResult(outcome, files=(source.path,))

    def _passport_result(self, passport: Passport, path: str) -> UnitResult:
        from claimlint.gate import defect_stages, refuses

        return UnitResult(
            check_passport(passport, self.table, path=path),
            unread=tuple(_unread(file) for file in passport.files if not file.readable),
            refuses=refuses(passport),
            stages=defect_stages(passport),
        )

    def forget(self) -> None:
        """Forget what was read: a file has been written."""
        self.loader = Loader()
        self._linker = None
        self._done.clear()
        self._companions.clear()

    def drafts_of(self, target: Target) -> tuple[Target, ...]:
        """The drafts beside a passport that belong to it and are not excluded."""
        settings = self.task.settings
        found = (Target(path, show(path)) for path in self.linker.drafts(target.path, self._front_matter))
        return tuple(each for each in found if not is_excluded(each.shown, settings.excluded, settings.root))

    def _with_companions(self, workspace: Workspace, target: Target, passports: tuple[str, ...]) -> Workspace:
        """The workspace with the other drafts of its passport; the first of them that the run checks speaks."""
        found: dict[str, Draft] = {}
        for path in self.linker.companions(target.path, passports, self.task.drafts, self._front_matter):
            try:
                found[path] = self._companion(path)
            except ClaimlintError:
                continue  # reported where it is checked
        if not found:
            return workspace
        own = os.path.normpath(target.path)
        checked = _normal(self.task.drafts)
        earlier = any(path < own and path in checked for path in found)
        from dataclasses import replace

        return replace(workspace, companions=tuple(found.values()), speaks=not earlier)

    def _front_matter(self, path: str) -> Mapping[str, object]:
        return self._companion(path).front_matter

    def _companion(self, path: str) -> Draft:
        if path not in self._companions:
            self._companions[path] = self.loader.draft(Target(path, show(path)))
        return self._companions[path]


@lru_cache(maxsize=1)
def _normal(paths: tuple[str, ...]) -> frozenset[str]:
    """Paths as the linker names them."""
    return frozenset(map(os.path.normpath, paths))


def _guarded(path: str, check: Callable[[], UnitResult]) -> UnitResult:
    """The result of a check; whatever goes wrong in it is a failure of this one unit."""
    try:
        return check()
    except ClaimlintError as error:
        return UnitResult(Outcome(), (error,))
    except Exception as error:  # noqa: BLE001 - the other units' findings must still be shown
        return UnitResult(Outcome(), (unexpected(error, path),))


def _with_excuses(passport: Passport, workspace: Workspace) -> Passport:
    """The passport with what its drafts say of the sentences that it calls uncited, if it does."""
    if not passport.aggregate(UNCITED_ASSERTIONS):
        return passport
    from claimlint.documents.uncited import excused_sentences

    drafts = sorted((workspace.draft, *workspace.companions), key=lambda draft: draft.path)
    return passport._replace(excused=excused_sentences(drafts, passport, workspace.options.citation_styles))


def _without(part: UnitResult, paths: set[str]) -> UnitResult:
    """A result without the findings in some files: the manifests of other drafts are reported with them."""
    findings = part.outcome.findings
    if not any(finding.path in paths for finding in findings):
        return part
    kept = tuple(finding for finding in findings if finding.path not in paths)
    return part._replace(outcome=Outcome(kept, part.outcome.failures))


def _unread(file: PassportFile) -> DocumentError:
    cause = next((note.values.get("cause") for note in file.notes), None)
    return DocumentError(cause or "cannot be read as a passport", path=file.source.path)


def _require_front_matter(draft: Draft) -> None:
    """Raise ``DocumentError`` when the front matter may name a passport but cannot be read."""
    for note in draft.notes:
        if note.kind == "front-matter" and note.values["names"]:
            cause = note.values["cause"]
            raise DocumentError(
                f"its front matter may name a passport, but cannot be read: {cause}", path=draft.path
            )


def _directives(draft: Draft) -> tuple[tuple[str, tuple[Scope, ...]], ...]:
    if not draft.directives:
        return ()
    from claimlint.acknowledge.directives import scopes

    return ((draft.path, scopes(draft)),)


def options(settings: Settings) -> Options:
    """The settings that rules read."""
    from claimlint.workspace import Options

    return Options(
        citation_styles=frozenset(settings.uncited.citations),
        words=settings.uncited.words,
        patterns=settings.uncited.patterns,
    )


def coverage_of(workspace: Workspace) -> AuditSummary:
    """How many of a draft's citations have a verdict."""
    from claimlint.documents.coverage import coverage
    from claimlint.report import AuditSummary

    counted = coverage(workspace.draft, workspace.passport)
    return AuditSummary(counted.audited, counted.sampled_out, counted.not_audited, counted.failed)
