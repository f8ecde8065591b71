"""The gate does not open over an audit and a state that contradict each other, and a crash makes no
contradiction."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path

import pytest
from gates import ANN, POLICY, a_gate, people, write

from sfumato.cli import main
from sfumato.errors import NotAdmitted, ReleaseBroken, TargetError
from sfumato.gate.accounts import Right
from sfumato.gate.anchor import Anchor, Head
from sfumato.gate.audit import UNDONE, Audit, digest_of, entries, verify_chain
from sfumato.gate.gate_opener import gate_secret, open_gate, open_office
from sfumato.gate.settings import Budget, HeldTable, Mode, Settings, Terms
from sfumato.gate.state import _TABLES, KEYS, GateState
from sfumato.gate.state_journal import NAMES

ROWS = people(300)
TERMS = Terms(mode=Mode.EITHER, budget=Budget(query=0.1, person=0.5, table=1.0))
QUESTION = TERMS.budget.question_rho
EXACT = "SELECT sex, test FROM people"
NOISY = "SELECT COUNT(*) FROM people WHERE age < {} AND test = 1"


def settings_of(folder: Path, *, anchor: Path | None = None) -> Settings:
    if not (folder / "people.csv").exists():
        write(folder, ROWS, policy=POLICY)
    table = HeldTable(
        name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml"
    )
    return Settings(
        folder=folder / "state", tables={"people": table}, terms={"public": TERMS}, anchor=anchor
    )


def used(settings: Settings, *, first: int = 30, times: int = 2) -> None:
    """A gate that was asked something and closed."""
    with open_gate(settings) as gate:
        gate.keeper.ask(ANN, EXACT)
        for number in range(first, first + times):
            gate.keeper.ask(ANN, NOISY.format(number))


@pytest.fixture(scope="module")
def gone_by(tmp_path_factory) -> Path:
    """A gate's folder after two days, with copies of what it was after the first: state-1."""
    folder = tmp_path_factory.mktemp("gate")
    settings = settings_of(folder, anchor=folder / "anchor")
    used(settings, first=31, times=1)
    shutil.copytree(settings.folder, folder / "state-1")
    used(settings, first=41)
    return folder


@pytest.fixture
def folder(gone_by, tmp_path) -> Path:
    shutil.copytree(gone_by, tmp_path / "gate")
    return tmp_path / "gate"


def opens(folder: Path, *, anchor: bool = False) -> None:
    with open_gate(settings_of(folder, anchor=folder / "anchor" if anchor else None)):
        pass


