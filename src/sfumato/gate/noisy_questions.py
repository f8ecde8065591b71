"""Noisy questions: whether a number may be answered with noise, its cost, and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sfumato.accounting import (
    ChargedMeasurement,
    Measurement,
    epsilon_of,
    rounded_up,
    sum_of,
)
from sfumato.errors import NotAdmitted

from .answers import Answer
from .audit_writer import Minutes
from .membership import is_protected
from .noise.budgets import Budgets
from .noise.derived_bounds import with_derived_bounds
from .noise.noisy_answers import NoisyAnswers
from .noise.noisy_query import check_noisy, noise_scales, threshold_before
from .noise.shared_account import SharedAccount
from .noise.statistics import with_statistics
from .offers import NoiseCost, NoisyOffer
from .queried_tables import QueriedTables
from .question_keys import QuestionKeys
from .settings import Asker, Mode, Settings, Terms
from .sql import Question
from .state import GateState


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyQuestions:
    """Numbers with noise, charged to the budgets of a gate."""

    settings: Settings
    tables: QueriedTables = field(repr=False)
    keys: QuestionKeys = field(repr=False)
    state: GateState = field(repr=False)
    secret: bytes = field(repr=False)
    minutes: Minutes = field(repr=False)
    shared: SharedAccount | None = field(default=None, repr=False)

    @cached_property
    def budgets(self) -> Budgets:
        return Budgets(state=self.state, lifetime=self.settings.lifetime, shared=self.shared)

    @cached_property
    def noise(self) -> NoisyAnswers:
        return NoisyAnswers(secret=self.secret)

    def is_possible(self, question: Question, terms: Terms) -> bool:
        """Whether a question may be answered with noise; no row is read for it."""
        if not question.is_aggregate or terms.mode is Mode.EXACT:
            return False
        try:
            self.check(question, terms)
        except NotAdmitted:
            return False
        return True

    def check(self, question: Question, terms: Terms) -> None:
        """`NotAdmitted` where a question may not be answered with noise; no row is read for it."""
        asked, own = self._with_statistics(question, terms)
        check_noisy(question, self.tables.of(asked).alone, own)

    def cost(self, asker: Asker, question: Question, terms: Terms) -> NoiseCost | None:
        if not question.is_aggregate or terms.mode is Mode.EXACT:
            return None
        try:
            asked, terms = self._with_statistics(question, terms)
            holding = self.tables.of(asked).alone
            check_noisy(question, holding, terms)
        except NotAdmitted:
            return None
        budget, protected = terms.budget, self.protected(question, terms)
        return NoiseCost(
            rho=float(budget.question_rho),
            epsilon=epsilon_of(budget.question_rho, budget.delta / 2),
            share=budget.query / budget.person,
            within=noise_scales(asked, holding, terms, protected=protected),
            threshold=threshold_before(asked, holding, terms) if protected else 0,
        )

    def offer(
        self, asker: Asker, question: Question, terms: Terms, *, is_answered: bool
    ) -> NoisyOffer:
        """How a question would be answered with noise; `NotAdmitted` where it would not be."""
        asked, own = self._with_statistics(question, terms)
        check_noisy(question, self.tables.of(asked).alone, own)
        return NoisyOffer(
            query=self.keys.number(asker, question),
            asked=asked,
            terms=own,
            left=self.answers_left(asker, question, terms),
            is_answered=is_answered,
        )

    def ask(self, asker: Asker, question: Question, terms: Terms) -> Answer | None:
        """A noisy answer, charged; None where it covers fewer people than a noisy number needs."""
        asked, terms = self._with_statistics(question, terms)
        holding = self.tables.of(asked).alone
        account = self.tables.account(question)
        check_noisy(question, holding, terms)
        since = self.tables.since(question)
        try:
            self.budgets.check(asker, account, terms, since=since)
        except NotAdmitted as refused:
            earlier = self._earlier(asker, question, terms)
            if earlier is None:
                raise self._with_newcomers(asker, question, terms, refused) from None
            return self.again(asker, question, earlier)
        charged: list[Measurement] = []

        def charge(lines: Sequence[Measurement]) -> tuple[ChargedMeasurement, ...]:
            charged.extend(lines)
            return self.budgets.charge(asker, account, terms, lines, since=since)

        protected = self.protected(question, terms)
        record = self.noise.draw(asked, holding, terms, protected=protected, charge=charge)
        record["as_of"] = self.keys.as_of(question)
        record["epsilon"], record["rho"] = terms.budget.query, str(terms.budget.question_rho)
        if not question.groups and not any(record["numbers"].values()):
            return None
        return self.keep(asker, question, terms, record, rho=rounded_up(sum_of(charged)[0]))

    def keep(
        self, asker: Asker, question: Question, terms: Terms, record: dict[str, Any], *, rho: str
    ) -> Answer:
        """Remember the record of a noisy answer that was charged, and give it."""
        with self.state.changing():
            for audience in asker.audiences(terms):
                self.state.remember(audience, self.keys.key(asker, question), record)
                self.state.remember(audience, self.keys.text_key(question), record)
        answer = self.answer(asker, question, record, remembered=False)
        self.minutes.answered(asker, question, answer, rule="noise", rho=rho, delta=record["delta"])
        return answer

    def again(self, asker: Asker, question: Question, record: Mapping[str, Any]) -> Answer:
        """The same noise as before."""
        answer = self.answer(asker, question, record, remembered=True)
        self.minutes.answered(asker, question, answer, rule="remembered")
        return answer

    def _with_newcomers(
        self, asker: Asker, question: Question, terms: Terms, refused: NotAdmitted
    ) -> NotAdmitted:
        """A refusal for want of budget that names those who joined since, where they have some."""
        account, need = self.tables.account(question), terms.budget.question_rho
        for name, since in self.tables.since_tables(question).items():
            if self.budgets.left(asker, account, terms, since=since) >= need:
                attempt = f"{refused.attempt} People who joined later have some left: {name}."
                return NotAdmitted(
                    refused.asked, code=refused.code, found=refused.found, attempt=attempt
                )
        return refused

    def _earlier(self, asker: Asker, question: Question, terms: Terms) -> Mapping[str, Any] | None:
        """The noisy answer about an earlier state of the table, where there is one: it states the
        age of its data."""
        found = (
            self.state.record(name, self.keys.text_key(question)) for name in asker.audiences(terms)
        )
        return next((each for each in found if each is not None), None)

    def protected(self, question: Question, terms: Terms) -> bool:
        """Whether the choice of released groups must not depend on who is there: where membership
        is protected, and where groups are of a protected field."""
        grouped = any(name not in question.known for name in question.groups)
        return grouped or is_protected(self.tables.of(question).policy, terms)

    def _with_statistics(self, question: Question, terms: Terms) -> tuple[Question, Terms]:
        """A question and terms with the fields that variances and correlations are made of."""
        asked = with_statistics(question, terms.bounds)
        return asked, with_derived_bounds(asked, self.tables.table(question.table), terms)

    def answer(
        self, asker: Asker, question: Question, record: Mapping[str, Any], *, remembered: bool
    ) -> Answer:
        columns, rows, marks = self.noise.shown(
            question, record, self.tables.terms(asker, question)
        )
        return Answer(
            query=self.keys.number(asker, question),
            table=question.table,
            columns=columns,
            rows=rows,
            withheld=record["withheld"],
            noise=record["noise"],
            threshold=record.get("threshold", 0),
            delta=record.get("delta", 0.0),
            cuts=tuple(record.get("cuts", ())),
            remembered=remembered,
            as_of=record.get("as_of", ""),
            epsilon=0.0 if remembered else record.get("epsilon", 0.0),
            left=self.answers_left(asker, question),
            marks=marks,
            record=record,
        )

    def answers_left(self, asker: Asker, question: Question, terms: Terms | None = None) -> int:
        """How many such answers are left to somebody, of the people whom a question is about."""
        account, since = self.tables.account(question), self.tables.since(question)
        terms = terms or self.tables.terms(asker, question)
        return self.budgets.answers_left(asker, account, terms, since=since)
