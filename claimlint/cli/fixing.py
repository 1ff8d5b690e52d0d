"""``claimlint check --fix`` and ``--diff``: repair damaged markers, or show what would be repaired."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlint.atomic import write_bytes_atomic
from claimlint.cli.output import notice
from claimlint.discovery import Discovered, Target
from claimlint.documents.source import BOM, decode, read_bytes
from claimlint.errors import DocumentError
from claimlint.report import Exit
from claimlint.reporters.safe_text import printable

if TYPE_CHECKING:
    from claimlint.fix import FixResult


@dataclass(frozen=True, slots=True)
class Fixed:
    """A draft with its text and its repair."""

    target: Target
    before: str
    result: FixResult


def apply_fixes(found: Discovered) -> Discovered:
    """Repair the drafts that were found; what comes from standard input goes to standard output.

    Returns what is to be checked then, with the repaired text of standard input. A draft that cannot be read is
    left for the check to report.
    """
    targets = {target.path: target for target in found.targets}
    repaired: list[Fixed] = []
    for fixed in _fixed(found):
        data = fixed.result.text.encode("utf-8")
        if fixed.target.text is not None:
            sys.stdout.buffer.write(data)
            targets[fixed.target.path] = fixed.target._replace(text=data)
        if not fixed.result.edits:
            continue
        repaired.append(fixed)
        if fixed.target.text is not None:
            continue
        raw = read_bytes(fixed.target.path, fixed.target.shown)
        write_bytes_atomic(fixed.target.path, (BOM if raw.startswith(BOM) else b"") + data)
    total = sum(len(fixed.result.edits) for fixed in repaired)
    if total:
        markers = "marker" if total == 1 else "markers"
        drafts = "draft" if len(repaired) == 1 else "drafts"
        notice(f"repaired {total} {markers} in {len(repaired)} {drafts}")
    return found._replace(targets=tuple(targets.values()))


def show_fixes(found: Discovered) -> int:
    """Print what would be repaired as a unified diff; exit code 1 when there is something."""
    from claimlint.fix import diff

    changed = False
    for fixed in _fixed(found, strict=True):
        for line in diff(fixed.target.shown, fixed.before, fixed.result):
            changed = True
            sys.stdout.write(printable(line.removesuffix("\r"), keep_tabs=True) + "\n")
    return int(Exit.FINDINGS if changed else Exit.CLEAN)


def _fixed(found: Discovered, *, strict: bool = False) -> list[Fixed]:
    from claimlint.fix import fix

    if strict and found.failures:
        raise found.failures[0]
    made: list[Fixed] = []
    for target in found.targets:
        if not target.is_draft:
            continue
        try:
            data = target.text if target.text is not None else read_bytes(target.path, target.shown)
            before = decode(data, target.shown)
        except DocumentError:
            if strict:
                raise
            continue
        made.append(Fixed(target, before, fix(before)))
    return made
