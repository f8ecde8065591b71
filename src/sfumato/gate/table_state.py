"""The state of the tables that a gate answers from: how often they were reloaded, and how old the
data is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from .state import GateState


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """One state of the tables of an account."""

    number: int = 1
    as_of: str = ""
    """When their sources were read, to the second; empty where no rows are kept."""
    cohorts: int = 1
    """The number of the next cohort."""
    newcomers: Mapping[str, str] = field(default_factory=dict)
    """The cohorts of people who were never there before, by number, and when they joined."""


def read_table_state(state: GateState, account: str) -> TableState:
    found = state.fact(_fact(account))
    return TableState() if found is None else TableState(**json.loads(found))


def write_table_state(state: GateState, account: str, content: TableState) -> None:
    """Inside a change of the state."""
    state.state_fact(_fact(account), json.dumps(asdict(content)))


def end_exact_answers(state: GateState, account: str) -> None:
    """From now on, for good. Inside a change of the state."""
    state.state_fact(_noise_only(account), "true")


def is_noise_only(state: GateState, account: str) -> bool:
    """Whether exact answers about an account have ended."""
    return state.fact(_noise_only(account)) is not None


def _noise_only(account: str) -> str:
    return f"noise only: {account}"


def _fact(account: str) -> str:
    return f"state of {account}"
