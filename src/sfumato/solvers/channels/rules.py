"""Which input channels may be combined: the holder's own rules, and (5), that one of them is not
risky (Garfinkel et al. 2007).

A channel is judged by its members. By the default reading each member has a subject there
(`occupancy`); by the paper's reading a member without subjects counts too."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.policy import ChannelRule, CombinationRule

from .inputs import Inputs

Flags = NDArray[np.bool_]
Places = NDArray[np.int32]
Reals = NDArray[np.float64]
Members = tuple[int, ...]

MOST_INPUTS = 8
"""The paper's limit where it enumerates output channels."""
_CHUNK = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """The rules over the input channels of one data set.

    `together[r, s]` is whether r and s may be in one output channel, `most` how many may be.
    `orders[g]` is about gaps: for each input channel the place of its value in the rule's order, -1
    where the rule does not name it. The channel of all inputs, which discloses nothing, is allowed
    whatever the rules are (Garfinkel et al. 2007, section 7).

    Row f of `codes` has the value of each input channel in a field with a weight: an output channel
    with several of them costs its psi times 1 and the `surcharges` of such fields."""

    sizes: Reals
    risky: Flags
    together: Flags
    most: int
    orders: tuple[Places, ...] = ()
    counts_subjects: bool = True
    codes: Places = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    surcharges: Reals = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        risky: Flags,
        rules: Sequence[ChannelRule] = (),
        *,
        most: int | None = None,
        counts_subjects: bool = True,
        max_differing: int | None = None,
    ) -> Rules:
        together = np.ones((len(inputs), len(inputs)), bool)
        if max_differing is not None:
            together = _differing(inputs) <= max_differing
        weights = {name: weight for name, weight in inputs.field_weights.items() if weight > 0}
        orders = []
        for rule in rules:
            column = inputs.fields.index(rule.field)
            found = [values[column] for values in inputs.values]
            if rule.rule is CombinationRule.NO_GAPS:
                orders.append(_places(found, rule.values))
            elif rule.rule is CombinationRule.SPAN:
                together &= _within(found, rule)
            else:
                together &= _may_meet(
                    found, rule.values if rule.rule is CombinationRule.APART else ()
                )
        return cls(
            sizes=inputs.sizes.astype(float),
            risky=risky,
            together=together,
            most=len(inputs) if most is None else min(most, len(inputs)),
            orders=tuple(orders),
            counts_subjects=counts_subjects,
            codes=np.array([_codes(inputs, name) for name in weights], np.int32).reshape(
                len(weights), len(inputs)
            ),
            surcharges=np.array(list(weights.values()), float),
        )

    @property
    def any(self) -> bool:
        """Whether anything is forbidden that (5) allows."""
        return bool(self.orders) or self.most < len(self.sizes) or not self.together.all()

    @property
    def needs_closing(self) -> bool:
        """Whether `least_costs` is a lower bound that `closed` makes exact."""
        return bool(self.orders) or len(self.surcharges) > 0

    def times(self, sets: Places) -> Reals:
        """By how much fields with weights multiply the cost of each set."""
        out: Reals = np.ones(len(sets))
        for codes, surcharge in zip(self.codes, self.surcharges.tolist(), strict=True):
            found = codes[sets]
            out += surcharge * (found != found[:, :1]).any(axis=1)
        return out

    @property
    def price(self) -> Callable[[Sequence[int]], float] | None:
        """`cost` where fields have weights; None where the sum of sizes is enough."""
        return self.cost if len(self.surcharges) else None

    def cost(self, members: Sequence[int]) -> float:
        """psi of an output channel, with the weights of its fields."""
        at = np.array(members, np.int32)
        return float(self.sizes[at].sum() * self.times(at[None, :])[0])

    def least_costs(self, sets: Places) -> Reals:
        """For each set (a row of `sets`): psi of the cheapest output channel around it, infinite
        where there is none.

        Where rules are about gaps it is a lower bound, which `closed` makes exact.
        """
        many, size = sets.shape
        out: Reals = self.sizes[sets].sum(axis=1)
        for a in range(size):
            for b in range(a):
                out[~self.together[sets[:, a], sets[:, b]]] = np.inf
        hollow = np.flatnonzero(self.risky[sets].all(axis=1) & np.isfinite(out))
        for start in range(0, len(hollow), _CHUNK):
            part = hollow[start : start + _CHUNK]
            out[part] += self._cheapest_beside(sets[part])
        bare = np.full(many, size)
        bare[hollow] += 1
        out[bare > self.most] = np.inf
        return out * self.times(sets) if len(self.surcharges) and size else out

    def _cheapest_beside(self, sets: Places) -> Reals:
        """The size of the smallest input channel that is not risky and may be beside a set."""
        harmless = np.where(self.risky, np.inf, self.sizes)
        if self.together.all():
            return np.full(len(sets), harmless.min())
        out: Reals = np.where(self.together[sets].all(axis=1), harmless, np.inf).min(axis=1)
        return out

    def may_grow(self, sets: Places) -> Flags:
        """Which sets are no output channels as they are: those without an input that is not risky,
        or with gaps."""
        out: Flags = np.all(self.risky[sets], axis=1)
        for order in self.orders:
            held = (order[sets][:, :, None] == np.arange(order.max() + 1)).any(axis=1)
            first, last = held.argmax(axis=1), held.shape[1] - 1 - held[:, ::-1].argmax(axis=1)
            out |= held.any(axis=1) & (last - first + 1 > held.sum(axis=1))
        return out

    def closed(self, members: Members, *, among: Flags | None = None) -> Members | None:
        """The cheapest output channel around `members`, None where there is none; only inputs
        `among` are added.

        A missing value must be added by an input channel that has it, so each of these is tried,
        cheapest first. The first set without a defect is the cheapest."""
        start = tuple(sorted(members))
        if not self._fits(start):
            return None
        heap = [(self.cost(start), start)]
        seen = {start}
        while heap:
            _, found = heapq.heappop(heap)
            missing = self._missing(found)
            if missing is None:
                return found
            for r in missing if among is None else [r for r in missing if among[r]]:
                wider = tuple(sorted((*found, r)))
                if wider not in seen and self._fits(wider):
                    seen.add(wider)
                    heapq.heappush(heap, (self.cost(wider), wider))
        return None

    def allows(self, members: Members) -> bool:
        """Whether a set is an output channel as it is; that of all inputs is."""
        everything = len(members) == len(self.sizes) and not self.risky.all()
        return everything or (self._fits(members) and self._missing(tuple(members)) is None)

    def _fits(self, members: Members) -> bool:
        return len(members) <= self.most and bool(self.together[np.ix_(members, members)].all())

    def _missing(self, members: Members) -> list[int] | None:
        """Input channels of which one must be added; None where nothing is missing."""
        return next(self._defects(list(members)), None)

    def _defects(self, chosen: list[int]) -> Iterator[list[int]]:
        for order in self.orders:
            held = {int(place) for place in order[chosen] if place >= 0}
            for place in range(min(held, default=0), max(held, default=0)):
                if place not in held and (order == place).any():
                    yield np.flatnonzero(order == place).tolist()
        if self.risky[chosen].all():
            yield np.flatnonzero(~self.risky).tolist()


