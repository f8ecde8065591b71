"""Shapes: all most specific answers to a question that are safe to give (004, section 3.3: the MSCPA), and their cost.

A question's known fields are the lattice; a node says at which level each is shown. At a node the corners fall into
groups, and an answer takes whole groups: those in which somebody meets the condition. So at coarser levels a condition
widens ("age 37" becomes "30 to 39") and what is left out is whole groups too.

A node is safe where the exposure after its answer keeps to all conditions of the recipient's profile. Groups that break
one may be withheld, up to the share that the policy allows. Safe nodes are not closed upwards, because what is left out
changes with the groups, so every node that is not above a safe one is looked at.

Rules about values are held against all groups of a node, those that a condition leaves out among them: a condition is
applied to an answer that would be safe without it. Were it otherwise, whoever asked about one group after the other
would read off the refusals in which of them values are alike, and from hundreds of such groups what somebody has.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .confidentiality import Conditions
from .exposure import OUTSIDE, Exposure
from .holding import Holding
from .lattice import Lattice, raised
from .sql.predicates import Predicate
from .tallies import Tally, numbered

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """One way to answer: at which level each known field is shown. `groups` has each corner's group, or OUTSIDE;
    `parts` are the groups by which values are taken to be told apart.

    `rows` and `withheld` count rows that meet the condition over known fields, whatever their other values: they say
    nothing that someone who knows the known fields does not know.
    """

    levels: Mapping[str, int]
    groups: Wholes = field(repr=False)
    parts: Wholes = field(repr=False)
    rows: int
    withheld: int
    loss: float

    @property
    def name(self) -> str:
        """For programs and people: the levels in order."""
        return ",".join(f"{name}={level}" for name, level in self.levels.items())

    def as_record(self) -> dict[str, Any]:
        """For the gate's state, so that what was shown once is shown again in the very same groups."""
        packed = base64.b64encode(zlib.compress(self.groups.astype(np.int32).tobytes())).decode()
        return {
            "shape": self.name, "levels": dict(self.levels), "groups": packed, "rows": self.rows,
            "withheld": self.withheld, "loss": self.loss,
        }  # fmt: skip

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Shape:
        groups = np.frombuffer(zlib.decompress(base64.b64decode(record["groups"])), np.int32).astype(np.int64)
        return cls(
            levels=record["levels"],
            groups=groups,
            parts=groups,
            rows=record["rows"],
            withheld=record["withheld"],
            loss=record["loss"],
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Wanted:
    """What decides about an answer: the known fields, the condition over them, and the other fields it touches."""

    known: tuple[str, ...]
    about: Predicate | None
    shows: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground:
    """What a question is decided on: its cells, the corners that neither it nor anything shown so far tells apart."""

    wanted: Wanted
    conditions: Conditions
    exposures: tuple[Exposure, ...]
    cell_of: Wholes
    codes: Mapping[str, NDArray[np.int32]]
    meant: Marks
    rows: Wholes
    tally: Tally

    @classmethod
    def of(cls, wanted: Wanted, conditions: Conditions, exposures: Sequence[Exposure]) -> Ground:
        holding = conditions.holding
        corners = holding.corners
        columns = {name: corners[:, holding.known.index(name)] for name in wanted.known}
        meant = marked(wanted.about, holding)
        if wanted.known == holding.known:  # Then a question tells all corners apart.
            return cls(
                wanted=wanted,
                conditions=conditions,
                exposures=tuple(exposures),
                cell_of=np.arange(len(corners)),
                codes=columns,
                meant=meant,
                rows=holding.rows_of,
                tally=conditions.tally,
            )
        touched = {name for each in exposures for name in each.touched(wanted.shows)}
        cell_of, count = _cells(columns, holding, exposures, touched)
        first = np.zeros(count, np.int64)
        first[cell_of[::-1]] = np.arange(len(corners))[::-1]
        needed = [name for name in conditions.needed if name in touched]
        return cls(
            wanted=wanted,
            conditions=conditions,
            exposures=tuple(each.at(first) for each in exposures),
            cell_of=cell_of,
            codes={name: column[first] for name, column in columns.items()},
            meant=meant[first],
            rows=np.bincount(cell_of, weights=holding.rows_of, minlength=count).astype(np.int64),
            tally=conditions.tally.merged(cell_of, count, needed),
        )

    @property
    def holding(self) -> Holding:
        return self.conditions.holding

    @cached_property
    def lattice(self) -> Lattice:
        return self.conditions.lattice(self.wanted.known)

    def possible(self, allowed: float) -> list[int]:
        """The nodes that may be safe, the most specific first; where something may be withheld, all of them."""
        if allowed:
            return list(range(len(self.lattice.levels)))
        touched = {name for each in self.exposures for name in each.touched(self.wanted.shows)}
        values = ((name, models) for name, models in self.conditions.of_values.items() if name in touched)
        found = self.lattice.possible(self.meant[self.cell_of], [("", self.conditions.of_people), *values])
        return np.flatnonzero(found).tolist()

    def levels_of(self, node: int) -> dict[str, int]:
        return dict(zip(self.wanted.known, self.lattice.levels[node].tolist(), strict=True))

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """What is lost at each node, rows that nobody asked about among it."""
        return self.lattice.costs(self.meant[self.cell_of])

    def name_of(self, node: int) -> str:
        return ",".join(f"{name}={level}" for name, level in self.levels_of(node).items())

    def whole(self, levels: Mapping[str, int]) -> Wholes:
        """Each cell's group where fields are shown at these levels."""
        return raised(levels, self.codes, self.holding, count=len(self.rows))[0]

    def included(self, whole: Wholes) -> Wholes:
        """The same, OUTSIDE where nobody in the group is meant."""
        taken = np.zeros(int(whole.max(initial=-1)) + 1, bool)
        taken[whole[self.meant]] = True
        return np.where(taken[whole], whole, OUTSIDE)

    def parts(self, whole: Wholes, groups: Wholes) -> Wholes:
        """The groups of a node by which values are judged; of those that are not asked about, the smallest are one.

        Which these are depends on known fields alone: as many as can keep to no rule by themselves, and then as many
        as it takes for the rest to keep to one.
        """
        least = self.conditions.fewest(self.wanted.shows)
        people = self.tally.bins(whole, ()).counts
        free = np.ones(len(people), bool)
        free[whole[groups >= 0]] = False
        order = np.flatnonzero(free)[np.argsort(people[free], kind="stable")]
        reach = np.cumsum(people[order])
        small = np.count_nonzero(people[order] < least)
        while 0 < small < len(order) and reach[small - 1] < least:
            small += 1
        return np.where(np.isin(whole, order[:small]), OUTSIDE, whole)

    def after(self, groups: Wholes, parts: Wholes) -> Iterator[tuple[Exposure, Exposure]]:
        """Each audience's exposure before and after an answer with these groups."""
        for exposure in self.exposures:
            yield exposure, exposure.refined(groups, shows=self.wanted.shows, parts=parts)

    def broken(self, groups: Wholes, parts: Wholes) -> tuple[bool, Marks]:
        """Whether a class would break a condition, and the cells that would have to be withheld; where what is left out
        breaks one, those of its old class that are not."""
        out, breaks = np.zeros(len(groups), bool), False
        for before, after in self.after(groups, parts):
            failing, there = self.conditions.too_few(after, tally=self.tally), groups >= 0
            if not failing.any():
                shows = after.touched(self.wanted.shows)
                failing, there = self.conditions.too_alike(after, shows=shows, tally=self.tally), parts >= 0
            left_out = failing & ~there
            breaks |= bool(failing.any())
            if left_out.any():
                failing |= np.isin(before.anyone, np.unique(before.anyone[left_out]))
            out |= failing & there
        return breaks, out


def _cells(
    columns: Mapping[str, NDArray[np.int32]], holding: Holding, exposures: Sequence[Exposure], touched: set[str]
) -> tuple[Wholes, int]:
    """The cell of each corner, and how many cells there are."""
    parts = [(codes.astype(np.int64), len(holding.fields[name].values)) for name, codes in columns.items()]
    for exposure in exposures:
        seen = [exposure.anyone, *(exposure.of_knot[knot] for knot in {exposure.tied[n] for n in touched})]
        parts += [(classes, int(classes.max(initial=0)) + 1) for classes in seen]
    cell_of, count = np.zeros(len(holding.corners), np.int64), 1
    for codes, span in parts:
        cell_of, count = numbered(cell_of * span + codes, count * span)
    return cell_of, count


def shapes(ground: Ground, *, allowed: float = 0.0) -> tuple[Shape, ...]:
    """The most specific safe shapes, those that lose least first; none where nothing is safe.

    A ground has the exposures of every audience that the asker belongs to: the answer must be safe for each.
    """
    lattice = ground.lattice
    found: list[Shape] = []
    at: list[NDArray[np.int64]] = []
    for node in ground.possible(allowed):
        levels = lattice.levels[node]
        if not any((levels >= other).all() for other in at):
            shape = shape_at(node, ground, allowed=allowed)
            if shape is not None:
                found.append(shape)
                at.append(levels)
    return tuple(sorted(found, key=lambda shape: (shape.loss, shape.withheld, shape.name)))


def best_shape(ground: Ground, *, allowed: float = 0.0) -> Shape | None:
    """The safe shape that loses least."""
    if allowed:
        return next(iter(shapes(ground, allowed=allowed)), None)
    likely = sorted(ground.possible(allowed), key=lambda node: (float(ground.costs[node]), ground.name_of(node)))
    return next((shape for node in likely if (shape := shape_at(node, ground, allowed=0.0)) is not None), None)


def marked(about: Predicate | None, holding: Holding) -> Marks:
    """The corners that a condition means."""
    if about is None:
        return np.ones(len(holding.corners), bool)
    codes = {name: holding.corners[:, column] for column, name in enumerate(holding.known)}
    return about.marks(holding.fields, codes)


def shape_at(node: int, ground: Ground, *, allowed: float) -> Shape | None:
    """The shape at a node of the lattice, with what must be withheld; None where it is not safe."""
    levels = ground.levels_of(node)
    whole = ground.whole(levels)
    groups = ground.included(whole)
    parts = ground.parts(whole, groups)
    rows, everything = int(ground.rows[groups >= 0].sum()), int(ground.rows.sum())
    for _ in range(3):
        breaks, broken = ground.broken(groups, parts)
        shown = int(ground.rows[groups >= 0].sum())
        if not breaks:
            if rows and not shown:
                return None
            return Shape(
                levels=dict(levels),
                groups=groups[ground.cell_of],
                parts=parts[ground.cell_of],
                rows=shown,
                withheld=rows - shown,
                loss=float(ground.costs[node]),
            )
        gone = np.isin(whole, np.unique(whole[broken]))
        groups, parts = np.where(gone, OUTSIDE, groups), np.where(gone, OUTSIDE, parts)
        withheld = rows - int(ground.rows[groups >= 0].sum())
        if not gone.any() or withheld > allowed * rows or int(ground.rows[gone].sum()) > allowed * everything:
            return None
    return None


def groups_at(levels: Mapping[str, int], holding: Holding) -> Wholes:
    """Each corner's group where fields are shown at these levels and the others not at all."""
    codes = {name: holding.corners[:, holding.known.index(name)] for name in levels}
    return raised(levels, codes, holding, count=len(holding.corners))[0]
