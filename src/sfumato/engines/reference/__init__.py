"""The reference engine: slow, obvious, in plain Python."""
