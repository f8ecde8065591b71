"""Made-up people: tables that look like real ones and are about nobody, for the demo, the tests and benchmarks."""

from .hospital import HOSPITAL_POLICY, write_hospital

__all__ = ["HOSPITAL_POLICY", "write_hospital"]
