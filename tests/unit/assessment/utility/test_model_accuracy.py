"""A model trained on the release and tested on the source."""

from __future__ import annotations

import builtins

import numpy as np
import pandas as pd
import pytest
from side_tables import in_decades, people, subject_of

from sfumato.assessment.utility import measure_usefulness, model_accuracies, side_by_side
from sfumato.assessment.utility.model_features import Feature, MostRows, rows_of
from sfumato.assessment.utility.train_test_split import folds_apart, said_alike
from sfumato.engines import open_source
from sfumato.errors import MissingExtra


def model(release, source, targets=None, sample=100_000, **given):
    with subject_of(release, source, **given) as subject:
        return model_accuracies(side_by_side(subject), targets=targets, sample=sample)


def learned(rows=1500, seed=3):
    return people(rows, seed=seed)


def test_a_copy_teaches_what_the_source_does():
    table = learned()
    (found,) = model(table, table, known=("age", "sex", "town"), sensitive=("works",))
    assert found.kept == "apart"
    assert found.from_release == found.from_source
    assert found.from_source.low > found.majority
    assert found.gain_kept == pytest.approx(1)
    assert found.tested_rows == 1500


@pytest.mark.parametrize("rows", [2, 14])
def test_nothing_is_learned_from_a_few_rows(rows):
    table = {name: values[:rows] for name, values in learned().items()} | {
        "works": ["yes", "no"] * (rows // 2)
    }
    (found,) = model(table, table, known=("age", "sex", "town"), sensitive=("works",))
    assert found.from_release is None
    assert "too few to learn from" in found.reason


def test_ranges_teach_a_little_less_and_noise_nothing():
    table = learned()
    release, hierarchies = in_decades(table)
    (coarse,) = model(
        release, table, known=("age", "sex", "town"), sensitive=("works",), hierarchies=hierarchies
    )
    assert 0.8 < coarse.gain_kept <= 1.05
    mixed = {**table, "works": np.random.default_rng(0).permutation(table["works"]).tolist()}
    (noise,) = model(mixed, table, known=("age", "sex", "town"), sensitive=("works",))
    assert noise.gain_kept < 0.2


def parts_of(release, source, **given):
    """What is trained on and tested on, as sets of (age, town) with ages in decades."""
    with subject_of(release, source, **given) as subject:
        tables = side_by_side(subject, fields=("age", "town", "works"))
    target = tables.fields["works"]
    features = {
        name: Feature.of(
            tables.fields[name], tables.fields[name].before(tables.before.totals(name)[1])
        )
        for name in ("age", "town")
    }
    most = MostRows(10**6, np.random.default_rng(0))
    old, new = (side.held for side in (tables.before, tables.after))
    ours, theirs = (
        rows_of(old, features, target, most, after=False),
        rows_of(new, features, target, most, after=True),
    )
    labels = [new.labels[new.column(name)] for name in features]
    common = said_alike(
        [feature.field for feature in features.values()], labels, tables.subject.hierarchies
    )
    folds = folds_apart(ours, theirs, common, chance=np.random.default_rng(0), folds=4)
    assert folds.are_apart

    def said(rows, bins):
        return {
            (str(bins.labels[0][age])[0], bins.labels[1][town])  # 37 and 30-39 begin alike
            for age, town in rows.codes.tolist()
        }

    return [(said(train, new), said(test, old)) for _, train, test in folds.parts(ours, theirs)]


def test_no_tested_row_was_trained_on():
    table = people(3000)
    table["town"] = [f"town {n % 29}" for n in range(3000)]
    release, hierarchies = in_decades(table)
    parts = parts_of(
        release, table, known=("age", "town"), sensitive=("works",), hierarchies=hierarchies
    )
    assert len(parts) == 4
    assert all(train and test and not train & test for train, test in parts)


def test_where_rows_cannot_be_kept_apart_it_is_said():
    table = learned(600)
    (found,) = model(
        {**table, "age": ["*"] * 600}, table, known=("age", "sex", "town"), sensitive=("works",)
    )
    assert found.kept == "overlapping"


def test_people_outside_are_the_test_where_there_are_some():
    table = learned()
    with open_source(pd.DataFrame(learned(400, seed=9))) as control:
        (found,) = model(
            table, table, known=("age", "sex", "town"), sensitive=("works",), control=control
        )
    assert (found.kept, found.tested_rows) == ("control", 400)


def test_a_control_group_that_lacks_a_field_is_not_tested_on():
    table = learned(400)
    few = pd.DataFrame(learned(400, seed=9)).drop(columns="town")
    with open_source(few) as control:
        (found,) = model(table, table, known=("age", "sex"), sensitive=("works",), control=control)
    assert found.from_release is not None
    assert found.kept != "control"
    assert found.from_release == found.from_source


def test_a_large_table_is_learned_from_by_a_sample():
    table = learned()
    (found,) = model(table, table, known=("age", "sex", "town"), sensitive=("works",), sample=500)
    assert found.sampled
    assert found.tested_rows == 500


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["a"] * 40, "one value only"),
        ([f"v{n}" for n in range(40)], "at most 20"),
        (["{a, b}"] * 20 + ["c"] * 20, "recoded"),
    ],
)
def test_what_cannot_be_a_target(column, said):
    source = {"x": list(range(40)), "y": ["a", "b", "c", "c"] * 10 if said == "recoded" else column}
    (found,) = model({"x": source["x"], "y": column}, source, known=("x",), sensitive=("y",))
    assert said in found.reason
    assert found.from_release is None


def test_without_the_extra_the_rest_is_measured_all_the_same(monkeypatch):
    real = builtins.__import__

    def absent(name, *arguments, **given):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *arguments, **given)

    monkeypatch.setattr(builtins, "__import__", absent)
    table = people(100)
    with subject_of(table, table, known=("age",), sensitive=("works",)) as subject:
        found = measure_usefulness(subject, queries=30)
        assert "sfumato[assess]" in found.not_said["models"]
        assert found.queries is not None
        with pytest.raises(MissingExtra, match="assess"):
            measure_usefulness(subject, targets=("works",))
