"""Cases of releases with names by channels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from .case import Case
from .people import Row, write_table

DRAWN = (
    "which subjects of an input channel go to which output channel is drawn from the system's "
    "entropy"
)
SHARES = {"HH": 0.35, "HN": 0.2, "NH": 0.12, "NN": 0.02, "LN": 0.01, "LL": 0.0}


def subjects(name: str, *, rows: int = 200) -> Callable[[Path], object]:
    """People with two measurements that go with a diagnosis."""

    def write(folder: Path) -> None:
        chance, found = Random(9), list[Row]()
        for number in range(rows):
            pressure, sugar = chance.choices(list(SHARES), (3, 4, 4, 12, 4, 2))[0]
            ill = "Heart" if chance.random() < SHARES[pressure + sugar] else "none"
            found.append({"name": f"N{number}", "bp": pressure, "glucose": sugar, "diagnosis": ill})
        write_table(found, folder / name)

    return write


def channels_policy(more: str) -> str:
    return f"""\
entity = "name"

[fields]
name = "direct"
bp = "quasi"
glucose = "quasi"
diagnosis = "sensitive"

[channels]
fields = ["bp", "glucose"]
confidential = "diagnosis"
identifiers = ["name"]
tolerance = {{ Heart = 0.2 }}
none = ["none"]
work = 5000
{more}
"""


CHANNELS = tuple(
    Case(
        name=f"channels-{name}",
        write=subjects(source),
        source=source,
        policy=channels_policy(more),
        columns_by_chance=("release.name",),
        why_chance=DRAWN,
        quick=name == "priced",
    )
    for name, source, more in (
        ("priced", "people.csv", ""),
        ("enumerated-parquet", "people.parquet", 'candidates = "enumerated"\ncount = 64'),
        (
            "linear-limited",
            "people.csv",
            "whole_subjects = false\nbound = 0.2\nmax_undisclosed = 0.9",
        ),
        (
            "rules-jsonl",
            "people.jsonl",
            '[[channels.rules]]\nfield = "bp"\nrule = "no-gaps"\nvalues = ["L", "N", "H"]',
        ),
    )
)