def edited(path: Path, change) -> None:
    """An audit that somebody rewrote with a chain that holds."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    before = "0" * 64
    for number, line in enumerate(lines, start=1):
        line |= {"number": number, "before": before}
        before = line["digest"] = digest_of(line)
    path.write_text(
        "".join(
            json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
        )
    )


def test_a_folder_that_nobody_touched_opens_with_and_without_its_anchor(folder):
    opens(folder, anchor=True)
    opens(folder)
    verify_chain(folder / "state" / "audit.jsonl")


# ---------------------------------------------------------------- the audit


def test_an_edited_line(folder):
    audit = folder / "state" / "audit.jsonl"
    audit.write_text(audit.read_text().replace('"rho":"0.0', '"rho":"0.1', 1))
    with pytest.raises(ReleaseBroken, match="was changed"):
        opens(folder)


def test_an_edited_line_with_all_digests_made_anew(folder):
    edited(folder / "state" / "audit.jsonl", lambda lines: lines[-2].update(who="eve"))
    with pytest.raises(ReleaseBroken, match="does not belong to"):
        opens(folder)


def test_an_audit_and_everything_beside_it_made_anew_is_told_by_the_state(folder):
    audit = folder / "state" / "audit.jsonl"
    edited(audit, lambda lines: lines[0].update(time="2020-01-01T00:00:00.000+00:00"))
    last = list(entries(audit))[-1]
    key = gate_secret(audit.with_name("gate.key"))
    Anchor(audit.with_name("audit.jsonl.head"), key=key).write(Head(last["number"], last["digest"]))
    with pytest.raises(ReleaseBroken, match="does not belong to the state"):
        opens(folder)


@pytest.mark.parametrize("cut", [1, 2, 5, 9])
@pytest.mark.parametrize("anchor", [False, True])
def test_a_tail_that_was_cut_off(folder, cut, anchor):
    audit = folder / "state" / "audit.jsonl"
    audit.write_text("".join(line + "\n" for line in audit.read_text().splitlines()[:-cut]))
    with pytest.raises(ReleaseBroken, match="shorter than"):
        opens(folder, anchor=anchor)


def refused_questions(folder: Path) -> tuple[Path, bytes]:
    """Lines that change nothing of the state, at the end of the audit; and the head before.
    `killed` was not closed."""
    audit = folder / "state" / "audit.jsonl"
    head = audit.with_name("audit.jsonl.head")
    with open_gate(settings_of(folder)) as gate:
        before = head.read_bytes()
        for _ in range(3):
            with suppress(NotAdmitted):
                gate.keeper.ask(ANN, "SELECT nothing FROM people")
        shutil.copytree(folder / "state", folder / "killed")
    return audit, before


def cut(audit: Path, lines: int) -> Head:
    kept = audit.read_text().splitlines()[:-lines]
    audit.write_text("".join(line + "\n" for line in kept))
    last = json.loads(kept[-1])
    return Head(last["number"], last["digest"])


def test_a_tail_that_was_cut_off_with_a_head_made_to_fit(folder):
    """Refused questions change nothing of the state, so only the head knew of them."""
    refused_questions(folder)
    shutil.rmtree(folder / "state")
    (folder / "killed").rename(folder / "state")
    audit = folder / "state" / "audit.jsonl"
    Anchor(audit.with_name("audit.jsonl.head")).write(cut(audit, 3))
    with pytest.raises(ReleaseBroken, match="not written by this gate"):
        opens(folder)
    assert main(["audit", "verify", str(audit)]) != 0


def test_a_tail_that_was_cut_off_with_an_older_head_put_back_is_told_by_the_state_of_a_closed_gate(
    folder,
):
    audit, before = refused_questions(folder)
    cut(audit, 4)  # The refused questions, and that it was closed.
    audit.with_name("audit.jsonl.head").write_bytes(before)
    with pytest.raises(ReleaseBroken, match="the end that the state knows"):
        opens(folder)


@pytest.mark.parametrize(
    "edit", ["DELETE FROM facts", 'UPDATE facts SET content = \'[1, "", ""]\'']
)
def test_the_end_that_the_state_knows_is_sealed(folder, edit):
    with closing(sqlite3.connect(folder / "state" / "state.db")) as rows, rows:
        assert rows.execute(f"{edit} WHERE name = 'audit end'").rowcount == 1
    rows.close()
    with pytest.raises(ReleaseBroken, match="does not record where its audit ended"):
        opens(folder)


def test_a_tail_that_was_cut_off_in_the_middle_of_a_line(folder):
    audit = folder / "state" / "audit.jsonl"
    audit.write_bytes(audit.read_bytes()[:-20])
    with pytest.raises(ReleaseBroken, match="shorter than"):
        opens(folder)


@pytest.mark.parametrize(
    "gone", [["audit.jsonl"], ["audit.jsonl", "audit.jsonl.head"], ["audit.jsonl.head"]]
)
def test_an_audit_that_was_deleted(folder, gone):
    for name in gone:
        (folder / "state" / name).unlink()
    with pytest.raises(ReleaseBroken, match=r"shorter than|missing"):
        opens(folder)


def test_a_key_that_was_deleted(folder):
    (folder / "state" / "gate.key").unlink()
    with pytest.raises(ReleaseBroken, match="key"):
        opens(folder)


def test_garbage_at_the_end_is_told_as_a_changed_audit(folder):
    audit = folder / "state" / "audit.jsonl"
    audit.write_bytes(audit.read_bytes() + b"{}\n")
    with pytest.raises(ReleaseBroken, match="was changed"):
        opens(folder)


# ---------------------------------------------------------------- the state


def restored(folder: Path, *names: str) -> None:
    for name in names:
        for beside in ("", "-wal", "-shm"):
            (folder / "state" / f"{name}{beside}").unlink(missing_ok=True)
        shutil.copy(folder / "state-1" / name, folder / "state" / name)


def test_an_older_state_with_a_newer_audit(folder):
    restored(folder, "state.db")
    with pytest.raises(ReleaseBroken, match="older than its audit"):
        opens(folder)


def test_no_state_with_an_audit(folder):
    (folder / "state" / "state.db").unlink()
    with pytest.raises(ReleaseBroken, match="seen nothing"):
        opens(folder)


@pytest.mark.parametrize("names", [["audit.jsonl"], ["audit.jsonl", "audit.jsonl.head"]])
def test_a_newer_state_with_an_older_audit(folder, names):
    restored(folder, *names)
    with pytest.raises(ReleaseBroken, match="shorter than"):
        opens(folder)


def test_both_restored_is_told_by_the_anchor_alone(folder):
    restored(folder, "audit.jsonl", "audit.jsonl.head", "state.db")
    with pytest.raises(ReleaseBroken, match="shorter than the anchor"):
        opens(folder, anchor=True)
    opens(folder)
    used(settings_of(folder), first=61)
    for _ in range(9):
        opens(folder)
    with pytest.raises(ReleaseBroken, match="does not belong to the anchor"):
        opens(folder, anchor=True)


def test_an_anchor_that_is_missing_or_unreadable(folder):
    (folder / "anchor").write_text("nothing")
    with pytest.raises(ReleaseBroken, match="cannot be read"):
        opens(folder, anchor=True)
    (folder / "anchor").unlink()
    with pytest.raises(ReleaseBroken, match="missing"):
        opens(folder, anchor=True)
    Anchor(folder / "anchor").write(verify_chain(folder / "state" / "audit.jsonl"))
    opens(folder, anchor=True)


EDITS = {
    "spent": "INSERT INTO spent VALUES ('everyone of people', 0.1)",
    "charged": "UPDATE charged SET rho = '0'",
    "exposures": "DELETE FROM exposures WHERE audience = 'everyone'",
    "records": "DELETE FROM records WHERE rowid = (SELECT MIN(rowid) FROM records)",
    "accounts": "INSERT INTO accounts VALUES ('eve', '{}')",
    "tokens": "INSERT INTO tokens VALUES ('00', 'eve', 'token', 9e9, '')",
    "policies": "UPDATE policies SET content = replace(content, 'k = 5', 'k = 1')",
    "facts": "UPDATE facts SET content = '' WHERE name LIKE 'holding%'",
}


@pytest.mark.parametrize("table", KEYS)
def test_a_state_that_was_edited(folder, table):
    """Every table of the state, so that a new one is not forgotten."""
    with closing(sqlite3.connect(folder / "state" / "state.db")) as rows, rows:
        assert rows.execute(EDITS[table]).rowcount
    rows.close()
    with pytest.raises(ReleaseBroken, match="contradicts its audit") as told:
        opens(folder)
    assert NAMES[table] in str(told.value)


def test_every_table_of_the_state_is_in_the_journal():
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(_TABLES)
        tables = {
            name: tuple(
                row[1]
                for row in sorted(
                    made.execute(f"PRAGMA table_info({name})"), key=lambda row: row[5]
                )
                if row[5]
            )
            for (name,) in made.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
        }
    assert tables == dict(KEYS)
    assert set(NAMES) == set(KEYS)


def test_the_journal_holds_no_number_that_was_told(folder):
    lines = [
        line
        for line in entries(folder / "state" / "audit.jsonl")
        if line["kind"] == "state changed"
    ]
    values = [
        value
        for line in lines
        for table, items in line["changes"].items()
        for value in items.values()
    ]
    assert {type(value) for value in values} <= {str, float, type(None)}
    assert any("charged" in line["changes"] for line in lines)
    costs = [line["rho"] for line in entries(folder / "state" / "audit.jsonl") if "rho" in line]
    assert sum(map(Fraction, costs)) == pytest.approx(3 * QUESTION, rel=1e-9)


# ---------------------------------------------------------------- before there was a journal


def without_journal(folder: Path) -> None:
    """A folder as gates before this one left it."""
    audit = folder / "state" / "audit.jsonl"
    edited(
        audit,
        lambda lines: lines.__setitem__(
            slice(None), [e for e in lines if e["kind"] != "state changed"]
        ),
    )
    audit.with_name("audit.jsonl.head").unlink()
    with closing(sqlite3.connect(folder / "state" / "state.db")) as rows, rows:
        rows.execute("DELETE FROM facts WHERE name IN ('audit', 'audit end')")
    rows.close()


def test_a_folder_from_before_there_was_a_journal_is_taken_into_it_once(folder):
    without_journal(folder)
    opens(folder)
    kinds = [entry["kind"] for entry in entries(folder / "state" / "audit.jsonl")]
    assert kinds.count("state adopted") == 1
    restored(folder, "state.db")
    with pytest.raises(ReleaseBroken):
        opens(folder)


@pytest.mark.parametrize("gone", ["state.db", "audit.jsonl"])
def test_a_folder_from_before_with_half_of_it_gone(folder, gone):
    without_journal(folder)
    (folder / "state" / gone).unlink()
    with pytest.raises(ReleaseBroken, match="do not belong together"):
        opens(folder)


def test_a_new_folder_opens_and_its_accounts_are_in_the_journal(tmp_path):
    settings = settings_of(tmp_path)
    with open_office(settings) as office:
        office.accounts.add("adam", "a password of nobody", right=Right.ADMINISTRATOR)
    opens(tmp_path)
    (line,) = [
        line
        for line in entries(settings.folder / "audit.jsonl")
        if "accounts" in line.get("changes", ())
    ]
    assert list(line["changes"]["accounts"]) == ["adam"]


# ---------------------------------------------------------------- changes that fail, and crashes


def test_a_change_that_fails_is_told_as_one_that_was_not_made(tmp_path):
    settings = settings_of(tmp_path)
    with open_gate(settings) as gate:
        with suppress(ZeroDivisionError), gate.state.changing():
            gate.state.charge("everyone of people", Fraction(1), Fraction(0))
            raise ZeroDivisionError
        assert UNDONE not in [entry["kind"] for entry in entries(gate.audit.path)]
        gate.state._rows = Failing(gate.state._rows)
        with pytest.raises(TargetError), gate.state.changing():
            gate.state.charge("everyone of people", Fraction(1), Fraction(0))
        gate.state._rows = gate.state._rows.real
        assert [entry["kind"] for entry in entries(gate.audit.path)][-2:] == [
            "state changed",
            UNDONE,
        ]
        gate.state.charge("everyone of people", Fraction(1, 3), Fraction(0))
    with open_gate(settings) as gate:
        assert gate.state.charged("everyone of people") == (Fraction(1, 3), 0)


class Failing:
    """Rows whose changes cannot be committed, as on a full disk."""

    def __init__(self, real) -> None:
        self.real = real

    def __getattr__(self, name):
        return getattr(self.real, name)

    def execute(self, sql, *given):
        if sql == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return self.real.execute(sql, *given)


def test_that_a_change_was_not_made_is_owed_until_it_can_be_written(tmp_path, monkeypatch):
    audit = Audit(tmp_path / "audit.jsonl")
    append = Audit._append

    def full(self, kind, facts):
        if kind == UNDONE:
            raise TargetError("The disk is full.")
        return append(self, kind, facts)

    monkeypatch.setattr(Audit, "_append", full)
    with pytest.raises(ZeroDivisionError), audit.ahead_of("state changed", {"changes": {}}):
        raise ZeroDivisionError
    with pytest.raises(TargetError):
        audit.append("answered", {})
    monkeypatch.undo()
    audit.append("answered", {})
    audit.close()
    assert [entry["kind"] for entry in entries(audit.path)] == ["state changed", UNDONE, "answered"]


def test_an_anchor_that_cannot_be_written_stops_answers_and_contradicts_nothing(tmp_path):
    settings = settings_of(tmp_path, anchor=tmp_path / "disk" / "anchor")
    (tmp_path / "disk").mkdir()
    with open_gate(settings) as gate:
        gate.keeper.ask(ANN, EXACT)
        gate.audit.elsewhere.close()
        (tmp_path / "disk").rename(tmp_path / "unplugged")
        with pytest.raises(TargetError, match="anchor"):
            gate.keeper.ask(ANN, NOISY.format(33))
        (tmp_path / "unplugged").rename(tmp_path / "disk")
        gate.keeper.ask(ANN, NOISY.format(33))
    with open_gate(settings):
        pass


class Killing:
    """Ends the process without notice at one of the moments in which it writes."""

    def __init__(self, at: int) -> None:
        self.left = at

    def now(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, does):
        def done(*given):
            self.now()
            found = does(*given)
            self.now()
            return found

        return done


class Watched(Failing):
    def __init__(self, real, killing: Killing) -> None:
        super().__init__(real)
        self._killing = killing

    def execute(self, sql, *given):
        if sql != "COMMIT":
            return self.real.execute(sql, *given)
        return self._killing.around(self.real.execute)(sql)


def kills(moment: int) -> Killing:
    killing = Killing(moment)
    for name in ("write", "fsync", "pwrite", "ftruncate"):
        setattr(os, name, killing.around(getattr(os, name)))
    begin = GateState.keep_journal

    def watched(state, journal):
        begin(state, journal)
        state._rows = Watched(state._rows, killing)

    GateState.keep_journal = watched
    return killing


def killed_at(moment: int, folder: str, told: str) -> None:
    """In a process of its own: change the state and answer, and be killed at a moment; `told` has
    what left."""
    killing = kills(moment)
    settings = settings_of(Path(folder), anchor=Path(folder) / "anchor")
    with open_office(settings) as office, Path(told).open("a") as out:
        for number in range(2):
            with office.state.changing():
                office.state.charge("everyone of people", QUESTION, Fraction(0))
                office.state.expose("everyone", "people", bytes(number))
            office.audit.append("answered", {"rule": "noise", "query": f"q-{number}", "rho": "0.1"})
            print(f"q-{number}", file=out, flush=True)
    killing.left = 0
    Path(told).write_text(Path(told).read_text() + "end")


def killed_while_asked(moment: int, folder: str, told: str) -> None:
    """The same with a whole gate that is asked."""
    killing = kills(moment)
    with (
        open_gate(settings_of(Path(folder), anchor=Path(folder) / "anchor")) as gate,
        Path(told).open("a") as out,
    ):
        for sql in (EXACT, NOISY.format(50)):
            print(gate.keeper.ask(ANN, sql).query, file=out, flush=True)
    killing.left = 0
    Path(told).write_text(Path(told).read_text() + "end")


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Path:
    """A gate that was opened and closed, with its anchor."""
    folder = tmp_path_factory.mktemp("first")
    with a_gate(folder, ROWS, terms=TERMS):
        pass
    Anchor(folder / "anchor").write(verify_chain(folder / "state" / "audit.jsonl"))
    return folder


def is_ended_by(does, moment: int, folder: Path, told: Path) -> bool:
    """Whether the process was killed; False where it came to its end."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["sfumato.gate.gate_opener", "gates"])
    process = context.Process(target=does, args=(moment, str(folder), str(told)))
    process.start()
    process.join(120)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def check_counted(audit: Audit, state: GateState, left: list[str]) -> None:
    lines = [line for line in entries(audit.path) if line["kind"] == "answered"]
    noisy = sum(line["rule"] == "noise" for line in lines)
    rho, _ = state.charged("everyone of people")
    assert Fraction("0.999") * noisy * QUESTION <= rho <= (noisy + 1) * QUESTION
    answered = {line["query"] for line in lines}
    assert set(left) - {"end"} <= answered
    assert len(answered) <= len(set(left) - {"end"}) + 1


