"""The store of a register: signed moves in a chain, members and their keys, releases judged as
they are added."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("cryptography")


from sfumato.errors import CandidateFailed, Mistake, ReleaseBroken, SfumatoError, TargetError
from sfumato.keys import Key
from sfumato.register import (
    MAY,
    Author,
    ChainHead,
    Charter,
    Move,
    MoveKind,
    Register,
    RegisterRole,
    RegisterState,
    store,
)
from sfumato.register import release_checks as module
from sfumato.register.gate_answers import AnswerScope, GateAnswers
from sfumato.register.group_holdings import judge_groups
from sfumato.releases import manifest_digest, record_people
from sfumato.signatures import SigningKey

KEY = Key(bytes(range(32)))
NAMES = ("anna", "ben", "cleo", "dan")
ROLES = {
    "anna": ["administrator"],
    "ben": ["custodian"],
    "cleo": ["applicant"],
    "dan": ["maker"],
}
KEYS = {name: SigningKey.generate() for name in (*NAMES, "eve")}
AUTHORS = {name: Author(name=name, key=KEYS[name]) for name in NAMES}


def table(**changes: object) -> dict[str, object]:
    members = {name: {"key": KEYS[name].public.line, "roles": ROLES[name]} for name in NAMES}
    return {"ledger": {"k": 3}, "members": members} | changes


@pytest.fixture(autouse=True)
def _no_tables(monkeypatch):
    """Releases of these tests are manifests alone."""
    monkeypatch.setattr(module, "verify", lambda *_, **__: ())


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register.create(tmp_path / "r", Charter.of(table()), author=AUTHORS["anna"])


def release(folder: Path, name: str, labels: dict[str, str]):
    """A folder with a manifest, and the record of its people."""
    place = folder / name
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "name": name}))
    batch = {
        "person": np.array(list(labels), object),
        "q": np.array(list(labels.values()), object),
    }
    made = record_people(
        [batch], key=KEY, person="person", fields=["q"], release=manifest_digest(place)
    )
    return place, made


def people(count: int, cut: int) -> dict[str, str]:
    return {f"p{each}": "low" if each < cut else "high" for each in range(count)}


def test_a_register_begins_with_its_charter(register):
    state = register.state()
    assert state.charter == Charter.of(table())
    assert state.head.number == 1
    head, words = register.verify()
    assert head == state.head
    assert "no anchor" in words


def test_releases_are_judged_together(register, tmp_path):
    one, record = release(tmp_path, "one", people(12, 6))
    verdicts = register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    assert verdicts["lab"].outcome == "pass"
    two, record = release(tmp_path, "two", people(12, 5))
    with pytest.raises(CandidateFailed, match="because of one and two"):
        register.add(two, group="lab", author=AUTHORS["ben"], people=record)
    assert register.state().head.number == 2, "nothing was recorded"
    verdicts = register.add(two, group="other", author=AUTHORS["ben"], people=record)
    assert {group: v.outcome for group, v in verdicts.items()} == {"other": "pass"}
    now = register.judge()
    assert {group: v.outcome for group, v in now.items()} == {"lab": "pass", "other": "pass"}
    assert register.verify()[0].number == 3


def test_a_broken_rule_about_values_names_the_model_that_keeps_it(tmp_path):
    asked = Charter.of(table(ledger={"k": 3, "l": 2, "t": 0.2}))
    register = Register.create(tmp_path / "r", asked, author=AUTHORS["anna"])
    place, _ = release(tmp_path, "one", people(12, 6))
    labels = people(12, 6)
    batch = {
        "person": np.array(list(labels), object),
        "q": np.array(list(labels.values()), object),
        "ill": np.array(["flu"] * 6 + ["cold"] * 6, object),
    }
    made = record_people(
        [batch], key=KEY, person="person", fields=["q"], sensitive=["ill"],
        release=manifest_digest(place),
    )  # fmt: skip
    with pytest.raises(CandidateFailed, match="requires l_diversity, t_closeness itself"):
        register.add(place, group="lab", author=AUTHORS["ben"], people=made)


def test_what_everybody_gets_counts_for_every_group(register, tmp_path):
    one, record = release(tmp_path, "one", people(12, 6))
    register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    two, record = release(tmp_path, "two", people(12, 5))
    with pytest.raises(CandidateFailed, match="lab"):
        register.add(two, group="everybody", author=AUTHORS["ben"], people=record)


@pytest.mark.parametrize("name", ["Everybody", "everyone", "ALL", "public"])
def test_a_name_that_reads_like_everybody_is_no_group(register, tmp_path, name):
    one, record = release(tmp_path, "one", people(12, 6))
    with pytest.raises(Mistake, match="one name"):
        register.add(one, group=name, author=AUTHORS["ben"], people=record)


@pytest.mark.parametrize("name", ["Lab", "läb", "l-a b"])
def test_another_spelling_of_a_group_is_no_group(register, tmp_path, name):
    """It would hold a part of what one recipient has, judged by itself."""
    one, record = release(tmp_path, "one", people(12, 6))
    register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    two, record = release(tmp_path, "two", people(12, 5))
    with pytest.raises(Mistake, match="two spellings"):
        register.add(two, group=name, author=AUTHORS["ben"], people=record)


def test_an_import_is_recorded_whatever_it_breaks(register, tmp_path):
    for name, cut in (("one", 6), ("two", 5)):
        place, record = release(tmp_path, name, people(12, cut))
        verdicts = register.add(
            place, group="lab", author=AUTHORS["ben"], people=record, imported=True
        )
    assert verdicts["lab"].outcome == "fail"
    assert [each.name for each in register.state().releases] == ["one", "two"]


def test_an_import_without_a_record_is_never_a_pass(register, tmp_path):
    one, _ = release(tmp_path, "one", people(12, 6))
    verdicts = register.add(one, group="lab", author=AUTHORS["ben"], imported=True)
    assert verdicts["lab"].outcome == "review"
    two, record = release(tmp_path, "two", people(12, 6))
    found = register.add(two, group="lab", author=AUTHORS["ben"], people=record)["lab"]
    assert found.outcome == "review"
    assert "no people record was kept" in found.reason


@pytest.mark.parametrize("shape", ["synthetic rows", "tables of counts", "letters"])
def test_a_release_that_nobody_can_judge_keeps_its_group_at_review(register, tmp_path, shape):
    place = tmp_path / "made"
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0", "shape": shape}))
    verdicts = register.add(place, group="lab", author=AUTHORS["ben"])
    assert verdicts["lab"].outcome == "review"
    one, record = release(tmp_path, "one", people(12, 6))
    assert register.add(one, group="lab", author=AUTHORS["ben"], people=record)["lab"].outcome == (
        "review"
    )


def test_kept_classes_are_those_of_all_releases(register, tmp_path):
    """One class number per person and group is kept; what is judged with it is what is judged
    afresh, also after a leak."""
    for number, width in enumerate((12, 6, 4, 12)):
        made, record = release(tmp_path, f"r{number}", people(12, width))
        group = "everybody" if number == 1 else "lab" if number < 3 else "other"
        register.add(made, group=group, author=AUTHORS["ben"], people=record, imported=True)
        fresh = judge_groups(replace(register.state(), classes={}), register._store)
        assert {g: v.as_dict() for g, v in register.judge().items()} == {
            g: v.as_dict() for g, v in fresh.items()
        }
    register.incident(releases=["r2"], reason="leaked", author=AUTHORS["ben"])
    assert register.judge()["other"].releases == ("r1", "r2", "r3")
    assert len(register.state().part_digests()) == _parts(register), "no more parts than are named"


def test_changed_classes_are_noticed(register, tmp_path):
    made, record = release(tmp_path, "one", people(12, 6))
    register.add(made, group="lab", author=AUTHORS["ben"], people=record)
    digest = register.state().classes["lab"].digest
    with closing(sqlite3.connect(register.folder / "register.db")) as database, database:
        database.execute("UPDATE parts SET content = x'00' WHERE digest = ?", (digest,))
    for look in (register.judge, register.verify):
        with pytest.raises(ReleaseBroken, match="missing or was changed"):
            look()


def test_forged_classes_are_noticed(register, tmp_path, monkeypatch):
    """A custodian's own program signs classes in which nobody is distinguished."""
    from sfumato.register import signed_moves
    from sfumato.register.joint_classes import JointClasses

    honest = signed_moves.judgements

    def forged(*words: object) -> dict[str, object]:
        return {
            group: replace(each, classes=JointClasses(np.ones_like(each.classes.class_of), 2))
            for group, each in honest(*words).items()
        }

    made, record = release(tmp_path, "one", people(12, 6))
    monkeypatch.setattr(signed_moves, "judgements", forged)
    register.add(made, group="lab", author=AUTHORS["ben"], people=record)
    with pytest.raises(ReleaseBroken, match="ben signed with one"):
        register.verify()


