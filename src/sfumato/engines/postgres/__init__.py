"""PostgreSQL: tables and views where they are."""
