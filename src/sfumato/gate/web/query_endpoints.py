"""Asking: the catalogue, a look at how a question could be answered, the answer, and the history of
one's questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from ..accounts import MAY_ASK
from ..answers import Answer
from ..decide.derived_table import DERIVED_LEVELS
from ..decide.protected_table import ProtectedTable
from ..explanations import history as history_of
from ..gate_opener import Gate
from ..offers import Offer
from ..settings import Mode
from ..sql.admission import QueryableTable
from .endpoints import API, LOGGED_IN, Call, Endpoint, told
from .schemas import (
    ANSWER,
    ENTRY,
    EPSILON,
    MODE,
    NUMBER,
    OFFER,
    SHAPE_NAME,
    SQL,
    TEXT,
    WHOLE,
    page_of,
    paging,
    record,
    several,
)

FIELD: Final = record(
    {
        "name": TEXT,
        "role": {"type": "string", "enum": ["known", "protected"]},
        "kind": TEXT,
        "levels": several(TEXT),
    }
)
TABLE: Final = record(
    {"name": TEXT, "fields": several(FIELD), "never": several(TEXT), "promise": TEXT}
)
SPENT: Final = record(
    {
        "table": TEXT, "query": NUMBER, "person": NUMBER, "spent": NUMBER, "left": NUMBER, "delta": NUMBER,
        "promise": TEXT, "answers_left": WHOLE,
        "rho": record({"query": NUMBER, "person": NUMBER, "spent": NUMBER, "left": NUMBER}),
    }
)  # fmt: skip


async def catalogue(call: Call) -> Response:
    """The tables and their fields as somebody's profile has them; the number of rows is not
    disclosed."""
    keeper, asker = call.gate.keeper, call.me.asker()
    tables = [
        {**_table(table, keeper.holdings[name]), "promise": keeper.promise(asker, name)}
        for name, table in keeper.held_tables(asker).items()
    ]
    return told({"tables": tables})


async def look(call: Call) -> Response:
    call.limits.asks(call.me.name)
    with call.refusals.written():
        offer = await call.workers.keep(
            call.gate.keeper.look,
            call.me.asker(),
            call.body["sql"],
            epsilon=call.body.get("epsilon"),
        )
    return told(offered(offer, call.gate))


async def ask(call: Call) -> Response:
    call.limits.asks(call.me.name)
    mode = Mode(call.body["mode"]) if "mode" in call.body else None
    with call.refusals.written():
        answer = await call.workers.keep(
            call.gate.keeper.ask,
            call.me.asker(),
            call.body["sql"],
            shape=call.body.get("shape", ""),
            mode=mode,
            epsilon=call.body.get("epsilon"),
        )
    return told(answered(answer, call.gate))


async def history(call: Call) -> Response:
    lines, before = await call.workers.look(
        history_of, call.gate.audit.path, call.me.name, **call.query
    )
    return told({"entries": lines, "before": before})


async def budget(call: Call) -> Response:
    """The cost of noisy numbers so far, and the remainder, table by table."""
    keeper, asker = call.gate.keeper, call.me.asker()
    terms = keeper.settings.terms_of(asker.profile)
    out = []
    for name in keeper.held_tables(asker):
        found = await call.workers.look(keeper.budget, asker, name)
        out.append({
            "table": name, "query": terms.budget.query, "person": terms.budget.person,
            "spent": found.spent, "left": found.left, "answers_left": found.answers_left,
            "rho": {
                "query": float(terms.budget.question_rho), "person": float(terms.budget.person_rho),
                "spent": float(found.rho_spent), "left": float(found.rho_left),
            },
            "delta": keeper.spent_delta(name), "promise": keeper.promise(asker, name),
        })  # fmt: skip
    return told({"profile": asker.profile, "mode": terms.mode.value, "tables": out})


def offered(offer: Offer, gate: Gate) -> dict[str, Any]:
    shapes = [
        {
            "shape": shape.name,
            "levels": dict(shape.levels),
            "level_names": _level_names(shape.levels, gate, offer.table),
            "rows": shape.rows,
            "withheld": shape.withheld,
            "loss": shape.loss,
        }
        for shape in offer.shapes
    ]
    cost = offer.cost
    return {
        "query": offer.query,
        "shapes": shapes,
        "epsilon": None if cost is None else cost.epsilon,
        "rho": None if cost is None else cost.rho,
        "share": None if cost is None else cost.share,
        "within": {} if cost is None else dict(cost.within),
        "threshold": 0 if cost is None else cost.threshold,
        "left": offer.left,
    }


def answered(answer: Answer, gate: Gate) -> dict[str, Any]:
    columns, rows = answer.marked()
    return {
        "query": answer.query,
        "columns": list(columns),
        "rows": rows,
        "as_asked": answer.as_asked,
        "levels": dict(answer.levels),
        "level_names": _level_names(answer.levels, gate, answer.table),
        "withheld": answer.withheld,
        "widened": answer.widened,
        "one_each": answer.one_each,
        "noise": dict(answer.noise),
        "threshold": answer.threshold,
        "cuts": list(answer.cuts),
        "delta": answer.delta,
        "remembered": answer.remembered,
        "as_of": answer.as_of,
        "public": answer.public,
        "epsilon": answer.epsilon,
        "left": answer.left,
    }


def _level_names(levels: Mapping[str, int], gate: Gate, table: str) -> dict[str, str]:
    hierarchies = gate.keeper.table(table).hierarchies
    return {
        name: hierarchies[name].level_name(level) if name in hierarchies else DERIVED_LEVELS[level]
        for name, level in levels.items()
    }


def _table(table: QueryableTable, holding: ProtectedTable) -> dict[str, Any]:
    fields = [
        {
            "name": name,
            "role": "known" if name in table.known else "protected",
            "kind": held.kind.value,
            "levels": _levels(holding, name) if name in table.known else [],
        }
        for name, held in holding.fields.items()
        if name in table.shown
    ]
    return {"name": holding.name, "fields": fields, "never": list(table.never)}


def _levels(holding: ProtectedTable, name: str) -> list[str]:
    hierarchy = holding.hierarchies[name]
    return [hierarchy.level_name(level) for level in range(hierarchy.height + 1)]


ENDPOINTS: Final = (
    Endpoint(
        "GET", f"{API}/catalogue", catalogue, rights=LOGGED_IN, summary="Tables and fields that may be asked about",
        gives=record({"tables": several(TABLE)}),
    ),
    Endpoint(
        "POST", f"{API}/look", look, rights=MAY_ASK, summary="How a query could be answered, without answering it",
        takes=record({"sql": SQL}, epsilon=EPSILON), gives=OFFER, asks=True,
    ),
    Endpoint(
        "POST", f"{API}/ask", ask, rights=MAY_ASK, summary="Answer a query, in the shape chosen or the best",
        takes=record({"sql": SQL}, shape=SHAPE_NAME, mode=MODE, epsilon=EPSILON), gives=ANSWER, asks=True,
    ),
    Endpoint(
        "GET", f"{API}/history", history, rights=LOGGED_IN, summary="What you asked, the newest first",
        queries=paging(), gives=page_of(ENTRY),
    ),
    Endpoint(
        "GET", f"{API}/budget", budget, rights=MAY_ASK, summary="What noisy numbers cost you, and what is left",
        gives=record({"profile": TEXT, "mode": MODE, "tables": several(SPENT)}),
    ),
)  # fmt: skip
