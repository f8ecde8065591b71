"""Who receives scrubbed letters looks for what is left of the originals; who sends them hides some
by accident.

Names are written as word processors, web pages and tired fingers write them: with characters that
nobody sees, cut by the end of a line, misspelt. Each attack looks for pieces of the original in
everything that was written."""

from __future__ import annotations

import csv
import json

import pytest

from sfumato.cli import main
from sfumato.errors import CandidateFailed, Mistake
from sfumato.policy import policy_from_table
from sfumato.policy.toml_file import tomllib
from sfumato.releases import Key
from sfumato.releases.pipeline import release
from sfumato.scrubbing import reverse_files, scrub

KEY = Key(bytes(range(32)))
OPENING = "RE: Virginia Townsend, MRN: 32-841-09787.\nDear Dr. Hayes, Virginia Townsend was seen.\n"


def written(folder, text, name="letter.txt"):
    path = folder / "in" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder / "in"


def scrubbed(folder, text, **asked):
    """The one letter after scrubbing."""
    done = scrub(written(folder, text), to=folder / "out", key=KEY, **asked)
    (file,) = done.sources
    return (folder / "out" / file).read_text(encoding="utf-8")


HIDDEN = {
    "soft hyphen": "\u00ad",
    "blank of no width": "\u200b",
    "joiner": "\u200d",
    "mark of direction": "\u200e",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "null": "\x00",
    "tag": "\U000e0041",
}


@pytest.mark.parametrize("mark", HIDDEN.values(), ids=HIDDEN.keys())
def test_characters_that_nobody_sees_hide_no_name(tmp_path, mark):
    text = f"{OPENING}Then Vir{mark}ginia Towns{mark}end went home. Towns{mark}end called.\n"
    out = scrubbed(tmp_path, text)
    assert not [piece for piece in ("Vir", "ginia", "Towns", "end ") if piece in out]
    name = out.split("RE: ")[1].split(",")[0]
    assert f"Then {name} went home" in out


@pytest.mark.parametrize(
    "cut",
    [
        "Town-\nsend",
        "Town-\r\nsend",
        "Town- \n  send",
        "TOWN-\nSEND",
        "Town\u2010\nsend",
        "Town\u00ad\nsend",
    ],
)
def test_a_name_that_the_end_of_a_line_cuts_in_two_goes_as_a_whole(tmp_path, cut):
    out = scrubbed(tmp_path, f"{OPENING}We then asked Virginia {cut} to come back.\n")
    assert "send" not in out.lower()
    assert "to come back." in out


def test_what_is_hidden_comes_back_with_the_original(tmp_path):
    text = f"{OPENING}Then Vir\u200bginia Towns\u00adend and Virginia Town-\nsend left.\n"
    source = written(tmp_path, text)
    scrub(source, to=tmp_path / "out", key=KEY, mapping=tmp_path / "map.json")
    reverse_files(tmp_path / "map.json", tmp_path / "out", to=tmp_path / "back")
    assert (tmp_path / "back" / "letter.txt").read_text(encoding="utf-8") == text


def test_a_name_hidden_in_somebody_elses_letter_goes_too(tmp_path):
    written(tmp_path, OPENING, name="a/letter.txt")
    source = written(tmp_path, "The ward was quiet; then came Towns\u200bend.\n", name="b/note.txt")
    done = scrub(source, to=tmp_path / "out", key=KEY, person_from="folder")
    texts = "".join((done.folder / name).read_text(encoding="utf-8") for name in done.sources)
    assert "Towns\u200bend" not in texts
    assert "The ward was quiet" in texts


@pytest.mark.parametrize("slip", ["Mrs. Townsned", "Mrs. Towsend", "Dr. Townsent"])
def test_a_slip_of_the_finger_gets_the_surrogate_of_the_one_who_was_meant(tmp_path, slip):
    out = scrubbed(tmp_path, f"{OPENING}{slip} asked for a new appointment.\n")
    last_name = out.split("RE: ")[1].split(",")[0].split()[1]
    assert f"{slip.split()[0]} {last_name} asked" in out


