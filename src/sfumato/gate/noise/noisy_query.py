"""Noisy answers: a number for each group of people who share what others may know, at a cost that
is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import ChargedMeasurement
from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted
from sfumato.policy import Domain

from ..decide.derived_table import typed
from ..decide.lattice import raised
from ..decide.protected_table import ProtectedTable
from ..decide.question_cells import marked_places
from ..settings import Terms
from ..sql.admission import PERSON
from ..sql.derivation import SIGN
from ..sql.predicates import Both, IsNull, Not, Predicate
from ..sql.questions import Aggregate, Question
from .contribution_bounding import ROWS, BoundedRows, Measure, added
from .contribution_limits import STEP
from .domains import DeclaredGroups, conditions_on, domains_of_groups
from .gaussian import Charge, Noise, Threshold
from .quantiles import HIGH, LOW, QuantileSearch, check_share
from .statistics import OF_TWO, QUANTILE, STATISTICS, parts_of

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]
FUNCTIONS: Final = ("count", "sum", "avg", *STATISTICS, QUANTILE)
EXACT: Final = 2**53
"""Whole numbers below this are added up without an error."""
MOST_ROWS: Final = 2**28
"""More rows than a gate holds: how many there are may not decide what is refused."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Noisy:
    """Numbers for each group: `labels` has a column for each field grouped by, `numbers` one for
    each aggregate.

    `suppressed` is how many groups were too small to be shown, where membership is public; `within`
    how far off each number may be. Where groups had to pass a noisy `threshold`, that costs
    `delta`."""

    labels: dict[str, list[Any]]
    numbers: dict[str, NDArray[np.float64]]
    within: dict[str, float]
    suppressed: int = 0
    threshold: int = 0
    delta: float = 0.0


def counted_with_others(
    question: Question,
    domains: dict[str, Domain],
    reckoning: BoundedRows,
    terms: Terms,
    *,
    charge: Charge,
) -> tuple[NDArray[np.float64], float]:
    """Noisy counts over declared domains, with one more value of each field for all others, in the
    order of `domains`; and their standard deviation."""
    asked = NoisyQuery.of(question, reckoning.holding)
    codes = asked.codes() if domains else {}
    groups = DeclaredGroups.with_others(domains, reckoning.holding, codes)
    run = _NoisyRun(question=question, asked=asked, reckoning=reckoning, terms=terms, charge=charge)
    found = run.released(groups.spread)
    ((_, numbers),) = found.numbers.items()
    (part,) = run._sums(parts_of(question.aggregates, terms.bounds))
    return numbers.reshape([len(each) + 1 for each in domains.values()]), part.noise.sigma


def check_noisy(question: Question, holding: ProtectedTable, terms: Terms) -> None:
    """Whether noisy numbers can be had; decided by the question and the terms alone."""
    for each in question.aggregates:
        if each.function not in FUNCTIONS or (each.distinct and each.field != PERSON):
            raise NotAdmitted(
                f"{_written(each)} is not released with noise.",
                code="not-noisy",
                attempt="COUNT, SUM, AVG, STDDEV, VARIANCE, CORR, REGR_SLOPE, PERCENTILE_CONT, or "
                "COUNT(DISTINCT person).",
            )
        if each.function == QUANTILE:
            check_share(each)
        summed = (each.field, each.other) if each.function in OF_TWO else (each.field,)
        without = [name for name in summed if name not in terms.bounds]
        if each.function != "count" and without:
            raise NotAdmitted(
                f"{_told(without[0])} has no bounds to be summed between.",
                code="not-noisy",
                attempt="bounds in the query, WHERE it is BETWEEN two numbers or as LEAST(GREATEST(it, "
                "0), 100), or asking the steward to declare them.",
            )
    for part in parts_of(question.aggregates, terms.bounds):
        if _measure(part, terms).reach * MOST_ROWS >= EXACT:
            raise NotAdmitted(
                f"{_told(part.field)} has bounds too far apart to be summed in such steps.",
                code="not-noisy",
                attempt="asking the steward to declare others.",
            )
    if question.is_over_all_groups:
        raise NotAdmitted(
            "Numbers of all groups of an inner query are not released with noise.",
            code="not-noisy",
            attempt="the inner query by itself, which shows each group and its error.",
        )
    strange = [name for name in question.groups if name not in holding.known]
    if strange:
        raise NotAdmitted(
            "Noisy numbers are released for groups of quasi-identifiers only.",
            code="not-noisy",
            found=f"Protected: {', '.join(strange)}.",
            attempt="a condition on that field in place of groups, one value at a time.",
        )


