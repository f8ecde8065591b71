"""What every solver promises: frozen, the same answer twice, what it releases keeps what it was
asked for.

A declared solver that `SOLVERS` does not make fails here. Tables hold nulls, `*`, quotes and other
scripts, and may be one row or many equal ones; hierarchies are random, and labels recur in them.
What a solver says never holds a value."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins, GlobalRecoding, LabelledRecoding
from sfumato.engines.engine import Histogram
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy, Label
from sfumato.policy import CellReading, NullRule
from sfumato.protection import (
    BinSizes,
    BoundedInference,
    BoundedKnowledge,
    Combinations,
    KAnonymity,
    KMap,
    Model,
)
from sfumato.solvers import SOLVERS as NAMES
from sfumato.solvers import (
    Anytime,
    Best,
    Datafly,
    Datafly2,
    Given,
    Greedy,
    KSimilar,
    MuArgus,
    Optimal,
    Solution,
    Solver,
)
from sfumato.solvers.local import Local

sys.path.insert(0, str(Path(__file__).parent.parent / "properties"))
sys.path.insert(0, str(Path(__file__).parent))
from models_about_values import ABOUT_VALUES
from random_tables import FIELDS, bins_of, hierarchies, levels_of

Bounds = Mapping[str, Hierarchy]
Make = Callable[[tuple[Model, ...], float], Solver]

MARKS = ("geheim", "秘密")
CELLS = st.sampled_from([None, "*", "", "geheim", 'geheim "zwei"\n', "geheimß", "秘密"])
ROWS = st.one_of(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=14),
    st.tuples(st.tuples(CELLS, CELLS, CELLS), st.integers(1, 9)).map(
        lambda drawn: [drawn[0]] * drawn[1]
    ),
)

ABOUT_COUNTS: dict[str, Callable[[Bins, Bounds], Model]] = {
    "k": lambda people, bounds: KAnonymity(k=2, fields=FIELDS),
    "k of fewer fields": lambda people, bounds: KAnonymity(k=3, fields=("b",)),
    "k, wildcard": lambda people, bounds: KAnonymity(
        k=3, fields=FIELDS, reading=CellReading.WILDCARD
    ),
    "k, null matches": lambda people, bounds: KAnonymity(
        k=3, fields=FIELDS, nulls=NullRule.MATCHES_ANYTHING
    ),
    "k-map": lambda people, bounds: KMap(k=2, fields=FIELDS, population=people, hierarchies=bounds),
    "bin sizes": lambda people, bounds: BinSizes(sizes={"a": 2, "c": 3}),
    "combinations": lambda people, bounds: Combinations(
        k=2, combinations=(("a", "b"), ("b", "c")), reading=CellReading.STRICT
    ),
    "combinations, wildcard": lambda people, bounds: Combinations(
        k=2, combinations=(("a",), ("b", "c"))
    ),
    "bounded knowledge": lambda people, bounds: BoundedKnowledge(
        k=2, m=1, register=("b",), others=("a", "c")
    ),
    "bounded inference": lambda people, bounds: BoundedInference(
        confidence=0.7, sensitive="value", m=2, register=(), others=FIELDS
    ),
}
MODELS = ABOUT_COUNTS | ABOUT_VALUES

SOLVERS: dict[str, Make] = {
    "datafly": lambda models, share: Datafly(
        level=0.5, linking={"a": 0.5, "b": 1.0, "c": 0.0}, r2=4.0, e=2.0, loss=share
    ),
    "datafly, together": lambda models, share: Datafly(level=0.3, e=3.0, loss=share),
    "datafly, limited": lambda models, share: Datafly(
        level=0.3, linking={"a": 0.5}, e=3.0, loss=share, max_suppression=share
    ),
    "datafly2": lambda models, share: Datafly2(models=models, max_suppression=share),
    "datafly2, profile": lambda models, share: Datafly2(
        models=models, max_suppression=share, linking={"a": 0.5}, distortion={"b": 1.0}
    ),
    "mu_argus": lambda models, share: MuArgus(k=2, ranks={"a": 2, "b": 1, "c": 2}),
    "mu_argus, triples": lambda models, share: MuArgus(k=3, ranks={"a": 3, "b": 2, "c": 0}),
    "k_similar": lambda models, share: KSimilar(k=2),
    "k_similar, models": lambda models, share: KSimilar(k=2, models=models, objective="loss"),
    "k_similar, by neighbourhoods": lambda models, share: KSimilar(k=3, exact_rows=0, tries=20),
    "optimal": lambda models, share: Optimal(models=models, max_suppression=share),
    "optimal, precision": lambda models, share: Optimal(
        models=models, max_suppression=share, objective="precision"
    ),
    "anytime": lambda models, share: Anytime(models=models, max_suppression=share),
    "best": lambda models, share: Best(k=2, models=models, max_suppression=share, rounds=2),
    "local": lambda models, share: Local(k=2, rounds=3),
    "local, models": lambda models, share: Local(k=2, models=models, rounds=2),
    "local, sets": lambda models, share: Local(k=3, labels="ranges", rounds=3),
    "greedy": lambda models, share: Greedy(models=models, max_suppression=share),
    "greedy, bounded": lambda models, share: Greedy(
        models=(BoundedKnowledge(k=2, m=1, register=("a",), others=("b", "c")), *models),
        max_suppression=share,
    ),
    "given": lambda models, share: Given(
        levels={"a": 1, "b": 9}, models=models, max_suppression=share
    ),
}
each_solver = pytest.mark.parametrize("make", SOLVERS.values(), ids=SOLVERS)
K2 = (KAnonymity(k=2, fields=FIELDS),)


@dataclasses.dataclass(frozen=True)
class Case:
    """One table with its hierarchies and what is asked of it."""

    bins: Bins = dataclasses.field(repr=False)
    bounds: Bounds
    models: tuple[Model, ...]
    share: float


@st.composite
def cases(draw: st.DrawFn) -> Case:
    bins = bins_of(draw(ROWS))
    mixed = draw(st.booleans())
    bounds = {
        name: draw(hierarchies(labels, mixed=mixed))
        for name, labels in zip(FIELDS, bins.labels, strict=True)
    }
    people = bins_of(draw(ROWS) + list(bins.tuples()))
    names = draw(st.lists(st.sampled_from(sorted(MODELS)), min_size=1, max_size=2, unique=True))
    models = tuple(MODELS[name](people, bounds) for name in names)
    return Case(bins, bounds, models, draw(st.sampled_from([0.0, 0.3, 1.0])))


def asked_of(solver: Solver, bins: Bins) -> tuple[Model, ...]:
    """The models that the solver was asked for."""
    if isinstance(solver, Datafly):
        return solver.sizes(bins.fields, bins.rows).models()
    if isinstance(solver, MuArgus):
        return (solver.model(bins.fields),)
    if isinstance(solver, KSimilar | Local):
        return (KAnonymity(k=solver.k, fields=bins.fields), *solver.models)
    return tuple(solver.models)  # type: ignore[attr-defined]


def solved(make: Make, case: Case) -> tuple[Solver, Solution | None]:
    """What the solver finds, or None where it says that there is nothing, in words that help and
    tell no value."""
    solver = make(case.models, case.share)
    try:
        return solver, solver.solve(case.bins, case.bounds)
    except NoRecodingFound as caught:
        error = caught
    assert error.found
    assert error.attempt
    assert_tells_nothing(str(error), repr(error), repr(vars(error)))
    return solver, None


def assert_tells_nothing(*texts: str) -> None:
    for text in texts:
        assert not any(mark in text for mark in MARKS)


def portions(case: Case, solution: Solution) -> list[tuple[int, int, tuple[Label, ...] | None]]:
    """Each portion of a source bin, as the recoding says it: the bin, its rows, its new labels;
    None where left out."""
    recoding, bins = solution.recoding, case.bins
    if isinstance(recoding, GlobalRecoding):
        labels = [tuple(_raised(case, row, recoding.levels)) for row in bins.codes.tolist()]
        found = zip(labels, recoding.suppressed.tolist(), strict=True)
        return [
            (b, int(bins.counts[b]), None if gone else new) for b, (new, gone) in enumerate(found)
        ]
    names, codes = recoding.cells(bins, case.bounds)
    made = [tuple(names[f][code] for f, code in enumerate(row)) for row in codes.tolist()]
    parts = zip(
        recoding.bin_of.tolist(),
        recoding.rows.tolist(),
        recoding.suppressed.tolist(),
        made,
        strict=True,
    )
    return [(b, rows, None if gone else new) for b, rows, gone, new in parts]


def _raised(case: Case, codes: Sequence[int], levels: Mapping[str, int]) -> list[Label]:
    at = [
        (case.bounds[name], levels.get(name, 0), code)
        for name, code in zip(FIELDS, codes, strict=True)
    ]
    return [bound.labels[level][bound.up[level][code]] for bound, level, code in at]


def with_values(case: Case, solution: Solution, models: Sequence[Model]) -> Bins:
    """The released bins with the sensitive values in them, summed by hand."""
    released = solution.recoding.apply(case.bins, case.bounds)
    if not any(getattr(model, "needs", ()) for model in models) or "value" in released.histograms:
        return released
    number = {labels: b for b, labels in enumerate(released.tuples())}
    source = case.bins.histograms["value"]
    counts: Counter[tuple[int, int]] = Counter()
    for b, rows, labels in portions(case, solution):
        assert rows == case.bins.counts[b], (
            "a bin was cut, so that nobody knows which values are where"
        )
        for at in np.flatnonzero(source.bin_of == b).tolist():
            if labels is not None:
                counts[number[labels], int(source.value_of[at])] += int(source.counts[at])
    entries = np.array(
        [(b, value, n) for (b, value), n in sorted(counts.items())], np.int64
    ).reshape(-1, 3)
    inside = Histogram(
        values=source.values,
        bin_of=entries[:, 0],
        value_of=entries[:, 1].astype(np.int32),
        counts=entries[:, 2],
    )
    return dataclasses.replace(released, histograms={"value": inside})


def test_every_solver_is_here() -> None:
    made = {make(K2, 0.0).name for make in SOLVERS.values()}
    assert made == set(NAMES) - {
        "microaggregation"
    }  # Which takes numbers only and has tests of its own.


@each_solver
def test_a_solver_is_a_frozen_record_that_only_stores_its_parameters(make: Make) -> None:
    solver = make(K2, 0.5)
    parameters = dataclasses.fields(solver)  # type: ignore[arg-type]
    assert all(parameter.kw_only for parameter in parameters)
    assert not hasattr(type(solver), "__post_init__")
    nonsense = {parameter.name: object() for parameter in parameters}
    stored = type(solver)(**nonsense)
    assert all(getattr(stored, name) is value for name, value in nonsense.items())
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(solver, parameters[0].name, None)


@each_solver
@settings(max_examples=example_count(50), deadline=None)
@given(case=cases())
def test_what_it_releases_keeps_what_it_was_asked_for(make: Make, case: Case) -> None:
    solver, solution = solved(make, case)
    if solution is not None:
        models = asked_of(solver, case.bins)
        released = with_values(case, solution, models)
        for model in models:
            assert not model.failing(released).any(), model.name
            assert model.judge(released).outcome != "fail"
        limit = {MuArgus: 0.0, KSimilar: 0.0, Local: 0.0}.get(type(solver), case.share)
        if isinstance(solver, Datafly) and solver.max_suppression is None:
            limit = 2 * case.share  # Section 3.5, where nothing else limits it.
        assert solution.recoding.rows_suppressed(case.bins) <= limit * case.bins.rows + 1e-9


@each_solver
@settings(max_examples=example_count(25), deadline=None)
@given(case=cases())
def test_every_row_is_released_or_suppressed_and_every_cell_is_an_ancestor(
    make: Make, case: Case
) -> None:
    _, solution = solved(make, case)
    if solution is None:
        return
    found = portions(case, solution)
    rows: Counter[int] = Counter()
    released: Counter[tuple[Label, ...]] = Counter()
    for b, many, labels in found:
        rows[b] += many
        if labels is None:
            continue
        released[labels] += many
        if isinstance(solution.recoding, LabelledRecoding):
            continue  # sets and ranges stand in no hierarchy
        for name, code, label in zip(FIELDS, case.bins.codes[b].tolist(), labels, strict=True):
            bound = case.bounds[name]
            assert label in {
                bound.labels[level][bound.up[level][code]] for level in range(bound.height + 1)
            }
    assert [rows[b] for b in range(len(case.bins))] == case.bins.counts.tolist()
    assert solution.recoding.apply(case.bins, case.bounds).sizes() == released
    assert released.total() + solution.recoding.rows_suppressed(case.bins) == case.bins.rows


@each_solver
@settings(max_examples=example_count(15), deadline=None)
@given(case=cases())
def test_the_same_input_gives_the_same_answer_and_is_left_as_it_was(make: Make, case: Case) -> None:
    before = case.bins.codes.copy(), case.bins.counts.copy()
    (_, first), (_, second) = solved(make, case), solved(make, case)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert portions(case, first) == portions(case, second)
        assert (first.steps, first.notes) == (second.steps, second.notes)
    assert (before[0] == case.bins.codes).all()
    assert (before[1] == case.bins.counts).all()


@each_solver
@settings(max_examples=example_count(15), deadline=None)
@given(case=cases())
def test_no_value_in_what_it_says(make: Make, case: Case) -> None:
    solver, solution = solved(make, case)
    assert_tells_nothing(repr(solver), repr(case.bins), repr(case.bounds))
    if solution is not None:
        told = [step.what for step in solution.steps]
        assert_tells_nothing(repr(solution), repr(solution.recoding), *told, *solution.notes)


@each_solver
@settings(max_examples=example_count(15), deadline=None)
@given(data=st.data())
def test_where_all_rows_are_equal_and_enough_nothing_is_lost(
    make: Make, data: st.DataObject
) -> None:
    """Nine equal rows need no recoding; only `given` is told to recode whatever there is."""
    bins = bins_of([data.draw(st.tuples(CELLS, CELLS, CELLS))] * 9)
    bounds = {
        name: data.draw(hierarchies(labels))
        for name, labels in zip(FIELDS, bins.labels, strict=True)
    }
    solver = make(K2, 0.0)
    if isinstance(solver, Given):
        solver = dataclasses.replace(solver, levels=data.draw(levels_of(bounds)))
    recoding = solver.solve(bins, bounds).recoding
    assert recoding.apply(bins, bounds).rows == 9
    if not isinstance(solver, Given):
        assert recoding.apply(bins, bounds).sizes() == bins.sizes()
