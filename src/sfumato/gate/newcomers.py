"""Newcomers: people who joined by a reload, of whom nothing was measured before.

Each person has a lifetime limit, and a question is charged to everybody whom it may be about. So
those who joined later have more left, and can be asked for by themselves: `patients_since_20260301`
is the table `patients` with the people who joined on that day or later. The gate recognises a
person who was there before by a keyed tag; whoever returns is no newcomer."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from .decide.protected_table import ProtectedTable, bin_rows
from .state import GateState
from .table_state import TableState

MOST_DAYS: Final = 24
"""Of so many days the newcomers can be asked for, the last ones."""
_NAME: Final = re.compile(r"(?P<table>.+)_since_(?P<day>\d{8})", re.DOTALL)
Charge = tuple[Fraction, Fraction]


class SinceName(NamedTuple):
    """The name of a table with those alone who joined since a day.

    Example:
        >>> SinceName.read("patients_since_20260301")
        SinceName(table='patients', day='20260301')
        >>> str(SinceName.read("patients_since_20260301"))
        'patients_since_20260301'
    """

    table: str
    day: str

    @classmethod
    def read(cls, name: str) -> SinceName | None:
        found = _NAME.fullmatch(name)
        return None if found is None else cls(found["table"], found["day"])

    def __str__(self) -> str:
        return f"{self.table}_since_{self.day}"


def days_of(state: TableState) -> dict[str, int]:
    """The days on which people could join, the last ones, and the first cohort of each."""
    out: dict[str, int] = {}
    for number, as_of in sorted((int(n), as_of) for n, as_of in state.newcomers.items()):
        out.setdefault(as_of[:10].replace("-", ""), number)
    return dict(list(out.items())[-MOST_DAYS:])


def only_newcomers(table: ProtectedTable, cohorts: Iterable[int], *, name: str) -> ProtectedTable:
    """A table by itself, with the rows of some cohorts."""
    chosen = np.zeros(len(table), bool)
    if table.cohort_of is not None:
        chosen = np.isin(table.cohort_of, list(cohorts))
    fields = {
        n: replace(held, codes=np.ascontiguousarray(held.codes[chosen]))
        for n, held in table.fields.items()
    }
    different, person_of = np.unique(table.person_of[chosen], return_inverse=True)
    keys = table.person_keys
    bin_of, bins = bin_rows(fields, list(table.known), rows=int(chosen.sum()))
    return replace(
        table,
        name=name,
        fields=fields,
        person_of=person_of.astype(np.int64),
        person_keys=tuple(keys[place] for place in different.tolist()) if keys else (),
        bin_of=bin_of,
        bins=bins,
        cohort_of=None,
        chosen=None if table.chosen is None else table.chosen[chosen],
        links=None,
        unlinked=None,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ChargesBefore:
    """By cohort of newcomers: what every scope had been charged when they joined."""

    of_cohort: Mapping[int, Mapping[str, Charge]]

    def most(self, charged: Mapping[int, Charge], scope: str, *, since: int) -> Charge:
        """The most that any person was charged of those who joined with cohort `since` or later; 0
        is for everybody. `charged` has the charges of questions about those since a cohort."""
        nothing = (Fraction(0), Fraction(0))
        found = [charged.get(0, nothing)] if since == 0 else [nothing]
        for number, before in self.of_cohort.items():
            if number < since:
                continue
            own = [
                (each, before.get(since_scope(scope, start), nothing))
                for start, each in charged.items()
                if start <= number
            ]
            found.append(
                (
                    sum((each[0] - base[0] for each, base in own), Fraction(0)),
                    sum((each[1] - base[1] for each, base in own), Fraction(0)),
                )
            )
        return max(rho for rho, _ in found), max(delta for _, delta in found)


def since_scope(scope: str, cohort: int) -> str:
    """The scope of charges for questions about those who joined with a cohort or later."""
    return f"{scope}, since {cohort}" if cohort else scope


def read_charges_before(state: GateState, account: str) -> ChargesBefore:
    found = state.fact(_charges_fact(account))
    read = {} if found is None else json.loads(found)
    return ChargesBefore(
        of_cohort={
            int(number): {
                scope: (Fraction(rho), Fraction(delta)) for scope, (rho, delta) in before.items()
            }
            for number, before in read.items()
        }
    )


def add_newcomers(state: GateState, account: str, cohort: int) -> None:
    """Record what was charged before a cohort joined. Inside a change of the state."""
    found = state.fact(_charges_fact(account))
    known = {} if found is None else json.loads(found)
    those = {
        scope: [rho, delta]
        for scope, rho, delta in state.all("SELECT scope, rho, delta FROM charged")
        if f" of {account}" in scope and ", period " not in scope
    }
    state.state_fact(_charges_fact(account), json.dumps({**known, str(cohort): those}))


def charges_since(state: GateState, scope: str) -> dict[int, Charge]:
    """What a scope was charged, by the cohort since which its questions asked; 0 for everybody."""
    start = f"{scope}, since "
    out = {0: state.charged(scope)}
    for name, rho, delta in state.all(
        "SELECT scope, rho, delta FROM charged WHERE substr(scope, 1, ?) = ?", len(start), start
    ):
        if name[len(start) :].isdigit():
            out[int(name[len(start) :])] = Fraction(rho), Fraction(delta)
    return out


def read_past_people(state: GateState, account: str) -> frozenset[str]:
    """The keyed tags of people who have left, or whose rows have changed."""
    found = state.fact(_past_fact(account))
    if found is None:
        return frozenset()
    return frozenset(json.loads(zlib.decompress(base64.b64decode(found))))


def add_past_people(state: GateState, account: str, tags: Iterable[str]) -> None:
    """Inside a change of the state."""
    known = read_past_people(state, account)
    wanted = known | set(tags)
    if wanted != known:
        packed = zlib.compress(json.dumps(sorted(wanted)).encode())
        state.state_fact(_past_fact(account), base64.b64encode(packed).decode())


def _charges_fact(account: str) -> str:
    return f"charges before newcomers of {account}"


def _past_fact(account: str) -> str:
    return f"past people of {account}"
