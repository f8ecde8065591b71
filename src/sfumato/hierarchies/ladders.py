"""From a rule that says what one value becomes at each level to a hierarchy over the values that
occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.errors import HierarchyError

from .hierarchy import SUPPRESSED, Hierarchy, Label
from .hierarchy_spec import bind_rows

Climb = Callable[[str], Sequence[Label] | None]


def climb(
    values: Sequence[Label],
    rule: Climb,
    *,
    level_names: Sequence[str],
    uncovered: str,
    attempt: str,
    top: str = SUPPRESSED,
) -> Hierarchy:
    """Bind `rule` to `values`: it gives the labels of levels 1 up to the one below the top, or None
    for a hole.

    `level_names` names every level from the values to the top. The height is the same for every set
    of values, even for none, so that a recoding that was found on one table fits the next. Null
    stays null up to the top. `uncovered` says what is wrong with the holes, after "3 of 7 distinct
    values".

    Example:
        >>> climb(["a1", "b2", None], lambda v: (v[0],), level_names=("value", "letter", "all"),
        ...       uncovered="are not codes.", attempt="").labels
        (('a1', 'b2', None), ('a', 'b', None), ('*',))
    """
    ladders: dict[Label, tuple[Label, ...]] = {}
    holes = 0
    for value in values:
        labels = None if value is None else rule(value)
        if labels is not None:
            ladders[value] = (*labels, top)
        elif value is not None:
            holes += 1
    if holes:
        raise HierarchyError(
            "The hierarchy does not cover every value of its field.",
            found=f"{holes} of {len(values)} distinct values {uncovered}",
            attempt=attempt,
        )
    if len(ladders) < len(values) or not values:
        ladders[None] = (None,) * (len(level_names) - 2) + (top,)
    return bind_rows(values, ladders, level_names=level_names)
