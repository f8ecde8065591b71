"""Link mode: somebody brings records, as JSON or as a file, and asks for further fields of the same
people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import UploadFile
from starlette.responses import Response

from sfumato.errors import NotAdmitted

from ..accounts import MAY_ASK
from ..link_mode import MOST_RECORDS
from ..uploads import Records, records_of
from .endpoints import API, Call, Endpoint, Schema, told
from .query_endpoints import answered, offered
from .schemas import ANSWER, CELL, FLAG, NAME, NAMES, OFFER, SHAPE_NAME, by_name, record

LARGEST: Final = 32 << 20
BROUGHT: Final[Schema] = {
    "type": "array",
    "items": by_name(CELL),
    "minItems": 1,
    "maxItems": MOST_RECORDS,
}
FILE: Final[Schema] = {"type": "string", "contentMediaType": "application/octet-stream"}


async def link(call: Call) -> Response:
    """The answer, or with `preview` the shapes it could have."""
    call.limits.asks(call.me.name)
    table, on, show = call.body["table"], call.body["on"], call.body["show"]
    records = await call.workers.read(_records, call, await _content(call.body))
    keeper, asker = call.gate.keeper, call.me.asker()
    if call.body.get("preview", False):
        with call.refusals.written():
            offer = await call.workers.keep(
                keeper.look_at_link, asker, table, records, on=on, show=show
            )
        return told(offered(offer, call.gate))
    shape = call.body.get("shape", "")
    with call.refusals.written():
        answer = await call.workers.keep(
            keeper.link, asker, table, records, on=on, show=show, shape=shape
        )
    return told(answered(answer, call.gate))


async def _content(body: Mapping[str, Any]) -> bytes | None:
    """The bytes of the file that was brought; None where records were sent as JSON."""
    if "records" in body:
        return None
    file = body.get("file")
    if not isinstance(file, UploadFile):
        raise NotAdmitted(
            "No file was sent.", code="link-fields", attempt="a file of the form, called `file`."
        )
    return await file.read()


def _records(call: Call, content: bytes | None) -> Records:
    if content is None:
        return [{name: _text(cell) for name, cell in each.items()} for each in call.body["records"]]
    name = call.body["file"].filename or ""
    return records_of(content, name=name, on=call.body["on"], folder=call.gate.settings.folder)


def _text(cell: Any) -> str | None:
    """A cell as the text that the gate has for it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return None if cell is None else str(cell)


_ASKED: Final[dict[str, Schema]] = {"table": NAME, "on": NAMES, "show": NAMES}

ENDPOINTS: Final = (
    Endpoint(
        "POST", f"{API}/link", link, rights=MAY_ASK, summary="Further fields of people that you have records of",
        takes=record({**_ASKED, "records": BROUGHT}, shape=SHAPE_NAME, preview=FLAG),
        uploads=record(_ASKED, file=FILE, shape=SHAPE_NAME, preview=FLAG),
        gives={"anyOf": [ANSWER, OFFER]}, largest=LARGEST, asks=True,
    ),
)  # fmt: skip
