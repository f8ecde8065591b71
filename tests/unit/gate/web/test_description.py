"""The description for programs says what the gate does, and nothing that is made from it brings the
gate down."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest
from doors import a_door
from example_counts import example_count
from hypothesis import HealthCheck, Phase, given, settings

from sfumato.gate.accounts import Right
from sfumato.gate.web import application
from sfumato.gate.web.application import OWN

schemathesis = pytest.importorskip("schemathesis")
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

PEOPLE = {
    "ann": Right.RECIPIENT,
    "stella": Right.STEWARD,
    "bea": Right.BOARD,
    "adam": Right.ADMINISTRATOR,
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
BOUNDED = settings(
    max_examples=example_count(12),
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@asynccontextmanager
async def at_once():
    yield


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with (
        pytest.MonkeyPatch.context() as patched,
        a_door(tmp_path_factory.mktemp("door"), queries=10**6) as door,
    ):
        patched.setattr(application, "paced", at_once)
        door.add("bea", Right.BOARD)
        door.add("zoe", Right.RECIPIENT)
        door.tokens = {right: door.token(name) for name, right in PEOPLE.items()}
        door.schema = schemathesis.openapi.from_dict(door.gets("/openapi.json").json())
        door.schema.app = door.app
        yield door


@pytest.mark.parametrize("endpoint", OWN, ids=lambda each: f"{each.method} {each.path}")
def test_whatever_is_sent_is_answered_as_described(door, endpoint):
    operation = door.schema[endpoint.path][endpoint.method]
    right = next((right for right in Right if right in endpoint.rights), Right.RECIPIENT)

    @BOUNDED
    @given(case=operation.as_strategy())
    def sends(case):
        case.path_parameters = {**(case.path_parameters or {}), **_there(endpoint.path)}
        headers = (
            {} if None in endpoint.rights else {"Authorization": f"Bearer {door.tokens[right]}"}
        )
        case.call_and_validate(headers=headers, checks=CHECKS, timeout=600)

    sends()


def _there(path):
    """Names that lead somewhere, so that what is behind them is reached."""
    if "/tables/" in path:
        return {"name": "people"} | ({"version": "1"} if "{version}" in path else {})
    return {"name": "zoe"} if "/accounts/" in path else {}


def test_the_description_tells_every_way_in_and_nothing_from_elsewhere(door):
    described = door.gets("/openapi.json").json()
    told = {
        (method.upper(), path) for path, methods in described["paths"].items() for method in methods
    }
    assert told == {(each.method, each.path) for each in OWN} | {("GET", "/api/v1/openapi.json")}
    assert described["openapi"].startswith("3.1")
    assert "http" not in str(described["paths"]).replace("https", "http").replace("http-port", "")
    names = [
        operation["operationId"]
        for methods in described["paths"].values()
        for operation in methods.values()
    ]
    assert len(names) == len(set(names))
