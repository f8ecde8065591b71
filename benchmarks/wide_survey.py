"""Print the CPU seconds of `sfumato survey` over a made-up table of 300 fields and 10,000 rows.

python -m benchmarks.wide_survey"""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

FIELDS, ROWS = 300, 10_000


def write_table(path: Path) -> None:
    """Names, a birth date and a diagnosis, then numbers, letters, dates and words by chance."""
    draw = random.Random(3)
    makers = (
        lambda: draw.randrange(1001),
        lambda: draw.choice("abcdefg"),
        lambda: round(draw.gauss(0, 1), 3),
        lambda: f"20{draw.randrange(10, 21)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
        lambda: draw.randrange(2),
        lambda: f"w{draw.randrange(501)}",
    )
    first = {
        "id": lambda: draw.randrange(10**9),
        "first_name": lambda: draw.choice(("Anna", "Bert", "Carl", "Dora")),
        "birth_date": lambda: f"19{draw.randrange(30, 100)}-{draw.randrange(1, 13):02}-11",
        "sex": lambda: draw.choice("fm"),
        "diagnosis": lambda: draw.choice(("I10", "E11.9", "J45")),
    }
    others = [draw.choice(makers) for _ in range(FIELDS - len(first))]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*first, *(f"f{place}" for place in range(len(others)))])
        for _ in range(ROWS):
            writer.writerow([make() for make in (*first.values(), *others)])


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "wide.csv"
        write_table(path)
        before = os.times()
        command = [sys.executable, "-m", "sfumato.cli", "survey", str(path), "--no-policy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
    user = after.children_user - before.children_user
    system = after.children_system - before.children_system
    print(f"{FIELDS} fields, {ROWS:,} rows: {user + system:.1f} CPU s")


if __name__ == "__main__":
    main()
