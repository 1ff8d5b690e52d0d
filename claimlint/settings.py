"""Settings: defaults, then the settings file, then the command line; one frozen value comes out.

The one home of settings is ``[tool.claimlint]`` in ``pyproject.toml``, or ``claimlint.toml`` (the same keys
without the prefix). The nearest of them upward from the working directory counts; the search stops at the
folder that holds ``.git``, at the home folder, or at the root.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from claimlint.discovery import DEFAULT_EXCLUDE, show
from claimlint.documents.styles import CITATION_STYLES
from claimlint.errors import SettingsError, UsageError
from claimlint.findings import Severity

if TYPE_CHECKING:
    from claimlint.audit_settings import JudgeSettings, OnlineSettings

FILE_NAME = "claimlint.toml"
TABLE = "[tool.claimlint]"
FAIL_ON = {
    "error": Severity.ERROR,
    "high": Severity.HIGH_WARN,
    "med": Severity.MED_WARN,
    "low": Severity.LOW_WARN,
    "never": None,
}
"""The values of ``fail-on`` and the lowest severity that then makes a run fail."""


class UncitedSettings(NamedTuple):
    """``[uncited]``: what counts as a citation, and more triggers for UNCITED-2 (words by language, patterns)."""

    citations: tuple[str, ...] = tuple(sorted(CITATION_STYLES))
    words: Mapping[str, tuple[str, ...]] = {}
    patterns: tuple[str, ...] = ()


class PromptSettings(NamedTuple):
    """``[judge-prompt]``: the file that holds the canonical judge prompt, and its pinned SHA-256."""

    file: str | None = None
    sha256: str | None = None


class Settings(NamedTuple):
    """All settings of a run. Paths are relative to ``root``, the folder of the settings file."""

    root: str = "."
    file: str | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = {}
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    fail_on: str = "high"
    passport: tuple[str, ...] = ()
    bibliography: tuple[str, ...] = ()
    baseline: str | None = None
    sources: tuple[str, ...] = ()
    retriever: tuple[str, ...] = ()
    cache_dir: str = ".claimlint_cache"
    uncited: UncitedSettings = UncitedSettings()
    judge_prompt: PromptSettings = PromptSettings()
    judge_given: JudgeSettings | None = None
    online_given: OnlineSettings | None = None

    @property
    def judge(self) -> JudgeSettings:
        """``[judge]``, or its defaults."""
        from claimlint.audit_settings import JudgeSettings

        return self.judge_given or JudgeSettings()

    @property
    def online(self) -> OnlineSettings:
        """``[online]``, or its defaults."""
        from claimlint.audit_settings import OnlineSettings

        return self.online_given or OnlineSettings()

    @property
    def excluded(self) -> tuple[str, ...]:
        """All patterns of what is left out."""
        return (*self.exclude, *self.extend_exclude)

    @property
    def bar(self) -> Severity | None:
        """The lowest severity that makes the run fail; None when nothing does."""
        return FAIL_ON[self.fail_on]

    def resolve(self, path: str) -> str:
        """A path from the settings file, made usable from the working directory."""
        joined = os.path.join(self.root, path)
        return joined if os.path.isabs(path) or self.root != "." else path


def read_named(settings: Settings, path: str, key: str) -> str:
    """The text of a file that the settings name under ``key``; raises ``SettingsError`` that says so."""
    from claimlint.documents.source import read_text
    from claimlint.errors import DocumentError

    shown = show(path)
    try:
        return read_text(path, shown)
    except DocumentError as error:
        raise SettingsError(
            f"{key}: {shown}: {error.message}", path=show(settings.file or "the settings")
        ) from error


def _named(settings: Settings) -> str:
    return show(settings.file or "the settings")


def source_folders(settings: Settings, given: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of sources: those ``given`` on the command line, else those of the settings.

    Raises ``UsageError`` or ``SettingsError`` for one that is no folder.
    """
    folders = given or tuple(settings.resolve(path) for path in settings.sources)
    for folder in folders:
        if not os.path.isdir(folder):
            fault = "is no folder" if os.path.lexists(folder) else "no such folder"
            if given:
                raise UsageError(f"--sources {folder}: {fault}")
            raise SettingsError(f"sources: {show(folder)}: {fault}", path=_named(settings))
    return folders


_INTERNAL = frozenset({"root", "file"})
_SECTIONS = ("uncited", "judge_prompt", "judge", "online")
_NULLABLE_TEXT = frozenset({"baseline", "backend", "model", "base_url", "file", "sha256", "contact"})


def override(
    settings: Settings,
    *,
    select: tuple[str, ...] = (),
    extend_select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    fail_on: str | None = None,
) -> Settings:
    """The settings with what the command line says on top: lists of rules add up, single values replace."""
    return settings._replace(
        select=select or settings.select,
        extend_select=(*settings.extend_select, *extend_select),
        ignore=(*settings.ignore, *ignore),
        fail_on=fail_on or settings.fail_on,
    )


