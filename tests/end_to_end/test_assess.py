"""`sfumato assess` and `sfumato.assess`: from a release, or any table, to a page and numbers for a
review board."""

from __future__ import annotations

import json
import shutil
import stat
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import linked_clinic
import psycopg
import pytest
from postgres_server import running

import sfumato
from sfumato.cli import main
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.errors import Mistake, PolicyError, TargetError

PATIENTS = 400


@dataclass(frozen=True)
class Hospital:
    source: Path
    policy: Path
    release: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Hospital:
    """400 made-up patients and their release. Read only."""
    folder = tmp_path_factory.mktemp("assess")
    source = write_hospital(folder / "patients.csv", rows=PATIENTS)
    policy = folder / "reviewed.toml"
    policy.write_text(HOSPITAL_POLICY, encoding="utf-8")
    key = sfumato.Key.create_file(folder / "pseudonyms.key")
    sfumato.release(source, policy, to=folder / "release", key=key)
    return Hospital(source, policy, folder / "release")


@pytest.fixture(scope="module")
def assessed(made) -> sfumato.Assessment:
    """The whole of it, attacks included, against the source."""
    return sfumato.assess(made.release, source=made.source)


def run(capsys, *words) -> tuple[int, str]:
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    said = capsys.readouterr()
    return code, " ".join((said.out + said.err).split())


def test_everything_is_measured(assessed):
    families = {
        "risk",
        "unicity",
        "identifying_sets",
        "intervals",
        "groups",
        "suda",
        "usefulness",
        "attacks",
        "closeness",
    }
    assert set(assessed.results) == families
    assert assessed.left_out == {}
    assert assessed.ads0.holds
    questions = [one.question for one in assessed.judgements]
    assert questions == [
        "Is this the release that its manifest describes?",
        "Does it keep what the policy requires?",
        "What if more is known of people than the policy says?",
        "Can the release still be used?",
        "How easily is a person found?",
        "Is a value learned without finding the person?",
        "Can a sensitive number be inferred closely?",
        "How many values of a person single them out?",
        "Do the days between two dates single people out?",
        "Is a group of people worse protected?",
        "Does a row point to one person only?",
        "Does an attack succeed?",
    ]
    assert [question.name for question in assessed.facts.questions] == [
        "Safe projects",
        "Safe people",
        "Safe settings",
        "Safe data",
        "Safe outputs",
    ]


def test_the_risk_is_that_of_the_bins_it_was_released_with(made, assessed):
    facts = json.loads((made.release / "manifest.json").read_text(encoding="utf-8"))
    smallest = facts["verdicts"][0]["smallest"]
    assert assessed.results["risk"].after.kirp.maximum == pytest.approx(1 / smallest)
    assert assessed.results["risk"].before.rows == PATIENTS
    assert assessed.facts.released == facts["tables"]["release"]["rows"]["released"]


@pytest.mark.long("two whole assessments; single ones stay in this file")
def test_the_same_seed_gives_the_same_numbers(made, assessed):
    def timeless(found):
        return [
            line
            for line in json.dumps(found.as_dict(), indent=1).splitlines()
            if '"seconds"' not in line
        ]

    again = sfumato.assess(made.release, source=made.source, clock=lambda: _then(assessed))
    assert timeless(again) == timeless(assessed)


def _then(found):
    return datetime.fromisoformat(found.facts.created.replace(" UTC", "+00:00"))


