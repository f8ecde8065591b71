"""Query checks: whether a query with subqueries, or with several parts, may be asked as a whole.

Its subqueries are answered first, and charged. So whatever the query, the policy, the terms or the
budget refuse is refused before the first of them. No row is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from .noise.budgets import chosen_terms
from .noisy_questions import NoisyQuestions
from .queried_tables import QueriedTables
from .question_rules import QuestionRules
from .settings import Asker, Mode, Terms
from .sql import Question, admit_all
from .sql.admission import numbers_in


class NoiseCharge(NamedTuple):
    """What a new noisy number will be charged."""

    account: str
    since: int
    terms: Terms


IsAnswered = Callable[[Question, Terms, Mode], bool]


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryChecks:
    """The checks of whole queries. `is_answered` is whether a question has an answer already."""

    tables: QueriedTables = field(repr=False)
    rules: QuestionRules = field(repr=False)
    noisy: NoisyQuestions = field(repr=False)

    def check(
        self,
        asker: Asker,
        sql: str,
        *,
        mode: Mode | None,
        epsilon: float | None,
        is_answered: IsAnswered,
    ) -> None:
        """Refuse a query with `NotAdmitted` where one of its parts may not be asked, or where the
        budget does not suffice for all numbers that are certainly new and noisy."""
        due: dict[tuple[str, int], tuple[Terms, Fraction]] = {}
        for account, since, terms in self._charges(asker, sql, mode, epsilon, is_answered):
            before = due.get((account, since), (terms, Fraction(0)))[1]
            due[account, since] = terms, before + terms.budget.question_rho
        for (account, since), (terms, rho) in due.items():
            self.noisy.budgets.check(asker, account, terms, rho=rho, since=since)

    def _charges(
        self,
        asker: Asker,
        sql: str,
        mode: Mode | None,
        epsilon: float | None,
        is_answered: IsAnswered,
    ) -> list[NoiseCharge]:
        catalogue = self.tables.catalogue(asker)
        inner = numbers_in(sql, catalogue)
        below = [self._charges(asker, each, mode, epsilon, is_answered) for each in inner]
        out = [charge for charges in below for charge in charges]
        for question in admit_all(sql, catalogue):
            terms = chosen_terms(self.tables.terms(asker, question), epsilon)
            self.rules.check(question, terms)
            wanted = self.rules.mode(question, terms, mode)
            if not question.is_aggregate or wanted is not Mode.NOISY:
                continue
            self.noisy.check(question, terms)
            if out if inner else not is_answered(question, terms, wanted):
                account, since = self.tables.account(question), self.tables.since(question)
                out.append(NoiseCharge(account, since, terms))
        return out
