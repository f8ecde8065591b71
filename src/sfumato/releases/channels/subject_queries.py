"""Asking a release by channels: who could have certain values. The answer has everyone who does,
and some others."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.hierarchies import Label

from ..finished_release import written
from ..manifest import ONE_TABLE
from ..verification import manifest_of, policy_without_hierarchies
from .account_files import read_account

Wanted = Mapping[str, Collection[Label]]


def subjects_where(
    folder: str | Path, wanted: Wanted, *, shown: tuple[str, ...] = ()
) -> list[tuple[Label, ...]]:
    """The identifiers of everyone who could have one of the wanted values in each field named.

    A row counts if some input channel of its output channel fits as a whole. That is sharper than
    asking each field's set for itself: a channel with (high, high) and (low, low) has nobody with
    (high, low). `shown` are the fields of the answer, by default the released identifiers.

    Since each subject's own input channel is in its output channel, nobody who fits is missing
    (Garfinkel et al. 2007, section 3.1)."""
    release = written(folder)
    facts = manifest_of(release)
    asked = policy_without_hierarchies(facts, release.folder).channels
    if asked is None:
        raise Mistake(
            f"{release.title} is not a release by channels.", attempt="the folder of one."
        )
    for name in wanted:
        if name not in asked.fields:
            raise Mistake(
                f"Channels do not cover {name!r}.", attempt=f"one of {', '.join(asked.fields)}."
            )
    account, values = read_account(release.folder, asked)
    place = {name: asked.fields.index(name) for name in wanted}
    fits = [
        all((row[place[name]] or None) in texts for name, texts in wanted.items()) for row in values
    ]
    channels = {
        str(channel + 1)
        for channel, r in zip(account.channel_of.tolist(), account.input_of.tolist(), strict=True)
        if fits[r]
    }
    with release.opened(facts["tables"][ONE_TABLE]) as table:
        return _rows(table, shown or asked.identifiers, asked.label, channels)


def _rows(
    table: Engine, shown: tuple[str, ...], label: str, channels: set[str]
) -> list[tuple[Label, ...]]:
    bins = Bins.count(table, (*shown, label))
    return [
        labels[:-1]
        for labels, count in zip(bins.tuples(), bins.counts.tolist(), strict=True)
        if labels[-1] in channels
        for _ in range(count)
    ]


def values_in(cell: str) -> tuple[Label, ...]:
    """The possible values in a released cell.

    Example:
        >>> values_in('["H", "N", null]')
        ('H', 'N', None)
    """
    return tuple(json.loads(cell))
