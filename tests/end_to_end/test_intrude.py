"""The motivated intruder from the command line and from Python: against a copy, and against a
release of Sfumato."""

from __future__ import annotations

import csv
import json
import random
import re

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import Mistake, SourceError

PROBLEMS = ("asthma", "cancer", "diabetes", "flu", "gout", "migraine")
FIELDS = ("name", "zip", "birth", "sex", "problem")
POLICY = """
[fields.name]
role = "direct"
[fields.zip]
role = "quasi"
hierarchy = { prefix = [4, 3] }
[fields.birth]
role = "quasi"
hierarchy = { dates = ["year", "20 years"] }
[fields.sex]
role = "quasi"
[fields.problem]
role = "sensitive"
[require]
k = 5
l_diversity = { l = 2 }
max_suppression = 0.1
"""


def people(many=600):
    draw = random.Random(1997)
    return [
        {
            "name": f"person {number}",
            "zip": f"021{draw.randrange(24):02}",
            "birth": f"{draw.randrange(1930, 2000)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
            "sex": draw.choice("fm"),
            "problem": draw.choice(PROBLEMS),
        }
        for number in range(many)
    ]


def write(path, rows, fields=FIELDS):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """400 patients in a release, 600 people in the register."""
    folder = tmp_path_factory.mktemp("clinic")
    everyone = people()
    write(folder / "patients.csv", everyone[:400])
    write(folder / "register.csv", everyone, ("name", "zip", "birth", "sex"))
    write(folder / "copy.csv", everyone[:400], ("zip", "birth", "sex", "problem"))
    write(folder / "control.csv", everyone[400:], ("zip", "birth", "sex", "problem"))
    (folder / "patients.policy.toml").write_text(POLICY, encoding="utf-8")
    made = sfumato.release(
        folder / "patients.csv", folder / "patients.policy.toml", to=folder / "release"
    )
    assert made.outcome == "pass"
    return folder


@pytest.mark.long("a release recoded bin by bin; other attacks stay in this file")
def test_local_labels_are_read_and_protect(clinic, tmp_path):
    """Ranges and sets that no hierarchy knows: the intruder reads them, and finds many rows and
    nobody."""
    policy = tmp_path / "local.toml"
    policy.write_text(POLICY + '\n[solve]\nsolver = "local"\nlabels = "ranges"\n', encoding="utf-8")
    made = sfumato.release(clinic / "patients.csv", policy, to=tmp_path / "release")
    found = sfumato.intrude(
        made.folder, register=clinic / "register.csv", source=clinic / "patients.csv", policy=policy
    )
    run = found.attacks["register"]
    assert (run.claims, run.outcome) == (0, "does not beat its baseline")
    assert int(re.search(r"For (\d+) of them some row fits", run.notes[1])[1]) >= 400


KNOWN = ("zip", "birth", "sex")
COPY = ("--known", ",".join(KNOWN), "--sensitive", "problem")


def intruded(capsys, *words):
    code = main(["intrude", *map(str, words)])
    return code, capsys.readouterr().out


def test_a_register_finds_the_patients_of_a_copy(clinic, capsys):
    code, out = intruded(
        capsys,
        clinic / "copy.csv",
        *COPY,
        "--register",
        clinic / "register.csv",
        "--source",
        clinic / "patients.csv",
    )
    assert code == 1
    assert "beats its baseline" in out
    assert "Linked on zip, birth, sex" in out


def test_two_registers_name_together_whom_neither_names(clinic, tmp_path, capsys):
    """One list has birth and sex, the other the ZIP code; both have the names."""
    everyone = people()
    ages = write(tmp_path / "ages.csv", everyone, ("name", "birth", "sex"))
    places = write(tmp_path / "places.csv", everyone, ("name", "zip"))
    lists = ("--register", ages, "--register", places, "--source", clinic / "patients.csv")
    code, out = intruded(capsys, clinic / "copy.csv", *COPY, *lists, "--json")
    found = json.loads(out)
    right = {run["name"]: run["successes"] for run in found["runs"]}
    assert code == 1
    assert right["register:2, places.csv"] == 0
    assert right["register:1, ages.csv"] < right["register:joined"]
    assert right["register:joined"] > 350
    assert "600 people were found in each of ages.csv, places.csv, by name." in found["notes"]
    code, out = intruded(capsys, clinic / "release", *lists, "--json")
    assert code == 0
    assert all(run["claims"] == 0 for run in json.loads(out)["runs"])


