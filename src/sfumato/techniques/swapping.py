"""Exchanging values between rows: near in rank, at random, or several fields together as a unit.

Rank swapping follows Moore (1996, "Controlled data-swapping techniques for masking public use
microdata sets"); wrong-map protection exchanges units (Sweeney 2000, section 5). Values only move,
so how often each occurs stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Problem
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import Policy, PolicyStep, TechniqueDeclaration
from sfumato.wording import counted

from .cells import Cells
from .keyed_random import KeyedRandom, Wholes
from .row_groups import RowGroups
from .step_result import StepContext, StepResult

_METHODS = {
    "rank": "exchanged between rows within {window:.3g} of the rows in rank",
    "random": "exchanged at random between rows",
    "unit": "exchanged between rows as a unit with {others}, so that no row keeps its own",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapping:
    """Which values are exchanged, and between which rows."""

    method: str = parameter(
        "values near in rank, values at random, or all the fields together as a unit",
        default="rank",
        words=("rank", "random", "unit"),
    )
    window: float = parameter("how far in rank, of all rows", default=0.05, above=0, most=1)
    share: float = parameter("of rows that take part", default=1.0, above=0, most=1)
    within: tuple[str, ...] = parameter(
        "only among rows that are equal in these fields", default=(), kind=ParameterKind.FIELDS
    )


def swapped(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Exchange values between the rows that take part, within groups of rows that are equal in
    `within`.

    Rank and random: each field by itself. Unit: all fields together, to rows that have another
    tuple, as far as there are any. A row whose tuple more than half of its group has may have to
    keep it, and is counted."""
    groups, chance = cells.groups(step.names("within")), around.chance
    method, share = step.word("method"), step.number("share")
    taking = RowGroups.of_groups(groups).part(share, chance)
    before, warnings = cells, list(_alone(groups[taking], len(cells)))
    if method == "unit":
        rows = np.flatnonzero(taking)
        tuples = cells.groups(step.fields)[rows]
        giving = deranged(tuples, groups[rows], chance)
        cells = _moved(cells, step.fields, rows, rows[giving])
        warnings += _unit_warnings(tuples, groups[rows], giving, step.fields)
    else:
        for name in step.fields:
            rows, partners = _partners(cells, name, taking, groups, step, chance)
            cells = _moved(cells, (name,), rows, partners)
    same = {name: _same(before, cells, name) for name in step.fields}
    warnings += [
        f"No cell of {name} holds another value than before."
        for name in step.fields
        if same[name] == 1.0
    ]
    words = {name: _words(step, name) for name in step.fields}
    return StepResult(
        cells=cells, words=words, facts={"share_unchanged": same}, warnings=tuple(warnings)
    )


def _partners(
    cells: Cells,
    name: str,
    taking: NDArray[np.bool_],
    groups: Wholes,
    step: PolicyStep,
    chance: KeyedRandom,
) -> tuple[Wholes, Wholes]:
    """The rows that get a value of this field, and the rows that they get it from."""
    if step.word("method") == "random":
        rows = np.flatnonzero(taking)
        return rows, rows[RowGroups.of_groups(groups[rows]).shuffled(chance)]
    rows = np.flatnonzero(taking & ~cells.is_null(name))
    ranked = np.lexsort((chance.words(len(rows)), _ranks(cells, name)[rows], groups[rows]))
    rows = rows[ranked]
    return rows, rows[rank_partners(groups[rows], step.number("window"), chance)]


def _ranks(cells: Cells, name: str) -> NDArray[np.float64]:
    """The ranks of rows: numbers by size, all else by text (so dates by time). Null has no rank."""
    codes, labels = cells.codes(name)
    present = [label for label in labels.tolist() if label is not None]
    try:
        found = np.array(present, np.float64)
    except ValueError:
        found = np.full(1, np.nan)
    return np.append(found, np.nan)[codes] if np.isfinite(found).all() else codes.astype(np.float64)


