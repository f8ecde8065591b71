"""Plans: a project names the questions it needs, and the gate decides them once, together.

In order of arrival, one fine table makes all others coarse. A plan tries its questions in several
orders, keeps the one in which most is answered as asked, and answers all of them at once. Answers
are exact, in coarser groups, or with noise, for which the rest of the budget is shared out. The
answers of a plan are reserved: they count as shown, and cost nothing when asked again.

The outcome of a plan is an answer itself. A project therefore has one plan, and another one waits
for a steward."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from sfumato.errors import NotAdmitted, NotAnswered

from .accounts import GateAccount, Right
from .gate_opener import Gate
from .keeper import GateKeeper
from .noise.budgets import LEAST_PART
from .offers import PlannedAnswer
from .settings import Asker
from .state import GateState

MOST_QUESTIONS: Final = 60
MOST_ORDERS: Final = 12
"""So many orders of a plan's questions are tried."""


class PlanStatus(StrEnum):
    PROPOSED = "proposed"
    OPEN = "open"
    CLOSED = "closed"
    REJECTED = "rejected"


class PlanOutcome(StrEnum):
    """How a question of a plan is answered."""

    EXACT = "exact"
    COARSER = "coarser"
    NOISY = "noisy"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuestion:
    """One question of a plan and its outcome. The outcome has the shape to ask it in where groups
    are coarser, the error of noise, or why there is no answer."""

    sql: str
    outcome: PlanOutcome
    query: str = ""
    shape: str = ""
    epsilon: float = 0.0
    within: Mapping[str, float] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan:
    """All that a project asked for at once."""

    project: str
    number: int
    by: str
    why: str
    time: str
    at: float
    profile: str
    groups: tuple[str, ...]
    questions: tuple[str, ...]
    status: PlanStatus = PlanStatus.PROPOSED
    outcomes: tuple[PlannedQuestion, ...] = ()
    decided_by: str = ""

    @property
    def asker(self) -> Asker:
        return Asker(name=self.by, profile=self.profile, groups=self.groups)

    def told(self) -> dict[str, Any]:
        """For the interfaces."""
        return {
            "project": self.project, "number": self.number, "by": self.by, "why": self.why,
            "time": self.time, "status": self.status.value, "decided_by": self.decided_by,
            "questions": list(self.questions), "outcomes": [asdict(each) for each in self.outcomes],
        }  # fmt: skip


class QuestionPlans:
    """The plans of all projects, as the state has them."""

    def __init__(self, state: GateState) -> None:
        self._state = state

    def all(self) -> tuple[QuestionPlan, ...]:
        """The oldest first."""
        found = self._state.all("SELECT name, content FROM facts ORDER BY rowid")
        read = (json.loads(content) for name, content in found if name.startswith(_FACT))
        return tuple(
            sorted((_plan(each) for each in read), key=lambda plan: (plan.project, plan.number))
        )

    def of(self, project: str) -> tuple[QuestionPlan, ...]:
        return tuple(each for each in self.all() if each.project == project)

    def put(self, plan: QuestionPlan) -> None:
        content = json.dumps(asdict(plan), ensure_ascii=False)
        self._state.state_fact(f"{_FACT}{plan.number} {plan.project}", content)


_FACT: Final = "plan "


