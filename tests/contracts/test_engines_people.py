"""What every engine promises about people, items, stages and quotas. The reference engine is the
measure."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ways import Open, Rows

from sfumato.bins import Bins
from sfumato.engines import (
    CountedUnits,
    Engine,
    Lookup,
    Quota,
    ShiftedDates,
    WritePlan,
    open_source,
)
from sfumato.engines.engine import CountedSet, Frequencies, Itemsets, Witnesses

FIELDS = ("who", "zip", "sex", "ill")
CHANCE = random.Random(7)
ROWS: Rows = tuple(
    (
        CHANCE.choice([f"p{i}" for i in range(12)] + [None]),
        CHANCE.choice(("02138", "02139", "02140", None)),
        CHANCE.choice(("f", "m")),
        CHANCE.choice(("flu", "gout", "HIV", "Ü", None)),
    )
    for _ in range(90)
)


def reference(fields: tuple[str, ...] = FIELDS, rows: Rows = ROWS) -> Engine:
    return open_source(
        [dict(zip(fields, row, strict=True)) for row in rows], engine="reference", fields=fields
    )


def sizes(found: Frequencies) -> dict[tuple[str | None, ...], int]:
    return Bins.from_frequencies(found).sizes()


def sets(found: Itemsets) -> Counter[tuple[tuple[str, ...], int]]:
    """Combinations with their people; which group is which is the engine's own."""
    return Counter(
        (tuple(found.values[code] for code in codes if code >= 0), people)
        for codes, people in zip(found.codes.tolist(), found.people.tolist(), strict=True)
    )


# ---------------------------------------------------------------------------------------------------------
# counting


@pytest.mark.parametrize("fields", [("zip", "sex"), ("ill",), ()])
def test_frequencies_count_people(opened: Open, fields: tuple[str, ...]) -> None:
    found = opened(FIELDS, ROWS).frequencies(fields, person="who", sensitive=("ill",))
    measure = reference().frequencies(fields, person="who", sensitive=("ill",))
    assert sizes(found) == sizes(measure)
    assert found.histograms["ill"].counts.tolist() == measure.histograms["ill"].counts.tolist()
    assert found.histograms["ill"].bin_of.tolist() == measure.histograms["ill"].bin_of.tolist()


def test_one_person_many_rows_is_one_person(opened: Open) -> None:
    engine = opened(("who", "zip"), [("a", "1")] * 9 + [("b", "1"), ("b", "2")])
    assert engine.frequencies(("zip",), person="who").counts.tolist() == [2, 1]
    assert engine.frequencies(("zip",)).counts.tolist() == [10, 1]


def test_rows_without_a_person_are_a_bin_of_nobody(opened: Open) -> None:
    engine = opened(("who", "zip"), [(None, "1"), (None, "1"), ("a", "2")])
    assert sizes(engine.frequencies(("zip",), person="who")) == {("1",): 0, ("2",): 1}


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
@pytest.mark.parametrize("k", [1, 3, 50])
def test_witnesses_are_exact_up_to_k(opened: Open, k: int) -> None:
    engine = opened(FIELDS, ROWS)
    found = engine.witnesses(("zip", "sex"), person="who", k=k)
    measure = reference().frequencies(("zip", "sex"), person="who")
    rows = reference().frequencies(("zip", "sex"))
    assert found.values == rows.values
    assert found.codes.tolist() == rows.codes.tolist()
    assert found.rows.tolist() == rows.counts.tolist()
    people = [len(set(found.person_of[found.bin_of == b].tolist())) for b in range(len(found.rows))]
    assert people == np.minimum(measure.counts, k).tolist()
    for field, column in (("zip", 0), ("sex", 1)):
        assert merged(found, column, k) == {
            key: min(n, k)
            for (key,), n in sizes(reference().frequencies((field,), person="who")).items()
        }


def merged(found: Witnesses, column: int, k: int) -> dict[str | None, int]:
    """People of unions of bins, up to k, from witnesses alone."""
    out: dict[str | None, set[int]] = {value: set() for value in found.values[column]}
    for bin_, person in zip(found.bin_of.tolist(), found.person_of.tolist(), strict=True):
        out[found.values[column][found.codes[bin_, column]]].add(person)
    return {value: min(len(people), k) for value, people in out.items()}


