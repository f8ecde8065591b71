"""Techniques in order of how much they distort (Sweeney 2000, Fig. 20): ranges that overlap,
ordered by their medians."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TechniqueResult:
    """The effect of one technique with one setting on one field: the share of a cell's information
    that is lost."""

    field: str
    setting: str
    distortion: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuumPlace:
    """A technique on the continuum: the range of its results, and every one of them."""

    name: str
    is_about_tuples: bool
    results: tuple[TechniqueResult, ...]

    @property
    def median(self) -> float:
        return median(result.distortion for result in self.results)

    @property
    def low(self) -> float:
        return min(result.distortion for result in self.results)

    @property
    def high(self) -> float:
        return max(result.distortion for result in self.results)

    @property
    def mean(self) -> float:
        return fmean(result.distortion for result in self.results)

    def as_dict(self) -> dict[str, Any]:
        ends = {"low": self.low, "median": self.median, "high": self.high}
        results = [asdict(result) for result in self.results]
        return {
            "name": self.name,
            "is_about_tuples": self.is_about_tuples,
            **ends,
            "results": results,
        }


def in_order(
    found: Mapping[str, Iterable[TechniqueResult]], *, about_tuples: Iterable[str] = ()
) -> tuple[ContinuumPlace, ...]:
    """The techniques, least distorting first: by the median of their results, among equals by the
    mean.

    Example:
        >>> lost = {"noise": (0.2, 0.6), "rounding": (0.1,)}
        >>> def result(d): return TechniqueResult(field="age", setting="", distortion=d)
        >>> found = {name: [result(d) for d in all] for name, all in lost.items()}
        >>> [(place.name, place.median) for place in in_order(found)]
        [('rounding', 0.1), ('noise', 0.4)]
    """
    tuples = frozenset(about_tuples)
    places = [
        ContinuumPlace(name=name, is_about_tuples=name in tuples, results=tuple(results))
        for name, results in found.items()
    ]
    return tuple(sorted(places, key=lambda place: (place.median, place.mean, place.name)))
