"""Every declared solver: its settings are read, checked, written back, reach the solver, and stand
in the manifest.

Everything comes from the registry. A new solver, or a new setting of one, fails here only where it
needs a value or a requirement that OTHER or REQUIRE does not have, or where a parameter of its
class can be set by nothing in a policy."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.errors import Mistake, PolicyError
from sfumato.parts import Parameter, Shape, parameters_of
from sfumato.policy import SolveSettings, policy_as_table, policy_from_table
from sfumato.policy.solve_section import section_with_solver, settings_names
from sfumato.releases.requirements import models_for, solver_for
from sfumato.releases.verification import policy_without_hierarchies
from sfumato.solvers import (
    SOLVERS,
    Datafly,
    GivenSettings,
    KSimilarSettings,
    ModelScope,
    OptimalSettings,
    RecodingKind,
    SolverAbilities,
    settings_of,
)
from sfumato.solvers.solver import NOT_SETTINGS

RENAMED = {
    "k_similar": {"objective": "distance", "tries": "work"},
    "local": {"rounds": "work"},
}
"""Parameters of a solver's class that have another name in a policy."""
ELSEWHERE: dict[str, set[str]] = {
    "anytime": {"max_suppression"},
    "best": {"k", "max_suppression"},
    "optimal": {"max_suppression"},
    "given": {"max_suppression"},
    "datafly": {"level", "linking", "r1", "r2", "e", "loss", "max_suppression"},
    "datafly2": {"max_suppression", "linking", "distortion"},
    "mu_argus": {"k", "ranks", "sizes", "max_suppression"},
    "greedy": {"max_suppression"},
    "k_similar": {"k", "distortion"},
    "local": {"k", "numeric", "max_suppression"},
    "microaggregation": {"k", "fields"},
}
"""Parameters that [require], the recipient's profile or the data decide."""
REQUIRE: dict[str, dict[str, Any]] = {
    "datafly": {"anonymity": {"level": 0.5, "r2": 4}},
    "mu_argus": {"combinations": {"k": 2, "sizes": [2]}},
}
OTHER: dict[str, Any] = {"labels": "ranges", "seconds": 7.5, "blanks": "blanks.csv"}
"""Values that are not the usual ones, where `another` would not do."""
KNOWN = ("zip", "age")
each_solver = pytest.mark.parametrize("name", SOLVERS)
own = [
    (name, each.name)
    for name, declared in SOLVERS.all().items()
    for each in parameters_of(declared.settings)
]
shared = [(name, each.name) for name in SOLVERS for each in parameters_of(SolveSettings)]
each_setting = pytest.mark.parametrize(
    ("name", "key"), own + shared, ids=["-".join(pair) for pair in own + shared]
)


NOT_KEPT = {"mu_argus": {"blanks"}, "local": {"suppress"}}
"""Settings that name a file, of which the solver has what is in it, and one that lets
`max_suppression` count."""


def described(name: str, key: str) -> Parameter:
    records = (SolveSettings, SOLVERS[name].settings)
    return next(each for record in records for each in parameters_of(record) if each.name == key)


def another(name: str, key: str) -> Any:
    """A value of a setting that is not the usual one."""
    each = described(name, key)
    if key in OTHER:
        return OTHER[key]
    if each.words:
        return next(word for word in each.words if word != each.default)
    by_kind = {
        "true or false": not each.default,
        "number for each field": {"zip": 2.5},
        "whole number for each field": {"zip": 1},
    }
    number = 0.01 if each.kind.value == "number" else (each.default or 9) - 1
    return by_kind.get(each.kind.value, number)


def wrong(name: str, key: str) -> Any:
    """A value that is out of range."""
    each = described(name, key)
    by_kind = {
        "number for each field": {"zip": 0},
        "whole number for each field": {"zip": -1},
        "true or false": "no",
    }
    return "nonsense" if each.words else by_kind.get(each.kind.value, -1)


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


