"""The result of a method of protecting counts: the table, and the facts about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.accounting import PrivacyAccount
from sfumato.protection import Outcome
from sfumato.report import Html
from sfumato.tabulation import AreaTree, ReleasedTable

Findings = Sequence[tuple[str, str]]


def _nothing(table: ReleasedTable) -> Findings:
    return ()


@dataclass(frozen=True, eq=False, kw_only=True)
class MethodFacts:
    """A protected table. `statement` and `released_facts` go into the manifest, which travels with
    the table; `findings`, `chart` and `details` into the report. `check` inspects the table as it
    was read back, and raises where it is not protected."""

    table: ReleasedTable
    tree: AreaTree
    outcome: Outcome
    statement: str
    released_facts: Mapping[str, Any]
    findings: tuple[tuple[str, str], ...] = ()
    account: PrivacyAccount | None = None
    chart: Html | None = field(default=None, repr=False)
    chart_caption: str = ""
    details: tuple[Html, ...] = field(default=(), repr=False)
    check: Callable[[ReleasedTable], Findings] = _nothing
