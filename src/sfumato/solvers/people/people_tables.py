"""The tables that are recoded together: their bins, what is above them, and one hierarchy for each
field of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.bins import CountedPeople, PeopleBins
from sfumato.errors import HierarchyError, Mistake
from sfumato.hierarchies import Codes, Hierarchy, Label
from sfumato.protection import Model


@dataclass(frozen=True, eq=False, kw_only=True)
class TableBins:
    """The bins of one table, over its own quasi-identifiers and those of the tables above it.

    `above` names the parent table of these rows: where a parent row is dropped, so are these. Its
    fields are among this table's. A field that several tables have is one field and has one level.
    `names` gives the name that all of them know it by, where this table has another.

    `models` are the further requirements of its bins, judged on `counted`, which knows all people
    and their values. With `counted`, people who have no row left are what a limit binds."""

    name: str
    bins: PeopleBins
    hierarchies: Mapping[str, Hierarchy]
    above: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    counted: CountedPeople | None = None

    @property
    def known_as(self) -> tuple[str, ...]:
        """The fields by the names that all tables know them by."""
        return tuple(self.names.get(name, name) for name in self.bins.fields)

    @property
    def rows(self) -> int:
        return int(self.bins.rows.sum())

    @property
    def title(self) -> str:
        return f"table {self.name}" if self.name else "the table"


@dataclass(frozen=True, eq=False, kw_only=True)
class PlacedTable:
    """A table in the lattice: column c of its bins is the lattice's field `axes[c]`.

    `above` is the place of the table above it among all, which is before it. `shared` are the
    columns of that table's fields, in its order, and `own` are all others."""

    table: TableBins
    bins: PeopleBins
    counted: CountedPeople | None
    hierarchies: tuple[Hierarchy, ...]
    axes: tuple[int, ...]
    above: int | None
    shared: tuple[int, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Placement:
    """All tables, each after the one above it, and the fields that they have together with one
    hierarchy for each."""

    tables: tuple[PlacedTable, ...]
    fields: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]

    @property
    def top(self) -> tuple[int, ...]:
        return tuple(hierarchy.height for hierarchy in self.hierarchies)


def placed(tables: Sequence[TableBins], *, k: int) -> Placement:
    """The tables in the lattice of all their fields, or a Mistake that names what does not fit."""
    _check(tables, k=k)
    order = top_down(tables)
    fields = tuple(dict.fromkeys(name for table in order for name in table.known_as))
    found = {name: _one_hierarchy(name, order) for name in fields}
    hierarchies = {name: hierarchy for name, (hierarchy, _) in found.items()}
    places = {table.name: place for place, table in enumerate(order)}
    out = []
    for table in order:
        parent = order[places[table.above]] if table.above is not None else None
        shared = (
            () if parent is None else tuple(table.known_as.index(name) for name in parent.known_as)
        )
        codes = {name: into.get(table.name) for name, (_, into) in found.items()}
        out.append(
            PlacedTable(
                table=table,
                bins=_translated(table, codes, hierarchies),
                counted=_counted(table, codes, hierarchies),
                hierarchies=tuple(hierarchies[name] for name in table.known_as),
                axes=tuple(fields.index(name) for name in table.known_as),
                above=None if table.above is None else places[table.above],
                shared=shared,
                own=tuple(
                    column for column in range(len(table.bins.fields)) if column not in shared
                ),
            )
        )
    return Placement(
        tables=tuple(out), fields=fields, hierarchies=tuple(hierarchies[name] for name in fields)
    )


