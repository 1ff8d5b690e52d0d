"""Getting at the text of cited sources: which retrievers there are, and how a run's chain of them is made.

A retriever is registered as an entry point of the group ``claimlint.retrievers``: a callable that takes the
text behind ``NAME:`` on the command line and a ``RetrieverContext``, and gives an object with the methods of
``claimlint.audit.types.Retriever``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from claimlint.audit.retrieval.chain import Chain
from claimlint.audit.retrieval.isolate import Reader
from claimlint.audit_settings import OnlineSettings
from claimlint.errors import RegistryError, UsageError
from claimlint.plugins import RETRIEVERS, entry_points

if TYPE_CHECKING:
    from claimlint.audit.types import Retriever


@dataclass(frozen=True, slots=True)
class RetrieverContext:
    """What a run gives its retrievers.

    ``sources`` are the author's folders, ``cache_dir`` a folder for what is worth keeping (None: nowhere),
    ``online`` the settings of the indexes; ``allow_online`` says that the user wants the network used.
    ``reader`` reads documents and is shared, so that no file is read twice.
    """

    sources: tuple[str, ...] = ()
    cache_dir: str | None = None
    online: OnlineSettings = field(default_factory=OnlineSettings)
    allow_online: bool = False
    reader: Reader = field(default_factory=Reader)


Factory = Callable[[str, RetrieverContext], "Retriever"]

_BUILT_IN = {
    "local": "claimlint.audit.retrieval.local",
    "api": "claimlint.audit.retrieval.api",
    "replay": "claimlint.audit.retrieval.replay",
}


def context_of(
    sources: Sequence[str],
    cache_dir: str | None,
    online: OnlineSettings,
    *,
    allow_online: bool = False,
) -> RetrieverContext:
    """The context of a run, with a reader that keeps what it reads in ``cache_dir``."""
    return RetrieverContext(tuple(sources), cache_dir, online, allow_online, Reader(cache_dir))


def build_retriever(specs: Sequence[str], context: RetrieverContext) -> Chain:
    """The chain of the retrievers that the user names as ``NAME`` or ``NAME:ARG``, tried in their order.

    Unless they are named, the folders of ``--sources`` come first and, with ``--online``, the indexes last.
    Raises UsageError for an unknown name, a wrong argument, ``api`` without ``--online``, and when there is
    nothing to retrieve from; RegistryError for a plugin that breaks its contract.
    """
    named = [(name.strip(), argument) for name, _, argument in (spec.partition(":") for spec in specs)]
    names = {name for name, _ in named}
    if context.sources and "local" not in names:
        named.insert(0, ("local", ""))
    if context.allow_online and "api" not in names:
        named.append(("api", ""))
    if "api" in names and not context.allow_online:
        raise UsageError("the api retriever uses the network: add --online to allow that")
    if not named:
        raise UsageError(
            "there is nothing to retrieve sources from: give their folder with --sources DIR, "
            "let the indexes be asked with --online, or replay a recording with --retriever replay:FILE"
        )
    return Chain([_made(name, argument, context) for name, argument in named])


def _made(name: str, argument: str, context: RetrieverContext) -> Retriever:
    factory = _factory(name)
    try:
        made = factory(argument, context)
    except (UsageError, RegistryError):
        raise
    except Exception as error:
        raise RegistryError(f"retriever {name} cannot be made: {type(error).__name__}: {error}") from error
    if not callable(getattr(made, "retrieve", None)):
        raise RegistryError(f"retriever {name} has no method retrieve")
    return made


def _factory(name: str) -> Factory:
    from importlib import import_module

    if name in _BUILT_IN:
        made: Factory = import_module(_BUILT_IN[name]).make
        return made
    points = [point for point in entry_points(RETRIEVERS) if point.name == name]
    if not points:
        known = sorted({*_BUILT_IN, *(point.name for point in entry_points(RETRIEVERS))})
        raise UsageError(f"there is no retriever {name!r}; there are {', '.join(known)}")
    loaded = points[0].load()
    if not callable(loaded):
        raise RegistryError(f"retriever {name} ({points[0].value}) is not callable")
    return loaded
