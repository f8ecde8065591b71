"""The two tables beside the released one: who can be in which channel, and the statistics of the
input channels.

`channels.csv` has a line for each output channel and input channel in it, with the subjects of that
input channel. `statistics.csv` has a line for each input channel, with its subjects and the number
with each risky value (Table 2 of Garfinkel et al. 2007), or a line for each coarser statistic. The risk of a channel is
computed from these two tables and the released one."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseBroken
from sfumato.hierarchies import Label
from sfumato.policy import Channels
from sfumato.protection import ChannelAccount, exactly
from sfumato.solvers.channels import ChannelPlan

CHANNELS = "channels.csv"
STATISTICS = "statistics.csv"
_NUMBER, _INPUT, _SUBJECTS, _STATISTIC = "channel", "input", "subjects", "statistic"
EVERYTHING = "*"
"""The cell of a field that is not in the published statistics."""


def write_account(folder: Path, plan: ChannelPlan, asked: Channels) -> None:
    """Both tables. Input and output channels are numbered from 1, in the order of their values."""
    inputs = plan.inputs
    statistics = statistics_of(inputs.values, asked)
    entries = zip(
        plan.channel_of.tolist(), plan.input_of.tolist(), plan.subjects.tolist(), strict=True
    )
    lines = [
        [c + 1, r + 1, *_cells(inputs.values[r]), round(x), *_numbers(statistics, r)]
        for c, r, x in entries
    ]
    more = [] if statistics is None else [_STATISTIC]
    _write(folder / CHANNELS, [_NUMBER, _INPUT, *asked.fields, _SUBJECTS, *more], lines)
    labels = [_cells(values) for values in inputs.values]
    if statistics is not None:
        labels = list(statistics.labels)
    heads = [
        _INPUT if statistics is None else _STATISTIC,
        *asked.fields,
        _SUBJECTS,
        *(f"{name}={value}" for name, value in asked.risky_values),
    ]
    rows = zip(
        labels, inputs.published_sizes.tolist(), inputs.published_counts.tolist(), strict=True
    )
    _write(
        folder / STATISTICS,
        heads,
        [[r, *v, m, *k] for r, (v, m, k) in enumerate(rows, start=1)],
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class CoarserStatistics:
    """Published statistics that are coarser than input channels: the number of the one that each
    input channel is counted in, and the cells of each."""

    of: NDArray[np.int64]
    labels: tuple[list[str], ...]


def statistics_of(values: Sequence[Sequence[Label]], asked: Channels) -> CoarserStatistics | None:
    """The published statistics of input channels with these values; None where they are those of
    the input channels."""
    if not asked.statistics:
        return None
    found: dict[tuple[str, ...], int] = {}
    groups = [_groups(asked, name) for name in asked.fields]
    of = []
    for row in values:
        cells = tuple(label(value or "") for label, value in zip(groups, row, strict=True))
        of.append(found.setdefault(cells, len(found)))
    return CoarserStatistics(
        of=np.array(of, np.int64), labels=tuple(list(cells) for cells in found)
    )


def _groups(asked: Channels, name: str) -> Callable[[str], str]:
    """How a field's value is written in the statistics: itself, its group, or nothing."""
    groups = asked.statistics.get(name)
    if groups is None:
        return lambda value: value
    if not groups:
        return lambda value: EVERYTHING
    names = {value: set_of(group) for group in groups for value in group}
    return lambda value: names.get(value, value)


def _numbers(statistics: CoarserStatistics | None, r: int) -> list[int]:
    return [] if statistics is None else [int(statistics.of[r]) + 1]


def _cells(values: Sequence[Label]) -> list[str]:
    return ["" if value is None else value for value in values]


def _write(path: Path, heads: list[str], lines: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads)
        writer.writerows(lines)


