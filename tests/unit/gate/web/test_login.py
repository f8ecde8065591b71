"""Coming in: passwords, cookies, tokens, and requests that only look like one's own."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from doors import PASSWORD, a_door

from sfumato.gate.audit import entries
from sfumato.gate.limits import FROM_ONE_PLACE

ANN = {"name": "ann", "password": PASSWORD}


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with a_door(tmp_path_factory.mktemp("door")) as door:
        yield door


def in_a_browser(door, *steps):
    """What a browser, which keeps its cookies, is answered at each step."""

    async def walk():
        transport = httpx.ASGITransport(door.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://gate/api/v1") as browser:
            return [await step(browser) for step in steps]

    return asyncio.run(walk())


def logging_in(browser):
    return browser.post("/log-in", json=ANN)


def test_a_session_is_a_cookie_that_pages_cannot_read(door):
    came, me = in_a_browser(door, logging_in, lambda browser: browser.get("/me"))
    cookie = came.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    assert me.json() == came.json()
    assert me.json()["right"] == "recipient"


def test_a_cookie_is_only_sent_encrypted_where_there_is_encryption(door):
    async def over_tls():
        transport = httpx.ASGITransport(door.app)
        async with httpx.AsyncClient(
            transport=transport, base_url="https://gate/api/v1"
        ) as browser:
            return await logging_in(browser)

    assert "secure" in asyncio.run(over_tls()).headers["set-cookie"].lower()


def test_a_wrong_password_and_a_name_that_nobody_has_are_told_alike(door):
    wrong = door.posts("/log-in", {**ANN, "password": "something else"})
    nobody = door.posts("/log-in", {"name": "hunter2 is my password", "password": "x"})
    assert (wrong.status_code, wrong.json()) == (nobody.status_code, nobody.json())
    assert wrong.status_code == 401
    failed = [entry for entry in entries(door.gate.audit.path) if entry["kind"] == "log-in failed"]
    assert [entry["who"] for entry in failed[-2:]] == ["ann", "a name that nobody has"]
    assert "hunter2" not in door.gate.audit.path.read_text()


def test_a_change_needs_the_token_that_only_our_pages_can_read(door):
    async def asks(browser, **headers):
        return await browser.post("/ask", json={"sql": "SELECT age FROM people"}, headers=headers)

    async def asks_with_the_token(browser):
        told = (await browser.get("/me")).json()["token_for_changes"]
        return await asks(browser, **{"X-Sfumato-Changes": told})

    _, bare, guessed, right, elsewhere = in_a_browser(
        door,
        logging_in,
        asks,
        lambda browser: asks(browser, **{"X-Sfumato-Changes": "0" * 40}),
        asks_with_the_token,
        lambda browser: asks(browser, **{"Sec-Fetch-Site": "cross-site"}),
    )
    assert [bare.status_code, guessed.status_code, elsewhere.status_code] == [403, 403, 403]
    assert bare.json()["code"] == "not-from-here"
    assert right.status_code == 200


def test_another_site_cannot_log_a_browser_in(door):
    told = door.posts("/log-in", ANN, headers={"Sec-Fetch-Site": "cross-site"})
    assert told.status_code == 403
    assert "set-cookie" not in told.headers


def test_logging_out_ends_the_session_everywhere(door):
    async def leaves(browser):
        told = (await browser.get("/me")).json()["token_for_changes"]
        kept = dict(browser.cookies)
        out = await browser.post("/log-out", headers={"X-Sfumato-Changes": told})
        browser.cookies.update(kept)
        return out, await browser.get("/me")

    _, (out, after) = in_a_browser(door, logging_in, leaves)
    assert (out.status_code, after.status_code) == (204, 401)


def test_tokens_for_programs_are_made_by_people_listed_and_ended(door):
    async def walk(browser):
        told = {"X-Sfumato-Changes": (await browser.get("/me")).json()["token_for_changes"]}
        made = await browser.post("/tokens", json={"name": "nightly", "days": 30}, headers=told)
        listed = await browser.get("/tokens")
        return told, made, listed

    _, (_, made, listed) = in_a_browser(door, logging_in, walk)
    token, number = made.json()["token"], made.json()["id"]
    assert made.status_code == 201
    (told,) = [each for each in listed.json()["tokens"] if each["name"] == "nightly"]
    assert set(told) == {"id", "name", "ends"}
    bearer = {"Authorization": f"Bearer {token}"}
    assert door.gets("/me", headers=bearer).json()["name"] == "ann"
    assert door.posts("/tokens", {"name": "another", "days": 1}, headers=bearer).status_code == 403
    assert door.sends("DELETE", f"/tokens/{number}", headers=bearer).status_code == 204
    assert door.gets("/me", headers=bearer).status_code == 401
    assert door.sends("DELETE", f"/tokens/{number}", who="ann").status_code == 404


@pytest.mark.parametrize("given", ["Bearer nonsense", "Bearer", "Basic YTpi", "Bearer \N{SNOWMAN}"])
def test_a_token_that_is_none_is_refused(door, given):
    told = door.gets("/me", headers={"Authorization": given.encode()})
    assert told.status_code == 401
    assert told.headers["www-authenticate"].startswith("Bearer")


def test_an_account_that_was_disabled_is_out_at_once(door):
    from dataclasses import replace

    from sfumato.gate.accounts import Right

    door.add("zoe", Right.RECIPIENT)
    bearer = {"Authorization": f"Bearer {door.token('zoe')}"}
    assert door.gets("/me", headers=bearer).status_code == 200
    door.gate.accounts.change(replace(door.gate.accounts.find("zoe"), disabled=True))
    assert door.gets("/me", headers=bearer).status_code == 401
    assert door.posts("/log-in", {**ANN, "name": "zoe"}).status_code == 401


def test_who_knows_the_password_is_not_slowed_down(tmp_path, monkeypatch):
    with a_door(tmp_path) as door:
        monkeypatch.setattr(
            type(door.gate.accounts), "check", lambda self, name, _: self.find(name)
        )
        told = [door.posts("/log-in", ANN) for _ in range(FROM_ONE_PLACE + 2)]
    assert {each.status_code for each in told} == {200}


def test_guessing_is_slowed_down_before_passwords_are_checked(tmp_path, monkeypatch):
    checked = []
    with a_door(tmp_path) as door:
        usual = door.gate.accounts.check
        monkeypatch.setattr(
            type(door.gate.accounts), "check", lambda self, *a: checked.append(a) or usual(*a)
        )
        told = [
            door.posts("/log-in", {**ANN, "password": "guess"}) for _ in range(FROM_ONE_PLACE + 1)
        ]
    assert [each.status_code for each in told] == [401] * FROM_ONE_PLACE + [429]
    assert int(told[-1].headers["retry-after"]) >= 1
    assert len(checked) == FROM_ONE_PLACE
