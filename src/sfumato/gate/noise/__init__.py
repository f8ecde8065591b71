"""Numbers with noise: what is added up, how far off it is told, and what that costs."""
