"""A reviewed policy for the made-up hospital database, as a hospital might write it for researchers
under contract."""

from __future__ import annotations

import json
from typing import Final

from .hospital_codes import CONDITIONS

# Groups of chapters of ICD-10-CM, with the letters of their codes. With 300 patients, k^m-anonymity
# needs the groups: dozens of pairs of chapters are those of fewer than five patients.
_CHAPTERS = {
    "heart and lungs": {"circulatory": "I", "respiratory": "J"},
    "metabolism and kidneys": {"endocrine": "E", "genitourinary": "N"},
    "mind and nerves": {"mental": "F", "nervous": "G"},
    "digestion, skin, bones and injuries": {"digestive": "K", "skin": "L", "musculoskeletal": "M", "injury": "S"},
    "infections, tumours and blood": {"infectious": "AB", "tumour": "C", "blood": "D"},
    "birth, senses and the rest": {
        "pregnancy": "O", "perinatal": "P", "congenital": "Q", "ear": "H", "symptoms": "R", "check-up": "Z",
    },
}  # fmt: skip


def _tree(field: str) -> str:
    """The hierarchy of a field with diagnoses, as sections of the policy."""
    lines = []
    for group, chapters in _CHAPTERS.items():
        lines.append(f'[{field}.hierarchy.tree."{group}"]')
        for chapter, letters in chapters.items():
            codes = [item.code for item in CONDITIONS if item.code[0] in letters]
            lines.append(f"{chapter} = {json.dumps(codes)}")
    return "\n".join(lines)


HOSPITAL_DATABASE_POLICY = f"""\
# A reviewed policy for the made-up hospital database: a release to researchers under contract.
release_to = "research"
entity = "patients.patient_id"    # k counts patients, in every table

[tables.patients]
key = "patient_id"

[tables.patients.fields]
patient_id = {{ role = "direct", replace = "number" }}
name = "direct"                   # removed
ssn = "direct"
birth = {{ role = "quasi", hierarchy = {{ dates = ["month", "year", "5 years", "10 years", "20 years"] }}, rank = 2 }}
sex = {{ role = "quasi", rank = 2 }}
ethnicity = "quasi"
zip = {{ role = "quasi", hierarchy = {{ prefix = [4, 3] }}, rank = 2 }}
registered = {{ role = "insensitive", shift = {{ days = 30 }} }}    # all dates of one patient move together

[tables.physicians]
key = "physician_id"

[tables.physicians.fields]
physician_id = {{ role = "direct", replace = "number" }}
name = "direct"
specialty = "insensitive"

[tables.visits]
key = "visit_id"
links = {{ patient_id = "patients.patient_id", physician_id = "physicians.physician_id" }}
row_counts = {{ bin_size = 5, linking = 0.5 }}    # any number of visits, by itself, is that of five patients

[tables.visits.fields]
visit_id = {{ role = "direct", replace = "number" }}
patient_id = {{ role = "direct", replace = "number" }}
physician_id = {{ role = "direct", replace = "number" }}
admitted = {{ role = "sensitive", hierarchy = {{ dates = ["month", "3 months", "6 months", "year"] }} }}
discharged = "direct"             # removed: the length of a stay would tell on which day it began
ward = "insensitive"
charges = "sensitive"

[tables.visits.fields.principal_diagnosis]
role = "sensitive"

{_tree("tables.visits.fields.principal_diagnosis")}

[tables.diagnoses]
links = {{ visit_id = "visits.visit_id" }}
row_counts = {{ bin_size = 5, linking = 0.5 }}

[tables.diagnoses.fields]
visit_id = {{ role = "direct", replace = "number" }}
position = "direct"             # removed: the third of three diagnoses tells that there were three

[tables.diagnoses.fields.code]
role = "sensitive"

{_tree("tables.diagnoses.fields.code")}

[tables.procedures]
links = {{ visit_id = "visits.visit_id" }}
row_counts = {{ bin_size = 5, linking = 0.5 }}

[tables.procedures.fields]
visit_id = {{ role = "direct", replace = "number" }}
position = "direct"             # removed: the third of three diagnoses tells that there were three
code = "sensitive"

[tables.medications]
links = {{ visit_id = "visits.visit_id" }}
row_counts = {{ bin_size = 5, linking = 0.5 }}

[tables.medications.fields]
visit_id = {{ role = "direct", replace = "number" }}
drug = "sensitive"
charges = "sensitive"

[require]
k = 5
max_suppression = 0.05

[[require.k_m]]                   # who knows one principal diagnosis of a patient finds five patients with it
table = "visits"
field = "principal_diagnosis"
k = 5
m = 1

[[require.k_m]]                   # who knows when a patient came, twice, finds five who came then
table = "visits"
field = "admitted"
k = 5
m = 2

[[require.k_m]]                   # and who knows any two of the other diagnoses finds five with both
table = "diagnoses"
field = "code"
k = 5
m = 2

[recipient.research]
description = "A hospital's research group, under a contract that forbids linking."
linking = {{ birth = 1.0, zip = 1.0, sex = 1.0, ethnicity = 0.5 }}
distortion = {{ birth = 0.0, sex = 0.2, zip = 0.6, ethnicity = 0.8 }}
"""

SMALL: Final = 7_500
TINY: Final = 1_000
"""The numbers of visits below which some 290, or some forty, patients are too few for five to share
everything."""


def hospital_database_policy(visits: int) -> str:
    """The policy for a database of so many visits: where patients are few, fewer of them must share
    a value."""
    policy, shared = HOSPITAL_DATABASE_POLICY, "row_counts = { bin_size = 5, linking = 0.5 }"
    if visits >= SMALL:
        return policy
    if visits >= TINY:
        share = "max_suppression = 0.25    # of few patients, each is a large share"
        fewer = policy.replace(
            "any number of visits, by itself, is that of five",
            "any number of visits is that of two",
        )
        return fewer.replace("max_suppression = 0.05", share).replace(
            shared, shared.replace("5,", "2,")
        )
    policy = policy.replace(
        f"{shared}    # any number of visits, by itself, is that of five patients", shared
    )
    unknown = "row_counts = { linking = 0.0 }    # so few patients cannot share numbers of rows"
    policy = policy.replace("max_suppression = 0.05", "max_suppression = 0.0").replace(
        shared, unknown
    )
    return policy.replace("k = 5", "k = 2").replace("five", "two")
