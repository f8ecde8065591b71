"""Which cells of the matrix work today: `python -m tests.golden_releases.matrix [--json FILE] [--engine NAME]`.

Every pair of (requirement, shape), (solver, shape), (technique, shape) and (requirement, solver) is tried on a small
table through the command line. A cell works, is refused, cannot be met by the small table, or ends in an error.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .execution import run_command, without_charts, write_key
from .matrix_parts import (
    DEFAULT_SHAPE,
    REQUIREMENTS,
    SHAPES,
    SOLVERS,
    TECHNIQUES,
    Part,
    policy_of,
    source_of,
    write_sources,
)

WORKS, REFUSED, UNMET, ERROR = "works", "refused", "not met", "error"
SIGNS = {WORKS: "yes", REFUSED: "no", UNMET: "not met", ERROR: "ERROR"}
Cell = dict[str, str]
Grid = dict[str, dict[str, Cell]]


def try_all(*, engine: str, only: str = "") -> dict[str, Grid]:
    """Every pair, tried in one folder."""
    grids: dict[str, tuple[Mapping[str, Part], Mapping[str, Part]]] = {
        "requirement × shape": (REQUIREMENTS, SHAPES),
        "solver × shape": (SOLVERS, SHAPES),
        "technique × shape": (TECHNIQUES, SHAPES),
        "requirement × solver": (REQUIREMENTS, SOLVERS),
    }
    found: dict[str, Grid] = {}
    with tempfile.TemporaryDirectory(prefix="matrix-") as scratch, contextlib.chdir(scratch), without_charts():
        write_sources(Path())
        write_key(Path("golden.key"))
        for title, (rows, columns) in grids.items():
            if only and only not in title:
                continue
            grid: Grid = {}
            for row, part in rows.items():
                grid[row] = {column: try_cell(part, column, columns[column], engine=engine) for column in columns}
                _say(f"{title}: {row}: {', '.join(cell['state'] for cell in grid[row].values())}")
            found[title] = grid
    return found


def try_cell(part: Part, column: str, other: Part, *, engine: str) -> Cell:
    shape, parts = (column, (part,)) if column in SHAPES else (DEFAULT_SHAPE, (part, other))
    Path("policy.toml").write_text(policy_of(shape, *parts), encoding="utf-8")
    words = ("release", source_of(shape), "--policy", "policy.toml", "--to", "out", "--key", "golden.key")
    try:
        code, _, errors = run_command((*words, "--engine", engine))
    except Exception:
        return {"state": ERROR, "reason": traceback.format_exc().splitlines()[-1].split(":")[0]}
    finally:
        shutil.rmtree("out", ignore_errors=True)
    if code in (0, 3):
        return {"state": WORKS, "reason": ""}
    state = UNMET if errors.startswith(("NoRecodingFound", "CandidateFailed")) else REFUSED
    return {"state": state if "Error" in errors or state == UNMET else ERROR, "reason": _reason(errors)}


def _reason(errors: str) -> str:
    """The first line that gives a reason: the first problem of a policy, or the message itself."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    first = next((line[3:] for line in lines if line.startswith("1. ")), lines[0] if lines else "no message")
    return first[:200]


def as_text(found: Mapping[str, Grid]) -> str:
    """The grids as tables, the totals, and the reasons of what does not work."""
    lines: list[str] = []
    for title, grid in found.items():
        columns = list(next(iter(grid.values())))
        wide = max(map(len, grid))
        lines += ["", f"{title}", " " * wide + "  " + "  ".join(columns)]
        for row, cells in grid.items():
            lines.append(f"{row:{wide}}  " + "  ".join(f"{SIGNS[cells[c]['state']]:{len(c)}}" for c in columns))
        totals = Counter(cell["state"] for cells in grid.values() for cell in cells.values())
        lines.append(f"{sum(totals.values())} cells: " + ", ".join(f"{n} {state}" for state, n in totals.most_common()))
        reasons = Counter(cell["reason"] for cells in grid.values() for cell in cells.values() if cell["reason"])
        lines += [f"  {count:3} {reason}" for reason, count in reasons.most_common()]
    return "\n".join(lines)


def totals_of(found: Mapping[str, Grid]) -> dict[str, dict[str, int]]:
    return {
        title: dict(Counter(cell["state"] for cells in grid.values() for cell in cells.values()))
        for title, grid in found.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden_releases.matrix", description=__doc__)
    parser.add_argument("--json", type=Path, help="file for the same, machine readable")
    parser.add_argument("--engine", default="reference", help="(default: reference, which starts fastest)")
    parser.add_argument("--only", default="", help="a part of the title of the grids to try, such as 'solver × shape'")
    options = parser.parse_args()
    target = options.json.resolve() if options.json else None
    found = try_all(engine=options.engine, only=options.only)
    _say(as_text(found))
    if target:
        said: dict[str, Any] = {"engine": options.engine, "totals": totals_of(found), "cells": found}
        target.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
