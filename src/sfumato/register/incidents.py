"""Incidents: the releases that a breach affects, their holders, and how many people can be singled
out now.

Somebody may have shown rows, got a list with some fields of the people, or a release that was not
meant for them. With a list, people are looked for in what each group holds by these fields alone;
a release that leaked is held by everybody from then on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .group_holdings import PartReader
from .joint_classes import JointClasses, Numbers
from .leaked_rows import LeakedRowFits
from .release_content import UNKNOWN_ROWS
from .replay import RegisteredRelease, RegisterState

NOT_KEPT: Final = "it was released as nobody's knowledge, and nobody kept whose it is"
NOT_LOOKED: Final = "nobody looked for the leaked rows in its folder"


@dataclass(frozen=True, kw_only=True)
class IncidentExposure:
    """The consequences of an incident for one group: the affected releases that it holds and their
    recipients. It also counts the people who are unique in their class by the known fields, and
    those below k. `rows` are leaked rows that occur in one of the releases, `rows_alone` those that
    fit one row alone."""

    group: str
    releases: tuple[str, ...]
    recipients: tuple[str, ...]
    alone: int
    below: int
    rows: int = 0
    rows_alone: int = 0
    not_judged: tuple[str, ...] = ()


def exposures(
    state: RegisterState,
    parts: PartReader,
    fields: Sequence[str],
    *,
    found: Mapping[str, LeakedRowFits] | None = None,
) -> Iterator[IncidentExposure]:
    """The exposure of each group to a list of these fields; to all fields where none is named.
    `found` is how leaked rows fit releases that were examined: one in which none occurs is not
    affected."""
    assert state.charter is not None
    looked = found or {}
    for group in state.groups:
        held = [
            each
            for each in state.held_by(group)
            if not fields or not each.parts or named(each.released, fields)
            if each.name not in looked or looked[each.name].occurs
        ]
        if not held:
            continue
        joint = JointClasses.of(_bins(each, parts, fields) for each in held)
        sizes = joint.sizes
        low = (sizes > 0) & (sizes < state.charter.ledger.k)
        yield IncidentExposure(
            group=group,
            releases=tuple(each.name for each in held),
            recipients=tuple(
                dict.fromkeys(who for each in held for who in state.recipients_of(each))
            ),
            alone=int((sizes == 1).sum()),
            below=int(sizes[low].sum()),
            rows=max((looked[each.name].occurs for each in held if each.name in looked), default=0),
            rows_alone=max(
                (looked[each.name].alone for each in held if each.name in looked), default=0
            ),
            not_judged=tuple(
                f"{each.name}: {why}"
                for each in held
                for why in (
                    *(each.not_judged if each.parts else (UNKNOWN_ROWS,)),
                    *((NOT_LOOKED,) if found is not None and each.name not in found else ()),
                    *(f"{name}: {NOT_KEPT}" for name in named(each.uncounted, fields)),
                )
            ),
        )


def named(names: Iterable[str], fields: Sequence[str]) -> tuple[str, ...]:
    """The names that are in a list of fields; a field of one of several tables also by its own
    name."""
    return tuple(each for each in names if {each, each.rpartition(".")[2]} & set(fields))


def _bins(release: RegisteredRelease, parts: PartReader, fields: Sequence[str]) -> Numbers:
    """The bin of each person by some fields alone, 0 where absent. A sensitive field that somebody
    has a list of distinguishes people as a label does."""
    if not release.parts:
        return np.zeros(0, np.int32)
    bins: Numbers = parts.part(release.parts["bins"])
    labels = parts.part(release.parts["labels"])
    if not fields:
        return bins
    known = set(named(release.fields, fields))
    columns = [at for at, name in enumerate(release.fields) if name in known]
    place = np.arange(len(labels) - 1)  # People with several rows are told apart by all of them.
    if labels.shape[1]:
        _, place = np.unique(labels[1:, columns], axis=0, return_inverse=True)
    joint = JointClasses.of((np.append(0, place.reshape(-1) + 1).astype(np.int32)[bins],))
    for at, name in enumerate(release.sensitive):
        if name in named(release.sensitive, fields):
            joint = joint.refined(parts.part(release.parts[f"value_of{at}"]))
    return joint.class_of
