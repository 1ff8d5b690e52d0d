"""Small projects on disk: a draft of numbered findings and the sources that it cites."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

PAGES = "\f".join(f"Page {number} holds finding {number} and nothing else." for number in range(1, 6))
SENTENCES = tuple(f"Finding {number} holds" for number in range(1, 301))


def draft_of(count: int, *, first: int = 1, sources: int = 4) -> str:
    """A draft of so many cited sentences, ``Finding N holds.``, over several sources."""
    lines = ["# A study", ""]
    for number in range(first, first + count):
        slug = f"src{number % sources}"
        lines += [f"Finding {number} holds <!--ref:{slug}--><!--anchor:page:{number % 5 + 1}-->.", ""]
    return "\n".join(lines)


def project(
    folder: Path,
    *,
    count: int = 4,
    judge: Mapping[str, object] | None = None,
    passport: Mapping[str, object] | None = None,
    draft: str | None = None,
) -> Path:
    """Write a draft, its sources and, for ``judge``, settings; returns the path of the passport-to-be."""
    sources = folder / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    for number in range(4):
        (sources / f"src{number}.txt").write_text(PAGES, "utf-8")
    (folder / "draft.md").write_text(draft_of(count) if draft is None else draft, "utf-8")
    if judge is not None:
        lines = [f"{key} = {json.dumps(value)}" for key, value in judge.items()]
        (folder / "claimlint.toml").write_text("\n".join(["[judge]", *lines, ""]), "utf-8")
    path = folder / "draft.passport.json"
    if passport is not None:
        path.write_text(json.dumps(passport, indent=2) + "\n", "utf-8")
    return path


def replay(path: Path, replies: Sequence[Mapping[str, object]]) -> str:
    """Write recorded replies; returns the backend that answers with them."""
    path.write_text(json.dumps({"model": "scripted", "replies": list(replies)}), "utf-8")
    return f"replay:{path}"


def all_supported(count: int, *, first: int = 1, rationale: str = "The page says so.") -> list[dict[str, object]]:
    """Replies that support every finding of ``draft_of``."""
    return [
        {
            "claim_text": f"Finding {number} holds.",
            "ref_slug": f"src{number % 4}",
            "reply": f"JUDGMENT: SUPPORTED\nRATIONALE: {rationale}",
        }
        for number in range(first, first + count)
    ]


def verdicts(folder: Path) -> list[Path]:
    """The files of the verdict cache."""
    return sorted((folder / ".claimlint_cache" / "claim_audit_v1").glob("*.json"))


def everything(folder: Path) -> bytes:
    """All bytes of all files below a folder, with their names."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(str(path).encode() + b"\n" + path.read_bytes() for path in files)
