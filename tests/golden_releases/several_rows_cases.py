"""Cases in which people have several rows: in one table, or in several linked ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .case import VERIFY, Case, policy_text, step
from .one_table_cases import DATES, WORK
from .people import doctors, people, visits, visits_with_people, write_table

DROPPED = (
    "rows that are dropped so that people share numbers of rows are drawn from the system's entropy"
)
NUMBERED = "numbers in place of keys are drawn from the system's entropy"
HASH = '{ role = "direct", replace = "hash" }'
NUMBER = '{ role = "direct", replace = "number" }'
CODES = "{ prefix = [1] }"
COARSE = '{ dates = ["year", "10 years", "20 years"] }'


def one_table(name: str = "people.csv", *, rows: int = 160) -> Callable[[Path], object]:
    """Writes visits with the people in them."""
    return lambda folder: write_table(
        visits_with_people(people(rows, seed=5), seed=6), folder / name
    )


def linked(
    name: str = "clinic", *, suffix: str = ".csv", rows: int = 160
) -> Callable[[Path], object]:
    """Writes people, their visits and doctors into a folder."""

    def write(folder: Path) -> None:
        (folder / name).mkdir()
        persons = people(rows, seed=5)
        tables = {"people": persons, "visits": visits(persons, seed=6), "doctors": doctors()}
        for table, rows_of in tables.items():
            write_table(rows_of, folder / name / f"{table}{suffix}")

    return write


# ------------------------------------------------------------------------------ several rows per
# person in one table

ROWS = {
    "visit": '"direct"',
    "id": HASH,
    "doctor": '"insensitive"',
    "ward": '"insensitive"',
    "code": '"sensitive"',
    "seen": '{ role = "insensitive", shift = { days = 20 } }',
    "cost": '"insensitive"',
    "family": '"direct"',
    "birth": f'{{ role = "quasi", hierarchy = {COARSE} }}',
    "sex": '"quasi"',
    "zip": '{ role = "quasi", hierarchy = { prefix = [4, 3] } }',
    "job": '"insensitive"',
    "weight": '"direct"',
}
UNSHARED_REMOVED = ROWS | {"cost": '"direct"'}
"""Without the field whose values no two rows share: whether that holds depends on the rows that are
dropped."""
PERSON = 'entity = "id"\nrow_counts = { linking = 0.0 }'
K = "k = 4\nmax_suppression = 0.1"

SEVERAL_ROWS = (
    Case(
        name="rows-anytime",
        write=one_table(),
        policy=policy_text(ROWS, K, top=PERSON, solve=f'solver = "anytime"\n{WORK}'),
        quick=True,
    ),
    Case(
        name="rows-optimal-parquet",
        write=one_table("people.parquet"),
        source="people.parquet",
        policy=policy_text(ROWS, K, top=PERSON, solve=f'solver = "optimal"\n{WORK}'),
    ),
    Case(
        name="rows-counts-dropped",
        write=one_table(),
        policy=policy_text(
            UNSHARED_REMOVED, K, top='entity = "id"\nrow_counts = { bin_size = 12 }', solve=WORK
        ),
        rows_by_chance=("*",),
        why_chance=DROPPED,
    ),
    Case(
        name="rows-k-m-jsonl",
        write=one_table("people.jsonl"),
        source="people.jsonl",
        policy=policy_text(
            ROWS | {"code": f'{{ role = "sensitive", hierarchy = {CODES} }}', "birth": '"direct"'},
            'k = 4\nmax_suppression = 0.1\nk_m = { field = "code", k = 4, m = 2 }',
            top=PERSON,
            solve=WORK,
        ),
    ),
    Case(
        name="rows-with-steps",
        write=one_table(),
        policy=policy_text(
            ROWS,
            K,
            top=PERSON,
            steps=step("sample", "share = 0.8") + step("round", 'fields = ["cost"]\nbase = 10'),
            solve=WORK,
        ),
    ),
    Case(
        name="rows-changing-quasi",
        write=one_table(),
        policy=policy_text(
            ROWS
            | {
                "ward": '"quasi"',
                "code": f'{{ role = "quasi", hierarchy = {CODES} }}',
                "birth": '"direct"',
            },
            "k = 4\nmax_suppression = 0.2",
            top=PERSON,
            solve=WORK,
        ),
    ),
    *(
        Case(
            name=f"rows-{solver.replace('_', '-')}",
            write=one_table(rows=40),
            policy=policy_text(
                ROWS, f"{K}\n{require}", top=PERSON, solve=f'solver = "{solver}"\n{told}'
            ),
        )
        for solver, require, told in (
            ("local", "", "work = 20"),
            ("k_similar", "", "work = 20"),
            ("mu_argus", "combinations = { k = 4, sizes = [1, 2] }", ""),
            ("datafly", "", ""),
        )
    ),
    *(
        Case(
            name=f"rows-refused-{name}",
            write=one_table(rows=40),
            policy=policy_text(ROWS, f"{K}\n{require}", top=f"{PERSON}\n{top}", solve=solve),
        )
        for name, require, top, solve in (
            ("l-diversity", "l_diversity = { l = 2 }", "", WORK),
            ("household", "", 'household = "family"', WORK),
        )
    ),
)

# --------------------------------------------------------------------------------------------------
# several tables

PEOPLE: dict[str, str] = {
    "id": HASH,
    "family": '"direct"',
    "name": '"direct"',
    "birth": f'{{ role = "quasi", hierarchy = {DATES}, rank = 2 }}',
    "age": '"direct"',
    "sex": '{ role = "quasi", rank = 2 }',
    "zip": '{ role = "quasi", hierarchy = { prefix = [4, 3] }, rank = 2 }',
    "job": '"insensitive"',
    "grade": '"insensitive"',
    "income": '"insensitive"',
    "weight": '"insensitive"',
    "lat": '"direct"',
    "lon": '"direct"',
    "ill": '"sensitive"',
    "seen": '{ role = "insensitive", shift = { days = 20 } }',
}
VISITS: dict[str, str] = {
    "visit": HASH,
    "id": HASH,
    "doctor": HASH,
    "ward": '"insensitive"',
    "code": '"sensitive"',
    "seen": '{ role = "insensitive", shift = { days = 20 } }',
    "cost": '"insensitive"',
}
DOCTORS: dict[str, str] = {"doctor": HASH, "name": '"direct"', "field": '"insensitive"'}


def tables_policy(
    require: str,
    *,
    persons: Mapping[str, str] = PEOPLE,
    seen: Mapping[str, str] = VISITS,
    staff: Mapping[str, str] = DOCTORS,
    counts: str = "{ linking = 0.0 }",
    solve: str = WORK,
    top: str = "",
    more: str = "",
) -> str:
    """A policy for the clinic's three tables."""
    links = '{ id = "people.id", doctor = "doctors.doctor" }'
    heads = {
        "people": 'key = "id"',
        "visits": f'key = "visit"\nlinks = {links}\nrow_counts = {counts}',
        "doctors": 'key = "doctor"',
    }
    parts = ['entity = "people.id"', top]
    for name, fields in (("people", persons), ("visits", seen), ("doctors", staff)):
        parts += [f"[tables.{name}]", heads[name], f"[tables.{name}.fields]"]
        parts += [f"{field} = {said}" for field, said in fields.items()]
    return "\n".join([*parts, more, "[require]", require, "[solve]", solve]) + "\n"


