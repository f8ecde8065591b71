"""Engines as data: each file declares one, and imports its driver only when it is opened."""
