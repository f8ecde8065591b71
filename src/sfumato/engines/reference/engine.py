"""The slow, obvious engine in plain Python that the others are tested against."""

from __future__ import annotations

import contextlib
import math
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Label
from sfumato.policy import AS_FOUND, NullWords, SourceFormat

from ..asked_names import check_target, no_field
from ..counted_cells import bin_shapes, chosen_rows, set_of_rows
from ..declarations.reference import ABILITIES
from ..engine import (
    SIZE_CAP,
    Abilities,
    Column,
    CountedSet,
    CountedUnits,
    Engine,
    FieldInfo,
    FieldKind,
    FieldProfile,
    Frequencies,
    Histogram,
    Itemsets,
    KeyMap,
    Lookup,
    NumberGrid,
    Quota,
    Snapshot,
    Witnesses,
    WritePlan,
)
from ..field_names import check_names
from ..field_profiles import profile_held, sample_held
from ..file_snapshot import FileSnapshot, blame_change
from ..formula_cells import is_formula
from ..joined_fields import as_one
from ..stored_entries import with_null
from ..survey_weights import no_weights, weight_of
from .files import Row, read_rows, write_rows
from .people import frequencies, in_text_order, itemsets, people_in, rows_per_person, witnesses
from .writer import in_order, released


class ReferenceEngine:
    """Rows as dictionaries of text, everything by dictionaries and loops. Reads a CSV file or a
    list of rows.

    `fields` names the fields of a list without rows.
    """

    name: ClassVar[str] = "reference"
    abilities: ClassVar[Abilities] = ABILITIES

    def __init__(
        self, source: Any, *, fields: Sequence[str] = (), format: SourceFormat = AS_FOUND
    ) -> None:
        self.title = "the rows"
        self._files = FileSnapshot()
        if isinstance(source, str | os.PathLike):
            self.title = Path(source).name
            with contextlib.suppress(OSError):  # Reading says what is wrong with it.
                self._files.add([Path(source)])
            names, rows, facts = read_rows(Path(source), format)
            self._files.snapshot()
            self._files.note(facts)
        else:
            rows = list(source)
            names = list(fields or (rows[0] if rows else ()))
        check_names(self.title, names)
        self._fields = tuple(FieldInfo(name, FieldKind.TEXT, "str") for name in names)
        self._rows: list[Row] = [{name: _text(row[name]) for name in names} for row in rows]

    def fields(self) -> tuple[FieldInfo, ...]:
        return self._fields

    def rows(self) -> list[Row]:
        """A copy of the rows, for views that join them."""
        return [dict(row) for row in self._rows]

    def count_rows(self) -> int:
        return len(self._rows)

    def _tuples(self, fields: Sequence[str]) -> list[tuple[Label, ...]]:
        known = [info.name for info in self._fields]
        for name in fields:
            if name not in known:
                raise no_field(self.title, name, known)
        return [tuple(row[name] for name in fields) for row in self._rows]

    def frequencies(
        self,
        fields: Sequence[str],
        *,
        sensitive: Sequence[str] = (),
        weight: str | None = None,
        person: str | None = None,
    ) -> Frequencies:
        tuples = self._tuples(fields)
        counted: Mapping[tuple[Label, ...], int] = Counter(tuples)
        if weight is not None:
            counted = self._weighed(tuples, weight)
        if person is not None:
            counted = people_in(tuples, self._column(person))
        found = frequencies(fields, counted)
        places = [{value: code for code, value in enumerate(texts)} for texts in found.values]
        number = {tuple(codes): i for i, codes in enumerate(found.codes.tolist())}
        bins = [number[tuple(p[v] for p, v in zip(places, t, strict=True))] for t in tuples]
        people = None if person is None else self._column(person)
        return replace(
            found,
            histograms={name: _histogram(bins, self._column(name), people) for name in sensitive},
        )

    def _column(self, name: str) -> list[Label]:
        return [value for (value,) in self._tuples([name])]

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        return witnesses(fields, self._tuples(fields), self._column(person), k)

    def counted_sets(
        self, sets: Sequence[Sequence[str]], units: CountedUnits
    ) -> tuple[CountedSet, ...]:
        people = (
            self._column(units.person) if units.person else list(map(str, range(len(self._rows))))
        )
        values = self._column(units.measure) if units.measure else ["1"] * len(self._rows)
        numbers = {person: n for n, person in enumerate(dict.fromkeys(people))}
        scale = 10**units.decimals if units.measure else 1
        kept = [
            (place, numbers[people[place]], round(float(value) * scale))
            for place in chosen_rows(people, units)
            if (value := values[place]) is not None
        ]
        found = []
        for each in sets:
            tuples = self._tuples(each)
            rows = [(tuples[place], person, value) for place, person, value in kept]
            found.append(set_of_rows(each, rows, units.largest))
        return tuple(found)

    def counted_codes(
        self, groups: Sequence[Sequence[str]], bins: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.int64]]:
        out = []
        for group, shape in zip(groups, bin_shapes(groups, bins), strict=True):
            cells = np.zeros(shape, np.int64)
            for row in self._tuples(group):
                place = (bins[name][int(str(code))] for name, code in zip(group, row, strict=True))
                cells[tuple(place)] += 1
            out.append(cells)
        return out

    def rows_per_person(self, person: str, fields: Sequence[str] = ()) -> Frequencies:
        return rows_per_person(fields, self._tuples(fields), self._column(person))

    def itemsets(self, person: str, item: str, *, m: int, within: Sequence[str] = ()) -> Itemsets:
        return itemsets(self._column(item), self._tuples(within), self._column(person), m)

    def numbers_in(self, number: str, *, of: str) -> KeyMap:
        old, new = (np.array([*self._column(name), None], object) for name in (of, number))
        return KeyMap(batches=lambda: iter([{"key:0": old, "new:0": new}]))

    def numbers(self, name: str, *, start: int, unique: bool = False) -> KeyMap:
        values = sorted({value for value in self._column(name) if value is not None})
        random.SystemRandom().shuffle(values)
        old = np.array([*values, None], object)
        new = np.array([*(str(start + i) for i in range(1, len(values) + 1)), None], object)
        return KeyMap(batches=lambda: iter([{"key:0": old, "new:0": new}]))

    def kept(self, lookup: Lookup) -> KeyMap:
        entries = list(with_null(lookup))
        return KeyMap(batches=lambda: iter(entries))

    def lengths(self, name: str) -> tuple[int, int]:
        found = [len(value) for value in self._column(name) if value is not None]
        return min(found, default=0), max(found, default=0)

    def staged(self, plan: WritePlan) -> ReferenceEngine:
        stage = ReferenceEngine(released(self._rows, plan), fields=(*plan.fields, *plan.numbered))
        stage.title = self.title
        return stage

    def cells(self, fields: Sequence[str]) -> Iterator[Mapping[str, NDArray[Any]]]:
        tuples = self._tuples(fields)
        columns = {
            f"cell:{name}": np.array([t[i] for t in tuples], object)
            for i, name in enumerate(fields)
        }
        yield {"row": np.arange(len(tuples)), **columns}

    def spread_rows(
        self, fields: Sequence[str], *, step: int = 1
    ) -> Iterator[Mapping[str, NDArray[Any]]]:
        tuples = self._tuples(fields)[::step]
        yield {
            f"cell:{name}": np.array([each[place] for each in tuples], object)
            for place, name in enumerate(fields)
        }

    def gathered(
        self, fields: Mapping[str, FieldKind | None], batches: Iterator[Mapping[str, NDArray[Any]]]
    ) -> Engine:
        self._tuples(tuple(fields))
        nothing: Row = {info.name: None for info in self._fields}
        rows = []
        for batch in batches:
            for i, number in enumerate(batch["row"].tolist()):
                given = {name: batch[f"cell:{name}"][i] for name in fields}
                rows.append(
                    (self._rows[number] if 0 <= number < len(self._rows) else nothing) | given
                )
        stage = ReferenceEngine(rows, fields=[info.name for info in self._fields])
        stage.title = self.title
        return stage

    def thin(self, *, drop: Lookup | None = None, quota: Quota | None = None) -> int:
        before = len(self._rows)
        names = tuple(info.name for info in self._fields)
        self._rows = released(self._rows, WritePlan(fields=names, drop=drop, quota=quota))
        return before - len(self._rows)

    def snapshot(self) -> Snapshot:
        return self._files.snapshot()

    def _weighed(
        self, tuples: Sequence[tuple[Label, ...]], weight: str
    ) -> dict[tuple[Label, ...], int]:
        """The sum of the weights of each tuple, rounded down."""
        weights = [weight_of(value) for (value,) in self._tuples([weight])]
        missing = weights.count(None)
        if missing:
            raise no_weights(self.title, weight, missing)
        sums: dict[tuple[Label, ...], Decimal] = {}
        for found, number in zip(tuples, weights, strict=True):
            sums[found] = sums.get(found, Decimal(0)) + (number or 0)
        return {found: int(total) for found, total in sums.items()}

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        out = np.zeros(SIZE_CAP + 1, np.int64)
        for size in Counter(self._tuples(fields)).values():
            out[min(size, SIZE_CAP)] += 1
        return out

    @contextlib.contextmanager
    def bin_counter(
        self, fields: Sequence[str], *, limit: int | None = None
    ) -> Iterator[Callable[[Sequence[Lookup]], int]]:
        def count(lookups: Sequence[Lookup]) -> int:
            stage = self.staged(WritePlan(fields=tuple(fields), lookups=tuple(lookups)))
            return int(stage.bin_sizes(fields).sum())

        yield count

    def profile(self, name: str) -> FieldProfile:
        counted = Counter(value for (value,) in self._tuples([name]))
        nulls = counted.pop(None, 0)
        present = {value: n for value, n in counted.items() if value is not None}
        info = next(info for info in self._fields if info.name == name)
        return profile_held(info, present, nulls=nulls)

    def fields_without_repeats(self, fields: Sequence[str], *, fewest: int = 0) -> frozenset[str]:
        cells = {name: [cell for cell in self._column(name) if cell is not None] for name in fields}
        return frozenset(
            name for name, found in cells.items() if fewest <= len(found) == len({*found})
        )

    def count_words(self, name: str, words: Sequence[str]) -> Mapping[str, int]:
        trimmed = [value.strip(" ") for value in self._column(name) if value is not None]
        return Counter(value for value in trimmed if value.lower() in words)

    def fields_with_words(self, fields: Sequence[str], words: Sequence[str]) -> frozenset[str]:
        return frozenset(name for name in fields if self.count_words(name, words))

    def count_formulas(self, fields: Sequence[str]) -> Mapping[str, int]:
        return {
            name: sum(1 for cell in self._column(name) if cell is not None and is_formula(cell))
            for name in fields
        }

    def with_nulls(self, words: NullWords, *, owns: bool = False) -> ReferenceEngine:
        out = ReferenceEngine([], fields=[info.name for info in self._fields])
        out.title, out._files = self.title, self._files
        out._rows = [
            {name: None if _is_word(cell, words.of(name)) else cell for name, cell in row.items()}
            for row in self._rows
        ]
        return out

    def with_joined(
        self, joined: Mapping[str, Sequence[str]], *, owns: bool = False
    ) -> ReferenceEngine:
        out = ReferenceEngine([], fields=[*(info.name for info in self._fields), *joined])
        out.title, out._files = self.title, self._files
        out._rows = [
            row | {name: as_one([row[part] for part in parts]) for name, parts in joined.items()}
            for row in self._rows
        ]
        return out

    def with_grids(self, grids: Mapping[str, NumberGrid]) -> ReferenceEngine:
        out = ReferenceEngine([], fields=[info.name for info in self._fields])
        out.title, out._files = self.title, self._files
        out._rows = [
            row
            | {
                name: str(int(grid.places(np.array([_real(row[name])]))[0]))
                for name, grid in grids.items()
            }
            for row in self._rows
        ]
        return out

    def sample(self, name: str, size: int) -> tuple[str, ...]:
        texts = {value for (value,) in self._tuples([name]) if value is not None}
        return sample_held(texts, size)

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, Column]]:
        ordered = sorted(set(self._tuples(fields)), key=in_order)
        if ordered:
            yield {
                name: np.array([t[i] for t in ordered], dtype=object)
                for i, name in enumerate(fields)
            }

    def write(self, plan: WritePlan, target: Path) -> int:
        check_target(target, (".csv",))
        rows = released(self._rows, plan)
        write_rows(plan.fields, rows, target)
        return len(rows)

    def close(self) -> None:
        self._rows = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            blame_change(self, error)
        finally:
            self.close()