NUMBERED_KEYS = {
    "persons": PEOPLE | {"id": NUMBER},
    "seen": VISITS | {"visit": NUMBER, "id": NUMBER, "doctor": NUMBER},
    "staff": DOCTORS | {"doctor": NUMBER},
}

SEVERAL_TABLES = (
    *(
        Case(
            name=f"tables-{solver.replace('_', '-')}",
            write=linked(),
            source="clinic",
            policy=tables_policy(require, solve=f'solver = "{solver}"\n{more}'),
            quick=solver == "anytime",
        )
        for solver, require, more in (
            ("anytime", K, WORK),
            ("optimal", K, WORK),
            ("given", "k = 4\nmax_suppression = 0.2", "levels = { birth = 5, zip = 2 }"),
            ("datafly", K, ""),
            ("datafly2", K, ""),
            ("mu_argus", "combinations = { k = 3, sizes = [1, 2] }", ""),
            ("k_similar", "k = 4", "work = 200"),
            ("local", "k = 4", "work = 20"),
        )
    ),
    Case(
        name="tables-microaggregation",
        write=linked(),
        source="clinic",
        policy=tables_policy(
            "k = 4",
            persons=PEOPLE
            | {
                "birth": '"direct"',
                "sex": '"insensitive"',
                "zip": '"insensitive"',
                "income": '"quasi"',
            },
            solve='solver = "microaggregation"',
        ),
    ),
    Case(
        name="tables-quasi-below",
        write=linked(),
        source="clinic",
        policy=tables_policy(
            "k = 4\nmax_suppression = 0.3",
            seen=VISITS | {"ward": '"quasi"', "code": f'{{ role = "quasi", hierarchy = {CODES} }}'},
        ),
    ),
    Case(
        name="tables-quasi-below-optimal-parquet",
        write=linked(suffix=".parquet"),
        source="clinic",
        policy=tables_policy(
            "k = 4\nmax_suppression = 0.3",
            seen=VISITS | {"ward": '"quasi"'},
            solve=f'solver = "optimal"\n{WORK}',
        ),
    ),
    Case(
        name="tables-numbered-keys",
        write=linked(),
        source="clinic",
        policy=tables_policy(K, **NUMBERED_KEYS),
        columns_by_chance=("id", "visit", "doctor"),
        why_chance=NUMBERED,
    ),
    Case(
        name="tables-row-counts-datafly",
        write=linked(),
        source="clinic",
        policy=tables_policy(
            K, counts='{ bin_size = 12, merging = "datafly" }', seen=VISITS | {"cost": '"direct"'}
        ),
        rows_by_chance=("visits",),
        why_chance=DROPPED,
    ),
    Case(
        name="tables-k-m",
        write=linked(),
        source="clinic",
        policy=tables_policy(
            f'{K}\nk_m = [{{ table = "visits", field = "code", k = 4, m = 2 }}]',
            seen=VISITS | {"code": f'{{ role = "sensitive", hierarchy = {CODES} }}'},
        ),
    ),
    Case(
        name="tables-values-in-bins",
        write=linked(),
        source="clinic",
        policy=tables_policy(
            'k = 4\nmax_suppression = 0.2\nl_diversity = { l = 2, fields = ["ill"] }\n'
            't_closeness = { t = 0.6, fields = ["ill"] }'
        ),
    ),
    Case(
        name="tables-k-map-weights",
        write=linked(),
        source="clinic",
        policy=tables_policy('max_suppression = 0.2\nk_map = { k = 30, weight = "weight" }'),
    ),
    Case(
        name="tables-refused-steps",
        write=linked(rows=40),
        source="clinic",
        policy=tables_policy(K, more=step("round", 'fields = ["cost"]\nbase = 10')),
    ),
    Case(
        name="tables-steps",
        write=linked(),
        source="clinic",
        policy=tables_policy(
            K,
            more=step("sample", 'table = "people"\nshare = 0.5')
            + step("round", 'table = "visits"\nfields = ["cost"]\nbase = 10'),
        ),
        quick=True,
    ),
    Case(
        name="tables-refused-household",
        write=linked(rows=40),
        source="clinic",
        policy=tables_policy(K, top='household = "family"'),
    ),
    Case(
        name="tables-proposed",
        write=linked(rows=120),
        source="clinic",
        commands=(("release", "SOURCE", "--to", "out", "--key", "golden.key"), VERIFY),
        rows_by_chance=("*",),
        why_chance=DROPPED,
    ),
)