def test_registers_are_joined_by_names_that_are_written_otherwise(clinic, tmp_path):
    """The second list is joined by the third alone; its names are in capitals, the last name first."""
    everyone = [
        row | {"phone": f"0616{at:05}", "Person": _last_first(row["name"])}
        for at, row in enumerate(people())
    ]
    ages = write(tmp_path / "ages.csv", everyone, ("name", "birth"))
    phones = write(tmp_path / "phones.csv", everyone, ("phone", "zip", "sex"))
    lines = write(tmp_path / "lines.csv", everyone, ("Person", "phone"))
    found = sfumato.intrude(
        clinic / "copy.csv", register=[ages, phones, lines], known=KNOWN, sensitive=("problem",)
    )
    note = next(note for note in found.notes if "found in each" in note)
    assert "ages.csv, lines.csv, phones.csv, by name = Person, phone" in note
    assert "lines.csv has no field to link on: not tried by itself." in found.notes
    right = {run.name: run.claims for run in found.attacks}
    assert right["register:joined"] > 350


def test_fields_of_a_register_in_other_letters_are_named(clinic, tmp_path):
    rows = [{"ZIP": row["zip"], "Sex": row["sex"]} for row in people(20)]
    with pytest.raises(SourceError, match="renaming ZIP to zip, Sex to sex in the register") as no:
        sfumato.intrude(
            clinic / "release", register=write(tmp_path / "loud.csv", rows, ("ZIP", "Sex"))
        )
    assert "the known fields are zip, birth, sex." in str(no.value)


def _last_first(name):
    first, last = name.split()
    return f"{last}, {first}".upper()


def test_registers_without_a_common_person_stay_apart(clinic, tmp_path):
    everyone = people()
    first = write(tmp_path / "first.csv", everyone[:300], ("name", "birth", "sex"))
    second = write(tmp_path / "second.csv", everyone[300:], ("name", "zip"))
    found = sfumato.intrude(clinic / "release", register=[first, second])
    assert "register:joined" not in {run.name for run in found.attacks}
    assert any("nobody in common" in note for note in found.notes)


def test_a_register_finds_nobody_in_a_release(clinic, capsys):
    code, out = intruded(
        capsys,
        clinic / "release",
        "--register",
        clinic / "register.csv",
        "--source",
        clinic / "patients.csv",
    )
    assert code == 0
    assert "In none of 600 attempts was there anything to claim." in out


def test_what_is_printed_names_nobody(clinic, capsys):
    words = (
        clinic / "copy.csv",
        *COPY,
        "--source",
        clinic / "patients.csv",
        "--register",
        clinic / "register.csv",
    )
    _, out = intruded(capsys, *words, "--everything")
    _, told = intruded(capsys, *words, "--everything", "--json")
    printed = set(re.findall(r"[\w.-]+", out + told))
    secret = {row[name] for row in people() for name in ("zip", "birth")} | set(PROBLEMS)
    assert not printed & secret
    assert not re.search(r"person \d", out + told)


def test_json_holds_every_run(clinic, capsys):
    _, out = intruded(
        capsys,
        clinic / "release",
        "--source",
        clinic / "patients.csv",
        "--control",
        clinic / "control.csv",
        "--json",
    )
    found = json.loads(out)
    assert [run["name"] for run in found["runs"]] == [
        "linkage",
        "fuzzy linkage",
        "singling out:one field",
        "singling out:several fields",
        "linkability",
        "inference:problem",
        "homogeneity:problem",
    ]
    assert all(run["control"]["attempts"] for run in found["runs"])
    assert all(run["outcome"] != "undecided" for run in found["runs"])


def test_without_the_source_claims_wait_for_somebody_who_knows(clinic, capsys):
    code, out = intruded(capsys, clinic / "copy.csv", *COPY, "--register", clinic / "register.csv")
    assert code == 3
    assert "undecided" in out


def test_the_manifest_is_enough_to_read_the_labels(clinic):
    """No source: hierarchies are built over the register's values, by the policy in the
    manifest."""
    found = sfumato.intrude(clinic / "release", register=clinic / "register.csv")
    run = found.attacks["register"]
    assert run.claims == 0
    assert re.search(r"For (\d+) of them some row fits", run.notes[0])[1] > "500"


def test_two_releases_of_the_same_people(clinic, capsys, tmp_path):
    """By birth and by place: each alone leaves several problems, both together fewer."""
    rows = people()[:400]
    by_birth = [row | {"zip": "*", "sex": "*"} for row in rows]
    by_place = [
        row | {"birth": f"{row['birth'][:3]}0-01-01..{row['birth'][:3]}9-12-31"} for row in rows
    ]
    fields = ("zip", "birth", "sex", "problem")
    one, two = (
        write(tmp_path / "one.csv", by_birth, fields),
        write(tmp_path / "two.csv", by_place, fields),
    )
    words = (
        "--known",
        "zip,birth,sex",
        "--sensitive",
        "problem",
        "--source",
        clinic / "patients.csv",
    )
    code, out = intruded(capsys, one, *words, "--second", two, "--json")
    run = json.loads(out)["runs"][0]
    assert run["name"] == "intersection:problem"
    assert run["successes"] > 0
    assert code in (0, 1)


