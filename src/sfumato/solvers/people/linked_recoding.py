"""Recoding bin by bin where several linked tables have quasi-identifiers: parents first.

A cell of a person's row is one cell in all bins below it. The table above is therefore recoded
first, and its released cells stay as they are. The child rows of one released bin are a table of
their own. A solver recodes its own fields so that its bins meet the requirements. A bin of the
table is a released bin above with one of these, and holds as many people.

The table above is first required to have, in each bin, none or enough people with rows below. Where
that cannot be met, rows of too few people are left out. The recoding is written, read back and
counted like any other: nothing here is taken on trust."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import CountedPeople, LabelledRecoding, LocalRecoding, group
from sfumato.errors import Bug, NoRecodingFound
from sfumato.hierarchies import Codes, Hierarchy, Label
from sfumato.protection import KAnonymity, Model
from sfumato.wording import counted

from ..rows_below import RowsBelow
from ..solver import Solution, Solver, Step
from .linked_models import models_inside
from .people_tables import TableBins, top_down

Marks = NDArray[np.bool_]
Numbers = NDArray[np.int64]
ByBin = LocalRecoding | LabelledRecoding


class SolverMaker(Protocol):
    """Builds the policy's solver for some fields of a table, of which `fixed` have cells that are
    decided already. It is one of `parts` that share the time given."""

    def __call__(
        self,
        table: TableBins,
        models: tuple[Model, ...],
        *,
        known: tuple[str, ...],
        fixed: tuple[str, ...],
        parts: int,
    ) -> Solver: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedRecoding:
    """A table with its recoding. `bins` have the released cells of the tables above, and the
    table's own values; no bin is cut."""

    table: TableBins
    bins: CountedPeople
    hierarchies: Mapping[str, Hierarchy]
    recoding: ByBin
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def staged(self) -> ByBin:
        """The recoding as it is applied. Below the person's table it drops no bin. The stage of the
        table judges its bins, drops those that fail, and counts which rows were dropped so and
        which with their parent."""
        if self.table.above is None:
            return self.recoding
        nothing = np.zeros(len(self.bins), bool)
        if isinstance(self.recoding, LabelledRecoding):
            return replace(self.recoding, suppressed=nothing)
        finest = [self.hierarchies[name].finest for name in self.bins.fields]
        levels = np.maximum(self.recoding.levels, np.array(finest, np.int16))
        return replace(self.recoding, levels=levels, suppressed=nothing)


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a table's bins, column by column: labels, and the code of each bin's. `gone` are
    the bins whose row above is left out."""

    labels: tuple[tuple[Label, ...], ...]
    codes: Codes
    gone: Marks

    @classmethod
    def of(cls, bins: CountedPeople) -> _Cells:
        return cls(bins.labels, bins.codes, np.zeros(len(bins), bool))

    def released(self, known: Sequence[str], above: LinkedRecoding) -> _Cells:
        """The cells with those of a table above as it is released; `known` are the columns'
        names."""
        columns = [known.index(name) for name in above.table.known_as]
        place = places_in(above.bins, self, columns)
        new_labels, new_codes = above.recoding.cells(above.bins, above.hierarchies)
        gone = self.gone | (place < 0) | above.recoding.suppressed[np.maximum(place, 0)]
        labels, codes = list(self.labels), self.codes.copy()
        for there, here in enumerate(columns):
            labels[here] = new_labels[there]
            codes[:, here] = np.where(gone, 0, new_codes[place, there])
        return _Cells(tuple(labels), codes, gone)


def places_in(bins: CountedPeople, cells: _Cells, columns: Sequence[int]) -> Numbers:
    """The bin that has each of these cells in some columns, in its own order; -1 where none has."""
    codes = np.zeros((len(cells.codes), len(columns)), np.int32)
    known = np.ones(len(codes), bool)
    for there, here in enumerate(columns):
        place = {label: code for code, label in enumerate(bins.labels[there])}
        into = np.array([place.get(label, -1) for label in cells.labels[here]], np.int32)
        found = into[cells.codes[:, here]]
        known &= found >= 0
        codes[:, there] = np.maximum(found, 0)
    sizes = [len(names) for names in bins.labels]
    groups, _ = group(np.concatenate([bins.codes, codes]), sizes)
    place_of = np.full(int(groups.max(initial=-1)) + 1, -1, np.int64)
    place_of[groups[: len(bins)]] = np.arange(len(bins))
    return np.where(known, place_of[groups[len(bins) :]], -1)


def recode_linked(
    tables: Sequence[TableBins], *, k: int, make: SolverMaker, fixes: bool
) -> dict[str, LinkedRecoding]:
    """The recoding of each table, after the one above it. A solver that `fixes` fields takes the
    whole table with the cells above, any other the rows of one bin above at a time."""
    order = top_down(tables)
    done: dict[str, LinkedRecoding] = {}
    for table in order:
        below = [each for each in order if table in _above(each, order)]
        one = _OneTable(table, [done[each.name] for each in _above(table, order)], k=k, make=make)
        asked = [(each, _cells_at(each, order, done)) for each in below]
        done[table.name] = one.with_fixed_cells(asked) if fixes else one.inside_bins_above(asked)
    return done


def _above(table: TableBins, tables: Sequence[TableBins]) -> list[TableBins]:
    """The parents of a table, the person's first."""
    by_name, out = {each.name: each for each in tables}, list[TableBins]()
    while table.above is not None:
        table = by_name[table.above]
        out.insert(0, table)
    return out


