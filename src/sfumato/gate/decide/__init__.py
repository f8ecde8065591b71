"""The input of a decision: a protected table, what was shown of it, and the shapes in which more
may be shown."""
