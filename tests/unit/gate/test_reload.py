"""Tables that change: newcomers wait, leavers stay, and the same question tells nobody apart."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from gates import ANN, BOB, POLICY, a_gate, people
from linked import linked_gate, write_table

from sfumato.errors import Mistake, NotAdmitted, NotAnswered, ReleaseBroken
from sfumato.gate.decide.cohorts import StateChange, _Draft
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.gate_opener import Gate
from sfumato.gate.reload import erase_people, reload_tables
from sfumato.gate.settings import Audience, Budget, Mode, Terms

KEYED = "entity = 'name'\n" + POLICY
BY_TOWN = "SELECT town, COUNT(*) AS n FROM people GROUP BY town ORDER BY town"
BY_TOWN_AND_TEST = "SELECT town, test, COUNT(*) AS n FROM people GROUP BY town, test"


def rewrite(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with (folder / "people.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)


def counts(gate: Gate, sql: str = BY_TOWN) -> dict[str, int]:
    answer = gate.keeper.ask(ANN, sql, mode=Mode.EXACT)
    assert answer.as_asked
    return {str(row[0]): int(row[-1]) for row in answer.rows}


def towns(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        found[row["town"]] = found.get(row["town"], 0) + 1
    return dict(sorted(found.items()))


def newcomer(number: int, **cells: Any) -> dict[str, Any]:
    plain = {"age": 40, "town": "Bergen", "sex": "F", "test": number % 2, "cost": 7}
    return {"name": f"New {number}", **plain, **cells}


@pytest.mark.parametrize("policy", [POLICY, KEYED], ids=["rows", "keys"])
def test_newcomers_wait_until_there_are_k_in_every_class_shown(tmp_path: Path, policy: str) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows, policy=policy) as gate:
        before = counts(gate)
        four = [newcomer(number) for number in range(4)]
        rewrite(tmp_path, [*rows, *four])
        report = reload_tables(gate, "people", by="eve")
        assert (report.joined, report.waiting, report.left) == (0, 4, 0)
        assert counts(gate) == before
        rewrite(tmp_path, [*rows, *four, newcomer(4), newcomer(9, town="Cadiz")])
        report = reload_tables(gate, "people", by="eve")
        assert (report.joined, report.waiting) == (5, 1)
        assert counts(gate) == towns([*rows, *four, newcomer(4)])


@pytest.mark.parametrize("policy", [POLICY, KEYED], ids=["rows", "keys"])
def test_leavers_stay_until_k_leave_each_class(tmp_path: Path, policy: str) -> None:
    rows = people(400)
    north = [row for row in rows if row["town"] == "Aberdeen"]
    with a_gate(tmp_path, rows, policy=policy) as gate:
        before = counts(gate)
        rewrite(tmp_path, [row for row in rows if row not in north[:4]])
        report = reload_tables(gate, "people", by="eve")
        assert (report.left, report.staying) == (0, 4)
        assert counts(gate) == before
        left = [row for row in rows if row not in north[:5]]
        rewrite(tmp_path, left)
        report = reload_tables(gate, "people", by="eve")
        assert (report.left, report.staying) == (5, 0)
        assert counts(gate) == towns(left)


def test_a_batch_stays_where_few_would_remain(tmp_path: Path) -> None:
    rows = people(400)
    north = [row for row in rows if row["town"] == "Aberdeen"]
    with a_gate(tmp_path, rows) as gate:
        before = counts(gate)
        rewrite(tmp_path, [row for row in rows if row not in north[3:]])
        assert reload_tables(gate, "people", by="eve").left == 0
        assert counts(gate) == before
        rewrite(tmp_path, [row for row in rows if row not in north])
        assert reload_tables(gate, "people", by="eve").left == len(north)


def test_a_corrected_person_leaves_and_comes_back_among_others(tmp_path: Path) -> None:
    """One correction waits; six of the same kind leave and join together."""
    rows = people(400)
    north = [row for row in rows if row["town"] == "Aberdeen"]
    with a_gate(tmp_path, rows, policy=KEYED) as gate:
        before = counts(gate)
        for number in (1, 6):
            moved = [{**row, "town": "Bergen"} if row in north[:number] else row for row in rows]
            rewrite(tmp_path, moved)
            report = reload_tables(gate, "people", by="eve")
            if number == 1:
                assert (report.left, report.joined) == (0, 0)
                assert (report.waiting, report.staying) == (1, 1)
                assert counts(gate) == before
        assert (report.left, report.joined) == (6, 6)
        assert counts(gate) == towns(moved)


def test_people_come_back_only_where_few_would_not_stay_away(tmp_path: Path) -> None:
    rows = people(400)
    north = [row for row in rows if row["town"] == "Aberdeen"]
    with a_gate(tmp_path, rows, policy=KEYED) as gate:
        counts(gate)
        rewrite(tmp_path, [row for row in rows if row not in north[:8]])
        assert reload_tables(gate, "people", by="eve").left == 8
        rewrite(tmp_path, [row for row in rows if row not in north[:2]])
        report = reload_tables(gate, "people", by="eve")
        assert (report.joined, report.waiting) == (0, 6)  # Two would stay away, seen by all.
        rewrite(tmp_path, rows)
        assert reload_tables(gate, "people", by="eve").joined == 8
        assert counts(gate) == towns(rows)


def test_questions_that_were_never_asked_are_judged_by_cohort(tmp_path: Path) -> None:
    """Ten joined, five by five: nothing may tell four of them from a fifth."""
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        counts(gate)
        new = [newcomer(number, sex="F" if number else "M") for number in range(6)]
        rewrite(tmp_path, [*rows, *new])
        assert reload_tables(gate, "people", by="eve").joined == 6
        with pytest.raises(NotAnswered):
            gate.keeper.ask(ANN, "SELECT sex, COUNT(*) FROM people GROUP BY sex", mode=Mode.EXACT)


def test_rules_about_values_hold_for_cohorts(tmp_path: Path) -> None:
    policy = POLICY + "\n[[require.l_diversity]]\nl = 2\nfields = ['test']\n"
    rows = people(400)
    sql = "SELECT town, test, COUNT(*) FROM people GROUP BY town, test"
    with a_gate(tmp_path, rows, policy=policy) as gate:
        gate.keeper.ask(ANN, sql, mode=Mode.EXACT)
        alike = [newcomer(number, test=1) for number in range(6)]
        rewrite(tmp_path, [*rows, *alike])
        assert reload_tables(gate, "people", by="eve").joined == 0
        rewrite(tmp_path, [*rows, *alike, newcomer(7, test=0)])
        assert reload_tables(gate, "people", by="eve").joined == 7
        gate.keeper.ask(ANN, sql, mode=Mode.EXACT)


def test_a_new_audience_may_see_cohorts_together(tmp_path: Path) -> None:
    rows = people(400)
    sql = "SELECT sex, COUNT(*) FROM people GROUP BY sex"
    with a_gate(tmp_path, rows, terms=Terms(audience=Audience.PERSON)) as gate:
        counts(gate)
        rewrite(tmp_path, [*rows, *(newcomer(n, sex="F" if n else "M") for n in range(6))])
        assert reload_tables(gate, "people", by="eve").joined == 6
        with pytest.raises(NotAnswered):
            gate.keeper.ask(ANN, sql, mode=Mode.EXACT)
        assert gate.keeper.ask(BOB, sql, mode=Mode.EXACT).as_asked


def test_erasure_takes_others_along_and_lasts(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows, policy=KEYED) as gate:
        before = counts(gate)
        report = erase_people(gate, "people", [rows[0]["name"]], by="eve")
        assert report.left >= 5
        after = counts(gate)
        fewer = {town: before[town] - after[town] for town in before if before[town] != after[town]}
        assert fewer == {rows[0]["town"]: report.left}
        held = gate.rows.read("people")
        assert rows[0]["name"] not in held.people()
        assert reload_tables(gate, "people", by="eve").joined == 0  # The source still has them.
        assert counts(gate) == after


DIVERSE = KEYED + "l_diversity = { l = 2 }\n"
BY_TEST = "SELECT test, COUNT(*) AS n FROM people GROUP BY test"


@pytest.mark.parametrize("still_there", [True, False])
def test_companions_of_the_erased_never_come_back(tmp_path: Path, still_there: bool) -> None:
    """Were they back, the erased person would be the only difference, with their value."""
    rows = people(400)
    with a_gate(tmp_path, rows, policy=DIVERSE) as gate:
        counts(gate, BY_TEST)
        assert erase_people(gate, "people", [rows[0]["name"]], by="eve").left >= 5
        after = counts(gate, BY_TEST)
        rewrite(tmp_path, rows if still_there else rows[1:])
        assert reload_tables(gate, "people", by="eve").joined == 0
        assert counts(gate, BY_TEST) == after


def test_those_who_left_with_somebody_erased_later_stay_away(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows, policy=DIVERSE) as gate:
        counts(gate, BY_TEST)
        rewrite(tmp_path, rows[12:])
        assert reload_tables(gate, "people", by="eve").left == 12
        erase_people(gate, "people", [rows[0]["name"]], by="eve")
        rewrite(tmp_path, rows[1:])
        assert reload_tables(gate, "people", by="eve").joined == 0


def test_where_values_count_those_who_left_return_together(tmp_path: Path) -> None:
    """Five of ten who left would return: the other five all have one value."""
    rows = people(400)
    ill = [row for row in rows if row["test"]][:6]
    well = [row for row in rows if not row["test"]][:6]
    with a_gate(tmp_path, rows, policy=DIVERSE) as gate:
        counts(gate, BY_TEST)
        rewrite(tmp_path, [row for row in rows if row not in ill + well])
        assert reload_tables(gate, "people", by="eve").left == 12
        rewrite(tmp_path, [row for row in rows if row not in ill])
        assert reload_tables(gate, "people", by="eve").joined == 0
        rewrite(tmp_path, rows)
        assert reload_tables(gate, "people", by="eve").joined == 12


def test_erased_people_stay_away_where_nothing_was_shown(tmp_path: Path) -> None:
    rows = people(100)
    with a_gate(tmp_path, rows, policy=KEYED) as gate:
        assert erase_people(gate, "people", [rows[0]["name"]], by="eve").left == 1
    with a_gate(tmp_path, rows, policy=KEYED) as gate:
        assert gate.keeper.holdings["people"].people == 99


GAINED = KEYED + "[[require.confidence_gain]]\ngain = 0.2\nfields = ['test']\n"


@pytest.mark.parametrize("seed", range(3))
def test_few_leave_with_the_erased_where_values_count(tmp_path: Path, seed: int) -> None:
    """A first draw may be too alike to leave: others are drawn before a whole class leaves."""
    rows = people(400, seed=seed)
    with a_gate(tmp_path, rows, policy=GAINED) as gate:
        before = counts(gate, BY_TEST)
        report = erase_people(gate, "people", [rows[0]["name"]], by="eve")
        assert 5 <= report.left <= 60
        after = counts(gate, BY_TEST)
        gone = [before[value] - after[value] for value in before]
        assert sum(gone) == report.left
        assert min(gone) > 0  # Both values: who left does not tell which one the erased had.


def unlike_towns() -> list[dict[str, Any]]:
    """Eight hundred people: in Aberdeen, 85 % have the test 0, elsewhere 60 %; one in two hundred
    has a rare one."""
    return [
        {
            **newcomer(place),
            "town": "Aberdeen" if place < 200 else "Cadiz",
            "test": 2 if place % 200 == 7 else int(place % 100 >= (85 if place < 200 else 60)),
        }
        for place in range(800)
    ]


@pytest.mark.parametrize("place", [7, 8], ids=["rare", "usual"])
def test_few_leave_a_class_that_differs_from_all(tmp_path: Path, place: int) -> None:
    """A random draw of Aberdeen has the test 0 too often: one that is like everybody may leave. A
    rare value takes no more people along, or their number would tell it."""
    strict = GAINED.replace("gain = 0.2", "gain = 0.1\nfacts = 2")
    with a_gate(tmp_path, unlike_towns(), policy=strict) as gate:
        towns_before, before = counts(gate), counts(gate, BY_TEST)
        report = erase_people(gate, "people", [f"New {place}"], by="eve")
        assert 12 <= report.left <= 100
        gone = {value: before[value] - n for value, n in counts(gate, BY_TEST).items()}
        assert 0.5 < gone["0"] / report.left < 0.72  # As of everybody, 66 %; not of Aberdeen, 85 %.
        assert counts(gate)["Cadiz"] == towns_before["Cadiz"]


def test_a_class_that_differs_since_another_left_leaves_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Cadiz, Bergen differs from all by more than the rule allows: an erasure there did not
    end."""
    shares = {"Aberdeen": (400, 47), "Bergen": (200, 40), "Cadiz": (400, 41)}
    rows = [
        newcomer(number, name=f"{town} {number}", town=town, test=int(number % 100 < share))
        for town, (count, share) in shares.items()
        for number in range(count)
    ]
    strict = GAINED.replace("gain = 0.2", "gain = 0.1\nfacts = 2")
    monkeypatch.setattr(StateChange, "_drawn", lambda *_, **__: None)
    with a_gate(tmp_path, rows, policy=strict) as gate:
        counts(gate, BY_TOWN_AND_TEST)
        assert erase_people(gate, "people", ["Cadiz 3"], by="eve").left == 400
        assert erase_people(gate, "people", ["Bergen 3"], by="eve").left == 200
        assert gate.keeper.holdings["people"].people == 400


