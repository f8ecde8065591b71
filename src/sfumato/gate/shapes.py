"""Shapes: all most specific answers to a question that are safe to give (004, section 3.3: the MSCPA), and their cost.

A question's known fields are the lattice; a node says at which level each is shown. At a node the corners fall into
groups, and an answer takes whole groups: those in which somebody meets the condition. So at coarser levels a condition
widens ("age 37" becomes "30 to 39") and what is left out is whole groups too.

A node is safe where the exposure after its answer keeps to all conditions of the recipient's profile. Groups that break
one may be withheld, up to the share that the policy allows. Safe nodes are not closed upwards, because what is left out
changes with the groups, so every node that is not above a safe one is looked at.
"""

from __future__ import annotations

import base64
import itertools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.bins.keys import group
from sfumato.errors import NotAdmitted

from .confidentiality import Conditions
from .exposure import OUTSIDE, Exposure
from .holding import Holding
from .sql.predicates import Predicate

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]

MOST_NODES: Final = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """One way to answer: at which level each known field is shown. `groups` has each corner's group, or OUTSIDE.

    `rows` and `withheld` count rows that meet the condition over known fields, whatever their other values: they say
    nothing that someone who knows the known fields does not know.
    """

    levels: Mapping[str, int]
    groups: Wholes = field(repr=False)
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


def shapes(
    wanted: Wanted,
    conditions: Conditions,
    exposures: Sequence[Exposure],
    *,
    allowed: float = 0.0,
) -> tuple[Shape, ...]:
    """The most specific safe shapes, those that lose least first; none where nothing is safe.

    `exposures` are those of every audience that the asker belongs to: the answer must be safe for each.
    """
    holding = conditions.holding
    meant = marked(wanted.about, holding)
    found: list[Shape] = []
    for levels in nodes(wanted.known, holding):
        if any(all(levels[n] >= shape.levels[n] for n in levels) for shape in found):
            continue
        shape = shape_at(levels, meant, wanted, conditions, exposures, allowed=allowed)
        if shape is not None:
            found.append(shape)
    return tuple(sorted(found, key=lambda shape: (shape.loss, shape.withheld, shape.name)))


def marked(about: Predicate | None, holding: Holding) -> Marks:
    """The corners that a condition means."""
    if about is None:
        return np.ones(len(holding.corners), bool)
    codes = {name: holding.corners[:, column] for column, name in enumerate(holding.known)}
    return about.marks(holding.fields, codes)


def nodes(known: Sequence[str], holding: Holding) -> Iterator[dict[str, int]]:
    """All nodes of the lattice, the most specific first."""
    heights = [holding.hierarchies[name].height for name in known]
    total = int(np.prod([height + 1 for height in heights], dtype=np.float64)) if heights else 1
    if total > MOST_NODES:
        raise NotAdmitted(
            "The query uses too many fields at once.",
            code="too-many-fields",
            found=f"There are {total:,} ways to generalise it.",
            attempt="fewer of the fields that others may know.",
        )
    every = itertools.product(*(range(height + 1) for height in heights))
    for node in sorted(every, key=sum):
        yield dict(zip(known, node, strict=True))


def shape_at(
    levels: Mapping[str, int],
    meant: Marks,
    wanted: Wanted,
    conditions: Conditions,
    exposures: Sequence[Exposure],
    *,
    allowed: float,
) -> Shape | None:
    """The shape at a node, with what must be withheld; None where it is not safe."""
    holding = conditions.holding
    whole = groups_at(levels, holding)
    included = np.zeros(int(whole.max(initial=-1)) + 1, bool)
    included[whole[meant]] = True
    groups = np.where(included[whole], whole, OUTSIDE)
    rows = _rows(holding, groups >= 0)
    for _ in range(3):
        broken = _broken(groups, wanted, conditions, exposures)
        if not broken.any():
            withheld = rows - _rows(holding, groups >= 0)
            if not (groups >= 0).any() and rows:
                return None
            return Shape(
                levels=dict(levels), groups=groups, rows=rows - withheld, withheld=withheld, loss=_loss(levels, holding)
            )
        gone = np.unique(groups[broken & (groups >= 0)])
        groups = np.where(np.isin(groups, gone), OUTSIDE, groups)
        if not len(gone) or rows - _rows(holding, groups >= 0) > allowed * rows:
            return None
    return None


def groups_at(levels: Mapping[str, int], holding: Holding) -> Wholes:
    """Each corner's group where fields are shown at these levels and the others not at all."""
    columns = [holding.known.index(name) for name in levels]
    if not columns:
        return np.zeros(len(holding.corners), np.int64)
    raised = [
        holding.hierarchies[name].up[level][holding.corners[:, column]]
        for column, (name, level) in zip(columns, levels.items(), strict=True)
    ]
    sizes = [len(holding.hierarchies[name].labels[level]) for name, level in levels.items()]
    return group(np.stack(raised, axis=1), sizes)[0]


def _broken(groups: Wholes, wanted: Wanted, conditions: Conditions, exposures: Sequence[Exposure]) -> Marks:
    """The corners in classes that would break a condition; where what is left out breaks one, all of its old class."""
    out = np.zeros(len(groups), bool)
    for exposure in exposures:
        after = exposure.refined(groups, shows=wanted.shows)
        failing = conditions.failing(after, shows=after.touched(wanted.shows))
        left_out = failing & (groups == OUTSIDE)
        if left_out.any():
            failing |= np.isin(exposure.anyone, np.unique(exposure.anyone[left_out]))
        out |= failing
    return out


def _rows(holding: Holding, corners: Marks) -> int:
    return int(corners[holding.corner_of].sum())


def _loss(levels: Mapping[str, int], holding: Holding) -> float:
    """How much is lost: for each field the share of its values that a label stands for, on average over corners."""
    if not levels:
        return 0.0
    total = 0.0
    for name, level in levels.items():
        hierarchy = holding.hierarchies[name]
        codes = holding.corners[:, holding.known.index(name)]
        leaves = hierarchy.leaves[level][hierarchy.up[level][codes]]
        total += float((leaves - 1).mean()) / max(1, len(hierarchy.up[0]) - 1)
    return total / len(levels)


def exposed(shape: Shape, wanted: Wanted, exposure: Exposure) -> Exposure:
    """The exposure of an audience after the answer."""
    return exposure.refined(shape.groups, shows=wanted.shows)
