"""The judges: ways to have a model read an excerpt. Built-in ones, and those of the ``claimlint.judges`` plugins.

A plugin is a callable that takes ``JudgeOptions`` and returns a ``Judge``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module

from claimlint.audit.types import Judge
from claimlint.errors import RegistryError, UsageError

NO_JUDGE = """--judge needs a judge. The three shortest ways to one:
  a model on this machine (Ollama, llama.cpp, vLLM), free and private:
    --judge-backend openai --judge-model MODEL   with OPENAI_BASE_URL=http://localhost:11434/v1
  a hosted model:
    --judge-backend anthropic --judge-model MODEL   with ANTHROPIC_API_KEY=...
  any program that reads a prompt on standard input and prints an answer:
    --judge-backend "command:PROGRAM ARGS"
The same goes into the settings as backend, model and base-url under [tool.claimlint.judge]."""
"""What a user is told who asks for a judge and has none."""

BUILT_IN = {
    "openai": "claimlint.audit.judges.openai_api:open_openai",
    "anthropic": "claimlint.audit.judges.anthropic_api:open_anthropic",
    "command": "claimlint.audit.judges.command:open_command",
    "replay": "claimlint.audit.judges.replay:open_replay",
}
"""The judges that come with claimlint, by name."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """What a judge is made from.

    ``argument`` is what follows the colon in ``NAME:ARG`` (empty when nothing does). ``timeout`` is in seconds
    for one attempt. Keys are looked up in ``environ`` and nowhere else.
    """

    argument: str = ""
    model: str | None = None
    base_url: str | None = None
    timeout: float = 120.0
    seed: int = 0
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)


def open_judge(spec: str | None, options: JudgeOptions) -> Judge:
    """The judge that ``NAME`` or ``NAME:ARG`` names; nothing is asked of it yet.

    Raises UsageError without a name, for an unknown one, and when the judge lacks something (its library, a
    model, a base URL, a key, a program); RegistryError for a plugin that breaks the contract.
    """
    name, _, argument = (spec or "").strip().partition(":")
    if not name:
        raise UsageError(NO_JUDGE)
    opener = _opener(name)
    made = opener(replace(options, argument=argument))
    if not isinstance(getattr(made, "model", None), str) or not callable(getattr(made, "ask", None)):
        raise RegistryError(f"the plugin of judge {name} does not return a judge (name, model, ask)")
    return made


def _opener(name: str) -> Callable[[JudgeOptions], Judge]:
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found: object = getattr(import_module(module), attribute)
    else:
        found = _plugin(name)
    if not callable(found):
        raise RegistryError(f"the plugin of judge {name} is not callable")
    return found


def _plugin(name: str) -> object:
    from claimlint.plugins import JUDGES, entry_points

    points = {point.name: point for point in entry_points(JUDGES)}
    if name not in points:
        from difflib import get_close_matches

        known = sorted({*BUILT_IN, *points})
        near = get_close_matches(name, known, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
        raise UsageError(f"there is no judge {name!r}{hint}")
    return points[name].load()


def require_library(name: str, extra: str) -> None:
    """Look for an optional client library without importing it; raises UsageError saying how to install it."""
    from importlib.util import find_spec

    if find_spec(name) is None:
        raise UsageError(f"the judge {extra} needs the library {name}: pip install 'claimlint-drafts[{extra}]'")


def require_model(options: JudgeOptions, judge: str) -> str:
    """The model; raises UsageError when none is set."""
    if not options.model or not options.model.strip():
        where = "model under [tool.claimlint.judge]"
        raise UsageError(f"the judge {judge} needs a model: --judge-model MODEL, or {where}")
    return options.model.strip()
