"""Tables of counts: counted in the engine, protected by one of five methods, written and
checked."""

from .tabulated_checks import tabulated_checks
from .tabulation_run import TabulatedRelease, tabulate

__all__ = ["TabulatedRelease", "tabulate", "tabulated_checks"]
