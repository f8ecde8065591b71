"""The whole measurement: what it refuses, and what it never names."""

from __future__ import annotations

import json

import numpy as np
import pytest
from side_tables import in_decades, people, subject_of

from sfumato.assessment.utility import measure_usefulness, side_by_side
from sfumato.assessment.utility import side_by_side as comparing
from sfumato.engines import open_source
from sfumato.errors import Mistake
from sfumato.measures.subject import Subject


def usefulness(release, source, **given):
    with subject_of(release, source, **given) as subject:
        return measure_usefulness(subject, queries=60, models=False)


def test_everything_at_once_and_as_json():
    table = people()
    release, hierarchies = in_decades(table)
    found = usefulness(
        release, table, known=("age", "sex"), sensitive=("works",), hierarchies=hierarchies
    )
    said = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [field["name"] for field in said["fields"]] == ["age", "sex", "works", "town"]
    assert said["spread"] == "evenly"
    assert said["losses"]["precision"] == pytest.approx(1 - (1 / 2 + 0) / 2)
    assert said["not_said"] == {"models": "no model was asked for"}


def test_keys_and_texts_are_not_compared():
    rows = 1_200
    table = {
        "id": [f"P{n:05}" for n in range(rows)],
        "note": [f"seen at {n % 1_050}" for n in range(rows)],
        "x": [n % 7 for n in range(rows)],
        "left": [0] * rows,
    }
    found = usefulness({**table, "new": [1] * rows}, table, known=("x",), person=None)
    assert set(found.left_out) == {"id", "note", "new"}
    assert "only in the release" in found.left_out["new"]


def test_what_fewer_than_ten_people_have_is_nowhere():
    rare, numbers = ["Rarity"] * 9, np.random.default_rng(0).normal(1000, 50, 300)
    table = {
        "town": ["Ely"] * 200 + ["Diss"] * 91 + rare,
        "pay": numbers.round(6).tolist(),
        "code": [f"c{n % 140}" for n in range(300)],
    }
    found = usefulness(table, table, known=("town", "code"), sensitive=("pay",))
    said = json.dumps(found.as_dict())
    assert "Rarity" not in said
    assert "Ely" in said
    assert not any(f'"c{n}"' in said for n in range(140))
    own = {f"{value:.6f}" for value in numbers}
    assert not own & {f"{value:.6f}" for value in _floats(found.as_dict())}


def _floats(of):
    if isinstance(of, dict | list | tuple):
        for part in of.values() if isinstance(of, dict) else of:
            yield from _floats(part)
    elif isinstance(of, float):
        yield of


def test_the_rest_of_a_field_is_ten_people_too():
    table = {"x": ["a"] * 100 + ["b"] * 12 + ["c"] * 3}
    change = usefulness(table, table, known=("x",)).fields[0]
    assert [one.name for one in change.classes] == ["a", "other (2 values)"]


@pytest.mark.parametrize(
    ("release", "known", "said"),
    [
        ({"y": [1, 2]}, ("x",), "x is not in the release"),
        ({"x": [1], "y": [1]}, ("x", "z"), "z is not in the source"),
        ({"other": [1]}, (), "no field in common"),
    ],
)
def test_tables_that_do_not_belong_together(release, known, said):
    with pytest.raises(Mistake, match=said):
        usefulness(release, {"x": [1, 2], "w": [1, 2]}, known=known)


def test_an_empty_release_and_no_source():
    with pytest.raises(Mistake, match="release holds no row"):
        usefulness({"x": np.array([], np.int64)}, {"x": [1, 2]}, known=("x",))
    with subject_of({"x": [1]}, {"x": [1]}, known=("x",)) as subject:
        alone = Subject(release=subject.release, known=("x",))
        with pytest.raises(Mistake, match="no source was given"):
            measure_usefulness(alone)


def test_constant_and_empty_fields_are_said_to_be_so():
    table = {"same": ["a"] * 30, "none": [None] * 30, "one": [5] * 30}
    found = usefulness(table, table, known=("same", "none", "one"))
    said = {change.name: change for change in found.fields}
    assert said["same"].total_variation == 0
    assert said["none"].reason == "every value is missing in the source"
    assert (said["one"].kolmogorov_smirnov, said["one"].wasserstein) == (0, None)
    assert found.associations.mean_change is None
    assert "queries" in found.not_said


def test_tables_too_large_to_hold_are_asked_for_each_pair(monkeypatch):
    table = people()
    release, hierarchies = in_decades(table)
    given = {"known": ("age", "sex", "town"), "sensitive": ("works",), "hierarchies": hierarchies}
    held = usefulness(release, table, **given)
    monkeypatch.setattr(comparing_module(), "HELD", 10)
    asked = usefulness(release, table, **given)
    assert np.allclose(held.associations.after, asked.associations.after)
    assert held.fields == asked.fields
    assert held.queries.whole.median == pytest.approx(asked.queries.whole.median)
    with subject_of(release, table, **given) as subject:
        (model,) = measure_usefulness(subject, queries=0).models
    assert "too many rows" in model.reason


def comparing_module():
    import sys

    return sys.modules[comparing.__module__]


def test_a_release_read_from_files(tmp_path):
    table = people(50)
    import pandas as pd

    pd.DataFrame(table).to_csv(tmp_path / "source.csv", index=False)
    pd.DataFrame(in_decades(table)[0]).to_csv(tmp_path / "release.csv", index=False)
    with (
        open_source(tmp_path / "source.csv") as source,
        open_source(tmp_path / "release.csv") as release,
    ):
        subject = Subject(
            release=release, source=source, known=("age",), hierarchies=in_decades(table)[1]
        )
        tables = side_by_side(subject)
    assert tables.fields["age"].reading == "number"
    assert tables.fields["age"].says.all()
