"""Rehearsal: how questions would be answered one after the other, without answering them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sfumato.errors import NotAdmitted

from .decide.answer_nodes import AnswerNode, DecisionContext, best_shape
from .decide.disclosure_state import DisclosureState
from .exact_answers import ExactAnswers
from .exact_numbers import number_shape, number_shapes, written_shape
from .noisy_questions import NoisyQuestions
from .offers import PlannedAnswer
from .queried_tables import QueriedTables
from .question_rules import QuestionRules
from .settings import Asker, Mode, Settings
from .sql import Question, admit


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanRehearsal:
    """Questions of a plan, tried in an order."""

    tables: QueriedTables = field(repr=False)
    rules: QuestionRules = field(repr=False)
    exact: ExactAnswers = field(repr=False)
    noisy: NoisyQuestions = field(repr=False)
    settings: Settings

    def of_all(self, asker: Asker, questions: Sequence[str]) -> dict[str, PlannedAnswer | str]:
        """How questions would be answered one after the other; nothing is answered or recorded for
        anybody."""
        with self.tables.lock:
            stands: dict[str, dict[str, DisclosureState]] = {}
            return {sql: self._of(asker, sql, stands) for sql in questions}

    def _of(
        self, asker: Asker, sql: str, stands: dict[str, dict[str, DisclosureState]]
    ) -> PlannedAnswer | str:
        try:
            question = admit(sql, self.tables.catalogue(asker))
            terms = self.tables.terms(asker, question)
            self.rules.check(question, terms)
            wanted = self.rules.mode(question, terms, None)
        except NotAdmitted:
            return PlannedAnswer.NONE
        return self.of_question(asker, question, stands, wanted=wanted, coarser=True)

    def of_question(
        self,
        asker: Asker,
        question: Question,
        stands: dict[str, dict[str, DisclosureState]],
        *,
        wanted: Mode,
        coarser: bool,
    ) -> PlannedAnswer | str:
        """The answer to a question in the disclosure states `stands`; they are then as after its
        answer. `coarser` is whether groups may be."""
        terms = self.tables.terms(asker, question)
        noisy = wanted is not Mode.EXACT and self.noisy.is_possible(question, terms)
        if wanted is not Mode.NOISY or not question.is_aggregate:
            account = self.tables.account(question)
            before = stands.setdefault(account, self.exact.stand(asker, question))
            ground = replace(
                self.exact.ground(asker, question), standings=tuple(dict.fromkeys(before.values()))
            )
            shape = self._shape(question, ground, noisy=noisy, coarser=coarser)
            if shape is not None:
                after = {
                    id(each): self.exact.after(each, question, shape) for each in before.values()
                }
                stands[account] = {name: after[id(each)] for name, each in before.items()}
                exact = not any(question.told_levels(shape.levels).values()) and not shape.withheld
                name = written_shape(question, shape) if question.is_aggregate else shape.name
                return PlannedAnswer.EXACT if exact else name
        return PlannedAnswer.NOISY if noisy else PlannedAnswer.NONE

    def _shape(
        self, question: Question, ground: DecisionContext, *, noisy: bool, coarser: bool
    ) -> AnswerNode | None:
        """The shape that a plan takes: exactly the question, or coarser groups that still carry
        information about every field. Without noise, any groups will do."""
        if not question.is_aggregate:
            allowed = self.tables.of(question).policy.require.max_suppression
            return best_shape(ground, allowed=allowed)
        exact = number_shape(ground, question)
        if exact is not None or not coarser:
            return exact
        table = self.tables.of(question)
        for shape in number_shapes(ground, question):
            tops = [
                shape.levels[name] >= table.hierarchies[name].height for name in question.outputs
            ]
            if not any(tops) or not noisy:
                return shape
        return None

    def known_fields(self, asker: Asker, sql: str) -> tuple[str, ...]:
        """The known fields of a question; none where it may not be asked."""
        try:
            return admit(sql, self.tables.catalogue(asker)).known
        except NotAdmitted:
            return ()

    def by_account(self, asker: Asker, questions: Iterable[str]) -> dict[str, list[str]]:
        """Questions by the account that they are charged to."""
        out: dict[str, list[str]] = {}
        for sql in questions:
            account = self.tables.account(admit(sql, self.tables.catalogue(asker)))
            out.setdefault(account, []).append(sql)
        return out

    def answers_left(self, asker: Asker, account: str) -> tuple[float, float]:
        """How many noisy answers of the usual size are left, and their epsilon."""
        budget = self.settings.terms_of(asker.profile).budget
        left = self.noisy.budgets.left(asker, account, self.settings.terms_of(asker.profile))
        return float(left / budget.question_rho), budget.query
