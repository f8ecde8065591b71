"""The catalogue: techniques that change cells and rows before anything is counted. Each file declares one."""

from .applying import Taken, apply_step, apply_steps
from .cells import Cells
from .chance import Chance
from .done import Around, Done

__all__ = ["Around", "Cells", "Chance", "Done", "Taken", "apply_step", "apply_steps"]
