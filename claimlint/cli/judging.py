"""``claimlint check --judge``: from options and settings to an audit; its plan and progress."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claimlint.audit.config import AuditConfig
from claimlint.auditing import Audit, AuditRun, audit_run
from claimlint.cli.options import CheckOptions
from claimlint.cli.output import notice
from claimlint.cli.progress import Watch

if TYPE_CHECKING:
    from claimlint.audit.config import Progress
    from claimlint.audit.plan import Plan
    from claimlint.discovery import Discovered
    from claimlint.settings import Settings
    from claimlint.task import Task


def judged(found: Discovered, task: Task, options: CheckOptions) -> AuditRun | None:
    """Audit the drafts that were found and check everything; None after a dry run in which nothing went wrong."""
    folder = _cache_folder(options, task.settings)
    audit = build_audit(options, task.settings, task.sources)
    task = task._replace(source_cache=folder)
    with Watch(quiet=options.quiet) as watch:
        audience = Terminal(watch, quiet=options.quiet, ask=_asks_first(options, task.settings))
        made = audit_run(found, task, audit, audience)
    return None if audit.dry_run and not made.result.failures else made


def build_audit(flags: CheckOptions, settings: Settings, sources: tuple[str, ...]) -> Audit:
    """The audit that options and settings describe.

    Raises ``UsageError`` when there is no judge or nothing to retrieve from; a dry run needs no judge.
    """
    from claimlint.audit.cache import VerdictCache
    from claimlint.audit.judges import JudgeOptions, open_judge
    from claimlint.audit.retrieval import build_retriever, context_of

    given = settings.judge
    backend = flags.judge_backend or given.backend
    model = flags.judge_model or given.model
    judge = None
    if backend is not None or not flags.dry_run:
        judge = open_judge(
            backend,
            JudgeOptions(model=model, base_url=given.base_url, timeout=given.timeout, seed=given.seed),
        )
    folder = _cache_folder(flags, settings)
    context = context_of(sources, folder, settings.online, allow_online=flags.online)
    specs = flags.retrievers or settings.retriever
    return Audit(
        config=AuditConfig(
            max_claims=flags.max_claims or given.max_claims,
            max_calls=given.max_calls if flags.max_calls is None else flags.max_calls,
            max_cost=given.max_cost if flags.max_cost is None else flags.max_cost,
            concurrency=flags.concurrency or given.concurrency,
            timeout=given.timeout,
            retries=given.retries,
            require_evidence=given.require_evidence,
            price_in=given.price_in,
            price_out=given.price_out,
        ),
        retrievers=(build_retriever(specs, context),),
        judge=judge,
        judge_model=judge.model if judge is not None else model or "unknown",
        cache=VerdictCache(None if folder is None else Path(folder)),
        write=flags.write and not flags.dry_run,
        dry_run=flags.dry_run,
    )


def _cache_folder(flags: CheckOptions, settings: Settings) -> str | None:
    return None if flags.no_cache else flags.cache_dir or settings.resolve(settings.cache_dir)


class Terminal:
    """The audience of an audit on a terminal or in a log: everything goes to standard error."""

    def __init__(self, watch: Watch, *, quiet: bool, ask: bool) -> None:
        self._watch = watch
        self._quiet = quiet
        self._ask = ask

    def plan(self, path: str, plan: Plan) -> None:
        """Show the plan of a draft that has anything to audit; with ``--quiet`` only when something costs."""
        if plan.calls or (not self._quiet and plan.citations + plan.sentences):
            for line in plan.lines():
                notice(f"{path}: {line}")

    def agrees(self, plan: Plan) -> bool:
        """Ask on a terminal before calls are made; elsewhere the options have said so already."""
        if not self._ask or not plan.calls or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return True
        try:
            return click.confirm(
                f"Make {plan.calls} {'call' if plan.calls == 1 else 'calls'}?", default=True, err=True
            )
        except click.Abort as error:
            raise KeyboardInterrupt from error

    def watch(self) -> Progress:
        """The bar or the plain lines."""
        return self._watch

    def say(self, message: str) -> None:
        """Show a message."""
        notice(message)


def _asks_first(options: CheckOptions, settings: Settings) -> bool:
    """Whether calls may cost something, so that a person at a terminal is asked before them."""
    backend = (options.judge_backend or settings.judge.backend or "").partition(":")[0]
    return not options.yes and backend not in {"replay", "command"}
