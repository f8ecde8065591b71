"""k-anonymity: each released tuple of quasi-identifiers occurs at least k times (Sweeney 2000,
section 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, match_counts, wild_cells
from sfumato.parts import Direction, Shape, parameter
from sfumato.policy import ROWS, CellReading, NullRule, Policy, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .k_people import KPeople
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymityRequirement:
    """Each tuple of quasi-identifiers is shared by at least `k` rows, or people where they have
    several rows."""

    k: int = parameter(
        "rows, or people, that share each tuple", least=1, example="5", stricter=Direction.UP
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity:
    """Each tuple of `fields` in the release is shared by at least `k` released rows.

    Assumes: one row per person; `fields` are all a recipient could link on.
    Does not protect: a sensitive value shared by the whole bin; a recipient who knows more fields.
    Reference: Sweeney 2000, section 6.2; docs/protection/k-anonymity.md.

    Example:
        >>> bins = Bins.of(("zip", "sex"), {("021**", "F"): 7, ("946**", "M"): 2})
        >>> KAnonymity(k=3, fields=("zip", "sex")).judge(bins).reason
        '1 of 2 bins over (zip, sex) breaks it; it holds 2 of 9 rows'
    """

    k: int
    fields: tuple[str, ...]
    reading: CellReading = CellReading.STRICT
    nulls: NullRule = NullRule.VALUE

    name: ClassVar[str] = "k-anonymity"

    @property
    def monotone_generalisation(self) -> bool:
        """False where a cell may match anything: a hierarchy may give null or `*` a label that
        matches less."""
        return self.reading is CellReading.STRICT and self.nulls is NullRule.VALUE

    @property
    def monotone_suppression(self) -> bool:
        """False where a cell may match anything: another bin may have matched the one that is
        suppressed."""
        return self.reading is CellReading.STRICT and self.nulls is NullRule.VALUE

    @property
    def bin_monotone(self) -> bool:
        return self.monotone_generalisation

    @property
    def least_rows(self) -> int:
        return self.k

    @property
    def least_bin(self) -> int:
        return self.k

    def sizes(self, bins: Bins) -> NDArray[np.int64]:
        """For each bin: how many rows share its values of `fields`, in this model's reading."""
        wild = wild_cells(bins, suppressed=self.reading is CellReading.WILDCARD, nulls=self.nulls)
        if not wild.any():
            groups, sizes = bins.group_of(self.fields)
            return sizes[groups]
        columns = [bins.column(name) for name in self.fields]
        return match_counts(bins, wild, columns)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        return self.sizes(bins) < self.k

    def judge(self, bins: Bins) -> Verdict:
        smallest = int(self.sizes(bins).min()) if len(bins) else 0
        requirement = f"k = {self.k}, suppressed cells read {self.reading.value}"
        return verdict_of(
            self, bins, requirement=requirement, fields=self.fields, smallest=smallest
        )


def _build(asked: KAnonymityRequirement, context: ModelContext) -> Iterator[Model]:
    """Over all known fields, or over each of the sets that the policy names."""
    policy = context.policy
    sets = policy.require.quasi_identifiers
    for fields in [tuple(n for n in names if n in context.known) for names in sets] or [
        context.known
    ]:
        yield KAnonymity(
            k=asked.k, fields=fields, reading=policy.require.reading, nulls=policy.nulls
        )


def _covers(asked: KAnonymityRequirement, policy: Policy) -> tuple[str, ...]:
    sets = policy.require.quasi_identifiers
    return tuple(name for fields in sets for name in fields) or policy.named(Role.QUASI)


DECLARATION = ModelDeclaration(
    key="k",
    doc="each tuple of quasi-identifiers is shared by at least k rows, or people where they "
    "have several rows",
    record=KAnonymityRequirement,
    form=RequirementForm.VALUE,
    shapes=ROWS | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.ROW_NUMBERS, Shape.GATE},
    counted=True,
    least=lambda asked: int(asked.k),
    covers=_covers,
    build=_build,
    models=(KAnonymity, KPeople),
    place=10,
)
