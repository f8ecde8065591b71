"""The gate's pages in a real browser: the ways of a recipient, a steward, an administrator and the
board."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from devtools import DevTools

pytest.importorskip(
    "uvicorn", reason="the extra 'gate' is not installed: its pages were not looked at in a browser"
)
sys.path[:0] = [
    str(Path(__file__).parents[1] / "unit" / "gate"),
    str(Path(__file__).parents[1] / "unit/gate/web"),
]

# ruff: noqa: E402 - what small gates and their accounts are made with stands with the gate's own
# tests
from doors import _account
from gate_visitor import PASSWORD, Visitor, browser, served
from gates import POLICY, a_gate, people

from sfumato.gate.accounts import Right
from sfumato.gate.administration import decide, propose
from sfumato.gate.gate_opener import Gate
from sfumato.gate.pages.page_list import ROOMS, Room
from sfumato.gate.settings import Budget, Mode, Terms, ValidationTerms

EVIL = "<script>document.body.dataset.ran = 'yes'</script><img src=x onerror=alert(1)>"
ACCOUNTS = {
    "ann": Right.RECIPIENT, "bea": Right.RECIPIENT, "stella": Right.STEWARD, "adam": Right.ADMINISTRATOR,
    "bo": Right.BOARD,
}  # fmt: skip
TERMS = Terms(
    mode=Mode.EITHER,
    budget=Budget(query=0.25, person=1.0, table=10.0),
    validation=ValidationTerms(allowed=True),
)
ROWS = "SELECT age, town, sex, test FROM people"
CONTROLS = {
    "button",
    "textbox",
    "combobox",
    "checkbox",
    "radio",
    "link",
    "tab",
    "searchbox",
    "spinbutton",
    "img",
}


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    rows = [{**row, "test": EVIL if row["test"] else "none"} for row in people(600)]
    with a_gate(tmp_path_factory.mktemp("gate"), rows, policy=POLICY, terms=TERMS) as gate:
        for name, right in ACCOUNTS.items():
            gate.accounts.change(_account(name, right))
        yield replace(gate, settings=replace(gate.settings, http_port=0, wire_port=0))


@pytest.fixture(scope="module")
def site(gate: Gate) -> Iterator[str]:
    with served(gate) as address:
        yield address


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevTools]:
    yield from browser(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def visitor(tools: DevTools, site: str, gate: Gate) -> Iterator[Visitor]:
    tools.console.clear()
    tools.requests.clear()
    visitor = Visitor(tools, site, gate)
    yield visitor
    tools.wait(
        "document.readyState === 'complete'"
    )  # A test may end while a page is still loading.
    assert visitor.tools.run("document.body.dataset.ran ?? ''") == "", "a cell ran as a script"
    assert [
        url for url in tools.requests if not url.startswith((site, "blob:", "about:", "data:"))
    ] == []
    assert [
        line
        for line in tools.console
        if "Failed to load resource" not in line and '"verbose"' not in line
    ] == []
    assert not any(EVIL[:8] in url or "Cadiz" in url for url in tools.requests)
    assert visitor.tools.run("localStorage.length + sessionStorage.length") == 0


def test_a_wrong_password_is_told(visitor: Visitor):
    visitor.logs_in("ann", "something else entirely")
    assert "log-in failed" in visitor.reads("[role=alert]")
    assert visitor.counts("script") == 0


def test_a_recipient_asks_chooses_a_shape_and_gets_it_again(visitor: Visitor, gate: Gate):
    visitor.logs_in("ann")
    assert visitor.reads("h1") == "Ask"
    assert visitor.counts("#catalogue .fields li") == 5
    visitor.asks(ROWS, "#look")
    shapes = visitor.counts(".shape")
    assert shapes > 1
    assert visitor.counts(".lattice .choice") == shapes
    assert visitor.counts(".lattice .choice.on") == 1
    # With keys alone: an arrow chooses the next shape, the picture follows, Enter shows it.
    visitor.tools.run("document.querySelector('.shape input').focus()")
    visitor.presses("ArrowDown")
    assert visitor.tools.run("document.querySelector('.chooser').elements.shape.value") == "1"
    assert visitor.tools.run("document.querySelector('.choice.on text').textContent") == "B"
    visitor.clicks("#show-this")
    assert visitor.tools.run("document.activeElement.id") == "answer-is"
    assert "Generalised" in visitor.reads("#answer .told")
    assert "too small or too much alike" in visitor.reads("#answer .told")
    assert visitor.counts("#answer tbody tr") == 200
    assert EVIL in visitor.reads("#answer tbody")
    visitor.clicks("#csv")
    with visitor.tools.downloaded().open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert (head, len(rows)) == (["age", "town", "sex", "test", "answered_as"], 600)
    # The choice sticks, in other words too.
    visitor.asks(
        "select Age, town, sex, test from people where 1 = 1 or age > 0".replace(
            " where 1 = 1 or age > 0", ""
        )
    )
    assert "answered before" in visitor.reads("#answer .badges")


def test_suggestions_come_with_keys(visitor: Visitor):
    visitor.comes("ann")
    visitor.types("#sql", "SELECT to")
    visitor.waits("!document.querySelector('#hints').hidden")
    assert visitor.reads("#hints [aria-selected=true]").startswith("town")
    assert (
        visitor.tools.run("document.querySelector('#sql').getAttribute('aria-activedescendant')")
        == "hint-0"
    )
    visitor.presses("Tab")
    assert visitor.tools.run("document.querySelector('#sql').value") == "SELECT town"
    assert visitor.tools.run("document.activeElement.id") == "sql"
    visitor.presses(" ", ctrl=True)
    visitor.presses("Escape")
    assert visitor.counts("#hints:not([hidden])") == 0


def test_what_does_not_pass_is_told_with_its_place(visitor: Visitor):
    visitor.comes("ann")
    visitor.asks("SELECT age,\n  twon FROM people")
    assert "There is no field 'twon'. Did you mean \"town\"?" in visitor.reads("#refusal")
    assert visitor.tools.run("getSelection().toString()") == "twon"
    visitor.asks("SELECT name FROM people")
    assert "is never released" in visitor.reads("#refusal")
    assert visitor.tools.run("document.querySelector('#answer').hidden")


def test_a_form_asks_without_sql_and_noise_is_told_with_its_cost(visitor: Visitor):
    visitor.comes("bea")
    visitor.clicks("#tab-form")
    visitor.clicks("input[value=groups]")
    for name in ("town", "sex"):
        visitor.clicks(f"#of-fields input[value={name}]")
    visitor.clicks("#more")
    visitor.chooses(".condition .field-is", "age")
    visitor.chooses(".condition .operator", ">=")
    visitor.types(".condition .value", "30")
    assert visitor.reads("#as-sql").split("\n") == [
        "SELECT town, sex, COUNT(*) AS n", "FROM people", "WHERE age >= 30", "GROUP BY town, sex",
    ]  # fmt: skip
    visitor.clicks("#look")
    assert "25 % of your budget" in visitor.reads("#offer")
    assert "4 such questions remain" in visitor.reads("#offer")
    visitor.clicks("#noisy")
    assert "95 times of 100" in visitor.reads("#answer .told")
    assert visitor.counts("#answer tbody tr") == 8
    visitor.goes("/history")
    assert "25 % of your budget is spent" in visitor.reads("#budget")
    assert "3 more can be asked" in visitor.reads("#budget")
    assert visitor.counts("#budget .spent") == 1
    assert [visitor.counts("#entries tbody tr"), visitor.counts("#entries .badge.good")] == [2, 1]


@pytest.mark.long("a long walk in a browser; tests/unit/gate/web/test_query_endpoints.py stays")
def test_records_are_brought_previewed_and_linked(visitor: Visitor):
    visitor.comes("bea")
    visitor.goes("/link")
    lines = ["age;town;mine", *(f"{age};Cadiz;{EVIL}" for age in range(20, 60))]
    visitor.types("#pasted", "\n".join(lines))
    visitor.waits("document.querySelectorAll('#seen tbody tr').length === 3")
    assert "40 records" in visitor.reads("#seen")
    assert (
        visitor.tools.run(
            "[...document.querySelectorAll('#on input:checked')].map((box) => box.value).join()"
        )
        == "age,town"
    )
    visitor.clicks("#look")
    assert "No field to show" in visitor.reads("#refusal")
    visitor.clicks("#show input[value=cost]")
    visitor.clicks("#look")
    assert "Linked on age, town; shown of the same people: cost." in visitor.reads("#offer")
    assert visitor.counts(".shape") >= 1
    visitor.clicks("#show-this")
    assert visitor.reads("#answer thead").split()[:3] == ["age", "town", "cost"]
    assert visitor.counts("#answer tbody tr") > 0


@pytest.fixture(scope="module")
def refused(gate: Gate) -> str:
    """The number of a question that was not answered: the shape that was chosen is not safe."""
    from sfumato.errors import NotAnswered

    account = gate.accounts.find("ann")
    assert account is not None
    with pytest.raises(NotAnswered) as told:
        gate.keeper.ask(
            account.asker(), f"{ROWS} WHERE age < 40", shape="age=0,town=0,sex=0", mode=Mode.EXACT
        )
    return str(told.value.query)


def test_a_refusal_says_one_sentence(visitor: Visitor):
    """The page offers what is safe; whoever asks for something else, as by a page that is old, is
    told no more."""
    visitor.comes("ann")
    visitor.asks(f"{ROWS} WHERE age > 70", "#look")
    visitor.tools.run("""(() => { const given = fetch; window.fetch = (path, sent) => given(path,
      {...sent, body: sent.body && sent.body.replace(/"shape":"[^"]*"/, '"shape":"age=0,town=0,sex=0"')}); })()""")
    visitor.clicks("#show-this")
    told = visitor.reads("#refusal")
    assert "This query was not answered under profile 'public'. Quote q-" in told
    assert "k-anonymity" not in told
    assert "class" not in told


def test_a_steward_searches_explains_verifies_and_exports(
    visitor: Visitor, gate: Gate, refused: str
):
    visitor.comes("stella")
    assert visitor.reads("h1") == "Audit"
    visitor.chooses("#kind", "not answered")
    visitor.types("#query", refused)
    visitor.clicks("#search button[type=submit]")
    assert visitor.counts("#entries tbody tr") == 1
    visitor.clicks(".explain")
    told = visitor.reads("#explained")
    assert "Asked by ann" in told
    assert "would break k-anonymity, k = 5" in told
    visitor.clicks("#verify")
    assert "The chain is whole." in visitor.reads("#chain")
    visitor.clicks("#as-jsonl")
    lines = [
        json.loads(line) for line in visitor.tools.downloaded().read_text("utf-8").splitlines()
    ]
    assert [line["query"] for line in lines] == [refused]
    assert EVIL not in gate.audit.path.read_text("utf-8")


def test_an_administrator_adds_accounts_and_the_board_agrees_to_a_change(
    visitor: Visitor, gate: Gate
):
    visitor.comes("adam")
    visitor.types("#name", EVIL[:60])
    visitor.types("#password", PASSWORD)
    visitor.chooses("#right", "recipient")
    visitor.types("#groups", "red, blue")
    visitor.clicks("#add button")
    made = gate.accounts.find(EVIL[:60])
    assert made is not None
    assert made.groups == ("red", "blue")
    assert EVIL[:60] in visitor.reads("#entries")
    visitor.goes("/tables")
    fields = visitor.reads("#fields")
    assert [sort in fields for sort in ("ID", "EK", "U")] == [True, True, True]
    assert visitor.counts("#hierarchies svg") == 3
    assert "Bergen" in visitor.tools.run("document.querySelector('#hierarchies').textContent")
    visitor.types("#require-k", "7")
    visitor.types("#why", "fewer than seven are too few")
    visitor.clicks("#change button[type=submit]")
    assert "It waits for a second person to agree." in visitor.reads("#refusal")
    visitor.comes("bo")
    assert "fewer than seven are too few" in visitor.reads("#waiting")
    assert [visitor.reads("#waiting .went"), visitor.reads("#waiting .came")] == ["5", "7"]
    visitor.clicks("#waiting button.main")
    visitor.waits("document.querySelector('#waiting').textContent.includes('No change waits')")
    assert gate.policies.in_force("people").number == 2


@pytest.mark.long("a long walk in a browser; a change and its agreement stay in this file")
def test_an_outdated_change_is_read_again_and_somebody_agrees_to_it(visitor: Visitor, gate: Gate):
    stricter = [
        propose(gate, "adam", "people", {"changes": {"require": {"k": k}}, "why": f"k of {k}"})
        for k in (8, 9)
    ]
    visitor.comes("bo")
    assert visitor.counts("#waiting section") == 2
    decide(gate, "bo", "people", stricter[0].number, approve=True, why="")
    visitor.clicks(
        "#waiting section:first-child button.main"
    )  # The newest stands first, and is outdated.
    visitor.waits("document.querySelectorAll('#waiting section').length === 1")
    number = stricter[1].number + 1
    assert f"version {number}" in visitor.reads("#refusal")
    assert f"version {number}" in visitor.reads("#waiting h2")
    assert "1 part of the policy would change" in visitor.reads("#waiting caption")
    assert [visitor.reads("#waiting .went"), visitor.reads("#waiting .came")] == ["8", "9"]
    for width in (1280, 390):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        visitor.tools.ask("Emulation.setDeviceMetricsOverride", **screen)
        assert visitor.tools.run("document.documentElement.scrollWidth") <= width
    visitor.tools.ask("Emulation.clearDeviceMetricsOverride")
    visitor.clicks("#waiting button.main")
    visitor.waits("document.querySelector('#waiting').textContent.includes('No change waits')")
    assert gate.policies.in_force("people").number == number


def test_a_refused_number_comes_with_its_offer(visitor: Visitor):
    visitor.comes("ann")
    visitor.tools.run("""(() => { const given = fetch; window.fetch = (path, sent) => given(path,
      {...sent, body: sent.body && sent.body.replace('{"sql"', '{"mode":"exact","sql"')}); })()""")
    visitor.asks("SELECT age, town, sex, COUNT(*) FROM people GROUP BY age, town, sex")
    told = visitor.reads("#refusal")
    assert "was not answered" in told
    assert "coarser groups" in told


@pytest.mark.parametrize("width", [1280, 400])
def test_a_claim_is_forecast_and_judged(visitor: Visitor, width: int):
    visitor.comes("bea")
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    visitor.tools.ask("Emulation.setDeviceMetricsOverride", **size)
    visitor.goes("/validate")
    visitor.types("#sql", "SELECT COUNT(*) FROM people WHERE sex = 'F'")
    visitor.types("#value", "300")
    visitor.types("#margin", "200")
    visitor.clicks("#forecast")
    assert "decides this margin" in visitor.reads("#expected")
    visitor.clicks("#claim button.main")
    assert "agrees" in visitor.reads("#verdict .verdict")
    assert visitor.counts("#verdict .claim-scale .interval") == 3
    visitor.types("#value", "9000")
    visitor.clicks("#claim button.main")
    assert "differs" in visitor.reads("#verdict .verdict")
    assert "it was answered before" in visitor.reads("#verdict")
    visitor.types("#margin", "wide")
    visitor.clicks("#claim button.main")
    assert "is no number" in visitor.reads("#refusal")
    assert visitor.tools.run("document.documentElement.scrollWidth <= innerWidth")
    visitor.tools.ask("Emulation.clearDeviceMetricsOverride")


def test_a_plan_is_answered_and_its_tables_are_reserved(visitor: Visitor):
    visitor.comes("bea")
    visitor.goes("/plan")
    visitor.types(
        "#queries",
        "SELECT sex, COUNT(*) FROM people GROUP BY sex;\nSELECT nothing FROM people;",
    )
    visitor.clicks("#new button.main")
    visitor.waits("document.querySelectorAll('#plans tbody tr').length === 2")
    first = visitor.reads("#plans tbody tr:first-child")
    assert "as asked" in first or "within" in first  # Others have asked before.
    assert "refused" in visitor.reads("#plans tbody tr:last-child")
    visitor.types("#queries", "SELECT town, COUNT(*) FROM people GROUP BY town;")
    visitor.clicks("#new button.main")
    visitor.waits("document.querySelector('#plans').textContent.includes('proposed')")
    visitor.comes("stella")
    visitor.goes("/plan")
    visitor.waits("document.querySelector('#plans .acts button.main') !== null")
    visitor.clicks("#plans .acts button.main")
    visitor.waits("!document.querySelector('#plans').textContent.includes('proposed')")
    for width in (1280, 390):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        visitor.tools.ask("Emulation.setDeviceMetricsOverride", **screen)
        assert visitor.tools.run("document.documentElement.scrollWidth") <= width
    visitor.tools.ask("Emulation.clearDeviceMetricsOverride")


def test_a_steward_reloads_a_table(visitor: Visitor, gate: Gate):
    visitor.comes("stella")
    visitor.goes("/tables")
    visitor.waits("document.querySelector('#age').textContent.includes('State 1')")
    visitor.clicks("#reload")
    visitor.waits("document.querySelector('#reloaded').textContent.includes('joined')")
    assert "0 people left" in visitor.reads("#reloaded")
    assert "State 2" in visitor.reads("#age")
    assert "[object" not in visitor.reads("body")
    visitor.comes("bea")
    visitor.asks("SELECT sex, COUNT(*) FROM people GROUP BY sex")
    assert "As of 20" in visitor.reads("#answer .told")


@pytest.mark.long("a browser on every page; two pages stay", but=("ask", "link"))
@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_control_has_a_name_for_a_screen_reader(visitor: Visitor, room: Room):
    """As the browser tells assistive technology, after scripts have made what they make."""
    visitor.comes(next(name for name, right in ACCOUNTS.items() if right in room.rights))
    visitor.goes(room.path)
    if room.name == "ask":
        visitor.clicks("#tab-form")
        visitor.clicks("#more")
        visitor.clicks("#look")
    nodes = visitor.tools.ask("Accessibility.getFullAXTree")["nodes"]
    controls = [node for node in nodes if not node["ignored"] and node["role"]["value"] in CONTROLS]
    assert len(controls) > 4
    assert [
        node["role"]["value"]
        for node in controls
        if not node.get("name", {}).get("value", "").strip()
    ] == []
    landmarks = {node["role"]["value"] for node in nodes if not node["ignored"]}
    assert {"banner", "main", "contentinfo", "navigation"} <= landmarks


def test_a_session_that_ended_loses_nothing_that_was_typed(visitor: Visitor):
    visitor.comes("ann")
    visitor.types("#sql", ROWS)
    visitor.tools.ask("Network.clearBrowserCookies")
    visitor.presses("Escape")
    visitor.clicks("#ask")
    assert "Your session has ended" in visitor.reads("#refusal")
    assert visitor.tools.run("document.querySelector('#sql').value") == ROWS
    visitor.comes("ann")
    visitor.clicks("#log-out")
    visitor.waits("location.pathname === '/log-in'")


def test_where_people_have_several_rows_it_says_that_one_of_each_is_shown(
    tools: DevTools, tmp_path: Path
):
    rows = [{**row, "name": f"Person {number // 3}"} for number, row in enumerate(people(900))]
    with a_gate(tmp_path, rows, policy='entity = "name"\n' + POLICY, terms=TERMS) as gate:
        gate.accounts.change(_account("ann", Right.RECIPIENT))
        gate = replace(gate, settings=replace(gate.settings, http_port=0, wire_port=0))
        with served(gate) as site:
            visitor = Visitor(tools, site, gate)
            visitor.comes("ann")
            visitor.asks("SELECT sex, test FROM people")
            assert "one row of each person" in visitor.reads("#answer").lower()
            assert "chosen at random once" in visitor.reads("#answer")
            assert visitor.counts("#answer tbody tr") > 0
