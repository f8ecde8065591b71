"""`synthesize`: domains from the policy alone, people's rows cut, everything charged, marked, and
checked again."""

from __future__ import annotations

import csv
import json
import re
import tomllib

import numpy as np
import pandas
import pytest

import sfumato
from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.cli import main
from sfumato.engines import MadeColumn, open_source, parquet_marks, write_made_rows
from sfumato.errors import Mistake, PolicyError, ReleaseBroken, SourceError
from sfumato.policy import (
    DeclaredDomain,
    policy_as_table,
    policy_as_toml,
    policy_schema,
    read_policy,
    read_synthesis,
    synthesis_as_table,
)
from sfumato.policy.decided_fields import SECTIONS
from sfumato.releases import draft_policy, outcome_of
from sfumato.releases.policy_copy import policy_copy
from sfumato.releases.synthetic.people_rows import kept_rows
from sfumato.releases.synthetic.private_domain import cut_range

POLICY = {
    "synthesis": {
        "epsilon": 4.0,
        "delta": 1e-6,
        "entity": "patient",
        "rows_per_person": 2,
        "select": ["city"],
        "never": [{"sex": ["M"], "pregnant": ["yes"]}],
        "domains": {
            "age": {"least": 0, "most": 99},
            "sex": ["F", "M"],
            "income": {"least": 0, "most": 200_000, "step": 10},
            "day": {"least": "2020-01-01", "most": "2021-12-31"},
            "pregnant": ["no", "yes"],
        },
    }
}


def hospital(rows: int = 1_500) -> pandas.DataFrame:
    chance = np.random.default_rng(1)
    sex = chance.choice(["F", "M"], rows)
    frame = pandas.DataFrame(
        {
            "patient": np.arange(rows) // 2,
            "age": chance.integers(0, 90, rows),
            "sex": sex,
            "income": chance.lognormal(10, 0.8, rows).round(-1),
            "day": [
                f"2020-{month:02d}-{day:02d}" for month, day in chance.integers(1, 13, (rows, 2))
            ],
            "city": chance.choice(["Rome", "Oslo"], rows),
            "pregnant": np.where((sex == "F") & (chance.random(rows) < 0.3), "yes", "no"),
        }
    )
    frame.loc[0, "city"] = "Atlantis"
    return frame


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthetic") / "made"
    return sfumato.synthesize(hospital(), POLICY, to=folder)