def _parts(register: Register) -> int:
    with closing(sqlite3.connect(register.folder / "register.db")) as database:
        return database.execute("SELECT count(*) FROM parts").fetchone()[0]


def test_newcomers_are_seen_over_the_store(register, tmp_path):
    one, record = release(tmp_path, "one", people(12, 6))
    register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    two, record = release(tmp_path, "two", people(13, 6))
    with pytest.raises(CandidateFailed, match="1 newcomer"):
        register.add(two, group="lab", author=AUTHORS["ben"], people=record)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"people": None}, "nobody can judge"),
        ({"author": AUTHORS["cleo"]}, "may not"),
        ({"author": Author(name="ben", key=KEYS["eve"])}, "not that of ben"),
        ({"author": Author(name="ben", key=KEYS["anna"])}, "not that of ben"),
        ({"author": Author(name="eve", key=KEYS["eve"])}, "no member eve"),
        ({"group": ""}, "name is empty"),
    ],
)
def test_what_may_not_be_added(register, tmp_path, change, words):
    one, record = release(tmp_path, "one", people(12, 6))
    given = {"group": "lab", "author": AUTHORS["ben"], "people": record} | change
    with pytest.raises(Mistake, match=words):
        register.add(one, **given)
    assert register.state().head.number == 1


def test_the_record_of_another_release_is_refused(register, tmp_path):
    one, _ = release(tmp_path, "one", people(12, 6))
    _, other = release(tmp_path, "two", people(12, 6))
    with pytest.raises(Mistake, match="another release"):
        register.add(one, group="lab", author=AUTHORS["ben"], people=other)


