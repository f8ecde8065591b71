"""Scrubbing files: who shares surrogates, what files are called, what travels with them, and what
is refused."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

import sfumato
from sfumato.errors import CandidateFailed, Mistake, SecretError, SourceError, TargetError
from sfumato.releases import Key, verify
from sfumato.scrubbing import reverse_files, scrub
from sfumato.text.scrubber import DE_IDENTIFIED
from sfumato.text.surrogates.styles import ReplacementMethod, Style

KEY = Key(bytes(range(32)))
LETTERS = {
    "Townsend_Virginia/1.txt": "RE: Virginia Townsend, MRN: 32-841-09787. Seen on 05/26/1994 by Dr. Patrick Hayes.\n",
    "Townsend_Virginia/2.txt": "Dear Ms. Townsend:\r\nplease call 617-473-1214 before 06/02/1994.\r\n",
    "Long_Marjorie/1.txt": "RE: Marjorie Long. Dear Dr. Hayes, she is well since 05/26/1994. See 32-841-09787.\n",
}
SECRET = ("Virginia", "Townsend", "Marjorie", "32-841-09787", "473-1214", "Hayes", "05/26/1994")


def at_noon():
    return datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path):
    for name, text in LETTERS.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path / "in"


def by_source(made, folder):
    """The new texts, by the places of the old ones."""
    return {
        path.relative_to(folder).as_posix(): (made.folder / name).read_bytes().decode()
        for name, path in made.sources.items()
    }


def everything(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_documents_of_a_person_share_surrogates_and_days(folder, tmp_path):
    made = sfumato.scrub(folder, to=tmp_path / "out", key=KEY, person_from="folder")
    texts = by_source(made, folder)
    first, second = texts["Townsend_Virginia/1.txt"], texts["Townsend_Virginia/2.txt"]
    name = second.split(":")[0].split()[-1]
    assert name in first
    assert name not in texts["Long_Marjorie/1.txt"]
    days = [
        datetime.strptime(text.split(cue)[1][:10], "%m/%d/%Y")
        for text, cue in ((first, "on "), (second, "before "))
    ]
    assert (days[1] - days[0]).days == 7
    assert second.count("\r\n") == 2
    assert (made.outcome, made.files) == ("pass", 3)
    assert made.words == DE_IDENTIFIED


def test_nothing_that_was_masked_stands_in_files_names_or_manifest(folder, tmp_path):
    sfumato.scrub([folder], to=tmp_path / "out", key=KEY, person_from="folder")
    for name, content in everything(tmp_path / "out").items():
        for value in SECRET:
            assert value.encode() not in content
            assert value not in name


def test_a_number_found_in_one_letter_is_masked_in_everybodys(folder, tmp_path):
    (folder / "other.txt").write_text("again 32-841-09787 was asked for", encoding="utf-8")
    made = sfumato.scrub(folder, to=tmp_path / "out")
    assert "32-841" not in by_source(made, folder)["other.txt"]


def test_files_are_numbered_in_an_order_that_the_key_tells(tmp_path):
    for number in range(12):
        (tmp_path / f"{number:02}.txt").write_text("He is ill.", encoding="utf-8")
    orders = set()
    for seed in (1, 2):
        made = scrub(
            sorted(tmp_path.glob("*.txt")),
            to=tmp_path / f"out{seed}",
            key=Key(bytes(range(seed, seed + 32))),
        )
        assert sorted(made.sources) == [f"document-{number:04}.txt" for number in range(1, 13)]
        orders.add(tuple(made.sources[name].name for name in sorted(made.sources)))
    assert len(orders) == 2
    assert tuple(f"{number:02}.txt" for number in range(12)) not in orders


def test_one_key_gives_the_same_bytes_and_another_gives_others(folder, tmp_path):
    runs = [
        scrub(
            folder,
            to=tmp_path / str(number),
            key=Key(bytes(range(seed, 32 + seed))),
            person_from="folder",
            clock=at_noon,
        )
        for number, seed in enumerate((0, 0, 1))
    ]
    first, second, third = (everything(made.folder) for made in runs)
    assert first == second
    assert set(first.values()).isdisjoint(set(third.values()))


def test_sources_stay_as_they_are_and_times_are_new(folder, tmp_path):
    import os

    before = everything(folder)
    for path in folder.rglob("*.txt"):
        os.utime(path, (1, 1))
    started = time.time() - 2
    scrub(folder, to=tmp_path / "out")
    assert everything(folder) == before
    assert all(path.stat().st_mtime > started for path in (tmp_path / "out").rglob("*"))


def test_kept_names_that_name_somebody_are_refused_and_nothing_is_left(folder, tmp_path):
    with pytest.raises(CandidateFailed, match="are still in"):
        scrub(folder, to=tmp_path / "out", names="kept")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
    made = scrub(folder / "Long_Marjorie" / "1.txt", to=tmp_path / "out", names="kept")
    assert list(made.sources) == ["1.txt"]


def test_columns_that_were_not_scrubbed_may_not_hold_what_was_masked(tmp_path):
    table = tmp_path / "visits.csv"
    table.write_text("mrn,note\n32-841-09787,MRN: 32-841-09787 seen\n", encoding="utf-8")
    with pytest.raises(CandidateFailed):
        scrub(table, to=tmp_path / "out", columns=["note"])
    assert not (tmp_path / "out").exists()
    made = scrub(table, to=tmp_path / "out")
    assert b"32-841" not in everything(made.folder)["document-0001.csv"]


def test_rows_of_a_table_belong_to_people(tmp_path):
    table = tmp_path / "notes.csv"
    rows = ["id,note", "7,Dr. Patrick Hayes came", "7,Dr. Hayes left", "8,Dr. Patrick Hayes came"]
    table.write_text("\n".join(rows), encoding="utf-8")
    made = scrub(table, to=tmp_path / "out", columns=["note"], person_column="id", key=KEY)
    new = everything(made.folder)["document-0001.csv"].decode().splitlines()
    name = new[2].removeprefix("7,Dr. ").removesuffix(" left")
    assert name in new[1]
    assert name not in new[3]
    assert new[0] == "id,note"


def test_a_register_tells_what_nobody_would_find(folder, tmp_path):
    (folder / "Long_Marjorie" / "2.txt").write_text("again qx77b, then home", encoding="utf-8")
    plain = by_source(scrub(folder, to=tmp_path / "a", person_from=r"^(\w+)/"), folder)
    assert "qx77b" in plain["Long_Marjorie/2.txt"]
    register = tmp_path / "register.csv"
    register.write_text(
        "person,first name,last name,record number\nLong_Marjorie,Marjorie,Long,qx77b\n",
        encoding="utf-8",
    )
    known = by_source(
        scrub(folder, to=tmp_path / "b", person_from=r"^(\w+)/", known=register), folder
    )
    assert "qx77b" not in known["Long_Marjorie/2.txt"]


@pytest.mark.parametrize(
    "content",
    ["name\nAnn Lee\n", "person,shoe\n7,Ann Lee\n", b"\xff\xfe\x00", 'person,name\n7,"Ann'],
)
def test_a_register_that_says_nothing_is_refused_without_quoting_it(folder, tmp_path, content):
    register = tmp_path / "register.csv"
    register.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SourceError) as refused:
        scrub(folder, to=tmp_path / "out", known=register)
    assert "Ann" not in str(refused.value)


def test_files_that_are_not_read_are_named_together_or_left_out(folder, tmp_path):
    (folder / "scan.gif").write_bytes(b"GIF89a")
    (folder / "model.bin").write_bytes(b"\0")
    (folder / "torn.docx").write_bytes(b"PK\x03\x04 no package")
    with pytest.raises(SourceError) as refused:
        scrub(folder, to=tmp_path / "out")
    said = str(refused.value)
    assert all(name in said for name in ("scan.gif", "model.bin", "torn.docx", "skip_unknown"))
    with pytest.raises(SourceError, match=r"torn\.docx"):
        scrub(folder, to=tmp_path / "out", skip_unknown=True)
    (folder / "torn.docx").unlink()
    made = scrub(folder, to=tmp_path / "out", skip_unknown=True)
    assert sorted(path.name for path in made.skipped) == ["model.bin", "scan.gif"]
    assert made.manifest["scrubbed"]["files_skipped"] == 2
    assert "model.bin" not in (made.folder / "manifest.json").read_text(encoding="utf-8")


def test_the_manifest_says_what_was_done_and_verifies(folder, tmp_path):
    style = Style(method=ReplacementMethod.TAG)
    made = scrub(
        folder,
        to=tmp_path / "out",
        purpose="direct",
        style=style,
        thresholds={"name": 0.3},
        key=KEY,
    )
    facts = json.loads((made.folder / "manifest.json").read_text(encoding="utf-8"))
    assert facts["statement"] == DE_IDENTIFIED
    told = facts["scrubbed"]
    assert (told["purpose"], told["style"]["method"], told["thresholds"]) == (
        "direct",
        "tag",
        {"name": 0.3},
    )
    assert told["detectors"]["weights"]["crf.npz"]
    assert set(told["findings"]["name"]) == {"tag"}
    assert {each["file"] for each in told["files"]} == set(made.sources)
    assert {check.outcome for check in verify(made.folder)} == {"pass", "review"}
    (made.folder / "document-0001.txt").write_text("other", encoding="utf-8")
    assert [check.claim for check in verify(made.folder) if check.outcome == "fail"] == [
        "digest of document-0001.txt"
    ]
    (made.folder / "document-0002.txt").rename(made.folder / "new.txt")
    assert "the folder holds the files of the release and no others" in [
        check.claim for check in verify(made.folder) if check.outcome == "fail"
    ]


def test_the_way_back(folder, tmp_path):
    mapping = tmp_path / "originals.json"
    made = scrub(folder, to=tmp_path / "out", mapping=mapping, person_from="folder")
    assert mapping.stat().st_mode & 0o077 == 0
    assert reverse_files(mapping, made.folder, to=tmp_path / "back") == 3
    assert {
        name: content.decode() for name, content in everything(tmp_path / "back").items()
    } == LETTERS
    with pytest.raises(TargetError, match="exists already"):
        scrub(folder, to=tmp_path / "more", mapping=mapping)
    (made.folder / next(iter(made.sources))).write_text("changed", encoding="utf-8")
    with pytest.raises(SecretError, match="was changed"):
        reverse_files(mapping, made.folder, to=tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_originals_do_not_travel_with_the_files(folder, tmp_path):
    with pytest.raises(TargetError, match="among the scrubbed files"):
        scrub(folder, to=tmp_path / "out", mapping=tmp_path / "out" / "map.json")


def test_a_run_that_fails_leaves_no_mapping(folder, tmp_path, monkeypatch):
    from sfumato.releases import atomic_folder

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_folder, "_move", full)
    with pytest.raises(TargetError, match="No space left"):
        scrub(folder, to=tmp_path / "out", mapping=tmp_path / "map.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_an_earlier_run_is_replaced_only_when_asked(folder, tmp_path):
    scrub(folder, to=tmp_path / "out", person_from="folder")
    with pytest.raises(TargetError, match="already holds"):
        scrub(folder, to=tmp_path / "out")
    made = scrub(folder / "Long_Marjorie", to=tmp_path / "out", replace=True)
    assert set(everything(made.folder)) == {"document-0001.txt", "manifest.json"}
    (made.folder / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(TargetError, match="holds more"):
        scrub(folder, to=tmp_path / "out", replace=True)


def test_a_file_that_changes_meanwhile_is_refused(folder, tmp_path):
    def change(stage, done, total):
        if stage == "reading" and done == total:
            (folder / "Long_Marjorie" / "1.txt").write_text("Ann Lee", encoding="utf-8")

    with pytest.raises(SourceError, match="changed while"):
        scrub(folder, to=tmp_path / "out", progress=change)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"purpose": "some"},
        {"detectors": "all"},
        {"names": "secret"},
        {"thresholds": {"name": 2}},
        {"jobs": -1},
    ],
)
def test_what_nobody_understands_is_a_mistake(folder, tmp_path, wrong):
    with pytest.raises(Mistake):
        scrub(folder, to=tmp_path / "out", **wrong)


def test_every_file_is_counted_in_every_stage(folder, tmp_path):
    seen = []
    scrub(
        folder,
        to=tmp_path / "out",
        progress=lambda stage, done, total: seen.append((str(stage), done, total)),
    )
    assert seen == [(stage, n, 3) for stage in ("reading", "finding", "writing") for n in (1, 2, 3)]


def test_a_text_unlike_the_others_is_told_by_its_new_name(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    usual = (
        "She was seen in the clinic today for a routine visit and is doing well on her "
        "present dose of insulin with no "
        "new complaints, a normal examination, good growth and weight, and will come back "
        "in three months."
    )
    for number in range(14):
        (inside / f"{number}.txt").write_text(usual, encoding="utf-8")
    (inside / "99.txt").write_text(
        "At two he was found alone on an island, at three he set fire to the house, at "
        "four his parents parted, at "
        "five he was placed in foster care after stabbing another child with scissors "
        "during a school play.",
        encoding="utf-8",
    )
    made = scrub(inside, to=tmp_path / "out")
    [unusual] = made.unusual
    assert made.sources[unusual.file].name == "99.txt"
    assert "1 text is unusual" in made.words
    assert made.manifest["scrubbed"]["unusual"][0]["file"] == unusual.file


def test_a_letter_in_another_language_ends_in_review(tmp_path):
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "a.txt").write_text("She is well and will return. Dr. Hayes saw her on 05/26/1994.")
    first = scrub(letters, to=tmp_path / "english")
    (letters / "b.txt").write_text("Der Patient Karl Brandt klagt seit gestern über Schmerzen.")
    second = scrub(letters, to=tmp_path / "both")
    assert (first.outcome, second.outcome) == ("pass", "review")
    assert second.manifest["scrubbed"]["languages"] == {"English": 1, "German": 1}
    assert [check for check in verify(tmp_path / "both") if check.outcome == "fail"] == []


def test_a_forged_pass_of_another_language_is_noticed(tmp_path):
    (tmp_path / "b.txt").write_text("Der Patient Karl Brandt klagt seit gestern über Schmerzen.")
    scrub(tmp_path / "b.txt", to=tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"outcome": "review"', '"outcome": "pass"'))
    assert "fail" in {check.outcome for check in verify(tmp_path / "out")}


def test_a_collection_with_initials_for_names_passes(tmp_path):
    """Initials are surrogates of each other: looking for them everywhere would fail every run."""
    letters = tmp_path / "letters"
    letters.mkdir()
    for number, letter in enumerate("ABCDEFGHKLMNPRSTXYZ" * 2):
        (letters / f"{number}.txt").write_text(
            f"She was seen by Dr. {letter} on 05/26/1994 for left flank pain and is well now."
        )
    assert scrub(letters, to=tmp_path / "out").outcome == "pass"


def test_what_is_not_certain_becomes_a_tag(tmp_path):
    note = "Discussed with Hodgkin. HR 88, BP 120/80 after surgery. She is well and will return."
    (tmp_path / "note.txt").write_text(note)
    scrub(tmp_path / "note.txt", to=tmp_path / "out", detectors="crf")
    (made,) = (tmp_path / "out").glob("*.txt")
    assert made.read_text() == note.replace("Hodgkin", "[NAME?]")
