"""The documentation site builds without a warning, shows every page, and asks nothing of other
machines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from devtools import DevTools, chromium

import sfumato

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built in a copy: the builder keeps its cache beside what it reads."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "src", "tools"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.onnx")
        )
    shutil.copy(ROOT / "mkdocs.yml", folder)
    done = subprocess.run(
        [Path(sys.executable).with_name("zensical"), "build", "--strict"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_of_the_docs_is_in_the_menu():
    menu = set(
        re.findall(
            r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("nav:")[1]
        )
    )
    assert {page.relative_to(DOCS).as_posix() for page in DOCS.glob("**/*.md")} == menu


def test_the_first_page_shows_a_true_release():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    before, after = (_rows(text, title) for title in ("**Before**", "**After**"))
    (call,) = re.findall(r"sf\.release\(.*\)", text)
    frame = pd.DataFrame(before[1:], columns=before[0]).astype({"age": int})
    made = eval(call, {"sf": sfumato, "df": frame})
    assert made.outcome == "pass"
    assert list(made.frame.columns) == after[0]
    assert sorted(made.frame.to_numpy().tolist()) == sorted(after[1:])


def _rows(text: str, title: str) -> list[list[str]]:
    """The cells of the table below a title."""
    lines = text.split(title)[1].split("\n\n")[1].splitlines()
    rows = [[cell.strip().replace("\\", "") for cell in line.split("|")[1:-1]] for line in lines]
    return [rows[0], *rows[2:]]


@pytest.mark.long("it builds the whole site; test_pages.py stays")
def test_every_name_of_the_package_is_in_the_reference(site):
    written = (site / "reference" / "python.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="sfumato\.[\w.]*?(\w+)"', written))
    assert set(sfumato.__all__) - {"models"} <= anchors


@pytest.mark.long("it builds the whole site; test_pages.py stays")
def test_no_page_asks_anything_of_another_machine(site):
    for page in site.glob("**/*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//', text), page.name
        assert not re.findall(
            r'<link[^>]+rel="(?:stylesheet|preload|preconnect)"[^>]+href="(?:https?:)?//', text
        ), page.name


ASKED = {
    "how-to/install-and-get-started": ("install", "getting started", "quick start"),
    "how-to/k-anonymise-a-data-frame": (
        "anonymize pandas",
        "k-anonymous data",
        "anonymise data frame",
        "anonymize dataframe",
        "k-anonymity python",
    ),
    "how-to/which-columns-are-risky": (
        "risky columns",
        "detect pii",
        "find personal data",
        "which columns identify people",
    ),
    "how-to/l-diversity-on-visits": (
        "l-diversity",
        "longitudinal data",
        "l-diversity visits",
        "repeated measurements",
    ),
    "how-to/release-a-postgresql-database": (
        "postgres",
        "anonymize database",
        "release database",
        "postgres release",
    ),
    "how-to/scrub-a-folder-of-letters": (
        "de-identify letters",
        "redact text",
        "clinical notes",
        "remove names from letters",
        "anonymize text",
    ),
    "how-to/put-a-gate-in-front-of-a-csv": (
        "query private data",
        "differential privacy sql",
        "gate csv",
        "query gate csv",
        "noisy counts",
        "sql over private data",
    ),
    "how-to/check-somebodys-release": (
        "check release",
        "audit release",
        "somebody sent",
        "check a release",
        "check whether data is anonymous",
    ),
    "how-to/run-a-review-board": ("run a review board",),
    "how-to/choose-k-l-and-t": ("choose k", "choose k l and t", "which k", "what value of k"),
    "how-to/compare-two-policies": (
        "compare policies",
        "risk utility",
        "trade-off",
        "compare settings",
    ),
    "how-to/make-synthetic-rows": ("synthetic data", "generate fake data", "synthetic rows"),
    "how-to/prove-it-to-a-board": (
        "review board",
        "ethics committee",
        "compliance report",
        "ethics board report",
        "dpia",
    ),
    "people": ("several rows per person",),
    "verify": ("verify release", "verify a release"),
    "several-tables": ("several tables", "linked tables", "foreign keys"),
    "identifiers": ("pseudonymize ids", "shift dates"),
    "hierarchies": ("generalization hierarchy",),
    "commands": ("command line options",),
    "tables-of-counts": (
        "tables of counts",
        "cell suppression",
        "frequency table",
        "census tables",
    ),
    "views": ("views per role", "database views", "who may read which columns"),
    "register": ("register of releases", "multiple releases", "data releases log"),
    "synthesis": ("private synthesis", "dp synthesis"),
    "accounting": ("privacy budget", "privacy account"),
    "advice": ("keep more columns", "advice", "too much information lost"),
    "assess/synthetic": ("assess synthetic data", "is synthetic data private"),
    "papers": ("paper figure", "reproduce the paper"),
}
"""What a newcomer would type, by the page that answers it."""
FIRST = 3

_SEARCH = """
(() => {
  const index = %s, asked = %s, hits = {};
  const source = new Blob([%s], {type: "text/javascript"});
  const worker = new Worker(URL.createObjectURL(source));
  const ask = () => worker.postMessage({type: 2, data: {
    input: asked[Object.keys(hits).length],
    filter: {
      input: {type: "operator", data: {operator: "and", operands: []}},
      aggregation: {input: [{type: "term", data: {field: "tags"}}]},
    },
  }});
  worker.onmessage = ({data: {type, data}}) => {
    if (type === 3) {
      hits[asked[Object.keys(hits).length]] = data.items.map(({id}) => index.items[id].location);
    }
    if (type !== 4 && Object.keys(hits).length < asked.length) ask();
    else window.hits = hits;
  };
  worker.postMessage({type: 0, data: index});
})()
"""
"""The site's own search, asked as its pages ask it; the numbers are its messages: index, query and
result, and 4 where it broke."""


@pytest.fixture(scope="module")
def hits(site, tmp_path_factory) -> dict[str, list[str]]:
    """The addresses that the site's own search finds, in its order."""
    program = chromium()
    if not program:
        pytest.skip("no chromium on PATH and $SFUMATO_CHROMIUM is not set: nothing was searched")
    (worker,) = site.glob("assets/javascripts/workers/search.*.js")
    asked = [words for each in ASKED.values() for words in each]
    index = (site / "search.json").read_text(encoding="utf-8")
    browser = DevTools(program, tmp_path_factory.mktemp("browser"))
    source = worker.read_text(encoding="utf-8")
    browser.run(_SEARCH % (index, json.dumps(asked), json.dumps(source)))
    browser.wait("window.hits")
    found = browser.run("window.hits")
    browser.close()
    return found


@pytest.mark.long("it builds the whole site; test_pages.py stays")
@pytest.mark.parametrize(
    ("page", "words"), [(page, words) for page, each in ASKED.items() for words in each]
)
def test_the_search_finds_the_page_of_a_task(hits, page, words):
    """A hit may be a section of the page."""
    found = [address.partition("#")[0] for address in hits[words][:FIRST]]
    assert f"{page}.html" in found


def test_every_task_is_searched_for():
    tasks = {f"how-to/{page.stem}" for page in (DOCS / "how-to").glob("*.md")}
    assert tasks <= ASKED.keys()
