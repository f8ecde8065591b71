"""The state of the tables that a gate answers from: how often they were reloaded, and how old the
data is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from .state import GateState


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """One state of the tables of an account."""

    number: int = 1
    as_of: str = ""
    """When their sources were read, to the second; empty where no rows are kept."""
    cohorts: int = 1
    """The number of the next cohort."""


def read_table_state(state: GateState, account: str) -> TableState:
    found = state.fact(_fact(account))
    return TableState() if found is None else TableState(**json.loads(found))


def write_table_state(state: GateState, account: str, content: TableState) -> None:
    """Inside a change of the state."""
    state.state_fact(_fact(account), json.dumps(asdict(content)))


def _fact(account: str) -> str:
    return f"state of {account}"
