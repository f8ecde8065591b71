"""Reloading tables from their sources, and erasing people from the rows that the gate holds."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ..accounts import Right
from ..reload import erase_people, reload_tables
from .endpoints import API, Call, Endpoint, Schema, Who, told
from .schemas import TEXT, WHOLE, WHY, or_nothing, record, several

LOOK_AFTER: Final[Who] = frozenset((Right.ADMINISTRATOR, Right.STEWARD))
REPORT: Final = record(
    {
        "tables": several(TEXT), "state": WHOLE, "as_of": TEXT, "joined": WHOLE, "left": WHOLE,
        "waiting": or_nothing(WHOLE), "staying": or_nothing(WHOLE), "away": WHOLE, "not_held": WHOLE,
        "noise_only": {"type": "boolean"},
    }
)  # fmt: skip
PEOPLE: Final[Schema] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 1_000},
    "minItems": 1,
    "maxItems": 10_000,
}


async def reload(call: Call) -> Response:
    made = await call.workers.read(
        reload_tables, call.gate, call.path["name"], by=call.me.name
    )  # Questions are answered meanwhile.
    return told(made.facts())


async def erase(call: Call) -> Response:
    made = await call.workers.read(
        erase_people,
        call.gate,
        call.path["name"],
        call.body["people"],
        by=call.me.name,
        why=call.body["why"],
        noise_only=call.body.get("noise_only", False),
    )
    return told(made.facts())


ENDPOINTS: Final = (
    Endpoint(
        "POST", f"{API}/tables/{{name}}/reload", reload, rights=LOOK_AFTER, gives=REPORT, refuses=(409,),
        summary="Read a table, and all about the same people, from its source again",
    ),
    Endpoint(
        "POST", f"{API}/tables/{{name}}/erasures", erase, rights=LOOK_AFTER, gives=REPORT, refuses=(409,),
        takes=record({"people": PEOPLE, "why": WHY}, noise_only={"type": "boolean"}),
        summary="Delete people from the rows that the gate holds, by their keys",
    ),
)  # fmt: skip
