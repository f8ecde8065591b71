"""The register in a real browser: from an application to the decision, without a line of Python.

Makers and custodians use commands; here the register does what these would. Everybody else chooses
a key file and clicks."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from devtools import DevTools

pytest.importorskip(
    "uvicorn", reason="the extra 'gate' is not installed: its pages were not looked at in a browser"
)
pytest.importorskip("cryptography")
sys.path[:0] = [
    str(Path(__file__).parents[1] / "unit" / "gate"),
    str(Path(__file__).parents[1] / "unit/gate/web"),
]

# ruff: noqa: E402 - what small gates and their accounts are made with stands with the gate's own
# tests
from doors import _account
from gate_visitor import Visitor, browser, served
from gates import POLICY, a_gate, people

from sfumato.gate.accounts import Right
from sfumato.gate.gate_opener import Gate
from sfumato.keys import Key
from sfumato.policy import policy_as_table, read_policy
from sfumato.register import (
    QUESTIONS,
    Agreement,
    Author,
    Charter,
    Register,
    release_checks,
)
from sfumato.releases import manifest_digest, record_people
from sfumato.signatures import SigningKey

EVIL = "<script>document.body.dataset.ran = 'yes'</script><img src=x onerror=alert(1)>"
STUDY = f"Ageing {EVIL}"
ROLES = {
    "adam": "administrator", "ann": "applicant", "max": "maker", "rea": "reviewer", "ria": "reviewer",
    "cho": "chair", "keeps": "custodian",
}  # fmt: skip
RIGHTS = {"ann": Right.RECIPIENT, "rea": Right.BOARD, "ria": Right.BOARD, "cho": Right.BOARD}
TODAY = datetime.now(UTC).date()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ROLES:
        SigningKey.create_file(folder / f"{name}.key")
    return folder


def author(keys: Path, name: str) -> Author:
    return Author(name=name, key=SigningKey.from_file(keys / f"{name}.key"))


@pytest.fixture(scope="module")
def register(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Register:
    members = {
        name: {"key": author(keys, name).key.public.line, "roles": [role]}
        for name, role in ROLES.items()
    }
    charter = Charter.of({"ledger": {"k": 3}, "members": members})
    folder = tmp_path_factory.mktemp("register") / "r"
    return Register.create(folder, charter, author=author(keys, "adam"))


@pytest.fixture(scope="module")
def gate(register: Register, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    folder = tmp_path_factory.mktemp("gate")
    with a_gate(folder, people(60), policy=POLICY, register=register.folder) as gate:
        for name, right in RIGHTS.items():
            gate.accounts.change(_account(name, right))
        yield replace(gate, settings=replace(gate.settings, http_port=0, wire_port=0))


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevTools]:
    yield from browser(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def visitor(gate: Gate, tools: DevTools) -> Iterator[Visitor]:
    with served(gate) as site:
        yield Visitor(tools, site, gate)
        assert tools.run("document.body.dataset.ran ?? ''") == "", "a text ran as a script"
        assert not [
            url for url in tools.requests if not url.startswith((site, "blob:", "about:", "data:"))
        ]
        assert not [
            line
            for line in tools.console
            if "Failed to load resource" not in line and '"verbose"' not in line
        ]


def looks(visitor: Visitor, name: str) -> None:
    """The page is no wider than a desktop or a phone; with a folder in the environment, its
    pictures are kept there."""
    kept = os.environ.get("SFUMATO_PICTURES")
    for width in (1280, 400):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        visitor.tools.ask("Emulation.setDeviceMetricsOverride", **screen)
        whole = int(visitor.tools.run("document.documentElement.scrollHeight"))
        screen["height"] = max(900, whole)
        visitor.tools.ask("Emulation.setDeviceMetricsOverride", **screen)
        assert visitor.tools.run("document.documentElement.scrollWidth") <= width, name
        if kept:
            visitor.tools.run("requestAnimationFrame(() => { document.body.dataset.drawn = 1; })")
            visitor.tools.wait("document.body.dataset.drawn")
            visitor.tools.run("delete document.body.dataset.drawn")
            (Path(kept) / f"{name}-{width}.png").write_bytes(visitor.tools.screenshot())
    visitor.tools.ask("Emulation.clearDeviceMetricsOverride")


def votes(visitor: Visitor, keys: Path, name: str, *, word: str) -> Path:
    """A reviewer votes with their key file, and gets the file of the vote."""
    visitor.comes(name)
    visitor.goes("/reviews")
    assert STUDY in visitor.reads("#waiting h2")
    visitor.types("textarea[id^=vote-reason]", f"{name}: {word}, because")
    visitor.brings("input[id^=vote][type=file]", keys / f"{name}.key")
    button = 1 if word == "approve" else 2
    visitor.clicks(f".acting form button:nth-of-type({button})")
    kept = visitor.tools.downloaded()
    return kept.rename(kept.with_name(f"{name}.vote"))


def opens(visitor: Visitor, keys: Path, name: str, vote: Path) -> None:
    visitor.comes(name)
    visitor.goes("/reviews")
    visitor.brings("input[id^=sealed]", vote)
    visitor.brings("input[id^=open][type=file]", keys / f"{name}.key")
    visitor.clicks(".acting form button")
    assert not visitor.reads("#refusal")


def decides(visitor: Visitor, keys: Path) -> None:
    visitor.comes("cho")
    visitor.goes("/reviews")
    assert "rea: approve, because" in visitor.reads("#waiting")
    looks(visitor, "decision")
    visitor.types("textarea[id^=decision-reason]", "both agree")
    visitor.types("textarea[id^=conditions]", "on site only\n\nresults are checked")
    visitor.brings("input[id^=decision][type=file]", keys / "cho.key")
    visitor.clicks(".acting form button")
    visitor.waits("document.querySelector('#waiting').textContent.includes('Nothing waits')")


def submitted(register: Register, keys: Path, folder: Path) -> None:
    """What a maker does with commands: a candidate with its people and its assessment."""
    place = folder / "spring"
    place.mkdir()
    table = {"fields": {"q": "kept", "name": "removed"}, "rows": {"released": 12}}
    policy = json.loads(json.dumps(_policy_table()))
    facts = {"sfumato": "0", "policy": policy, "known_fields": ["q"], "tables": {"t": table}}
    (place / "manifest.json").write_text(json.dumps(facts))
    batch = {
        "person": np.array([f"p{each}" for each in range(12)], object),
        "q": np.array(["low", "high"] * 6, object),
    }
    made = record_people(
        [batch], key=Key(bytes(range(32))), person="person", fields=["q"],
        release=manifest_digest(place),
    )  # fmt: skip
    judged = [
        {"question": "How easily is a person found?", "outcome": "review"},
        {"question": "Does it keep what the policy requires?", "outcome": "pass"},
    ]
    (folder / "a.json").write_text(
        json.dumps({"outcome": "review", "judgements": judged, "release": manifest_digest(place)})
    )
    register.submit(
        STUDY, place, people=made, assessment=folder / "a.json", author=author(keys, "max")
    )


def _policy_table() -> object:
    return policy_as_table(read_policy(tomllib.loads(POLICY)))


@pytest.mark.long("a long walk in a browser; tests/attacks/test_register_board.py stays")
def test_from_an_application_to_the_decisions(
    visitor: Visitor, register: Register, gate: Gate, keys: Path, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(release_checks, "verify", lambda *_, **__: ())
    applies(visitor, keys)
    agreement = {
        "recipient": "Institute of Ageing", "access": "semi-private", "terms": ["no-linking"],
        "digest": "ab" * 32, "valid_from": "2020-01-01", "link_on": ["q"],
        "until": (TODAY + timedelta(days=5)).isoformat(),
        "destroy_by": (TODAY + timedelta(days=90)).isoformat(),
    }  # fmt: skip
    register.agree(STUDY, Agreement.of(agreement), author=author(keys, "keeps"))
    (tmp_path / "policy.toml").write_text(POLICY)
    register.propose(STUDY, tmp_path / "policy.toml", author=author(keys, "max"))
    gate.register.forget()
    visitor.comes("rea")
    visitor.goes("/reviews")
    assert "Requires" in visitor.reads("#waiting"), "the policy that is voted on is open"
    board_votes(visitor, register, keys)
    submitted(register, keys, tmp_path)
    gate.register.forget()
    board_votes(visitor, register, keys)
    found = register.state().applications[STUDY]
    assert (found.state, found.step) == ("approved", "result")
    assert found.conditions == ("on site only", "results are checked")
    reveals(visitor, register, gate, keys)
    sees_the_rest(visitor)
    sees_an_import(visitor, register, gate, keys, tmp_path)
    register.verify()


def applies(visitor: Visitor, keys: Path) -> None:
    visitor.comes("ann")
    visitor.goes("/applications")
    visitor.tools.run("document.querySelector('#new').open = true")
    visitor.types("#new-name", STUDY)
    visitor.types("#new-group", "lab")
    for key in QUESTIONS:
        if key != "sharing":
            visitor.types(f"#answer-{key}", f"An answer about {key}. {EVIL}")
    visitor.chooses("#answer-sharing", "data-use-agreement")
    looks(visitor, "form")
    visitor.brings("#new-key", keys / "rea.key")
    visitor.clicks("#applying button.main")
    assert "signature is not that of ann" in visitor.reads("#refusal")
    visitor.brings("#new-key", keys / "ann.key.pub")
    visitor.clicks("#applying button.main")
    assert "holds no key to sign with" in visitor.reads("#refusal")
    visitor.brings("#new-key", keys / "ann.key")
    visitor.clicks("#applying button.main")
    assert STUDY in visitor.reads("#entries")
    assert "waits for a policy" in visitor.reads("#one")


def board_votes(visitor: Visitor, register: Register, keys: Path) -> None:
    """Two sealed votes, opened, and the decision. Nobody sees the first vote."""
    first = votes(visitor, keys, "rea", word="approve")
    visitor.comes("ria")
    visitor.goes("/reviews")
    looks(visitor, "vote")
    assert "because" not in visitor.reads("#waiting")
    visitor.goes("/applications")
    visitor.clicks("#entries button")
    assert "because" not in visitor.reads("main")
    second = votes(visitor, keys, "ria", word="approve")
    opens(visitor, keys, "rea", first)
    visitor.comes("ria")
    visitor.goes("/reviews")
    assert "rea: approve" not in visitor.reads("#waiting"), "until all votes are open"
    opens(visitor, keys, "ria", second)
    decides(visitor, keys)


def reveals(visitor: Visitor, register: Register, gate: Gate, keys: Path) -> None:
    """The chair agrees to a revelation that a custodian asked for; a reviewer is not asked."""
    asked = register.ask_revelation(
        field="name", pseudonym="p-1", reason=f"A patient must be called. {EVIL}",
        author=author(keys, "keeps"),
    )  # fmt: skip
    gate.register.forget()
    visitor.comes("rea")
    visitor.goes("/reviews")
    assert "must be called" not in visitor.reads("#waiting")
    visitor.comes("cho")
    visitor.goes("/reviews")
    assert "keeps asked" in visitor.reads("#waiting")
    looks(visitor, "revelation")
    visitor.types("textarea[id^=reveal]", "the doctor confirmed it")
    visitor.brings("input[id^=reveal][type=file]", keys / "cho.key")
    visitor.clicks(".acting form button")
    visitor.waits("document.querySelector('#waiting').textContent.includes('Nothing waits')")
    assert register.state().revelations[asked.name].agreed_by == "cho"


def sees_an_import(
    visitor: Visitor, register: Register, gate: Gate, keys: Path, folder: Path
) -> None:
    (folder / "old.csv").write_text("a,b\n1,2\n")
    register.add(folder / "old.csv", group="press", author=author(keys, "keeps"), imported=True)
    gate.register.forget()
    visitor.comes("cho")
    visitor.goes("/releases")
    assert "unconfirmed" in visitor.reads("#entries")
    assert "nobody but its importer confirmed it" in visitor.reads("#groups")
    looks(visitor, "import")


def sees_the_rest(visitor: Visitor) -> None:
    visitor.goes("/applications")
    visitor.clicks("#entries button")
    page = visitor.reads("#one")
    assert "How easily is a person found?" in page
    assert "not verified max signs for these answers" in " ".join(page.split())
    assert "With the candidate, lab" in page
    assert "max signs for this verdict" in " ".join(page.split())
    looks(visitor, "application")
    visitor.goes("/due")
    assert "within 7 days" in visitor.reads("#entries")
    looks(visitor, "due")
    visitor.goes("/releases")
    assert "Nothing was released yet" in visitor.reads("#entries")
    looks(visitor, "releases")
    visitor.comes("ann")
    visitor.goes("/applications")
    visitor.clicks("#entries button")
    assert "approved" in visitor.reads("#one")
    assert "person found" not in visitor.reads("#one")
    assert "because" not in visitor.reads("#one")