def test_a_slip_that_was_hardly_taken_for_a_name_is_one_beside_the_name(tmp_path):
    out = scrubbed(tmp_path, f"{OPENING}He saw Ann. Tonwsend (misspelt) came.\n")
    assert "Tonwsend" not in out


def test_two_people_whose_names_are_close_are_not_made_one(tmp_path):
    out = scrubbed(
        tmp_path,
        "Marjorie Long wrote to Frank Lang. Then Marjorie Long left, and Frank Lang stayed.\n",
    )
    one, other = (words.split()[-1] for words in out.split(".")[0].split(" wrote to "))
    assert one != other


POLICY = """
entity = "patient_id"
[fields]
patient_id = { role = "direct", replace = "made-up" }
name = { role = "direct", replace = { method = "surrogate", kind = "name" } }
birth = { role = "quasi", hierarchy = { dates = ["year", "10 years", "50 years"] } }
admitted = { role = "insensitive", shift = { days = 30 } }
[require]
k = 2
"""
TABLE = (
    "patient_id,name,birth,admitted\n"
    "MRN100001,Virginia Townsend,1954-06-08,2001-05-03\n"
    "MRN100002,Patrick Hayes,1957-01-20,2001-05-09\n"
)


@pytest.fixture
def linked(tmp_path):
    """A table, its policy, and letters of the same people."""
    (tmp_path / "patients.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    written(
        tmp_path,
        "Virginia Townsend (MRN100001) was seen on 2001-05-03. Ms. Townsend left.",
        name="MRN100001.txt",
    )
    written(tmp_path, "Patrick Hayes (MRN100002) was seen on 2001-05-09.", name="MRN100002.txt")
    return tmp_path


def test_letters_agree_with_the_tables_that_they_go_with(linked):
    policy = policy_from_table(tomllib.loads(POLICY))
    table = release(
        linked / "patients.csv", policy, to=linked / "table", key=KEY, file_format="csv"
    ).table
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    done = scrub(
        linked / "in",
        to=linked / "out",
        key=KEY,
        policy=linked / "policy.toml",
        known=linked / "patients.csv",
        person_from=r"(MRN\d+)",
    )
    texts = [(done.folder / name).read_text(encoding="utf-8") for name in done.sources]
    for row in rows:
        assert any(
            f"{row['name']} ({row['patient_id']}) was seen on {row['admitted']}" in text
            for text in texts
        )
    assert done.manifest["scrubbed"]["linked_tables"]["dates"] == "moved as in the tables"


def test_a_surrogate_of_the_tables_may_share_a_first_name_with_somebody_real(linked):
    """Else letters in which somebody happens to be called as a surrogate is could never go with the
    tables."""
    policy = policy_from_table(tomllib.loads(POLICY))
    table = release(
        linked / "patients.csv", policy, to=linked / "table", key=KEY, file_format="csv"
    ).table
    with table.open(encoding="utf-8", newline="") as file:
        given = [row["name"].split()[0] for row in csv.DictReader(file)]
    written(
        linked,
        "".join(f"Dear Mrs. {name}, we saw {name} today.\n" for name in given),
        name="other.txt",
    )
    asked = {
        "policy": linked / "policy.toml",
        "known": linked / "patients.csv",
        "person_from": r"(MRN\d+)",
    }
    done = scrub(linked / "in", to=linked / "out", key=KEY, **asked)
    other = next(name for name, path in done.sources.items() if path.name == "other.txt")
    assert not [name for name in given if name in (done.folder / other).read_text(encoding="utf-8")]


