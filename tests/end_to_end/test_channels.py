"""A release with names from the command line: made, asked, verified, tampered with, and refused."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import duckdb
import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import (
    Mistake,
    NoRecodingFound,
    PolicyError,
    ReleaseBroken,
    SourceError,
    TargetError,
)
from sfumato.releases.channels.subject_queries import subjects_where, values_in

GOLDEN = Path(__file__).parents[1] / "papers" / "golden" / "channels_table1.csv"
POLICY = """
entity = "name"

[fields]
name = "direct"
zip = "direct"
gender = "direct"
crp = "quasi"
cholesterol = "quasi"
bp = "quasi"
glucose = "quasi"
diagnosis = "sensitive"

[channels]
fields = ["crp", "cholesterol", "bp", "glucose"]
confidential = "diagnosis"
identifiers = ["name", "zip", "gender"]
tolerance = { Diabetes = 0.25, Heart = 0.25, "Diabetes+Heart" = 0.30, "Diabetes+Heart+MRSA" = 0.18 }
bound = 0.6
"""


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def policy_file(folder, text=POLICY):
    path = folder / "channels.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("channels")
    assert (
        main(
            [
                "release",
                str(GOLDEN),
                "--policy",
                str(policy_file(folder)),
                "--to",
                str(folder / "out"),
            ]
        )
        == 0
    )
    return folder / "out"


@pytest.fixture
def copied(made, tmp_path):
    target = tmp_path / "copy"
    target.mkdir()
    for path in made.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def test_names_are_there_and_the_confidential_field_is_not(made):
    rows = read(made / "release.csv")
    assert {row["name"] for row in rows} == {row["name"] for row in read(GOLDEN)}
    assert list(rows[0]) == [
        "name",
        "zip",
        "gender",
        "channel",
        "crp",
        "cholesterol",
        "bp",
        "glucose",
    ]
    assert {path.name for path in made.iterdir()} == {
        "release.csv", "channels.csv", "statistics.csv", "manifest.json", "policy.toml", "report.html",
    }  # fmt: skip


def test_the_manifest_says_what_it_cost_and_what_was_done(made):
    facts = json.loads((made / "manifest.json").read_text())
    told = facts["channels"]
    assert (told["cost"], told["proven"], told["gap"]) == (65, True, 0)
    assert told["compared_with"] == "all output channels"
    assert (told["input_channels"], told["risky_input_channels"], told["subjects_at_risk"]) == (
        6,
        3,
        7,
    )
    assert facts["outcome"] == "pass"
    assert "Released by name, on purpose: name, zip, gender." in facts["warnings"]
    assert any("intersect" in warning for warning in facts["warnings"])
    assert facts["tables"]["release"]["fields"]["name"] == "released by name, on purpose"
    assert facts["tables"]["release"]["fields"]["diagnosis"].startswith("removed")


def test_no_value_of_the_data_is_in_the_report_but_those_of_the_policy(made):
    page = (made / "report.html").read_text(encoding="utf-8")
    body = page[page.index("<main>") : page.index("<pre>")]
    assert not any(row["name"] in body or row["zip"] in body for row in read(GOLDEN))
    assert "MRSA" not in body


@pytest.mark.parametrize(
    "wanted",
    [
        {"crp": ("H",)},
        {"crp": ("L",), "glucose": ("N",)},
        {"bp": ("V", "H")},
        {"glucose": ("X",)},
        {},
    ],
)
def test_an_answer_has_everyone_who_fits(made, wanted):
    true = {
        row["name"]
        for row in read(GOLDEN)
        if all(row[name] in values for name, values in wanted.items())
    }
    told = [name for name, _, _ in subjects_where(made, wanted)]
    assert true <= set(told)
    assert len(told) == len(set(told))
    if wanted == {"glucose": ("X",)}:
        assert told == []


def test_a_query_in_sql_is_inclusive_too(made):
    """As a recipient asks it: by the channels that have such an input, and coarser by a field's set
    alone."""
    query = f"""
        SELECT name FROM '{made}/release.csv' WHERE channel IN
        (SELECT channel FROM '{made}/channels.csv' WHERE crp = 'H' AND bp = 'H')
    """
    sharp = {name for (name,) in duckdb.sql(query).fetchall()}
    cells = f"SELECT name FROM '{made}/release.csv' WHERE crp LIKE '%\"H\"%' AND bp LIKE '%\"H\"%'"
    coarse = {name for (name,) in duckdb.sql(cells).fetchall()}
    assert {"M. A.", "G. P.", "M. L."} <= sharp <= coarse
    assert all(
        "H" in values_in(row["crp"]) for row in read(made / "release.csv") if row["name"] in sharp
    )


def test_verify_holds_and_says_what_it_cannot_see(made, capsys):
    assert main(["verify", str(made), "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)
    assert {check["outcome"] for check in checks if not _unseen(check["claim"])} == {"pass"}
    assert sum("channel risk" in check["claim"] for check in checks) == 4
    assert {"cost", "omega", "subjects about whom nothing is disclosed"} <= {
        check["claim"] for check in checks
    }


def redigest(folder, name):
    """What a careful forger does: the manifest's digest is put right again."""
    path = folder / "manifest.json"
    facts = json.loads(path.read_text())
    tables = [facts["tables"]["release"], *facts["channels"]["tables"].values()]
    from sfumato.releases.inventory import digest_of

    next(table for table in tables if table["file"] == name)["sha256"] = digest_of(folder / name)
    path.write_text(json.dumps(facts))


