"""The files that pages are made of: they name no other site, keep nothing, and never make markup
from a string."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from markup_read import Page

from sfumato.gate.pages.page_endpoints import TYPES, assets
from sfumato.gate.pages.page_frame import part
from sfumato.gate.pages.page_list import ROOMS

FILES = {name: content.decode("utf-8") for name, content in assets().items()}
SCRIPTS = sorted(name for name in FILES if name.endswith(".js"))
NAMESPACE = "http://www.w3.org/2000/svg"
FORBIDDEN = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "DOMParser", "eval(",
    "new Function", "localStorage", "sessionStorage", "indexedDB", "document.cookie", "sendBeacon", "WebSocket",
    "EventSource", "XMLHttpRequest", "console.", "pushState", "replaceState", "location.hash", "location.search",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(FILES))
def test_no_file_names_another_site(name):
    text = FILES[name].replace(NAMESPACE, "")
    assert not re.search(r"https?:|//[a-z0-9-]+\.[a-z]|@import|url\(", text.replace("// ", ""))
    assert name.rpartition(".")[2] in TYPES


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_markup_of_words_or_keeps_anything(name):
    assert [each for each in FORBIDDEN if each in FILES[name]] == []
    assert all(made in FILES for made in re.findall(r'from "\./([^"]+)"', FILES[name]))
    assert not re.search(r'from "(?!\./)', FILES[name])


def test_only_one_module_asks_and_only_of_the_api():
    asking = {name for name in SCRIPTS if "fetch(" in FILES[name]}
    assert asking == {"gate.js"}
    assert re.findall(r"fetch\((.*?),", FILES["gate.js"]) == ["`/api/v1${path}`"]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_what_a_rooms_script_looks_for_is_there(room):
    ids = set(Page(part(room.name)).ids()) | {"said", "refusal", "main", "log-out"}
    wanted = set(re.findall(r'\b(?:one|all)\("#([\w-]+)', FILES[f"{room.name}.js"]))
    assert wanted <= ids
    assert "refusal" in Page(part(room.name)).ids()


def test_every_script_is_used():
    used = {f"{room.name}.js" for room in ROOMS}
    for _ in SCRIPTS:
        used |= {made for name in used for made in re.findall(r'from "\./([^"]+)"', FILES[name])}
    assert used == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_can_be_read(name, tmp_path):
    node = shutil.which("node")
    if not node:
        pytest.skip("no node on PATH: scripts are read in the browser's test")
    path = tmp_path / name.replace(".js", ".mjs")
    path.write_text(FILES[name], encoding="utf-8")
    subprocess.run([node, "--check", str(path)], check=True, capture_output=True)


def _luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    whole = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(whole[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _colours() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\n *\}", FILES["gate.css"], re.DOTALL)[:2]
    read = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block)) for block in (light, dark)]
    return {"light": read[0], "dark": {**read[0], **read[1]}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_and_edges_be_seen(scheme):
    """WCAG 2.2, AA: 4.5 to 1 for words, 3 to 1 for the edges of controls."""
    colours = _colours()[scheme]
    words = [
        *((ink, paper) for ink in ("ink", "soft", "tint") for paper in ("paper", "card", "shade")),
        ("press-ink", "press"), ("good", "card"), ("bad", "card"), ("protected", "paper"), ("good", "paper"),
        *((name, f"{name}-bg") for name in ("good", "odd", "bad", "known", "protected", "never")),
        *(("ink", f"{name}-bg") for name in ("good", "odd", "bad")),
    ]  # fmt: skip
    assert {
        pair: contrast(*map(colours.__getitem__, pair))
        for pair in words
        if _low(colours, pair, 4.5)
    } == {}
    edges = [("edge", paper) for paper in ("paper", "card")]
    assert {
        pair: contrast(*map(colours.__getitem__, pair))
        for pair in edges
        if _low(colours, pair, 3.0)
    } == {}


def _low(colours: dict[str, str], pair: tuple[str, str], least: float) -> bool:
    return contrast(*map(colours.__getitem__, pair)) < least


def test_the_sheet_knows_dark_narrow_print_and_forced_colours():
    for media in (
        "prefers-color-scheme: dark",
        "max-width",
        "print",
        "forced-colors",
        "prefers-reduced-motion",
    ):
        assert re.search(rf"@media [^{{]*{media}", FILES["gate.css"])
