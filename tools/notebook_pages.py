"""Notebooks of the docs: run their cells, write what they print into their pages, and write each as
a Jupyter notebook: `python tools/notebook_pages.py`.

A notebook is a page in Markdown, which the site shows and a person can review line by line: a block
of Python is a cell, and a block with the title "Out" its output. The file for Jupyter is made from it
and has no outputs."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
CELL = re.compile(r'```python\n(.*?)```\n(?:\n```text title="Out"\n.*?```\n)?', re.DOTALL)


def with_outputs(text: str) -> str:
    """A page with the outputs that its cells have now, run in order in a folder of their own."""
    names: dict[str, Any] = {}

    def run(found: re.Match[str]) -> str:
        said = run_cell(found[1], names).rstrip()
        shown = f'\n```text title="Out"\n{said}\n```\n' if said else ""
        return f"```python\n{found[1]}```\n{shown}"

    with _own_folder():
        return CELL.sub(run, text)


def run_cell(source: str, names: dict[str, Any]) -> str:
    """What a cell prints, and its last expression as Jupyter shows it.

    Example:
        >>> run_cell("print(1)\\n1 + 1", {})
        '1\\n2\\n'
    """
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                said.write(f"{value!r}\n")
    return said.getvalue()


@contextmanager
def _own_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def as_notebook(text: str) -> str:
    """A page as the file of a Jupyter notebook, without outputs."""
    parts = CELL.split(text)
    cells = [
        _cell(part.strip("\n"), place, is_code=bool(place % 2))
        for place, part in enumerate(parts)
        if part.strip()
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _cell(source: str, place: int, *, is_code: bool) -> dict[str, Any]:
    kind = {"execution_count": None, "outputs": []} if is_code else {}
    return {
        "cell_type": "code" if is_code else "markdown",
        "id": f"cell-{place}",
        "metadata": {},
        "source": source.splitlines(keepends=True),
        **kind,
    }


def main() -> None:
    for page in sorted(FOLDER.glob("*.md")):
        text = with_outputs(page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")
        page.with_suffix(".ipynb").write_text(as_notebook(text), encoding="utf-8")


if __name__ == "__main__":
    main()