def signed(kind, facts, *, author, key, state):
    return Move.signed(kind, facts, author=author, key=key, after=state.head, time="2026-01-01")


ANYBODY_S = {
    MoveKind.CHARTER: table(),
    MoveKind.ROTATION: {"key": KEYS["eve"].public.line},
    MoveKind.PEOPLE: {"people": "p", "key": "number", "sources": {"s": "id"}},
    MoveKind.RECIPIENTS: {"names": ["lab", "unit"], "are": "same", "reason": "asked"},
    MoveKind.INCIDENT: {"fields": ["zip"], "releases": [], "reason": "lost"},
    MoveKind.RELEASE: {
        "name": "n", "group": "g", "digest": "d", "imported": False, "key_check": "", "person": "",
        "fields": [], "overlaps": [], "sensitive": [], "not_judged": [], "parts": {},
    },
}  # fmt: skip
"""Moves that need no move before them but the charter."""


@pytest.mark.parametrize("kind", ANYBODY_S)
def test_only_listed_roles_with_their_own_key_move(kind):
    """Every kind of move by every member, signed by every member."""
    state = RegisterState()
    state = state.after(
        signed(MoveKind.CHARTER, table(), author="anna", key=KEYS["anna"], state=state)
    )
    for author, signer in product(NAMES, NAMES):
        move = signed(kind, ANYBODY_S[kind], author=author, key=KEYS[signer], state=state)
        if author == signer and MAY[kind] & set(map(RegisterRole, ROLES[author])):
            assert state.after(move).head.number == 2
        else:
            with pytest.raises(Mistake):
                state.after(move)


def test_every_kind_of_move_has_its_roles():
    assert MAY.keys() == set(MoveKind)


def test_a_key_is_exchanged_by_its_owner_alone(register):
    new = SigningKey.generate()
    members = table()["members"] | {"ben": {"key": new.public.line, "roles": ["custodian"]}}
    with pytest.raises(Mistake, match="its owner exchanges it"):
        register.change_charter(Charter.of(table(members=members)), author=AUTHORS["anna"])
    register.rotate(new, author=AUTHORS["ben"])
    with pytest.raises(Mistake, match="not that of ben"):
        register.rotate(SigningKey.generate(), author=AUTHORS["ben"])
    register.rotate(SigningKey.generate(), author=Author(name="ben", key=new))
    register.verify()


