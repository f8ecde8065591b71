"""The optimum beside ARX's: CPU seconds of the search after loading, cold and warm, on the same
data and hierarchies.

ARX's figures are those measured on a machine like ours (two cores), CPU seconds of its working
thread: the data's peers.md has them. Cold is the first search in a new process, warm the best of
the next two."""

from __future__ import annotations

import json
import subprocess
import sys

from rich.console import Console
from rich.table import Table

from .data import DATA, have

ROWS = [
    # data set, limit, objective, sensitive field, model, ARX cold, ARX best, ARX score
    ("adult", 0.0, "loss", "", "", 0.213, 0.034, 0.57315),
    ("adult", 0.0, "precision", "", "", 0.221, 0.036, 0.66667),
    ("adult", 0.05, "loss", "", "", 1.87, 1.20, 0.24193),
    ("adult", 0.05, "precision", "", "", 1.84, 1.38, 0.36563),
    ("adult", 1.0, "loss", "", "", 5.08, 4.42, 0.22041),
    ("adult", 1.0, "precision", "", "", 2.07, 1.62, 0.31195),
    ("fars_like", 0.0, "loss", "", "", 0.496, 0.156, 0.41421),
    ("fars_like", 0.05, "loss", "", "", 6.32, 6.32, 0.16799),
    ("fars_like", 1.0, "loss", "", "", 18.5, 18.5, 0.16024),
    ("ihis_like", 0.0, "loss", "", "", 5.80, 4.79, 0.36679),
    ("ihis_like", 0.0, "precision", "", "", 6.57, 5.45, 0.47222),
    ("ihis_like", 0.05, "loss", "", "", 152.0, 152.0, 0.14100),
    ("ihis_like", 0.05, "precision", "", "", 80.5, 80.5, 0.27275),
    ("adult", 0.05, "loss", "occupation", "distinct 2", None, 0.553, 0.17012),
    ("adult", 0.05, "loss", "occupation", "distinct 5", None, 0.601, 0.22165),
    ("adult", 0.05, "loss", "occupation", "0.2-close", None, 1.26, 0.81500),
    ("fars_like", 0.05, "loss", "istatenum", "distinct 2", None, 1.52, 0.11018),
    ("fars_like", 0.05, "loss", "istatenum", "0.2-close", None, 3.81, 0.30196),
    ("ihis_like", 0.05, "loss", "EDUC", "distinct 2", None, 83.8, 0.06509),
]
ONE = """
import json, sys
from time import process_time
from benchmarks.lattice_search import counted, models_of
from sfumato.solvers import Optimal
name, limit, objective, sensitive, model = json.loads(sys.argv[1])
bins, levels = counted(name, sensitive)
models = models_of(bins, sensitive, model)
times = []
for _ in range(3):
    started = process_time()
    found = Optimal(models=models, max_suppression=limit, objective=objective).search(bins, levels)
    times.append(process_time() - started)
    if times[0] > 20:
        break
print(json.dumps([times[0], min(times), found.loss, found.visited, found.lattice_size, len(bins)]))
"""


def counted(name, sensitive=""):
    """A data set's bins and hierarchies, as they came with it."""
    from sfumato.bins import Bins
    from sfumato.engines import open_source
    from sfumato.hierarchies import CsvHierarchy

    with open_source(DATA / name / f"{name}.parquet") as engine:
        fields = [info.name for info in engine.fields() if info.name != sensitive]
        bins = Bins.count(engine, fields, sensitive=(sensitive,) if sensitive else ())
    levels = {
        field: CsvHierarchy.read(DATA / name / f"hierarchy_{field}.csv").bind(bins.labels[i])
        for i, field in enumerate(fields)
    }
    return bins, levels


def models_of(bins, sensitive, model):
    from sfumato.protection import DistinctLDiversity, KAnonymity, TCloseness, reference_of

    out = [KAnonymity(k=5, fields=bins.fields)]
    if model.startswith("distinct"):
        out.append(DistinctLDiversity(l=int(model[-1]), fields=bins.fields, sensitive=sensitive))
    elif model:
        reference = reference_of(bins, sensitive)
        out.append(TCloseness(t=0.2, fields=bins.fields, sensitive=sensitive, reference=reference))
    return tuple(out)


def main() -> None:
    if not have("adult"):
        return
    table = Table(title="The optimum at k = 5: CPU seconds after loading, beside ARX 3.9.2")
    for heading in (
        "data",
        "limit",
        "objective",
        "model",
        "score",
        "ARX's",
        "counted",
        "nodes",
        "cold",
        "warm",
    ):
        table.add_column(heading, justify="right")
    table.add_column("ARX cold / best", justify="right")
    table.add_column("ratio to best", justify="right")
    for name, limit, objective, sensitive, model, arx_cold, arx_best, arx_score in ROWS:
        asked = json.dumps([name, limit, objective, sensitive, model])
        done = subprocess.run(
            [sys.executable, "-c", ONE, asked], capture_output=True, text=True, check=True
        )
        cold, warm, score, visited, size, _ = json.loads(done.stdout)
        table.add_row(
            name, f"{limit:.0%}", objective, model or "k only", f"{score:.5f}", f"{arx_score:.5f}", f"{visited:,}",
            f"{size:,}", f"{cold:.3f}", f"{warm:.3f}", f"{arx_cold or float('nan'):.3g} / {arx_best:.3g}",
            f"{warm / arx_best:.2f}",
        )  # fmt: skip
    Console(width=150).print(table)
