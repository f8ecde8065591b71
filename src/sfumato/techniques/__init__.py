"""The catalogue: techniques that change cells and rows before anything is counted. Each file declares one."""

from .cells import Cells
from .chance import Chance
from .step_result import Around, Done
from .step_sequence import Taken, apply_step, apply_steps

__all__ = ["Around", "Cells", "Chance", "Done", "Taken", "apply_step", "apply_steps"]
