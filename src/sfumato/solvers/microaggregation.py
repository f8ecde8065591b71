"""Microaggregation by MDAV: groups of at least k near records, each number replaced by its group's
mean.

Domingo-Ferrer and Mateo-Sanz 2002, "Practical data-oriented microaggregation for statistical
disclosure control", in the form of Domingo-Ferrer and Torra 2005 (MDAV-generic). The k nearest to
the record farthest from the mean become a group, and so do the k nearest to the one farthest from
that. This is repeated with the rest. Departures: records are bins with their counts, so that equal
records cost one step, and a bin may be cut over two groups. The median may replace the mean of the
group. Under models that ask for more than k, bins stay whole, so that the values in a group are
known. Groups that break a model are merged with the nearest. Time grows with the square of the
bins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, LabelledRecoding
from sfumato.errors import Bug, Mistake, NoRecodingFound, Problem
from sfumato.hierarchies import Codes, Label
from sfumato.parts import parameter
from sfumato.policy import Policy
from sfumato.protection import KAnonymity, Model, needs_of

from .declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverNeed,
    SolverRequest,
    labels_looked_up,
)
from .k_similar_ladders import Floats, Numbers
from .k_similar_portions import Portions
from .local.cluster_verdicts import plain_k
from .local.penalties import places_of
from .solver import MINIMALITY, Hierarchies, Solution, Step, how_many

AGGREGATES = ("mean", "median")
MOST_DIGITS = 12
MEANS = (
    "Microaggregation releases numbers that nobody may have had, and k-anonymity holds "
    "only over the fields that "
    "were grouped; sums and means are kept, the spread inside groups is not."
)


@dataclass(frozen=True, kw_only=True)
class Microaggregation:
    """Groups of at least `k` records near in `fields` (all fields where none is named), released as
    their mean.

    Every field counts alike: numbers are taken in standard deviations. Released numbers have at
    most `digits` digits after the point. Fields that are not named are released as they are. Where
    `models` ask for more than k, groups are merged until all hold, and no bin is cut. Nor is one
    cut where they must stay `whole`. Models that look labels up in hierarchies find no mean there,
    and do not apply.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> bins = Bins.of(("age",), {("17",): 1, ("20",): 1, ("64",): 1, ("65",): 1})
        >>> ages = Hierarchy.from_rows([(a, "*") for a in ("17", "20", "64", "65")])
        >>> Microaggregation(k=2).solve(bins, {"age": ages}).recoding.apply(bins, {"age": ages}).sizes()
        {('18.5',): 2, ('64.5',): 2}
    """

    k: int
    fields: tuple[str, ...] = ()
    aggregate: str = "mean"
    digits: int = 2
    models: Sequence[Model] = ()
    whole: bool = False

    name: ClassVar[str] = "microaggregation"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        columns = [bins.column(name) for name in self.fields or bins.fields]
        self._check(bins, columns)
        numbers = np.stack(
            [places_of(bins.labels[f])[0][bins.codes[:, f]] for f in columns], axis=1
        )
        more = self._more(bins)
        groups = mdav(numbers, bins.counts, self._k(bins), whole=bool(more))
        recoding = self._recoding(bins, columns, numbers, groups)
        while more and (failing := _failing(recoding, bins, hierarchies, models=more)).any():
            merged = _merged(
                numbers, groups, failing=np.unique(groups.cluster[failing[groups.bin_of]])
            )
            if merged is None:
                raise _not_found(bins, more, failing=bins.people_in(failing))
            groups = merged
            recoding = self._recoding(bins, columns, numbers, groups)
        released = recoding.apply(bins, hierarchies)
        grouped = released.project(self.fields or bins.fields)
        if len(bins) and (grouped.smallest < self.k or released.people != bins.people):
            raise Bug(f"microaggregation made a group under k or lost {bins.unit}")
        told = ", ".join(bins.fields[f] for f in columns)
        step = Step(
            what=f"groups of {self.k} over {told}", levels={}, bins=len(released), rows_failing=0
        )
        notes = (MEANS, MINIMALITY) if needs_of(more) else (MEANS,)
        return Solution(solver=self.name, recoding=recoding, steps=(step,), notes=notes)

    def _k(self, bins: Bins) -> int:
        """The size of groups: the largest k that anything asks of all fields together."""
        everything = not self.fields or set(self.fields) == set(bins.fields)
        return max(self.k, plain_k(self.models, bins)[0]) if everything else self.k

    def _more(self, bins: Bins) -> tuple[Model, ...]:
        """The models that groups of k rows do not keep anyway; with them k itself, which whole bins
        may miss."""
        grouped = set(self.fields or bins.fields)
        more = [
            model
            for model in self.models
            if not (
                isinstance(model, KAnonymity)
                and model.k <= self._k(bins)
                and set(model.fields) <= grouped
            )
        ]
        # Groups of whole bins may be under k, and groups of k pairs of a person and a bin may have
        # fewer people.
        needed = self.whole or bool(more) or not bins.adds_up
        return (
            (KAnonymity(k=self._k(bins), fields=self.fields or bins.fields), *more)
            if needed
            else ()
        )

    def _check(self, bins: Bins, columns: list[int]) -> None:
        if self.aggregate not in AGGREGATES:
            known = ", ".join(AGGREGATES)
            raise Mistake(
                f"Microaggregation has no aggregate '{self.aggregate}'.",
                attempt=f"one of: {known}.",
            )
        if not columns:
            raise Mistake(
                "Microaggregation has no field to group rows by.",
                found="No quasi-identifier is known to this recipient.",
                attempt="a quasi field that holds numbers, or another solver.",
            )
        if 0 < bins.people < self._k(bins):
            raise NoRecodingFound(
                f"No groups of k = {self._k(bins)} {bins.unit} can be made.",
                found=f"The table has only {how_many(bins)}, and microaggregation leaves none out.",
                attempt=f"a k of at most the number of {bins.unit}.",
            )
        for f in columns:
            strange = ~np.isfinite(places_of(bins.labels[f])[0])
            rows = int(bins.rows_in_bins[strange[bins.codes[:, f]]].sum()) if strange.any() else 0
            if rows:
                raise Mistake(
                    f"Microaggregation of {bins.fields[f]} needs numbers.",
                    found=f"{rows} of {int(bins.rows_in_bins.sum())} rows have none there.",
                    attempt="other fields, or the solver local with labels = 'ranges', which can "
                    "hold a null.",
                )

    def _recoding(
        self, bins: Bins, columns: list[int], numbers: Floats, groups: Portions
    ) -> LabelledRecoding:
        labels: list[tuple[Label, ...]] = list(bins.labels)
        losses = [np.zeros(len(names)) for names in bins.labels]
        if self.whole or not bins.adds_up:
            groups = _in_rows(groups, bins)
        codes: Codes = bins.codes[groups.bin_of].copy()
        for column, f in enumerate(columns):
            value = numbers[groups.bin_of, column]
            middle = self._middles(value, groups)
            texts = [_text(number, self.digits) for number in middle.tolist()]
            index: dict[Label, int] = {}
            place = np.array([index.setdefault(text, len(index)) for text in texts], np.int32)
            codes[:, f] = place[groups.cluster]
            labels[f] = tuple(index)
            span = max(float(np.ptp(numbers[:, column])), 1e-12) if len(numbers) else 1.0
            away = np.abs(value - middle[groups.cluster]) / span * groups.rows
            rows = np.bincount(codes[:, f], weights=groups.rows, minlength=len(index))
            losses[f] = np.bincount(codes[:, f], weights=away, minlength=len(index)) / np.maximum(
                rows, 1
            )
        return LabelledRecoding(
            bin_of=groups.bin_of,
            rows=groups.rows,
            labels=tuple(labels),
            codes=codes,
            losses=tuple(losses),
            suppressed=np.zeros(len(groups.rows), bool),
        )

    def _middles(self, value: Floats, groups: Portions) -> Floats:
        rows = np.bincount(groups.cluster, weights=groups.rows)
        if self.aggregate == "mean":
            return np.asarray(
                np.bincount(groups.cluster, weights=value * groups.rows) / rows, np.float64
            )
        order = np.lexsort((value, groups.cluster))
        cluster = groups.cluster[order]
        before = np.cumsum(groups.rows[order]) - np.concatenate([[0], np.cumsum(rows)])[cluster]
        at = np.flatnonzero(before * 2 >= rows[cluster])
        first = at[np.unique(cluster[at], return_index=True)[1]]
        return np.asarray(value[order][first], np.float64)


def _in_rows(groups: Portions, bins: Bins) -> Portions:
    """The groups of whole bins in the order of the bins, with their rows in place of their people.
    A mean is that of rows, so that sums stay as they are."""
    order = np.argsort(groups.bin_of)
    return Portions(
        groups.bin_of[order], bins.rows_in_bins[groups.bin_of[order]], groups.cluster[order]
    )


def _failing(
    recoding: LabelledRecoding, bins: Bins, hierarchies: Hierarchies, *, models: Sequence[Model]
) -> NDArray[np.bool_]:
    """Which source bins, all whole, are in a released bin that breaks a model; sensitive values go
    along."""
    codes = np.zeros_like(recoding.codes)
    codes[recoding.bin_of] = recoding.codes
    released, groups = bins.with_cells(recoding.labels, codes).recoded(hierarchies, {})
    failing = np.zeros(len(released), bool)
    for model in models:
        failing |= model.failing(released)
    return np.asarray(failing[groups])


def _merged(numbers: Floats, groups: Portions, *, failing: Numbers) -> Portions | None:
    """Each failing group joined to the one whose mean is nearest; None where there is no other."""
    places = _scaled(numbers)
    _, cluster = np.unique(groups.cluster, return_inverse=True)
    failing = np.unique(cluster[np.isin(groups.cluster, failing)])
    rows = np.bincount(cluster, weights=groups.rows)
    if len(rows) < 2:
        return None
    middles = np.stack(
        [
            np.bincount(cluster, weights=column[groups.bin_of] * groups.rows) / rows
            for column in places.T
        ],
        axis=1,
    )
    into = np.arange(len(rows))
    joined = np.zeros(len(rows), bool)
    for number in failing.tolist():
        if joined[number]:
            continue  # it has company already in this round
        away = ((middles - middles[number]) ** 2).sum(axis=1)
        away[number] = np.inf
        best = int(np.argmin(away))
        into[number] = into[best]
        joined[[number, best]] = True
    _, numbered = np.unique(into[cluster], return_inverse=True)
    return Portions(groups.bin_of, groups.rows, numbered)


def _not_found(bins: Bins, models: Sequence[Model], *, failing: int) -> NoRecodingFound:
    return NoRecodingFound(
        f"No groups over ({', '.join(bins.fields)}) keep "
        f"{', '.join(dict.fromkeys(model.name for model in models))}.",
        found=f"Even in one group of all, {failing} of {bins.people} {bins.unit} are in bins "
        "that fail.",
        attempt="weaker numbers for these models, or a solver that may suppress rows.",
    )


def _scaled(numbers: Floats) -> Floats:
    """Numbers in standard deviations."""
    deviations = numbers.std(axis=0) if len(numbers) else np.ones(numbers.shape[1])
    return np.asarray(numbers / np.where(deviations > 0, deviations, 1.0), np.float64)


def mdav(
    numbers: Floats, counts: Numbers, k: int, *, scaled: bool = False, whole: bool = False
) -> Portions:
    """Groups of k rows, the last of up to 2k - 1; `numbers[b]` is the place of bin b, `counts[b]`
    its number of rows.

    Numbers are taken in standard deviations, unless they were `scaled` before. Where bins stay
    `whole`, groups may be larger, and the last may be smaller than k."""
    places = numbers if scaled else _scaled(numbers)
    left = counts.copy()
    found: list[tuple[Numbers, Numbers]] = []

    def far_from(point: Floats) -> int:
        return int(np.argmax(np.where(left > 0, ((places - point) ** 2).sum(axis=1), -1.0)))

    def take(seed: int) -> None:
        away = np.where(left > 0, ((places - places[seed]) ** 2).sum(axis=1), np.inf)
        near = (
            np.argpartition(away, min(k, len(away) - 1))[:k]
            if len(away) > k
            else np.arange(len(away))
        )
        near = near[np.argsort(away[near], kind="stable")]
        before = np.cumsum(left[near]) - left[near]
        taken = left[near] if whole else np.minimum(left[near], k - before)
        near, rows = near[before < k], taken[before < k]
        left[near] -= rows
        found.append((near, rows))

    while left.sum() >= 2 * k:
        seed = far_from((places * left[:, None]).sum(axis=0) / left.sum())
        start = places[seed]
        take(seed)
        if left.sum() >= 2 * k:
            take(far_from(start))
    rest = np.flatnonzero(left)
    if len(rest):
        found.append((rest, left[rest]))
    sizes = [len(members) for members, _ in found]
    empty: Numbers = np.zeros(0, np.int64)
    return Portions(
        np.concatenate([empty, *(members for members, _ in found)]),
        np.concatenate([empty, *(rows for _, rows in found)]),
        np.repeat(np.arange(len(found)), sizes),
    )


def _text(number: float, digits: int) -> str:
    rounded = round(number, digits)
    return str(int(rounded)) if rounded == int(rounded) else f"{rounded:.{digits}f}".rstrip("0")


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroaggregationSettings:
    """The settings of microaggregation in a policy."""

    aggregate: str = parameter(
        "what a group becomes", default=Microaggregation.aggregate, words=AGGREGATES
    )
    digits: int = parameter(
        "digits after the point", default=Microaggregation.digits, least=0, most=MOST_DIGITS
    )


def _build(settings: MicroaggregationSettings, request: SolverRequest) -> Microaggregation:
    return Microaggregation(
        k=request.largest_k,
        fields=request.known,
        aggregate=settings.aggregate,
        digits=settings.digits,
        models=request.models,
        whole=request.whole,
    )


def _fits(settings: MicroaggregationSettings, policy: Policy) -> Iterator[Problem]:
    """A model that looks labels up in the hierarchies finds no means there, and would fail in every
    bin."""
    by_label = labels_looked_up(policy)
    if by_label:
        yield Problem(
            where="solve.solver",
            found=f"{', '.join(by_label)} looks labels up in the hierarchies, and means are not "
            "among them.",
            attempt='solver = "anytime".',
        )


DECLARATION = SolverDeclaration(
    key="microaggregation",
    doc="microaggregation (MDAV): groups of at least k near records, each number replaced by "
    "its group's mean",
    settings=MicroaggregationSettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.NUMERIC,
        shapes=(COUNTED - {Shape.WEIGHTS})
        | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        reasons={
            Shape.WEIGHTS: "k_map looks labels up in the hierarchies, and means are not among them"
        },
        need=SolverNeed(
            requirements=("k", "anonymity"), because="groups rows by k", example="k = 5"
        ),
    ),
    build=_build,
    fits=_fits,
)
