"""Cases of one table with one row for each person: every solver, file format and households."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .case import VERIFY, Case, policy_text
from .people import people, write_table

DATES = '{ dates = ["month", "year", "5 years", "10 years", "20 years"] }'
FIELDS = {
    "id": '{ role = "direct", replace = "hash" }',
    "family": '"direct"',
    "name": '"direct"',
    "birth": f'{{ role = "quasi", hierarchy = {DATES}, rank = 2 }}',
    "age": '"direct"',
    "sex": '{ role = "quasi", rank = 2 }',
    "zip": '{ role = "quasi", hierarchy = { prefix = [4, 3] }, rank = 2 }',
    "job": '"insensitive"',
    "grade": '"insensitive"',
    "income": '"insensitive"',
    "weight": '"direct"',
    "lat": '"direct"',
    "lon": '"direct"',
    "ill": '"sensitive"',
    "seen": '{ role = "insensitive", shift = { days = 30, per = "id" } }',
}
REST = '["gout", "migraine", "eczema", "ulcer", "HIV"]'
ILL_TREE = f'{{ tree = {{ lungs = ["flu", "asthma"], heart = ["angina"], rest = {REST} }} }}'
K = "k = 5\nmax_suppression = 0.05"
WORK = "work = 2000"
WEIGHTED = "work = 2000\nweights = { birth = 3.0, zip = 0.5 }"
"""A birth date is worth keeping, so that the optimum is not at a corner of the lattice."""


def table(name: str = "people.csv", *, rows: int = 300, seed: int = 1) -> Callable[[Path], object]:
    """Writes the people to a file."""
    return lambda folder: write_table(people(rows, seed=seed), folder / name)


NUMBERS = FIELDS | {
    "birth": '"direct"',
    "age": '"quasi"',
    "income": '"quasi"',
    "zip": '"insensitive"',
}

SOLVERS = (
    Case(
        name="anytime",
        write=table(),
        policy=policy_text(FIELDS, K, solve=f'solver = "anytime"\n{WEIGHTED}'),
        quick=True,
    ),
    Case(
        name="optimal-parquet",
        write=table("people.parquet"),
        source="people.parquet",
        policy=policy_text(FIELDS, K, solve=f'solver = "optimal"\nobjective = "ncp"\n{WORK}'),
    ),
    Case(
        name="given-jsonl",
        write=table("people.jsonl"),
        source="people.jsonl",
        policy=policy_text(
            FIELDS,
            "k = 5\nmax_suppression = 0.1",
            solve='solver = "given"\nlevels = { birth = 5, zip = 2, sex = 0 }',
        ),
    ),
    Case(
        name="datafly-xlsx",
        write=table("people.xlsx"),
        source="people.xlsx",
        policy=policy_text(
            FIELDS,
            "anonymity = { level = 0.5, r2 = 20, e = 5, loss = 0.1 }\nmax_suppression = 0.1",
            solve='solver = "datafly"',
        ),
    ),
    Case(
        name="datafly-with-k",
        write=table(),
        policy=policy_text(FIELDS, K, solve='solver = "datafly"'),
    ),
    Case(
        name="datafly2-duckdb",
        write=table("people.duckdb"),
        source="people.duckdb",
        policy=policy_text(FIELDS, K, solve='solver = "datafly2"'),
    ),
    Case(
        name="mu-argus-sqlite",
        write=table("people.sqlite"),
        source="people.sqlite",
        policy=policy_text(
            FIELDS, "combinations = { k = 3, sizes = [1, 2] }", solve='solver = "mu_argus"'
        ),
        quick=True,
    ),
    Case(
        name="mu-argus-levels",
        write=table(),
        policy=policy_text(
            FIELDS,
            "combinations = { k = 3, sizes = [1, 2, 3] }",
            solve='solver = "mu_argus"\nlevels = { birth = 3, zip = 1 }\nmax_size = 3',
        ),
    ),
    Case(
        name="mu-argus-breaks-k",
        write=table(),
        policy=policy_text(
            FIELDS, "k = 3", solve='solver = "mu_argus"\nlevels = { birth = 3, zip = 1 }'
        ),
    ),
    Case(
        name="k-similar",
        write=table(rows=120),
        policy=policy_text(FIELDS, "k = 5", solve='solver = "k_similar"\nwork = 500'),
        quick=True,
    ),
    Case(
        name="k-similar-loss-exact",
        write=table(rows=18),
        policy=policy_text(
            FIELDS, "k = 3", solve='solver = "k_similar"\ndistance = "loss"\nwork = 500'
        ),
    ),
    Case(
        name="local-tree-json",
        write=table("people.json"),
        source="people.json",
        policy=policy_text(FIELDS, "k = 5", solve='solver = "local"\nwork = 20'),
        quick=True,
    ),
    Case(
        name="local-ranges",
        write=table(),
        policy=policy_text(
            NUMBERS, "k = 5", solve='solver = "local"\nlabels = "ranges"\nwork = 20'
        ),
    ),
    Case(
        name="microaggregation-parquet-to-xlsx",
        write=table("people.parquet"),
        source="people.parquet",
        more=("--format", "xlsx"),
        policy=policy_text(
            NUMBERS | {"sex": '"insensitive"'}, "k = 5", solve='solver = "microaggregation"'
        ),
    ),
)

FORMATS = (
    Case(
        name="semicolons-and-latin-1",
        write=lambda folder: write_table(
            [row | {"name": f"Zoë {row['name']}"} for row in people(200, seed=3)],
            folder / "people.csv",
            separator=";",
            encoding="latin-1",
        ),
        policy=policy_text(
            FIELDS | {"name": '{ role = "direct", replace = "mask" }'}, K, solve=WORK
        ),
    ),
    Case(
        name="tabs-reference-engine",
        write=table("people.tsv", rows=150),
        source="people.tsv",
        more=("--engine", "reference"),
        policy=policy_text(FIELDS, K, solve=WORK),
    ),
    Case(
        name="csv-to-parquet-sorted",
        write=table(),
        more=("--format", "parquet"),
        policy=policy_text(FIELDS, K, solve=WORK, top='order = "sorted"'),
    ),
    Case(
        name="other-fields-null-words-formulas",
        write=lambda folder: write_table(
            [
                row | {"job": "=1+1" if row["job"] == "judge" else row["job"]}
                for row in people(200, seed=4)
            ],
            folder / "people.csv",
        ),
        policy=policy_text(
            {name: said for name, said in FIELDS.items() if name not in ("lat", "lon", "age")},
            K,
            solve=WORK,
            top='other_fields = "remove"\nquote_formulas = true\nsource = { null_words = '
            '["none"] }',
        ),
    ),
    Case(
        name="proposed",
        write=table(rows=200),
        commands=(("release", "SOURCE", "--to", "out", "--key", "golden.key"), VERIFY),
    ),
)

HOUSEHOLDS = tuple(
    Case(
        name=f"household-{solver.replace('_', '-')}",
        write=table(),
        policy=policy_text(
            FIELDS, require, top='household = "family"', solve=f'solver = "{solver}"\n{more}'
        ),
        quick=solver == "anytime",
    )
    for solver, require, more in (
        ("anytime", "k = 5\nmax_suppression = 0.2", WEIGHTED),
        ("optimal", "k = 5\nmax_suppression = 0.2", WORK),
        ("given", "k = 5\nmax_suppression = 0.2", "levels = { birth = 5, zip = 2 }"),
        ("datafly2", "k = 5\nmax_suppression = 0.2", ""),
        ("local", "k = 5\nmax_suppression = 0.2", "work = 20"),
    )
)

ONE_TABLE = (*SOLVERS, *FORMATS, *HOUSEHOLDS)
