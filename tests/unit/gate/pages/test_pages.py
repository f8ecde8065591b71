"""Every page: what a screen reader needs, what a browser may load, and for whom it is."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import httpx
import pytest
from doors import PASSWORD, a_door
from markup_read import Page

from sfumato.gate.accounts import Right
from sfumato.gate.administration import LOOK_AFTER
from sfumato.gate.pages.page_endpoints import POLICY, assets
from sfumato.gate.pages.page_list import HOME, ROOMS, rooms_of
from sfumato.gate.web.authentication import COOKIE

EVIL = "<script>alert('1')</script>"
WHO = {
    Right.RECIPIENT: "ann",
    Right.STEWARD: "stella",
    Right.ADMINISTRATOR: "adam",
    Right.BOARD: "bo",
}
PATHS = ["/log-in", *(room.path for room in ROOMS)]


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with a_door(tmp_path_factory.mktemp("door")) as door:
        door.add("bo", Right.BOARD)
        door.add(EVIL, Right.RECIPIENT)
        yield door


def session_of(door, name: str) -> str:
    account = door.gate.accounts.find(name)
    return door.gate.accounts.open_session(account)


def sends(door, method: str, path: str, *, who: str = "", **given) -> httpx.Response:
    async def sent() -> httpx.Response:
        cookies = {COOKIE: session_of(door, who)} if who else {}
        transport = httpx.ASGITransport(door.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://gate", cookies=cookies
        ) as client:
            return await client.request(method, path, **given)

    return asyncio.run(sent())


def seen(door, path: str) -> httpx.Response:
    """A page as somebody sees it who may."""
    rights = next((room.rights for room in ROOMS if room.path == path), None)
    response = sends(door, "GET", path, who=WHO[sorted(rights)[0]] if rights else "")
    assert response.status_code == 200
    return response


@pytest.mark.parametrize("path", PATHS)
def test_a_gate_of_one_person_says_so_on_every_page(door, path):
    says = "One person looks after this gate"
    assert says not in seen(door, path).text
    others = [account for account in door.gate.accounts.all() if account.right in LOOK_AFTER]
    for account in others:
        door.gate.accounts.change(replace(account, disabled=True))
    try:
        who = WHO[
            sorted(
                next(
                    (room.rights for room in ROOMS if room.path == path),
                    frozenset((Right.RECIPIENT,)),
                )
            )[0]
        ]
        alone = next((account for account in others if account.name == who), None)
        if alone:
            door.gate.accounts.change(alone)
        page = sends(door, "GET", path, who=who if path != "/log-in" else "")
        assert (page.status_code, says in page.text) == (200, True)
        assert says in sends(door, "GET", "/log-in").text
        assert says in sends(door, "GET", "/audit", who="ann").text
    finally:
        for account in others:
            door.gate.accounts.change(account)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_a_language_a_title_landmarks_and_one_heading(door, path):
    page = Page(seen(door, path).text)
    (html,) = page.all("html")
    (title,) = page.all("title")
    assert html.given["lang"] == "en"
    assert title.text.endswith("Sfumato's gate")
    assert len(title.text) > len(" · Sfumato's gate")
    assert [len(page.all(name)) for name in ("h1", "main", "header", "footer")] == [1, 1, 1, 1]
    skip = page.all("a")[0]
    assert skip.given["href"] == f"#{page.all('main')[0].given['id']}"
    assert any(each.given.get("aria-live") == "polite" for each in page.elements)
    assert len(page.all("nav")) == (path != "/log-in")


@pytest.mark.parametrize("path", PATHS)
def test_every_control_has_a_name_and_every_reference_leads_somewhere(door, path):
    page = Page(seen(door, path).text)
    ids = page.ids()
    assert len(ids) == len(set(ids))
    labelled = {label.given["for"] for label in page.all("label") if "for" in label.given}
    assert labelled <= set(ids)
    for each in page.all("input", "select", "textarea", "output"):
        assert each.given.get("id") in labelled or each.within("label"), each
    for button in page.all("button"):
        assert button.text.strip() or button.given.get("aria-label")
    for each in page.elements:
        for name in ("aria-controls", "aria-labelledby", "aria-describedby"):
            assert set(each.given.get(name, "").split()) <= set(ids), each
    for section in page.all("section", "aside"):
        assert section.given.get("aria-labelledby")
    legends = {legend.above for legend in page.all("legend")}
    assert set(page.all("fieldset")) == legends


@pytest.mark.parametrize("path", PATHS)
def test_a_page_loads_our_files_alone_and_has_no_script_in_it(door, path):
    response = seen(door, path)
    page = Page(response.text)
    assert response.headers["content-security-policy"] == POLICY
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["referrer-policy"] == "no-referrer"
    for each in page.elements:
        assert not any(name.startswith("on") or name == "style" for name in each.given), each
        for name in ("src", "href", "action"):
            assert each.given.get(name, "/").startswith(("/", "#"))
            assert not each.given.get(name, "").startswith("//")
    assert all(script.given.get("src") and not script.text.strip() for script in page.all("script"))
    assert not page.all("style", "iframe", "object", "embed", "img")
    for link in [*page.all("link"), *page.all("script")]:
        assert (link.given.get("href") or link.given["src"]).removeprefix("/assets/") in assets()


def test_the_policy_lets_nothing_in_from_elsewhere():
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert rules["default-src"] == "'none'"
    assert {rules[f"{kind}-src"] for kind in ("script", "style", "img", "connect")} == {"'self'"}
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert (rules["frame-ancestors"], rules["base-uri"], rules["form-action"]) == (
        "'none'",
        "'none'",
        "'self'",
    )


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_rooms_are_for_whom_they_are(door, room):
    assert sends(door, "GET", room.path).headers["location"] == "/log-in"
    for right, who in WHO.items():
        response = sends(door, "GET", room.path, who=who)
        assert response.status_code == (200 if right in room.rights else 403)
        links = {each.given["href"] for each in Page(response.text).all("a")}
        mine = {other.path for other in rooms_of(door.gate.accounts.find(who))}
        assert links & {other.path for other in ROOMS} == mine
    for right, path in HOME.items():
        assert sends(door, "GET", "/", who=WHO[right]).headers["location"] == path


def test_a_program_with_a_token_gets_no_page(door):
    token = {"Authorization": f"Bearer {door.token('ann')}"}
    assert sends(door, "GET", "/ask", headers=token).headers["location"] == "/log-in"


def test_names_are_escaped(door):
    response = sends(door, "GET", "/ask", who=EVIL)
    assert EVIL not in response.text
    assert "&lt;script&gt;" in response.text
    page = Page(response.text)
    assert page.all("body")[0].given["data-who"] == EVIL
    assert len(page.all("script")) == 1


def test_the_log_in_needs_no_script(door):
    form = {"name": (None, "ann"), "password": (None, PASSWORD)}
    response = sends(door, "POST", "/log-in", files=form)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "<noscript>" in seen(door, "/log-in").text


def test_a_wrong_password_is_told_and_not_shown_again(door):
    form = {"name": (None, EVIL), "password": (None, "my real password")}
    response = sends(door, "POST", "/log-in", files=form)
    assert response.status_code == 401
    assert "set-cookie" not in response.headers
    page = Page(response.text)
    (alert,) = [each for each in page.elements if each.given.get("role") == "alert"]
    assert alert.text.startswith("The log-in failed.")
    assert (
        next(each for each in page.all("input") if each.given["id"] == "name").given["value"]
        == EVIL
    )
    assert "my real password" not in response.text
    assert not page.all("script")


def test_a_log_in_from_another_site_is_refused(door):
    form = {"name": (None, "ann"), "password": (None, PASSWORD)}
    response = sends(door, "POST", "/log-in", files=form, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


def test_the_token_for_changes_is_the_sessions_own(door):
    texts = [sends(door, "GET", "/ask", who="ann").text for _ in range(2)]
    tokens = {re.search('data-changes="([0-9a-f]{40})"', text)[1] for text in texts}
    assert len(tokens) == 2


def test_files_are_kept_by_a_browser_until_they_change(door):
    first = sends(door, "GET", "/assets/gate.css")
    again = sends(door, "GET", "/assets/gate.css", headers={"If-None-Match": first.headers["etag"]})
    assert first.headers["content-type"].startswith("text/css")
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["cache-control"] == "no-cache"
    for name in ("nothing.js", "../serving.py", "%2e%2e/serving.py", "..%2fserving.py"):
        assert sends(door, "GET", f"/assets/{name}").status_code == 404
