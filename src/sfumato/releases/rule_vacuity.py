"""Rules that hold for any release of some data and so protect nobody. Examples are different values
counted in a number that differs in every row, and intervals that no two numbers share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, TableView
from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import exact
from sfumato.policy import LooksAt, NumberSteps, Policy, Role
from sfumato.protection import SteppedField

from .named_values import misspelled_values
from .person_keys import number_readings

NEARLY_ALL = 0.9
"""A rule that counts values is vacuous where so many rows have a number of their own."""
FEWEST_ROWS = 20
"""Of fewer rows every value may differ by chance."""
_ENOUGH_NUMBERS = 0.5
"""A field with this share of numbers is one of numbers: a few words for missing ones change nothing."""
_SAMPLE = 1000
_UNITS = re.compile(
    r"^[\s<>\u2264\u2265~=\u20ac$\u00a3(]+|^[A-Za-z]{1,3}\s+(?=[0-9])"
    r"|[\s%\u20ac$\u00a3)]+$|(?<=[0-9])\s*[A-Za-z]{1,3}$"
)
"""Signs and short units around a number."""


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
    stepped = _steps(policy, table)
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        named = getattr(asked, "fields", ())
        judged = [
            name for name in fields if not named or name in named or f"{table}.{name}" in named
        ]
        if values := getattr(asked, "values", ()):
            plain = [name for name in judged if name not in stepped]
            yield from misspelled_values(opened(), f"require.{declared.key}", values, plain)
        within = declared.alike(asked) if declared.alike is not None else 0.0
        steps = {} if within else stepped
        if not declared.counts_values and not within:
            continue
        for name in judged:
            if not _are_apart(opened(), name, within=within):
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
    """Whether most values of a field are numbers, of which hardly two rows have the same, or two
    that are nearer than `within`."""
    found = engine.profile(name)
    told = found.rows - found.nulls
    least = max(FEWEST_ROWS, _ENOUGH_NUMBERS * told)
    if told < FEWEST_ROWS or found.unique < NEARLY_ALL * least:
        return False
    if found.numbers == told and not within:
        return found.unique >= NEARLY_ALL * told
    if found.numbers < told:
        sample = engine.sample(name, _SAMPLE)
        if sum(map(reads_as_number, sample)) < _ENOUGH_NUMBERS / 2 * len(sample):
            return False
    bins = Bins.count(engine, (name,))
    rows, alone = _alone(bins, within=within) if within else _unshared(bins)
    return rows >= least and alone >= NEARLY_ALL * rows


def reads_as_number(text: str) -> bool:
    """Whether a text is a number as people write it, with signs, marks and short units.

    Example:
        >>> [reads_as_number(each) for each in ("1.5", "1,5 ", "12 %", "EUR 3", "$1,200.50", "80 kg")]
        [True, True, True, True, True, True]
        >>> reads_as_number("n/a"), reads_as_number("2020-01-05"), reads_as_number("I10")
        (False, False, False)
    """
    return bool(number_readings(text) or number_readings(_UNITS.sub("", text)))


def _unshared(bins: Bins) -> tuple[int, int]:
    """How many rows have a number, and how many one that no other row has."""
    numbers = np.array([label is not None and reads_as_number(label) for label in bins.labels[0]])
    counts = bins.counts[numbers[bins.codes[:, 0]]]
    return int(counts.sum()), int((counts == 1).sum())


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


def _alone(bins: Bins, *, within: float) -> tuple[int, int]:
    """How many rows have a number that the rule reads, and how many of these numbers occur once and have no
    other nearer than `within`."""
    read = ((exact(label) if label is not None else None) for label in bins.labels[0])
    numbers = np.array([np.nan if one is None else float(one) for one in read])
    column = numbers[bins.codes[:, 0]]
    at = np.flatnonzero(~np.isnan(column))
    at = at[np.argsort(column[at], kind="stable")]
    gaps = np.concatenate(([np.inf], np.diff(column[at]), [np.inf]))
    apart = (gaps[:-1] >= within) & (gaps[1:] >= within)
    return int(bins.counts[at].sum()), int((apart & (bins.counts[at] == 1)).sum())