def parameters(name: str) -> dict[str, str]:
    """The parameters of a solver's class that a key of [solve] sets, with the key."""
    fields = (
        {each.name for each in dataclasses.fields(made(name))}
        - set(NOT_SETTINGS)
        - ELSEWHERE.get(name, set())
    )
    return {each: RENAMED.get(name, {}).get(each, each) for each in fields}


@each_solver
def test_a_solver_says_what_it_is_and_can_do(name: str) -> None:
    declared = SOLVERS[name]
    assert declared.key == name
    assert declared.doc
    assert dataclasses.is_dataclass(declared.settings)
    assert not declared.abilities.limits or set(declared.abilities.limits) <= set(
        settings_names(name)
    )
    able = declared.abilities
    assert declared.build_people is None or Shape.ACROSS_TABLES in able.shapes
    assert Shape.ACROSS_TABLES not in able.shapes or Shape.SEVERAL_ROWS in able.shapes
    assert Shape.ONE_ROW in able.shapes


@each_solver
def test_every_parameter_of_a_solver_has_its_key(name: str) -> None:
    keys = parameters(name)
    assert set(keys.values()) <= set(settings_names(name))
    named = {each.name for each in parameters_of(SOLVERS[name].settings)}
    assert named - NOT_KEPT.get(name, set()) <= set(keys.values())


def test_no_setting_has_the_name_of_a_shared_one() -> None:
    mine = {
        each.name
        for declared in SOLVERS.all().values()
        for each in parameters_of(declared.settings)
    }
    assert not mine & {"solver", *(each.name for each in parameters_of(SolveSettings))}


@each_setting
def test_a_setting_is_read_and_written_back(name: str, key: str) -> None:
    value = another(name, key)
    policy = policy_from_table(policy_table(name, **{key: value}))
    assert policy_as_table(policy)["solve"][key] == value  # type: ignore[index]
    assert policy_from_table(policy_as_table(policy)) == policy
    usual = policy_from_table(policy_table(name))
    assert policy_from_table(policy_as_table(usual)) == usual != policy


