"""The cells of classical tables, counted in the engine: classes and areas as in the policy, values
that occur where it has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import (
    CountedSet,
    CountedUnits,
    Engine,
    FieldKind,
    Lookup,
    WritePlan,
    declared_text,
)
from sfumato.errors import Mistake, SourceError
from sfumato.policy import OTHER, TOTAL, TablesOfCounts
from sfumato.protection import Outcome
from sfumato.tabulation import AreaTree, LinkedCells, area_tree, cell_keys, read_areas
from sfumato.wording import counted

from .private_counts import as_typed, class_of, is_mostly_beyond

MOST_CELLS = 100_000
MOST_DECIMALS = 6
BINARY = 1e-12
"""The relative distance that a number of 64 bits may have from its decimal number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedSource:
    """Cells of all tables, and how many rows of the source are in none."""

    cells: LinkedCells
    rows: int
    rows_left_out: int

    @property
    def outcome(self) -> Outcome:
        """Review where the declared values leave out so many rows that they do not fit the
        source."""
        return "review" if is_mostly_beyond(self.rows_left_out, self.rows) else "pass"


@dataclass(frozen=True, eq=False, kw_only=True)
class TableDesign:
    """The cells of the policy's tables: areas, classes of each field, and the key of each cell."""

    policy: TablesOfCounts
    tree: AreaTree
    labels: Mapping[str, tuple[str, ...]]
    keys: tuple[tuple[int, ...], ...]

    def gathered(
        self, sets: Iterable[CountedSet], *, largest: int = 0, upwards: bool = True
    ) -> LinkedCells:
        """All cells from some sets. With `upwards`, totals are the sums of the parts that are
        there."""
        facts = _Cells(tree=self.tree, labels=self.labels, policy=self.policy, largest=largest)
        for each in sets:
            facts.add(each, upwards=upwards)
        return facts.gathered(self.keys)

    def staged(self, engine: Engine) -> Engine:
        """The rows that are counted, with classes in the place of values and an area for each
        level. Rows without a person, or without a value to sum, are in no cell."""
        policy = self.policy
        lookups = [
            _lookup(engine, policy, name) if name in policy.domains else _missing(engine, name)
            for name in policy.fields
        ]
        if policy.levels:
            lookups.append(_area_lookup(engine, policy, self.tree))
        kept = tuple(filter(None, [policy.entity, policy.measure]))
        fields = (*policy.levels, *policy.fields, *kept)
        stage = engine.staged(WritePlan(fields=fields, lookups=tuple(lookups)))
        for name in kept:
            stage = stage.staged(WritePlan(fields=fields, drop=_nothing(name)))
        return stage


def table_design(engine: Engine, policy: TablesOfCounts) -> TableDesign:
    """The cells of the policy's tables."""
    tree = classical_areas(engine, policy)
    labels = {name: _labels(engine, policy, name) for name in policy.fields}
    places = {name: n for n, name in enumerate(policy.fields)}
    tables = [[places[name] for name in fields] for fields in policy.tables] or [[]]
    cells = sum(len(names) for names in tree.names) * sum(
        prod(len(labels[name]) + 1 for name in fields) for fields in policy.tables or ((),)
    )
    if cells > MOST_CELLS:
        raise Mistake(
            f"Tables of {cells:,} cells were asked for.",
            found=f"At most {MOST_CELLS:,} are protected together.",
            attempt="fewer fields, wider classes, larger areas, or a release for each table.",
        )
    keys = cell_keys(tree, [len(labels[name]) for name in policy.fields], tables)
    return TableDesign(policy=policy, tree=tree, labels=labels, keys=keys)


def count_cells(engine: Engine, policy: TablesOfCounts, *, largest: int) -> CountedSource:
    """Count every cell of the policy's tables by one query. `largest` contributions of each cell are
    kept; where each row is a person of its own and nothing is summed, none are needed."""
    if policy.measure:
        _check_measure(engine, policy)
    design = table_design(engine, policy)
    units = CountedUnits(
        person=policy.entity,
        rows_per_person=0 if policy.measure else policy.rows_per_person,
        measure=policy.measure,
        decimals=policy.decimals,
        largest=largest,
    )
    sets = _all_sets(policy) if largest else _finest(policy)
    with design.staged(engine) as stage:
        if policy.entity and not policy.measure:
            check_all_counted(stage, policy)
        found = stage.counted_sets(sets, units)
        rows = stage.count_rows()
    if policy.measure and min((each.lowest for each in found), default=0) < 0:
        raise SourceError(
            f"{policy.measure} was to be summed.",
            found="It has negative values, for which the rules on sums say nothing.",
            attempt="a field without them, or counts.",
        )
    cells = design.gathered(found, largest=largest, upwards=not largest)
    every = engine.count_rows()
    return CountedSource(cells=cells, rows=every, rows_left_out=every - rows)


