"""Requirements about what is inside bins, about people and about risk: one frozen record for each protection model.

`fields` are sensitive fields, all of them where none is named, unless a record says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .hierarchies import HierarchySpec


class Diversity(StrEnum):
    """How l-diversity counts: different values, their entropy, or the commonest against the rest."""

    DISTINCT = "distinct"
    ENTROPY = "entropy"
    RECURSIVE = "recursive"


class Distance(StrEnum):
    """How far apart two values are for t-closeness: all alike, by their order, or by where they meet above."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


class Absent(StrEnum):
    """Whether a value that a bin lacks breaks delta-disclosure, as published, or is ignored, as in ARX."""

    FAILS = "fails"
    IGNORED = "ignored"


class Likeness(StrEnum):
    """The two bounds of beta-likeness."""

    ENHANCED = "enhanced"
    BASIC = "basic"


class Estimator(StrEnum):
    """What estimates how many people are alone in a population."""

    PITMAN = "pitman"
    ZAYATZ = "zayatz"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCombination:
    """Every combination of values of the quasi `fields` occurs in at least `k` rows: a key with a k of its own."""

    k: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NonUniquenessRequirement:
    """In no bin do all rows have the same value of one of `fields`."""

    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LDiversityRequirement:
    """Each bin holds `l` values, in the sense of `kind`; `c` is for the recursive kind."""

    l: float  # noqa: E741
    kind: Diversity = Diversity.DISTINCT
    c: float | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TClosenessRequirement:
    """Each bin is within `t` of the source. `order` and `hierarchy` are for the distances that need them."""

    t: float
    distance: Distance = Distance.EQUAL
    order: tuple[str, ...] = ()
    hierarchy: HierarchySpec | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PSensitiveRequirement:
    """Each bin has `k` rows and `p` values of each of `fields`."""

    p: int
    k: int
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaKRequirement:
    """Each bin has `k` rows, at most the share `alpha` of them with the same value; only of `values`, if named."""

    alpha: float
    k: int
    values: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaDisclosureRequirement:
    """In each bin each value is, up to a factor of 2 to the `delta`, as frequent as in the source."""

    delta: float
    absent: Absent = Absent.FAILS
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaLikenessRequirement:
    """In no bin is a value more frequent than in the source by more than `beta` times its share there."""

    beta: float
    kind: Likeness = Likeness.ENHANCED
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceGainRequirement:
    """In no bin does confidence in a value grow by more than `gain` of what was missing to certainty, not even for
    who knows of `facts` other people in it that they do not have the value."""

    gain: float
    facts: int = 0
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPresenceRequirement:
    """Of the people of the `population` table whom a tuple covers, a share from `min` to `max` is in the release.

    `fields` are quasi fields, all that the recipient knows where none is named.
    """

    population: str
    min: float = 0.0
    max: float = 1.0
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationUniquenessRequirement:
    """At most the share `threshold` of the population is alone, as estimated; its size or the sampling fraction."""

    threshold: float
    population_size: int | None = None
    sampling_fraction: float | None = None
    estimator: Estimator = Estimator.PITMAN


@dataclass(frozen=True, slots=True, kw_only=True)
class NullMapRequirement:
    """No released tuple can be mapped to a subject over `fields`: quasi fields, all that the recipient knows where none
    is named."""

    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongMapRequirement:
    """Each released tuple maps to one subject over `fields`, who is not its own, and does not say in `outside` what was
    collected about that one.

    `fields` are quasi fields, all that the recipient knows where none is named; `outside` other released fields, taken
    together, all of them where none is named.
    """

    fields: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeHarborRequirement:
    """HIPAA's Safe Harbor: which released fields are ZIPs, dates, dates of birth and ages, the last as of a year."""

    zips: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    births: tuple[str, ...] = ()
    ages: tuple[str, ...] = ()
    as_of: int | None = None

    @property
    def declared(self) -> tuple[str, ...]:
        """Every field that is said to be something."""
        return (*self.zips, *self.dates, *self.births, *self.ages)
