"""The method `round`: controlled rounding, then an attack on what was written."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sfumato.engines import Engine
from sfumato.errors import Bug
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import TablesOfCounts, TabulationMethod
from sfumato.tabulation import AreaTree, ReleasedTable, RoundingAudit, round_cells

from ..checks import Check
from .consistency import broken_sums, equations_of, sums_check
from .counted_source import count_cells
from .difference_chart import difference_chart
from .method_facts import Findings, MethodFacts

STATEMENT: Final = (
    "Every value is rounded to a multiple of the base, up or down by chance, and all sums hold. A true "
    "value is less than a base from the released one, or as far as the manifest says; no closer bound "
    "follows from the table. Totals of few people are shown as 0 or as the base."
)
MOST_ATTACKED: Final = 500
"""So many cells are attacked, chosen at random where there are more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingSettings:
    """The parameters of controlled rounding."""

    base: int = parameter(
        "what values are rounded to multiples of", default=5, least=2, most=10_000
    )
    measure: str = parameter(
        "the field that is summed; without it, people are counted",
        default="",
        kind=ParameterKind.FIELD,
    )
    decimals: int = parameter("decimals of sums", default=0, least=0, most=6)


def round_method(engine: Engine, policy: TablesOfCounts) -> MethodFacts:
    """Count, round, and attack the table as it was written."""
    counted = count_cells(engine, policy, largest=0 if not policy.measure else 1)
    cells, base = counted.cells, policy.settings.base * 10**policy.decimals
    rounded = round_cells(cells, base)
    step = rounded.largest_step
    findings = (
        ("cells rounded against their draw, so that sums hold", f"{rounded.against:.0f}"),
        ("fewest of any rounding with these draws", f"{rounded.fewest:.0f} or more"),
        ("true values are within", f"{step:,} of the released ones"),
        ("rows in no cell, left out", f"{counted.rows_left_out:,}"),
    )
    return MethodFacts(
        table=cells.released(rounded.values),
        tree=cells.tree,
        outcome=counted.outcome,
        statement=STATEMENT,
        released_facts={"largest_step": step},
        findings=findings,
        chart=difference_chart(cells.values, rounded.values, unit=10**policy.decimals),
        chart_caption="Released less true values.",
        check=lambda back: _attacked(back, cells.tree, base, step),
    )


def _attacked(back: ReleasedTable, tree: AreaTree, base: int, step: int) -> Findings:
    tried, width = narrowest(back, tree, step)
    if width < base - 1 or broken_sums(back, tree):
        raise Bug("a rounded table shows a true value more closely than its base, or broken sums.")
    return (
        (
            "attack by linear programming",
            f"the narrowest interval of {tried:,} cells tried is {width:,} wide",
        ),
    )


def narrowest(back: ReleasedTable, tree: AreaTree, step: int) -> tuple[int, int]:
    """How many true values were bounded, and the width of the narrowest interval."""
    values = [0 if value is None else value for value in back.values]
    audit = RoundingAudit(values, list(equations_of(back, tree)), step=step)
    places = list(range(len(values)))
    if len(places) > MOST_ATTACKED:
        places = random.Random(secrets.randbits(64)).sample(places, MOST_ATTACKED)
    found = [audit.bounds(n) for n in places]
    widths = [round(each.most - each.least) if each.most >= each.least else -1 for each in found]
    return len(places), min(widths, default=0)


def round_checks(
    table: ReleasedTable, tree: AreaTree, policy: TablesOfCounts, facts: Mapping[str, Any]
) -> Iterator[Check]:
    """Multiples, sums, and the bounds that anybody can compute."""
    base = policy.settings.base * 10**policy.decimals
    yield sums_check(table, tree)
    strange = sum(value is None or value % base != 0 for value in table.values)
    yield Check(
        claim="every value is a multiple of the base",
        outcome="fail" if strange else "pass",
        found=f"{strange:,} are not" if strange else "so it is",
    )
    step = facts["tabulation"].get("largest_step")
    fits = isinstance(step, int) and base - 1 <= step < 3 * base
    tried, width = narrowest(table, tree, step) if isinstance(step, int) and fits else (0, -1)
    yield Check(
        claim="no true value is bounded more closely than by the base, by linear programming",
        outcome="pass" if width >= base - 1 else "fail",
        found=f"the narrowest interval of {tried:,} cells is {width:,} wide"
        if tried
        else "the manifest has no step that a rounding has",
    )
    yield Check(
        claim="values are rounded at random, and true ones are within the step of the manifest",
        outcome="review",
        found="only the holder of the source can see this",
    )


DECLARATION = TabulationMethod(
    key="round",
    doc="every value becomes a multiple of a base, up or down by chance, and sums hold",
    title="controlled rounding",
    record=RoundingSettings,
    statement=STATEMENT,
    tabulate=round_method,
    verify=round_checks,
    one_row=True,
)
