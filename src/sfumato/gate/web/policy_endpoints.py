"""Tables and their policies: which version is in force, changing it, and a second person's
agreement."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from sfumato.errors import NotAdmitted
from sfumato.policy import policy_as_table

from ..accounts import Right
from ..administration import decide, decide_terms, propose
from ..policy_versions import Status, Version
from ..table_state import read_table_state
from ..terms_in_force import TermsInForce, read_terms
from .account_endpoints import ADMINISTRATORS
from .endpoints import API, Call, Endpoint, Schema, Who, told
from .schemas import FLAG, TEXT, WHOLE, WHY, or_nothing, record, several

READERS: Final[Who] = frozenset((Right.ADMINISTRATOR, Right.BOARD, Right.STEWARD))
SECONDS: Final[Who] = frozenset((Right.ADMINISTRATOR, Right.BOARD, Right.STEWARD))
"""The rights of a second person; the change decides which of them may agree."""
STATUS: Final[Schema] = {"type": "string", "enum": [status.value for status in Status]}
VERSION: Final = record(
    {
        "version": WHOLE,
        "status": STATUS,
        "by": TEXT,
        "why": TEXT,
        "time": TEXT,
        "decided_by": TEXT,
        "says": TEXT,
    }
)
WHOLE_VERSION: Final = record(
    {
        "version": WHOLE, "status": STATUS, "by": TEXT, "why": TEXT, "time": TEXT, "decided_by": TEXT, "says": TEXT,
        "policy": TEXT, "as_table": {"type": "object"},
    }
)  # fmt: skip
TERMS: Final = record(
    {
        "held": {"type": "object"},
        "proposed": or_nothing({"type": "object"}),
        "changed": several(TEXT),
    }
)
TABLE: Final = record(
    {
        "name": TEXT,
        "version": WHOLE,
        "rows": WHOLE,
        "people": WHOLE,
        "shown": FLAG,
        "state": WHOLE,
        "as_of": TEXT,
    }
)
_POLICY: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 200_000}
CHANGE: Final[Schema] = {
    "oneOf": [
        record({"policy": _POLICY, "why": WHY}),
        record({"changes": {"type": "object"}, "why": WHY}),
    ]
}


async def tables(call: Call) -> Response:
    """The tables as those see them who look after them."""
    gate = call.gate
    out = []
    for name, holding in gate.keeper.holdings.items():
        version = await call.workers.look(gate.policies.in_force, name)
        shown = await call.workers.look(gate.policies.was_shown, holding.account)
        state = await call.workers.look(read_table_state, gate.state, holding.account)
        out.append({
            "name": name, "version": version.number, "rows": len(holding), "people": holding.people, "shown": shown,
            "state": state.number, "as_of": state.as_of,
        })  # fmt: skip
    return told({"tables": out})


async def versions(call: Call) -> Response:
    name = _table(call)
    found = await call.workers.look(call.gate.policies.all_of, name)
    return told({"versions": [_told(version) for version in reversed(found)]})


async def version(call: Call) -> Response:
    name = _table(call)
    found = await call.workers.look(call.gate.policies.one, name, _number(call))
    as_table = policy_as_table(call.gate.policies.read(name, found))
    return told({**_told(found), "policy": found.policy, "as_table": as_table})


async def change(call: Call) -> Response:
    """A new version. It holds at once where it is provably stricter, or when a second person has
    agreed."""
    made = await call.workers.keep(propose, call.gate, call.me.name, _table(call), call.body)
    return told(_told(made), status=201)


async def decision(call: Call) -> Response:
    made = await call.workers.keep(
        decide, call.gate, call.me.name, _table(call), _number(call),
        approve=call.body["approve"], why=call.body.get("why", ""),
    )  # fmt: skip
    return told(_told(made))


async def terms(call: Call) -> Response:
    """The terms that hold, and those of gate.toml that wait."""
    known = await call.workers.look(read_terms, call.gate.state)
    return told(_terms(known))


async def terms_decision(call: Call) -> Response:
    """They hold when the gate is opened next."""
    decided = await call.workers.keep(
        decide_terms,
        call.gate,
        call.me.name,
        approve=call.body["approve"],
        why=call.body.get("why", ""),
    )
    return told(_terms(decided))


def _terms(known: TermsInForce | None) -> dict[str, Any]:
    return {
        "held": known.held if known else {}, "proposed": known.proposed if known else None,
        "changed": list(known.changed) if known else [],
    }  # fmt: skip


def _table(call: Call) -> str:
    name = call.path["name"]
    if name not in call.gate.keeper.holdings:
        raise NotAdmitted("There is no such table.", code="not-there")
    return name


def _number(call: Call) -> int:
    text = call.path["version"]
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise NotAdmitted("There is no such version.", code="not-there")
    return int(text)


def _told(of: Version) -> dict[str, Any]:
    return {
        "version": of.number, "status": of.status.value, "by": of.by, "why": of.why, "time": of.time,
        "decided_by": of.decided_by, "says": of.says,
    }  # fmt: skip


_OF: Final = f"{API}/tables/{{name}}/policies"

ENDPOINTS: Final = (
    Endpoint(
        "GET", f"{API}/tables", tables, rights=READERS, summary="Tables and the versions of their policies in force",
        gives=record({"tables": several(TABLE)}),
    ),
    Endpoint(
        "GET", _OF, versions, rights=READERS, summary="All versions of a table's policy, the newest first",
        gives=record({"versions": several(VERSION)}),
    ),
    Endpoint(
        "GET", f"{_OF}/{{version}}", version, rights=READERS, summary="One version, as its file and as a table",
        gives=WHOLE_VERSION,
    ),
    Endpoint(
        "POST", _OF, change, rights=ADMINISTRATORS, takes=CHANGE, gives=VERSION, status=201, refuses=(409,),
        summary="Change roles, hierarchies or conditions: a new version of the policy",
    ),
    Endpoint(
        "POST", f"{_OF}/{{version}}/decision", decision, rights=SECONDS, summary="Agree to a version, or not",
        takes=record({"approve": FLAG}, why=WHY), gives=VERSION, refuses=(409,),
    ),
    Endpoint(
        "GET", f"{API}/terms", terms, rights=READERS, summary="The terms in force, and those of gate.toml that wait",
        gives=TERMS,
    ),
    Endpoint(
        "POST", f"{API}/terms/decision", terms_decision, rights=SECONDS, summary="Agree to the terms that wait, or not",
        takes=record({"approve": FLAG}, why=WHY), gives=TERMS, refuses=(409,),
    ),
)  # fmt: skip
