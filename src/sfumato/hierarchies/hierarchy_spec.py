"""The protocol of every way to make a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from .hierarchy import SUPPRESSED, Hierarchy, Label


@runtime_checkable
class HierarchySpec(Protocol):
    """A description of a hierarchy without data; `bind` applies it to values."""

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        """The hierarchy over `values` (distinct, null allowed), in their order; HierarchyError on a
        hole."""
        ...

    def describe(self) -> Mapping[str, object] | str:
        """The form in which a policy file writes it: a file name, or a table with one builder's
        name as key."""
        ...


def nests(spec: HierarchySpec | None) -> bool:
    """Whether values that share a label share every coarser one, as all but a few builders
    require."""
    return bool(getattr(spec, "nested", True))


def bind_rows(
    values: Sequence[Label],
    ladders: Mapping[Label, Sequence[Label]],
    *,
    level_names: Sequence[str] = (),
) -> Hierarchy:
    """Order a value → labels mapping by `values`, then the values that only the mapping has; null
    climbs to the top.

    A null that the mapping does not name stays null up to the last level and is suppressed there.
    Null is a value that everyone can see."""
    height = len(next(iter(ladders.values()))) if ladders else 1
    top: Label = next(iter(ladders.values()))[-1] if ladders else SUPPRESSED
    null = (None,) * (height - 1) + (top,)
    known = ladders if None in ladders else {**ladders, None: null}
    if any(value not in known for value in values):
        raise KeyError("bind_rows: value without a ladder")
    seen = set(values)
    order = [*values, *(value for value in ladders if value not in seen)]
    if not order:
        return Hierarchy.from_rows([], level_names=level_names)
    columns = zip(*(known[value] for value in order), strict=True)
    return Hierarchy.from_columns([order, *columns], level_names=level_names)