def rows_of(made) -> list[dict[str, str]]:
    with (made.folder / "synthetic.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def numbers_in(facts) -> list[float]:
    """Every number of a manifest, however deep."""
    if isinstance(facts, dict):
        return [number for each in facts.values() for number in numbers_in(each)]
    if isinstance(facts, list | tuple):
        return [number for each in facts for number in numbers_in(each)]
    return [facts] if isinstance(facts, int | float) else []


def test_rows_are_marked_and_within_their_domains(made):
    rows = rows_of(made)
    assert len(rows) == made.rows
    assert list(rows[0]) == ["age", "sex", "income", "day", "city", "pregnant", "synthetic"]
    assert {row["synthetic"] for row in rows} == {"true"}
    assert {row["sex"] for row in rows} <= {"F", "M", "*", ""}
    assert all(0 <= int(row["age"]) <= 99 for row in rows if row["age"])
    assert all(int(row["income"]) % 10 == 0 for row in rows if row["income"])
    assert all("2020-01-01" <= row["day"] <= "2021-12-31" for row in rows if row["day"])


def test_a_value_of_one_person_is_not_in_it(made):
    assert {row["city"] for row in rows_of(made)} <= {"Rome", "Oslo", "*", ""}
    assert "Atlantis" not in (made.folder / "manifest.json").read_text()


def test_a_combination_that_cannot_be_is_not_in_it(made):
    assert not [row for row in rows_of(made) if row["sex"] == "M" and row["pregnant"] == "yes"]


def test_the_cost_is_within_the_policy_and_each_line_is_in_the_manifest(made):
    account = made.manifest["account"]
    assert 2 < made.epsilon <= 4
    assert account["epsilon"] == made.epsilon
    assert {line["rows_per_person"] for line in account["measurements"]} == {2}
    noisy_size = made.manifest["tables"]["synthetic"]["rows"]
    assert noisy_size == made.rows
    assert numbers_in(made.manifest).count(1_500) == (noisy_size == 1_500), "the size of the source"
    assert "seed" not in json.dumps(made.manifest)


def test_a_release_verifies(made):
    checks = sfumato.verify(made.folder, digest=made.digest)
    assert {check.outcome for check in checks} <= {"pass", "review"}
    assert outcome_of(checks) == "pass"
    assert any("adds up" in check.claim and check.outcome == "pass" for check in checks)


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts["account"]["measurements"][0].update(sigma=900.0),
        lambda facts: facts["account"]["measurements"].pop(),
        lambda facts: facts["account"].update(epsilon=0.1),
        lambda facts: facts["account"].update(rho="0.0001"),
        lambda facts: facts["policy"]["synthesis"].update(epsilon=0.5),
        lambda facts: facts["policy"]["synthesis"].update(rows_per_person=1),
        lambda facts: facts["tables"]["synthetic"].update(rows=1),
        lambda facts: facts.update(statement="Real rows."),
        lambda facts: facts["account"].update(extra=1),
    ],
)
def test_a_rewritten_manifest_fails(made, tmp_path, change):
    for file in made.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    facts = json.loads((tmp_path / "manifest.json").read_text())
    change(facts)
    (tmp_path / "manifest.json").write_text(json.dumps(facts))
    try:
        outcome = outcome_of(sfumato.verify(tmp_path))
    except ReleaseBroken:
        outcome = "fail"
    assert outcome == "fail"


def test_a_row_without_its_mark_fails(made, tmp_path):
    for file in made.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    table = tmp_path / "synthetic.csv"
    table.write_text(table.read_text().replace("true\n", "false\n", 1))
    assert outcome_of(sfumato.verify(tmp_path)) == "fail"


def test_a_frame_comes_back_as_a_frame_with_numbers():
    made = sfumato.synthesize(
        hospital()[["age", "sex"]],
        domains={"age": {"least": 0, "most": 99}, "sex": ["F", "M"]},
        epsilon=2,
    )
    assert isinstance(made.frame, pandas.DataFrame)
    assert made.frame["age"].dtype.kind in "if"
    assert len(made.frame) == made.rows


def test_parquet_has_the_same_columns(tmp_path):
    made = sfumato.synthesize(
        hospital()[["age", "sex"]],
        domains={"age": {"least": 0, "most": 99}, "sex": ["F", "M"]},
        epsilon=2,
        to=tmp_path / "made",
        file_format="parquet",
    )
    table = pandas.read_parquet(made.folder / "synthetic.parquet")
    assert list(table) == ["age", "sex", "synthetic"]
    assert outcome_of(sfumato.verify(made.folder)) == "pass"


def test_the_metadata_of_a_parquet_file_says_that_rows_are_synthetic(tmp_path):
    made = sfumato.synthesize(
        hospital()[["sex"]],
        domains={"sex": ["F", "M"]},
        epsilon=2,
        to=tmp_path / "made",
        file_format="parquet",
    )
    file = made.folder / "synthetic.parquet"
    assert parquet_marks(file) == {"synthetic": "true"}
    pandas.read_parquet(file).to_parquet(file)
    told = {check.claim: check.outcome for check in sfumato.verify(made.folder)}
    assert told["the file's metadata says that its rows are synthetic"] == "fail"


def test_a_field_that_nobody_declared_is_refused_with_an_offer_before_anything_is_charged(tmp_path):
    with pytest.raises(PolicyError, match="which values income may have") as told:
        sfumato.synthesize(
            hospital()[["age", "income"]],
            domains={"age": {"least": 0, "most": 99}},
            account=tmp_path / "people.account",
        )
    assert 'select = ["income"], which costs 4%' in str(told.value)
    assert not (tmp_path / "people.account").exists()


