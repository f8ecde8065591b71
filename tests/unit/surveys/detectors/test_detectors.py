"""What a detector must recognise and what it must not, for every detector."""

from __future__ import annotations

import random

import pytest

from sfumato.surveys import LooksLike
from sfumato.surveys.detectors import DETECTORS, likenesses
from sfumato.surveys.roles import RULES

R = random.Random(8)


def numbers(count: int, low: int, high: int) -> list[str]:
    return [str(R.randrange(low, high)) for _ in range(count)]


def with_luhn(stem: str) -> str:
    from sfumato.surveys.checksums import luhn

    return next(stem + str(digit) for digit in range(10) if luhn(stem + str(digit)))


NAMES = [
    "Mary Smith",
    "John Garcia",
    "Anna Müller",
    "Wei Zhang",
    "Robert Brown",
    "Linda Jones",
    "Peter Visser",
    "Ana Costa",
]
STREETS = [
    "12 Main Street",
    "4 Oak Ave",
    "99 Elm Rd",
    "7 Hill Drive",
    "31 Lake Blvd",
    "8 Park Ln",
    "5 High St",
    "1 Pine Ct",
]
SENTENCES = [f"Seen on day {n}, felt well and was sent home with advice." for n in range(9)]

POSITIVE: list[tuple[str, list[str], LooksLike]] = [
    ("DT_NASCIMENTO", ["20/09/1965", "29/02/1964", "31/01/1970"], LooksLike.BIRTH_DATE),
    ("contestant", ["BeBe Benet", "Nina Flowers", "Ongina", "Tammie Brown", "Jade Sotomayor"] * 3, LooksLike.NAME),
    ("geo2", ["geo_01_02", "geo_03_04"] * 9, LooksLike.PLACE),
    ("birthMonth", [*map(str, range(1, 13))] * 3, LooksLike.BIRTH_DATE),
    ("deathMonth", [*map(str, range(1, 13))] * 3, LooksLike.DATE),
    ("death_day", [f"{day}.0" for day in range(1, 32)], LooksLike.DATE),
    ("deathState", ["CA", "NY", "Jalisco", "Havana"] * 9, LooksLike.PLACE),
    ("hid", ["00177df15a0", "0b2f6601c9e", "77aa01f2b04"] * 9, LooksLike.FAMILY_KEY),
    ("c11", ["00177df15a0", "0b2f6601c9e", "77aa01f2b04"] * 9, LooksLike.KEY),
    ("unit_number", ["apt 3", "4b", "# 12", "lot 7"] * 9, LooksLike.ADDRESS),
    ("citizen", ["Yes", "No"] * 9, LooksLike.COUNTRY),
    ("relationship_to_reference_person", ["Parent", "Biological child"] * 9, LooksLike.FAMILY),
    ("labor_force", ["Yes", "No"] * 9, LooksLike.OCCUPATION),
    ("urbrur", ["Urban", "Rural"] * 9, LooksLike.PLACE),
    ("st", ["MA", "NY", "CA", "TX"] * 9, LooksLike.STATE),
    ("c9", ["CH", "NO", "DE", "FR", "GB"] * 9, LooksLike.COUNTRY),
    ("contact", ["a@example.org", "b.c@example.com", "d@example.net"] * 3, LooksLike.EMAIL),
    ("E-Mail", ["a@example.org"], LooksLike.EMAIL),
    ("phone", ["6175550123", "6175550124"], LooksLike.PHONE),
    ("c7", [f"(617) 555-01{n:02d}" for n in range(20)], LooksLike.PHONE),
    ("Telefax", ["617-555-0123"], LooksLike.FAX),
    ("c1", [f"https://example.org/{n}" for n in range(9)], LooksLike.URL),
    ("c2", [f"192.0.2.{n}" for n in range(9)], LooksLike.IP_ADDRESS),
    ("c3", [f"2001:db8::{n}" for n in range(9)], LooksLike.IP_ADDRESS),
    ("SSN", ["219-09-9999", "457555462"], LooksLike.SSN),
    ("c4", [f"{n}-09-{n}7" for n in range(211, 240)], LooksLike.SSN),
    ("c5", [str(219099900 + 7 * n) for n in range(50)], LooksLike.SSN),
    ("passport", ["X1234567", "X7654321"], LooksLike.NATIONAL_NUMBER),
    ("NHS number", ["943 476 5919", "943 476 5870"], LooksLike.NATIONAL_NUMBER),
    ("c6", ["12345678Z", "00000000T", "00000001R"], LooksLike.NATIONAL_NUMBER),
    ("c8", [with_luhn(str(453957876362140 + n)) for n in range(9)], LooksLike.ACCOUNT),
    ("IBAN", ["GB82 WEST 1234 5698 7654 32"], LooksLike.ACCOUNT),
    ("account_number", ["00012345", "00012346"], LooksLike.ACCOUNT),
    ("driver's licence", ["S123-456", "S123-457"], LooksLike.LICENCE),
    ("licence_plate", ["ABC 123", "XYZ 987"], LooksLike.VEHICLE),
    ("c9", ["1M8GDM9AXKP042788"] * 3 + ["5GZCZ43D13S812715"] * 3, LooksLike.VEHICLE),
    ("deviceSerial", ["SN-0012", "SN-0013"], LooksLike.DEVICE),
    ("d1", [f"00:1A:2B:3C:4D:{n:02X}" for n in range(9)], LooksLike.DEVICE),
    ("MRN", ["1234567", "1234568"], LooksLike.MEDICAL_RECORD),
    ("Medicare ID", ["1EG4-TE5-MK72", "1EG4-TE5-MK73"], LooksLike.HEALTH_PLAN),
    ("PatientID", ["P001", "P002", "P002"], LooksLike.PERSON_KEY),
    ("study_patient_id", ["1", "2", "3", "4"] * 40, LooksLike.PERSON_KEY),
    ("MARRIAGE", ["0", "1", "2", "3"] * 9, LooksLike.MARITAL_STATUS),
    ("votetrump", ["1", "0"] * 9, LooksLike.OPINION),
    ("collegeed", ["1", "0"] * 9, LooksLike.EDUCATION),
    ("ageGroup", ["21-49", "50+"] * 9, LooksLike.AGE),
    ("age", ["adult", "youth"] * 9, LooksLike.AGE),
    ("sore_throat", ["0", "1", "2"] * 9, LooksLike.CONDITION),
    ("lowbirthweight", ["low", "not low"] * 9, LooksLike.MEASUREMENT),
    ("personSearch", ["YES", "NO"] * 9, LooksLike.CRIME),
    ("family_id", ["F001", "F001", "F002"], LooksLike.FAMILY_KEY),
    ("mother_no", ["P001", "P001", "P009"], LooksLike.FAMILY_KEY),
    ("d2", [f"{n:08x}-0000-4000-8000-{n:012x}" for n in range(9)], LooksLike.KEY),
    ("visit_no", [str(4000 + n) for n in range(9)], LooksLike.KEY),
    ("d3", [str(n) for n in range(1, 41)], LooksLike.KEY),
    ("d4", [f"K-{n:04d}" for n in R.sample(range(10000), 40)], LooksLike.KEY),
    ("Last Name", ["Xu", "Øst", "Čapek"], LooksLike.NAME),
    ("Nachname", ["Quandt", "Oetker"], LooksLike.NAME),
    ("d5", NAMES, LooksLike.NAME),
    ("name", [name.upper() for name in NAMES], LooksLike.NAME),
    ("name", [name.lower() for name in NAMES], LooksLike.NAME),
    ("first", ["miguel", "kevon", "ed", "marcu"], LooksLike.NAME),
    ("LAST", ["Beatty507", "Schinner682", "Kuhn96"], LooksLike.NAME),
    ("maiden2", ["Quandt", "Oetker"], LooksLike.NAME),
    ("Prénom", ["Zoé", "Loïc"], LooksLike.NAME),
    ("NM_URNA_CANDIDATO", ["BETO DA FARMACIA", "TIA LU", "ZEZINHO 44"], LooksLike.NAME),
    ("sobrenome", ["Xavier", "Queiroz"], LooksLike.NAME),
    ("cognome", ["Zanetti", "Bruni"], LooksLike.NAME),
    ("имя", ["Иван", "Анна"], LooksLike.NAME),
    ("姓名", ["王伟", "李娜"], LooksLike.NAME),
    ("x7", ["mary smith", "john garcia", "anna weber", "robert brown", "linda jones", "peter visser", "ana costa",
            "paul meyer"], LooksLike.NAME),
    ("ticket", ["A/5 21171", "PC 17599", "STON/O2. 3101282", "113803"], LooksLike.KEY),
    ("grade", ["9", "10", "11", "12", "other"], LooksLike.EDUCATION),
    ("open_accounts", ["1", "2", "13"], LooksLike.AMOUNT),
    ("months_since_last_delinq", ["38", "12"], LooksLike.AMOUNT),
    ("body", [str(n) for n in R.sample(range(1, 330), 120)], LooksLike.KEY),
    ("Prefix", ["Mr.", "Mrs.", "Ms."] * 5, LooksLike.HONORIFIC),
    ("g1", ["Herr", "Frau", "Frau", "Dr.", "Mr", "Mrs"] * 3, LooksLike.HONORIFIC),
    ("is_recid", ["0", "1"] * 5, LooksLike.CRIME),
    ("c_charge_degree", ["F", "M"] * 5, LooksLike.CRIME),
    ("decile_score", ["1", "9", "4"], LooksLike.ASSESSMENT),
    ("survived", ["0", "1"] * 5, LooksLike.OUTCOME),
    ("Alcohol use", ["low", "high"] * 5, LooksLike.HABIT),
    ("Trust in police", ["1", "2"] * 5, LooksLike.OPINION),
    ("metformin", ["No", "Steady", "Up"] * 5, LooksLike.DRUG),
    ("A1Cresult", [">7", ">8", "Norm"] * 5, LooksLike.MEASUREMENT),
    ("dob", ["1965-09-20", "1964-02-29"], LooksLike.BIRTH_DATE),
    ("Geburtsdatum", ["20.09.1965", "29.02.1964"], LooksLike.BIRTH_DATE),
    ("admission", ["9/20/1995", "12/31/1996"], LooksLike.DATE),
    ("d6", ["2001-01-01 10:00:00", "2001-02-01 11:30:00"], LooksLike.DATE),
    ("d7", ["20-Sep-1965", "01-Feb-1964"], LooksLike.DATE),
    ("birth_year", ["1965", "1964"], LooksLike.YEAR),
    ("address1", STREETS, LooksLike.ADDRESS),
    ("d8", STREETS, LooksLike.ADDRESS),
    ("Straße", ["Hauptstraße 5", "Am Ring 7"], LooksLike.ADDRESS),
    ("ZipCode", ["02138", "02139-1234"], LooksLike.ZIP),
    ("PLZ", ["10115", "80331"], LooksLike.ZIP),
    ("d9", ["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "EC1A 1BB"], LooksLike.ZIP),
    ("e1", ["02138", "02139", "02140", "02141", "02142"] * 4, LooksLike.ZIP),
    ("town", ["Ghent", "Bruges"], LooksLike.PLACE),
    ("e2", ["MA", "NY", "TX", "CA", "WA", "OR"] * 3, LooksLike.STATE),
    ("state", ["Massachusetts", "new york"], LooksLike.STATE),
    ("nationality", ["Belgium", "France"], LooksLike.COUNTRY),
    ("e3", ["Belgium", "France", "Spain", "Italy", "Peru", "Chile"], LooksLike.COUNTRY),
    ("lat", ["52.37021", "51.92442"], LooksLike.COORDINATE),
    ("body weight", ["[75-100)", "[100-125)"], LooksLike.STATURE),
    ("ht", ["171", "182.5"], LooksLike.STATURE),
    ("agew", ["32", "45"], LooksLike.AGE),
    ("weight", ["61.5", "182", "97"], LooksLike.STATURE),
    ("height", ["1.71", "1.86"], LooksLike.STATURE),
    ("Name", ["Smith, John 1", "Miller, Anna 2", "Brown, Mary 3"], LooksLike.NAME),
    ("body", [f"{3 * place}.0" for place in range(1, 90)], LooksLike.KEY),
    ("Gender", ["female", "male"], LooksLike.SEX),
    ("sexe", ["1", "2", "2", "1"], LooksLike.SEX),
    ("e4", ["M", "F"] * 5, LooksLike.SEX),
    ("race", ["White", "Black", "Asian"], LooksLike.ETHNICITY),
    ("female", ["1", "0"] * 9, LooksLike.SEX),
    ("is_male", ["yes", "no"] * 9, LooksLike.SEX),
    ("hisp", ["0.0", "1.0"] * 9, LooksLike.ETHNICITY),
    ("SeniorCitizen", ["No", "Yes"] * 9, LooksLike.AGE),
    ("Partner", ["No", "Yes"] * 9, LooksLike.MARITAL_STATUS),
    ("children", ["0", "3", "12"] * 9, LooksLike.FAMILY),
    ("state", ["released", "isolated", "deceased"] * 9, LooksLike.OUTCOME),
    ("Alter", ["12", "99"], LooksLike.AGE),
    ("civil status", ["married", "widowed"], LooksLike.MARITAL_STATUS),
    ("religion", ["Catholic", "Hindu"], LooksLike.BELIEF),
    ("education", ["Bachelors", "HS-grad"], LooksLike.EDUCATION),
    ("language", ["Dutch", "Farsi"], LooksLike.LANGUAGE),
    ("Beruf", ["Bäcker", "Lehrer"], LooksLike.OCCUPATION),
    ("dx1", ["J45.20", "E119", "I10"], LooksLike.DIAGNOSIS),
    ("ICD9", ["250.00", "V10.3", "401"], LooksLike.DIAGNOSIS),
    ("e5", ["J45.20", "E11.9", "I10", "K21.9", "M54.5", "Z00.00", "C50.911"], LooksLike.DIAGNOSIS),
    ("diagnosis", ["asthma", "influenza"], LooksLike.CONDITION),
    ("hiv_status", ["pos", "neg"] * 5, LooksLike.CONDITION),
    ("procedure", ["appendectomy", "biopsy"], LooksLike.PROCEDURE),
    ("medication", ["aspirin", "codeine"], LooksLike.DRUG),
    ("HbA1c", ["5.6", "7.1"], LooksLike.MEASUREMENT),
    ("total charges", ["1200.50", "88"], LooksLike.AMOUNT),
    ("e6", ["$12.50", "$1,200.00", "$7", "$3.99", "$2"], LooksLike.AMOUNT),
    ("e7", ["ACGTACGTACGTACGTACGTACGT" + "ACGT"[n % 4] * n for n in range(9)], LooksLike.GENETIC),
    ("fingerprint", ["0xA7", "0xB8"], LooksLike.BIOMETRIC),
    ("photo", ["1.jpg", "2.jpg"], LooksLike.PHOTOGRAPH),
    ("notes", SENTENCES, LooksLike.FREE_TEXT),
    ("e8", SENTENCES, LooksLike.FREE_TEXT),
    ("e9", ["yes", "no"] * 5, LooksLike.FLAG),
    ("f1", ["alpha", "beta", "gamma"] * 5, LooksLike.CATEGORY),
    ("f2", ["same"] * 5, LooksLike.CONSTANT),
    ("f3", numbers(40, 0, 900), LooksLike.NUMBER),
    ("f4", ["zu", "qx", "wk", "pr", "lm", "tt", "bb", "cd", "ef", "gh", "ij", "kl"], LooksLike.UNKNOWN),
]  # fmt: skip

NEGATIVE: list[tuple[str, list[str], LooksLike]] = [
    ("female", ["120", "340", "18"] * 9, LooksLike.SEX),
    ("white blood cells", ["0", "1"] * 9, LooksLike.ETHNICITY),
    ("single_room", ["0", "1"] * 9, LooksLike.MARITAL_STATUS),
    ("children", ["1200", "3400", "80"] * 9, LooksLike.FAMILY),
    ("state", ["Bavaria", "Hesse", "Saxony"] * 9, LooksLike.OUTCOME),
    ("address", ["urban", "rural"] * 40, LooksLike.ADDRESS),
    ("job_satisfaction", ["1", "2", "3", "4"] * 20, LooksLike.OCCUPATION),
    ("ST_REELEICAO", ["S", "N"] * 9, LooksLike.STATE),
    ("change", ["Ch", "No"] * 9, LooksLike.COUNTRY),
    ("handle", ["@ann", "@bob"], LooksLike.EMAIL),
    ("quantity", numbers(30, 1_000_000, 9_999_999), LooksLike.PHONE),
    ("when", ["2001-01-01", "2001-01-02"], LooksLike.PHONE),
    ("cell_count", numbers(30, 10, 99), LooksLike.PHONE),
    ("has e-mail", ["1", "0"] * 9, LooksLike.EMAIL),
    ("version", ["1.2.3", "1.2.4"], LooksLike.IP_ADDRESS),
    ("link_status", ["0", "1"] * 40, LooksLike.URL),
    ("patient_class", ["inpatient", "emergency"] * 40, LooksLike.PERSON_KEY),
    ("pid7na", ["1", "2", "3", "4"] * 40, LooksLike.PERSON_KEY),
    ("rate_marriage", ["1", "2", "3"] * 9, LooksLike.MARITAL_STATUS),
    ("voter_id", ["1", "0"] * 9, LooksLike.OPINION),
    ("university name", ["1", "0"] * 9, LooksLike.EDUCATION),
    ("num_open_accounts", ["1", "2", "13"] * 9, LooksLike.ACCOUNT),
    ("account_late_percent", ["92.9", "100.0"] * 9, LooksLike.ACCOUNT),
    ("hrs_work", ["40", "84", "23"] * 9, LooksLike.MEASUREMENT),
    ("prior.radiation", ["0", "1"] * 9, LooksLike.CRIME),
    ("sub_grade", ["C1", "D3"] * 9, LooksLike.EDUCATION),
    ("weblog", ["a b", "c d"], LooksLike.URL),
    ("code", [f"9{n}-09-{n}77" for n in range(10, 40)], LooksLike.SSN),
    ("amount", numbers(50, 100_000_000, 999_999_999), LooksLike.NATIONAL_NUMBER),
    ("total", numbers(50, 10**15, 10**16), LooksLike.ACCOUNT),
    ("account_type", ["savings", "current"], LooksLike.ACCOUNT),
    ("part", ["1M8GDM9A1KP042788"] * 3, LooksLike.VEHICLE),
    ("device_type", ["pump", "pump"], LooksLike.DEVICE),
    ("insurance", ["public", "private"] * 9, LooksLike.HEALTH_PLAN),
    ("patient_age", ["12", "13"], LooksLike.PERSON_KEY),
    ("family_history", ["yes", "no"] * 9, LooksLike.FAMILY_KEY),
    ("mother_age", ["32", "33"], LooksLike.FAMILY_KEY),
    ("group number", ["1", "2"] * 20, LooksLike.KEY),
    ("drug name", ["Aspirin", "Codeine"], LooksLike.NAME),
    ("last_visit", ["home", "clinic"] * 9, LooksLike.NAME),
    ("first", ["yes", "no"] * 9, LooksLike.NAME),
    ("child", ["yes", "no"] * 9, LooksLike.NAME),
    ("partner", ["Yes", "No"] * 9, LooksLike.NAME),
    ("nombre de visites", ["1", "2"] * 9, LooksLike.NAME),
    ("NM_PARTIDO", ["PARTIDO VERDE", "PARTIDO NOVO"] * 9, LooksLike.NAME),
    ("c_charge_desc", ["Battery", "Grand Theft"] * 9, LooksLike.AMOUNT),
    ("c_charge_degree", ["F", "M"] * 9, LooksLike.EDUCATION),
    ("number_diagnoses", ["1", "9", "4"] * 9, LooksLike.DIAGNOSIS),
    ("education_level", ["1", "2", "3"] * 9, LooksLike.MEASUREMENT),
    ("colour", ["Red", "Green", "Blue", "Cyan", "Teal", "Pink", "Gold", "Grey"], LooksLike.NAME),
    ("birth place", ["Ghent", "Bruges"], LooksLike.BIRTH_DATE),
    ("birth weight", ["3500", "2800"], LooksLike.BIRTH_DATE),
    ("ratio", ["1.5", "2.5"], LooksLike.DATE),
    ("month_day", ["13/45/2001", "99/99/2001"], LooksLike.DATE),
    ("price", ["3000", "4500"], LooksLike.YEAR),
    ("email address", ["a@example.org"], LooksLike.ADDRESS),
    ("room", ["Room 12", "Room 13"], LooksLike.ADDRESS),
    ("count", ["1", "22", "333"], LooksLike.ZIP),
    ("colour", ["IN", "OUT"], LooksLike.STATE),
    ("animal", ["cat", "dog", "cow"], LooksLike.COUNTRY),
    ("angle", ["12.5", "13.5"], LooksLike.COORDINATE),
    ("birth weight", ["3500", "2800"], LooksLike.STATURE),
    ("sample_weight", ["1.5", "2.5"], LooksLike.STATURE),
    ("ht", ["0", "1"], LooksLike.STATURE),
    ("weight", ["0.31", "0.84", "12.7", "3.9"], LooksLike.STATURE),
    ("weight", ["20145", "1832", "9377"], LooksLike.STATURE),
    ("score", [f"{place}.5" for place in range(1, 90)], LooksLike.KEY),
    ("size", ["S", "M", "L"], LooksLike.SEX),
    ("agency", ["12", "13"], LooksLike.AGE),
    ("colour", ["White", "Red", "Blue", "Teal"], LooksLike.ETHNICITY),
    ("seat", ["A12", "B13", "C14", "D15", "E16", "F17"], LooksLike.DIAGNOSIS),
    ("price", ["123.45", "250.00"], LooksLike.DIAGNOSIS),
    ("grade", ["high", "low"], LooksLike.AMOUNT),
    ("word", ["CATTAG", "GATTACA"], LooksLike.GENETIC),
    ("status", ["Never married before this one", "Married once"] * 20, LooksLike.FREE_TEXT),
    ("flag", ["yes", "no", "maybe"] * 5, LooksLike.FLAG),
    ("telephone", ["A191", "A192"] * 200, LooksLike.PHONE),
    ("savings_account/bonds", ["A61", "A62", "A63"] * 200, LooksLike.ACCOUNT),
    ("c12", ["150_21", "150_34", "151_09"] * 9, LooksLike.STATURE),
    ("days_to_death", [*map(str, range(1, 32))], LooksLike.DATE),
    ("model", ["12345678", "abcdefgh", "A1234567"] * 9, LooksLike.KEY),
]


@pytest.mark.parametrize(("name", "values", "expected"), POSITIVE, ids=lambda part: str(part)[:20])
def test_recognises(evidence, name, values, expected):
    found = likenesses(evidence(name, values))[0]
    assert found.looks_like is expected
    assert found.reasons
    assert 0 < found.confidence <= 1


@pytest.mark.parametrize(("name", "values", "unwanted"), NEGATIVE, ids=lambda part: str(part)[:20])
def test_does_not_mistake(evidence, name, values, unwanted):
    assert likenesses(evidence(name, values))[0].looks_like is not unwanted


def test_every_likeness_has_a_positive_example_and_a_rule():
    shown = {expected for _, _, expected in POSITIVE}
    assert shown | {LooksLike.EMPTY} == set(LooksLike)
    assert set(RULES) == set(LooksLike)


def test_every_detector_speaks_for_something_that_has_a_rule():
    assert {detector.looks_like for detector in DETECTORS} <= set(RULES)


@pytest.mark.parametrize(
    "values", [[None, None], [" ", " "], ["?"], ["\x00"], ["٣٤٥", "٣٤٦"], ["𝔘" * 500]]
)
def test_no_detector_stumbles_over_odd_values(evidence, values):
    assert likenesses(evidence("x", values))


def test_a_name_alone_speaks_for_an_empty_field(evidence):
    found = likenesses(evidence("ssn", [None, None]))[0]
    assert (found.looks_like, found.confidence) == (LooksLike.SSN, 0.8)
    assert likenesses(evidence("x", [None, None]))[0].looks_like is LooksLike.EMPTY


def test_values_that_contradict_the_name_lower_the_confidence(evidence):
    found = likenesses(evidence("phone", ["upstairs", "downstairs", "hall", "attic", "cellar"]))[0]
    assert found.looks_like is LooksLike.PHONE
    assert found.confidence < 0.3
    assert found.reasons[1].startswith("but only 0 %")


def test_few_values_speak_less_surely(evidence):
    few = likenesses(evidence("x", ["SW1A 1AA", "M1 1AE"]))[0]
    many = likenesses(evidence("x", ["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT"]))[0]
    assert few.looks_like is many.looks_like is LooksLike.ZIP
    assert few.confidence < many.confidence


def test_days_and_months_that_cannot_be_told_apart_are_told(evidence):
    doubtful = likenesses(evidence("dob", ["01/02/1965", "03/04/1966"]))[0]
    clear = likenesses(evidence("dob", ["01/22/1965", "03/04/1966"]))[0]
    assert any("day and month" in reason for reason in doubtful.reasons)
    assert not any("day and month" in reason for reason in clear.reasons)
