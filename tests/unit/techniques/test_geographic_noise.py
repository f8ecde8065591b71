"""Geographic noise: among enough people, further where they are few, inside the area and out of the
lake."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest
from numbers_by_hand import numbers, step, texts

from sfumato.errors import MissingExtra, PolicyError, SourceError
from sfumato.techniques.geographic_noise import read_areas
from sfumato.techniques.places import Places, moved

# A square of one degree in the middle of Germany, cut in two, with a lake in its western half.
WEST = [
    [[8.0, 50.0], [8.5, 50.0], [8.5, 51.0], [8.0, 51.0], [8.0, 50.0]],
    [[8.1, 50.3], [8.3, 50.3], [8.3, 50.7], [8.1, 50.7], [8.1, 50.3]],
]
EAST = [[[8.5, 50.0], [9.0, 50.0], [9.0, 51.0], [8.5, 51.0], [8.5, 50.0]]]


def kilometres(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Along the sphere, by the haversine."""
    (lat1, lon1), (lat2, lon2) = np.radians(a.T), np.radians(b.T)
    half = (
        np.sin((lat2 - lat1) / 2) ** 2
        + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    )
    return 2 * 6371.0088 * np.arcsin(np.sqrt(half))


def random_spots(count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.uniform(50, 51, count), rng.uniform(8, 9, count)], axis=1).round(5)


@pytest.fixture
def places(tmp_path):
    """A city of many blocks around 50.5, 8.7, and villages everywhere."""
    rng = np.random.default_rng(5)
    city = rng.normal((50.5, 8.7), 0.02, (400, 2))
    rows = [(*spot, 60) for spot in city] + [(*spot, 25) for spot in random_spots(300, seed=6)]
    path = tmp_path / "places.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("latitude", "longitude", "people"), *rows])
    return path


@pytest.fixture
def region(tmp_path):
    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": part}}
        for part in (WEST, EAST)
    ]
    path = tmp_path / "region.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def noised(spots, **settings):
    columns = {"lat": texts(spots[:, 0], 5), "lon": texts(spots[:, 1], 5)}
    return step("geo_noise", columns, fields=("lat", "lon"), real=True, **settings)


def landed(done):
    return np.stack([numbers(done, "lat"), numbers(done, "lon")], axis=1)


def test_further_where_fewer_people_live(places):
    spots = random_spots(1500)
    town = kilometres(spots, np.full_like(spots, (50.5, 8.7))) < 3
    away = kilometres(spots, landed(noised(spots, places=str(places), people=200)))
    assert np.nanmedian(away[~town]) > 3 * np.nanmedian(away[town])
    assert np.nanmin(away) > 0


def test_the_circle_holds_enough_people_by_the_file(places):
    with places.open() as file:
        table = np.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
    known = Places.of(table[:, :2], table[:, 2])
    spots = random_spots(200)
    radii = known.radii(spots, 200, furthest=50.0)
    for spot, radius in zip(spots, radii, strict=True):
        near = kilometres(np.tile(spot, (len(table), 1)), table[:, :2]) <= radius * (1 + 1e-9)
        assert table[near, 2].sum() >= 200
    away = kilometres(spots, landed(noised(spots, places=str(places), people=200)))
    assert (away <= radii + 0.002).all()
    # Evenly over the circle: the square of how far out is even from 0 to 1, with a deviation of the
    # mean of 0.02.
    assert ((away / radii) ** 2).mean() == pytest.approx(0.5, abs=0.08)


def test_who_lives_in_the_middle_of_a_place_moves_too():
    town = Places.of(np.array([[50.0, 8.0], [50.1, 8.0]]), np.array([5000.0, 10.0]))
    (radius,) = town.radii(np.array([[50.0, 8.0]]), 50, furthest=50.0)
    assert radius == pytest.approx(11.12 * np.sqrt(50 / 5000), rel=0.01)


def test_more_places_than_are_asked_for_at_once():
    spots = random_spots(500)
    known = Places.of(spots, np.ones(500))
    radii = known.radii(spots[:20], 120, furthest=500.0)
    for spot, radius in zip(spots[:20], radii, strict=True):
        assert (kilometres(np.tile(spot, (500, 1)), spots) <= radius * (1 + 1e-9)).sum() >= 120
    assert np.isnan(known.radii(spots[:3], 501, furthest=500.0)).all()


def test_nobody_leaves_the_area_or_lands_in_the_lake(places, region):
    areas = read_areas(region)
    spots = random_spots(1500)
    before = areas.of(spots)
    assert (before == -1).sum() > 50  # those drawn in the lake
    done = noised(spots, places=str(places), people=300, region=str(region))
    after = landed(done)
    gone = np.isnan(after[:, 0])
    assert gone[before == -1].all()
    assert (areas.of(after[~gone]) == before[~gone]).all()
    assert gone[before != -1].mean() < 0.05
    assert any("no area holds them" in warning for warning in done.warnings)
    assert done.words["lat"].endswith("inside its area; rows at one place moved together")


