"""The levels within which a field may be released: a finest one and a coarsest one, by number or by
name."""

from __future__ import annotations

from dataclasses import replace

from sfumato.errors import HierarchyError

from .hierarchy import Hierarchy

LevelBound = int | str | None
"""The number of a level or its name; None where there is no bound."""


def within_levels(hierarchy: Hierarchy, *, finest: LevelBound, coarsest: LevelBound) -> Hierarchy:
    """The hierarchy without the levels above `coarsest`, and with `finest` as its finest level.

    Example:
        >>> ages = Hierarchy.from_rows([("31", "30s", "*"), ("38", "30s", "*"), ("44", "40s", "*")])
        >>> bounded = within_levels(ages, finest=1, coarsest=1)
        >>> bounded.height, bounded.finest, bounded.labels[-1]
        (1, 1, ('30s', '40s'))
    """
    if finest is None and coarsest is None:
        return hierarchy
    low = 0 if finest is None else _level(hierarchy, "finest", finest)
    high = hierarchy.height if coarsest is None else _level(hierarchy, "coarsest", coarsest)
    if low > high:
        raise HierarchyError(
            f"finest is level {low} and coarsest is level {high}.",
            found="No level is both at least as coarse as the one and as fine as the other.",
            attempt=f"a finest of at most {high}, or a coarsest of at least {low}.",
        )
    return replace(
        hierarchy,
        labels=hierarchy.labels[: high + 1],
        up=hierarchy.up[: high + 1],
        level_names=hierarchy.level_names[: high + 1],
        finest=low,
    )


def _level(hierarchy: Hierarchy, key: str, asked: int | str) -> int:
    """The number of a level; where there is no such level, a HierarchyError that lists all of
    them."""
    names = [hierarchy.level_name(level) for level in range(hierarchy.height + 1)]
    if isinstance(asked, str) and names.count(asked) == 1:
        return names.index(asked)
    if isinstance(asked, int) and 0 <= asked <= hierarchy.height:
        return asked
    levels = ", ".join(f"{number} ({name})" for number, name in enumerate(names))
    said = f'"{asked}"' if isinstance(asked, str) else str(asked)
    raise HierarchyError(
        f"{key} = {said} was asked of a hierarchy with {len(names)} levels.",
        found=f"Its levels are {levels}.",
        attempt="one of these numbers or names.",
    )