def failing(folder):
    return {check.claim for check in sfumato.verify(folder) if check.outcome == "fail"}


def test_a_changed_file_is_noticed(copied):
    path = copied / "channels.csv"
    path.write_text(path.read_text().replace("V,3", "V,2", 1))
    assert "digest of channels.csv" in failing(copied)
    redigest(copied, "channels.csv")
    assert any(claim.startswith("every subject of each input channel") for claim in failing(copied))


def test_a_row_moved_to_another_channel_is_noticed(copied):
    path = copied / "release.csv"
    lines = path.read_text().splitlines()
    lines[1] = re.sub(r",\d,", lambda m: ",2," if m[0] != ",2," else ",1,", lines[1], count=1)
    path.write_text("\n".join(lines) + "\n")
    redigest(copied, "release.csv")
    assert any(claim.startswith("each row's sets") for claim in failing(copied))


def test_statistics_that_make_a_channel_risky_are_noticed(copied):
    path = copied / "statistics.csv"
    path.write_text(path.read_text().replace("2,L,H,L,N,2,0,0,0,0", "2,L,H,L,N,2,0,0,1,1"))
    redigest(copied, "statistics.csv")
    assert any("(7)" in claim for claim in failing(copied))


def test_tables_that_are_not_of_one_release_are_refused(copied):
    (copied / "statistics.csv").write_text("input,subjects\n1,x\n")
    with pytest.raises(ReleaseBroken, match="not those that a release by channels has"):
        sfumato.verify(copied)


def test_a_release_can_be_replaced_and_strangers_are_not(made, tmp_path):
    policy, target = policy_file(tmp_path), tmp_path / "out"
    sfumato.release(GOLDEN, policy, to=target)
    with pytest.raises(TargetError, match="already holds a release"):
        sfumato.release(GOLDEN, policy, to=target)
    sfumato.release(GOLDEN, policy, to=target, replace=True, file_format="parquet")
    assert not failing(target)
    assert (target / "release.parquet").exists()


def test_rules_linear_rounding_and_enumeration(tmp_path):
    more = 'whole_subjects = false\ncandidates = "enumerated"\nmax_inputs = 3\n'
    more += '[[channels.rules]]\nfield = "bp"\nrule = "no-gaps"\nvalues = ["L", "N", "H", "V"]\n'
    made = sfumato.release(GOLDEN, policy_file(tmp_path, POLICY + more), to=tmp_path / "out")
    assert made.outcome == "pass"
    inputs = [set(values_in(row["bp"])) for row in read(made.table)]
    assert not any({"L", "H"} <= values and "N" not in values for values in inputs)


def test_membership_that_is_risky_is_explained(tmp_path, capsys):
    text = POLICY.replace('Diabetes+Heart+MRSA" = 0.18', 'Diabetes+Heart+MRSA" = 0.01')
    assert (
        main(
            [
                "release",
                str(GOLDEN),
                "--policy",
                str(policy_file(tmp_path, text)),
                "--to",
                str(tmp_path / "o"),
            ]
        )
        == 1
    )
    said = " ".join(capsys.readouterr().err.split())
    assert "Membership in the data set alone is risky" in said
    assert "0.06667 of all subjects have value 4 of 4, and its tolerance is 0.01" in said
    assert "MRSA" not in said
    assert not (tmp_path / "o").exists()


