"""A private synthetic table: read, counted with noise, modelled, drawn, written and checked."""

from .synthesis_run import TABLE as SYNTHETIC_TABLE
from .synthesis_run import SyntheticRelease, synthesize
from .synthetic_checks import synthetic_checks

__all__ = ["SYNTHETIC_TABLE", "SyntheticRelease", "synthesize", "synthetic_checks"]
