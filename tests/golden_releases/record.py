"""Golden records as files: one JSON file for each case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden"


def golden_path(name: str) -> Path:
    return FOLDER / f"{name}.json"


def golden_of(name: str) -> dict[str, Any]:
    """The golden record of a case; one that was never recorded is empty, and every run differs from
    it."""
    path = golden_path(name)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_golden(name: str, record: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    golden_path(name).write_text(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def record_names() -> list[str]:
    """The cases of which there is a record."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))
