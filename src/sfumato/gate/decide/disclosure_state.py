"""The disclosure state of an audience: the answers it has been shown, and the results about later
answers.

Whether the values of a node's parts may be distinguished depends on earlier answers and on the
node, not on the people asked about. So it is judged once, and known until more is disclosed. Even
then,

- a node that broke a rule still does, because the rules are monotone and classes only become finer;
- a node whose parts have been shown cuts nothing any more. Its values may be shown as long as the
  present classes may.

For each question, only the people of the classes that its groups cut remain to be counted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..state import GateState
from .exposure import Exposure
from .protected_table import ProtectedTable

Wholes = NDArray[np.int64]
MOST_AUDIENCES: Final = 64
"""The states of so many audiences are kept in memory; others are read when they ask again."""


@dataclass(frozen=True, slots=True)
class DisclosedNode:
    """A node of the lattice of some known fields, and the fields that are shown or asked about
    there."""

    known: tuple[str, ...]
    levels: tuple[int, ...]
    shows: tuple[str, ...]


@dataclass(eq=False, slots=True)
class DisclosureState:
    """An exposure, and what is known of it under the conditions of one policy."""

    exposure: Exposure
    fewest: int = 0
    """The people of the smallest class, once they are counted."""
    _people: Wholes | None = field(default=None, repr=False)
    _keeps: dict[DisclosedNode, bool] = field(default_factory=dict, repr=False)
    _shown: set[DisclosedNode] = field(default_factory=set, repr=False)

    def people(self, people_of: Wholes) -> Wholes:
        """How many people each class of all answers has, where numbers of people may be summed over
        bins."""
        if self._people is None:
            count = self.exposure.classes
            self._people = np.bincount(
                self.exposure.anyone, weights=people_of, minlength=count
            ).astype(np.int64)
            self.fewest = int(self._people.min())
        return self._people

    def keeps(self, told: DisclosedNode) -> bool | None:
        """Whether values may be distinguished at a node; None where that is not known."""
        return True if told in self._shown else self._keeps.get(told)

    def note(self, told: DisclosedNode, *, keeps: bool) -> None:
        self._keeps[told] = keeps

    def after(
        self,
        groups: Wholes,
        parts: Wholes,
        *,
        shows: Collection[str],
        told: DisclosedNode | None,
        lasting: bool,
    ) -> DisclosureState:
        """The state of the audience after an answer. `told` is the node whose parts these are, if
        they are a node's; `lasting` is whether a broken rule stays broken."""
        names = tuple(shows)
        before, now = self.exposure, self.exposure.refined(groups, shows=names, parts=parts)
        touched = set(before.touched(names))
        same = _tied_alike(before, now) and _as_many(before, now, touched)
        out = DisclosureState(now, _shown=set(self._shown))
        for each, keeps in self._keeps.items():
            unmoved = same or touched.isdisjoint(before.touched(each.shows))
            if unmoved or (lasting and not keeps):
                out._keeps[each] = keeps
        if told is not None:
            out._shown.add(told)
        return out


def _tied_alike(before: Exposure, now: Exposure) -> bool:
    return dict(before.tied) == dict(now.tied)


def _as_many(before: Exposure, now: Exposure, fields: Collection[str]) -> bool:
    """Whether fields have as many classes as before: then they are the same, because classes are
    only ever cut."""
    return all(
        before.classes_of(name).max(initial=-1) == now.classes_of(name).max(initial=-1)
        for name in fields
    )


class Standings:
    """The disclosure state of every audience with each account, as the gate's state has it; nobody
    else changes that while a gate is open.

    Audiences that have been shown the same share one state, so that a result about one is known for
    all."""

    def __init__(self, state: GateState) -> None:
        self._state = state
        self._kept: OrderedDict[tuple[str, str], DisclosureState] = OrderedDict()

    def of(self, audience: str, holding: ProtectedTable) -> DisclosureState:
        key = audience, holding.account
        if key not in self._kept:
            self._kept[key] = self._read(audience, holding)
            while len(self._kept) > MOST_AUDIENCES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _read(self, audience: str, holding: ProtectedTable) -> DisclosureState:
        account = holding.account
        packed = self._state.exposure(audience, account)
        blank = Exposure.nothing(len(holding.bins), holding.exposed_fields)
        exposure = blank if packed is None else Exposure.unpacked(packed)
        alike = (standing for (_, name), standing in self._kept.items() if name == account)
        return next(
            (each for each in alike if each.exposure.is_as(exposure)), None
        ) or DisclosureState(exposure)

    def write(self, account: str, now: Mapping[str, DisclosureState]) -> None:
        """Into the gate's state, inside `changing`: the disclosure states after an answer."""
        packed: dict[int, bytes] = {}
        for audience, standing in now.items():
            if id(standing) not in packed:
                packed[id(standing)] = standing.exposure.packed()
            self._state.expose(audience, account, packed[id(standing)])

    def keep(self, account: str, now: Mapping[str, DisclosureState]) -> None:
        """Once that is on disk."""
        for audience, standing in now.items():
            self._kept[audience, account] = standing

    def forget(self, account: str) -> None:
        """Results under another policy are not known under a new one."""
        for key in [key for key in self._kept if key[1] == account]:
            del self._kept[key]
