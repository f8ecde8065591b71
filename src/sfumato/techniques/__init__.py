"""The catalogue: techniques that change cells and rows before anything is counted (000, Fig. 14). One file each."""

from .applying import APPLIED, Taken, apply_steps
from .cells import Cells
from .chance import Chance
from .done import Around, Done

__all__ = ["APPLIED", "Around", "Cells", "Chance", "Done", "Taken", "apply_steps"]
