"""A browser that is spoken to over two pipes, in the DevTools protocol: keys, clicks, downloads.
Nothing to install."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--window-size=1200,900",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)
PATIENCE = 300.0
_LAUNCH = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""The browser reads from descriptor 3 and writes to 4: a process between arranges that."""


def chromium() -> str | None:
    return (
        os.environ.get("SFUMATO_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
    )


class DevTools:
    """One headless Chromium with one page. Downloads land in `folder`; what the console says is
    kept."""

    def __init__(self, program: str, folder: Path) -> None:
        down_read, self._write = os.pipe()
        self._read, up_write = os.pipe()
        profile = f"--user-data-dir={folder / 'profile'}"
        command = [
            sys.executable,
            "-c",
            _LAUNCH,
            str(down_read),
            str(up_write),
            program,
            *QUIET,
            profile,
            "about:blank",
        ]
        self._process = subprocess.Popen(
            command,
            pass_fds=(down_read, up_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(down_read)
        os.close(up_write)
        self._buffer, self._last, self._session = b"", 0, ""
        self.console: list[str] = []
        self.requests: list[str] = []
        self.downloads = folder / "downloads"
        self.downloads.mkdir(exist_ok=True)
        try:
            self._greet()
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def _greet(self) -> None:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])

    def open(self, page: Path) -> None:
        self.ask("Page.navigate", url=page.as_uri())
        self.wait(
            "document.readyState === 'complete' && "
            f"location.href.startsWith({json.dumps(page.as_uri())})"
        )

    def run(self, script: str) -> Any:
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, script: str) -> None:
        until = time.monotonic() + PATIENCE
        while not self.run(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                **({"text": key} if len(key) == 1 else {}),
            )

    def click(self, query: str) -> None:
        self.run(f"document.querySelector({json.dumps(query)}).click()")

    def downloaded(self) -> Path:
        """The one file that was downloaded since the last call, once it is whole."""
        until = time.monotonic() + PATIENCE
        while True:
            files = [
                path
                for path in self.downloads.iterdir()
                if path.suffix != ".crdownload" and path.stat().st_size
            ]
            if files:
                return files[0].rename(self.downloads.parent / files[0].name)
            assert time.monotonic() < until, "nothing was downloaded"
            time.sleep(0.02)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.ask("Page.captureScreenshot")["data"])

    def close(self) -> None:
        self.ask("Browser.close")
        self._process.wait(timeout=PATIENCE)
        os.close(self._write)
        os.close(self._read)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            more = os.read(self._read, 1 << 20)
            assert more, "the browser went away"
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        told = dict(json.loads(message))
        if told.get("method") in (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ):
            self.console.append(json.dumps(told["params"]))
        if told.get("method") == "Network.requestWillBeSent":
            self.requests.append(told["params"]["request"]["url"])
        return told
