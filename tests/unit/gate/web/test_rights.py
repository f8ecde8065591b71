"""The router denies by default: every way in says who may use it, and nobody else gets past."""

from __future__ import annotations

import re

import pytest
from doors import a_door
from starlette.routing import Mount

from sfumato.errors import Bug
from sfumato.gate.accounts import Right
from sfumato.gate.web.application import OWN, EndpointRoute, application
from sfumato.gate.web.endpoints import ANYONE, Endpoint
from sfumato.gate.worker_threads import Workers

PEOPLE = {
    "ann": Right.RECIPIENT,
    "stella": Right.STEWARD,
    "bea": Right.BOARD,
    "adam": Right.ADMINISTRATOR,
}
OPEN = {("POST", "/api/v1/log-in"), ("GET", "/api/v1/openapi.json")}


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with a_door(tmp_path_factory.mktemp("door")) as door:
        door.add("bea", Right.BOARD)
        yield door


def test_every_route_was_declared(door):
    assert len(door.app.routes) > 20
    for route in door.app.routes:
        assert isinstance(route, EndpointRoute), route
        assert not isinstance(route, Mount)
        assert route.declared.rights
        assert route.methods - {"HEAD"} == {route.declared.method}


async def nothing(call): ...


@pytest.mark.parametrize("rights", [frozenset(), frozenset({"everyone"})])
def test_a_way_in_that_does_not_say_who_may_use_it_cannot_be_made(rights):
    with pytest.raises(Bug, match="does not say who"):
        Endpoint("GET", "/api/v1/secret", nothing, rights=rights, summary="")
    with pytest.raises(TypeError):
        Endpoint("GET", "/api/v1/secret", nothing, summary="")


def test_two_ways_in_cannot_have_one_address(door, monkeypatch):
    twice = (*OWN, Endpoint("GET", "/api/v1/me", nothing, rights=ANYONE, summary=""))
    monkeypatch.setattr("sfumato.gate.web.application.OWN", twice)
    with Workers() as workers, pytest.raises(Bug, match="one address"):
        application(door.gate, workers)


def test_only_logging_in_and_the_description_are_open(door):
    api = [route.declared for route in door.app.routes if route.declared.is_api]
    assert {(each.method, each.path) for each in api if None in each.rights} == OPEN


@pytest.mark.parametrize("endpoint", OWN, ids=lambda each: f"{each.method} {each.path}")
def test_whoever_has_not_the_right_gets_no_further(door, endpoint):
    """Without sending anything sensible: who gets past the check of rights is told that, who does
    not is told so."""
    path = re.sub("{[^}]*}", "x", endpoint.path.removeprefix("/api/v1"))
    if None not in endpoint.rights:
        assert door.sends(endpoint.method, path).status_code == 401
    for name, right in PEOPLE.items():
        told = door.sends(endpoint.method, path, who=name)
        refused = told.status_code == 403 and told.json()["code"] == "not-allowed"
        assert refused == (right not in endpoint.rights), (name, told.text)


def test_what_is_not_there_is_told_alike_to_everybody(door):
    for who in ("", "ann", "adam"):
        told = door.gets("/nothing/here", who=who)
        assert (told.status_code, told.json()["code"]) == (404, "no-such-page")
    assert door.sends("PUT", "/ask", who="ann").status_code == 405


def test_every_answer_says_not_to_keep_or_embed_it(door):
    for told in (door.gets("/me"), door.gets("/nothing"), door.gets("/catalogue", who="ann")):
        assert told.headers["cache-control"] == "no-store"
        assert told.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in told.headers["content-security-policy"]


def test_our_mistakes_are_told_without_their_text(door, monkeypatch, caplog):
    def fails(*_, **__):
        raise RuntimeError("Alice is 37")

    monkeypatch.setattr(type(door.gate.keeper), "ask", fails)
    told = door.posts("/ask", {"sql": "SELECT age FROM people"}, who="ann")
    assert (told.status_code, told.json()["code"]) == (500, "bug")
    assert "Alice" not in told.text + caplog.text
    assert "RuntimeError" in caplog.text


def test_a_steward_and_a_recipient_ask_and_administrators_do_not():
    asking = {endpoint.path.rpartition("/")[2]: endpoint.rights for endpoint in OWN}
    for name in ("ask", "look", "link"):
        assert asking[name] == {Right.RECIPIENT, Right.STEWARD}
