"""Budgets: what noisy numbers of a table have cost a person, and everybody, and what is left to
them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.errors import NotAdmitted

from ..settings import Asker, Terms
from ..state import GateState

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Budgets:
    """As the state has them."""

    state: GateState = field(repr=False)

    def spent(self, asker: Asker, table: str) -> float:
        return self.state.spent(_own(asker, table))

    def left(self, asker: Asker, table: str, terms: Terms) -> float:
        """What somebody may still spend: of their own, and of what there is for all."""
        own, whole = self.state.spent(_own(asker, table)), self.state.spent(_of_all(table))
        return max(0.0, min(terms.budget.person - own, terms.budget.table - whole))

    def questions_left(self, asker: Asker, table: str, terms: Terms) -> int:
        return int(self.left(asker, table, terms) / terms.budget.query + _ROUNDING)

    def check(self, asker: Asker, table: str, terms: Terms) -> None:
        """Whether another question may be paid for."""
        if self.left(asker, table, terms) < terms.budget.query - _ROUNDING:
            raise NotAdmitted(
                "The budget for noisy numbers of this table is used up.",
                code="budget",
                attempt="a question that can be answered as it is, or asking the steward.",
            )

    def spend(self, asker: Asker, table: str, epsilon: float, *, delta: float = 0.0) -> None:
        """Inside a change of the state."""
        for scope in (_own(asker, table), _of_all(table)):
            self.state.spend(scope, epsilon)
            if delta:
                self.state.spend(f"delta: {scope}", delta)

    def spent_delta(self, table: str) -> float:
        """What thresholds of noisy groups have cost everybody together."""
        return self.state.spent(f"delta: {_of_all(table)}")


def _own(asker: Asker, table: str) -> str:
    return f"person {asker.name} of {table}"


def _of_all(table: str) -> str:
    return f"everyone of {table}"
