"""All golden cases, by name."""

from __future__ import annotations

from .case import Case
from .channel_cases import CHANNELS
from .gate_case import run_gate
from .one_table_cases import ONE_TABLE
from .requirement_cases import REQUIREMENTS
from .several_rows_cases import SEVERAL_ROWS, SEVERAL_TABLES
from .step_cases import STEPS
from .text_cases import TEXTS

GATE = Case(name="gate", write=lambda folder: None, run=run_gate)

CASES: dict[str, Case] = {
    case.name: case
    for case in (
        *ONE_TABLE,
        *REQUIREMENTS,
        *STEPS,
        *SEVERAL_ROWS,
        *SEVERAL_TABLES,
        *CHANNELS,
        *TEXTS,
        GATE,
    )
}
