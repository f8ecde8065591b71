"""After a release: what can be learned from it, what was lost, and who agreed."""

from .assessment import Assessment
from .assessment_run import assess
from .continuum import Continuum, continuum
from .intrusion import Intrusion, intrude
from .ru_sweep import Sweep, sweep

__all__ = [
    "Assessment",
    "Continuum",
    "Intrusion",
    "Sweep",
    "assess",
    "continuum",
    "intrude",
    "sweep",
]