def propose_plan(
    gate: Gate,
    account: GateAccount,
    questions: Sequence[str],
    *,
    project: str = "",
    why: str = "",
    clock: Callable[[], float] = time.time,
) -> QuestionPlan:
    """A plan of a project: of somebody's group, or their own. The first one is solved at once;
    another one waits for a steward."""
    if project and project not in account.groups:
        raise NotAdmitted(
            "A plan is made for a group that you belong to.",
            code="not-allowed",
            attempt="a group of yours, or none for a plan of your own.",
        )
    wanted = tuple(dict.fromkeys(sql.strip() for sql in questions))
    if not 0 < len(wanted) <= MOST_QUESTIONS or not all(wanted):
        raise NotAdmitted(
            "A plan names its questions.",
            code="not-fitting",
            attempt=f"1 to {MOST_QUESTIONS} queries.",
        )
    name = f"group {project}" if project else f"person {account.name}"
    with gate.keeper.standing_still():
        plans = QuestionPlans(gate.state)
        before = plans.of(name)
        if any(each.status is PlanStatus.PROPOSED for each in before):
            raise NotAdmitted(
                "A plan of this project waits for a steward.",
                code="already-there",
                attempt="waiting, or asking the steward to answer it.",
            )
        asker = account.asker()
        plan = QuestionPlan(
            project=name,
            number=len(before) + 1,
            by=account.name,
            why=why,
            time=datetime.fromtimestamp(clock(), UTC).isoformat(timespec="seconds"),
            at=clock(),
            profile=asker.profile,
            groups=tuple(asker.groups),
            questions=wanted,
        )
        if before:
            plans.put(plan)
            _note(gate, plan, "plan proposed", account.name)
            return plan
        return _opened(gate, plan, by="")


def decide_plan(
    gate: Gate, account: GateAccount, project: str, *, approve: bool, why: str = ""
) -> QuestionPlan:
    """A steward's answer to another plan of a project."""
    if account.right is not Right.STEWARD:
        raise NotAdmitted("A steward answers plans.", code="not-allowed")
    with gate.keeper.standing_still():
        plans = QuestionPlans(gate.state)
        waiting = [each for each in plans.of(project) if each.status is PlanStatus.PROPOSED]
        if not waiting:
            raise NotAdmitted("No plan of this project waits for an answer.", code="already-there")
        if waiting[0].by == account.name:
            raise NotAdmitted(
                "You cannot agree to your own plan.", code="not-allowed", attempt="another steward."
            )
        if approve:
            return _opened(gate, waiting[0], by=account.name)
        decided = replace(waiting[0], status=PlanStatus.REJECTED, decided_by=account.name)
        plans.put(decided)
        _note(gate, decided, "plan rejected", account.name, why=why)
        return decided


def _opened(gate: Gate, plan: QuestionPlan, *, by: str) -> QuestionPlan:
    """Solve a plan, answer it and keep how it ended; the one before is closed."""
    outcomes = solve_plan(gate.keeper, plan.asker, plan.questions)
    made = replace(plan, status=PlanStatus.OPEN, outcomes=outcomes, decided_by=by)
    plans = QuestionPlans(gate.state)
    with gate.state.changing():
        for each in plans.of(plan.project):
            if each.status is PlanStatus.OPEN:
                plans.put(replace(each, status=PlanStatus.CLOSED))
        plans.put(made)
    _note(gate, made, "plan opened", by or plan.by)
    return made


def solve_plan(
    keeper: GateKeeper, asker: Asker, questions: Sequence[str]
) -> tuple[PlannedQuestion, ...]:
    """Decide questions together and answer them; their outcomes, in the order given."""
    best = _best_order(keeper, asker, questions)
    noisy = [sql for sql in best if best[sql] is PlannedAnswer.NOISY]
    epsilons = _shared_out(keeper, asker, _new(keeper, asker, noisy))
    paid = {sql: each for sql, each in epsilons.items() if each != 0.0}
    together = keeper.planned_marginals.answer(asker, paid)
    found: dict[str, PlannedQuestion] = {}
    for sql, planned in best.items():
        made = _answered(keeper, asker, sql, planned, epsilons.get(sql))
        found[sql] = replace(made, epsilon=together[sql]) if sql in together else made
    return tuple(found[sql] for sql in questions)


def _best_order(
    keeper: GateKeeper, asker: Asker, questions: Sequence[str]
) -> dict[str, PlannedAnswer | str]:
    """The answers of the order in which most is answered as asked. Questions that fared badly are
    moved to the front, as long as that helps."""
    orders = [
        list(questions),
        list(reversed(questions)),
        sorted(questions, key=lambda sql: (len(keeper.rehearsal.known_fields(asker, sql)), sql)),
    ]
    best: dict[str, PlannedAnswer | str] = {}
    worth, tried = -1.0, 0
    while orders and tried < MOST_ORDERS:
        order, tried = orders.pop(0), tried + 1
        found = keeper.rehearsal.of_all(asker, order)
        value = sum(_worth(each) for each in found.values())
        if value > worth + 1e-9:
            best, worth = found, value
            worse = [sql for sql in order if found[sql] is not PlannedAnswer.EXACT]
            orders += [[sql, *(other for other in order if other != sql)] for sql in worse[:3]]
    return best


