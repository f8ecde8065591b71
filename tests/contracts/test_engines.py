"""What every engine promises, over every engine and every way into it. The reference engine is the
measure."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from ways import FIELDS, MAIN, ROWS, WAYS, Open, Rows

from sfumato.engines import (
    ENGINES,
    SIZE_CAP,
    Engine,
    Lookup,
    TableView,
    WritePlan,
    open_database,
    open_source,
)
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.engines.sql import counts
from sfumato.errors import SourceError, TargetError
from sfumato.policy.records import Order
from sfumato.policy.source_records import NullWords


def test_every_engine_has_a_way_in() -> None:
    assert (
        {way.split("-")[0] for way in WAYS} == {way.split("-")[0] for way in MAIN} == set(ENGINES)
    )


# -------------------------------------------------------------------------------------------------------
# counting


def test_fields(opened_each: Open) -> None:
    assert [(info.name, info.kind) for info in opened_each().fields()] == [
        (name, "text") for name in FIELDS
    ]


def test_count_rows(opened: Open) -> None:
    engine = opened()
    assert [engine.count_rows(), engine.count_rows()] == [6, 6]


def test_frequencies_are_sorted_with_null_last(opened: Open) -> None:
    found = opened().frequencies(("zip", "sex"))
    assert found.fields == ("zip", "sex")
    assert found.values == (("02138", "02139", None), ("f", "m", None))
    assert found.codes.tolist() == [[0, 0], [1, 1], [2, 0], [2, 2]]
    assert found.counts.tolist() == [3, 1, 1, 1]
    assert (found.codes.dtype, found.counts.dtype) == (np.int32, np.int64)


def test_bins_are_counted_at_labels(opened: Open) -> None:
    values = np.array(["02138", "02139", None], object)
    batch = {"key:zip": values, "new:zip": np.array(["0213*", "0213*", None], object)}
    zips = Lookup(keys=("zip",), fields=("zip",), batches=lambda: iter([batch]))
    with opened().bin_counter(("zip", "sex")) as count:
        assert [count(()), count((zips,)), count(())] == [4, 4, 4]
    with opened().bin_counter(("zip",)) as count:
        assert [count(()), count((zips,))] == [3, 2]


def test_frequencies_of_no_field_are_one_bin(opened: Open) -> None:
    found = opened().frequencies((), sensitive=("ill",))
    assert (found.values, found.codes.shape, found.counts.tolist()) == ((), (1, 0), [6])
    assert found.histograms["ill"].bin_of.tolist() == [0, 0, 0]


def test_several_histograms_are_those_of_each_field_by_itself(opened: Open) -> None:
    """Many sensitive fields may be counted by one group-by; no number may differ."""
    engine = opened()
    together = engine.frequencies(("zip",), sensitive=("ill", "sex", "zip"))
    for name in ("ill", "sex", "zip"):
        alone = engine.frequencies(("zip",), sensitive=(name,))
        one, other = together.histograms[name], alone.histograms[name]
        assert one.values == other.values
        for part in ("bin_of", "value_of", "counts"):
            assert getattr(one, part).tolist() == getattr(other, part).tolist()
            assert getattr(one, part).dtype == getattr(other, part).dtype
        assert together.values == alone.values
        assert together.codes.tolist() == alone.codes.tolist()
        assert together.counts.tolist() == alone.counts.tolist()


def test_frequencies_follow_the_order_of_the_fields_asked(opened: Open) -> None:
    engine = opened()
    assert engine.frequencies(("sex", "zip")).values == tuple(
        reversed(engine.frequencies(("zip", "sex")).values)
    )


def test_sensitive_histograms_run_parallel_to_the_bins(opened_each: Open) -> None:
    histogram = opened_each().frequencies(("zip", "sex"), sensitive=("ill",)).histograms["ill"]
    assert histogram.values == ("flu", "gout", None)
    assert histogram.bin_of.tolist() == [0, 0, 1, 2, 3]
    assert histogram.value_of.tolist() == [0, 2, 0, 1, 0]
    assert histogram.counts.tolist() == [2, 1, 1, 1, 1]


def test_a_field_may_be_both_counted_and_sensitive(opened: Open) -> None:
    histogram = opened().frequencies(("sex",), sensitive=("sex",)).histograms["sex"]
    assert (histogram.bin_of.tolist(), histogram.value_of.tolist()) == ([0, 1, 2], [0, 1, 2])


WEIGHED = ("zip", "ill", "w")


def test_weights_are_summed_per_tuple_and_rounded_down(opened: Open) -> None:
    rows = [
        ("a", "x", "1.1"),
        ("a", "y", "+1.9"),
        ("b", "x", "0.99"),
        (None, "x", "1e2"),
        (None, "x", ".5"),
    ]
    engine = opened(WEIGHED, rows)
    found = engine.frequencies(("zip",), sensitive=("ill",), weight="w")
    assert (found.values, found.codes.tolist(), found.counts.tolist()) == (
        (("a", "b", None),),
        [[0], [1], [2]],
        [3, 0, 100],
    )
    assert found.counts.dtype == np.int64
    assert found.histograms["ill"].counts.tolist() == [1, 1, 1, 2]
    assert engine.frequencies((), weight="w").counts.tolist() == [104]
    assert engine.frequencies(("w",), weight="w").counts.sum() == 102
    assert engine.frequencies(("zip",)).counts.tolist() == [2, 1, 2]


def test_sums_of_weights_are_exact(opened: Open) -> None:
    """Ten tenths are one, which binary fractions do not give; beyond twelve places a weight is
    rounded."""
    rows = (
        [("a", "", "0.1")] * 10
        + [("b", "", "0.3333333333333334")] * 3
        + [("c", "", "333333333.3333333")] * 3
    )
    assert opened(WEIGHED, rows).frequencies(("zip",), weight="w").counts.tolist() == [
        1,
        0,
        999_999_999,
    ]


def test_weights_of_nought_keep_their_bins(opened: Open) -> None:
    engine = opened(WEIGHED, [("a", "x", "0"), ("a", "x", "0.4")])
    assert engine.frequencies(("zip",), weight="w").counts.tolist() == [0]
    assert engine.frequencies((), weight="w").counts.tolist() == [0]
    assert engine.frequencies(("zip",), weight="w").values == (("a",),)


def test_weights_of_no_rows(opened: Open) -> None:
    engine = opened(WEIGHED, [])
    assert (
        len(engine.frequencies(("zip",), weight="w").counts)
        == len(engine.frequencies((), weight="w").counts)
        == 0
    )


@pytest.mark.long(
    "Spark takes long; one cell stays there",
    but=("reference*", "duckdb*", "postgres*", "spark-*-secret"),
)
@pytest.mark.parametrize("cell", ["-0.5", "secret", "nan", "inf", "1e13", "1,5", None])
def test_what_is_no_weight_is_counted_and_not_told(opened: Open, cell: str | None) -> None:
    engine = opened(WEIGHED, [("a", "x", "1"), ("a", "x", cell), ("b", "x", cell)])
    with pytest.raises(
        SourceError, match=r"Field w of .* numbers from 0 to 10\^12\.\n  2 rows hold no such"
    ) as caught:
        engine.frequencies(("zip",), weight="w")
    assert cell is None or cell not in str(caught.value)


def test_a_weight_that_is_no_field_is_named(opened: Open) -> None:
    with pytest.raises(SourceError, match="no field called 'age'"):
        opened().frequencies(("zip",), weight="age")


def test_bin_sizes(opened: Open) -> None:
    sizes = opened().bin_sizes(("zip", "sex"))
    assert len(sizes) == SIZE_CAP + 1
    assert {size: int(bins) for size, bins in enumerate(sizes) if bins} == {1: 3, 3: 1}


def test_bin_sizes_gather_what_is_large(opened: Open) -> None:
    sizes = opened(
        ("a",), [("x",)] * (SIZE_CAP + 5) + [("y",)] * SIZE_CAP + [("z",)] * 2
    ).bin_sizes(("a",))
    assert (sizes[SIZE_CAP], sizes[2], sizes.sum()) == (2, 1, 3)


def test_profile(opened: Open) -> None:
    cells = (
        "12",
        "12",
        "-3.5",
        "1e3",
        "2020-02-29",
        "2021-02-29",
        "2020-02-29 10:11:12",
        "1.5.2",
        "é",
        None,
    )
    found = opened(("a",), [(cell,) for cell in cells]).profile("a")
    assert (found.rows, found.nulls, found.distinct, found.unique) == (10, 1, 8, 7)
    assert (found.shortest, found.longest) == (1, 19)
    assert (found.integers, found.numbers, found.dates) == (2, 4, 2)
    assert (found.lowest, found.highest) == ("-3.5", "é")
    assert "é" not in repr(found)


def test_profile_of_a_field_without_values(opened: Open) -> None:
    found = opened(("a", "b"), [(None, "x"), (None, "y")]).profile("a")
    assert (found.rows, found.nulls, found.distinct, found.longest, found.lowest) == (
        2,
        2,
        0,
        0,
        None,
    )


def test_fields_without_repeats(opened: Open) -> None:
    """Null apart; one pair of equal cells among three hundred is a repeat."""
    rows = [
        (f"p{n}", None if n % 3 else f"q{n}", f"r{min(n, 298)}", str(n % 7), None)
        for n in range(300)
    ]
    engine = opened(("own", "thin", "one pair", "few", "nothing"), rows)
    names = ["own", "thin", "one pair", "few", "nothing"]
    assert engine.fields_without_repeats(names) == {"own", "thin", "nothing"}
    assert engine.fields_without_repeats(names, fewest=100) == {"own", "thin"}
    assert engine.fields_without_repeats(names, fewest=101) == {"own"}
    assert engine.fields_without_repeats([]) == frozenset()


def test_fields_without_repeats_of_no_rows(opened: Open) -> None:
    assert opened(("a",), []).fields_without_repeats(["a"]) == {"a"}


def test_fields_without_repeats_are_the_same_wherever_values_are_compared(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"p{n}", f"r{min(n, 28)}", f"{n}.5", None) for n in range(30)]
    engine = opened(("own", "one pair", "number", "nothing"), rows)
    names = ["own", "one pair", "number", "nothing"]
    held = engine.fields_without_repeats(names)
    monkeypatch.setattr(counts, "FEW_ROWS", 0)
    assert engine.fields_without_repeats(names) == held == {"own", "number", "nothing"}


def test_sample_is_the_same_everywhere(opened: Open) -> None:
    engine = opened()
    assert set(engine.sample("zip", 10)) == {"02138", "02139"}
    assert engine.sample("zip", 1) == _reference(FIELDS, ROWS).sample("zip", 1)
    assert engine.sample("zip", 1) == engine.sample("zip", 1)


def test_distinct_is_ordered_with_null_last(opened: Open) -> None:
    batches = list(opened().distinct(("zip", "sex")))
    found = [pair for batch in batches for pair in zip(batch["zip"], batch["sex"], strict=True)]
    assert found == [("02138", "f"), ("02139", "m"), (None, "f"), (None, None)]


def test_distinct_can_be_left_half_way(opened: Open) -> None:
    engine = opened()
    walk = engine.distinct(("zip",))
    next(walk)
    del walk
    assert engine.count_rows() == 6


def test_no_rows(opened_each: Open, tmp_path: Path) -> None:
    engine = opened_each(FIELDS, [])
    assert [info.name for info in engine.fields()] == list(FIELDS)
    assert engine.count_rows() == 0
    found = engine.frequencies(("zip", "sex"), sensitive=("ill",))
    assert (found.values, found.codes.shape, len(found.counts)) == (((), ()), (0, 2), 0)
    assert len(found.histograms["ill"].counts) == 0
    assert len(engine.frequencies(()).counts) == 0
    assert engine.bin_sizes(("zip",)).sum() == engine.bin_sizes(()).sum() == 0
    assert (
        engine.profile("zip").rows,
        engine.sample("zip", 3),
        list(engine.distinct(("zip",))),
    ) == (0, (), [])
    assert engine.write(WritePlan(fields=("zip",)), tmp_path / "out.csv") == 0
    assert (tmp_path / "out.csv").read_text() == "zip\n"


@pytest.mark.parametrize("question", ["frequencies", "bin_sizes", "distinct"])
def test_an_unknown_field_is_named(opened: Open, question: str) -> None:
    with pytest.raises(SourceError, match=r"no field called 'age'.\n  Try one of zip, sex, ill\."):
        list(getattr(opened(), question)(("zip", "age")))


# --------------------------------------------------------------------------------------------------------
# writing


def lookup(
    keys: tuple[str, ...], fields: tuple[str, ...], entries: Sequence[tuple[Any, ...]], **more: Any
) -> Lookup:
    """A lookup written out: one entry per tuple, keys, then new values, then first and last."""
    names = [f"key:{key}" for key in keys] + [f"new:{name}" for name in fields]
    names += ["first", "last"] if more.get("portions") else []

    def batches() -> Iterator[dict[str, np.ndarray[Any, Any]]]:
        for part in (
            entries[::2],
            entries[1::2],
        ):  # In two batches, so that no engine relies on one.
            columns = {name: np.empty(len(part), object) for name in names}
            for i, name in enumerate(names):
                columns[name][:] = [entry[i] for entry in part]
            yield {
                n: c.astype(np.int64) if n in ("first", "last") else c for n, c in columns.items()
            }

    return Lookup(keys=keys, fields=fields, batches=batches, **more)


def written(engine: Engine, plan: WritePlan, folder: Path) -> list[tuple[str | None, ...]]:
    """What the engine wrote, after checking that it said how much that is."""
    target = folder / "out.csv"
    count = engine.write(plan, target)
    with target.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == plan.fields
    assert len(rows) == count
    return [tuple(cell or None for cell in row or [""]) for row in rows]


ZIPS = lookup(("zip",), ("zip",), [("02138", "0213*"), ("02139", "0213*"), (None, None)])


def test_a_field_follows_another(opened: Open, tmp_path: Path) -> None:
    """Where the other is released as the label, whatever this one held, null too; the other may
    stay unreleased."""
    zips = lookup(("zip",), ("zip",), [("02138", "all"), ("02139", "02139"), (None, "all")])
    plan = WritePlan(
        fields=("zip", "ill"), lookups=(zips,), follows={"ill": ("zip", "all")}, order=Order.KEEP
    )
    expected = [
        ("all", "*"),
        ("all", "*"),
        ("02139", "flu"),
        ("all", "*"),
        ("all", "*"),
        ("all", "*"),
    ]
    assert written(opened(), plan, tmp_path) == expected
    alone = WritePlan(
        fields=("ill",), lookups=(zips,), follows={"ill": ("zip", "all")}, order=Order.KEEP
    )
    assert written(opened(), alone, tmp_path) == [row[1:] for row in expected]


def test_a_field_follows_one_that_is_copied_and_never_one_that_is_null(
    opened: Open, tmp_path: Path
) -> None:
    plan = WritePlan(
        fields=FIELDS, follows={"ill": ("zip", "02138"), "sex": ("zip", "it's")}, order=Order.KEEP
    )
    found = written(opened(), plan, tmp_path)
    assert found == [(z, s, "*" if z == "02138" else i) for z, s, i in ROWS]


def test_a_field_that_is_looked_up_or_constant_follows_too(opened: Open, tmp_path: Path) -> None:
    ills = lookup(("ill",), ("ill",), [("flu", "F"), ("gout", "G"), (None, None)])
    follows = {"ill": ("zip", "02138"), "sex": ("zip", "02138")}
    plan = WritePlan(
        fields=("sex", "ill"),
        lookups=(ills,),
        constants={"sex": "X"},
        follows=follows,
        order=Order.SORTED,
    )
    expected = [("*", "*")] * 3 + [("X", "F"), ("X", "G"), (None, "F")]
    assert written(opened(), plan, tmp_path) == expected


def test_write_as_it_is(opened: Open, tmp_path: Path) -> None:
    assert written(opened(), WritePlan(fields=FIELDS, order=Order.KEEP), tmp_path) == list(ROWS)


def test_write_fewer_fields_in_another_order(opened: Open, tmp_path: Path) -> None:
    found = written(opened(), WritePlan(fields=("ill", "zip"), order=Order.KEEP), tmp_path)
    assert found == [(ill, zip_) for zip_, _, ill in ROWS]


def test_write_a_lookup_per_field(opened: Open, tmp_path: Path) -> None:
    sexes = lookup(("sex",), ("sex",), [("f", "*"), ("m", "*"), (None, "unknown")])
    found = written(
        opened(),
        WritePlan(fields=("zip", "sex"), lookups=(ZIPS, sexes), order=Order.KEEP),
        tmp_path,
    )
    assert found == [("0213*", "*")] * 3 + [(None, "*"), (None, "unknown"), ("0213*", "*")]


def test_write_a_lookup_with_several_keys_and_fields(opened: Open, tmp_path: Path) -> None:
    both = lookup(
        ("zip", "sex"),
        ("zip", "sex"),
        [
            ("02138", "f", "A", None),
            ("02139", "m", "B", "m"),
            (None, "f", "C", "f"),
            (None, None, None, "x"),
        ],
    )
    found = written(opened(), WritePlan(fields=FIELDS, lookups=(both,), order=Order.KEEP), tmp_path)
    assert [row[:2] for row in found] == [("A", None)] * 2 + [
        ("B", "m"),
        ("C", "f"),
        (None, "x"),
        ("A", None),
    ]
    assert [row[2] for row in found] == [ill for _, _, ill in ROWS]


def test_write_a_lookup_keyed_on_a_field_that_is_not_released(opened: Open, tmp_path: Path) -> None:
    by_ill = lookup(("ill",), ("sex",), [("flu", "1"), ("gout", "2"), (None, "3")])
    found = written(
        opened(), WritePlan(fields=("sex",), lookups=(by_ill,), order=Order.KEEP), tmp_path
    )
    assert found == [("1",), ("3",), ("1",), ("2",), ("1",), ("1",)]


def test_a_row_without_an_entry_is_not_written(opened: Open, tmp_path: Path) -> None:
    some = lookup(("zip",), ("zip",), [("02139", "0213*")])
    assert written(opened(), WritePlan(fields=("zip",), lookups=(some,)), tmp_path) == [("0213*",)]


def test_write_portions(opened: Open, tmp_path: Path) -> None:
    cut = lookup(
        ("zip",),
        ("zip",),
        [("02138", "one", 1, 1), ("02138", "two", 2, 3), ("02139", "B", 1, 1), (None, "N", 1, 2)],
        portions=True,
    )
    found = written(
        opened(), WritePlan(fields=("zip", "sex"), lookups=(cut,), order=Order.SORTED), tmp_path
    )
    assert found == [("B", "m"), ("N", "f"), ("N", None), ("one", "f"), ("two", "f"), ("two", "f")]


@pytest.mark.long(
    "Spark takes long; portions counted in order stay there",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_portions_are_cut_at_random(opened: Open, tmp_path: Path) -> None:
    cut = lookup(("a",), ("a",), [("x", "first", 1, 1), ("x", "rest", 2, 9)], portions=True)
    engine = opened(("a", "id"), [("x", str(n)) for n in range(9)])
    plan = WritePlan(fields=("a", "id"), lookups=(cut,), order=Order.SORTED)
    first = written(engine, plan, tmp_path)[0]
    assert any(written(engine, plan, tmp_path)[0] != first for _ in range(11))


def test_portions_are_counted_over_all_rows_and_in_order(opened: Open, tmp_path: Path) -> None:
    """Two lookups may cut by the same keys; rows that are dropped have been counted; order stays as
    asked."""
    first = lookup(
        ("zip",),
        ("zip",),
        [("02138", "A", 1, 3), ("02139", "B", 1, 1), (None, "N", 1, 2)],
        portions=True,
    )
    second = lookup(
        ("zip",),
        ("sex",),
        [("02138", "s", 1, 3), ("02139", "t", 1, 1), (None, "u", 1, 2)],
        portions=True,
    )
    plan = WritePlan(
        fields=FIELDS,
        lookups=(first, second),
        drop=lookup(("ill",), (), [("gout",)]),
        order=Order.KEEP,
    )
    assert written(opened(), plan, tmp_path) == [
        ("A", "s", "flu"),
        ("A", "s", None),
        ("B", "t", "flu"),
        ("N", "u", "flu"),
        ("A", "s", "flu"),
    ]


def test_drop_compares_null_with_null(opened: Open, tmp_path: Path) -> None:
    drop = lookup(("zip", "sex"), (), [("02138", "f"), (None, None)])
    found = written(
        opened(), WritePlan(fields=("zip", "sex"), drop=drop, order=Order.KEEP), tmp_path
    )
    assert found == [("02139", "m"), (None, "f")]


def test_drop_everything_leaves_the_header(opened: Open, tmp_path: Path) -> None:
    drop = lookup(("sex",), (), [("f",), ("m",), (None,)])
    plan = WritePlan(fields=("zip", "sex"), lookups=(ZIPS,), drop=drop)
    assert written(opened(), plan, tmp_path) == []
    assert (tmp_path / "out.csv").read_text().splitlines() == ["zip,sex"]


def test_drop_nothing(opened: Open, tmp_path: Path) -> None:
    found = written(opened(), WritePlan(fields=("zip",), drop=lookup(("zip",), (), [])), tmp_path)
    assert len(found) == 6


def test_a_constant_leaves_null_alone(opened: Open, tmp_path: Path) -> None:
    plan = WritePlan(fields=("zip", "sex"), constants={"zip": 'it\'s "*"'}, order=Order.KEEP)
    assert written(opened(), plan, tmp_path)[2:4] == [('it\'s "*"', "m"), (None, "f")]


def test_a_constant_null_empties_a_field(opened: Open, tmp_path: Path) -> None:
    plan = WritePlan(fields=("zip", "sex"), constants={"zip": None}, order=Order.KEEP)
    found = written(opened(), plan, tmp_path)
    assert {zip_ for zip_, _ in found} == {None}
    assert len({sex for _, sex in found}) > 1


def test_sorted_order_is_by_released_content(opened: Open, tmp_path: Path) -> None:
    zips = lookup(("zip",), ("zip",), [("02138", "b"), ("02139", "a"), (None, None)])
    found = written(
        opened(), WritePlan(fields=FIELDS, lookups=(zips,), order=Order.SORTED), tmp_path
    )
    assert found == sorted(found, key=lambda row: [(cell is None, cell or "") for cell in row])
    assert found[0] == ("a", "m", "flu")


def test_scrambled_order_is_not_the_order_of_the_source(opened: Open, tmp_path: Path) -> None:
    rows = [(f"{n:03d}",) for n in range(200)]
    found = written(opened(("a",), rows), WritePlan(fields=("a",)), tmp_path)
    assert found != rows
    assert sorted(found) == rows


def test_kept_order_survives_lookups_longer_than_the_source(
    opened_each: Open, tmp_path: Path
) -> None:
    rows = [(f"{n:03d}",) for n in range(300)]
    swapped = lookup(("a",), ("a",), [(f"{n:03d}", f"new {n:03d}") for n in reversed(range(2_500))])
    plan = WritePlan(fields=("a",), lookups=(swapped,), order=Order.KEEP)
    assert written(opened_each(("a",), rows), plan, tmp_path) == [
        (f"new {cell}",) for (cell,) in rows
    ]


def test_a_lookup_may_ask_the_engine_while_it_writes(opened_each: Open, tmp_path: Path) -> None:
    engine = opened_each()

    def batches() -> Iterator[dict[str, np.ndarray[Any, Any]]]:
        for batch in engine.distinct(("zip",)):
            assert engine.count_rows() == 6
            new = np.array([None if cell is None else cell[::-1] for cell in batch["zip"]], object)
            yield {"key:zip": batch["zip"], "new:zip": new}

    backwards = Lookup(keys=("zip",), fields=("zip",), batches=batches)
    drop = Lookup(
        keys=("zip",), fields=(), batches=lambda: iter([{"key:zip": np.array(["02139"], object)}])
    )
    plan = WritePlan(fields=("zip",), lookups=(backwards,), drop=drop, order=Order.KEEP)
    assert written(engine, plan, tmp_path) == [("83120",), ("83120",), (None,), (None,), ("83120",)]


def test_lookups_may_come_as_numpy_text(opened: Open, tmp_path: Path) -> None:
    entries = {"key:sex": np.array(["f", "m"]), "new:sex": np.array(["F", "M"])}
    upper = Lookup(keys=("sex",), fields=("sex",), batches=lambda: iter([entries]))
    found = written(
        opened(), WritePlan(fields=("sex",), lookups=(upper,), order=Order.KEEP), tmp_path
    )
    assert found == [("F",), ("F",), ("M",), ("F",), ("F",)]


def test_the_engine_writes_again_and_again(opened_each: Open, tmp_path: Path) -> None:
    engine = opened_each()
    plan = WritePlan(fields=FIELDS, lookups=(ZIPS,), order=Order.SORTED)
    assert written(engine, plan, tmp_path) == written(engine, plan, tmp_path)
    assert engine.frequencies(("zip",)).counts.tolist() == [3, 1, 2]


# -------------------------------------------------------------------------------------------- text
# that is awkward

AWKWARD = (
    'a "quoted" word',
    "it's; DROP TABLE source; --",
    "comma, and ; semicolon\tand tab",
    "two\nlines",
    "three\r\nlines",
    "carriage\rreturn",
    " spaces around ",
    "NULL",
    "NA",
    "*",
    "02138",
    "1.50",
    "#comment",
    "\\N",
    "日本語 ñ ß 🙂",
    "e\u0301 is not é",
    "{'a': 1}",
    "x" * 100_000,
)
HOSTILE = (
    'a "b"',
    "c d",
    "e:f",
    "g,h",
    "it's",
    "source",
    "n",
    "q0",
    "position",
    "key:c d",
    "ordinal:0",
    "select",
    "é",
)


def test_awkward_text_is_counted_and_written_as_it_is(opened_each: Open, tmp_path: Path) -> None:
    engine = opened_each(("a", "b"), [(cell, "x") for cell in AWKWARD])
    assert engine.frequencies(("a",)).values[0] == tuple(sorted(AWKWARD))
    assert list(engine.profile("a").info.name) == ["a"]
    assert sorted(engine.sample("a", 100)) == sorted(AWKWARD)
    plan = WritePlan(fields=("a", "b"), order=Order.KEEP)
    assert written(engine, plan, tmp_path) == [(cell, "x") for cell in AWKWARD]


def test_awkward_text_in_lookups(opened_each: Open, tmp_path: Path) -> None:
    engine = opened_each(("a", "b"), [(cell, "x") for cell in AWKWARD])
    turned = lookup(("a",), ("a",), list(zip(AWKWARD, AWKWARD[::-1], strict=True)))
    plan = WritePlan(
        fields=("a", "b"),
        lookups=(turned,),
        drop=lookup(("a",), (), [(AWKWARD[1],)]),
        order=Order.KEEP,
    )
    expected = [(cell, "x") for cell in AWKWARD[::-1]]
    del expected[1]
    assert written(engine, plan, tmp_path) == expected


def test_hostile_names_of_fields(opened_each: Open, tmp_path: Path) -> None:
    rows = [tuple(f"{row}{i}" for i in range(len(HOSTILE))) for row in "xyx"]
    engine = opened_each(HOSTILE, rows)
    assert [info.name for info in engine.fields()] == list(HOSTILE)
    found = engine.frequencies(HOSTILE, sensitive=HOSTILE[:2])
    assert found.counts.tolist() == [2, 1]
    assert engine.bin_sizes(HOSTILE)[1:3].tolist() == [1, 1]
    assert next(iter(engine.distinct(HOSTILE)))["q0"].tolist() == ["x7", "y7"]
    assert [engine.profile(name).distinct for name in HOSTILE[:3]] == [2, 2, 2]
    assert engine.sample("it's", 5) == _reference(HOSTILE, rows).sample("it's", 5)
    plan = WritePlan(fields=HOSTILE, constants=dict.fromkeys(HOSTILE, "it's"), order=Order.KEEP)
    assert written(engine, plan, tmp_path) == [("it's",) * len(HOSTILE)] * 3


@pytest.mark.long(
    "Spark takes long; hostile names of fields stay on Spark",
    but=("reference*", "duckdb*", "postgres*"),
)
def test_hostile_names_in_lookups(opened: Open, tmp_path: Path) -> None:
    engine = opened(HOSTILE, [tuple(f"{row}{i}" for i in range(len(HOSTILE))) for row in "xyx"])
    cells = {
        name: [(f"x{i}", "it's", 1, 9), (f"y{i}", 'a "N"', 1, 9)] for i, name in enumerate(HOSTILE)
    }
    new = tuple(lookup((name,), (name,), [entry[:2] for entry in cells[name]]) for name in HOSTILE)
    cut = tuple(lookup((name,), (name,), cells[name], portions=True) for name in HOSTILE)
    for lookups in (new, cut):
        plan = WritePlan(fields=HOSTILE, lookups=lookups, order=Order.KEEP)
        assert written(engine, plan, tmp_path) == [
            (cell,) * len(HOSTILE) for cell in ("it's", 'a "N"', "it's")
        ]


def test_empty_text_is_null(opened_each: Open, tmp_path: Path) -> None:
    engine = opened_each(("a", "b"), [("", "x"), (None, "x"), ("y", "x")])
    assert engine.frequencies(("a",)).values == (("y", None),)
    assert (engine.profile("a").nulls, engine.sample("a", 5)) == (2, ("y",))
    known = lookup(("a",), ("a",), [(None, "none"), ("y", "Y")])
    plan = WritePlan(fields=("a",), lookups=(known,), order=Order.KEEP)
    assert written(engine, plan, tmp_path) == [("none",), ("none",), ("Y",)]


def test_many_labels(opened: Open, tmp_path: Path) -> None:
    """More labels than an enumeration takes."""
    rows = [(f"{n:05d}",) for n in range(2_500)]
    engine = opened(("a",), rows)
    new = lookup(("a",), ("a",), [(cell, f"n{cell}") for (cell,) in rows])
    plan = WritePlan(fields=("a",), lookups=(new,), order=Order.SORTED)
    assert written(engine, plan, tmp_path) == [(f"n{cell}",) for (cell,) in rows]


# --------------------------------------------------------------------------------------------------------
# targets


@pytest.mark.never("it writes what Python's csv module writes", engine="reference")
def test_parquet_holds_what_csv_holds(opened: Open, tmp_path: Path) -> None:
    engine = opened(("a", "b"), [(cell, None) for cell in (*AWKWARD, None)])
    new = lookup(("b",), ("b",), [(None, "*")])
    plan = WritePlan(fields=("a", "b"), lookups=(new,), order=Order.KEEP)
    assert engine.write(plan, tmp_path / "out.parquet") == len(AWKWARD) + 1
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.column("a").to_pylist() == [*AWKWARD, None]
    assert set(found.column("b").to_pylist()) == {"*"}
    assert pandas.read_parquet(tmp_path / "out.parquet")["b"].unique().tolist() == ["*"]


@pytest.mark.parametrize("name", ["out.docx", "out"])
def test_a_target_of_another_kind_is_refused(opened: Open, tmp_path: Path, name: str) -> None:
    with pytest.raises(TargetError, match=r"not written by this engine\.\n  Try one of .*\.csv"):
        opened().write(WritePlan(fields=FIELDS), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_target_in_a_folder_that_is_not_there(opened: Open, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot be written") as raised:
        opened().write(WritePlan(fields=FIELDS), tmp_path / "nowhere" / "out.csv")
    assert "nothing was released" in str(raised.value)


@pytest.mark.parametrize("name", ["it's.csv", "a [1] *?.csv", "ü {} %41.csv"])
def test_the_name_of_a_target_is_meant_as_it_is(opened: Open, tmp_path: Path, name: str) -> None:
    assert opened().write(WritePlan(fields=FIELDS), tmp_path / name) == 6
    assert (tmp_path / name).is_file()


def test_what_was_written_is_counted_alike(opened: Open, tmp_path: Path) -> None:
    """Recounting the release with the reference gives the bins that the plan asked for."""
    engine = opened()
    engine.write(WritePlan(fields=FIELDS, lookups=(ZIPS,)), tmp_path / "out.csv")
    with open_source(tmp_path / "out.csv", engine="reference") as again:
        found = again.frequencies(("zip", "sex"))
    expected = Counter((zip_ and "0213*", sex) for zip_, sex, _ in ROWS)
    assert found.counts.sum() == 6
    assert len(found.counts) == len(expected)


def _reference(fields: Sequence[str], rows: Rows) -> ReferenceEngine:
    return ReferenceEngine([dict(zip(fields, row, strict=True)) for row in rows], fields=fields)


# ------------------------------------------------------------------------------------------ words
# for missing values

WORDED: Rows = (
    ("34", "NA", "x"),
    (" NA ", "na", "N/A"),
    ("n/a", "NA", "  "),
    ("-1", "?", None),
    ("61", "?", "NAN"),
)


def test_words_are_counted_as_they_are_written(opened_each: Open) -> None:
    engine = opened_each(FIELDS, WORDED)
    found = {name: dict(engine.count_words(name, ("na", "n/a", "?", ""))) for name in FIELDS}
    held = {name for name, words in found.items() if words}
    assert engine.fields_with_words(FIELDS, ("na", "n/a", "?", "")) == held
    assert found == {
        "zip": {"NA": 1, "n/a": 1},
        "sex": {"NA": 2, "na": 1, "?": 2},
        "ill": {"N/A": 1, "": 1},
    }


def test_words_for_missing_values_are_null(opened_each: Open) -> None:
    engine = opened_each(FIELDS, WORDED)
    words = NullWords(every=("NA", ""), fields={"zip": ("n/a", "-1"), "sex": ("?",)})
    view = engine.with_nulls(words)
    assert view.frequencies(("zip",)).values == (("34", "61", None),)
    assert view.frequencies(("sex",)).values == (("na", None),)
    assert view.frequencies(("ill",)).values == (("N/A", "NAN", "x", None),)
    assert (view.profile("zip").numbers, view.profile("zip").nulls, view.count_rows()) == (2, 3, 5)
    assert engine.profile("zip").nulls == 0


def test_words_for_missing_values_are_released_as_null(opened: Open, tmp_path: Path) -> None:
    view = opened(FIELDS, WORDED).with_nulls(NullWords(every=("NA", "na", "?", "n/a")))
    suffix = ".parquet" if "Parquet" in view.abilities.writes else ".csv"
    target = tmp_path / f"out{suffix}"
    assert view.write(WritePlan(fields=FIELDS), target) == 5
    with open_source(target) as written:
        assert written.frequencies(("sex",)).values == ((None,),)
        assert written.profile("zip").nulls == 2


def test_words_are_null_when_a_source_is_opened_with_them(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("age,sex\n34,?\nNA,f\n", encoding="utf-8")
    for engine in ("duckdb", "reference"):
        with open_source(path, engine=engine, null_words=("NA", "?")) as opened:
            assert (opened.profile("age").nulls, opened.profile("sex").nulls) == (1, 1)
    with pytest.raises(SourceError, match="null_words is a text"):
        open_source(path, null_words="NA")


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_words_of_each_table_are_null(tmp_path: Path, engine: str) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("age\n34\nNA\n?\n", encoding="utf-8")
    with open_database(tmp_path, engine=engine) as database:
        database.read_as_null(
            {"a": NullWords(every=("NA",)), "b": NullWords(fields={"age": ("NA", "?")})}
        )
        found = {
            name: database.view(TableView(table=name)).profile("age").nulls for name in ("a", "b")
        }
    assert found == {"a": 1, "b": 2}


def test_numbers_and_dates_may_be_words_too(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"n": [1, -1, 2], "x": [1.5, 999.0, 2.0], "b": [True, False, True]})
    with open_source(frame) as engine:
        view = engine.with_nulls(NullWords(every=("-1", "999.0", "NA"), fields={"b": ("false",)}))
        assert [view.profile(name).nulls for name in ("n", "x", "b")] == [1, 1, 1]
        assert [info.kind for info in view.fields()] == [info.kind for info in engine.fields()]


@pytest.mark.parametrize("few_rows", [counts.FEW_ROWS, 0])
def test_cells_that_a_spreadsheet_would_run_are_counted(
    opened_each: Open, few_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In long tables as in short ones, in which they are looked for in another way."""
    monkeypatch.setattr(counts, "FEW_ROWS", few_rows)
    cells = ("=1+1", "@SUM(A1)", "+31 6 123", "-2.5", "-a", "\tx", "a=b", None, "'=1")
    engine = opened_each(("a", "b", "c"), [(cell, "x", "-7") for cell in cells])
    assert dict(engine.count_formulas(("a", "b", "c"))) == {"a": 5, "b": 0, "c": 0}
