"""The register: what was ever released about the same people, and who agreed to it."""

from .joint_classes import JointClasses
from .ledger import Ledger, LedgerRequirement, LedgerVerdict, ReleaseView

__all__ = ["JointClasses", "Ledger", "LedgerRequirement", "LedgerVerdict", "ReleaseView"]
