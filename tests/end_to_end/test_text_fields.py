"""Text fields from source to release: cues from the row, one surrogate in text and table, and what
is refused."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from linked_clinic import clinic, policy, read, released

import sfumato
from sfumato.errors import CandidateFailed, Mistake, PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import Key
from sfumato.releases.pipeline import release
from sfumato.text.detectors import Detectors

KEY = Key(bytes(range(32)))
FIELDS = {
    "id": {"role": "direct", "replace": "made-up"},
    "name": {"role": "direct", "replace": {"method": "surrogate", "kind": "name"}},
    "zip": {"role": "quasi", "hierarchy": {"prefix": [3]}},
    "job": "quasi",
    "seen": {"role": "insensitive", "shift": {"days": 30, "per": "id"}},
    "note": "text",
}
SAID = {"entity": "id", "fields": FIELDS, "require": {"k": 2}}
PEOPLE = (
    ("MRN100001", "Virginia Townsend", "02138", "welder"),
    ("MRN100002", "Ben Hall", "02139", "welder"),
    ("MRN100003", "Marjorie Long", "02140", "welder"),
    ("MRN100004", "Anh Le", "02141", "welder"),
)


def rows():
    for record, name, code, job in PEOPLE:
        first, last = name.split()
        note = (
            f"{name} (MRN {record[3:]}) of {code} came on May 3, 2001. {last} takes 50 mg. "
            f"{first} is a {job}. Well."
        )
        yield {
            "id": record,
            "name": name,
            "zip": code,
            "job": job,
            "seen": "2001-05-03",
            "note": note,
        }


def write(path, given):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(FIELDS))
        writer.writeheader()
        writer.writerows(given)
    return path


def made_of(folder, said=SAID, *, given=None, key=KEY, name="out", **how):
    source = write(folder / "rows.csv", list(rows()) if given is None else given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.one_row_flow.render", lambda facts: "")
        return release(
            source, policy_from_table(said), to=folder / name, key=key, file_format="csv", **how
        )


def rows_of(made):
    with Path(made.table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_text_says_what_the_table_says(tmp_path):
    """The name and the number of the table, its shifted date; the medicine stays; nothing of the
    row is left."""
    made = made_of(tmp_path)
    for row in rows_of(made):
        first, last = row["name"].split()
        assert row["note"].startswith(f"{row['name']} ({row['id']}) of [...] came on ")
        assert f"{last} takes 50 mg. {first} is a" in row["note"]
        assert row["note"].endswith("Well.")
        assert str(int(row["seen"][-2:])) in row["note"]
        assert not [part for _, name, *_ in PEOPLE for part in name.split() if part in row["note"]]
        assert "021" not in row["note"]
    assert "welder" not in {row["note"].split()[-2] for row in rows_of(made)}


def test_the_outcome_is_review_and_everything_is_told_without_a_value(tmp_path):
    made = made_of(tmp_path)
    assert made.outcome == "review"
    assert [verdict.model for verdict in made.verdicts if verdict.outcome == "review"] == [
        "scrubbed-text"
    ]
    told = made.manifest["texts"]["note"]
    assert told["different_texts"] == 4
    assert told["findings"]["name"]["surrogate"] == 12
    assert told["findings"]["record number"] == {"surrogate": 4}
    assert "not anonymous" in told["words"]
    assert any("de-identified, not anonymous" in warning for warning in made.manifest["warnings"])
    text = json.dumps(made.manifest)
    assert not [
        part for record, name, *_ in PEOPLE for part in (record, *name.split()) if part in text
    ]
    assert bytes(range(32)).hex() not in text
    checks = {check.claim: check for check in sfumato.verify(made.folder)}
    assert checks["scrubbed-text (purpose: singling out)"].found.startswith(
        "only a person who reads"
    )
    assert not [check for check in checks.values() if check.outcome == "fail"]


def test_one_key_gives_the_same_bytes_and_another_others(tmp_path):
    said = SAID | {"order": "sorted"}
    first, again, other = (
        made_of(tmp_path, said, key=key, name=name).table.read_bytes()
        for key, name in ((KEY, "a"), (KEY, "b"), (Key(bytes(range(1, 33))), "c"))
    )
    assert first == again != other


def test_without_a_person_key_the_row_speaks_for_itself(tmp_path):
    fields = FIELDS | {"seen": "insensitive"}
    given = [*rows(), next(rows()), next(rows()) | {"note": "", "name": "Virginia Townsend"}]
    made = made_of(tmp_path, {"fields": fields, "require": {"k": 2}}, given=given)
    found = rows_of(made)
    assert len(found) == 6
    assert sorted(row["note"] == "" for row in found) == [False] * 5 + [True]
    for row in found:
        assert row["note"].startswith(row["name"]) or not row["note"]
        assert "Townsend" not in row["note"]


def test_text_that_is_nobodys_is_refused(tmp_path):
    given = [*rows(), next(rows()) | {"id": "", "seen": ""}]
    with pytest.raises(PolicyError, match="1 different texts are in rows without id"):
        made_of(tmp_path, given=given)


def test_what_was_written_otherwise_than_it_was_scrubbed_is_refused(tmp_path, monkeypatch):
    """As if an engine had joined the wrong thing: the texts are read back, and the candidate
    goes."""
    from sfumato.releases.texts.scrubbed_texts import _Making

    added = _Making.add

    def unscrubbed(self, keys, old, new):
        added(self, keys, old, new)
        self._waiting[-1] = (*keys, old, old)

    monkeypatch.setattr(_Making, "add", unscrubbed)
    with pytest.raises(CandidateFailed, match="note has 4 texts not as scrubbed"):
        made_of(tmp_path)
    assert not (tmp_path / "out").exists()


def test_an_original_that_came_through_is_refused(tmp_path, monkeypatch):
    from sfumato.releases.texts import replace_pass

    monkeypatch.setattr(
        replace_pass, "without", lambda forbidden, text, **_: (f"{text} VIRGINIA TOWNSEND", 0)
    )
    with pytest.raises(CandidateFailed, match="note still has") as caught:
        made_of(tmp_path)
    assert "TOWNSEND" not in str(caught.value).upper()


def test_a_persons_texts_over_tables_are_read_together(tmp_path):
    """A name of the person's table is found in the notes of their visits, and one that only one
    note has in others."""
    tables = clinic()
    for person in tables["people"]:
        person["name"] = f"Ottilie {'Quarrington' if person['id'] // 5 % 2 else 'Vandermeer'}"
    for n, visit in enumerate(tables["visits"]):
        surname = "quarrington" if visit["person"] // 5 % 2 else "VANDERMEER"
        own = f"Her sister is Ms. Wilhelmina Prendergast. {surname} is well."
        visit["ward"] = own if n % 2 else f"Prendergast came with {surname}."
    changes = {
        "people.fields.name": {
            "role": "direct",
            "replace": {"method": "surrogate", "kind": "name"},
        },
        "visits.fields.ward": "text",
    }
    made = released(tables, policy(changes), tmp_path / "out", key=KEY)
    found = read(made)
    notes = " ".join(row["ward"] for row in found["visits"]).casefold()
    assert not [name for name in ("quarrington", "vandermeer", "wilhelmina") if name in notes]
    both = {row["mark"] for row in found["visits"] if "is well" in row["ward"]}
    assert not [
        row for row in found["visits"] if row["mark"] in both and "Prendergast" in row["ward"]
    ]
    surnames = {row["mark"]: row["name"].split()[-1] for row in found["people"]}
    called = [row for row in found["visits"] if "is well" in row["ward"]]
    assert called
    assert all(surnames[row["mark"]].casefold() in row["ward"].casefold() for row in called)
    assert made.outcome == "review"
    assert list(made.manifest["texts"]) == ["visits.ward"]


def test_several_rows_of_a_person_in_one_table(tmp_path):
    given = [row | {"note": f"{row['name'].split()[1].upper()} again."} for row in rows()] + [
        *rows()
    ]
    fields = FIELDS | {"id": {"role": "direct", "replace": "hash"}}
    said = SAID | {"fields": fields, "row_counts": {"linking": 0.0}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
        found = rows_of(made_of(tmp_path, said, given=given))
    by_person = {}
    for row in found:
        by_person.setdefault(row["id"], []).append(row)
    assert len(by_person) == 4
    for mine in by_person.values():
        short, long = sorted((row["note"] for row in mine), key=len)
        assert short.split()[0].casefold() in long.casefold()
        assert not [
            name for _, name, *_ in PEOPLE if name.split()[1].casefold() in short.casefold().split()
        ]


@pytest.mark.parametrize("solver", ["local", "datafly2", "mu_argus"])
def test_whatever_solver_recodes_the_table_its_values_are_not_in_the_text(tmp_path, solver):
    asked = {"combinations": {"k": 2, "sizes": [1]}} if solver == "mu_argus" else {"k": 2}
    fields = FIELDS | {"job": "sensitive"} if solver == "mu_argus" else FIELDS
    made = made_of(
        tmp_path, SAID | {"fields": fields, "solve": {"solver": solver}, "require": asked}
    )
    assert len(rows_of(made)) == 4
    assert not [row for row in rows_of(made) if "021" in row["note"]]


def test_what_a_step_changed_is_not_in_the_text(tmp_path):
    """The table says something else of a person than the note would: so the note says nothing."""
    steps = [{"technique": "suppress", "fields": ["job"], "values": ["welder"]}]
    plain, changed = (
        made_of(tmp_path, SAID | {"fields": fields, "steps": given}, name=name)
        for fields, given, name in (
            (FIELDS | {"note": {"role": "text", "scrub": {"purpose": "direct"}}}, [], "plain"),
            (FIELDS | {"note": {"role": "text", "scrub": {"purpose": "direct"}}}, steps, "changed"),
        )
    )
    assert all("welder" in row["note"] for row in rows_of(plain))
    assert not [row for row in rows_of(changed) if "welder" in row["note"]]


SCRIPT = """
import sfumato.runs.process_pool as workers
from sfumato.releases import Key
from sfumato.releases.pipeline import release
from sfumato.text.detectors import Detectors
workers.WORTH, count = 1, workers.processes
workers.processes = lambda asked, characters: 2
import sfumato.releases.texts.scrubbed_texts as texts
texts.processes, texts.BATCH = workers.processes, 200
release("rows.csv", "policy.toml", to="several", key=Key(bytes(range(32))), file_format="csv")
print("done once")
"""


@pytest.mark.long("processes that import everything anew; one process stays")
def test_several_processes_make_the_same_text_and_need_no_guard_in_the_script(tmp_path):
    from sfumato.policy import write_policy

    said = SAID | {
        "order": "sorted",
        "fields": FIELDS | {"note": {"role": "text", "scrub": {"detectors": "rules"}}},
    }
    one = made_of(tmp_path, said, name="one")
    write_policy(policy_from_table(said), tmp_path / "policy.toml")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.stdout == "done once\n", done.stderr
    assert (tmp_path / "several" / "release.csv").read_bytes() == one.table.read_bytes()


def test_patterns_and_words_of_the_holder_are_masked_and_stay_with_the_holder(tmp_path):
    (tmp_path / "wards.txt").write_text("# wards\nMaple Ward\n", encoding="utf-8")
    own = {
        "patterns": {"study": {"pattern": "ST-[0-9]{6}", "kind": "record number"}},
        "words": {"wards": "wards.txt"},
        "purpose": "direct",
    }
    said = SAID | {"fields": FIELDS | {"note": {"role": "text", "scrub": own}}}
    given = [row | {"note": f"{row['note']} In ST-123456 on maple ward."} for row in rows()]
    source = write(tmp_path / "rows.csv", given)
    decided = policy_from_table(said, folder=tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.releases.one_row_flow.render", lambda facts: "")
        made = release(source, decided, to=tmp_path / "out", key=KEY, file_format="csv")
        text = " ".join(row["note"] for row in rows_of(made))
        assert "123456" not in text
        assert "maple" not in text
        assert "Maple" not in (tmp_path / "out" / "manifest.json").read_text(encoding="utf-8")
        (tmp_path / "wards.txt").unlink()
        assert all(check.outcome != "fail" for check in sfumato.verify(tmp_path / "out"))
        with pytest.raises(Mistake, match=r"wards\.txt cannot be read"):
            release(source, decided, to=tmp_path / "again", key=KEY, file_format="csv")
    assert not (tmp_path / "again").exists()


def test_fields_are_read_as_scrub_reads_and_a_missing_extra_is_named(tmp_path, monkeypatch):
    """One default in both: the transformer where it is installed, else a word about it."""
    read = {}
    for usual in (Detectors.TRANSFORMER, Detectors.CRF):
        monkeypatch.setattr("sfumato.releases.texts.cues.usual_set", lambda usual=usual: usual)
        made = made_of(tmp_path, name=f"out-{usual.value}")
        read[usual] = (
            made.manifest["texts"]["note"]["detectors"],
            any("without the transformer" in warning for warning in made.manifest["warnings"]),
        )
    assert read == {
        Detectors.TRANSFORMER: ("transformer", False),
        Detectors.CRF: ("crf", True),
    }
