"""The catalogue: techniques that change cells and rows before anything is counted. Each file declares one."""

from .cells import Cells
from .keyed_random import KeyedRandom
from .step_result import StepContext, StepResult
from .step_sequence import TakenStep, apply_step, apply_steps

__all__ = ["StepContext", "Cells", "KeyedRandom", "StepResult", "TakenStep", "apply_step", "apply_steps"]
