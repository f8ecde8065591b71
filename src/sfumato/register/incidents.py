"""Incidents: which releases a breach touches, who holds them, and how many people can be found now.

Somebody may have got a list with some fields of the people, or a release that was not meant for
them. With a list, people are looked for in what each group holds by these fields alone; a release
that leaked is held by everybody from then on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .group_holdings import UNKNOWN_ROWS, PartReader
from .joint_classes import JointClasses, Numbers
from .replay import RegisteredRelease, RegisterState


@dataclass(frozen=True, kw_only=True)
class IncidentExposure:
    """What an incident means for one group: the releases that it holds and that are touched, how
    many people are alone in their class by the fields that are known, and how many are below k."""

    group: str
    releases: tuple[str, ...]
    alone: int
    below: int
    not_judged: tuple[str, ...] = ()


def exposures(
    state: RegisterState, parts: PartReader, fields: Sequence[str]
) -> Iterator[IncidentExposure]:
    """By group, what can be found with a list of these fields; with all fields where none is
    named."""
    assert state.charter is not None
    for group in state.groups:
        held = [
            each
            for each in state.held_by(group)
            if not fields or not each.fields or set(each.fields) & set(fields)
        ]
        if not held:
            continue
        joint = JointClasses.of(_bins(each, parts, fields) for each in held)
        sizes = joint.sizes
        low = (sizes > 0) & (sizes < state.charter.ledger.k)
        yield IncidentExposure(
            group=group,
            releases=tuple(each.name for each in held),
            alone=int((sizes == 1).sum()),
            below=int(sizes[low].sum()),
            not_judged=tuple(
                f"{each.name}: {why}"
                for each in held
                for why in (each.not_judged if each.parts else (UNKNOWN_ROWS,))
            ),
        )


def _bins(release: RegisteredRelease, parts: PartReader, fields: Sequence[str]) -> Numbers:
    """The bin of each person by some fields alone, 0 where absent."""
    if not release.parts:
        return np.zeros(0, np.int32)
    bins: Numbers = parts.part(release.parts["bins"])
    labels = parts.part(release.parts["labels"])
    columns = [at for at, name in enumerate(release.fields) if name in fields]
    if not fields or not labels.shape[1]:
        return bins  # People with several rows are told apart by all of them.
    _, place = np.unique(labels[1:, columns], axis=0, return_inverse=True)
    return np.append(0, place.reshape(-1) + 1).astype(np.int32)[bins]
