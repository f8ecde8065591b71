"""Counting again what was written: the released table against its channels, and the risk of each
channel anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.policy import Channels
from sfumato.protection import ChannelAccount, ChannelTolerance, Verdict, judge_channels

from ..required_verdicts import RequiredVerdict, shape
from .account_files import read_account, set_of
from .rule_verdicts import judge_rules


@dataclass(frozen=True, eq=False, kw_only=True)
class RecountedChannels:
    """What a release by channels says of itself. `agrees` maps a claim to whether its tables agree
    about it."""

    rows: int
    account: ChannelAccount
    agrees: dict[str, bool]
    verdicts: tuple[Verdict, ...]


def tolerance_of(asked: Channels) -> ChannelTolerance:
    """The tolerances of a policy, as they are judged."""
    return ChannelTolerance.of(
        asked.tolerance,
        weights=asked.weights,
        bound=asked.bound,
        counts_subjects=asked.reading == "subjects",
    )


def recount_channels(table: Engine, folder: Path, asked: Channels) -> RecountedChannels:
    """From the release alone: its three tables and the tolerances of its policy."""
    account, values = read_account(folder, asked)
    bins = Bins.count(table, (asked.label, *asked.fields))
    told = {
        tuple(labels): count
        for labels, count in zip(bins.tuples(), bins.counts.tolist(), strict=True)
    }
    subjects = account.in_channels()
    expected = {
        (str(channel + 1), *_sets(account, values, channel)): int(subjects[channel])
        for channel in np.flatnonzero(subjects > 0).tolist()
    }
    return RecountedChannels(
        rows=table.count_rows(),
        account=account,
        agrees={
            "each row's sets are those of its channel, and channels have as many rows as they say": told
            == expected,
            "every subject of each input channel is in one output channel that has it": account.is_whole(),
        },
        verdicts=_judge(account, values, asked),
    )


def required_of_channels(asked: Channels) -> Iterator[RequiredVerdict]:
    """What a policy requires of channels, as the verdicts that a release must have.

    A release of one subject is judged to learn what each verdict is called.
    """
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    counts = np.zeros((1, len(asked.tolerance)), np.int64)
    account = ChannelAccount(sizes=one, counts=counts, channel_of=none, input_of=none, subjects=one)
    values = (("",) * len(asked.fields),)
    for verdict in _judge(account, values, asked):
        requirement = shape(verdict.requirement)
        yield RequiredVerdict(
            key="channels", model=verdict.model, requirement=requirement, fields=verdict.fields
        )


def _judge(
    account: ChannelAccount, values: tuple[tuple[str, ...], ...], asked: Channels
) -> tuple[Verdict, ...]:
    """The verdicts on the tolerances and the rules of a policy."""
    return (
        *judge_channels(
            account, tolerance_of(asked), asked.fields, max_undisclosed=asked.max_undisclosed
        ),
        *judge_rules(account, values, asked),
    )


def _sets(account: ChannelAccount, values: tuple[tuple[str, ...], ...], channel: int) -> list[str]:
    """What a channel says of each field; an empty cell of the two tables is null, as in any file of
    this kind."""
    members = account.input_of[account.channel_of == channel].tolist()
    fields = range(len(values[0]) if values else 0)
    return [set_of([values[r][f] or None for r in members]) for f in fields]
