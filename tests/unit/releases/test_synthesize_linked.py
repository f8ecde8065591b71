"""Several tables: links whole, as many children as were drawn, orders kept, one account for a person
with all rows in all tables."""

from __future__ import annotations

import copy
import json
import shutil

import numpy as np
import pandas
import pytest

import sfumato
from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.cli import main
from sfumato.errors import Mistake, PolicyError, SourceError
from sfumato.policy import linked_synthesis_as_table, read_linked_synthesis
from sfumato.releases import outcome_of

POLICY = {
    "synthesis": {
        "epsilon": 8.0,
        "delta": 1e-6,
        "tables": {
            "patients": {
                "key": "patient",
                "leave_out": ["name"],
                "domains": {
                    "sex": ["F", "M"],
                    "registered": {"least": "2019-01-01", "most": "2022-12-31"},
                },
            },
            "visits": {
                "key": "visit",
                "parent": "patients",
                "link": "patient",
                "most": 3,
                "after": {"admitted": "registered", "discharged": "admitted"},
                "domains": {
                    "ward": ["a", "b", "c"],
                    "admitted": {"least": "2019-01-01", "most": "2022-12-31"},
                    "discharged": {"least": "2019-01-01", "most": "2023-12-31"},
                },
            },
            "diagnoses": {
                "parent": "visits",
                "link": "visit",
                "most": 2,
                "select": ["code"],
                "domains": {},
            },
        },
    }
}


def hospital(people: int = 1_500) -> dict[str, pandas.DataFrame]:
    chance = np.random.default_rng(3)
    sex = chance.choice(["F", "M"], people)
    registered = np.datetime64("2019-01-01") + chance.integers(0, 900, people)
    visits = chance.integers(0, 4, people)
    owner = np.repeat(np.arange(people), visits)
    count = len(owner)
    admitted = registered[owner] + chance.integers(0, 400, count)
    diagnoses = chance.integers(0, 3, count)
    where = np.repeat(np.arange(count), diagnoses)
    ward = np.where(sex[owner] == "F", "a", chance.choice(["b", "c"], count))
    return {
        "patients": pandas.DataFrame(
            {
                "patient": np.arange(people) + 5_000,
                "name": [f"person {n}" for n in range(people)],
                "sex": sex,
                "registered": registered.astype(str),
            }
        ),
        "visits": pandas.DataFrame(
            {
                "visit": np.arange(count) + 90_000,
                "patient": owner + 5_000,
                "ward": ward,
                "admitted": admitted.astype(str),
                "discharged": (admitted + chance.integers(0, 9, count)).astype(str),
            }
        ),
        "diagnoses": pandas.DataFrame(
            {"visit": where + 90_000, "code": chance.choice(["I10", "E11", "J45"], len(where))}
        ),
    }


@pytest.fixture(scope="module")
def source():
    return hospital()


@pytest.fixture(scope="module")
def made(source, tmp_path_factory):
    return sfumato.synthesize(source, POLICY, to=tmp_path_factory.mktemp("linked") / "made")


@pytest.fixture(scope="module")
def tables(made):
    return {
        name: pandas.read_csv(made.folder / entry["file"])
        for name, entry in made.manifest["tables"].items()
    }


def test_links_are_whole_and_orders_are_kept(tables):
    patients, visits, diagnoses = (tables[n] for n in ("patients", "visits", "diagnoses"))
    assert set(visits["patient"]) <= set(patients["patient"])
    assert set(diagnoses["visit"]) <= set(visits["visit"])
    assert visits.groupby("patient").size().max() <= 3
    assert diagnoses.groupby("visit").size().max() <= 2
    both = visits.merge(patients, on="patient")
    known = both.dropna(subset=["admitted", "registered"])
    assert (known["admitted"] >= known["registered"]).all()
    known = both.dropna(subset=["admitted", "discharged"])
    assert (known["discharged"] >= known["admitted"]).all()
    assert len(known) > 0.9 * len(both)


def test_children_per_parent_and_pairs_are_near_the_source(source, tables):
    for child, parent, key, most in (("visits", "patients", "patient", 3),):
        shares = [
            np.bincount(
                each[child][key].value_counts().reindex(each[parent][key]).fillna(0).astype(int),
                minlength=most + 1,
            )
            / len(each[parent])
            for each in (source, tables)
        ]
        assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.05
    both = tables["visits"].merge(tables["patients"], on="patient")
    assert (both[both["sex"] == "F"]["ward"] == "a").mean() > 0.9
    assert (both[both["sex"] == "M"]["ward"] == "a").mean() < 0.1


