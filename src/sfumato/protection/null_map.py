"""Null-map: no released tuple can be mapped to any of the subjects (Sweeney 2000, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, population_counts
from sfumato.hierarchies import Hierarchy
from sfumato.parts import ParameterKind, Shape, parameter
from sfumato.policy import ROWS, OutsideNeed, RequirementForm, Role

from .declaration import ModelContext, ModelDeclaration
from .map_checks import map_checks
from .model import Model, verdict_of
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class NullMapRequirement:
    """No released tuple can be mapped to a subject over `fields`."""

    fields: tuple[str, ...] = parameter(
        "quasi fields; all that the recipient knows where none is named",
        default=(),
        kind=ParameterKind.FIELDS,
    )


@dataclass(frozen=True, kw_only=True)
class NullMap:
    """No released tuple covers a subject of the source; it may or may not cover someone else.

    Encrypting, extensively swapping or adding noise to the quasi-identifiers can achieve it.
    `subjects` holds the subjects' values of level 0, as they were before any step; a released label
    covers every value under it, and a suppressed cell covers everyone. Generalising works against
    it: a wider label covers more.

    `kept` are fields in which most rows still have their subject's true value. Together with the
    other fields, which were encrypted or moved, they may cover nobody. That is no protection: an
    attacker who knows it ignores the other fields. In the kept fields alone, a tuple must therefore
    not distinguish some subjects from the rest either.

    Assumes: `subjects` has everyone whose data is in the source; the hierarchies know their values;
    and the recipient maps by equal values and hierarchies, not by similarity. A search for the
    nearest values still finds the person where the noise is small. Does not protect: against a
    recipient who can undo the encryption or the swapping. Reference: Sweeney 2000, section 5,
    null-map protection, Figure 16; docs/protection/null-map.md.

    Example:
        >>> subjects = Bins.of(("birth", "zip"), {("1965", "02138"): 1, ("1964", "02139"): 1})
        >>> release = Bins.of(("birth", "zip"), {("1965", "02139"): 1, ("1964", "02139"): 1})
        >>> NullMap(fields=("birth", "zip"), subjects=subjects).failing(release).tolist()
        [False, True]
    """

    fields: tuple[str, ...]
    subjects: Bins = field(repr=False)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    kept: tuple[str, ...] = ()

    name: ClassVar[str] = "null-map"
    monotone_generalisation: ClassVar[bool] = False
    monotone_suppression: ClassVar[bool] = True
    bin_monotone: ClassVar[bool] = False
    reads_labels: ClassVar[bool] = True

    def matches(self, bins: Bins) -> NDArray[np.int64]:
        """For each released bin: how many subjects it covers; 0 where no field is known."""
        if not self.fields:
            return np.zeros(len(bins), np.int64)
        return population_counts(bins, self.subjects, self.fields, self.hierarchies)

    def matches_kept(self, bins: Bins) -> NDArray[np.int64]:
        """The same in the kept fields alone; 0 where a tuple covers all subjects and so discloses
        nothing."""
        if not self.kept:
            return np.zeros(len(bins), np.int64)
        found = population_counts(
            bins, self.subjects.project(self.kept), self.kept, self.hierarchies
        )
        return np.where(found < self.subjects.rows, found, 0)

    def failing(self, bins: Bins) -> NDArray[np.bool_]:
        failing: NDArray[np.bool_] = (self.matches(bins) > 0) | (self.matches_kept(bins) > 0)
        return failing

    def judge(self, bins: Bins) -> Verdict:
        return verdict_of(
            self,
            bins,
            requirement=f"no tuple covers one of {self.subjects.rows} subjects",
            fields=self.fields,
            smallest=bins.smallest,
            measured=self._measured(bins),
        )

    def _measured(self, bins: Bins) -> str:
        said = f"a tuple covers at most {self.matches(bins).max(initial=0)} subjects"
        found = self.matches_kept(bins)
        if found.any():
            said += (
                f", and in ({', '.join(self.kept)}), where most rows are still true, as few as "
                f"{found[found > 0].min()}"
            )
        return said


def _build(asked: NullMapRequirement, context: ModelContext) -> Iterator[Model]:
    fields, pairing = context.named(asked.fields), context.pairing
    assert pairing is not None
    subjects = pairing.subjects.project(fields)
    yield NullMap(
        fields=fields, subjects=subjects, hierarchies=context.hierarchies, kept=pairing.kept(fields)
    )


DECLARATION = ModelDeclaration(
    key="null_map",
    doc="no released tuple can be mapped to any of the subjects",
    record=NullMapRequirement,
    form=RequirementForm.FLAG,
    needs=OutsideNeed.PAIRING,
    roles={"fields": (Role.QUASI,)},
    shapes=ROWS - {Shape.NULL_READINGS, Shape.SEVERAL_TABLES},
    reasons={
        Shape.SEVERAL_ROWS: "the subject of a released row is followed for one row per person",
        Shape.NULL_READINGS: "a missing value is looked up as a value of its own",
    },
    checks=map_checks(
        "null_map",
        attempt='[[steps]] with technique = "null_map", "encrypt" or "noise" on them.',
        every_field=True,
    ),
    build=_build,
    models=(NullMap,),
    place=350,
)
