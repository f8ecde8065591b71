"""The report page in a real browser: it paints every chart, complains of nothing, and lets no
script run."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from devtools import DevTools

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "report"))

import report_example

from sfumato.report import render

CHARTS = ("bins", "chance", "levels", "usefulness", "steps")
WIDTH, HEIGHT = 1200, 6000
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
    "--enable-logging=stderr",
    "--hide-scrollbars",
    f"--window-size={WIDTH},{HEIGHT}",
)


@dataclass(frozen=True)
class Browser:
    """A headless Chromium, started anew for each look at a page."""

    program: str
    folder: Path

    def look(self, page: str, *wanted: str) -> subprocess.CompletedProcess[str]:
        path = self.folder / "page.html"
        path.write_text(page, encoding="utf-8")
        profile = f"--user-data-dir={self.folder / 'profile'}"
        # No name resolves, so a page that asked for anything would say so on the console.
        command = [
            self.program,
            *QUIET,
            "--host-resolver-rules=MAP * ~NOTFOUND",
            profile,
            *wanted,
            path.as_uri(),
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    program = (
        os.environ.get("SFUMATO_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
    )
    if not program:
        pytest.skip(
            "no chromium on PATH and $SFUMATO_CHROMIUM is not set: the report was not "
            "looked at in a browser"
        )
    return Browser(program, tmp_path_factory.mktemp("browser"))


@dataclass
class Camera:
    """One Chromium that takes all pictures, each of a page of its own."""

    tools: DevTools
    folder: Path
    taken: int = 0

    def screenshot(self, page: str) -> bytes:
        self.taken += 1
        path = self.folder / f"page-{self.taken}.html"
        path.write_text(page, encoding="utf-8")
        self.tools.open(path)
        return self.tools.screenshot()


@pytest.fixture(scope="module")
def camera(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Camera]:
    folder = tmp_path_factory.mktemp("camera")
    tools = DevTools(browser.program, folder)
    tools.ask(
        "Emulation.setDeviceMetricsOverride",
        width=WIDTH,
        height=HEIGHT,
        deviceScaleFactor=1,
        mobile=False,
    )
    yield Camera(tools, folder)
    tools.close()


@pytest.fixture(scope="module")
def page() -> str:
    return render(report_example.facts())


@pytest.fixture(scope="module")
def whole(camera: Camera, page: str) -> bytes:
    return camera.screenshot(page)


def test_the_browser_reads_the_page_as_it_was_written(browser: Browser, page: str):
    seen = browser.look(page, "--dump-dom")
    assert "CONSOLE" not in seen.stderr
    sizes = re.findall(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', seen.stdout)
    assert len(sizes) == len(CHARTS)
    assert all(float(width) > 0 and float(height) > 0 for width, height in sizes)
    for part in ("section", "table", "details", "tr"):
        assert seen.stdout.count(f"<{part}") == page.count(f"<{part}")


def test_the_screenshot_is_of_the_whole_page(whole: bytes):
    assert whole.startswith(b"\x89PNG")
    assert struct.unpack(">II", whole[16:24]) == (WIDTH, HEIGHT)


@pytest.mark.long("a browser for each chart; one chart stays", but=("bins",))
@pytest.mark.parametrize("chart", CHARTS)
def test_each_chart_is_painted(camera: Camera, page: str, whole: bytes, chart: str):
    """With one chart made invisible, its place kept, the picture is another: so the chart was in
    it."""
    hidden = page.replace("</style>", f"#{chart} svg {{ visibility: hidden }}</style>", 1)
    assert camera.screenshot(hidden) != whole


def test_looking_twice_shows_the_same(camera: Camera, page: str, whole: bytes):
    """The control of the test above: without a change the picture is the same, byte for byte."""
    assert (
        camera.screenshot(
            page.replace("</style>", "#nothing svg { visibility: hidden }</style>", 1)
        )
        == whole
    )


def test_a_script_that_got_in_would_not_run(browser: Browser, page: str):
    """The page's own policy stops it, and says so on the console: what the first test looks for is
    really seen."""
    attacked = page.replace(
        "</main>", '<script>document.body.dataset.ran = "yes"</script></main>', 1
    )
    seen = browser.look(attacked, "--dump-dom")
    assert 'data-ran="yes"' not in seen.stdout
    assert "CONSOLE" in seen.stderr
