"""What Spark's workers do each for themselves: numbers at random, and sets of keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import spark_local

from sfumato.engines import TableView, WritePlan, open_database, open_source
from sfumato.engines.spark import database as spark_database
from sfumato.engines.spark import key_bitmaps as spark_key_sets

PEOPLE = 500


@pytest.fixture
def source(tmp_path: Path) -> Path:
    spark_local.running()
    for part in range(3):
        rows = {
            "who": [*range(part, PEOPLE, 3), None],
            "text": [f"t{i % 7}" for i in range(part, PEOPLE, 3)] + ["-"],
        }
        (tmp_path / "people").mkdir(exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.table(rows), tmp_path / "people" / f"{part}.parquet")
    return tmp_path / "people"


def numbers_of(engine: Any, name: str, **how: Any) -> dict[str | None, str | None]:
    batches = list(engine.numbers(name, **how).batches())
    return {
        old: new
        for batch in batches
        for old, new in zip(batch["key:0"], batch["new:0"], strict=True)
    }


@pytest.mark.long("many parts on Spark; other tests of numbers stay in this file")
def test_numbers_are_drawn_in_several_parts_without_gaps(source: Path) -> None:
    with open_source(source, engine="spark") as engine:
        engine._session.spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        engine._session.spark.conf.set("spark.sql.shuffle.partitions", "5")
        found = numbers_of(engine, "who", start=1000, unique=True)
        again = numbers_of(engine, "who", start=1000, unique=True)
        texts = numbers_of(engine, "text", start=10)
    assert found.pop(None) is None
    assert sorted(map(int, filter(None, found.values()))) == list(range(1001, 1001 + PEOPLE))
    assert [int(found[str(i)] or 0) for i in range(PEOPLE)] != sorted(
        int(n or 0) for n in found.values()
    )
    assert {k: v for k, v in again.items() if k is not None} != found
    assert sorted(int(n) for n in texts.values() if n is not None) == list(range(11, 19))


def test_a_numbered_stage_stands_in_the_order_of_its_numbers(source: Path, tmp_path: Path) -> None:
    with open_source(source, engine="spark") as engine:
        engine._session.spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        engine._session.spark.conf.set("spark.sql.shuffle.partitions", "4")
        stage = engine.staged(WritePlan(fields=("who",), shuffled=True, numbered={"n": 70}))
        assert [info.name for info in stage.fields()] == ["who", "n"]
        assert stage.count_rows() == PEOPLE + 3
        stage.write(WritePlan(fields=("who", "n")), tmp_path / "out.parquet")
        stage.close()
        assert not list(Path(engine._session.scratch.root).glob("kept_*"))
    written = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert sorted(written["n"]) == list(range(71, 71 + PEOPLE + 3))
    assert written["who"] != sorted(written["who"], key=lambda who: -1 if who is None else who)


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_database, "FEWEST", 0)


KEYS = [0, 1, 63, 64, -1, -64, -65, 2**62, -(2**63), 2**63 - 1]


def tables(keys: list[int | None], links: list[int | None]) -> dict[str, Any]:
    spark_local.running()
    as_long = pyarrow.int64()
    return {
        "keys": pyarrow.table({"k": pyarrow.array(keys, as_long)}),
        "links": pyarrow.table({"l": pyarrow.array(links, as_long)}),
    }


def test_links_are_looked_up_among_bits(sets: None) -> None:
    links: list[int | None] = [*KEYS, *KEYS, None, None, 2, 62, 65, -2, -63, -66, 2**61]
    with open_database(tables([*KEYS, None], links), engine="spark") as database:
        assert database.loose("links", "l", to="keys", key="k") == 7
        assert database.loose("links", "l", to="keys", key="k", nulls=True) == 9
        assert database.loose("keys", "k", to="links", key="l") == 0
        assert database.repeated("keys", "k") == 0
        assert database.repeated("links", "l") == len(KEYS)
        assert database.view(TableView(table="keys")).count_rows() == len(KEYS) + 1


def test_a_set_that_is_too_large_to_be_sent_is_none(
    sets: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_key_sets, "LARGEST_SENT", 3)
    with open_database(tables(list(KEYS), [0, 5, None]), engine="spark") as database:
        assert database.loose("links", "l", to="keys", key="k") == 1
        assert database.loose("links", "l", to="keys", key="k", nulls=True) == 2


def test_an_empty_table_has_an_empty_set(sets: None) -> None:
    with open_database(tables([], [3, None]), engine="spark") as database:
        assert database.repeated("keys", "k") == 0
        assert database.loose("links", "l", to="keys", key="k", nulls=True) == 2
