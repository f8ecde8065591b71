"""`python -m tests.fuzz --cases 1000 --seed 1`: the share released, refusals by kind,
contradictions.

Each case has the seed `SEED-NUMBER` and a folder; those in which something was wrong are left.
`--only SEED-NUMBER` makes one case again."""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from .cases import Result, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument(
        "--only", help="SEED-NUMBER of one case, which is made again and left to look at"
    )
    parser.add_argument(
        "--to", type=Path, default=Path("fuzz-cases"), help="folder for the cases that are left"
    )
    options = parser.parse_args()
    seeds = (
        [options.only]
        if options.only
        else [f"{options.seed}-{n}" for n in range(options.start, options.start + options.cases)]
    )
    csv.field_size_limit(sys.maxsize)
    began, results = time.monotonic(), []
    for number, seed in enumerate(seeds, start=1):
        result = run(seed, options.to / seed)
        results.append(result)
        if result.contradictions:
            _say(f"{seed}: " + "; ".join(result.contradictions))
        elif not options.only:
            shutil.rmtree(result.folder)
        if number % 100 == 0:
            _say(f"... {number} cases, {time.monotonic() - began:.0f} s")
    return _summary(results)


def _summary(results: list[Result]) -> int:
    outcomes = Counter(result.outcome for result in results)
    bad = [result for result in results if result.contradictions]
    _say(
        f"{len(results)} cases: "
        + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    )
    _say(
        f"released: {outcomes['released'] / max(len(results), 1):.1%}; with "
        f"contradictions: {len(bad)}"
    )
    for kind, count in Counter(
        result.refusal for result in results if result.refusal
    ).most_common():
        _say(f"  {count:5} refused: {kind}")
    for kind, count in Counter(
        each.split(":")[0] for result in bad for each in result.contradictions
    ).most_common():
        _say(f"  {count:5} contradicted: {kind}")
    return 1 if bad else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
