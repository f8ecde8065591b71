"""What a release is worth, measured: seconds and memory on Adult and on 3.6 million rows, step by
step.

Each measurement runs in a process of its own. Beside it stands DuckDB's group-by over all fields of
both tables, which everything starts from."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .data import CACHE, DATA, have, repeated
from .measuring import command

SETS = {"adult": ("salary-class", 1), "ihis_like": ("EDUC", 3)}


def main() -> None:
    for name, (sensitive, times) in SETS.items():
        if have(name):
            _show(name, sensitive, repeated(name, times))


def _show(name: str, sensitive: str, path: Path) -> None:
    release = _released(name, sensitive, path)
    printed = CACHE / f"usefulness_{name}.json"
    words = [
        sys.executable,
        "-m",
        "benchmarks.usefulness",
        name,
        sensitive,
        str(path),
        str(release),
        str(printed),
    ]
    cost = command(words)
    found = json.loads(printed.read_text(encoding="utf-8"))
    table = Table(title=f"{name}: {found['rows']:,} rows, {found['fields']} fields; CPU seconds")
    table.add_column("step")
    table.add_column("CPU s", justify="right")
    for step, seconds in found["steps"]:
        table.add_row(step, f"{seconds:.2f}")
    table.add_row("all", f"{found['seconds']:.2f}")
    table.add_row("DuckDB's group-bys over all fields", f"{found['group_by']:.2f}")
    Console(width=110).print(table)
    Console(width=110).print(
        f"peak memory of the process {cost.megabytes:,.0f} MB\n", highlight=False
    )


def _policy(name: str, sensitive: str, fields: tuple[str, ...]):
    from sfumato.policy import policy_from_table

    roles = {
        field: {"role": "sensitive"}
        if field == sensitive
        else {"role": "quasi", "hierarchy": f"hierarchy_{field}.csv"}
        for field in fields
    }
    require = {"k": 5, "max_suppression": 0.05}
    given = {"fields": roles, "require": require, "solve": {"solver": "datafly2"}}
    return policy_from_table(given, folder=DATA / name)


def _fields(path: Path) -> tuple[str, ...]:
    from sfumato.engines import open_source

    with open_source(path) as engine:
        return tuple(info.name for info in engine.fields())


def _released(name: str, sensitive: str, path: Path) -> Path:
    from sfumato.releases import release

    folder = CACHE / f"usefulness_{path.stem}"
    if not (folder / "release.parquet").exists():
        shutil.rmtree(folder, ignore_errors=True)
        release(path, _policy(name, sensitive, _fields(path)), to=folder)
    return folder / "release.parquet"


def measure(name: str, sensitive: str, source: Path, release: Path, printed: Path) -> None:
    from sfumato.assessment.utility import measure_usefulness
    from sfumato.engines import open_source
    from sfumato.measures.subject import Subject
    from sfumato.releases import prepare

    steps: list[tuple[str, float]] = []
    with open_source(source) as ours, open_source(release) as theirs:
        prepared = prepare(ours, _policy(name, sensitive, _fields(source)))
        bare = time.process_time()
        for path in (source, release):
            _group_by(path)
        bare = time.process_time() - bare
        given = {
            "known": prepared.known,
            "sensitive": (sensitive,),
            "hierarchies": prepared.hierarchies,
        }
        subject = Subject(
            release=theirs,
            source=ours,
            progress=lambda stage: steps.append((stage, time.process_time())),
            **given,
        )
        started = time.process_time()
        found = measure_usefulness(subject)
        ended = time.process_time()
    ends = [*(at for _, at in steps[1:]), ended]
    facts = {
        "rows": found.rows_source,
        "fields": len(found.fields),
        "steps": [(stage, end - at) for (stage, at), end in zip(steps, ends, strict=True)],
        "seconds": ended - started,
        "group_by": bare,
    }
    printed.write_text(json.dumps(facts), encoding="utf-8")


def _group_by(path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"SELECT *, count(*) FROM '{path}' GROUP BY ALL").fetchnumpy()


if __name__ == "__main__":
    measure(sys.argv[1], sys.argv[2], *map(Path, sys.argv[3:]))
