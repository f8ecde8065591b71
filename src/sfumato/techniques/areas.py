"""Areas that nobody leaves, from a GeoJSON file: countries, districts, land without its lakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra, SourceError

from .cells import Reals
from .keyed_random import Wholes
from .pools import NOBODY


class Areas(Protocol):
    """Points are latitude and longitude, in degrees."""

    def of(self, spots: Reals) -> Wholes:
        """The area of each point, the first where there are several; -1 for none."""
        ...

    def holds(self, areas: Wholes, spots: Reals) -> NDArray[np.bool_]:
        """Whether each point lies in the area that it is said to."""
        ...


class _OneArea:
    """Everywhere."""

    def of(self, spots: Reals) -> Wholes:
        return np.zeros(len(spots), np.int64)

    def holds(self, areas: Wholes, spots: Reals) -> NDArray[np.bool_]:
        return np.ones(len(spots), bool)


ONE_AREA: Areas = _OneArea()


class Polygons:
    """Areas with outlines. A point on an outline is inside."""

    def __init__(self, shapes: list[Any]) -> None:
        import shapely

        self._shapes = shapes
        self._tree = shapely.STRtree(shapes)
        shapely.prepare(shapes)

    def of(self, spots: Reals) -> Wholes:
        import shapely

        out = np.full(len(spots), len(self._shapes), np.int64)
        points, shapes = self._tree.query(shapely.points(spots[:, ::-1]), predicate="intersects")
        np.minimum.at(out, points, shapes)
        return np.where(out == len(self._shapes), NOBODY, out)

    def holds(self, areas: Wholes, spots: Reals) -> NDArray[np.bool_]:
        import shapely

        out = np.zeros(len(spots), bool)
        for area in np.unique(areas[areas != NOBODY]):
            at = areas == area
            out[at] = shapely.intersects_xy(self._shapes[area], spots[at, 1], spots[at, 0])
        return out


def read_areas(path: Path) -> Polygons:
    """Each polygon, or multipolygon, of a GeoJSON file is an area."""
    try:
        import shapely
    except ImportError:
        raise MissingExtra("Moving places inside their area", extra="geo") from None
    asked = f"Areas were looked for in {path.name}."
    try:
        found = shapely.from_geojson(path.read_text(encoding="utf-8-sig"))
    except OSError:
        raise SourceError(
            asked, found="It cannot be read.", attempt="a path from the policy's folder on."
        ) from None
    except (shapely.errors.ShapelyError, UnicodeDecodeError):
        raise SourceError(
            asked, found="It is no GeoJSON.", attempt="a FeatureCollection of polygons."
        ) from None
    parts = list(found.geoms) if found.geom_type == "GeometryCollection" else [found]
    shapes = [
        shapely.make_valid(part) for part in parts if part.geom_type in ("Polygon", "MultiPolygon")
    ]
    if not shapes:
        raise SourceError(
            asked, found="It has no polygon.", attempt="a FeatureCollection of polygons."
        )
    return Polygons(shapes)
