"""`sfumato scrub` as a person uses it: what is printed and written, what bad input does, and what
is left of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from sfumato.cli import main

LETTERS = {
    "Townsend_Virginia/letter.txt": "RE: Virginia Townsend, MRN: 32-841-09787. Seen on 05/26/1994.\n",
    "Townsend_Virginia/note.md": "# Visit\n\nMs. Townsend called from 617-473-1214.\n",
    "Long_Marjorie/notes.csv": "id,note\n1,Seen by Dr. Patrick Hayes on 4 June 1999\n",
}
ORIGINALS = ("Virginia", "Townsend", "32-841", "473-1214", "Hayes", "Marjorie")
FULL_DISK = """
import resource, sys
from sfumato.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in LETTERS.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def run(capsys, *words):
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def everything(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_is_scrubbed_verified_and_put_back(folder, capsys):
    words = (
        "scrub",
        folder / "in",
        "--to",
        folder / "out",
        "--person-from",
        "folder",
        "--mapping",
        folder / "map.json",
    )
    code, said, loud = run(capsys, *words)
    assert code == 0
    assert "3 files scrubbed" in said
    assert "not anonymous" in said
    written = everything(folder / "out")
    assert not any(value in said + loud for value in ORIGINALS)
    assert not any(value.encode() in content for value in ORIGINALS for content in written.values())
    assert run(capsys, "verify", folder / "out")[0] == 0
    code, said, _ = run(
        capsys, "scrub", folder / "out", "--reverse", folder / "map.json", "--to", folder / "back"
    )
    assert (code, "identify people again" in said) == (0, True)
    assert everything(folder / "back") == everything(folder / "in")


def test_two_processes_write_the_same_bytes_as_one(folder, capsys):
    run(capsys, "key", folder / "k.key")
    for jobs in (1, 2):
        words = (
            "scrub",
            folder / "in",
            "--to",
            folder / str(jobs),
            "--key",
            folder / "k.key",
            "--jobs",
            jobs,
            "--json",
        )
        code, said, _ = run(capsys, *words)
        assert code == 0
        told = json.loads(said)
        assert {path.rpartition("/")[2] for path in told["sources"].values()} == {
            "letter.txt",
            "note.md",
            "notes.csv",
        }
    one, two = (everything(folder / jobs) for jobs in "12")
    assert one.keys() == two.keys()
    assert all(one[name] == two[name] for name in one if name != "manifest.json")


@pytest.mark.parametrize(
    ("style", "there"), [("tags", "[PHONE 1]"), ("masks", "************"), ("suppress", "[...]")]
)
def test_styles(folder, capsys, style, there):
    note = folder / "in" / "Townsend_Virginia" / "note.md"
    code, _, _ = run(
        capsys, "scrub", note, "--to", folder / "out", "--style", style, "--purpose", "direct"
    )
    assert code == 0
    assert there in (folder / "out" / "document-0001.md").read_text(encoding="utf-8")


def test_a_review_is_written_corrected_and_applied(folder, capsys):
    run(capsys, "key", folder / "k.key")
    words = ("scrub", folder / "in", "--key", folder / "k.key", "--style", "tags")
    code, said, _ = run(capsys, *words, "--to", folder / "a", "--review", folder / "review")
    assert (code, "review.html" in said.replace("\n", "")) == (0, True)
    review = json.loads((folder / "review" / "review.json").read_text(encoding="utf-8"))
    for document in review["documents"]:
        for finding in document["findings"]:
            finding["mask"] = finding["kind"] == "phone"
    (folder / "review" / "review.json").write_text(json.dumps(review), encoding="utf-8")
    code, _, _ = run(
        capsys, *words, "--to", folder / "b", "--apply", folder / "review" / "review.json"
    )
    assert code == 0
    written = b"".join(everything(folder / "b").values())
    assert b"Virginia Townsend" in written
    assert b"473-1214" not in written
    assert json.loads((folder / "b" / "manifest.json").read_text(encoding="utf-8"))["scrubbed"][
        "checked_by_a_person"
    ]


def test_what_would_be_masked_in_a_corpus(folder, capsys):
    corpus = folder / "corpus.json"
    corpus.write_text(
        json.dumps([{"id": "x", "text": "Dear Dr. Lang: 617-473-1214"}, {"id": "y", "text": ""}])
    )
    code, said, loud = run(capsys, "scrub", "--find", corpus, "--json")
    found = json.loads(said)
    assert (code, list(found), found["y"], loud) == (0, ["x", "y"], [], "")
    assert all(len(span) == 5 for span in found["x"])
    corpus.write_text("[]", encoding="utf-8")
    assert json.loads(run(capsys, "scrub", "--find", corpus, "--json")[1]) == {}


def test_misuse_is_told(folder, capsys):
    assert run(capsys, "scrub", folder / "in")[0] == 2
    assert run(capsys, "scrub", "--to", folder / "out")[0] == 2
    assert run(capsys, "scrub", folder / "in", "--to", folder / "out", "--keep", "shoes")[0] == 2
    assert (
        run(capsys, "scrub", folder / "in", "--to", folder / "out", "--threshold", "name")[0] == 2
    )
    assert (
        run(capsys, "scrub", folder / "in", "--to", folder / "out", "--threshold", "shoe=0.3")[0]
        == 2
    )
    assert (
        run(capsys, "scrub", folder / "in", "--to", folder / "out", "--review", folder / "in")[0]
        == 2
    )
    assert run(capsys, "scrub", folder / "nowhere", "--to", folder / "out")[0] == 2
    assert not (folder / "out").exists()


BAD = {
    "empty.txt": b"",
    "undecodable.txt": b"Dear Ms. Townsend \xff\xfe\x00\x81 called 617-473-1214",
    "control.txt": "Call 617-473-1214\x00\x07\x1b[31m\u2028 now\x0c".encode(),
    "right_to_left.txt": "שלום Virginia Townsend \u202eمرحبا\u202c 617-473-1214".encode(),
    "emoji.txt": "👩🏽‍⚕️ saw Virginia Townsend 🎉 on 05/26/1994".encode(),
    "mixed.txt": "Пациент Virginia Townsend 东京 ☎ 617-473-1214 naïve Zoë e\u0301".encode(),
    "utf16.txt": "Dear Ms. Townsend, call 617-473-1214".encode("utf-16"),
    "line.txt": b"Call 617-473-1214 " + b"x" * 200_000 + b" 617-473-1214 " + b"7" * 50_000,
    "blank.csv": b"\n\n",
    "header.csv": b"a,b\n",
    "lines.jsonl": b'{"note": "call 617-473-1214"}\n',
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_scrubbed_or_refused_and_never_quoted(tmp_path, capsys, name):
    path = tmp_path / name
    path.write_bytes(BAD[name])
    codes = ("utf-8", "utf-16-le")
    there = [value for value in ORIGINALS if any(value.encode(code) in BAD[name] for code in codes)]
    code, said, loud = run(capsys, "scrub", path, "--to", tmp_path / "out")
    assert not any(value in said + loud for value in there)
    assert "Traceback" not in loud
    if code in (0, 3):
        [document] = (tmp_path / "out").glob("document-*")
        content = document.read_bytes()
        assert not any(value.encode(each) in content for value in there for each in codes)
    else:
        assert code == 2
        assert "SourceError" in loud
        assert not (tmp_path / "out").exists()
    if name in ("right_to_left.txt", "line.txt"):  # Hardly any word of a language that is read.
        assert code == 3
    elif name not in ("undecodable.txt", "control.txt", "blank.csv", "header.csv", "empty.txt"):
        assert code == 0


@pytest.mark.skipif(os.name != "posix", reason="limits the size of a file as POSIX does")
def test_a_full_disk_is_a_clear_error_and_leaves_nothing(tmp_path):
    (tmp_path / "long.txt").write_text("She is well. " * 3_000, encoding="utf-8")
    words = ["scrub", str(tmp_path / "long.txt"), "--to", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, *words], capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, "TargetError" in done.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["long.txt"]
