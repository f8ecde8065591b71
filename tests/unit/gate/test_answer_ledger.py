"""Exact answers of a gate and releases, judged as one by the register's ledger."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cryptography")

from gates import ANN, BOB, people, write

from sfumato.errors import CandidateFailed, Mistake, NotAnswered, PolicyError
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.reload import reload_tables
from sfumato.gate.settings import Audience, HeldTable, Mode, Settings, Terms
from sfumato.gate.settings_file import settings_from_table
from sfumato.keys import Key
from sfumato.register import Author, Charter, Register
from sfumato.register import release_checks as module
from sfumato.releases import manifest_digest, record_people
from sfumato.signatures import SigningKey

POLICY = """
entity = "number"
[fields.number]
role = "direct"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [5, 10, 20] } }
[fields.town]
role = "quasi"
hierarchy = { tree = { north = ["Aberdeen", "Bergen"], south = ["Cadiz", "Delphi"] } }
[fields.sex]
role = "quasi"
[fields.test]
role = "sensitive"

[require]
k = 5
"""
KEY = SigningKey.generate()
ANNA = Author(name="anna", key=KEY)
EXACT = Terms(mode=Mode.EXACT, audience=Audience.GROUPS)
IN_LAB = replace(ANN, groups=("lab",))
BY_SEX = "SELECT sex, count(*) FROM people GROUP BY sex"
BY_TOWN = "SELECT town, count(*) FROM people GROUP BY town"


def rows() -> list[dict[str, object]]:
    found = people(90, seed=3)
    return [
        {"number": f"n{at}", **{name: row[name] for name in ("age", "town", "sex", "test")}}
        for at, row in enumerate(found)
    ]


ROWS = rows()


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch):
    """Releases of these tests are manifests alone."""
    monkeypatch.setattr(module, "verify", lambda *_, **__: ())


@pytest.fixture
def register(tmp_path: Path) -> Register:
    member = {"key": KEY.public.line, "roles": ["administrator", "custodian"]}
    charter = Charter.of({"ledger": {"k": 5}, "members": {"anna": member}})
    return Register.create(tmp_path / "r", charter, author=ANNA)


@contextmanager
def gate(folder: Path, *, key: Path | None, terms: Terms = EXACT) -> Iterator[Gate]:
    if not (folder / "people.csv").exists():
        write(folder, ROWS, policy=POLICY)
    table = HeldTable(
        name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml"
    )
    settings = Settings(
        folder=folder / "state", tables={"people": table}, terms={"public": terms},
        register=folder / "r", people_key=key,
    )  # fmt: skip
    with open_gate(settings) as opened:
        yield opened


@pytest.fixture
def key(tmp_path: Path) -> Path:
    Key.create_file(tmp_path / "holder.key")
    return tmp_path / "holder.key"


def add(register: Register, folder: Path, key: Path, name: str, labels: list[str], group="lab"):
    """Release one label of everybody."""
    place = folder / name
    place.mkdir(exist_ok=True)
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name}))
    batch = {
        "number": np.array([row["number"] for row in ROWS], object),
        "q": np.array(labels, object),
    }
    made = record_people(
        [batch], key=Key.from_file(key), person="number", fields=["q"],
        release=manifest_digest(place),
    )  # fmt: skip
    return register.add(place, group=group, author=ANNA, people=made)


def smallest(*columns: list[str]) -> int:
    return min(Counter(zip(*columns, strict=True)).values())


def column(name: str) -> list[str]:
    return [str(row[name]) for row in ROWS]


def tens() -> list[str]:
    """Labels that leave 5 people or more beside sexes, and fewer beside towns."""
    return [f"{int(age) // 20}" for age in column("age")]


def test_the_labels_are_as_they_should_be():
    assert smallest(tens(), column("sex")) >= 5
    assert smallest(tens(), column("town")) < 5 <= smallest(column("town"))


def test_an_answer_is_refused_that_a_release_makes_too_fine(tmp_path, register, key):
    add(register, tmp_path, key, "ages", tens())
    with gate(tmp_path, key=key) as opened:
        assert opened.keeper.ask(IN_LAB, BY_SEX).rows
        with pytest.raises(NotAnswered):
            opened.keeper.ask(IN_LAB, BY_TOWN)
        other = replace(BOB, groups=("other",))
        assert opened.keeper.ask(other, BY_TOWN).rows, "they hold no release"
    verdicts = register.judge()
    assert verdicts["lab"].outcome == "pass"
    assert verdicts["lab"].smallest == smallest(tens(), column("sex"))
    assert verdicts["other"].smallest == smallest(column("town"))


def test_a_release_is_refused_that_answers_make_too_fine(tmp_path, register, key):
    with gate(tmp_path, key=key) as opened:
        opened.keeper.ask(IN_LAB, BY_TOWN)
        with pytest.raises(CandidateFailed, match="answers of gate"):
            add(register, tmp_path, key, "ages", tens())
        add(register, tmp_path, key, "sexes", column("sex"))
    judged = register.judge()["lab"]
    assert judged.smallest == smallest(column("town"), column("sex"))
    assert judged.newcomers == 0


def test_everybody_means_every_group(tmp_path, register, key):
    add(register, tmp_path, key, "ages", tens(), group="other")
    with gate(tmp_path, key=key, terms=replace(EXACT, audience=Audience.EVERYONE)) as opened:
        with pytest.raises(NotAnswered):
            opened.keeper.ask(IN_LAB, BY_TOWN)
        opened.keeper.ask(IN_LAB, BY_SEX)
    assert register.judge()["other"].smallest == smallest(tens(), column("sex"))


def test_rows_are_shown_as_coarse_as_the_ledger_needs(tmp_path, register, key):
    with gate(tmp_path, key=key) as opened:
        alone = opened.keeper.ask(replace(BOB, groups=("other",)), "SELECT town, sex FROM people")
    add(register, tmp_path, key, "ages", tens())
    with gate(tmp_path, key=key) as opened:
        beside = opened.keeper.ask(IN_LAB, "SELECT town, sex FROM people")
    assert sum(beside.levels.values()) > sum(alone.levels.values())
    assert register.judge()["lab"].outcome == "pass"


def test_values_that_a_release_and_answers_leave_are_counted(tmp_path, key):
    """Each leaves two values of a field, and both together one of them."""
    member = {"key": KEY.public.line, "roles": ["administrator", "custodian"]}
    charter = Charter.of({"ledger": {"k": 2, "l": 2}, "members": {"anna": member}})
    register = Register.create(tmp_path / "r", charter, author=ANNA)
    policy = POLICY.replace("k = 5", "k = 2")
    few = [
        {"number": f"n{at}", "age": 30, "town": town, "sex": "F", "test": test}
        for at, (town, test) in enumerate(
            [("Aberdeen", "x"), ("Aberdeen", "y"), ("Cadiz", "x"), ("Cadiz", "z")] * 3
        )
    ]
    write(tmp_path, few, policy=policy)
    place = tmp_path / "made"
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0"}))
    first = (("Aberdeen", "x"), ("Cadiz", "z"))
    labels = ["P" if (row["town"], row["test"]) in first else "Q" for row in few]
    batch = {
        "number": np.array([row["number"] for row in few], object),
        "q": np.array(labels, object),
        "test": np.array([row["test"] for row in few], object),
    }
    record = record_people(
        [batch], key=Key.from_file(key), person="number", fields=["q"], sensitive=["test"],
        release=manifest_digest(place),
    )  # fmt: skip
    register.add(place, group="lab", author=ANNA, people=record)
    asked = "SELECT town, test FROM people"
    with gate(tmp_path, key=key) as opened:
        assert opened.keeper.ask(replace(BOB, groups=("other",)), asked).levels == {"town": 0}
        assert opened.keeper.ask(IN_LAB, asked).levels == {"town": 2}


def test_an_older_register_is_completed_when_the_gate_opens(tmp_path, register, key):
    shutil.copy(tmp_path / "r" / "register.db", tmp_path / "older")
    with gate(tmp_path, key=key) as opened:
        opened.keeper.ask(IN_LAB, BY_TOWN)
    told = register.answers()
    shutil.copy(tmp_path / "older", tmp_path / "r" / "register.db")
    assert register.answers() == {}
    with gate(tmp_path, key=key):
        pass
    assert register.answers() == told
    register.verify()


def test_each_state_of_a_table_has_its_own_answers(tmp_path, register, key):
    """People who left stay in the ledger; where the register lost that, it is not judged."""
    with gate(tmp_path, key=key) as opened:
        opened.keeper.ask(IN_LAB, BY_SEX)
        (first,) = register.answers()
        write(tmp_path, ROWS[10:], policy=POLICY)
        reload_tables(opened, "people", by="anna")
        opened.keeper.ask(IN_LAB, BY_TOWN)
    assert len(register.answers()) == 2
    judged = register.judge()["lab"]
    assert judged.people == len(ROWS)
    assert judged.smallest >= 5, "as the gate lets people leave in cohorts"
    with closing(sqlite3.connect(tmp_path / "r" / "register.db")) as database:
        database.execute("DELETE FROM answers WHERE scope = ?", (first,))
        database.commit()
    with gate(tmp_path, key=key):
        pass
    assert register.judge()["lab"].not_judged


def test_answers_that_a_move_knows_of_cannot_be_removed(tmp_path, register, key):
    with gate(tmp_path, key=key) as opened:
        opened.keeper.ask(IN_LAB, BY_TOWN)
    add(register, tmp_path, key, "sexes", column("sex"))
    with closing(sqlite3.connect(tmp_path / "r" / "register.db")) as database:
        database.execute("DELETE FROM answers")
        database.commit()
    assert register.judge()["lab"].smallest == smallest(column("town"), column("sex"))


def test_without_a_key_answers_are_not_judged(tmp_path, register, key):
    add(register, tmp_path, key, "ages", tens())
    with gate(tmp_path, key=None) as opened:
        opened.keeper.ask(IN_LAB, BY_TOWN)
    judged = register.judge()["lab"]
    assert judged.outcome == "review"
    assert "by no key" in judged.reason


def test_another_key_than_that_of_the_releases_is_refused(tmp_path, register, key):
    add(register, tmp_path, key, "ages", tens())
    Key.create_file(tmp_path / "another.key")
    with pytest.raises(Mistake, match="another key"), gate(tmp_path, key=tmp_path / "another.key"):
        pass


def test_a_key_needs_a_register():
    tables = {"people": {"source": "people.csv", "policy": "policy.toml"}}
    with pytest.raises(PolicyError, match="key of a register"):
        settings_from_table({"tables": tables, "people_key": "holder.key"})
    found = settings_from_table({"tables": tables, "register": "r", "people_key": "holder.key"})
    assert found.people_key == Path("holder.key")
