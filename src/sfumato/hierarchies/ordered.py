"""Values in an order of their own, such as levels of education: neighbours are grouped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from sfumato.errors import HierarchyError
from sfumato.parts import parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import Hierarchy, Label
from .ladders import climb
from .parameters import Table, only_keys, texts, whole_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedParameters:
    """The parameters of a table of ordered values."""

    ordered: tuple[str, ...] = parameter(
        "all values, in their order", example='["none", "primary", "secondary"]'
    )
    widths: tuple[int, ...] = parameter(
        "neighbours in a group, one number per level", least=2, example="[2]"
    )


@dataclass(frozen=True, slots=True)
class Ordered:
    """Groups of `widths` neighbours in the order given, one width per level, counted from the
    first.

    Example:
        >>> Ordered(("none", "primary", "secondary"), widths=(2,)).bind(["none", "secondary"]).labels[1]
        ('none..primary', 'secondary')
    """

    order: tuple[str, ...]
    widths: tuple[int, ...]

    key: ClassVar[str] = "ordered"

    @classmethod
    def from_table(cls, table: Table) -> Ordered:
        only_keys(table, keys_of(OrderedParameters), builder="ordered")
        spec = cls(
            texts(table["ordered"], "ordered"),
            whole_numbers(table.get("widths"), "widths", least=2),
        )
        spec._check()
        return spec

    def _check(self) -> None:
        for finer, coarser in pairwise(self.widths):
            if coarser <= finer or coarser % finer:
                raise HierarchyError(
                    "Each width of an ordered hierarchy must be a multiple of the one before.",
                    found=f"{coarser} is not a larger multiple of {finer}.",
                    attempt=f"{finer * 2} after {finer}.",
                )

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        places = {name: place for place, name in enumerate(self.order)}

        def labels(value: str) -> list[str] | None:
            place = places.get(value)
            return (
                None
                if place is None
                else [self._group(place // width, width) for width in self.widths]
            )

        return climb(
            values,
            labels,
            level_names=("value", *(f"groups of {width}" for width in self.widths), "suppressed"),
            uncovered="are not in the order that the policy gives.",
            attempt="adding them where they belong in 'ordered'; spelling and case must be as in "
            "the data.",
        )

    def _group(self, number: int, width: int) -> str:
        members = self.order[number * width : (number + 1) * width]
        return members[0] if len(members) == 1 else f"{members[0]}..{members[-1]}"

    def describe(self) -> Mapping[str, object]:
        return {"ordered": list(self.order), "widths": list(self.widths)}


DECLARATION = HierarchyDeclaration(
    key="ordered",
    doc="values in an order, joined with their neighbours",
    record=OrderedParameters,
    read=Ordered.from_table,
    example={"ordered": ["none", "primary", "secondary"], "widths": [2]},
    shown=("widths",),
)
