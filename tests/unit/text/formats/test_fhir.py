"""FHIR: what it knows becomes a part's kind, references stay whole, and files inside are read or
masked."""

from __future__ import annotations

import base64
import json

import pytest

from sfumato.errors import SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.fhir import IDS, Fhir
from sfumato.text.kinds import ReferenceKind

PATIENT = {
    "resourceType": "Patient",
    "id": "p7",
    "meta": {"lastUpdated": "2020-02-03T04:05:06.789Z", "source": "https://clinic.example/ehr"},
    "text": {
        "status": "generated",
        "div": '<div xmlns="http://www.w3.org/1999/xhtml">A<b>n</b>n <!-- Lee --></div>',
    },
    "identifier": [
        {"system": "http://hl7.org/fhir/sid/us-ssn", "value": "123-45-6789"},
        {"system": "https://clinic.example/mrn", "value": "MRN4711", "period": {"start": "2019"}},
    ],
    "name": [{"use": "official", "family": "Lee", "given": ["Ann", "Dot"], "text": "Ann Dot Lee"}],
    "telecom": [
        {"system": "phone", "value": "473-1214"},
        {"system": "email", "value": "ann@lee.org"},
    ],
    "gender": "female",
    "birthDate": "1950-02-03",
    "address": [
        {
            "line": ["12 Main St"],
            "city": "Boston",
            "state": "MA",
            "postalCode": "02151",
            "country": "US",
        }
    ],
    "photo": [
        {
            "contentType": "image/png",
            "data": "QW5uIExlZQ==",
            "hash": "QUJD",
            "size": 7,
            "title": "Ann",
        }
    ],
    "managingOrganization": {"reference": "Organization/o1", "display": "St John"},
}
NOTE = {
    "resourceType": "DocumentReference",
    "id": "d1",
    "status": "current",
    "subject": {"reference": "Patient/p7", "display": "Ann Lee"},
    "type": {
        "coding": [{"system": "http://loinc.org", "code": "11506-3", "display": "Progress note"}]
    },
    "content": [
        {
            "attachment": {
                "contentType": "text/plain",
                "data": base64.b64encode(b"Ann came").decode(),
            }
        }
    ],
    "contained": [{"resourceType": "Practitioner", "id": "dr", "name": [{"family": "Frank"}]}],
    "note": [{"authorString": "Dr Frank", "text": "saw Ann", "time": "2020-02-03"}],
    "author": [{"reference": "#dr"}],
}
ORGANIZATION = {"resourceType": "Organization", "id": "o1", "name": "St John"}


def bundle(*resources: dict) -> dict:
    entries = [
        {"fullUrl": f"https://clinic.example/fhir/{r['resourceType']}/{r['id']}", "resource": r}
        for r in resources
    ]
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


def opened(*resources: dict):
    return Fhir().open(json.dumps(bundle(*resources)).encode(), FileReading())


def test_kinds_come_from_places():
    kinds = {part.text: part.kind for part in opened(PATIENT, NOTE, ORGANIZATION).parts}
    expected = {
        "Lee": ReferenceKind.NAME,
        "Dot": ReferenceKind.NAME,
        "Ann Dot Lee": ReferenceKind.NAME,
        "Ann Lee": ReferenceKind.NAME,
        "Dr Frank": ReferenceKind.NAME,
        "123-45-6789": ReferenceKind.NATIONAL_NUMBER,
        "MRN4711": ReferenceKind.RECORD_NUMBER,
        "473-1214": ReferenceKind.PHONE,
        "ann@lee.org": ReferenceKind.EMAIL,
        "12 Main St": ReferenceKind.STREET,
        "Boston": ReferenceKind.TOWN,
        "02151": ReferenceKind.POSTCODE,
        "1950-02-03": ReferenceKind.DATE,
        "2020-02-03": ReferenceKind.DATE,
        "2019": ReferenceKind.DATE,
        "St John": ReferenceKind.ORGANISATION,
        "https://clinic.example/mrn": ReferenceKind.URL,
        "saw Ann": None,
        "Ann came": None,
        "Progress note": None,
    }
    assert {text: kinds[text] for text in expected} == expected
    assert not {
        "female",
        "official",
        "phone",
        "email",
        "http://loinc.org",
        "11506-3",
        "current",
    } & set(kinds)


def test_parts_belong_to_the_patient_with_the_names_as_cues():
    by_text = {part.text: part for part in opened(PATIENT, NOTE, ORGANIZATION).parts}
    assert (
        by_text["saw Ann"].person
        == by_text["Boston"].person
        == by_text["Ann came"].person
        == "Patient/p7"
    )
    assert by_text["saw Ann"].cues == {"name": ("Ann", "Dot", "Lee", "Ann Dot Lee")}
    assert opened(ORGANIZATION).parts[-1].person == IDS  # Others refer to it by name.


