"""Noisy answers of a gate: their rows, their records, and how they are repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.policy import Domain
from sfumato.techniques import KeyedRandom

from ..decide.protected_table import ProtectedTable
from ..result_marks import Marks
from ..settings import Terms
from ..sql import Question
from .contribution_bounding import BoundedRows
from .contribution_limits import cuts_in_words
from .domains import domains_of_groups, undeclared_in
from .gaussian import Charge
from .noisy_query import counted_with_others, noisy
from .noisy_rows import NoisyTable, Rows, noisy_rows

Record = Mapping[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyAnswers:
    """Numbers with noise of the tables of a gate. A record has the whole answer, so that it is
    repeated alike."""

    secret: bytes = field(repr=False)
    _reckonings: dict[tuple[str, int], BoundedRows] = field(default_factory=dict, repr=False)

    def draw(
        self,
        question: Question,
        holding: ProtectedTable,
        terms: Terms,
        *,
        protected: bool,
        charge: Charge,
    ) -> dict[str, Any]:
        """Draw the noise of a question, once and for all, after it was charged: the record of it."""
        bounded = self._reckoning(holding, terms)
        is_stated = protected and domains_of_groups(question, holding) is not None
        declared = undeclared_in(question, holding) if is_stated else ()
        found = noisy(question, bounded, terms, protected=protected, charge=charge)
        return {
            "kind": "noisy", "noise": found.within, "withheld": found.suppressed, "labels": found.labels,
            "numbers": {name: numbers.tolist() for name, numbers in found.numbers.items()},
            "threshold": found.threshold, "delta": found.delta,
            "cuts": list(cuts_in_words(question, holding, terms, declared=declared)), "bounds": _used(question, terms),
        }  # fmt: skip

    def count(
        self,
        question: Question,
        domains: dict[str, Domain],
        holding: ProtectedTable,
        terms: Terms,
        *,
        charge: Charge,
    ) -> tuple[NDArray[np.float64], float]:
        """Noisy counts over declared domains and all other values, and their standard deviation."""
        reckoning = self._reckoning(holding, terms)
        return counted_with_others(question, domains, reckoning, terms, charge=charge)

    def shown(
        self, question: Question, record: Record, terms: Terms
    ) -> tuple[tuple[str, ...], Rows, Marks]:
        """The columns, rows and marks that a query makes of a record."""
        table = NoisyTable(
            question=question,
            labels=record["labels"],
            numbers=record["numbers"],
            within=record["noise"],
            bounds={**terms.bounds, **record.get("bounds", {})},
            clamp=terms.clamp,
            threshold=record.get("threshold", 0),
            cuts=tuple(record.get("cuts", ())),
        )
        return noisy_rows(table, suppressed=record["withheld"])

    def _reckoning(self, holding: ProtectedTable, terms: Terms) -> BoundedRows:
        """The rows that noisy numbers are made from, chosen once for a table and these terms."""
        table, most = holding.name, terms.rows_per_person
        known = self._reckonings.get((table, most))
        if known is None or known.holding is not holding:
            chance = KeyedRandom(self.secret + f"rows of {table}, {most} of each".encode())
            known = self._reckonings[table, most] = BoundedRows.of(
                holding, most=most, chance=chance
            )
        return known


def _used(question: Question, terms: Terms) -> dict[str, tuple[float, float]]:
    """The bounds that the numbers of a question were made with."""
    names = {name for each in question.aggregates for name in (each.field, each.other)}
    return {name: each for name, each in terms.bounds.items() if name in names}
