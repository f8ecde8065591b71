"""Where even bins are too many to hold: the engine recodes to a first level at which they are few,
and counts those.

A solver then starts from these bins and searches no finer level; its figures are those of the
policy's hierarchies all the same. Levels are raised as Datafly II raises them among equals (Sweeney
2000, section 6.2): the field with the most values first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine, Lookup, WritePlan
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy, Label, RaisedHierarchy

from .lookups import level_lookup

Counts = NDArray[np.int64]
Bind = Callable[[Mapping[str, tuple[Label, ...]]], Mapping[str, Hierarchy]]


@dataclass(frozen=True, eq=False, kw_only=True)
class RolledUp:
    """A source at its start levels.

    `engine` holds the rows: the source itself where nothing was raised, else a stage of it whose
    fields are the labels of the start levels. `hierarchies` begin there too, and so do all levels
    that a solver finds: `told` has them as the policy counts them. `sizes[s]` is how many bins of
    the source as it is have s rows."""

    engine: Engine
    bins: Bins
    hierarchies: Mapping[str, Hierarchy]
    start: Mapping[str, int]
    sizes: Counts
    limit: int

    @property
    def finest(self) -> int:
        """How many bins the source as it is has."""
        return int(self.sizes.sum())

    @property
    def is_raised(self) -> bool:
        return any(self.start.values())

    def facts(self) -> dict[str, Any]:
        """For the manifest: what was left out of the search."""
        return {"start_levels": dict(self.start), "max_bins": self.limit}

    def told(self, levels: Mapping[str, int]) -> dict[str, int]:
        """Levels from the start levels up as levels of the policy's hierarchies."""
        return {name: level + self.start.get(name, 0) for name, level in levels.items()}


def roll_up(
    engine: Engine,
    fields: Sequence[str],
    bind: Bind,
    *,
    sensitive: Sequence[str] = (),
    carry: Sequence[str] | None = None,
    limit: int,
) -> RolledUp:
    """The bins of some fields, at the finest levels where there are few enough of them or coarser
    ones.

    `bind` makes hierarchies for the values of each field. `carry` are the fields that a stage
    keeps, by default all of them; the release can be written from it."""
    sizes = engine.bin_sizes(fields)
    found = int(sizes.sum())
    if found <= limit:
        bins = Bins.count(engine, fields, sensitive=sensitive)
        bound = bind(dict(zip(bins.fields, bins.labels, strict=True)))
        return RolledUp(
            engine=engine,
            bins=bins,
            hierarchies=bound,
            start=dict.fromkeys(fields, 0),
            sizes=sizes,
            limit=limit,
        )
    alone = {name: Bins.count(engine, (name,)) for name in fields}
    bound = bind({name: counted.labels[0] for name, counted in alone.items()})
    kept = tuple(carry if carry is not None else (info.name for info in engine.fields()))
    levels = dict.fromkeys(fields, 0)
    with engine.bin_counter(fields, limit=limit) as count:
        while True:
            levels = _raised(levels, bound, expected=found, limit=limit)
            found = count(_lookups_at(bound, levels))
            if found <= limit:
                break
            if not any(_can_climb(bound[name], level) for name, level in levels.items()):
                raise _still_too_many(engine.title, found, limit)
    stage = engine.staged(WritePlan(fields=kept, lookups=_lookups_at(bound, levels)))
    bins = Bins.count(stage, fields, sensitive=sensitive)
    raised = {
        name: RaisedHierarchy.of(
            bound[name], levels[name], counts=_by_code(alone[name]), occurring=bins.labels[f]
        )
        for f, name in enumerate(bins.fields)
    }
    return RolledUp(
        engine=stage, bins=bins, hierarchies=raised, start=levels, sizes=sizes, limit=limit
    )


def _by_code(alone: Bins) -> Counts:
    """The rows of each value of a field, in the order of its labels."""
    return np.bincount(
        alone.codes[:, 0], weights=alone.counts, minlength=len(alone.labels[0])
    ).astype(np.int64)


def _lookups_at(
    hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
) -> tuple[Lookup, ...]:
    return tuple(
        level_lookup(name, hierarchies[name], level) for name, level in levels.items() if level
    )


def _can_climb(hierarchy: Hierarchy, level: int) -> bool:
    """Whether some higher level has fewer labels."""
    return len(hierarchy.labels[-1]) < len(hierarchy.labels[level])


def _raised(
    levels: Mapping[str, int], hierarchies: Mapping[str, Hierarchy], *, expected: int, limit: int
) -> dict[str, int]:
    """Raise the field with the most values, again and again, until bins should be few enough; once
    at least.

    They are expected to shrink as the values do. Counting at every step would look at all rows at
    every step."""
    out, bins = dict(levels), float(expected)
    while True:
        able = [name for name, level in out.items() if _can_climb(hierarchies[name], level)]
        if not able:
            return out
        name = max(able, key=lambda one: len(hierarchies[one].labels[out[one]]))
        labels = hierarchies[name].labels
        before = len(labels[out[name]])
        out[name] = next(up for up in range(out[name] + 1, len(labels)) if len(labels[up]) < before)
        bins *= len(labels[out[name]]) / before
        if bins <= limit:
            return out


def _still_too_many(title: str, found: int, limit: int) -> NoRecodingFound:
    return NoRecodingFound(
        f"{title} has more bins than can be worked on, at most {limit}.",
        found=f"At the top of every hierarchy there are still {found}.",
        attempt="a larger max_bins, hierarchies that end in one value, or a profile with fewer "
        "known fields.",
    )
