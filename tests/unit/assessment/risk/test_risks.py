"""The whole of the risk measures over a subject: what was known of the population, before and
after, and bad input."""

import csv
import json
import sys
from contextlib import ExitStack

import numpy as np
import pytest

from sfumato.assessment.risk import measure_risks, uniqueness_table
from sfumato.engines import open_source
from sfumato.errors import Mistake, SourceError
from sfumato.hierarchies import Hierarchy
from sfumato.measures.subject import Subject
from sfumato.policy import NullRule

FIELDS = ("zip", "sex", "problem", "w", "home")
SOURCE = [
    ("02138", "f", "flu", 3, 1),
    ("02139", "f", "cold", 2, 1),
    ("02138", "m", "flu", 4, 2),
    ("02141", "m", "flu", 1, 2),
    ("02142", "m", "cold", 2, 3),
]
RELEASE = [("0213*" if row[0] < "0214" else "0214*", *row[1:]) for row in SOURCE]
PEOPLE = [(zip_code, sex, "", "", "") for zip_code, sex, *_ in SOURCE for _ in range(3)] + [
    ("02138", "m", "", "", "")
]
ZIPS = Hierarchy.from_rows(
    [
        ("02138", "0213*", "*"),
        ("02139", "0213*", "*"),
        ("02141", "0214*", "*"),
        ("02142", "0214*", "*"),
    ]
)


@pytest.fixture
def opened(tmp_path):
    """Opens rows as a source of their own."""
    with ExitStack() as stack:

        def made(name, rows, fields=FIELDS):
            path = tmp_path / f"{name}.csv"
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(fields)
                writer.writerows(rows)
            return stack.enter_context(open_source(path))

        yield made


@pytest.fixture
def subject(opened):
    def made(**more):
        rows = more.pop("release_rows", RELEASE)
        settings = {
            "release": opened("release", rows),
            "source": opened("source", SOURCE),
            "known": ("zip", "sex"),
            "sensitive": ("problem",),
            "hierarchies": {"zip": ZIPS},
        }
        return Subject(**{**settings, **more})

    return made


def test_before_and_after(subject):
    found = measure_risks(subject())
    assert found.before.kirp.average == 1
    assert found.after.kirp.average == pytest.approx(3 / 5)
    assert found.before.unique_rows == 5
    assert found.after.unique_rows == 1
    assert found.after.smallest == 1


def test_without_a_population_only_known_inclusion_is_told(subject):
    found = measure_risks(subject())
    assert found.after.uirp.average is None
    assert found.after.uniqueness == ()
    assert "no table of the population" in found.notes[0]


def test_with_a_table_of_the_population(subject, opened):
    found = measure_risks(subject(population=opened("people", PEOPLE)))
    after = found.after
    assert after.people.known == "table"
    assert after.people.total == 16
    assert dict(zip(after.people.sizes.tolist(), after.people.chance.tolist(), strict=True)) == {
        6.0: 1 / 6,
        4.0: 0.25,
    }
    assert after.uirp.average == pytest.approx(3 / 16)
    assert after.rmp.average == pytest.approx((2 / 6 + 1 / 4 + 2 / 6) / 5)
    assert after.inclusion.maximum == pytest.approx(1 / 3)
    assert after.uniqueness[0].estimator == "counted"
    assert after.uniqueness[0].value == 0
    assert after.alone_in_both == 0


def test_with_survey_weights(subject):
    """The people of a bin are the sum of its weights; the expected re-identifications are the sum
    over rows."""
    found = measure_risks(subject(weight="w")).after
    assert found.people.known == "weights"
    assert sorted(found.people.sizes.tolist()) == [3.0, 4.0, 5.0]
    assert found.expected_reidentifications == pytest.approx(5 * found.rmp.average)
    assert found.rmp.interval[0] <= found.rmp.average <= found.rmp.interval[1]


def test_weights_that_the_release_does_not_carry_are_the_sources(subject, opened):
    fields = FIELDS[:3]
    bare = opened("bare", [row[:3] for row in RELEASE], fields)
    with_weights = measure_risks(subject(weight="w")).after
    assert measure_risks(subject(weight="w", release=bare)).after.rmp.average == pytest.approx(
        with_weights.rmp.average
    )


def test_with_a_sampling_fraction(opened):
    chance = np.random.default_rng(1)
    rows = [(str(v), str(v % 7)) for v in np.minimum(chance.geometric(0.02, 3000), 300)]
    release = opened("many", rows, ("a", "b"))
    found = measure_risks(
        Subject(release=release, known=("a", "b"), sampling_fraction=0.1), copula=False
    ).after
    assert found.people.known == "fraction"
    assert found.people.total == 30_000
    assert found.rmp.interval[0] < found.rmp.average < found.rmp.interval[1]
    assert found.rmp.average < found.kirp.average
    assert found.uirp.average == pytest.approx(found.bins / 30_000)
    assert found.inclusion.average == pytest.approx(0.1)
    assert {estimate.estimator for estimate in found.uniqueness} >= {"Pitman", "Zayatz", "Dankar"}
    sized = measure_risks(
        Subject(release=release, known=("a", "b"), population_size=30_000), copula=False
    ).after
    assert sized.people.known == "size"
    assert sized.rmp.average == found.rmp.average


