"""No message says "row(s)": `wording.counted` gives a count its noun."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "sfumato"
EITHER = re.compile(r"[a-z]{3,}\(s\)")


def _messages(path: Path) -> list[str]:
    """Every text of a file but its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (
        node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone
    )
    return [text.value for text in texts if isinstance(text.value, str)]


def test_no_message_leaves_singular_and_plural_open() -> None:
    found = {
        f"{path.relative_to(SOURCE)}: {text}"
        for path in SOURCE.rglob("*.py")
        for text in _messages(path)
        if EITHER.search(text) and "size(s)" not in text
    }
    assert found == set()