def test_an_account_goes_on_and_refuses_before_it_charges(tmp_path):
    file, frame = tmp_path / "people.account", hospital()[["sex"]]
    policy = {
        "synthesis": {
            "epsilon": 1.0,
            "limit": 1.5,
            "account": str(file),
            "domains": {"sex": ["F", "M"]},
        }
    }
    first = sfumato.synthesize(frame, policy)
    second = sfumato.synthesize(frame, policy)
    assert first.epsilon == first.epsilon_of_all < second.epsilon_of_all <= 1.5
    before = file.read_bytes()
    with pytest.raises(Mistake, match="less than that left"):
        sfumato.synthesize(frame, policy)
    assert file.read_bytes() == before


def test_each_person_keeps_so_many_rows_whoever_else_is_there():
    people = ["a"] * 10_000 + ["b", None, "b"]
    kept = kept_rows(people, 3, np.random.default_rng())
    assert len(kept) == 5
    assert 10_001 not in kept.tolist()
    assert np.all(np.diff(kept) > 0)


def test_one_row_an_empty_field_and_values_outside_can_be_synthesised():
    frame = pandas.DataFrame({"age": ["old"], "sex": [None], "ill": ["perhaps"]})
    made = sfumato.synthesize(
        frame,
        domains={"age": {"least": 0, "most": 99}, "sex": ["F", "M"], "ill": ["no", "yes"]},
        epsilon=1,
    )
    assert made.rows >= 1


def test_a_source_with_the_name_of_the_mark_is_refused():
    frame = hospital()[["sex"]].assign(synthetic=1)
    with pytest.raises(SourceError, match="would mark"):
        sfumato.synthesize(frame, domains={"sex": ["F", "M"], "synthetic": ["1"]})


@pytest.mark.parametrize(
    ("section", "found"),
    [
        ({}, "epsilon"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 1}, "No field"),
        ({"epsilon": 1, "domains": {"a": []}}, "no list of values"),
        ({"epsilon": 1, "domains": {"a": ["x", "x"]}}, "no list of values"),
        ({"epsilon": 1, "domains": {"a": ["*", "x"]}}, "no list of values"),
        ({"epsilon": 1, "domains": {"a": {"least": 5, "most": 1}}}, "no list of values"),
        ({"epsilon": 1, "domains": {"a": {"least": "2020", "most": 1}}}, "no list of values"),
        ({"epsilon": 1, "domains": {"a": ["x"]}, "select": ["a"]}, "named twice"),
        ({"epsilon": 1, "domains": {"a": ["x"]}, "never": [{"a": ["x"]}]}, "two or three"),
        ({"epsilon": 1, "domains": {"a": ["x"]}, "never": [{"a": ["x"], "b": ["y"]}]}, "listed"),
        ({"epsilon": 1, "domains": {"a": ["x"]}, "limit": 3}, "A limit"),
        ({"epsilon": 1, "domains": {"a": ["x"]}, "seed": 3}, "seed"),
    ],
)
def test_a_policy_that_does_not_hold_together_is_refused(section, found):
    with pytest.raises(PolicyError, match=found):
        read_synthesis({"synthesis": section})


def test_a_policy_written_and_read_again_is_the_same():
    policy = read_synthesis(POLICY)
    assert read_synthesis(synthesis_as_table(policy)) == policy


