"""A made-up practice in the shape that databases grow into: keys called id, links that are missing,
lead round in a circle or to someone else, a table of one row each, a log that belongs to nobody."""

from __future__ import annotations

from typing import Any

Rows = list[dict[str, Any]]

PEOPLE, VISITS = 60, 240
CODES = ("I10", "E11.9", "J45.20", "K21.9", "N39.0", "M54.5")


def practice() -> dict[str, Rows]:
    patients: Rows = [
        {
            "id": 1_000 + n,
            "birth_date": f"19{50 + n % 40}-0{1 + n % 9}-1{n % 10}",
            "sex": "mf"[n % 2],
            "zip": f"0213{n % 10}",
            "mother_id": 1_000 + (n * 7) % PEOPLE,
            "site_id": n % 3 + 1,
            "last_visit_id": 5_000 + n,
        }
        for n in range(PEOPLE)
    ]
    visits: Rows = [
        {
            "id": 5_000 + n,
            "patient_id": 1_000 + n % PEOPLE if n % 60 else None,
            "seen": f"2020-0{1 + n % 9}-0{1 + n % 7}",
            "room_id": n % 25,
        }
        for n in range(VISITS)
    ]
    diagnoses: Rows = [
        {
            "visit_id": 5_000 + n % VISITS,
            "patient_id": visits[n % VISITS]["patient_id"],
            "line": n // VISITS + 1,
            "code": CODES[n % len(CODES)],
        }
        for n in range(2 * VISITS)
    ]
    contacts: Rows = [
        {
            "patient_id": 1_000 + n,
            "phone": f"617-555-01{n:02d}",
            "referred_by_patient_id": 1_000 + (n + 3) % PEOPLE,
        }
        for n in range(PEOPLE)
    ]
    return {
        "patients": patients,
        "visits": visits,
        "diagnoses": diagnoses,
        "contacts": contacts,
        "sites": [{"id": n, "name": f"House {n}", "opened": f"199{n}-01-01"} for n in (1, 2, 3)],
        "log": [{"at": f"2020-01-0{n % 9 + 1}", "what": "login"} for n in range(30)],
    }
