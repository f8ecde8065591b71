"""Exact answers: the shapes that are safe beside all that was shown, the record of what is shown now,
and the rows of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from .answer_ledger import AnswerLedger
from .answers import Answer, follow, rows_of, shape_marks
from .audit_writer import Minutes
from .decide.answer_nodes import AnswerNode, DecisionContext, shapes
from .decide.disclosure_state import DisclosureState, Standings
from .decide.exposure import OUTSIDE
from .decide.question_cells import QuestionFields
from .exact_numbers import number_shapes
from .queried_tables import QueriedTables
from .question_keys import QuestionKeys
from .settings import Asker, Settings
from .sql import Question
from .state import GateState


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactAnswers:
    """Answers without noise, judged by exposure, and by a register where there is one."""

    settings: Settings
    tables: QueriedTables = field(repr=False)
    keys: QuestionKeys = field(repr=False)
    state: GateState = field(repr=False)
    minutes: Minutes = field(repr=False)
    ledger: AnswerLedger | None = field(default=None, repr=False)
    """Where a register judges exact answers with all that a group holds."""

    @cached_property
    def standings(self) -> Standings:
        return Standings(self.state)

    def stand(self, asker: Asker, question: Question) -> dict[str, DisclosureState]:
        """The state of each audience of the asker; those that have seen the same are one."""
        audiences = asker.audiences(self.settings.terms_of(asker.profile))
        holding = self.tables.table(question.table)
        return {audience: self.standings.of(audience, holding) for audience in audiences}

    def ground(self, asker: Asker, question: Question) -> DecisionContext:
        return DecisionContext(
            wanted=self._wanted(question),
            conditions=self.tables.conditions_of(question),
            standings=tuple(dict.fromkeys(self.stand(asker, question).values())),
            meant=self.keys.meant(question),
            accepts=lambda shape: self._is_held(asker, question, shape),
        )

    def _wanted(self, question: Question) -> QuestionFields:
        shows = self.tables.of(question).exposed(question.unknown)
        return QuestionFields(known=question.known, about=question.about, shows=shows)

    def shapes(self, asker: Asker, question: Question) -> tuple[AnswerNode, ...]:
        if question.is_aggregate:
            return number_shapes(self.ground(asker, question), question)
        allowed = self.tables.of(question).policy.require.max_suppression
        return shapes(self.ground(asker, question), allowed=allowed)

    def show(
        self, asker: Asker, question: Question, shape: AnswerNode, *, reserve: bool = False
    ) -> Answer | None:
        """Record that a shape is shown, then its rows; None where the register's ledger does not
        take it."""
        before = self.stand(asker, question) | self._in_ledger(asker, question)
        after = {id(each): self.after(each, question, shape) for each in before.values()}
        now = {audience: after[id(each)] for audience, each in before.items()}
        told = self._new_in_ledger(asker, question, shape)
        if self.ledger is not None and told:
            people = self.tables.same_people(self.tables.account(question))
            if not self.ledger.show(told, people):
                return None
        with (
            self.state.changing()
        ):  # First: that something cannot be worked out from the rows tells of them, too.
            self.standings.write(self.tables.account(question), now)
            content = {
                "kind": "shown", "table": question.table, "shows": list(question.unknown),
                "whole": question.about is None, "audiences": list(now), "reserved": reserve,
                **shape.as_record(),
            }  # fmt: skip
            self.state.remember(asker_name(asker), self.keys.key(asker, question), content)
        self.standings.keep(self.tables.account(question), now)
        answer = self.rows(asker, question, shape)
        self.minutes.answered(asker, question, answer, rule="exposure", shape=shape.name)
        return answer

    def after(
        self, standing: DisclosureState, question: Question, shape: AnswerNode
    ) -> DisclosureState:
        lasting = self.tables.conditions_of(question).lasting
        shows = self.tables.of(question).exposed(question.unknown)
        return standing.after(
            shape.groups, shape.parts, shows=shows, told=shape.told, lasting=lasting
        )

    def rows(
        self, asker: Asker, question: Question, shape: AnswerNode, *, remembered: bool = False
    ) -> Answer:
        holding = self.tables.of(question)
        chance = self.keys.chance(asker, question)
        columns, rows = follow(question, rows_of(shape, question, holding), chance)
        answer = Answer(
            query=self.keys.number(asker, question),
            table=question.table,
            columns=columns,
            rows=rows,
            levels=question.told_levels(shape.levels),
            withheld=shape.withheld,
            widened=bool(((shape.groups >= 0) & ~self.keys.meant(question)).any()),
            one_each=bool(question.unknown) and not holding.one_row_each,
            remembered=remembered,
            as_of=self.keys.as_of(question),
        )
        marks = shape_marks(answer, holding, shown=question.outputs, numbers=question.numbers)
        return replace(answer, marks=marks)

    def public_count(self, asker: Asker, question: Question) -> Answer:
        """A count that is public anyway: nothing is charged or counted as shown."""
        (name,) = question.known
        groups = np.where(self.keys.meant(question), 0, OUTSIDE)
        shape = AnswerNode(
            levels={name: 0}, groups=groups, parts=groups, rows=0, withheld=0, loss=0.0
        )
        answer = replace(self.rows(asker, question, shape), public=name)
        self.minutes.answered(asker, question, answer, rule="public")
        return answer

    def broken_rules(self, asker: Asker, question: Question) -> dict[str, dict[str, int]]:
        """For the steward: the rules that break at the levels asked for, and those that still break
        at the coarsest ones."""
        if self.tables.is_of_people(question):  # Nothing of a join is decided by classes.
            return {}
        cells = self.ground(asker, question).cells
        coarsest = {name: self.tables.of(question).top(name) for name in question.known}
        out: dict[str, dict[str, int]] = {}
        for name, levels in (
            ("as asked", dict.fromkeys(question.known, 0)),
            ("at the coarsest", coarsest),
        ):
            whole = cells.whole(levels)
            groups = cells.included(whole)
            for _, after in cells.after(groups, cells.parts(whole, groups)):
                shows = after.touched(cells.wanted.shows)
                broken = self.tables.conditions_of(question).broken_rules(
                    after, shows=shows, tally=cells.tally, values_tallies=cells.values_tallies
                )
                out[name] = {**out.get(name, {}), **broken}
        return out

    def _is_held(self, asker: Asker, question: Question, shape: AnswerNode) -> bool:
        """Whether the register's ledger takes an answer."""
        new = self._new_in_ledger(asker, question, shape)
        return (
            self.ledger is None
            or not new
            or self.ledger.accepts(new, self.tables.same_people(self.tables.account(question)))
        )

    def _new_in_ledger(
        self, asker: Asker, question: Question, shape: AnswerNode
    ) -> dict[str, DisclosureState]:
        """The states of groups after an answer that shows them more than before."""
        account, before = self.tables.account(question), self._in_ledger(asker, question)
        now = {name: self.after(each, question, shape) for name, each in before.items()}
        return {
            name: each
            for name, each in now.items()
            if self.state.exposure(name, account) is None
            or not each.exposure.is_as(before[name].exposure)
        }

    def _in_ledger(self, asker: Asker, question: Question) -> dict[str, DisclosureState]:
        """The states of the groups whose holdings an answer enters, by the register."""
        if self.ledger is None:
            return {}
        audiences = self.ledger.audiences(asker, self.settings.terms_of(asker.profile))
        holding = self.tables.table(question.table)
        return {audience: self.standings.of(audience, holding) for audience in audiences}

    def restore(self) -> None:
        """Record in the register everything shown without noise, as this gate remembers it."""
        if self.ledger is not None:
            for account in sorted({each.account for each in self.tables.holdings.values()}):
                self.ledger.restore(self.standings, self.tables.same_people(account))
            self.ledger.complete()


def asker_name(asker: Asker) -> str:
    """The name under which the answers to somebody are remembered; no audience is called so."""
    return f"asker {asker.name}"
