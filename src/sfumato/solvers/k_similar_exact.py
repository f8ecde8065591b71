"""k-Similar to the optimum (Sweeney 2000, section 6.4), as facility location with a lower bound.

The paper does not say how its optimum is found. Here, a cluster is identified by its *closure*, the
lowest common ancestors of its bins. Two clusters with one closure may be merged at no cost. It is
therefore enough to decide how many rows of each bin are in which closure. Every used closure holds
at least k rows. HiGHS solves this integer program. A cluster of 2k rows or more can be cut in two
at no cost. Closures of more than 2k - 1 bins are therefore not needed (3k - 2 where bins stay
whole). Ties are decided by the recipient's tolerance, as in the paper: a second program keeps the
least cost and minimises what the recipient tolerates least."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Bug
from sfumato.hierarchies import Codes

from .k_similar_ladders import APART, Floats, Ladders, Numbers
from .k_similar_portions import Portions

Places = NDArray[np.intp]


def closures_of(ladders: Ladders, k: int, *, limit: int, whole: bool = False) -> Codes | None:
    """The closures that an optimum may need; None when there are more than `limit`."""
    found = fresh = np.unique(ladders.codes, axis=0)
    for _ in range((3 * k - 3) if whole else (2 * k - 2)):
        if len(found) > limit or len(fresh) * ladders.codes.size > 20_000 * limit:
            return None
        wider = np.where(
            fresh[:, None, :] == ladders.codes[None, :, :], fresh[:, None, :], np.int32(APART)
        )
        both = np.unique(np.concatenate([found, wider.reshape(-1, found.shape[1])]), axis=0)
        if len(both) == len(found):
            break
        fresh, found = _not_in(both, found), both
    return found if len(found) <= limit else None


def _not_in(rows: Codes, known: Codes) -> Codes:
    seen = {row.tobytes() for row in known}
    return rows[[row.tobytes() not in seen for row in rows]]


class ExactClusters:
    """Which bin may go to which closure, and the integer program over these pairs."""

    def __init__(
        self, ladders: Ladders, counts: Numbers, k: int, *, closures: Codes, whole: bool = False
    ) -> None:
        self.ladders, self.counts, self.k, self.whole = ladders, counts, k, whole
        under = (
            (closures[:, None, :] == APART) | (closures[:, None, :] == ladders.codes[None, :, :])
        ).all(axis=2)
        enough = under @ counts >= k
        self.closure, self.bin_of = np.nonzero(under[enough])
        self.apart = (closures[enough] == APART)[self.closure]

    @property
    def pairs(self) -> int:
        return len(self.bin_of)

    def solve(self, preference: Floats, *, nodes: int | None = None) -> Portions | None:
        """The clustering of least cost, among equals of least `preference` (a cost per column).

        None when `nodes` nodes of the search tree were not enough to prove it.
        """
        program = _program(self.closure, self.bin_of, self.counts, k=self.k, whole=self.whole)
        if nodes is not None:
            program.setOptionValue("mip_max_nodes", nodes)
        unit = self.counts[self.bin_of] if self.whole else np.ones(self.pairs, np.int64)
        cost = (self.apart * self.ladders.steps[self.bin_of]).sum(axis=1) * unit
        placed = _solved(program, cost)
        if placed is not None and preference.any():
            at = np.arange(self.pairs, dtype=np.int32)
            program.addRow(-highspy.kHighsInf, float(cost @ placed) + 1e-7, self.pairs, at, cost)
            placed = _solved(program, (self.apart * preference).sum(axis=1) * unit)
        if placed is None:
            return None
        rows, used = placed * unit, placed > 0
        self._check(rows)
        return Portions(
            self.bin_of[used].astype(np.int64), rows[used], self.closure[used].astype(np.int64)
        )

    def _check(self, rows: Numbers) -> None:
        placed = np.bincount(self.bin_of, weights=rows, minlength=len(self.counts))
        sizes = np.bincount(self.closure, weights=rows)
        if (placed != self.counts).any() or ((sizes > 0) & (sizes < self.k)).any():
            raise Bug("the integer program of k-Similar lost rows or made a cluster under k")


def _program(
    closure: Places, bin_of: Places, counts: Numbers, *, k: int, whole: bool
) -> highspy.Highs:
    """Columns: x[p] of `bin_of[p]` at `closure[p]`, in rows or as the whole bin; then y[c], closure
    c is used.

    Constraints: each bin is placed; each closure in use holds k rows; nothing is assigned where
    nothing is in use."""
    pairs, sites, bins = len(closure), int(closure.max()) + 1, len(counts)
    x, y, ones = np.arange(pairs), pairs + np.arange(sites), np.ones(pairs)
    size = counts[bin_of].astype(float)
    most, weight = (ones, size) if whole else (size, ones)
    each = ones[:bins] if whole else counts.astype(float)
    row = np.concatenate(
        [bin_of, bins + closure, bins + np.arange(sites), bins + sites + x, bins + sites + x]
    )
    column = np.concatenate([x, x, y, x, y[closure]])
    value = np.concatenate([ones, weight, np.full(sites, -float(k)), ones, -most])
    order = np.lexsort((column, row))
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = pairs + sites, bins + sites + pairs
    lp.col_cost_ = lp.col_lower_ = np.zeros(pairs + sites)
    lp.col_upper_ = np.concatenate([most, np.ones(sites)])
    lp.row_lower_ = np.concatenate([each, np.zeros(sites), np.full(pairs, -highspy.kHighsInf)])
    lp.row_upper_ = np.concatenate([each, np.full(sites, highspy.kHighsInf), np.zeros(pairs)])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=lp.num_row_))])
    lp.a_matrix_.index_, lp.a_matrix_.value_ = column[order], value[order]
    lp.integrality_ = [highspy.HighsVarType.kInteger] * (pairs + sites)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    for option, setting in (("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-9), ("random_seed", 0)):
        highs.setOptionValue(option, setting)
    highs.passModel(lp)
    return highs


def _solved(program: highspy.Highs, cost: Floats) -> Numbers | None:
    program.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
    program.run()
    if program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    placed: Numbers = np.rint(np.array(program.getSolution().col_value[: len(cost)])).astype(
        np.int64
    )
    return placed