@each_setting
def test_a_setting_is_checked(name: str, key: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_table(policy_table(name, **{key: wrong(name, key)}))
    assert caught.value.problems[0].where.startswith(f"solve.{key}")


@pytest.mark.parametrize("name", SOLVERS)
def test_a_setting_reaches_the_solver(name: str) -> None:
    for parameter, key in parameters(name).items():
        value = another(name, key)
        before, after = made(name), made(name, **{key: value})
        expected = {**settings_of(before)[parameter], **value} if isinstance(value, dict) else value
        assert settings_of(after)[parameter] == expected
        assert settings_of(before)[parameter] != expected
        for item in dataclasses.fields(after):
            if item.name not in (parameter, *NOT_SETTINGS):
                assert getattr(after, item.name) == getattr(before, item.name)


def test_local_suppresses_rows_only_where_it_is_asked_to() -> None:
    table = policy_table("local") | {"require": {"k": 2, "max_suppression": 0.25}}
    for suppress in (False, True):
        policy = policy_from_table(table | {"solve": {"solver": "local", "suppress": suppress}})
        solver = solver_for(policy, models_for(policy, KNOWN, 10, hierarchies={}), KNOWN)
        assert solver.max_suppression == (0.25 if suppress else 0.0)


@each_solver
def test_a_setting_of_another_solver_is_refused_with_its_owners(name: str) -> None:
    for key in dict.fromkeys(key for _, key in own if key not in settings_names(name)):
        owners = [other for other in SOLVERS if key in settings_names(other)]
        with pytest.raises(PolicyError) as caught:
            policy_from_table(policy_table(name, **{key: another(owners[0], key)}))
        (problem,) = caught.value.problems
        assert problem.where == f"solve.{key}"
        assert problem.found.startswith(f"{key} is a setting of {owners[0]}")
        assert problem.found.endswith(f"and solver is {name}.")
        assert f'solver = "{owners[0]}"' in problem.attempt


def test_a_solver_never_has_the_settings_of_another() -> None:
    assert SolveSettings(solver="given").settings == GivenSettings()
    with pytest.raises(Mistake, match="Its settings are GivenSettings"):
        SolveSettings(solver="given", settings=OptimalSettings())
    with pytest.raises(Mistake, match="Its settings are GivenSettings"):
        dataclasses.replace(SolveSettings(), solver="given")


def test_an_unknown_key_is_offered_the_settings_of_this_solver_alone() -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_table(policy_table("datafly2", gap=0.1, strange=1))
    (strange,) = [problem for problem in caught.value.problems if problem.where == "solve.strange"]
    assert strange.attempt == f"one of solver, {', '.join(settings_names('datafly2'))}."


def test_where_the_solver_is_unknown_only_that_is_told() -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_table(policy_table("optimla", gap=0.1, labels="tree"))
    (problem,) = caught.value.problems
    assert problem.where == "solve.solver"
    assert problem.found == 'No solver is called "optimla". Did you mean "optimal"?'


def test_another_solver_keeps_the_settings_that_it_has_too() -> None:
    section = {"solver": "optimal", "seed": 3, "work": 9, "gap": 0.1, "strange": 1}
    assert section_with_solver(section, "k_similar") == {
        "solver": "k_similar",
        "seed": 3,
        "work": 9,
        "strange": 1,
    }


@pytest.mark.parametrize(
    ("solver", "key"), [("given", "levels"), ("mu_argus", "levels"), ("anytime", "weights")]
)
def test_a_name_that_no_quasi_field_has_is_a_problem(solver: str, key: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy_from_table(policy_table(solver, **{key: {"zpi": 1}}))
    assert 'No quasi field is called "zpi". Did you mean' in caught.value.problems[0].found


def test_mu_argus_cannot_be_asked_to_overlook_what_is_required() -> None:
    asked = policy_table("mu_argus", max_size=1)
    with pytest.raises(PolicyError) as caught:
        policy_from_table(asked)
    assert caught.value.problems[0].where == "solve.max_size"
    assert caught.value.problems[0].attempt == "max_size = 2, or smaller sizes."


def test_mu_argus_offers_no_combination_that_it_cannot_count() -> None:
    table = policy_table("mu_argus") | {"require": {"combinations": {"k": 2, "sizes": [4]}}}
    table["fields"] |= {"sex": "quasi", "job": "quasi"}
    with pytest.raises(PolicyError) as caught:
        policy_from_table(table)
    assert caught.value.problems[0].attempt == "sizes up to 3."


@pytest.fixture
def source(tmp_path: Path) -> Path:
    cells = itertools.product(("1111", "1112", "1211", "1212"), ("20", "40"), range(3))
    path = tmp_path / "t.csv"
    path.write_text(
        "zip,age\n" + "".join(f"{zip_code},{age}\n" for zip_code, age, _ in cells), encoding="utf-8"
    )
    return path


@each_solver
def test_settings_stand_in_the_manifest(name: str, source: Path, tmp_path: Path) -> None:
    keys = parameters(name)
    solve = {key: another(name, key) for key in (*keys.values(), "seed")}
    policy = policy_from_table(policy_table(name, **solve), folder=tmp_path)
    made_release = sfumato.release(source, policy, to=tmp_path / "out", engine="reference")
    told = made_release.manifest["solver"]
    assert told["name"] == name
    for parameter, key in keys.items():
        value = solve[key]
        assert told["settings"][parameter] == (
            {**told["settings"][parameter], **value} if isinstance(value, dict) else value
        )
    for key, value in solve.items():
        assert made_release.manifest["policy"]["solve"][key] == value
    assert not set(told["settings"]) & set(NOT_SETTINGS)


def test_people_are_searched_with_the_same_settings(tmp_path: Path) -> None:
    rows = [(f"p{i}", f"1{i % 3}11", str(20 + i % 2)) for i in range(12) for _ in range(2)]
    path = tmp_path / "t.csv"
    path.write_text(
        "who,zip,age\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8"
    )
    for name, declared in SOLVERS.all().items():
        if declared.build_people is None or declared.abilities.recodes is RecodingKind.EITHER:
            continue
        keys = ("objective", *(each.name for each in parameters_of(declared.settings)))
        solve = {key: another(name, key) for key in keys}
        table = policy_table(name, weights={"zip": 2.5}, **solve)
        table["fields"]["who"] = {"role": "direct"}
        table["entity"] = "who"
        made_release = sfumato.release(
            path, policy_from_table(table, folder=tmp_path), to=tmp_path / name
        )
        told = made_release.manifest["solver"]
        assert told["name"] == "people"
        assert {key: told["settings"][key] for key in keys} == solve
        assert 2.5 in told["settings"]["weights"].values()
        assert told["proof"]["in_words"] in made_release.folder.joinpath("report.html").read_text(
            encoding="utf-8"
        )


def test_datafly_by_k_alone_suppresses_no_more_than_the_limit() -> None:
    table = policy_table("datafly") | {"require": {"k": 3, "max_suppression": 0.05}}
    policy = policy_from_table(table)
    solver = solver_for(policy, (), KNOWN)
    assert isinstance(solver, Datafly)
    assert solver.limit == 0.05


def test_settings_from_python_take_the_place_of_the_policys(source: Path, tmp_path: Path) -> None:
    policy = policy_from_table(policy_table("k_similar", seed=4), folder=tmp_path)
    made_release = sfumato.release(
        source, policy, to=tmp_path / "out", solver=OptimalSettings(gap=0.25)
    )
    assert made_release.manifest["policy"]["solve"] == {
        "solver": "optimal",
        "objective": "loss",
        "seed": 4,
        "gap": 0.25,
    }
    assert made_release.manifest["solver"]["settings"]["gap"] == 0.25
    by_name = sfumato.release(source, policy, to=tmp_path / "named", solver="datafly2")
    assert by_name.manifest["solver"]["name"] == "datafly2"


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("optimla", 'Did you mean "optimal"?'),
        (object(), "No declaration has settings of the class object."),
        (OptimalSettings(gap=-1.0), "solve.gap: It is -1.0, and must be 0 or more."),
        (GivenSettings(levels={"zpi": 1}), 'No quasi field is called "zpi".'),
        ("microaggregation", "safe_harbor looks labels up in the hierarchies"),
    ],
)
def test_a_solver_from_python_is_checked_before_anything_runs(
    chosen: object, said: str, source: Path, tmp_path: Path
) -> None:
    table = policy_table("anytime") | {"require": {"k": 2, "safe_harbor": {"zips": ["zip"]}}}
    policy = policy_from_table(table, folder=tmp_path)
    with pytest.raises(Mistake) as caught:
        sfumato.release(source, policy, to=tmp_path / "out", solver=chosen)
    assert said in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_solver_and_requirements_from_python_are_checked_together(
    source: Path, tmp_path: Path
) -> None:
    table = policy_table("datafly") | {"require": {"k": 2}}
    policy = policy_from_table(table, folder=tmp_path)
    asked = [sfumato.models.MaximumRisk(threshold=0.3), sfumato.models.AverageRisk(threshold=0.5)]
    with pytest.raises(
        Mistake, match="datafly works towards bin sizes, and neither anonymity nor k is required"
    ):
        sfumato.release(source, policy, to=tmp_path / "out", require=asked)
    made_release = sfumato.release(
        source, policy, to=tmp_path / "out", require=asked, solver=OptimalSettings()
    )
    assert made_release.manifest["policy"]["solve"]["solver"] == "optimal"
    assert made_release.manifest["policy"]["require"]["average_risk"] == 0.5
    with pytest.raises(Mistake, match="gap: It is -1"):
        sfumato.release(
            source, policy, to=tmp_path / "no", require=asked, solver=OptimalSettings(gap=-1.0)
        )


