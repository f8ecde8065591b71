"""Population by place, and the radius around a point that holds enough people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import open_source
from sfumato.errors import MissingExtra, SourceError

from .cells import Cells, Reals

_RADIUS_KM = 6371.0088
_NEAREST = 16
_COLUMNS = ("latitude", "longitude", "people")


@dataclass(frozen=True, kw_only=True, eq=False)
class Places:
    """`spots` has latitude and longitude of each place, in degrees; `people` how many live
    there."""

    spots: Reals
    people: Reals

    @classmethod
    def of(cls, spots: Reals, people: Reals) -> Places:
        """With one place for each point, and only those where someone lives."""
        found, at = np.unique(spots[people > 0], axis=0, return_inverse=True)
        return cls(
            spots=found,
            people=np.bincount(at, people[people > 0], minlength=len(found)).astype(np.float64),
        )

    def only(self, keep: NDArray[np.bool_]) -> Places:
        return Places(spots=self.spots[keep], people=self.people[keep])

    def radii(self, spots: Reals, people: int, *, furthest: float) -> Reals:
        """Kilometres from each point within which at least `people` live; nan where all places have
        fewer.

        A place in the file is a point, its people are not. Those of the places within reach are
        taken to live evenly up to the next place, or up to `furthest` where there is none. A person
        in the middle of a town moves too."""
        out = np.full(len(spots), np.nan)
        left, many = np.arange(len(spots)), len(self.people)
        count = min(_NEAREST, many)
        if not len(spots) or self.people.sum() < people:
            return out
        tree = _tree(_vectors(self.spots))
        while len(left):
            chords, near = tree.query(_vectors(spots[left]), k=np.arange(1, count + 1))
            kilometres = 2 * _RADIUS_KM * np.arcsin(np.clip(chords / 2, 0.0, 1.0))
            beyond = np.full((len(left), 1), furthest if count == many else np.nan)
            following = np.concatenate([kilometres[:, 1:], beyond], axis=1)
            living = np.cumsum(self.people[near], axis=1)
            last = np.arange(len(left)), np.argmax(living >= people, axis=1)
            radius = np.maximum(kilometres[last], following[last] * np.sqrt(people / living[last]))
            found = (living[last] >= people) & ~np.isnan(radius)
            out[left[found]] = radius[found]
            left = left[~found] if count < many else left[:0]
            count = min(4 * count, many)
        return out


def read_places(path: Path) -> Places:
    """A table with the columns latitude, longitude and people, of any kind that can be opened."""
    with open_source(path) as engine:
        have = {info.name for info in engine.fields()}
        missing = [name for name in _COLUMNS if name not in have]
        if missing:
            raise SourceError(
                f"Places were looked for in {path.name}.",
                found=f"It has no column {' and none '.join(missing)}.",
                attempt=f"a table with {', '.join(_COLUMNS)}.",
            )
        cells = Cells.of(engine, _COLUMNS)
    table = np.stack([cells.numbers(name) for name in _COLUMNS], axis=1)
    wrong = int(
        (~(np.abs(table[:, 0]) <= 90) | ~(np.abs(table[:, 1]) <= 180) | ~(table[:, 2] >= 0)).sum()
    )
    if wrong:
        raise SourceError(
            f"Places were looked for in {path.name}.",
            found=f"{wrong} of its {len(table)} rows have no place on Earth, or no number of "
            "people from 0 on.",
        )
    return Places.of(table[:, :2], table[:, 2])


def moved(spots: Reals, kilometres: Reals, bearings: Reals) -> Reals:
    """Each point, moved along the sphere by a distance in a direction (radians from north).

    Example:
        >>> moved(np.array([[0.0, 179.0]]), np.array([222.4]), np.array([np.pi / 2])).round(1).tolist()
        [[0.0, -179.0]]
    """
    latitude, longitude = np.radians(spots.T)
    arc = kilometres / _RADIUS_KM
    up = np.sin(latitude) * np.cos(arc) + np.cos(latitude) * np.sin(arc) * np.cos(bearings)
    new = np.arcsin(np.clip(up, -1.0, 1.0))
    east = np.sin(bearings) * np.sin(arc) * np.cos(latitude)
    turned = longitude + np.arctan2(east, np.cos(arc) - np.sin(latitude) * up)
    return np.stack([np.degrees(new), (np.degrees(turned) + 180.0) % 360.0 - 180.0], axis=1)


def _vectors(spots: Reals) -> Reals:
    """Points of the sphere with radius 1: the nearest in space are the nearest along it, over any
    meridian."""
    latitude, longitude = np.radians(spots.T)
    flat = np.cos(latitude)
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)], axis=1)


def _tree(vectors: Reals):  # type: ignore[no-untyped-def]  # scipy has no types
    try:
        from scipy.spatial import KDTree
    except ImportError:
        raise MissingExtra("Moving places", extra="geo") from None
    return KDTree(vectors)
