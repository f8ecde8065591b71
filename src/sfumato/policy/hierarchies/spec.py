"""What every way of making a hierarchy promises, and the simplest of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sfumato.errors import HierarchyError

from .hierarchy import SUPPRESSED, Hierarchy, Label


@runtime_checkable
class HierarchySpec(Protocol):
    """A description of a hierarchy that does not know the data yet; `bind` meets the values."""

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        """The hierarchy over `values` (distinct, null allowed), in their order; HierarchyError on a hole."""
        ...

    def describe(self) -> Mapping[str, object] | str:
        """The form in which a policy file writes it: a file name, or a table with one builder's name as key."""
        ...


def bind_rows(
    values: Sequence[Label], ladders: Mapping[Label, Sequence[Label]], *, level_names: Sequence[str] = ()
) -> Hierarchy:
    """Order a value → labels mapping by `values`, then what only the mapping knows; null climbs to the top.

    A null that the mapping does not name stays null up to the last level and is suppressed there: null is a
    value that everyone can see.
    """
    height = len(next(iter(ladders.values()))) if ladders else 1
    top: Label = next(iter(ladders.values()))[-1] if ladders else SUPPRESSED
    rows: list[tuple[Label, ...]] = []
    for value in values:
        ladder = ladders.get(value)
        if ladder is None and value is None:
            ladder = (None,) * (height - 1) + (top,)
        if ladder is None:
            raise KeyError("bind_rows: value without a ladder")
        rows.append((value, *ladder))
    seen = set(values)
    rows.extend((value, *ladder) for value, ladder in ladders.items() if value not in seen)
    return Hierarchy.from_rows(rows, level_names=level_names)


@dataclass(frozen=True, slots=True)
class Suppression:
    """Keep the value or suppress it: the hierarchy of a field for which nothing better is known.

    Example:
        >>> Suppression().bind(["m", "f"]).labels
        (('m', 'f'), ('*',))
    """

    label: str = SUPPRESSED

    @classmethod
    def from_table(cls, table: Mapping[str, object]) -> Suppression:
        label = table["suppress"]
        if len(table) > 1 or not (label is True or (isinstance(label, str) and label)):
            raise HierarchyError(
                "suppress must be true, or the label that takes the place of every value, and stand alone.",
                attempt="suppress = true.",
            )
        return cls() if label is True else cls(str(label))

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        return bind_rows(values, {value: (self.label,) for value in values}, level_names=("value", "suppressed"))

    def describe(self) -> Mapping[str, object] | str:
        return {"suppress": True} if self.label == SUPPRESSED else {"suppress": self.label}