def places_of_problems(table: dict[str, Any]) -> set[str]:
    try:
        policy_from_table(table)
    except PolicyError as error:
        return {problem.where for problem in error.problems}
    return set()


@each_solver
def test_what_a_solver_cannot_do_is_refused_and_what_it_can_is_not(name: str) -> None:
    able, table = SOLVERS[name].abilities, policy_table(name)
    assert places_of_problems(table) == set()
    home = table | {"fields": {**table["fields"], "home": "direct"}, "household": "home"}
    assert places_of_problems(home) == (set() if Shape.HOUSEHOLDS in able.shapes else {"household"})
    risk = table | {"require": {**table["require"], "average_risk": 0.5}}
    assert places_of_problems(risk) == (
        {"solve.solver"} if able.models is ModelScope.COUNTS else set()
    )
    without = table | {"require": {"bin_sizes": {"zip": 2, "age": 2}}}
    assert places_of_problems(without) == (set() if able.need is None else {"solve.solver"})
    if able.need is not None and len(able.need.requirements) > 1:
        both = table | {"require": {**table["require"], "k": 2}}
        assert places_of_problems(both) == (
            {f"require.{able.need.requirements[0]}"} if able.need.exclude else set()
        )


@pytest.mark.parametrize(
    ("solver", "place"), [("microaggregation", "solve.solver"), ("local", "solve.labels")]
)
def test_labels_that_no_hierarchy_has_are_not_looked_up(solver: str, place: str) -> None:
    labels = {"labels": "ranges"} if solver == "local" else {}
    table = policy_table(solver, **labels) | {
        "require": {"k": 2, "k_map": {"k": 2, "population": "p.csv"}}
    }
    assert places_of_problems(table) == {place}


