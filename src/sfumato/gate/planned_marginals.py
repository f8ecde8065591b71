"""Planned marginals: the noisy tables of a plan over declared domains, answered together.

One by one, each table has its own noise. Together, the same rho is spent on the marginals that tell
most about all of them (`noise/marginal_strategy.py`), and every table follows by least squares. The
strategy is chosen from the policy and the plan, before any row is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import ChargedMeasurement, Measurement, rounded_up
from sfumato.errors import NotAdmitted
from sfumato.policy import Domain

from .noise.budgets import chosen_terms
from .noise.contribution_limits import cuts_in_words
from .noise.domains import domains_of, labels_of
from .noise.marginal_strategy import MOST_CELLS, MOST_FIELDS, Fields, MarginalStrategy
from .noisy_questions import NoisyQuestions
from .queried_tables import QueriedTables
from .settings import Asker, Terms
from .sql import Question, admit

_COUNT: Final = "count(*)"
_USUALLY: Final = 1.959964


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Wanted:
    """A noisy table of a plan: its question, the domains of its groups, and its part of rho."""

    question: Question
    domains: dict[str, Domain]
    terms: Terms

    @property
    def fields(self) -> Fields:
        return frozenset(self.domains)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedMarginals:
    """Noisy tables of counts over declared domains, measured together."""

    tables: QueriedTables = field(repr=False)
    noisy: NoisyQuestions = field(repr=False)

    def answer(self, asker: Asker, questions: Mapping[str, float | None]) -> dict[str, float]:
        """Answer those questions of a plan that are better answered together, each within its
        epsilon (None for the usual one); the epsilon of each. The answers are remembered."""
        found: dict[str, dict[str, _Wanted]] = {}
        for sql, epsilon in questions.items():
            wanted = self._wanted(asker, sql, epsilon)
            if wanted is not None:
                found.setdefault(wanted.question.table, {})[sql] = wanted
        out: dict[str, float] = {}
        for of_table in found.values():
            those = _small(of_table)
            if len({each.fields for each in those.values()}) > 1 and self._measured(asker, those):
                out |= {sql: each.terms.budget.query for sql, each in those.items()}
        return out

    def _wanted(self, asker: Asker, sql: str, epsilon: float | None) -> _Wanted | None:
        """The table of a question, where it counts rows by declared values and nothing else."""
        try:
            question = admit(sql, self.tables.catalogue(asker))
            terms = chosen_terms(self.tables.terms(asker, question), epsilon)
        except NotAdmitted:
            return None
        plain = question.table in self.tables.holdings and not (
            question.about or question.having or question.derived or question.people
        )
        counts = [each.canonical() for each in question.aggregates] == [_COUNT]
        if not plain or not counts or not self.noisy.is_possible(question, terms):
            return None
        domains = domains_of(question.groups, self.tables.of(question).alone)
        if domains is None or not self.noisy.protected(question, terms):
            return None
        return _Wanted(question=question, domains=domains, terms=terms)

    def _measured(self, asker: Asker, wanted: Mapping[str, _Wanted]) -> bool:
        """Measure and answer; False where the budget does not suffice for all."""
        some = next(iter(wanted.values()))
        account = self.tables.account(some.question)
        rho = sum((each.terms.budget.question_rho for each in wanted.values()), Fraction(0))
        try:
            self.noisy.budgets.check(asker, account, some.terms, rho=rho)
        except NotAdmitted:
            return False
        domains = {
            name: domain for each in wanted.values() for name, domain in each.domains.items()
        }
        strategy = MarginalStrategy.chosen(
            {name: len(domain) + 1 for name, domain in domains.items()},
            list(dict.fromkeys(each.fields for each in wanted.values())),
        )
        measured: dict[Fields, tuple[Sequence[str], NDArray[np.float64]]] = {}
        sigma = 0.0  # Of a marginal that would be measured at the whole cost.
        for fields, share in strategy.shares.items():
            terms = _at(some.terms, rho * Fraction(share))
            order = [name for name in domains if name in fields]
            numbers, own = self._counted(asker, some, order, domains, terms, account)
            measured[fields] = order, numbers
            sigma = max(sigma, own * sqrt(share))
        for each in wanted.values():
            order = list(each.domains)
            table = strategy.reconstructed(order, measured)
            shown = table[tuple(slice(0, len(domain)) for domain in each.domains.values())]
            off = sigma * sqrt(strategy.variance(each.fields))
            self._keep(asker, each, shown, within=_USUALLY * off + 0.5)
        return True

    def _counted(
        self,
        asker: Asker,
        some: _Wanted,
        order: Sequence[str],
        domains: Mapping[str, Domain],
        terms: Terms,
        account: str,
    ) -> tuple[NDArray[np.float64], float]:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in order)
        table = '"' + some.question.table.replace('"', '""') + '"'
        sql = f"SELECT COUNT(*) FROM {table}" + (f" GROUP BY {names}" if order else "")
        question = admit(sql, self.tables.catalogue(asker))

        def charge(lines: Sequence[Measurement]) -> tuple[ChargedMeasurement, ...]:
            return self.noisy.budgets.charge(asker, account, terms, lines)

        return self.noisy.noise.count(
            question,
            {name: domains[name] for name in order},
            self.tables.of(question).alone,
            terms,
            charge=charge,
        )

    def _keep(
        self, asker: Asker, wanted: _Wanted, numbers: NDArray[np.float64], *, within: float
    ) -> None:
        question, terms = wanted.question, wanted.terms
        holding = self.tables.of(question).alone
        cuts = cuts_in_words(question, holding, terms, declared=question.groups)
        record: dict[str, Any] = {
            "kind": "noisy", "noise": {_COUNT: within}, "withheld": 0, "threshold": 0, "delta": 0.0,
            "labels": labels_of(wanted.domains) if wanted.domains else {},
            "numbers": {_COUNT: np.rint(numbers).reshape(-1).tolist()},
            "cuts": list(cuts), "bounds": {}, "as_of": self.noisy.keys.as_of(question),
            "epsilon": terms.budget.query, "rho": str(terms.budget.question_rho),
        }  # fmt: skip
        self.noisy.keep(asker, question, terms, record, rho=rounded_up(terms.budget.question_rho))


def _at(terms: Terms, rho: Fraction) -> Terms:
    """Terms under which a question takes so much rho, or a little less."""
    budget = terms.budget
    part = float(rho / budget.question_rho) * (1 - 1e-9)
    return replace(terms, budget=replace(budget, query=budget.query * part))


def _small(wanted: Mapping[str, _Wanted]) -> dict[str, _Wanted]:
    """The tables that are measured together: small ones, over few fields in all."""
    out: dict[str, _Wanted] = {}
    fields: set[str] = set()
    for sql, each in _by_size(wanted):
        more = fields | each.fields
        if len(more) <= MOST_FIELDS and _cells(each) <= MOST_CELLS:
            out[sql], fields = each, more
    return out


def _by_size(wanted: Mapping[str, _Wanted]) -> Iterator[tuple[str, _Wanted]]:
    yield from sorted(wanted.items(), key=lambda each: _cells(each[1]))


def _cells(wanted: _Wanted) -> int:
    return prod(len(domain) + 1 for domain in wanted.domains.values())
