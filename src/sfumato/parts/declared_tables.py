"""Tables in pages of Markdown that come from declarations: each stands between two marks, which name its registry."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .part_entries import entries_of
from .reference_tables import catalogue_table
from .registry import Registry

_BLOCK = re.compile(r"(<!-- declared: (?P<kind>[a-z]+) -->\n)(?P<table>.*?)(<!-- end -->)", re.DOTALL)


def with_declared_tables(text: str, registry_of: Callable[[str], Registry[Any]]) -> str:
    """A page with the tables of today between its marks; only Sfumato's own parts are in them.

    Example:
        >>> with_declared_tables("No mark here.", lambda kind: None)
        'No mark here.'
    """

    def block(found: re.Match[str]) -> str:
        entries = (entry for entry in entries_of(registry_of(found["kind"])) if not entry.origin)
        return f"{found[1]}{catalogue_table(entries)}\n{found[4]}"

    return _BLOCK.sub(block, text)