def _written(each: Aggregate) -> str:
    """An aggregate as a person writes it."""
    inner = each.field.removeprefix(SIGN) if each.field else "*"
    return f"{each.function.upper()}({'DISTINCT ' if each.distinct else ''}{inner})"


def _told(name: str) -> str:
    plain = name.removeprefix(SIGN)
    return f"The field {name!r}" if plain == name else f"The expression {plain!r}"


def noisy(
    question: Question, reckoning: BoundedRows, terms: Terms, *, protected: bool, charge: Charge
) -> Noisy:
    """The numbers, within the rho of a question, which is charged before noise is drawn.

    Where membership is public, known fields decide which groups are released: those of `least`
    people or more. Where it is protected, the released numbers depend on who is there through noise
    alone. A number without groups is always released, groups are those of declared domains, and
    others have to pass a noisy threshold."""
    run = _NoisyRun(
        question=question,
        asked=NoisyQuery.of(question, reckoning.holding),
        reckoning=reckoning,
        terms=terms,
        charge=charge,
    )
    if not protected:
        return run.of_public()
    if not question.groups:
        return run.released(lambda numbers: numbers)
    domains = domains_of_groups(question, reckoning.holding)
    if domains is None:
        return run.over_threshold()
    declared = DeclaredGroups.of(
        {name: domains[name] for name in run.asked.groups},
        conditions_on(run.asked.groups, question),
        reckoning.holding,
        codes=run.asked.codes(),
    )
    return replace(run.released(declared.spread), labels=declared.labels)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _NoisyRun:
    """One question on its way to noisy numbers; each of its parts has the same share of rho."""

    question: Question
    asked: NoisyQuery
    reckoning: BoundedRows
    terms: Terms
    charge: Charge

    def of_public(self) -> Noisy:
        """The choice of released groups depends on known fields alone, never on protected ones. A
        number without groups that is about too few people is not charged."""
        asked = self.asked
        told = np.flatnonzero(asked.has_people(self.reckoning, self.terms.least))
        there = np.zeros(asked.count, bool)
        there[asked.whole[asked.meant]] = True
        suppressed = int(np.count_nonzero(there)) - len(told)
        if not len(told) and not self.question.groups:
            return Noisy(labels={}, numbers={}, within={}, suppressed=suppressed)
        found = self.released(lambda numbers: numbers[told])
        return replace(found, labels=asked.labels(told), suppressed=suppressed)

    def released(self, chosen: Callable[[Wholes], Wholes]) -> Noisy:
        """Numbers with noise for the groups that are `chosen`."""
        parts = self._sums(parts_of(self.question.aggregates, self.terms.bounds))
        picked = [chosen(each.numbers) for each in parts]
        lines = [
            each.noise.line(self._fields, cells=len(numbers))
            for each, numbers in zip(parts, picked, strict=True)
        ]
        searches = self._searches(chosen, beside=len(parts))
        cells = len(chosen(np.zeros(self.asked.count, np.int64)))
        steps = [line for each in searches for line in each.lines(self._fields, cells=cells)]
        charged = self.charge([*lines, *steps])
        found = _noisy_of(parts, picked, charged[: len(parts)])
        return _with_quantiles(found, searches, charged[len(parts) :])

    def over_threshold(self) -> Noisy:
        """The groups whose noisy count passes a threshold: the first count of the query, or one of
        rows made for it."""
        asked = parts_of(self.question.aggregates, self.terms.bounds)
        counting = next((each for each in asked if each.function == "count"), None) or Aggregate(
            function="count"
        )
        name = counting.canonical()
        others = [each for each in asked if each.canonical() != name]
        first, *rest = self._sums([counting, *others])
        threshold = Threshold(
            noise=first.noise,
            delta=self.terms.budget.question_delta,
            groups=first.groups,
            least=self.terms.least,
        ).line(self._fields)
        lines = [each.noise.line(self._fields, cells=len(each.numbers)) for each in rest]
        told: Wholes = np.zeros(0, np.int64)
        searches = self._searches(lambda numbers: numbers[told], beside=1 + len(rest))
        cells = self.asked.count
        steps = [line for each in searches for line in each.lines(self._fields, cells=cells)]
        selected, *charged = self.charge([threshold, *lines, *steps])
        there = np.flatnonzero(first.numbers)
        counts = selected.add_noise(first.numbers[there])
        passing = counts >= threshold.threshold
        kept = dict(zip(there[passing].tolist(), counts[passing].tolist(), strict=True))
        told = self.asked.in_order(np.array(list(kept), np.int64))
        found = _noisy_of(rest, [each.numbers[told] for each in rest], charged[: len(rest)])
        found = _with_quantiles(found, searches, charged[len(rest) :])
        numbers, within = dict(found.numbers), dict(found.within)
        if len(others) < len(asked):
            numbers = {name: np.array([kept[each] for each in told.tolist()], float), **numbers}
            within = {name: first.noise.usually_within, **within}
        return Noisy(
            labels=self.asked.labels(told),
            numbers=numbers,
            within=within,
            threshold=threshold.threshold,
            delta=float(threshold.delta),
        )

    def _sums(self, parts: Sequence[Aggregate]) -> list[GroupSums]:
        rho = self.terms.budget.question_rho / (len(parts) + len(self._quantiles))
        return [_summed(part, self.asked, self.reckoning, self.terms, rho=rho) for part in parts]

    @property
    def _quantiles(self) -> list[Aggregate]:
        asked = [each for each in self.question.aggregates if each.function == QUANTILE]
        return list({each.canonical(): each for each in asked}.values())

    def _searches(self, chosen: Callable[[Wholes], Wholes], *, beside: int) -> list[QuantileSearch]:
        """The searches for percentiles `beside` other parts; `chosen` has the groups that are
        released, in their order."""
        if not self._quantiles:
            return []
        rho = self.terms.budget.question_rho / (beside + len(self._quantiles))
        return [
            search_of(each, self.asked, self.reckoning, self.terms, rho=rho, chosen=chosen)
            for each in self._quantiles
        ]

    @property
    def _fields(self) -> tuple[str, ...]:
        having = self.question.having.fields() if self.question.having else ()
        aggregates = self.question.aggregates
        people = (each.other for each in aggregates if each.distinct and each.other)
        measured = (*(each.field for each in aggregates if each.field), *people)
        return tuple(sorted({*self.asked.known, *having, *measured}))


