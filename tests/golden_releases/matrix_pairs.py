"""The pairs of the matrix: what is run for each, and what declarations say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sfumato.engines import ENGINES
from sfumato.engines.compatibility import engine_in, read_in, released_in
from sfumato.engines.formats import FORMATS
from sfumato.parts import Shape
from sfumato.policy import MODELS, TECHNIQUES
from sfumato.policy import SOLVERS as DECLARED_SOLVERS
from sfumato.policy.compatibility import (
    SETTINGS_OF_REQUIRE,
    WORKS,
    Compatibility,
    model_in,
    model_with,
    setting_in,
    solver_in,
    technique_in,
)

from .matrix_parts import (
    DEFAULT_SHAPE,
    LINKED,
    REQUIREMENTS,
    SHAPES,
    SOLVERS,
    STEPS,
    Part,
    policy_of,
)
from .matrix_parts import TECHNIQUES as TECHNIQUE_PARTS
from .people import ILLS, Row, people, write_table

SUFFIXES = {key: declared.suffixes[0] for key, declared in FORMATS.all().items()}
IN_ONE_FILE = ("xlsx", "duckdb", "sqlite")
"""Formats whose files hold several tables; for the others a folder has a file for each table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A cell of a table of the docs: the command that tries it, and what is declared of it."""

    table: str
    row: str
    column: str
    policy: str
    declared: Compatibility
    source: str
    engine: str = "reference"
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.row} × {self.column}"


def shape_of(column: str) -> Shape:
    return Shape.ONE_ROW if column == STEPS else Shape(column)


def all_pairs(
    *, engine: str = "reference", engines: Iterable[str] = ("duckdb", "reference")
) -> Iterator[Pair]:
    """Every pair of every table, in the order of the docs; the first four tables run on one
    engine."""
    for row, part in REQUIREMENTS.items():
        for column in SHAPES:
            yield _in_shape(
                "requirement × shape", row, column, part, requirement_in(row, column), engine
            )
    for row, part in REQUIREMENTS.items():
        for column, solver in SOLVERS.items():
            policy = policy_of(DEFAULT_SHAPE, part, solver)
            yield Pair(
                table="requirement × solver",
                row=row,
                column=column,
                policy=policy,
                declared=requirement_with(row, column),
                source=source_of(DEFAULT_SHAPE),
                engine=engine,
            )
    for row, part in SOLVERS.items():
        for column in SHAPES:
            declared = solver_in(DECLARED_SOLVERS[row], shape_of(column))
            yield _in_shape("solver × shape", row, column, part, declared, engine)
    for row, part in TECHNIQUE_PARTS.items():
        for column in SHAPES:
            declared = technique_in(TECHNIQUES[row], shape_of(column))
            yield _in_shape("technique × shape", row, column, part, declared, engine)
    for row in engines:
        for column in SHAPES:
            declared = engine_in(ENGINES[row], shape_of(column))
            yield _in_shape(
                "engine × shape", row, column, Part(), declared, row, options=("--format", "csv")
            )
    yield from _of_formats()


def _of_formats() -> Iterator[Pair]:
    for key, suffix in SUFFIXES.items():
        for column in SHAPES:
            yield _in_shape(
                "format × shape",
                f"read {key}",
                column,
                Part(),
                read_in(FORMATS[key], shape_of(column)),
                "duckdb",
                source=source_of(column, suffix=suffix),
            )
    for key in (key for key, declared in FORMATS.all().items() if declared.released):
        for column in SHAPES:
            declared = released_in(FORMATS[key], shape_of(column))
            yield _in_shape(
                "format × shape",
                f"release {key}",
                column,
                Part(),
                declared,
                "duckdb",
                options=("--format", key),
            )


def _in_shape(
    table: str,
    row: str,
    column: str,
    part: Part,
    declared: Compatibility,
    engine: str,
    **more: object,
) -> Pair:
    in_tables = (
        part.in_tables and column == Shape.NULL_READINGS.value
    )  # a person's set needs several rows or tables
    shape, parts = (LINKED[0], (part, SHAPES[column])) if in_tables else (column, (part,))
    given: dict[str, object] = {"source": source_of(shape), **more}
    return Pair(
        table=table,
        row=row,
        column=column,
        policy=policy_of(shape, *parts),
        declared=declared,
        engine=engine,
        **given,  # type: ignore[arg-type]
    )


def key_of(row: str) -> str:
    """The key of [require] of a row such as \"l_diversity (entropy)\" or \"reading = wildcard\"."""
    return row.split(" ")[0]


def requirement_in(row: str, column: str) -> Compatibility:
    key, shape = key_of(row), shape_of(column)
    return setting_in(key, shape) if key in SETTINGS_OF_REQUIRE else model_in(MODELS[key], shape)


def requirement_with(row: str, solver: str) -> Compatibility:
    key, declared = key_of(row), DECLARED_SOLVERS[solver]
    if key == "nulls":
        return solver_in(declared, Shape.NULL_READINGS)
    return WORKS if key in SETTINGS_OF_REQUIRE else model_with(MODELS[key], declared)


# ---------------------------------------------------------------------------------------------------------
# sources


def source_of(shape: str, *, suffix: str = ".csv") -> str:
    """The file or folder that holds the small table in a shape, as files of a kind."""
    stem = "rows" if shape == Shape.SEVERAL_ROWS.value else "people"
    if shape not in LINKED:
        return f"{stem}{suffix}"
    key = next(key for key, ending in SUFFIXES.items() if ending == suffix)
    return f"clinic{suffix}" if key in IN_ONE_FILE else f"clinic-{key}"


def write_sources(folder: Path, *, suffixes: Iterable[str] = tuple(SUFFIXES.values())) -> None:
    """A small table in each shape and format, and a register."""
    persons = [row | {"zip": f"0213{number % 2}"} for number, row in enumerate(people(48, seed=21))]
    persons = [row | {"sex": "fm"[number // 2 % 2]} for number, row in enumerate(persons)]
    chance = Random(22)
    several: list[Row] = [
        row | {"ill": chance.choice(ILLS)} for row in persons for _ in range(chance.randint(1, 3))
    ]
    visits: list[Row] = [
        {
            "id": row["id"],
            "ward": chance.choice(("north", "south")),
            "stay": chance.choice(("long", "short")),
            "days": str(3 + number // 4 % 4 + 5 * visit),
        }
        for number, row in enumerate(persons)
        for visit in range(2)
    ]
    for suffix in suffixes:
        write_table(persons, folder / f"people{suffix}")
        write_table(several, folder / f"rows{suffix}")
        _write_tables(
            {"people": persons, "visits": visits},
            folder / source_of(LINKED[0], suffix=suffix),
            suffix,
        )
    known: list[Row] = [{"sex": row["sex"], "zip": row["zip"]} for row in persons * 3]
    write_table(known, folder / "register.csv")


def _write_tables(tables: Mapping[str, list[Row]], place: Path, suffix: str) -> None:
    if place.suffix:
        for name, rows in tables.items():
            write_table(rows, place, table=name)
        return
    place.mkdir()
    for name, rows in tables.items():
        write_table(rows, place / f"{name}{suffix}")
