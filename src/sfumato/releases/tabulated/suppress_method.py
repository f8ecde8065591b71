"""The method `suppress`: primary and secondary suppression, then an attack on what was written."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from sfumato.engines import Engine
from sfumato.errors import Bug, Problem, SourceError
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import TablesOfCounts, TabulationMethod
from sfumato.report import Html, table
from sfumato.report.charts import AFTER, BEFORE, Bar, counts, lying_bars
from sfumato.tabulation import (
    AreaTree,
    DisclosureAudit,
    LinkedCells,
    ReleasedTable,
    SensitivityRules,
    SuppressionPattern,
    known_inside,
    lone_people,
    lowest_cost,
    suppress_cells,
    union_margin,
    zero_cells,
)

from ..checks import Check
from .counted_source import count_cells
from .method_facts import Findings, MethodFacts

STATEMENT: Final = (
    "A cell without a value is suppressed: because of the people behind it, or to protect another "
    "cell. All values that are shown are true. For each sensitive cell, and each sensitive total of "
    "hidden cells of one sum, linear programming on the table leaves its protection interval open, "
    "also to somebody who is alone in a cell and knows it. Other knowledge is not taken into account."
)
MOST_PAIRS: Final = 2_000
"""So many pairs of a sensitive cell and a person who knows their own cells are attacked, chosen at
random where there are more."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SuppressionSettings:
    """The parameters of cell suppression."""

    threshold: int = parameter(
        "fewer people than this make a cell sensitive", default=5, least=1, most=10_000
    )
    p_percent: float | None = parameter(
        "how closely, in percent, nobody may estimate a contribution to a sum",
        default=None,
        least=0.1,
        most=100.0,
    )
    dominance: tuple[int, float] | None = parameter(
        "a sum is sensitive where `n` people have `k` percent of it",
        default=None,
        kind=ParameterKind.TABLE,
    )
    measure: str = parameter(
        "the field that is summed; without it, people are counted",
        default="",
        kind=ParameterKind.FIELD,
    )
    decimals: int = parameter("decimals of sums", default=0, least=0, most=6)
    protect: float = parameter(
        "how far off estimates of a sum of too few people are, as a share of it",
        default=0.2,
        least=0.01,
        most=1.0,
    )
    never: tuple[Mapping[str, tuple[str, ...]], ...] = parameter(
        "combinations of classes that cannot be", default=(), kind=ParameterKind.TABLES
    )


def rules_of(policy: TablesOfCounts) -> SensitivityRules:
    """The rules of a policy that make a cell sensitive."""
    return SensitivityRules(
        threshold=policy.settings.threshold,
        is_count=not policy.measure and policy.rows_per_person == 1,
        p_percent=policy.settings.p_percent,
        dominance=policy.settings.dominance,
        protect=policy.settings.protect,
    )


def suppress_method(engine: Engine, policy: TablesOfCounts) -> MethodFacts:
    """Count, suppress, and attack the table as it was written."""
    rules = rules_of(policy)
    counted = count_cells(engine, policy, largest=0 if rules.is_count else rules.largest)
    cells = _with_zeros(counted.cells, policy)
    pattern = suppress_cells(cells, rules)
    bound = lowest_cost(cells, pattern)
    released = cells.released(cells.values, pattern.suppressed)
    primary, secondary = int(pattern.primary.sum()), int(pattern.secondary.sum())
    over = f"at most {pattern.cost / bound - 1:.0%} above" if bound > 0 else "none needed, so"
    findings = (
        ("sensitive cells", f"{primary:,}"),
        ("suppressed to protect them", f"{secondary:,}, cost {pattern.cost:.1f}"),
        (
            "least cost of any pattern",
            f"{bound:.1f} or more (linear relaxation): {over} the best one",
        ),
        ("sensitive totals of hidden cells that were protected", f"{pattern.unions:,}"),
        ("rows in no cell, left out", f"{counted.rows_left_out:,}"),
    )
    return MethodFacts(
        table=released,
        tree=cells.tree,
        outcome=counted.outcome,
        statement=STATEMENT,
        released_facts={"cells_suppressed": int(pattern.suppressed.sum())},
        findings=findings,
        chart=_chart(cells, pattern),
        chart_caption="Cells that are shown and suppressed, by level and number of crossed fields.",
        details=(_details(cells, pattern),),
        check=lambda back: _attacked(back, cells, pattern, rules),
    )