def test_without_areas_some_would_have(places, region):
    """The control."""
    areas = read_areas(region)
    spots = random_spots(1500)
    spots = spots[areas.of(spots) != -1]
    after = landed(noised(spots, places=str(places), people=300))
    assert (areas.of(after) != areas.of(spots)).sum() > 50


def test_only_people_of_the_same_area_count(places, region, tmp_path):
    """All of the east's people are in one place; who lives in the west has nobody near."""
    path = tmp_path / "east.csv"
    path.write_text("latitude,longitude,people\n50.5,8.51,100000\n50.9,8.2,10\n")
    spots = np.array([[50.5, 8.49], [50.5, 8.52]])
    after = landed(noised(spots, places=str(path), people=100, region=str(region)))
    assert np.isnan(after[0]).all()
    assert not np.isnan(after[1]).any()


def test_rows_at_one_place_move_together():
    spots = np.repeat(random_spots(40), 5, axis=0)
    after = landed(noised(spots, people=20))
    assert (after.reshape(40, 5, 2) == after.reshape(40, 5, 2)[:, :1]).all()
    assert (after != spots).any(axis=1).all()


def test_without_a_file_rows_of_the_table_are_the_people():
    done = noised(random_spots(300), people=30)
    assert "holds at least 30 rows of the source" in done.words["lon"]
    away = kilometres(random_spots(300), landed(done))
    assert 1 < np.median(away) < 20
    assert set(done.facts["radius_km"]) == {"quantile_0.1", "quantile_0.5", "quantile_0.9"}


def test_where_the_circle_would_be_too_large_the_place_is_left_empty(places):
    done = noised(random_spots(200), places=str(places), people=2000, furthest=12)
    lost = np.isnan(landed(done)[:, 0])
    assert 0 < lost.sum() < 200
    assert f"{lost.sum()} cells of lat and lon were left empty" in done.warnings[0]


def test_half_a_place_is_left_empty():
    spots = random_spots(100)
    spots[:3, 1] = np.nan
    spots[3] = np.nan
    done = noised(spots, people=10)
    assert np.isnan(landed(done)[:4]).all()
    assert not np.isnan(landed(done)[4:]).any()
    assert any("the other half of the place was null" in warning for warning in done.warnings)


def test_coarse_places_that_stay_are_warned_of():
    spots = random_spots(300).round(1)
    columns = {"lat": texts(spots[:, 0], 1), "lon": texts(spots[:, 1], 1)}
    done = step("geo_noise", columns, fields=("lat", "lon"), real=True, people=1)
    assert any("stay where they are" in warning for warning in done.warnings)


def test_moving_over_the_date_line_and_the_pole():
    spots = np.array([[10.0, 179.99], [89.99, 20.0], [-45.0, -179.99]])
    for bearing in np.linspace(0, 2 * np.pi, 9):
        after = moved(spots, np.full(3, 30.0), np.full(3, bearing))
        assert kilometres(spots, after) == pytest.approx(np.full(3, 30.0), rel=1e-6)
        assert (np.abs(after) <= (90.0, 180.0)).all()


def test_what_cannot_be_read_is_told_without_its_cells(tmp_path):
    spots = random_spots(3)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("latitude,longitude,inhabitants\n50,8,10\n")
    with pytest.raises(SourceError, match="no column people"):
        noised(spots, places=str(wrong))
    wrong.write_text("latitude,longitude,people\n950.25,8,10\n")
    with pytest.raises(SourceError, match="1 of its 1 rows") as caught:
        noised(spots, places=str(wrong))
    assert "950" not in str(caught.value)
    with pytest.raises(SourceError, match="2 rows are not on Earth"):
        noised(np.array([[50.0, 8.0], [108.0, 50.0], [120.0, 50.0]]))
    wrong.write_text("{}")
    with pytest.raises(SourceError, match="no GeoJSON"):
        noised(spots, region=str(wrong))
    with pytest.raises(SourceError, match="cannot be read"):
        noised(spots, region=str(tmp_path / "nowhere.geojson"))
    wrong.write_text('{"type": "Point", "coordinates": [8, 50]}')
    with pytest.raises(SourceError, match="no polygon"):
        noised(spots, region=str(wrong))
    with pytest.raises(PolicyError, match="must be above 0"):
        noised(spots, furthest=0)


@pytest.mark.parametrize(
    ("module", "asked"), [("shapely", "inside their area"), ("scipy.spatial", "Moving places")]
)
def test_what_is_not_installed(monkeypatch, region, module, asked):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=asked) as caught:
        noised(random_spots(30), people=5, region=str(region) if module == "shapely" else "")
    assert caught.value.extra == "geo"


@pytest.mark.parametrize(
    "spots", [np.zeros((0, 2)), np.full((4, 2), np.nan), np.array([[50.0, 8.0]])]
)
def test_empty_null_and_single(spots):
    assert np.isnan(landed(noised(spots))).all()
