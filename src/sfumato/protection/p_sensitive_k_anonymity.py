"""p-sensitive k-anonymity: each bin has at least k rows and at least p values of each sensitive
field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
class PSensitiveRequirement:
    """Each bin has `k` rows and `p` values of each of `fields`."""

    p: int = parameter(
        "values of each sensitive field in a bin", least=1, example="2", stricter=Direction.UP
    )
    k: int = parameter("rows in a bin", least=1, example="5", stricter=Direction.UP)
    fields: tuple[str, ...] = parameter(
        "sensitive fields; all where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
        stricter=Direction.MORE,
    )

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if self.p > self.k and "k" in given:
            yield (
                "p",
                f"A bin of {self.k} rows cannot hold {self.p} values.",
                f"k = {self.p} or more.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class PSensitiveKAnonymity:
    """Each bin has at least `k` rows, and each sensitive field at least `p` different values in it.

    Suppressed cells are read strictly, as values of their own. Null counts as a value.

    Assumes: one row per person; `fields` are all a recipient could link on.
    Does not protect: a value that most of the bin's rows have; values that mean much the same.
    Reference: Truta and Vinay 2006, "Privacy protection: p-sensitive k-anonymity property";
    docs/protection/p-sensitive-k-anonymity.md.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021**", "flu"), ("021**", "cold"), ("946**", "flu"), ("946**", "flu"), ("100**", "flu")]
        >>> bins = bins_of_rows(("zip",), rows, sensitive=("problem",))
        >>> PSensitiveKAnonymity(p=2, k=2, fields=("zip",), sensitive=("problem",)).failing(bins).tolist()
        [False, True, True]
    """

    p: int
    k: int
    fields: tuple[str, ...]
    sensitive: tuple[str, ...]

    name: ClassVar[str] = "p-sensitive k-anonymity"
    monotone_generalisation: ClassVar[bool] = True
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = True

    @property
    def needs(self) -> tuple[str, ...]:
        return self.sensitive

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def least_bin(self) -> int:
        return self.k

    def sizes(self, bins: Bins) -> Counts:
        """For each bin: how many rows share its values of `fields`."""
        return per_bin(bins, self.fields, lambda found: found.counts)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return per_bin(bins, self.fields, self._failing)

    def _failing(self, bins: Bins) -> NDArray[np.bool_]:
        out: NDArray[np.bool_] = bins.counts < self.k
        for name in self.sensitive:
            out = out | (distinct_values(bins, name) < self.p)
            out = out | shared_by_all(bins, name) if self.p > 1 else out
        return out

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"p = {self.p} for ({', '.join(self.sensitive)}), k = {self.k}",
            fields=self.fields,
            smallest=int(self.sizes(bins).min(initial=bins.rows)),
        )


def _build(asked: PSensitiveRequirement, context: ModelContext) -> Iterator[Model]:
    names = context.sensitive(asked.fields)
    yield PSensitiveKAnonymity(p=asked.p, k=asked.k, fields=context.known, sensitive=names)


DECLARATION = ModelDeclaration(
    key="p_sensitive",
    doc="each bin has at least k rows and at least p values of each sensitive field",
    record=PSensitiveRequirement,
    form=RequirementForm.TABLES,
    looks_at=LooksAt.SENSITIVE,
    counts_values=True,
    roles={"fields": (Role.SENSITIVE,)},
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.GATE},
    build=_build,
    models=(PSensitiveKAnonymity,),
    place=120,
)