def _with_quantiles(
    found: Noisy, searches: Sequence[QuantileSearch], charged: Sequence[ChargedMeasurement]
) -> Noisy:
    numbers, within, rest = dict(found.numbers), dict(found.within), list(charged)
    for search in searches:
        own, rest = rest[: search.halvings + 1], rest[search.halvings + 1 :]
        more = search.found(own)
        numbers |= more
        name = search.aggregate.canonical()
        widths = more[name + HIGH] - more[name + LOW]
        within[name] = float(widths.max(initial=0.0))
    return replace(found, numbers=numbers, within=within)


def search_of(
    aggregate: Aggregate,
    asked: NoisyQuery,
    reckoning: BoundedRows,
    terms: Terms,
    *,
    rho: Fraction,
    chosen: Callable[[Wholes], Wholes],
) -> QuantileSearch:
    """The search for a percentile of the groups that are `chosen`."""
    holding, between = reckoning.holding, terms.bounds[aggregate.field]
    held = holding.fields[aggregate.field]
    step = QuantileSearch.grid(
        between,
        terms.steps.get(aggregate.field, STEP),
        whole=held.kind is FieldKind.INTEGER,
    )
    group, value = asked.values_of_groups(reckoning, aggregate.field)
    place = np.ceil((np.clip(value, *between) - between[0]) / step - 1e-9).astype(np.int64)

    def counts(reach: Wholes | None) -> Wholes:
        if reach is None:
            return chosen(np.bincount(group, minlength=asked.count))
        which = chosen(np.arange(1, asked.count + 1)) - 1
        limit = np.full(asked.count, -1)
        limit[which[which >= 0]] = reach[which >= 0]
        return chosen(np.bincount(group[place <= limit[group]], minlength=asked.count))

    return QuantileSearch(
        aggregate=aggregate,
        between=between,
        step=step,
        most=reckoning.most,
        rho=rho,
        counts=counts,
    )