@pytest.mark.long("a kill at every moment; one kill stays in this file")
def test_killed_at_every_moment_the_gate_opens_again_and_counts_what_left(first, tmp_path):
    for moment in range(1, 200):
        folder, told = tmp_path / f"gate-{moment}", tmp_path / f"told-{moment}"
        shutil.copytree(first, folder)
        killed = is_ended_by(killed_at, moment, folder, told)
        left = told.read_text().split() if told.exists() else []
        with open_office(settings_of(folder, anchor=folder / "anchor")) as office:
            check_counted(office.audit, office.state, left)
            office.state.charge("everyone of people", QUESTION, Fraction(0))
        if not killed:
            assert (left[-1], moment > 20) == ("end", True)
            return
        shutil.rmtree(folder)
    pytest.fail("the process never came to its end")


@pytest.mark.long("a kill at three moments; one stays", but=("23",))
@pytest.mark.parametrize("moment", [11, 23, 38])
def test_a_gate_that_is_killed_while_it_is_asked_opens_again(first, tmp_path, moment):
    folder, told = tmp_path / "gate", tmp_path / "told"
    shutil.copytree(first, folder)
    assert is_ended_by(killed_while_asked, moment, folder, told)
    with open_gate(settings_of(folder, anchor=folder / "anchor")) as gate:
        check_counted(gate.audit, gate.state, told.read_text().split() if told.exists() else [])
        gate.keeper.ask(ANN, EXACT)


def test_a_state_that_is_no_database_is_refused_and_closed(tmp_path, monkeypatch):
    made, connect = [], sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *given, **more: made.append(connect(*given, **more)) or made[-1]
    )
    (tmp_path / "state.db").write_bytes(b"no database" * 100)
    with pytest.raises(TargetError, match="cannot be opened"):
        GateState(tmp_path / "state.db")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")
