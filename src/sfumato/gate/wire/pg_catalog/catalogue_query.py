"""Asking the catalogue: a recognised question, rewritten, run on a pad that is made once for each
catalogue."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

from sqlglot import exp

from sfumato.engines.duckdb import CataloguePad
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker
from sfumato.policy import Role

from ..cells import ResultColumn, pad_oid
from .functions import CatalogueContext
from .recognition import check_listed
from .rewrite import for_pad
from .rows import CatalogueFacts, ToldField, ToldTable, pad_tables, said_table

SECONDS: Final = 3.0
"""A question about the catalogue that takes longer is ended."""
MOST_ROWS: Final = 20_000
_KEPT: Final = 4
_ROLES: Final = {
    Role.QUASI: "others may know it; it is shown as it is or in groups",
    Role.SENSITIVE: "protected",
    Role.INSENSITIVE: "is not about anybody by itself",
}


def told_of(keeper: GateKeeper, asker: Asker, *, database: str) -> CatalogueFacts:
    """The facts about the tables that somebody may know."""
    tables = []
    for name, table in keeper.held_tables(asker).items():
        fields = keeper.holdings[name].fields
        shown = tuple(
            ToldField(n, fields[n].kind, _ROLES.get(fields[n].role, ""))
            for n in table.shown
            if n in fields
        )
        never = f"Never shown: {', '.join(table.never)}." if table.never else ""
        tables.append(ToldTable(name, shown, f"{never} {keeper.promise(asker, name)}".strip()))
    return CatalogueFacts(database, tuple(tables))


class Catalogues:
    """The pads of the catalogues that were asked lately."""

    def __init__(self) -> None:
        self._pads: OrderedDict[CatalogueFacts, CataloguePad] = OrderedDict()
        self._lock = threading.Lock()

    def ask(
        self, tree: exp.Expr, around: CatalogueContext
    ) -> tuple[tuple[ResultColumn, ...], list[tuple[Any, ...]]]:
        """The columns and rows that a question about the catalogue gives."""
        check_listed(tree)
        columns, rows = self._pad(around.told).run(
            for_pad(tree, around), seconds=SECONDS, most=MOST_ROWS
        )
        return tuple(ResultColumn(name, pad_oid(kind)) for name, kind in columns), rows

    def _pad(self, told: CatalogueFacts) -> CataloguePad:
        with self._lock:
            pad = self._pads.pop(told, None) or CataloguePad((*pad_tables(told), said_table(told)))
            self._pads[told] = pad
            if len(self._pads) > _KEPT:
                self._pads.popitem(last=False)
            return pad
