"""Every parameter of every solver can be set in a policy: it is read, checked, written back and told in the manifest.

A new solver, or a new parameter of one, fails here until SETTINGS says which key of [solve] sets it, or ELSEWHERE says
which other part of a policy does.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from pathlib import Path
from typing import Any

import pytest

import sfumato
import sfumato.solvers
from sfumato.errors import PolicyError
from sfumato.policy import SolveSettings, policy_as_table, policy_from_table
from sfumato.policy.records import SOLVERS as NAMES
from sfumato.releases.requirements import models_for, solver_for
from sfumato.solvers import (
    Anytime,
    Datafly,
    Datafly2,
    Given,
    KSimilar,
    Local,
    Microaggregation,
    MuArgus,
    Optimal,
    settings_of,
)
from sfumato.solvers.apriori import Apriori
from sfumato.solvers.people import CountingPeople
from sfumato.solvers.solver import NOT_SETTINGS

SEARCH = {"objective": "objective", "weights": "weights", "seconds": "seconds", "work": "work", "gap": "gap"}
SETTINGS: dict[type, dict[str, str]] = {
    Anytime: SEARCH,
    Optimal: SEARCH,
    Given: {"levels": "levels"},
    Datafly: {},
    Datafly2: {},
    MuArgus: {"levels": "levels", "max_size": "max_size", "repeat": "repeat"},
    KSimilar: {"weights": "weights", "objective": "distance", "exact_rows": "exact_rows", "tries": "work"},
    Local: {
        "labels": "labels",
        "weights": "weights",
        "penalty": "penalty",
        "rounds": "work",
        "seconds": "seconds",
        "seed": "seed",
    },
    Microaggregation: {"aggregate": "aggregate", "digits": "digits"},
    CountingPeople: SEARCH,
    Apriori: {"undo": "undo"},
}
"""Parameter of a solver: key of [solve]."""
ELSEWHERE: dict[type, set[str]] = {
    Anytime: {"max_suppression"},
    Optimal: {"max_suppression"},
    Given: {"max_suppression"},
    Datafly: {"level", "linking", "r1", "r2", "e", "loss", "max_suppression"},
    Datafly2: {"max_suppression", "linking", "distortion"},
    MuArgus: {"k", "ranks", "max_suppression"},
    KSimilar: {"k", "distortion"},
    Local: {"k", "numeric"},
    Microaggregation: {"k", "fields"},
    CountingPeople: {"k", "max_suppression"},
    Apriori: {"k", "m", "field"},
}
"""Parameters that [require], the recipient's profile or the data decide."""
OTHER: dict[str, tuple[Any, Any]] = {
    "objective": ("ncp", "nonsense"),
    "weights": ({"zip": 2.5}, {"zip": 0}),
    "seconds": (7.5, 0),
    "work": (9, 0),
    "gap": (0.01, -1),
    "levels": ({"zip": 1}, {"zip": -1}),
    "max_size": (2, 4),
    "repeat": (False, "no"),
    "distance": ("loss", "nonsense"),
    "exact_rows": (12, -1),
    "labels": ("ranges", "nonsense"),
    "penalty": ("gcp", "nonsense"),
    "seed": (3, -1),
    "aggregate": ("median", "nonsense"),
    "digits": (1, 99),
    "undo": (1, -1),
    "max_bins": (1_000, 0),
    "solver": ("optimal", "nonsense"),
}
"""For each key a value that is not the usual one, and one that is out of range."""
REQUIRE: dict[str, dict[str, Any]] = {
    "datafly": {"anonymity": {"level": 0.5, "r2": 4}},
    "mu_argus": {"combinations": {"k": 2, "sizes": [2]}},
}
KNOWN = ("zip", "age")
named = {solver.name: solver for solver in SETTINGS if solver.name in NAMES}
pairs = [(name, parameter, key) for name, cls in named.items() for parameter, key in SETTINGS[cls].items()]


def policy_table(solver: str, **solve: Any) -> dict[str, Any]:
    zips = {"prefix": [2, 1]}
    return {
        "fields": {"zip": {"role": "quasi", "hierarchy": zips}, "age": {"role": "quasi"}},
        "require": REQUIRE.get(solver, {"k": 2}),
        "solve": {"solver": solver, **solve},
    }


def made(solver: str, **solve: Any) -> Any:
    policy = policy_from_table(policy_table(solver, **solve))
    models = models_for(policy, KNOWN, 10, hierarchies={})
    return solver_for(policy, models, KNOWN)


def test_every_parameter_of_every_solver_has_its_key() -> None:
    found = [getattr(sfumato.solvers, name) for name in sfumato.solvers.__all__]
    solvers = {c for c in found if inspect.isclass(c) and dataclasses.is_dataclass(c) and hasattr(c, "solve")}
    assert solvers <= set(SETTINGS)
    assert {solver.name for solver in SETTINGS} >= set(NAMES)
    for solver, keys in SETTINGS.items():
        parameters = {item.name for item in dataclasses.fields(solver)} - set(NOT_SETTINGS)
        assert parameters == {*keys, *ELSEWHERE[solver]}, solver.name


