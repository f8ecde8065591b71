"""A question's cells: the bins that neither it nor any earlier answer distinguishes.

On cells every shape can be judged, also where groups are withheld; there are far fewer of them than
bins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..sql.predicates import Predicate
from .confidentiality import Conditions
from .exposure import OUTSIDE, Exposure
from .lattice import raised
from .people_counts import Tally, numbered
from .projections import PRESENT
from .protected_table import ProtectedTable

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionFields:
    """The fields that decide about an answer: the known fields, the condition over them, and the
    other fields it touches."""

    known: tuple[str, ...]
    about: Predicate | None
    shows: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionCells:
    """The bins that neither a question nor any earlier answer distinguishes, each with its
    people."""

    wanted: QuestionFields
    conditions: Conditions
    exposures: tuple[Exposure, ...]
    cell_of: Wholes
    first: Wholes
    """A bin of each cell."""
    codes: Mapping[str, NDArray[np.int32]]
    meant: Marks
    rows: Wholes
    told: Wholes
    """How many rows of each cell are shown, where it is."""
    tally: Tally
    values_tallies: Mapping[str, Tally]
    """By table: the people counted by their own row, and their values."""

    @classmethod
    def of(
        cls,
        wanted: QuestionFields,
        conditions: Conditions,
        exposures: Sequence[Exposure],
        meant: Marks,
    ) -> QuestionCells:
        holding = conditions.holding
        bins = holding.bins
        columns = {name: bins[:, holding.known.index(name)] for name in wanted.known}
        whole = holding.links is None and holding.cohort_of is None
        if wanted.known == holding.known and whole:  # Then a question tells all bins apart.
            return cls(
                wanted=wanted,
                conditions=conditions,
                exposures=tuple(exposures),
                cell_of=np.arange(len(bins)),
                first=np.arange(len(bins)),
                codes=columns,
                meant=meant,
                rows=holding.rows_of,
                told=holding.told_of(wanted.shows),
                tally=conditions.tally,
                values_tallies=conditions.values_tallies,
            )
        touched = {name for each in exposures for name in each.touched(wanted.shows)}
        cell_of, count = _cells(columns, holding, exposures, touched)
        first = np.zeros(count, np.int64)
        first[cell_of[::-1]] = np.arange(len(bins))[::-1]
        if holding.links is not None:
            columns[PRESENT] = holding.links.present.astype(np.int32)
        return cls(
            wanted=wanted,
            conditions=conditions,
            exposures=tuple(each.at(first) for each in exposures),
            cell_of=cell_of,
            first=first,
            codes={name: column[first] for name, column in columns.items()},
            meant=meant[first],
            rows=np.bincount(cell_of, weights=holding.rows_of, minlength=count).astype(np.int64),
            told=np.bincount(
                cell_of, weights=holding.told_of(wanted.shows), minlength=count
            ).astype(np.int64),
            tally=conditions.tally.merged(cell_of, count, ()),
            values_tallies={
                table: conditions.values_tallies[table].merged(cell_of, count, names)
                for table, names in conditions.needed_of(touched).items()
            },
        )

    @property
    def values_tally(self) -> Tally:
        """The people who are represented by their own row in the queried table."""
        return self.values_tallies[self.conditions.holding.name]

    def whole(self, levels: Mapping[str, int]) -> Wholes:
        """Each cell's group where fields are shown at these levels."""
        return raised(levels, self.codes, self.conditions.holding, count=len(self.rows))[0]

    def included(self, whole: Wholes) -> Wholes:
        """The same, OUTSIDE where nobody in the group is meant."""
        taken = np.zeros(int(whole.max(initial=-1)) + 1, bool)
        taken[whole[self.meant]] = True
        return np.where(taken[whole], whole, OUTSIDE)

    def parts(self, whole: Wholes, groups: Wholes) -> Wholes:
        """The groups of a node by which values are judged; the smallest of those that are not asked
        about are joined into one.

        The choice depends on known fields alone. Groups with too few people for any rule are
        joined, and then as many others as they need to keep one."""
        least = self.conditions.fewest(self.wanted.shows)
        people = self.values_tally.bins(whole, ()).counts
        free = np.ones(len(people), bool)
        free[whole[groups >= 0]] = False
        order = np.flatnonzero(free)[np.argsort(people[free], kind="stable")]
        reach = np.cumsum(people[order])
        small = np.count_nonzero(people[order] < least)
        while 0 < small < len(order) and 0 < reach[small - 1] < least:
            small += 1
        return np.where(np.isin(whole, order[:small]), OUTSIDE, whole)

    def after(self, groups: Wholes, parts: Wholes) -> Iterator[tuple[Exposure, Exposure]]:
        """Each audience's exposure before and after an answer with these groups."""
        for exposure in self.exposures:
            yield exposure, exposure.refined(groups, shows=self.wanted.shows, parts=parts)

    def broken(self, groups: Wholes, parts: Wholes) -> tuple[bool, Marks]:
        """Whether a class would break a condition, and the cells that would have to be withheld.
        Where omitted cells break one, the shown cells of their old class are withheld."""
        out, breaks = np.zeros(len(groups), bool), False
        for before, after in self.after(groups, parts):
            failing, there = self.conditions.too_few(after, tally=self.tally), groups >= 0
            if not failing.any():
                shows = after.touched(self.wanted.shows)
                failing, there = (
                    self.conditions.too_alike(after, shows=shows, tallies=self.values_tallies),
                    parts >= 0,
                )
            left_out = failing & ~there
            breaks |= bool(failing.any())
            if left_out.any():
                failing |= np.isin(before.anyone, np.unique(before.anyone[left_out]))
            out |= failing & there
        return breaks, out


def _cells(
    columns: Mapping[str, NDArray[np.int32]],
    holding: ProtectedTable,
    exposures: Sequence[Exposure],
    touched: set[str],
) -> tuple[Wholes, int]:
    """The cell of each bin, and how many cells there are."""
    parts = [
        (codes.astype(np.int64), len(holding.fields[name].values))
        for name, codes in columns.items()
    ]
    for exposure in exposures:
        seen = [
            exposure.anyone,
            *(exposure.of_knot[knot] for knot in {exposure.tied[n] for n in touched}),
        ]
        parts += [(classes, int(classes.max(initial=0)) + 1) for classes in seen]
    if holding.links is not None:
        parts.append((holding.links.present.astype(np.int64), 2))
    cell_of, count = np.zeros(len(holding.bins), np.int64), 1
    for codes, span in parts:
        cell_of, count = numbered(cell_of * span + codes, count * span)
    return cell_of, count


def marked(about: Predicate | None, holding: ProtectedTable) -> Marks:
    """The bins that a condition means."""
    used = frozenset[str]() if about is None else about.fields()
    names = tuple(name for name in holding.known if name in used)
    return marked_places(about, holding, names).take(holding.projection(names).place_of)


def marked_places(
    about: Predicate | None, holding: ProtectedTable, names: tuple[str, ...]
) -> Marks:
    """The places that a condition means on the projection of some fields, its own among them."""
    projection = holding.projection(names)
    marks = (
        np.ones(projection.places, bool)
        if about is None
        else about.marks(holding.fields, projection.codes)
    )
    return marks & (projection.codes[PRESENT] > 0) if PRESENT in projection.codes else marks
