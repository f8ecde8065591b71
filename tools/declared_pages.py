"""Write what declarations say into the docs, tables of parts and JSON Schemas: `python
tools/declared_pages.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sfumato.cli.catalogue import REGISTRIES, registry_of
from sfumato.parts import catalogue_table, entries_of, fill_tables, table_of
from sfumato.policy import MODELS
from sfumato.policy.policy_json_schema import policy_schema
from sfumato.releases.manifest_json_schema import manifest_schema
from sfumato.solvers.reference_tables import solver_tables

sys.path.insert(0, str(Path(__file__).parent))
from compatibility_tables import compatibility_tables

DOCS = Path(__file__).parents[1] / "docs"
SCHEMAS = {"policy": policy_schema, "manifest": manifest_schema}


def tables() -> dict[str, str]:
    """Every table by the name that a mark in a page gives it; only Sfumato's own parts are in
    them."""
    kinds = {
        kind: catalogue_table(entry for entry in entries_of(registry_of(kind)) if not entry.origin)
        for kind in REGISTRIES
    }
    return (
        kinds
        | {f"model {key}": _parameters(key) for key in MODELS}
        | solver_tables()
        | compatibility_tables()
    )


def _parameters(key: str) -> str:
    """What the page of a model says of its parameters."""
    declared = MODELS[key]
    return f"In `[require]`, `{key}` is {declared.form.value}:\n\n{table_of(declared.record)}"


def pages() -> dict[Path, str]:
    """Every page and schema as it is to be."""
    out, named = {}, tables()
    for page in sorted(DOCS.glob("**/*.md")):
        text = page.read_text(encoding="utf-8")
        if "<!-- declared: " in text:
            out[page] = fill_tables(text, named)
    return out | {
        DOCS / "schemas" / f"{name}.json": _written(make()) for name, make in SCHEMAS.items()
    }


def _written(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
