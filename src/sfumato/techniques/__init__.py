"""The catalogue: techniques that change cells and rows before anything is counted. Each file
declares one."""

from .cells import Cells
from .encryption import GCM_SIV, cipher_for
from .keyed_random import KeyedRandom
from .step_result import StepContext, StepResult
from .step_sequence import TakenStep, apply_step, apply_steps

__all__ = [
    "GCM_SIV",
    "Cells",
    "KeyedRandom",
    "StepContext",
    "StepResult",
    "TakenStep",
    "apply_step",
    "apply_steps",
    "cipher_for",
]
