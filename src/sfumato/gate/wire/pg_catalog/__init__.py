"""Questions about the catalogue: which tables and fields there are, asked as clients ask
PostgreSQL."""