def test_a_policy_needs_the_key_and_says_whose_a_row_is(linked):
    with pytest.raises(Mistake, match="Without a key"):
        scrub(linked / "in", to=linked / "out", policy=linked / "policy.toml")
    asked = {"policy": linked / "policy.toml", "known": linked / "patients.csv", "key": KEY}
    with pytest.raises(Mistake, match="None of the 2 people"):
        scrub(linked / "in", to=linked / "out", person_from=r"(\d+)", **asked)
    (linked / "nobody.toml").write_text(
        '[fields]\nbirth = "insensitive"\n[require]\nk = 2\n', encoding="utf-8"
    )
    with pytest.raises(Mistake, match="the person of a row"):
        scrub(linked / "in", to=linked / "out", policy=linked / "nobody.toml", key=KEY)


def test_a_body_is_called_alike_where_it_stands_and_where_others_refer_to_it(tmp_path):
    clinic = {"resourceType": "Organization", "id": "o1", "name": "Winthrop Clinic"}
    patient = {
        "resourceType": "Patient",
        "id": "p1",
        "name": [{"family": "Townsend", "given": ["Virginia"]}],
        "telecom": [{"system": "phone", "value": "617-473-1214"}],
        "managingOrganization": {"reference": "Organization/o1", "display": "Winthrop Clinic"},
    }
    bundle = {"resourceType": "Bundle", "entry": [{"resource": clinic}, {"resource": patient}]}
    source = written(tmp_path, json.dumps(bundle), name="bundle.json")
    done = scrub(source, to=tmp_path / "out", key=KEY)
    (name,) = done.sources
    one, other = (
        each["resource"]
        for each in json.loads((done.folder / name).read_text(encoding="utf-8"))["entry"]
    )
    assert one["name"] == other["managingOrganization"]["display"] != "Winthrop Clinic"
    assert other["telecom"][0]["system"] == "phone"


def test_where_an_original_still_stands_the_source_is_named_and_not_the_value(tmp_path):
    source = written(
        tmp_path,
        '{"Virginia Townsend": "Dear Ms. Virginia Townsend, thank you."}\n',
        name="keys.jsonl",
    )
    with pytest.raises(CandidateFailed) as failed:
        scrub(source, to=tmp_path / "out", key=KEY)
    assert "keys.jsonl" in str(failed.value)
    assert "Townsend" not in str(failed.value)
    assert not (tmp_path / "out").exists()


def test_the_manifest_says_who_checked_and_files_open_to_others_are_told(tmp_path, capsys):
    source, key = written(tmp_path, OPENING), tmp_path / "my.key"
    main(["key", str(key)])
    main(
        [
            "scrub",
            str(source),
            "--to",
            str(tmp_path / "out"),
            "--key",
            str(key),
            "--review",
            str(tmp_path / "check"),
        ]
    )
    review = tmp_path / "check" / "review.json"
    said = json.loads(review.read_text(encoding="utf-8")) | {"reviewer": "R. Reader"}
    said["documents"][0]["findings"][0]["mask"] = False
    review.write_text(json.dumps(said), encoding="utf-8")
    review.chmod(0o644)
    capsys.readouterr()
    main(
        [
            "scrub",
            str(source),
            "--to",
            str(tmp_path / "done"),
            "--key",
            str(key),
            "--apply",
            str(review),
        ]
    )
    checked = json.loads((tmp_path / "done" / "manifest.json").read_text(encoding="utf-8"))[
        "scrubbed"
    ]
    assert checked["checked_by_a_person"]["reviewers"] == ["R. Reader"]
    assert checked["checked_by_a_person"]["kept_more"] == 1
    assert "may be read by others" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "said",
    [
        "is a ninety-four-year-old woman",
        "is a nonagenarian",
        "was seen. She turned ninety-four.",
        "is 94 years old",
    ],
)
def test_an_age_over_89_does_not_stay_in_a_note_in_words_either(tmp_path, said):
    out = scrubbed(
        tmp_path,
        f"HISTORY: The patient {said}. She takes insulin 5 mg. Plan: continue metformin.\n",
    )
    assert not [word for word in ("ninety", "nonagenarian", "94") if word in out]
    assert "insulin 5 mg" in out


