"""After a release: what can be learned from it, what was lost, and who agreed."""

from .assessment import Assessment
from .assessment_run import assess, is_measured
from .channel_assessment import ChannelAssessment
from .channel_sweep import ChannelSweep, channel_candidates, solve_setting
from .channel_trade_off import ChannelPoint
from .continuum import Continuum, continuum
from .intrusion import Intrusion, intrude
from .number_guidance import guidance_for
from .ru_sweep import Sweep, sweep
from .synthetic import SyntheticAssessment

__all__ = [
    "Assessment",
    "ChannelAssessment",
    "ChannelPoint",
    "ChannelSweep",
    "Continuum",
    "Intrusion",
    "Sweep",
    "SyntheticAssessment",
    "assess",
    "channel_candidates",
    "continuum",
    "guidance_for",
    "intrude",
    "is_measured",
    "solve_setting",
    "sweep",
]
