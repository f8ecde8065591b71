"""HL7 version 2: fields by their place, free text by detectors, codes as they are."""

from __future__ import annotations

import pytest

from sfumato.errors import SourceError
from sfumato.scrubbing import scrub
from sfumato.text.formats.hl7 import Hl7
from sfumato.text.formats.parts import FileReading
from sfumato.text.replacement import ReplacedDocument

MESSAGE = (
    b"MSH|^~\\&|ADT1|MERCY|LAB|MERCY|20240105103000||ADT^A01^ADT_A01|MSG1|P|2.5\r"
    b"PID|1||PATID1234^5^M11||Townsend^Virginia^Q||19610615|F|||1200 N Elm Street^^Boston^MA^02139||(919)379-1212\r"
    b"OBX|1|TX|NOTE^Progress||Mrs. Townsend was seen by Dr. Hayes \\T\\ is well\\.br\\Call 617-473-1214.||||||F\r"
)


def test_fields_are_known_by_their_place():
    parts = Hl7().open(MESSAGE, FileReading()).parts
    kinds = {(part.place, str(part.kind)) for part in parts}
    assert {("PID-5", "name"), ("PID-7", "date"), ("PID-11", "town"), ("PID-13", "phone")} <= kinds
    assert ("OBX-5", "None") in kinds


def test_an_unchanged_message_keeps_its_bytes():
    opened = Hl7().open(MESSAGE, FileReading())
    same = [ReplacedDocument(text=part.text, replacements=()) for part in opened.parts]
    assert opened.written(same) == MESSAGE


def test_a_scrubbed_message_has_its_shape_and_nobody_in_it(tmp_path):
    (tmp_path / "adt.hl7").write_bytes(MESSAGE)
    scrub(tmp_path / "adt.hl7", to=tmp_path / "out")
    (written,) = (tmp_path / "out").glob("*.hl7")
    new = written.read_bytes()
    for secret in (
        b"Townsend",
        b"Virginia",
        b"Hayes",
        b"PATID1234",
        b"19610615",
        b"379-1212",
        b"Elm",
    ):
        assert secret not in new
    lines, before = new.split(b"\r"), MESSAGE.split(b"\r")
    assert [line.count(b"|") for line in lines] == [line.count(b"|") for line in before]
    assert b"ADT^A01^ADT_A01" in new
    assert rb"\T\ is well\.br\Call" in new


def test_another_text_is_refused():
    with pytest.raises(SourceError, match="no HL7"):
        Hl7().open(b"Dear Dr. Lang", FileReading())