@pytest.mark.usefixtures("without_charts")
def test_the_command_writes_a_page_and_numbers_and_says_where(made, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    page, numbers = tmp_path / "board.html", tmp_path / "board.json"
    words = (
        "assess",
        made.release,
        "--source",
        made.source,
        "--no-attacks",
        "--to",
        page,
        "--json",
        numbers,
    )
    code, said = run(capsys, *words)
    facts = json.loads(numbers.read_text(encoding="utf-8"))
    assert code == {"pass": 0, "fail": 1, "review": 3}[facts["outcome"]]
    assert str(page) in said
    assert str(numbers) in said
    assert "How easily is a person found?" in said
    assert "switched off" in said
    assert facts["left_out"] == {"attacks": "they were switched off when the assessment was made"}
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")

    earlier = page.read_bytes()
    code, said = run(capsys, *words)
    assert code == 2
    assert "exists already" in said
    assert page.read_bytes() == earlier
    assert run(capsys, *words, "--replace")[0] == code_of(facts)


def code_of(facts) -> int:
    return {"pass": 0, "fail": 1, "review": 3}[facts["outcome"]]


def test_the_page_goes_beside_the_release_unless_told(made, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "people.csv"
    table.write_text("zip,sex\n" + "02139,f\n" * 20)
    assert run(capsys, "assess", table, "--known", "zip,sex", "--no-attacks")[0] == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "people-assessment.html",
        "people.csv",
    ]


def test_a_release_alone_says_what_it_can(made):
    found = sfumato.assess(made.release, attacks=False)
    assert set(found.results) == {
        "risk",
        "unicity",
        "identifying_sets",
        "intervals",
        "groups",
        "suda",
        "closeness",
    }
    assert found.left_out["usefulness"] == "the source was not at hand"
    assert found.outcome in ("pass", "review")


def test_a_raw_table_is_red(made):
    """Before anything is released, most patients are alone with what is known of them."""
    found = sfumato.assess(made.source, policy=made.policy, attacks=False)
    assert found.outcome == "fail"
    required = next(one for one in found.judgements if "policy requires" in one.question)
    assert required.outcome == "fail"
    assert "k-anonymity" in required.answer


@pytest.mark.long("a whole assessment more; others stay in this file")
def test_a_population_and_a_control_group_are_taken_in(made, tmp_path):
    town = write_hospital(tmp_path / "town.csv", rows=3_000, seed=4)
    found = sfumato.assess(
        made.release, source=made.source, population=town, control=town, attacks=False
    )
    assert found.results["risk"].after.people.known == "table"
    assert any("population" in one.question for one in found.judgements)


def test_a_frame_in_memory_is_a_table_too(made):
    import pandas

    frame = pandas.read_csv(made.source, dtype=str)
    found = sfumato.assess(frame, known=["zip", "sex"], attacks=False)
    assert found.title == "a table in memory"


def test_fields_of_one_value_and_of_none_are_measured(tmp_path):
    table = tmp_path / "flat.csv"
    table.write_text("zip,sex,ill\n" + "02139,,flu\n" * 30)
    found = sfumato.assess(table, source=table, known=("zip", "sex"), sensitive=("ill",))
    assert {"risk", "usefulness"} <= set(found.results)
    assert found.results["risk"].after.kirp.maximum == pytest.approx(1 / 30)
    assert "<script" not in found.page()


def test_bins_of_one_row_are_measured(tmp_path):
    table = tmp_path / "alone.csv"
    table.write_text(
        "zip,sex,ill\n" + "".join(f"{n},{'fm'[n % 2]},{'ab'[n % 2]}\n" for n in range(30))
    )
    found = sfumato.assess(table, source=table, known=("zip", "sex"), sensitive=("ill",))
    assert found.outcome == "fail"
    assert found.results["risk"].after.kirp.average == 1.0
    assert found.page()


def test_several_tables_are_counted_in_people(tmp_path):
    source = linked_clinic.write(linked_clinic.clinic(), tmp_path / "clinic")
    made = linked_clinic.released(source, linked_clinic.policy(), tmp_path / "out")
    whole = sfumato.assess(made.folder, source=source, attacks=False)
    assert whole.facts.unit == "rows"
    (others,) = (one for one in whole.judgements if one.question == "Was every table assessed?")
    assert others.outcome == "review"
    assert "visits" in others.answer
    visits = sfumato.assess(made.folder, source=source, table="visits", attacks=False)
    assert visits.facts.unit == "people"
    assert visits.facts.known == ("people.zip", "people.sex")
    assert visits.facts.source == 16  # Of 24 people, 16 have a visit.
    assert visits.left_out["ads0"].startswith("people have several rows")
    with pytest.raises(Mistake, match="rows of doctors belong to nobody"):
        sfumato.assess(made.folder, table="doctors")
    with pytest.raises(Mistake, match="no table visit"):
        sfumato.assess(made.folder, table="visit")


def test_a_release_in_postgres_is_assessed_where_it_is(made, tmp_path):
    server = running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    text = made.source.read_text(encoding="utf-8")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        fields = ", ".join(f"{field} VARCHAR" for field in text.splitlines()[0].split(","))
        connection.execute(f"CREATE SCHEMA research; CREATE TABLE patients ({fields})")
        with connection.cursor().copy("COPY patients FROM STDIN (FORMAT csv, HEADER)") as copy:
            copy.write(text.encode())
    source, address = server.uri(name), f"{server.uri(name)}#research"
    key = sfumato.Key.create_file(tmp_path / "key")
    documents = tmp_path / "documents"
    finished = sfumato.release(
        source, made.policy, to=address, documents=documents, key=key, table="patients"
    )
    found = sfumato.assess(address, source=source, table="patients", attacks=False)
    assert found.title == f"schema research of {name}"
    assert found.facts.released == finished.rows
    assert found.judgements[0].outcome == "pass"
    with pytest.raises(Mistake, match="tables are in a database"):
        sfumato.assess(finished)


def test_what_is_missing_makes_it_amber(made, monkeypatch):
    """Without the extra 'assess' the rest is measured, and the page says what is not."""
    for name in ("sklearn", "rapidfuzz", "scipy"):
        monkeypatch.setitem(sys.modules, name, None)
        for loaded in [module for module in sys.modules if module.startswith(f"{name}.")]:
            monkeypatch.setitem(sys.modules, loaded, None)
    found = sfumato.assess(made.release, source=made.source)
    assert {"risk", "usefulness"} <= set(found.results)
    missing = next(one for one in found.judgements if one.question == "Was everything measured?")
    assert missing.outcome == "review"
    assert "extra 'assess'" in missing.answer
    assert "sfumato[assess]" in missing.rule


def test_nothing_is_written_where_something_does_not_fit(made, tmp_path, capsys):
    other = tmp_path / "other.toml"
    other.write_text(HOSPITAL_POLICY.replace("k = 5", "k = 3"), encoding="utf-8")
    with pytest.raises(PolicyError, match="made under another"):
        sfumato.assess(made.release, source=made.source, policy=other, to=tmp_path / "page.html")
    with pytest.raises(Mistake, match="one file"):
        sfumato.assess(made.release, to=tmp_path / "page", json=tmp_path / "page")
    with pytest.raises(TargetError, match="no folder"):
        sfumato.assess(made.release, to=tmp_path / "none" / "page.html")
    code, said = run(
        capsys,
        "assess",
        made.release,
        "--source",
        tmp_path / "none.csv",
        "--to",
        tmp_path / "page.html",
    )
    assert (code, "does not exist" in said) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.toml"]


@pytest.mark.usefixtures("without_charts")
def test_a_changed_release_is_red(made, tmp_path, capsys):
    copy = shutil.copytree(made.release, tmp_path / "copy")
    table = copy / "release.csv"
    table.write_text(
        "\n".join(table.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8"
    )
    code, said = run(capsys, "assess", copy, "--no-attacks", "--to", tmp_path / "page.html")
    assert code == 1
    assert "bytes of release, digest of" in said


def test_the_room_and_the_verb_share_a_name_in_any_order():
    import sfumato.measures.subject as room

    assert callable(sfumato.assess)
    assert sfumato.measures.subject is room


def test_a_quick_look_is_never_green(made):
    """It leaves out the source, attacks, special uniques and charts, and says so."""
    estimates = []
    found = sfumato.assess(made.release, source=made.source, quick=True, estimated=estimates.append)
    assert found.outcome != "pass"
    quick = {"risk", "unicity", "identifying_sets", "intervals", "groups", "closeness"}
    assert set(found.results) == quick
    assert {"suda", "usefulness", "attacks"} <= set(found.left_out)
    assert "Was everything measured?" in {one.question for one in found.judgements}
    assert not found.facts.charts
    assert estimates
    assert 0 < estimates[0] < 60
