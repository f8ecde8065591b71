"""Plans: questions that a project asks at once, and a steward's answer to another plan."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from ..accounts import MAY_ASK, Right
from ..plans import PlanOutcome, PlanStatus, QuestionPlan, QuestionPlans, decide_plan, propose_plan
from .endpoints import API, Call, Endpoint, Schema, Who, told
from .schemas import FLAG, NAME, NUMBER, SQL, TEXT, WHOLE, WHY, by_name, record, several

STEWARDS: Final[Who] = frozenset((Right.STEWARD,))
OUTCOME: Final = record(
    {
        "sql": TEXT, "outcome": {"type": "string", "enum": [each.value for each in PlanOutcome]},
        "query": TEXT, "shape": TEXT, "epsilon": NUMBER, "within": by_name(NUMBER), "why": TEXT,
    }
)  # fmt: skip
PLAN: Final = record(
    {
        "project": TEXT, "number": WHOLE, "by": TEXT, "why": TEXT, "time": TEXT, "decided_by": TEXT,
        "status": {"type": "string", "enum": [each.value for each in PlanStatus]},
        "questions": several(TEXT), "outcomes": several(OUTCOME),
    }
)  # fmt: skip
QUESTIONS: Final[Schema] = {"type": "array", "items": SQL, "minItems": 1, "maxItems": 60}


async def plans(call: Call) -> Response:
    """For recipients their own and their groups'; for stewards all, without the answers to
    others."""
    found = await call.workers.look(QuestionPlans(call.gate.state).all)
    own = {f"person {call.me.name}", *(f"group {name}" for name in call.me.groups)}
    seen = [each for each in found if each.project in own or call.me.right is Right.STEWARD]
    return told({"plans": [_told(each) for each in reversed(seen)]})


async def propose(call: Call) -> Response:
    call.limits.asks(call.me.name)
    with call.refusals.written():
        made = await call.workers.keep(
            propose_plan,
            call.gate,
            call.me,
            call.body["questions"],
            project=call.body.get("project", ""),
            why=call.body.get("why", ""),
        )
    return told(_told(made), status=201)


async def decision(call: Call) -> Response:
    made = await call.workers.keep(
        decide_plan,
        call.gate,
        call.me,
        call.body["project"],
        approve=call.body["approve"],
        why=call.body.get("why", ""),
    )
    return told(_told(made))


def _told(plan: QuestionPlan) -> dict[str, Any]:
    return plan.told()


ENDPOINTS: Final = (
    Endpoint(
        "GET", f"{API}/plans", plans, rights=MAY_ASK, summary="Plans of your projects and how they were answered",
        gives=record({"plans": several(PLAN)}),
    ),
    Endpoint(
        "POST", f"{API}/plans", propose, rights=MAY_ASK, summary="Ask several questions at once, decided together",
        takes=record({"questions": QUESTIONS}, project=NAME, why=WHY), gives=PLAN, status=201, refuses=(409,),
        asks=True,
    ),
    Endpoint(
        "POST", f"{API}/plans/decision", decision, rights=STEWARDS, summary="Agree to another plan, or not",
        takes=record({"project": NAME, "approve": FLAG}, why=WHY), gives=PLAN, refuses=(409,),
    ),
)  # fmt: skip
