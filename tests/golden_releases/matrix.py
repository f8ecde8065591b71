"""Runs what declarations say of each pair of parts: `python -m tests.golden_releases.matrix`, or
`make matrix`.

Every pair of (requirement, shape), (requirement, solver), (solver, shape), (technique, shape),
(engine, shape) and (format, shape) is released and verified on a small table through the command
line. A pair that is declared to work must; one that has no meaning must be refused before anything
is counted, with the declared reason; one that does not work yet must be refused. Everything else is
a contradiction, and the exit code is 1."""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from sfumato.engines import ENGINES
from sfumato.policy.compatibility import Compatibility, PairState

from .execution import run_command, without_own_key, write_key
from .matrix_pairs import Pair, all_pairs, write_sources
from .matrix_servers import on_its_engine

WORKS, REFUSED, UNMET, ERROR = "works", "refused", "not met", "error"
SIGNS = {WORKS: "yes", REFUSED: "no", UNMET: "NOT MET", ERROR: "ERROR"}
REFUSALS = ("PolicyError: ", "TargetError: ")
"""How a message begins where the policy or the format is refused, before anything is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What running a pair led to; `errors` is the whole message, `rows` what was released of it as
    CSV."""

    pair: Pair
    state: str
    errors: str = ""
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def reason(self) -> str:
        """The first problem of the policy, or the first line of the message."""
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        first = next(
            (line[3:] for line in lines if line.startswith("1. ")), lines[0] if lines else ""
        )
        return first[:200]

    @property
    def contradiction(self) -> str:
        """In which the run is not what is declared; empty where it is."""
        declared = self.pair.declared
        if self.state == (WORKS if declared.state is PairState.WORKS else REFUSED):
            return _wrong_refusal(declared, self.errors) if self.state == REFUSED else ""
        return f"declared: {declared.state.value}; found: {self.state}. {self.reason}".strip()


def _wrong_refusal(declared: Compatibility, errors: str) -> str:
    """A refusal comes before anything is counted, and says why a pair has no meaning."""
    if not errors.startswith(REFUSALS):
        return (
            "refused, but not beforehand: "
            f"{errors.splitlines()[0][:200] if errors else 'no message'}"
        )
    if declared.reason and declared.reason not in " ".join(errors.split()):
        return (
            f"declared: {declared.reason}; refused for another reason: "
            f"{' '.join(errors.split())[:300]}"
        )
    return ""


@contextlib.contextmanager
def scratch_folder(folder: Path | None = None) -> Iterator[None]:
    """A folder with the small sources, in which pairs are run."""
    with contextlib.ExitStack() as stack:
        here = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="matrix-")))
        stack.enter_context(contextlib.chdir(here))
        stack.enter_context(without_own_key())
        write_sources(Path())
        write_key(Path("golden.key"))
        yield


def try_pair(pair: Pair) -> Outcome:
    """Release the pair's source under its policy, and verify what was released."""
    Path("policy.toml").write_text(pair.policy, encoding="utf-8")
    words = (
        "release",
        pair.source,
        "--policy",
        "policy.toml",
        "--to",
        "out",
        "--key",
        "golden.key",
        *pair.options,
    )
    try:
        code, _, errors = run_command((*words, "--engine", pair.engine))
        if code in (0, 3):
            rows = _released(Path("out"))
            code, said, errors = run_command(("verify", "out"))
            failed = "" if code in (0, 3) else f"verify fails: {said[-300:]} {errors[-300:]}"
            return Outcome(pair=pair, state=ERROR if failed else WORKS, errors=failed, rows=rows)
    except Exception:
        return Outcome(
            pair=pair, state=ERROR, errors=traceback.format_exc().splitlines()[-1].split(":")[0]
        )
    finally:
        shutil.rmtree("out", ignore_errors=True)
    state = UNMET if errors.startswith(("NoRecodingFound", "CandidateFailed")) else REFUSED
    return Outcome(
        pair=pair, state=state if "Error" in errors or state == UNMET else ERROR, errors=errors
    )


def _released(folder: Path) -> tuple[tuple[str, ...], ...]:
    """The rows of all tables that were released as CSV, in order, each after the name of its
    table."""
    rows: list[tuple[str, ...]] = []
    for path in sorted(folder.rglob("*.csv")):
        table = path.stem if path.parent == folder else path.parent.stem
        with path.open(encoding="utf-8", newline="") as file:
            fields, *cells = csv.reader(file)
        rows += [
            (table, *(f"{name}={cell}" for name, cell in zip(fields, row, strict=True)))
            for row in cells
        ]
    return tuple(sorted(rows))


