"""`python -m tests.golden_releases`: run every case and compare it with its golden record;
`--record` records anew.

`--only NAME` (repeatable, such as 'tables-*') takes some cases; `--keep DIR` keeps what was
released."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path

from .cases import CASES
from .comparison import differences
from .execution import run_case
from .record import golden_of, golden_path, record_names, write_golden


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden_releases", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the golden records anew")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="cases, with * and ?; repeatable",
    )
    parser.add_argument("--keep", type=Path, help="folder that keeps what was released")
    options = parser.parse_args()
    names = [
        name
        for name in CASES
        if not options.only or any(fnmatch(name, each) for each in options.only)
    ]
    if not names:
        parser.error(f"There is no case {', '.join(options.only)}.")
    with tempfile.TemporaryDirectory(prefix="golden-") as scratch:
        differing = sum(
            _ran(name, (options.keep or Path(scratch)) / name, record=options.record)
            for name in names
        )
    if options.record and not options.only:
        _remove_stale()
    _say(f"{len(names)} cases, {differing} differ; {time.process_time():.0f} CPU seconds")
    return 0 if options.record or not differing else 1


def _ran(name: str, folder: Path, *, record: bool) -> bool:
    began = time.process_time()
    found = run_case(CASES[name], folder.resolve())
    listed = differences(golden_of(name), json.loads(json.dumps(found)))
    took = f"{time.process_time() - began:.1f} s"
    _say(
        f"{'differs' if listed else 'same':8} {name} ({took})"
        + "".join(f"\n    {line}" for line in listed)
    )
    if record and listed:
        write_golden(name, found)
    return bool(listed)


def _remove_stale() -> None:
    for name in set(record_names()) - set(CASES):
        _say(f"removed  {name}")
        golden_path(name).unlink()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
