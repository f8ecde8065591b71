"""After a release: what can be learned from it, what was lost, and who agreed."""

from .assessing import assess
from .assessment import Assessment
from .intruding import Intrusion, intrude
from .sweeping import Sweep, sweep

__all__ = ["Assessment", "Intrusion", "Sweep", "assess", "intrude", "sweep"]