def unlike_reference(outcomes: Iterable[Outcome]) -> list[str]:
    """The pairs of the table of engines whose release has other rows than the reference
    engine's."""
    found = [
        each for each in outcomes if each.pair.table == "engine × shape" and each.state == WORKS
    ]
    reference = {each.pair.column: each.rows for each in found if each.pair.engine == "reference"}
    return [
        each.pair.name for each in found if each.rows != reference.get(each.pair.column, each.rows)
    ]


def covering(pairs: Iterable[Pair]) -> list[Pair]:
    """All pairs that are declared to be refused, and of those that work each row and each column of
    each table once.

    Refusals cost little. The columns of neighbouring rows differ, so that each is run with several
    rows."""
    tables: dict[str, dict[str, list[Pair]]] = {}
    out: list[Pair] = []
    for pair in pairs:
        if pair.declared.state is PairState.WORKS:
            tables.setdefault(pair.table, {}).setdefault(pair.row, []).append(pair)
        else:
            out.append(pair)
    for rows in tables.values():
        chosen = [found[number % len(found)] for number, found in enumerate(rows.values())]
        seen = {pair.column for pair in chosen}
        rest = (pair for found in rows.values() for pair in found)
        out += [*chosen, *{pair.column: pair for pair in rest if pair.column not in seen}.values()]
    return out


def as_text(outcomes: Iterable[Outcome]) -> str:
    """The tables, their totals and shares, and every contradiction."""
    lines: list[str] = []
    tables: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        tables.setdefault(outcome.pair.table, []).append(outcome)
    for title, found in tables.items():
        cells = {(each.pair.row, each.pair.column): each for each in found}
        rows, columns = (
            dict.fromkeys(row for row, _ in cells),
            dict.fromkeys(column for _, column in cells),
        )
        wide = max(map(len, rows))
        lines += ["", title, " " * wide + "  " + "  ".join(columns)]
        for row in rows:
            signs = (
                SIGNS[cells[row, column].state] if (row, column) in cells else ""
                for column in columns
            )
            said = "  ".join(
                f"{sign:{len(column)}}" for sign, column in zip(signs, columns, strict=True)
            )
            lines.append(f"{row:{wide}}  {said}")
        lines.append(share(found))
    wrong = [each for found in tables.values() for each in found if each.contradiction]
    unlike = unlike_reference(each for found in tables.values() for each in found)
    lines += ["", f"{len(wrong) + len(unlike)} contradictions"]
    lines += [f"{each.pair.name}: {each.contradiction}" for each in wrong]
    lines += [f"{name}: the released rows are not those of the reference engine" for name in unlike]
    return "\n".join(lines)


def share(found: list[Outcome]) -> str:
    """How many cells of a table work, of those that have a meaning."""
    declared = Counter(each.pair.declared.state for each in found)
    works, none = sum(each.state == WORKS for each in found), declared[PairState.NO_MEANING]
    meant = len(found) - none
    parts = (
        f"{len(found)} cells: {works} work, {none} have no meaning, {meant - works} do not work yet"
    )
    return f"{parts}; {100 * works / max(meant, 1):.0f} % of those with a meaning work"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden_releases.matrix", description=__doc__
    )
    parser.add_argument("--json", type=Path, help="file for the same, machine readable")
    parser.add_argument(
        "--engine", default="reference", help="(default: reference, which starts fastest)"
    )
    parser.add_argument(
        "--engines", default=",".join(ENGINES), help="rows of the table of engines (default: all)"
    )
    parser.add_argument(
        "--only",
        default="",
        help="part of a table's title, or a pattern of names such as 'k_m × *'",
    )
    parser.add_argument("--covering", action="store_true", help="only the pairs that the tests run")
    options = parser.parse_args()
    target = options.json.resolve() if options.json else None
    every = all_pairs(engine=options.engine, engines=options.engines.split(","))
    pairs = [pair for pair in every if _chosen(pair, options.only)]
    outcomes = []
    with scratch_folder():
        for pair in covering(pairs) if options.covering else pairs:
            outcomes.append(try_pair(on_its_engine(pair)))
            _say(
                f"{pair.table}: {pair.name}: {outcomes[-1].state} {outcomes[-1].contradiction}".strip()
            )
    _say(as_text(outcomes))
    if target:
        target.write_text(
            json.dumps(_as_json(outcomes), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    return 1 if any(each.contradiction for each in outcomes) or unlike_reference(outcomes) else 0


def _chosen(pair: Pair, only: str) -> bool:
    return not only or only in pair.table or fnmatch(pair.name, only)


def _as_json(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    return [
        {
            "table": each.pair.table,
            "row": each.pair.row,
            "column": each.pair.column,
            "declared": each.pair.declared.state.value,
            "state": each.state,
            "reason": each.reason,
            "contradiction": each.contradiction,
        }
        for each in outcomes
    ]


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
