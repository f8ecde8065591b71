"""Shapes: all most specific answers to a question that are safe to give (Chiang et al. 2001,
section 3.3: the MSCPA), and their cost.

A question's known fields are the lattice; a node has the level at which each is shown. At a node
the bins fall into groups, and an answer takes whole groups: those in which somebody meets the
condition. So at coarser levels a condition widens ("age 37" becomes "30 to 39"), and whole groups
are omitted too.

A node is safe where the exposure after its answer keeps to all conditions of the recipient's
profile. Groups that break one may be withheld, up to the share that the policy allows. Safe nodes
are not closed upwards, because the omitted groups change with the node. Every node that is not
above a safe one is therefore examined.

Rules about values are applied to all groups of a node, also to those that a condition excludes. A
condition is applied to an answer that would be safe without it. Otherwise somebody who asked about
one group after the other would infer from refusals in which of them values are alike. From hundreds
of such groups, a person's value could be inferred."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .confidentiality import Conditions
from .disclosure_state import DisclosedNode, DisclosureState
from .exposure import OUTSIDE, Exposure, refine
from .lattice import KnownLattice
from .people_counts import numbered
from .protected_table import ProtectedTable
from .question_cells import QuestionCells, QuestionFields, marked

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerNode:
    """One way to answer: at which level each known field is shown. `groups` has each bin's group,
    or OUTSIDE; `parts` are the groups by which values are taken to be distinguished.

    `rows` and `withheld` count rows that meet the condition over known fields, whatever their other
    values. They disclose nothing to someone who knows the known fields."""

    levels: Mapping[str, int]
    groups: Wholes = field(repr=False)
    parts: Wholes = field(repr=False)
    rows: int
    withheld: int
    loss: float
    told: DisclosedNode | None = field(default=None, repr=False)
    """The node whose parts these are, where they are the same whatever is asked."""

    @property
    def name(self) -> str:
        """For programs and people: the levels in order."""
        return ",".join(f"{name}={level}" for name, level in self.levels.items())

    def as_record(self) -> dict[str, Any]:
        """For the gate's state, so that an answer is repeated in the very same groups."""
        packed = base64.b64encode(zlib.compress(self.groups.astype(np.int32).tobytes(), 1)).decode()
        return {
            "shape": self.name, "levels": dict(self.levels), "groups": packed, "rows": self.rows,
            "withheld": self.withheld, "loss": self.loss,
        }  # fmt: skip

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> AnswerNode:
        groups = np.frombuffer(
            zlib.decompress(base64.b64decode(record["groups"])), np.int32
        ).astype(np.int64)
        return cls(
            levels=record["levels"],
            groups=groups,
            parts=groups,
            rows=record["rows"],
            withheld=record["withheld"],
            loss=record["loss"],
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionContext:
    """The input of a decision about a question: its bins, and the disclosure state of every
    audience of the asker."""

    wanted: QuestionFields
    conditions: Conditions
    standings: tuple[DisclosureState, ...]
    meant: Marks = field(repr=False)
    accepts: Callable[[AnswerNode], bool] = field(default=lambda _: True, repr=False)
    """Whether others who decide, such as a register's ledger, take a shape that is safe here."""

    @classmethod
    def of(
        cls, wanted: QuestionFields, conditions: Conditions, exposures: Iterable[Exposure]
    ) -> DecisionContext:
        """The context for audiences of whom nothing is known but their exposures."""
        standings = tuple(DisclosureState(each) for each in exposures)
        return cls(
            wanted=wanted,
            conditions=conditions,
            standings=standings,
            meant=marked(wanted.about, conditions.holding),
        )

    @property
    def holding(self) -> ProtectedTable:
        return self.conditions.holding

    @cached_property
    def lattice(self) -> KnownLattice:
        return self.conditions.lattice(self.wanted.known)

    @cached_property
    def cells(self) -> QuestionCells:
        """The question's cells; the disclosure states of the audiences often decide without
        them."""
        exposures = [standing.exposure for standing in self.standings]
        return QuestionCells.of(self.wanted, self.conditions, exposures, self.meant)

    @cached_property
    def least(self) -> int:
        return self.conditions.fewest(self.wanted.shows)

    @cached_property
    def asked(self) -> Wholes | None:
        """The groups of all nodes in which somebody is meant; None where the lattice has too many
        groups to keep."""
        return None if self.lattice.whole is None else self.lattice.asked(self.meant)

    @cached_property
    def rows(self) -> int:
        """How many rows are meant."""
        return int(self.holding.told_of(self.wanted.shows)[self.meant].sum())

    def possible(self, allowed: float) -> Wholes:
        """The nodes that may be safe, the most specific first; where something may be withheld, all
        of them."""
        if allowed or self.asked is None:
            return np.arange(len(self.lattice.levels))
        touched = {
            name for each in self.standings for name in each.exposure.touched(self.wanted.shows)
        }
        values = {
            name: models
            for name, models in self.conditions.of_values.items()
            if touched.issuperset(self.holding.exposed((name,)))
        }
        rules = {"": self.conditions.of_people, **values}
        return np.flatnonzero(self.lattice.possible(self.asked, rules, least=self.least))

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """The loss at each node, including rows that nobody asked about."""
        if self.asked is None:
            return self.lattice.losses
        return self.lattice.costs(self.asked, self.rows, stands=bool(self.wanted.shows))

    def told(self, node: int) -> DisclosedNode:
        return DisclosedNode(
            self.wanted.known, tuple(self.lattice.levels[node].tolist()), self.wanted.shows
        )

    def asked_at(self, node: int) -> Wholes:
        """The groups of one node in which somebody is meant."""
        assert self.asked is not None
        start, stop = np.searchsorted(self.asked, self.lattice.ends(node)).tolist()
        return self.asked[start:stop]

    def is_fixed(self, node: int) -> bool:
        """Whether a node's parts are the same whatever is asked: nobody asks about a group that may
        not be one."""
        if self.asked is None:
            return False
        here = self.asked_at(node)
        return bool(self.lattice.is_part(self.least)[here].all())

    def is_exact(self, node: int) -> bool:
        """Whether the groups of a node that somebody is meant in hold nobody else: the condition is
        not widened."""
        if self.asked is None:
            groups = self.cells.included(self.cells.whole(self.lattice.levels_of(node)))
            return bool(((groups >= 0) == self.cells.meant).all())
        meant = int(self.holding.rows_of[self.meant].sum())
        return self.lattice.rows_of(self.asked_at(node), stands=False) == meant

    def groups(self, node: int) -> Wholes:
        """Each bin's group at a node, OUTSIDE where nobody in it is meant."""
        start, stop = self.lattice.ends(node)
        out = np.full(stop - start, OUTSIDE)
        here = self.asked_at(node) - start
        out[here] = here
        return out[self.lattice.groups(node)]


def shapes(ground: DecisionContext, *, allowed: float = 0.0) -> tuple[AnswerNode, ...]:
    """The most specific safe shapes, those that lose least first; none where nothing is safe.

    The context has the disclosure state of every audience that the asker belongs to: the answer
    must be safe for each."""
    lattice = ground.lattice
    found: list[AnswerNode] = []
    at: list[NDArray[np.int64]] = []
    for node in ground.possible(allowed).tolist():
        levels = lattice.levels[node]
        if not any((levels >= other).all() for other in at):
            shape = shape_at(node, ground, allowed=allowed)
            if shape is not None:
                found.append(shape)
                at.append(levels)
    return tuple(sorted(found, key=lambda shape: (shape.loss, shape.withheld, shape.name)))


def exact_shapes(
    ground: DecisionContext, *, fixed: Iterable[str], shown: Iterable[str]
) -> Iterator[AnswerNode]:
    """The shapes in which a number is the one that was asked for, the most specific in the fields
    `shown` first.

    The condition is met by whole groups, nothing is withheld, and the fields `fixed` are as they
    are. Fields of the condition alone are as coarse as they can be: then least is distinguished."""
    lattice = ground.lattice
    place = {name: column for column, name in enumerate(lattice.known)}
    columns, still = [place[name] for name in shown], [place[name] for name in fixed]
    nodes = ground.possible(0.0)
    nodes = nodes[(lattice.levels[nodes][:, still] == 0).all(axis=1)]
    specific, whole = (
        lattice.levels[nodes][:, columns].sum(axis=1),
        lattice.levels[nodes].sum(axis=1),
    )
    found: list[NDArray[np.int64]] = []
    for node in nodes[np.lexsort((lattice.ranks[nodes], -whole, specific))].tolist():
        levels = lattice.levels[node][columns]
        if any((levels >= other).all() for other in found) or not ground.is_exact(node):
            continue
        shape = shape_at(node, ground, allowed=0.0)
        if shape is not None:
            found.append(levels)
            yield shape


def best_shape(ground: DecisionContext, *, allowed: float = 0.0) -> AnswerNode | None:
    """The safe shape that loses least."""
    if allowed:
        return next(iter(shapes(ground, allowed=allowed)), None)
    nodes = ground.possible(allowed)
    likely = nodes[np.lexsort((ground.lattice.ranks[nodes], ground.costs[nodes]))].tolist()
    return next(
        (shape for node in likely if (shape := shape_at(node, ground, allowed=0.0)) is not None),
        None,
    )


def shape_at(node: int, ground: DecisionContext, *, allowed: float) -> AnswerNode | None:
    """The shape at a node of the lattice, with the groups that must be withheld; None where it is
    not safe."""
    is_fixed = not allowed and ground.is_fixed(node)
    shape = (
        _fixed_shape(node, ground) if is_fixed else shape_by_cells(node, ground, allowed=allowed)
    )
    return shape if shape is not None and ground.accepts(shape) else None


def _fixed_shape(node: int, ground: DecisionContext) -> AnswerNode | None:
    """The shape at a node whose parts do not depend on the question, with nothing withheld.

    Only one check remains: whether the classes that are cut have enough people.
    """
    groups = ground.groups(node)
    if not all(_enough(standing, groups, ground) for standing in ground.standings):
        return None
    told = ground.told(node)
    if not all(_apart(place, told, node, ground) for place in range(len(ground.standings))):
        return None
    return AnswerNode(
        levels=ground.lattice.levels_of(node),
        groups=groups,
        parts=ground.lattice.parts(node, least=ground.least),
        rows=ground.lattice.rows_of(ground.asked_at(node), stands=bool(ground.wanted.shows)),
        withheld=0,
        loss=float(ground.costs[node]),
        told=told,
    )


def _enough(standing: DisclosureState, groups: Wholes, ground: DecisionContext) -> bool:
    """Whether all classes keep to the rules about people after an answer with these groups."""
    conditions = ground.conditions
    if not conditions.counts_only:
        after = Exposure(refine(standing.exposure.anyone, groups), {}, {})
        return not conditions.too_few(after).any()
    people = standing.people(conditions.people_of)
    if standing.fewest < conditions.k:
        return False
    inside = np.flatnonzero(groups >= 0)
    if not len(inside):
        return True
    classes, each = standing.exposure.anyone[inside], conditions.people_of[inside]
    span = int(groups.max()) + 1
    pieces, count = numbered(classes * span + groups[inside], len(people) * span)
    if np.bincount(pieces, weights=each, minlength=count).min() < conditions.k:
        return False
    left = people - np.bincount(classes, weights=each, minlength=len(people)).astype(np.int64)
    return not ((left > 0) & (left < conditions.k)).any()


def _apart(place: int, told: DisclosedNode, node: int, ground: DecisionContext) -> bool:
    """Whether values may be distinguished by the parts of a node, beside all that an audience has
    been shown."""
    standing, conditions = ground.standings[place], ground.conditions
    touched = standing.exposure.touched(told.shows)
    if not conditions.has_rule(touched):
        return True
    known = standing.keeps(told)
    if known is None:
        cells = ground.cells
        parts = ground.lattice.parts(node, least=ground.least)[cells.first]
        after = cells.exposures[place].refined(parts, shows=told.shows)
        known = not conditions.too_alike(after, shows=touched, tallies=cells.values_tallies).any()
        standing.note(told, keeps=known)
    return known


def shape_by_cells(node: int, ground: DecisionContext, *, allowed: float) -> AnswerNode | None:
    """The same for any node, with groups withheld up to a share of the rows; every class is
    judged."""
    levels, cells = ground.lattice.levels_of(node), ground.cells
    whole = cells.whole(levels)
    groups = cells.included(whole)
    parts = cells.parts(whole, groups)
    rows, everything = int(cells.rows[groups >= 0].sum()), int(cells.rows.sum())
    told = int(cells.told[groups >= 0].sum())
    for _ in range(3):
        breaks, broken = cells.broken(groups, parts)
        if not breaks:
            if rows and not (groups >= 0).any():
                return None
            shown = int(cells.told[groups >= 0].sum())
            return AnswerNode(
                levels=levels,
                groups=groups[cells.cell_of],
                parts=parts[cells.cell_of],
                rows=shown,
                withheld=told - shown,
                loss=float(ground.costs[node]),
            )
        gone = np.isin(whole, np.unique(whole[broken]))
        groups, parts = np.where(gone, OUTSIDE, groups), np.where(gone, OUTSIDE, parts)
        withheld = rows - int(cells.rows[groups >= 0].sum())
        if (
            not gone.any()
            or withheld > allowed * rows
            or int(cells.rows[gone].sum()) > allowed * everything
        ):
            return None
    return None
