"""Rules that hold of any release of some data and so protect nobody: different values counted in a
number of which every row has another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sfumato.engines import Database, Engine, TableView
from sfumato.errors import PolicyError, Problem
from sfumato.policy import LooksAt, Policy, Role

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
        if not declared.counts_values:
            continue
        named = getattr(asked, "fields", ())
        for name in fields:
            wanted = not named or name in named or f"{table}.{name}" in named
            if wanted and _is_measurement(opened(), name):
                yield Problem(
                    where=f"require.{declared.key}",
                    found=f"Nearly every row has a number of its own in {name}, so any bin meets "
                    "the rule, however close its numbers are.",
                    attempt=f't_closeness with distance = "ordered" and fields = ["{name}"], or '
                    f"{name} in ranges in the source.",
                )


def _refuse(policy: Policy, problems: list[Problem]) -> None:
    if problems:
        raise PolicyError(problems, name=policy.name)


def _is_measurement(engine: Engine, name: str) -> bool:
    """Whether the values of a field are numbers that hardly two rows share."""
    found = engine.profile(name)
    told = found.rows - found.nulls
    return told >= FEWEST_ROWS and found.numbers == told and found.unique >= NEARLY_ALL * told