def test_the_command_line_synthesises_and_verifies(tmp_path, capsys):
    hospital()[["age", "sex"]].to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "policy.toml").write_text(
        '[synthesis]\nepsilon = 2.0\naccount = "people.account"\n'
        '[synthesis.domains]\nage = { least = 0, most = 99 }\nsex = ["F", "M"]\n'
    )
    asked = [str(tmp_path / "people.csv"), "--policy", str(tmp_path / "policy.toml")]
    assert main(["synthesize", *asked, "--to", str(tmp_path / "made"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["epsilon"] == facts["epsilon_of_all"] <= 2
    assert (tmp_path / "people.account").exists()
    assert main(["verify", str(tmp_path / "made"), "--digest", facts["digest"]]) == 0
    assert main(["synthesize", *asked, "--to", str(tmp_path / "again")]) == 2
    assert not (tmp_path / "again").exists()


def test_noise_in_which_all_is_lost_is_refused_before_it_is_charged(tmp_path):
    people = pandas.DataFrame({"sex": ["F", "M"] * 200})
    domains = {"sex": ["F", "M"]}
    account = tmp_path / "people.account"
    with pytest.raises(Mistake, match="Nothing was charged"):
        sfumato.synthesize(people, epsilon=1e-5, domains=domains, account=account)
    public = {"synthesis": {"epsilon": 0.01, "people": 400, "domains": domains}}
    with pytest.raises(Mistake, match="about 400 people"):
        sfumato.synthesize(people, public)
    assert not account.exists()


def test_a_selection_that_no_value_can_pass_is_refused_before_it_is_charged(tmp_path):
    people = pandas.DataFrame({"sex": ["F", "M"] * 100})
    account = tmp_path / "people.account"
    given = {"epsilon": 1, "people": 200, "select": ["sex"], "account": str(account)}
    with pytest.raises(Mistake, match=r"Only values of more than \d{3} rows .* about 200 people"):
        sfumato.synthesize(people, {"synthesis": given})
    assert not account.exists()
    # Ten times as many people, as far as anybody says, may be enough.
    assert sfumato.synthesize(people, {"synthesis": given | {"people": 4_000}})


def test_rows_that_are_mostly_noise_or_outside_are_left_to_a_person(tmp_path):
    people = pandas.DataFrame({"sex": ["F", "M", "X", "Y"] * 200})
    few = sfumato.synthesize(people.head(20), epsilon=0.5, domains={"sex": ["F", "M", "X", "Y"]})
    assert few.outcome == "review"
    assert "hides" in few.manifest["synthesis"]["reason"]
    missed = sfumato.synthesize(people, epsilon=3, domains={"sex": ["F"]}, to=tmp_path / "made")
    assert missed.outcome == "review"
    assert "sex" in missed.manifest["synthesis"]["reason"]
    assert outcome_of(sfumato.verify(tmp_path / "made")) != "fail"
    facts = json.loads((tmp_path / "made" / "manifest.json").read_text())
    facts["outcome"] = "pass"
    (tmp_path / "made" / "manifest.json").write_text(json.dumps(facts))
    assert outcome_of(sfumato.verify(tmp_path / "made")) == "fail"


def test_a_draft_names_fields_and_no_value(tmp_path, monkeypatch, capsys):
    """The first minute: a draft that is refused until a person fills in its ranges."""
    from sfumato.cli import main

    monkeypatch.chdir(tmp_path)
    rows = "\n".join(
        f"key-{n},{'red' if n % 2 else 'blue'},{n * 37 % 91 + 0.5},{n}" for n in range(90)
    )
    (tmp_path / "people.csv").write_text(f"id,colour,cost,age\n{rows}\n")
    assert main(["synthesize", "people.csv", "--null-words", "NA,?"]) == 2
    assert (
        "people.csv --null-words 'NA,?' --policy people.synthesis.toml --to synthetic-people"
    ) in " ".join(capsys.readouterr().err.split())
    draft = (tmp_path / "people.synthesis.toml").read_text()
    assert 'select = ["colour"]' in draft
    assert 'leave_out = ["id", "age"]' in draft
    assert '# "cost" = { least = ?, most = ?, step = ? }' in draft
    assert not any(value in draft for value in ("red", "blue", "key-", "89"))
    asked = ["synthesize", "people.csv", "--policy", "people.synthesis.toml", "--to", "made"]
    assert main(asked) == 2
    assert "which values cost may have" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "made").exists()


def drafted(table: pandas.DataFrame) -> str:
    with open_source(table) as engine:
        return draft_policy(engine)


@pytest.mark.parametrize(
    ("name", "cell"),
    [("cost", "7.5"), ("cost", "unknown"), ("day", "soon"), ("ward", "a new one"), ("empty", "x")],
)
def test_a_draft_does_not_follow_the_cell_of_one_person(name, cell):
    """The policy is in the manifest, where it would disclose that somebody has such a cell."""
    days = pandas.date_range("2020-01-01", periods=100).strftime("%Y-%m-%d")
    table = pandas.DataFrame(
        {
            "cost": [str(n * 37 % 91) for n in range(600)],
            "day": [days[n % 100] for n in range(600)],
            "ward": [f"ward {n % 20}" for n in range(600)],
            "empty": [None] * 600,
        }
    )
    changed = table.copy()
    changed.loc[17, name] = cell
    assert drafted(changed) == drafted(table)


def test_noise_of_a_long_range_leaves_its_people_where_they_are():
    """Noise of many finer cells took nearly all people of other cells, in one run of six."""
    domain = DeclaredDomain(least=0.0, most=73_000.0, step=1.0)
    days = np.zeros(73_001, np.int64)
    days[44_000:44_700] = 30
    limit = PrivacyLimit(epsilon=0.1, delta=1e-9)
    for _ in range(25):
        coder = cut_range(
            "day",
            domain,
            days,
            PrivacyAccount(limit=limit),
            rho=limit.rho() / 25,
            rows_per_person=1,
        )
        drawn = coder.drawn(
            coder.encode(np.repeat(np.arange(73_001), days)), np.random.default_rng()
        )
        low, middle, high = np.quantile(drawn, [0.1, 0.5, 0.9])
        assert low < 44_250
        assert 44_100 < middle < 44_600
        assert high > 44_450


def test_a_range_far_beyond_its_values_is_left_to_a_person(tmp_path):
    people = pandas.DataFrame({"weight": np.arange(400) % 90, "sex": ["F", "M"] * 200})
    domains = {"weight": {"least": 0, "most": 10**9}, "sex": ["F", "M"]}
    made = sfumato.synthesize(people, epsilon=20, domains=domains, to=tmp_path / "made")
    assert made.outcome == "review"
    assert "weight are hardly known" in made.manifest["synthesis"]["reason"]
    assert outcome_of(sfumato.verify(tmp_path / "made")) != "fail"


def test_the_command_ends_with_3_where_a_person_must_look(tmp_path, capsys):
    (tmp_path / "people.csv").write_text("sex\n" + "F\nM\n" * 5)
    policy = tmp_path / "policy.toml"
    policy.write_text('[synthesis]\nepsilon = 0.5\n[synthesis.domains]\nsex = ["F", "M"]\n')
    asked = [str(tmp_path / "people.csv"), "--policy", str(policy), "--to", str(tmp_path / "made")]
    assert main(["synthesize", *asked]) == 3
    assert "review" in capsys.readouterr().out


def test_a_draft_selects_no_key_of_people(tmp_path, monkeypatch, capsys):
    """A key with many rows each would be selected: many rows share its values."""
    from sfumato.cli import main

    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"PAT-{n % 30:05},{'f' if n % 30 % 2 else 'm'},w{n % 3}" for n in range(600))
    (tmp_path / "labs.csv").write_text(f"patient_id,sex,ward\n{rows}\n")
    assert main(["synthesize", "labs.csv"]) == 2
    draft = (tmp_path / "labs.synthesis.toml").read_text()
    assert 'entity = "patient_id"' in draft
    assert 'select = ["sex", "ward"]' in draft
    main(["synthesize", "labs.csv", "--policy", "labs.synthesis.toml", "--to", "made"])
    assert "for one person\n" in capsys.readouterr().out
    assert not any("PAT-" in file.read_text() for file in (tmp_path / "made").glob("*.csv"))


def test_a_draft_takes_a_repeated_number_of_people_for_the_person():
    """A panel by `id` or `nr`: without an entity, epsilon would be that of a row."""
    table = pandas.DataFrame(
        {"nr": [n // 4 for n in range(400)], "wage": [f"{n % 97}.5" for n in range(400)]}
    )
    table.loc[::9, "wage"] = "NA"
    draft = drafted(table)
    assert 'entity = "nr"' in draft
    assert "rows_per_person = 1" in draft
    assert '# "wage" = { least = ?, most = ?, step = ? }' in draft
    assert "add `null_words` NA, also when you assess" in draft


@pytest.mark.parametrize(
    ("field", "cells", "domain"),
    [
        ("price", ["1,5", "2,0"], {"least": 0, "most": 9, "step": 0.5}),
        ("born", ["25/12/1980", "03/01/1979"], {"least": "1900-01-01", "most": "2020-12-31"}),
        ("age", ["44", "61"], {"least": 0, "most": 17}),
        ("income", ["-44000", "-61000"], {"least": 0, "most": 100_000}),
    ],
)
def test_a_range_that_misses_most_values_is_left_to_a_person(tmp_path, field, cells, domain):
    """Decimal commas, other forms of dates, and values beyond the range."""
    table = pandas.DataFrame({field: cells * 1_000, "sex": ["F", "M"] * 1_000})
    policy = {"epsilon": 2, "domains": {field: domain, "sex": ["F", "M"]}}
    made = sfumato.synthesize(table, {"synthesis": policy}, to=tmp_path / "made")
    assert made.outcome == "review"
    facts = made.manifest["synthesis"]
    assert f"most cells of {field} are outside" in facts["reason"]
    assert facts["beyond_range"][field] > 0.9
    assert outcome_of(sfumato.verify(made.folder, digest=made.digest)) != "fail"
    rewritten = json.loads((tmp_path / "made" / "manifest.json").read_text())
    del rewritten["synthesis"]["beyond_range"]
    (tmp_path / "made" / "manifest.json").write_text(json.dumps(rewritten))
    assert outcome_of(sfumato.verify(tmp_path / "made")) == "fail"


def test_values_beyond_a_range_count_at_its_ends_and_are_stated(tmp_path, capsys):
    ages = np.repeat([-3, 20, 30, 95], [400, 800, 800, 400])
    pandas.DataFrame({"age": ages, "sex": ["F", "F", "F", "M"] * 600}).to_parquet(
        tmp_path / "a.parquet"
    )
    (tmp_path / "p.toml").write_text(
        "[synthesis]\nepsilon = 4\n[synthesis.domains]\nage = { least = 0, most = 90 }\n"
        'sex = ["F", "X"]\n'
    )
    command = ["synthesize", str(tmp_path / "a.parquet"), "--policy", str(tmp_path / "p.toml")]
    assert main([*command, "--to", str(tmp_path / "made")]) == 0
    printed = capsys.readouterr().out
    for name, share in (("age", 33), ("sex", 25)):
        stated = re.search(rf"{name} (\d+)%", printed)
        assert stated is not None
        assert abs(int(stated[1]) - share) < 4
    assert outcome_of(sfumato.verify(tmp_path / "made")) != "fail"
    made = pandas.read_csv(tmp_path / "made" / "synthetic.csv")
    shares = made["age"].value_counts(normalize=True, dropna=False)
    assert shares[[0, 90]].tolist() == pytest.approx([1 / 6, 1 / 6], abs=0.03)
    assert made["age"].isna().mean() < 0.02


def test_a_table_of_many_listed_fields_is_written(tmp_path):
    """Labels of 150 fields fit in the memory that writing has; a join for each did not."""
    columns = {f"f{n}": MadeColumn(labels=("no", "yes", "*", None)) for n in range(150)}
    codes = np.array([0, 1, 2, 3, 1])
    batches = iter([dict.fromkeys(columns, codes)])
    file = tmp_path / "made.csv"
    assert write_made_rows(file, columns, batches, constants={"synthetic": "true"}) == 5
    rows = pandas.read_csv(file, keep_default_na=False)
    assert sorted(rows["f149"]) == ["", "*", "no", "yes", "yes"]
    assert (rows["f0"] == rows["f149"]).all()


WHOLE = """
entity = "patient"
[source]
null_words = ["?"]
[fields]
patient = "direct"
name = "direct"
notes = { role = "text" }
ill = { role = "sensitive", domain = ["no", "yes"] }
age = { role = "quasi", domain = { least = 0, most = 99 } }
sex = "quasi"
[require]
k = 3
[synthesis]
epsilon = 4.0
domains = { sex = ["F", "M"] }
[tables_of_counts]
method = "suppress"
fields = ["sex", "ill"]
threshold = 5
"""


def whole_policy_people() -> pandas.DataFrame:
    chance = np.random.default_rng(2)
    columns = {
        "patient": np.arange(1_200),
        "name": [f"name {n}" for n in range(1_200)],
        "notes": "a note",
        "ill": chance.choice(["no", "yes", "?"], 1_200),
        "age": chance.integers(0, 100, 1_200),
        "sex": chance.choice(["F", "M"], 1_200),
    }
    return pandas.DataFrame(columns)


def test_a_whole_policy_has_the_sections_and_they_follow_its_roles(tmp_path):
    """Fields that name people are left out, declared domains and the person are taken, and a missing
    value is read as the policy says."""
    file = tmp_path / "people.policy.toml"
    file.write_text(WHOLE)
    policy = read_policy(file)
    assert policy.require.k == 3
    # The policy is written back whole; a release repeats neither section.
    assert read_policy(policy_as_toml(policy)).made_tables == policy.made_tables
    assert tomllib.loads(WHOLE)["synthesis"] == policy.made_tables["synthesis"]
    assert "synthesis" not in policy_as_table(policy_copy(policy))
    source = whole_policy_people()
    made = sfumato.synthesize(source, file)
    asked = made.manifest["policy"]["synthesis"]
    assert (asked["entity"], sorted(asked["leave_out"])) == ("patient", ["name", "notes"])
    assert set(made.frame) == {"ill", "age", "sex", "synthetic"}
    assert set(made.frame["ill"].dropna()) == {"no", "yes"}
    assert 0.25 < made.frame["ill"].isna().mean() < 0.42
    table = sfumato.tabulate(source, file)
    counted = table.manifest["policy"]["tables_of_counts"]
    assert (counted["entity"], counted["domains"]) == ("patient", {"ill": ["no", "yes"]})
    assert table.frame["count"].max() == (source["ill"] != "?").sum()


def test_a_section_decides_before_the_fields_of_its_policy(tmp_path):
    """What the section says of a field stands; a field that names people is copied by nobody."""
    fields = {"name": "direct", "ill": {"role": "sensitive", "domain": ["no", "yes"]}}
    section = {"epsilon": 1, "domains": {"ill": ["yes"]}, "select": ["name"]}
    policy = read_synthesis({"fields": fields, "synthesis": section})
    assert (policy.domains["ill"].values, policy.select) == (("yes",), ("name",))
    trees = {"method": "trees", "fields": ["ill"], "keep": ["name"]}
    with pytest.raises(PolicyError, match=r"synthesis\.keep\.name: Its role is direct"):
        sfumato.synthesize(whole_policy_people(), {"fields": fields, "synthesis": trees})
    counts = {"method": "round", "fields": ["ill", "name"]}
    with pytest.raises(PolicyError, match=r"tables_of_counts\.name: Its role is direct"):
        sfumato.tabulate(whole_policy_people(), {"fields": fields, "tables_of_counts": counts})


def test_a_whole_policy_reports_the_problems_of_its_sections():
    whole = {
        "fields": {"sex": "quasi"},
        "require": {"k": 3},
        "synthesis": {"epsilon": 0, "select": ["sex"]},
        "tables_of_counts": {"method": "suppress", "fields": ["sex"], "threshold": 1},
    }
    with pytest.raises(PolicyError) as caught:
        read_policy(whole)
    places = [each.where for each in caught.value.problems]
    assert places == ["synthesis.epsilon", "tables_of_counts.threshold"]


def test_the_sections_that_a_policy_may_have_are_those_of_its_schema():
    assert set(policy_schema()["properties"]) == SECTIONS