def _with_zeros(cells: LinkedCells, policy: TablesOfCounts) -> LinkedCells:
    """The cells, with those that a rule keeps empty; refused where the source has people in one."""
    if not policy.never:
        return cells
    zeros = zero_cells(cells, policy.never)
    if (cells.people[zeros] > 0).any():
        raise SourceError(
            "The policy rules combinations out under never.",
            found="The source has rows with one of them.",
            attempt="mending the rows or the rule: cells that everybody takes for empty would not "
            "add up.",
        )
    return replace(cells, zeros=zeros)


def _attacked(
    back: ReleasedTable, cells: LinkedCells, pattern: SuppressionPattern, rules: SensitivityRules
) -> Findings:
    """Bounds of every sensitive cell, of people who know their own cells, and of unions. Raises where
    one is inside a protection interval: then nothing is released."""
    audit = DisclosureAudit(back, cells.tree)
    place = {labels: n for n, labels in enumerate(back.labels)}
    where = [place[cells.label_of(key)] for key in cells.keys]
    sensitive = np.flatnonzero(pattern.primary).tolist()
    open_cells = 0
    for cell in sensitive:
        value = int(cells.values[cell])
        interval = value - int(pattern.below[cell]), value + int(pattern.above[cell])
        open_cells += not audit.bounds([where[cell]]).covers(*interval)
    pairs, known_pairs = _pairs(cells, pattern)
    open_pairs = 0
    for cell, own in known_pairs:
        value = int(cells.values[cell])
        known = {where[n]: int(cells.values[n]) for n in own}
        low = max(value - int(pattern.below[cell]), known_inside(cells, own, cell))
        interval = low, value + int(pattern.above[cell])
        open_pairs += not audit.bounds([where[cell]], known).covers(*interval)
    unions = list(_sensitive_unions(cells, pattern, rules))
    open_unions = sum(
        not audit.bounds([where[n] for n in members]).covers(low, high)
        for members, low, high in unions
    )
    if open_cells or open_pairs or open_unions or audit.broken:
        raise Bug(
            f"{open_cells} sensitive cells, {open_pairs} for people who know their own cells and "
            f"{open_unions} totals of hidden cells are not protected, and {audit.broken} sums do not "
            "hold."
        )
    return (
        ("attack by linear programming", f"all {len(sensitive):,} sensitive cells stay open"),
        (
            "attack by people who are alone in a cell",
            f"{len(known_pairs):,} of {pairs:,} pairs of a person and a cell tried, all stay open",
        ),
    )


def _pairs(
    cells: LinkedCells, pattern: SuppressionPattern
) -> tuple[int, list[tuple[int, tuple[int, ...]]]]:
    """Sensitive cells, each with the hidden cells that another person knows as their only
    contributor."""
    own: dict[int, list[int]] = {}
    for cell, person in lone_people(cells).items():
        if pattern.suppressed[cell]:
            own.setdefault(person, []).append(cell)
    sensitive = np.flatnonzero(pattern.primary).tolist()
    pairs = [
        (cell, tuple(known)) for known in own.values() for cell in sensitive if cell not in known
    ]
    if len(pairs) <= MOST_PAIRS:
        return len(pairs), pairs
    return len(pairs), random.Random(secrets.randbits(64)).sample(pairs, MOST_PAIRS)


