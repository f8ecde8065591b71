"""The made-up hospital at a gate: a policy for the gate, and its file."""

from __future__ import annotations

from pathlib import Path

from .hospital import write_hospital

HOSPITAL_GATE_POLICY = """\
# A policy for asking the made-up hospital table, not for releasing it.
release_to = "research"
entity = "patient_id"

[fields.patient_id]
role = "direct"               # never released; it says whose each row is

[fields.name]
role = "direct"

[fields.ssn]
role = "direct"

[fields.phone]
role = "direct"

[fields.birth]
role = "quasi"                # others may know it
hierarchy = { dates = ["year", "5 years", "10 years", "20 years"] }

[fields.sex]
role = "quasi"

[fields.zip]
role = "quasi"
hierarchy = { prefix = [4, 3] }

[fields.ethnicity]
role = "quasi"

[fields.marital_status]
role = "quasi"

[fields.admitted]
role = "quasi"
hierarchy = { dates = ["month", "year"] }

[fields.discharged]
role = "direct"               # one day after the other would tell the stay

[fields.diagnosis]
role = "sensitive"            # nobody knows it, and nobody shall

[fields.charges]
role = "insensitive"

[fields.note]
role = "text"                 # never released

[require]
k = 5                         # of all that anybody was shown together, no class has fewer people
confidence_gain = { gain = 0.1, facts = 2, fields = ["diagnosis"] }
max_suppression = 0.02

[recipient.research]
description = "Researchers under contract."
linking = { birth = 1.0, sex = 1.0, zip = 1.0, ethnicity = 1.0, marital_status = 1.0, admitted = 1.0 }
"""
HOSPITAL_GATE = """\
folder = "state"
http_port = {http_port}
wire_port = {wire_port}

[tables.patients]
source = "patients.csv"
policy = "patients.policy.toml"

[terms.research]
mode = "either"               # numbers as they are where that is safe, with noise otherwise
audience = "everyone"         # what anybody was shown counts for all
budget = {{ query = 0.05, person = 0.25, table = 0.5 }}
bounds = {{ charges = [0, 50000] }}
validation = {{}}               # recipients may validate what they found on a synthetic copy
rows_per_person = 1           # of somebody with several rows, noisy numbers count one
"""


def write_hospital_gate(
    folder: Path, *, rows: int = 10_000, http_port: int = 8417, wire_port: int = 5417
) -> Path:
    """Write a made-up hospital, its policy and gate.toml into a folder; returns the path of
    gate.toml."""
    write_hospital(folder / "patients.csv", rows=rows)
    (folder / "patients.policy.toml").write_text(HOSPITAL_GATE_POLICY, encoding="utf-8")
    file = folder / "gate.toml"
    file.write_text(
        HOSPITAL_GATE.format(http_port=http_port, wire_port=wire_port), encoding="utf-8"
    )
    return file
