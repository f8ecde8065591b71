"""The confidential field, released in an altered form: for each subject a set of values that it may
have (Garfinkel et al. 2007, section 8, leave this to future work).

Within an output channel, everybody with a risky value is in a set that has it, with so many others,
drawn at random, that the value is no more likely in the set than is tolerated. How many subjects are
in each set follows from the published tables alone, so that the number discloses nothing more."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup, WritePlan
from sfumato.errors import Bug
from sfumato.hierarchies import Label
from sfumato.policy import Channels
from sfumato.protection import ChannelAccount, ChannelTolerance, Verdict
from sfumato.solvers.channels import ChannelPlan
from sfumato.wording import agreeing

from .account_files import set_of

Sets = Mapping[tuple[int, tuple[int, ...]], int]
"""How many subjects of an output channel are in the set of these risky values, by their numbers."""


@dataclass(frozen=True, kw_only=True)
class PossibleSet:
    """Risky values that are released together in one output channel, and for how many subjects."""

    values: tuple[int, ...]
    subjects: int


def possible_sets(
    account: ChannelAccount, tolerance: ChannelTolerance
) -> tuple[tuple[PossibleSet, ...], ...]:
    """The sets of each output channel, from its published numbers: one for each value that anybody
    there can have, and fewer and wider ones where those have no room."""
    members: list[list[tuple[int, int]]] = [[] for _ in range(account.channels)]
    entries = (account.channel_of, account.input_of, account.subjects)
    for channel, r, subjects in zip(*(part.tolist() for part in entries), strict=True):
        if subjects:
            members[channel].append((r, subjects))
    sizes, counts = account.sizes.tolist(), account.counts.tolist()
    return tuple(_of_channel(inside, sizes, counts, tolerance) for inside in members)


def _of_channel(
    inside: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    counts: Sequence[Sequence[int]],
    tolerance: ChannelTolerance,
) -> tuple[PossibleSet, ...]:
    room = sum(subjects for _, subjects in inside)
    expected = [
        sum((Fraction(counts[r][k] * x, sizes[r]) for r, x in inside), Fraction(0))
        for k in range(len(tolerance.values))
    ]

    def needed(values: tuple[int, ...]) -> int:
        """As many as the tolerances and the bound ask for, and room for everybody who can have
        them."""
        most = [sum(min(x, sum(counts[r][k] for k in values)) for r, x in inside)]
        most += [ceil(expected[k] / tolerance.limits[k]) for k in values if expected[k]]
        if tolerance.bound is not None and any(expected[k] for k in values):
            total = sum((tolerance.weights[k] * expected[k] for k in values), Fraction(0))
            most.append(ceil(total / tolerance.bound) if tolerance.bound else room)
        return max(most)

    sets: list[tuple[int, ...]] = [(k,) for k, share in enumerate(expected) if share]
    while sum(map(needed, sets)) > room and len(sets) > 1:
        one, other = min(
            combinations(sets, 2),
            key=lambda pair: needed((*pair[0], *pair[1])) - needed(pair[0]) - needed(pair[1]),
        )
        rest = [each for each in sets if each not in (one, other)]
        sets = [*rest, tuple(sorted((*one, *other)))]
    return tuple(
        PossibleSet(values=values, subjects=min(needed(values), room)) for values in sorted(sets)
    )


def cell_of(values: Sequence[int], asked: Channels) -> str:
    """A set as it is released: its risky values, and null for every other one."""
    return set_of([*(asked.risky_values[k][1] for k in values), None])


def altered(
    stage: Engine, plan: ChannelPlan, asked: Channels, tolerance: ChannelTolerance
) -> Engine:
    """The stage with one more field: the set of each subject, drawn and checked."""
    sets = possible_sets(plan.account(), tolerance)
    found = Bins.count(stage, (asked.label,), sensitive=(asked.confidential,))
    kept = tuple(info.name for info in stage.fields())
    lookup = _draw(found, sets, asked)
    out = stage.staged(WritePlan(fields=(*kept, asked.altered), lookups=(lookup,)))
    _check_drawn(out, asked)
    return out


def _draw(found: Bins, sets: Sequence[Sequence[PossibleSet]], asked: Channels) -> Lookup:
    """Which rows of each output channel and confidential value get which set: all with a risky
    value theirs, others at random what is left."""
    random = np.random.default_rng(secrets.randbits(128))
    inside = found.histograms[asked.confidential]
    risky = {value: k for k, (_, value) in enumerate(asked.risky_values)}
    by_channel: dict[int, list[tuple[Label, int]]] = {}
    labels = list(found.tuples())
    for b, v, count in zip(
        inside.bin_of.tolist(), inside.value_of.tolist(), inside.counts.tolist(), strict=True
    ):
        channel = int(labels[b][0] or 0) - 1
        by_channel.setdefault(channel, []).append((inside.values[v], int(count)))
    lines: list[tuple[str, Label, str, int, int]] = []
    for channel, values in sorted(by_channel.items()):
        left = {each.values: each.subjects for each in sets[channel]}
        home = {k: each.values for each in sets[channel] for k in each.values}
        for value, count in values:
            if value in risky:
                at = home[risky[value]]
                left[at] -= count
                lines.append((str(channel + 1), value, cell_of(at, asked), 1, count))
        others = [(value, count) for value, count in values if value not in risky]
        left[()] = sum(count for _, count in others) - sum(left.values())
        if min(left.values()) < 0:
            raise Bug("a set of possible values has no room for those who have them.")
        lines += _others(channel, others, left, asked, random)
    return _lookup(lines, asked)


def _others(
    channel: int,
    others: Sequence[tuple[Label, int]],
    left: dict[tuple[int, ...], int],
    asked: Channels,
    random: np.random.Generator,
) -> Iterator[tuple[str, Label, str, int, int]]:
    """Subjects without a risky value, spread over what the sets have left, at random."""
    names = list(left)
    free = np.array([left[name] for name in names], np.int64)
    for value, count in others:
        drawn = random.multivariate_hypergeometric(free, count, method="marginals")
        free = free - drawn
        first = 1
        for name, number in zip(names, drawn.tolist(), strict=True):
            if number:
                cell = cell_of(name, asked)
                yield str(channel + 1), value, cell, first, first + number - 1
                first += number


def _lookup(lines: Sequence[tuple[str, Label, str, int, int]], asked: Channels) -> Lookup:
    def texts(column: int) -> NDArray[np.object_]:
        out = np.empty(len(lines), object)
        out[:] = [line[column] for line in lines]
        return out

    batch: dict[str, NDArray[Any]] = {
        f"key:{asked.label}": texts(0),
        f"key:{asked.confidential}": texts(1),
        f"new:{asked.altered}": texts(2),
        "first": np.array([line[3] for line in lines], np.int64),
        "last": np.array([line[4] for line in lines], np.int64),
    }

    def batches() -> Iterator[Mapping[str, NDArray[Any]]]:
        yield batch

    return Lookup(
        keys=(asked.label, asked.confidential),
        fields=(asked.altered,),
        batches=batches,
        portions=True,
    )


def _check_drawn(stage: Engine, asked: Channels) -> None:
    """Everybody with a risky value has it in their set."""
    found = Bins.count(stage, (asked.altered,), sensitive=(asked.confidential,))
    inside, labels = found.histograms[asked.confidential], list(found.tuples())
    risky = {value for _, value in asked.risky_values}
    for b, v in zip(inside.bin_of.tolist(), inside.value_of.tolist(), strict=True):
        value, cell = inside.values[v], labels[b][0]
        if cell is None or (value in risky and value not in json.loads(cell)):
            raise Bug("a subject was drawn into a set without their value.")


def read_sets(table: Engine, asked: Channels) -> Sets | None:
    """The sets of a released table with their subjects; None where a cell is no set of values."""
    place = {value: k for k, (_, value) in enumerate(asked.risky_values)}
    found = Bins.count(table, (asked.label, asked.altered))
    out: dict[tuple[int, tuple[int, ...]], int] = {}
    try:
        for (channel, cell), count in zip(found.tuples(), found.counts.tolist(), strict=True):
            values = json.loads(cell or "")
            numbers = tuple(place[value] for value in values if value is not None)
            if cell_of(numbers, asked) != cell:
                return None
            out[int(channel or 0) - 1, numbers] = int(count)
    except (ValueError, KeyError, TypeError):
        return None
    return out


def judge_sets(
    account: ChannelAccount, tolerance: ChannelTolerance, sets: Sets | None, asked: Channels
) -> Verdict:
    """Whether no set makes a value likelier than its u or the sum larger than b, and each value
    that anybody in an output channel can have is in one set there; in fractions."""
    broken = _broken(account, tolerance, sets) if sets is not None else None
    people = list((sets or {}).values())
    below = 0 if sets is None or broken is None else sum(sets[each] for each in broken)
    many, failing = len(people), 1 if broken is None else len(broken)
    reason = f"all {many} sets keep it"
    if failing:
        reason = f"{failing} of {many} sets {agreeing(failing, 'breaks it', 'break it')}"
    return Verdict(
        outcome="fail" if failing else "pass",
        model="channel risk",
        requirement="no value is more likely than its u in a set of possible values",
        fields=asked.fields,
        bins=many,
        rows=sum(people),
        smallest=min(people, default=0),
        bins_below=failing,
        rows_below=below,
        reason="a cell is no set of possible values" if broken is None else reason,
    )


def _broken(
    account: ChannelAccount, tolerance: ChannelTolerance, sets: Sets
) -> list[tuple[int, tuple[int, ...]]]:
    """The sets that disclose too much. It shares no code with how they are made."""
    shares: dict[tuple[int, int], Fraction] = {}
    entries = (account.channel_of, account.input_of, account.subjects)
    for channel, r, subjects in zip(*(part.tolist() for part in entries), strict=True):
        for k, count in enumerate(account.counts[r].tolist()):
            here = Fraction(int(count) * int(subjects), int(account.sizes[r]))
            shares[channel, k] = shares.get((channel, k), Fraction(0)) + here
    homes: dict[tuple[int, int], int] = {}
    for channel, values in sets:
        for k in values:
            homes[channel, k] = homes.get((channel, k), 0) + 1
    out = []
    for (channel, values), people in sets.items():
        likely = {k: shares.get((channel, k), Fraction(0)) / people for k in values}
        total = sum((tolerance.weights[k] * share for k, share in likely.items()), Fraction(0))
        if (
            any(share > tolerance.limits[k] for k, share in likely.items())
            or (tolerance.bound is not None and total > tolerance.bound)
            or any(homes[channel, k] > 1 for k in values)
        ):
            out.append((channel, values))
    homeless = {c for (c, k), share in shares.items() if share and (c, k) not in homes}
    out += [each for each in sets if each[0] in homeless and each not in out]
    return out