def _sensitive_unions(
    cells: LinkedCells, pattern: SuppressionPattern, rules: SensitivityRules
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Hidden parts of a shown sum that are sensitive together, with their intervals. A union whose
    total is shown is known exactly, so none may be left."""
    for total, parts in cells.equations:
        hidden = tuple(n for n in parts if pattern.suppressed[n])
        if pattern.suppressed[total] or len(hidden) < 2:
            continue
        below, above = union_margin(cells, hidden, rules)
        if below or above:
            value = int(cells.values[list(hidden)].sum())
            yield hidden, value - below, value + above


def _group(cells: LinkedCells, n: int) -> str:
    level, _, *codes = cells.keys[n]
    crossed = sum(code >= 0 for code in codes)
    fields = "totals" if not crossed else f"{crossed} field{'s' if crossed > 1 else ''}"
    return f"{cells.tree.levels[level]}, {fields}" if cells.has_areas else fields


def _sizes(cells: LinkedCells, pattern: SuppressionPattern) -> dict[str, tuple[int, int, int]]:
    out: dict[str, tuple[int, int, int]] = {}
    for n in range(len(cells.keys)):
        shown, primary, secondary = out.get(name := _group(cells, n), (0, 0, 0))
        gone = bool(pattern.suppressed[n])
        first = bool(pattern.primary[n])
        out[name] = (shown + (not gone), primary + first, secondary + (gone and not first))
    return out


def _chart(cells: LinkedCells, pattern: SuppressionPattern) -> Html:
    sizes = _sizes(cells, pattern)
    bars = []
    for name, (shown, primary, secondary) in sizes.items():
        bars.append(Bar(place=name, value=shown, label=f"{shown:,} shown", colour=BEFORE))
        gone = primary + secondary
        bars.append(Bar(place=name, value=gone, label=f"{gone:,} suppressed", colour=AFTER))
    most = max((bar.value for bar in bars), default=1)
    return lying_bars(
        bars,
        title="Cells",
        label="Cells shown and suppressed.",
        ticks=counts(max(1, most)),
        line=44,
    )


def _details(cells: LinkedCells, pattern: SuppressionPattern) -> Html:
    rows = [
        (name, f"{shown:,}", f"{primary:,}", f"{secondary:,}")
        for name, (shown, primary, secondary) in _sizes(cells, pattern).items()
    ]
    return table(
        ("cells", "shown", "sensitive", "suppressed to protect them"),
        rows,
        caption="Cells by level and number of crossed fields",
        numeric=(1, 2, 3),
    )


def suppress_checks(
    released: ReleasedTable, tree: AreaTree, policy: TablesOfCounts, facts: Mapping[str, Any]
) -> Iterator[Check]:
    """The values of hidden cells that anybody can compute, by linear programming on the table."""
    audit = DisclosureAudit(released, tree)
    yield Check(
        claim="sums are exact over all levels and fields, as far as cells are shown",
        outcome="fail" if audit.broken else "pass",
        found=f"{audit.broken:,} are not" if audit.broken else "so it is",
    )
    said = facts["tabulation"].get("cells_suppressed")
    yield Check(
        claim="as many cells are suppressed as the manifest says",
        outcome="pass" if said == len(audit.hidden) else "fail",
        found=f"{len(audit.hidden):,} are",
    )
    bounds = audit.all_bounds().values()
    least = policy.settings.threshold if rules_of(policy).is_count else 0
    broken = sum(not each.most >= each.least for each in bounds)
    known = sum(each.least > 0.5 and each.most < least - 0.5 for each in bounds)
    yield Check(
        claim="no hidden cell is known to be of too few people, by linear programming",
        outcome="fail" if known or broken else "pass" if least else "review",
        found=f"{known:,} are"
        if known
        else "the hidden cells contradict the sums"
        if broken
        else "so it is"
        if least
        else "sums do not show how many people are behind them",
        requirement="threshold",
    )
    exact = sum(each.most - each.least < 0.5 and each.most > 0.5 for each in bounds)
    narrow = sum(not each.covers(0, least) for each in bounds) if least else 0
    yield Check(
        claim="no hidden cell can be computed exactly",
        outcome="review" if exact else "pass",
        found=f"{exact:,} can; only the holder can see that they are not sensitive"
        if exact
        else "so it is",
    )
    yield Check(
        claim="the protection interval of each sensitive cell stays open",
        outcome="review",
        found=f"only the holder can see which of {len(audit.hidden):,} cells are sensitive"
        + (f"; {narrow:,} have narrower bounds than a sensitive one may have" if least else ""),
    )


def _problems(policy: TablesOfCounts) -> Iterator[Problem]:
    here, own = "tables_of_counts", policy.settings
    if own.measure:
        return
    if own.p_percent is not None or own.dominance is not None:
        yield Problem(
            where=f"{here}.measure",
            found="The p % rule and dominance are about sums, and nothing is summed.",
            attempt='measure = "turnover", or threshold alone.',
        )
    if own.threshold < 2:
        yield Problem(
            where=f"{here}.threshold", found="Every count reaches it.", attempt="threshold = 5."
        )


DECLARATION = TabulationMethod(
    key="suppress",
    doc="cells of few people, or that a few people dominate, are left empty, and others to protect them",
    title="cell suppression, checked by linear programming",
    record=SuppressionSettings,
    statement=STATEMENT,
    tabulate=suppress_method,
    verify=suppress_checks,
    check=_problems,
    marks_cells=True,
)
