"""XML and clinical documents: elements, attributes and narrative."""

from __future__ import annotations

import pytest

from sfumato.errors import SourceError
from sfumato.scrubbing import scrub
from sfumato.text.formats.parts import FileReading
from sfumato.text.formats.xml import Xml
from sfumato.text.replacement import ReplacedDocument

CDA = """<?xml version="1.0" encoding="UTF-8"?>
<ClinicalDocument xmlns="urn:hl7-org:v3"><!-- for Virginia Townsend -->
<id root="2.16.840.1.113883.19" extension="999021"/><effectiveTime value="20240105103000+0500"/>
<recordTarget><patientRole><id extension="32-841-09787" root="2.16"/><addr><city>Blue Bell</city></addr>
<telecom value="tel:(781)555-1212" use="HP"/><patient><name><given>Virginia</given><family>Townsend</family></name>
<birthTime value="19610615"/></patient></patientRole></recordTarget>
<text><paragraph>Mrs. <content styleCode="Bold">Town</content>send saw Dr. Hayes &amp; is well &lt; 5.</paragraph>
</text>
</ClinicalDocument>"""


def test_elements_and_attributes_are_known_by_their_names():
    parts = Xml().open(CDA.encode(), FileReading()).parts
    told = {(part.text, str(part.kind)) for part in parts if part.kind}
    assert {
        ("Virginia", "name"),
        ("Blue Bell", "town"),
        ("19610615", "date"),
        ("999021", "record number"),
    } <= told
    (text,) = (part.text for part in parts if part.place == "text")
    assert text.strip() == "Mrs. Townsend saw Dr. Hayes & is well < 5."


def test_an_unchanged_file_loses_its_comments_only():
    opened = Xml().open(CDA.encode(), FileReading())
    same = [ReplacedDocument(text=part.text, replacements=()) for part in opened.parts]
    assert opened.written(same).decode() == CDA.replace("<!-- for Virginia Townsend -->", "")
    assert list(opened.left_out) == ["1 comment"]


def test_a_scrubbed_document_is_xml_with_nobody_in_it(tmp_path):
    (tmp_path / "a.xml").write_text(CDA)
    scrub(tmp_path / "a.xml", to=tmp_path / "out")
    (written,) = (tmp_path / "out").glob("*.xml")
    new = written.read_text()
    for secret in (
        "Townsend",
        "Virginia",
        "Hayes",
        "32-841",
        "999021",
        "555-1212",
        "19610615",
        "Blue Bell",
    ):
        assert secret not in new
    assert Xml().open(new.encode(), FileReading()).parts
    assert "&lt; 5" in new


@pytest.mark.parametrize(
    "source",
    [
        b'<!DOCTYPE a [<!ENTITY b "Ann">]><a>&b;</a>',
        b"<a><b></a>",
        b"<a>" * 300,
        b"Dear Ann",
    ],
)
def test_what_cannot_be_read_whole_is_refused(source):
    with pytest.raises(SourceError):
        Xml().open(source, FileReading())


def test_cdata_and_quotes_come_back():
    source = b"<n a='Dr. \"Lang\"'><![CDATA[Dr. Lang < 5 & well]]></n>"
    opened = Xml().open(source, FileReading())
    assert {part.text.strip() for part in opened.parts} == {'Dr. "Lang"', "Dr. Lang < 5 & well"}
    same = [ReplacedDocument(text=part.text, replacements=()) for part in opened.parts]
    again = Xml().open(opened.written(same), FileReading())
    assert [part.text for part in again.parts] == [part.text for part in opened.parts]
