"""The gate over PostgreSQL's wire protocol: psql, psycopg, DBeaver, pandas and R connect with their
usual drivers."""

from .server import serve_wire, wire_running

__all__ = ["serve_wire", "wire_running"]
