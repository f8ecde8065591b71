"""Budgets: what noisy numbers have cost the people of some tables, in rho, and what is left to a
recipient.

There is one account for all tables about the same people. Neighbouring tables differ by one person
with all their rows in all of them. A charge is on disk before noise is drawn, and is counted three
times: for the recipient, for the recipient's present period, and for everybody. Nothing that was
charged is ever given back: a period is a rate limit inside what never renews.

A limit is one of each person. A question about those who joined since a cohort (`since`) is charged
to them alone, and what was charged before they joined is not theirs. A question about everybody
needs enough of whoever has least left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple

from sfumato.accounting import (
    ChargedMeasurement,
    Measurement,
    charge_first,
    epsilon_of,
    rho_of,
    sum_of,
)
from sfumato.errors import NotAdmitted

from ..newcomers import charges_since, read_charges_before, since_scope
from ..settings import Asker, Lifetime, Terms
from ..state import GateState
from .shared_account import SharedAccount

_DAY: Final = 86_400
LEAST_PART: Final = 0.01
"""Of what a question usually takes, the least part that may be chosen."""


class BudgetStatement(NamedTuple):
    """The cost of noisy numbers to a recipient, and the remainder. Epsilon is converted from rho
    and only displayed: `left` is what the rest of rho would imply by itself."""

    spent: float
    left: float
    rho_spent: Fraction
    rho_left: Fraction
    answers_left: int


class _Limit(NamedTuple):
    scope: str
    epsilon: float
    delta: float
    is_rate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """As the state has them. `lifetime` is the most that all answers together may cost a person of
    the tables."""

    state: GateState = field(repr=False)
    lifetime: Lifetime | None = None
    shared: SharedAccount | None = None
    """The account of everything private about these people, where there is one."""
    now: Callable[[], float] = time.time

    def statement(self, asker: Asker, people: str, terms: Terms) -> BudgetStatement:
        budget, scope = terms.budget, _own(asker, people)
        spent, left = self.state.charged(scope)[0], self.left(asker, people, terms)
        return BudgetStatement(
            self.state.spent(scope) + epsilon_of(spent, budget.delta / 2),
            epsilon_of(left, budget.delta / 2),
            spent,
            left,
            int(left / budget.question_rho),
        )

    def left(self, asker: Asker, people: str, terms: Terms, *, since: int = 0) -> Fraction:
        """The rho that somebody may still spend: of their own, of their period, of everybody's."""
        limits = self._limits(asker, people, terms)
        rest = min(self._rest(limit, people, since=since) for limit in limits)
        return rest if self.shared is None else min(rest, self.shared.left())

    def answers_left(self, asker: Asker, people: str, terms: Terms, *, since: int = 0) -> int:
        return int(self.left(asker, people, terms, since=since) / terms.budget.question_rho)

    def check(
        self,
        asker: Asker,
        people: str,
        terms: Terms,
        *,
        rho: Fraction | None = None,
        since: int = 0,
    ) -> None:
        """Whether another question may be paid for, or so much."""
        left = self.left(asker, people, terms, since=since)
        if left < (terms.budget.question_rho if rho is None else rho):
            raise _used_up(epsilon=terms.budget.query * float(left / terms.budget.question_rho))

    def charge(
        self,
        asker: Asker,
        people: str,
        terms: Terms,
        lines: Sequence[Measurement],
        *,
        since: int = 0,
    ) -> tuple[ChargedMeasurement, ...]:
        """Pay for lines, all of them or none; on disk before their noise can be drawn."""
        return charge_first(lines, lambda asked: self._charge(asker, people, terms, asked, since))

    def _charge(
        self, asker: Asker, people: str, terms: Terms, lines: Sequence[Measurement], since: int
    ) -> None:
        rho, delta = sum_of(lines)
        with self.state.changing():
            limits = tuple(self._limits(asker, people, terms))
            if any(
                self._rest(limit, people, since=since, selected=delta) < rho for limit in limits
            ):
                raise _used_up()
            if self.shared is not None and not self.shared.charge(lines):
                raise _used_up()
            scopes = [
                limit.scope if limit.is_rate else since_scope(limit.scope, since)
                for limit in limits
            ]
            for scope in dict.fromkeys(scopes):
                self.state.charge(scope, rho, delta)

    def _limits(self, asker: Asker, people: str, terms: Terms) -> Iterator[_Limit]:
        budget, everybody = terms.budget, _of_all(people)
        yield _Limit(_own(asker, people), budget.person, budget.delta)
        yield _Limit(everybody, budget.table, budget.delta)
        if self.lifetime is not None:
            yield _Limit(everybody, self.lifetime.epsilon, self.lifetime.delta)
        if budget.period_days:
            number = int(self.now() // (_DAY * budget.period_days))
            scope = f"{_own(asker, people)}, period {number} of {budget.period_days} days"
            yield _Limit(scope, budget.period, budget.delta, is_rate=True)

    def _rest(
        self, limit: _Limit, people: str, *, since: int, selected: Fraction = Fraction(0)
    ) -> Fraction:
        """The remainder of a limit. Half of delta is for the conversion of rho, half for groups
        that pass a threshold.

        A state of before this account has sums of pure epsilon: they are taken off the limit."""
        rho, delta = self._used(limit, people, since=since)
        pure = self.state.spent(limit.scope)
        delta += Fraction(self.state.spent(f"delta: {limit.scope}")) + selected
        if pure >= limit.epsilon or delta > Fraction(limit.delta) / 2:
            return Fraction(0)
        return max(Fraction(0), rho_of(limit.epsilon - pure, limit.delta / 2) - rho)

    def _used(self, limit: _Limit, people: str, *, since: int) -> tuple[Fraction, Fraction]:
        """The most of a limit that was used of any of the people whom a question is about."""
        if limit.is_rate:
            return self.state.charged(limit.scope)
        charged = charges_since(self.state, limit.scope)
        if since == 0 and len(charged) == 1:
            return charged[0]
        before = read_charges_before(self.state, people)
        return before.most(charged, limit.scope, since=since)

    def spent_delta(self, people: str) -> float:
        """The cost of thresholds of noisy groups to everybody together."""
        scope = _of_all(people)
        return float(self.state.charged(scope)[1]) + self.state.spent(f"delta: {scope}")

    def spent_by_all(self, people: str) -> Fraction:
        """The cost of all answers together to a person of these tables."""
        return self.state.charged(_of_all(people))[0]


def _used_up(*, epsilon: float = 0.0) -> NotAdmitted:
    """`epsilon` is what a question could still have."""
    rest = floor(epsilon * 1e6) / 1e6
    return NotAdmitted(
        "The budget for noisy numbers of this table is used up.",
        code="budget",
        attempt=(f"epsilon {rest:g}, which is left; " if rest > 0 else "")
        + "a question that can be answered as it is, or asking the steward.",
    )


def chosen_terms(terms: Terms, epsilon: float | None) -> Terms:
    """The terms of a question for which somebody chose an epsilon, within the limits of a steward;
    decided before any row is read."""
    if epsilon is None:
        return terms
    most = max(terms.budget.query, terms.budget.most)
    least = terms.budget.query * LEAST_PART
    if not least <= epsilon <= most:
        raise NotAdmitted(
            f"An epsilon of {epsilon:g} was chosen for a question.",
            code="budget",
            found=f"Between {least:g} and {most:g} may be chosen under this profile.",
            attempt="an epsilon between these.",
        )
    return replace(terms, budget=terms.budget.chosen(epsilon))


def _own(asker: Asker, people: str) -> str:
    return f"person {asker.name} of {people}"


def _of_all(people: str) -> str:
    return f"everyone of {people}"
