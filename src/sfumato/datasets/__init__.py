"""Made-up people: tables that look like real ones and are about nobody, for the demo, the tests and
benchmarks."""

from .discharges import DISCHARGES, DISCHARGES_POLICY, write_discharges
from .hospital import HOSPITAL_POLICY, write_hospital
from .hospital_database import HOSPITAL_DATABASE_TYPES, hospital_tables, write_hospital_database
from .hospital_database_policy import HOSPITAL_DATABASE_POLICY
from .hospital_gate import HOSPITAL_GATE_POLICY, write_hospital_gate
from .hospital_notes import NOTES_POLICY, write_hospital_with_notes, write_visit_notes
from .input_channels import crossed_channels, input_channels
from .paper_tables import PAPERS, write_paper
from .voters import VOTERS, write_voters

__all__ = [
    "DISCHARGES",
    "DISCHARGES_POLICY",
    "HOSPITAL_DATABASE_POLICY",
    "HOSPITAL_DATABASE_TYPES",
    "HOSPITAL_GATE_POLICY",
    "HOSPITAL_POLICY",
    "NOTES_POLICY",
    "PAPERS",
    "VOTERS",
    "crossed_channels",
    "hospital_tables",
    "input_channels",
    "write_discharges",
    "write_hospital",
    "write_hospital_database",
    "write_hospital_gate",
    "write_hospital_with_notes",
    "write_paper",
    "write_visit_notes",
    "write_voters",
]