SPREAD = KEYED.replace('role = "insensitive"', 'role = "sensitive"') + (
    "value_spread = { width = 100, share = 0.5, fields = ['cost'] }\n"
)


def test_few_leave_with_the_erased_where_numbers_differ(tmp_path: Path) -> None:
    """Hardly two people share a cost: who has nearly the same one is replaced by the erased."""
    rows = [{**row, "cost": 3 * place + 1000} for place, row in enumerate(people(400))]
    sql = "SELECT SUM(cost) AS n FROM people"
    with a_gate(tmp_path, rows, policy=SPREAD) as gate:
        before = gate.keeper.ask(ANN, sql, mode=Mode.EXACT).rows[0][0]
        report = erase_people(gate, "people", [rows[0]["name"]], by="eve")
        assert 5 <= report.left <= 40
        after = gate.keeper.ask(ANN, sql, mode=Mode.EXACT).rows[0][0]
        assert before - after > 4 * 1000  # Not the erased person's alone.


def test_k_leave_each_fine_class_that_the_values_take_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty-two leave a town, because of its values. Of each class by town and age that they come from,
    five leave: twenty-two of each were nearly everybody."""
    real, drawn = _Draft.companions, []

    def companions(self, classes, broken, least, chance, *, in_place, like_all):  # type: ignore[no-untyped-def]
        drawn.append((in_place, least))
        return real(self, classes, broken, least, chance, in_place=in_place, like_all=like_all)

    monkeypatch.setattr(_Draft, "companions", companions)
    strict = GAINED.replace("gain = 0.2", "gain = 0.1\nfacts = 2")
    rows = people(400, seed=3)
    with a_gate(tmp_path, rows, policy=strict) as gate:
        counts(gate, BY_TEST)
        gate.keeper.ask(ANN, "SELECT town, age FROM people", mode=Mode.EXACT)
        assert erase_people(gate, "people", [rows[0]["name"]], by="eve").left >= 20
    assert {least for in_place, least in drawn if in_place} & {22, 33, 49}
    assert 5 in {least for in_place, least in drawn if not in_place}


def test_an_erasure_may_end_exact_answers_and_take_nobody_along(tmp_path: Path) -> None:
    rows = people(400)
    terms = Terms(mode=Mode.EITHER, budget=Budget(query=0.1, person=0.5, table=0.5), least=5)
    with a_gate(tmp_path, rows, policy=KEYED, terms=terms) as gate:
        counts(gate)
        report = erase_people(gate, "people", [rows[0]["name"], "X"], by="eve", noise_only=True)
        assert (report.left, report.not_held, report.noise_only) == (1, 1, True)
    with a_gate(tmp_path, rows, policy=KEYED, terms=terms) as gate:  # It outlasts the process.
        answer = gate.keeper.ask(ANN, BY_TOWN)
        assert answer.noise
        assert answer.threshold
        assert gate.keeper.promise(ANN, "people").startswith("No differential privacy holds")
        for sql in ("SELECT town, sex FROM people", "SELECT name FROM people"):
            with pytest.raises(NotAdmitted):
                gate.keeper.ask(ANN, sql)
        assert gate.keeper.ask(ANN, BY_TOWN, mode=Mode.EXACT).noise
        report = reload_tables(gate, "people", by="eve")
        assert (report.joined, report.waiting, report.away) == (0, 0, 1)


def test_an_erasure_that_leaves_nobody_offers_another(tmp_path: Path) -> None:
    rows = people(12)
    with a_gate(tmp_path, rows, policy=KEYED.replace("k = 5", "k = 8")) as gate:
        gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people", mode=Mode.EXACT)
        with pytest.raises(Mistake, match="noise_only"):
            erase_people(gate, "people", [rows[0]["name"]], by="eve")
        assert erase_people(gate, "people", [rows[0]["name"]], by="eve", noise_only=True).left == 1


def test_the_audit_counts_people_whom_the_gate_did_not_hold(tmp_path: Path) -> None:
    rows = people(100)
    with a_gate(tmp_path, rows, policy=KEYED) as gate:
        report = erase_people(gate, "people", ["Nobody", rows[0]["name"]], by="eve")
        assert (report.left, report.not_held) == (1, 1)
        assert (report.waiting, report.staying) == (None, None)  # The source was not read.
        line = gate.audit.path.read_text().splitlines()[-1]
        assert '"asked":2' in line.replace(" ", "")
        assert '"not_held":1' in line.replace(" ", "")
        assert "Nobody" not in line


def test_erasure_needs_a_person_key(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(100)) as gate, pytest.raises(NotAdmitted, match="no key"):
        erase_people(gate, "people", ["Person 1"], by="eve")


def test_the_gate_opens_with_what_it_answered_from(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        before = counts(gate)
    with a_gate(tmp_path, rows[:300]) as gate:
        assert counts(gate) == before
        reload_tables(gate, "people", by="eve")
        now = counts(gate)
    with a_gate(tmp_path, rows[:200]) as gate:
        assert counts(gate) == now


def test_what_nobody_was_shown_changes_at_once(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        rewrite(tmp_path, rows[1:])
        assert reload_tables(gate, "people", by="eve").left == 1
        assert counts(gate) == towns(rows[1:])


def test_answers_say_how_old_the_data_is(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        first = gate.keeper.ask(ANN, BY_TOWN)
        assert first.as_of
        reload_tables(gate, "people", by="eve", clock=lambda: 2_000_000_000.0)
        assert gate.keeper.ask(ANN, BY_TOWN).as_of == "2033-05-18T03:33:20+00:00"


def test_an_older_copy_of_the_rows_is_refused(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        counts(gate)
    (file,) = (tmp_path / "state" / "rows").iterdir()
    old = file.read_bytes()
    with a_gate(tmp_path, rows[:300]) as gate:
        reload_tables(gate, "people", by="eve")
    (file,) = (tmp_path / "state" / "rows").iterdir()
    file.write_bytes(old)
    with (
        pytest.raises(ReleaseBroken, match="not those that its state knows"),
        a_gate(tmp_path, rows),
    ):
        pass


def test_a_reload_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        before = counts(gate)
        rewrite(tmp_path, rows[:300])

        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("sfumato.gate.row_store.os.fsync", full)
            with pytest.raises(Exception, match="could not be written"):
                reload_tables(gate, "people", by="eve")
        assert counts(gate) == before
        assert len([*(tmp_path / "state" / "rows").iterdir()]) == 1
        reload_tables(gate, "people", by="eve")
        assert counts(gate) == towns(rows[:300])


PROTECTED = "membership = 'protected'\n" + POLICY
NOISY = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.3, table=0.3), least=5)


def test_a_lifetime_never_rises_by_reloading(tmp_path: Path) -> None:
    """Each state is asked anew and charged; nobody's rest comes back."""
    rows = people(400)
    sql = "SELECT COUNT(*) FROM people WHERE test = 1"
    with a_gate(tmp_path, rows, policy=PROTECTED, terms=NOISY) as gate:
        left = [gate.keeper.budget(ANN, "people").rho_left]
        for number in range(1, 4):
            answer = gate.keeper.ask(ANN, sql)
            assert not answer.remembered
            left.append(gate.keeper.budget(ANN, "people").rho_left)
            rewrite(tmp_path, rows[number:])
            reload_tables(gate, "people", by="eve")
            left.append(gate.keeper.budget(ANN, "people").rho_left)
        assert left == sorted(left, reverse=True)
        assert left[-1] < NOISY.budget.question_rho
        with pytest.raises(NotAdmitted, match="used up"):
            gate.keeper.ask(ANN, sql.replace("1", "0"))
        again = gate.keeper.ask(ANN, sql)  # About the state before, which it says.
        assert (again.remembered, again.rows, again.as_of) == (True, answer.rows, answer.as_of)


