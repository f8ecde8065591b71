"""Views of releases: the parts of a release that the ledger reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .belief_history import FieldView
from .compatible_people import BinLabels
from .joint_channels import ChannelView

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseView:
    """One release in the ledger. `read` gives a part of it: `bins` by person, 0 where absent;
    `labels` by bin; `overlapN` by field; `valuesN` and `value_ofN` by sensitive field, with
    `membersN` where people have several of its values, and `bins_ofN` where the field was shown in
    other bins; `input_of` and `toleranceN` of a release by channels. `has` are the names of all
    parts. The answers of a gate are a view too, and no release."""

    name: str
    fields: int
    overlaps: tuple[int, ...]
    sensitive: tuple[str, ...]
    not_judged: tuple[str, ...]
    person: str
    """The field of the source that identifies the person of a row; empty where nobody kept it."""
    read: Callable[[str], Array] = field(repr=False)
    has: frozenset[str] = frozenset()
    is_release: bool = True
    known: tuple[str, ...] = ()
    """The fields that recipients were taken to know."""
    uncounted: tuple[str, ...] = ()
    """Released fields that nobody was taken to know, and that are not sensitive."""

    def labels(self) -> BinLabels:
        overlaps = {at: self.read(f"overlap{at}") for at in self.overlaps}
        return BinLabels(labels=self.read("labels"), overlaps=overlaps)


def releases_apart(views: Sequence[ReleaseView], *, people: int) -> tuple[str, ...]:
    """Releases without a person in common with those before them."""
    before, found = np.zeros(people, bool), []
    for view in views if len(views) > 1 else ():
        there = view.read("bins") > 0
        known = before[: len(there)]
        if there.any() and before.any() and not (there & known).any():
            found.append(view.name)
        known |= there
    return tuple(found)


def field_view(view: ReleaseView, name: str) -> FieldView:
    """A sensitive field of a release."""
    at = view.sensitive.index(name)
    is_apart = f"bins_of{at}" in view.has
    return FieldView(
        bins=lambda: view.read(f"bins_of{at}" if is_apart else "bins"),
        is_apart=is_apart,
        value_of=lambda: view.read(f"value_of{at}"),
        tags=view.read(f"values{at}"),
        members=(lambda: view.read(f"members{at}")) if f"members{at}" in view.has else None,
    )


def channel_view(view: ReleaseView, at: int) -> ChannelView:
    """A confidential field of a release by channels, by its number."""
    return ChannelView(
        bins=lambda: view.read("bins"),
        input_of=lambda: view.read("input_of"),
        value_of=lambda: view.read(f"value_of{at}"),
        tolerance=view.read(f"tolerance{at}"),
    )
