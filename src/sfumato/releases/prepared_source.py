"""From a source and a policy to what a solver needs: bins, bound hierarchies, protection models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.bins import Bins, CountedPeople, Pairing, WeightedPeople
from sfumato.engines import Engine, open_source
from sfumato.errors import (
    HierarchyError,
    Mistake,
    NoRecodingFound,
    PolicyError,
    Problem,
    SourceError,
)
from sfumato.hierarchies import SUPPRESSED, Hierarchy, Label, nests
from sfumato.policy import (
    CellReading,
    OutsideNeed,
    Policy,
    RequirementDeclaration,
    Role,
    abilities_of,
    check_against,
    holds_unlinked,
)
from sfumato.protection import Model
from sfumato.solvers import Solver
from sfumato.wording import counted

from .requirements import models_for, needed_fields, solver_for
from .roll_up import RolledUp, roll_up


@dataclass(frozen=True, eq=False, kw_only=True)
class PreparedSource:
    """A source that was counted under a policy. `known` are the quasi-identifiers the recipient may
    link on; `pairing` has the person of each row where steps moved rows, if the hierarchies have
    the values they had before. `populations` are the people that requirements count in, by their
    keys. In `numeric` fields, the order of values is used, where the solver asks for them."""

    policy: Policy
    source_fields: tuple[str, ...]
    rows: int
    known: tuple[str, ...]
    bins: Bins
    hierarchies: Mapping[str, Hierarchy]
    models: tuple[Model, ...]
    solver: Solver
    engine: Engine = field(repr=False)
    populations: Mapping[str, Bins] = field(default_factory=dict, repr=False)
    numeric: tuple[str, ...] = ()
    rolled_up: RolledUp | None = field(default=None, repr=False)
    pairing: Pairing | None = field(default=None, repr=False)


def prepare(
    engine: Engine,
    policy: Policy,
    *,
    limit: int | None = None,
    pairing: Pairing | None = None,
    populations: Mapping[str, Any] = MappingProxyType({}),
) -> PreparedSource:
    """Count the bins and build everything the policy asks for; every problem it has with the data,
    at once.

    Where there are more than `limit` bins, the engine first rolls them up to levels at which there
    are fewer: `PreparedSource.engine` then has the rows at those levels, and a recoding is of them.
    `pairing` is who the rows are about where steps moved them; without it, null-map and wrong-map
    are not judged. `populations` are tables of people, by the keys of the requirements that count
    in them, in place of the files that the policy names."""
    if policy.channels is not None:
        raise Mistake(
            f"Policy {policy.name} is for a release by channels, which has no bins to be recoded.",
            attempt="sfumato release, which makes it.",
        )
    names = tuple(info.name for info in engine.fields())
    check_against(policy, names)
    rows = engine.count_rows()
    if rows == 0:
        raise SourceError(f"{engine.title} holds no row.", attempt="a table with at least one row.")
    _check_one_row_per_person(engine, policy)
    known = known_fields(policy)
    _check_nothing_dropped(policy, known)
    rolled_up = None
    if limit is not None and rows > limit and known and _can_roll_up(policy):
        rolled_up = _rolled_up(engine, policy, known, limit=limit)
        engine, bins = rolled_up.engine, rolled_up.bins
    else:
        bins = Bins.count(engine, known, sensitive=needed_fields(policy, known))
    _check_stars(policy, bins)
    counted = {
        declared.key: population_of(
            engine, policy, declared, asked, known, given=populations.get(declared.key)
        )
        for declared, asked in policy.require.needing(OutsideNeed.POPULATION, OutsideNeed.WEIGHTS)
    }
    if rolled_up is not None:
        hierarchies: Mapping[str, Hierarchy] = rolled_up.hierarchies
    else:
        hierarchies, pairing = _bind_with(policy, bins, tuple(counted.values()), pairing)
    peoples = {key: align(people, hierarchies) for key, people in counted.items()}
    models = models_for(
        policy,
        known,
        rows,
        hierarchies=hierarchies,
        populations=peoples,
        source=bins,
        pairing=pairing,
    )
    _check_nothing_overlooked(policy, known, models)
    _check_rows(models, rows, engine.title)
    numeric = numeric_fields(engine, policy, known)
    return PreparedSource(
        policy=policy,
        source_fields=names,
        rows=rows,
        known=known,
        bins=bins,
        hierarchies=hierarchies,
        models=models,
        solver=solver_for(policy, models, known, numeric=numeric),
        numeric=numeric,
        engine=engine,
        populations=peoples,
        rolled_up=rolled_up,
        pairing=pairing if rolled_up is None else None,
    )


def _can_roll_up(policy: Policy) -> bool:
    """Whether bins may be rolled up. They may not where original values are needed: for a
    population, for households, or for ranges."""
    apart = any(
        True
        for _ in policy.require.needing(
            OutsideNeed.POPULATION, OutsideNeed.WEIGHTS, OutsideNeed.PAIRING
        )
    )
    uneven = any(not nests(field.hierarchy) for field in policy.fields.values())
    return not apart and not uneven and policy.household is None and abilities_of(policy).rolls_up


def _rolled_up(engine: Engine, policy: Policy, known: tuple[str, ...], *, limit: int) -> RolledUp:
    def bind(values: Mapping[str, tuple[Label, ...]]) -> Mapping[str, Hierarchy]:
        return bind_values(policy, {name: dict.fromkeys(found) for name, found in values.items()})

    return roll_up(engine, known, bind, sensitive=needed_fields(policy, known), limit=limit)


def numeric_fields(engine: Engine, policy: Policy, known: Sequence[str]) -> tuple[str, ...]:
    """For ranges: the known fields whose values are numbers or dates throughout, also where they
    are stored as text."""
    out = []
    for name in known if abilities_of(policy).orders_values else ():
        found = engine.profile(name)
        present = found.rows - found.nulls
        if present and present in (found.numbers, found.dates):
            out.append(name)
    return tuple(out)


def known_fields(policy: Policy) -> tuple[str, ...]:
    """The quasi-identifiers that this recipient may link on, or all where the solver protects the
    others too."""
    quasi = policy.named(Role.QUASI)
    if holds_unlinked(policy):
        return quasi
    return tuple(name for name in quasi if policy.profile.links_on(name) > 0)


def repeats(engine: Engine, policy: Policy) -> bool:
    """Whether some person has several rows: then people are counted, and not rows."""
    if policy.entity is None or policy.entity not in {info.name for info in engine.fields()}:
        return False
    return any(rows != "1" for rows in engine.rows_per_person(policy.entity).values[-1])


def _check_one_row_per_person(engine: Engine, policy: Policy) -> None:
    if repeats(engine, policy):
        raise SourceError(
            f"{engine.title} has several rows per person: field {policy.entity} repeats.",
            found="Bins of rows were asked for, and what is required counts people.",
            attempt="sfumato.release, which counts people.",
        )


def _check_nothing_dropped(policy: Policy, known: Sequence[str]) -> None:
    """Refuse what the policy asks for and a release would leave undone."""
    problems = [
        Problem(
            where=f"fields.{name}.shift",
            found=f"{name} is recoded, because the recipient may link on it, and cannot be moved "
            "as well.",
            attempt=f"a hierarchy of dates alone, or another role for {name}.",
        )
        for name in known
        if policy.fields[name].shift is not None
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _check_stars(policy: Policy, bins: Bins) -> None:
    """Refuse a source in which a value looks like a suppressed cell, where something depends on
    which it is.

    Where cells are read strictly, both are one value, and what was suppressed is counted from the
    plan."""
    wild = policy.require.reading is CellReading.WILDCARD or abilities_of(policy).blanks_cells
    leaders = {decided.follows for decided in policy.fields.values()}
    problems = [
        Problem(
            where=f"fields.{name}",
            found=f"{SUPPRESSED} is a value of it in the source, and a suppressed cell would "
            "look the same.",
            attempt=f"another text for {SUPPRESSED} in the source, "
            + (
                "no field that follows it."
                if name in leaders
                else 'or reading = "strict" with another solver.'
            ),
        )
        for name, labels in zip(bins.fields, bins.labels, strict=True)
        if SUPPRESSED in labels and (wild or name in leaders)
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _check_nothing_overlooked(
    policy: Policy, known: Sequence[str], models: Sequence[Model]
) -> None:
    """Every known field is looked at by some model."""
    seen = {
        name
        for declared, asked in policy.require.items()
        for name in declared.covered(asked, policy)
    }
    seen |= {name for model in models for name in getattr(model, "fields", ())}
    problems = [
        Problem(
            where="require",
            found=f"the recipient may link on {name}, and no requirement looks at it.",
            attempt=f"k = 5 for all quasi fields, {name} among the fields of a requirement, or "
            "another role for it.",
        )
        for name in known
        if name not in seen
    ]
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _bind_with(
    policy: Policy, bins: Bins, populations: Sequence[Bins], pairing: Pairing | None
) -> tuple[Mapping[str, Hierarchy], Pairing | None]:
    """Hierarchies that have the values of the subjects too, as they were before steps moved them.

    Where those do not fit, and nothing is required that looks them up, they are left aside with the
    pairing."""
    if pairing is None:
        return _bind(policy, bins, populations), None
    try:
        return _bind(policy, bins, [*populations, pairing.subjects]), pairing
    except PolicyError:
        if any(True for _ in policy.require.needing(OutsideNeed.PAIRING)):
            raise
        return _bind(policy, bins, populations), None


def _bind(policy: Policy, bins: Bins, populations: Sequence[Bins]) -> dict[str, Hierarchy]:
    values: dict[str, Iterable[Label]] = {}
    for name, labels in zip(bins.fields, bins.labels, strict=True):
        others = [
            population.labels[population.column(name)]
            for population in populations
            if name in population.fields
        ]
        values[name] = dict.fromkeys(chain(labels, *others)) if others else labels
    return bind_values(policy, values)


def bind_values(policy: Policy, values: Mapping[str, Iterable[Label]]) -> dict[str, Hierarchy]:
    """The hierarchy of each field over its values; all problems at once."""
    problems: list[Problem] = []
    out: dict[str, Hierarchy] = {}
    for name, found in values.items():
        try:
            out[name] = policy.fields[name].bind(found)
        except HierarchyError as error:
            problems.append(
                Problem(
                    where=f"fields.{name}.hierarchy",
                    found=f"{error.asked} {error.found}".strip(),
                    attempt=error.attempt,
                )
            )
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")
    return out


def population_of(
    source: Engine,
    policy: Policy,
    declared: RequirementDeclaration,
    asked: Any,
    known: Sequence[str],
    *,
    given: Any = None,
    person: str = "",
) -> Bins:
    """The bins of the population that a requirement names, or that was `given`.

    Where it names a field of survey weights, they are the bins of the source, as many people as its
    rows represent. Where people have several rows, each counts once. In the source the field
    `person` identifies them, and in a population the field of that name. A population without it
    has one row for each."""
    key = declared.key
    fields = tuple(name for name in asked.fields or known if name in known)
    if declared.need_of(asked) is OutsideNeed.WEIGHTS:
        if person:
            return WeightedPeople.counted_by_weight(
                source, fields, person=person, weight=asked.weight
            )
        return Bins.count(source, fields, weight=asked.weight)
    path = Path(policy.folder) / asked.population
    if given is None and not path.exists():
        raise _no_population(policy, key, path)
    with open_source(path if given is None else given) as engine:
        have = {info.name for info in engine.fields()}
        problems = [
            Problem(
                where=f"require.{key}.population",
                found=f"{path.name} has no field {name}.",
                attempt="a population table with every field of the requirement, or fewer fields "
                "in it.",
            )
            for name in fields
            if name not in have
        ]
        if problems:
            raise PolicyError(problems, name=f"Policy {policy.name}")
        if person in have:
            return CountedPeople.counted(engine, fields, person=person)
        return Bins.count(engine, fields)


def _no_population(policy: Policy, key: str, path: Path) -> PolicyError:
    problem = Problem(
        where=f"require.{key}.population",
        found=f"{path.name} is not in the folder of the policy.",
        attempt="the path of the table of people, from where the policy is.",
    )
    return PolicyError([problem], name=f"Policy {policy.name}")


def align(population: Bins, hierarchies: Mapping[str, Hierarchy]) -> Bins:
    """The population's bins with the codes of the hierarchies, so that they can be recoded."""
    codes = population.codes.copy()
    labels: list[tuple[Label, ...]] = []
    for column, name in enumerate(population.fields):
        place = {value: code for code, value in enumerate(hierarchies[name].labels[0])}
        translate = np.array([place[value] for value in population.labels[column]], np.int32)
        codes[:, column] = translate[codes[:, column]]
        labels.append(hierarchies[name].labels[0])
    return population.with_cells(tuple(labels), codes)


def _check_rows(models: Sequence[Model], rows: int, title: str) -> None:
    for model in models:
        k = getattr(model, "least_rows", 0)
        if k > rows:
            raise NoRecodingFound(
                f"{model.name} with k = {k} was asked of {title}.",
                found=f"It has {counted(rows, 'row')}, so no bin can have {k}.",
                attempt=("" if rows < 2 else f"k = {min(5, rows)} or ") + "a table with more rows.",
            )