def _new(keeper: GateKeeper, asker: Asker, noisy: Sequence[str]) -> list[str]:
    """The noisy questions that are to be paid for: one spelling of each that was not answered
    before, whoever asked it."""
    out: dict[str, str] = {}
    for sql in noisy:
        key, answered = keeper.answered_before(asker, sql)
        if not answered:
            out.setdefault(key, sql)
    return list(out.values())


def _worth(planned: PlannedAnswer | str) -> float:
    """A shape, by its name, is a coarser answer."""
    if isinstance(planned, PlannedAnswer):
        return {PlannedAnswer.EXACT: 1.0, PlannedAnswer.NOISY: 0.4, PlannedAnswer.NONE: 0.0}[
            planned
        ]
    return 0.6


def _shared_out(keeper: GateKeeper, asker: Asker, noisy: Sequence[str]) -> dict[str, float | None]:
    """The epsilon of each noisy question: the usual one, or an equal part of what is left. Where
    even the least is too much for all, the first ones have it."""
    out: dict[str, float | None] = {}
    for account, those in keeper.rehearsal.by_account(asker, noisy).items():
        left, usual = keeper.rehearsal.answers_left(asker, account)
        share = min(1.0, left / len(those))
        if share >= 1:
            out |= dict.fromkeys(those)
            continue
        share = max(share, LEAST_PART)
        out |= dict.fromkeys(those[: int(left / share)], usual * share * (1 - 1e-9))
        out |= dict.fromkeys(those[int(left / share) :], 0.0)
    return out


def _answered(
    keeper: GateKeeper,
    asker: Asker,
    sql: str,
    planned: PlannedAnswer | str,
    epsilon: float | None,
) -> PlannedQuestion:
    shape = planned if not isinstance(planned, PlannedAnswer) else ""
    if epsilon == 0.0:
        return PlannedQuestion(sql=sql, outcome=PlanOutcome.REFUSED, why="The budget is used up.")
    try:
        answer = keeper.ask(asker, sql, shape=shape, epsilon=epsilon, reserve=bool(shape))
    except NotAdmitted as refused:
        return PlannedQuestion(sql=sql, outcome=PlanOutcome.REFUSED, why=refused.asked)
    except NotAnswered as refused:
        return PlannedQuestion(
            sql=sql, outcome=PlanOutcome.REFUSED, query=refused.query, why="It is not answered."
        )
    kind = (
        PlanOutcome.NOISY
        if answer.noise
        else PlanOutcome.EXACT
        if answer.as_asked
        else PlanOutcome.COARSER
    )
    return PlannedQuestion(
        sql=sql,
        outcome=kind,
        query=answer.query,
        shape=shape,
        epsilon=answer.epsilon,
        within=dict(answer.noise),
    )


def _plan(content: dict[str, Any]) -> QuestionPlan:
    outcomes = tuple(
        PlannedQuestion(**{**each, "outcome": PlanOutcome(each["outcome"])})
        for each in content["outcomes"]
    )
    return QuestionPlan(
        **{
            **content,
            "status": PlanStatus(content["status"]),
            "questions": tuple(content["questions"]),
            "groups": tuple(content["groups"]),
            "outcomes": outcomes,
        }
    )


def _note(gate: Gate, plan: QuestionPlan, kind: str, by: str, *, why: str = "") -> None:
    outcomes: dict[str, int] = {}
    for each in plan.outcomes:
        outcomes[each.outcome.value] = outcomes.get(each.outcome.value, 0) + 1
    facts = {
        "who": by, "project": plan.project, "plan": plan.number, "questions": len(plan.questions),
        "outcomes": outcomes, "why": why or plan.why,
    }  # fmt: skip
    gate.audit.append(kind, facts)
