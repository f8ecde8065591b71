"""The audit centre for stewards: search, export, explain, and prove that nothing was changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from starlette.responses import Response, StreamingResponse

from sfumato.errors import NotAdmitted

from ..accounts import Right
from ..audit import entries, verify_chain
from ..explanations import AuditSearch, as_csv, as_line, explain, found
from .endpoints import API, Call, Endpoint, Who, told
from .schemas import ENTRY, TEXT, WHOLE, page_of, paging, record, several

READERS: Final[Who] = frozenset((Right.STEWARD, Right.BOARD))
_WORD: Final = {"type": "string", "maxLength": 200}
_SEARCH: Final = {name: _WORD for name in ("who", "kind", "query", "text", "since", "until")}
TYPES: Final = {"jsonl": "application/jsonl", "csv": "text/csv"}
EXPLAINED: Final = record(
    {
        "query": TEXT, "who": several(TEXT), "asked": TEXT, "because": several(TEXT),
        "times": several(record({"time": TEXT, "who": TEXT, "kind": TEXT})),
    }
)  # fmt: skip


async def search(call: Call) -> Response:
    given = {name: value for name, value in call.query.items() if name in _SEARCH}
    paged = {name: value for name, value in call.query.items() if name not in _SEARCH}
    lines, before = await call.workers.look(
        found, call.gate.audit.path, AuditSearch.of(given), **paged
    )
    return told({"entries": lines, "before": before})


async def export(call: Call) -> Response:
    """All lines that fit, oldest first. As JSON lines without a search it is the file itself, and
    can be verified."""
    form = call.query.get("format", "jsonl")
    wanted = AuditSearch.of(call.query)
    await call.workers.look(
        call.gate.audit.append, "exported", {"who": call.me.name, "format": form}
    )
    fitting = _fitting(call, wanted)
    written = as_csv(fitting) if form == "csv" else (f"{as_line(entry)}\n" for entry in fitting)
    return StreamingResponse(
        written,
        media_type=TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="audit.{form}"'},
    )


def _fitting(call: Call, wanted: AuditSearch) -> Iterator[dict[str, Any]]:
    for entry in entries(call.gate.audit.path):
        if wanted.fits(entry, as_line(entry)):
            yield entry


async def verify(call: Call) -> Response:
    """Prove the chain; 409 with the first line that does not fit where it is broken."""
    checked = await call.workers.look(verify_chain, call.gate.audit.path)
    return told({"lines": checked.lines, "digest": checked.digest})


async def explained(call: Call) -> Response:
    """The reason why a query was not answered, in words. The look is recorded in the audit too."""
    query = call.path["query"]
    if len(query) > 100:
        raise NotAdmitted("There is no query of that number.", code="not-there")
    told_of = await call.workers.look(explain, call.gate.audit.path, query)
    await call.workers.look(
        call.gate.audit.append, "explained", {"who": call.me.name, "about": query}
    )
    return told(told_of)


ENDPOINTS: Final = (
    Endpoint(
        "GET", f"{API}/audit", search, rights=READERS, summary="Search the audit, the newest first",
        queries=paging(**_SEARCH), gives=page_of(ENTRY),
    ),
    Endpoint(
        "GET", f"{API}/audit/export", export, rights=READERS, summary="The audit as a file",
        queries={**_SEARCH, "format": {"type": "string", "enum": list(TYPES)}}, answers=TYPES["jsonl"],
        or_else=(TYPES["csv"],),
    ),
    Endpoint(
        "GET", f"{API}/audit/verify", verify, rights=READERS, summary="Prove that the audit was not changed",
        gives=record({"lines": WHOLE, "digest": TEXT}), refuses=(409,),
    ),
    Endpoint(
        "GET", f"{API}/explain/{{query}}", explained, rights=READERS, summary="The outcome of a query, and its reason",
        gives=EXPLAINED,
    ),
)  # fmt: skip
