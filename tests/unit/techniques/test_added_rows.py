"""Made-up rows: shares and relations kept, no copy of a row, identifiers of nobody in the form of
the others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from steps_by_hand import column, taken, tuples

from sfumato.engines import FieldKind
from sfumato.errors import Mistake, PolicyError
from sfumato.techniques.cells import MADE_UP

MANY = 600
KINDS = {
    "id": FieldKind.TEXT,
    "sex": FieldKind.TEXT,
    "age": FieldKind.INTEGER,
    "pay": FieldKind.REAL,
    "town": FieldKind.TEXT,
    "zip": FieldKind.TEXT,
}


def people(many=MANY):
    drawn = np.random.default_rng(7)
    ages = drawn.integers(18, 90, many)
    towns = drawn.choice(["Bo", "Ürö", "Ax"], many, p=[0.6, 0.3, 0.1])
    return {
        "id": [f"MRN-{1000 + number}" for number in range(many)],
        "sex": drawn.choice(["f", "m"], many).tolist(),
        "age": [str(age) for age in ages],
        "pay": [
            f"{900 + 40 * age + noise:.2f}"
            for age, noise in zip(ages, drawn.normal(0, 100, many), strict=True)
        ],
        "town": towns.tolist(),
        "zip": [{"Bo": "0", "Ürö": "1", "Ax": "2"}[town] for town in towns],
    }


FIELDS = {
    "id": {"role": "direct", "replace": "hash"},
    "sex": "quasi",
    "town": "quasi",
    "zip": {"role": "insensitive", "follows": "town"},
    "pay": "sensitive",
}


def add(columns=None, *, fields=FIELDS, **more):
    step = {key: more.pop(key) for key in ("share", "method", "k") if key in more}
    columns = columns or people()
    return taken(
        columns,
        {"technique": "add_rows", **step},
        fields=fields,
        kinds=KINDS,
        require={"k": 2},
        **more,
    )


def made(done, names):
    return [
        row
        for row, number in zip(tuples(done, names), done.cells.rows, strict=True)
        if number == MADE_UP
    ]


@pytest.mark.parametrize("method", ["together", "each"])
@pytest.mark.parametrize("share", [0.5, 1.0, 2.25])
def test_so_many_rows_come_after_the_others(method, share):
    done = add(share=share, method=method)
    assert len(done.cells) == MANY + round(share * MANY)
    assert (done.cells.rows[:MANY] == np.arange(MANY)).all()
    assert tuples(done, list(people()))[:MANY] == list(zip(*people().values(), strict=True))
    assert done.facts["rows_added"] == round(share * MANY)


@pytest.mark.parametrize("method", ["together", "each"])
def test_no_made_up_row_copies_a_real_one(method):
    names = ["sex", "age", "pay", "town", "zip"]
    real = set(zip(*(people()[name] for name in names), strict=True))
    assert not real & set(made(add(share=3.0, method=method), names))


@pytest.mark.parametrize("method", ["together", "each"])
def test_shares_stay(method):
    done = add(share=1.0, method=method)
    before, after = Counter(people()["town"]), Counter(town for (town,) in made(done, ["town"]))
    assert all(abs(before[town] - after[town]) < 0.05 * MANY for town in before)
    pay = np.array([float(cell) for (cell,) in made(done, ["pay"])])
    real = np.array([float(cell) for cell in people()["pay"]])
    assert abs(pay.mean() - real.mean()) < 0.03 * real.mean()
    assert abs(pay.std() - real.std()) < 0.08 * real.std()


def test_together_keeps_relations_and_each_does_not():
    def relation(method):
        rows = made(add(share=1.0, method=method), ["age", "pay"])
        return np.corrcoef(np.array(rows, float).T)[0, 1]

    real = np.corrcoef(np.array([people()["age"], people()["pay"]], float))[0, 1]
    assert real > 0.98
    assert relation("together") > 0.8
    assert abs(relation("each")) < 0.15


def test_fields_that_follow_one_another_come_from_one_row():
    real = set(zip(people()["town"], people()["zip"], strict=True))
    assert set(made(add(share=2.0, method="each"), ["town", "zip"])) == real


def test_identifiers_are_new_and_in_the_form_of_the_others():
    ids = [name for (name,) in made(add(share=2.0), ["id"])]
    assert len(set(ids)) == len(ids) == 2 * MANY
    assert not set(ids) & set(people()["id"])
    assert all(name.startswith("MRN-") and len(name) >= 8 for name in ids)


def test_whole_numbers_as_identifiers_stay_whole_numbers():
    columns = people(50) | {"id": [str(number) for number in range(50)]}
    done = taken(
        columns,
        {"technique": "add_rows", "share": 1.0},
        fields=FIELDS,
        kinds=KINDS | {"id": FieldKind.INTEGER},
        require={"k": 2},
    )
    ids = [name for (name,) in made(done, ["id"]) if name is not None]
    assert all(name.isdigit() for name in ids)
    assert not set(ids) & set(columns["id"])


def test_removed_identifiers_stay_empty_and_are_not_spoken_of():
    done = add(share=0.5, fields=FIELDS | {"id": "direct"})
    assert {name for (name,) in made(done, ["id"])} == {None}
    assert "id" not in done.words


def test_a_person_key_and_a_household_are_new_too():
    fields = FIELDS | {"zip": "insensitive"}
    columns = people() | {"zip": [f"H{number // 2:04d}" for number in range(MANY)]}
    done = add(columns, share=0.5, fields=fields, entity="id", household="zip")
    homes = [home for (home,) in made(done, ["zip"])]
    assert len(set(homes)) == len(homes)
    assert not set(homes) & set(columns["zip"])
    assert all(home.startswith("H") for home in homes)


def test_missing_identifiers_are_as_frequent_as_they_were():
    columns = people() | {
        "id": [None if number % 4 == 0 else f"{10_000 + number}" for number in range(MANY)]
    }
    done = add(columns, share=1.0)
    assert abs(sum(name is None for (name,) in made(done, ["id"])) - MANY / 4) < 40
    assert len(done.warnings) == 1


def test_nulls_and_constant_fields():
    columns = {
        "sex": ["f", None] * 50,
        "age": [None] * 100,
        "pay": [f"{n}.5" for n in range(100)],
        "town": ["Ü"] * 100,
    }
    done = add(columns, share=1.0, fields={"sex": "quasi"})
    rows = made(done, ["sex", "age", "pay", "town"])
    assert len(rows) == 100
    assert {row[1] for row in rows} == {None}
    assert {row[0] for row in rows} == {"f", None}
    assert not set(zip(*columns.values(), strict=True)) & set(rows)


def test_where_every_row_would_be_a_copy_none_is_added():
    columns = {"sex": ["f", "f", "m", "m"] * 5, "town": ["Bo", "Ax"] * 10}
    done = add(columns, share=1.0, fields={"sex": "quasi"})
    assert len(done.cells) == 20
    assert any("20 of 20 made-up rows were left out" in warning for warning in done.warnings)


def test_that_bins_count_them_is_told():
    assert add(share=0.5).warnings[0] == (
        f"Requirements count made-up rows like others: {MANY // 2} of {MANY + MANY // 2} "
        "rows belong to nobody."
    )


@pytest.mark.parametrize(
    "columns", [{"sex": ["f"], "town": ["Bo"]}, {"sex": ["f", "m"]}, {"sex": [], "town": []}]
)
def test_too_little_to_draw_from_is_refused(columns):
    with pytest.raises(Mistake, match="too few"):
        add(columns, share=1.0, fields={"sex": "quasi"})


def test_what_would_tell_or_mean_nothing_is_a_problem():
    with pytest.raises(PolicyError, match="reveals them"):
        add(share=1.0, order="keep")
    with pytest.raises(PolicyError, match="must be above 0"):
        add(share=0.0)
    with pytest.raises(PolicyError, match="about like rows"):
        add(share=1.0, method="each", k=20)


def told_apart(share: float) -> tuple[float, bool]:
    """How many rows the attack gets right, who takes a row with a value that occurs once for a real
    one; and whether that was warned of."""
    many = 200
    given = {
        name: [str(n * step % 10007) for n in range(many)]
        for name, step in (("a", 31), ("b", 577), ("c", 4111))
    }
    done = taken(given, {"technique": "add_rows", "share": share})
    counts = {name: Counter(column(done, name)) for name in given}
    real = [
        any(counts[name][cell] == 1 for name, cell in zip(given, row, strict=True))
        for row in tuples(done, [*given])
    ]
    right = sum(
        guess == (row >= 0) for guess, row in zip(real, done.cells.rows.tolist(), strict=True)
    )
    return right / len(real), any("no other row has" in warning for warning in done.warnings)


def test_rows_that_counting_values_tells_apart_are_warned_of():
    right, warned = told_apart(0.2)
    assert right > 0.95
    assert warned
    right, warned = told_apart(1.0)
    assert right < 0.6
    assert not warned
