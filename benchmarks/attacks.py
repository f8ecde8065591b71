"""All attacks on Adult (30,162 rows, nine fields) beside anonymeter, where it is installed.

Two releases: a plain copy, on which every attack has most to do, and one with k = 5 (datafly2).
Both are attacked with a register of everyone as well, and laid over themselves. CPU seconds of one
process, best run with one thread. anonymeter is looked for in the interpreter that
$SFUMATO_ANONYMETER names, such as that of a virtual environment: its numpy need not be ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .data import CACHE, DATA, have
from .release_adult import write_policy

SECRET = "occupation"
PEER = """
import sys, time, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
table = pd.read_parquet(sys.argv[1]).astype(object); table["age"] = table["age"].astype(int)
names, secret = list(table), sys.argv[2]
known = [name for name in names if name != secret]
def told(name, make):
    started = time.process_time(); found = make()
    print(name, time.process_time() - started, found.risk().value, sep="\\t", flush=True)
told("singling out:one field", lambda: SinglingOutEvaluator(table, table, n_attacks=500).evaluate("univariate"))
told("singling out:several fields", lambda: SinglingOutEvaluator(table, table, n_attacks=500).evaluate("multivariate"))
told("linkability", lambda: LinkabilityEvaluator(table, table, (known[0::2], known[1::2]), 2000).evaluate(n_jobs=1))
told("inference:" + secret, lambda: InferenceEvaluator(table, table, known, secret, n_attacks=2000).evaluate(n_jobs=1))
"""


def main() -> None:
    if not have("adult"):
        return
    source = DATA / "adult" / "adult.parquet"
    peer = anonymeter(source)
    for title, release, hierarchies in (
        ("a plain copy", source, False),
        ("k = 5, datafly2", _release(source), True),
    ):
        table = Table(title=f"Attacks on Adult, 30,162 rows: {title}")
        for heading in ("attack", "right", "a guess", "outcome", "CPU s", "anonymeter CPU s"):
            table.add_column(
                heading, justify="left" if heading in ("attack", "outcome") else "right"
            )
        total = 0.0
        for run, seconds in ours(source, release, hierarchies=hierarchies):
            total += seconds
            rates = (
                f"{rate.value:.3f}" if rate is not None else "–"
                for rate in (run.rate, run.baseline)
            )
            beside = peer.get(run.name) if not hierarchies else None
            table.add_row(
                run.name, *rates, run.outcome, f"{seconds:.2f}", f"{beside:.2f}" if beside else ""
            )
        table.add_row(
            "all",
            "",
            "",
            "",
            f"{total:.2f}",
            f"{sum(peer.values()):.2f}" if peer and not hierarchies else "",
        )
        Console().print(table)
    if not peer:
        print("anonymeter was left out: set SFUMATO_ANONYMETER to a Python that has it")


def ours(source: Path, release: Path, *, hierarchies: bool):
    """Each attack by itself, with its CPU seconds; a register of everyone, and the same release as
    a second one."""
    from sfumato.assessment.attacks import Second, run_attacks
    from sfumato.engines import open_source
    from sfumato.hierarchies import CsvHierarchy
    from sfumato.measures.subject import Subject

    with open_source(release) as made, open_source(source) as table:
        names = [info.name for info in table.fields()]
        led = {}
        for name in names if hierarchies else ():
            values = table.frequencies((name,)).values[0]
            led[name] = CsvHierarchy.read(DATA / "adult" / f"hierarchy_{name}.csv").bind(values)
        known = tuple(name for name in names if name != SECRET)
        marks = [time.process_time()]
        found = run_attacks(
            Subject(release=made, source=table, known=known, sensitive=(SECRET,), hierarchies=led),
            register=table,
            second=Second(release=made, hierarchies=led),
            moved=lambda _: marks.append(time.process_time()),
        )
    yield from zip(found, (after - before for before, after in pairwise(marks)), strict=True)


def anonymeter(source: Path) -> dict[str, float]:
    python = os.environ.get("SFUMATO_ANONYMETER", sys.executable)
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "POLARS_MAX_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [python, "-c", PEER, str(source), SECRET],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        return {}
    lines = (line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 2)
    return {name: float(seconds) for name, seconds, _ in lines}


def _release(source: Path) -> Path:
    from sfumato.policy import read_policy
    from sfumato.releases import release

    CACHE.mkdir(exist_ok=True)
    target = CACHE / "attacked"
    shutil.rmtree(target, ignore_errors=True)
    policy = read_policy(write_policy(CACHE / "attacked.policy.toml", k=5))
    return release(source, policy, to=target).table
