"""What is measured: passports and drafts of any size."""

from __future__ import annotations

import json
from pathlib import Path

from tests.passport_samples import audit_row, clean

SENTENCES = (
    "The northern clinics adopted the protocol that spring <!--ref:okafor2024--><!--anchor:page:{n}-->.",
    "Nurses described the change as gradual, and several pointed to the earlier training.",
    "In the comparison group the wait fell from {n} to 12 minutes (`p < .05`) [@mbeki2022, p. {n}].",
    "We return to this difference in the discussion, where its causes are weighed.",
    "Costs were recorded per visit; see Table {n} and the note on *exchange rates* below.",
    "A second reading of the interviews, e.g. those of the night shift, changed none of the codes.",
    "The model assumes $x_{{{n}}} > 0$ and a link to [the registry](https://example.org/a/{n}).",
    "Most visitors came twice <!--ref:lindqvist2021--><!--anchor:quote:came%20twice-->, as registered.",
)


def small_passport(folder: Path) -> str:
    """A clean passport of a few rows."""
    return passport(folder, 3)


def passport(folder: Path, rows: int) -> str:
    """A clean passport with so many audit rows (about 570 bytes each)."""
    manifests = clean()["claim_intent_manifests"][:1]
    found = [audit_row(claim_text=f"The night bus cut waiting times by {index}%.") for index in range(rows)]
    path = folder / f"rows-{rows}.json"
    with path.open("w", encoding="utf-8") as file:
        json.dump({"claim_intent_manifests": manifests, "claim_audit_results": found}, file, indent=1)
    return path.name


def prose(size: int, seed: int = 0) -> str:
    """Prose of about so many characters, with headings, citations, markers, math and links."""
    parts: list[str] = ["# A study\n\n"]
    length = number = seed
    while length < size + seed:
        number += 1
        text = SENTENCES[number % len(SENTENCES)].format(n=number % 500 + 1)
        end = "\n\n" if number % 6 == 0 else "\n"
        heading = f"## Part {number // 60}\n\n" if number % 60 == 0 else ""
        parts.append(heading + text + end)
        length += len(heading) + len(text) + len(end)
    return "".join(parts)


def draft(folder: Path, size: int) -> str:
    """A draft of prose."""
    path = folder / f"prose-{size}.md"
    path.write_text(prose(size), encoding="utf-8")
    return path.name


def markers(folder: Path, count: int) -> str:
    """A draft of so many sentences with a marker each."""
    path = folder / f"markers-{count}.md"
    line = "Waits fell <!--ref:okafor{n}--><!--anchor:page:{n}-->.\n"
    path.write_text("".join(line.format(n=number % 900 + 1) for number in range(count)), encoding="utf-8")
    return path.name


def drafts(folder: Path, count: int, size: int) -> str:
    """A folder with so many drafts of prose."""
    path = folder / f"drafts-{count}"
    path.mkdir()
    for number in range(count):
        (path / f"draft-{number:03}.md").write_text(prose(size, number), encoding="utf-8")
    return path.name