def test_a_member_who_went_signs_nothing_and_does_not_come_back(register):
    fewer = {name: m for name, m in table()["members"].items() if name != "ben"}
    register.change_charter(Charter.of(table(members=fewer)), author=AUTHORS["anna"])
    with pytest.raises(Mistake, match="no member ben"):
        register.rotate(SigningKey.generate(), author=AUTHORS["ben"])
    with pytest.raises(Mistake, match="removed from"):
        register.change_charter(Charter.of(table()), author=AUTHORS["anna"])
    again = fewer | {"ben2": {"key": KEYS["ben"].public.line, "roles": ["custodian"]}}
    with pytest.raises(Mistake, match="used before"):
        register.change_charter(Charter.of(table(members=again)), author=AUTHORS["anna"])


def write(register: Register, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(register.folder / "register.db")) as database, database:
        database.execute(statement, values)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t BEFORE INSERT ON moves BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON moves BEGIN DELETE FROM moves WHERE number > 1; END",
        "CREATE VIEW v AS SELECT 1",
    ],
)
def test_a_planted_trigger_is_noticed(register, tmp_path, statement):
    """It would drop a move that was reported as written."""
    made, record = release(tmp_path, "one", people(12, 6))
    write(register, statement)
    for act in (
        register.judge,
        register.verify,
        lambda: register.add(made, group="lab", author=AUTHORS["ben"], people=record),
    ):
        with pytest.raises(ReleaseBroken, match="tables are not those"):
            act()


def two_releases(register: Register, tmp_path: Path) -> None:
    for name in ("one", "two"):
        place, record = release(tmp_path, name, people(12, 6))
        register.add(place, group="lab", author=AUTHORS["ben"], people=record)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM moves WHERE number = 2",
        "DELETE FROM moves WHERE number = 1",
        "DELETE FROM moves",
        "UPDATE moves SET payload = replace(payload, 'lab', 'bal') WHERE number = 2",
        "UPDATE moves SET signature = (SELECT signature FROM moves WHERE number = 3) WHERE number = 2",
        "UPDATE moves SET payload = (SELECT payload FROM moves WHERE number = 3), "
        "signature = (SELECT signature FROM moves WHERE number = 3) WHERE number = 2",
        "UPDATE moves SET number = number + 1 WHERE number = 3",
        "UPDATE moves SET payload = CAST('[]' AS BLOB) WHERE number = 2",
        "DELETE FROM parts",
        "UPDATE parts SET content = CAST('x' AS BLOB)",
    ],
)
def test_a_changed_store_is_noticed(register, tmp_path, statement):
    two_releases(register, tmp_path)
    statement = statement.replace(
        "replace(payload,", "CAST(replace(CAST(payload AS TEXT),"
    ).replace("'bal') WHERE", "'bal') AS BLOB) WHERE")
    write(register, statement)
    with pytest.raises(ReleaseBroken):
        register.verify()


def test_who_can_write_the_file_cannot_move_as_somebody_else(register):
    """A move in the name of ben, chained rightly and signed with another key."""
    state = register.state()
    facts = {"key": KEYS["eve"].public.line}
    move = signed(MoveKind.ROTATION, facts, author="ben", key=KEYS["eve"], state=state)
    write(register, "INSERT INTO moves VALUES (?, ?, ?)", 2, move.payload, move.signature)
    with pytest.raises(ReleaseBroken, match="not that of ben"):
        register.verify()


def test_an_older_store_is_noticed_against_an_anchor(register, tmp_path):
    two_releases(register, tmp_path)
    backup = tmp_path / "older"
    shutil.copytree(register.folder, backup)
    register.rotate(SigningKey.generate(), author=AUTHORS["ben"])
    head = register.verify()[0]
    (tmp_path / "anchor").write_text(head.line() + "\n")
    assert "holds" in register.verify(anchor=tmp_path / "anchor")[1]
    old = Register(backup)
    assert "no anchor" in old.verify()[1]
    for anchor in (head.line(), tmp_path / "anchor"):
        with pytest.raises(ReleaseBroken, match="ends with move 3"):
            old.verify(anchor=anchor)
    old.rotate(SigningKey.generate(), author=AUTHORS["ben"])
    with pytest.raises(ReleaseBroken, match="differs"):
        old.verify(anchor=head.line())


@pytest.mark.parametrize("anchor", ["", "x", "1:abc", ":", "0"])
def test_what_is_no_anchor_is_refused(register, anchor):
    with pytest.raises(Mistake, match="anchor"):
        register.verify(anchor=anchor)