def _people(table: TableBins) -> CountedPeople:
    """The bins with people; rows that are nobody's are never released."""
    if table.counted is None:
        raise Bug("bins of people were recoded without knowing everybody in them")
    return table.counted.only(table.counted.counts > 0)


def _cells_at(
    table: TableBins, tables: Sequence[TableBins], done: Mapping[str, LinkedRecoding]
) -> _Cells:
    """The cells of a table with those of the tables above that are recoded already."""
    cells = _Cells.of(_people(table))
    for above in _above(table, tables):
        if above.name in done:
            cells = cells.released(table.known_as, done[above.name])
    return cells


@dataclass(eq=False)
class _OneTable:
    """One table, whose tables above are recoded."""

    table: TableBins
    above: Sequence[LinkedRecoding]
    k: int = field(kw_only=True)
    make: SolverMaker = field(kw_only=True)

    def __post_init__(self) -> None:
        source = _people(self.table)
        cells = _Cells.of(source)
        for each in self.above:
            cells = cells.released(self.table.known_as, each)
        shown = source.with_cells(cells.labels, cells.codes).only(~cells.gone)
        bins, _ = shown.recoded({}, {})
        assert isinstance(bins, CountedPeople)
        self.bins = bins
        decided = {name for each in self.above for name in each.table.known_as}
        names = dict(zip(bins.fields, self.table.known_as, strict=True))
        self.fixed = tuple(name for name, known in names.items() if known in decided)
        self.own = tuple(name for name in bins.fields if name not in self.fixed)
        flat = {name: _flat(bins.labels[bins.column(name)]) for name in self.fixed}
        self.hierarchies = {name: flat.get(name, self.table.hierarchies[name]) for name in names}
        self.models = (KAnonymity(k=self.k, fields=bins.fields), *self.table.models)

    def with_fixed_cells(self, below: Sequence[tuple[TableBins, _Cells]]) -> LinkedRecoding:
        """The whole table at once, by a solver that keeps the cells above as they are."""
        known, asked = self.bins.fields, cast("Sequence[Model]", list(self._rows_below(below)))
        models = (*self.models, *asked)
        solver = self.make(self.table, models, known=known, fixed=self.fixed, parts=1)
        found = solver.solve(self.bins, self.hierarchies)
        return self._linked(_by_bin(found), found.steps, self._told(found))

    def inside_bins_above(self, below: Sequence[tuple[TableBins, _Cells]]) -> LinkedRecoding:
        """The rows of each bin above by themselves; all rows at once where no table is above."""
        asked = list(self._rows_below(below))
        columns = [self.bins.column(name) for name in self.fixed]
        sizes = [len(self.bins.labels[column]) for column in columns]
        part_of, first = group(self.bins.codes[:, columns], sizes)
        found: list[tuple[Marks, ByBin | None]] = []
        told: list[Solution] = []
        refused: NoRecodingFound | None = None
        for part in range(len(first)):
            at = part_of == part
            try:
                solution = self._inside(at, first[part], asked, parts=len(first))
            except NoRecodingFound as error:
                refused = refused or error
                found.append((at, None))
                continue
            told.append(solution)
            found.append((at, _by_bin(solution)))
        if not told and refused is not None:
            raise refused
        notes = self._told(told[0]) if told and not self.above else self._told_of(len(found), told)
        steps = told[0].steps if told and not self.above else ()
        return self._linked(self._joined(found), steps, notes)

    def _rows_below(self, below: Sequence[tuple[TableBins, _Cells]]) -> Iterator[RowsBelow]:
        """That none or enough people of a bin have rows in each table below, where enough have any;
        the bins get who has."""
        for table, cells in below:
            there = _people(table)
            columns = [table.known_as.index(name) for name in self.table.known_as]
            place = np.where(cells.gone, -1, places_in(self.bins, cells, columns))
            least = [int(getattr(model, "least_bin", 1)) for model in table.models]
            k, held = max(self.k, *least, 1), f"rows of {table.name}"
            known = place[there.bin_of] >= 0
            whose, bin_of = there.person_of[known], place[there.bin_of[known]]
            if len(np.unique(whose)) >= k:
                self.bins = self.bins.with_holders(held, bin_of, whose)
                yield RowsBelow(held=held, k=k)

    def _inside(self, at: Marks, first: int, asked: Sequence[RowsBelow], *, parts: int) -> Solution:
        """The solver's result for the rows of one bin above; without the requirement about rows
        below where that cannot be met."""
        cells = {
            name: self.bins.labels[column][self.bins.codes[first, column]]
            for name in self.fixed
            for column in (self.bins.column(name),)
        }
        columns = [self.bins.column(name) for name in self.own]
        there = self.bins.only(at)
        bins = replace(
            there,
            fields=self.own,
            labels=tuple(there.labels[column] for column in columns),
            codes=there.codes[:, columns],
        )
        hierarchies = {name: self.hierarchies[name] for name in self.own}
        models = models_inside(self.models, self.own, cells) if self.fixed else self.models

        def solved(models: tuple[Model, ...]) -> Solution:
            solver = self.make(self.table, models, known=self.own, fixed=(), parts=parts)
            return solver.solve(bins, hierarchies)

        if not asked:
            return solved(models)
        try:
            return solved((*models, *cast("Sequence[Model]", asked)))
        except NoRecodingFound:
            return solved(models)

    def _joined(self, found: Sequence[tuple[Marks, ByBin | None]]) -> ByBin:
        """The recodings of all parts as one of all bins; a part without one is left out."""
        if any(isinstance(recoding, LabelledRecoding) for _, recoding in found):
            return self._joined_labels(found)
        levels = np.zeros((len(self.bins), len(self.bins.fields)), np.int16)
        suppressed = np.ones(len(self.bins), bool)
        columns = [self.bins.column(name) for name in self.own]
        for at, recoding in found:
            if isinstance(recoding, LocalRecoding):
                levels[np.flatnonzero(at)[:, None], columns] = recoding.levels
                suppressed[at] = recoding.suppressed
        return LocalRecoding(
            bin_of=np.arange(len(self.bins)),
            rows=self.bins.counts,
            levels=levels,
            suppressed=suppressed,
        )

    def _joined_labels(self, found: Sequence[tuple[Marks, ByBin | None]]) -> LabelledRecoding:
        labels = [dict.fromkeys(names, 0.0) for names in self.bins.labels]
        codes, suppressed = self.bins.codes.copy(), np.ones(len(self.bins), bool)
        for at, recoding in found:
            if not isinstance(recoding, LabelledRecoding):
                continue
            suppressed[at] = recoding.suppressed
            for there, name in enumerate(self.own):
                here, losses = self.bins.column(name), recoding.losses[there]
                for label, lost in zip(recoding.labels[there], losses.tolist(), strict=True):
                    labels[here].setdefault(label, lost)
                place = {label: code for code, label in enumerate(labels[here])}
                into = np.array([place[label] for label in recoding.labels[there]], np.int32)
                codes[at, here] = into[recoding.codes[:, there]]
        return LabelledRecoding(
            bin_of=np.arange(len(self.bins)),
            rows=self.bins.counts,
            labels=tuple(tuple(names) for names in labels),
            codes=codes,
            losses=tuple(np.array([*names.values()], np.float64) for names in labels),
            suppressed=suppressed,
        )

    def _linked(
        self, recoding: ByBin, steps: tuple[Step, ...], notes: tuple[str, ...]
    ) -> LinkedRecoding:
        return LinkedRecoding(
            table=self.table,
            bins=self.bins,
            hierarchies=self.hierarchies,
            recoding=recoding,
            steps=steps,
            notes=notes,
        )

    def _told(self, found: Solution) -> tuple[str, ...]:
        return tuple(f"{self.table.title}: {note}" for note in found.notes)

    def _told_of(self, parts: int, found: Sequence[Solution]) -> tuple[str, ...]:
        """The account of a table below: how it was recoded, and nothing about one bin above."""
        lost = parts - len(found)
        said = f"{self.table.title}: recoded inside {counted(parts, 'bin')} of the tables above"
        said += f"; in {lost} of them too few people have rows" if lost else ""
        return (f"{said}.",)


def _flat(labels: tuple[Label, ...]) -> Hierarchy:
    """A hierarchy of one level: cells that stay as they are."""
    return Hierarchy.from_rows([(label,) for label in labels])


def _by_bin(found: Solution) -> ByBin:
    if not isinstance(found.recoding, LocalRecoding | LabelledRecoding):
        raise Bug("a solver that recodes bin by bin gave whole fields a level")
    return found.recoding
