"""A gate served in a thread, and somebody who visits its pages with a browser."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from devtools import DevTools, chromium

from sfumato.gate.gate_opener import Gate
from sfumato.gate.pages.page_list import HOME
from sfumato.gate.server import serve_gate
from sfumato.gate.web.authentication import COOKIE

PASSWORD = "correct horse battery"
KEYS = {"ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9, " ": 32}


@contextmanager
def served(gate: Gate) -> Iterator[str]:
    """A gate's doors open in a thread; where its pages are."""
    told: list[str] = []
    loop, there, leave = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    def say(addresses: Any) -> None:
        told.append(addresses.http)
        there.set()

    thread = threading.Thread(
        target=lambda: loop.run_until_complete(serve_gate(gate, told=say, ends=leave.wait))
    )
    thread.start()
    try:
        assert there.wait(600), "the gate did not open"
        yield told[0]
    finally:
        loop.call_soon_threadsafe(leave.set)
        thread.join(600)
        loop.close()


class Visitor:
    """Somebody at the pages: they type, click, and read what is there."""

    def __init__(self, tools: DevTools, site: str, gate: Gate) -> None:
        self.tools, self.site, self.gate = tools, site, gate

    def goes(self, path: str) -> None:
        self.tools.ask("Page.navigate", url=self.site + path)
        self.waits(
            f"location.pathname === {json.dumps(path)} && document.readyState === 'complete'"
        )
        self.rests()

    def rests(self) -> None:
        self.waits("document.body !== null && !document.body.classList.contains('busy')")

    def waits(self, script: str) -> None:
        self.tools.wait(script)

    def reads(self, query: str) -> str:
        return str(self.tools.run(f"document.querySelector({json.dumps(query)})?.innerText ?? ''"))

    def counts(self, query: str) -> int:
        return int(self.tools.run(f"document.querySelectorAll({json.dumps(query)}).length"))

    def types(self, query: str, text: str) -> None:
        self.tools.run(
            f"(() => {{ const at = document.querySelector({json.dumps(query)}); "
            f"at.focus(); at.select(); }})()"
        )
        self.tools.ask("Input.insertText", text=text)

    def chooses(self, query: str, value: str) -> None:
        self.tools.run(
            f"(() => {{ const at = document.querySelector({json.dumps(query)}); at.value = "
            f"{json.dumps(value)}; "
            "for (const kind of ['input', 'change']) at.dispatchEvent(new Event(kind, "
            "{bubbles: true})); })()"
        )

    def clicks(self, query: str) -> None:
        self.waits(f"document.querySelector({json.dumps(query)})?.disabled === false")
        self.tools.click(query)
        self.rests()

    def presses(self, key: str, *, ctrl: bool = False) -> None:
        given = {
            "key": key,
            "code": key,
            "windowsVirtualKeyCode": KEYS[key],
            "modifiers": 2 if ctrl else 0,
        }
        for kind in ("rawKeyDown", "keyUp"):
            self.tools.ask("Input.dispatchKeyEvent", type=kind, **given)
        self.rests()

    def logs_in(self, name: str, password: str = PASSWORD) -> None:
        self.tools.ask("Network.clearBrowserCookies")
        self.goes("/log-in")
        self.types("#name", name)
        self.types("#password", password)
        self.tools.click("form button")
        self.waits(
            "document.readyState === 'complete' && !document.querySelector('#password')?.value"
        )
        self.waits(
            "location.pathname !== '/log-in' || document.querySelector('[role=alert]') !== null"
        )
        self.rests()

    def comes(self, name: str) -> None:
        """As if logged in already: a password is slow on purpose."""
        account = self.gate.accounts.find(name)
        assert account is not None
        self.tools.ask("Network.clearBrowserCookies")
        cookie = {"httpOnly": True, "sameSite": "Strict", "url": self.site}
        self.tools.ask(
            "Network.setCookie",
            name=COOKIE,
            value=self.gate.accounts.open_session(account),
            **cookie,
        )
        self.goes(HOME[account.right])

    def brings(self, query: str, path: Path) -> None:
        """Choose a file."""
        root = self.tools.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.tools.ask("DOM.querySelector", nodeId=root, selector=query)["nodeId"]
        self.tools.ask("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def asks(self, sql: str, button: str = "#ask") -> None:
        self.types("#sql", sql)
        self.presses("Escape")
        self.clicks(button)


def browser(folder: Path) -> Iterator[DevTools]:
    """A browser for the tests of a module, whose files are in a folder."""
    program = chromium()
    if not program:
        pytest.skip(
            "no chromium on PATH and $SFUMATO_CHROMIUM is not set: the pages were not "
            "looked at in a browser"
        )
    tools = DevTools(program, folder)
    tools.ask("Emulation.setFocusEmulationEnabled", enabled=True)
    yield tools
    tools.close()
