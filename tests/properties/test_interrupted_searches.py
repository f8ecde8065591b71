"""A search that is stopped at any instruction proves nothing false: bound ≤ optimum ≤ reported
loss, never complete.

Ctrl-C is injected as a KeyboardInterrupt before a drawn line of the search's own code, which is
where Python itself raises it. Clock and work are stopped at every count that they can have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from example_counts import example_count
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from random_tables import FIELDS, tables

from sfumato import solvers
from sfumato.bins import Bins, PeopleBins
from sfumato.errors import NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.protection import EntropyLDiversity, KAnonymity, Model, TCloseness, reference_of
from sfumato.solvers import Anytime, Datafly2, Minimal, Optimal
from sfumato.solvers.effort import Effort
from sfumato.solvers.lattice import OBJECTIVES, objective_for
from sfumato.solvers.lattice.node_check import Checker
from sfumato.solvers.people import CountingPeople, TableBins

SLACK = 1e-9
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
SEARCH_FILES = (
    "lattice/boxes.py",
    "lattice/cut_gains.py",
    "lattice/minimal.py",
    "lattice/node_check.py",
    "lattice/rollup_bound.py",
    "people/people_loss.py",
)


@contextmanager
def interrupted_at(line: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt before the so-many-th line of the search; what is yielded counts the
    lines."""
    lines = [0]

    def each_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines[0] += 1
            if lines[0] == line:
                raise KeyboardInterrupt
        return each_line

    def each_call(frame: FrameType, event: str, _: Any) -> Any:
        return each_line if frame.f_code.co_filename.endswith(SEARCH_FILES) else None

    before = sys.gettrace()
    sys.settrace(each_call)
    try:
        yield lines
    finally:
        sys.settrace(before)


def lines_of(run: Callable[[], object]) -> int:
    with interrupted_at(-1) as lines:
        run()
    return lines[0]


def drawn_models(data: st.DataObject, bins: Any) -> tuple[Model, ...]:
    k = KAnonymity(k=data.draw(st.integers(2, 4)), fields=FIELDS)
    spread = EntropyLDiversity(l=1.6, sensitive="value", fields=FIELDS)
    near = TCloseness(
        t=0.3, sensitive="value", fields=FIELDS, reference=reference_of(bins, "value")
    )
    return data.draw(st.sampled_from([(k,), (spread,), (near,), (k, near)]))


def drawn_search(data: st.DataObject) -> tuple[Callable[..., Any], float] | None:
    """A search of a drawn table, and the loss of its optimum; None where no recoding keeps the
    models."""
    bins, bounds = data.draw(tables())
    models = drawn_models(data, bins)
    asked = {
        "max_suppression": data.draw(st.sampled_from([0.0, 0.2])),
        "objective": data.draw(st.sampled_from(OBJECTIVES)),
    }

    def search(**options: Any) -> Any:
        return Optimal(models=models, **asked, **options).search(bins, bounds)

    try:
        return search, search().loss
    except NoRecodingFound:
        return None


def test_every_file_to_interrupt_is_there() -> None:
    folder = Path(solvers.__file__).parent
    assert [name for name in SEARCH_FILES if not (folder / name).is_file()] == []


