"""What every protection model promises: frozen, its verdict agrees with what fails, and its
declarations are true.

A new model adds its instances to `MODELS`; the declarations are tried on random tables and random
hierarchies."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato.protection
from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.policy import MODELS as DECLARED
from sfumato.policy import CellReading, NullRule
from sfumato.protection import (
    BinSizes,
    BoundedInference,
    BoundedKnowledge,
    Combinations,
    KAnonymity,
    KMAnonymity,
    KMap,
    KPeople,
    Model,
    RowCounts,
)

sys.path.insert(0, str(Path(__file__).parent.parent / "properties"))
sys.path.insert(0, str(Path(__file__).parent))
from models_about_values import ABOUT_VALUES
from random_tables import FIELDS, bins_of, few_bins, levels_of, some_rows, tables, valued

Make = Callable[[Bins, Mapping[str, Hierarchy]], Model]
ROOT = Path(__file__).parents[2]

# Each model, in each reading that its declarations depend on, from a population and hierarchies.
MODELS: dict[str, Make] = {
    "k-anonymity": lambda people, bounds: KAnonymity(k=2, fields=FIELDS),
    "k-anonymity of fewer fields": lambda people, bounds: KAnonymity(k=3, fields=("b",)),
    "k-anonymity of no field": lambda people, bounds: KAnonymity(k=2, fields=()),
    "k-anonymity, wildcard": lambda people, bounds: KAnonymity(
        k=3, fields=("a",), reading=CellReading.WILDCARD
    ),
    "k-anonymity, null matches": lambda people, bounds: KAnonymity(
        k=3, fields=("a",), nulls=NullRule.MATCHES_ANYTHING
    ),
    "k-people": lambda people, bounds: KPeople(k=2, fields=FIELDS, table="visits"),
    "k-map": lambda people, bounds: KMap(k=2, fields=FIELDS, population=people, hierarchies=bounds),
    "k-map of fewer fields": lambda people, bounds: KMap(
        k=1, fields=("a",), population=people, hierarchies=bounds
    ),
    "k-map without hierarchies": lambda people, bounds: KMap(k=2, fields=FIELDS, population=people),
    "bin sizes": lambda people, bounds: BinSizes(sizes={"a": 2, "c": 3}),
    "combinations": lambda people, bounds: Combinations(
        k=2, combinations=(("a", "b"), ("b", "c")), reading=CellReading.STRICT
    ),
    "combinations, wildcard": lambda people, bounds: Combinations(
        k=2, combinations=(("a",), ("b", "c"))
    ),
    "bounded knowledge": lambda people, bounds: BoundedKnowledge(
        k=2, m=1, register=("a",), others=("b", "c")
    ),
    "bounded knowledge, wildcard": lambda people, bounds: BoundedKnowledge(
        k=2,
        m=2,
        register=(),
        others=FIELDS,
        reading=CellReading.WILDCARD,
        nulls=NullRule.MATCHES_ANYTHING,
    ),
    "bounded inference": lambda people, bounds: BoundedInference(
        confidence=0.6, sensitive="value", m=1, register=("a",), others=("b", "c")
    ),
    **ABOUT_VALUES,
}
each_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
quick = settings(max_examples=example_count(25), deadline=None)

TOY = valued(Bins.of(FIELDS, {("p", "q", None): 3, ("p", "r", "*"): 1, ("secret", None, "q"): 2}))


def model_classes() -> list[type]:
    """Those that Sfumato declares, and those that others may make by hand."""
    declared = [model for each in DECLARED.all().values() for model in each.models]
    named = [getattr(sfumato.protection, name) for name in sfumato.protection.__all__]
    found = dict.fromkeys(c for c in (*named, *declared) if inspect.isclass(c))
    return [
        c
        for c in found
        if c.__module__.startswith("sfumato.") and hasattr(c, "failing") and c is not Model
    ]


def test_every_model_is_here() -> None:
    """Models about sets of values and numbers of rows judge other things than bins: they have tests of
    their own."""
    made = {type(make(TOY, {})) for make in MODELS.values()}
    assert made == set(model_classes()) - {KMAnonymity, RowCounts}


@each_model
def test_a_model_is_a_frozen_record(make: Make) -> None:
    model = make(TOY, {})
    assert isinstance(model, Model)
    assert dataclasses.is_dataclass(model)
    assert isinstance(model.name, str)
    field = dataclasses.fields(model)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(model, field, None)
    assert all(parameter.kw_only for parameter in dataclasses.fields(model))


@each_model
def test_it_declares_its_monotonicity(make: Make) -> None:
    model = make(TOY, {})
    assert isinstance(model.monotone_generalisation, bool)
    assert isinstance(model.monotone_suppression, bool)


@each_model
@quick
@given(some_rows, some_rows)
def test_its_verdict_agrees_with_what_fails(
    make: Make, rows: list[tuple[str, ...]], people: list[tuple[str, ...]]
) -> None:
    bins = bins_of(rows)
    before = bins.codes.copy(), bins.counts.copy()
    model = make(bins_of(people), {})
    failing = model.failing(bins)
    verdict = model.judge(bins)
    assert (failing.dtype, failing.shape) == (np.bool_, (len(bins),))
    # A verdict about fewer fields than were counted speaks of the bins over these.
    groups = bins.group_of(verdict.fields)[0] if verdict.fields else np.arange(len(bins))
    assert (verdict.bins, verdict.rows, verdict.model) == (
        len(set(groups.tolist())),
        len(rows),
        model.name,
    )
    assert verdict.bins_below == len(set(groups[failing].tolist()))
    assert verdict.rows_below == bins.counts[failing].sum()
    if verdict.fields:
        assert verdict.outcome == ("fail" if failing.any() else "pass")
    else:
        assert verdict.outcome == "review"
    assert (before[0] == bins.codes).all()
    assert (before[1] == bins.counts).all()


@each_model
@quick
@given(some_rows, some_rows)
def test_the_order_of_bins_does_not_matter(
    make: Make, rows: list[tuple[str, ...]], people: list[tuple[str, ...]]
) -> None:
    bins = bins_of(rows)
    inside = bins.histograms["value"]
    histogram = dataclasses.replace(
        inside,
        bin_of=len(bins) - 1 - inside.bin_of[::-1],
        value_of=inside.value_of[::-1],
        counts=inside.counts[::-1],
    )
    turned = dataclasses.replace(
        bins, codes=bins.codes[::-1], counts=bins.counts[::-1], histograms={"value": histogram}
    )
    model = make(bins_of(people), {})
    assert model.failing(bins).tolist() == model.failing(turned)[::-1].tolist()


@each_model
def test_no_bins_at_all(make: Make) -> None:
    verdict = make(TOY, {}).judge(valued(Bins.of(FIELDS, {})))
    assert (verdict.bins, verdict.rows, verdict.bins_below) == (0, 0, 0)
    assert verdict.outcome != "fail"


@each_model
def test_no_value_in_what_it_says(make: Make) -> None:
    model = make(TOY, {})
    assert "secret" not in f"{model!r} {model.judge(TOY)!r}"


@each_model
@settings(max_examples=example_count(60), deadline=None)
@given(data=st.data())
def test_monotone_under_generalisation_as_declared(make: Make, data: st.DataObject) -> None:
    """Once it holds, no coarser recoding breaks it, whatever the hierarchies: labels recur, `*` may
    have a parent."""
    bins, bounds = data.draw(tables(top=data.draw(st.booleans()), mixed=data.draw(st.booleans())))
    model = make(data.draw(few_bins), bounds)
    low = data.draw(levels_of(bounds))
    rises = {name: st.integers(low[name], bounds[name].height) for name in low}
    highs = data.draw(st.lists(st.fixed_dictionaries(rises), min_size=3, max_size=3))
    if model.monotone_generalisation and not model.failing(bins.recode(bounds, low)).any():
        for high in highs:
            assert not model.failing(bins.recode(bounds, high)).any()


@each_model
@settings(max_examples=example_count(40), deadline=None)
@given(data=st.data())
def test_monotone_under_suppression_as_declared(make: Make, data: st.DataObject) -> None:
    """Leaving out the bins that break it, once, leaves none that breaks it."""
    bins, bounds = data.draw(tables(mixed=True))
    model = make(data.draw(few_bins), bounds)
    coarse = bins.recode(bounds, data.draw(levels_of(bounds)))
    if model.monotone_suppression:
        assert not model.failing(coarse.only(~model.failing(coarse))).any()


# -----------------------------------------------------------------------------------------------------------
# pages


def _page(model: type) -> Path:
    found = re.search(r"docs/protection/[\w-]+\.md", model.__doc__ or "")
    assert found is not None, f"{model.__name__} does not name its page"
    return ROOT / found[0]


@pytest.mark.parametrize("model", model_classes())
def test_every_model_has_its_page(model: type) -> None:
    text = _page(model).read_text(encoding="utf-8")
    for heading in (
        "What it protects",
        "What it assumes",
        "What it does not protect",
        "Example",
        "Reference",
    ):
        assert f"\n## {heading}\n" in text, f"{_page(model).name} needs '## {heading}'"
    assert f"`{model.__name__}`" in text


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "protection").glob("*.md")), ids=lambda page: page.name
)
def test_the_examples_of_every_page_run(page: Path) -> None:
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert (failed, tried > 0) == (0, True)
