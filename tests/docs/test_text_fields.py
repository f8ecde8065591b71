"""The example of docs/text-fields.md runs, and its settings are those that a policy reads."""

from __future__ import annotations

import doctest
import re
import tomllib
from dataclasses import fields
from pathlib import Path

from sfumato.policy import ScrubPolicy, policy_from_table

PAGE = Path(__file__).parents[2] / "docs" / "text-fields.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLE, OPTIONS = re.findall(r"^```toml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_the_example_runs(tmp_path, monkeypatch):
    (tmp_path / "policy.toml").write_text(EXAMPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 5
    assert found.failed == 0


def test_every_setting_is_shown_and_in_the_table():
    shown = tomllib.loads(OPTIONS)["fields"]
    policy = policy_from_table(
        {
            "fields": shown | {"name": "direct", "patient_id": "direct", "zip": "quasi"},
            "require": {"k": 2},
        }
    )
    assert policy.fields["note"].scrub.cues == {"name": "name", "patient_id": "record number"}
    names = [field.name for field in fields(ScrubPolicy)]
    assert list(shown["note"]["scrub"]) == names
    assert re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE) == names