def _check(tables: Sequence[TableBins], *, k: int) -> None:
    """All that does not fit, at once."""
    by_name = {table.name: table for table in tables}
    found = ["Two tables have one name."] if len(by_name) < len(tables) else []
    for table in tables:
        title = table.title.capitalize()
        if len(set(table.known_as)) < len(table.known_as):
            found.append(f"{title} has two fields of one name.")
        if table.bins.k < k:
            found.append(
                f"{title} knows up to {table.bins.k} people of each bin, and k = {k} is asked for."
            )
        if table.above is not None and table.above not in by_name:
            found.append(f"{title} links to table {table.above}, which is not among these.")
        elif table.above is not None:
            missing = [name for name in by_name[table.above].known_as if name not in table.known_as]
            found += (
                [f"{title} lacks {', '.join(missing)} of table {table.above} above it."]
                if missing
                else []
            )
    if not tables:
        found.append("There is none.")
    if found:
        raise Mistake("These tables cannot be recoded together.", found=" ".join(found))


def top_down(tables: Sequence[TableBins]) -> list[TableBins]:
    """The tables, each after the parent of its rows."""
    waiting, order = list(tables), list[TableBins]()
    while waiting:
        done = {None, *(table.name for table in order)}
        ready = [table for table in waiting if table.above in done]
        if not ready:
            raise Mistake(
                "These tables cannot be recoded together.",
                found="Some tables link to each other in a circle.",
            )
        order += ready
        waiting = [table for table in waiting if table.above not in done]
    return order


def _one_hierarchy(name: str, tables: Sequence[TableBins]) -> tuple[Hierarchy, dict[str, Codes]]:
    """The hierarchy over the values of all tables that have a field, and each table's codes in it
    where they differ."""
    found = {
        table.name: table.hierarchies[table.bins.fields[table.known_as.index(name)]]
        for table in tables
        if name in table.known_as
    }
    several = list(found.values())
    if all(hierarchy is several[0] for hierarchy in several):
        return several[0], {}
    ladders: dict[Label, tuple[Label, ...]] = {}
    for hierarchy in several:
        for ladder in _ladders(hierarchy):
            if (
                ladders.setdefault(ladder[0], ladder) != ladder
                or hierarchy.height != several[0].height
            ):
                raise HierarchyError(
                    f"Field {name} is recoded alike in every table that has it.",
                    found=f"Its hierarchies in tables {', '.join(found)} give some value "
                    "different labels.",
                    attempt="one hierarchy for all of them, built over the values of all.",
                )
    place = {value: code for code, value in enumerate(ladders)}
    codes = {
        table: np.fromiter(
            (place[value] for value in hierarchy.labels[0]), np.int32, len(hierarchy.labels[0])
        )
        for table, hierarchy in found.items()
    }
    joint = Hierarchy.from_rows(list(ladders.values()), level_names=several[0].level_names)
    return replace(joint, finest=max(each.finest for each in several)), codes


def _ladders(hierarchy: Hierarchy) -> list[tuple[Label, ...]]:
    """Each value with its labels of all levels."""
    columns = [
        [names[code] for code in up.tolist()]
        for names, up in zip(hierarchy.labels, hierarchy.up, strict=True)
    ]
    return list(zip(*columns, strict=True))


def _translated(
    table: TableBins, codes: Mapping[str, Codes | None], hierarchies: Mapping[str, Hierarchy]
) -> PeopleBins:
    """The table's bins in codes of the hierarchies that all tables share; stored by column, as they
    are read."""
    out = np.zeros(table.bins.codes.shape[::-1], np.int32).T
    for column, name in enumerate(table.known_as):
        to = codes[name]
        out[:, column] = (
            table.bins.codes[:, column] if to is None else to[table.bins.codes[:, column]]
        )
    labels = tuple(hierarchies[name].labels[0] for name in table.known_as)
    return replace(table.bins, labels=labels, codes=out)


def _counted(
    table: TableBins, codes: Mapping[str, Codes | None], hierarchies: Mapping[str, Hierarchy]
) -> CountedPeople | None:
    """All people, whom models are judged on and a limit binds, in the same codes."""
    if table.counted is None:
        return None
    labels = tuple(hierarchies[name].labels[0] for name in table.known_as)
    same = [np.arange(len(names), dtype=np.int32) for names in table.counted.labels]
    lifts = [
        into if (into := codes[name]) is not None else same[f]
        for f, name in enumerate(table.known_as)
    ]
    return table.counted.aligned(labels, lifts)
