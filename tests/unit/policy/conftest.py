"""Lets the tests of the policy room import `policies` by name, and holds the JSON Schema to all
that they read."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validator_for

sys.path.insert(0, str(Path(__file__).parent))

KNOWN_TO_THE_SCHEMA = (
    "There is no such key here",
    "is not one of its words",
    "It must be a text, and is",
)
"""Problems that a schema can know, whatever else the policy holds."""
ELSEWHERE = ("solve",)
"""The section that the schema leaves open."""


@pytest.fixture(scope="session")
def schema_validator() -> Any:
    from sfumato.policy.policy_json_schema import policy_schema

    return validator_for(policy_schema())


@pytest.fixture(autouse=True)
def _schema_agrees(monkeypatch: pytest.MonkeyPatch, schema_validator: Any) -> Any:
    """Whatever a test reads and Sfumato accepts fits the schema; what it refuses for a word or a
    key does not."""
    from sfumato.errors import PolicyError
    from sfumato.policy import toml_file

    read: list[Any] = []
    limits = toml_file.limit_problems
    monkeypatch.setattr(
        toml_file, "limit_problems", lambda table: read.append(table) or limits(table)
    )
    yield
    monkeypatch.undo()
    for table in read[:200]:
        try:
            plain = json.loads(json.dumps(table, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            continue  # dates and such, which JSON does not have
        try:
            toml_file.policy_from_table(table)
        except PolicyError as error:
            problems = [each for each in error.problems if not each.where.startswith(ELSEWHERE)]
            if any(known in each.found for each in problems for known in KNOWN_TO_THE_SCHEMA):
                assert not schema_validator.is_valid(plain), problems
            continue
        schema_validator.validate(plain)
