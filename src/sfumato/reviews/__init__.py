"""After a release: what can be learned from it, what was lost, and who agreed."""

from .assessing import assess
from .assessment import Assessment
from .continuum import Continuum, continuum
from .intruding import Intrusion, intrude
from .sweeping import Sweep, sweep

__all__ = ["Assessment", "Continuum", "Intrusion", "Sweep", "assess", "continuum", "intrude", "sweep"]