def test_the_school_of_the_paper(capsys, tmp_path):
    """Garfinkel 2016, section 4.3.6."""

    def table(name, above):
        rows = [
            {"grade level": "below", "students": "30-39"},
            {"grade level": "at", "students": "50-59"},
            {"grade level": "above", "students": above},
        ]
        return write(tmp_path / name, rows, ("grade level", "students"))

    before, after = table("may.csv", "20-29"), table("june.csv", "30-39")
    code, out = intruded(capsys, before, "--second", after, "--counts", "students")
    assert code == 1
    assert "The newcomer's cell is certain." in out
    code, out = intruded(capsys, before, "--second", before, "--counts", "students")
    assert code == 0


def test_newcomers_are_told_by_two_releases(clinic, tmp_path):
    everyone = people()
    joined = write(tmp_path / "joined.csv", everyone[400:430])
    later = write(tmp_path / "later.csv", everyone[:430], ("zip", "birth", "sex", "problem"))
    found = sfumato.intrude(
        clinic / "copy.csv",
        known=("zip", "birth", "sex"),
        sensitive=("problem",),
        source=clinic / "patients.csv",
        second=later,
        newcomers=joined,
    )
    assert found.attacks["differencing:problem"].outcome == "beats its baseline"


def test_one_newcomer_between_two_releases_is_red(clinic, capsys, tmp_path):
    """Both releases keep k = 5 and l = 2; who compares them knows what the newcomer has."""
    everyone = people()[:401]
    joined = write(tmp_path / "joined.csv", everyone[400:])
    (tmp_path / "policy.toml").write_text(POLICY)
    later = sfumato.release(
        write(tmp_path / "later.csv", everyone), tmp_path / "policy.toml", to=tmp_path / "later"
    )
    assert later.outcome == "pass"
    code, out = intruded(
        capsys,
        clinic / "release",
        *(
            "--second",
            tmp_path / "later",
            "--newcomers",
            joined,
            "--source",
            clinic / "patients.csv",
            "--json",
        ),
    )
    run = next(run for run in json.loads(out)["runs"] if run["name"] == "differencing:problem")
    assert (code, run["outcome"]) == (1, "beats its baseline")
    assert run["certain"] == run["claims"] == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "needs a table to compare with"),
        (("--register", "shoes.csv"), "shares no field"),
        (("--register", "register.csv", "--on", "shoe"), "cannot be linked on"),
        (("--register", "nowhere.csv"), "nowhere.csv"),
        (("--source", "shoes.csv"), "different fields"),
        (("--register", "register.csv", "--newcomers", "register.csv"), "only one was given"),
        (("--counts", "problem"), "Two tables of counts"),
    ],
)
def test_bad_input_is_refused_in_words(clinic, capsys, words, told):
    write(clinic / "shoes.csv", [{"name": "somebody", "shoe": "44"}], ("name", "shoe"))
    given = [str(clinic / word) if word.endswith(".csv") else word for word in words]
    assert main(["intrude", str(clinic / "release"), *given]) == 2
    assert told in capsys.readouterr().err


def test_a_table_without_manifest_needs_known_fields(clinic):
    with pytest.raises(Mistake, match="has no manifest"):
        sfumato.intrude(clinic / "copy.csv", register=clinic / "register.csv")


@pytest.mark.long("whole pages of odd names; tests/attacks/test_assessment_page.py stays")
def test_names_of_fields_are_not_read_as_markup(tmp_path, capsys, monkeypatch):
    """A field called `dose [/mg]` would close a style that was never opened, and `[red]` would
    vanish."""
    monkeypatch.setenv("COLUMNS", "160")
    table = tmp_path / "doses.csv"
    rows = [f"{number % 40},{'flu gout'.split()[number % 3 % 2]}" for number in range(120)]
    table.write_text("dose [/mg],ill [red]\n" + "\n".join(rows) + "\n")
    fields = ("--known", "dose [/mg]", "--sensitive", "ill [red]", "--source", str(table))
    assert main(["intrude", str(table), *fields]) in (0, 1, 3)
    told = " ".join(capsys.readouterr().out.split())
    assert "dose [/mg]" in told
    assert "ill [red]" in told
    assert main(["assess", str(table), *fields, "--no-attacks"]) in (0, 1, 3)
    assert "The confidence in ill [red] rises" in " ".join(capsys.readouterr().out.split())