def _places(found: Sequence[str | None], order: Sequence[str]) -> Places:
    """The place of each input channel's value among those of the order that occur."""
    occurring = [value for value in order if value in set(found)]
    place = {value: number for number, value in enumerate(occurring)}
    return np.array(
        [place.get(value, -1) if value is not None else -1 for value in found], np.int32
    )


def _may_meet(found: Sequence[str | None], values: Sequence[str]) -> Flags:
    """Which input channels may be together where no two of `values` may, or no two values at
    all."""
    codes = {value: number for number, value in enumerate(dict.fromkeys(found))}
    code = np.array([codes[value] for value in found])
    named = np.array([not values or value in values for value in found], bool)
    differ = code[:, None] != code[None, :]
    meeting: Flags = ~(differ & named[:, None] & named[None, :])
    return meeting


def _codes(inputs: Inputs, name: str) -> list[int]:
    """A number for the value of each input channel in a field."""
    column = inputs.fields.index(name)
    found = [values[column] for values in inputs.values]
    codes = {value: number for number, value in enumerate(dict.fromkeys(found))}
    return [codes[value] for value in found]


def _differing(inputs: Inputs) -> NDArray[np.int16]:
    """In how many fields each two input channels differ."""
    out: NDArray[np.int16] = np.zeros((len(inputs), len(inputs)), np.int16)
    for name in inputs.fields:
        code = np.array(_codes(inputs, name))
        out += code[:, None] != code[None, :]
    return out


def _within(found: Sequence[str | None], rule: ChannelRule) -> Flags:
    """Which input channels may be together where their values are at most so far apart; a value
    without a place is only with itself."""
    assert rule.most is not None
    place = {value: Fraction(number) for number, value in enumerate(rule.values)}
    places = [place.get(value or "") if rule.values else _number(value) for value in found]
    known = np.array([at is not None for at in places])
    unit = math.lcm(*(at.denominator for at in places if at is not None))
    scaled = np.array([0 if at is None else int(at * unit) for at in places], object)
    if abs(scaled).max(initial=0) < 2**61:
        scaled = scaled.astype(np.int64)
    most = math.floor(Fraction(repr(rule.most)) * unit)
    apart = np.asarray(abs(scaled[:, None] - scaled[None, :]) <= most, bool)
    code = np.unique(
        np.array(["" if value is None else f"={value}" for value in found]), return_inverse=True
    )[1]
    within: Flags = (apart & known[:, None] & known[None, :]) | (code[:, None] == code[None, :])
    return within


def _number(value: str | None) -> Fraction | None:
    try:
        return Fraction(value) if value else None
    except (ValueError, ZeroDivisionError):
        return None
