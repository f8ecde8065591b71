"""A private table: counted in the engine by one query, measured with noise and fitted."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import Measurement, PrivacyAccount, PrivacyLimit, sigma_for
from sfumato.engines import CountedUnits, Engine, FieldKind, declared_text
from sfumato.errors import Mistake
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import DELTA, TOTAL, CountedDomain, TablesOfCounts
from sfumato.protection import Outcome
from sfumato.tabulation import (
    AreaTree,
    PrivateCounts,
    ReleasedTable,
    area_tree,
    measure_and_fit,
    private_table,
    read_areas,
    ruled_out,
)

MOST_CELLS = 20_000_000
MOST_NOISE = 100_000
FEWEST_SIGMAS = 10
"""People in units of the noise of a count of the whole, at least."""
MOST_LEFT_OUT = 0.05
LEFT_OUT_SHARE = Fraction(1, 100)
"""The share of the budget for the number of rows outside the declared values and areas."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PrivateSettings:
    """The parameters of a private table."""

    epsilon: float = parameter(
        "the most that the table costs a person", least=1e-6, most=100.0, example="1.0"
    )
    delta: float = parameter("the delta of that", default=DELTA, least=1e-15, most=1e-3)
    account: str = parameter(
        "the file that adds up what several releases cost", default="", kind=ParameterKind.FILE
    )
    limit: float | None = parameter(
        "the epsilon of all of them", default=None, least=1e-6, most=1_000.0
    )
    people: int | None = parameter(
        "about how many people there are, where that is public", default=None, least=1
    )
    invariants: tuple[str, ...] = parameter(
        "levels whose numbers of people are exact", default=(), kind=ParameterKind.TEXTS
    )
    shares: Mapping[str, float] = parameter(
        "the share of the budget of each level; alike by default",
        default_factory=dict,
        least=0,
        most=1,
    )
    never: tuple[Mapping[str, tuple[str, ...]], ...] = parameter(
        "combinations of classes that cannot be", default=(), kind=ParameterKind.TABLES
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivateTabulation:
    """A private table that was made, with its account and its tree of areas."""

    table: ReleasedTable
    tree: AreaTree
    made: PrivateCounts
    account: PrivacyAccount
    rows_left_out: int
    """A noisy number of rows outside the declared values and areas; it may be below 0."""


def tabulate_privately(engine: Engine, policy: TablesOfCounts) -> PrivateTabulation:
    """Count, charge, measure and fit. Labels and areas are read from the policy alone."""
    tree = policy_areas(policy)
    domains = {name: policy.domains[name] for name in policy.fields}
    cells = int(np.prod([len(each.labels) for each in domains.values()], dtype=np.int64))
    _check_size(tree, cells)
    _check_noise(policy, tree)
    account = opened_account(policy)
    leaves, outside = _leaf_counts(engine, policy, tree, domains, cells)
    labels = [each.labels for each in domains.values()]
    possible = ~ruled_out(policy.never, policy.fields, labels)
    # Rows of a combination that cannot be are left out, as those of undeclared values are.
    outside += int(leaves[:, ~possible].sum())
    rho = PrivacyLimit(epsilon=policy.settings.epsilon, delta=policy.settings.delta).rho()
    fields = (*policy.levels[-1:], *policy.fields)
    squared = policy.rows_per_person**2
    line = Measurement(
        what="rows outside the declared values and areas",
        fields=fields,
        cells=1,
        sigma=sigma_for(rho * LEFT_OUT_SHARE, squared),
        squared_sensitivity=squared,
        rows_per_person=policy.rows_per_person,
    )
    left_out = int(account.measure(line, np.array([outside], np.int64))[0])
    made = measure_and_fit(
        tree,
        leaves[:, possible],
        account,
        rho=rho * (1 - LEFT_OUT_SHARE),
        fields=fields,
        rows_per_person=policy.rows_per_person,
        invariants=policy.settings.invariants,
        shares=policy.settings.shares,
    )
    table = private_table(
        tree,
        [_widened(counts, possible) for counts in made.counts],
        fields=policy.fields,
        domains=labels,
    )
    return PrivateTabulation(
        table=table, tree=tree, made=made, account=account, rows_left_out=left_out
    )


def _widened(counts: NDArray[np.int64], possible: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Counts of all cells, nought where a rule keeps them empty."""
    out = np.zeros((len(counts), len(possible)), np.int64)
    out[:, possible] = counts
    return out


def usefulness_of_counts(
    lines: Sequence[Mapping[str, Any]], counted: int, left_out: int
) -> tuple[Outcome, str]:
    """`pass`, or `review` with the reason, from the lines of the account and noisy numbers. More
    than one row in twenty has values or areas that nobody declared, and the table describes other
    people than it seems to; or noise hides the people of the whole.

    Example:
        >>> lines = [
        ...     {"what": "rows outside", "sigma": 50.0},
        ...     {"what": "cells, level Total", "sigma": 5.0},
        ... ]
        >>> usefulness_of_counts(lines, 10_000, 90)
        ('pass', '')
        >>> usefulness_of_counts(lines, 40, 9)[1]
        'the noise of a count, sigma 5, hides most of about 40 rows'
        >>> usefulness_of_counts(lines, 200, 10_000)[1]
        'the declared values and areas leave out about 10,000 rows and count 200'
    """
    outside, *others = lines
    reasons = []
    if is_mostly_beyond(left_out - 3 * outside["sigma"], counted + left_out):
        reasons.append(
            f"the declared values and areas leave out about {left_out:,} rows and count {counted:,}"
        )
    sigma = min(line["sigma"] for line in others if line["what"].endswith(f"level {TOTAL}"))
    if counted < FEWEST_SIGMAS * sigma and not reasons:
        reasons.append(
            f"the noise of a count, sigma {sigma:,.0f}, hides most of about {counted:,} rows"
        )
    return ("review", "; ".join(reasons)) if reasons else ("pass", "")


def is_mostly_beyond(left_out: float, rows: float) -> bool:
    """Whether so many rows are in no cell that the declared values do not fit the source."""
    return left_out > MOST_LEFT_OUT * max(0, rows)


def policy_areas(policy: TablesOfCounts) -> AreaTree:
    """The tree of the public file; the whole alone where no levels are named."""
    if not policy.levels:
        return area_tree((), ())
    return read_areas(policy.folder / policy.areas, policy.levels)


def opened_account(policy: TablesOfCounts) -> PrivacyAccount:
    """The account, which has enough left for the cost of this table; nothing is charged yet."""
    own = policy.settings
    account = PrivacyAccount.of_run(
        epsilon=own.epsilon,
        delta=own.delta,
        limit=own.limit,
        file=policy.folder / own.account if own.account else None,
    )
    account.check_left(
        PrivacyLimit(epsilon=own.epsilon, delta=own.delta).rho(),
        f"A table of epsilon {own.epsilon:g} was asked for.",
    )
    account.note_outside("names of fields, levels and areas, and declared values, from the policy")
    for name in policy.settings.invariants:
        account.note_outside(f"the exact number of people of each area of the level {name}")
    return account


def _check_size(tree: AreaTree, cells: int) -> None:
    counts = sum(len(names) for names in tree.names) * cells
    if counts > MOST_CELLS:
        raise Mistake(
            f"A private table of {counts:,} counts was asked for.",
            found=f"At most {MOST_CELLS:,} are measured.",
            attempt="fewer fields, fewer values or larger areas; nothing was charged.",
        )


def _check_noise(policy: TablesOfCounts, tree: AreaTree) -> None:
    """Refuse, before anything is charged, noise in which every count is lost."""
    rho = PrivacyLimit(epsilon=policy.settings.epsilon, delta=policy.settings.delta).rho()
    least = min(policy.settings.shares.values(), default=1 / tree.depth)
    sigma = sigma_for(rho * Fraction(least), policy.rows_per_person**2)
    most = MOST_NOISE if policy.settings.people is None else policy.settings.people / FEWEST_SIGMAS
    if sigma > most:
        why = (
            f"above {MOST_NOISE:,} no table is useful."
            if policy.settings.people is None
            else f"the policy says that there are about {policy.settings.people:,} people."
        )
        raise Mistake(
            f"A private table of epsilon {policy.settings.epsilon:g} was asked for.",
            found=f"Each count would have noise of sigma {sigma:,.0f}; {why}",
            attempt="a higher epsilon, fewer rows per person or fewer levels; nothing was charged.",
        )


def _leaf_counts(
    engine: Engine,
    policy: TablesOfCounts,
    tree: AreaTree,
    domains: Mapping[str, CountedDomain],
    cells: int,
) -> tuple[NDArray[np.int64], int]:
    """Rows of each smallest area by cell, as the policy's classes count them, and the number of
    rows that none of them has."""
    units = CountedUnits(person=policy.entity, rows_per_person=policy.rows_per_person)
    asked = (*policy.levels[-1:], *policy.fields)
    (found,) = engine.counted_sets([asked], units)
    area = cell = np.zeros(len(found.rows), np.int64)
    inside = np.ones(len(found.rows), bool)
    kinds = {info.name: info.kind for info in engine.fields()}
    labels = [
        [declared_text(label, kinds[name]) for label in own]
        for name, own in zip(asked, found.values, strict=True)
    ]
    columns = list(zip(found.codes.T, labels, strict=True))
    if policy.levels:
        codes, own = columns.pop(0)
        area = np.array([tree.leaves.get(label or "", -1) for label in own], np.int64)[codes]
        inside = area >= 0
    for (codes, own), (name, domain) in zip(columns, domains.items(), strict=True):
        known = as_typed(domain, kinds[name])
        classes = np.array([class_of(label, known) for label in own], np.int64)[codes]
        inside &= classes >= 0
        cell = cell * len(domain.labels) + classes
    out = np.zeros((len(tree.names[-1]), cells), np.int64)
    np.add.at(out, (area[inside], cell[inside]), found.rows[inside])
    return out, int(found.rows[~inside].sum())


def as_typed(domain: CountedDomain, kind: FieldKind) -> CountedDomain:
    """A domain with its values as cells of that type have them."""
    values = tuple(str(declared_text(value, kind)) for value in domain.values)
    return replace(domain, values=values)


def class_of(label: str | None, domain: CountedDomain) -> int:
    """The place of a value among the labels of its domain; -1 where its row is left out.

    Example:
        >>> ages = CountedDomain(cuts=(15, 65))
        >>> [class_of(value, ages) for value in ("3", "15", "80", None)]
        [0, 1, 2, -1]
    """
    other = len(domain.labels) - 1 if domain.other else -1
    if label is None:
        return other
    if domain.values:
        return domain.values.index(label) if label in domain.values else other
    try:
        number = float(label)
    except ValueError:
        return other
    return bisect.bisect_right(domain.cuts, number) if number == number else other
