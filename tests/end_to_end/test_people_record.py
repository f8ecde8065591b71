"""The people record of a release: it says whose each released row is, and nothing else."""

from __future__ import annotations

import csv
import json
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path

import linked_clinic
import numpy as np
import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import CandidateFailed, Mistake
from sfumato.keys import Key
from sfumato.register import Ledger, LedgerRequirement
from sfumato.releases import PeopleRecord, manifest_digest, people_misfit, record_people
from sfumato.releases import kept_people as module

POLICY = """
[fields]
id = "direct"
age = {{ role = "quasi", hierarchy = {{ numbers = {{ widths = [{width}] }} }} }}
zip = {{ role = "quasi", hierarchy = {{ prefix = {{ keep = [2] }} }} }}
illness = "sensitive"

[require]
k = 5
max_suppression = 0.3
"""
ROWS = [
    (f"person-{at}", 20 + at * 7 % 40, f"0{at % 2}1{at % 3}", "flu cold pox".split()[at % 3])
    for at in range(90)
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "age", "zip", "illness"), *ROWS])
    Key.create_file(tmp_path / "key")
    return tmp_path / "people.csv"


def released(source: Path, name: str, width: int = 10, **options: object) -> PeopleRecord:
    folder = source.parent
    sfumato.release(
        source, POLICY.format(width=width), to=folder / name, solver="anytime",
        key=Key.from_file(folder / "key"), keep_people=folder / f"{name}.people", person="id",
        **options,
    )  # fmt: skip
    return PeopleRecord.read(folder / f"{name}.people")


