"""From a source to a release, through the Python verb: what is written, what is claimed, what is
refused."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import sfumato
from sfumato.errors import CandidateFailed, NoRecodingFound, PolicyError, SourceError, TargetError
from sfumato.releases import Key

QUASI = ("birth", "sex", "zip", "ethnicity", "marital_status")


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def made(hospital, hospital_policy, tmp_path_factory):
    target = tmp_path_factory.mktemp("out") / "release"
    key = Key(bytes(range(32)))
    clock = lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)  # noqa: E731
    return sfumato.release(hospital, hospital_policy, to=target, key=key, clock=clock)


def test_the_release_passes_and_every_bin_has_at_least_k_rows(made):
    bins = Counter(tuple(row[name] for name in QUASI) for row in read(made.table))
    assert made.outcome == "pass"
    assert min(bins.values()) >= 5


def test_released_rows_and_suppressed_rows_add_up(made, hospital):
    assert len(read(made.table)) + made.rows_suppressed == len(read(hospital))


def test_direct_identifiers_are_gone_or_replaced_one_to_one(made, hospital):
    source, released = read(hospital), read(made.table)
    assert "name" not in released[0]
    assert "phone" not in released[0]
    for name in ("patient_id", "ssn"):
        assert not {row[name] for row in source} & {row[name] for row in released}
        assert len({row[name] for row in released}) == len(released)


def test_made_up_ssns_keep_their_shape_and_were_never_issued(made):
    for row in read(made.table):
        area, group, serial = row["ssn"].split("-")
        assert (len(area), len(group), len(serial)) == (3, 2, 4)
        assert area == "000" or area == "666" or area >= "900"


def test_dates_of_one_person_shift_together(made, hospital):
    stays = Counter(_stay(row) for row in read(hospital))
    released = Counter(_stay(row) for row in read(made.table))
    assert all(released[days] <= stays[days] for days in released)


def _stay(row: dict[str, str]) -> int:
    return (date.fromisoformat(row["discharged"]) - date.fromisoformat(row["admitted"])).days


def test_the_order_of_the_rows_says_nothing_about_the_source(made, hospital):
    charges = [row["charges"] for row in read(hospital)]
    place = {value: i for i, value in enumerate(charges)}
    places = [place[row["charges"]] for row in read(made.table)]
    ups = sum(a < b for a, b in itertools.pairwise(places))
    assert abs(ups / len(places) - 0.5) < 0.1


def test_manifest_names_what_was_done_and_holds_no_secret(made):
    text = (made.folder / "manifest.json").read_text(encoding="utf-8")
    facts = json.loads(text)
    assert facts["created"] == "2026-01-02T03:04:05+00:00"
    assert facts["outcome"] == "pass"
    assert facts["policy"]["require"]["k"] == 5
    assert bytes(range(32)).hex() not in text
    assert "02138" not in text


def test_the_same_key_gives_the_same_pseudonyms_in_another_release(
    made, hospital, hospital_policy, tmp_path
):
    again = sfumato.release(hospital, hospital_policy, to=tmp_path / "r", key=Key(bytes(range(32))))
    other = sfumato.release(
        hospital, hospital_policy, to=tmp_path / "s", key=Key(bytes(range(1, 33)))
    )
    ids = {row["patient_id"] for row in read(made.table)}
    assert {row["patient_id"] for row in read(again.table)} == ids
    assert not {row["patient_id"] for row in read(other.table)} & ids


def test_a_release_verifies_and_a_changed_one_does_not(made, tmp_path):
    assert all(check.outcome != "fail" for check in sfumato.verify(made.folder))
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in made.folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    with (copy / made.table.name).open("a", encoding="utf-8") as file:
        file.write(
            (copy / made.table.name).read_text(encoding="utf-8").splitlines()[1].replace("f", "x")
            + "\n"
        )
    assert {c.claim for c in sfumato.verify(copy) if c.outcome == "fail"} >= {
        "digest of release.csv",
        "rows released",
    }


@pytest.mark.long("a large search; test_cli.py stays")
def test_without_a_policy_one_is_proposed_beside_the_data_and_the_outcome_is_review(
    hospital, tmp_path
):
    source = tmp_path / "patients.csv"
    source.write_bytes(hospital.read_bytes())
    first = sfumato.release(source, to=tmp_path / "first")
    assert first.outcome == "review"
    assert first.proposed_file == tmp_path / "patients.policy.toml"
    assert not {row["name"] for row in read(source)} & set(
        first.table.read_text(encoding="utf-8").split(",")
    )
    text = first.proposed_file.read_text(encoding="utf-8")
    assert 'role = "text"\nreplace = "remove"' in text
    text = text.replace("proposed = true\n", "").replace("open = true\n", "")
    first.proposed_file.write_text(text, encoding="utf-8")
    assert sfumato.release(source, to=tmp_path / "second").outcome == "pass"


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_frames_are_released_too(file_format, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"age": [30, 31, 30, 31], "sex": ["f", "f", "m", None], "score": [1.5, 2.5, 3.5, 4.5]}
    )
    made = sfumato.release(frame, _toy_policy(), to=tmp_path / "r", file_format=file_format)
    with sfumato.open_source(made.table) as engine:
        assert engine.count_rows() == 4
    assert made.outcome == "pass"


def _toy_policy(solver: str = "anytime", **require) -> sfumato.Policy:
    from sfumato.policy import policy_from_table

    return policy_from_table(
        {
            "fields": {
                "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10]}}},
                "sex": {"role": "quasi"},
                "score": {"role": "insensitive"},
            },
            "require": {k: v for k, v in ({"k": 2} | require).items() if v is not None},
            "solve": {"solver": solver},
        },
        folder=Path(),
        name="toy",
    )


def toy(tmp_path: Path, text: str = "age,sex,score\n30,f,1\n31,f,2\n30,m,3\n31,m,4\n") -> Path:
    path = tmp_path / "toy.csv"
    path.write_text(text, encoding="utf-8")
    return path


def nothing_was_released(folder: Path) -> bool:
    return not any(path.name.startswith((".r", "r")) for path in folder.iterdir())


def test_k_larger_than_the_table_is_refused_with_both_numbers(tmp_path):
    with pytest.raises(NoRecodingFound, match=r"k = 9[\s\S]*4 rows"):
        sfumato.release(toy(tmp_path), _toy_policy(k=9), to=tmp_path / "r")
    assert nothing_was_released(tmp_path)


def test_no_recoding_says_how_far_it_got_and_what_to_try(tmp_path):
    policy = _toy_policy(k=None, bin_sizes={"age": 1, "sex": 5})
    with pytest.raises(
        NoRecodingFound, match=r"Closest of 6 recodings[\s\S]*4 rows failing \(100.0%\)[\s\S]*Try"
    ):
        sfumato.release(toy(tmp_path), policy, to=tmp_path / "r")
    assert nothing_was_released(tmp_path)


def test_a_source_without_rows_is_refused(tmp_path):
    with pytest.raises(SourceError, match="holds no row"):
        sfumato.release(toy(tmp_path, "age,sex,score\n"), _toy_policy(), to=tmp_path / "r")


def test_fields_that_policy_and_source_do_not_share_are_all_named(tmp_path):
    with pytest.raises(PolicyError) as caught:
        sfumato.release(
            toy(tmp_path, "age,gender,score\n30,f,1\n"), _toy_policy(), to=tmp_path / "r"
        )
    assert "sex" in str(caught.value)
    assert "gender" in str(caught.value)


def test_a_hierarchy_with_a_hole_is_counted_not_quoted(tmp_path):
    with pytest.raises(PolicyError) as caught:
        sfumato.release(
            toy(tmp_path, "age,sex,score\nthirty,f,1\n31,m,2\n"), _toy_policy(), to=tmp_path / "r"
        )
    assert "fields.age.hierarchy" in str(caught.value)
    assert "thirty" not in str(caught.value)


def test_a_folder_with_other_files_is_never_touched(tmp_path):
    target = tmp_path / "r"
    target.mkdir()
    (target / "thesis.txt").write_text("mine")
    with pytest.raises(TargetError, match="holds other files"):
        sfumato.release(toy(tmp_path), _toy_policy(), to=target, replace=True)
    assert (target / "thesis.txt").read_text() == "mine"


def test_an_earlier_release_is_replaced_only_when_told_to(tmp_path):
    source = toy(tmp_path)
    sfumato.release(source, _toy_policy(), to=tmp_path / "r")
    with pytest.raises(TargetError, match="already holds a release"):
        sfumato.release(source, _toy_policy(), to=tmp_path / "r")
    assert sfumato.release(source, _toy_policy(), to=tmp_path / "r", replace=True).outcome == "pass"


def test_a_target_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(TargetError, match="cannot be written"):
        sfumato.release(toy(tmp_path), _toy_policy(), to=tmp_path / "file" / "r")


def test_of_several_rows_per_person_k_counts_people(tmp_path):
    """Three rows of two people: k = 2 is kept, and k = 3 is not, which it would be of rows."""
    from sfumato.policy import policy_from_table

    source = toy(tmp_path, "id,sex\n1,f\n1,f\n2,f\n")
    said = {"entity": "id", "fields": {"id": {"role": "direct"}, "sex": {"role": "quasi"}}}
    made = sfumato.release(
        source, policy_from_table(said | {"require": {"k": 2}}), to=tmp_path / "r"
    )
    assert [(verdict.model, verdict.smallest) for verdict in made.verdicts] == [("k-people", 2)]
    with pytest.raises(NoRecodingFound):
        sfumato.release(source, policy_from_table(said | {"require": {"k": 3}}), to=tmp_path / "no")


def test_a_candidate_that_breaks_a_requirement_when_recounted_is_removed(tmp_path, monkeypatch):
    def nothing_fails(*arguments):
        import numpy as np

        return np.zeros(len(arguments[0]), bool)

    monkeypatch.setattr("sfumato.solvers.datafly2.failing_rows", nothing_fails)
    with pytest.raises(CandidateFailed, match="counted again"):
        sfumato.release(
            toy(tmp_path, "age,sex,score\n30,f,1\n71,m,2\n"),
            _toy_policy("datafly2"),
            to=tmp_path / "r",
        )
    assert nothing_was_released(tmp_path)


def test_the_population_decides_under_k_map(tmp_path):
    from sfumato.policy import policy_from_table

    (tmp_path / "registers").mkdir()
    (tmp_path / "registers" / "people.csv").write_text(
        "age,sex\n" + "30,f\n" * 3 + "31,m\n" * 3 + "32,f\n" * 3, encoding="utf-8"
    )
    source = toy(tmp_path, "age,sex\n30,f\n31,m\n")
    table = {
        "fields": {
            "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [10]}}},
            "sex": {"role": "quasi"},
        },
        "require": {"k_map": {"k": 3, "population": "registers/people.csv"}},
    }
    made = sfumato.release(
        source, policy_from_table(table, folder=tmp_path, name="toy"), to=tmp_path / "r"
    )
    assert made.manifest["recoding"]["levels"] == {"age": 0, "sex": 0}
    assert made.outcome == "pass"
    assert made.manifest["ads0"]["k_map"] == 3
    for path in made.folder.iterdir():  # A register is named, and its folder is the holder's.
        assert "registers/" not in path.read_text(encoding="utf-8")