def find(start: str) -> str | None:
    """The path of the nearest settings file upward from a folder, or None.

    In one folder ``claimlint.toml`` comes before ``pyproject.toml``; a ``pyproject.toml`` without a
    ``[tool.claimlint]`` table is passed over.
    """
    folder = os.path.abspath(start)
    home = os.path.realpath(os.path.expanduser("~"))
    while True:
        own = os.path.join(folder, FILE_NAME)
        if os.path.isfile(own):
            return own
        shared = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(shared) and _has_table(shared):
            return shared
        parent = os.path.dirname(folder)
        if parent == folder or os.path.realpath(folder) == home or os.path.lexists(os.path.join(folder, ".git")):
            return None
        folder = parent


def _has_table(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"claimlint" in file.read() and _table(path) is not None
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", path=show(path)) from error


def _table(path: str) -> Mapping[str, Any] | None:
    import tomllib

    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", path=show(path)) from error
    except (ValueError, RecursionError) as error:  # also an integer beyond the interpreter's limit
        raise SettingsError(f"no valid TOML: {error}", path=show(path)) from error
    tool = document.get("tool")
    table = tool.get("claimlint") if isinstance(tool, dict) else None
    if os.path.basename(path) != "pyproject.toml":
        if table is not None:
            message = f"outside pyproject.toml the keys stand alone; write them without {TABLE}"
            raise SettingsError(message, path=show(path))
        return document
    if table is not None and not isinstance(table, dict):
        raise SettingsError("tool.claimlint is no table", path=show(path))
    return table


def load(config: str | None = None, start: str = ".") -> Settings:
    """The settings of a file: the given one, or the nearest (see ``find``), or the defaults.

    Raises ``SettingsError`` when the file cannot be read, or for an unknown key (naming the nearest known one)
    or a value of a wrong type.
    """
    path = config if config is not None else find(start)
    if path is None:
        return Settings()
    if not os.path.isfile(path):
        raise SettingsError("no such settings file", path=show(path))
    table = _table(path)
    if table is None:
        raise SettingsError(f"has no {TABLE} table", path=show(path))
    relative = os.path.relpath(os.path.dirname(os.path.abspath(path)))
    made: Settings = _build(Settings, table, show(path), "")
    return made._replace(root=relative, file=path)


def _build(kind: type[Any], table: Mapping[str, Any], path: str, prefix: str) -> Any:
    known = {name.removesuffix("_given"): name for name in kind._fields}
    if not prefix:
        known = {name: field for name, field in known.items() if name not in _INTERNAL}
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        where = f"{prefix}{key}"
        if name not in known or "_" in key:
            raise SettingsError(f"unknown key {where}{_hint(key, known)}", path=path)
        if name in _SECTIONS:
            if not isinstance(value, dict):
                raise SettingsError(f"{where} must be a table", path=path)
            values[known[name]] = _build(_section(name), value, path, f"{where}.")
        else:
            values[name] = _value(name, value, kind._field_defaults[name], path, where)
    return kind(**values)


def _section(name: str) -> type[Any]:
    from claimlint.audit_settings import JudgeSettings, OnlineSettings

    kinds: dict[str, type[Any]] = {
        "uncited": UncitedSettings,
        "judge_prompt": PromptSettings,
        "judge": JudgeSettings,
        "online": OnlineSettings,
    }
    return kinds[name]


def _hint(key: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches

    names = [name.replace("_", "-") for name in known]
    near = get_close_matches(key.replace("_", "-"), names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else f"; known keys: {', '.join(sorted(names))}"


def _value(name: str, value: Any, default: Any, path: str, where: str) -> Any:
    if isinstance(default, Mapping):
        if not isinstance(value, dict):
            raise SettingsError(f"{where} must be a table", path=path)
        if name == "urls":
            return {key: _text(item, path, f"{where}.{key}") for key, item in sorted(value.items())}
        return {key: _texts(item, path, f"{where}.{key}") for key, item in value.items()}
    if isinstance(default, tuple) or name == "select":
        return _texts(value, path, where, allowed=CITATION_STYLES if name == "citations" else None)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise SettingsError(f"{where} must be true or false", path=path)
        return value
    if name == "fail_on":
        if not isinstance(value, str) or value not in FAIL_ON:
            raise SettingsError(f"{where} must be one of {', '.join(FAIL_ON)}, not {value!r}", path=path)
        return value
    if isinstance(default, str) or name in _NULLABLE_TEXT:
        return _text(value, path, where)
    return _number(name, value, path, where, whole=isinstance(default, int) or name == "max_calls")


def _text(value: Any, path: str, where: str) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{where} must be a string", path=path)
    return value


def _texts(value: Any, path: str, where: str, allowed: frozenset[str] | None = None) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise SettingsError(f"{where} must be a list of strings", path=path)
    for item in items:
        if allowed is not None and item not in allowed:
            raise SettingsError(f"{where}: {item!r} is none of {', '.join(sorted(allowed))}", path=path)
    return tuple(items)


_MINIMUM = {"max_claims": 1, "concurrency": 1, "timeout": 0.001, "max_bytes": 1}


def _number(name: str, value: Any, path: str, where: str, *, whole: bool) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise SettingsError(f"{where} must be a {'whole ' if whole else ''}number", path=path)
    least = _MINIMUM.get(name, 0)
    if not value >= least or value == float("inf"):
        raise SettingsError(f"{where} must be at least {least}, not {value}", path=path)
    try:
        number: float | int = value if whole else float(value)
    except OverflowError as error:
        raise SettingsError(f"{where} is too large", path=path) from error
    return number
