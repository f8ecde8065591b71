"""SUDA2: the few values that make a record unique, and a score of special uniqueness (Elliot et al.
2005).

Somebody who is unique only with all fields together is unique by chance. Somebody whom two fields
single out is a *special unique*, and more often unique in the population too. SUDA finds all
minimal sample uniques of every record (`suda2_search`). The smaller and the more of them a record
has, the higher its score (`suda2_scores`)."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import SUPPRESSED
from sfumato.measures import Subject
from sfumato.policy import NullRule

from .suda2_scores import Reals, Scoring, dis_scores, weight
from .suda2_search import FieldSet, Places, minimal_uniques

Missing = Literal["value", "left out"]
DIS_STEPS = tuple(step / 10 for step in range(8))
"""The bounds of sdcMicro's table of DIS scores: nothing, up to 0.1, ..., up to 0.7, more."""
KEPT = 50_000_000
"""Minimal uniques are kept up to so many, at four bytes each; beyond that only their numbers and
the scores are."""

AFFORDABLE = 20_000
"""Combinations of fields that an assessment searches by default: seconds for 30,000 people."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Suda2:
    """Scores and minimal uniques of bins; the result for a bin of one row is that of the record.

    `scores`, `dis` and `shares` are per bin, in the order of `bins`; `shares[b, f]` is the part of
    bin b's score that is due to minimal uniques with field f. Since each has several fields, the
    shares of a record add up to more than 1. `by_size[s]` counts the minimal uniques of s + 1
    fields. `smallest_size` has the fewest fields that single a bin's record out (0 where none do).
    `found` has the sets of fields with the bins of each."""

    bins: Bins = field(repr=False)
    largest: int
    scoring: Scoring
    fraction: float
    missing: Missing
    scores: Reals = field(repr=False)
    dis: Reals = field(repr=False)
    shares: Reals = field(repr=False)
    by_size: tuple[int, ...]
    smallest_size: NDArray[np.int16] = field(repr=False)
    found: tuple[tuple[FieldSet, NDArray[np.int32]], ...] | None = field(repr=False)

    @property
    def fields(self) -> tuple[str, ...]:
        return self.bins.fields

    @property
    def records(self) -> int:
        return self.bins.rows

    @cached_property
    def sample_uniques(self) -> int:
        """Records that are unique with their values of all fields."""
        return int((self.bins.counts == 1).sum())

    @cached_property
    def singled_out(self) -> int:
        """Records with a minimal unique of at most `largest` fields."""
        return int((self.smallest_size > 0).sum())

    @cached_property
    def records_by_smallest(self) -> tuple[int, ...]:
        """How many records need 1, 2, ... fields at the least to be unique."""
        return tuple(np.bincount(self.smallest_size, minlength=self.largest + 1)[1:].tolist())

    @cached_property
    def contributions(self) -> dict[str, float]:
        """Per field, the share of all scores that is due to minimal uniques with it, in per
        cent."""
        total = float(self.scores.sum())
        parts = (self.shares * self.scores[:, None]).sum(axis=0)
        return {
            name: 100 * float(part) / total if total else 0.0
            for name, part in zip(self.fields, parts, strict=True)
        }

    @cached_property
    def dis_distribution(self) -> tuple[int, ...]:
        """Records with a DIS score of nothing, of up to 0.1, ..., up to 0.7, and of more."""
        step = np.searchsorted(np.array(DIS_STEPS) + np.finfo(float).eps, self.dis, side="left")
        return tuple(np.bincount(step, self.bins.counts, len(DIS_STEPS) + 1).astype(int).tolist())

    def fields_of(self, number: int) -> tuple[tuple[str, ...], ...]:
        """The minimal uniques of one bin as sets of field names, smallest first."""
        return tuple(self._named(chosen) for chosen, at in self._kept() if number in at)

    def by_fields(self) -> dict[tuple[str, ...], int]:
        """How many records each set of fields singles out as a minimal unique, most first."""
        counted = {self._named(chosen): len(at) for chosen, at in self._kept()}
        return dict(sorted(counted.items(), key=lambda pair: (-pair[1], len(pair[0]))))

    def as_dict(self) -> dict[str, Any]:
        """The finding in counts and shares: no value, no record."""
        return {
            "fields": list(self.fields),
            "records": self.records,
            "sample_uniques": self.sample_uniques,
            "singled_out": self.singled_out,
            "largest": self.largest,
            "minimal_uniques_by_size": list(self.by_size),
            "records_by_smallest": list(self.records_by_smallest),
            "score": {
                "average": self._average(self.scores),
                "maximum": float(self.scores.max(initial=0.0)),
            },
            "dis": {
                "average": self._average(self.dis),
                "maximum": float(self.dis.max(initial=0.0)),
            },
            "dis_distribution": list(self.dis_distribution),
            "contributions": self.contributions,
            "method": {"scoring": self.scoring, "fraction": self.fraction, "missing": self.missing},
        }

    def _average(self, of: Reals) -> float:
        return float((of * self.bins.counts).sum()) / self.records if self.records else 0.0

    def _named(self, chosen: FieldSet) -> tuple[str, ...]:
        return tuple(self.fields[number] for number in chosen)

    def _kept(self) -> tuple[tuple[FieldSet, NDArray[np.int32]], ...]:
        if self.found is None:
            raise Mistake(
                "The minimal uniques of each record were asked for.",
                found=f"There are {sum(self.by_size):,}, and only their numbers were kept.",
                attempt="a smaller `largest`, fewer fields, or `keep` with a higher number.",
            )
        return self.found


def suda2(
    bins: Bins,
    *,
    largest: int | None = None,
    scoring: Scoring = "elliot",
    fraction: float = 0.01,
    missing: Missing = "value",
    starred: Container[str] = (),
    keep: int = KEPT,
    progress: Callable[[str], None] = lambda _: None,
) -> Suda2:
    """Find all minimal sample uniques of at most `largest` fields (by default all), and score by
    them.

    The bins' sizes are rows, one per person. `fraction` is the share of the population that is in
    the file. A null and a suppressed cell are a value like others by default, which finds the most;
    `missing = "left out"`, as in sdcMicro, puts no such cell into a minimal unique, and it still
    differs from every value of the others. In the fields that are `starred` a `*` is a value of the
    source; where it may be a suppressed cell too, it is taken for the value, which finds the most.

    Example:
        >>> ages = {("30", "F"): 2, ("30", "M"): 1, ("70", "M"): 2}
        >>> suda2(Bins.of(("age", "sex"), ages)).by_fields()
        {('age', 'sex'): 1}
    """
    fields = len(bins.fields)
    size = _checked(bins, fields if largest is None else largest, fraction)
    sums = _Sums(len(bins), fields, keep)
    usable = np.ones(bins.codes.shape, bool) if missing == "value" else ~_missing(bins, starred)
    for chosen, at in minimal_uniques(
        bins.codes, bins.counts == 1, usable=usable, largest=size, progress=progress
    ):
        sums.add(chosen, at, weight(len(chosen), fields=fields, largest=size, scoring=scoring))
    scored = np.maximum(sums.scores, np.finfo(float).tiny)
    return Suda2(
        bins=bins,
        largest=size,
        scoring=scoring,
        fraction=fraction,
        missing=missing,
        scores=sums.scores,
        dis=dis_scores(
            sums.scores, fields=fields, pairs=2 * int((bins.counts == 2).sum()), fraction=fraction
        ),
        shares=(sums.parts / scored).T,
        by_size=tuple(sums.by_size[:size]),
        smallest_size=sums.smallest,
        found=sums.kept(),
    )


def suda2_of(subject: Subject, *, largest: int | None = None, people: float | None = None) -> Suda2:
    """The release of an assessment, with its sampling fraction where it is known and its null rule.

    `people` is the size of the population where that is known some other way, from weights or a
    table of everyone. Where `largest` is not given and the fields are many, it is the largest with
    at most AFFORDABLE combinations."""
    if subject.person is not None:
        raise Mistake(
            "SUDA scores are about tables with one row per person.",
            found=f"Rows of this release belong to people through the field {subject.person!r}.",
            attempt="a table with one row for each person.",
        )
    missing: Missing = "value" if subject.nulls is NullRule.VALUE else "left out"
    fraction = 0.01 if subject.sampling_fraction is None else subject.sampling_fraction
    if subject.sampling_fraction is None and people:
        fraction = min(max(subject.released.rows, 1) / people, 1.0)
    return suda2(
        subject.released,
        largest=_affordable(len(subject.known)) if largest is None else largest,
        fraction=fraction,
        missing=missing,
        starred=subject.starred if missing == "left out" else (),
        progress=lambda words: subject.progress(f"minimal uniques, {words}"),
    )


def _affordable(fields: int) -> int:
    """All sizes up to 14 fields; 4 at once of 20.

    Example:
        >>> [_affordable(fields) for fields in (1, 8, 14, 20, 60)]
        [1, 8, 14, 4, 2]
    """
    total = 0
    for size in range(1, fields + 1):
        total += comb(fields, size)
        if total > AFFORDABLE:
            return max(size - 1, 1)
    return max(fields, 1)


class _Sums:
    """The sums while minimal uniques are found, one set of fields at a time, small sets first."""

    def __init__(self, bins: int, fields: int, keep: int) -> None:
        self.scores = np.zeros(bins)
        self.parts = np.zeros((fields, bins))
        self.by_size = [0] * max(fields, 1)
        self.smallest = np.zeros(bins, np.int16)
        self.keep = keep
        self.found: list[tuple[FieldSet, NDArray[np.int32]]] = []

    def add(self, chosen: FieldSet, at: Places, amount: float) -> None:
        self.scores[at] += amount
        for number in chosen:
            self.parts[number, at] += amount
        self.by_size[len(chosen) - 1] += len(at)
        self.smallest[at] = np.where(self.smallest[at] > 0, self.smallest[at], len(chosen))
        if sum(self.by_size) <= self.keep:
            self.found.append((chosen, at.astype(np.int32)))
        else:
            self.found.clear()

    def kept(self) -> tuple[tuple[FieldSet, NDArray[np.int32]], ...] | None:
        return tuple(self.found) if sum(self.by_size) <= self.keep else None


def _missing(bins: Bins, starred: Container[str]) -> NDArray[np.bool_]:
    """Which cells carry no information: null, or suppressed."""
    out = np.zeros(bins.codes.shape, bool)
    for column, names in enumerate(bins.labels):
        nothing = (None,) if bins.fields[column] in starred else (None, SUPPRESSED)
        silent = np.array([name in nothing for name in names], bool)
        if silent.any():
            out[:, column] = silent[bins.codes[:, column]]
    return out


def _checked(bins: Bins, largest: int, fraction: float) -> int:
    if not bins.fields:
        raise Mistake(
            "Minimal uniques were asked for.",
            found="No field was named.",
            attempt="naming the fields that are known.",
        )
    if largest < 1:
        raise Mistake(
            "Minimal uniques have at least one field.", found=f"At most {largest} were asked for."
        )
    if not 0 < fraction <= 1:
        raise Mistake(
            "The sampling fraction is the share of the population in the file, over 0 and "
            "at most 1.",
            found=f"It was given as {fraction:g}.",
        )
    return min(largest, len(bins.fields))
