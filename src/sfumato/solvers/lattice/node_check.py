"""Checking a node: roll its bins up, see which fail, what must be suppressed and what that
costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.policy import CellReading, NullRule
from sfumato.protection import KAnonymity, Model, is_row_monotone

from .node_bins import NodeBins, RollUp
from .nodes import Levels
from .objectives import Objective, Reals

NOTHING: Reals = np.zeros(0)


@dataclass(frozen=True, eq=False, slots=True)
class NodeCheck:
    """The result at a node. `stuck_rows` fail in it and in every node below it. `gone` is what they
    add there; it is not computed where the node and all below it are over the limit."""

    levels: tuple[int, ...]
    suppressed_rows: int
    feasible: bool
    loss: float
    stuck_rows: float
    gone: Reals


class Bounds(Protocol):
    """The part of an objective that a search over boxes looks at."""

    def floor(self, levels: Levels) -> Reals: ...

    def lifted(self, levels: Levels, gone: Reals) -> Reals: ...


class NodeChecker(Protocol):
    """The protocol of a node checker for a search over boxes: `Checker` here, and one that counts
    people."""

    @property
    def models(self) -> tuple[Model, ...]: ...

    @property
    def objective(self) -> Bounds: ...

    @property
    def rows(self) -> int: ...

    @property
    def size(self) -> int:
        """How many bins the finest node has."""
        ...

    @property
    def allowed(self) -> float: ...

    @property
    def limit(self) -> str:
        """The limit in words, such as "10.0% of rows suppressed"."""
        ...

    @property
    def monotone(self) -> bool: ...

    def check(self, levels: Sequence[int]) -> NodeCheck: ...


class Checker:
    """Judges nodes under some models and a suppression limit, and counts how many it has looked
    at."""

    def __init__(
        self,
        bins: Bins,
        hierarchies: Mapping[str, Hierarchy],
        models: Sequence[Model],
        objective: Objective,
        *,
        max_suppression: float,
    ) -> None:
        if not bins.adds_up:
            raise Mistake(
                "A search that adds up the sizes of bins was asked for.",
                found="These bins count people who may be in several of them, so that their "
                "sizes do not add up.",
                attempt="CountingPeople, which counts the people of merged bins anew.",
            )
        self.roll_up = RollUp(bins, hierarchies)
        self.models = tuple(models)
        self.objective = objective
        self.rows = bins.rows
        self.size = len(bins)
        self.allowed = max_suppression * bins.rows + 1e-9
        self.limit = f"{max_suppression:.1%} of rows suppressed"
        self.visited = 0
        self.least = _plain_k(self.models, bins.fields)
        whole = max_suppression == 0 and all(model.monotone_generalisation for model in self.models)
        self._all_grow = all(is_row_monotone(model) for model in self.models)
        self._settled = all(_one_bin_at_a_time(model, bins.fields) for model in self.models)
        self.monotone = whole or self._all_grow

    def check(self, levels: Sequence[int]) -> NodeCheck:
        """Roll up, judge, price."""
        self.visited += 1
        rolled = self.roll_up.at(levels)
        failing = self.failing(rolled)
        suppressed = int(rolled.counts[failing].sum())
        feasible = suppressed <= self.allowed
        if not feasible and self.monotone:
            return NodeCheck(
                rolled.levels, suppressed, feasible, float("inf"), float(suppressed), NOTHING
            )
        stuck = self.stuck(rolled, failing)
        gone = self.objective.gone(rolled, stuck)
        known = gone if self._all_grow else None  # All that fail here are stuck.
        loss = self.objective.score(rolled, failing, gone=known) if feasible else float("inf")
        return NodeCheck(rolled.levels, suppressed, feasible, loss, float(stuck.sum()), gone)

    def failing(self, rolled: NodeBins) -> NDArray[np.bool_]:
        """The bins to leave out; where leaving some out makes others fail, those too."""
        if self.least:
            return rolled.counts < self.least
        bins = self.roll_up.bins(rolled)
        out = np.zeros(len(rolled), bool)
        kept = np.arange(len(rolled))
        while len(kept):
            failing = np.zeros(len(kept), bool)
            for model in self.models:
                failing |= model.failing(bins)
            out[kept[failing]] = True
            if self._settled or not failing.any():
                break
            kept = kept[~failing]
            bins = bins.only(~failing)
        return out

    def stuck(self, rolled: NodeBins, failing: NDArray[np.bool_]) -> Reals:
        """Rows of each bin that fail in every finer node too. A model may prove more of itself by a
        method `stuck`."""
        if self._all_grow:
            return np.where(failing, rolled.counts, 0).astype(float)
        bins = self.roll_up.bins(rolled)
        out = np.zeros(len(rolled))
        for model in self.models:
            if is_row_monotone(model):
                out = np.maximum(out, np.where(model.failing(bins), rolled.counts, 0))
            elif hasattr(model, "stuck"):
                out = np.maximum(out, model.stuck(bins))
        return out


def _one_bin_at_a_time(model: Model, fields: tuple[str, ...]) -> bool:
    """Whether leaving bins out cannot make others fail: each bin over all fields is judged by
    itself."""
    return model.monotone_suppression and set(getattr(model, "fields", ())) == set(fields)


def _plain_k(models: Sequence[Model], fields: tuple[str, ...]) -> int:
    """The k of models that are all plain k-anonymity over every field, so that bins can be judged
    by count alone."""
    out = 0
    for model in models:
        if not isinstance(model, KAnonymity) or set(model.fields) != set(fields):
            return 0
        if model.reading is not CellReading.STRICT or model.nulls is not NullRule.VALUE:
            return 0
        out = max(out, model.k)
    return out
