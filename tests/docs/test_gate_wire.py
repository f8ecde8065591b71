"""The page about the wire tells every state of a refusal and every setting of ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sfumato.gate.wire import refusals
from sfumato.gate.wire.variables import USUAL

PAGE = (Path(__file__).parents[2] / "docs" / "gate-wire.md").read_text(encoding="utf-8")
SOURCE = "".join(
    path.read_text(encoding="utf-8") for path in Path(refusals.__file__).parent.glob("*.py")
)
STATES = sorted({*refusals.STATES.values(), *re.findall(r'state="(\w{5})"', SOURCE)} - {"00000"})


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_told(state: str) -> None:
    assert re.search(rf"\b{state}\b", PAGE)


@pytest.mark.parametrize("name", [name for name in USUAL if name.startswith("sfumato.")])
def test_every_setting_of_ours_is_told(name: str) -> None:
    assert name in PAGE
