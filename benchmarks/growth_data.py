"""Made-up tables as people have them, and the policies to release them by: wide ones, near-unique
rows, fields of very many values."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np

WIDE_ROWS = 2_000
REQUIRED = '[require]\nk = 5\nmax_suppression = 0.05\n[solve]\nsolver = "datafly"\n'
NEAR_UNIQUE = (
    """
[fields]
id = "direct"
born = { role = "quasi", hierarchy = { dates = ["month", "year", "10 years"] } }
zip = { role = "quasi", hierarchy = { prefix = [3, 2] } }
sex = "quasi"
job = "quasi"
diagnosis = "sensitive"
cost = "insensitive"
note = "insensitive"
"""
    + REQUIRED
)
UNIQUE = dict(age=90, zip=900, sex=2, job=200, school=16, state=50, hours=80, pay=400, size=7)
"""Nine fields, and how many values each has."""
LEAF = {
    "codes": ("lpad(range::VARCHAR, 8, '0')", "prefix = [4, 2]"),
    "days": ("(DATE '0001-01-01' + range::INT)::VARCHAR", 'dates = ["year", "100 years"]'),
    "numbers": ("range::VARCHAR", "numbers = { widths = [1000, 100000] }"),
}


def write_wide(path: Path, columns: int) -> str:
    """Numbers, codes, amounts, answers and days by turns; the policy of which three are quasi."""
    chance = np.random.default_rng(1)

    def drawn(place: int) -> tuple[str, list[str]]:
        match place % 5:
            case 0:
                return f"number_{place}", chance.integers(0, 90, WIDE_ROWS).astype(str).tolist()
            case 1:
                return f"code_{place}", [f"c{v % 40}" for v in chance.zipf(1.6, WIDE_ROWS)]
            case 2:
                amounts = np.round(chance.normal(100, 20, WIDE_ROWS), 2)
                return f"amount_{place}", amounts.astype(str).tolist()
            case 3:
                said = np.where(chance.random(WIDE_ROWS) < 0.3, "yes", "no")
                return f"answer_{place}", said.tolist()
            case _:
                days = np.datetime64("2020-01-01") + chance.integers(0, 900, WIDE_ROWS)
                return f"day_{place}", days.astype(str).tolist()

    table = dict(drawn(place) for place in range(columns))
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(table) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*table.values(), strict=True))
    roles = ("quasi" if place in (0, 1, 3) else "insensitive" for place in range(columns))
    lines = (f'{name} = "{role}"\n' for name, role in zip(table, roles, strict=True))
    return "[fields]\n" + "".join(lines) + REQUIRED


def write_near_unique(path: Path, rows: int) -> str:
    """People of whom hardly two are born on the same day in the same place."""
    duckdb.execute(
        "COPY (SELECT range AS id, (DATE '1930-01-01' + (hash(range) % 30000)::INT)::VARCHAR "
        "AS born, lpad((hash(range + 1) % 99000)::VARCHAR, 5, '0') AS zip, "
        "CASE WHEN hash(range + 2) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, "
        "(hash(range + 3) % 200)::VARCHAR AS job, 'd' || (hash(range + 4) % 300) AS diagnosis, "
        "round((hash(range + 5) % 100000) / 37.0, 2) AS cost, md5(range::VARCHAR) AS note "
        f"FROM range({rows})) TO '{path}' (HEADER)"
    )
    return NEAR_UNIQUE


def write_hashed(path: Path, rows: int) -> str:
    """The same people, each with a keyed hash in place of the number."""
    asked = write_near_unique(path, rows)
    return asked.replace('id = "direct"', 'id = { role = "direct", replace = "hash" }')


def write_leaves(path: Path, leaves: int, *, kind: str = "codes") -> str:
    """One row for each of very many codes, days or numbers."""
    value, hierarchy = LEAF[kind]
    duckdb.execute(
        f"COPY (SELECT {value} AS code, "
        f"CASE WHEN hash(range) % 2 = 0 THEN 'f' ELSE 'm' END AS sex FROM range({leaves})) "
        f"TO '{path}' (HEADER)"
    )
    return (
        f'[fields]\ncode = {{ role = "quasi", hierarchy = {{ {hierarchy} }} }}\nsex = "quasi"\n'
        + REQUIRED
    )


def write_unique(path: Path, rows: int) -> str:
    """People who are nearly all alone in nine fields, for local recoding."""
    fields = {
        name: f"(hash(range + {place}) % {size})::INT AS {name}"
        for place, (name, size) in enumerate(UNIQUE.items())
    }
    duckdb.execute(f"COPY (SELECT {', '.join(fields.values())} FROM range({rows})) TO '{path}'")
    asked = (
        f'{name} = {{ role = "quasi", hierarchy = {{ numbers = {{ widths = [{size // 20}, '
        f"{size // 20 * 5}] }} }} }}\n"
        if size >= 40
        else f'{name} = "quasi"\n'
        for name, size in UNIQUE.items()
    )
    return "[fields]\n" + "".join(asked) + '[require]\nk = 5\n[solve]\nsolver = "local"\n'
