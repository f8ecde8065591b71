"""A contract for every solver: `combinations` means what it says, whichever solver is asked and
whether or not somebody ranked the fields."""

from __future__ import annotations

import itertools
from collections import Counter

import pandas as pd
import pytest

import sfumato
from sfumato.errors import PolicyError
from sfumato.policy import SOLVERS, policy_from_table

ROWS = [
    ("02138", "F", "smith"),
    ("02138", "F", "smith"),
    ("02138", "M", "smith"),
    ("02139", "M", "smith"),
    ("02139", "M", "baker"),
    ("02139", "M", "baker"),
    ("02139", "F", "baker"),
]
FIELDS = ("zip", "sex", "job")


def policy(solver: str, sizes: list[int]) -> dict[str, object]:
    asked = {"levels": dict.fromkeys(FIELDS, 1)} if solver == "given" else {}
    return {
        "fields": {name: {"role": "quasi", "hierarchy": {"suppress": True}} for name in FIELDS},
        "require": {"combinations": {"k": 2, "sizes": sizes}, "max_suppression": 1.0},
        "solve": {"solver": solver, **asked},
    }


def accepted(solver: str) -> bool:
    try:
        policy_from_table(policy(solver, [2]))
    except PolicyError:
        return False
    return True


@pytest.mark.long("a cross of solvers and sizes; each fifth cell stays", every=5)
@pytest.mark.parametrize("sizes", [[1], [2], [3], [2, 3]])
@pytest.mark.parametrize("solver", sorted(filter(accepted, SOLVERS)))
def test_every_combination_of_the_sizes_is_frequent(solver, sizes):
    """A blank cell is not looked at, as the requirement reads cells by default."""
    frame = pd.DataFrame(ROWS, columns=list(FIELDS))
    made = sfumato.release(frame, policy=policy(solver, sizes))
    rows = list(made.frame[list(FIELDS)].astype(str).itertuples(index=False, name=None))
    for size in sizes:
        for chosen in itertools.combinations(range(len(FIELDS)), size):
            seen = Counter(tuple(row[at] for at in chosen) for row in rows)
            rare = {key for key, count in seen.items() if count < 2 and "*" not in key}
            assert not rare, (solver, chosen)


def test_mu_argus_is_among_them():
    assert accepted("mu_argus")
