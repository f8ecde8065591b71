"""Counting tuples as one number for each row gives what a group-by gives."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow
import pytest

from sfumato.engines import Engine, Frequencies, Lookup, WritePlan, open_source
from sfumato.engines.duckdb import packed_tuples

DAY = datetime.date(1970, 1, 1)
ROWS = pyarrow.table(
    {
        "born": [DAY + datetime.timedelta(days=row // 2) for row in range(200)],
        "zip": [None if row % 7 == 0 else f"{row % 90:05}" for row in range(200)],
        "age": [None if row % 11 == 0 else row - 100 for row in range(200)],
        "sick": ["y" if row % 3 else "" for row in range(200)],
    }
)
FIELDS = ("born", "zip", "age")


def _counted(fields: Sequence[str] = FIELDS, sensitive: Sequence[str] = ()) -> Frequencies:
    with open_source(ROWS) as engine:
        return engine.frequencies(fields, sensitive=sensitive)


@pytest.mark.parametrize("fetched", [10, 1_000])
@pytest.mark.parametrize("sensitive", [(), ("sick",), ("sick", "zip")])
def test_tuples_are_those_of_a_group_by(
    monkeypatch: pytest.MonkeyPatch, sensitive: Sequence[str], fetched: int
) -> None:
    grouped = _counted(sensitive=sensitive)
    monkeypatch.setattr(packed_tuples, "FEWEST_ROWS", 0)
    monkeypatch.setattr(packed_tuples, "MOST_FETCHED", fetched)
    packed = _counted(sensitive=sensitive)
    assert packed.values == grouped.values
    assert np.array_equal(packed.codes, grouped.codes)
    assert np.array_equal(packed.counts, grouped.counts)
    for name in sensitive:
        one, other = packed.histograms[name], grouped.histograms[name]
        assert one.values == other.values
        for part in ("bin_of", "value_of", "counts"):
            assert np.array_equal(getattr(one, part), getattr(other, part))


@pytest.mark.parametrize("fewest", [0, 1_000])
def test_bins_at_labels_are_those_of_a_stage(monkeypatch: pytest.MonkeyPatch, fewest: int) -> None:
    monkeypatch.setattr(packed_tuples, "FEWEST_ROWS", fewest)
    with open_source(ROWS) as engine, engine.bin_counter(FIELDS) as count:
        decades = _labels(engine, "born", lambda day: day[:3])
        zips = _labels(engine, "zip", lambda zip_code: zip_code and zip_code[:4])
        ages = _labels(engine, "age", lambda age: None)
        for lookups in ((), (zips,), (decades, zips), (decades, zips, ages)):
            stage = engine.staged(WritePlan(fields=FIELDS, lookups=lookups))
            assert count(lookups) == stage.bin_sizes(FIELDS).sum()


def test_bins_beyond_a_limit_are_estimated_and_those_within_it_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("FEWEST_ROWS", "ESTIMATED_ROWS"):
        monkeypatch.setattr(packed_tuples, name, 0)
    with open_source(ROWS) as engine:
        bins = int(engine.bin_sizes(FIELDS).sum())
        for limit in (bins // 2, bins):
            with engine.bin_counter(FIELDS, limit=limit) as count:
                found = count(())
            assert found == bins if limit == bins else limit < found < 2 * bins


def _labels(engine: Engine, field: str, label: Callable[[Any], str | None]) -> Lookup:
    (values,) = (batch[field] for batch in engine.distinct((field,)))
    labels = np.array([label(value) for value in values], object)
    batch = {f"key:{field}": values, f"new:{field}": labels}
    return Lookup(keys=(field,), fields=(field,), batches=lambda: iter([batch]))


@pytest.mark.parametrize(("least", "used"), [(0.9, False), (0.1, True)])
def test_repeated_tuples_are_grouped_first(
    monkeypatch: pytest.MonkeyPatch, least: float, used: bool
) -> None:
    monkeypatch.setattr(packed_tuples, "FEWEST_ROWS", 0)
    monkeypatch.setattr(packed_tuples, "LEAST_SHARE", least)
    with open_source(ROWS) as engine:
        infos = [info for info in engine.fields() if info.name in ("born", "sick")]
        found = packed_tuples.packed_tuples(
            engine.session, engine.session.queries(), infos, rows=200
        )
    assert (found is not None) == used


def test_too_many_values_for_one_number_are_grouped_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packed_tuples, "FEWEST_ROWS", 0)
    many = {f"f{place}": [str(row) for row in range(200)] for place in range(9)}
    with open_source(pyarrow.table(many)) as engine:
        infos = engine.fields()
        assert (
            packed_tuples.packed_tuples(engine.session, engine.session.queries(), infos, rows=200)
            is None
        )
        assert len(engine.frequencies([*many]).counts) == 200
