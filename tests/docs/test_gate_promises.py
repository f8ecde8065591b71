"""Every attack on the gate stands beside the promise that it is about."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gate-protection.md").read_text()


def test_every_attack_that_is_named_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", PAGE)
    assert len(named) > 20
    assert [name for name in named if "def test_" not in (ROOT / name).read_text()] == []


def test_every_attack_has_its_promise() -> None:
    found = {
        f"tests/attacks/{path.name}" for path in (ROOT / "tests/attacks").glob("test_gate*.py")
    }
    assert found - set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE)) == set()