def test_time_never_runs_backwards(tmp_path):
    times = iter([datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)])
    register = Register.create(
        tmp_path / "r", Charter.of(table()), author=AUTHORS["anna"], clock=lambda: next(times)
    )
    register.rotate(SigningKey.generate(), author=AUTHORS["ben"])
    first, second = register.moves()
    assert second.time == first.time
    assert ChainHead().time < first.time
    assert timedelta(0) == datetime.fromisoformat(second.time) - datetime.fromisoformat(first.time)


@pytest.mark.parametrize(
    "time",
    [
        "2026-01-01T23:00:00-10:00", "20260101T230000+00:00", "2026-W01-1", "2026-01-01T23:00:00",
        "2026-01-01T23:00:00.5+00:00", "2026-13-01", "9999-99-99T00:00:00+00:00", "٢٠٢٦-٠١-٠١",
    ],
)  # fmt: skip
def test_a_time_has_one_form(time):
    """In another form, a later move could have an earlier day than the one before."""
    state = RegisterState()
    with pytest.raises(ValueError, match=r"time|month|Invalid|format"):
        Move.signed(
            MoveKind.CHARTER, table(), author="anna", key=KEYS["anna"], after=state.head, time=time
        )


def test_a_register_is_not_overwritten(register):
    with pytest.raises(TargetError, match="not overwritten"):
        Register.create(register.folder, Charter.of(table()), author=AUTHORS["anna"])
    assert register.verify()[0].number == 1


def test_nothing_is_made_where_the_first_move_is_refused(tmp_path):
    with pytest.raises(Mistake):
        Register.create(tmp_path / "r", Charter.of(table()), author=AUTHORS["ben"])
    assert list((tmp_path / "r").iterdir()) == []


def test_writers_at_once_lose_nothing(register):
    """Two threads exchange keys of two members, several times each."""
    failed: list[Exception] = []

    def rotations(name: str) -> None:
        key = KEYS[name]
        try:
            for _ in range(6):
                new = SigningKey.generate()
                Register(register.folder).rotate(new, author=Author(name=name, key=key))
                key = new
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=rotations, args=(name,)) for name in ("ben", "cleo")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    assert register.verify()[0].number == 13


KILLED = """
import sys
from pathlib import Path
from sfumato.register import Author, Register
from sfumato.signatures import SigningKey
key = SigningKey.from_file(Path(sys.argv[2]))
register = Register(sys.argv[1])
print("ready", flush=True)
while True:
    new = SigningKey.generate()
    register.rotate(new, author=Author(name="ben", key=key))
    key = new
"""


@pytest.mark.long("writers that are killed; the chain stays in this file")
def test_a_killed_writer_leaves_one_state_and_a_whole_chain(tmp_path):
    key = SigningKey.create_file(tmp_path / "ben.key")
    members = table()["members"] | {"ben": {"key": key.public.line, "roles": ["custodian"]}}
    folder = tmp_path / "r"
    register = Register.create(folder, Charter.of(table(members=members)), author=AUTHORS["anna"])
    work = subprocess.Popen(
        [sys.executable, "-c", KILLED, folder, tmp_path / "ben.key"], stdout=subprocess.PIPE
    )
    assert work.stdout is not None
    work.stdout.readline()
    while register.state().head.number < 4:
        pass
    os.kill(work.pid, signal.SIGKILL)
    work.wait()
    work.stdout.close()
    head = register.verify()[0]
    assert head.number >= 4
    register.change_charter(register.state().charter, author=AUTHORS["anna"])
    assert register.verify()[0].number == head.number + 1


