"""Every exception Sfumato raises, in one tree. This module imports nothing of Sfumato.

    SfumatoError
    ├── Mistake                  something the caller can put right; exit code 2
    │   ├── PolicyError          the policy does not hold together, or does not fit the source
    │   ├── HierarchyError       a hierarchy has a hole, a wrong shape or an unusable parameter
    │   ├── SourceError          the source cannot be read as a table
    │   │   └── SourceChanged    the source changed while it was read
    │   ├── TargetError          the release cannot be written where it was asked for
    │   ├── SecretError          a key or lookup file is missing, too weak, or readable by others
    │   ├── ReviewError          a review of texts does not hold together, or does not fit the texts
    │   └── MissingExtra         a part of Sfumato that is not installed was asked for
    ├── NoRecodingFound          the requirements cannot be met; exit code 1
    ├── CandidateFailed          the candidate, counted again, breaks a requirement; exit code 1
    ├── ReleaseBroken            a release on disk does not match its manifest; exit code 1
    ├── Refused                  the gate does not answer; exit code 1
    │   ├── NotAdmitted          decided before any data was touched: the reason is disclosed
    │   │   └── TooMany          too much at once; it states when to try again
    │   └── NotAnswered          depends on data: one code and one sentence for everybody
    └── Bug                      our mistake, never the caller's; please report it

A message has three parts: what was asked, what was found and what to try. It never holds a cell
value: facts such as counts, field names and row numbers are kept as attributes. Messages name
options as the command line does; callers from Python get the keywords of the same name. Notes,
advice and checks do the same by `as_caller_writes`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

_OPTION: Final = re.compile(r"sfumato [^,;`]*|(?<![\w-])--([a-z][a-z-]*)")
_KEYWORDS: Final = {"format": "file_format", "no-header": "header=False"}
"""Keywords of Python that are not called as the option of the command line is."""
_shells = 0


@contextmanager
def options_of_shell() -> Iterator[None]:
    """Messages name options as the command line does, for as long as a command runs."""
    global _shells
    _shells += 1
    try:
        yield
    finally:
        _shells -= 1


def with_keywords(text: str) -> str:
    """A message for a caller from Python: `to` in place of --to. Commands stay as they are.

    Example:
        >>> with_keywords("Try another folder with --to, or sfumato clean --dry-run.")
        'Try another folder with `to`, or sfumato clean --dry-run.'
    """
    return _OPTION.sub(lambda found: _keyword(found[1]) if found[1] else found[0], text)


def as_caller_writes(text: str) -> str:
    """A note, advice or check that names options: as it is in a shell, with keywords in Python.

    Example:
        >>> as_caller_writes("Assess again without --quick.")
        'Assess again without `quick`.'
    """
    return text if _shells else with_keywords(text)


def _keyword(option: str) -> str:
    return f"`{_KEYWORDS.get(option, option.replace('-', '_'))}`"


def _sentence(text: str) -> str:
    """With a capital where it starts with an article: the name of a source such as "the frame"."""
    return text[:1].upper() + text[1:] if text.startswith(("the ", "a ", "an ")) else text


class SfumatoError(Exception):
    """A message from Sfumato to the person who called it."""

    exit_code = 2

    def __init__(self, asked: str, *, found: str = "", attempt: str = "") -> None:
        self.asked = _sentence(asked)
        self.found = found
        self.attempt = attempt
        lines = [self.asked]
        if found:
            lines.append(f"  {found}")
        if attempt:
            lines.append(f"  Try {attempt}")
        super().__init__("\n".join(lines))

    def __str__(self) -> str:
        return as_caller_writes(super().__str__())


class Mistake(SfumatoError):
    """The caller can put this right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a policy: where, what was found there, what to try."""

    where: str
    found: str
    attempt: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.found}" + (f" Try {self.attempt}" if self.attempt else "")


class PolicyError(Mistake):
    """All problems of a policy, together."""

    def __init__(self, problems: Iterable[Problem], *, name: str = "The policy") -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        noun = "problem" if count == 1 else "problems"
        body = "\n".join(f"{n}. {problem}" for n, problem in enumerate(self.problems, start=1))
        # A policy without a file of its own is called "policy".
        super().__init__(
            f"{name.replace('Policy policy', 'The policy', 1)} has {count} {noun}:\n{body}"
        )


class ReviewError(Mistake):
    """All problems of a review of texts, together: their places, and none of the words
    there."""

    def __init__(self, problems: Iterable[Problem], *, name: str = "review") -> None:
        self.problems = tuple(problems)
        noun = "problem" if len(self.problems) == 1 else "problems"
        body = "\n".join(f"{n}. {problem}" for n, problem in enumerate(self.problems, start=1))
        super().__init__(f"{name} has {len(self.problems)} {noun}:\n{body}")


class HierarchyError(Mistake):
    """A hierarchy cannot be built, or does not cover the values it is asked to recode."""


class SourceError(Mistake):
    """The source cannot be read as a table with named fields."""


class SourceChanged(SourceError):
    """The source changed while it was read, so that its rows are not of one state."""

    def __init__(self, *, found: str = "") -> None:
        super().__init__(
            "The source changed while it was read.",
            found=found,
            attempt="a copy that stays still; nothing was released.",
        )


class TargetError(Mistake):
    """The release cannot be written where it was asked for."""


class SecretError(Mistake):
    """A key or a lookup file is missing, too weak, or readable by others."""


class MissingExtra(Mistake):
    """An optional part of Sfumato is needed and not installed."""

    def __init__(self, what: str, *, extra: str, folder: str = "") -> None:
        """`folder` is where a clone has the package that is missing."""
        self.extra = extra
        clone = f", or in a clone: pip install ./{folder}" if folder else ""
        super().__init__(
            f"{what} needs the extra '{extra}', which is not installed.",
            attempt=f"pip install 'sfumato[{extra}]'{clone}.",
        )


class NoRecodingFound(SfumatoError):
    """No recoding that the solver may use meets the requirements."""

    exit_code = 1


class CandidateFailed(SfumatoError):
    """The written candidate, counted again, breaks a requirement. It was removed; nothing was
    released."""

    exit_code = 1


class ReleaseBroken(SfumatoError):
    """A release on disk differs from its manifest."""

    exit_code = 1


class Refused(SfumatoError):
    """The gate does not answer. `code` is for programs."""

    exit_code = 1
    code = "refused"


class NotAdmitted(Refused):
    """Decided by the query and the policy alone, so that the reason discloses nothing about anybody.

    `place` is the line and column of the query, where it is about a place in it.
    """

    def __init__(
        self,
        asked: str,
        *,
        code: str = "not-admitted",
        found: str = "",
        attempt: str = "",
        place: tuple[int, int] | None = None,
    ) -> None:
        self.code = code
        self.place = place
        super().__init__(asked, found=found, attempt=attempt)


class TooMany(NotAdmitted):
    """Somebody asks too often. `seconds` is how long they should wait."""

    def __init__(self, asked: str, *, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(asked, code="too-many", attempt=f"again in {seconds:,.0f} seconds.")


class NotAnswered(Refused):
    """Decided by the data: the recipient gets only a number, under which the steward finds the
    reason.

    `found` and `attempt` may hold an offer. It follows from the policy, the question and earlier
    answers, not from rows."""

    code = "not-answered"

    def __init__(self, query: str, *, profile: str, found: str = "", attempt: str = "") -> None:
        self.query = query
        super().__init__(
            f"This query was not answered under profile '{profile}'. Quote {query} to the "
            "data steward to learn why.",
            found=found,
            attempt=attempt,
        )


class Bug(SfumatoError):
    """Sfumato contradicted itself. Nothing was released."""

    exit_code = 70

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Sfumato contradicted itself: {what}", attempt="reporting this; nothing was released."
        )
