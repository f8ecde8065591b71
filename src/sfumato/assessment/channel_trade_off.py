"""The effect of more tolerance in a release by channels: the trade-off of Garfinkel, Gopal and
Thompson 2007, section 7. Two stated rules decide where it stops paying."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.protection import ChannelTolerance
from sfumato.solvers.channels import ChannelPlan

RULES = {
    "diminishing_return": "the setting after which the loss that one more per cent saves falls most",
    "below_one": "the first setting from which one more per cent saves less than one per cent of "
    "the loss, there and at all higher settings",
}


@dataclass(frozen=True, kw_only=True)
class ChannelPoint:
    """One setting. `loss` is omega. `loss_informed` omits the subjects about whom nothing is
    disclosed, whose share is `untold`. `inputs_each` is how many input channels a subject could be
    in, of those in several but not in nearly all. `reason` is why there is no plan.
    `over_if_finer` is, where published statistics are coarser, the share of subjects for whom a
    value is likelier than tolerated to somebody who has those of each input channel."""

    setting: float
    loss: float = 0.0
    loss_informed: float = 0.0
    untold: float = 0.0
    inputs_each: float = 0.0
    output_channels: int = 0
    risky_inputs: int = 0
    at_risk: float = 0.0
    least_loss: float | None = None
    is_proven: bool = False
    seconds: float = 0.0
    reason: str = ""
    over_if_finer: float | None = None

    @classmethod
    def of(
        cls, setting: float, plan: ChannelPlan, tolerance: ChannelTolerance, *, seconds: float
    ) -> ChannelPoint:
        inputs, people, psi, breadths = plan.inputs, plan.in_channels, plan.psi, plan.breadths
        lengths = np.array([len(members) for members in plan.channels])
        broad = breadths >= 0.9 * inputs.subjects
        several = (lengths > 1) & ~broad
        inside = float(people[several].sum())
        risky = tolerance.risky(inputs.known_sizes, inputs.known_counts)
        squared = float(inputs.subjects) ** 2 * inputs.times(range(len(inputs)))
        return cls(
            setting=setting,
            loss=plan.omega,
            loss_informed=float(psi[~broad] @ people[~broad]) / squared,
            untold=plan.untold,
            inputs_each=float(lengths[several] @ people[several]) / inside if inside else 1.0,
            output_channels=len(plan.channels),
            risky_inputs=int(risky.sum()),
            at_risk=float(inputs.sizes[risky].sum()) / inputs.subjects,
            least_loss=plan.bound / squared if plan.has_bound else None,
            is_proven=plan.is_proven,
            seconds=seconds,
            over_if_finer=None if inputs.statistic_of is None else _over_if_finer(plan, tolerance),
        )


def _over_if_finer(plan: ChannelPlan, tolerance: ChannelTolerance) -> float:
    inputs, people = plan.inputs, plan.in_channels
    mixed = np.zeros((len(plan.channels), inputs.counts.shape[1]))
    shares = inputs.counts / inputs.sizes[:, None]
    np.add.at(mixed, plan.channel_of, shares[plan.input_of] * plan.subjects[:, None])
    mixed /= np.maximum(people, 1.0)[:, None]
    over = (mixed > np.array(tolerance.limits, float) + 1e-9).any(axis=1)
    if tolerance.bound is not None:
        over |= mixed @ np.array(tolerance.weights, float) > float(tolerance.bound) + 1e-9
    return float(people[over].sum()) / inputs.subjects


@dataclass(frozen=True, kw_only=True)
class ChannelTradeOff:
    """The settings of one sweep, lowest first."""

    over: str
    points: tuple[ChannelPoint, ...]

    @property
    def solved(self) -> tuple[ChannelPoint, ...]:
        return tuple(point for point in self.points if not point.reason)

    @property
    def saved(self) -> tuple[float, ...]:
        """Of the loss at the lowest setting, the share that each setting saves (Figure 9)."""
        first = self.solved[0].loss if self.solved else 0.0
        return tuple(1.0 - point.loss / first if first else 0.0 for point in self.solved)

    @property
    def rates(self) -> tuple[float, ...]:
        """Of that loss, the share that one more per cent saves from each setting to the next
        (Figure 10)."""
        saved, settings = self.saved, [point.setting for point in self.solved]
        return tuple(
            (after - before) / (100.0 * math.log(high / low))
            for before, after, low, high in zip(
                saved, saved[1:], settings, settings[1:], strict=False
            )
        )

    @property
    def diminishing_return(self) -> float | None:
        """The setting after which the rate falls most; None with fewer than three settings, or
        where it never falls."""
        return _largest_drop([point.setting for point in self.solved], self.rates)

    @property
    def below_one(self) -> float | None:
        """The first setting from which one more per cent of tolerance saves less than one per cent
        of the loss there; None where it saves more to the end."""
        found = None
        points = self.solved
        for low, high in reversed(list(pairwise(points))):
            if low.loss > 0 and _elasticity(low, high) >= 1.0:
                break
            found = low.setting
        return found

    @property
    def words(self) -> list[str]:
        """Where more tolerance stops paying, by each rule."""
        knee, below = self.diminishing_return, self.below_one
        out = [
            f"Returns diminish at {self.over} = {knee:g}: from there on, one more per cent saves "
            "much less of the loss."
            if knee is not None
            else "No point of diminishing return can be named."
        ]
        if below is not None:
            out.append(
                f"From {self.over} = {below:g} on, one more per cent saves less than one per cent "
                "of the loss."
            )
        return out

    def as_dict(self) -> dict[str, Any]:
        after = dict(zip((p.setting for p in self.solved), self.saved, strict=True))
        rates = dict(zip((p.setting for p in self.solved), self.rates, strict=False))
        return {
            "over": self.over,
            "points": [
                {
                    **asdict(point),
                    "saved": after.get(point.setting),
                    "saved_per_percent": rates.get(point.setting),
                }
                for point in self.points
            ],
            "diminishing_return": self.diminishing_return,
            "below_one": self.below_one,
            "rules": RULES,
        }


def _largest_drop(settings: Sequence[float], rates: Sequence[float]) -> float | None:
    """Example:
    >>> _largest_drop([1.0, 1.2, 1.4, 1.6], [0.03, 0.01, 0.008])
    1.2
    """
    drops = [
        (before - after, setting)
        for before, after, setting in zip(rates, rates[1:], settings[1:], strict=False)
    ]
    best = max(drops, default=(0.0, 0.0), key=lambda one: one[0])
    return best[1] if best[0] > 1e-12 else None


def _elasticity(low: ChannelPoint, high: ChannelPoint) -> float:
    """By how many per cent the loss falls for one more per cent."""
    if high.loss <= 0:
        return math.inf
    return math.log(low.loss / high.loss) / math.log(high.setting / low.setting)
