"""Finding plugins: the entry points of installed distributions.

The standard library's reader costs as much start-up time as the whole check of a small file, so the
``entry_points.txt`` files on the path are read directly; when the path holds something that is no folder
(a zip file), the standard library's reader takes over.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import NamedTuple

from claimlint.errors import RegistryError

RULES = "claimlint.rules"
JUDGES = "claimlint.judges"
RETRIEVERS = "claimlint.retrievers"


class EntryPoint(NamedTuple):
    """One entry point: its name, the ``module`` or ``module:attribute`` it stands for, its distribution."""

    name: str
    value: str
    distribution: str

    @property
    def origin(self) -> str:
        """What it stands for and who brings it, for messages; one name where both are called the same."""
        return self.value if self.value == self.distribution else f"{self.value} of {self.distribution}"

    def load(self) -> object:
        """Import what the entry point stands for; raises ``RegistryError`` when that fails in any way."""
        module_name, _, attribute = self.value.partition(":")
        try:
            loaded: object = import_module(module_name)
            for part in attribute.split(".") if attribute else ():
                loaded = getattr(loaded, part)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may fail in any way
            cause = f"{type(error).__name__}: {error}"
            message = f"plugin {self.name} ({self.origin}) cannot be loaded: {cause}"
            raise RegistryError(message) from error
        return loaded


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, sorted by name and then by distribution; each distribution counts once."""
    found: dict[tuple[str, str, str], EntryPoint] = {}
    seen: set[str] = set()
    for folder in dict.fromkeys(sys.path):
        try:
            with os.scandir(folder or ".") as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith((".dist-info", ".egg-info")))
        except NotADirectoryError:
            return _standard(group)
        except OSError:
            continue
        for name in names:
            distribution = name.rpartition(".")[0].partition("-")[0]
            if distribution in seen:
                continue
            seen.add(distribution)
            for point in _read(os.path.join(folder, name, "entry_points.txt"), group, distribution):
                found[point.name, point.distribution, point.value] = point
    return tuple(point for _, point in sorted(found.items()))


def _read(path: str, group: str, distribution: str) -> list[EntryPoint]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return []
    if f"[{group}]" not in text:
        return []
    points: list[EntryPoint] = []
    inside = False
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            inside = line == f"[{group}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            points.append(EntryPoint(name.strip(), value.partition("[")[0].strip(), distribution))
    return points


def _standard(group: str) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points as standard

    points = (
        EntryPoint(point.name, point.value, (point.dist.name if point.dist else "?").replace("-", "_"))
        for point in standard(group=group)
    )
    return tuple(sorted(set(points), key=lambda point: (point.name, point.distribution, point.value)))
