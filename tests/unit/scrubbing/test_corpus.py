"""Finding in a corpus: read piece by piece, the same in any number of processes, and clear where it
is no corpus."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import Mistake, SourceError
from sfumato.scrubbing import corpus
from sfumato.scrubbing.corpus import find_in_corpus, looking_for

TEXTS = [
    {"id": "a", "text": "Dear Dr. Lang, call 617-473-1214."},
    {"id": "b", "text": ""},
    {"id": 3, "text": "He is ill."},
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(TEXTS), encoding="utf-8")
    return path


def test_what_would_be_masked_is_told_by_id(file):
    found = dict(find_in_corpus(file))
    assert list(found) == ["a", "b", "3"]
    assert [TEXTS[0]["text"][start:end] for start, end, *_ in found["a"]][-1] == "617-473-1214"
    assert found["a"][-1][2] == "phone"
    assert 0 < found["a"][-1][3] <= 1
    assert found["b"] == found["3"] == []


def test_the_purpose_and_thresholds_are_heeded(file):
    nothing = looking_for(
        purpose="direct", thresholds={"phone": 1.0, "name": 1.0}, detectors="rules"
    )
    assert dict(find_in_corpus(file, nothing))["a"] == []
    for wrong in ({"purpose": "none"}, {"purpose": "direct", "thresholds": {"shoe": 1}}):
        with pytest.raises(Mistake, match="There is no"):
            looking_for(**wrong)
    with pytest.raises(Mistake, match="threshold"):
        looking_for(purpose="direct", thresholds={"name": 7})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[",
        b"[{]",
        b'[{"id": 1, "text": "a"}',
        b"[] []",
        b"\xff\xfe",
        b'[{"id": 1, "text": "a"} 3]',
        b"null",
    ],
)
def test_what_is_no_list_is_refused(tmp_path, content):
    path = tmp_path / "corpus.json"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="no JSON list"):
        list(find_in_corpus(path))


@pytest.mark.parametrize("entry", [7, {"id": "a"}, {"text": "Ann Lee"}, {"id": "a", "text": 7}])
def test_an_entry_without_text_is_refused_by_number(tmp_path, entry):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps([TEXTS[0], entry]), encoding="utf-8")
    with pytest.raises(SourceError, match="Entry 2") as refused:
        list(find_in_corpus(path))
    assert "Ann" not in str(refused.value)


def test_an_id_stands_once_and_the_file_must_be_there(tmp_path):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps([TEXTS[0], TEXTS[0]]), encoding="utf-8")
    with pytest.raises(SourceError, match="id of an earlier one"):
        list(find_in_corpus(path))
    with pytest.raises(SourceError, match="cannot be read"):
        list(find_in_corpus(tmp_path / "nowhere.json"))


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=6), st.integers(1, 20), st.sampled_from((None, 1)), st.booleans())
def test_a_list_read_in_pieces_of_any_size_is_the_list(entries, size, indent, plain):
    import io
    from unittest.mock import patch

    with patch.object(corpus, "CHUNK", size):
        read = list(
            corpus._list(io.StringIO(json.dumps(entries, indent=indent, ensure_ascii=plain)))
        )
    assert read == entries


def test_a_folder_is_refused_with_what_to_try(tmp_path):
    with pytest.raises(SourceError, match="is a folder") as refused:
        list(find_in_corpus(tmp_path))
    assert "sfumato scrub FOLDER --to DIR --review DIR2" in str(refused.value)
    assert "Is a directory" not in str(refused.value)
