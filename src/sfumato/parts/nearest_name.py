"""The name a person may have meant when they wrote one that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """A question with the nearest of `options`, or nothing where none is near.

    Example:
        >>> did_you_mean("hirarchy", ["role", "hierarchy"])
        'Did you mean "hierarchy"?'
        >>> did_you_mean("xyz", ["role", "hierarchy"])
        ''
    """
    folded: dict[str, str] = {}
    for option in options:
        folded.setdefault(option.casefold(), option)
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f'Did you mean "{folded[near[0]]}"?' if near else ""


def with_question(said: str, name: str, options: Iterable[str]) -> str:
    """A sentence, followed by the question where there is one."""
    return f"{said} {did_you_mean(name, options)}".rstrip()