def test_a_writer_killed_before_any_write_leaves_one_state(register, tmp_path):
    """SIGKILL before the first write of an addition, before the second, and so on."""
    one, record = release(tmp_path, "one", people(12, 6))
    register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    two, record = release(tmp_path, "two", people(12, 6))
    connect, heads, writes, ended = store._connect, set(), 0, False
    while not ended:
        writes += 1
        copy = tmp_path / f"killed before write {writes}"
        shutil.copytree(register.folder, copy)
        left = [writes]

        def counted(path: Path, left: list[int] = left) -> sqlite3.Connection:
            def before(statement: str) -> None:
                left[0] -= not statement.startswith(("SELECT", "PRAGMA"))
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)

            database = connect(path)
            database.set_trace_callback(before)
            return database

        child = os.fork()
        if not child:
            store._connect = counted
            Register(copy).add(two, group="lab", author=AUTHORS["ben"], people=record)
            os._exit(0)
        ended = os.waitpid(child, 0)[1] == 0
        after = Register(copy)
        heads.add(after.verify()[0].number)
        state = after.state()
        assert len(state.releases) == state.head.number - 1
        assert after.judge()["lab"].outcome == "pass"
        with closing(sqlite3.connect(copy / "register.db")) as database:
            kept = {digest for (digest,) in database.execute("SELECT digest FROM parts")}
        assert kept == state.part_digests()
    assert heads == {2, 3}
    assert writes > 5
    assert register.verify()[0].number == 2


def test_a_failure_between_two_writes_leaves_nothing(register, tmp_path, monkeypatch):
    one, record = release(tmp_path, "one", people(12, 6))

    def fail(*_: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr("sfumato.register.store._insert", fail)
    with pytest.raises(OSError, match="full"):
        register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    monkeypatch.undo()
    with closing(sqlite3.connect(register.folder / "register.db")) as database:
        assert database.execute("SELECT count(*) FROM parts").fetchone() == (0,)
    assert register.verify()[0].number == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"members": {}}, "no .members"),
        ({"more": 1}, "keys that no charter has: more"),
        ({"ledger": {}}, "needs k"),
        ({"ledger": {"k": "5"}}, "no such number"),
        ({"ledger": {"k": True}}, "no such number"),
        ({"ledger": {"k": 0}}, "k = 0"),
        ({"reviewers": 0}, "reviewers is no"),
        (
            {"members": {"x": {"key": KEYS["ben"].public.line, "roles": ["reviewer"]}}},
            "1 of the 2 reviewers",
        ),
        ({"members": {"x": {"key": "ed25519:AAAA", "roles": ["reviewer"]}}}, "its key is no line"),
        ({"members": {"x": {"key": "/etc/passwd", "roles": ["king"]}}}, "roles are some of"),
        ({"members": {"x": {"roles": []}}}, "it needs key"),
    ],
)
def test_problems_of_a_charter_are_said(change, words):
    with pytest.raises(Mistake, match=words):
        Charter.of(table(**change))


def test_two_members_do_not_share_a_key():
    members = table()["members"] | {"x": {"key": KEYS["ben"].public.line, "roles": ["reviewer"]}}
    with pytest.raises(Mistake, match="the key of ben"):
        Charter.of(table(members=members))


def test_a_charter_file_says_all_problems_at_once(tmp_path):
    (tmp_path / "charter.toml").write_text('reviewers = 0\n[ledger]\nk = "x"\n')
    with pytest.raises(SfumatoError, match=r"reviewers.*\[ledger\].*members"):
        Charter.read(tmp_path / "charter.toml")


def test_no_value_is_in_the_store(register, tmp_path):
    one, record = release(tmp_path, "one", {"Amelia": "Quimper", "Bo": "Quimper", "C": "Quimper"})
    register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    content = (register.folder / "register.db").read_bytes()
    assert b"Amelia" not in content
    assert b"Quimper" not in content