@settings(max_examples=example_count(60), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_ctrl_c_at_any_line_leaves_a_true_bound(data: st.DataObject) -> None:
    drawn = drawn_search(data)
    if drawn is None:
        return
    search, optimum = drawn
    total = lines_of(search)
    for line in sorted({data.draw(st.integers(1, total)) for _ in range(12)}):
        try:
            with interrupted_at(line):
                found = search()
        except KeyboardInterrupt:
            continue  # Nothing was found yet, or the result was being written: nothing is claimed.
        assert not found.complete
        assert found.stopped == "interrupt"
        assert found.bound <= optimum + SLACK
        assert optimum <= found.loss + SLACK


@pytest.mark.long("a search for each of its lines; drawn lines of drawn searches stay in this file")
def test_ctrl_c_at_every_line_of_one_search() -> None:
    search, total = plain_search(), lines_of(plain_search())
    optimum, kept = search().loss, 0
    for line in range(1, total + 1):
        try:
            with interrupted_at(line):
                found = search()
        except KeyboardInterrupt:
            continue
        kept += 1
        assert not found.complete, line
        assert found.bound <= optimum + SLACK, line
        assert optimum <= found.loss + SLACK, line
    assert kept > total / 2


def plain_search() -> Callable[..., Any]:
    """A table whose optimum is not what the search finds first."""
    bins = Bins.of(
        ("a", "b", "c"),
        {(str(i % 6), str(i * 2 % 5), str(i * 5 % 7)): 1 + i % 3 for i in range(24)},
    )
    bounds = {
        name: Hierarchy.from_rows(
            [
                (v, v if v < "3" else "mid", "low" if v < "3" else "high", "*")
                for v in bins.labels[f]
            ]
        )
        for f, name in enumerate(bins.fields)
    }
    solver = Optimal(models=(KAnonymity(k=3, fields=bins.fields),))
    return lambda: solver.search(bins, bounds)


@settings(max_examples=example_count(36), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_work_and_clock_at_any_count_leave_a_true_bound(data: st.DataObject) -> None:
    drawn = drawn_search(data)
    if drawn is None:
        return
    search, optimum = drawn
    for options in ({"seconds": 0.0}, *({"work": work} for work in range(1, 30))):
        try:
            found = search(**options)
        except NoRecodingFound as error:
            refused = error.asked
        else:
            refused = ""
        if refused:
            assert "before the limit of" in refused  # It is not said that there is none.
            continue
        assert found.bound <= optimum + SLACK
        assert optimum <= found.loss + SLACK
        assert found.complete == (not found.stopped)
        assert not found.complete or found.loss <= optimum + SLACK
        assert search(**options).levels == found.levels or "seconds" in options


@settings(max_examples=example_count(60), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_a_search_that_is_stopped_early_loses_no_more_than_datafly(data: st.DataObject) -> None:
    bins, bounds = data.draw(tables())
    models = drawn_models(data, bins)
    most = data.draw(st.sampled_from([0.0, 0.2, 1.0]))
    told: dict[str, Any] = {"models": models, "max_suppression": most}
    datafly = Datafly2(**told, distortion={"b": data.draw(st.sampled_from([0.1, 0.5, 0.9]))})
    try:
        levels = datafly.solve(bins, bounds).recoding.levels  # type: ignore[union-attr]
    except NoRecodingFound:
        return
    goal = data.draw(st.sampled_from(OBJECTIVES))
    checker = Checker(bins, bounds, models, objective_for(goal, bins, bounds), max_suppression=most)
    greedy = checker.check([levels[name] for name in bins.fields]).loss
    for options in ({"seconds": 0.0}, *({"work": work} for work in range(1, 5))):
        solver = Anytime(**told, objective=goal, greedy=datafly, **options)
        assert solver.search(bins, bounds).loss <= greedy + SLACK


@settings(max_examples=example_count(30), deadline=None, phases=NO_SHRINKING)
@given(data=st.data())
def test_all_minimal_stopped_at_any_count_is_never_complete(data: st.DataObject) -> None:
    bins, bounds = data.draw(tables())
    solver = {
        "models": drawn_models(data, bins),
        "max_suppression": data.draw(st.sampled_from([0.0, 0.2])),
    }
    whole = Minimal(**solver).search(bins, bounds)
    assert whole.complete
    total = lines_of(lambda: Minimal(**solver).search(bins, bounds))
    for work in range(1, whole.visited + 2):
        found = Minimal(**solver, work=work).search(bins, bounds)
        passing = {node.levels for node in whole.nodes}
        assert found.complete == (found.undecided == 0)
        if found.complete:
            assert {node.levels for node in found.nodes} == passing
        for node in found.nodes:  # Each passes; some finer one that was not decided may pass too.
            assert any(
                all(p <= n for p, n in zip(one, node.levels, strict=True)) for one in passing
            )
    with interrupted_at(data.draw(st.integers(1, total))), pytest.raises(KeyboardInterrupt):
        Minimal(**solver).search(bins, bounds)


def people_table() -> TableBins:
    people = {(str(i % 6), str(i % 4)): [f"p{i}", f"p{(i * 7) % 30}"] for i in range(36)}
    bins = PeopleBins.of(("a", "b"), people, k=4)
    bounds = {
        name: Hierarchy.from_rows([(v, "low" if v < "2" else "high", "*") for v in bins.labels[f]])
        for f, name in enumerate(bins.fields)
    }
    return TableBins(name="t", bins=bins, hierarchies=bounds)


def test_people_stopped_at_any_line_or_work_leave_a_true_bound() -> None:
    table = people_table()
    asked = {"k": 4, "max_suppression": 0.1}
    optimum = CountingPeople(**asked).solve([table]).loss
    total = lines_of(lambda: CountingPeople(**asked).solve([table]))
    for line in range(1, total + 1):
        try:
            with interrupted_at(line):
                found = CountingPeople(**asked).solve([table])
        except KeyboardInterrupt:
            continue
        assert found.proof is not None
        assert not found.proof.optimal, line
        assert found.bound <= optimum + SLACK, line
        assert optimum <= found.loss + SLACK, line
    for work in range(1, 30):
        found = CountingPeople(**asked, work=work).solve([table])
        assert found.bound <= optimum + SLACK
        assert optimum <= found.loss + SLACK


def test_a_release_of_people_that_is_interrupted_does_not_go_on() -> None:
    def interrupt(visited: int, best: float, bound: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CountingPeople(k=4, max_suppression=0.1, keeps_best=False, progress=interrupt).solve(
            [people_table()]
        )


def test_seconds_are_cpu_seconds_of_this_process_and_its_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Times:
        children_user, children_system = 3.0, 1.0

    monkeypatch.setattr("sfumato.solvers.effort.time.process_time", lambda: 2.0)
    monkeypatch.setattr("sfumato.solvers.effort.os.times", lambda: Times)
    assert Effort(seconds=5.9, started=0.0).spent(0) == "seconds"
    assert Effort(seconds=6.1, started=0.0).spent(0) == ""