def test_references_lead_to_the_same_resources_afterwards(write):
    file = opened(PATIENT, NOTE, ORGANIZATION)
    ids = [
        part
        for part in file.parts
        if part.person == IDS and part.kind is ReferenceKind.RECORD_NUMBER
    ]
    assert len(ids) == len({part.text for part in ids}) == 4
    new = {part.text: f"[NEW {number}]" for number, part in enumerate(ids)}
    written = json.loads(write(file, new))
    patient, note, organization = (entry["resource"] for entry in written["entry"])
    assert patient["id"].startswith("NEW-")
    assert (
        note["subject"]["reference"] == f"Patient/{patient['id']}" == written["entry"][0]["fullUrl"]
    )
    assert patient["managingOrganization"]["reference"] == f"Organization/{organization['id']}"
    assert note["author"][0]["reference"] == f"#{note['contained'][0]['id']}"


def test_a_urn_leads_to_the_patient():
    holder = bundle(PATIENT, NOTE)
    holder["entry"][0]["fullUrl"] = "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"
    holder["entry"][1]["resource"] = {
        **NOTE,
        "subject": {"reference": "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"},
    }
    file = Fhir().open(json.dumps(holder).encode(), FileReading())
    assert {part.person for part in file.parts if part.text == "saw Ann"} == {"Patient/p7"}


def test_dates_keep_their_time_and_lose_it_with_the_day(write):
    observation = {"resourceType": "Observation", "effectiveDateTime": "2020-02-03T04:05:06Z"}
    file = Fhir().open(json.dumps(observation).encode(), FileReading())
    assert (
        json.loads(write(file, {"2020-02-03": "2020-03-09"}))["effectiveDateTime"]
        == "2020-03-09T04:05:06Z"
    )
    assert json.loads(write(file, {"2020-02-03": "2020-02"}))["effectiveDateTime"] == "2020-02"


def test_narratives_are_html(write):
    file = opened(PATIENT)
    div = json.loads(write(file, {"Ann": "Eve"}))["entry"][0]["resource"]["text"]["div"]
    assert div == '<div xmlns="http://www.w3.org/1999/xhtml">Eve<b></b> </div>'


def test_text_in_base64_is_read_and_other_files_are_masked(write):
    file = opened(PATIENT, NOTE)
    patient, note = (
        entry["resource"] for entry in json.loads(write(file, {"Ann": "Eve"}))["entry"]
    )
    assert base64.b64decode(note["content"][0]["attachment"]["data"]) == b"Eve came"
    photo = patient["photo"][0]
    assert not {"data", "hash", "size"} & set(photo)
    assert photo["_data"]["extension"][0]["valueCode"] == "masked"
    assert "1 file that is not text" in file.left_out


def test_one_resource_on_each_line(write):
    lines = "\n".join(json.dumps(each) for each in (PATIENT, NOTE)) + "\n"
    file = Fhir().open(lines.encode(), FileReading())
    assert {part.person for part in file.parts if part.text == "saw Ann"} == {"Patient/p7"}
    assert [json.loads(line)["resourceType"] for line in write(file).decode().splitlines()] == [
        "Patient",
        "DocumentReference",
    ]


def test_writing_and_reading_again_changes_nothing(write):
    file = opened(PATIENT, NOTE, ORGANIZATION)
    again = Fhir().open(write(file), FileReading())
    assert [part.text for part in again.parts] == [part.text for part in file.parts]


def test_numbers_keep_their_digits_and_places_of_a_location_do_not_stay(write):
    source = (
        '{"resourceType": "Location", "position": {"longitude": -71.10, "latitude": 42.36}, '
        '"n": 1.50}'
    )
    file = Fhir().open(source.encode(), FileReading())
    assert [part.kind for part in file.parts] == [ReferenceKind.COORDINATES] * 2
    assert '"n": 1.50' in write(file, {"42.36": "[...]", "-71.10": "-70"}).decode()


@pytest.mark.parametrize(
    "source", ["[]", "{}", '{"a": 1}', "", '{"resourceType": "Patient"}\n{"a": 1}\n']
)
def test_what_is_not_fhir_is_refused(source):
    with pytest.raises(SourceError, match="does not hold FHIR"):
        Fhir().open(source.encode(), FileReading())


def test_sampled_data_are_numbers(write):
    source = b'{"resourceType": "Observation", "valueSampledData": {"data": "2.0 3.1 E"}}'
    assert write(Fhir().open(source, FileReading())) == source