def _check_measure(engine: Engine, policy: TablesOfCounts) -> None:
    """Every value that is not missing is a number, and is summed as it is."""
    name = policy.measure
    found = engine.profile(name)
    strange = found.rows - found.nulls - found.numbers
    if strange:
        raise SourceError(
            f"{name} was to be summed.",
            found=f"{strange:,} of its cells are no numbers.",
            attempt="a field of numbers, or null_words for what stands for missing.",
        )
    finer = _decimals(engine, name)
    if finer > policy.decimals:
        raise SourceError(
            f"{name} was to be summed with decimals = {policy.decimals}.",
            found="It has values with more decimals, whose sums would be wrong.",
            attempt=f"decimals = {finer}."
            if finer <= MOST_DECIMALS
            else f"the field rounded to {MOST_DECIMALS} decimals or fewer in the source.",
        )


def check_all_counted(stage: Engine, policy: TablesOfCounts) -> None:
    """Refuse people with more rows than are counted: the table would not be true of the source."""
    held = stage.rows_per_person(policy.entity)
    most = max((int(rows or 0) for rows in held.values[-1]), default=0)
    if most > policy.rows_per_person:
        several = "rows_per_person up to 1,000, or " if not policy.declaration.one_row else ""
        raise SourceError(
            f"{counted(policy.rows_per_person, 'row')} of each person "
            f"{'was' if policy.rows_per_person == 1 else 'were'} to be counted.",
            found="Some people have more, and tables without their other rows would be wrong.",
            attempt=f"{several}a source with one row for each person.",
        )


def _decimals(engine: Engine, name: str) -> int:
    """How many decimals the values of a field need; binary fractions are taken for the decimal
    ones that they are closest to."""
    finer = 0
    for batch in engine.distinct((name,)):
        cells = [float(cell) for cell in batch[name].tolist() if cell is not None]
        numbers = np.array(cells, float)
        room = BINARY * np.maximum(1.0, np.abs(numbers))
        while finer <= MOST_DECIMALS and (np.abs(numbers - numbers.round(finer)) > room).any():
            finer += 1
    return finer


def _nothing(name: str) -> Lookup:
    """Rows that have no value in a field."""
    return Lookup(keys=(name,), fields=(), batches=lambda: iter([{f"key:{name}": _column([None])}]))


def classical_areas(engine: Engine, policy: TablesOfCounts) -> AreaTree:
    """The tree of the policy's file, or that of the source's own fields."""
    if not policy.levels:
        return area_tree((), ())
    if policy.areas:
        return read_areas(policy.folder / policy.areas, policy.levels)
    kinds = _kinds(engine)
    rows = (
        [declared_text(cell, kinds[name]) for name, cell in zip(policy.levels, row, strict=True)]
        for batch in engine.distinct(policy.levels)
        for row in zip(*batch.values(), strict=True)
        if None not in row
    )
    return area_tree(policy.levels, rows)


def _labels(engine: Engine, policy: TablesOfCounts, name: str) -> tuple[str, ...]:
    """The classes of a field: those of its domain, or the values that occur."""
    if name in policy.domains:
        return policy.domains[name].labels
    kind = _kinds(engine)[name]
    values = [
        declared_text(label, kind)
        for batch in engine.distinct((name,))
        for (label,) in zip(*batch.values(), strict=True)
    ]
    if TOTAL in values:
        raise SourceError(
            f"Tables by {name} were asked for.",
            found=f"It has the value {TOTAL}, which stands for sums.",
            attempt="another word for it.",
        )
    if len(values) > MOST_CELLS:
        raise Mistake(
            f"Tables by {name} were asked for.",
            found=f"It has {len(values):,} values.",
            attempt=f"classes: domains.{name} = {{ cuts = [...] }} for numbers, or a list of values with "
            '"*" for all others.',
        )
    return tuple(OTHER if label is None else str(label) for label in dict.fromkeys(values))


def _lookup(engine: Engine, policy: TablesOfCounts, name: str) -> Lookup:
    domain, kind = policy.domains[name], _kinds(engine)[name]
    typed = as_typed(domain, kind)

    def batches() -> Iterator[Mapping[str, NDArray[np.object_]]]:
        for batch in engine.distinct((name,)):
            (values,) = batch.values()
            pairs = [(v, class_of(declared_text(v, kind), typed)) for v in values.tolist()]
            known = [(value, domain.labels[place]) for value, place in pairs if place >= 0]
            yield {
                f"key:{name}": _column([v for v, _ in known]),
                f"new:{name}": _column([c for _, c in known]),
            }

    return Lookup(keys=(name,), fields=(name,), batches=batches)


def _missing(engine: Engine, name: str) -> Lookup:
    """Missing values have a class of their own."""
    kind = _kinds(engine)[name]

    def batches() -> Iterator[Mapping[str, NDArray[np.object_]]]:
        for batch in engine.distinct((name,)):
            (values,) = batch.values()
            texts = [declared_text(value, kind) or OTHER for value in values.tolist()]
            yield {f"key:{name}": _column(values.tolist()), f"new:{name}": _column(texts)}

    return Lookup(keys=(name,), fields=(name,), batches=batches)