def test_a_release_from_when_settings_of_others_were_passed_over_is_still_read(
    tmp_path: Path,
) -> None:
    table = policy_table("k_similar", gap=0.1, work=9)
    policy = policy_without_hierarchies({"policy": table}, tmp_path)
    assert policy.solve == SolveSettings(solver="k_similar", settings=KSimilarSettings(work=9))
    with pytest.raises(PolicyError):
        policy_without_hierarchies({"policy": policy_table("k_similar", strange=1)}, tmp_path)


def two_tables(solver: str) -> dict[str, Any]:
    people = {
        "key": "id",
        "fields": {"id": {"role": "direct", "replace": "number"}, "zip": "quasi"},
    }
    visits = {
        "links": {"who": "people.id"},
        "fields": {"who": {"role": "direct", "replace": "number"}},
    }
    tables = {"people": people, "visits": visits}
    return {
        "entity": "people.id",
        "tables": tables,
        "require": {"k": 2},
        "solve": {"solver": solver},
    }


def test_a_shape_that_a_solver_does_not_declare_is_refused() -> None:
    able = SolverAbilities(recodes=RecodingKind.GLOBAL, shapes=frozenset({Shape.ONE_ROW}))
    narrow = dataclasses.replace(SOLVERS["datafly2"], key="narrow", abilities=able)
    table = policy_table("narrow") | {"nulls": "matches-anything"}
    table["fields"] |= {"weight": "insensitive", "home": "direct"}
    table |= {"require": {"k": 2, "k_map": {"k": 2, "weight": "weight"}}, "household": "home"}
    with SOLVERS.including(narrow):
        assert places_of_problems(policy_table("narrow")) == set()
        assert places_of_problems(table) == {"nulls", "require.k_map", "household"}
        assert places_of_problems(two_tables("narrow")) == {"solve.solver"}
    assert places_of_problems(two_tables("datafly2")) == set()
    table["solve"] = {"solver": "datafly2"}
    assert places_of_problems(table) == set()