def test_protected_membership_takes_everybody_at_once(tmp_path: Path) -> None:
    rows = people(400)
    with a_gate(tmp_path, rows, policy=PROTECTED, terms=NOISY) as gate:
        gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people")
        rewrite(tmp_path, [*rows[1:], newcomer(1)])
        report = reload_tables(gate, "people", by="eve")
        assert (report.joined, report.left, report.waiting, report.staying) == (1, 1, 0, 0)


def test_mixed_membership_is_not_reloaded(tmp_path: Path) -> None:
    """Whether somebody waits would depend on others, and the noise covers one person."""
    with (
        a_gate(tmp_path, people(100), terms=NOISY) as gate,
        pytest.raises(Mistake, match="membership"),
    ):
        reload_tables(gate, "people", by="eve")


KILLED = """
import os, sys
from pathlib import Path
from sfumato.gate import gate_opener, reload, row_store, state
from sfumato.gate.settings import HeldTable, Settings

folder, point = Path(sys.argv[1]), sys.argv[2]
where = {
    "rows written": (row_store.RowStore, "name"),
    "line written": (state.GateState, "see"),
    "state changed": (row_store.RowStore, "clean"),
}[point]
table = HeldTable(name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml")
with gate_opener.open_gate(Settings(folder=folder / "state", tables={"people": table})) as gate:
    setattr(*where, lambda *of: os._exit(9))
    reload.reload_tables(gate, "people", by="eve")
"""