def test_every_key_of_solve_is_somebodys() -> None:
    used = {key for keys in SETTINGS.values() for key in keys.values()} | {"solver", "seed", "max_bins"}
    assert used == {item.name for item in dataclasses.fields(SolveSettings)} == set(OTHER)


@pytest.mark.parametrize(("name", "parameter", "key"), pairs, ids=["-".join(pair) for pair in pairs])
def test_a_setting_reaches_the_solver(name: str, parameter: str, key: str) -> None:
    value = OTHER[key][0]
    before, after = made(name), made(name, **{key: value})
    expected = {**settings_of(before)[parameter], **value} if isinstance(value, dict) else value
    assert settings_of(after)[parameter] == expected
    assert settings_of(before)[parameter] != expected
    for item in dataclasses.fields(after):
        if item.name not in (parameter, *NOT_SETTINGS):
            assert getattr(after, item.name) == getattr(before, item.name)


@pytest.mark.parametrize("key", OTHER)
def test_a_setting_is_checked_and_written_back(key: str) -> None:
    value, wrong = OTHER[key]
    policy = policy_from_table(policy_table("anytime") | {"solve": {key: value}})
    assert policy_from_table(policy_as_table(policy)) == policy
    assert policy_as_table(policy)["solve"][key] == value  # type: ignore[index]
    with pytest.raises(PolicyError) as caught:
        policy_from_table(policy_table("anytime") | {"solve": {key: wrong}})
    assert caught.value.problems[0].where.startswith(f"solve.{key}")


@pytest.mark.parametrize("key", ["levels", "weights"])
def test_a_name_that_no_quasi_field_has_is_a_problem(key: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_table(policy_table("anytime") | {"solve": {key: {"zpi": 1}}})
    assert 'No quasi field is called "zpi". Did you mean' in caught.value.problems[0].found


def test_mu_argus_cannot_be_asked_to_overlook_what_is_required() -> None:
    asked = policy_table("mu_argus", max_size=1)
    with pytest.raises(PolicyError) as caught:
        policy_from_table(asked)
    assert caught.value.problems[0].where == "solve.max_size"


@pytest.mark.parametrize("name", NAMES)
def test_settings_stand_in_the_manifest(name: str, tmp_path: Path) -> None:
    cells = itertools.product(("1111", "1112", "1211", "1212"), ("20", "40"), range(3))
    source = tmp_path / "t.csv"
    source.write_text("zip,age\n" + "".join(f"{zip_code},{age}\n" for zip_code, age, _ in cells), encoding="utf-8")
    keys = SETTINGS[named[name]]
    solve = {key: OTHER[key][0] for key in keys.values()}
    if name in ("given", "microaggregation"):
        solve |= {"seed": 3}
    policy = policy_from_table(policy_table(name, **solve), folder=tmp_path)
    made_release = sfumato.release(source, policy, to=tmp_path / "out", engine="reference")
    told = made_release.manifest["solver"]
    for parameter, key in keys.items():
        assert told["settings"][parameter] == (
            {**told["settings"][parameter], **OTHER[key][0]} if isinstance(OTHER[key][0], dict) else OTHER[key][0]
        )
        assert made_release.manifest["policy"]["solve"][key] == OTHER[key][0]
    assert not set(told["settings"]) & set(NOT_SETTINGS)


def test_people_are_searched_with_the_same_settings(tmp_path: Path) -> None:
    rows = [(f"p{i}", f"1{i % 3}11", str(20 + i % 2)) for i in range(12) for _ in range(2)]
    source = tmp_path / "t.csv"
    source.write_text("who,zip,age\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    table = policy_table("anytime", **{key: OTHER[key][0] for key in SEARCH.values()})
    table["fields"]["who"] = {"role": "direct"}
    table["entity"] = "who"
    made_release = sfumato.release(source, policy_from_table(table, folder=tmp_path), to=tmp_path / "out")
    told = made_release.manifest["solver"]
    assert told["name"] == "people"
    for parameter, key in SEARCH.items():
        value = OTHER[key][0]
        if isinstance(value, dict):
            assert 2.5 in told["settings"][parameter].values()
        else:
            assert told["settings"][parameter] == value
    assert told["proof"]["in_words"] in made_release.folder.joinpath("report.html").read_text(encoding="utf-8")


def test_datafly_by_k_alone_suppresses_no_more_than_the_limit() -> None:
    table = policy_table("datafly") | {"require": {"k": 3, "max_suppression": 0.05}}
    policy = policy_from_table(table)
    solver = solver_for(policy, (), KNOWN)
    assert isinstance(solver, Datafly)
    assert solver.limit == 0.05