def test_nothing_of_a_row_is_copied(source, tables):
    assert "name" not in tables["patients"].columns
    assert set(tables["patients"]["patient"]) == set(range(1, len(tables["patients"]) + 1))
    assert all((table["synthetic"]).all() for table in tables.values())


def test_the_folder_agrees_with_its_manifest(made):
    checks = sfumato.verify(made.folder, digest=made.digest)
    assert not [check.claim for check in checks if check.outcome == "fail"]
    assert made.manifest["account"]["epsilon"] <= 8
    rows = made.manifest["synthesis"]["tables"]
    assert [rows[n]["rows_per_person"] for n in ("patients", "visits", "diagnoses")] == [1, 3, 6]


@pytest.mark.parametrize("broken", ["link", "order", "line"])
def test_broken_links_orders_and_lines_are_noticed(made, tmp_path, broken):
    from sfumato.releases.inventory import digest_of, size_of

    folder = tmp_path / "copy"
    shutil.copytree(made.folder, folder)
    facts = json.loads((folder / "manifest.json").read_text())
    entry = facts["tables"]["visits"]
    file = folder / entry["file"]
    visits = pandas.read_csv(file, dtype=str)
    if broken == "link":
        visits.loc[0, "patient"] = "999999"
    elif broken == "order":
        visits.loc[0, "discharged"] = "2019-01-01"
        visits.loc[0, "admitted"] = "2022-12-31"
    else:
        line = next(x for x in facts["account"]["measurements"] if x["rows_per_person"] == 6)
        line["rows_per_person"] = 1
    visits.to_csv(file, index=False)
    entry |= {"sha256": digest_of(file), "bytes": size_of(file)}
    (folder / "manifest.json").write_text(json.dumps(facts))
    assert outcome_of(sfumato.verify(folder)) == "fail"


def changed(**tables):
    policy = copy.deepcopy(POLICY)
    for name, entries in tables.items():
        policy["synthesis"]["tables"].setdefault(name, {}).update(entries)
    return policy


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (changed(visits={"parent": "wards"}), "no table that has a key"),
        (changed(visits={"parent": ""}), "One table has the people"),
        (changed(patients={"parent": "visits", "link": "visit"}), "One table has the people"),
        (changed(visits={"after": {"ward": "admitted"}}), "ranges of the same kind"),
        (
            changed(visits={"after": {"admitted": "discharged", "discharged": "admitted"}}),
            "circle",
        ),
        (changed(visits={"most": 9_000}, diagnoses={"most": 9}), "10,000"),
        (changed(visits={"leave_out": ["ward"]}), "named twice"),
        (changed(visits={"surprise": 1}), "surprise"),
    ],
)
def test_contradictions_are_refused(policy, words):
    with pytest.raises(PolicyError, match=words):
        read_linked_synthesis(policy)


def test_fields_and_tables_nobody_decided_about_are_refused(source):
    policy = copy.deepcopy(POLICY)
    del policy["synthesis"]["tables"]["visits"]["domains"]["ward"]
    with pytest.raises(PolicyError, match="which values ward may have"):
        sfumato.synthesize(source, policy)
    with pytest.raises(PolicyError, match="no table visits"):
        sfumato.synthesize(
            {"patients": source["patients"], "diagnoses": source["diagnoses"]}, POLICY
        )
    with pytest.raises(Mistake, match="No source was given"):
        sfumato.synthesize(policy=POLICY)


def test_the_policy_is_written_as_it_was_read():
    policy = read_linked_synthesis(POLICY)
    assert read_linked_synthesis(linked_synthesis_as_table(policy)).tables == policy.tables


def test_a_person_with_many_rows_counts_as_much_as_allowed(source):
    """10,000 visits of one person change nothing beyond what was charged."""
    from sfumato.releases.synthetic.linked_run import LinkedRun

    flood = source["visits"].iloc[[0] * 10_000].assign(visit=np.arange(10_000) + 10**7)
    more = source | {"visits": pandas.concat([source["visits"], flood], ignore_index=True)}
    run = LinkedRun(
        policy=read_linked_synthesis(POLICY),
        progress=lambda stage: None,
        chance=np.random.default_rng(),
    )
    from sfumato.engines import open_database

    with open_database(more) as database:
        run.read(database)
    assert np.bincount(run.sources["visits"].parents).max() == 3


