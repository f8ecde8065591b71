"""The contract of every solver: bins and requirements in, a recoding out. A solver never sees a
row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, Recoding
from sfumato.hierarchies import Hierarchy
from sfumato.protection import KAnonymity, Model
from sfumato.wording import counted

Hierarchies = Mapping[str, Hierarchy]

DOWNCODING = (
    "Local recoding is minimal: a cell is coarse only because a row near it differs. A "
    "recipient who knows the method "
    "may infer more from that than the labels say (downcoding, Cohen 2022); where that matters, take "
    "a global recoding."
)
MINIMALITY = (
    "Clusters are no wider than the models about sensitive values ask for. A recipient who "
    "knows the method "
    "and everyone's quasi-identifiers may infer which values made a cluster wide (minimality attack, "
    "Wong et al. 2007)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One move of a solver, in words: field names and counts, no values."""

    what: str
    levels: Mapping[str, int]
    bins: int
    rows_failing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How close to the optimum a search is proven to be: by `objective`, no recoding loses less
    than `bound`.

    Where a table was rolled up first, `searched_from` has the levels below which nothing was
    searched, and `searched_bound` holds at or above them only. `bound` holds for all recodings of
    the policy. `work` is how many nodes were judged; `stopped` names the limit that ended the
    search early. `scope` is the problem that loss and bound are about, where it is not the plain
    one: fields that weigh more, and finest levels.

    Example:
        >>> Proof(objective="loss", loss=0.25, bound=0.2, searched_bound=0.2, work=9, stopped="seconds").in_words()
        'loss 0.25000, at most 0.05000 above the optimum (bound 0.20000); stopped by seconds'
    """

    objective: str
    loss: float
    bound: float
    searched_bound: float
    work: int
    optimal: bool = False
    stopped: str = ""
    searched_from: Mapping[str, int] = field(default_factory=dict)
    scope: str = ""

    @property
    def gap(self) -> float:
        return max(self.loss - self.bound, 0.0)

    @property
    def is_raised(self) -> bool:
        """Whether some recodings of the policy were not searched."""
        return any(self.searched_from.values())

    def in_words(self) -> str:
        return f"{self._in_words()}; {self.scope}" if self.scope else self._in_words()

    def _in_words(self) -> str:
        told = f"{self.objective} {self.loss:.5f}, "
        above = f"at most {self.gap:.5f} above the optimum (bound {self.bound:.5f})"
        if self.optimal:
            return f"{told}proven optimal"
        if not self.is_raised:
            return f"{told}{above}{self._stopped()}"
        start = ", ".join(f"{name} {level}" for name, level in self.searched_from.items() if level)
        searched = max(self.loss - self.searched_bound, 0.0)
        among = (
            "optimal"
            if not searched and not self.stopped
            else f"at most {searched:.5f} above the optimum"
        )
        return (
            f"{told}{among} among recodings at or above {start}; among all recodings "
            f"{above}{self._stopped()}"
        )

    def _stopped(self) -> str:
        return f"; stopped by {self.stopped}" if self.stopped else ""

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "objective": self.objective,
            "loss": self.loss,
            "bound": self.bound,
            "gap": self.gap,
            "optimal": self.optimal,
            "work": self.work,
            "stopped_by": self.stopped,
            **({"scope": self.scope} if self.scope else {}),
            **({"searched_from": dict(self.searched_from)} if self.is_raised else {}),
            **({"bound_among_searched": self.searched_bound} if self.is_raised else {}),
            "in_words": self.in_words(),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """The recoding of a solver and its account. `notes` are for the report: departures, limits,
    warnings.

    `picture` is an SVG of what was searched, where there is one worth looking at. `proof` is its
    largest distance from the optimum; None where the solver proves nothing. `choice` is which of
    several searches the recoding is of, and why."""

    solver: str
    recoding: Recoding
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    picture: str = ""
    proof: Proof | None = None
    choice: str = ""


NOT_SETTINGS = (
    "bounds_groups",
    "chosen",
    "models",
    "keeps_best",
    "progress",
    "whole",
    "only_global",
    "fixed",
    "greedy",
)
"""Parameters that are no setting of a search: the judged models, the observer, the demands of the
data and cells that a person chose. Others are the solver to lose no more than, which the policy
decides, and whether a search looks for bounds of its own."""


def settings_of(solver: object) -> dict[str, Any]:
    """Every parameter that a solver was made with, for the manifest; None where a limit is
    infinite.

    Example:
        >>> from sfumato.solvers import Given
        >>> settings_of(Given(levels={"zip": 1}, models=()))
        {'levels': {'zip': 1}, 'max_suppression': 0.0}
    """
    named = ((item.name, getattr(solver, item.name)) for item in fields(solver))  # type: ignore[arg-type]
    return {name: _plain(value) for name, value in named if name not in NOT_SETTINGS}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return None if value == float("inf") else value


class Solver(Protocol):
    """Constructors store parameters and do nothing else; bins arrive in `solve`."""

    name: ClassVar[str]

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        """A recoding whose released bins keep every requirement, or NoRecodingFound."""
        ...


def how_many(bins: Bins) -> str:
    """The rows, or the people, of some bins, in words."""
    return counted(bins.people, "row") if bins.adds_up else counted(bins.people, "person", "people")


def with_k_people(models: Sequence[Model], bins: Bins, k: int) -> tuple[Model, ...]:
    """The models, and k people in each bin among them where sizes of bins do not add up."""
    asked = KAnonymity(k=k, fields=bins.fields)
    return tuple(models) if bins.adds_up or asked in models else (asked, *models)


def scope_of(weights: Mapping[str, float], hierarchies: Hierarchies) -> str:
    """Which problem a search solves where it is not the plain one, in words.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> sexes = Hierarchy.from_rows([("f", "*"), ("m", "*")])
        >>> scope_of({"sex": 10.0, "zip": 1.0}, {"sex": sexes, "zip": sexes})
        'losses weighted by field: sex 10, others 1'
    """
    asked = {name: float(weights.get(name, 1.0)) for name in hierarchies}
    least = min(asked.values(), default=1.0)
    dear = [f"{name} {weight:g}" for name, weight in asked.items() if weight != least]
    parts = [f"losses weighted by field: {', '.join(dear)}, others {least:g}"] if dear else []
    bounded = [name for name, hierarchy in hierarchies.items() if hierarchy.finest]
    if bounded:
        parts.append(f"no finer than the finest level of {', '.join(bounded)}")
    return "; ".join(parts)


def failing_rows(
    bins: Bins, hierarchies: Hierarchies, levels: Mapping[str, int], models: Sequence[Model]
) -> NDArray[np.bool_]:
    """Which source bins must be left out so that the rest, recoded to `levels`, keeps every model.

    Leaving bins out can make others fail where a model is not monotone under suppression, so this
    repeats until nothing more fails."""
    coarse, groups = bins.recoded(hierarchies, levels)
    out = np.ones(len(coarse), bool)
    kept = np.arange(len(coarse))
    while len(kept):
        failing = np.zeros(len(kept), bool)
        for model in models:
            failing |= model.failing(coarse)
        if not failing.any():
            break
        coarse = coarse.only(~failing)
        kept = kept[~failing]
    out[kept] = False
    return out[groups]
