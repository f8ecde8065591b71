"""Sensitive numbers by closeness in value: people whose number can be inferred approximately,
though no two rows have the same.

An attacker who finds five salaries within a hundred of each other knows the salary well enough. Li,
Tao and Xiao (2008) call this a proximity breach. The interval is a twentieth of the range of nine
people in ten. The distance is the ordered earth mover's (Li et al. 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.hierarchies import Label, exact
from sfumato.protection import IntervalWidth, TCloseness, reference_of

FEWEST_VALUES = 20
STEPS = 20
NEARLY_ALL = 0.9
COMMON = 0.5
"""Where so many of all people are in one such interval, being in it discloses little."""
MOST_ROWS = 2_000_000
"""Of more, the different numbers do not fit in memory; the page states that they were not
judged."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberCloseness:
    """The approximate disclosure of one sensitive number by one table.

    `width` is the interval, and `baseline` the largest share of all people in one. `close` is the
    share of rows in whose bin nearly all numbers are in one. `distance` is the mean over rows of
    how far the numbers of the bin are from those of everyone."""

    width: float
    baseline: float
    close: float
    distance: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "interval_width": self.width,
            "baseline": self.baseline,
            "rows_known_within_it": self.close,
            "average_earth_mover_distance": self.distance,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosenessFindings:
    """The sensitive numbers of a release, each by its name, and those that are `not_judged`, because
    one interval has most people."""

    fields: Mapping[str, NumberCloseness]
    not_judged: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {name: found.as_dict() for name, found in self.fields.items()}


def measure_closeness(
    release: Engine, fields: Sequence[str], *, known: Sequence[tuple[str, ...]], person: str | None
) -> ClosenessFindings:
    """Each of some fields that is a number with many values, over the sets of `known` fields; of
    several sets, the one that discloses most."""
    numbers = [name for name in fields if _has_numbers(release, name)]
    found: dict[str, NumberCloseness] = {}
    for bins in _counted(release, numbers, known=known, person=person) if numbers else ():
        for name in numbers:
            close = number_closeness(bins, name, reference_of(bins, name, spread=True))
            if close is not None and (name not in found or close.close > found[name].close):
                found[name] = close
    return ClosenessFindings(
        fields={name: found[name] for name in numbers if name in found},
        not_judged=tuple(name for name in numbers if name not in found),
    )


def _has_numbers(release: Engine, name: str) -> bool:
    """Whether a field has many numbers, and nothing else."""
    profile = release.profile(name)
    is_number = profile.numbers >= profile.rows - profile.nulls
    return profile.rows <= MOST_ROWS and is_number and profile.distinct >= FEWEST_VALUES


def _counted(
    release: Engine,
    numbers: Sequence[str],
    *,
    known: Sequence[tuple[str, ...]],
    person: str | None,
) -> Iterator[Bins]:
    """The bins of each set of known fields. Where each row is a person's only one they are summed up
    from one count over all of them."""
    if person is not None or len(known) == 1:
        for each in known:
            yield Bins.count(release, each, sensitive=numbers, person=person)
        return
    union = tuple(dict.fromkeys(name for each in known for name in each))
    every = Bins.count(release, union, sensitive=numbers)
    for each in known:
        yield every.project(each)


def number_closeness(bins: Bins, name: str, prior: Mapping[Label, float]) -> NumberCloseness | None:
    """How closely the numbers of `name` can be inferred in each bin; None where they are few, no
    numbers, or nearly the same for most people.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> pay = [(town, f"{1000 * place + n}") for place, town in enumerate("abcd") for n in range(9)]
        >>> bins = bins_of_rows(("town",), pay, sensitive=("pay",))
        >>> number_closeness(bins, "pay", {value: 1 / 36 for _, value in pay}).close
        1.0
    """
    read = {
        value: exact(value) for value, share in prior.items() if value is not None and share > 0
    }
    numbers = [number for number in read.values() if number is not None]
    if len(numbers) < max(FEWEST_VALUES, len(read)) or not bins.rows:
        return None
    width = _width(
        np.array([float(number) for number in numbers]), np.array([prior[value] for value in read])
    )
    if not width > 0:
        return None
    model = IntervalWidth(width=width, share=1.0, fields=bins.fields, sensitive=name)
    whole = IntervalWidth(width=width, share=1.0, fields=(), sensitive=name)
    baseline = float(whole.largest_shares(bins.project(())).max(initial=0.0))
    if baseline > COMMON:
        return None
    weights = bins.counts / float(bins.rows)
    known = model.largest_shares(bins) >= NEARLY_ALL - _ROUNDING
    return NumberCloseness(
        width=width,
        baseline=baseline,
        close=float(weights[known].sum()),
        distance=_distance(bins, name, prior, weights),
    )


def _width(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """A twentieth of the range of nine people in ten."""
    order = np.argsort(numbers)
    upto = np.cumsum(weights[order]) / weights.sum()
    low, high = (numbers[order][np.searchsorted(upto, at - _ROUNDING)] for at in (0.05, 0.95))
    return float(high - low) / STEPS


def _distance(
    bins: Bins, name: str, prior: Mapping[Label, float], weights: NDArray[np.float64]
) -> float:
    model = TCloseness(
        t=1.0, fields=bins.fields, sensitive=name, reference=prior, distance="ordered"
    )
    found = model.distances(bins)
    return float(np.where(np.isfinite(found), found, 1.0) @ weights)
