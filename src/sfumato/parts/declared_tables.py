"""Tables of the docs that are written from declarations: each is between two marks, the first of
which names it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.errors import Bug

_PLACE = re.compile(
    r"(?P<start><!-- declared: (?P<name>[^>]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)


def fill_tables(page: str, tables: Mapping[str, str]) -> str:
    """A page of the docs with the tables that its markers name; a name that there is no table for
    is a Bug.

    Example:
        >>> page = "<!-- declared: solver given -->" + chr(10) + "old" + chr(10) + "<!-- end -->"
        >>> print(fill_tables(page, {"solver given": "new"}))
        <!-- declared: solver given -->
        new
        <!-- end -->
    """

    def filled(found: re.Match[str]) -> str:
        if found["name"] not in tables:
            raise Bug(f"A page has a marker for {found['name']}, which nothing declares.")
        return f"{found['start']}{tables[found['name']]}\n{found['end']}"

    return _PLACE.sub(filled, page)
