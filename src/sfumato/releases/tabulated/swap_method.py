"""The method `swap`: random record swapping, and the result of an attack on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import CountedSet, CountedUnits, Engine
from sfumato.errors import Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import TablesOfCounts, TabulationMethod
from sfumato.tabulation import AreaTree, ReleasedTable, alone_and_right, swap_areas

from ..checks import Check
from .consistency import sums_check
from .counted_source import TableDesign, check_all_counted, table_design
from .difference_chart import difference_chart
from .method_facts import MethodFacts

STATEMENT: Final = (
    "Some people were counted in the area of another person who agrees with them in the matching "
    "fields. Sums hold, and counts by the matching fields are true. No bound protects a person: the "
    "share of people who were not swapped is shown where they are."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapSettings:
    """The parameters of record swapping."""

    rate: float = parameter(
        "the share of people who are counted elsewhere", default=0.1, least=0.001, most=1.0
    )
    match: tuple[str, ...] = parameter(
        "fields in which partners agree", default=(), kind=ParameterKind.FIELDS
    )
    within: str = parameter("the level in one area of which partners are", default="")


def swap_method(engine: Engine, policy: TablesOfCounts) -> MethodFacts:
    """Count, swap, count again, and attack."""
    design = table_design(engine, policy)
    units = CountedUnits(person=policy.entity, rows_per_person=1 if policy.entity else 0)
    with design.staged(engine) as stage:
        if policy.entity:
            check_all_counted(stage, policy)
        (found,) = stage.counted_sets([(*policy.levels, *policy.fields)], units)
        rows = stage.count_rows()
    after, moved = _swapped(found, design)
    true, swapped = design.gathered([found]), design.gathered([after])
    attack = alone_and_right(true, swapped.values)
    people = int(found.rows.sum())
    findings = (
        (
            "people counted in another area",
            f"{moved:,} of {people:,} ({moved / max(1, people):.1%})",
        ),
        ("attack: a released count of 1 is one person there", attack.words()),
        ("rows in no cell, left out", f"{engine.count_rows() - rows:,}"),
    )
    return MethodFacts(
        table=true.released(swapped.values),
        tree=design.tree,
        outcome="review",
        statement=STATEMENT,
        released_facts={"sums_are_exact": True},
        findings=findings,
        chart=difference_chart(true.values, swapped.values),
        chart_caption="Released less true counts.",
    )


def _swapped(found: CountedSet, design: TableDesign) -> tuple[CountedSet, int]:
    """The same people, of whom some have another smallest area, and how many these are."""
    policy, tree = design.policy, design.tree
    last = len(policy.levels) - 1
    names = found.values[last]
    leaf = np.array([tree.leaves.get(name or "", -1) for name in names], np.int64)
    record = np.repeat(np.arange(len(found.rows)), found.rows)
    areas = leaf[found.codes[record, last]]
    groups = _groups(found, design, record, areas)
    new = swap_areas(areas, groups, rate=policy.settings.rate)
    code = np.full(len(tree.names[-1]), -1, np.int64)
    code[leaf[leaf >= 0]] = np.flatnonzero(leaf >= 0)
    codes = found.codes[record]
    codes[:, last] = code[new]
    unique, rows = np.unique(codes, axis=0, return_counts=True)
    after = replace(found, codes=unique, rows=rows, people=rows, sums=rows)
    return replace(after, largest=np.zeros((len(rows), 0), np.int64)), int((new != areas).sum())


def _groups(
    found: CountedSet, design: TableDesign, record: NDArray[np.int64], areas: NDArray[np.int64]
) -> NDArray[np.int64]:
    """People who may be swapped with each other: of one area of the level `within`, and equal in the
    matching fields."""
    policy, tree = design.policy, design.tree
    group = np.zeros(len(record), np.int64)
    if policy.settings.within:
        group = areas.copy()
        for level in range(len(policy.levels), policy.levels.index(policy.settings.within) + 1, -1):
            group = tree.parents[level][group]
    for name in policy.settings.match:
        column = found.fields.index(name)
        group = group * (len(found.values[column]) + 1) + found.codes[record, column]
    return group


def swap_checks(
    table: ReleasedTable, tree: AreaTree, policy: TablesOfCounts, facts: Mapping[str, Any]
) -> Iterator[Check]:
    """Sums; no check can hold swapping to a bound."""
    yield sums_check(table, tree)
    yield Check(
        claim="swapping protects each person",
        outcome="review",
        found="it has no bound; the holder's report has the share of an attacker's claims that "
        "are right",
        requirement="method",
    )


def _problems(policy: TablesOfCounts) -> Iterator[Problem]:
    here, own = "tables_of_counts", policy.settings
    if not policy.levels:
        yield Problem(
            where=f"{here}.levels",
            found="Records swap their areas, and no areas are named.",
            attempt='levels = ["state", "county"].',
        )
    if own.within and own.within not in policy.levels[:-1]:
        yield Problem(where=f"{here}.within", found="It is no level above the smallest areas.")
    for name in sorted(set(own.match) - set(policy.fields)):
        yield Problem(where=f"{here}.match", found=f"{name} is not among the fields.")


DECLARATION = TabulationMethod(
    key="swap",
    doc="some people are counted in the area of another person",
    title="random record swapping",
    record=SwapSettings,
    statement=STATEMENT,
    tabulate=swap_method,
    verify=swap_checks,
    check=_problems,
    one_row=True,
)
