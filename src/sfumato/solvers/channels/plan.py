"""A plan: which output channels there are, and how many subjects of each input channel go to each
of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake
from sfumato.protection import NEARLY_ALL, ChannelAccount, exactly

from .inputs import Inputs
from .rules import Members, Reals

Places = NDArray[np.int32]
Assigned = Mapping[Members, Mapping[int, float]]

SLIGHT = 1e-6
"""Fewer subjects than this are none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ChannelPlan:
    """x_rw of Garfinkel et al. 2007: `subjects[i]` of input channel `input_of[i]` go to output
    channel `channel_of[i]`.

    Each member of a channel has its entry, also where it has no subjects there. Subjects of input
    channels that are not risky and protect nobody stay in a channel of their own, which costs
    nothing. No assignment to the output channels that it was compared with costs less than `bound`.
    With `is_proven`, these are all that the rules allow, and this one costs no more than any.

    Example:
        >>> sizes, counts = np.array([2, 3]), np.array([[1], [0]])
        >>> inputs = Inputs(fields=("crp",), values=(("H",), ("N",)), sizes=sizes, counts=counts)
        >>> plan = ChannelPlan.of(inputs, {(0, 1): {0: 2, 1: 2}})
        >>> plan.channels, plan.subjects.tolist(), plan.cost
        (((0, 1), (1,)), [2.0, 2.0, 1.0], 20.0)
    """

    inputs: Inputs
    channels: tuple[Members, ...]
    channel_of: Places
    input_of: Places
    subjects: Reals
    bound: float = 0.0
    is_proven: bool = False
    compared_with: str = "all output channels"
    notes: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        assigned: Assigned,
        *,
        bound: float = 0.0,
        is_proven: bool = False,
        compared_with: str = "all output channels",
        notes: tuple[str, ...] = (),
    ) -> ChannelPlan:
        """From the subjects of each output channel; subjects that are not assigned stay in a
        channel of their own."""
        left = inputs.sizes.astype(float)
        entries: dict[Members, list[float]] = {}
        for members, amounts in assigned.items():
            if sum(amounts.values()) > SLIGHT:
                entries[members] = [float(amounts.get(r, 0.0)) for r in members]
                np.subtract.at(left, list(members), entries[members])
        if (left < -SLIGHT * np.maximum(inputs.sizes, 1)).any():
            raise Mistake("More subjects were assigned than there are in an input channel.")
        for r in np.flatnonzero(left > SLIGHT).tolist():
            alone = entries.setdefault((r,), [0.0])
            alone[0] += float(left[r])
        channels = tuple(sorted(entries))
        return cls(
            inputs=inputs,
            channels=channels,
            channel_of=np.repeat(
                np.arange(len(channels)), [len(members) for members in channels]
            ).astype(np.int32),
            input_of=np.array([r for members in channels for r in members], np.int32),
            subjects=np.array([amount for members in channels for amount in entries[members]]),
            bound=bound,
            is_proven=is_proven,
            compared_with=compared_with,
            notes=notes,
        )

    @property
    def psi(self) -> Reals:
        """The cost of a subject in each output channel: the subjects of its input channels; 0 for
        one alone (11). Fields with weights multiply it."""
        if not self.inputs.field_weights:
            return self.breadths
        found: Reals = self.breadths * [self.inputs.times(c) for c in self.channels]
        return found

    @property
    def breadths(self) -> Reals:
        """The subjects of the input channels of each output channel; 0 for one alone."""
        sizes = self.inputs.sizes
        return np.array([float(sizes[list(c)].sum()) if len(c) > 1 else 0.0 for c in self.channels])

    @property
    def cost(self) -> float:
        """Psi, (10) and (11): the subjects that a subject can be confused with, summed over
        subjects."""
        return float(self.psi[self.channel_of] @ self.subjects) if len(self.channels) else 0.0

    @property
    def omega(self) -> float:
        """The cost over its largest value: 0 discloses everything, 1 nothing (section 7)."""
        largest = self.inputs.times(range(len(self.inputs)))
        return self.cost / (self.inputs.subjects**2 * largest)

    @property
    def gap(self) -> float:
        """How much cheaper another assignment could be at most, as a share of the cost; 1 where
        nothing is proven."""
        return max(0.0, 1.0 - self.bound / self.cost) if self.cost > 0 else 0.0

    @property
    def has_bound(self) -> bool:
        """Whether anything is proven about how cheap an assignment can be."""
        return self.bound > 0 or self.cost == 0

    @property
    def in_channels(self) -> Reals:
        """How many subjects each output channel has."""
        return np.bincount(self.channel_of, self.subjects, minlength=len(self.channels)).astype(
            float
        )

    @property
    def is_whole(self) -> bool:
        return bool((self.subjects == np.rint(self.subjects)).all())

    @property
    def untold(self) -> float:
        """The share of subjects about whom nothing is disclosed: nearly everyone could be in their
        channel."""
        broad = self.breadths >= float(NEARLY_ALL) * self.inputs.subjects
        return float(self.in_channels[broad].sum()) / self.inputs.subjects

    def account(self) -> ChannelAccount:
        """A release's facts about its channels; for a plan of whole subjects."""
        if not self.is_whole:
            raise Mistake(
                "A plan with parts of subjects cannot be released.", attempt="whole_subjects=True."
            )
        return ChannelAccount(
            sizes=self.inputs.sizes,
            counts=self.inputs.published_counts,
            channel_of=self.channel_of.astype(np.int64),
            input_of=self.input_of.astype(np.int64),
            subjects=np.rint(self.subjects).astype(np.int64),
            statistic_of=self.inputs.statistic_of,
            statistic_sizes=self.inputs.published_sizes,
            times=tuple(exactly(self.inputs.times(c)) for c in self.channels)
            if self.inputs.field_weights
            else (),
            largest_times=exactly(self.inputs.times(range(len(self.inputs)))),
        )
