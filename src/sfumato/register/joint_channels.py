"""Releases by channels: how well the confidential field can be inferred from several together.

Such a release has names, and discloses of each subject only the output channel. A holder of several
knows the people whom all their output channels have in common. That intersection is judged like an
output channel: by the input channels of its people, no value may be more likely than its
tolerance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .joint_classes import JointClasses, Numbers

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class ChannelView:
    """One release by channels: by person the output channel, the input channel and the value, 0
    where absent; `tolerance` by value."""

    bins: Callable[[], Numbers] = field(repr=False)
    input_of: Callable[[], Numbers] = field(repr=False)
    value_of: Callable[[], Numbers] = field(repr=False)
    tolerance: NDArray[np.float64] = field(repr=False)


def beyond_tolerance(views: Sequence[ChannelView], joint: JointClasses) -> int:
    """How many people are in an intersection of output channels in which some value is more likely
    than its tolerance. `joint` are the intersections of all output channels that are held."""
    broken = np.zeros(joint.count, bool)
    for view in views:
        broken |= _broken(view, joint)
    return int(joint.sizes[broken].sum())


def _broken(view: ChannelView, joint: JointClasses) -> NDArray[np.bool_]:
    inputs, values = view.input_of(), view.value_of()
    there = np.flatnonzero(inputs > 0)
    risky = np.flatnonzero(view.tolerance < 1)
    if not len(there) or not len(risky):
        return np.zeros(joint.count, bool)
    subjects = np.bincount(inputs)
    own = joint.class_of[there]
    people = np.bincount(own, minlength=joint.count)
    out = np.zeros(joint.count, bool)
    for code in risky.tolist():
        having = np.bincount(inputs[values == code + 1], minlength=len(subjects))
        share = np.divide(having, subjects, out=np.zeros(len(subjects)), where=subjects > 0)
        likely = np.bincount(own, weights=share[inputs[there]], minlength=joint.count)
        out |= likely > people * (view.tolerance[code] + ROUNDING)
    return out
