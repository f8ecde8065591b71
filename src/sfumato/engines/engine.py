"""The protocol of an engine: the few things Sfumato asks of whatever holds the rows.

An engine counts, looks up and writes; it never decides. Values travel as canonical text (ISO dates,
plain decimal numbers, `true`/`false`), null as None, so that every engine's answers can be
compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Label
from sfumato.policy import NullWords, Order

Column = NDArray[np.object_]

SIZE_CAP = 1_000
"""`bin_sizes` gathers bins of this many rows and more."""


class FieldKind(StrEnum):
    """The type of a field, as coarse as a survey needs it."""

    TEXT = "text"
    INTEGER = "integer"
    REAL = "real"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """A field of the source: its name, its kind and the engine's own word for its type."""

    name: str
    kind: FieldKind
    declared: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """How often each value of one sensitive field occurs in each bin, as parallel arrays sorted by
    bin."""

    values: tuple[Label, ...] = field(repr=False)
    bin_of: NDArray[np.int64]
    value_of: Codes
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequencies:
    """The frequency set of some fields: distinct tuples as codes into each field's sorted values,
    and counts.

    `values[f]` is sorted as text with null last; `codes` has one row per tuple and one column per
    field."""

    fields: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...] = field(repr=False)
    codes: Codes
    counts: NDArray[np.int64]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """The bins of some fields with up to `k` people of each: enough to decide whether any union of
    bins has k.

    `codes` and `values` are as in Frequencies, `rows` the number of rows of each bin. Entry i means
    that bin `bin_of[i]` holds rows of the person numbered `person_of[i]`; numbers distinguish
    people and mean nothing else. Where a bin has fewer than `k` people, all of them are there. Two
    people with one number would be counted as one, which errs on the side of protection."""

    fields: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...] = field(repr=False)
    codes: Codes
    rows: NDArray[np.int64]
    bin_of: NDArray[np.int64]
    person_of: NDArray[np.int64]
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSet:
    """The cells of one grouping set, as parallel arrays: rows, people, the sum of what is measured,
    and the largest contributions. `codes` has one row per cell and points into `values`, sorted as
    text, in which null is last whether or not it occurs.

    `largest[c]` are the contributions of the people with most in cell c, in descending order.
    `who[c]` has numbers that distinguish these people; 0 and -1 where a cell has fewer. Where
    nothing is measured, a contribution is a number of rows. `lowest` is the lowest value of a
    row."""

    fields: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...] = field(repr=False)
    codes: NDArray[np.int64] = field(repr=False)
    rows: NDArray[np.int64]
    people: NDArray[np.int64]
    sums: NDArray[np.int64]
    largest: NDArray[np.int64] = field(repr=False)
    who: NDArray[np.int64] = field(repr=False)
    lowest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedUnits:
    """The unit of a count. With `person`, at most `rows_per_person` rows of each are counted,
    chosen at random (0: all), and rows without a person are nobody's. `measure` is a field whose
    values are summed, rounded to `decimals`, as whole numbers of that unit; rows without a value
    are left out. `largest` contributions of each cell are given; without them, each row is taken
    for a person of its own."""

    person: str = ""
    rows_per_person: int = 0
    measure: str = ""
    decimals: int = 0
    largest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberGrid:
    """A range of numbers as `steps` steps from `least` on, and as `cells` cells of about as many
    steps each. After them come places for a missing number, for text that is none, and for numbers
    below and above the range.

    Example:
        >>> ages = NumberGrid(least=0, step=1, steps=111, cells=10)
        >>> ages.places(np.array([0, 12.4, 110, np.nan, -5, 300])).tolist()
        [0, 1, 9, 10, 12, 13]
    """

    least: float
    step: float
    steps: int
    cells: int

    @property
    def missing(self) -> int:
        return self.cells

    @property
    def unreadable(self) -> int:
        return self.cells + 1

    @property
    def below(self) -> int:
        return self.cells + 2

    @property
    def above(self) -> int:
        return self.cells + 3

    @property
    def size(self) -> int:
        """All places."""
        return self.cells + 4

    def places(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """The place of each number; `missing` for what is not finite."""
        known = np.isfinite(numbers)
        steps = np.floor((np.where(known, numbers, self.least) - self.least) / self.step + 0.5)
        below, above = steps < 0, steps > self.steps - 1
        steps = np.clip(steps, 0, self.steps - 1)
        if self.cells < self.steps:
            steps = np.ceil((steps + 1) * self.cells / self.steps) - 1
        steps = np.where(below, self.below, np.where(above, self.above, steps))
        return np.where(known, steps, self.missing).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeColumn:
    """A column of rows that were made: `labels` of its codes from 0 on; or, without labels, numbers
    of steps from `least` on, written with so many `decimals`, or as `days` since the year 1. There
    are `steps` of them at most, where that is known. Of numbers, a code below 0 is a missing one."""

    labels: tuple[Label, ...] = field(default=(), repr=False)
    least: float = 0.0
    step: float = 1.0
    decimals: int = 0
    days: bool = False
    steps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Itemsets:
    """How many people hold each combination of up to m values of a set-valued field. `codes` points
    into `values`, sorted within a row, -1 where a combination has fewer than m. `groups` has the
    bin of the given fields within which it was counted (all 0 where none were)."""

    values: tuple[str, ...] = field(repr=False)
    codes: Codes
    groups: NDArray[np.int64]
    people: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProfile:
    """The result of one pass over a field for a survey; counts of rows unless stated otherwise."""

    info: FieldInfo
    rows: int
    nulls: int
    distinct: int
    unique: int
    shortest: int
    longest: int
    integers: int
    numbers: int
    dates: int
    lowest: Label = field(repr=False)
    highest: Label = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A table by which rows get new values: where a row's `keys` equal an entry's, `fields` take
    its values.

    Keys are compared as canonical text and null equals null. `batches` yields the entries piece by
    piece, so that a lookup may be larger than memory. Their columns are `key:NAME` for the keys and
    `new:NAME` for the fields. Where `portions` is true an entry holds for only some of the rows
    with its keys. Columns `first` and `last` give their ordinals, counted from 1 within the rows
    that share the keys, in random order.

    A row without an entry is not written: the caller compares the number of rows written.

    `stored` names a table that the engine keeps already, with one key and one field (see `KeyMap`);
    then no batch is asked for. With `plain`, its keys are whole numbers and not text; with `whole`,
    its new values are."""

    keys: tuple[str, ...]
    fields: tuple[str, ...]
    batches: Callable[[], Iterator[Mapping[str, NDArray[Any]]]]
    portions: bool = False
    stored: str = ""
    plain: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePlan:
    """How the released table is made from the source, field by field, in one pass.

    `fields` are the released fields in order. A field that a lookup gives is taken from it. One in
    `constants` has that text in every row where the source is not null. Every other field is copied
    as it is. `drop` lists key tuples whose rows are left out: a lookup without fields. `follows`
    maps a field to another one and a text. Where that other field is released as the text, the
    field is released as SUPPRESSED, else as text. `moved` are dates that move by person, `quota`
    how many rows of a person stay after `drop`. `taken` maps a released field to the field of the
    source that it is taken from, under its own name.

    A stage may have equal rows only once, if it is `distinct`. Its rows may be `shuffled`, so that
    they need no random order when they are written. It may have further fields that number them in
    that order: `numbered` maps their names to the number before the first."""

    fields: tuple[str, ...]
    lookups: tuple[Lookup, ...] = ()
    constants: Mapping[str, str | None] = field(default_factory=dict)
    drop: Lookup | None = None
    follows: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    moved: tuple[ShiftedDates, ...] = ()
    quota: Quota | None = None
    order: Order = Order.SCRAMBLE
    taken: Mapping[str, str] = field(default_factory=dict)
    distinct: bool = False
    shuffled: bool = False
    numbered: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyMap:
    """The replacement of each value of a key, kept by the engine for as long as it is open; null
    stays null."""

    batches: Callable[[], Iterator[Mapping[str, NDArray[Any]]]]
    stored: str = ""
    plain: bool = False

    def lookup(self, name: str, *, into: str = "") -> Lookup:
        """For a field of that name, in whichever table: the key itself, or a link to it; `into`
        another field."""
        new = into or name

        def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
            for batch in self.batches():
                yield {f"key:{name}": batch["key:0"], f"new:{new}": batch["new:0"]}

        return Lookup(
            keys=(name,), fields=(new,), batches=batches, stored=self.stored, plain=self.plain
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedDates:
    """Dates that move by a number of days for each person. `lookup` gives the days, as whole
    numbers in `new:days`, by the field that names the person. A row without an entry is not
    written; a null date stays null. In place of a lookup, `by` is a field of the source that holds
    the days."""

    fields: tuple[str, ...]
    lookup: Lookup | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many of a person's rows stay where there are more: chosen at random, person by person.

    `batches` yields the entries. Columns `key:NAME` are for `fields`, which all rows of one person
    share. `rows` is how many rows such a person has, and `keep` how many of them stay. People
    without an entry keep all their rows. `key` is a field of which no value is in two rows, where
    there is one."""

    person: str
    fields: tuple[str, ...]
    batches: Callable[[], Iterator[Mapping[str, NDArray[Any]]]]
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Which state of the source was read, as a manifest names it: `kind`, and facts that hold no
    value.

    `facts["read"]` is how each file of text was read: its encoding, its separator, and notes for a
    person."""

    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """The abilities of an engine, as data: asked before running, printed in docs/engines.md."""

    larger_than_memory: bool
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    numbers_stages: bool = False
    """Whether numbering the rows of a stage costs it no more than their random order does."""


class Engine(Protocol):
    """One open source. Every method may be called many times; none changes the source."""

    name: ClassVar[str]
    abilities: ClassVar[Abilities]
    title: str

    def fields(self) -> tuple[FieldInfo, ...]:
        """The fields of the source, in order."""
        ...

    def count_rows(self) -> int: ...

    def frequencies(
        self,
        fields: Sequence[str],
        *,
        sensitive: Sequence[str] = (),
        weight: str | None = None,
        person: str | None = None,
    ) -> Frequencies:
        """One group-by: the distinct tuples of `fields` with their counts and sensitive histograms.

        With a `person` field, counts and histograms count the different people in a bin, not its
        rows; rows without a person count for nobody. `weight` and `person` exclude each other.

        With a `weight`, counts are the sums of that field, rounded down: how many people the rows
        represent. Histograms count rows all the same. A row whose weight is no number from 0 on is
        a SourceError."""
        ...

    def counted_sets(
        self, sets: Sequence[Sequence[str]], units: CountedUnits
    ) -> tuple[CountedSet, ...]:
        """The cells of several sets of fields, by one question. Rows of a person that are chosen
        at random are chosen once for all sets."""
        ...

    def counted_codes(
        self, groups: Sequence[Sequence[str]], bins: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.int64]]:
        """Rows by combinations of bins, for each group of fields, by one question for many groups.
        Fields hold whole numbers from 0 on, without null; `bins` has the bin of each of them. Each
        answer has an axis for each field of its group."""
        ...

    def bin_sizes(self, fields: Sequence[str]) -> NDArray[np.int64]:
        """Entry [s] is the number of bins of `fields` with s rows; those of SIZE_CAP rows and more
        are gathered."""
        ...

    def bin_counter(
        self, fields: Sequence[str], *, limit: int | None = None
    ) -> AbstractContextManager[Callable[[Sequence[Lookup]], int]]:
        """A function that counts the bins of `fields` after lookups by one of them each, without
        keeping the rows that these make. What it needs is kept as long as the context lasts. With a
        `limit`, more bins than that may be estimated."""
        ...

    def profile(self, name: str) -> FieldProfile: ...

    def fields_without_repeats(self, fields: Sequence[str], *, fewest: int = 0) -> frozenset[str]:
        """The fields of at least `fewest` cells in which no two cells are equal, null apart, by few
        questions."""
        ...

    def count_words(self, name: str, words: Sequence[str]) -> Mapping[str, int]:
        """How many cells of a field are one of `words`, regardless of case and blanks around them:
        each spelling that was found, with its number. The empty word is a cell of blanks. Null is
        no cell."""
        ...

    def fields_with_words(self, fields: Sequence[str], words: Sequence[str]) -> frozenset[str]:
        """The fields of which some cell is one of `words`, compared as in `count_words`, by one
        question."""
        ...

    def count_formulas(self, fields: Sequence[str]) -> Mapping[str, int]:
        """How many cells of each field a spreadsheet would run as a formula."""
        ...

    def with_nulls(self, words: NullWords, *, owns: bool = False) -> Engine:
        """This source, in which cells that are one of the words of their field are null. With
        `owns`, closing it closes this engine; else closing this engine closes it."""
        ...

    def with_joined(self, joined: Mapping[str, Sequence[str]], *, owns: bool = False) -> Engine:
        """This source with further fields, each of them several of its own as one text, or null
        where one of them is. `owns` as above."""
        ...

    def with_grids(self, grids: Mapping[str, NumberGrid]) -> Engine:
        """This source, in which fields of numbers hold the cell of each number on a grid. Closing
        this engine closes it."""
        ...

    def sample(self, name: str, size: int) -> tuple[str, ...]:
        """Some of the field's distinct non-null values, as text; fewer than `size` where there are
        fewer."""
        ...

    def distinct(self, fields: Sequence[str]) -> Iterator[Mapping[str, Column]]:
        """The distinct tuples of `fields` in batches, ordered by the fields."""
        ...

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        """The bins of `fields` with up to `k` people of each. Rows without a person are counted and
        are nobody's."""
        ...

    def rows_per_person(self, person: str, fields: Sequence[str] = ()) -> Frequencies:
        """How many people have each number of rows. The bins are over `fields`, which all rows of
        one person share, and the number of rows. This is a last field called `rows`, whose values
        are its digits. Rows without a person are left out."""
        ...

    def itemsets(self, person: str, item: str, *, m: int, within: Sequence[str] = ()) -> Itemsets:
        """How many people hold each combination of 1 to `m` different values of `item`, within bins
        of `within`."""
        ...

    def numbers(self, name: str, *, start: int, unique: bool = False) -> KeyMap:
        """A whole number from `start + 1` on for each value of a field, in random order. With
        `unique`, no two rows share a value, which saves looking."""
        ...

    def numbers_in(self, number: str, *, of: str) -> KeyMap:
        """The numbers that a field of a stage holds already, in the place of each value of a
        key."""
        ...

    def kept(self, lookup: Lookup) -> KeyMap:
        """The entries of a lookup of one key and one field, computed once, for fields of any
        name."""
        ...

    def lengths(self, name: str) -> tuple[int, int]:
        """The fewest and the most characters of a value; 0 and 0 where there is none."""
        ...

    def staged(self, plan: WritePlan) -> Engine:
        """The rows that `plan` describes as a source of their own: chance is drawn once, and
        nothing is written where a release could be. The plan may keep fields of any name; its order
        is ignored, unless it is `shuffled`. A numbered stage is not thinned, which would leave
        gaps. Closing the stage frees it; closing this engine closes its stages."""
        ...

    def thin(self, *, drop: Lookup | None = None, quota: Quota | None = None) -> int:
        """Remove rows from a stage: those that `drop` lists, then those beyond the quota; how many
        were dropped."""
        ...

    def cells(self, fields: Sequence[str]) -> Iterator[Mapping[str, NDArray[Any]]]:
        """Every row in batches: `row`, a number, and `cell:NAME` for each field, as canonical text.
        The number identifies the row for as long as this engine is open."""
        ...

    def spread_rows(
        self, fields: Sequence[str], *, step: int = 1
    ) -> Iterator[Mapping[str, NDArray[Any]]]:
        """Every `step`-th row in batches, `cell:NAME` for each field as canonical text. Nothing is
        kept beside the source, and rows have no number."""
        ...

    def gathered(
        self, fields: Mapping[str, FieldKind | None], batches: Iterator[Mapping[str, NDArray[Any]]]
    ) -> Engine:
        """A stage of rows put together anew, from batches like those of `cells`. Each is the row
        that `row` numbers, in which `fields` have the cells given. A number may occur several
        times, or not at all; under one that no row has, all other fields are null. A field keeps
        its type, or is given another: text, whole or real numbers."""
        ...

    def snapshot(self) -> Snapshot:
        """Which state of the source is read; SourceError where it has changed since it was
        opened."""
        ...

    def write(self, plan: WritePlan, target: Path) -> int:
        """Write the release described by `plan` to `target` (format by suffix); the number of rows
        written."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
