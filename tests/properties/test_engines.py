"""Random tables: every engine's bins, sizes, distinct values and releases equal the reference
engine's."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import postgres_server
import pyarrow
import pytest
import spark_local
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines import ENGINES, Engine, Frequencies, Lookup, WritePlan, open_source
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.hierarchies import Label
from sfumato.policy.records import Order

FIELDS = ("a", "b", "c")
# Any text at all, null and empty text, and a few plain values so that tuples meet. A lone surrogate
# is not text.
text = st.one_of(
    st.sampled_from(["p", "q", "P", "", "*"]),
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
tables = st.lists(st.tuples(text, text, text), max_size=15)
others = pytest.mark.parametrize(
    "name", [name for name in ENGINES if name not in ("reference", "spark")]
)
quick = settings(max_examples=example_count(20), deadline=None)
few = settings(max_examples=4, deadline=None)
"""Each question is a job of half a second in Spark."""


def held(name: str, cell: Label) -> Label:
    """What an engine can hold of a text: PostgreSQL has no NUL."""
    return cell.replace("\0", "0") if name == "postgres" and cell is not None else cell


def both(name: str, table: Sequence[tuple[Label, ...]]) -> tuple[Engine, ReferenceEngine]:
    columns = [
        pyarrow.array([row[i] for row in table], pyarrow.string()) for i in range(len(FIELDS))
    ]
    reference = ReferenceEngine(
        [dict(zip(FIELDS, row, strict=True)) for row in table], fields=FIELDS
    )
    if name == "spark":
        spark_local.running()
    if name == "postgres":
        server = postgres_server.running()
        return open_source(server.uri(), table=server.table(FIELDS, table)), reference
    return open_source(pyarrow.table(columns, names=list(FIELDS)), engine=name), reference


@others
@quick
@given(table=tables)
def test_bins_equal_the_references(name: str, table: list[tuple[Label, ...]]) -> None:
    compare_bins(name, table)


@pytest.mark.long("random tables on Spark; tests/contracts/test_engines.py stays on Spark")
@few
@given(table=tables)
def test_bins_in_spark_equal_the_references(table: list[tuple[Label, ...]]) -> None:
    compare_bins("spark", table)


def compare_bins(name: str, table: list[tuple[Label, ...]]) -> None:
    engine, reference = both(name, [tuple(held(name, cell) for cell in row) for row in table])
    with engine:
        asked = {"fields": ("b", "a"), "sensitive": ("c", "a")}
        assert plain(engine.frequencies(**asked)) == plain(reference.frequencies(**asked))
        assert engine.bin_sizes(("a",)).tolist() == reference.bin_sizes(("a",)).tolist()
        assert spread(engine, ("c", "b")) == spread(reference, ("c", "b"))
        assert engine.sample("a", 3) == reference.sample("a", 3)
        ours, theirs = engine.profile("a"), reference.profile("a")
        for fact in (
            "rows",
            "nulls",
            "distinct",
            "unique",
            "shortest",
            "longest",
            "lowest",
            "highest",
        ):
            assert getattr(ours, fact) == getattr(theirs, fact)


@others
@quick
@given(data=st.data())
def test_releases_equal_the_references(name: str, data: st.DataObject) -> None:
    compare_releases(name, data)


@pytest.mark.long("random tables on Spark; tests/contracts/test_engines.py stays on Spark")
@few
@given(data=st.data())
def test_releases_from_spark_equal_the_references(data: st.DataObject) -> None:
    compare_releases("spark", data)


def compare_releases(name: str, data: st.DataObject) -> None:
    table = [tuple(held(name, cell) for cell in row) for row in data.draw(tables)]
    fields = tuple(data.draw(st.permutations(FIELDS)))[: data.draw(st.integers(1, 3))]
    keys = data.draw(st.lists(st.sampled_from(FIELDS), min_size=1, unique=True))
    found = sorted(
        {tuple(dict(zip(FIELDS, row, strict=True))[k] or None for k in keys) for row in table},
        key=str,
    )
    kept = data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
    new = [held(name, data.draw(text)) for _ in kept]
    dropped = data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
    plan = WritePlan(
        fields=fields,
        lookups=(lookup(tuple(keys), (data.draw(st.sampled_from(FIELDS)),), kept, new),),
        constants={"a": "it's"},
        drop=lookup(tuple(keys), (), dropped, []) if data.draw(st.booleans()) else None,
        follows=data.draw(
            st.sampled_from([{}, {"b": ("a", "p")}, {"b": ("c", "*"), "a": ("c", "q")}])
        ),
        order=data.draw(st.sampled_from(Order)),
    )
    engine, reference = both(name, table)
    with engine, tempfile.TemporaryDirectory() as folder:
        ours, theirs = (released(e, plan, Path(folder) / "out.csv") for e in (engine, reference))
    assert Counter(ours) == Counter(theirs)
    if plan.order is not Order.SCRAMBLE:
        assert ours == theirs


def lookup(
    keys: tuple[str, ...],
    fields: tuple[str, ...],
    found: Sequence[tuple[Label, ...]],
    new: Sequence[Label],
) -> Lookup:
    def batches() -> Iterator[dict[str, np.ndarray[Any, Any]]]:
        columns = {f"key:{key}": np.empty(len(found), object) for key in keys}
        for i, column in enumerate(columns.values()):
            column[:] = [t[i] for t in found]
        columns |= {f"new:{name}": np.array(new, object) for name in fields}
        yield columns

    return Lookup(keys=keys, fields=fields, batches=batches)


def plain(found: Frequencies) -> Any:
    histograms = {
        name: (h.values, h.bin_of.tolist(), h.value_of.tolist(), h.counts.tolist())
        for name, h in found.histograms.items()
    }
    return found.fields, found.values, found.codes.tolist(), found.counts.tolist(), histograms


def spread(engine: Engine, fields: tuple[str, ...]) -> list[tuple[Label, ...]]:
    return [
        t
        for batch in engine.distinct(fields)
        for t in zip(*(batch[name] for name in fields), strict=True)
    ]


def released(engine: Engine, plan: WritePlan, target: Path) -> list[tuple[Label, ...]]:
    count = engine.write(plan, target)
    with target.open(encoding="utf-8", newline="") as file:
        rows = [tuple(cell or None for cell in row or [""]) for row in csv.reader(file)][1:]
    assert len(rows) == count
    return rows
