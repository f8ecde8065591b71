"""Write what declarations say into the docs, tables of parts and JSON Schemas: `python tools/declared_pages.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sfumato.cli.catalogue import registry_of
from sfumato.parts import with_declared_tables
from sfumato.policy.policy_schema import policy_schema
from sfumato.releases.manifest_schema import manifest_schema

DOCS = Path(__file__).parents[1] / "docs"
SCHEMAS = {"policy": policy_schema, "manifest": manifest_schema}


def pages() -> dict[Path, str]:
    """Every page and schema as it is to be."""
    out = {}
    for page in sorted(DOCS.glob("**/*.md")):
        text = page.read_text(encoding="utf-8")
        if "<!-- declared: " in text:
            out[page] = with_declared_tables(text, registry_of)
    return out | {DOCS / "schemas" / f"{name}.json": _written(make()) for name, make in SCHEMAS.items()}


def _written(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
