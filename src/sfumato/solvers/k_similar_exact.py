"""k-Similar to the optimum (paper 000, section 6.4), as facility location with a lower bound.

The paper does not say how its optimum is found. Here: a cluster is known by its *closure*, the lowest common
ancestors of its bins, and two clusters with one closure may be merged at no cost. So it is enough to decide
how many rows of each bin go to which closure, every closure that is used holding at least k rows: an integer
program, solved by HiGHS. A cluster of 2k rows or more can be cut in two at no cost, so only closures of at
most 2k - 1 bins are needed. Ties are decided by the recipient's tolerance, as in the paper, by a second
program that keeps the least cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug
from sfumato.policy.hierarchies import Codes

from .k_similar_ladders import APART, Floats, Ladders, Numbers


@dataclass(frozen=True, eq=False)
class Portions:
    """Rows of bins put into clusters: `rows[p]` rows of bin `bin_of[p]` belong to cluster `cluster[p]`."""

    bin_of: Numbers
    rows: Numbers
    cluster: Numbers


def closures_of(ladders: Ladders, k: int, *, limit: int) -> Codes | None:
    """The closures of every set of at most 2k - 1 bins; None when there are more than `limit`."""
    found = fresh = np.unique(ladders.codes, axis=0)
    for _ in range(2 * k - 2):
        if len(fresh) * len(ladders) > 400 * limit:
            return None
        wider = np.where(fresh[:, None, :] == ladders.codes[None, :, :], fresh[:, None, :], np.int32(APART))
        both = np.unique(np.concatenate([found, wider.reshape(-1, found.shape[1])]), axis=0)
        if len(both) > limit:
            return None
        if len(both) == len(found):
            break
        fresh, found = _not_in(both, found), both
    return found


def _not_in(rows: Codes, known: Codes) -> Codes:
    seen = {row.tobytes() for row in known}
    return rows[[row.tobytes() not in seen for row in rows]]


def cluster_exactly(ladders: Ladders, counts: Numbers, k: int, *, closures: Codes, preference: Floats) -> Portions:
    """The clustering of least cost; among equals, the one of least `preference` (a cost per column)."""
    under = ((closures[:, None, :] == APART) | (closures[:, None, :] == ladders.codes[None, :, :])).all(axis=2)
    closures, under = closures[under @ counts >= k], under[under @ counts >= k]
    closure, bin_of = np.nonzero(under)
    apart = closures[closure] == APART
    cost = (apart * ladders.steps[bin_of]).sum(axis=1)
    program = _Program(closure, bin_of, counts, k)
    rows = program.solve(cost)
    if preference.any():
        program.keep(cost, float(cost @ rows))
        rows = program.solve((apart * preference).sum(axis=1))
    used = rows > 0
    return Portions(bin_of[used].astype(np.int64), rows[used], closure[used].astype(np.int64))


class _Program:
    """Columns: x[p] rows of `bin_of[p]` at `closure[p]`, then y[c] whether closure c is used."""

    def __init__(self, closure: NDArray[np.intp], bin_of: NDArray[np.intp], counts: Numbers, k: int) -> None:
        pairs, sites, bins = len(closure), int(closure.max()) + 1, len(counts)
        self.pairs, self.counts, self.bin_of = pairs, counts, bin_of
        x = np.arange(pairs)
        open_of, unit = pairs + closure, np.ones(pairs)
        # Rows: each bin is placed; each used closure holds k; nothing is placed where nothing is open.
        row = np.concatenate([bin_of, bins + closure, bins + np.arange(sites), bins + sites + x, bins + sites + x])
        column = np.concatenate([x, x, pairs + np.arange(sites), x, open_of])
        value = np.concatenate([unit, unit, np.full(sites, -float(k)), unit, -counts[bin_of].astype(float)])
        order = np.lexsort((column, row))
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = pairs + sites, bins + sites + pairs
        lp.col_cost_ = np.zeros(lp.num_col_)
        lp.col_lower_ = np.zeros(lp.num_col_)
        lp.col_upper_ = np.concatenate([counts[bin_of].astype(float), np.ones(sites)])
        lp.row_lower_ = np.concatenate([counts.astype(float), np.zeros(sites), np.full(pairs, -highspy.kHighsInf)])
        lp.row_upper_ = np.concatenate([counts.astype(float), np.full(sites, highspy.kHighsInf), np.zeros(pairs)])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=lp.num_row_))])
        lp.a_matrix_.index_ = column[order]
        lp.a_matrix_.value_ = value[order]
        lp.integrality_ = [highspy.HighsVarType.kInteger] * lp.num_col_
        self.highs = highspy.Highs()
        self.highs.silent()
        for option, setting in (("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-9), ("threads", 1), ("random_seed", 0)):
            self.highs.setOptionValue(option, setting)
        self.highs.passModel(lp)

    def keep(self, cost: Floats, total: float) -> None:
        """From now on, no solution may cost more than `total`."""
        at = np.arange(self.pairs, dtype=np.int32)
        self.highs.addRow(-highspy.kHighsInf, total + 1e-7, self.pairs, at, cost)

    def solve(self, cost: Floats) -> Numbers:
        at = np.arange(self.pairs, dtype=np.int32)
        self.highs.changeColsCost(self.pairs, at, cost)
        self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise Bug("the integer program of k-Similar has no optimum")
        rows = np.rint(np.array(self.highs.getSolution().col_value[: self.pairs])).astype(np.int64)
        placed = np.zeros(len(self.counts), np.int64)
        np.add.at(placed, self.bin_of, rows)
        if (placed != self.counts).any():
            raise Bug("the integer program of k-Similar lost rows")
        return rows
