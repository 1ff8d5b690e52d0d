"""What every part of one run shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from claimlint.discovery import show

if TYPE_CHECKING:
    from claimlint.settings import Settings


class Task(NamedTuple):
    """What every unit of a run shares.

    ``codes`` are the rules that run. ``passports`` were given on the command line and belong to every draft.
    ``sources`` are folders in which anchors are looked up; what is read of them is kept in ``source_cache``, if
    that is a folder. With ``hook`` a passport that is passed without its
    draft brings the draft along. ``drafts`` are the paths of the run's drafts. ``cache_dir`` keeps what was read
    of the sources; None in a run that should leave nothing behind.
    """

    settings: Settings
    codes: tuple[str, ...]
    passports: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    hook: bool = False
    drafts: tuple[str, ...] = ()
    source_cache: str | None = None
    cache_dir: str | None = None

    @property
    def together(self) -> tuple[tuple[str, ...], str] | None:
        """The passport files that belong to every draft, and who names them: the command line or the settings."""
        if self.passports:
            return self.passports, "--passport"
        if self.settings.passport:
            paths = tuple(self.settings.resolve(path) for path in self.settings.passport)
            return paths, show(self.settings.file or "the settings")
        return None

    @property
    def bibliographies(self) -> tuple[tuple[str, ...], str] | None:
        """The bibliographies that belong to every draft, and who names them."""
        if not self.settings.bibliography:
            return None
        paths = tuple(self.settings.resolve(path) for path in self.settings.bibliography)
        return paths, show(self.settings.file or "the settings")