def test_without_the_extra_the_copula_is_left_out_and_a_note_says_so(opened, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    release = opened("many", [(str(number // 3), "f") for number in range(120)], ("a", "b"))
    found = measure_risks(Subject(release=release, known=("a", "b"), sampling_fraction=0.5))
    assert "copula" not in {estimate.estimator for estimate in found.after.uniqueness}
    assert any("'assess'" in note for note in found.notes)


def test_a_fraction_of_one_makes_the_table_the_population(subject):
    found = measure_risks(subject(sampling_fraction=1.0)).after
    assert found.rmp.average == found.kirp.average
    assert found.uniqueness[0].estimator == "counted"


def test_attributes_are_measured_against_the_source(subject):
    found = measure_risks(subject()).after.attributes[0]
    assert found.baseline == pytest.approx(0.6)
    assert found.one_value_of_several == 0


def test_households(subject):
    found = measure_risks(subject(household="home"))
    assert found.before.households.average == 1
    assert found.after.households.households == 3
    assert found.after.households.maximum == 1
    weighted = measure_risks(subject(household="home", weight="w")).after.households
    assert weighted.average < found.after.households.average


def test_a_household_field_that_is_not_released(subject, opened):
    bare = opened("bare", [row[:3] for row in RELEASE], FIELDS[:3])
    found = measure_risks(subject(household="home", release=bare))
    assert found.after.households is None
    assert any("home" in note for note in found.notes)


def test_nulls_that_match_anything(subject):
    rows = [("", "f", "flu", 1, 1), ("0213*", "f", "flu", 1, 1), ("0214*", "m", "flu", 1, 1)]
    strict = measure_risks(subject(release_rows=rows)).after
    loose = measure_risks(subject(release_rows=rows, nulls=NullRule.MATCHES_ANYTHING)).after
    assert strict.kirp.average == 1
    assert loose.kirp.average == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert loose.unique_rows == 1


def test_the_result_is_json_and_holds_no_value(subject, opened):
    found = measure_risks(
        subject(
            population=opened("people", PEOPLE),
            household="home",
            weight="w",
            sampling_fraction=None,
        )
    )
    text = json.dumps(found.as_dict())
    for value in ("02138", "0213*", "flu", "cold"):
        assert value not in text
        assert value not in repr(found)


def test_an_empty_release(subject):
    found = measure_risks(subject(release_rows=[], sampling_fraction=0.5))
    assert found.after.kirp.reason == "the table is empty"
    assert found.after.rmp.average is None
    assert found.after.attributes[0].reason
    json.dumps(found.as_dict())


def test_constant_and_null_fields(subject):
    rows = [("*", "", "flu", 1, 1)] * 4
    found = measure_risks(subject(release_rows=rows, sampling_fraction=0.1)).after
    assert found.kirp.average == 0.25
    assert found.smallest == 4
    assert found.rmp.average == pytest.approx(0.1 * 5 / 5 / 4, rel=0.2)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, float("nan")])
def test_a_fraction_out_of_range(subject, fraction):
    with pytest.raises(Mistake, match="above 0 and at most 1"):
        measure_risks(subject(sampling_fraction=fraction))


def test_a_population_smaller_than_the_table(subject, opened):
    with pytest.raises(Mistake, match="5 rows"):
        measure_risks(subject(population_size=4))
    found = measure_risks(subject(population=opened("few", PEOPLE[:2])))
    assert "2 people and the table itself 5 rows" in found.after.rmp.reason


def test_a_population_that_does_not_cover_the_release(subject, opened):
    people = [("02138", "f", "", "", "")] * 20
    found = measure_risks(subject(population=opened("others", people)))
    assert found.after.people.uncovered == 3
    assert any("overstates" in note for note in found.notes)


def test_a_fraction_and_a_size_at_once(subject):
    with pytest.raises(Mistake, match="giving one of them"):
        measure_risks(subject(sampling_fraction=0.1, population_size=100))


@pytest.mark.parametrize("weight", ["", "many", "-3"])
def test_missing_weights(subject, weight):
    rows = [(*row[:3], weight, row[4]) for row in RELEASE]
    with pytest.raises(SourceError, match="survey weights"):
        measure_risks(subject(release_rows=rows, weight="w"))


def test_weights_below_one(subject):
    rows = [(*row[:3], 0.2, row[4]) for row in RELEASE]
    with pytest.raises(Mistake, match="at least 1"):
        measure_risks(subject(release_rows=rows, weight="w"))


def test_a_weight_field_that_nobody_has(subject):
    assert "field x" in measure_risks(subject(weight="x")).after.rmp.reason


def test_nothing_known(subject):
    with pytest.raises(Mistake, match="No field is counted as known"):
        measure_risks(subject(known=()))


def test_uniqueness_of_people_and_not_rows(opened):
    rows = [("02138", "anna"), ("02138", "anna"), ("02139", "ben"), ("02139", "eva")]
    engine = opened("people", rows, ("zip", "person"))
    assert uniqueness_table(engine, [("zip",)])[0].unique == 0
    assert uniqueness_table(engine, [("zip",)], person="person")[0].unique == 1
