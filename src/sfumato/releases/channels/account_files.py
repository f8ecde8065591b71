"""The two tables beside the released one: who can be in which channel, and the statistics of the
input channels.

`channels.csv` has a line for each output channel and input channel in it, with the subjects of that
input channel. `statistics.csv` has a line for each input channel, with its subjects and the number
with each risky value (Table 2 of Garfinkel et al. 2007). The risk of a channel is computed from
these two tables and the released one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseBroken
from sfumato.hierarchies import Label
from sfumato.policy import Channels
from sfumato.protection import ChannelAccount
from sfumato.solvers.channels import ChannelPlan

CHANNELS = "channels.csv"
STATISTICS = "statistics.csv"
_NUMBER, _INPUT, _SUBJECTS = "channel", "input", "subjects"


def write_account(folder: Path, plan: ChannelPlan, asked: Channels) -> None:
    """Both tables. Input and output channels are numbered from 1, in the order of their values."""
    inputs = plan.inputs
    entries = zip(
        plan.channel_of.tolist(), plan.input_of.tolist(), plan.subjects.tolist(), strict=True
    )
    lines = [[c + 1, r + 1, *_cells(inputs.values[r]), round(x)] for c, r, x in entries]
    _write(folder / CHANNELS, [_NUMBER, _INPUT, *asked.fields, _SUBJECTS], lines)
    heads = [
        _INPUT,
        *asked.fields,
        _SUBJECTS,
        *(f"{name}={value}" for name, value in asked.risky_values),
    ]
    rows = zip(inputs.values, inputs.sizes.tolist(), inputs.counts.tolist(), strict=True)
    _write(
        folder / STATISTICS,
        heads,
        [[r, *_cells(v), m, *k] for r, (v, m, k) in enumerate(rows, start=1)],
    )


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
        values = tuple(tuple(line[1 : 1 + wide]) for line in statistics)
        _numbered([line[0] for line in statistics])
        inputs = np.array([int(line[1]) for line in channels], np.int64) - 1
        if any(
            tuple(line[2 : 2 + wide]) != values[r]
            for line, r in zip(channels, inputs.tolist(), strict=True)
        ):
            raise ValueError
        account = ChannelAccount(
            sizes=np.array([int(line[1 + wide]) for line in statistics], np.int64),
            counts=np.array(
                [[int(cell) for cell in line[2 + wide :]] for line in statistics], np.int64
            ),
            channel_of=np.array([int(line[0]) for line in channels], np.int64) - 1,
            input_of=inputs,
            subjects=np.array([int(line[2 + wide]) for line in channels], np.int64),
        )
        if (
            account.counts.shape[1] != len(asked.risky_values)
            or (_of_one_field(account, asked) > account.sizes[:, None]).any()
        ):
            raise ValueError
    except (OSError, ValueError, IndexError, csv.Error, UnicodeError):
        raise ReleaseBroken(
            f"{CHANNELS} and {STATISTICS} of {folder} are not those that a release by channels has."
        ) from None
    return account, values


def _of_one_field(account: ChannelAccount, asked: Channels) -> NDArray[np.int64]:
    """How many subjects of each input channel have a risky value of each confidential field."""
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
