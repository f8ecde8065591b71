"""Fields that are made of others, such as a key of several fields: their texts as one, with marks
between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sfumato.errors import SourceError
from sfumato.policy import Field

BETWEEN = "+"
ESCAPES = (("~", "~0"), (BETWEEN, "~1"))
"""Marks inside a text are written otherwise, so that different texts stay different when they are
joined."""

Joined = Mapping[str, tuple[str, ...]]


def as_one(texts: Sequence[str | None]) -> str | None:
    """Several texts as one; None where one of them is.

    Example:
        >>> as_one(("7", "12")), as_one(("7+1", "2")), as_one(("7", None))
        ('7+12', '7~11+2', None)
    """
    out = []
    for text in texts:
        if text is None:
            return None
        for mark, instead in ESCAPES:
            text = text.replace(mark, instead)
        out.append(text)
    return BETWEEN.join(out)


def joined_fields(fields: Mapping[str, Field], have: Collection[str], *, title: str) -> Joined:
    """The fields of a policy that are made of others which the source has.

    Where it lacks one of these, nothing is made: the lack is reported with everything else that it
    lacks."""
    made = {name: field.made_of for name, field in fields.items() if field.made_of}
    there = [name for name in made if name in have]
    if there:
        raise SourceError(
            f"{title} has a field called {', '.join(there)}.",
            found="The policy makes one of that name of other fields.",
            attempt="another name for it in the policy.",
        )
    return {name: parts for name, parts in made.items() if set(parts) <= set(have)}
