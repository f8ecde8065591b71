"""Areas in levels: one tree from the whole to the smallest areas.

A name is that of one area of its level. An area inside two areas of the level above would make two
hierarchies that cross, and is refused."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake

WHOLE: Final = "Total"
MOST_AREAS: Final = 200_000
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class AreaTree:
    """Levels from the largest areas to the smallest. Level 0 is the whole, under no name but
    `Total`; `parents[l]` has for each area of level l the area of level l - 1 that contains it."""

    levels: tuple[str, ...]
    names: tuple[tuple[str, ...], ...] = field(repr=False)
    parents: tuple[Numbers, ...] = field(repr=False)

    @property
    def depth(self) -> int:
        return len(self.levels)

    @cached_property
    def leaves(self) -> dict[str, int]:
        """The smallest areas by name."""
        return {name: place for place, name in enumerate(self.names[-1])}

    def sums(self, values: NDArray[np.int64], level: int) -> NDArray[np.int64]:
        """Values of the areas of a level, summed to those of the level above."""
        out = np.zeros((len(self.names[level - 1]), *values.shape[1:]), np.int64)
        np.add.at(out, self.parents[level], values)
        return out

    def children(self, level: int) -> list[Numbers]:
        """For each area of the level above, the areas of `level` in it."""
        order = np.argsort(self.parents[level], kind="stable")
        sizes = np.bincount(self.parents[level], minlength=len(self.names[level - 1]))
        return np.split(order, np.cumsum(sizes)[:-1])

    def paths(self) -> Iterable[tuple[str, ...]]:
        """Each smallest area with those that contain it, from the largest."""
        for leaf in range(len(self.names[-1])):
            path, place = [], leaf
            for level in range(self.depth - 1, 0, -1):
                path.append(self.names[level][place])
                place = int(self.parents[level][place])
            yield tuple(reversed(path))


def area_tree(levels: Sequence[str], rows: Iterable[Sequence[str | None]]) -> AreaTree:
    """The tree of rows that each name one area per level, from the largest.

    Example:
        >>> tree = area_tree(["state", "county"], [("A", "a1"), ("A", "a2"), ("B", "b1")])
        >>> tree.names[1], tree.parents[2].tolist()
        (('A', 'B'), [0, 0, 1])
    """
    names: list[dict[str, int]] = [{WHOLE: 0}, *({} for _ in levels)]
    parents: list[dict[int, int]] = [{0: 0}, *({} for _ in levels)]
    crossing: dict[int, set[int]] = {}
    for row in rows:
        above = 0
        for level, name in enumerate(row, start=1):
            if name is None or name in ("", WHOLE):
                raise Mistake(
                    f"Tables over the levels {', '.join(levels)} were asked for.",
                    found=f"Some areas of the level {levels[level - 1]} have no name, or the name "
                    f"{WHOLE}.",
                    attempt="a name for each area.",
                )
            place = names[level].setdefault(name, len(names[level]))
            if parents[level].setdefault(place, above) != above:
                crossing.setdefault(level, set()).add(place)
            above = place
    for level, places in sorted(crossing.items()):
        raise _crossing(levels, level, len(places))
    if len(names[-1]) > MOST_AREAS:
        raise Mistake(
            f"Tables over {len(names[-1]):,} areas were asked for.",
            found=f"At most {MOST_AREAS:,} are counted.",
            attempt="larger areas.",
        )
    if levels and len(names[1]) == 1:
        raise Mistake(
            f"Tables over the levels {', '.join(levels)} were asked for.",
            found=f"The level {levels[0]} has one area, which is the {WHOLE} already.",
            attempt=f"levels without {levels[0]}.",
        )
    return AreaTree(
        levels=(WHOLE, *levels),
        names=tuple(tuple(each) for each in names),
        parents=tuple(np.array([p[n] for n in range(len(p))], np.int64) for p in parents),
    )


def _crossing(levels: Sequence[str], level: int, places: int) -> Mistake:
    above, here = levels[level - 2], levels[level - 1]
    areas = "1 area" if places == 1 else f"{places:,} areas"
    lies = "lies" if places == 1 else "lie"
    return Mistake(
        f"Tables over the levels {', '.join(levels)} were asked for.",
        found=f"{areas} of the level {here} {lies} in several areas of the level {above}, so the "
        "hierarchies cross: no one tree has both, and sums over both cannot be made consistent.",
        attempt=f"names that differ by {above}, or one hierarchy for each release.",
    )


def read_areas(file: Path, levels: Sequence[str]) -> AreaTree:
    """The tree in a CSV file with one column for each level."""
    asked = f"The areas in {file.name} were asked for."
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [name for name in levels if name not in (reader.fieldnames or ())]
            if missing:
                raise Mistake(
                    asked,
                    found=f"It has no column {', '.join(missing)}.",
                    attempt=f"the columns {', '.join(levels)}.",
                )
            return area_tree(levels, ([row[name] for name in levels] for row in reader))
    except OSError as error:
        raise Mistake(asked, found=f"{error.strerror}.", attempt="another path.") from None
    except (UnicodeDecodeError, csv.Error):
        raise Mistake(asked, found="It is no CSV file in UTF-8.") from None