def _noisy_of(
    parts: Sequence[GroupSums], picked: Sequence[Wholes], charged: Sequence[ChargedMeasurement]
) -> Noisy:
    numbers = {
        part.name: np.asarray(each.add_noise(values) * part.unit, np.float64)
        for part, values, each in zip(parts, picked, charged, strict=True)
    }
    within = {part.name: part.noise.usually_within * part.unit for part in parts}
    return Noisy(labels={}, numbers=numbers, within=within)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NoisyQuery:
    """A question on the projection of the known fields that it groups by or has a condition on: its
    places, and the group of each."""

    holding: ProtectedTable
    having: Predicate | None
    groups: tuple[str, ...]
    known: tuple[str, ...]
    meant: Marks
    whole: Wholes
    count: int

    @classmethod
    def of(cls, question: Question, holding: ProtectedTable) -> NoisyQuery:
        about = question.about.fields() if question.about else frozenset()
        known = tuple(name for name in holding.known if name in question.groups or name in about)
        groups = tuple(name for name in known if name in question.groups)
        projection = holding.projection(known)
        whole, count = raised(
            dict.fromkeys(groups, 0), projection.codes, holding, count=projection.places
        )
        return cls(
            holding=holding,
            having=question.having,
            groups=groups,
            known=known,
            meant=marked_places(question.about, holding, known),
            whole=whole,
            count=count,
        )

    def grouped(self, totals: Wholes) -> Wholes:
        """Numbers of places added up in their groups."""
        return added(self.whole, totals, self.count)

    def codes(self) -> dict[str, NDArray[np.int32]]:
        """The code of each group in the fields that are grouped by."""
        projection = self.holding.projection(self.known)
        somewhere = np.zeros(self.count, np.int64)
        somewhere[self.whole] = np.arange(projection.places)
        return {name: projection.codes[name][somewhere] for name in self.groups}

    def labels(self, told: Wholes) -> dict[str, list[Any]]:
        """The labels of some groups in the fields that are grouped by."""
        return {
            name: typed(self.holding.fields[name], codes[told]).tolist()
            for name, codes in self.codes().items()
        }

    def in_order(self, told: Wholes) -> Wholes:
        """Groups in the order of their labels, which follows from no other group."""
        columns = self.labels(told).values()
        keys = [
            tuple((cell is None, "" if cell is None else cell) for cell in row)
            for row in zip(*columns, strict=True)
        ]
        return told[sorted(range(len(told)), key=keys.__getitem__)] if len(told) else told

    def values_of_groups(
        self, reckoning: BoundedRows, name: str
    ) -> tuple[Wholes, NDArray[np.float64]]:
        """The group of each row that counts and is meant, and its value of a field."""
        holding = self.holding
        place_of = holding.projection(self.known).place_of
        rows = np.arange(len(holding)) if reckoning.rows is None else reckoning.rows
        rows = rows[self.meant[place_of[holding.bin_of[rows]]]]
        if self.having is not None:
            codes = {each: holding.fields[each].codes[rows] for each in self.having.fields()}
            rows = rows[self.having.marks(holding.fields, codes)]
        value = holding.fields[name].numbers()[holding.fields[name].codes[rows]]
        there = ~np.isnan(value)
        return self.whole[place_of[holding.bin_of[rows[there]]]], value[there]

    def has_people(self, reckoning: BoundedRows, least: int) -> Marks:
        """Marks of the groups with at least so many people, whatever is to be protected. People are
        counted only where the number of rows leaves it open."""
        rows = self.grouped(reckoning.entries(self.known).totals(self.meant, None, {}))
        many = 1 if self.holding.one_row_each else reckoning.most
        is_open = (rows >= least) & (rows < least * many)
        if not is_open.any():
            return rows >= least
        place_of = self.holding.projection(self.known).place_of
        found = reckoning.people_of_groups(
            None, self.meant[place_of], self.whole[place_of], self.count, once=False
        )
        return found >= least


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GroupSums:
    """A number of each group in whole steps of `unit`, and the noise that covers one person. They
    are in at most `groups` groups."""

    name: str
    numbers: Wholes = field(repr=False)
    unit: float
    noise: Noise
    groups: int


