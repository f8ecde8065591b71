"""Where the data sets are that the benchmarks read in place and the project does not carry."""

from __future__ import annotations

import os
from pathlib import Path

CACHE = Path(__file__).parent / ".cache"
DATA = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")).resolve()


def have(name: str) -> bool:
    """Whether a data set is there; says in one line when it is not."""
    if (DATA / name).exists():
        return True
    print(f"left out: {name} is not in {DATA} (set SFUMATO_DATA)")
    return False
