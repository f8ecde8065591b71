"""The register for programs and pages: applications, reviews, releases, what is due, and moves that
members sign in their browsers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, Final

from starlette.responses import Response

from sfumato.errors import NotAdmitted
from sfumato.register import QUESTIONS, RegisterState, SharingModel

from ..accounts import Right
from ..register_desk import RegisterDesk, application_facts, moves_of
from .endpoints import API, LOGGED_IN, Call, Endpoint, Schema, Who, told
from .schemas import FLAG, NAME, TEXT, WHOLE, by_name, or_nothing, record, several

BOARD: Final[Who] = frozenset((Right.BOARD, Right.STEWARD, Right.ADMINISTRATOR))
"""The rights to see the ledger and the assessments."""
BRIEF: Final = record(
    {"name": TEXT, "group": TEXT, "applicant": TEXT, "since": TEXT, "state": TEXT, "step": TEXT}
)
DEADLINE: Final = record({"of": TEXT, "what": TEXT, "until": TEXT, "urgency": TEXT})
RELEASE: Final = record(
    {
        "name": TEXT, "group": TEXT, "since": TEXT, "digest": TEXT, "fields": several(TEXT),
        "sensitive": several(TEXT), "imported": FLAG, "confirmed": TEXT, "leaked": FLAG, "application": TEXT,
        "recipients": several(TEXT), "not_judged": several(TEXT),
    }
)  # fmt: skip
REVELATION: Final = record(
    {"name": TEXT, "field": TEXT, "asked_by": TEXT, "reason": TEXT, "since": TEXT}
)
VERDICT: Final = record({"group": TEXT, "outcome": TEXT, "reason": TEXT})
ME: Final = record(
    {
        "roles": several(TEXT), "questions": by_name(TEXT), "sharing": several(TEXT), "blind": FLAG,
        "valid_days": WHOLE,
    }
)  # fmt: skip
NEXT: Final = record({"number": WHOLE, "time": TEXT, "before": TEXT})
_BASE64: Final[Schema] = {"type": "string", "minLength": 4, "maxLength": 400_000}


def desk_of(call: Call) -> RegisterDesk:
    if call.gate.register is None:
        raise NotAdmitted(
            "This gate has no register.",
            code="not-there",
            attempt='register = "DIR" in gate.toml.',
        )
    return call.gate.register


async def _seen(call: Call, does: Callable[[RegisterDesk, RegisterState], Any]) -> Response:
    """Answer from the state of the register, in a thread."""
    desk = desk_of(call)
    return told(await call.workers.look(lambda: does(desk, desk.state())))


async def me(call: Call) -> Response:
    """One's roles, and what an application is asked."""

    def facts(desk: RegisterDesk, state: RegisterState) -> dict[str, Any]:
        charter = state.charter
        assert charter is not None
        member = charter.members.get(call.me.name)
        return {
            "roles": sorted(member.roles) if member is not None else [],
            "questions": dict(QUESTIONS),
            "sharing": [each.value for each in SharingModel],
            "blind": charter.blind,
            "valid_days": charter.valid_days,
        }

    return await _seen(call, facts)


async def next_move(call: Call) -> Response:
    """The content of a signed move that is to be the next one."""
    desk = desk_of(call)
    return told(await call.workers.look(desk.register.next_move))


async def moves(call: Call) -> Response:
    """Record a move that its author signed. The account's name is the author's."""
    desk = desk_of(call)
    try:
        payload, signature = (
            base64.b64decode(call.body[each], validate=True) for each in ("payload", "signature")
        )
    except (binascii.Error, ValueError):
        raise NotAdmitted("The move is not in base64.", code="not-fitting") from None
    move = await call.workers.look(lambda: desk.append(payload, signature, author=call.me.name))
    about = {"who": call.me.name, "kind": move.kind, "number": move.number, "digest": move.digest}
    await call.workers.look(call.gate.audit.append, "register move", about)
    return told({"number": move.number, "digest": move.digest}, status=201)


async def applications(call: Call) -> Response:
    """All applications; of a recipient, their own."""

    def facts(desk: RegisterDesk, state: RegisterState) -> dict[str, Any]:
        return {
            "applications": [
                {
                    "name": each.name,
                    "group": each.group,
                    "applicant": each.applicant,
                    "since": each.since,
                    "state": each.state.value,
                    "step": each.step.value,
                }
                for each in reversed(list(state.applications.values()))
                if _may_see(call, each.applicant)
            ]
        }

    return await _seen(call, facts)


async def application(call: Call) -> Response:
    """One application, with its assessment and the ledger beside it for those who judge it."""

    def facts(desk: RegisterDesk, state: RegisterState) -> dict[str, Any]:
        found = state.applications.get(call.query.get("name", ""))
        if found is None or not _may_see(call, found.applicant):
            raise NotAdmitted("There is no such application.", code="not-there")
        whole = call.me.right in BOARD
        verdict = desk.verdict(found.group) if whole else None
        held = [each.name for each in state.held_by(found.group)] if whole else []
        holds = (
            None
            if verdict is None
            else {"group": found.group, "outcome": verdict.outcome, "reason": verdict.reason}
        )
        return application_facts(found, state, call.me.name, whole=whole) | {
            "holds": holds,
            "held": held,
        }

    return await _seen(call, facts)