def test_values_without_a_tolerance_are_counted_and_not_named(tmp_path):
    text = POLICY.replace(", Heart = 0.25", "")
    with pytest.raises(
        PolicyError, match=r"diagnosis has 1 value neither in tolerance nor in none"
    ) as told:
        sfumato.release(GOLDEN, policy_file(tmp_path, text), to=tmp_path / "out")
    assert '"Heart"' not in str(told.value)
    sfumato.release(GOLDEN, policy_file(tmp_path, text + 'none = ["Heart"]\n'), to=tmp_path / "out")


def test_several_rows_for_somebody_are_refused(tmp_path):
    twice = tmp_path / "twice.csv"
    lines = GOLDEN.read_text().splitlines()
    twice.write_text("\n".join([*lines, lines[1]]) + "\n")
    with pytest.raises(SourceError, match="several rows for somebody"):
        sfumato.release(twice, policy_file(tmp_path), to=tmp_path / "out")
    without = POLICY.replace('entity = "name"', "")
    with pytest.raises(SourceError, match="several rows for somebody") as told:
        sfumato.release(twice, policy_file(tmp_path, without), to=tmp_path / "out")
    assert "2 rows share their identifiers" in told.value.found
    assert (
        sfumato.release(GOLDEN, policy_file(tmp_path, without), to=tmp_path / "out").outcome
        == "pass"
    )


