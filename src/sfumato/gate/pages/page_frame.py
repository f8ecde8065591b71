"""The frame of every page: the head, the account, the links to the other rooms, a place for
messages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

from sfumato.report import Html, html, join, tag

from ..accounts import GateAccount
from ..web.authentication import for_changes
from .page_list import Room, rooms_of

SITE: Final = "Sfumato's gate"


def part(name: str) -> Html:
    """A part of a page as its file has it. It holds no data, so that nothing in it needs to be
    escaped."""
    return Html((files(__package__) / "parts" / f"{name}.html").read_text(encoding="utf-8"))


def room_page(
    room: Room, account: GateAccount, session: str, *, notice: str = "", register: bool = False
) -> str:
    """A room for somebody who may enter it. The token for changes is theirs and is in their page
    alone."""
    return _page(
        title=room.title,
        lead=room.lead,
        around=_around(account, room, register=register),
        body=join([_without_script(), part(room.name)]),
        script=tag("script", type="module", src=f"/assets/{room.name}.js"),
        facts={
            "data-changes": for_changes(session),
            "data-right": account.right.value,
            "data-who": account.name,
        },
        notice=notice,
    )


def other_page(
    title: str,
    lead: str,
    body: Html,
    *,
    account: GateAccount | None = None,
    notice: str = "",
    register: bool = False,
) -> str:
    """A page without a script: the log-in, or why somebody may not enter a room."""
    around = _around(account, None, register=register) if account else Html("")
    return _page(title=title, lead=lead, around=around, body=body, notice=notice)


def log_in_page(*, refused: str = "", name: str = "", notice: str = "") -> str:
    """The log-in, which needs no script; `refused` is why one has to do it again."""
    told = tag("p", refused, role="alert", class_="refusal", id="refused") if refused else Html("")
    named = tag(
        "input",
        id="name",
        name_="name",
        value=name,
        autocomplete="username",
        maxlength="100",
        required="true",
    )
    form = Template(part("log-in")).substitute(name=named)
    body = join([told, Html(form), _without_script()])
    return other_page(
        "Log in",
        "Ask a private table, and get the answers that your profile allows.",
        body,
        notice=notice,
    )


def not_here_page(account: GateAccount, *, notice: str = "", register: bool = False) -> str:
    """For somebody whose account may not enter a room."""
    said = f"Your account has the right “{account.right.value}”, and this page is for others."
    body = tag("p", "The menu above lists your pages.")
    return other_page(
        "Not for this account", said, body, account=account, notice=notice, register=register
    )


def _page(
    *,
    title: str,
    lead: str,
    around: Html,
    body: Html,
    script: Html | None = None,
    facts: dict[str, str] | None = None,
    notice: str = "",
) -> str:
    told = join([Html(f' {name}="{html(value)}"') for name, value in (facts or {}).items()])
    return _layout().substitute(
        title=html(title),
        site=html(SITE),
        lead=html(lead),
        around=around,
        body=body,
        script=script or "",
        facts=told,
        notice=tag("p", notice, class_="notice", role="note") if notice else "",
    )


@cache
def _layout() -> Template:
    return Template(part("page"))


def _around(account: GateAccount, here: Room | None, *, register: bool) -> Html:
    links = [
        tag("li", tag("a", room.title, href=room.path, aria_current="page" if room is here else ""))
        for room in rooms_of(account, register=register)
    ]
    who = tag(
        "p",
        tag("span", account.name, class_="name"),
        " ",
        tag("span", account.right.value, class_="badge"),
    )
    out = tag("button", "Log out", id="log-out", type="button") if here else Html("")
    return join([
        tag("nav", tag("ul", *links), aria_label="Pages of the gate"),
        tag("div", who, out, class_="who"),
    ])  # fmt: skip


def _without_script() -> Html:
    return part("without-script")
