"""The one tree of errors: each names the file, the rule (when there is one) and the cause.

Every error here ends a run, or the check of one file, with exit code 2 ("could not tell").
"""

from __future__ import annotations


class ClaimlintError(Exception):
    """Base of all errors that claimlint raises on purpose.

    ``message`` says what went wrong, ``path`` names the file it went wrong in and ``rule`` the code of the
    rule that was running; either is None when it does not apply.
    """

    def __init__(self, message: str, *, path: str | None = None, rule: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.rule = rule

    def __str__(self) -> str:
        parts = [part for part in (self.path, self.rule, self.message) if part]
        return ": ".join(parts)


class UsageError(ClaimlintError):
    """A command line that cannot be carried out: an unknown code, a missing judge, a bad option value."""


class SettingsError(ClaimlintError):
    """A settings file that cannot be read, or a key or value in it that claimlint does not know."""


class RegistryError(ClaimlintError):
    """A rule family, judge or retriever that breaks the plugin contract."""


class DocumentError(ClaimlintError):
    """A file that could not be read as a document, and so was not checked."""


class EncodingError(DocumentError):
    """A file that is no UTF-8 text; ``offset`` counts the characters before the place that shows it."""

    def __init__(self, message: str, *, path: str | None = None, offset: int = 0) -> None:
        super().__init__(message, path=path)
        self.offset = offset


def unexpected(error: Exception, path: str) -> DocumentError:
    """The error for a file whose check failed in a way that nobody foresaw."""
    if isinstance(error, MemoryError):
        return DocumentError("does not fit into memory, so it was not checked", path=path)
    cause = f"{type(error).__name__}: {error}"[:300]
    message = f"internal error ({cause}), so it was not checked; this is a bug in claimlint, please report it"
    return DocumentError(message, path=path)


class RuleCrashError(ClaimlintError):
    """A rule that raised instead of reporting; its file is not known to be clean."""


class AuditError(ClaimlintError):
    """The live audit could not be started or finished."""


class WriteError(ClaimlintError):
    """A file that could not be written; what stood there before is untouched."""