def _summed(
    part: Aggregate, asked: NoisyQuery, reckoning: BoundedRows, terms: Terms, *, rho: Fraction
) -> GroupSums:
    holding, most = reckoning.holding, reckoning.most
    having = asked.having
    if part.distinct and part.other:
        chosen = Not(IsNull(part.other))
        having = chosen if having is None else Both((having, chosen))
    if part.distinct and holding.has_person_key:
        once = all(holding.policy.fields[name].constant_per_person for name in asked.groups)
        place_of = holding.projection(asked.known).place_of
        meant, whole = asked.meant[place_of], asked.whole[place_of]
        people = reckoning.people_of_groups(having, meant, whole, asked.count, once=once)
        groups = 1 if once else most
        return GroupSums(
            name=part.canonical(),
            numbers=people,
            unit=1.0,
            noise=Noise(rho=rho, squared=groups),  # One in each group: the root of their number.
            groups=groups,
        )
    measure = _measure(part, terms)
    names = tuple(sorted(having.fields())) if having else ()
    entries = reckoning.entries(asked.known, names, measure)
    totals = entries.totals(asked.meant, having, holding.fields)
    reach = measure.reach * most
    return GroupSums(
        name=part.canonical(),
        numbers=asked.grouped(totals),
        unit=measure.step,
        noise=Noise(rho=rho, squared=reach**2, widest=reach),  # All rows may be in one group.
        groups=most,
    )


def noise_scales(
    question: Question, holding: ProtectedTable, terms: Terms, *, protected: bool
) -> dict[str, float]:
    """How far each count and sum that a question is made of would usually be off, before it is
    asked. It follows from the question, the policy and the terms: nothing is read for it."""
    parts = parts_of(question.aggregates, terms.bounds)
    quantiles = {each.canonical() for each in question.aggregates if each.function == QUANTILE}
    counts = any(part.function == "count" for part in parts)
    passing = protected and bool(question.groups) and domains_of_groups(question, holding) is None
    shares = len(parts) + len(quantiles) + (passing and not counts)
    rho = terms.budget.question_rho / max(1, shares)
    most = terms.rows_per_person if holding.has_person_key else 1
    out: dict[str, float] = {}
    for part in parts:
        if part.distinct and holding.has_person_key:
            fields = holding.policy.fields
            once = all(fields[name].constant_per_person for name in question.groups)
            noise, unit = Noise(rho=rho, squared=1 if once else most), 1.0
        else:
            measure = _measure(part, terms)
            reach, unit = measure.reach * most, measure.step
            noise = Noise(rho=rho, squared=reach**2, widest=reach)
        out[part.canonical()] = noise.usually_within * unit
    return out


def threshold_before(question: Question, holding: ProtectedTable, terms: Terms) -> int:
    """The noisy count that groups would have to pass, before the question is asked; 0 where their
    domains are declared, or there are none. Nothing is read for it."""
    if not question.groups or domains_of_groups(question, holding) is not None:
        return 0
    parts = parts_of(question.aggregates, terms.bounds)
    counting = next((part for part in parts if part.function == "count"), None)
    quantiles = {each.canonical() for each in question.aggregates if each.function == QUANTILE}
    rho = terms.budget.question_rho / (len(parts) + len(quantiles) + (counting is None))
    most = terms.rows_per_person if holding.has_person_key else 1
    fields = holding.policy.fields
    once = all(fields[name].constant_per_person for name in question.groups)
    of_people = counting is not None and counting.distinct and holding.has_person_key
    groups = 1 if of_people and once else most
    noise = (
        Noise(rho=rho, squared=groups)
        if of_people
        else Noise(rho=rho, squared=most**2, widest=most)
    )
    threshold = Threshold(
        noise=noise, delta=terms.budget.question_delta, groups=groups, least=terms.least
    )
    return threshold.line(()).threshold


def _measure(part: Aggregate, terms: Terms) -> Measure:
    if part.distinct:  # Of people: where every row is a person, these are the rows.
        return ROWS
    if part.function == "count":
        return Measure(field=part.field)
    return Measure(
        field=part.field, between=terms.bounds[part.field], step=terms.steps.get(part.field, STEP)
    )
