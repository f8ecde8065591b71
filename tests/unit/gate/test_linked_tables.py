"""Tables about the same people: one exposure and one budget for all of them, and refusals where
nobody says the person key."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from sfumato.errors import NotAdmitted, NotAnswered, PolicyError, SourceError
from sfumato.gate.accounts import Right
from sfumato.gate.administration import decide_terms
from sfumato.gate.server import _notices
from sfumato.gate.settings import Budget, Mode, Terms

from .gates import ANN
from .linked import linked_gate, write_table

PATIENTS = """
entity = "id"
[fields.id]
role = "direct"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [5, 10, 20] } }
[fields.test]
role = "sensitive"
[require]
k = 5
"""
STAYS = """
entity = "id"
[fields.id]
role = "direct"
[fields.ward]
role = "quasi"
[fields.drug]
role = "sensitive"
[require]
k = 5
"""


def patients(count: int = 400, *, seed: int = 1):
    draw = np.random.default_rng(seed)
    return [
        {"id": f"p{n}", "age": int(draw.integers(20, 80)), "test": int(draw.integers(0, 2))}
        for n in range(count)
    ]


def stays(count: int = 400, *, seed: int = 2, prefix: str = "p", wards: str = "ABCDEF"):
    draw = np.random.default_rng(seed)
    return [
        {"id": f"{prefix}{n}", "ward": str(draw.choice([*wards])), "drug": int(draw.integers(0, 9))}
        for n in range(count)
    ]


def both(folder, *, more=(), stay_rows=None, people=""):
    return [
        write_table(folder, "patients", patients(), PATIENTS),
        write_table(folder, "stays", stay_rows or stays(), STAYS, people=people),
        *more,
    ]


def test_what_was_shown_of_one_table_is_counted_in_the_other(tmp_path):
    """400 people by single year of age are bins of 6 or so; by ward besides, of one."""
    with linked_gate(tmp_path, both(tmp_path)) as gate:
        wards = gate.keeper.ask(ANN, "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward")
        assert wards.levels["ward"] == 0
        assert len(wards.rows) == 6
        ages = gate.keeper.ask(ANN, "SELECT age, test FROM patients")
        assert ages.levels["age"] >= 2
    with linked_gate(tmp_path / "alone", both(tmp_path)[:1]) as gate:
        assert gate.keeper.ask(ANN, "SELECT age, test FROM patients").levels["age"] == 1


def test_a_table_about_other_people_is_judged_by_itself(tmp_path):
    tables = both(tmp_path, stay_rows=stays(prefix="other "), people="elsewhere")
    with linked_gate(tmp_path, tables) as gate:
        gate.keeper.ask(ANN, "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward")
        assert gate.keeper.ask(ANN, "SELECT age, test FROM patients").levels["age"] == 1


def test_values_of_one_table_are_judged_in_the_classes_of_all(tmp_path):
    """All young women have flu, and each table alone shows it of nobody. Who meets a value in both
    tables, such as an amount, comes from the sex to the diagnosis."""
    one = PATIENTS.replace("widths = [5, 10, 20]", "widths = [60]")
    two = STAYS.replace("ward", "sex").replace("drug", "amount")
    rows = [
        (f"p{n}", age, sex, "flu" if (age, sex) == (20, "F") else f"illness {n % 3}", n % 7)
        for n, (age, sex) in enumerate([(20, "F"), (20, "M"), (70, "F"), (70, "M")] * 10)
    ]
    tables = [
        write_table(
            tmp_path,
            "patients",
            [{"id": key, "age": age, "test": test} for key, age, _, test, _ in rows],
            one + "l_diversity = { l = 2 }\n",
        ),
        write_table(
            tmp_path,
            "bills",
            [{"id": key, "sex": sex, "amount": paid} for key, _, sex, _, paid in rows],
            two + "l_diversity = { l = 2 }\n",
        ),
    ]
    with linked_gate(tmp_path, tables) as gate:
        assert gate.keeper.ask(ANN, "SELECT age, test FROM patients").levels["age"] == 0
        assert gate.keeper.ask(ANN, "SELECT sex, amount FROM bills").levels["sex"] > 0
        count = gate.keeper.ask(ANN, "SELECT sex, COUNT(*) AS n FROM bills GROUP BY sex")
        assert count.levels["sex"] == 0


def test_people_who_are_in_one_table_only_are_a_class_of_their_own(tmp_path):
    """Three people without a stay are seen wherever all stays are shown."""
    question = "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"
    terms = Terms(mode=Mode.EXACT)
    with linked_gate(tmp_path, both(tmp_path, stay_rows=stays(397)), terms=terms) as gate:
        assert [notice for notice in _notices(gate) if notice.startswith("3 people are in other")]
        with pytest.raises(NotAnswered):
            gate.keeper.ask(ANN, question)
    few = both(tmp_path / "more", stay_rows=stays(390))
    with linked_gate(tmp_path / "more", few, terms=terms) as gate:
        assert len(gate.keeper.ask(ANN, question).rows) == 6


def test_noise_about_one_table_is_paid_for_by_the_people_of_both(tmp_path):
    terms = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.2, table=0.2), least=1)
    with linked_gate(tmp_path, both(tmp_path), terms=terms) as gate:
        gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM patients")
        gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM stays")
        with pytest.raises(NotAdmitted, match="budget"):
            gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM stays WHERE ward = 'A'")
        assert gate.keeper.budget(ANN, "patients") == gate.keeper.budget(ANN, "stays")


def test_a_table_without_a_person_key_is_refused_beside_others(tmp_path):
    keyless = STAYS.replace('entity = "id"\n', "")
    tables = [both(tmp_path)[0], write_table(tmp_path, "stays", stays(), keyless)]
    with pytest.raises(PolicyError) as error, linked_gate(tmp_path, tables):
        pass
    assert "tables.stays" in str(error.value)
    assert "tables.patients" not in str(error.value)


def test_keys_that_do_not_agree_are_refused(tmp_path):
    tables = both(tmp_path, stay_rows=stays(prefix="0"))
    with pytest.raises(SourceError, match="no value in common"), linked_gate(tmp_path, tables):
        pass


@pytest.mark.long("a gate for each name; each second stays", every=2)
@pytest.mark.parametrize("kept", [(0,), (1,), (2,), (0, 1, 2)])
def test_a_new_state_under_another_name_is_refused(tmp_path, kept):
    """As is one of two tables that were judged together; a second person's consent changes
    nothing."""
    tables = [*both(tmp_path), write_table(tmp_path, "newer", patients(399), PATIENTS)]
    with linked_gate(tmp_path, tables[:2]) as gate:
        gate.accounts.add("sue", "a long enough password", right=Right.STEWARD)
        gate.keeper.ask(ANN, "SELECT age, test FROM patients")
    chosen = [tables[place] for place in kept]
    with suppress(SourceError), linked_gate(tmp_path, chosen) as gate:
        decide_terms(gate, "sue", approve=True, why="")
    with pytest.raises(SourceError), linked_gate(tmp_path, chosen):
        pass


def test_that_a_table_is_about_other_people_waits_for_a_second_person(tmp_path):
    tables = both(tmp_path)
    with linked_gate(tmp_path, tables) as gate:
        assert gate.keeper.holdings["stays"].links is not None
    with linked_gate(tmp_path, both(tmp_path, people="elsewhere")) as gate:
        assert list(gate.keeper.holdings) == ["patients"]
