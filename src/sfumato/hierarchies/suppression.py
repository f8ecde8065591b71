"""The simplest hierarchy: the value, or its suppression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.errors import HierarchyError
from sfumato.parts import parameter

from .declaration import HierarchyDeclaration
from .hierarchy import SUPPRESSED, Hierarchy, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressionParameters:
    """The parameters of a table of suppression."""

    suppress: str = parameter(
        "true, or the label that takes the place of every value", example="true"
    )


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
                "suppress must be true, or the label that takes the place of every value, "
                "and be the only key.",
                attempt="suppress = true.",
            )
        return cls() if label is True else cls(str(label))

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        order = tuple(values) or (None,)
        return Hierarchy.from_columns(
            [order, (self.label,) * len(order)], level_names=("value", "suppressed")
        )

    def describe(self) -> Mapping[str, object] | str:
        return {"suppress": True} if self.label == SUPPRESSED else {"suppress": self.label}


DECLARATION = HierarchyDeclaration(
    key="suppress",
    doc="the value, or nothing of it",
    record=SuppressionParameters,
    read=Suppression.from_table,
    example={"suppress": True},
    key_schema={"anyOf": [{"const": True}, {"type": "string", "minLength": 1}]},
)
