"""What the SQL engines have in common: queries as sqlglot trees, run in a session."""