@pytest.mark.parametrize("fields", [(), ("home",)])
def test_rows_per_person(opened: Open, fields: tuple[str, ...]) -> None:
    rows = [("a", "1"), ("a", "1"), ("b", "2"), ("c", "1"), ("c", "1"), ("d", None), (None, "1")]
    found = opened(("who", "home"), rows).rows_per_person("who", fields)
    assert found.fields == (*fields, "rows")
    expected = (
        {("1",): 2, ("2",): 2} if not fields else {("1", "2"): 2, ("2", "1"): 1, (None, "1"): 1}
    )
    assert sizes(found) == expected


@pytest.mark.long(
    "a cross on every engine; one size stays on Spark",
    but=("reference-*", "duckdb-*", "postgres-*", "spark-parquet-2-within1"),
)
@pytest.mark.parametrize("within", [(), ("sex",)])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_itemsets(opened: Open, m: int, within: tuple[str, ...]) -> None:
    rows = [
        (who, zip_, "f" if who in ("p1", "p2", "p3") else "m", ill) for who, zip_, _, ill in ROWS
    ]
    found = opened(FIELDS, rows).itemsets("who", "ill", m=m, within=within)
    measure = reference(FIELDS, rows).itemsets("who", "ill", m=m, within=within)
    assert sets(found) == sets(measure)
    assert found.values == measure.values
    assert found.codes.shape[1] == m
    assert len(set(found.groups.tolist())) == (2 if within else 1)


def test_itemsets_of_nobody(opened: Open) -> None:
    found = opened(("who", "ill"), [("a", None), (None, "flu")]).itemsets("who", "ill", m=2)
    assert (found.values, found.codes.shape, len(found.people)) == ((), (0, 2), 0)


def test_lengths(opened: Open) -> None:
    engine = opened(("a", "b"), [("x", None), ("日本語", None), (None, None)])
    assert (engine.lengths("a"), engine.lengths("b")) == ((1, 3), (0, 0))


def test_a_snapshot_has_a_kind(opened_each: Open) -> None:
    assert opened_each().snapshot().kind


# ----------------------------------------------------------------------------------------------
# numbers and stages


def rows_of(engine: Engine, plan: WritePlan, folder: Path) -> list[tuple[str | None, ...]]:
    target = folder / "out.csv"
    target.unlink(missing_ok=True)
    engine.write(plan, target)
    with open_source(target, engine="reference") as again:
        batches = list(again.distinct(plan.fields))
        counts = Bins.from_frequencies(again.frequencies(plan.fields)).sizes()
    assert sum(len(next(iter(batch.values()))) for batch in batches) == len(counts)
    return sorted((row for row, n in counts.items() for _ in range(n)), key=str)


def lookup(
    keys: tuple[str, ...], fields: tuple[str, ...], entries: list[tuple[Any, ...]]
) -> Lookup:
    names = [f"key:{key}" for key in keys] + [f"new:{field}" for field in fields]
    columns = {
        name: np.array([entry[i] for entry in entries], object) for i, name in enumerate(names)
    }
    return Lookup(keys=keys, fields=fields, batches=lambda: iter([columns]))


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_numbers_are_one_to_one_and_at_random(opened: Open, tmp_path: Path) -> None:
    people = [f"p{i:02d}" for i in range(30)]
    engine = opened(("who", "n"), [(who, who) for who in people for _ in range(2)] + [(None, None)])
    seen = set()
    for _ in range(4):
        numbers = engine.numbers("who", start=1000)
        plan = WritePlan(fields=("who", "n"), lookups=(numbers.lookup("who"),))
        found = rows_of(engine, plan, tmp_path)
        pairs = {(old, new) for new, old in found if old is not None}
        assert len(found) == 61
        assert sorted(int(new or 0) for _, new in pairs) == list(range(1001, 1031))
        assert len({old for old, _ in pairs}) == 30
        assert (None, None) in found
        seen.add(tuple(sorted(pairs)))
    assert len(seen) > 1


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_numbers_serve_a_field_of_another_name(opened: Open, tmp_path: Path) -> None:
    engine = opened(("who", "boss"), [("a", "b"), ("b", None), ("c", "a")])
    numbers = engine.numbers("who", start=10)
    plan = WritePlan(
        fields=("who", "boss"), lookups=(numbers.lookup("who"), numbers.lookup("boss"))
    )
    found = dict(rows_of(engine, plan, tmp_path))
    assert set(found) == {"11", "12", "13"}
    assert sum(boss is None for boss in found.values()) == 1
    assert {boss for boss in found.values() if boss} < set(found)


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_stage_is_the_plan_and_stays_as_it_is(opened: Open, tmp_path: Path) -> None:
    engine = opened(FIELDS, ROWS)
    zips = lookup(
        ("zip",), ("zip",), [("02138", "A"), ("02139", "B"), ("02140", "B"), (None, None)]
    )
    drop = lookup(("sex", "ill"), (), [("f", "flu"), ("m", None)])
    plan = WritePlan(fields=("zip", "sex", "who", "ill"), lookups=(zips,), drop=drop)
    stage = engine.staged(plan)
    again = stage.staged(WritePlan(fields=("sex", "zip")))
    expected = rows_of(reference(), plan, tmp_path)
    assert rows_of(stage, WritePlan(fields=plan.fields), tmp_path) == expected
    assert [info.name for info in stage.fields()] == list(plan.fields)
    assert stage.count_rows() == again.count_rows() == len(expected)
    assert sizes(stage.frequencies(("zip",))) == dict(Counter((row[0],) for row in expected))
    again.close()
    stage.close()
    assert engine.count_rows() == len(ROWS)


