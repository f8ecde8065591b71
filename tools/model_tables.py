"""Write the parameter tables of protection models into the docs, from their declarations: python tools/model_tables.py

A page has them between two comments, `<!-- parameters of KEY -->` and `<!-- end of parameters -->`; a test holds them.
"""

from __future__ import annotations

import re
from pathlib import Path

from sfumato.parts import table_of
from sfumato.policy import MODELS

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"<!-- parameters of (\w+) -->\n.*?<!-- end of parameters -->", re.DOTALL)


def block(key: str) -> str:
    """What a page says of the parameters of a model."""
    declared = MODELS[key]
    lines = (
        f"<!-- parameters of {key} -->",
        f"In `[require]`, `{key}` is {declared.form.value}:",
        "",
        table_of(declared.record),
        "<!-- end of parameters -->",
    )
    return "\n".join(lines)


def filled(text: str) -> str:
    """A page with its tables as the declarations have them now."""
    return BLOCK.sub(lambda found: block(found[1]), text)


if __name__ == "__main__":
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if filled(text) != text:
            page.write_text(filled(text), encoding="utf-8")
