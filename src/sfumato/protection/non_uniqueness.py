"""Non-uniqueness: in no bin do all rows have the same value of a sensitive field (Chiang et al.
2001, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.parts import Direction, ParameterKind, Shape, parameter
from sfumato.policy import ROWS, LooksAt, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .histograms import Counts, distinct_values, per_bin, shared_by_all
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class NonUniquenessRequirement:
    """In no bin do all rows have the same value of one of `fields`."""

    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NonUniqueness:
    """In each bin, the values of each sensitive field (Chiang et al. 2001's U fields) are not all
    the same.

    A bin of one row always breaks it. Null counts as a value.

    Assumes: `fields` are all a recipient could link on, and the recipient knows nothing of the
    sensitive values. Does not protect: near certainty, as in a bin where 999 of 1,000 rows have one
    value (Chiang et al. 2001, section 5); a recipient who can rule values out; see
    `DistinctLDiversity` and `TCloseness`. Reference: Chiang et al. 2001 (Chiang, Hsu, Kuo and Wang
    2001), section 3.1; docs/protection/non-uniqueness.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("160", "1"), ("160", "0"), ("170", "1"), ("170", "1")]
        >>> bins = bins_of_rows(("height",), rows, sensitive=("test",))
        >>> NonUniqueness(fields=("height",), sensitive=("test",)).failing(bins).tolist()
        [False, True]
    """

    fields: tuple[str, ...]
    sensitive: tuple[str, ...]

    name: ClassVar[str] = "non-uniqueness"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[str, ...]:
        return self.sensitive

    def fewest(self, bins: Bins) -> Counts:
        """For each bin: the least number of different values that any of the sensitive fields has
        in it."""
        out = np.full(len(bins), bins.rows, np.int64)
        for name in self.sensitive:
            out = np.minimum(out, self._distinct(bins, name))
        return out

    def _distinct(self, bins: Bins, name: str) -> Counts:
        return per_bin(bins, self.fields, lambda found: distinct_values(found, name))

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        out = np.zeros(len(bins), bool)
        for name in self.sensitive:
            out |= per_bin(bins, self.fields, partial(shared_by_all, name=name))
        return out

    def judge(self, bins: Bins) -> Verdict:
        told = ", ".join(self.sensitive)
        return verdict_of(
            self,
            bins,
            requirement=f"at least 2 values of each of ({told})",
            fields=self.fields,
            smallest=bins.smallest,
            measured=f"the fewest values in a bin: {self.fewest(bins).min(initial=bins.rows)}",
        )


def _build(asked: NonUniquenessRequirement, context: ModelContext) -> Iterator[Model]:
    yield NonUniqueness(fields=context.known, sensitive=context.sensitive(asked.fields))


DECLARATION = ModelDeclaration(
    key="non_uniqueness",
    doc="in no bin do all rows have the same value of a sensitive field",
    record=NonUniquenessRequirement,
    form=RequirementForm.FLAG,
    looks_at=LooksAt.SENSITIVE,
    counts_values=True,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(NonUniqueness,),
    place=100,
)