async def reviews(call: Call) -> Response:
    """Applications on which one has to vote, open a vote, or decide."""

    def facts(desk: RegisterDesk, state: RegisterState) -> dict[str, Any]:
        waiting = {
            each.name: [
                move for move in moves_of(each, state, call.me.name) if move != "withdrawal"
            ]
            for each in state.applications.values()
        }
        return {"reviews": [{"name": name, "may": may} for name, may in waiting.items() if may]}

    return await _seen(call, facts)


async def revelations(call: Call) -> Response:
    """Pseudonyms that somebody asked to reveal, to which one may agree."""

    def facts(desk: RegisterDesk, state: RegisterState) -> dict[str, Any]:
        charter = state.charter
        assert charter is not None
        return {
            "revelations": [
                {
                    "name": each.name,
                    "field": each.field,
                    "asked_by": each.asked_by,
                    "reason": each.reason,
                    "since": each.since,
                }
                for each in state.revelations.values()
                if each.may_agree(call.me.name, charter)
            ]
        }

    return await _seen(call, facts)


async def releases(call: Call) -> Response:
    """The catalogue: every release, who holds it, and the verdict on all that a group holds."""

    def facts(desk: RegisterDesk, state: RegisterState) -> dict[str, Any]:
        judged = ((group, desk.verdict(group)) for group in state.groups)
        return {
            "releases": [
                {
                    "name": each.name,
                    "group": each.group,
                    "since": each.time,
                    "digest": each.digest,
                    "fields": list(each.fields),
                    "sensitive": list(each.sensitive),
                    "imported": each.imported,
                    "confirmed": state.confirmed.get(each.name, ""),
                    "leaked": each.name in state.leaked,
                    "application": state.delivered.get(each.name, ""),
                    "recipients": list(state.recipients_of(each)),
                    "not_judged": list(each.not_judged),
                }
                for each in reversed(state.releases)
            ],
            "verdicts": [
                {"group": group, "outcome": verdict.outcome, "reason": verdict.reason}
                for group, verdict in judged
                if verdict is not None
            ],
        }

    return await _seen(call, facts)


async def due(call: Call) -> Response:
    days = call.query.get("days", 30)
    found = await call.workers.look(lambda: desk_of(call).register.due(days=days))
    return told({"due": [each.as_dict() for each in found]})


def _may_see(call: Call, applicant: str) -> bool:
    return call.me.right in BOARD or applicant == call.me.name


_AT: Final = f"{API}/register"
_APPLICATION: Final[Schema] = {
    "type": "object",
    "properties": {
        **BRIEF["properties"],
        "answers": by_name(TEXT),
        "agreement": or_nothing({"type": "object"}),
        "may": several(TEXT),
        "holds": or_nothing(VERDICT),
    },
    "required": [*BRIEF["required"], "answers", "may"],
}

ENDPOINTS: Final = (
    Endpoint(
        "GET", _AT, me, rights=LOGGED_IN, gives=ME, refuses=(404,),
        summary="Your roles in the register, and what an application is asked",
    ),
    Endpoint(
        "GET", f"{_AT}/next", next_move, rights=LOGGED_IN, gives=NEXT, refuses=(404,),
        summary="Number, time and digest that the next signed move must have",
    ),
    Endpoint(
        "POST", f"{_AT}/moves", moves, rights=LOGGED_IN, takes=record({"payload": _BASE64, "signature": _BASE64}),
        gives=record({"number": WHOLE, "digest": TEXT}), status=201, refuses=(404, 409),
        summary="Record a move that you signed: an application, a vote, a decision, a withdrawal",
    ),
    Endpoint(
        "GET", f"{_AT}/applications", applications, rights=LOGGED_IN,
        gives=record({"applications": several(BRIEF)}), refuses=(404,),
        summary="Applications, the newest first; for recipients, their own",
    ),
    Endpoint(
        "GET", f"{_AT}/application", application, rights=LOGGED_IN, queries={"name": NAME}, gives=_APPLICATION,
        refuses=(404,), summary="One application, with its assessment and the ledger for those who judge it",
    ),
    Endpoint(
        "GET", f"{_AT}/reviews", reviews, rights=BOARD,
        gives=record({"reviews": several(record({"name": TEXT, "may": several(TEXT)}))}), refuses=(404,),
        summary="What waits for your vote or your decision",
    ),
    Endpoint(
        "GET", f"{_AT}/revelations", revelations, rights=BOARD,
        gives=record({"revelations": several(REVELATION)}), refuses=(404,),
        summary="Pseudonyms that somebody asked to reveal, to which you may agree",
    ),
    Endpoint(
        "GET", f"{_AT}/releases", releases, rights=BOARD,
        gives=record({"releases": several(RELEASE), "verdicts": several(VERDICT)}), refuses=(404,),
        summary="The catalogue of releases, and the verdict on all that each group holds",
    ),
    Endpoint(
        "GET", f"{_AT}/due", due, rights=BOARD, queries={"days": {"type": "integer", "minimum": 0, "maximum": 3660}},
        gives=record({"due": several(DEADLINE)}), refuses=(404,), summary="What has ended or ends soon",
    ),
)  # fmt: skip
