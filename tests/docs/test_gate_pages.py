"""Every way into the gate, every refusal and every setting is told on its pages, and the settings
shown can be read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sfumato.gate.settings_file import settings_from_table
from sfumato.gate.web.application import OWN
from sfumato.gate.web.refusals import STATUS
from sfumato.policy.toml_file import policy_from_table

ROOT = Path(__file__).parents[2]
GATE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
API = (ROOT / "docs" / "gate-api.md").read_text(encoding="utf-8")


def codes() -> set[str]:
    """The codes of refusals, as they stand in the source of the gate; the wire's own are on its
    page."""
    files = [
        file
        for file in (ROOT / "src" / "sfumato" / "gate").rglob("*.py")
        if not {"wire", "pages"} & {*file.parts}
    ]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return {*re.findall(r'code"?(?:=|: )"([a-z-]+)"', text), *STATUS}


@pytest.mark.parametrize("endpoint", OWN, ids=lambda each: f"{each.method} {each.path}")
def test_every_way_in_is_told_with_whom_it_is_for(endpoint):
    (line,) = [
        line
        for line in API.splitlines()
        if line.startswith(f"| `{endpoint.method} {endpoint.path}` |")
    ]
    who = {right.value for right in endpoint.rights if right}
    told = line.split("|")[2].strip()
    if None in endpoint.rights:
        assert told == "anyone"
    elif len(who) == 4:
        assert told == "everyone with an account"
    else:
        assert set(told.split(", ")) == who


def test_every_refusal_is_told():
    assert len(codes()) > 25
    assert [code for code in sorted(codes()) if f"`{code}`" not in API] == []


def test_every_setting_is_told():
    source = (ROOT / "src" / "sfumato" / "gate" / "settings_file.py").read_text(encoding="utf-8")
    names = set(re.findall(r'\.(?:text|whole|choice|table|get|number)\("(\w+)"', source))
    assert {"folder", "coarsest", "budget"} <= names
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", GATE)] == []


def test_the_gate_file_on_the_page_can_be_read():
    shown, policy = re.findall(r"```toml\n(.*?)```", GATE, re.DOTALL)
    assert policy_from_table(tomllib.loads(policy)).membership == "protected"
    settings = settings_from_table(tomllib.loads(shown))
    assert settings.terms["research"].bounds == {"charges": (0.0, 50_000.0)}
