"""The gate-keeper (Chiang et al. 2001, Figure 2): a question is admitted, decided, answered and
written down, in that order.

Every question arrives here, through whatever door: the web, a program or psql. One question is
decided at a time: of two answers at once, neither would count in the exposure before the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, TypeVar

from sfumato.errors import Mistake, NotAdmitted, NotAnswered, TargetError
from sfumato.parts import with_question

from .answer_ledger import AnswerLedger
from .answers import Answer, union_of
from .audit import Audit
from .audit_writer import Minutes
from .decide.answer_nodes import AnswerNode, best_shape
from .decide.disclosure_state import DisclosureState
from .decide.protected_table import ProtectedTable
from .exact_answers import ExactAnswers, asker_name
from .exact_numbers import is_the_number, number_shape
from .link_mode import link_question
from .membership import EXACT_BEFORE, promise_in_words, without_exact_answers
from .noise.budgets import BudgetStatement, chosen_terms
from .noise.shared_account import SharedAccount
from .noisy_questions import NoisyQuestions
from .offers import NoisyOffer, Offer, PlannedAnswer, offer_in_words
from .plan_rehearsal import PlanRehearsal
from .planned_marginals import PlannedMarginals
from .queried_tables import QueriedTables
from .query_checks import QueryChecks
from .question_keys import QuestionKeys
from .question_rules import QuestionRules
from .scalar_answers import beside_numbers, scalar_of
from .settings import Asker, Mode, Settings, Terms
from .sql import Catalogue, Question, admit, admit_all
from .sql.admission import numbers_in, unmeasured_numbers
from .state import EARLIER, GateState
from .table_state import is_noise_only, read_table_state

_LEDGER: Final = "with all that the group holds by the register, it would break the ledger"
_TOO_FEW: Final = "the question covers fewer people than a noisy number needs"
T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class GateKeeper:
    """The protected tables of a gate, and what was disclosed of them."""

    settings: Settings
    holdings: dict[str, ProtectedTable]
    state: GateState = field(repr=False)
    audit: Audit = field(repr=False)
    secret: bytes = field(repr=False)
    shared: SharedAccount | None = field(default=None, repr=False)
    ledger: AnswerLedger | None = field(default=None, repr=False)
    """Where a register judges exact answers with all that a group holds."""
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    # ------------------------------------------------------------------ its parts

    @cached_property
    def tables(self) -> QueriedTables:
        return QueriedTables(
            settings=self.settings,
            holdings=self.holdings,
            lock=self._lock,
            state_of=partial(read_table_state, self.state),
        )

    @cached_property
    def rules(self) -> QuestionRules:
        return QuestionRules(tables=self.tables)

    @cached_property
    def keys(self) -> QuestionKeys:
        return QuestionKeys(tables=self.tables, state=self.state, secret=self.secret)

    @cached_property
    def checks(self) -> QueryChecks:
        return QueryChecks(tables=self.tables, rules=self.rules, noisy=self.noisy)

    @cached_property
    def exact(self) -> ExactAnswers:
        return ExactAnswers(
            settings=self.settings,
            tables=self.tables,
            keys=self.keys,
            state=self.state,
            minutes=self._minutes,
            ledger=self.ledger,
        )

    @cached_property
    def noisy(self) -> NoisyQuestions:
        return NoisyQuestions(
            settings=self.settings,
            tables=self.tables,
            keys=self.keys,
            state=self.state,
            secret=self.secret,
            minutes=self._minutes,
            shared=self.shared,
        )

    @cached_property
    def rehearsal(self) -> PlanRehearsal:
        return PlanRehearsal(
            settings=self.settings,
            tables=self.tables,
            rules=self.rules,
            exact=self.exact,
            noisy=self.noisy,
        )

    @cached_property
    def planned_marginals(self) -> PlannedMarginals:
        return PlannedMarginals(tables=self.tables, noisy=self.noisy)

    @cached_property
    def _minutes(self) -> Minutes:
        return Minutes(audit=self.audit, secret=self.secret)

    # ------------------------------------------------------------------ its tables

    def catalogue(self, asker: Asker) -> Catalogue:
        """The tables as this person may name them."""
        return self.tables.catalogue(asker)

    def held_tables(self, asker: Asker) -> Catalogue:
        """The same without those of newcomers alone."""
        found = self.tables.catalogue(asker)
        return {name: table for name, table in found.items() if name in self.holdings}

    def table(self, name: str) -> ProtectedTable:
        """A table that may be asked: one that is held, or a join of two of them."""
        return self.tables.table(name)

    def table_of(self, question: Question) -> ProtectedTable:
        """The table that a question is about, with the fields that it derives."""
        return self.tables.of(question)

    def restore_answers(self) -> None:
        """Record in the register everything shown without noise, as this gate remembers it."""
        self.exact.restore()

    def change_holding(self, name: str, change: Callable[[ProtectedTable], ProtectedTable]) -> None:
        """A table under another policy, changed between two questions."""
        with self._lock:
            self.holdings[name] = without_exact_answers(change(self.holdings[name]), self.state)
            self._forget([self.holdings[name]])

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """No question is decided meanwhile."""
        with self._lock:
            yield

    def hold(self, tables: Mapping[str, ProtectedTable]) -> None:
        """Other states of tables about the same people, between two questions."""
        with self._lock:
            for name, table in tables.items():
                self.holdings[name] = without_exact_answers(table, self.state)
            self._forget(tables.values())

    def _forget(self, tables: Iterable[ProtectedTable]) -> None:
        """Work out afresh what follows from tables."""
        self.tables.forget()
        self.keys.forget()
        for table in tables:
            self.exact.standings.forget(table.account)

    # ------------------------------------------------------------------ its questions

    def look(self, asker: Asker, sql: str, *, epsilon: float | None = None) -> Offer:
        """How a question could be answered, without answering it; only levels and facts about known
        fields."""
        with self._lock:
            question = self._admitted(asker, sql, lambda: admit(sql, self.tables.catalogue(asker)))
            return self._noted(
                asker, question, lambda: self._look(asker, question, epsilon=epsilon)
            )

    def ask(
        self,
        asker: Asker,
        sql: str,
        *,
        shape: str = "",
        mode: Mode | None = None,
        epsilon: float | None = None,
        reserve: bool = False,
    ) -> Answer:
        """Answer a question: in the shape chosen, or in the one that loses least. Asked again, it
        is answered alike, unless a larger epsilon is chosen for it. To `reserve` an answer is to
        give it in its shape also where a later question chooses none."""
        with self._lock:
            catalogue = self.tables.catalogue(asker)
            inner = self._admitted(asker, sql, lambda: numbers_in(sql, catalogue))
            if inner:
                self._admitted(
                    asker, sql, lambda: self._check_query(asker, sql, mode=mode, epsilon=epsilon)
                )
            below = {each: self.ask(asker, each, mode=mode, epsilon=epsilon) for each in inner}
            numbers = {each: scalar_of(answer) for each, answer in below.items()}
            questions = self._admitted(
                asker, sql, lambda: admit_all(sql, catalogue, numbers=numbers)
            )
            if len(questions) > 1:
                self._noted(
                    asker,
                    questions[0],
                    lambda: self._check_union(asker, questions, shape=shape, mode=mode),
                )
            unmeasured = unmeasured_numbers(sql, catalogue) if inner else []
            answers = []
            for place, each in enumerate(questions):
                answer = partial(
                    self._answer,
                    asker,
                    each,
                    shape=shape,
                    mode=mode,
                    epsilon=epsilon,
                    reserve=reserve,
                )
                found = self._noted(asker, each, answer)
                answers.append(
                    beside_numbers(found, below, each, unmeasured[place]) if inner else found
                )
            return union_of(answers)

    def _check_query(
        self, asker: Asker, sql: str, *, mode: Mode | None, epsilon: float | None
    ) -> None:
        """Whether a query with subqueries may be asked, before the first of these is charged."""

        def is_answered(question: Question, terms: Terms, wanted: Mode) -> bool:
            known = self._known(asker, question, terms, shape="", wanted=wanted)
            return known is not None and (epsilon is None or _is_as_near(known, terms))

        self.checks.check(asker, sql, mode=mode, epsilon=epsilon, is_answered=is_answered)

    def noisy_offer(
        self, asker: Asker, question: Question, *, epsilon: float | None = None
    ) -> NoisyOffer:
        """How a question would be answered with noise; `NotAdmitted` where it would not be. Nothing
        is charged."""
        with self._lock:
            terms = chosen_terms(self.tables.terms(asker, question), epsilon)
            self.rules.check(question, terms)
            wanted = self.rules.mode(question, terms, Mode.NOISY)
            known = self._known(asker, question, terms, shape="", wanted=wanted)
            is_answered = known is not None and _is_as_near(known, terms)
            return self.noisy.offer(asker, question, terms, is_answered=is_answered)

    def answered_before(self, asker: Asker, sql: str) -> tuple[str, bool]:
        """The key of a question in whatever spelling, and whether a noisy answer to it is
        remembered: for the asker, or for an audience of theirs. Nothing is charged."""
        with self._lock:
            question = admit(sql, self.tables.catalogue(asker))
            terms = self.tables.terms(asker, question)
            wanted = self.rules.mode(question, terms, None)
            known = self._known(asker, question, terms, shape="", wanted=wanted)
            return self.keys.key(asker, question), known is not None

    def _check_union(
        self, asker: Asker, questions: Sequence[Question], *, shape: str, mode: Mode | None
    ) -> None:
        """Whether all parts of UNION ALL can be answered: before the first one is, so that nothing
        is spent on a part of an answer."""
        if shape:
            raise NotAdmitted("A shape is chosen for one SELECT.", code="not-listed")
        stands: dict[str, dict[str, DisclosureState]] = {}
        rho: dict[tuple[str, int], Fraction] = {}
        for question in questions:
            terms = self.tables.terms(asker, question)
            self.rules.check(question, terms)
            wanted = self.rules.mode(question, terms, mode)
            if self._known(asker, question, terms, shape="", wanted=wanted) is not None:
                continue
            planned = self.rehearsal.of_question(
                asker, question, stands, wanted=wanted, coarser=not question.is_aggregate
            )
            if planned is PlannedAnswer.NONE:
                raise self._refused(asker, question, _unsafe(""))
            if planned is PlannedAnswer.NOISY:
                people = account, since = (
                    self.tables.account(question),
                    self.tables.since(question),
                )
                rho[people] = rho.get(people, Fraction(0)) + terms.budget.question_rho
                self.noisy.budgets.check(asker, account, terms, rho=rho[people], since=since)

    def link(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, str | None]],
        *,
        on: Sequence[str],
        show: Sequence[str],
        shape: str = "",
    ) -> Answer:
        """Answer with further fields of people that somebody brought records of (Chiang et al.
        2001, link mode)."""
        with self._lock:
            text = _link_text(table, on=on, show=show)
            question = self._admitted(
                asker, text, lambda: self._brought(asker, table, records, on=on, show=show)
            )
            return self._noted(
                asker, question, lambda: self._answer(asker, question, shape=shape, mode=Mode.EXACT)
            )

    def look_at_link(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, str | None]],
        *,
        on: Sequence[str],
        show: Sequence[str],
    ) -> Offer:
        """How records could be answered, without answering them."""
        with self._lock:
            text = _link_text(table, on=on, show=show)
            question = self._admitted(
                asker, text, lambda: self._brought(asker, table, records, on=on, show=show)
            )
            return self._noted(asker, question, lambda: self._look(asker, question))

    def _brought(
        self,
        asker: Asker,
        table: str,
        records: Sequence[Mapping[str, str | None]],
        *,
        on: Sequence[str],
        show: Sequence[str],
    ) -> Question:
        catalogue = self.tables.catalogue(asker)
        if table not in catalogue:
            said = with_question(f"There is no table {table!r}.", table, catalogue)
            raise NotAdmitted(
                said, code="unknown-table", found=f"There are: {', '.join(catalogue)}."
            )
        return link_question(table, catalogue[table], records, on=on, show=show)

    def _admitted(self, asker: Asker, text: str, admitted: Callable[[], T]) -> T:
        try:
            return admitted()
        except NotAdmitted as refused:
            self._minutes.not_admitted(asker, text, code=refused.code, reason=refused.asked)
            raise

    def _noted(self, asker: Asker, question: Question, then: Callable[[], T]) -> T:
        """Do it; a question that is not admitted, or cannot be worked out, is recorded too."""
        try:
            if not self.audit.has_room():
                raise TargetError("The disk is full, so nothing is answered.")
            return then()
        except (NotAdmitted, Mistake) as refused:
            code = getattr(refused, "code", "not-worked-out")
            self._minutes.not_admitted(asker, question, code=code, reason=refused.asked)
            raise

    def _look(self, asker: Asker, question: Question, *, epsilon: float | None = None) -> Offer:
        terms = chosen_terms(self.tables.terms(asker, question), epsilon)
        self.rules.check(question, terms)
        noisy = question.is_aggregate and (
            terms.mode is Mode.NOISY or bool(self.rules.only_noisy(question))
        )
        found = () if noisy else self.exact.shapes(asker, question)
        found = tuple(replace(each, levels=question.told_levels(each.levels)) for each in found)
        cost = self.noisy.cost(asker, question, terms)
        query = self.keys.number(asker, question)
        self._minutes.looked(asker, question, query=query, shapes=[shape.name for shape in found])
        left = 0 if cost is None else self.noisy.answers_left(asker, question, terms)
        return Offer(query=query, table=question.table, shapes=found, cost=cost, left=left)

    def _answer(
        self,
        asker: Asker,
        question: Question,
        *,
        shape: str,
        mode: Mode | None,
        epsilon: float | None = None,
        reserve: bool = False,
    ) -> Answer:
        terms = chosen_terms(self.tables.terms(asker, question), epsilon)
        self.rules.check(question, terms)
        if self.rules.counts_public(question) and not shape and mode is not Mode.NOISY:
            return self.exact.public_count(asker, question)
        wanted = self.rules.mode(question, terms, mode)
        known = self._known(asker, question, terms, shape=shape, wanted=wanted)
        if known is not None and (epsilon is None or _is_as_near(known, terms)):
            return self._again(asker, question, known)
        if question.is_aggregate:
            return self._aggregate(
                asker, question, terms, shape=shape, wanted=wanted, reserve=reserve
            )
        allowed = self.tables.of(question).policy.require.max_suppression
        if shape:
            chosen = next(
                (each for each in self.exact.shapes(asker, question) if each.name == shape), None
            )
        else:
            chosen = best_shape(self.exact.ground(asker, question), allowed=allowed)
        if chosen is None:
            raise self._refused(asker, question, _unsafe(shape))
        return self._shown(asker, question, chosen)

    def _reserved(self, asker: Asker, question: Question) -> Mapping[str, Any] | None:
        """The coarser answer that a plan of the asker reserved for this question."""
        record = self.state.record(asker_name(asker), self.keys.key(asker, question))
        return record if record and record["kind"] == "shown" and record.get("reserved") else None

    def _shown(
        self, asker: Asker, question: Question, shape: AnswerNode, *, reserve: bool = False
    ) -> Answer:
        answer = self.exact.show(asker, question, shape, reserve=reserve)
        if answer is None:
            raise self._refused(asker, question, _LEDGER)
        return answer

    def _aggregate(
        self,
        asker: Asker,
        question: Question,
        terms: Terms,
        *,
        shape: str,
        wanted: Mode,
        reserve: bool = False,
    ) -> Answer:
        """A number: exactly what was asked, as a plan reserved it, with noise, or refused with an
        offer; never another question's."""
        found = ""
        if wanted is not Mode.NOISY:
            chosen = number_shape(self.exact.ground(asker, question), question, shape)
            if chosen is not None:
                return self._shown(asker, question, chosen, reserve=reserve)
            reserved = None if shape else self._reserved(asker, question)
            if reserved is not None:
                return self._again(asker, question, reserved)
        if wanted is not Mode.EXACT and not (shape and wanted is Mode.EITHER):
            try:
                answer = self.noisy.ask(asker, question, terms)
            except NotAdmitted as refused:
                if wanted is Mode.NOISY:
                    raise
                found = f"No noisy answer is possible either: {refused.asked}"
            else:
                if answer is not None:
                    return answer
                attempt = self._offer(asker, question)
                raise self._refused(asker, question, _TOO_FEW, attempt=attempt)
        raise self._refused(
            asker, question, _unsafe(shape), found=found, attempt=self._offer(asker, question)
        )

    def _offer(self, asker: Asker, question: Question) -> str:
        seen = self.state.shown_to(asker_name(asker))
        return offer_in_words(question, self.tables.of(question), seen)

    def _known(
        self, asker: Asker, question: Question, terms: Terms, *, shape: str, wanted: Mode
    ) -> Mapping[str, Any] | None:
        """The earlier answer: to the asker; or with noise to an audience of theirs, which has it
        for nothing."""
        key = self.keys.key(asker, question)
        found = (
            self.state.record(name, key) for name in (asker_name(asker), *asker.audiences(terms))
        )
        return next(
            (
                each
                for each in found
                if each and self._fits(question, each, shape=shape, wanted=wanted)
            ),
            None,
        )

    def _fits(
        self, question: Question, record: Mapping[str, Any], *, shape: str, wanted: Mode
    ) -> bool:
        """Whether an answer given before is one to what is asked now: a number only where it is
        that very number. Noisy groups may be empty or left out, so no number of all of them is."""
        if record["kind"] == EARLIER:
            return False
        if record["kind"] == "noisy":
            return not shape and wanted is not Mode.EXACT and not question.is_over_all_groups
        if wanted is Mode.NOISY and question.is_aggregate:
            return False
        if not question.is_aggregate:
            return not shape or bool(record["shape"] == shape)
        return is_the_number(question, record, self.keys.meant(question), chosen=shape)

    def _again(self, asker: Asker, question: Question, known: Mapping[str, Any]) -> Answer:
        """The answer given before: the same rows, or the same noise."""
        if known["kind"] == "noisy":
            return self.noisy.again(asker, question, known)
        shape = AnswerNode.of_record(known)
        answer = self.exact.rows(asker, question, shape, remembered=True)
        self._minutes.answered(asker, question, answer, rule="remembered")
        return answer

    def _refused(
        self, asker: Asker, question: Question, reason: str, *, found: str = "", attempt: str = ""
    ) -> NotAnswered:
        query = self.keys.number(asker, question)
        closest = self.exact.broken_rules(asker, question)
        self._minutes.not_answered(asker, question, query=query, reason=reason, closest=closest)
        return NotAnswered(query, profile=asker.profile, found=found, attempt=attempt)

    def promise(self, asker: Asker, table: str) -> str:
        """Towards whom differential privacy holds for the people of a table, in words."""
        if is_noise_only(self.state, self.holdings[table].account):
            return EXACT_BEFORE
        return promise_in_words(
            self.holdings[table].policy,
            asker.profile,
            self.settings.terms_of,
            lifetime=self.settings.lifetime,
        )

    def spent_delta(self, table: str) -> float:
        """The cost to everybody together of thresholds of noisy groups of a table, beside
        epsilon."""
        return self.noisy.budgets.spent_delta(self.holdings[table].account)

    def budget(self, asker: Asker, table: str) -> BudgetStatement:
        """The cost to somebody of noisy numbers of a table, and the remainder."""
        terms = self.settings.terms_of(asker.profile)
        return self.noisy.budgets.statement(asker, self.holdings[table].account, terms)


def _is_as_near(record: Mapping[str, Any], terms: Terms) -> bool:
    """Whether an answer that was given has no more noise than one with these terms would."""
    if record["kind"] != "noisy":
        return True
    return "rho" in record and Fraction(record["rho"]) >= terms.budget.question_rho


def _link_text(table: str, *, on: Sequence[str], show: Sequence[str]) -> str:
    """For the audit: what was asked for with records, without the records."""
    return f"LINK {table} ON ({', '.join(on)}) SHOW ({', '.join(show)})"


def _unsafe(shape: str) -> str:
    """For the steward: why a question was refused."""
    return (
        "the chosen shape would break a condition"
        if shape
        else "every shape of it would break a condition"
    )
