"""tools/text/evaluate.py: the figures on a corpus small enough to count by hand."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "text" / "evaluate.py"
CORPUS = [
    {
        "id": "a",
        "text": "Ann Lee called 617-473-1214 in Boston; Ann is well",
        "gold": [
            [0, 7, "PERSON", "DIRECT", "e1"],
            [15, 27, "PHONE", "DIRECT", "e2"],
            [31, 37, "LOC", "NO_MASK", "e3"],
            [39, 42, "PERSON", "DIRECT", "e1"],
        ],
    },
    {"id": "b", "text": "nothing to find", "gold": []},
]


@pytest.fixture(scope="module")
def evaluate():
    spec = importlib.util.spec_from_file_location("evaluate", TOOL)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["evaluate"] = module
    spec.loader.exec_module(module)
    return module


def test_counts(evaluate):
    counts = evaluate.measure(CORPUS, {"a": [[0, 7, "name"], [15, 27, "phone"], [31, 37, "town"]]})
    assert (counts.hit, counts.missed, counts.extra) == (5, 1, 1)
    assert counts.recall == pytest.approx(5 / 6)
    assert counts.precision == pytest.approx(5 / 6)
    assert counts.f2 == pytest.approx(5 / 6)
    assert counts.entity_recall("DIRECT") == (0.5, 2)  # One mention of the name was missed.
    assert counts.mentions["PERSON"] == {True: 1, False: 1}
    assert counts.found["town"] == {False: 1}
    assert counts.empty == {True: 1}


def test_half_a_token_is_not_found(evaluate):
    counts = evaluate.measure(CORPUS, {"a": [[0, 2, "name"]], "b": [[0, 7, "name"]]})
    assert (counts.hit, counts.missed, counts.extra) == (0, 6, 1)
    assert counts.empty == {False: 1}


def test_known_is_each_direct_identifier_as_first_spelt(evaluate):
    assert evaluate.known_of(CORPUS[0]) == {"name": ("Ann Lee", "617-473-1214")}


def test_known_are_two_names_and_a_number_where_nothing_is_called_direct(evaluate):
    text = "Ann, Bob, Cid 12 34 Ann"
    spans = [
        (0, 3, "NAME"),
        (5, 8, "NAME"),
        (10, 13, "NAME"),
        (14, 16, "NUMBER"),
        (17, 19, "NUMBER"),
        (20, 23, "NAME"),
    ]
    gold = [[start, end, kind, "PII", f"e{start}"] for start, end, kind in spans]
    assert evaluate.known_of({"id": "d", "text": text, "gold": gold}) == {
        "name": ("Ann", "Bob", "12")
    }


def test_mentions_without_a_class_count_as_wanted(evaluate):
    counts = evaluate.measure(
        [{"id": "c", "text": "in 1999", "gold": [[3, 7, "DATETIME"]]}], {"c": [[3, 7]]}
    )
    assert (counts.hit, counts.missed, counts.extra) == (1, 0, 0)


@pytest.mark.parametrize("by", ["straight", "patterns", "sfumato.text.detectors.phones:Phones"])
def test_prints_the_figures_and_writes_the_spans(evaluate, by, tmp_path, capsys):
    corpus, spans = tmp_path / "corpus.json", tmp_path / "spans.json"
    corpus.write_text(json.dumps(CORPUS), encoding="utf-8")
    evaluate.main([str(corpus), "--with", by, "--spans", str(spans)])
    printed = capsys.readouterr().out
    assert "token recall" in printed
    assert "left alone: 1.0000 of 1" in printed
    assert [15, 27] in [span[:2] for span in json.loads(spans.read_text(encoding="utf-8"))["a"]]
    evaluate.main([str(corpus), "--with", str(spans)])
    assert capsys.readouterr().out.splitlines()[0] == printed.splitlines()[0]
