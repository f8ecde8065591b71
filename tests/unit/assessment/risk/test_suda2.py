"""SUDA2 on tables small enough to check by eye; what it refuses; what it does not say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sfumato.assessment.charts.suda_charts import draw
from sfumato.assessment.page.suda_part import part
from sfumato.assessment.risk.suda2 import suda2, suda2_of
from sfumato.bins import Bins
from sfumato.engines import open_source
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.errors import Mistake
from sfumato.hierarchies import Suppression
from sfumato.measures.subject import Subject
from sfumato.policy import NullRule

FIELDS = ("zip", "age", "sex")
PEOPLE = {
    ("02138", "30", "F"): 2,
    ("02138", "30", "M"): 1,
    ("02138", "70", "F"): 1,
    ("02139", "30", "F"): 1,
    ("02139", "70", "M"): 1,
}
TABLE = Bins.of(FIELDS, PEOPLE)


def number_of(*values: str | None) -> int:
    return list(PEOPLE).index(values)


def test_the_sets_of_a_record_are_minimal_and_name_fields():
    found = suda2(TABLE)
    assert found.fields_of(number_of("02138", "30", "M")) == (("zip", "sex"), ("age", "sex"))
    assert found.fields_of(number_of("02139", "70", "M")) == (
        ("zip", "age"),
        ("zip", "sex"),
        ("age", "sex"),
    )
    assert found.fields_of(number_of("02138", "30", "F")) == ()
    assert found.by_size == (0, 9, 0)
    assert found.by_fields() == {("zip", "age"): 3, ("zip", "sex"): 3, ("age", "sex"): 3}
    assert (found.sample_uniques, found.singled_out, found.records_by_smallest) == (4, 4, (0, 4, 0))


def test_a_limit_leaves_larger_sets_out_and_weighs_by_it():
    one = suda2(TABLE, largest=1)
    assert (one.by_size, one.singled_out, one.scores.sum()) == ((0,), 0, 0)
    assert suda2(TABLE, largest=9).largest == 3


def test_rows_that_agree_in_all_are_no_uniques_and_score_nothing():
    twice = Bins.of(FIELDS, dict.fromkeys(PEOPLE, 2))
    found = suda2(twice)
    assert (found.singled_out, found.scores.max(), found.dis.max()) == (0, 0, 0)
    assert found.contributions == dict.fromkeys(FIELDS, 0.0)
    assert found.dis_distribution[0] == found.records == 10


def test_without_a_pair_a_match_with_a_unique_is_always_right():
    alone = Bins.of(("a", "b"), {("x", "p"): 1, ("y", "q"): 1})
    assert suda2(alone).dis.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("silent", [None, "*"])
def test_a_cell_that_says_nothing_is_a_value_or_left_out(silent):
    table = Bins.of(("a", "b"), {("x", "p"): 2, (silent, "p"): 1, ("x", "q"): 1})
    assert suda2(table).fields_of(1) == (("a",),)
    assert suda2(table, missing="left out").fields_of(1) == ()
    assert suda2(table, missing="left out").fields_of(2) == (("b",),)


def test_a_star_of_the_source_is_a_value_and_no_suppressed_cell():
    """Somebody with the value `*` was left out of every minimal unique, as if the cell said
    nothing."""
    table = Bins.of(("a", "b"), {("x", "p"): 2, ("*", "p"): 1, ("x", "*"): 1})
    found = suda2(table, missing="left out", starred={"a"})
    assert (found.fields_of(1), found.fields_of(2)) == ((("a",),), ())


@pytest.mark.parametrize(
    ("values", "led", "singled_out"),
    [
        (("x", "x", "x", "*"), (), 1),
        (("x", "x", "x", "y"), (), 0),
        (("x", "x", "x", "*"), ("a",), 1),
        (("x", "x", "x", "y"), ("a",), 0),
    ],
)
def test_an_assessment_knows_a_star_by_the_source(values, led, singled_out):
    source, release = ([{"a": one} for one in cells] for cells in (values, ("x", "x", "x", "*")))
    labels = sorted(set(values))
    with (
        open_source(release, engine="reference") as after,
        open_source(source, engine="reference") as before,
    ):
        subject = Subject(
            release=after,
            known=("a",),
            source=before,
            hierarchies={name: Suppression().bind(labels) for name in led},
            nulls=NullRule.MATCHES_ANYTHING,
        )
        assert suda2_of(subject).singled_out == singled_out


def test_a_constant_and_an_empty_field_are_in_no_minimal_unique():
    table = Bins.of(
        ("same", "none", "a"), {("s", None, "x"): 1, ("s", None, "y"): 1, ("s", None, "z"): 3}
    )
    found = suda2(table)
    assert found.by_fields() == {("a",): 2}
    assert (found.contributions["same"], found.contributions["none"]) == (0.0, 0.0)


def test_nothing_is_found_in_no_rows():
    found = suda2(Bins.of(FIELDS, {}))
    assert (found.records, found.singled_out, found.by_size) == (0, 0, (0, 0, 0))
    assert found.as_dict()["dis"] == {"average": 0.0, "maximum": 0.0}


def test_one_record_alone_is_unique_by_every_field():
    found = suda2(Bins.of(("a", "b"), {("x", "p"): 1}))
    assert found.fields_of(0) == (("a",), ("b",))


def test_uniques_beyond_what_is_kept_are_only_counted():
    found = suda2(TABLE, keep=5)
    assert (sum(found.by_size), found.scores.tolist()) == (9, suda2(TABLE).scores.tolist())
    with pytest.raises(Mistake, match="There are 9, and only their numbers were kept"):
        found.by_fields()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"largest": 0}, "at least one field"),
        ({"fraction": 0.0}, "sampling fraction"),
        ({"fraction": 1.2}, "over 0"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, words):
    with pytest.raises(Mistake, match=words):
        suda2(TABLE, **asked)


def test_no_fields_are_refused():
    with pytest.raises(Mistake, match="No field was named"):
        suda2(Bins.of((), {}))


def test_neither_repr_nor_dictionary_hold_a_value():
    found = suda2(TABLE)
    said = repr(found) + json.dumps(found.as_dict())
    assert not any(value in said for value in ("02138", "02139", '"70"', "'70'"))


def test_twenty_fields_with_a_limit_stay_small_and_say_how_far_they_are(monkeypatch):
    monkeypatch.setattr("sfumato.assessment.risk.suda2_search._BREATH", 0.0)
    generator = np.random.default_rng(5)
    codes = np.unique(generator.integers(0, 4, (400, 20)).astype(np.int32), axis=0)
    table = Bins(
        tuple(f"f{n}" for n in range(20)),
        (tuple("abcd"),) * 20,
        codes,
        np.ones(len(codes), np.int64),
    )
    said: list[str] = []
    found = suda2(table, largest=3, progress=said.append)
    assert [size > 0 for size in found.by_size] == [False, False, True]
    assert said[-1].startswith("combinations of 3 fields: 1,139 of at most 1,140")


def assessed(**given) -> Subject:
    rows = [{"a": a, "b": b} for a, b in (("x", "p"), ("x", "p"), (None, "p"), ("x", "q"))]
    return Subject(release=ReferenceEngine(rows), known=("a", "b"), **given)


def test_the_release_of_an_assessment_keeps_its_null_rule_and_fraction():
    strict = suda2_of(assessed())
    lenient = suda2_of(assessed(nulls=NullRule.MATCHES_ANYTHING, sampling_fraction=0.1))
    assert (strict.missing, strict.fraction, strict.singled_out) == ("value", 0.01, 2)
    assert (lenient.missing, lenient.fraction, lenient.singled_out) == ("left out", 0.1, 1)


def test_several_rows_per_person_are_refused():
    with pytest.raises(Mistake, match="one row per person"):
        suda2_of(assessed(person="a"))


# -------------------------------------------------------------------------------------------------
# its part of the page


def test_its_part_says_how_few_fields_are_enough_and_names_no_value():
    found = suda2(TABLE)
    page = part(found, draw(found))
    assert "4 rows of 6 (66.7" in page
    assert "For 4 rows one or two fields are enough." in page
    assert page.count("<svg ") == page.count("The numbers") == 3
    assert "zip and age" in page
    assert not any(value in page for value in ("02138", "02139"))


def test_without_charts_the_numbers_stand_as_tables():
    page = part(suda2(TABLE), {})
    assert "<svg" not in page
    assert page.count("<table>") == 4


def test_where_nobody_is_singled_out_it_says_so_and_draws_nothing():
    found = suda2(Bins.of(FIELDS, dict.fromkeys(PEOPLE, 2)))
    assert draw(found) == {}
    assert (
        "No row of the release can be singled out: at least two rows fit any known values of zip, age and sex"
        in part(found, {})
    )


def test_uniques_that_were_not_kept_are_not_listed():
    assert "too many combinations of fields to list" in part(suda2(TABLE, keep=5), {})
