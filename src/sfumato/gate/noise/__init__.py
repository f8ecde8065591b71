"""Numbers with noise: the sums, their stated error, and their cost."""
