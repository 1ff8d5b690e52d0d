"""Writing the rows: all of them or nothing, in the form that the passport has, beside those of other drafts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .cli import Inside, Ran, audit_rows, claimlint, environment
from .projects import all_supported, draft_of, project, replay, verdicts

LIMITED = """
import resource, runpy, sys
{limit}
sys.argv[0] = "claimlint"
runpy.run_module("claimlint", run_name="__main__")
"""
OLD_ROW = {
    "claim_id": "C-001",
    "scoped_manifest_id": "M-0000-00-00T00:00:00Z-0000",
    "claim_text": "Finding 1 holds.",
    "ref_slug": "src1",
    "anchor_kind": "page",
    "anchor_value": "2",
    "judgment": "UNSUPPORTED",
    "audit_status": "completed",
    "defect_stage": "source_description",
    "rationale": "Judged long ago.",
    "judge_model": "older",
    "judge_run_at": "2026-01-01T00:00:00Z",
    "ref_retrieval_method": "manual_pdf",
    "violated_constraint_id": None,
    "upstream_dispute": "The author disagrees.",
}


Run = Callable[..., Ran]


@pytest.fixture
def audit(inside: Inside) -> Run:
    """Audits with recorded replies."""

    def run(folder: Path, *arguments: str, replies: list[dict[str, Any]] | None = None) -> Ran:
        backend = replay(folder / "replies.json", all_supported(8) if replies is None else replies)
        options = ("--sources", "sources", "--format", "json", "--judge-backend", backend)
        return inside(folder, "check", "--judge", *options, *arguments)

    return run


def limited(folder: Path, limit: str, *arguments: str, prefix: tuple[str, ...] = ()) -> Ran:
    """Run the command in a process that limits itself first."""
    done = subprocess.run(
        [*prefix, sys.executable, "-c", LIMITED.format(limit=limit), *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        timeout=30,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_draft_without_a_passport_gets_one_beside_it(audit: Run, tmp_path: Path) -> None:
    passport = project(tmp_path)
    ran = audit(tmp_path, "draft.md", "--write")
    assert (ran.code, ran.audit) == (0, (4, 0, 0))
    assert [row["claim_text"] for row in audit_rows(passport)] == [f"Finding {n} holds." for n in range(1, 5)]
    assert "GATE-14" in ran.codes
    assert "draft.passport.json: 4 rows written" in ran.err


def test_nothing_is_written_unless_it_is_asked_for(audit: Run, tmp_path: Path) -> None:
    passport = project(tmp_path)
    ran = audit(tmp_path, "draft.md")
    assert (ran.code, ran.audit) == (0, (4, 0, 0))
    assert not passport.exists()


def test_a_yaml_passport_stays_yaml_and_keeps_what_is_not_the_audits(audit: Run, tmp_path: Path) -> None:
    project(tmp_path)
    path = tmp_path / "draft.passport.yaml"
    path.write_text("# our evidence\nnote: kept   # as it was\nliterature_corpus: []\n", "utf-8")
    assert audit(tmp_path, "draft.md", "--write").code == 0
    text = path.read_text("utf-8")
    assert text.startswith("# our evidence\nnote: kept   # as it was\nliterature_corpus: []\n")
    assert len(yaml.safe_load(text)["claim_audit_results"]) == 4
    assert not (tmp_path / "draft.passport.json").exists()
    before = text
    again = audit(tmp_path, "draft.md", "--write")
    assert (again.code, again.audit) == (0, (4, 0, 0))
    assert path.read_text("utf-8").count("\n") == before.count("\n")


def test_a_rerun_replaces_its_rows_and_nothing_else(audit: Run, tmp_path: Path) -> None:
    passport = project(
        tmp_path, passport={"z": [1.50], "claim_audit_results": [OLD_ROW], "note": "kept", "a": None}
    )
    unsupported = {**all_supported(1)[0], "reply": "JUDGMENT: UNSUPPORTED\nRATIONALE: No."}
    ran = audit(tmp_path, "draft.md", "--write", replies=[unsupported, *all_supported(3, first=2)])
    assert ran.code == 1
    written = json.loads(passport.read_text("utf-8"))
    assert list(written) == ["z", "claim_audit_results", "note", "a"]
    assert "1.5\n" in passport.read_text("utf-8")
    first = written["claim_audit_results"][0]
    assert (first["rationale"], first["upstream_dispute"]) == ("No.", "The author disagrees.")
    settled = audit(tmp_path, "draft.md", "--write", "--no-cache")
    assert settled.code == 0
    assert "no row can hold this dispute any more: The author disagrees." in settled.err


def test_manifests_that_stand_in_the_draft_bind_the_rows_of_a_new_passport(
    audit: Run, inside: Inside, tmp_path: Path
) -> None:
    manifest = {
        "manifest_version": "1.0",
        "manifest_id": "M-2026-10-03T08:30:00Z-aaaa",
        "emitted_by": "draft_writer_agent",
        "emitted_at": "2026-10-03T08:30:00Z",
        "claims": [
            {
                "claim_id": "C-007",
                "claim_text": "Finding 1 holds.",
                "intended_evidence_kind": "empirical",
                "planned_refs": ["src1"],
            }
        ],
        "manifest_negative_constraints": [],
    }
    passport = project(tmp_path, draft=f"{draft_of(2)}\n```json\n{json.dumps(manifest, indent=1)}\n```\n")
    held = audit(tmp_path, "draft.md")
    ran = audit(tmp_path, "draft.md", "--write")
    rows = audit_rows(passport)
    assert [(row["claim_id"], row["scoped_manifest_id"][-4:]) for row in rows] == [
        ("C-007", "aaaa"),
        ("C-008", "0000"),
    ]
    assert ran.codes == held.codes == ["GATE-11"]
    assert list(json.loads(passport.read_text("utf-8"))) == ["claim_audit_results", "claim_drifts"]
    assert inside(tmp_path, "check", "draft.md", "--format", "json").codes == ["GATE-11"]


def chapters(folder: Path, *, embedded: bool = False) -> Path:
    project(folder, draft="")
    (folder / "draft.md").unlink()
    for number, name in enumerate(("a", "b")):
        manifest = {
            "manifest_version": "1.0",
            "manifest_id": f"M-2026-10-03T08:30:00Z-aaa{number}",
            "emitted_by": "draft_writer_agent",
            "emitted_at": f"2026-10-03T08:30:0{number}Z",
            "claims": [
                {
                    "claim_id": f"C-00{number + 1}",
                    "claim_text": f"Finding {number * 3 + 1} holds.",
                    "intended_evidence_kind": "empirical",
                    "planned_refs": [],
                }
            ],
            "manifest_negative_constraints": [],
        }
        block = f"\n```json\n{json.dumps(manifest)}\n```\n" if embedded else ""
        uncited = f"Most towns of part {name} agreed.\n\n"
        head = "---\npassport: shared.json\n---\n\n"
        text = f"{head}{draft_of(3, first=number * 3 + 1)}\n{uncited}{block}"
        (folder / f"{name}.md").write_text(text, "utf-8")
    path = folder / "shared.json"
    path.write_text('{"literature_corpus": []}\n', "utf-8")
    return path


@pytest.mark.parametrize("embedded", [False, True], ids=["no-manifests", "manifests-in-the-drafts"])
def test_drafts_that_share_a_passport_keep_each_others_rows(
    audit: Run, inside: Inside, tmp_path: Path, embedded: bool
) -> None:
    passport = chapters(tmp_path, embedded=embedded)
    held = audit(tmp_path, "a.md", "b.md")
    ran = audit(tmp_path, "a.md", "b.md", "--write")
    together = json.loads(passport.read_text("utf-8"))
    texts = [f"Finding {number} holds." for number in range(1, 7)]
    assert [row["claim_text"] for row in together["claim_audit_results"]] == texts
    ids = [row["claim_id"] for row in together["claim_audit_results"]]
    assert len(set(ids)) == 6, "no claim id is given twice"
    assert [row["finding_id"] for row in together["uncited_assertions"]] == ["UA-001", "UA-002"]
    assert ran.report["errors"] == held.report["errors"] == []
    assert (ran.audit, held.audit) == ((6, 0, 0), (6, 0, 0))
    assert ran.shown == held.shown
    assert not [code for code in ran.codes if "INV" in code or code.startswith(("LINK", "SCHEMA"))]

    for name in ("b.md", "a.md"):
        alone = audit(tmp_path, name, "--write")
        again = json.loads(passport.read_text("utf-8"))["claim_audit_results"]
        assert sorted(row["claim_text"] for row in again) == texts, "an audit of one draft keeps the other's rows"
        assert alone.audit == (3, 0, 0)
    assert inside(tmp_path, "check", "a.md", "b.md", "--format", "json").shown == ran.shown


def test_the_rows_of_both_drafts_are_shown_where_their_citations_stand(audit: Run, tmp_path: Path) -> None:
    chapters(tmp_path)
    no = [{**each, "reply": "JUDGMENT: UNSUPPORTED\nRATIONALE: No."} for each in all_supported(8)]
    ran = audit(tmp_path, "b.md", "a.md", replies=no)
    places = [(each["path"], each["line"]) for each in ran.report["findings"] if each["code"] == "GATE-3"]
    assert places == [(name, line) for name in ("a.md", "b.md") for line in (7, 9, 11)]
    assert ran.report["summary"]["defect_stages"] == {"source_description": 6}


def test_several_drafts_share_the_limit_on_calls(audit: Run, tmp_path: Path) -> None:
    chapters(tmp_path)
    dry = audit(tmp_path, "a.md", "b.md", "--max-calls", "4", "--dry-run")
    assert "a.md: 3 calls" in dry.err
    assert "b.md: 1 call" in dry.err
    ran = audit(tmp_path, "a.md", "b.md", "--max-calls", "4")
    assert (ran.code, ran.audit, len(verdicts(tmp_path))) == (3, (4, 0, 2), 4)
    assert ran.codes.count("LINK-3") == 2
    assert audit(tmp_path, "a.md", "b.md", "--max-calls", "2").audit == (6, 0, 0)


def test_a_limit_on_calls_leaves_the_rest_unaudited_and_a_rerun_goes_on(audit: Run, tmp_path: Path) -> None:
    passport = project(tmp_path, count=8)
    for done, code in ((3, 3), (6, 3), (8, 0)):
        ran = audit(tmp_path, "draft.md", "--write", "--max-calls", "3")
        assert (ran.code, ran.audit, len(audit_rows(passport))) == (code, (done, 0, 8 - done), done)
        assert ran.codes.count("LINK-3") == 8 - done


def test_a_sample_is_announced_and_counted(audit: Run, tmp_path: Path) -> None:
    passport = project(tmp_path, count=8)
    ran = audit(tmp_path, "draft.md", "--write", "--max-claims", "3")
    assert (ran.code, ran.audit) == (0, (3, 5, 0))
    assert "LINK-3" not in ran.codes
    assert "[CLAIM-AUDIT-SAMPLED — 3/8 audited]" in ran.annotations
    summary = json.loads(passport.read_text("utf-8"))["audit_sampling_summaries"][0]
    assert summary["audited_indices"] == [0, 2, 5]
    limited_too = audit(tmp_path, "draft.md", "--write", "--max-claims", "4", "--no-cache", "--max-calls", "2")
    assert (limited_too.code, limited_too.audit) == (3, (2, 4, 2))


def assert_untouched(folder: Path, passport: Path, before: bytes, ran: Ran) -> None:
    assert ran.code == 2
    assert f"claimlint: error: {passport.name}: cannot be written" in ran.err
    assert "Traceback" not in ran.err
    assert passport.read_bytes() == before
    assert [
        path.name for path in folder.iterdir() if ".tmp" in path.name or path.name.startswith(".claimlint-")
    ] == []
    assert "GATE-3" in ran.out, "what was found is shown all the same"


def test_a_full_disk_leaves_the_old_passport(tmp_path: Path) -> None:
    passport = project(tmp_path, count=8, passport={"claim_audit_results": [OLD_ROW], "note": "kept"})
    before = passport.read_bytes()
    no = [{**each, "reply": "JUDGMENT: UNSUPPORTED\nRATIONALE: No."} for each in all_supported(8)]
    backend = replay(tmp_path / "replies.json", no)
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))"
    options = ("check", "draft.md", "--judge", "--sources", "sources", "--judge-backend", backend, "--write")
    ran = limited(tmp_path, limit, *options)
    assert_untouched(tmp_path, passport, before, ran)
    assert len(verdicts(tmp_path)) == 8
    assert claimlint(tmp_path, *options).code == 1
    assert len(audit_rows(passport)) == 8


def test_a_full_disk_under_the_cache_loses_no_verdict_of_the_run(tmp_path: Path) -> None:
    project(tmp_path, count=8)
    backend = replay(tmp_path / "replies.json", all_supported(8))
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
    options = (
        "check",
        "draft.md",
        "--judge",
        "--sources",
        "sources",
        "--format",
        "json",
        "--judge-backend",
        backend,
    )
    ran = limited(tmp_path, limit, *options)
    assert (ran.code, ran.audit) == (0, (8, 0, 0))
    assert "the verdict cache cannot be written" in ran.err
    assert verdicts(tmp_path) == []
    assert list((tmp_path / ".claimlint_cache" / "claim_audit_v1").iterdir()) == []


def test_a_full_disk_leaves_no_half_passport_where_there_was_none(tmp_path: Path) -> None:
    passport = project(tmp_path, count=8)
    backend = replay(tmp_path / "replies.json", all_supported(8))
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))"
    options = ("check", "draft.md", "--judge", "--sources", "sources", "--judge-backend", backend, "--write")
    ran = limited(tmp_path, limit, *options)
    assert (ran.code, passport.exists()) == (2, False)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".claimlint_cache",
        "draft.md",
        "replies.json",
        "sources",
    ]


def test_a_read_only_folder_leaves_the_old_passport(tmp_path: Path) -> None:
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("the superuser may write anywhere, and setpriv is not at hand")
        prefix = (setpriv, "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
    passport = project(tmp_path, passport={"claim_audit_results": [OLD_ROW], "note": "kept"})
    before = passport.read_bytes()
    no = [{**each, "reply": "JUDGMENT: UNSUPPORTED\nRATIONALE: No."} for each in all_supported(8)]
    backend = replay(tmp_path / "replies.json", no)
    (tmp_path / "cache").mkdir()
    tmp_path.chmod(0o555)
    try:
        options = ("check", "draft.md", "--judge", "--sources", "sources", "--judge-backend", backend, "--write")
        ran = limited(tmp_path, "pass", *options, "--cache-dir", "cache", prefix=prefix)
        unkept = limited(tmp_path, "pass", *options, prefix=prefix)
    finally:
        tmp_path.chmod(0o755)
    assert_untouched(tmp_path, passport, before, ran)
    assert unkept.code == 2
    assert "the verdict cache cannot be written" in unkept.err


def test_a_passport_that_cannot_hold_the_rows_is_left_alone(audit: Run, tmp_path: Path) -> None:
    passport = project(tmp_path)
    text = '{"claim_audit_results": [], "claim_audit_results": []}'
    passport.write_text(text, "utf-8")
    ran = audit(tmp_path, "draft.md", "--write")
    assert ran.code == 2
    assert passport.read_text("utf-8") == text