def crossed(register: Register, tmp_path: Path) -> None:
    """A release for the lab by two fields, of which each alone singles nobody out."""
    labels = {f"p{each}": ("ab"[each % 2], "cd"[each // 6], each) for each in range(12)}
    labels["p0"] = ("a", "d", 0)
    place = tmp_path / "both"
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps({"sfumato": "0"}))
    columns = {
        "person": list(labels),
        "age": [each[0] for each in labels.values()],
        "zip": [each[1] for each in labels.values()],
    }
    made = record_people(
        [{name: np.array(cells, object) for name, cells in columns.items()}],
        key=KEY, person="person", fields=["age", "zip"], release=manifest_digest(place),
    )  # fmt: skip
    register.add(place, group="lab", author=AUTHORS["ben"], people=made, imported=True)


def test_an_incident_says_who_can_be_found_by_which_fields(register, tmp_path):
    crossed(register, tmp_path)
    (found,) = register.incident(fields=["age"], reason="a list", author=AUTHORS["cleo"])
    assert (found.group, found.releases, found.alone, found.below) == ("lab", ("both",), 0, 0)
    (found,) = register.incident(fields=["age", "zip"], reason="a list", author=AUTHORS["cleo"])
    sizes = sorted([2, 3, 4, 3])
    assert (found.alone, found.below) == (0, sum(size for size in sizes if size < 3))
    assert register.incident(fields=["shoes"], reason="a list", author=AUTHORS["cleo"]) == ()
    assert register.moves()[-1].facts["fields"] == []
    assert register.moves()[-1].facts["unknown"] == 1
    register.verify()


def test_a_list_of_sensitive_values_tells_people_apart(register, tmp_path):
    """Somebody got diagnoses: each release that discloses them is affected, however they are
    called known."""
    place, _ = release(tmp_path, "one", people(12, 6))
    batch = {
        "person": np.array([f"p{each}" for each in range(12)], object),
        "q": np.array(["low"] * 6 + ["high"] * 6, object),
        "ill": np.array(["x"] * 11 + ["y"], object),
    }
    record = record_people(
        [batch], key=KEY, person="person", fields=["q"], sensitive=["ill"],
        release=manifest_digest(place),
    )  # fmt: skip
    record = replace(record, uncounted=("note",))
    register.add(place, group="lab", author=AUTHORS["ben"], people=record)
    (found,) = register.incident(fields=["ill"], reason="a list", author=AUTHORS["cleo"])
    assert (found.releases, found.alone) == (("one",), 1)
    (found,) = register.incident(fields=["note"], reason="a list", author=AUTHORS["cleo"])
    assert "nobody kept whose it is" in found.not_judged[0]


def test_what_leaked_is_held_by_everybody(register, tmp_path):
    one, record = release(tmp_path, "one", people(12, 6))
    register.add(one, group="lab", author=AUTHORS["ben"], people=record)
    two, record = release(tmp_path, "two", people(12, 5))
    register.add(two, group="other", author=AUTHORS["ben"], people=record)
    before = register.state().ledger_of("other")
    found = register.incident(releases=["one"], reason="lost laptop", author=AUTHORS["anna"])
    by_group = {each.group: (each.releases, each.alone) for each in found}
    assert by_group == {
        "everybody": (("one",), 0), "lab": (("one",), 0), "other": (("one", "two"), 1)
    }  # fmt: skip
    assert register.judge()["other"].outcome == "fail"
    assert register.state().ledger_of("other") != before, "votes of that group are void"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "neither fields nor releases"),
        ({"releases": ["none"]}, "no release none"),
        ({"fields": ["age"], "reason": ""}, "not that of such a move"),
    ],
)
def test_an_incident_needs_what_happened(register, given, words):
    with pytest.raises(Mistake, match=words):
        register.incident(**{"reason": "x", "author": AUTHORS["anna"]} | given)


def test_somebody_in_several_groups_joins_them(register, tmp_path):
    """An account of a gate that is in two groups holds what both hold, from its first answer on."""
    for name, group, cut in (("one", "lab", 6), ("two", "unit", 5)):
        place, record = release(tmp_path, name, people(12, cut))
        register.add(place, group=group, author=AUTHORS["ben"], people=record)
    _, record = release(tmp_path, "answers", people(12, 12))
    alone, both = (
        GateAnswers(scope=AnswerScope(gate="g", group=group), record=record)
        for group in ("lab", "lab\tunit")
    )
    assert register.show_answers([alone], check=register.check_answers([alone.scope]))
    assert {each.outcome for each in register.judge().values()} == {"pass"}
    assert not register.show_answers([both], check=register.check_answers([both.scope]))
    register.restore_answers([both])
    found = register.judge()
    assert {group: (each.outcome, each.joined) for group, each in found.items()} == {
        "lab": ("fail", ("unit",)), "unit": ("fail", ("lab",)),
    }  # fmt: skip
    (breach,) = register.incident(fields=["q"], reason="a list", author=AUTHORS["cleo"])
    assert (breach.group, breach.releases) == ("lab and unit", ("one", "two"))
    assert (breach.alone, breach.below) == (1, 1)
    assert breach.not_judged == (
        "answers of g: they may be about these fields, and nobody counted that",
    )
    three, record = release(tmp_path, "three", people(12, 6))
    with pytest.raises(CandidateFailed, match="judged together with lab"):
        register.add(three, group="unit", author=AUTHORS["ben"], people=record)
    register.verify()
