"""`tabulate`: domains and areas from the policy alone, people cut, everything charged, and checked
again."""

from __future__ import annotations

import csv
import hashlib
import json

import numpy as np
import pandas
import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import Mistake, PolicyError, ReleaseBroken, SourceError
from sfumato.policy import read_tables_of_counts, tables_of_counts_as_table
from sfumato.releases import outcome_of
from sfumato.releases.tabulated.counted_source import count_cells

AREAS = "state,county\nA,01\nA,02\nB,03\nB,04\n"


def private(folder, **more):
    (folder / "areas.csv").write_text(AREAS)
    return {
        "method": "private",
        "epsilon": 2.0,
        "levels": ["state", "county"],
        "areas": str(folder / "areas.csv"),
        "domains": {"sex": ["F", "M"], "age": {"cuts": [18, 65], "other": True}},
        **more,
    }


def people(rows: int = 800) -> pandas.DataFrame:
    chance = np.random.default_rng(1)
    return pandas.DataFrame(
        {
            "person": np.arange(rows) // 2,
            "county": chance.choice(["01", "02", "03", "04", "99"], rows),
            "sex": chance.choice(["F", "M", "X"], rows),
            "age": chance.choice([5.0, 30.0, 80.0, np.nan], rows),
        }
    )


def cells_of(made) -> list[dict[str, str]]:
    with (made.folder / "counts.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    return sfumato.tabulate(people(), to=folder / "made", entity="person", **private(folder))


def test_every_cell_of_the_declared_domain_is_there_once(made):
    cells = cells_of(made)
    assert list(cells[0]) == ["level", "area", "sex", "age", "count"]
    assert len(cells) == (1 + 2 + 4) * 2 * 4
    assert {cell["age"] for cell in cells} == {"under 18", "18 to under 65", "65 and over", "*"}
    assert {cell["area"] for cell in cells} == {"Total", "A", "B", "01", "02", "03", "04"}
    assert all(int(cell["count"]) >= 0 for cell in cells)


def test_of_each_person_one_row_is_counted(made):
    """400 people, of whom 4 of 5 live in a known county and 2 of 3 have a known sex."""
    whole = sum(int(cell["count"]) for cell in cells_of(made) if cell["level"] == "Total")
    assert 100 < whole < 320


def test_verify_recounts_everything(made):
    checks = sfumato.verify(made.folder, digest=made.digest)
    assert {check.outcome for check in checks} == {"pass", "review"}
    assert outcome_of(checks) == "pass"
    claims = {check.claim for check in checks}
    assert "sums are exact over all levels and fields" in claims


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        (lambda facts: facts["account"]["measurements"][1].update(sigma=1e9), "account adds up"),
        (lambda facts: facts["policy"]["tables_of_counts"].update(epsilon=0.1), "keeps to"),
        (lambda facts: facts["account"]["measurements"].pop(), "account adds up"),
        (lambda facts: facts.update(statement="exact"), "statement"),
    ],
)
def test_a_rewritten_manifest_fails(made, tmp_path, change, claim):
    folder = copied(made, tmp_path)
    facts = json.loads((folder / "manifest.json").read_text())
    change(facts)
    (folder / "manifest.json").write_text(json.dumps(facts))
    failed = [check.claim for check in sfumato.verify(folder) if check.outcome == "fail"]
    assert any(claim in each for each in failed)


@pytest.mark.parametrize("line", ["A,*,+1", "county,-1"])
def test_a_rewritten_count_fails(made, tmp_path, line):
    """Also where the digests are rewritten with it: sums and signs do not hold any more."""
    folder = copied(made, tmp_path)
    rows = (folder / "counts.csv").read_text().splitlines()
    place = next(n for n, row in enumerate(rows) if row.startswith("county,"))
    words = rows[place].split(",")
    words[-1] = "-3" if line.endswith("-1") else str(int(words[-1]) + 1)
    rows[place] = ",".join(words)
    (folder / "counts.csv").write_text("\n".join(rows) + "\n")
    rewrite_digests(folder)
    failed = {check.claim for check in sfumato.verify(folder) if check.outcome == "fail"}
    assert "sums are exact over all levels and fields" in failed
    assert ("no value is negative" in failed) == line.endswith("-1")


def copied(made, tmp_path):
    import shutil

    return shutil.copytree(made.folder, tmp_path / "copy")


