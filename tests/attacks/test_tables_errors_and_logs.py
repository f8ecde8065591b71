"""Errors and logs about several tables: the attacker sees only what the holder's staff paste into a
ticket.

Every cell of every table holds a marker. Whatever goes wrong, and whatever is made, no marker may
be in a message, a log, a warning, a report or a manifest. The control is that the markers are in
the released tables, where they belong."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from table_plans import planned_tables
from test_errors_and_logs import MARK, listening, told

import sfumato
from sfumato.engines import open_database
from sfumato.errors import SfumatoError
from sfumato.policy import policy_from_table
from sfumato.releases import Key
from sfumato.releases.pipeline import release

HASH = {"role": "direct", "replace": "hash"}
Tables = dict[str, list[dict[str, str]]]


def marked(name: str, n: int, many: int = 99) -> str:
    return f"{MARK}{name}{n % many}"


def clinic() -> Tables:
    """Twelve people with up to three visits, all cells marked."""
    people = [
        {
            "id": marked("id", n),
            "zip": marked("zip", n, 4),
            "sex": marked("sex", n, 2),
            "words": marked("words", n),
        }
        for n in range(12)
    ]
    visits = [
        {
            "vid": marked("vid", n),
            "who": marked("id", n % 9),
            "ward": marked("ward", n, 3),
            "bill": marked("bill", n),
        }
        for n in range(20)
    ]
    return {"people": people, "visits": visits}


def said(changes: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    tables: dict[str, Any] = {
        "people": {
            "key": "id",
            "fields": {
                "id": HASH,
                "zip": {"role": "quasi", "hierarchy": "zip.csv"},
                "sex": "quasi",
                "words": "text",
            },
        },
        "visits": {
            "key": "vid",
            "links": {"who": "people.id"},
            "fields": {"vid": HASH, "who": HASH, "ward": "sensitive", "bill": "insensitive"},
        },
    }
    for place, value in (changes or {}).items():
        table, part, *name = place.split(".")
        (tables[table][part] if name else tables[table])[name[0] if name else part] = value
    return {"entity": "people.id", "tables": tables, "require": {"k": 3}} | top


def ladder() -> str:
    return "".join(f"{marked('zip', n)};area {n // 2};all\n" for n in range(4))


def attempt(
    folder: Path, tables: Tables, decided: dict[str, Any], *, engine: str, **how: Any
) -> Any:
    source = folder / "source"
    source.mkdir()
    for name, rows in tables.items():
        with (source / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    (folder / "zip.csv").write_text(ladder())
    policy = policy_from_table(decided, folder=folder)
    return release(
        source, policy, to=folder / "out", key=Key(bytes(range(32))), engine=engine, **how
    )


def spoilt(table: str, field: str, value: str | None, at: int = 0) -> Callable[[], Tables]:
    def make() -> Tables:
        tables = clinic()
        tables[table][at][field] = value or ""
        return tables

    return make


TREE = {"role": "sensitive", "hierarchy": {"tree": {"cold": ["snow"], "warm": ["sand"]}}}
QUASI = {"visits.fields.ward": "quasi"}
FAILURES: dict[str, tuple[Callable[[], Tables], dict[str, Any]]] = {
    "k larger than the table": (clinic, said(require={"k": 99})),
    "no recoding of people": (clinic, said(QUASI, require={"k": 12})),
    "numbers that cannot be shared": (clinic, said({"visits.row_counts": {"bin_size": 50}})),
    "numbers that cannot be shared in bins": (
        clinic,
        said({"visits.row_counts": {"linking": 1.0, "bin_size": 9}}),
    ),
    "a link that leads nowhere": (spoilt("visits", "who", f"{MARK}nobody"), said()),
    "a link that is missing": (spoilt("visits", "who", None), said()),
    "a key that repeats": (spoilt("people", "id", marked("id", 3)), said()),
    "a person without a key": (spoilt("people", "id", None), said()),
    "a hole in a hierarchy": (spoilt("people", "zip", f"{MARK}elsewhere"), said()),
    "dates that are none": (
        clinic,
        said({"visits.fields.bill": {"role": "insensitive", "shift": {"days": 9}}}),
    ),
    "a quasi field that is no date": (
        clinic,
        said({"visits.fields.ward": {"role": "quasi", "hierarchy": {"dates": ["year"]}}}),
    ),
    "sets of other values": (
        clinic,
        said(
            {"visits.fields.ward": TREE},
            require={"k": 3, "k_m": {"table": "visits", "field": "ward", "k": 3, "m": 2}},
        ),
    ),
    "sets that never meet": (
        clinic,
        said(
            {"visits.fields.ward": {"role": "sensitive", "hierarchy": {"prefix": [9]}}},
            require={"k": 3, "k_m": {"table": "visits", "field": "ward", "k": 11, "m": 1}},
        ),
    ),
    "a field that nobody named": (
        lambda: (
            clinic() | {"visits": [row | {"more": marked("more", 1)} for row in clinic()["visits"]]}
        ),
        said(),
    ),
}


@pytest.mark.long("every failure on each engine; each third stays", every=3)
@pytest.mark.parametrize("engine", ["reference", "duckdb"])
@pytest.mark.parametrize("what", FAILURES)
def test_what_is_said_of_a_failure_holds_no_cell(what, engine, tmp_path, caplog):
    make, decided = FAILURES[what]
    with listening(caplog) as heard:
        with pytest.raises(SfumatoError) as caught:
            attempt(tmp_path, make(), decided, engine=engine)
        heard.texts += told(caught.value)
    heard.assert_tells_nothing()
    assert not (tmp_path / "out").exists()


def test_a_candidate_that_fails_the_recount(tmp_path, caplog, monkeypatch):
    """Bins of too few people are let through on purpose; the recount stops them, and names none."""
    monkeypatch.setattr(
        "sfumato.releases.tables.stages._Staging._failing", lambda self, stage: None
    )
    tables = clinic()
    tables["visits"][0]["ward"] = f"{MARK}alone"
    with listening(caplog) as heard:
        with pytest.raises(SfumatoError, match="counted again") as caught:
            attempt(
                tmp_path,
                tables,
                said(QUASI, require={"k": 3, "max_suppression": 0.9}),
                engine="reference",
            )
        heard.texts += told(caught.value)
    heard.assert_tells_nothing()


MADE = {
    "people alone": said(),
    "people and their visits": said(QUASI, require={"k": 3, "max_suppression": 0.9}),
    "sets and numbers": said(
        {
            "visits.fields.ward": {"role": "sensitive", "hierarchy": {"suppress": True}},
            "visits.row_counts": {"bin_size": 3},
        },
        require={"k": 3, "k_m": {"table": "visits", "field": "ward", "k": 4, "m": 2}},
    ),
    "local": said(solve={"solver": "k_similar"}),
}


@pytest.mark.long("a release for each policy; each second stays", every=2)
@pytest.mark.parametrize("what", MADE)
def test_nothing_beside_the_tables_holds_a_cell(what, tmp_path, caplog):
    stages: list[str] = []
    with listening(caplog) as heard:
        made = attempt(tmp_path, clinic(), MADE[what], engine="reference", progress=stages.append)
        heard.texts += [
            repr(made),
            repr(made.verdicts),
            repr(made.policy),
            repr(made.manifest),
            *stages,
        ]
        heard.texts += [repr(sfumato.verify(made.folder))]
        tables = set(made.tables.values())
        heard.texts += [
            path.read_text(encoding="utf-8") for path in made.folder.iterdir() if path not in tables
        ]
    assert {path.name for path in made.folder.iterdir()} == {
        "people.csv",
        "visits.csv",
        "manifest.json",
        "report.html",
        "policy.toml",
    }
    assert MARK in made.tables["visits"].read_text()  # the control: markers are where they belong
    heard.assert_tells_nothing()


def test_several_rows_of_one_table(tmp_path, caplog):
    (tmp_path / "rows.csv").write_text(
        "\n".join(
            [
                "who,zip,ill",
                *(f"{marked('w', n, 9)},{marked('z', n, 2)},{marked('i', n)}" for n in range(30)),
            ]
        )
    )
    fields = {"who": HASH, "zip": "quasi", "ill": "sensitive"}
    policy = policy_from_table(
        {"entity": "who", "fields": fields, "require": {"k": 3, "max_suppression": 0.5}}
    )
    with listening(caplog) as heard:
        made = release(tmp_path / "rows.csv", policy, to=tmp_path / "out")
        heard.texts += [repr(made), repr(made.manifest), repr(sfumato.verify(made.folder))]
        heard.texts += [path.read_text() for path in made.folder.iterdir() if path != made.table]
    heard.assert_tells_nothing()


def test_objects_on_the_way_show_no_cell(tmp_path):
    """What a traceback or a debugger would print of a plan."""
    (tmp_path / "zip.csv").write_text(ladder())
    decided = policy_from_table(MADE["sets and numbers"], folder=tmp_path)
    with open_database(clinic(), engine="reference") as database:
        planned = planned_tables(database, decided)
        shown = [
            database,
            planned,
            planned.judged,
            planned.solved,
            *planned.staged.values(),
            planned.plan("visits"),
        ]
        assert not [type(found).__name__ for found in shown if MARK in repr(found)]
