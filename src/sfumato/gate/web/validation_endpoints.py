"""Validation: whether a number that was seen on a synthetic copy holds in the real table."""

from __future__ import annotations

import math
from typing import Any, Final

from starlette.responses import Response

from ..accounts import MAY_ASK
from ..validation.claims import (
    CONFIDENCE,
    LEAST_CONFIDENCE,
    MOST_CONFIDENCE,
    ClaimAgreement,
    Validation,
    ValidationClaim,
    ValidationForecast,
)
from .endpoints import API, Call, Endpoint, Schema, told
from .schemas import EPSILON, FLAG, NUMBER, SQL, TEXT, WHOLE, or_nothing, record, several

VALUE: Final[Schema] = {
    "type": "number",
    "description": "What you found on the synthetic copy; without it, the gate computes it there.",
}
MARGIN: Final[Schema] = {
    "type": "number",
    "exclusiveMinimum": 0,
    "description": "How far off the real number may be.",
}
CONFIDENT: Final[Schema] = {
    "type": "number",
    "minimum": LEAST_CONFIDENCE,
    "maximum": MOST_CONFIDENCE,
    "description": f"How often the interval holds the real number; {CONFIDENCE:g} by default.",
}
CLAIM: Final = record(
    {"sql": SQL, "margin": MARGIN}, value=VALUE, epsilon=EPSILON, confidence=CONFIDENT
)
VALIDATION: Final = record(
    {
        "query": TEXT, "agreement": {"type": "string", "enum": [each.value for each in ClaimAgreement]},
        "words": TEXT, "value": NUMBER, "margin": NUMBER, "number": or_nothing(NUMBER), "low": or_nothing(NUMBER),
        "high": or_nothing(NUMBER), "confidence": NUMBER, "epsilon": NUMBER, "left": WHOLE, "remembered": FLAG,
        "cuts": several(TEXT), "as_of": TEXT, "copy": TEXT,
    }
)  # fmt: skip
FORECAST: Final = record(
    {
        "query": TEXT, "epsilon": NUMBER, "rho": NUMBER, "left": WHOLE, "most": NUMBER, "value": or_nothing(NUMBER),
        "half_width": or_nothing(NUMBER), "decides": or_nothing(FLAG), "epsilon_needed": or_nothing(NUMBER),
        "margin_decided": or_nothing(NUMBER), "copy": TEXT,
    }
)  # fmt: skip


async def validate(call: Call) -> Response:
    call.limits.asks(call.me.name)
    with call.refusals.written():
        found = await call.workers.keep(
            call.gate.validator.validate, call.me.asker(), _claim(call.body)
        )
    return told(validated(found))


async def forecast(call: Call) -> Response:
    call.limits.asks(call.me.name)
    with call.refusals.written():
        found = await call.workers.keep(
            call.gate.validator.forecast, call.me.asker(), _claim(call.body)
        )
    return told(forecasted(found))


def validated(found: Validation) -> dict[str, Any]:
    """An answer as it is sent; an end without a limit is null."""
    return {
        "query": found.query, "agreement": found.agreement.value, "words": found.in_words(),
        "value": found.value, "margin": found.margin, "number": _number(found.number), "low": _number(found.low),
        "high": _number(found.high), "confidence": found.confidence, "epsilon": found.epsilon, "left": found.left,
        "remembered": found.remembered, "cuts": list(found.cuts), "as_of": found.as_of, "copy": found.copy,
    }  # fmt: skip


def forecasted(found: ValidationForecast) -> dict[str, Any]:
    return {
        "query": found.query, "epsilon": found.epsilon, "rho": found.rho, "left": found.left, "most": found.most,
        "value": found.value, "half_width": found.half_width, "decides": found.decides,
        "epsilon_needed": found.epsilon_needed, "margin_decided": found.margin_decided, "copy": found.copy,
    }  # fmt: skip


def _number(number: float) -> float | None:
    """JSON has no word for a number that is none."""
    return number if math.isfinite(number) else None


def _claim(body: dict[str, Any]) -> ValidationClaim:
    return ValidationClaim(
        sql=body["sql"],
        margin=float(body["margin"]),
        value=None if body.get("value") is None else float(body["value"]),
        confidence=float(body.get("confidence", CONFIDENCE)),
        epsilon=body.get("epsilon"),
    )


ENDPOINTS: Final = (
    Endpoint(
        "POST", f"{API}/validations", validate, rights=MAY_ASK,
        summary="Whether a number of a synthetic copy holds in the real table", takes=CLAIM, gives=VALIDATION,
        asks=True,
    ),
    Endpoint(
        "POST", f"{API}/validations/forecast", forecast, rights=MAY_ASK,
        summary="What a validation would cost, and which epsilon would decide it", takes=CLAIM, gives=FORECAST,
        asks=True,
    ),
)  # fmt: skip