def rewrite_digests(folder):
    import hashlib

    facts = json.loads((folder / "manifest.json").read_text())
    data = (folder / "counts.csv").read_bytes()
    new = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    facts["tables"]["counts"].update(new)
    facts["files"]["counts.csv"] = new
    (folder / "manifest.json").write_text(json.dumps(facts))


def test_a_table_without_areas_comes_back_as_a_frame():
    values = ["F", "M", "*"]
    found = sfumato.tabulate(people(), method="private", epsilon=5, domains={"sex": values})
    assert list(found.frame.columns) == ["sex", "count"]
    assert found.frame["count"].sum() > 200


def test_the_account_goes_on_and_ends(tmp_path):
    policy = tmp_path / "counts.toml"
    policy.write_text(
        '[tables_of_counts]\nmethod = "private"\nepsilon = 1.0\naccount = "people.account"\n'
        'limit = 1.2\n[tables_of_counts.domains]\nsex = ["F", "M"]\n'
    )
    sfumato.tabulate(people(), policy)
    with pytest.raises(Mistake, match="less than that left"):
        sfumato.tabulate(people(), policy)


def test_a_domain_that_misses_most_rows_is_for_review(tmp_path):
    """An empty table must not look like one of nobody."""
    made = sfumato.tabulate(
        people(), method="private", epsilon=5, domains={"sex": ["f", "m"]}, to=tmp_path / "made"
    )
    assert made.outcome == "review"
    assert "leave out about" in made.findings[0][1]
    checks = sfumato.verify(made.folder)
    assert not [check for check in checks if check.outcome == "fail"]


def test_noise_in_which_all_is_lost_is_refused_before_it_is_charged(tmp_path):
    policy = tmp_path / "counts.toml"
    policy.write_text(
        '[tables_of_counts]\nmethod = "private"\nepsilon = 0.00001\naccount = "people.account"\n'
        '[tables_of_counts.domains]\nsex = ["F", "M"]\n'
    )
    with pytest.raises(Mistake, match="nothing was charged"):
        sfumato.tabulate(people(), policy)
    assert not (tmp_path / "people.account").exists()


def test_all_problems_of_a_policy_are_told_at_once():
    with pytest.raises(PolicyError) as caught:
        sfumato.tabulate(
            people(), method="private", epsilon=1, fields=["sex"], levels=["county"], base=3
        )
    text = str(caught.value)
    assert "Nobody has said which values sex may have" in text
    assert "from a public file, never from the rows" in text
    assert "has no use for it" in text


def test_a_field_that_is_not_there_is_named(tmp_path):
    with pytest.raises(PolicyError, match="no field height"):
        sfumato.tabulate(people(), method="private", epsilon=1, domains={"height": ["1"]})


def test_the_policy_survives_its_own_form(tmp_path):
    given = {"tables_of_counts": private(tmp_path, invariants=["state"])}
    read = read_tables_of_counts(given)
    again = read_tables_of_counts(tables_of_counts_as_table(read))
    assert again.domains == read.domains
    assert again.settings.invariants == ("state",)


