"""From a rule for one value at each level to a hierarchy over the values that occur."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.errors import HierarchyError

from .hierarchy import SUPPRESSED, Hierarchy, Label

Climb = Callable[[str], Sequence[Label] | None]


def climb(
    values: Sequence[Label],
    rule: Climb,
    *,
    level_names: Sequence[str],
    uncovered: str,
    attempt: str,
    top: str = SUPPRESSED,
    nested: bool = True,
) -> Hierarchy:
    """Bind `rule` to `values`: it gives the labels of levels 1 up to the one below the top, or None
    for a hole.

    `level_names` names every level from the values to the top. The height is the same for every set
    of values, even for none, so that a recoding of one table fits the next. Null stays null up to
    the top. `uncovered` describes the holes, after "3 of 7 distinct values".

    Example:
        >>> climb(["a1", "b2", None], lambda v: (v[0],), level_names=("value", "letter", "all"),
        ...       uncovered="are not codes.", attempt="").labels
        (('a1', 'b2', None), ('a', 'b', None), ('*',))
    """
    null = (None,) * (len(level_names) - 2)
    order = tuple(values) or (None,)
    ladders = [null if value is None else rule(value) for value in order]
    found = [ladder for ladder in ladders if ladder is not None]
    holes = len(ladders) - len(found)
    if holes:
        raise HierarchyError(
            "The hierarchy does not cover every value of its field.",
            found=f"{holes} of {len(values)} distinct values {uncovered}",
            attempt=attempt,
        )
    columns = [order, *zip(*found, strict=True), (top,) * len(order)]
    return Hierarchy.from_columns(columns, level_names=level_names, nested=nested)