def test_a_date_goes_with_its_year_in_words_and_an_age_with_its_months(tmp_path):
    text = (
        "Virginia Townsend, a 7 and 6/12 year old girl, came on the twenty-sixth of May, "
        "nineteen ninety-four.\n"
    )
    out = scrubbed(tmp_path, text, purpose="everything")
    assert not [words for words in ("6/12", "nineteen", "twenty-sixth") if words in out]


@pytest.mark.parametrize(
    "written_so",
    [
        "C:\\Users\\vtownsend\\scan.pdf",
        "scan-townsend-virginia-2.pdf",
        "Townsend_Virginia.pdf",
        "Townsendʼs",
    ],
)
def test_names_in_names_of_files_and_beside_odd_apostrophes_go(tmp_path, written_so):
    out = scrubbed(tmp_path, f"{OPENING}It is the same as in {written_so} of last week.\n")
    assert "townsend" not in out.lower()
    assert "of last week." in out


def test_what_a_person_keeps_in_one_place_may_stand_there(tmp_path):
    """Else a review in which one mention is kept and another masked could not be applied."""
    source = written(tmp_path, OPENING)
    done = scrub(source, to=tmp_path / "out", key=KEY, reviews=True)
    (checked,) = done.checked
    first, *others = checked.decided
    kept = (type(first)(finding=first.finding, masks=False, reason="kept"), *others)
    again = scrub(source, to=tmp_path / "again", key=KEY, decide=lambda documents: [kept])
    (name,) = again.sources
    assert (again.folder / name).read_text(encoding="utf-8").count("Virginia Townsend") == 1


LINKED = """
entity = "patients.patient_id"
[tables.patients]
key = "patient_id"
[tables.patients.fields]
patient_id = { role = "direct", replace = "made-up" }
name = { role = "direct", replace = { method = "surrogate", kind = "name" } }
birth = { role = "quasi", hierarchy = { dates = ["year", "10 years", "50 years"] } }
[tables.visits]
key = "visit_id"
links = { patient_id = "patients.patient_id" }
[tables.visits.fields]
visit_id = { role = "direct", replace = "number" }
patient_id = "direct"
seen = { role = "insensitive", shift = { days = 30 } }
[require]
k = 2
"""


def test_letters_agree_with_several_linked_tables(linked):
    tables = linked / "tables"
    tables.mkdir()
    people = [line.rpartition(",")[0] for line in TABLE.splitlines()]
    (tables / "patients.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    visits = "visit_id,patient_id,seen\n1,MRN100001,2001-05-03\n2,MRN100002,2001-05-09\n"
    (tables / "visits.csv").write_text(visits, encoding="utf-8")
    (linked / "linked.toml").write_text(LINKED, encoding="utf-8")
    made = release(
        tables,
        policy_from_table(tomllib.loads(LINKED)),
        to=linked / "out-tables",
        key=KEY,
        file_format="csv",
    )
    with (made.folder / "patients.csv").open(encoding="utf-8", newline="") as file:
        names = {row["patient_id"]: row["name"] for row in csv.DictReader(file)}
    with (made.folder / "visits.csv").open(encoding="utf-8", newline="") as file:
        seen = {row["seen"] for row in csv.DictReader(file)}
    asked = {
        "policy": linked / "linked.toml",
        "known": tables / "patients.csv",
        "person_from": r"(MRN\d+)",
    }
    done = scrub(linked / "in", to=linked / "out", key=KEY, **asked)
    texts = [
        (done.folder / name).read_text(encoding="utf-8").split(".")[0] for name in done.sources
    ]
    expected = {
        f"{name} ({number}) was seen on {day}" for number, name in names.items() for day in seen
    }
    assert len(texts) == 2
    assert set(texts) < expected
