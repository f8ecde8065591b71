"""One file per algorithm, under its paper's name. Solvers turn bins and requirements into a recoding."""

from .datafly import Datafly
from .datafly2 import Datafly2
from .solver import Solution, Solver, Step

__all__ = ["Datafly", "Datafly2", "Solution", "Solver", "Step"]
