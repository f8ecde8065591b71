"""What is checked of a request before anything is read: the host it is addressed to, headers that
stand twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
import pytest
from doors import PASSWORD, a_door

from sfumato.errors import PolicyError
from sfumato.gate.settings_file import settings_from_table
from sfumato.gate.web.application import HEADERS, application
from sfumato.gate.web.request_headers import ONCE
from sfumato.gate.worker_threads import Workers

TABLES = {"people": {"source": "people.csv", "policy": "policy.toml"}}


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with a_door(tmp_path_factory.mktemp("hosts")) as found:
        yield found


@pytest.fixture(scope="module")
def sends(door):
    """A request to a gate on 127.0.0.1 that is also called gate.example.org, with any headers."""
    settings = replace(door.gate.settings, hosts=("gate.example.org",))
    with Workers() as workers:
        app = application(replace(door.gate, settings=settings), workers)

        def sent(headers, *, path="/api/v1/openapi.json", method="GET", scheme="http"):
            return asyncio.run(_sent(app, headers, path=path, method=method, scheme=scheme))

        yield sent


async def _sent(app, headers, *, path, method, scheme):
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url=f"{scheme}://127.0.0.1:8417"
    ) as client:
        request = client.build_request(method, path)
        request.headers = httpx.Headers(headers)
        return await client.send(request)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8417", "127.0.0.1", "localhost:8417", "LOCALHOST", "[::1]:8417", "Gate.Example.org",
     "gate.example.org.:443"],
)  # fmt: skip
def test_the_gate_answers_to_its_own_names(sends, host):
    assert sends([("Host", host)]).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "gate.example.org.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "user@localhost",
     "localhost:8417:1", "localhost/", "localhost\x00", "[::1", "xn--localhost-", "127.0.0.1, evil.example"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/me", "/log-in", "/nothing"])
def test_to_no_other_name_whatever_is_asked_for(sends, host, path):
    told = sends([("Host", host)], path=path)
    assert (told.status_code, told.json()["code"]) == (421, "not-this-host")
    assert set(map(str.lower, HEADERS)) <= set(told.headers)
    assert not host or host not in told.text


def test_a_request_without_a_host_is_addressed_to_nobody(sends):
    assert sends([]).status_code == 421


@pytest.mark.parametrize("name", sorted(ONCE - {b"host"}))
def test_a_header_that_means_something_stands_once(sends, name):
    told = sends([("Host", "localhost"), (name.decode(), "1"), (name.decode(), "1")])
    assert (told.status_code, told.json()["code"]) == (422, "not-fitting")
    two_hosts = sends([("Host", "localhost"), ("Host", "evil.example")])
    assert two_hosts.status_code == 422


@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/me", "/log-in", "/nothing"])
def test_over_tls_browsers_are_told_to_stay_there(sends, path):
    told = sends([("Host", "localhost")], path=path, scheme="https")
    assert told.headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in sends([("Host", "localhost")], path=path).headers
    assert set(map(str.lower, HEADERS)) <= set(told.headers)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://gate:1"}, 403),
        ({"Origin": "http://gate"}, 200),
        ({"Origin": "null"}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 200),
        ({}, 200),
    ],
)
def test_a_log_in_does_not_come_from_another_site(door, headers, status):
    told = door.posts("/log-in", {"name": "ann", "password": PASSWORD}, headers=headers)
    assert told.status_code == status, told.text


def test_names_of_hosts_are_checked_when_the_file_is_read():
    assert (
        settings_from_table({"tables": TABLES, "hosts": ["gate.example.org", "10.0.0.7"]})
        .hosts[0]
        .startswith("gate")
    )
    for wrong in (["https://gate.example.org"], ["gate.example.org:8417"], [7], ["*"], {"a": 1}):
        with pytest.raises(PolicyError, match="hosts"):
            settings_from_table({"tables": TABLES, "hosts": wrong})


@pytest.mark.parametrize("where", ["header", "query"])
def test_a_giant_head_is_refused_also_where_it_comes_whole(sends, where):
    headers = [("host", "gate.example.org")]
    path = "/api/v1/openapi.json"
    if where == "header":
        headers.append(("x-filler", "x" * 20_000))
    else:
        path += "?" + "x" * 20_000
    answer = sends(headers, path=path)
    assert answer.status_code == 422
    assert "xxx" not in answer.text
