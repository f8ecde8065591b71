"""Limits on what is read from a source that nobody here has made: sizes that no honest table
has."""

from __future__ import annotations

FIELDS = 20_000
"""Fields of a table."""
NAME = 255
"""Characters in the name of a field or a table."""
HEADER_BYTES = 4 << 20
"""The first line of a CSV file."""
LINE_BYTES = 2_000_000
"""A line of a CSV file."""
UNPACKED_FREELY = 64 << 20
"""Bytes that a compressed file may always hold."""
RATIO = 200
"""How many times its own size a compressed file may hold beyond that. Tables have 5 to 50."""
VIEW_SECONDS = 300.0
"""How long a view of a database file may take: it is a program that somebody else wrote."""
VIEW_BYTES = 1 << 30
"""Bytes that the rows of a view may always take on disk."""
VIEW_RATIO = 50
"""How many times the size of its file the rows of a view may take beyond that."""
SHEET_BYTES = 512 << 20
"""Bytes that a workbook may always unpack to."""