@pytest.mark.long("a process that is killed at each point; one point stays", but=("line written",))
@pytest.mark.parametrize("point", ["rows written", "line written", "state changed"])
def test_a_killed_reload_is_whole_or_was_not(tmp_path: Path, point: str) -> None:
    """Exposure never falls: the same classes are counted, over the old rows or the new ones."""
    rows = people(400)
    with a_gate(tmp_path, rows) as gate:
        before = counts(gate)
        packed = gate.state.exposure("everyone", "people")
        classes = Exposure.unpacked(packed or b"").classes
    rewrite(tmp_path, rows[:300])
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), point], check=False)
    assert done.returncode == 9
    with a_gate(tmp_path, rows[:300]) as gate:
        packed = gate.state.exposure("everyone", "people")
        assert Exposure.unpacked(packed or b"").classes >= classes
        assert len([*(tmp_path / "state" / "rows").iterdir()]) == 1
        assert counts(gate) == (towns(rows[:300]) if point == "state changed" else before)


PATIENTS = """
entity = "id"
[fields.id]
role = "direct"
[fields.town]
role = "quasi"
[require]
k = 5
"""
VISITS = """
entity = "id"
[fields.id]
role = "direct"
[fields.ward]
role = "quasi"
[require]
k = 5
"""


def test_tables_about_the_same_people_are_reloaded_together(tmp_path: Path) -> None:
    """A visit more is a change of its patient, in all tables."""
    patients = [{"id": n, "town": "AB"[n % 2]} for n in range(60)]
    visits = [{"id": n, "ward": "XY"[n % 3 == 0]} for n in range(0, 60) for _ in range(2)]
    visits = [each for each in visits if each["id"] % 5]
    tables = [
        write_table(tmp_path, "patients", patients, PATIENTS),
        write_table(tmp_path, "visits", visits, VISITS),
    ]
    by_town = "SELECT town, COUNT(*) FROM patients GROUP BY town"
    by_ward = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    with linked_gate(tmp_path, tables) as gate:
        before = [counts(gate, by_town), counts(gate, by_ward)]
        write_table(tmp_path, "visits", [*visits, {"id": 1, "ward": "Y"}], VISITS)
        report = reload_tables(gate, "visits", by="eve")
        assert (report.left, report.joined, report.staying) == (0, 0, 1)
        assert [counts(gate, by_town), counts(gate, by_ward)] == before
        more = [{"id": 100 + n, "town": "A"} for n in range(7)]
        write_table(tmp_path, "patients", [*patients, *more], PATIENTS)
        write_table(tmp_path, "visits", visits, VISITS)
        report = reload_tables(gate, "patients", by="eve")
        assert (report.left, report.joined, report.staying) == (0, 7, 0)
        assert counts(gate, by_town)["A"] == before[0]["A"] + 7
        assert counts(gate, by_ward) == before[1]
    with linked_gate(tmp_path, tables) as gate:
        assert counts(gate, by_town)["A"] == before[0]["A"] + 7