def _moved(cells: Cells, fields: tuple[str, ...], rows: Wholes, giving: Wholes) -> Cells:
    for name in fields:
        out = cells.columns[name].copy()
        out[rows] = cells.columns[name][giving]
        cells = cells.with_texts(name, out)
    return cells


def _same(before: Cells, after: Cells, name: str) -> float:
    equal = before.columns[name] == after.columns[name]
    return round(float(np.mean(equal)), 4) if len(before) else 1.0


def _alone(groups: Wholes, rows: int) -> list[str]:
    _, of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    alone, pairs = int((sizes == 1).sum()), int((sizes[of] == 2).sum())
    out = (
        [f"{counted(alone, 'row has', 'rows have')} nobody to exchange values with, of {rows:,}."]
        if alone
        else []
    )
    if pairs:
        out.append(
            f"{counted(pairs, 'row')} can exchange values with one other row only: one of "
            "the two reveals the other."
        )
    return out


def _unit_warnings(
    tuples: Wholes, groups: Wholes, giving: Wholes, fields: tuple[str, ...]
) -> list[str]:
    own = int((tuples[giving] == tuples).sum())
    out = []
    if own:
        out.append(
            f"{own} rows still have their own values of ({', '.join(fields)}): most rows "
            "of their group have the same."
        )
    pairs = np.unique(np.stack([groups, tuples], axis=1), axis=0)[:, 0] if len(groups) else groups
    found, different = np.unique(pairs, return_counts=True)
    two = int(np.isin(groups, found[different == 2]).sum())
    if two:
        out.append(
            f"{two} rows are in groups with two different tuples of ({', '.join(fields)}): "
            "knowing that none is its own reveals which it was. Fields with more values, or "
            "fewer fields in within, hide it."
        )
    return out


def _words(step: PolicyStep, name: str) -> str:
    others = ", ".join(other for other in step.fields if other != name) or "itself"
    said = _METHODS[step.word("method")].format(window=step.number("window"), others=others)
    within, share = step.names("within"), step.number("share")
    said += f", among rows that are equal in {', '.join(within)}" if within else ""
    said += f", in {share:.3g} of rows" if share < 1.0 else ""
    return f"{said}; how often each value occurs is unchanged"


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: Swapping = step.settings
    if asked.method != "rank" and asked.window != step.declaration.parameter("window").default:
        yield Problem(
            where=f"{where}.window",
            found=f'It is about ranks, and method = "{asked.method}" looks at none.',
            attempt='leaving it out, or method = "rank".',
        )


DECLARATION = TechniqueDeclaration(
    key="swap",
    doc="values are exchanged between rows",
    title="swapping values",
    record=Swapping,
    apply=swapped,
    check=_check,
    trials=({"window": 0.02}, {"window": 0.05}, {"window": 0.2}, {"method": "random"}),
    trials_together=({"method": "unit"},),
)


# Exchanging so that nobody keeps what they had: a random derangement, also among rows that have
# the same.

_ROUNDS = 64


def deranged(values: Wholes, groups: Wholes, chance: KeyedRandom) -> Wholes:
    """For each row the row of its group whose value it gets, so that as few as possible get a value
    equal to their own.

    First at random. Then each row that got its own value exchanges with another drawn at random,
    where that helps one and harms neither. Groups in which this does not end, because about half of
    the rows or more have one value, are shifted. In order of their values, each row gets the value
    from as many places on as the commonest value has rows. Where m > n / 2 of n rows have that
    value, 2m - n rows keep their own, and no fewer is possible.

    Example:
        >>> values, groups = np.array([5, 5, 8, 8, 9]), np.zeros(5, int)
        >>> (values[deranged(values, groups, KeyedRandom(b"secret"))] == values).any().item()
        False
    """
    grouping = RowGroups.of_groups(groups)
    giving = grouping.shuffled(chance)
    for _ in range(_ROUNDS):
        own = np.flatnonzero(values[giving] == values)
        if not len(own):
            return giving
        partners = grouping.anyone(own, chance)
        helps = (values[partners] != values[own]) & (values[giving[partners]] != values[own])
        rows, partners = _apart(own[helps], partners[helps])
        giving[rows], giving[partners] = giving[partners], giving[rows]
    left = np.unique(grouping.of[values[giving] == values])
    return _shifted(values, grouping, giving, np.isin(grouping.of, left), chance)


