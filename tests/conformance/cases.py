"""The conformance cases that stand beside the checkout."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"


def conformance(name: str) -> Any:
    """The content of a file of cases; skips where it is not at hand, and fails there in CI."""
    path = FOLDER / name
    if not path.is_file():
        reason = f"the conformance cases are not at hand: {path}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)