def test_a_stage_of_everything_keeps_its_types(opened: Open) -> None:
    engine = opened(FIELDS, ROWS)
    assert engine.staged(WritePlan(fields=FIELDS)).fields() == engine.fields()


def quota(fields: tuple[str, ...], entries: list[tuple[Any, ...]]) -> Quota:
    batch = {
        f"key:{name}": np.array([entry[i] for entry in entries], object)
        for i, name in enumerate(fields)
    }
    batch |= {
        "rows": np.array([entry[-2] for entry in entries], np.int64),
        "keep": np.array([entry[-1] for entry in entries], np.int64),
    }
    return Quota(person="who", fields=fields, batches=lambda: iter([batch]))


VISITS: Rows = tuple(
    (who, home, f"{who}{i}")
    for who, home, n in [
        ("a", "1", 5),
        ("b", "1", 3),
        ("c", "2", 5),
        ("d", None, 5),
        (None, "1", 5),
    ]
    for i in range(n)
)


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_quota_keeps_so_many_rows_of_each_person(opened: Open) -> None:
    engine = opened(("who", "home", "day"), VISITS)
    plan = WritePlan(fields=("who", "home", "day"), quota=quota((), [(5, 2), (4, 1)]))
    seen = set()
    for _ in range(6):
        stage = engine.staged(plan)
        counts = sizes(stage.frequencies(("who",)))
        assert counts == {("a",): 2, ("b",): 3, ("c",): 2, ("d",): 2, (None,): 5}
        seen.add(tuple(stage.frequencies(("day",)).values[0]))
        if len(seen) > 1:
            return
    raise AssertionError("six stages kept the same rows")


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_quota_by_fields_that_a_person_has(opened: Open) -> None:
    engine = opened(("who", "home", "day"), VISITS)
    entries = [("1", 5, 1), (None, 5, 0), ("2", 3, 1)]
    stage = engine.staged(WritePlan(fields=("who", "day"), quota=quota(("home",), entries)))
    assert sizes(stage.frequencies(("who",))) == {("a",): 1, ("b",): 3, ("c",): 5, (None,): 5}


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_quota_counts_after_what_is_dropped(opened: Open) -> None:
    engine = opened(("who", "home", "day"), VISITS)
    plan = WritePlan(
        fields=("who",),
        drop=lookup(("day",), (), [("a0",), ("a1",), ("b0",)]),
        quota=quota((), [(3, 1), (2, 0)]),
    )
    assert sizes(engine.staged(plan).frequencies(("who",))) == {
        ("a",): 1,
        ("c",): 5,
        ("d",): 5,
        (None,): 5,
    }


def test_dates_move_by_person(opened: Open, tmp_path: Path) -> None:
    rows = [
        ("a", "2020-02-28", "2020-03-01 10:30:00"),
        ("b", "2020-12-31", None),
        ("a", None, "2019-12-31 23:59:59.5"),
        (None, None, None),
    ]
    entries = {
        "key:who": np.array(["a", "b", None], object),
        "new:days": np.array([2, -366, 0], np.int64),
    }
    days = Lookup(keys=("who",), fields=(), batches=lambda: iter([entries]))
    plan = WritePlan(
        fields=("day", "time"), moved=(ShiftedDates(fields=("day", "time"), lookup=days),)
    )
    assert rows_of(opened(("who", "day", "time"), rows), plan, tmp_path) == sorted(
        [
            ("2020-03-01", "2020-03-03 10:30:00"),
            ("2019-12-31", None),
            (None, "2020-01-02 23:59:59.5"),
            (None, None),
        ],
        key=str,
    )


