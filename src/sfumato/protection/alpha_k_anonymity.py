"""(alpha,k)-anonymity: each bin has at least k rows, and at most the share alpha of them has the
same sensitive value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.hierarchies import Label
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, RequirementForm, Role
from sfumato.wording import counted

from .declaration import ModelContext, ModelDeclaration
from .histograms import ROUNDING, Reals, inside, largest, most_kept, per_bin, shares
from .model import Model, verdict_of
from .reference import LabelAlignment
from .value_steps import limited_values
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaKRequirement:
    """Each bin has `k` rows; at most the share `alpha` of them has the same value, of `values` if
    these are named."""

    alpha: float = parameter(
        "the largest share of a bin's rows with one value",
        above=0,
        most=1,
        example="0.5",
        stricter=Direction.DOWN,
    )
    k: int = parameter("rows in a bin", least=1, example="5", stricter=Direction.UP)
    values: tuple[str, ...] = parameter(
        "values that are limited; all where none is named", default=()
    )
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity:
    """Each bin has at least `k` rows, and at most the share `alpha` of them has the same value of
    `sensitive`.

    With `values`, only these are limited, for example a rare diagnosis but not "healthy". Without
    it, every value is limited.

    Assumes: one row per person; `fields` are all a recipient could link on.
    Does not protect: a recipient who can rule values out; values that mean much the same.
    Reference: Wong, Li, Fu and Wang 2006, "(alpha, k)-anonymity: an enhanced k-anonymity model for
    privacy-preserving data publishing"; docs/protection/alpha-k-anonymity.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu"), ("946**", "cold")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> AlphaKAnonymity(alpha=0.5, k=2, fields=("zip",), sensitive="problem").failing(bins).tolist()
        [False, True]
    """

    alpha: float
    k: int
    fields: tuple[str, ...]
    sensitive: str
    values: tuple[Label, ...] = field(default=(), repr=False)

    name: ClassVar[str] = "(alpha,k)-anonymity"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.sensitive,)

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def least_bin(self) -> int:
        return self.k

    def largest_shares(self, bins: Bins) -> Reals:
        """For each bin: the share of the most frequent value, among those that are limited."""
        return per_bin(bins, self.fields, self._largest_shares)

    def _largest_shares(self, bins: Bins) -> Reals:
        histogram = inside(bins, self.sensitive)
        limited = np.where(self._limited(histogram), shares(bins, histogram), 0.0)
        return largest(histogram, limited, len(bins))

    def _limited(self, histogram: Histogram) -> NDArray[np.bool_]:
        """Mark the entries of limited values."""
        return self._is_limited(histogram.values)[histogram.value_of] > 0

    @cached_property
    def _is_limited(self) -> LabelAlignment:
        """1 for a limited value, 0 for the others."""
        return LabelAlignment(
            dict.fromkeys(self.values, 1.0), otherwise=0.0 if self.values else 1.0
        )

    def sizes(self, bins: Bins) -> NDArray[np.int64]:
        """For each bin: how many rows share its values of `fields`."""
        return per_bin(bins, self.fields, lambda found: found.counts)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return (self.sizes(bins) < self.k) | (self.largest_shares(bins) > self.alpha + ROUNDING)

    def stuck(self, bins: Bins) -> Reals:
        """For each bin: rows that break the rule in it and in all its parts."""
        if bins.fields != self.fields:
            return np.zeros(len(bins))
        histogram = inside(bins, self.sensitive)
        caps = np.where(self._limited(histogram), self.alpha + ROUNDING, 1.0)
        most = most_kept(bins, histogram, caps, covered=1.0)
        return np.where(most < self.k, bins.counts, bins.counts - most)

    def judge(self, bins: Bins) -> Verdict:
        which = counted(len(self.values), "value") if self.values else "any value"
        return verdict_of(
            self,
            bins,
            requirement=f"alpha = {self.alpha:g} for {which} of {self.sensitive}, k = {self.k}",
            fields=self.fields,
            smallest=int(self.sizes(bins).min(initial=bins.rows)),
            measured="the largest share in a bin is "
            f"{self.largest_shares(bins).max(initial=0.0):.4g}",
        )


def _build(asked: AlphaKRequirement, context: ModelContext) -> Iterator[Model]:
    for name in context.sensitive(asked.fields):
        yield AlphaKAnonymity(
            alpha=asked.alpha,
            k=asked.k,
            fields=context.known,
            sensitive=name,
            values=limited_values(name, asked.values),
        )


DECLARATION = ModelDeclaration(
    key="alpha_k",
    doc="each bin has at least k rows, and no sensitive value more than the share alpha of them",
    record=AlphaKRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    counts_values=True,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(AlphaKAnonymity,),
    place=130,
)
