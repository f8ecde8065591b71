"""tools/text/score_corpus.py: the figures on sources of three forms, small enough to count by hand."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "text" / "score_corpus.py"
TEXT = "Ann Lee called 617-473-1214 in Boston."
GOLD = ((0, 7, "PATIENT", "NAME"), (15, 27, "PHONE", "CONTACT"), (31, 37, "CITY", "LOCATION"))


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("score_corpus", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["score_corpus"] = module
    spec.loader.exec_module(module)
    return module


def write(folder, form):
    if form == "json":
        path = folder / "c.json"
        path.write_text(json.dumps([{"id": "a", "text": TEXT, "gold": [list(g) for g in GOLD]}]))
        return path
    if form == "i2b2":
        tags = "".join(
            f'<{tag} id="P{n}" start="{start}" end="{end}" text="" TYPE="{kind}" />'
            for n, (start, end, kind, tag) in enumerate(GOLD)
        )
        record = f"<deIdi2b2><TEXT><![CDATA[{TEXT}]]></TEXT><TAGS>{tags}</TAGS></deIdi2b2>"
        (folder / "110-01.xml").write_text(record)
        return folder
    (folder / "one.txt").write_text(TEXT)
    marks = (f"T{n}\t{g[2]} {g[0]} {g[1]}\tx" for n, g in enumerate(GOLD))
    (folder / "one.ann").write_text("\n".join(marks) + "\n#1\tAnnotatorNotes T1\tnote\n")
    return folder


@pytest.mark.parametrize("form", ["json", "i2b2", "brat"])
def test_reads_each_form(tool, tmp_path, form):
    (record,) = tool.read_corpus(write(tmp_path, form))
    assert record["text"] == TEXT
    assert [tuple(mention[:3]) for mention in record["gold"]] == [mention[:3] for mention in GOLD]


def test_counts_strictly_and_relaxed(tool, tmp_path):
    (record,) = tool.read_corpus(write(tmp_path, "i2b2"))
    figures = tool.figures_of([record], {record["id"]: [[0, 3], [15, 30]]})
    assert figures["mentions"] == 3
    got = {name: value[0] for name, value in figures["figures"].items()}
    assert got == {
        "strict recall": pytest.approx(0.3333),
        "relaxed recall": pytest.approx(0.6667),
        "token recall": pytest.approx(4 / 6, abs=1e-4),
        "token precision": pytest.approx(4 / 5),
        "documents with a leak": 1.0,
    }
    assert figures["groups"]["kind PATIENT"][:3] == [1, 0.0, 1.0]
    assert figures["groups"]["names: women's first name"][0] == 1


def test_prints_no_word_of_the_corpus(tool, tmp_path, capsys):
    tool.main([str(write(tmp_path, "brat")), "--detectors", "rules"])
    printed = capsys.readouterr().out
    assert "3 mentions" in printed
    assert not any(word in printed for word in ("Ann", "Lee", "617", "Boston"))


def test_a_folder_of_something_else_is_refused(tool, tmp_path):
    with pytest.raises(SystemExit, match="no XML of i2b2"):
        tool.read_corpus(tmp_path)
