"""What was written is looked through: texts, everything packed in a file, and what the file is
called."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from sfumato.scrubbing.recount import Originals, _raw, recount
from sfumato.text.detectors.sets import Detectors, detectors
from sfumato.text.formats.parts import FileReading
from sfumato.text.kinds import ReferenceKind
from sfumato.text.repeat_mask import RepeatValues
from sfumato.text.replacement import How, ReplacedDocument, TextReplacement


def replaced(text, original, put, kind=ReferenceKind.NAME, how=How.SURROGATE):
    start = text.index(put)
    change = TextReplacement(
        start=start,
        end=start + len(original),
        new_start=start,
        new_end=start + len(put),
        kind=kind,
        how=how,
        original=original,
        surrogate=put,
    )
    return ReplacedDocument(text=text, replacements=(change,))


def looked(tmp_path, content, made, *, everywhere=(), name=""):
    path = tmp_path / "document-0001.txt"
    path.write_bytes(content)
    return recount(
        path,
        [made],
        [Originals.of([made])],
        everywhere=RepeatValues(everywhere),
        name=name,
        reading=FileReading(),
        detectors=detectors(Detectors.RULES),
    )


MADE = replaced("Dr. Beth Gray came.", "Virginia Townsend", "Beth Gray")


def test_a_file_that_holds_nothing_of_it_passes(tmp_path):
    found = looked(tmp_path, b"Dr. Beth Gray came.", MADE)
    assert (found.standing, found.found_again, found.reads_back) == (0, 0, True)


@pytest.mark.parametrize(
    "content",
    [b"Dr. Beth Gray came. Virginia Townsend left.", "Virginia Townsend".encode("utf-16")],
)
def test_an_original_in_the_text_is_seen(tmp_path, content):
    found = looked(tmp_path, content, MADE)
    assert found.standing > 0
    assert not found.reads_back


def test_a_name_of_somebody_else_in_the_collection_is_seen(tmp_path):
    everywhere = [(ReferenceKind.RECORD_NUMBER, "32-841-09787")]
    content = b"Dr. Beth Gray came. See 32-841-09787."
    assert looked(tmp_path, content, MADE, everywhere=everywhere).standing == 1
    assert looked(tmp_path, content, MADE).standing == 0


def test_a_part_of_a_name_is_found_again_by_the_detectors(tmp_path):
    found = looked(tmp_path, b"Dr. Beth Gray came. Dear Ms. Townsend:", MADE)
    assert (found.standing, found.found_again) == (0, 1)


@pytest.mark.parametrize(
    "name", ["Townsend_Virginia.txt", "ward/virginia/1.txt", "virginia-townsend.txt"]
)
def test_what_a_file_is_called_counts(tmp_path, name):
    assert looked(tmp_path, b"Dr. Beth Gray came.", MADE, name=name).standing > 0


def test_what_the_style_keeps_or_a_person_spared_is_no_original():
    kept = replaced(
        "in Massachusetts", "Massachusetts", "Massachusetts", ReferenceKind.REGION, How.KEPT
    )
    assert not Originals.of([kept]).values
    assert not Originals.of([MADE], spared=["Virginia Townsend"]).values
    assert len(Originals.of([MADE]).values) == 1


def test_everything_packed_in_a_file_is_read():
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("docProps/core.xml", "<creator>Virginia Townsend</creator>" * 20)
        file.comment = b"by Ann Lee"
    texts = list(_raw(packed.getvalue()))
    assert any("Virginia Townsend" in text for text in texts)
    assert "by Ann Lee" in texts
    assert any("docProps/core.xml" in text for text in texts)
