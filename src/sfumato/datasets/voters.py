"""A made-up voter list of the size and fields of the one in Sweeney 2000 (Figures 12 and 13): about
nobody.

The paper's list had 54,805 voters, birth dates within a hundred years, 2 sexes, 5 five-digit ZIP
codes and full postal codes; birth date alone singled out 12 % of them, with sex 29 %, with ZIP 69 %
and with the full postal code 97 %. Here birth dates, sexes and postal codes are drawn apart from
each other, which gives 16, 35, 64 and 97 %. A closer match is impossible. Where sex halves every
bin evenly and ZIP codes cut them in five, 69 % unique with the ZIP code means at least 0.69^2.5 =
40 % unique with the sex. In the real list these fields were correlated."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from .hospital import FIRST, LAST

VOTERS = 54_805
FIELDS = ("voter_id", "name", "birth", "sex", "zip", "postal_code", "registered")
ELECTION = date(1997, 1, 1)
SHARES = (("02138", 0.23), ("02139", 0.22), ("02140", 0.20), ("02141", 0.19), ("02142", 0.16))
PER_ZIP = 15  # postal codes
_YOUNGEST, _OLDEST = 18, 118
_SHAPE, _SCALE = 2.5, 14.0  # of the years above the youngest: most voters are in their thirties


def write_voters(path: Path, *, voters: int = VOTERS, seed: int = 1997) -> Path:
    """Write so many made-up voters as CSV; the same seed gives the same bytes."""
    chance = np.random.default_rng(seed)
    years = chance.gamma(_SHAPE, _SCALE, voters)
    while (late := years >= _OLDEST - _YOUNGEST).any():
        years[late] = chance.gamma(_SHAPE, _SCALE, int(late.sum()))
    days = np.floor((years + _YOUNGEST) * 365.25).astype(int).tolist()
    sexes = chance.integers(0, 2, voters).tolist()
    places = chance.choice(len(SHARES), size=voters, p=[share for _, share in SHARES]).tolist()
    ends = chance.integers(0, PER_ZIP, voters).tolist()
    first, last = (
        chance.integers(0, len(FIRST), voters).tolist(),
        chance.integers(0, len(LAST), voters).tolist(),
    )
    joined = (chance.random(voters) * (years + 0.5) * 365.25).astype(int).tolist()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for voter in range(voters):
            zip_code = SHARES[places[voter]][0]
            writer.writerow(
                (
                    f"V{100_000 + voter}",
                    f"{FIRST[first[voter]]} {LAST[last[voter]]}",
                    (ELECTION - timedelta(days=days[voter])).isoformat(),
                    "fm"[sexes[voter]],
                    zip_code,
                    f"{zip_code}-{1001 + 37 * ends[voter]}",
                    (ELECTION - timedelta(days=joined[voter])).isoformat(),
                )
            )
    return path
