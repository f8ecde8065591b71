"""A hierarchy: for one field, the label of each value at each level. Level 0 is the value
itself."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug, HierarchyError
from sfumato.wording import counted

Label = str | None
Codes = NDArray[np.int32]

LabelPlaces = tuple[Sequence[Label], Codes]
"""Labels, and for each value the place of its label among them."""

SUPPRESSED = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Integer lookup tables: `up[level][code]` is the code at `level` of the value with `code` at
    level 0.

    `labels[level][code]` is the label of a code. Values that occur in the data are first at level
    0, so that codes of a counted frequency set can be used as they are; values that only the
    hierarchy knows follow. No cell may be released below the level `finest`. Where levels are not
    `is_nested`, a label has no parent, and a coarser bin is no sum of finer ones: each level is
    counted from the values.

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
    is_nested: bool = field(default=True, kw_only=True)

    @classmethod
    def from_rows(
        cls, rows: Sequence[Sequence[Label]], *, level_names: Sequence[str] = ()
    ) -> Hierarchy:
        """Build from one row per value: the value, its label at level 1, at level 2, and so on."""
        columns = list(zip(*rows, strict=True)) if rows else [(None,), (SUPPRESSED,)]
        return cls.from_columns(columns, level_names=level_names)

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[Sequence[Label]],
        *,
        level_names: Sequence[str] = (),
        nested: bool = True,
    ) -> Hierarchy:
        """Build from one column per level: the values, the label of each at level 1, and so on.

        Levels that are not `nested` are for solvers that only climb.
        """
        levels = (places_of(column, len(column)) for column in columns[1:])
        return cls._of(columns[0], levels, level_names, nested=nested)

    @classmethod
    def from_levels(
        cls,
        values: Sequence[Label],
        levels: Iterable[LabelPlaces],
        *,
        level_names: Sequence[str] = (),
        nested: bool = True,
    ) -> Hierarchy:
        """Build from the values and, for each level above them and below the top, its labels with
        the places of the values among them. Of many values with few labels this takes least time.

        Example:
            >>> Hierarchy.from_levels(["7", "4", "9"], [(("low", "high"), np.array([1, 0, 1]))]).labels
            (('7', '4', '9'), ('high', 'low'), ('*',))
        """
        found = [_in_order_of_values(labels, places) for labels, places in levels]
        top = (SUPPRESSED,), np.zeros(len(values), np.int32)
        return cls._of(values, [*found, top], level_names, nested=nested)

    @classmethod
    def _of(
        cls,
        values: Sequence[Label],
        levels: Iterable[LabelPlaces],
        level_names: Sequence[str],
        *,
        nested: bool,
    ) -> Hierarchy:
        names = tuple(values)
        if not _are_different(names):
            raise HierarchyError(
                "A hierarchy needs one row per value.", found="Some value has several rows."
            )
        above = [*levels]
        hierarchy = cls(
            (names, *(tuple(labels) for labels, _ in above)),
            (np.arange(len(names), dtype=np.int32), *(codes for _, codes in above)),
            tuple(level_names),
            is_nested=nested,
        )
        if nested:
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
        """Per level and code: how many values of level 0 it covers."""
        return tuple(
            np.bincount(codes, minlength=len(names)).astype(np.int64)
            for codes, names in zip(self.up, self.labels, strict=True)
        )

    @cached_property
    def parents(self) -> tuple[Codes, ...]:
        """Per level below the top: the code one level up of each code of that level."""
        if not self.is_nested:
            raise Bug("a hierarchy whose levels do not nest was asked for parents.")
        out: list[Codes] = []
        for level in range(self.height):
            parent = np.zeros(len(self.labels[level]), np.int32)
            parent[self.up[level]] = self.up[level + 1]
            out.append(parent)
        return tuple(out)

    @cached_property
    def level_of_label(self) -> dict[Label, int]:
        """The finest level at which each label occurs."""
        out: dict[Label, int] = {}
        for level in range(self.height, -1, -1):
            out |= dict.fromkeys(self.labels[level], level)
        return out

    def levels_of(self, labels: Collection[Label]) -> dict[Label, int]:
        """The same for some labels; those of no level are omitted. Few labels are looked for among
        many without an index of all."""
        wanted = {*labels}
        out: dict[Label, int] = {}
        for level in range(self.height, -1, -1):
            out |= dict.fromkeys(wanted.intersection(self.labels[level]), level)
        return out

    def level_name(self, level: int) -> str:
        """The name of a level: the given name, or its number."""
        if level < len(self.level_names):
            return self.level_names[level]
        return "value" if level == 0 else f"level {level}"

    def __repr__(self) -> str:
        sizes = " > ".join(str(len(names)) for names in self.labels)
        return f"Hierarchy(labels per level: {sizes})"


def places_of(column: Iterable[Label], size: int) -> LabelPlaces:
    """The different labels of a column, in the order of occurrence, and the place of each of its
    `size` cells among them.

    Example:
        >>> labels, places = places_of(["b", "a", "b"], 3)
        >>> labels, places.tolist()
        (('b', 'a'), [0, 1, 0])
    """
    index: defaultdict[Label, int] = defaultdict(count().__next__)
    places = np.fromiter(map(index.__getitem__, column), np.int32, size)
    return tuple(index), places


def with_null(level: LabelPlaces, values: Sequence[Label]) -> LabelPlaces:
    """A level of the values other than null as one of all values: null stays null."""
    if None not in values:
        return level
    labels, places = level
    return [*labels, None], np.insert(places, values.index(None), len(labels))


def _are_different(values: tuple[Label, ...]) -> bool:
    """Whether no value occurs twice. Values of a source are in order, null last: a set of them is
    not made."""
    texts = [value for value in values if value is not None]
    nulls = len(values) - len(texts)
    if nulls < 2 and all(map(operator.lt, texts, islice(texts, 1, None))):
        return True
    return len({*values}) == len(values)


def _in_order_of_values(labels: Sequence[Label], places: Codes) -> LabelPlaces:
    """Labels in the order in which the values have them, none twice, and none that no value has."""
    first = np.full(len(labels), len(places), np.int64)
    first[places[::-1]] = np.arange(len(places) - 1, -1, -1)  # The last one written is the first.
    order = np.argsort(first, kind="stable")
    order = order[first[order] < len(places)]
    names, codes = places_of([labels[place] for place in order.tolist()], len(order))
    translate = np.zeros(len(labels), np.int32)
    translate[order] = codes
    return names, translate[places]
