"""The assessment page in a real browser: every chart painted, nothing complained of, nothing asked
of the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from png_pixels import pixels
from test_report_in_browser import Browser

import sfumato
from sfumato.datasets import HOSPITAL_POLICY, write_hospital

BAND = 320


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    program = (
        os.environ.get("SFUMATO_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
    )
    if not program:
        pytest.skip(
            "no chromium on PATH and $SFUMATO_CHROMIUM is not set: the assessment was not looked at"
        )
    return Browser(program, tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("assessment")
    source = write_hospital(folder / "patients.csv", rows=500)
    policy = folder / "patients.policy.toml"
    policy.write_text(HOSPITAL_POLICY, encoding="utf-8")
    key = sfumato.Key.create_file(folder / "key")
    sfumato.release(source, to=folder / "release", key=key)
    return sfumato.assess(folder / "release", source=source, population_size=5_000).page()


def bands(browser: Browser, page: str, *, style: str = "") -> list[float]:
    """The share of painted pixels of each chart, where every chart is taken out of the flow and put
    below the last."""
    places = iter(range(page.count("<svg ")))

    def moved(_: re.Match[str]) -> str:
        at = f"position:absolute;left:0;top:{next(places) * BAND}px;width:800px;height:{BAND - 20}px;{style}"
        return f'<svg style="{at}" '

    # Nothing else is painted, and the page itself keeps its style sheets.
    hidden = (
        "body { visibility: hidden; background: #fff !important } svg { visibility: visible; "
        "background: #fff }"
    )
    alone = re.sub("<svg ", moved, page).replace("</style>", f"{hidden}</style>", 1)
    target = browser.folder / "charts.png"
    tall = page.count("<svg ") * BAND
    browser.look(
        alone,
        f"--window-size=820,{tall}",
        "--force-device-scale-factor=0.25",
        f"--screenshot={target}",
    )
    found = pixels(target.read_bytes())
    painted = (found.astype(int).max(axis=2) < 250) | (np.ptp(found.astype(int), axis=2) > 12)
    return [float(part.mean()) for part in np.array_split(painted, page.count("<svg "))]


@pytest.mark.long("a whole assessment in a browser; test_report_in_browser.py stays")
def test_the_browser_reads_the_page_as_it_was_written_and_complains_of_nothing(
    browser: Browser, page: str
):
    seen = browser.look(page, "--dump-dom")
    assert "CONSOLE" not in seen.stderr
    for part in ("section", "table", "details", "tr", "svg"):
        assert seen.stdout.count(f"<{part}") == page.count(f"<{part}")


def test_there_is_a_chart_for_every_family_and_the_lattice(page: str):
    labels = " ".join(re.findall(r'<svg [^>]*aria-label="([^"]*)"', page))
    assert page.count("<svg ") >= 9
    assert "Lattice of" in labels


@pytest.mark.long("a whole assessment in a browser; test_report_in_browser.py stays")
def test_every_chart_is_painted(browser: Browser, page: str):
    assert min(bands(browser, page)) > 0.005


@pytest.mark.long("a control of the browser itself; the page stays in this file")
def test_a_chart_that_is_not_painted_would_be_seen(browser: Browser, page: str):
    assert max(bands(browser, page, style="visibility:hidden;")) == 0


@pytest.mark.long("a whole assessment in a browser; test_report_in_browser.py stays")
def test_it_prints(browser: Browser, page: str):
    """As PDF: several pages, none of them lost to a box that cannot be broken."""
    target = browser.folder / "page.pdf"
    browser.look(page, f"--print-to-pdf={target}", "--no-pdf-header-footer")
    pages = len(re.findall(rb"/Type\s*/Page\b", target.read_bytes()))
    assert 6 <= pages <= 40


@pytest.mark.long("a control of the browser itself; the page stays in this file")
def test_a_script_that_got_in_would_not_run(browser: Browser, page: str):
    attacked = page.replace(
        "</main>", '<script>document.body.dataset.ran = "yes"</script></main>', 1
    )
    seen = browser.look(attacked, "--dump-dom")
    assert 'data-ran="yes"' not in seen.stdout
    assert "CONSOLE" in seen.stderr


@pytest.mark.long("a control of the browser itself; the page stays in this file")
def test_a_request_would_be_seen(browser: Browser, page: str):
    """The control of the first test: a page that asks for something says so on the console."""
    asking = page.replace("</main>", '<img src="https://example.org/x.png"></main>', 1)
    seen: subprocess.CompletedProcess[str] = browser.look(asking, "--dump-dom")
    assert "CONSOLE" in seen.stderr
