"""Rules that hold for any release of some data and so protect nobody. Examples are different values
counted in a number that differs in every row, and intervals that no two numbers share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, TableView
from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import exact
from sfumato.policy import LooksAt, NumberSteps, Policy, Role
from sfumato.protection import SteppedField

NEARLY_ALL = 0.9
"""A rule that counts values is vacuous where so many rows have a number of their own."""
FEWEST_ROWS = 20
"""Of fewer rows every value may differ by chance."""


def check_vacuous_rules(policy: Policy, engine: Engine) -> None:
    """Refuse requirements of one table that every bin meets, whatever is released."""
    _refuse(policy, list(vacuous_rules(policy, engine)))


def check_vacuous_table_rules(policy: Policy, database: Database) -> None:
    """The same of several tables, or of one with several rows per person."""
    problems = [
        problem
        for name, table in policy.tables.items()
        for problem in _vacuous(
            policy,
            lambda name=name: database.view(TableView(table=name)),  # type: ignore[misc]
            tuple(one for one, said in table.fields.items() if said.role is Role.SENSITIVE),
            table=name,
        )
    ]
    _refuse(policy, problems)


def vacuous_rules(policy: Policy, engine: Engine) -> Iterator[Problem]:
    """A problem for each requirement that counts different values of a sensitive number which
    hardly two rows share."""
    have = {info.name for info in engine.fields()}
    fields = tuple(name for name in policy.named(Role.SENSITIVE) if name in have)
    yield from _vacuous(policy, lambda: engine, fields)


def _vacuous(
    policy: Policy, opened: Callable[[], Engine], fields: Sequence[str], *, table: str = ""
) -> Iterator[Problem]:
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        within = declared.alike(asked) if declared.alike is not None else 0.0
        steps = {} if within else _steps(policy, table)
        if not declared.counts_values and not within:
            continue
        named = getattr(asked, "fields", ())
        for name in fields:
            wanted = not named or name in named or f"{table}.{name}" in named
            if not wanted or not _are_apart(opened(), name, within=within):
                continue
            if name not in steps or _alone_in_steps(opened(), name, steps[name]):
                yield _problem(f"require.{declared.key}", name, within=within)


def _steps(policy: Policy, table: str) -> dict[str, NumberSteps]:
    """The fields that rules about values judge in steps."""
    fields = policy.tables[table].fields if table else policy.fields
    return {name: field.value_steps for name, field in fields.items() if field.value_steps}


def _problem(where: str, name: str, *, within: float) -> Problem:
    if within:
        return Problem(
            where=where,
            found=f"In {name}, nearly all numbers are farther apart than {within:g}, so any bin "
            "meets the rule.",
            attempt="a larger width.",
        )
    return Problem(
        where=where,
        found=f"Nearly every row has a number of its own in {name}, so any bin meets "
        "the rule, however close its numbers are.",
        attempt=f't_closeness with distance = "ordered" and fields = ["{name}"], value_spread, or '
        f"value_steps for {name} that several rows share.",
    )


def _refuse(policy: Policy, problems: list[Problem]) -> None:
    if problems:
        raise PolicyError(problems, name=f"Policy {policy.name}")


def _are_apart(engine: Engine, name: str, *, within: float) -> bool:
    """Whether the values of a field are numbers, of which hardly two rows have the same, or two
    that are nearer than `within`."""
    found = engine.profile(name)
    told = found.rows - found.nulls
    if told < FEWEST_ROWS or found.numbers != told or found.unique < NEARLY_ALL * told:
        return False
    return not within or _alone(engine, name, within=within) >= NEARLY_ALL * told


def _alone_in_steps(engine: Engine, name: str, steps: NumberSteps) -> bool:
    """Whether nearly every row has a step of its own."""
    bins = Bins.count(engine, (name,))
    field = SteppedField.of(name, steps)
    rows: Counter[str] = Counter()
    for label, count in zip(
        bins.labels[0], np.bincount(bins.codes[:, 0], bins.counts), strict=True
    ):
        if (step := field.step(label)) is not None:
            rows[step] += int(count)
    alone = sum(count == 1 for count in rows.values())
    return alone >= NEARLY_ALL * rows.total()


def _alone(engine: Engine, name: str, *, within: float) -> int:
    """How many numbers that occur once have no other nearer than `within`."""
    bins = Bins.count(engine, (name,))
    read = ((exact(label) if label is not None else None) for label in bins.labels[0])
    numbers = np.array([np.nan if one is None else float(one) for one in read])
    column = numbers[bins.codes[:, 0]]
    at = np.flatnonzero(~np.isnan(column))
    at = at[np.argsort(column[at], kind="stable")]
    gaps = np.concatenate(([np.inf], np.diff(column[at]), [np.inf]))
    apart = (gaps[:-1] >= within) & (gaps[1:] >= within)
    return int((apart & (bins.counts[at] == 1)).sum())
