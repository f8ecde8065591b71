"""Geographic noise: places move at random, further where fewer people live, on land and inside
their area (Garfinkel 2016, 4.3.4).

"Identity may be shielded in an urban environment by adding ±100 m, whereas a rural environment may
require ±5 km." Each place therefore moves within a circle that holds a stated number of people
(population-scaled masking: Armstrong, Rushton and Zimmerman 1999; Cassa et al. 2006), evenly over
it: the new place discloses no more about one of them than about another. Where areas are given,
only people of the same area count, and a place that would land outside it is drawn again.
Departures: a place moves once, and all rows there with it, so that several rows of a person cannot
be averaged; where the circle would be larger than allowed, the place is left empty."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra, SourceError
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import PolicyStep, TechniqueDeclaration, Wants, never
from sfumato.wording import counted

from .cells import Cells, Reals
from .keyed_random import KeyedRandom, Wholes
from .places import Places, moved, read_places
from .pools import NOBODY, members
from .stated_numbers import drawn_anew, left_empty, two_digits
from .step_result import StepContext, StepResult

_TRIES = 500
_TOLD = 10
_STAYING = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class GeographicNoise:
    """How far places move."""

    people: int = parameter("people to move among", default=100, least=1)
    places: str = parameter(
        "a CSV file with latitude, longitude and people; without it, each row is a person",
        default="",
        kind=ParameterKind.FILE,
    )
    region: str = parameter(
        "a GeoJSON file of areas that nobody leaves", default="", kind=ParameterKind.FILE
    )
    furthest: float = parameter("kilometres at most", default=50.0, above=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Circles:
    """The places of a table: the area of each, -1 for none, and the radius of its circle, nan where
    too large."""

    spots: Reals
    areas: Wholes
    radii: Reals


def geographically_noised(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each place moved within the circle around it that holds `people` people, at most `furthest`
    kilometres."""
    names = step.fields
    table = np.stack([cells.numbers(name) for name in names], axis=1)
    there = np.flatnonzero(~np.isnan(table).any(axis=1))
    _refuse(cells, names, table[there])
    spots, of, rows = np.unique(table[there], axis=0, return_inverse=True, return_counts=True)
    places, region = step.word("places"), step.word("region")
    known = (
        read_places(around.folder / places) if places else Places.of(spots, rows.astype(np.float64))
    )
    areas = read_areas(around.folder / region) if region else ONE_AREA
    circles = _circles(spots, known, areas, step)
    digits = [cells.decimals(name) for name in names]
    landed = _landed(circles, areas, digits, around.chance.bound_to(*table.T, purpose=step))
    out = np.full_like(table, np.nan)
    out[there] = landed[of]
    for at, name in enumerate(names):
        cells = cells.with_numbers(name, out[:, at], decimals=digits[at])
    told = circles.radii[~np.isnan(landed[:, 0])]
    return StepResult(
        cells=cells,
        words=dict.fromkeys(names, _words(step)),
        facts={"people": step.whole("people"), "radius_km": _told(told)},
        warnings=tuple(_warnings(names, table, out)),
    )


def _refuse(cells: Cells, names: tuple[str, ...], spots: Reals) -> None:
    wrong = int((np.abs(spots) > (90.0, 180.0)).any(axis=1).sum())
    if wrong:
        raise SourceError(
            f"Latitude and longitude were expected in {names[0]} and {names[1]} of {cells.title}.",
            found=f"{counted(wrong, 'row is', 'rows are')} not on Earth.",
            attempt="fields = [latitude, longitude], in degrees and in this order.",
        )


def _circles(spots: Reals, known: Places, areas: Areas, step: PolicyStep) -> _Circles:
    people, furthest = step.whole("people"), step.number("furthest")
    inside, homes = areas.of(spots), areas.of(known.spots)
    radii = np.full(len(spots), np.nan)
    for at in members(inside):
        of_area = homes == inside[at[0]]
        radii[at] = known.only(of_area).radii(spots[at], people, furthest=furthest)
    radii[radii > furthest] = np.nan
    return _Circles(spots=spots, areas=inside, radii=radii)


def _landed(circles: _Circles, areas: Areas, digits: list[int], chance: KeyedRandom) -> Reals:
    """Where each place lands, as it will be written; nan where none was found inside its area."""
    out = np.full_like(circles.spots, np.nan)
    left = np.flatnonzero(~np.isnan(circles.radii))
    for _ in range(_TRIES):
        if not len(left):
            break
        away = circles.radii[left] * np.sqrt(chance.uniform(len(left)))
        found = moved(circles.spots[left], away, 2 * np.pi * chance.uniform(len(left)))
        written = np.stack([np.round(found[:, at], digits[at]) for at in (0, 1)], axis=1)
        good = areas.holds(circles.areas[left], written)
        out[left[good]] = written[good]
        left = left[~good]
    return out


def _words(step: PolicyStep) -> str:
    who = "people" if step.word("places") else "rows of the source"
    inside = ", inside its area" if step.word("region") else ""
    return (
        f"moved at random, evenly over a circle that holds at least {step.whole('people')} {who} "
        f"(at most {step.number('furthest'):g} km){inside}; rows at one place moved together"
    )


def _told(radii: Reals) -> object:
    """How far places may have moved, which smoothing over maps has to know; not of a few places."""
    if len(radii) < _TOLD:
        return "too few places to judge"
    return {
        f"quantile_{share:g}": two_digits(float(np.quantile(radii, share)))
        for share in (0.1, 0.5, 0.9)
    }


def _warnings(names: tuple[str, ...], table: Reals, out: Reals) -> list[str]:
    said = []
    where = " and ".join(names)
    lost = int((~np.isnan(table).any(axis=1) & np.isnan(out[:, 0])).sum())
    halves = int((np.isnan(table).sum(axis=1) == 1).sum())
    if lost:
        said.append(
            left_empty(
                where, lost, "no area holds them, or no circle that is allowed holds enough people"
            )
        )
    if halves:
        said.append(left_empty(where, halves, "the other half of the place was null"))
    if not np.isnan(out).all():
        said.append(drawn_anew(names))
        if (table == out).all(axis=1).sum() > _STAYING * (~np.isnan(out[:, 0])).sum():
            said.append(f"{where} are written so coarsely that many places stay where they are.")
    return said


DECLARATION = TechniqueDeclaration(
    key="geo_noise",
    doc="places move at random, further where fewer people live",
    title="geographic noise",
    record=GeographicNoise,
    apply=geographically_noised,
    wants=Wants.NUMBERS,
    fields=(2, 2),
    draws=never,  # a place moves once for all rows
)


# Areas that nobody leaves, from a GeoJSON file: countries, districts, land without its lakes.


class Areas(Protocol):
    """Points are latitude and longitude, in degrees."""

    def of(self, spots: Reals) -> Wholes:
        """The area of each point, the first where there are several; -1 for none."""
        ...

    def holds(self, areas: Wholes, spots: Reals) -> NDArray[np.bool_]:
        """Whether each point is in its stated area."""
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
