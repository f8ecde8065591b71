"""Where the data sets are that the benchmarks read in place and the project does not carry."""

from __future__ import annotations

import os
from pathlib import Path

from .measuring import python

REPEAT = (
    "import duckdb, sys; source, target, times = sys.argv[1:]; "
    "duckdb.sql(f\"COPY (SELECT a.* FROM range({times}), '{source}' a) TO '{target}' "
    '(FORMAT parquet)")'
)
CACHE = Path(__file__).parent / ".cache"
DATA = Path(
    os.environ.get("SFUMATO_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")
).resolve()


def have(name: str) -> bool:
    """Whether a data set is there; says in one line when it is not."""
    if (DATA / name).exists():
        return True
    print(f"left out: {name} is not in {DATA} (set SFUMATO_DATA)")
    return False


def repeated(name: str, times: int) -> Path:
    """A data set `times` over. Made in a process of its own: a child's peak memory counts what its
    parent once held."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"{name}_{times}.parquet"
    if not path.exists():
        python(REPEAT, str(DATA / name / f"{name}.parquet"), str(path), str(times))
    return path