@pytest.mark.parametrize("people", [1, 30])
def test_few_people_give_whole_tables(people):
    made = sfumato.synthesize(hospital(people), POLICY)
    assert len(made.frames) == 3


def test_the_command_takes_a_folder(source, tmp_path, capsys):
    (tmp_path / "in").mkdir()
    for name, frame in source.items():
        frame.to_csv(tmp_path / "in" / f"{name}.csv", index=False)
    (tmp_path / "p.toml").write_text(
        """
[synthesis]
epsilon = 8.0
[synthesis.tables.patients]
key = "patient"
leave_out = ["name", "registered"]
domains = { sex = ["F", "M"] }
[synthesis.tables.visits]
key = "visit"
parent = "patients"
link = "patient"
most = 3
leave_out = ["admitted", "discharged"]
domains = { ward = ["a", "b", "c"] }
"""
    )
    asked = ["synthesize", str(tmp_path / "in"), "--policy", str(tmp_path / "p.toml")]
    assert main([*asked, "--to", str(tmp_path / "out"), "--format", "parquet"]) == 0
    assert "visits" in capsys.readouterr().out
    assert outcome_of(sfumato.verify(tmp_path / "out")) != "fail"


def test_a_key_in_two_rows_is_refused(source):
    twice = source["visits"].assign(visit=7)
    with pytest.raises(SourceError, match="more than one row"):
        sfumato.synthesize(source | {"visits": twice}, POLICY)


def test_one_person_shifts_no_measurement_beyond_its_charge(source):
    """The same noisy numbers are played over a table with one person more, with all rows."""
    from sfumato.accounting import charge

    more = {
        "patients": {"patient": 1, "name": "x", "sex": "F", "registered": "2019-05-05"},
        "visits": [
            {"visit": n, "patient": 1, "ward": "a", "admitted": "2020-01-01"}
            | {"discharged": "2020-01-02"}
            for n in range(7)
        ],
        "diagnoses": [{"visit": n, "code": "I10"} for n in range(7) for _ in range(5)],
    }
    beside = {
        name: pandas.concat(
            [frame, pandas.DataFrame(more[name] if isinstance(more[name], list) else [more[name]])],
            ignore_index=True,
        )
        for name, frame in source.items()
    }
    seen: list[list[tuple[object, np.ndarray]]] = []
    noisy: list[np.ndarray] = []
    real = charge.with_noise

    def noise(counts, line):
        place = len(seen[-1])
        seen[-1].append((line, np.array(counts)))
        if len(seen) == 1:
            noisy.append(real(counts, line))
        return noisy[place].copy()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(charge, "with_noise", noise)
        fixed = np.random.default_rng
        patch.setattr(np.random, "default_rng", lambda seed=5: fixed(seed))
        for each in (source, beside):
            seen.append([])
            sfumato.synthesize(each, POLICY)
    shifts = []
    for (line, before), (other, after) in zip(*seen, strict=True):
        assert line == other
        shifts.append(((before - after) ** 2).sum() / line.squared_sensitivity)
    assert 0 < max(shifts) <= 1


def test_tables_that_are_mostly_noise_are_left_to_a_person(tmp_path):
    made = sfumato.synthesize(hospital(30), POLICY, epsilon=0.5, to=tmp_path / "made")
    assert made.outcome == "review"
    assert "patients: the noise" in made.manifest["synthesis"]["reason"]
    assert outcome_of(sfumato.verify(tmp_path / "made")) != "fail"
    facts = json.loads((tmp_path / "made" / "manifest.json").read_text())
    facts["outcome"] = "pass"
    (tmp_path / "made" / "manifest.json").write_text(json.dumps(facts))
    assert outcome_of(sfumato.verify(tmp_path / "made")) == "fail"


def test_a_range_that_misses_most_values_is_left_to_a_person(tmp_path, source):
    tables = {**source, "visits": source["visits"].copy()}
    tables["visits"]["admitted"] = "03/04/20"
    made = sfumato.synthesize(tables, POLICY, to=tmp_path / "made")
    assert made.outcome == "review"
    facts = made.manifest["synthesis"]
    assert "visits: most cells of admitted are outside" in facts["reason"]
    assert facts["beyond_range"]["visits.admitted"] > 0.9
    assert outcome_of(sfumato.verify(made.folder, digest=made.digest)) != "fail"