def test_the_command_prints_json(tmp_path, capsys):
    people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "areas.csv").write_text(AREAS + "B,99\n")
    (tmp_path / "counts.toml").write_text(
        '[tables_of_counts]\nmethod = "private"\nepsilon = 1.0\nlevels = ["state", "county"]\n'
        'areas = "areas.csv"\n[tables_of_counts.domains]\nsex = ["F", "M", "*"]\n'
    )
    arguments = ["--policy", str(tmp_path / "counts.toml"), "--to", str(tmp_path / "out")]
    assert main(["tabulate", str(tmp_path / "people.csv"), *arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "pass"
    assert told["account"]["epsilon"] <= 1
    assert main(["verify", str(tmp_path / "out"), "--digest", told["digest"]]) == 0


def test_another_folder_is_no_release(tmp_path):
    with pytest.raises(ReleaseBroken):
        sfumato.verify(tmp_path)


def test_sums_of_fractions_are_refused_unless_their_decimals_are_kept(tmp_path):
    source = tmp_path / "shops.csv"
    rows = [f"{'ab'[n % 2]},f{n},0.4" for n in range(40)]
    source.write_text("\n".join(["town,firm,turnover", *rows]) + "\n", encoding="utf-8")
    asked = {"method": "suppress", "fields": ["town"], "measure": "turnover", "entity": "firm"}
    asked |= {"threshold": 3}
    with pytest.raises(SourceError, match="decimals = 1"):
        sfumato.tabulate(source, {"tables_of_counts": asked}, to=tmp_path / "wrong")
    asked["decimals"] = 1
    made = sfumato.tabulate(source, {"tables_of_counts": asked}, to=tmp_path / "right")
    with open(next(made.folder.glob("*.csv")), encoding="utf-8", newline="") as file:
        values = [float(row[1]) for row in list(csv.reader(file))[1:]]
    assert sorted(values) == [8.0, 8.0, 16.0]


def test_rows_without_a_person_are_counted_as_left_out(tmp_path):
    source = tmp_path / "visits.csv"
    rows = [f"{'ab'[n % 2]},{'' if n < 6 else f'p{n}'}" for n in range(60)]
    source.write_text("\n".join(["town,person", *rows]) + "\n", encoding="utf-8")
    asked = {"method": "suppress", "fields": ["town"], "entity": "person", "threshold": 3}
    policy = read_tables_of_counts({"tables_of_counts": asked})
    with sfumato.open_source(source) as engine:
        counted = count_cells(engine, policy, largest=1)
    assert counted.rows_left_out == 6
    assert counted.cells.values.max() == 54


@pytest.mark.parametrize("method", ["suppress", "round", "swap", "cell_key"])
def test_people_with_more_rows_than_are_counted_are_refused(tmp_path, method):
    source = tmp_path / "visits.csv"
    rows = [f"{town},{'fm'[n % 2]},p{n}" for n in range(10) for town in "ab"]
    source.write_text("\n".join(["town,sex,person", *rows]) + "\n", encoding="utf-8")
    asked = {"method": method, "levels": ["town"], "fields": ["sex"], "entity": "person"}
    with pytest.raises(SourceError, match="Some people have more"):
        sfumato.tabulate(source, {"tables_of_counts": asked}, to=tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_a_mark_that_contradicts_its_cell_is_broken(tmp_path):
    source = tmp_path / "people.csv"
    rows = [f"{'abc'[n % 3 if n < 60 else 0]},{'fm'[n % 2]}" for n in range(64)]
    rows += ["d,f", "e,m", "e,f"]
    source.write_text("\n".join(["town,sex", *rows]) + "\n", encoding="utf-8")
    asked = {"method": "suppress", "fields": ["town", "sex"], "threshold": 3}
    made = sfumato.tabulate(source, {"tables_of_counts": asked}, to=tmp_path / "made")
    file = made.folder / "counts.csv"
    assert ",true" in file.read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace(",true", ",false"), encoding="utf-8")
    facts = json.loads((made.folder / "manifest.json").read_text(encoding="utf-8"))
    new = {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}
    facts["tables"]["counts"].update(new)
    facts["files"]["counts.csv"] = new
    (made.folder / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(ReleaseBroken, match="contradict"):
        sfumato.verify(made.folder)


def test_levels_have_the_shares_of_the_budget_that_the_policy_says(tmp_path):
    shares = {"Total": 0.5, "state": 0.3, "county": 0.2}
    policy = {"tables_of_counts": private(tmp_path, shares=shares)}
    made = sfumato.tabulate(people(), policy, to=tmp_path / "made")
    lines = made.manifest["account"]["measurements"]
    spent = {
        level: sum(float(line["rho"]) for line in lines if line["what"].endswith(f"level {level}"))
        for level in shares
    }
    whole = sum(spent.values())
    assert {level: round(rho / whole, 3) for level, rho in spent.items()} == shares
    assert outcome_of(sfumato.verify(tmp_path / "made")) != "fail"
    assert made.manifest["policy"]["tables_of_counts"]["shares"] == shares


@pytest.mark.parametrize(
    "shares",
    [
        {"Total": 0.5, "state": 0.5},
        {"Total": 0.5, "state": 0.3, "county": 0.3},
        {"Total": 1.0, "state": 0.0, "county": 0.0},
        {"Total": 0.5, "state": 0.3, "town": 0.2},
    ],
)
def test_shares_that_are_no_shares_are_refused(tmp_path, shares):
    with pytest.raises(PolicyError, match="together they are 1"):
        read_tables_of_counts({"tables_of_counts": private(tmp_path, shares=shares)})


def test_cells_that_cannot_be_are_empty_and_cost_nothing(tmp_path):
    """Pregnant men are not measured, and rows that say so are left out."""
    people = pandas.DataFrame({"sex": ["F", "M"] * 300, "ill": ["no", "no", "yes", "no"] * 150})
    people.loc[1, "ill"] = "yes"
    made = sfumato.tabulate(
        people,
        method="private",
        epsilon=2,
        domains={"sex": ["F", "M"], "ill": ["no", "yes"]},
        never=[{"sex": ["M"], "ill": ["yes"]}],
        to=tmp_path / "made",
    )
    assert made.manifest["account"]["measurements"][1]["cells"] == 3
    with (tmp_path / "made" / "counts.csv").open() as file:
        counts = {(row["sex"], row["ill"]): int(row["count"]) for row in csv.DictReader(file)}
    assert counts["M", "yes"] == 0
    assert outcome_of(sfumato.verify(tmp_path / "made")) != "fail"
    text = (tmp_path / "made" / "counts.csv").read_text()
    (tmp_path / "made" / "counts.csv").write_text(text.replace("M,yes,0", "M,yes,7"))
    assert "cells that the policy rules out are shown as empty" in {
        check.claim for check in sfumato.verify(tmp_path / "made") if check.outcome == "fail"
    }


def suppressed_wards(tmp_path, **rules):
    rows = [("F", "birth")] * 3 + [("F", "heart")] * 40 + [("M", "heart")] * 30
    rows += [("F", "eyes")] * 25 + [("M", "eyes")] * 35
    return sfumato.tabulate(
        pandas.DataFrame(rows, columns=["sex", "ward"]),
        method="suppress",
        threshold=5,
        domains={"sex": ["F", "M"], "ward": ["birth", "eyes", "heart"]},
        to=tmp_path / f"made{len(rules)}",
        **rules,
    )


def test_a_zero_that_everybody_knows_hides_nobody(tmp_path):
    """Without the rule, the empty cell may be hidden to protect the small one beside it; whoever
    knows that it is empty then computes the small one."""
    rule = {"never": [{"sex": ["M"], "ward": ["birth"]}]}
    made = suppressed_wards(tmp_path, **rule)
    with (made.folder / "counts.csv").open() as file:
        rows = {(row["sex"], row["ward"]): row for row in csv.DictReader(file)}
    assert rows["M", "birth"]["suppressed"] == "false"
    assert rows["M", "birth"]["count"] == "0"
    assert rows["F", "birth"]["suppressed"] == "true"
    assert rows["Total", "birth"]["suppressed"] == "true"
    assert outcome_of(sfumato.verify(made.folder)) != "fail"


def test_rules_need_declared_classes_and_rows_that_keep_them(tmp_path):
    with pytest.raises(SourceError, match="rules combinations out"):
        suppressed_wards(tmp_path, never=[{"sex": ["M"], "ward": ["heart"]}])
    with pytest.raises(PolicyError, match="not in a declared domain"):
        suppressed_wards(tmp_path, never=[{"sex": ["X"], "ward": ["heart"]}])
    with pytest.raises(PolicyError, match="no use for it"):
        sfumato.tabulate(
            pandas.DataFrame({"sex": ["F"]}),
            method="round",
            domains={"sex": ["F", "M"], "ill": ["yes"]},
            never=[{"sex": ["M"], "ill": ["yes"]}],
        )


def test_a_table_of_noise_alone_is_for_review(tmp_path):
    table = pandas.DataFrame({"sex": ["F", "M"] * 300})
    asked = {"method": "private", "domains": {"sex": ["F", "M"]}}
    made = sfumato.tabulate(table, epsilon=0.001, to=tmp_path / "made", **asked)
    assert (made.outcome, made.findings[0][0]) == ("review", "a person decides")
    assert made.findings[0][1] == made.manifest["tabulation"]["reason"]
    checks = sfumato.verify(made.folder, digest=made.digest)
    assert not [check.claim for check in checks if check.outcome == "fail"]
    with pytest.raises(Mistake, match=r"about 600 people\.") as caught:
        sfumato.tabulate(table, epsilon=0.001, people=600, **asked)
    assert "nothing was charged" in caught.value.attempt


@pytest.mark.parametrize("method", ["suppress", "round"])
def test_declared_values_that_leave_out_most_rows_are_for_review(method):
    """Such a table is true and describes nobody."""
    table = pandas.DataFrame({"sex": ["F", "M"] * 30})
    domains = {"sex": ["f", "m"]}
    assert sfumato.tabulate(table, method=method, domains=domains).outcome == "review"
    assert sfumato.tabulate(table, method=method, fields=["sex"]).outcome == "pass"