def read_account(
    folder: Path, asked: Channels
) -> tuple[ChannelAccount, tuple[tuple[str, ...], ...]]:
    """The content of the two tables, and the values of each input channel; ReleaseBroken where they
    do not fit together."""
    try:
        statistics, channels = list(_read(folder / STATISTICS)), list(_read(folder / CHANNELS))
        wide = len(asked.fields)
        _numbered([line[0] for line in statistics])
        inputs = np.array([int(line[1]) for line in channels], np.int64) - 1
        subjects = np.array([int(line[2 + wide]) for line in channels], np.int64)
        values = _values(statistics, channels, inputs, asked)
        if any(
            tuple(line[2 : 2 + wide]) != values[r]
            for line, r in zip(channels, inputs.tolist(), strict=True)
        ):
            raise ValueError
        published = np.array([int(line[1 + wide]) for line in statistics], np.int64)
        coarser = _coarser(statistics, channels, inputs, values, asked)
        sizes = published if coarser is None else _summed(inputs, subjects, len(values))
        if coarser is not None and (_summed(coarser, sizes, len(published)) != published).any():
            raise ValueError
        channel_of = np.array([int(line[0]) for line in channels], np.int64) - 1
        account = ChannelAccount(
            sizes=sizes,
            counts=np.array(
                [[int(cell) for cell in line[2 + wide :]] for line in statistics], np.int64
            ),
            channel_of=channel_of,
            input_of=inputs,
            subjects=subjects,
            statistic_of=coarser,
            statistic_sizes=None if coarser is None else published,
            times=_times(channel_of, inputs, values, asked),
            largest_times=_times_of(values, asked),
        )
        if (
            account.counts.shape[1] != len(asked.risky_values)
            or (account.counts < 0).any()
            or (_of_one_field(account, asked) > published[:, None]).any()
        ):
            raise ValueError
    except (OSError, ValueError, IndexError, csv.Error, UnicodeError):
        raise ReleaseBroken(
            f"{CHANNELS} and {STATISTICS} of {folder} are not those that a release by channels has."
        ) from None
    return account, values


def _values(
    statistics: Sequence[Sequence[str]],
    channels: Sequence[Sequence[str]],
    inputs: NDArray[np.int64],
    asked: Channels,
) -> tuple[tuple[str, ...], ...]:
    """The values of each input channel: from the statistics, or from the channels where those are
    coarser."""
    wide = len(asked.fields)
    if not asked.statistics:
        return tuple(tuple(line[1 : 1 + wide]) for line in statistics)
    found = {
        r: tuple(line[2 : 2 + wide]) for r, line in zip(inputs.tolist(), channels, strict=True)
    }
    if sorted(found) != list(range(len(found))) or len(set(found.values())) < len(found):
        raise ValueError
    return tuple(found[r] for r in range(len(found)))


def _coarser(
    statistics: Sequence[Sequence[str]],
    channels: Sequence[Sequence[str]],
    inputs: NDArray[np.int64],
    values: Sequence[Sequence[str]],
    asked: Channels,
) -> NDArray[np.int64] | None:
    """The statistic of each input channel as the policy has it, where both tables agree."""
    made = statistics_of(values, asked)
    if made is None:
        return None
    wide = len(asked.fields)
    numbers = np.array([int(line[3 + wide]) for line in channels], np.int64) - 1
    labels = [list(line[1 : 1 + wide]) for line in statistics]
    if labels != list(made.labels) or (numbers != made.of[inputs]).any():
        raise ValueError
    return made.of


def _summed(places: NDArray[np.int64], numbers: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    out: NDArray[np.int64] = np.zeros(many, np.int64)
    np.add.at(out, places, numbers)
    return out


def _times(
    channel_of: NDArray[np.int64],
    inputs: NDArray[np.int64],
    values: Sequence[Sequence[str]],
    asked: Channels,
) -> tuple[Fraction, ...]:
    """What the weights of fields multiply the cost of each output channel by; nothing where there
    are none."""
    if not asked.field_weights:
        return ()
    members: dict[int, list[Sequence[str]]] = {}
    for channel, r in zip(channel_of.tolist(), inputs.tolist(), strict=True):
        members.setdefault(channel, []).append(values[r])
    return tuple(_times_of(members.get(c, []), asked) for c in range(max(members, default=-1) + 1))


def _times_of(rows: Sequence[Sequence[str]], asked: Channels) -> Fraction:
    """1 and the weight of each field that has several values in these rows."""
    several = [
        exactly(weight)
        for name, weight in asked.field_weights.items()
        if len({row[asked.fields.index(name)] for row in rows}) > 1
    ]
    return sum(several, Fraction(1))


def _of_one_field(account: ChannelAccount, asked: Channels) -> NDArray[np.int64]:
    """How many subjects of each published statistic have a risky value of each confidential
    field."""
    ends = np.cumsum([len(each.tolerance) for each in asked.confidential_fields])[:-1]
    parts = np.split(account.counts, ends, axis=1)
    return np.column_stack([part.sum(axis=1) for part in parts])


def _read(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, strict=True)
        next(lines, None)
        yield from lines


def _numbered(cells: Sequence[str]) -> None:
    if list(map(int, cells)) != list(range(1, len(cells) + 1)):
        raise ValueError


def set_of(values: Sequence[Label]) -> str:
    """The different values of a field in one output channel, as a JSON list in order, null last.

    An empty text is null, as in a CSV file. A recipient who reads no JSON can look for a value in
    its quotes.

    Example:
        >>> set_of(["N", "H", "N", None])
        '["H", "N", null]'
    """
    found = sorted(
        {value or None for value in values}, key=lambda value: (value is None, value or "")
    )
    return json.dumps(found, ensure_ascii=False)