def _area_lookup(engine: Engine, policy: TablesOfCounts, tree: AreaTree) -> Lookup:
    """The areas of each level from the smallest one; rows whose area is in no tree are left out."""
    leaf = policy.levels[-1]
    kind = _kinds(engine)[leaf]

    def batches() -> Iterator[Mapping[str, NDArray[np.object_]]]:
        paths = {path[-1]: path for path in tree.paths()}
        for batch in engine.distinct((leaf,)):
            texts = {cell: declared_text(cell, kind) or "" for cell in batch[leaf].tolist()}
            known = {cell: paths[text] for cell, text in texts.items() if text in paths}
            yield {
                f"key:{leaf}": _column(list(known)),
                **{
                    f"new:{name}": _column([path[n] for path in known.values()])
                    for n, name in enumerate(policy.levels)
                },
            }

    return Lookup(keys=(leaf,), fields=policy.levels, batches=batches)


def _kinds(engine: Engine) -> dict[str, FieldKind]:
    return {info.name: info.kind for info in engine.fields()}


def _column(values: Sequence[str | None]) -> NDArray[np.object_]:
    out = np.empty(len(values), object)
    out[:] = values
    return out


def _finest(policy: TablesOfCounts) -> list[tuple[str, ...]]:
    """One set for each table, of which all others are sums."""
    return list(dict.fromkeys((*policy.levels, *fields) for fields in policy.tables or ((),)))


def _all_sets(policy: TablesOfCounts) -> list[tuple[str, ...]]:
    """Every level and every selection of fields of each table."""
    sets: dict[tuple[str, ...], None] = {}
    for fields in policy.tables or ((),):
        for size in range(len(fields) + 1):
            for chosen in combinations(fields, size):
                for level in range(len(policy.levels) + 1):
                    sets[(*policy.levels[:level], *chosen)] = None
    return list(sets)


class _Cells:
    """Facts of cells by key, in the order of reading."""

    def __init__(
        self,
        *,
        tree: AreaTree,
        labels: Mapping[str, Sequence[str]],
        policy: TablesOfCounts,
        largest: int,
    ) -> None:
        self._tree, self._labels, self._policy, self._largest = tree, labels, policy, largest
        self._codes = {name: {v: n for n, v in enumerate(each)} for name, each in labels.items()}
        self._areas = [{v: n for n, v in enumerate(names)} for names in tree.names]
        self._facts: dict[tuple[int, ...], tuple[int, int, list[int], list[int]]] = {}

    def add(self, found: CountedSet, *, upwards: bool) -> None:
        policy = self._policy
        places = {name: n for n, name in enumerate(found.fields)}
        level = sum(name in places for name in policy.levels)
        values = found.sums if policy.measure else found.rows
        # Tables that share margins each bring them whole.
        own: dict[tuple[int, ...], tuple[int, int, list[int], list[int]]] = {}
        for n, codes in enumerate(found.codes.tolist()):
            area = 0
            if level:
                name = found.values[level - 1][codes[level - 1]]
                area = self._areas[level][str(name)]
            key = (level, area, *(self._code(found, codes, places, name) for name in policy.fields))
            facts = (int(values[n]), int(found.people[n]))
            if not upwards:
                own[key] = (*facts, found.largest[n].tolist(), found.who[n].tolist())
                continue
            for above in self._sums_of(key):
                value, people, *_ = own.get(above, (0, 0))
                own[above] = (value + facts[0], people + facts[1], [], [])
        self._facts.update(own)

    def _code(
        self, found: CountedSet, codes: list[int], places: Mapping[str, int], name: str
    ) -> int:
        if name not in places:
            return -1
        return self._codes[name][str(found.values[places[name]][codes[places[name]]])]

    def _sums_of(self, key: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """A cell and all totals that it is a part of."""
        level, area, *codes = key
        own = [n for n, code in enumerate(codes) if code >= 0]
        chosen = [
            tuple(-1 if n in summed else code for n, code in enumerate(codes))
            for size in range(len(own) + 1)
            for summed in combinations(own, size)
        ]
        while True:
            yield from ((level, area, *each) for each in chosen)
            if not level:
                return
            level, area = level - 1, int(self._tree.parents[level][area])

    def gathered(self, keys: Sequence[tuple[int, ...]]) -> LinkedCells:
        none = (0, 0, [0] * self._largest, [-1] * self._largest)
        facts = [self._facts.get(key, none) for key in keys]
        shape = (len(keys), self._largest)
        return LinkedCells(
            tree=self._tree,
            fields=self._policy.fields,
            labels=tuple(tuple(self._labels[name]) for name in self._policy.fields),
            keys=tuple(keys),
            values=np.array([each[0] for each in facts], np.int64),
            people=np.array([each[1] for each in facts], np.int64),
            largest=np.array([each[2] for each in facts], np.int64).reshape(shape),
            who=np.array([each[3] for each in facts], np.int64).reshape(shape),
        )
