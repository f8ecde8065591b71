"""Channel expansion (Garfinkel et al. 2007): input channels in, a plan of output channels out. No
row is seen."""

from .candidates import enumerated
from .column_generation import ColumnGeneration
from .expansion import ChannelExpansion, check_membership
from .inputs import Inputs
from .plan import ChannelPlan
from .program import Program
from .rules import Rules

__all__ = [
    "ChannelExpansion",
    "ChannelPlan",
    "ColumnGeneration",
    "Inputs",
    "Program",
    "Rules",
    "check_membership",
    "enumerated",
]
