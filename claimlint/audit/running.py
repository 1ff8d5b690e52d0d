"""Asking what was prepared, and making the rows of the six aggregates of it (contract, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.audit.asking import Answer, Ask, Asker, Failed
from claimlint.audit.building import AuditRow, Counts, RowBuilder
from claimlint.audit.config import Progress, Silent
from claimlint.audit.plan import Plan, count
from claimlint.audit.pool import Expired, run_all
from claimlint.audit.preparing import Case, Prepared, SentenceCase
from claimlint.audit.rows import RowData
from claimlint.audit.types import (
    Judge,
)
from claimlint.audit.verdict import Verdict
from claimlint.errors import AuditError

if TYPE_CHECKING:
    from claimlint.workspace import Workspace

_GRACE = 1.0


@dataclass(frozen=True, slots=True)
class AuditOutcome:
    """What an audit found.

    ``rows`` holds every aggregate of ``OWNED``, some of them empty, in document order. ``incomplete`` says in
    words what was not judged and why; when it is not empty the audit cannot count as clean (exit code 3).
    ``broken`` says that the judge failed too often in a row to be asked again.
    ``warnings`` are for the person who runs it. ``record`` says how it was made, without secrets; a run that
    asked something keeps it beside the verdicts, with their keys.
    ``workspace`` is what was audited.
    """

    audit_run_id: str
    rows: Mapping[str, tuple[AuditRow, ...]]
    plan: Plan
    counts: Counts
    incomplete: tuple[str, ...]
    interrupted: bool
    broken: bool
    warnings: tuple[str, ...]
    record: Mapping[str, object]
    workspace: Workspace

    def aggregates(self) -> dict[str, list[RowData]]:
        """The rows alone, by aggregate."""
        return {name: [row.data for row in found] for name, found in self.rows.items()}


def execute(prepared: Prepared, judge: Judge | None, *, progress: Progress | None = None) -> AuditOutcome:
    """Put the questions of a prepared audit to the judge, and make the rows.

    ``judge`` may be None when nothing is to be asked. Ctrl-C ends the asking and keeps what was judged; it does
    not raise. Raises AuditError when the cache cannot be written before the first question, and nothing else.
    """
    watch = progress or Silent()
    watch.planned(prepared.plan)
    answers, asker, interrupted = _ask_all(prepared, judge, watch)
    made = RowBuilder(prepared, answers)
    made.build()
    counts = made.counts(0 if asker is None else asker.asked)
    record = _record(prepared, judge, counts)
    warnings = [] if asker is None or asker.cache_trouble is None else [asker.cache_trouble]
    if counts.calls:
        try:
            prepared.cache.put_record(prepared.run.audit_run_id, {**record, "verdicts": _keys(answers, prepared)})
        except AuditError as error:
            warnings.append(str(error))
    return AuditOutcome(
        audit_run_id=prepared.run.audit_run_id,
        rows=made.rows(),
        plan=prepared.plan,
        counts=counts,
        incomplete=_incomplete(counts, prepared, asker, interrupted=interrupted),
        interrupted=interrupted,
        broken=asker is not None and asker.broken,
        warnings=tuple(warnings),
        record=record,
        workspace=prepared.workspace,
    )


# --- asking


def _ask_all(
    prepared: Prepared, judge: Judge | None, watch: Progress
) -> tuple[dict[int, Answer], Asker | None, bool]:
    """The answer for each case that was to be asked, by its identity."""
    answers: dict[int, Answer] = {}
    total = len(prepared.calls)
    if judge is None or not total:
        return answers, None, False
    prepared.cache.check_writable()
    asker = Asker(judge, prepared.cache, prepared.config, prepared.ambient)
    spare = _Spare(prepared)
    deadline = prepared.config.question_deadline + _GRACE
    done = 0
    spent: float | None = 0.0 if prepared.plan.cost is not None else None
    watch.judging(0, total, spent)

    def work(cases: tuple[Case, ...]) -> list[Answer]:
        return _ask_group(cases, asker, spare)

    def arrived(index: int, outcome: list[Answer] | Expired) -> None:
        nonlocal done, spent
        cases = prepared.calls[index]
        if isinstance(outcome, Expired):
            asker.late()
            outcome = [Failed("judge_timeout", f"no answer within {outcome.seconds:g} s")] * len(cases)
        answers.update((id(case), answer) for case, answer in zip(cases, outcome, strict=True))
        done += 1
        spent = None if spent is None else spent + (prepared.costs[index] or 0.0)
        watch.judging(done, total, spent)

    try:
        warm_up = getattr(judge, "warm_up", None)
        if callable(warm_up):
            warm_up()
        run_all(prepared.calls, work, arrived, workers=prepared.config.concurrency, deadline=deadline)
    except KeyboardInterrupt:
        asker.stop()
        close = getattr(judge, "close", None)
        if callable(close):
            close()
        return answers, asker, True
    return answers, asker, False


class _Spare:
    """The calls that max_calls leaves beyond those planned, for asking again about an equal case."""

    def __init__(self, prepared: Prepared) -> None:
        import threading

        limit = prepared.config.max_calls
        self._left = None if limit is None else max(0, limit - len(prepared.calls))
        self._dear = prepared.config.max_cost is not None
        self._lock = threading.Lock()

    def take(self) -> bool:
        with self._lock:
            if self._dear or self._left == 0:
                return False
            if self._left is not None:
                self._left -= 1
            return True


def _ask_group(cases: tuple[Case, ...], asker: Asker, spare: _Spare) -> list[Answer]:
    """The answers for cases with one key: the first verdict serves the rest; a failure serves nobody else."""
    answers: list[Answer] = []
    for case in cases:
        last = answers[-1] if answers else None
        if isinstance(last, Verdict) or (last is not None and not spare.take()):
            answers.append(last)
        else:
            answers.append(asker.ask(_ask(case)))
    return answers


def _ask(case: Case) -> Ask:
    if isinstance(case, SentenceCase):
        return Ask(case.key, case.question, case.asked.manifest_id)
    if case.question is None or case.source is None:
        raise AssertionError("only a case with a question is asked")
    return Ask(case.key, case.question, case.scope.manifest_id, case.source.method)


# --- summing up


def _incomplete(counts: Counts, prepared: Prepared, asker: Asker | None, *, interrupted: bool) -> tuple[str, ...]:
    found: list[str] = []
    if interrupted:
        found.append("the run was ended before all questions were asked")
    if prepared.refused:
        found.append(f"{count(len(prepared.refused), 'question')} beyond the limit on calls or cost: not asked")
    if asker is not None and asker.broken:
        found.append("the judge failed several times in a row and was not asked any more")
    if counts.not_asked:
        found.append(f"{count(counts.not_asked, 'citation')} not judged, without a row")
    if counts.failed:
        found.append(f"{count(counts.failed, 'citation')} not judged because a tool failed; run the audit again")
    if counts.sentences_failed:
        found.append(f"{count(counts.sentences_failed, 'check')} of uncited sentences failed; run the audit again")
    return tuple(found)


def _keys(answers: Mapping[int, Answer], prepared: Prepared) -> list[str]:
    """The keys of the verdicts that this run brought."""
    asked = (case for cases in prepared.calls for case in cases)
    return sorted({case.key for case in asked if isinstance(answers.get(id(case)), Verdict)})


def _record(prepared: Prepared, judge: Judge | None, counts: Counts) -> dict[str, object]:
    config = prepared.config
    settings: object = getattr(judge, "settings", None)
    return {
        "audit_run_id": prepared.run.audit_run_id,
        "started_at": prepared.run.started_at,
        "draft": prepared.draft.path,
        "judge": None if judge is None else judge.name,
        "judge_model": prepared.run.judge_model,
        "judge_settings": dict(settings) if isinstance(settings, Mapping) else {},
        "prompt_version": config.prompt_version,
        "max_claims_per_paper": config.max_claims,
        "max_calls": config.max_calls,
        "max_cost": config.max_cost,
        "require_evidence": config.require_evidence,
        "citations": prepared.plan.citations,
        "audited": prepared.plan.audited,
        "judged": counts.judged,
        "cached": counts.cached,
        "calls": counts.calls,
    }