@pytest.mark.long("a release for each engine and solver; each second stays", every=2)
@pytest.mark.parametrize("solver", ["optimal", "local"])
@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_the_record_has_the_rows_of_the_release(source, solver, engine):
    policy = POLICY.format(width=10) + f'\n[solve]\nsolver = "{solver}"\n'
    folder, key = source.parent, Key.from_file(source.parent / "key")
    sfumato.release(
        source, policy, to=folder / "out", key=key, keep_people=folder / "p", person="id", solver="anytime",
        engine=engine,
    )  # fmt: skip
    record = PeopleRecord.read(folder / "p")
    with (folder / "out" / "release.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    sizes = Counter((row["age"], row["zip"]) for row in rows)
    assert sorted(sizes.values()) == sorted(Counter(record.bin_of.tolist()).values())
    assert record.release == manifest_digest(folder / "out")
    assert record.fields == ("age", "zip")
    assert stat.S_IMODE((folder / "p").stat().st_mode) == 0o600
    assert "id" not in rows[0]


def test_the_record_names_the_people_who_are_in_the_release(source):
    """Each person's number is that of the person with the source's values in the released bin."""
    record = released(source, "out", width=10)
    key = Key.from_file(source.parent / "key")
    columns = dict(
        zip(("id", "age", "zip"), zip(*(row[:3] for row in ROWS), strict=True), strict=True)
    )
    with (source.parent / "out" / "release.csv").open(newline="") as file:
        labels = {(row["age"], row["zip"]) for row in csv.DictReader(file)}
    wide = "-" in next(iter(labels))[0]
    ages = [f"{a // 10 * 10}-{a // 10 * 10 + 9}" if wide else str(a) for a in columns["age"]]
    cut = "*" in next(iter(labels))[1]
    zips = [f"{z[:2]}**" if cut else z for z in columns["zip"]]
    kept = [at for at in range(len(ROWS)) if (ages[at], zips[at]) in labels]
    batch = {
        name: np.array([column[at] for at in kept], object)
        for name, column in (("id", columns["id"]), ("age", ages), ("zip", zips))
    }
    expected = record_people([batch], key=key, person="id", fields=["age", "zip"])
    assert np.array_equal(record.tags, expected.tags)
    ledger = Ledger()
    ledger.add("1", record)
    ledger.add("2", expected)
    together = ledger.judge(LedgerRequirement(k=5))
    assert together.outcome == "pass", "both tell the same of everybody"


def test_two_releases_are_judged_together(source):
    ledger = Ledger()
    for name, width in (("one", 10), ("two", 15)):
        ledger.add(name, released(source, name, width))
    assert all(
        ledger.judge(LedgerRequirement(k=5), [name]).outcome == "pass" for name in ("one", "two")
    )
    found = ledger.judge(LedgerRequirement(k=5))
    assert found.outcome == "fail"
    assert found.because == ("one", "two")


def test_no_record_stays_of_a_release_that_failed(source, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise CandidateFailed("no")

    monkeypatch.setattr("sfumato.releases.pipeline.judge", fail)
    with pytest.raises(CandidateFailed):
        released(source, "out")
    assert not (source.parent / "out.people").exists()


def test_a_record_with_other_bins_is_not_of_the_release(source):
    record = released(source, "out")
    place = source.parent / "out"
    facts = json.loads((place / "manifest.json").read_text())
    assert people_misfit(place, record, facts) == ""
    merged = replace(record, bin_of=np.zeros_like(record.bin_of), labels=record.labels[:1])
    assert "other sizes" in people_misfit(place, merged, facts)
    fewer = replace(record, fields=("age",), labels=record.labels[:, :1])
    assert "other fields" in people_misfit(place, fewer, facts)


def test_a_record_is_removed_where_publishing_fails(source, monkeypatch):
    monkeypatch.setattr(
        "sfumato.releases.atomic_folder._move",
        lambda *_, **__: (_ for _ in ()).throw(OSError(28, "full")),
    )
    with pytest.raises(sfumato.errors.TargetError):
        released(source, "out")
    assert not (source.parent / "out").exists()
    assert not (source.parent / "out.people").exists()


def test_a_file_of_others_is_not_touched(source):
    (source.parent / "out.people").write_text("mine")
    with pytest.raises(Mistake, match="not overwritten"):
        released(source, "out")
    assert (source.parent / "out.people").read_text() == "mine"


def test_perturbed_fields_are_judged_as_if_they_were_exact(source):
    """Some ZIP codes are swapped, too few for a row to be suppressed by chance; the record has those
    of the source, uncut."""
    policy = (
        POLICY.format(width=10).replace("0.3", "0")
        + '\n[[steps]]\ntechnique = "swap"\nfields = ["zip"]\nshare = 0.1\n'
    )
    folder = source.parent
    sfumato.release(
        source, policy, to=folder / "out", key=Key.from_file(folder / "key"),
        keep_people=folder / "p", person="id", solver="anytime",
    )  # fmt: skip
    record = PeopleRecord.read(folder / "p")
    assert record.not_judged == ()
    ages = {row[0]: row[1] // 10 for row in ROWS}
    exact = Counter((ages[name], zip_code) for name, _, zip_code, _ in ROWS)
    sizes = Counter(Counter(record.bin_of.tolist()).values())
    assert sizes == Counter(exact.values())


def test_several_tables_are_one_record(tmp_path):
    """The rows of a person over all tables are one class; numbers of rows count where the policy
    says that they are known."""
    Key.create_file(tmp_path / "key")
    for name, linking in (("unknown", 0.0), ("known", 1.0)):
        said = linked_clinic.policy({
            "visits.row_counts": {"linking": linking}, "visits.fields.ward": "quasi",
            "tests.row_counts": {"linking": 0.0},
        }, require={"k": 2, "max_suppression": 1.0})  # fmt: skip
        made = linked_clinic.released(
            linked_clinic.clinic(), said, tmp_path / name, key=Key.from_file(tmp_path / "key"),
            keep_people=tmp_path / f"{name}.people",
        )  # fmt: skip
        record = PeopleRecord.read(tmp_path / f"{name}.people")
        rows = linked_clinic.read(made)
        labels: dict[str, list[object]] = {row["mark"]: [] for row in rows["people"]}
        for row in rows["people"]:
            labels[row["mark"]].append((row["zip"], row["sex"]))
        for row in rows["visits"]:
            labels[row["mark"]].append(row["ward"])
        classes = Counter(
            str(sorted(map(str, each if linking else set(each)))) for each in labels.values()
        )
        assert Counter(Counter(record.bin_of.tolist()).values()) == Counter(classes.values())
        assert record.fields == ("people.zip", "people.sex", "visits.ward")
        found = record.sensitive["tests.found"]
        assert found.members is not None
        sizes = Counter(found.members[:, 0].tolist())
        tests: dict[str, set[str]] = {mark: set() for mark in labels}
        for row in rows["tests"]:
            tests[row["mark"]].add(row["found"])
        assert Counter(sizes[each] for each in found.value_of.tolist()) == Counter(
            max(1, len(each)) for each in tests.values()
        )
        assert record.not_judged == ()


def test_a_release_by_channels_is_judged_by_the_intersection_of_its_channels(tmp_path):
    """Two releases of one source put people into output channels anew; together they may tell more
    of the confidential field than each."""
    Key.create_file(tmp_path / "key")
    example = Path(__file__).parents[2] / "examples" / "channels"
    ledger = Ledger()
    rows = list(csv.DictReader((example / "people.csv").read_text().splitlines()))
    inputs = {
        row["name"]: (row["crp"], row["cholesterol"], row["bp"], row["glucose"]) for row in rows
    }
    tolerance = {
        "Diabetes": 0.25,
        "Heart": 0.25,
        "Diabetes+Heart": 0.30,
        "Diabetes+Heart+MRSA": 0.18,
    }
    channel: dict[str, tuple[str, ...]] = {row["name"]: () for row in rows}
    for number in range(3):
        made = sfumato.release(
            example / "people.csv", example / "channels.toml", to=tmp_path / f"{number}",
            key=Key.from_file(tmp_path / "key"), keep_people=tmp_path / f"{number}.people",
        )  # fmt: skip
        record = PeopleRecord.read(tmp_path / f"{number}.people")
        assert record.not_judged == ("the bound on all values together",)
        ledger.add(str(number), record)
        for row in csv.DictReader((made.folder / "release.csv").read_text().splitlines()):
            channel[row["name"]] += (row["channel"],)
        broken = 0
        for name in channel:
            together = [each for each in channel if channel[each] == channel[name]]
            broken += any(
                sum(_share(rows, inputs, inputs[each], value) for each in together)
                > len(together) * most + 1e-9
                for value, most in tolerance.items()
            )
        found = ledger.judge(LedgerRequirement(k=1))
        assert found.sensitive["diagnosis"]["tolerance"] == broken
        assert (found.outcome == "fail") == bool(broken)
        assert number or not broken, "one release alone keeps its tolerances"


def _share(rows, inputs, channel, value) -> float:
    """How likely a diagnosis is in an input channel."""
    inside = [row for row in rows if inputs[row["name"]] == channel]
    return sum(row["diagnosis"] == value for row in inside) / len(inside)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"person": "nobody"}, "no such field"),
        ({"person": ""}, "no entity"),
        ({"key": None}, "no key"),
        ({"keep_people": None}, "No people record"),
    ],
)
def test_what_is_missing_is_said(source, options, words):
    folder = source.parent
    given = {
        "key": Key.from_file(folder / "key"),
        "keep_people": folder / "p",
        "person": "id",
    } | options
    with pytest.raises(Mistake, match=words):
        sfumato.release(source, POLICY.format(width=10), to=folder / "out", **given)
    assert not (folder / "out").exists()


def test_the_command(source, monkeypatch, capsys):
    monkeypatch.chdir(source.parent)
    Path("policy.toml").write_text(POLICY.format(width=10))
    words = "release people.csv --policy policy.toml --to out --key key --keep-people p --person id"
    assert main(words.split()) == 0
    assert PeopleRecord.read(Path("p")).person == "id"
    assert module.PeopleRecordRequest(file=Path("p"), key=Key.from_file(Path("key"))).person == ""
