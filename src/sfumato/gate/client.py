"""A client of a gate: validates claims over HTTP with a token, from Python or the command line.

It needs none of the packages that serve a gate."""

from __future__ import annotations

import json
import ssl
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from sfumato.errors import Mistake, NotAdmitted, NotAnswered, Refused

from .validation.claims import CONFIDENCE, ClaimAgreement, Validation, ValidationForecast

_SECONDS: Final = 120.0
_LARGEST: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GateClient:
    """Asks the gate at `url` with a token of one's own. A token is sent only over TLS, or to this
    machine.

    Example:
        >>> gate = GateClient(url="https://gate.example.org", token="…")
        >>> gate.validate("SELECT AVG(age) FROM people", margin=2, value=41.5)  # doctest: +SKIP
    """

    url: str
    token: str = field(repr=False)
    certificate: Path | None = None
    """A PEM file that the gate's certificate is checked with, in place of the system's."""

    def validate(
        self,
        sql: str,
        *,
        margin: float,
        value: float | None = None,
        epsilon: float | None = None,
        confidence: float = CONFIDENCE,
    ) -> Validation:
        """Whether the real number is within `margin` of `value`, or of what the gate's synthetic copy
        has. It is charged to your budget unless it was answered before."""
        found = self._posts("/api/v1/validations", _claim(sql, margin, value, epsilon, confidence))
        found.pop("words", None)
        ends = {"number": "nan", "low": "-inf", "high": "inf"}
        numbers = {
            name: float(usual if found[name] is None else found[name])
            for name, usual in ends.items()
        }
        agreement, cuts = ClaimAgreement(found.pop("agreement")), tuple(found.pop("cuts"))
        return Validation(**{**found, **numbers}, agreement=agreement, cuts=cuts)

    def forecast(
        self,
        sql: str,
        *,
        margin: float,
        value: float | None = None,
        epsilon: float | None = None,
        confidence: float = CONFIDENCE,
    ) -> ValidationForecast:
        """What a validation would cost, and which epsilon would decide it; nothing is charged."""
        body = _claim(sql, margin, value, epsilon, confidence)
        return ValidationForecast(**self._posts("/api/v1/validations/forecast", body))

    def _posts(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        with closing(self._connection()) as connection:
            try:
                connection.request("POST", path, json.dumps(body), headers)
                response = connection.getresponse()
                text, status = response.read(_LARGEST), response.status
                told = json.loads(text)
            except (OSError, HTTPException, ValueError):
                raise Mistake(
                    f"The gate at {self.url} was asked.",
                    found="It does not answer, or not as a gate does.",
                    attempt="the address that `sfumato serve` prints, with https where it has a "
                    "certificate.",
                ) from None
        if status == 200 and isinstance(told, dict):
            return told
        raise _refusal(told)

    def _connection(self) -> HTTPConnection:
        try:
            parts = urlsplit(self.url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in ("http", "https") or parts.path.strip("/"):
            raise Mistake(
                f"{self.url!r} is no address of a gate.", attempt="https://gate.example.org."
            )
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=self.certificate)
            return HTTPSConnection(host, port, timeout=_SECONDS, context=context)
        if not _is_here(host):
            raise Mistake(
                "A token was to be sent without TLS to another machine.",
                attempt="https in the address of the gate.",
            )
        return HTTPConnection(host, port, timeout=_SECONDS)


def _claim(
    sql: str, margin: float, value: float | None, epsilon: float | None, confidence: float
) -> dict[str, Any]:
    given = {"sql": sql, "margin": margin, "value": value, "epsilon": epsilon}
    return {k: v for k, v in given.items() if v is not None} | {"confidence": confidence}


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(told: Any) -> Exception:
    """The gate's refusal as the exception that it has in the gate."""
    parts = told if isinstance(told, dict) else {}
    message = str(parts.get("message", "The gate refused the question."))
    code, found, attempt = (str(parts.get(name, "")) for name in ("code", "found", "attempt"))
    if code == NotAnswered.code:
        return Refused(message, found=found, attempt=attempt)
    return NotAdmitted(message, code=code, found=found, attempt=attempt)
