"""All tables as one set of bins, for solvers that walk through a lattice: recoded together, each
judged by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, CountedPeople, group
from sfumato.errors import Bug
from sfumato.hierarchies import Codes, Hierarchy
from sfumato.protection import Model, Verdict

from .people_tables import TableBins

Marks = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class JointTables(Bins):
    """The bins of several tables, one table after the other. `parts` are their bins, and `names[t]`
    the names that all tables know the fields of table t by. `above[t]` is the place of the parent
    table of its rows, or -1.

    A share that may be left out binds each table by itself. There are as many people as the largest
    table has.

    Example:
        >>> people = CountedPeople.of_rows(("zip",), [("02138", "ann"), ("02139", "bob")])
        >>> visits = CountedPeople.of_rows(("people.zip", "stay"), [("02138", "long", "ann"), ("02139", "long", "bob")])
        >>> names = (("people.zip",), ("people.zip", "stay"))
        >>> tables = JointTables.together((people, visits), names, (-1, 0))
        >>> len(tables), tables.fields, tables.people, tables.group_of(("stay",))[1].tolist()
        (4, ('people.zip', 'stay'), 2, [2, 2])
    """

    parts: tuple[CountedPeople, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    above: tuple[int, ...] = ()

    unit: ClassVar[str] = "people"
    adds_up: ClassVar[bool] = False

    @classmethod
    def together(
        cls, parts: Sequence[CountedPeople], names: Sequence[tuple[str, ...]], above: Sequence[int]
    ) -> JointTables:
        fields = tuple(dict.fromkeys(name for own in names for name in own))
        counts = np.concatenate([part.counts for part in parts])
        codes = np.zeros((len(counts), 0), np.int32)
        return cls(fields, (), codes, counts, {}, tuple(parts), tuple(names), tuple(above))

    @property
    def places(self) -> tuple[slice, ...]:
        """Where the bins of each table are among all."""
        ends = np.cumsum([len(part) for part in self.parts]).tolist()
        return tuple(
            slice(end - len(part), end) for part, end in zip(self.parts, ends, strict=True)
        )

    @property
    def people(self) -> int:
        return max((part.people for part in self.parts), default=0)

    def people_in(self, marked: Marks) -> int:
        return max((part.people_in(marked[at]) for part, at in self._placed()), default=0)

    def people_lost(self, out: Marks) -> int:
        return max((part.people_lost(out[at]) for part, at in self._placed()), default=0)

    def may_leave_out(self, out: Marks, share: float) -> bool:
        return all(part.may_leave_out(out[at], share) for part, at in self._placed())

    @property
    def rows_in_bins(self) -> Numbers:
        return np.concatenate([part.rows_in_bins for part in self.parts])

    def distinct(self, name: str) -> int:
        """How many values of a field occur in the table that has most."""
        found = zip(self.parts, self.names, strict=True)
        return max(
            part.distinct(part.fields[own.index(name)]) for part, own in found if name in own
        )

    def distinct_at(self, name: str, levels: Sequence[Codes]) -> list[int]:
        """In the table that has most, level by level."""
        found = zip(self.parts, self.names, strict=True)
        each = [
            part.distinct_at(part.fields[own.index(name)], levels)
            for part, own in found
            if name in own
        ]
        return [max(counts) for counts in zip(*each, strict=True)]

    def only(self, keep: Marks) -> JointTables:
        return JointTables.together(
            [part.only(keep[at]) for part, at in self._placed()], self.names, self.above
        )

    def recoded(
        self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
    ) -> tuple[JointTables, Numbers]:
        parts, groups, before = [], [np.zeros(0, np.int64)], 0
        for part, own in zip(self.parts, self.names, strict=True):
            named = dict(zip(part.fields, own, strict=True))
            here = {name: hierarchies[known] for name, known in named.items()}
            coarse, into = part.recoded(
                here, {name: levels.get(known, 0) for name, known in named.items()}
            )
            assert isinstance(coarse, CountedPeople)
            parts.append(coarse)
            groups.append(into + before)
            before += len(coarse)
        return JointTables.together(parts, self.names, self.above), np.concatenate(groups)

    def group_of(self, fields: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Each table by those of the fields that it has; groups of two tables are never one."""
        groups, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for part, own in zip(self.parts, self.names, strict=True):
            mine = tuple(
                name for name, known in zip(part.fields, own, strict=True) if known in fields
            )
            into, found = part.group_of(mine)
            groups.append(into + sum(map(len, sizes)))
            sizes.append(found)
        return np.concatenate(groups), np.concatenate(sizes)

    def sizes_of(self, groups: Numbers) -> Numbers:
        raise Bug("groups of bins of several tables were asked for their people")

    def _placed(self) -> zip[tuple[CountedPeople, slice]]:
        return zip(self.parts, self.places, strict=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class OfTable:
    """A model that judges the bins of one of several tables; the bins of the others keep it."""

    model: Model
    table: int

    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def k(self) -> int | None:
        return getattr(self.model, "k", None)

    def failing(self, bins: Bins) -> Marks:
        assert isinstance(bins, JointTables)
        out = np.zeros(len(bins), bool)
        out[bins.places[self.table]] = self.model.failing(bins.parts[self.table])
        return out

    def judge(self, bins: Bins) -> Verdict:
        assert isinstance(bins, JointTables)
        return self.model.judge(bins.parts[self.table])


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsAbove:
    """Child rows are dropped with their parent: a bin is dropped whose bin in the table above is
    gone."""

    table: int

    name: ClassVar[str] = "rows above"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = False

    def failing(self, bins: Bins) -> Marks:
        assert isinstance(bins, JointTables)
        out = np.zeros(len(bins), bool)
        part, parent = bins.parts[self.table], bins.parts[bins.above[self.table]]
        own, theirs = bins.names[self.table], bins.names[bins.above[self.table]]
        codes = part.codes[:, [own.index(name) for name in theirs]]
        groups, _ = group(
            np.concatenate([parent.codes, codes]), [len(names) for names in parent.labels]
        )
        there = np.zeros(int(groups.max(initial=-1)) + 1, bool)
        there[groups[: len(parent)]] = True
        out[bins.places[self.table]] = ~there[groups[len(parent) :]]
        return out

    def judge(self, bins: Bins) -> Verdict:
        raise Bug("nothing is promised about rows above, so nothing is judged")


def joint_tables(tables: Sequence[TableBins]) -> tuple[JointTables, dict[str, Hierarchy]]:
    """The tables together, and the hierarchy of each field by the name that all of them know it
    by."""
    places = {table.name: place for place, table in enumerate(tables)}
    parts = []
    for table in tables:
        assert table.counted is not None
        parts.append(
            table.counted.only(table.counted.counts > 0)
        )  # Rows that are nobody's are never released.
    above = [places[table.above] if table.above is not None else -1 for table in tables]
    hierarchies = {
        known: table.hierarchies[name]
        for table in tables
        for name, known in zip(table.bins.fields, table.known_as, strict=True)
    }
    return JointTables.together(parts, [table.known_as for table in tables], above), hierarchies


def joint_models(
    tables: Sequence[TableBins], models: Sequence[Sequence[Model]]
) -> tuple[Model, ...]:
    """The models of each table, and that child rows are dropped with their parents."""
    judged = [
        OfTable(model=model, table=place) for place, own in enumerate(models) for model in own
    ]
    follow = [
        RowsAbove(table=place) for place, table in enumerate(tables) if table.above is not None
    ]
    return cast("tuple[Model, ...]", (*judged, *follow))


__all__ = ["JointTables", "OfTable", "RowsAbove", "joint_models", "joint_tables"]
