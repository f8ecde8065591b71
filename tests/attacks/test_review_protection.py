"""What a policy asked for and a release left undone, and what a release told beside what was
required of it."""

from __future__ import annotations

import re

import duckdb
import pandas as pd
import pytest

from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import release

ROWS = 60
FIELDS = {
    "person": {"role": "direct", "replace": "hash"},
    "zip": {"role": "quasi"},
    "sex": {"role": "quasi"},
    "problem": {"role": "sensitive"},
}


@pytest.fixture
def patients():
    """Everyone is one of many, but for one who is alone with a zip and a problem."""
    table = pd.DataFrame(
        {
            "person": [f"P{n:03}" for n in range(ROWS)],
            "zip": ["02138", "02141"] * (ROWS // 2),
            "sex": ["f", "f", "m", "m"] * (ROWS // 4),
            "problem": ["flu", "cold", "pain"] * (ROWS // 3),
        }
    )
    table.loc[0, ["zip", "problem"]] = ["02139", "leprosy"]
    return table


@pytest.fixture
def made(patients, tmp_path):
    def make(require, *, table=patients, fields=FIELDS, file_format="csv", **more):
        rest = {
            "fields": fields,
            "require": {"max_suppression": 0.1} | require,
            "other_fields": "remove",
        } | more
        patients.to_csv(tmp_path / "people.csv", index=False)
        policy = policy_from_table(rest, folder=tmp_path)
        return release(
            table, policy, to=tmp_path / "release", file_format=file_format, replace=True
        )

    return make


@pytest.mark.parametrize("also", [{}, {"k": 3}])
def test_an_anonymity_level_binds_a_solver_that_was_not_made_for_it(made, also):
    """A level is a number of rows that grows with the table, far above the k that is asked for beside it."""
    done = made({"anonymity": {"level": 0.7}} | also)
    asked = max(
        int(found[1]) for v in done.verdicts if (found := re.match(r"k = (\d+)", v.requirement))
    )
    sizes = pd.read_csv(done.table, dtype=str).groupby(["zip", "sex"], dropna=False).size()
    assert asked > 3
    assert sizes.min() >= asked


@pytest.mark.parametrize(
    "require",
    [
        {"k_map": {"k": 2, "population": "people.csv", "fields": ["sex"]}},
        {"bin_sizes": {"sex": 5}},
        {"delta_presence": {"min": 0, "max": 1, "population": "people.csv", "fields": ["sex"]}},
    ],
)
def test_a_field_the_recipient_links_on_is_looked_at_by_some_requirement(made, require):
    with pytest.raises(PolicyError, match="may link on zip, and no requirement looks at it"):
        made(require)


def test_combinations_of_more_fields_than_the_recipient_knows_are_those_that_are_known(made):
    """Of zip, sex and problem only two are known: no combination has three fields, and the two are
    guarded still."""
    fields = FIELDS | {"problem": {"role": "quasi"}}
    profile = {"release_to": "colleague", "recipient": {"colleague": {"linking": {"problem": 0}}}}
    found = made({"combinations": {"k": 3, "sizes": [3]}}, fields=fields, **profile)
    assert found.outcome == "pass"
    assert found.verdicts[0].fields == ("zip", "sex")
    assert found.rows_suppressed > 0 or "02139" not in found.table.read_text()


def test_a_known_field_is_recoded_or_moved_but_not_both(made, patients):
    patients["birth"] = "1970-01-01"
    fields = FIELDS | {"birth": {"role": "quasi", "shift": {"days": 9, "per": "person"}}}
    with pytest.raises(PolicyError, match=r"fields\.birth\.shift: birth is recoded"):
        made({"k": 3}, fields=fields)


@pytest.mark.long("a file for each order; each second stays", every=2)
@pytest.mark.parametrize("order", ["scramble", "sorted", "keep"])
@pytest.mark.parametrize("kind", ["object", "category"])
def test_parquet_keeps_no_place_for_values_of_rows_that_were_left_out(made, patients, order, kind):
    """The file's own dictionaries are read: a blank between two labels says that a third one was
    there."""
    parquet = pytest.importorskip("pyarrow.parquet")
    solve = {"solver": "given", "levels": {}}
    table = patients.astype({"zip": kind, "problem": kind})
    found = made({"k": 3}, table=table, file_format="parquet", order=order, solve=solve)
    assert found.rows_suppressed == 1
    written = parquet.read_table(found.table, read_dictionary=["zip", "problem"])
    kept = {name: set(written[name].chunk(0).dictionary.to_pylist()) for name in ("zip", "problem")}
    assert kept == {"zip": {"02138", "02141"}, "problem": {"flu", "cold", "pain"}}


def test_many_rows_stay_sorted_in_parquet(made, patients):
    fields = {name: FIELDS[name] for name in ("zip", "sex", "problem")}
    many = pd.concat([patients] * 5_000, ignore_index=True)
    found = made({"k": 3}, table=many, fields=fields, file_format="parquet", order="sorted")
    rows = duckdb.sql(
        f"SELECT zip, sex, problem FROM '{found.table}' ORDER BY file_row_number"
    ).fetchall()
    assert len(rows) == len(many)
    assert rows == sorted(rows)


def test_a_pseudonym_that_repeats_is_told(made, patients):
    patients["person"] = [f"P{n // 10}" for n in range(ROWS)]
    told = made({"k": 3}).manifest["warnings"]
    assert any(said.startswith("person repeats (6 values in 60 rows)") for said in told)


def test_an_identifier_that_was_copied_into_another_field_is_refused_or_told(made, patients):
    patients["visit"] = patients["person"]
    with pytest.raises(PolicyError, match="visit and person are equal"):
        made({"k": 3}, fields=FIELDS | {"visit": {"role": "insensitive"}})
    accepted = {"role": "insensitive", "may_tell": ["person"]}
    told = made({"k": 3}, fields=FIELDS | {"visit": accepted}).manifest["warnings"]
    assert any(
        said.startswith("visit is kept as it is, and no two rows share a value") for said in told
    )


def test_dates_that_stay_beside_dates_that_move_are_told(made, patients):
    patients["came"] = patients["left"] = "2020-02-01"
    moved = {"role": "insensitive", "shift": {"days": 9, "per": "person"}}
    told = made(
        {"k": 3}, fields=FIELDS | {"came": moved, "left": {"role": "insensitive"}}
    ).manifest["warnings"]
    assert any(
        said.startswith("Dates of came are moved and those of left are not") for said in told
    )


def test_a_field_beside_a_coarser_one_that_it_follows_is_told(made, patients):
    patients["town"] = "near " + patients["zip"]
    fields = FIELDS | {
        "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
        "town": {"role": "insensitive", "follows": "zip"},
    }
    solve = {"solver": "given", "levels": {"zip": 2}}
    told = made({"k": 3}, fields=fields, solve=solve).manifest["warnings"]
    assert any(
        said.startswith("town is kept as it is beside zip, which is coarser") for said in told
    )


def test_a_plain_release_is_told_nothing_more(made):
    assert made({"k": 3}).manifest["warnings"] == []