def test_nothing_is_left_where_a_candidate_fails(tmp_path, monkeypatch):
    from sfumato.errors import CandidateFailed
    from sfumato.releases.channels import flow

    def tampered(folder, plan, asked):
        original(folder, plan, asked)
        path = folder / "statistics.csv"
        path.write_text(path.read_text().replace(",2,0,0,0,0", ",2,0,0,1,1"))

    original = flow.write_account
    monkeypatch.setattr(flow, "write_account", tampered)
    with pytest.raises(CandidateFailed, match="breaks what was required"):
        sfumato.release(GOLDEN, policy_file(tmp_path), to=tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["channels.toml"]


def test_a_database_is_no_place_for_it(tmp_path):
    with pytest.raises(TargetError, match="three tables in a folder"):
        sfumato.release(
            GOLDEN,
            policy_file(tmp_path),
            to="postgresql://host/db#schema",
            documents=tmp_path / "docs",
        )


def test_asking_for_what_channels_do_not_say(made):
    with pytest.raises(Mistake, match="Channels do not cover 'diagnosis'"):
        subjects_where(made, {"diagnosis": ("Heart",)})


def test_an_insensitive_field_that_tells_too_much_is_warned_about(tmp_path):
    rows = [
        f"P{i},{'H' if i % 4 == 0 else 'N'},{'west' if i < 40 else 'east'},{'flu' if i < 24 else ''}"
        for i in range(120)
    ]
    path = tmp_path / "people.csv"
    path.write_text("name,crp,ward,diagnosis\n" + "\n".join(rows) + "\n")
    text = """
    entity = "name"
    [fields]
    name = "direct"
    crp = "quasi"
    ward = "insensitive"
    diagnosis = "sensitive"
    [channels]
    fields = ["crp"]
    confidential = "diagnosis"
    identifiers = ["name"]
    tolerance = { flu = 0.3 }
    """
    made = sfumato.release(path, policy_file(tmp_path, text), to=tmp_path / "out")
    told = " ".join(made.manifest["warnings"])
    assert (
        "ward is released and discloses a value of diagnosis better than is tolerated, in 1 of "
        "its 2 values" in told
    )
    assert "Kept as they are beside names: ward." in told


def test_nobody_to_protect_and_nobody_at_all(tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text(GOLDEN.read_text().splitlines()[0] + "\n")
    with pytest.raises(SourceError, match="holds no row"):
        sfumato.release(empty, policy_file(tmp_path), to=tmp_path / "out")
    with pytest.raises(NoRecodingFound):
        sfumato.release(
            GOLDEN, policy_file(tmp_path, POLICY.replace("= 0.6", "= 0.1")), to=tmp_path / "out"
        )


CROWD = [
    {
        "name": f"P{i}",
        "crp": "H" if i < 10 else "N",
        "diagnosis": "flu" if i < 8 or 10 <= i < 14 else None,
    }
    for i in range(40)
]
UNDISCLOSED = """
entity = "name"
[fields]
name = "direct"
crp = "quasi"
diagnosis = "sensitive"
[channels]
fields = ["crp"]
confidential = "diagnosis"
identifiers = ["name"]
tolerance = { flu = 0.3 }
"""


def test_fields_that_the_policy_does_not_name_can_be_removed(tmp_path):
    text = POLICY.replace('gender = "direct"\n', "").replace(', "gender"', "")
    policy = policy_file(tmp_path, 'other_fields = "remove"\n' + text)
    made = sfumato.release(GOLDEN, policy, to=tmp_path / "out")
    assert "gender" not in read(made.folder / "release.csv")[0]
    assert {c.claim for c in sfumato.verify(made.folder) if c.outcome == "fail"} == set()
    facts = json.loads((made.folder / "manifest.json").read_text(encoding="utf-8"))
    facts["tables"]["release"]["fields"]["income"] = "as it is"
    (made.folder / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    failed = {c.claim for c in sfumato.verify(made.folder) if c.outcome == "fail"}
    assert "fields of the policy" in failed


def test_how_many_subjects_nothing_is_disclosed_about_is_said_and_can_be_limited(tmp_path):
    """Two input channels, and all subjects of both are needed in one output channel: it could be
    anybody's."""
    made = sfumato.release(
        CROWD, policy_file(tmp_path, UNDISCLOSED), to=tmp_path / "out", engine="reference"
    )
    facts = made.manifest["channels"]
    assert facts["undisclosed"] == 40
    assert facts["share_undisclosed"] == 1.0
    assert any(
        "Only the presence of 40 of 40 subjects (100.0%)" in text
        for text in made.manifest["warnings"]
    )
    limited = policy_file(tmp_path, UNDISCLOSED + "max_undisclosed = 0.5\n")
    with pytest.raises(
        NoRecodingFound, match=r"discloses nothing about at most 0\.5 of its subjects"
    ):
        sfumato.release(CROWD, limited, to=tmp_path / "limited", engine="reference")
    assert not (tmp_path / "limited").exists()
    allowed = policy_file(tmp_path, UNDISCLOSED + "max_undisclosed = 1.0\n")
    made = sfumato.release(CROWD, allowed, to=tmp_path / "allowed", engine="reference")
    assert any("at most 1 of the subjects" in verdict.requirement for verdict in made.verdicts)


def test_a_figure_of_the_manifest_that_is_not_so_is_noticed(copied):
    path = copied / "manifest.json"
    facts = json.loads(path.read_text())
    facts["channels"] |= {"omega": 0.01, "cost": 3, "undisclosed": 5, "least_cost_at_least": 66.0}
    path.write_text(json.dumps(facts))
    assert {"omega", "cost", "subjects about whom nothing is disclosed"} <= failing(copied)
    assert "the cost is not under its bound" in failing(copied)


def test_a_verdict_that_the_manifest_leaves_out_is_judged_all_the_same(copied):
    path = copied / "manifest.json"
    facts = json.loads(path.read_text())
    facts["verdicts"] = []
    path.write_text(json.dumps(facts))
    assert sum("channel risk" in claim for claim in failing(copied)) == 4


def test_rules_are_judged_on_what_was_written(tmp_path):
    more = '[[channels.rules]]\nfield = "bp"\nrule = "no-gaps"\nvalues = ["L", "N", "H", "V"]\n'
    made = sfumato.release(GOLDEN, policy_file(tmp_path, POLICY + more), to=tmp_path / "out")
    assert [verdict.outcome for verdict in made.verdicts if verdict.model == "channel rules"] == [
        "pass"
    ]
    for name in ("manifest.json", "policy.toml"):
        path = tmp_path / "out" / name
        path.write_text(
            path.read_text().replace("no-gaps", "alike").replace('["L", "N", "H", "V"]', "[]")
        )
    path = tmp_path / "out" / "manifest.json"
    facts = json.loads(path.read_text())
    facts["policy"]["channels"]["rules"][0].pop("values", None)
    path.write_text(json.dumps(facts))
    assert any("channel rules" in claim for claim in failing(tmp_path / "out"))


def test_where_nothing_is_proven_the_line_says_so(tmp_path, monkeypatch, capsys):
    from sfumato.releases.channels import channel_manifest

    original = channel_manifest.channel_facts
    monkeypatch.setattr(
        channel_manifest,
        "channel_facts",
        lambda *given: original(*given) | {"gap": None, "least_cost_at_least": None},
    )
    assert (
        main(
            [
                "release",
                str(GOLDEN),
                "--policy",
                str(policy_file(tmp_path)),
                "--to",
                str(tmp_path / "out"),
            ]
        )
        == 0
    )
    assert "nothing is proven about the least" in " ".join(capsys.readouterr().out.split())


def _unseen(claim: str) -> bool:
    """What no folder can show, and that nobody signed it."""
    return "own channel" in claim or claim.startswith(("stated by the holder", "the manifest is"))


TWO = """
entity = "name"
fields = { name = "direct", a = "quasi", b = "quasi", ill = "sensitive", pay = "sensitive" }
[channels]
fields = ["a", "b"]
confidential = "ill"
identifiers = ["name"]
tolerance = { flu = 0.3 }
compact = true
least_not_at_risk = 0.4
[[channels.also]]
field = "pay"
tolerance = { high = 0.5 }
none = ["low"]
"""


def two_fields(folder):
    """20 people in four input channels; one is risky by illness, another by pay."""
    kinds = {
        ("H", "x"): (["flu", "flu", ""], ["low", "low", "low"]),
        ("L", "y"): (["", "", ""], ["high", "high", "low"]),
        ("N", "x"): ([""] * 7, ["low"] * 7),
        ("N", "y"): ([""] * 7, ["low"] * 6 + ["high"]),
    }
    lines = [
        f"p{a}{b}{n},{a},{b},{ill},{pay}"
        for (a, b), (ills, pays) in kinds.items()
        for n, (ill, pay) in enumerate(zip(ills, pays, strict=True))
    ]
    source = folder / "two.csv"
    source.write_text("name,a,b,ill,pay\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return source


def test_several_confidential_fields_and_a_least_share_who_are_not_at_risk(tmp_path):
    """Counted by hand from the written tables, without a word of the solver."""
    source = two_fields(tmp_path)
    made = sfumato.release(source, policy_file(tmp_path, TWO), to=tmp_path / "out")
    assert made.outcome == "pass"
    released = read(made.folder / "release.csv")
    assert list(released[0]) == ["name", "channel"]
    statistics = {row["input"]: row for row in read(made.folder / "statistics.csv")}
    assert {"ill=flu", "pay=high"} <= set(next(iter(statistics.values())))
    channels = {}
    for row in read(made.folder / "channels.csv"):
        channels.setdefault(row["channel"], []).append(row)
    for rows in channels.values():
        people = sum(int(row["subjects"]) for row in rows)
        if people == 0:
            continue
        shares = {"ill=flu": 0.0, "pay=high": 0.0}
        at_risk = 0
        for row in rows:
            own, here = statistics[row["input"]], int(row["subjects"])
            for value in shares:
                shares[value] += here * int(own[value]) / int(own["subjects"])
            at_risk += here * (
                int(own["ill=flu"]) > 0.3 * int(own["subjects"])
                or int(own["pay=high"]) > 0.5 * int(own["subjects"])
            )
        assert shares["ill=flu"] <= 0.3 * people + 1e-9
        assert shares["pay=high"] <= 0.5 * people + 1e-9
        assert not at_risk or people - at_risk >= 0.4 * people
    assert main(["verify", str(made.folder)]) == 0
    assert main(["assess", str(made.folder), "--to", str(tmp_path / "page.html")]) in (0, 3)
    assert len(subjects_where(made.folder, {"a": ("H",)})) >= 3


def test_a_compact_release_that_was_changed_is_noticed(tmp_path):
    made = sfumato.release(two_fields(tmp_path), policy_file(tmp_path, TWO), to=tmp_path / "out")
    path = made.folder / "channels.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",H,", ",N,"), encoding="utf-8")
    with pytest.raises(ReleaseBroken):
        sfumato.verify(made.folder)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('none = ["low"]', ""), "neither in tolerance nor in none"),
        (("tolerance = { high = 0.5 }", ""), "also"),
        (('field = "pay"', 'field = "b"'), "named twice"),
    ],
)
def test_a_further_confidential_field_is_checked(tmp_path, change, why):
    with pytest.raises(PolicyError, match=why):
        sfumato.release(
            two_fields(tmp_path), policy_file(tmp_path, TWO.replace(*change)), to=tmp_path / "out"
        )


def test_too_many_at_risk_for_the_least_share(tmp_path):
    text = TWO.replace("least_not_at_risk = 0.4", "least_not_at_risk = 0.8")
    with pytest.raises(NoRecodingFound, match="least_not_at_risk"):
        sfumato.release(two_fields(tmp_path), policy_file(tmp_path, text), to=tmp_path / "out")
