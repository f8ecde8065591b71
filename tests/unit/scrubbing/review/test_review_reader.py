"""A review file that a person broke: every problem at once, by its place, and nothing of what
stands there."""

from __future__ import annotations

import json

import pytest

from sfumato.errors import ReviewError, SourceError
from sfumato.scrubbing.review.review_file import FORMAT
from sfumato.scrubbing.review.review_reader import read_sheet

SECRET_WORD = "Qwertzuiop"
GOOD = {"text": "Anna", "kind": "name"}


def sheet(tmp_path, **documents):
    path = tmp_path / "review.json"
    path.write_text(
        json.dumps({"format": FORMAT, "whole": True, "documents": [], **documents}),
        encoding="utf-8",
    )
    return path


def with_findings(tmp_path, *findings):
    return sheet(tmp_path, documents=[{"name": "a", "digest": "b", "findings": list(findings)}])


def refused(path):
    with pytest.raises(ReviewError) as told:
        read_sheet(path)
    assert SECRET_WORD not in str(told.value)
    return told.value.problems


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        ({**GOOD, "mask": SECRET_WORD}, '"mask" is not true or false'),
        ({**GOOD, "mask": 1}, '"mask" is not true or false'),
        ({**GOOD, "kind": SECRET_WORD}, '"kind" is none that Scrub knows'),
        ({**GOOD, SECRET_WORD: 1}, "1 name that a review does not have"),
        ({**GOOD, "start": 3}, 'has one of "start" and "end"'),
        ({**GOOD, "start": "3", "end": 4}, '"start" is not a whole number'),
        ({**GOOD, "start": True, "end": 4}, '"start" is not a whole number'),
        ({**GOOD, "score": 7}, '"score" is not between 0 and 1'),
        ({**GOOD, "score": float("nan")}, '"score" is not between 0 and 1'),
        ({**GOOD, "proposed": SECRET_WORD}, '"proposed" differs from what Scrub wrote'),
        ({"kind": "name"}, 'has no "text"'),
        ({"text": SECRET_WORD}, 'has no "kind"'),
        ({"text": " ", "kind": "name"}, '"text" is empty'),
        (SECRET_WORD, "is not an object in braces"),
    ],
)
def test_each_mistake_is_told_by_its_place(tmp_path, finding, said):
    problems = refused(with_findings(tmp_path, GOOD, finding))
    assert problems[0].where == "document 1, finding 2"
    assert any(said in problem.found for problem in problems)


def test_all_mistakes_come_together(tmp_path):
    path = with_findings(
        tmp_path, {**GOOD, "mask": "no"}, {**GOOD, "kind": "nam"}, GOOD, {"kind": "name"}
    )
    assert [problem.where[-1] for problem in refused(path)] == ["1", "2", "4"]


def test_a_name_given_twice_is_refused(tmp_path):
    path = tmp_path / "review.json"
    finding = '{"text": "Anna", "kind": "name", "mask": true, "mask": false}'
    path.write_text(
        f'{{"format": "{FORMAT}", "whole": true, "documents": [{{"name": "", "digest": "", '
        f'"findings": [{finding}]}}]}}'
    )
    assert "twice" in refused(path)[0].found


def test_a_document_given_twice_is_refused(tmp_path):
    document = {"name": "a", "digest": "b", "findings": []}
    assert "twice" in refused(sheet(tmp_path, documents=[document, document]))[0].found


def test_broken_json_is_told_by_line_and_column(tmp_path):
    path = tmp_path / "review.json"
    path.write_text(f'{{"format": "{FORMAT}",\n "documents": [{SECRET_WORD}]}}', encoding="utf-8")
    assert refused(path)[0].where == "line 2, column 16"


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff\xfe", b"null", b'{"format": "other"}', b"[" * 100_000, b"1" * 5000],
)
def test_what_is_no_review_is_refused(tmp_path, content):
    path = tmp_path / "review.json"
    path.write_bytes(content)
    assert refused(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(SourceError):
        read_sheet(tmp_path / "none.json")


def test_an_editor_may_put_a_mark_at_the_beginning(tmp_path):
    path = with_findings(tmp_path, GOOD)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_sheet(path).documents["a", "b", 1]) == 1
