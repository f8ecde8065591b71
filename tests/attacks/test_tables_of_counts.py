"""Tables of counts, attacked: shifts against charges, domains, differencing and linear programs."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import sfumato
from sfumato.accounting import PrivacyAccount
from sfumato.engines import CountedUnits

DOMAINS = {"sex": ["F", "M"], "age": {"cuts": [18, 65]}}


def shifts(monkeypatch, tmp_path, **more):
    """For each measurement the true squared distance between neighbouring sources, in units of what
    was charged: above 1, a person costs more than the account says."""
    (tmp_path / "areas.csv").write_text("state,county\nA,a1\nA,a2\nB,b1\nB,b2\n")
    chance = np.random.default_rng(4)
    frame = pandas.DataFrame(
        {
            "person": np.arange(60),
            "county": chance.choice(["a1", "a2", "b1", "b2"], 60),
            "sex": chance.choice(["F", "M"], 60),
            "age": chance.integers(0, 99, 60),
        }
    )
    frame.loc[len(frame)] = [0, "a1", "F", 3]
    frame.loc[len(frame)] = [0, "a1", "F", 3]
    seen: list[list[tuple[object, np.ndarray]]] = []
    measure_all = PrivacyAccount.measure_all

    def spied(self, asked):
        seen[-1].extend(asked)
        return measure_all(self, asked)

    monkeypatch.setattr(PrivacyAccount, "measure_all", spied)
    for source in (frame, frame[frame["person"] != 0]):
        seen.append([])
        sfumato.tabulate(
            source,
            method="private",
            epsilon=1,
            levels=["state", "county"],
            areas=str(tmp_path / "areas.csv"),
            domains=DOMAINS,
            **more,
        )
    assert [line.as_dict() for line, _ in seen[0]] == [line.as_dict() for line, _ in seen[1]]
    return [
        float(((one - other) ** 2).sum()) / line.squared_sensitivity
        for (line, one), (_, other) in zip(*seen, strict=True)
    ]


@pytest.mark.parametrize("most", [1, 3])
def test_one_person_shifts_no_measurement_by_more_than_its_charge(monkeypatch, tmp_path, most):
    found = shifts(monkeypatch, tmp_path, entity="person", rows_per_person=most)
    assert max(found) <= 1
    assert max(found) > 0


def test_the_attack_sees_a_person_whose_rows_are_not_cut(monkeypatch, tmp_path):
    """The broken variant: rows are counted, and nobody says whose they are."""
    assert max(shifts(monkeypatch, tmp_path)) > 1


def test_the_only_holder_of_a_value_changes_no_label(tmp_path):
    frame = pandas.DataFrame({"sex": ["F"] * 30 + ["X"]})
    tables = [
        sfumato.tabulate(source, method="private", epsilon=1, domains={"sex": ["F", "M"]}).frame
        for source in (frame, frame[:30])
    ]
    assert tables[0]["sex"].tolist() == tables[1]["sex"].tolist() == ["F", "M"]


def test_units_of_the_engine_count_a_person_once_in_all_sets():
    """Rows that are chosen at random are chosen once: margins of a set are those of the others."""
    frame = pandas.DataFrame(
        {"p": [1] * 40 + [2] * 40, "a": list("xy") * 40, "b": list("uuvv") * 20}
    )
    with sfumato.open_source(frame) as engine:
        units = CountedUnits(person="p", rows_per_person=5)
        both, one, whole = engine.counted_sets([("a", "b"), ("a",), ()], units)
    assert whole.rows.tolist() == [10]
    for code, rows in zip(one.codes[:, 0], one.rows, strict=True):
        assert both.rows[both.codes[:, 0] == code].sum() == rows
