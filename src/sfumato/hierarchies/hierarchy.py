"""A hierarchy: for one field, what each value becomes at each level. Level 0 is the value
itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import HierarchyError
from sfumato.wording import counted

Label = str | None
Codes = NDArray[np.int32]

SUPPRESSED = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Integer lookup tables: `up[level][code]` is the code at `level` of the value with `code` at
    level 0.

    `labels[level][code]` is what a person reads. Values that occur in the data come first at level
    0, so that the codes of a counted frequency set can be used as they are; values that only the
    hierarchy knows follow. No cell may be released below the level `finest`.

    Example:
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02141", "0214*", "*")])
        >>> zips.height, zips.labels[1]
        (2, ('0213*', '0214*'))
        >>> zips.up[2].tolist()
        [0, 0]
    """

    labels: tuple[tuple[Label, ...], ...]
    up: tuple[Codes, ...]
    level_names: tuple[str, ...] = field(default=())
    finest: int = field(default=0, kw_only=True)

    @classmethod
    def from_rows(
        cls, rows: Sequence[Sequence[Label]], *, level_names: Sequence[str] = ()
    ) -> Hierarchy:
        """Build from one row per value: the value, its label at level 1, at level 2, and so on."""
        columns = list(zip(*rows, strict=True)) if rows else [(None,), (SUPPRESSED,)]
        return cls.from_columns(columns, level_names=level_names)

    @classmethod
    def from_columns(
        cls, columns: Sequence[Sequence[Label]], *, level_names: Sequence[str] = ()
    ) -> Hierarchy:
        """Build from one column per level: the values, the label of each at level 1, and so on."""
        labels: list[tuple[Label, ...]] = []
        up: list[Codes] = []
        for column in columns:
            names = tuple(dict.fromkeys(column))
            labels.append(names)
            if len(names) == len(column):
                up.append(np.arange(len(column), dtype=np.int32))
                continue
            index = {name: code for code, name in enumerate(names)}
            up.append(np.fromiter(map(index.__getitem__, column), np.int32, len(column)))
        if len(labels[0]) != len(columns[0]):
            raise HierarchyError(
                "A hierarchy needs one row per value.", found="Some value has several rows."
            )
        hierarchy = cls(tuple(labels), tuple(up), tuple(level_names))
        hierarchy._check_nested()
        return hierarchy

    def _check_nested(self) -> None:
        """Each label has one parent: values together at a level stay together above it."""
        for level in range(1, self.height):
            if not np.array_equal(self.parents[level][self.up[level]], self.up[level + 1]):
                pairs = np.unique(np.stack([self.up[level], self.up[level + 1]]), axis=1)
                doubled = pairs.shape[1] - len(self.labels[level])
                raise HierarchyError(
                    "Values that share a label must share every coarser label.",
                    found=f"At level {level}, {counted(doubled, 'label has', 'labels have')} two "
                    "parents at level "
                    f"{level + 1}.",
                    attempt="giving each label at that level one parent, for example by making "
                    "labels distinct.",
                )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.up) - 1

    @property
    def start(self) -> int:
        """The level of the policy's hierarchy that level 0 is: another than 0 where it was raised
        first."""
        return 0

    @property
    def values(self) -> int:
        """How many values the policy's hierarchy has."""
        return len(self.labels[0])

    @property
    def ends_in_one_value(self) -> bool:
        return len(self.labels[-1]) == 1

    @cached_property
    def leaves(self) -> tuple[NDArray[np.int64], ...]:
        """Per level and code: how many values of level 0 lie under it."""
        return tuple(
            np.bincount(codes, minlength=len(names)).astype(np.int64)
            for codes, names in zip(self.up, self.labels, strict=True)
        )

    @cached_property
    def parents(self) -> tuple[Codes, ...]:
        """Per level below the top: the code one level up of each code of that level."""
        out: list[Codes] = []
        for level in range(self.height):
            parent = np.zeros(len(self.labels[level]), np.int32)
            parent[self.up[level]] = self.up[level + 1]
            out.append(parent)
        return tuple(out)

    @cached_property
    def level_of_label(self) -> dict[Label, int]:
        """The finest level at which each label stands."""
        out: dict[Label, int] = {}
        for level in range(self.height, -1, -1):
            out |= dict.fromkeys(self.labels[level], level)
        return out

    def level_name(self, level: int) -> str:
        """What to call a level: its given name, or its number."""
        if level < len(self.level_names):
            return self.level_names[level]
        return "value" if level == 0 else f"level {level}"

    def __repr__(self) -> str:
        sizes = " > ".join(str(len(names)) for names in self.labels)
        return f"Hierarchy(labels per level: {sizes})"
