"""Where even bins are too many to hold: the engine recodes to a first level at which they are few, and counts those.

A solver then starts from these bins and looks at no finer level. Levels are raised as Datafly II raises them among
equals (papers 000, section 6.2): the field with the most values first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.bins import Bins
from sfumato.errors import NoRecodingFound
from sfumato.policy.hierarchies import Codes, Hierarchy, Label
from sfumato.sources import Engine, WritePlan

from .lookups import level_lookup

LIMIT = 5_000_000
"""Bins beyond this are rolled up first. A bin of five fields takes some hundred bytes, here and where it is solved."""

Bind = Callable[[Mapping[str, tuple[Label, ...]]], Mapping[str, Hierarchy]]


@dataclass(frozen=True, eq=False, kw_only=True)
class RolledUp:
    """A source at its start levels.

    `engine` holds the rows: the source itself where nothing was raised, else a stage of it whose fields are the labels
    of the start levels. `hierarchies` begin there too, and so do all levels that a solver finds: `told` says them as
    the policy counts them.
    """

    engine: Engine
    bins: Bins
    hierarchies: Mapping[str, Hierarchy]
    start: Mapping[str, int]
    finest: int

    @property
    def is_raised(self) -> bool:
        return any(self.start.values())

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
    limit: int = LIMIT,
) -> RolledUp:
    """The bins of some fields, at the finest levels where there are few enough of them or coarser ones.

    `bind` makes hierarchies for the values of each field. `carry` are the fields that a stage keeps, all of them
    unless told; the release can be written from it.
    """
    finest = _count(engine, fields)
    if finest <= limit:
        bins = Bins.count(engine, fields, sensitive=sensitive)
        bound = bind(dict(zip(bins.fields, bins.labels, strict=True)))
        return RolledUp(engine=engine, bins=bins, hierarchies=bound, start=dict.fromkeys(fields, 0), finest=finest)
    bound = bind({name: _values(engine, name) for name in fields})
    kept = tuple(carry if carry is not None else (info.name for info in engine.fields()))
    levels, found = dict.fromkeys(fields, 0), finest
    while True:
        levels = _raised(levels, bound, expected=found, limit=limit)
        stage = engine.staged(_at(bound, levels, kept))
        found = _count(stage, fields)
        if found <= limit:
            break
        stage.close()
        if not any(_can_climb(bound[name], level) for name, level in levels.items()):
            raise _still_too_many(engine.title, found, limit)
    bins = Bins.count(stage, fields, sensitive=sensitive)
    cut = {name: _from_level(bound[name], levels[name], bins.labels[f]) for f, name in enumerate(bins.fields)}
    return RolledUp(engine=stage, bins=bins, hierarchies=cut, start=levels, finest=finest)


def _count(engine: Engine, fields: Sequence[str]) -> int:
    """How many bins there are, counted where the rows are."""
    return int(engine.bin_sizes(fields).sum())


def _values(engine: Engine, name: str) -> tuple[Label, ...]:
    def each() -> Iterator[Label]:
        for batch in engine.distinct((name,)):
            yield from batch[name].tolist()

    return tuple(each())


def _at(hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int], carry: Sequence[str]) -> WritePlan:
    lookups = (level_lookup(name, hierarchies[name], level) for name, level in levels.items() if level)
    return WritePlan(fields=tuple(carry), lookups=tuple(lookups))


def _can_climb(hierarchy: Hierarchy, level: int) -> bool:
    """Whether some higher level has fewer labels."""
    return len(hierarchy.labels[-1]) < len(hierarchy.labels[level])


def _raised(
    levels: Mapping[str, int], hierarchies: Mapping[str, Hierarchy], *, expected: int, limit: int
) -> dict[str, int]:
    """Raise the field with the most values, again and again, until bins should be few enough; once at least.

    They are expected to shrink as the values do. Counting at every step would look at all rows at every step.
    """
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


def _from_level(hierarchy: Hierarchy, start: int, occurring: Sequence[Label]) -> Hierarchy:
    """The hierarchy from a level up, the labels that occur first, as bins need them.

    Example:
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02141", "0214*", "*"), ("02142", "0214*", "*")])
        >>> cut = _from_level(zips, 1, ("0214*",))
        >>> cut.labels, [codes.tolist() for codes in cut.up]
        ((('0214*', '0213*'), ('*',)), [[0, 1], [0, 0]])
    """
    old = hierarchy.labels[start]
    place = {label: code for code, label in enumerate(old)}
    order = [*occurring, *(label for label in old if label not in set(occurring))]
    chosen = np.array([place[label] for label in order], np.int32)
    up: list[Codes] = [np.arange(len(order), dtype=np.int32)]
    for level in range(start + 1, hierarchy.height + 1):
        above = np.zeros(len(old), np.int32)
        above[hierarchy.up[start]] = hierarchy.up[level]
        up.append(above[chosen])
    return Hierarchy((tuple(order), *hierarchy.labels[start + 1 :]), tuple(up), hierarchy.level_names[start:])


def _still_too_many(title: str, found: int, limit: int) -> NoRecodingFound:
    return NoRecodingFound(
        f"{title} has more bins than can be worked on, at most {limit}.",
        found=f"At the top of every hierarchy there are still {found}.",
        attempt="hierarchies that end in one value, or a profile in which fewer fields are known.",
    )
