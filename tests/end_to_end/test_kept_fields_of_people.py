"""`keep` weighs the search where people have several rows, too."""

from __future__ import annotations

import random

import sfumato
from sfumato.policy import policy_from_table


def test_the_kept_field_stays_where_people_have_several_rows(tmp_path):
    """Either of two fields could be shown, not both: the one that the policy keeps is."""
    chance = random.Random(4)
    lines = [
        f"P{n},{chance.randrange(12)},{chance.randrange(12)}"
        for n in range(160)
        for _ in range(1 + n % 2)
    ]
    source = tmp_path / "visits.csv"
    source.write_text("who,a,b\n" + "\n".join(lines) + "\n", encoding="utf-8")
    for solver in ("greedy", "best", "optimal"):
        for kept, other in ("ab", "ba"):
            policy = {
                "entity": "who",
                "keep": [kept],
                "fields": {
                    "who": {"role": "direct", "replace": "remove"},
                    "a": {"role": "quasi", "hierarchy": {"suppress": True}},
                    "b": {"role": "quasi", "hierarchy": {"suppress": True}},
                },
                "row_counts": {"bin_size": 5},
                "require": {"k": 5, "max_suppression": 0.05},
                "solve": {"solver": solver},
            }
            made = sfumato.release(
                source, policy_from_table(policy), to=tmp_path / f"{solver}-{kept}"
            )
            rows = [line.split(",") for line in made.table.read_text(encoding="utf-8").split()]
            column = {name: rows[0].index(name) for name in (kept, other)}
            blank = {name: sum(row[at] == "*" for row in rows[1:]) for name, at in column.items()}
            assert blank[kept] < blank[other], (solver, kept)