def _apart(rows: Wholes, partners: Wholes) -> tuple[Wholes, Wholes]:
    """Pairs of which no row is in two."""
    both = np.stack([rows, partners], axis=1).ravel()
    _, first = np.unique(both, return_index=True)
    is_first = np.zeros(len(both), bool)
    is_first[first] = True
    keep = is_first.reshape(-1, 2).all(axis=1)
    return rows[keep], partners[keep]


def _shifted(
    values: Wholes,
    grouping: RowGroups,
    giving: Wholes,
    stuck: NDArray[np.bool_],
    chance: KeyedRandom,
) -> Wholes:
    """The rows of stuck groups in order of their values, each with the value of a row so many
    places on."""
    rows = np.flatnonzero(stuck)
    order = rows[np.lexsort((chance.words(len(rows)), values[rows], grouping.of[rows]))]
    groups = grouping.of[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1) if len(groups) else groups)
    sizes = np.diff(np.append(starts, len(order)))
    runs = np.flatnonzero(
        (np.diff(groups, prepend=-1) != 0) | (np.diff(values[order], prepend=-1) != 0)
    )
    lengths = np.diff(np.append(runs, len(order)))
    commonest = (
        np.maximum.reduceat(lengths, np.searchsorted(runs, starts)) if len(runs) else lengths
    )
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    ahead = np.repeat(starts, sizes) + (place + np.repeat(commonest, sizes)) % np.repeat(
        sizes, sizes
    )
    out = giving.copy()
    out[order] = order[ahead]
    return out


# Partners near in rank: each row is paired with one within a window of ranks, as in Moore (1996).

_TRIES = 8
_DRAWS = 1 << 16


def rank_partners(groups: Wholes, window: float, chance: KeyedRandom) -> Wholes:
    """For rows sorted by group and rank, the place of the row that each exchanges with; its own
    where there is none.

    From the lowest rank on, each row that is still free is paired with a free row above it. The
    distance is at most `window` of its group's rows, and at least one. The farthest of these is
    always free, so that at most one row of a group, the last, is left over.

    Example:
        >>> rank_partners(np.zeros(4, int), 0.25, KeyedRandom(b"secret")).tolist()
        [1, 0, 3, 2]
    """
    count = len(groups)
    starts = np.flatnonzero(np.diff(groups, prepend=-1) if count else groups)
    sizes = np.diff(np.append(starts, count))
    reach = np.repeat(
        np.maximum(1, np.floor(window * sizes + 1e-9).astype(np.int64)), sizes
    ).tolist()
    last = np.repeat(starts + sizes - 1, sizes).tolist()
    partner = list(range(count))
    draws = _draws(chance)
    for low in range(count):
        high = min(low + reach[low], last[low])
        if partner[low] == low < high:
            found = _free(partner, low, high, draws)
            partner[low], partner[found] = found, low
    return np.array(partner, np.int64)


def _free(partner: list[int], low: int, high: int, draws: Iterator[float]) -> int:
    """A place above `low` up to `high` that is free, each with the same chance; `low` where none
    is."""
    for _ in range(_TRIES):
        place = low + 1 + int(next(draws) * (high - low))
        if partner[place] == place:
            return place
    free = [place for place in range(low + 1, high + 1) if partner[place] == place]
    return free[int(next(draws) * len(free))] if free else low


def _draws(chance: KeyedRandom) -> Iterator[float]:
    while True:
        yield from chance.uniform(_DRAWS).tolist()
