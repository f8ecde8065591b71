"""Errors and logs: the attacker never sees the table, only what the holder's staff paste into a
ticket.

Drivers put cells into their messages ("Could not convert string 'Alice …' to INT32"), charts carry
their data, manifests travel with the release. Here every cell is a marker, things go wrong in as
many ways as we could think of, and nothing that is shown, written beside the table or logged may
hold one. Labels from level 1 up are the holder's own words and may be shown.

The control is a driver's own message about the same table, which does hold one.
"""

from __future__ import annotations

import contextlib
import csv
import io
import logging
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import SfumatoError
from sfumato.policy import policy_from_table
from sfumato.releases import Key
from sfumato.releases.pipeline import release

MARK = "SECRET"
FIELDS = ("id", "place", "kind", "wound", "extra", "words")
ROWS = 12


def cell(field: str, n: int) -> str:
    """Few values of the quasi-identifiers and the sensitive field, so that something can be
    released."""
    many = {"place": 4, "kind": 2, "wound": 3}.get(field, ROWS)
    return f"{MARK}{field}{n % many}"


def table(folder: Path, *, rows: int = ROWS, name: str = "source.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows([cell(field, n) for field in FIELDS] for n in range(rows))
    return path


def ladder(folder: Path, *, values: int = 4, name: str = "place.csv", last: str = "all") -> str:
    lines = [f"{cell('place', n)};area {n // 2};{last}\n" for n in range(values)]
    (folder / name).write_text("".join(lines), encoding="utf-8")
    return name


def decided(folder: Path, *, place: object = "place.csv", require: object = None, **more: object):
    fields = {
        "id": {"role": "direct", "replace": "hash"},
        "place": {"role": "quasi", "hierarchy": place},
        "kind": {"role": "quasi"},
        "wound": {"role": "sensitive"},
        "extra": {"role": "insensitive"},
        "words": {"role": "text"},
    }
    fields = {name: field | dict(more.pop(name, {})) for name, field in fields.items()}
    return policy_from_table(
        {"fields": fields, "require": require or {"k": 3}} | more, folder=folder
    )


class Heard:
    """Everything that was shown, warned of or logged."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def assert_tells_nothing(self) -> None:
        assert self.texts
        found = [text for text in self.texts if MARK in text]
        assert not found, f"{len(found)} text(s) hold a marker; the first begins {found[0][:200]!r}"


@contextlib.contextmanager
def listening(caplog: pytest.LogCaptureFixture) -> Iterator[Heard]:
    heard = Heard()
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        with caplog.at_level(logging.DEBUG), contextlib.redirect_stderr(out):
            yield heard
    heard.texts += [str(warning.message) for warning in warned]
    heard.texts += [record.getMessage() for record in caplog.records] + [out.getvalue()]


def told(error: BaseException) -> list[str]:
    return [str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)]


def ragged(folder: Path) -> Path:
    path = table(folder)
    path.write_text(path.read_text() + f"{MARK}a,{MARK}b\n" + f'"{MARK}open', encoding="utf-8")
    return path


def other_encoding(folder: Path) -> Path:
    path = table(folder)
    path.write_bytes(
        path.read_bytes() + f"{MARK}é,{MARK},{MARK},{MARK},{MARK},{MARK}\n".encode("latin-1")
    )
    return path


def without_header(folder: Path) -> Path:
    path = table(folder)
    path.write_text("\n".join(path.read_text().split("\n")[1:]), encoding="utf-8")
    return path


def population(folder: Path) -> dict[str, object]:
    table(folder, rows=9, name="people.csv")
    text = (folder / "people.csv").read_text().replace(f"{MARK}place3", f"{MARK}elsewhere")
    (folder / "people.csv").write_text(text)
    return {"k_map": {"k": 2, "population": "people.csv"}}


def release_with(**how: object) -> Callable[[Path], object]:
    """A release whose policy is changed in one way; a value that can be called is handed the
    folder."""

    def action(folder: Path) -> object:
        ladder(folder)
        known = {name: value(folder) if callable(value) else value for name, value in how.items()}
        source = known.pop("source", None) or table(folder)
        engine = known.pop("engine", "duckdb")
        policy = decided(folder, **known)
        return release(source, policy, to=folder / "out", key=Key(bytes(range(32))), engine=engine)

    return action


def policy_file(text: str) -> Callable[[Path], object]:
    def action(folder: Path) -> object:
        (folder / "policy.toml").write_text(text, encoding="utf-8")
        return release(table(folder), folder / "policy.toml", to=folder / "out")

    return action


def ordered(wound: object) -> dict[str, object]:
    return {"k": 2, "t_closeness": {"t": 0.2} | dict(wound)}


FAILURES: dict[str, Callable[[Path], object]] = {
    "no recoding": release_with(require={"k": 3, "l_diversity": {"l": 9}}),
    "k larger than the table": release_with(require={"k": 99}),
    "given levels": release_with(
        solve={"solver": "given", "levels": {"kind": 0}}, require={"k": 7}
    ),
    "a hole in the hierarchy": release_with(place=lambda folder: ladder(folder, values=2)),
    "a hierarchy of two parents": release_with(
        place=lambda folder: _written(folder, f"{MARK}place0;a;b\n{MARK}place0;a;c\n")
    ),
    "a hierarchy of two tops": release_with(
        place=lambda folder: _written(folder, f"{MARK}place0;a\n{MARK}place1;b\n")
    ),
    "a hierarchy of uneven rows": release_with(
        place=lambda folder: _written(folder, f"{MARK}place0;a\n{MARK}1;a;b\n")
    ),
    "dates that are none": release_with(place={"dates": ["month", "year"]}),
    "numbers that are none": release_with(place={"numbers": {"widths": [10]}}),
    "quantiles of words": release_with(place={"numbers": {"quantiles": [4]}}),
    "codes that are none": release_with(place={"icd": "10"}),
    "states that are none": release_with(place={"us_states": True}),
    "categories that are others": release_with(
        place={"tree": {"cold": ["snow"], "warm": ["sand"]}}
    ),
    "an order of others": release_with(place={"ordered": ["low", "high"], "widths": [2]}),
    "top that is not blank, mu-Argus": release_with(
        require={"combinations": {"k": 7, "sizes": [1]}}, solve={"solver": "mu_argus"}
    ),
    "values that are no numbers": release_with(require=ordered({"distance": "ordered"})),
    "an order that lacks values": release_with(
        require=ordered({"distance": "ordered", "order": ["low"]})
    ),
    "values that no tree has": release_with(
        require=ordered({"distance": "hierarchical", "hierarchy": {"tree": {"cold": ["snow"]}}})
    ),
    "a population of other places": release_with(require=population),
    "shifted dates that are none": release_with(extra={"shift": {"days": 9, "per": "id"}}),
    "several rows per person": release_with(
        entity="id", source=lambda folder: _twice(folder), require={"k": 99}
    ),
    "ragged": release_with(source=ragged),
    "ragged, reference": release_with(source=ragged, engine="reference"),
    "another encoding": release_with(source=other_encoding),
    "another encoding, reference": release_with(source=other_encoding, engine="reference"),
    "a policy for other fields": policy_file('[fields.plcae]\nrole = "quasi"\n[require]\nk = 2\n'),
    "a policy with typos": policy_file('[fields.place]\nrol = "quasi"\n[requir]\nk = 2\n'),
    "a policy that is not TOML": policy_file("[fields\n"),
    "several problems": release_with(
        place={"prefix": [-1]}, require={"k": 0}, solve={"solver": "best"}
    ),
}


def _written(folder: Path, text: str) -> str:
    (folder / "place.csv").write_text(text, encoding="utf-8")
    return "place.csv"


def _twice(folder: Path) -> Path:
    path = table(folder)
    path.write_text(path.read_text() + path.read_text().split("\n", 1)[1], encoding="utf-8")
    return path


def test_control_a_drivers_own_message_holds_a_cell(tmp_path):
    with pytest.raises(duckdb.Error, match=MARK):
        duckdb.sql(f"SELECT CAST(place AS INT) FROM read_csv('{table(tmp_path)}')").fetchall()


@pytest.mark.parametrize("action", FAILURES.values(), ids=FAILURES)
def test_what_is_said_of_a_failure_holds_no_cell(action, tmp_path, caplog):
    with listening(caplog) as heard:
        with pytest.raises(SfumatoError) as caught:
            action(tmp_path)
        heard.texts += told(caught.value)
    heard.assert_tells_nothing()
    assert not (tmp_path / "out").exists()


def test_a_candidate_that_fails_the_recount(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(
        "sfumato.solvers.datafly2.failing_rows", lambda bins, *rest: np.zeros(len(bins), bool)
    )
    with listening(caplog) as heard:
        with pytest.raises(SfumatoError, match="counted again") as caught:
            release_with(require={"k": 7}, solve={"solver": "datafly2"})(tmp_path)
        heard.texts += told(caught.value)
    heard.assert_tells_nothing()


def test_known_limit_without_a_header_the_first_row_is_taken_for_names(tmp_path, caplog):
    """Not protected: where the first line holds no number or date, it could be names. No other line
    is quoted."""
    with listening(caplog) as heard:
        with pytest.raises(SfumatoError) as caught:
            release(
                without_header(tmp_path),
                decided(tmp_path, place=ladder(tmp_path)),
                to=tmp_path / "out",
            )
        heard.texts += told(caught.value)
    assert not [
        text
        for text in heard.texts
        for name in FIELDS
        for n in range(1, 4)
        if f"{MARK}{name}{n}" in text
    ]


# ----------------------------------------------------------------------------------------------
# what is made and shown

SOLVED = {
    "anytime": {},
    "datafly2": {"solve": {"solver": "datafly2"}},
    "best": {"solve": {"solver": "best"}},
    "k_similar": {"solve": {"solver": "k_similar"}},
    "mu_argus": {
        "solve": {"solver": "mu_argus"},
        "require": {"combinations": {"k": 3, "sizes": [1, 2]}},
        "place": lambda folder: ladder(folder, last="*"),
    },
    "values": {
        "require": {
            "k": 2,
            "l_diversity": {"l": 2},
            "t_closeness": {"t": 0.9},
            "beta_likeness": {"beta": 9.0},
            "confidence_gain": {"gain": 0.9, "facts": 1},
        },
    },
}


@pytest.mark.long("a release for each solver; each second stays", every=2)
@pytest.mark.parametrize("how", SOLVED.values(), ids=SOLVED)
def test_nothing_beside_the_table_holds_a_cell(how, tmp_path, caplog):
    with listening(caplog) as heard:
        made = release_with(**how)(tmp_path)
        heard.texts += [repr(made), repr(made.verdicts), repr(made.policy), repr(made.manifest)]
        heard.texts += [repr(sfumato.verify(made.folder))]
        beside = [path for path in made.folder.iterdir() if path != made.table]
        heard.texts += [path.read_text(encoding="utf-8") for path in beside]
    assert {path.name for path in beside} == {"manifest.json", "report.html", "policy.toml"}
    assert "area" in (made.folder / "report.html").read_text(
        encoding="utf-8"
    )  # labels of level 1 may be shown
    heard.assert_tells_nothing()


def test_objects_on_the_way_show_no_cell(tmp_path):
    from sfumato.engines import open_source
    from sfumato.releases import prepare

    policy = decided(tmp_path, place=ladder(tmp_path))
    with open_source(table(tmp_path)) as engine:
        prepared = prepare(engine, policy)
        solution = prepared.solver.solve(prepared.bins, prepared.hierarchies)
        counted = (
            engine.profile("place"),
            engine.frequencies(("place", "kind"), sensitive=("wound",)),
        )
        shown = [
            engine,
            policy,
            prepared,
            prepared.bins,
            prepared.hierarchies,
            prepared.models,
            solution,
            *counted,
        ]
        assert not [type(found).__name__ for found in shown if MARK in repr(found)]


def test_a_proposed_policy_its_survey_and_what_the_command_prints_hold_no_cell(tmp_path, caplog):
    """Nobody has written labels here, so that a label of level 1 is made from the values, and their
    marker with it."""
    source = table(tmp_path, rows=60)
    with listening(caplog) as heard:
        code = main(["release", str(source), "--to", str(tmp_path / "out")])
        written = [
            tmp_path / "source.policy.toml",
            *(tmp_path / "out").glob("*.json"),
            *(tmp_path / "out").glob("*.html"),
        ]
        heard.texts += [path.read_text(encoding="utf-8") for path in written]
        main(["survey", str(source), "--to", str(tmp_path / "again.toml")])
    assert code == 3
    assert all(
        cell(field, n) not in text for text in heard.texts for field in FIELDS for n in range(ROWS)
    )
