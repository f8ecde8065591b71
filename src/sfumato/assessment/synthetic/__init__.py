"""Assessment of a synthetic table: what it keeps of its source, and what it discloses about people
of the source and nobody else."""

from .synthetic_assessment import SyntheticAssessment, assess_synthetic, is_synthetic

__all__ = ["SyntheticAssessment", "assess_synthetic", "is_synthetic"]
