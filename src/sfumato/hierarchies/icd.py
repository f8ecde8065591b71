"""Diagnoses by the International Classification of Diseases: code, category, block, chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.errors import HierarchyError
from sfumato.parts import parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import SUPPRESSED, Hierarchy, Label
from .icd_books import book
from .ladders import climb
from .parameters import Table, is_whole, only_keys, text

_UNKNOWN = ("refuse", "suppress")


@dataclass(frozen=True, slots=True, kw_only=True)
class IcdParameters:
    """What a table of ICD codes may hold."""

    icd: str = parameter("the edition", words=("9", "10"), example='"10"')
    unknown: str = parameter(
        "codes that the edition does not list", default="refuse", words=("refuse", "suppress")
    )


@dataclass(frozen=True, slots=True)
class Icd:
    """ICD-9-CM or ICD-10-CM codes, with or without their dot, in any case, at any depth.

    A category, block or chapter in the data stands for itself at its own level. With `unknown =
    "suppress"` a code that the edition does not list climbs from its category where that is listed
    (editions add and drop codes, hardly ever categories) and is otherwise suppressed from level 1
    on; by default it is refused, since a field with many unknown codes is often one of another
    edition.

    Example:
        >>> Icd("10").bind(["J45.20", "j4521", "I10"]).labels[1:]
        (('J45', 'I10'), ('J40-J4A', 'I10-I1A'), ('J00-J99', 'I00-I99'), ('*',))
    """

    edition: str
    unknown: str = "refuse"

    key: ClassVar[str] = "icd"

    @classmethod
    def from_table(cls, table: Table) -> Icd:
        only_keys(table, keys_of(IcdParameters), builder="icd")
        edition = table["icd"]
        spec = cls(
            str(edition) if is_whole(edition) else text(edition, "icd"),
            text(table.get("unknown", "refuse"), "unknown"),
        )
        spec._check()
        return spec

    def _check(self) -> None:
        if self.edition not in ("9", "10"):
            raise HierarchyError('icd must be "9" or "10".', attempt='icd = "10".')
        if self.unknown not in _UNKNOWN:
            raise HierarchyError(
                'unknown must be "refuse" or "suppress".', attempt='unknown = "suppress".'
            )

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        edition = book(self.edition)

        def labels(value: str) -> tuple[str, ...] | None:
            code = edition.tidy(value)
            ladder = edition.ladder(code)
            if ladder is None and self.unknown == "suppress":
                return edition.ladder(edition.category(code)) or (SUPPRESSED,) * 3
            return ladder

        return climb(
            values,
            labels,
            level_names=("code", "category", "block", "chapter", "suppressed"),
            uncovered=f"are not codes of {edition.name}.",
            attempt='unknown = "suppress", which places such a code by its category, or the other '
            "edition.",
        )

    def describe(self) -> Mapping[str, object]:
        return {"icd": self.edition} | (
            {} if self.unknown == "refuse" else {"unknown": self.unknown}
        )


DECLARATION = HierarchyDeclaration(
    key="icd",
    doc="ICD-9-CM or ICD-10-CM codes: category, block, chapter",
    record=IcdParameters,
    read=Icd.from_table,
    example={"icd": "10", "unknown": "suppress"},
    key_schema={"enum": ["9", "10", 9, 10]},
    shown=("icd", "unknown"),
)
