"""Charts of an assessment: risk, utility, attacks, the R-U map and the continuum."""
