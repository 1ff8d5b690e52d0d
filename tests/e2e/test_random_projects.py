"""Projects made at random: whatever is cited, found and answered, what is shown, written and read again agrees."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from .cli import Inside, Ran

SEEDS = range(40)
TEXTS = "towns costs oven buses waiting garden children 50% most 3 of 9 rose showed noise 2019 fell"
SLUGS = ("src1", "src2", "src3", "src4", "unknown", "bad.slug", "2x", "")
KINDS = ("page", "page", "quote", "section", "paragraph", "none", "table", "")
VALUES = ("1", "2", "9", "no%20such", "towns", "", "%zz", "p > .05", "a--b", "1-2", "Intro")
REPLIES = (
    'JUDGMENT: SUPPORTED\nRATIONALE: It says "Page one towns".',
    'JUDGMENT: SUPPORTED\nRATIONALE: It says "words that nobody wrote".',
    "JUDGMENT: UNSUPPORTED\nDEFECT_STAGE_HINT: metadata\nRATIONALE: No.",
    f"JUDGMENT: UNSUPPORTED\nDEFECT_STAGE_HINT: unheard_of\nRATIONALE: {'No. ' * 700}",
    "JUDGMENT: AMBIGUOUS\nDEFECT_STAGE_HINT: metadata\nRATIONALE: Perhaps.",
    "JUDGMENT: VIOLATED\nVIOLATED_CONSTRAINT_ID: MNC-1\nRATIONALE: It does.",
    "JUDGMENT: VIOLATED\nVIOLATED_CONSTRAINT_ID: NC-C001-1\nRATIONALE: It does.",
    "JUDGMENT: NOT_VIOLATED\nRATIONALE: It does not.",
    "JUDGMENT: PARTIAL\nSUB_CLAIM_BREAKDOWN:\n- a :: SUPPORTED :: p. 1\n- b :: UNSUPPORTED :: -\nRATIONALE: Half.",
    "JUDGMENT: PARTIAL\nRATIONALE: Half.",
    "I cannot say.",
    "",
)
TEXT = "Intro\n\nPage one towns.\fPage two no such.\fThree."


class Project:
    """A project that a seed decides: one draft or two that share a passport, manifests, sources and replies."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        words = TEXTS.split(" ")
        self.claims = [" ".join(self.random.choices(words, k=self.random.randint(2, 7))) + "." for _ in range(8)]
        self.drafts = [f"d{number}.md" for number in range(self.random.choice((1, 1, 2)))]
        self.passport = "d0.passport.json" if len(self.drafts) == 1 else "shared.json"

    def write(self, folder: Path) -> None:
        manifests = [self._manifest(number) for number in range(self.random.randint(0, 2))]
        for name in self.drafts:
            head = "---\npassport: shared.json\n---\n\n" if len(self.drafts) > 1 else ""
            embedded = ""
            if manifests and self._perhaps(0.4):
                embedded = f"\n```json\n{json.dumps(manifests.pop())}\n```\n"
            (folder / name).write_text(f"{head}{self._body()}{embedded}", "utf-8")
        if len(self.drafts) > 1 or self._perhaps(0.7):
            content = {"claim_intent_manifests": manifests, "literature_corpus": []}
            (folder / self.passport).write_text(json.dumps(content, indent=self.random.choice((None, 2))), "utf-8")
        retrievals = [self._retrieval(slug) for slug in SLUGS[:4]]
        (folder / "retrievals.json").write_text(json.dumps({"retrievals": retrievals}), "utf-8")
        asked = [(text, slug) for text in dict.fromkeys(self.claims) for slug in (*SLUGS[:4], None)]
        replies = [self._reply(text, slug) for text, slug in asked if self._perhaps(0.85)]
        (folder / "replies.json").write_text(json.dumps({"model": "m", "replies": replies}), "utf-8")

    def options(self) -> list[str]:
        found: list[str] = []
        if self._perhaps(0.4):
            found += ["--max-claims", str(self.random.randint(1, 6))]
        if self._perhaps(0.2):
            found += ["--max-calls", str(self.random.randint(1, 4)), "--no-cache"]
        return found

    def _perhaps(self, share: float) -> bool:
        return self.random.random() < share

    def _marker(self) -> str:
        slug, kind, value = (self.random.choice(each) for each in (SLUGS, KINDS, VALUES))
        ref, anchor = f"<!--ref:{slug}-->", f"<!--anchor:{kind}:{value}-->"
        others = (ref, f"<!-- ref:{slug} -->{anchor}", anchor, f"<!--ref:{slug} ok--> {anchor}")
        return ref + anchor if self._perhaps(0.6) else self.random.choice(others)

    def _sentence(self) -> str:
        text = self.random.choice(self.claims)
        if self._perhaps(0.4):
            return text
        markers = "".join(self._marker() for _ in range(self.random.randint(1, 3)))
        return f"{text[:-1]} {markers}." if self._perhaps(0.6) else text + markers

    def _body(self) -> str:
        parts: list[str] = []
        for _ in range(self.random.randint(1, 4)):
            if self._perhaps(0.7):
                parts.append("#" * self.random.randint(1, 3) + " " + self.random.choice(("Intro", "A > B")))
            parts.append(" ".join(self._sentence() for _ in range(self.random.randint(1, 4))))
            if self._perhaps(0.2):
                parts.append(f"- {self._sentence()}\n- {self._sentence()}")
            if self._perhaps(0.1):
                parts.append(f"| a | b |\n|---|---|\n| {self._sentence()} | x |")
        return "\n\n".join(parts) + "\n"

    def _manifest(self, number: int) -> dict[str, Any]:
        claims: list[dict[str, Any]] = []
        for each in range(1, self.random.randint(2, 4)):
            digits = f"{each + 10 * number:03d}"
            claim: dict[str, Any] = {
                "claim_id": f"C-{digits}",
                "claim_text": self.random.choice(self.claims),
                "intended_evidence_kind": "empirical",
                "planned_refs": [],
            }
            if self._perhaps(0.4):
                claim["negative_constraints"] = [{"constraint_id": f"NC-C{digits}-1", "rule": "Nothing on x."}]
            claims.append(claim)
        general = [{"constraint_id": "MNC-1", "rule": "Nothing on y."}] if self._perhaps(0.6) else []
        return {
            "manifest_version": "1.0",
            "manifest_id": f"M-2026-10-03T08:30:0{number}Z-aaa{number}",
            "emitted_by": "draft_writer_agent",
            "emitted_at": f"2026-10-03T08:30:0{self.random.randint(0, 3)}Z",
            "claims": claims,
            "manifest_negative_constraints": general,
        }

    def _retrieval(self, slug: str) -> dict[str, str]:
        if self._perhaps(0.6):
            found = {"ref_slug": slug, "method": self.random.choice(("manual_pdf", "api")), "text": TEXT}
            return {**found, "preflight": self.random.choice(("PASS", "FAIL"))} if self._perhaps(0.4) else found
        fault = {"fault": "retrieval_timeout", "detail": "late"}
        return {"ref_slug": slug, **self.random.choice(({"method": "failed"}, {"method": "not_found"}, fault))}

    def _reply(self, text: str, slug: str | None) -> dict[str, str | None]:
        if self._perhaps(0.1):
            return {"claim_text": text, "ref_slug": slug, "fault": "judge_timeout", "detail": "late"}
        return {"claim_text": text, "ref_slug": slug, "reply": self.random.choice(REPLIES)}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_shown_written_and_read_again_agrees(seed: int, tmp_path: Path, inside: Inside) -> None:
    project = Project(seed)
    project.write(tmp_path)
    options = ["check", *project.drafts, "--judge", "--format", "json", *project.options()]
    options += ["--retriever", "replay:retrievals.json", "--judge-backend", "replay:replies.json"]
    held, written, again = (inside(tmp_path, *options, *more) for more in ([], ["--write"], ["--write"]))
    plain = inside(tmp_path, "check", *project.drafts, "--format", "json")
    for ran in (held, written, again, plain):
        assert ran.report["errors"] == []
        assert ran.shown == written.shown
        assert ran.audit == written.audit
        assert ran.report["summary"]["gate_refuse"] == written.report["summary"]["gate_refuse"]
        assert broken(ran) == []
    for ran in (held, written, again):
        severities = ran.report["summary"]["by_severity"]
        fails = severities["error"] + severities["high-warn"] > 0
        complete = "not judged" not in ran.err and "failed" not in ran.err and "limit" not in ran.err
        assert ran.code == (1 if fails else 0 if complete else 3)


def broken(ran: Ran) -> list[str]:
    """What an audit may not leave: broken contracts, and rows about what is not in the drafts."""
    return [
        finding["message"]
        for finding in ran.report["findings"]
        if finding["code"] in ("LINK-2", "LINK-4", "MATRIX-1", "SCHEMA-1") or "INV-" in finding["code"]
    ]
