"""Risk and utility of a candidate that was not written: from the source's bins and the recoding
alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sfumato.bins import Bins, GlobalRecoding
from sfumato.engines import FieldKind
from sfumato.releases import PreparedSource
from sfumato.solvers import Solution

from .number_guidance import expected_contacts
from .utility import bin_losses, label_values, utility
from .utility.keyed_sums import rows_per_label
from .utility.label_values import LabelValues
from .utility.query_error import query_error_of
from .utility.ru_map import RuPoint

QUERIES = 240


class Measures:
    """Measures every candidate alike: the same random questions are asked of each."""

    def __init__(self, prepared: PreparedSource, *, seed: int) -> None:
        self.prepared, self.seed = prepared, seed
        self.before = prepared.bins.project(prepared.known)
        self.kinds = {info.name: info.kind for info in prepared.engine.fields()}

    def source(self) -> RuPoint:
        """The table as it is."""
        bins = self.prepared.bins
        utilities = dict.fromkeys(("information", "precision", "entropy", "rows", "queries"), 1.0)
        count, smallest, risks = len(bins), bins.smallest, _risks(bins)
        if self._is_raised and self.prepared.rolled_up is not None:
            sizes = self.prepared.rolled_up.sizes
            count, smallest = int(sizes.sum()), int(np.flatnonzero(sizes)[0])
            risks = {"highest": 1 / smallest, "average": count / bins.rows}
        return RuPoint(
            setting=0.0, solver="", risks=risks, utilities=utilities, bins=count, smallest=smallest
        )

    @property
    def _is_raised(self) -> bool:
        """Whether the source's own values are not at hand, so that what needs them is not
        measured."""
        rolled = self.prepared.rolled_up
        return rolled is not None and rolled.is_raised

    def of(self, bins: Bins, solution: Solution, *, setting: float) -> RuPoint:
        """`bins` are the source's, cut by households where the recoding is."""
        recoding, hierarchies = solution.recoding, self.prepared.hierarchies
        gone = recoding.rows_suppressed(bins)
        if gone >= bins.rows:
            return RuPoint(
                setting=setting,
                solver=solution.solver,
                reason=f"All {bins.rows:,} rows are left out.",
            )
        after = recoding.apply(bins, hierarchies)
        fields = self._read(after)
        worth = utility(bins, hierarchies, recoding)
        lost = bin_losses(self.before, after, fields, hierarchies)
        utilities = {
            "information": 1 - worth.loss,
            "precision": worth.precision,
            "rows": 1 - gone / bins.rows,
        }
        if not self._is_raised:
            utilities["queries"] = self._questions(after, fields)
        if lost.non_uniform_entropy is not None and not self._is_raised:
            utilities["entropy"] = 1 - lost.non_uniform_entropy
        return RuPoint(
            setting=setting,
            solver=solution.solver,
            risks=_risks(after),
            utilities=utilities,
            rows_suppressed=gone,
            bins=len(after),
            smallest=after.smallest,
            contacts=expected_contacts(after),
            levels=self._levels(recoding.levels) if isinstance(recoding, GlobalRecoding) else {},
        )

    def _levels(self, levels: Mapping[str, int]) -> dict[str, int]:
        """Levels as the policy's hierarchies count them."""
        rolled = self.prepared.rolled_up
        return (
            rolled.told(levels)
            if rolled is not None
            else {name: int(level) for name, level in levels.items()}
        )

    def _read(self, after: Bins) -> dict[str, LabelValues]:
        """How released labels are read. After rolling up, values are the labels of the start
        levels."""
        out = {}
        for column, name in enumerate(self.before.fields):
            out[name] = label_values(
                name,
                (self.before.labels[column], rows_per_label(self.before, name)),
                after.labels[after.column(name)],
                kind=self.kinds.get(name, FieldKind.TEXT),
                hierarchy=self.prepared.hierarchies[name],
            )
        return out

    def _questions(self, after: Bins, fields: dict[str, LabelValues]) -> float:
        found = query_error_of(
            lambda names: (self.before, after),
            fields,
            rows=self.before.rows,
            queries=QUERIES,
            chance=np.random.default_rng([self.seed, *b"sweep"]),
            seed=self.seed,
        )
        return 1 - min(found.whole.median, 1.0) if found is not None else 1.0


def _risks(bins: Bins) -> dict[str, float]:
    out = {"highest": 1 / bins.smallest, "average": len(bins) / bins.rows}
    shares = [
        float((found.counts / bins.counts[found.bin_of]).max())
        for found in bins.histograms.values()
        if len(found.counts)
    ]
    return out | ({"inference": max(shares)} if shares else {})