RULED = copy.deepcopy(POLICY)
RULED["synthesis"]["tables"]["patients"]["domains"]["smokes"] = ["no", "yes"]
RULED["synthesis"]["tables"]["patients"]["never"] = [{"sex": ["F"], "smokes": ["yes"]}]
RULED["synthesis"]["tables"]["visits"]["never"] = [{"sex": ["M"], "ward": ["b"]}]
RULED["synthesis"]["tables"]["diagnoses"] |= {
    "select": [],
    "domains": {"code": ["I10", "E11", "J45"]},
    "never": [
        {"sex": ["F"], "code": ["I10", "E11"]},
        {"sex": ["F"], "ward": ["a"], "code": ["J45"]},
    ],
}


def test_combinations_that_cannot_be_are_in_no_row_over_all_tables(source, tmp_path):
    """The source has all of them; a rule names fields of the table and of those above it."""
    chance = np.random.default_rng(5)
    smokes = chance.choice(["no", "yes"], len(source["patients"]))
    patients = source["patients"].assign(smokes=smokes)
    made = sfumato.synthesize(source | {"patients": patients}, RULED, to=tmp_path / "made")
    assert outcome_of(sfumato.verify(made.folder, digest=made.digest)) != "fail"
    assert "never" in made.manifest["policy"]["synthesis"]["tables"]["diagnoses"]
    files = {name: entry["file"] for name, entry in made.manifest["tables"].items()}
    rows = {name: pandas.read_csv(made.folder / file) for name, file in files.items()}
    visits = rows["visits"].merge(rows["patients"][["patient", "sex", "smokes"]], on="patient")
    diagnoses = rows["diagnoses"].merge(visits[["visit", "sex", "ward"]], on="visit")
    assert not ((visits["sex"] == "F") & (visits["smokes"] == "yes")).any()
    assert not ((visits["sex"] == "M") & (visits["ward"] == "b")).any()
    women = diagnoses[diagnoses["sex"] == "F"]
    assert not women["code"].isin(["I10", "E11"]).any()
    assert not ((women["ward"] == "a") & (women["code"] == "J45")).any()
    # Rules take nothing else away.
    assert {"I10", "E11", "J45"} == set(diagnoses[diagnoses["sex"] == "M"]["code"].dropna()) - {"*"}
    assert (visits["sex"] == "M").sum() > 500
    # Whoever writes such a row fails.
    place = visits.index[visits["sex"] == "M"][0]
    broken = rows["visits"].copy()
    broken.loc[broken["visit"] == visits.loc[place, "visit"], "ward"] = "b"
    broken.to_csv(made.folder / files["visits"], index=False)
    failed = [each.claim for each in sfumato.verify(made.folder) if each.outcome == "fail"]
    assert "no row of visits has a combination that the policy rules out" in failed


def test_rules_and_people_are_written_as_they_were_read():
    policy = read_linked_synthesis({"synthesis": {**RULED["synthesis"], "people": 1_500}})
    again = read_linked_synthesis(linked_synthesis_as_table(policy))
    assert (again.tables, again.people) == (policy.tables, 1_500)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"sex": ["M"], "registered": ["2020-01-01"]}, "not in a listed domain"),
        ({"sex": ["M"], "smokes": ["no"]}, "of which this table has one"),
        ({"ward": ["a"]}, "two or three fields"),
        ({"sex": ["X"], "ward": ["a"]}, "not in a listed domain"),
    ],
)
def test_a_rule_names_the_table_and_listed_values(rule, words):
    policy = copy.deepcopy(RULED)
    policy["synthesis"]["tables"]["visits"]["never"] = [rule]
    with pytest.raises(PolicyError, match=words):
        read_linked_synthesis(policy)


@pytest.mark.parametrize(
    ("further", "most", "words"),
    [
        ({"epsilon": 0.05}, 3_000, "Table visits: .* above 100,000 no table is useful"),
        ({"epsilon": 0.05, "people": 1_500}, 3, "Table patients: .* about 1,500 people"),
        ({"people": 60}, 3, "Table diagnoses: Only values .* people, each with at most 6 rows"),
    ],
)
def test_useless_noise_in_any_table_is_refused_before_it_is_charged(
    source, tmp_path, further, most, words
):
    policy = copy.deepcopy(POLICY)
    account = tmp_path / "people.account"
    policy["synthesis"] |= {**further, "account": str(account), "limit": 9.0}
    policy["synthesis"]["tables"]["visits"]["most"] = most
    with pytest.raises(Mistake, match=words):
        sfumato.synthesize(source, policy)
    assert PrivacyAccount(limit=PrivacyLimit(epsilon=9.0, delta=1e-6), file=account).spent() == ()