def _histogram(
    bins: Sequence[int], values: Sequence[Label], people: Sequence[Label] | None
) -> Histogram:
    texts = in_text_order(set(values))
    pairs = [(b, texts.index(value)) for b, value in zip(bins, values, strict=True)]
    counted: Mapping[tuple[int, int], int] = Counter(pairs)
    if people is not None:
        counted = Counter(
            pair
            for pair, _ in {
                (pair, p) for pair, p in zip(pairs, people, strict=True) if p is not None
            }
        )
        counted |= {pair: 0 for pair in pairs if pair not in counted}
    entries = sorted(counted.items())
    return Histogram(
        values=texts,
        bin_of=np.array([b for (b, _), _ in entries], np.int64),
        value_of=np.array([value for (_, value), _ in entries], np.int32),
        counts=np.array([n for _, n in entries], np.int64),
    )


def _text(value: object) -> Label:
    """Canonical text, as every engine writes it (docs/engines.md)."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        whole, dot, part = value.isoformat(sep=" ").partition(".")
        return f"{whole}{dot}{part}".rstrip("0") if dot else whole
    return str(value)


def _real(cell: Label) -> float:
    with contextlib.suppress(ValueError):
        return math.nan if cell is None else float(cell)
    return math.nan


def _is_word(cell: Label, words: Sequence[str]) -> bool:
    return cell is not None and cell.strip(" ") in words
