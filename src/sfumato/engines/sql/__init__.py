"""The common parts of the SQL engines: queries as sqlglot trees, run in a session."""
