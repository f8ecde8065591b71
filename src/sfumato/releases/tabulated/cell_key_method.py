"""The method `cell_key`: noise that follows from the people of a cell, and the result of an
attack."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import CountedSet, Engine
from sfumato.errors import Problem
from sfumato.keys import Key
from sfumato.parts import ParameterKind, parameter
from sfumato.policy import TablesOfCounts, TabulationMethod
from sfumato.tabulation import AreaTree, ReleasedTable, computed_exactly, noise_chances

from ..checks import Check
from .counted_source import TableDesign, check_all_counted, table_design
from .difference_chart import difference_chart
from .method_facts import MethodFacts

STATEMENT: Final = (
    "Each count has noise that follows from secret numbers of the people in its cell: the same people "
    "have the same noise. Sums hold only about. Zeros are true. No bound protects a person: many "
    "tables of the same people narrow the noise."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellKeySettings:
    """The parameters of the cell key method."""

    largest_noise: int = parameter("the largest noise", default=5, least=1, most=50)
    variance: float = parameter("the variance of the noise", default=2.0, least=0.1, most=400.0)
    fewest_shown: int = parameter("the smallest count shown", default=2, least=0, most=20)
    threshold: int = parameter("counts below it are attacked", default=5, least=1, most=10_000)
    key: str = parameter(
        "a file of `sfumato key`, so that the same people have the same noise in every table",
        default="",
        kind=ParameterKind.FILE,
    )


def cell_key_method(engine: Engine, policy: TablesOfCounts) -> MethodFacts:
    """Give people numbers, count, add noise and attack."""
    design = table_design(engine, policy)
    with design.staged(engine) as stage:
        if policy.entity:
            check_all_counted(stage, policy)
        codes, values, people = _rows(stage, design)
    kept, numbers = _numbered(people, codes, policy)
    counts, keys = (
        design.gathered([_as_set(design, values, codes[kept], weights)])
        for weights in (np.ones(len(kept), np.int64), numbers)
    )
    chances = noise_chances(
        largest=policy.settings.largest_noise,
        variance=policy.settings.variance,
        fewest_shown=policy.settings.fewest_shown,
    )
    released = counts.values + chances.noise(counts.values, keys.values.astype(np.uint64))
    attack = computed_exactly(counts, released, threshold=policy.settings.threshold)
    wide = float(chances.variances[1:].max(initial=policy.settings.variance))
    findings = (
        (
            f"attack: counts under {policy.settings.threshold} computed exactly, from cells and totals",
            attack.words(),
        ),
        (
            "largest noise",
            f"{policy.settings.largest_noise}; variance {policy.settings.variance:g} to {wide:.2g}",
        ),
        (
            "the same people in another table",
            "have the same noise, by the key"
            if policy.settings.key
            else "have other noise: without a key and an entity, release these people once",
        ),
    )
    return MethodFacts(
        table=counts.released(released),
        tree=design.tree,
        outcome="review",
        statement=STATEMENT,
        released_facts={"sums_are_exact": False},
        findings=findings,
        chart=difference_chart(counts.values, released),
        chart_caption="Released less true counts.",
    )


def _rows(
    stage: Engine, design: TableDesign
) -> tuple[NDArray[np.int64], list[tuple[str, ...]], list[str | None]]:
    """The rows as codes, the labels of each column, and the person of each row."""
    policy = design.policy
    names = [*policy.levels, *policy.fields]
    known: list[dict[str, int]] = [{} for _ in names]
    columns: list[list[int]] = [[] for _ in names]
    people: list[str | None] = []
    asked = [*names, *filter(None, [policy.entity])]
    for batch in stage.cells(asked):
        for column, place, name in zip(columns, known, names, strict=True):
            column.extend(place.setdefault(label, len(place)) for label in batch[f"cell:{name}"])
        rows = len(batch["row"])
        people.extend(batch[f"cell:{policy.entity}"].tolist() if policy.entity else [None] * rows)
    codes = np.array(columns, np.int64).reshape(len(names), -1).T
    return codes, [tuple(place) for place in known], people


def _numbered(
    people: list[str | None], codes: NDArray[np.int64], policy: TablesOfCounts
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows that are counted, one of each person, and the secret number of each: by the holder's
    key and the person, or from the system's entropy."""
    if not policy.entity:
        return np.arange(len(people)), _drawn(len(people))
    key = (
        Key.from_file(policy.folder / policy.settings.key).derive("cell key", "1")
        if policy.settings.key
        else None
    )
    first: dict[str, tuple[bytes, int]] = {}
    for row, person in enumerate(people):
        if person is None:
            continue
        text = f"{person}\x1f{codes[row].tolist()}".encode()
        order = key.digest(text) if key is not None else os.urandom(8)
        if person not in first or (order, row) < first[person]:
            first[person] = order, row
    kept = np.array([row for _, row in first.values()], np.int64)
    if key is None:
        return kept, _drawn(len(kept))
    digests = [key.digest(person.encode())[:4] for person in first]
    return kept, np.array([int.from_bytes(each, "big") for each in digests], np.int64)


def _drawn(count: int) -> NDArray[np.int64]:
    return np.frombuffer(os.urandom(4 * count), np.uint32).astype(np.int64)


def _as_set(
    design: TableDesign,
    values: list[tuple[str, ...]],
    codes: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> CountedSet:
    """Cells of the finest set with the sums of some numbers of their rows."""
    policy = design.policy
    unique, place = np.unique(codes, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, place.reshape(-1), weights)
    none = np.zeros((len(unique), 0), np.int64)
    return CountedSet(
        fields=(*policy.levels, *policy.fields),
        values=tuple(values),
        codes=unique,
        rows=sums,
        people=sums,
        sums=sums,
        largest=none,
        who=none,
    )


def cell_key_checks(
    table: ReleasedTable, tree: AreaTree, policy: TablesOfCounts, facts: Mapping[str, Any]
) -> Iterator[Check]:
    """Counts that must not be shown; no check can hold the method to a bound."""
    small = sum(
        value is not None and 0 < value <= policy.settings.fewest_shown for value in table.values
    )
    yield Check(
        claim=f"no count from 1 to {policy.settings.fewest_shown} is shown",
        outcome="fail" if small else "pass",
        found=f"{small:,} are" if small else "so it is",
    )
    yield Check(
        claim="the noise protects each person",
        outcome="review",
        found="it has no bound; the holder's report has the share of small counts that an attacker "
        "computes",
        requirement="method",
    )


def _problems(policy: TablesOfCounts) -> Iterator[Problem]:
    if policy.settings.key and not policy.entity:
        yield Problem(
            where="tables_of_counts.key",
            found="A person's number follows from the key and the entity, which is missing.",
            attempt='entity = "person".',
        )


DECLARATION = TabulationMethod(
    key="cell_key",
    doc="noise that follows from secret numbers of the people in a cell",
    title="the cell key method",
    record=CellKeySettings,
    statement=STATEMENT,
    tabulate=cell_key_method,
    verify=cell_key_checks,
    check=_problems,
    one_row=True,
)
