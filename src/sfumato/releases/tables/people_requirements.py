"""What a policy of one table may ask where a person has several rows: nothing that would be counted
in rows."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import Problem
from sfumato.parts import Shape
from sfumato.policy import (
    CellReading,
    Method,
    NullRule,
    Policy,
    Role,
    abilities_of,
    not_of_people,
    solvers_of,
)

_SEVERAL = "a person may have several rows"


def asked_of_rows(policy: Policy) -> Iterator[Problem]:
    """Requirements that have no meaning where a person may have several rows; the others count
    people."""
    require = policy.require
    for key, reason in not_of_people(policy, Shape.SEVERAL_ROWS):
        yield Problem(
            where=f"require.{key}",
            found=f"{_SEVERAL}, and {reason}.",
            attempt=f"k in place of {key}, or a table with one row per person.",
        )
    looked_at = {
        name for declared, asked in require.items() for name in declared.covered(asked, policy)
    }
    unseen = [
        name
        for name in policy.named(Role.QUASI)
        if name not in looked_at and policy.profile.links_on(name) > 0
    ]
    if unseen:
        yield Problem(
            where="require.k",
            found=f"{_SEVERAL}, and nothing says how many people must share {', '.join(unseen)}.",
            attempt="k = 5 under [require].",
        )
    if any(asked.within_bins for asked in require.each("k_m")):
        yield Problem(
            where="require.k_m.within_bins",
            found=f"{_SEVERAL}, which may be in different bins, so that their set is in none.",
            attempt="within_bins = false, or a table of people beside that of their rows.",
        )
    yield from _number_of_rows(policy)


def _number_of_rows(policy: Policy) -> Iterator[Problem]:
    """How many rows a person has is shared by b_tabf people (Sweeney 1997, section 3.8), and
    something sets that number."""
    asked, person = policy.row_counts, policy.fields.get(policy.entity or "")
    method = Method.REMOVE if person is None or person.replace is None else person.replace.method
    if asked.linking == 0 or method in (Method.REMOVE, Method.MASK):
        return
    if policy.require.k is None and asked.bin_size is None:
        yield Problem(
            where="require.k",
            found="How many rows a person has may tell who it is, and nothing says how many "
            "people must share it.",
            attempt="k = 5 under [require], or row_counts = { bin_size = 5 } or { linking = 0 }.",
        )


def unlike_people(policy: Policy) -> Iterator[Problem]:
    """Everything else that is decided about rows one by one."""
    solver = policy.solve.solver
    if Shape.SEVERAL_ROWS not in abilities_of(policy).shapes and policy.named(Role.QUASI):
        yield Problem(
            where="solve.solver",
            found=f"{_SEVERAL}, and {solver} counts rows where people must be counted.",
            attempt=f"one of {solvers_of(Shape.SEVERAL_ROWS)}.",
        )
    if policy.require.reading is not CellReading.STRICT:
        yield Problem(
            where="require.reading",
            found=f"{_SEVERAL}, and then a suppressed cell is a value of its own.",
            attempt='reading = "strict".',
        )
    if policy.nulls is not NullRule.VALUE:
        yield Problem(
            where="nulls",
            found=f"{_SEVERAL}, and then a missing value is a value of its own.",
            attempt='nulls = "value".',
        )
    if policy.household is not None:
        yield Problem(
            where="household",
            found=f"{_SEVERAL}, and households are not kept together then.",
            attempt="leaving it out, or a table with one row per person.",
        )
    for name, decided in policy.fields.items():
        if decided.shift is not None and decided.shift.per != policy.entity:
            yield Problem(
                where=f"fields.{name}.shift.per",
                found=f"{_SEVERAL}, and all of their dates move together.",
                attempt=f"leaving it out: it is {policy.entity}.",
            )
