"""What some cases have besides: steps, a text field, compressed files. Imports nothing of
Sfumato."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from .cells import Cell, Row
from .policies import Policy
from .tables import Column, Table

COMPRESSED = ("csv", "tsv", "json", "jsonl")
AS_TEXT = ("csv", "tsv", "xlsx")
"""Formats in which every cell is text, so that a workbook that is released from them has the same
cells."""
WHOLE = ("small", "integer")
SENTENCES = (
    "{who} was seen on the ward and sent home.",
    "Letter to {who}: the results are normal.",
    "No change since last week. Signed for {who}.",
    "Nothing to report.",
)


def with_text(table: Table, policy: Policy, draw: random.Random) -> tuple[Table, Policy]:
    """The table with a field of free text, in which most people's own identifiers stand."""
    (whose,) = (column for column in table.columns if column.kind == "identifier")
    spare = table.extra["spare"]
    assert isinstance(spare, list)
    name = str(spare[0])
    cells: list[object] = [draw.choice(SENTENCES).format(who=cell) for cell in whose.cells]
    told = Table([*table.columns, Column(name, "text", cells)], table.rows, table.extra)
    return told, policy | {"fields": policy["fields"] | {name: {"role": "text"}}}


def with_step(table: Table, policy: Policy, draw: random.Random) -> Policy:
    """The policy with a step on a field that nothing else is asked of; as it is where there is
    none."""
    free = [column for column in table.columns if _is_free(policy, column.name)]
    whole = [column.name for column in free if column.kind in WHOLE]
    if whole and draw.random() < 0.6:
        step = {
            "technique": "round",
            "fields": [draw.choice(whole)],
            "base": draw.choice((2, 5, 10)),
        }
    elif free:
        step = {"technique": "swap", "fields": [draw.choice(free).name], "method": "random"}
    else:
        return policy
    return policy | {"steps": [step]}


def _is_free(policy: Policy, name: str) -> bool:
    fields, require = policy["fields"], policy["require"]
    named = {policy.get("household"), require.get("k_map", {}).get("weight")}
    followed = {spec.get("follows") for spec in fields.values()}
    spec = fields[name]
    return spec["role"] == "insensitive" and "follows" not in spec and name not in named | followed


def after_steps(source: Sequence[Row], policy: Policy) -> list[Row]:
    """The source after the steps that chance has no part in: half a base is rounded up."""
    out = [dict(row) for row in source]
    for step in policy.get("steps", ()):
        if step["technique"] == "round":
            for row in out:
                row.update({name: _rounded(row[name], step["base"]) for name in step["fields"]})
    return out


def _rounded(cell: Cell, base: int) -> Cell:
    return None if cell is None else str((2 * int(cell) + base) // (2 * base) * base)


def moved_fields(policy: Policy | Any) -> set[str]:
    """The fields whose cells may stand in other rows now."""
    return {
        name
        for step in policy.get("steps", ())
        if step["technique"] == "swap"
        for name in step["fields"]
    }
