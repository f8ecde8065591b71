"""Random people with several rows, in one table or in two that are linked, released and recounted
by people."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cells import Cell, Row, read_released
from .policies import Policy, as_toml, random_hierarchy
from .tables import Column, Table, identifiers, random_cells, write_table

KINDS = (
    "word",
    "code",
    "small",
    "integer",
    "date",
    "boolean",
    "grade",
    "state",
    "decimal",
    "huge",
    "real",
)
SOLVERS = ("anytime", "best", "datafly2", "local", "greedy", "k_similar")
PERSON, VISIT = "person id", "visit's id"


@dataclass(frozen=True, kw_only=True)
class LinkedCase:
    """A person's table with its policy, and another whose rows are theirs; or the one of them that
    holds both."""

    seed: str
    tables: dict[str, Table]
    policy: Policy
    source_format: str
    file_format: str

    @classmethod
    def of(cls, seed: str) -> LinkedCase:
        draw = random.Random(seed)
        source_format = draw.choice(("csv", "parquet"))
        people = draw.choice((12, 25, 40))
        keys = [str(key) for key in identifiers(people, draw)]
        owners = [key for key in keys for _ in range(draw.choice((1, 1, 2, 2, 3)))]
        visits = _table(
            {PERSON: list(owners), VISIT: identifiers(len(owners), draw)}, len(owners), draw
        )
        method = draw.choice(("number", "hash", "made-up"))
        k = draw.choice((2, 3))
        require = {"k": k, "max_suppression": 1}
        if draw.random() < 0.5:
            names = {
                name: _field(visits, name, draw, source_format, quasi=number < 2)
                for number, name in _own(visits)
            }
            fields = {
                PERSON: {"role": "direct", "replace": method},
                VISIT: {"role": "direct"},
            } | names
            policy: Policy = {"entity": PERSON, "fields": fields, "require": require}
            tables = {"visits": visits}
        else:
            patients = _table({PERSON: list(keys)}, people, draw)
            tables = {"patients": patients, "visits": visits}
            policy = _linked_policy(tables, draw, source_format, method, require)
        file_format = draw.choice(("csv", "parquet"))
        _draw_solver(policy, draw)
        return cls(
            seed=seed,
            tables=tables,
            policy=policy,
            source_format=source_format,
            file_format=file_format,
        )

    def write(self, folder: Path) -> list[str]:
        """Write the tables and the policy; the arguments of the command."""
        source = folder / "source"
        source.mkdir(parents=True)
        for name, table in self.tables.items():
            write_table(table, source / f"{name}.{self.source_format}")
        (folder / "policy.toml").write_text(as_toml(self.policy), encoding="utf-8")
        given = source if len(self.tables) > 1 else source / f"visits.{self.source_format}"
        options = ["--policy", str(folder / "policy.toml"), "--to", str(folder / "release")]
        return ["release", str(given), *options, "--format", self.file_format]

    def contradictions(self, release: Path) -> list[str]:
        return list(_contradictions(self, release))


def _own(table: Table) -> list[tuple[int, str]]:
    names = [column.name for column in table.columns if column.name not in (PERSON, VISIT)]
    return list(enumerate(names))


def _table(keys: dict[str, list[Any]], rows: int, draw: random.Random) -> Table:
    columns = [Column(name, "identifier", list(cells)) for name, cells in keys.items()]
    for name in ("zip", "group", "cost"):
        kind = draw.choice(KINDS)
        cells, declared = random_cells(kind, rows, draw)
        columns.append(Column(name, kind, cells, declared))
    return Table(columns, rows)


def _field(
    table: Table, name: str, draw: random.Random, source_format: str, *, quasi: bool
) -> dict[str, Any]:
    if not quasi:
        return {"role": draw.choice(("sensitive", "insensitive"))}
    column = table.column(name)
    values = list(dict.fromkeys(text for text in column.texts(source_format) if text is not None))
    hierarchy = random_hierarchy(column.kind, values, draw)
    while hierarchy and "rows" in hierarchy:
        hierarchy = random_hierarchy(column.kind, values, draw)
    return {"role": "quasi"} | ({"hierarchy": hierarchy} if hierarchy else {})


def _linked_policy(
    tables: dict[str, Table],
    draw: random.Random,
    source_format: str,
    method: str,
    require: dict[str, Any],
) -> Policy:
    patients, visits = tables["patients"], tables["visits"]
    key = {"role": "direct", "replace": method}
    own = {
        name: _field(patients, name, draw, source_format, quasi=number < 2)
        for number, name in _own(patients)
    }
    quasi = draw.random() < 0.5
    theirs = {
        name: _field(visits, name, draw, source_format, quasi=quasi and not n)
        for n, name in _own(visits)
    }
    return {
        "entity": f"patients.{PERSON}",
        "tables": {
            "patients": {"key": PERSON, "fields": {PERSON: key} | own},
            "visits": {
                "links": {PERSON: f"patients.{PERSON}"},
                "fields": {PERSON: key, VISIT: {"role": "direct"}} | theirs,
            },
        },
        "require": require,
    }


def _draw_solver(policy: Policy, draw: random.Random) -> None:
    """A solver, and what may be said of a quasi field: a finest level, or that it is kept. Drawn
    after everything else, so that a seed makes the same tables as before."""
    solver = draw.choice(SOLVERS)
    work = {"local": 5, "k_similar": 30, "anytime": 200, "best": 200}.get(solver)
    policy["solve"] = {"solver": solver} | ({"work": work} if work else {})
    tables = policy.get("tables", {"": policy})
    quasi = [
        (name, fields)
        for fields in (table["fields"] for table in tables.values())
        for name, field in fields.items()
        if field["role"] == "quasi"
    ]
    if quasi and draw.random() < 0.3:
        name, fields = draw.choice(quasi)
        if fields[name].get("hierarchy"):
            fields[name]["finest"] = 1
    if "tables" not in policy and quasi and draw.random() < 0.3:
        policy["keep"] = [draw.choice(quasi)[0]]


def _contradictions(case: LinkedCase, release: Path) -> Iterator[str]:
    """Kept cells, links, people in each bin and people of each number of rows, counted on the
    written files."""
    written = {name: _read(release, name, case) for name in case.tables}
    roles = {name: _fields(case, name) for name in case.tables}
    k = case.policy["require"]["k"]
    for name, table in case.tables.items():
        kept = [
            field
            for field, spec in roles[name].items()
            if spec["role"] in ("sensitive", "insensitive")
        ]
        before = Counter(
            tuple(row[field] for field in kept) for row in table.texts(case.source_format)
        )
        after = Counter(tuple(row[field] for field in kept) for row in written[name])
        if extra := (after - before).total():
            yield f"kept cells: {extra} rows of {name} have cells that the source has not"
        originals = {row[PERSON] for row in table.texts(case.source_format)}
        if any(cell in originals for row in written[name] for cell in row.values()):
            yield "identifiers: an original stands in the release"
    people = {row[PERSON]: row for row in written.get("patients", [])}
    if people and {row[PERSON] for row in written["visits"]} - people.keys():
        yield "links: a row leads nowhere"
        return
    for name, rows in written.items():
        quasi = [field for field, spec in roles[name].items() if spec["role"] == "quasi"]
        above = [
            field for field, spec in roles.get("patients", {}).items() if spec["role"] == "quasi"
        ]
        joined = [
            (
                {f"own {field}": row[field] for field in quasi}
                | _above(people, row, above, name=name),
                row[PERSON],
            )
            for row in rows
        ]
        if bad := _bins_below(joined, k):
            yield f"k: {bad} bins of {name} have rows of fewer people"
    counts = Counter(Counter(row[PERSON] for row in written["visits"]).values())
    if people:
        counts[0] = len(people) - counts.total()
    if any(0 < number < k for number in counts.values()):
        yield "row counts: a number of rows is that of too few people"


def _fields(case: LinkedCase, name: str) -> dict[str, Any]:
    return dict(
        case.policy["fields"] if "fields" in case.policy else case.policy["tables"][name]["fields"]
    )


def _read(release: Path, name: str, case: LinkedCase) -> list[Row]:
    found = [path for path in release.iterdir() if path.suffix in (".csv", ".parquet")]
    path = next(path for path in found if path.stem == name or len(case.tables) == 1)
    return read_released(path)[1]


def _above(people: dict[Cell, Row], row: Row, fields: list[str], *, name: str) -> dict[str, Cell]:
    return (
        {f"above {field}": people[row[PERSON]][field] for field in fields}
        if name == "visits" and people
        else {}
    )


def _bins_below(joined: list[tuple[dict[str, Cell], Cell]], k: int) -> int:
    holders: dict[tuple[Cell, ...], set[Cell]] = defaultdict(set)
    for cells, person in joined:
        holders[tuple(cells.values())].add(person)
    return sum(len(found) < k for found in holders.values()) if joined and joined[0][0] else 0
