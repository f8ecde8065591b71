"""The subject of an assessment: a release, and the data at hand to measure it against.

Every measure starts from bins, so that it costs one group-by wherever the rows are. Measures that
need records, such as attacks, take them from the bins of all their fields: a table is a multiset,
and its order is meaningless."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine, FieldKind
from sfumato.hierarchies import SUPPRESSED, Hierarchy
from sfumato.policy import NullRule

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """A release and its surroundings. All but the release may be absent; then less can be measured.

    `known` are the fields that somebody is counted as knowing about others, `sensitive` those that
    should not be disclosed; both are released. `hierarchies` lead from the source's values to the
    released labels. `person` is the field that identifies the person of a row, where a person may
    have several; `weight` how many people a row represents. `control` are people of the same kind
    who are not in the release."""

    release: Engine
    known: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    source: Engine | None = None
    population: Engine | None = None
    control: Engine | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    nulls: NullRule = NullRule.VALUE
    person: str | None = None
    weight: str | None = None
    household: str | None = None
    sampling_fraction: float | None = None
    population_size: int | None = None
    seed: int = 0
    progress: Progress = field(default=lambda _: None, repr=False)

    @cached_property
    def released(self) -> Bins:
        """The release's bins over the known fields, in people."""
        return Bins.count(self.release, self.known, sensitive=self.sensitive, person=self.person)

    @cached_property
    def original(self) -> Bins | None:
        """The source's bins over the same fields."""
        if self.source is None:
            return None
        return Bins.count(self.source, self.known, sensitive=self.sensitive, person=self.person)

    @cached_property
    def starred(self) -> frozenset[str]:
        """The known fields in which `*` is a value of the source, so that it is not known to be a
        suppressed cell."""
        own = {
            name: hierarchy.labels[0]
            for name, hierarchy in self.hierarchies.items()
            if name in self.known
        }
        if self.original is not None:
            own |= dict(zip(self.original.fields, self.original.labels, strict=True))
        return frozenset(name for name, values in own.items() if SUPPRESSED in values)

    @cached_property
    def kinds(self) -> Mapping[str, FieldKind]:
        """The kind of each field, as the source has it where there is one: labels are text."""
        return {info.name: info.kind for info in (self.source or self.release).fields()}

    def generator(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose, the same for the same seed whatever was measured
        before."""
        return np.random.default_rng([self.seed, *purpose.encode()])


@dataclass(frozen=True, eq=False)
class Records:
    """Rows of a table as codes: `codes[r, f]` points into `labels[f]`. Their order is that of their
    bins.

    Example:
        >>> Records.of_bins(Bins.of(("sex",), {("F",): 2, ("M",): 1})).codes.ravel().tolist()
        [0, 0, 1]
    """

    fields: tuple[str, ...]
    labels: tuple[tuple[str | None, ...], ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, engine: Engine, fields: Sequence[str]) -> Records:
        """All rows of a table; one group-by and a repetition."""
        return cls.of_bins(Bins.count(engine, fields))

    @classmethod
    def of_bins(cls, bins: Bins) -> Records:
        return cls(bins.fields, bins.labels, np.repeat(bins.codes, bins.counts, axis=0))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Records(fields={self.fields!r}, rows={len(self)})"

    def only(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Records:
        return Records(self.fields, self.labels, self.codes[rows])

    def drawn(self, size: int, chance: np.random.Generator) -> Records:
        """So many of them, each at most once."""
        return self.only(chance.permutation(len(self))[:size])
