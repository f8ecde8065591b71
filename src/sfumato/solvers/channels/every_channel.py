"""Every output channel that an optimum with whole subjects can use, where there are few enough
input channels.

Rays are not enough for whole subjects: rounding may want wider channels. But at the duals of the
linear optimum an assignment costs at least the linear bound and the reduced cost of each of its
subjects. A channel has at least two subjects. Where its best blend has a reduced cost beyond the
gap for these two, no assignment better than the one at hand uses it. Baldacci et al. 2008 enumerate
routes by reduced cost in this way."""

from __future__ import annotations

import numpy as np

from .columns import Reals
from .ray_pool import RayPool
from .rules import Members, Rules

MOST_INPUTS = 20
MOST_CHANNELS = 5_000


def channels_within(
    pool: RayPool, rules: Rules, duals: Reals, *, gap: float
) -> list[Members] | None:
    """All output channels that an assignment within `gap` of the linear bound may use; None where
    they are too many."""
    inputs = len(rules.sizes)
    if inputs > MOST_INPUTS or not pool.is_complete:
        return None
    psi = _sums(rules.sizes)
    reduced = psi - _best(pool, duals)
    near = np.flatnonzero(2 * reduced <= gap + 1e-6)
    found = [
        members
        for members in map(_members, near.tolist())
        if len(members) > 1 and rules.allows(members)
    ]
    return found if len(found) <= MOST_CHANNELS else None


def _sums(sizes: Reals) -> Reals:
    """psi of every set; sets are numbers whose bits are their members."""
    out = np.zeros(1)
    for size in sizes.tolist():
        out = np.concatenate([out, out + size])
    return out


def _best(pool: RayPool, duals: Reals) -> Reals:
    """The most that the duals earn over the blends inside each set: those of its subsets are its
    own too."""
    inputs = len(duals)
    out = np.full(1 << inputs, -np.inf)
    for blends in pool.blends:
        masks = (1 << blends.sets.astype(np.int64)).sum(axis=1)
        np.maximum.at(out, masks, np.einsum("ns,ns->n", duals[blends.sets], blends.shares))
    for r in range(inputs):
        halves = out.reshape(-1, 2, 1 << r)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return out


def _members(mask: int) -> Members:
    return tuple(r for r in range(mask.bit_length()) if mask >> r & 1)