def test_a_person_without_days_is_not_written(opened: Open, tmp_path: Path) -> None:
    entries = {"key:who": np.array(["a"], object), "new:days": np.array([1], np.int64)}
    days = Lookup(keys=("who",), fields=(), batches=lambda: iter([entries]))
    plan = WritePlan(fields=("day",), moved=(ShiftedDates(fields=("day",), lookup=days),))
    engine = opened(("who", "day"), [("a", "2020-01-01"), ("b", "2020-01-01")])
    assert rows_of(engine, plan, tmp_path) == [("2020-01-02",)]


def test_a_lookup_is_kept_for_other_names_and_leaves_null_alone(
    opened: Open, tmp_path: Path
) -> None:
    asked = []

    def batches() -> Any:
        asked.append(1)
        yield {"key:who": np.array(["a", "b"], object), "new:who": np.array(["x", "y"], object)}

    engine = opened(("who", "boss"), [("a", "b"), ("b", None), ("a", "a")])
    kept = engine.kept(Lookup(keys=("who",), fields=("who",), batches=batches))
    plan = WritePlan(fields=("who", "boss"), lookups=(kept.lookup("who"), kept.lookup("boss")))
    assert rows_of(engine, plan, tmp_path) == sorted([("x", "y"), ("y", None), ("x", "x")], key=str)
    assert len(asked) == 1


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_stage_is_thinned(opened: Open) -> None:
    stage = opened(("who", "home", "day"), VISITS).staged(WritePlan(fields=("who", "home", "day")))
    assert stage.thin(drop=lookup(("day",), (), [("a0",), ("a1",), ("b0",)])) == 3
    assert stage.thin(quota=quota((), [(3, 1), (2, 0)])) == 4
    assert sizes(stage.frequencies(("who",))) == {("a",): 1, ("c",): 5, ("d",): 5, (None,): 5}
    assert (
        stage.thin(
            drop=lookup(("home",), (), [("1",)]),
            quota=quota(("home",), [(None, 5, 2), ("2", 4, 0)]),
        )
        == 9
    )
    assert sizes(stage.frequencies(("who",))) == {("c",): 5, ("d",): 2}


@pytest.mark.long(
    "Spark takes long; people-spark in tests/contracts/test_releases.py stays",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_a_stage_is_thinned_at_random(opened: Open) -> None:
    engine = opened(("who", "home", "day"), VISITS)
    seen = set()
    for _ in range(6):
        stage = engine.staged(WritePlan(fields=("who", "day")))
        stage.thin(quota=quota((), [(5, 2)]))
        seen.add(tuple(stage.frequencies(("day",)).values[0]))
        if len(seen) > 1:
            return
    raise AssertionError("six stages were thinned alike")


# ---------------------------------------------------------------------------------------------------------
# contingency tables

SETS = (("zip", "sex"), ("zip",), ("ill",), ())


@pytest.mark.long(
    "Spark takes long; people stay there",
    but=("reference*", "duckdb*", "postgres*", "spark-*-people"),
)
@pytest.mark.parametrize(
    "units",
    [CountedUnits(), CountedUnits(person="who"), CountedUnits(person="who", largest=2)],
    ids=["rows", "rows of people", "people"],
)
def test_counted_sets_by_one_question(opened: Open, units: CountedUnits) -> None:
    found = opened(FIELDS, ROWS).counted_sets(SETS, units)
    for each, measure in zip(found, reference().counted_sets(SETS, units), strict=True):
        assert labelled(each) == labelled(measure)


def labelled(found: CountedSet) -> dict[tuple[str | None, ...], tuple[object, ...]]:
    labels = [
        tuple(values[code] for values, code in zip(found.values, codes, strict=True))
        for codes in found.codes.tolist()
    ]
    facts = (found.rows, found.people, found.sums, found.largest)
    return dict(
        zip(labels, zip(*(map(str, fact.tolist()) for fact in facts), strict=True), strict=True)
    )


def test_counted_sets_cut_people(opened: Open) -> None:
    units = CountedUnits(person="who", rows_per_person=1)
    both, whole = opened(FIELDS, ROWS).counted_sets([("sex",), ()], units)
    assert whole.rows.tolist() == [len({row[0] for row in ROWS} - {None})]
    assert both.rows.sum() == whole.rows[0]


@pytest.mark.long(
    "Spark takes long; its sets of some rows stay", but=("reference*", "duckdb*", "postgres*")
)
def test_counted_sets_of_no_rows(opened: Open) -> None:
    for each in opened(FIELDS, ()).counted_sets(SETS, CountedUnits()):
        assert len(each.rows) == 0
